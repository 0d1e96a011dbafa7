/* Complementarity problems know friction in a few directions only: blocks on slopes that fall any way hold to the angle of friction all the same, and
 * slide beyond it as they should. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

#define MU 0.5
#define WEIGHT 9.81 /* m/s^2 */

/* Boxes on a slope of `share` times the friction, which falls towards `azimuth` from where the frames of contacts begin. */
static FilWorld* make_slope(int boxes, int directions, double dt, double share, double azimuth)
{
    const double angle = atan(share * MU);
    char scene[1024];
    int at = snprintf(scene, sizeof scene,
                      "world:\n"
                      "  dt: %.17g\n"
                      "  gravity: [%.17g, %.17g, %.17g]\n"
                      "  contact: {model: lcp}\n"
                      "  lcp: {directions: %d}\n"
                      "materials: {stone: {density: 1000, friction: %g}}\n"
                      "rigid_bodies:\n"
                      "  - {name: ground, motion: static, material: stone, shapes: [{half_space: {}}]}\n",
                      dt, WEIGHT * sin(angle) * cos(azimuth), WEIGHT * sin(angle) * sin(azimuth), -WEIGHT * cos(angle), directions, MU);
    for (int k = 0; k < boxes; k++) {
        at += snprintf(scene + at, sizeof scene - (size_t)at,
                       "  - {name: box%d, material: stone, position: [0, 0, %g], rotation: [0, 0, %g], shapes: [{box: {size: [0.4, 0.3, 0.1]}}]}\n",
                       k, 0.05 + 0.1 * k, 0.3 * k);
    }
    return load_text(scene);
}

/* How far the highest box comes. */
static double slide(FilWorld* world, int boxes, double end)
{
    char name[16];
    snprintf(name, sizeof name, "box%d", boxes - 1);
    while (fil_world_time(world) < end - 1e-9) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
    }
    FilVec3 p;
    FilQuat q;
    fil_rigid_get_pose(world, fil_world_find_rigid(world, name), &p, &q);
    fil_world_destroy(world);
    return hypot(p.x, p.y);
}

static const double azimuths[] = {0.0, 0.1, 0.39, 0.6, 2.0};
enum { AZIMUTHS = sizeof azimuths / sizeof *azimuths };

static void blocks_hold_whichever_way_slopes_fall(void** state)
{
    (void)state;
    for (int k = 0; k < 3 * AZIMUTHS; k++) {
        const int directions = k % 3 == 0 ? 4 : 8;
        const double dt = k % 3 == 2 ? 5e-4 : 2e-3, way = slide(make_slope(1, directions, dt, 0.99, azimuths[k / 3]), 1, 0.5);
        if (!(way < 1e-7)) {
            fail_msg("%d directions, dt %g, azimuth %g: slides by %g m", directions, dt, azimuths[k / 3], way);
        }
    }
}

static void blocks_slide_beyond_the_angle_of_friction(void** state)
{
    (void)state;
    for (int k = 0; k < AZIMUTHS; k++) {
        static const double SHARE = 1.1, TIME = 0.5;
        const double dt = 1e-3, pull = WEIGHT * cos(atan(SHARE * MU)) * (SHARE - 1.0) * MU;
        const double expected = 0.5 * pull * TIME * (TIME + dt), way = slide(make_slope(1, 4 + 2 * k, dt, SHARE, azimuths[k]), 1, TIME);
        if (!(fabs(way / expected - 1.0) < 1e-3)) {
            fail_msg("azimuth %g: slides by %g m, not %g", azimuths[k], way, expected);
        }
    }
}

/* what lies on another is held by way of that, which free motion moves as it moves the other */
static void stacks_hold_whichever_way_slopes_fall(void** state)
{
    (void)state;
    for (int k = 0; k < AZIMUTHS; k++) {
        const double way = slide(make_slope(2, 8, 2e-3, 0.95, azimuths[k]), 2, 0.5);
        if (!(way < 1e-4)) {
            fail_msg("azimuth %g: slides by %g m", azimuths[k], way);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_hold_whichever_way_slopes_fall),
                                       cmocka_unit_test(blocks_slide_beyond_the_angle_of_friction),
                                       cmocka_unit_test(stacks_hold_whichever_way_slopes_fall)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
