/* Rings that shed, and cloth that hangs on them (P4 section 3.4). */
#include <math.h>

#include "base/memory.h"
#include "geometry/closest.h"
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
        if (!fil_check_run(check, world, fil_world_time(world) + 0.001)) {
            break;
        }
    }
    // a quarter of a metre at g sin(theta) = 6 m/s^2; the rod gives way by less than a percent
    fil_check_near(check, "time until the ring leaves the free end, s", fil_world_time(world), sqrt(2.0 * 0.25 / 6.0), 0.02);
    fil_world_destroy(world);
}

/* ---- hanging clothes ---- */

/* A cloth as it is now. */
typedef struct Sheet {
    int vertex_count, triangle_count;
    int* triangles;
    double *x, *low, *high; /* 3 per vertex; 3 per triangle: corners of its box */
    double thickness;
} Sheet;

static bool take_sheet(const FilWorld* world, FilId shell, Sheet* sheet)
{
    const size_t vertices = (size_t)fil_shell_vertex_count(world, shell), triangles = (size_t)fil_shell_triangle_count(world, shell);
    *sheet = (Sheet){.vertex_count = (int)vertices, .triangle_count = (int)triangles, .thickness = fil_shell_thickness(world, shell)};
    sheet->triangles = fil_alloc(3 * triangles, sizeof(int));
    sheet->x = fil_alloc(3 * (vertices + 2 * triangles), sizeof(double));
    if (sheet->triangles == NULL || sheet->x == NULL) {
        return false;
    }
    sheet->low = sheet->x + 3 * vertices;
    sheet->high = sheet->low + 3 * triangles;
    fil_shell_get_triangles(world, shell, sheet->triangles);
    return true;
}

static void look_at_sheet(const FilWorld* world, FilId shell, Sheet* sheet)
{
    fil_shell_get_positions(world, shell, sheet->x);
    for (int t = 0; t < 3 * sheet->triangle_count; t++) {
        const int *corner = sheet->triangles + t / 3 * 3, k = t % 3;
        const double a = sheet->x[3 * corner[0] + k], b = sheet->x[3 * corner[1] + k], c = sheet->x[3 * corner[2] + k];
        sheet->low[t] = fmin(a, fmin(b, c));
        sheet->high[t] = fmax(a, fmax(b, c));
    }
}

/* Least distance of the edges of one triangle from another that shares no corner, less the thickness. */
static double gap_of(const Sheet* sheet, int a, int b)
{
    const int *p = sheet->triangles + 3 * a, *q = sheet->triangles + 3 * b;
    double min = INFINITY, along, w[3];
    for (int k = 0; k < 9; k++) {
        if (p[k / 3] == q[k % 3]) {
            return INFINITY;
        }
    }
    for (int k = 0; k < 3; k++) {
        min = fmin(min, fil_segment_triangle(sheet->x + 3 * p[k], sheet->x + 3 * p[(k + 1) % 3], sheet->x + 3 * q[0], sheet->x + 3 * q[1],
                                             sheet->x + 3 * q[2], &along, w));
    }
    return sqrt(min) - sheet->thickness;
}

/* Over every pair of triangles whose boxes are less than the thickness apart: others cannot touch. */
static double min_gap(const Sheet* sheet)
{
    double min = INFINITY;
    for (int a = 0; a < sheet->triangle_count; a++) {
        for (int b = 0; b < sheet->triangle_count; b++) {
            bool near = true;
            for (int k = 0; k < 3; k++) {
                near = near && sheet->low[3 * a + k] - sheet->thickness <= sheet->high[3 * b + k] &&
                       sheet->low[3 * b + k] - sheet->thickness <= sheet->high[3 * a + k];
            }
            min = near ? fmin(min, gap_of(sheet, a, b)) : min;
        }
    }
    return min;
}

/* What has been seen of the run. */
typedef struct Clothes {
    double shed[5];  /* s */
    int off;         /* rings */
    double gathered; /* smallest spread of the rings, of that at the start */
    double wrinkles; /* m, from the plane */
    double min;      /* m, gap */
} Clothes;

static void look_at_clothes(const FilWorld* world, const Sheet* sheet, Clothes* seen)
{
    int threaded = 0;
    for (int k = 0; k < 5; k++) {
        threaded += fil_ring_threaded(world, fil_world_ring_at(world, k)) ? 1 : 0;
    }
    while (seen->off < 5 - threaded) {
        seen->shed[seen->off++] = fil_world_time(world);
    }
    if (seen->off == 0) {
        const FilId last = fil_world_ring_at(world, 4), first = fil_world_ring_at(world, 0);
        seen->gathered = fmin(seen->gathered, fabs(fil_ring_position(world, last).x - fil_ring_position(world, first).x) / 0.3);
        for (int v = 0; v < sheet->vertex_count; v++) {
            seen->wrinkles = fmax(seen->wrinkles, fabs(sheet->x[3 * v + 1]));
        }
    }
    seen->min = fmin(seen->min, min_gap(sheet));
}

/* P4 section 3.4, whole: rings gather, the cloth leaves its plane, rings shed one by one. */
void fil_check_hanging_clothes(FilCheck* check)
{
    // measured with P4's step of 0.1 ms and a tolerance of 1e-4
    static const double fine[5] = {1.283, 1.285, 1.285, 1.297, 1.298};
    static const char* const names[5] = {"first ring off, s", "second ring off, s", "third ring off, s", "fourth ring off, s", "last ring off, s"};
    FilWorld* world = fil_rings_load(check, "hanging_clothes", NULL, 0, 0.0);
    const FilId cloth = world != NULL ? fil_world_find_shell(world, "cloth") : (FilId){0};
    Clothes seen = {.shed = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}, .gathered = 1.0, .min = INFINITY};
    Sheet sheet = {0};
    bool runs = world != NULL && take_sheet(world, cloth, &sheet);
    while (runs && fil_world_time(world) < 1.5 - 1e-9) {
        runs = fil_world_step(world, NULL) == FIL_OK;
        if (!runs) {
            fil_check_fail(check, "%s", fil_world_error(world));
            break;
        }
        look_at_sheet(world, cloth, &sheet);
        look_at_clothes(world, &sheet, &seen);
    }
    if (runs) {
        fil_check_below(check, "smallest spread of the rings, of that at the start", seen.gathered, 0.9);
        fil_check_above(check, "largest distance of the cloth from its plane, m", seen.wrinkles, 0.005);
        for (int k = 0; k < 5; k++) {
            fil_check_near(check, names[k], seen.shed[k], fine[k], 0.02);
        }
        fil_check_above(check, "least gap of any two triangles in any state, m", seen.min, 0.0);
    }
    fil_free(sheet.triangles);
    fil_free(sheet.x);
    fil_world_destroy(world);
}
