/* Gas in solids and shells, as the scenes have it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/solid.h"

static bool step(FilCheck* check, FilWorld* world)
{
    if (fil_world_step(world, NULL) != FIL_OK) {
        fil_check_fail(check, "%s", fil_world_error(world));
        return false;
    }
    return true;
}

/* ---- the finger ---- */

/* A vertex by its place at rest. */
static int vertex_at(const double* x, int count, double px, double pz)
{
    int best = 0;
    double min = INFINITY;
    for (int i = 0; i < count; i++) {
        const double d = fabs(x[3 * i] - px) + fabs(x[3 * i + 1]) + fabs(x[3 * i + 2] - pz);
        best = d < min ? i : best;
        min = fmin(d, min);
    }
    return best;
}

/* By how much the section at 70 mm is turned against that at 30 mm under a pressure, rad, once all is at rest. */
static double turn_at(FilCheck* check, FilWorld* world, const int* vertices, double pressure)
{
    const FilId finger = fil_world_find_solid(world, "finger");
    double x[4][3];
    bool ok = fil_solid_set_pressure(world, finger, 0, pressure) == FIL_OK;
    for (int k = 0; k < 4 && ok; k++) {  // a second each: a step of backward Euler leaves nothing of its vibrations
        ok = step(check, world);
    }
    for (int k = 0; k < 4; k++) {
        fil_solid_get_position(world, finger, vertices[k], x[k]);
    }
    const double near = atan2(x[0][0] - x[1][0], x[0][2] - x[1][2]), far = atan2(x[2][0] - x[3][0], x[2][2] - x[3][2]);
    return ok ? far - near : NAN;
}

/* Against p A e/(E I): both from the section, with the chamber's area A and its distance e from the centroid of the material. */
static double bending(FilCheck* check, const char* fine)
{
    const FilSetting settings[] = {{"fine", fine}, {"poisson", "0"}, {"g", "0"}};
    const double side = 0.02, width = 0.01, height = 0.02 / 3.0, young = 0.3e6, pressure = 100.0;
    const double hollow = width * height, area = side * side - hollow, centroid = -hollow * 0.5 * height / area, arm = 0.5 * height - centroid;
    const double inertia = pow(side, 4.0) / 12.0 + side * side * centroid * centroid - width * pow(height, 3.0) / 12.0 - hollow * arm * arm;
    const double theory = pressure * hollow * arm / (young * inertia) * 0.04;
    FilWorld* world = fil_check_solid_load(check, "pneumatic_finger", settings, 3, 1.0);
    double ratio = NAN;
    if (world != NULL) {
        const FilId finger = fil_world_find_solid(world, "finger");
        const int count = fil_solid_vertex_count(world, finger);
        double* x = calloc(3 * (size_t)count, sizeof *x);
        if (x != NULL) {
            fil_solid_get_positions(world, finger, x);
            const int vertices[4] = {vertex_at(x, count, 0.03, 0.11), vertex_at(x, count, 0.03, 0.09), vertex_at(x, count, 0.07, 0.11),
                                     vertex_at(x, count, 0.07, 0.09)};
            const double rest = turn_at(check, world, vertices, 0.0);
            ratio = (turn_at(check, world, vertices, pressure) - rest) / theory;
            free(x);
        }
    }
    fil_world_destroy(world);
    return ratio;
}

void fil_check_solid_finger(FilCheck* check)
{
    const double coarse = bending(check, "1"), fine = bending(check, "2");
    fil_check_note(check, "bending of the finger's middle over p A e/(E I), 6 cells across", coarse);
    fil_check_near(check, "the same with 12 cells", fine, 1.0, 0.05);
    fil_check_below(check, "error of the finer mesh over that of the coarser", fabs(fine - 1.0) / fabs(coarse - 1.0), 0.5);
}

/* ---- the membranes ---- */

void fil_check_solid_membrane(FilCheck* check)
{
    FilWorld* world = fil_check_solid_load(check, "bubble_membrane", NULL, 0, 0.0);
    const FilId bear = world != NULL ? fil_world_find_solid(world, "bear") : (FilId){0};
    const FilId bubble = world != NULL ? fil_world_find_shell(world, "bubble_l") : (FilId){0};
    double from[3] = {NAN, NAN, NAN}, free_pressure = NAN, worst = INFINITY;
    bool ok = world != NULL;
    for (int k = 1; k <= 550 && ok; k++) {  // lifted by 3 s, shaken from 3.5 to 5 s
        ok = step(check, world);
        worst = fmin(worst, fil_solid_measure(world, bear).min_jacobian);
        free_pressure = k == 30 ? fil_shell_chamber_pressure(world, bubble, 0) : free_pressure;
        if (ok && (k == 350 || k == 550)) {
            FilVec3 finger, center = fil_solid_center(world, bear);
            FilQuat turn;
            fil_link_pose(world, fil_world_find_link(world, "left_finger"), &finger, &turn);
            if (k == 350) {
                from[0] = center.x - finger.x, from[1] = center.y - finger.y, from[2] = center.z - finger.z;
                continue;
            }
            fil_check_below(check, "what the bear slipped by while shaken, sideways, m", fabs(center.x - finger.x - from[0]), 5e-3);
            fil_check_below(check, "and down, m", fabs(center.z - finger.z - from[2]), 5e-3);
            fil_check_above(check, "height of the bear, m", center.z, 0.12);
            fil_check_above(check, "least volume of an element over that at rest", worst, 0.3);  // 0.36 with cells of 22 mm, 0.42 with 16
            fil_check_above(check, "pressure that the grip adds, Pa", fil_shell_chamber_pressure(world, bubble, 0) - free_pressure, 1000.0);
        }
    }
    fil_world_destroy(world);
}
