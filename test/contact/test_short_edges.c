/* Rods whose edges are shorter than their radius slide along themselves: friction turns each edge against its neighbours, and is mu times the weight
 * all the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

#define MU 0.5
#define GRAVITY 9.81

/* A rod of 0.4 m, 10 mm thick to each side, that slides along itself at 2 m/s. */
static FilWorld* make_slider(const char* ground, int edges)
{
    char text[1024];
    snprintf(text, sizeof text,
             "world: {gravity: [0, 0, %g], dt: 1e-3, contact: sap_lagged}\n"
             "materials: {rubber: {young: 1e+6, poisson: 0.3, density: 1000, friction: %g}}\n"
             "rods: [{name: rod, material: rubber, section: {circle: {radius: 0.01}}, velocity: [2, 0, 0],\n"
             "  shape: {straight: {from: [-0.2, 0, 0.01], to: [0.2, 0, 0.01], nodes: %d}}}]\n"
             "rigid_bodies: [{name: ground, motion: static, material: rubber, shapes: [%s]}]\n"
             "probes: {momentum: {momentum: {component: x}}, load: {contact_force: {body: ground, component: z}}}\n",
             -GRAVITY, MU, edges + 1, ground);
    return load_text(text);
}

static void friction_is_mu_times_the_weight(void** state)
{
    (void)state;
    static const char* const grounds[] = {"{half_space: {}}", "{box: {size: [2, 1, 0.1]}, position: [0, 0, -0.05]}"};
    static const int edges[] = {32, 96, 128, 192};  // mu times the radius over an edge: 0.4, 1.2, 1.6, 2.4
    const double mass = 1000.0 * 3.14159265358979323846 * 1e-4 * 0.4;
    for (int k = 0; k < 8; k++) {
        FilWorld* world = make_slider(grounds[k / 4], edges[k % 4]);
        double load = 0.0;
        const double start = probe_value(world, "momentum");
        for (int step = 0; step < 100; step++) {
            assert_int_equal(fil_world_step(world, NULL), FIL_OK);
            load -= probe_value(world, "load") * 1e-3;
        }
        const double braked = start - probe_value(world, "momentum");
        assert_true(fabs(load / (mass * GRAVITY * 0.1) - 1.0) < 1e-3);
        if (!(fabs(braked / (MU * mass * GRAVITY * 0.1) - 1.0) < 2e-3)) {
            fail_msg("%d edges on ground %d: friction is %g of mu times the weight", edges[k % 4], k / 4, braked / (MU * mass * GRAVITY * 0.1));
        }
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_mu_times_the_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
