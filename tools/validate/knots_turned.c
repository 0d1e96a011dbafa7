/* A knot does not care which way it lies, nor whether it is left- or right-handed: the trefoil of the scene, pulled as it is, and once more
 * mirrored and turned about an axis that nothing lines up with. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quat.h"
#include "base/vec3.h"
#include "cli.h"
#include "validate/knots_imc.h"

enum { NODES = 301, TEXT = 40000 };

static const double TURN[3] = {0.52, 1.05, -0.37}; /* rad: along no axis, and no part of a turn */

/* x mirrored and turned, where asked for. */
static void place(bool turned, const double* x, double* out)
{
    const double mirrored[3] = {turned ? -x[0] : x[0], x[1], x[2]}, nothing[3] = {0.0, 0.0, 0.0};
    double rotation[9];
    fil_m3_from_quat(rotation, fil_quat_exponential(turned ? TURN : nothing));
    fil_m3_apply(out, rotation, mirrored);
}

/* Nodes of the scene's knot. */
static bool read_knot(FilCheck* check, double* nodes)
{
    char path[4096];
    FilError error = {{0}};
    FilWorld* world = NULL;
    if (!fil_scene_find("knot_imc", path, sizeof path, &error) || fil_scene_load(path, NULL, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
        return false;
    }
    fil_rod_get_positions(world, fil_world_rod_at(world, 0), nodes);
    fil_world_destroy(world);
    return true;
}

static FilWorld* load(FilCheck* check, const char* model, bool turned, const double* nodes)
{
    char text[TEXT];
    double along[3], x[3];
    FilWorld* world = NULL;
    FilError error = {{0}};
    const FilSceneOptions options = {.contact_model = model};
    place(turned, (const double[3]){0.0, 0.03, 0.0}, along);  // m/s
    int at = snprintf(text, sizeof text,
                      "world: {gravity: [0, 0, 0], dt: 2e-3, contact: imc, imc: {force_tolerance: 1e-8}, ipc: {range: 2e-4}}\n"
                      "materials: {rubber: {young: 1.8e5, poisson: 0.5, density: 1180, friction: 0.2}}\n"
                      "attachments: [{name: left, hold: {rod: rope, edge: 0}}, {name: right, hold: {rod: rope, edge: -1}}]\n"
                      "drives:\n"
                      "  - {name: pull_left, attachment: left, velocity: [%.17g, %.17g, %.17g]}\n"
                      "  - {name: pull_right, attachment: right, velocity: [%.17g, %.17g, %.17g]}\n"
                      "rods:\n"
                      "  - {name: rope, material: rubber, section: {circle: {radius: 0.0016}}, drag: 0.01, shape: {polyline: {nodes: %d, points: [",
                      -along[0], -along[1], -along[2], along[0], along[1], along[2], NODES);
    for (int i = 0; i < NODES; i++) {
        place(turned, nodes + 3 * i, x);
        at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.16g, %.16g, %.16g]", i > 0 ? ", " : "", x[0], x[1], x[2]);
    }
    (void)snprintf(text + at, sizeof text - (size_t)at, "]}}}\n");
    if (fil_scene_load_text("knot", text, strlen(text), &options, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s: %s", model, error.text);
    }
    return world;
}

/* The pull after 3 s, a mean over the last 0.2 s, N; NaN after a failure. */
static double pull_of(FilCheck* check, const char* model, bool turned, const double* nodes)
{
    FilWorld* world = load(check, model, turned, nodes);
    double sum = 0.0;
    int count = 0;
    while (world != NULL && fil_world_time(world) < 3.0 - 1e-9) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fil_check_fail(check, "%s: %s", model, fil_world_error(world));
            count = 0;
            break;
        }
        if (fil_world_time(world) > 2.8) {
            const FilVec3 force = fil_attachment_force(world, fil_world_find_attachment(world, "right"));
            sum += sqrt(force.x * force.x + force.y * force.y + force.z * force.z);
            count++;
        }
    }
    fil_world_destroy(world);
    return count > 0 ? sum / count : NAN;
}

void fil_check_knots_turned(FilCheck* check)
{
    static const char* const models[2] = {"ipc", "imc"};
    // what Newton leaves; strands of imc bounce on each other at first, and its stiffness follows
    static const double within[2] = {1e-5, 5e-3};
    double nodes[3 * NODES];
    for (int m = 0; m < 2 && read_knot(check, nodes); m++) {
        char what[96];
        const double plain = pull_of(check, models[m], false, nodes), turned = pull_of(check, models[m], true, nodes);
        snprintf(what, sizeof what, "%s: pull of the trefoil mirrored and turned / as it is", models[m]);
        if (isfinite(plain) && isfinite(turned)) {
            fil_check_near(check, what, turned / plain, 1.0, within[m]);
        }
    }
}
