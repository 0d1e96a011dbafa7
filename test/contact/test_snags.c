/* Boxes slide over the triangles of a solid without running into their vertices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

#define MU 0.4
#define STEP 1e-3

/* A box of 0.1 m that slides at 1 m/s over a block held below, 0.6 m long and of `cells` along it. */
static FilWorld* make_slider(const char* model, int cells)
{
    char text[1024];
    snprintf(text, sizeof text,
             "world: {dt: %g, contact: %s}\n"
             "materials: {rubber: {young: 1e+7, poisson: 0.3, density: 1000, friction: %g}}\n"
             "rigid_bodies: [{name: box, material: rubber, velocity: [1, 0, 0], position: [0, 0.003, 0.03], mass: 0.3,\n"
             "  shapes: [{box: {size: [0.1, 0.07, 0.06]}}]}]\n"
             "solids: [{name: block, material: rubber, position: [0.1, 0, -0.05], brick: {size: [0.6, 0.3, 0.1], cells: [%d, %d, 2]},\n"
             "  damping: {stiffness: 0.01}, pins: [{from: [-9, -9, -0.2], to: [9, 9, -0.09]}]}]\n"
             "probes: {x: {body_position: {body: box, component: x}}}\n",
             STEP, model, MU, cells, cells / 2 + 1);
    return load_text(text);
}

static void a_box_stops_where_friction_stops_it(void** state)
{
    (void)state;
    static const char* const models[] = {"sap_lagged", "lcp"};
    const double expected = 1.0 / (2.0 * MU * 9.81) - 0.5 * STEP;  // of steps that end with the slower speed
    for (int k = 0; k < 4; k++) {
        FilWorld* world = make_slider(models[k / 2], k % 2 == 0 ? 13 : 19);
        for (int step = 0; step < 280; step++) {
            assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        }
        const double way = probe_value(world, "x");
        if (!(fabs(way / expected - 1.0) < 0.01)) {
            fail_msg("case %d: %g m instead of %g", k, way, expected);
        }
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_stops_where_friction_stops_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
