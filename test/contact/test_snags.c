/* Shapes and rods slide over the triangles of solids and cloth without running into their vertices.
 * ctest: heavy */
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

/* Without friction they keep their speed on what is flat, whatever its mesh and the step. What is round, and a box's edge on cloth, was braked by the
 * gaps to vertices ahead: they kept 0.27 to 0.97 of it. */
static void what_slides_keeps_its_speed(void** state)
{
    static const char* const movers[] = {
        "rigid_bodies: [{name: o, material: m, position: [-0.05, 0.0037, 0.02], rotation: [0, 0, 0.1], velocity: [$(speed), 0, 0], shapes: [{box: "
        "{size: "
        "[0.05, 0.05, 0.04]}}]}]\nprobes: {v: {body_velocity: {body: o, component: x}}}\n",
        "rigid_bodies: [{name: o, material: m, position: [-0.05, 0.0037, 0.02], velocity: [$(speed), 0, 0], shapes: [{sphere: {radius: 0.02}}]}]\n"
        "probes: {v: {body_velocity: {body: o, component: x}}}\n",
        "rigid_bodies: [{name: o, material: m, position: [-0.05, 0.0037, 0.02], rotation: [$(pi / 2), 0, 0], velocity: [$(speed), 0, 0], shapes: "
        "[{cylinder: {radius: 0.02, length: 0.05}}]}]\nprobes: {v: {body_velocity: {body: o, component: x}}}\n",
        "rods: [{name: o, material: m, section: {circle: {radius: 0.003}}, velocity: [$(speed), 0, 0], shape: {straight: {from: [-0.075, -0.012, "
        "0.003], to: "
        "[-0.025, 0.013, 0.003], nodes: 7}}}]\nprobes: {v: {velocity: {rod: o, node: 3, component: x}}}\n",
    };
    static const char* const grounds[] = {
        "solids: [{name: ground, material: m, model: linear, brick: {size: [0.25, 0.12, 0.02], cells: [18, 9, 1]}, position: [0.025, 0, -0.01],\n"
        "  damping: {stiffness: 2e-3}, pins: [{from: [-1, -1, -1], to: [1, 1, -0.0199]}]}]\n",
        "shells: [{name: ground, material: m, thickness: 0.002, sheet: {corner: [-0.1, -0.06, -0.001], along: [0.25, 0, 0], across: [0, 0.12, 0],\n"
        "  columns: 18, rows: 9}}]\nattachments: [{name: hold, pin: {shell: ground, vertices: [0, 190]}}]\n"};
    (void)state;
    for (int k = 0; k < 16; k++) {
        const double speed = k % 2 == 0 ? 0.3 : 2.0, dt = k % 2 == 0 ? 4e-3 : 1e-3;
        char text[4000];
        snprintf(text, sizeof text,
                 "parameters: {speed: %g}\nworld: {dt: %g, contact: sap_lagged}\nmaterials: {m: {young: 1e6, poisson: 0.3, density: 500, friction: "
                 "0}}\n%s%s",
                 speed, dt, grounds[k / 2 % 2], movers[k / 4]);
        FilWorld* world = load_text(text);
        for (int step = 0; step < (int)lround(0.12 / speed / dt); step++) {
            assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        }
        const double kept = probe_value(world, "v") / speed;
        if (!(fabs(kept - 1.0) < 0.015)) {
            fail_msg("mover %d on ground %d, %g m/s, %g s: keeps %g", k / 4, k / 2 % 2, speed, dt, kept);
        }
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_stops_where_friction_stops_it),
        cmocka_unit_test(what_slides_keeps_its_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
