/* Rings that shed, and cloth that hangs on them (P4 section 3.4). */
#include <math.h>

#include "validate/rings.h"

/* A ring slides off the free end of a sloping rod, and only there. */
void fil_check_ring_sheds(FilCheck* check)
{
    static const char* const scene =
        "world: {gravity: [0, 0, -10], dt: 0.001, contact: ipc}\n"
        "materials: {steel: {young: 2e11, poisson: 0.3, density: 7800}}\n"
        "rods:\n"
        "  - {name: rod, material: steel, section: {circle: {radius: 0.005}}, shape: {straight: {from: [0, 0, 0], to: [0.4, 0, -0.3], nodes: 20}}}\n"
        "attachments:\n"
        "  - {name: hold, clamp: {rod: rod, node: 0}}\n"
        "rings:\n"
        "  - {name: ring, rod: rod, range: 0.005, stiffness: 10, point: {mass: 0.001, position: [0.2, 0, -0.15], settled: true}}\n";
    FilWorld* world = NULL;
    FilError error;
    size_t size = 0;
    while (scene[size] != '\0') {
        size++;
    }
    if (fil_scene_load_text("shed", scene, size, NULL, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
        return;
    }
    const FilId ring = fil_world_find_ring(world, "ring");
    while (fil_ring_threaded(world, ring) && fil_world_time(world) < 1.0) {
        if (!fil_rings_run(check, world, fil_world_time(world) + 0.001)) {
            break;
        }
    }
    // a quarter of a metre at g sin(theta) = 6 m/s^2; the rod gives way by less than a percent
    fil_check_near(check, "time until the ring leaves the free end, s", fil_world_time(world), sqrt(2.0 * 0.25 / 6.0), 0.02);
    fil_world_destroy(world);
}

/* P4 section 3.4, whole: rings gather, the cloth leaves its plane, rings shed one by one. */
void fil_check_hanging_clothes(FilCheck* check)
{
    FilWorld* world = fil_rings_load(check, "hanging_clothes", NULL, 0, 0.0);
    double shed[5] = {0.0}, gathered = 1.0, wrinkles = 0.0, least = INFINITY;
    int off = 0, count = 0;
    const FilId cloth = world != NULL ? fil_world_find_shell(world, "cloth") : (FilId){0};
    count = world != NULL ? fil_shell_vertex_count(world, cloth) : 0;
    while (world != NULL && fil_world_time(world) < 1.5 - 1e-9) {
        FilStepInfo info;
        if (fil_world_step(world, &info) != FIL_OK) {
            fil_check_fail(check, "%s", fil_world_error(world));
            break;
        }
        least = fmin(least, info.least_distance);
        int threaded = 0;
        for (int k = 0; k < 5; k++) {
            threaded += fil_ring_threaded(world, fil_world_ring_at(world, k)) ? 1 : 0;
        }
        while (off < 5 - threaded) {
            shed[off++] = fil_world_time(world);
        }
        if (off == 0) {
            const double spread = fil_ring_position(world, fil_world_ring_at(world, 4)).x - fil_ring_position(world, fil_world_ring_at(world, 0)).x;
            gathered = fmin(gathered, spread / 0.3);
            for (int v = 0; v < count; v++) {
                double x[3];
                fil_shell_get_position(world, cloth, v, x);
                wrinkles = fmax(wrinkles, fabs(x[1]));
            }
        }
    }
    if (world != NULL) {
        fil_check_below(check, "smallest spread of the rings, of that at the start", gathered, 0.9);
        fil_check_above(check, "largest distance of the cloth from its plane, m", wrinkles, 0.005);
        fil_check_above(check, "first ring off after the release, s", shed[0], 1.0);
        fil_check_above(check, "last ring off, s", shed[4], 1.0);
        fil_check_below(check, "last ring off, s", off == 5 ? shed[4] : INFINITY, 1.5);
        fil_check_above(check, "least distance of surfaces, m", least, 0.0);
    }
    fil_world_destroy(world);
}
