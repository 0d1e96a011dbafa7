/* Rigid joints under the midpoint rule: their forces are those half-way, so that it stays of second order and keeps energy. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

static void run_until(FilWorld* world, double end)
{
    while (fil_world_time(world) < end - 1e-9) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
    }
}

static double distance(const double* a, const double* b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* With the arms of the step's start a joint pushed it along its way: from 10 to 53 rad/s. */
static void what_circles_keeps_its_speed(void** state)
{
    (void)state;
    static const char* const joints[] = {"hinge: {a: {body: ball}, point: [0, 0, 0], axis: [0, 0, 1]}", "pin: {a: {body: ball}, point: [0, 0, 0]}",
                                         "weld: {a: {body: ball}, b: {body: hub}, point: [0.25, 0, 0]}"};
    for (int k = 0; k < 3; k++) {
        char scene[1024];
        snprintf(
            scene, sizeof scene,
            "world: {gravity: [0, 0, 0], dt: 0.002, integrator: midpoint}\n"
            "rigid_bodies:\n"
            "  - {name: ball, mass: 1, position: [0.5, 0, 0], velocity: [0, 5, 0], angular_velocity: [0, 0, 10], shapes: [{sphere: {radius: 0.1}}]}\n"
            "  - {name: hub, mass: 1, angular_velocity: [0, 0, 10], shapes: [{sphere: {radius: 0.1}}]}\n"
            "joints: [{%s}, {pin: {a: {body: hub}, point: [0, 0, 0]}}]\n",
            joints[k]);
        FilWorld* world = load_text(scene);
        const double start = fil_world_energy(world).kinetic;
        run_until(world, 5.0);
        const double ratio = fil_world_energy(world).kinetic / start;
        if (!(fabs(ratio - 1.0) < 5e-3)) {
            fail_msg("%s: kinetic energy over that at the start %g", joints[k], ratio);
        }
        fil_world_destroy(world);
    }
}

/* A box on a ball joint off its centre, which tumbles as it swings; below it another on a hinge. `moving`: on a base that goes at a steady 1 m/s
 * along x, from which it looks the same. Place and energy of the lower one. */
static double swing(double dt, bool moving, double* place)
{
    const double speed = moving ? 1.0 : 0.0;
    char scene[1536];
    snprintf(scene, sizeof scene,
             "world: {dt: %.17g, integrator: midpoint, contact: {model: none, tolerance: 1e-12}}\n"
             "rigid_bodies:\n"
             "  - {name: base, motion: kinematic, shapes: [{sphere: {radius: 0.01}}]}\n"
             "  - {name: upper, mass: 1, position: [0.2, 0, 0], velocity: [%.17g, 0.6, -0.4], angular_velocity: [4, 2, 3],\n"
             "     shapes: [{box: {size: [0.4, 0.1, 0.2]}}], collision: {enabled: false}}\n"
             "  - {name: lower, mass: 1, position: [0.6, 0, 0], velocity: [%.17g, 1.8, -1.2], angular_velocity: [4, 2, 3],\n"
             "     shapes: [{box: {size: [0.4, 0.2, 0.1]}}], collision: {enabled: false}}\n"
             "joints:\n"
             "  - {ball: {a: {body: upper}, b: {body: base}, point: [0, 0, 0]}}\n"
             "  - {hinge: {a: {body: lower}, b: {body: upper}, point: [0.4, 0, 0], axis: [0, 1, 0]}}\n"
             "drives: [{body: base, velocity: [%.17g, 0, 0]}]\n",
             dt, speed, speed, speed);
    FilWorld* world = load_text(scene);
    FilVec3 p;
    FilQuat q;
    const double start = fil_world_energy(world).kinetic + fil_world_energy(world).gravity;
    run_until(world, 0.8);
    fil_rigid_get_pose(world, fil_world_find_rigid(world, "lower"), &p, &q);
    place[0] = p.x - 0.8 * speed, place[1] = p.y, place[2] = p.z;
    const double change = fil_world_energy(world).kinetic + fil_world_energy(world).gravity - start;
    fil_world_destroy(world);
    return change;
}

static void joined_bodies_are_of_second_order(void** state)
{
    (void)state;
    double fine[3];
    swing(1e-4, false, fine);
    for (int k = 0; k < 2; k++) {
        double places[3][3], error[3], energy[3];
        for (int r = 0; r < 3; r++) {
            energy[r] = swing(4e-3 / (1 << r), k == 1, places[r]);
            error[r] = distance(places[r], fine);
        }
        const double order = log2(error[0] / error[2]) / 2.0;
        if (!(order > 1.8 && order < 2.3 && error[2] < 1e-4)) {
            fail_msg("on a base that %s: errors %g %g %g, order %g", k == 1 ? "moves" : "rests", error[0], error[1], error[2], order);
        }
        if (k == 0 && !(fabs(energy[2]) < 1e-3)) {
            fail_msg("the energy changes by %g %g %g J", energy[0], energy[1], energy[2]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_circles_keeps_its_speed),
        cmocka_unit_test(joined_bodies_are_of_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
