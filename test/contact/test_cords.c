/* Cords that do not twist: friction at their surface changes neither momentum nor angular momentum. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "sample.h"
#include "scenes.h"

/* Something flies over a net and rubs against it; returns the relative change of angular momentum. */
static double fly(const char* model, const char* flyer, double dt)
{
    char text[1024];
    snprintf(text, sizeof text,
             "world: {dt: %g, gravity: [0, 0, 0], newton: {tolerance: 1e-10}, contact: {model: %s, tolerance: 1e-10}}\n"
             "materials: {rubber: {young: 1e+7, poisson: 0.4, density: 1000, friction: 0.3}}\n"
             "nets:\n"
             "  - {name: net, material: rubber, section: {circle: {radius: 0.006}}, twist_free: true,\n"
             "     hexagon: {side: 0.08, cells: 1, segments: 2}}\n%s",
             dt, model, flyer);
    FilWorld* world = load_text(text);
    const FilVec3 p = fil_world_momentum(world), l = fil_world_angular_momentum(world), none = {0.0, 0.0, 0.0};
    double force = 0.0;
    for (int k = 0; k < (int)lround(0.02 / dt); k++) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fail_msg("%s: %s", model, fil_world_error(world));
        }
        for (int c = 0; c < fil_world_contact_count(world); c++) {
            force = fmax(force, sample_distance(fil_world_contact(world, c).force, none));
        }
    }
    assert_true(force > 0.0);
    assert_true(sample_distance(fil_world_momentum(world), p) < 1e-9 * sample_distance(p, none));
    const double change = sample_distance(fil_world_angular_momentum(world), l) / sample_distance(l, none);
    fil_world_destroy(world);
    return change;
}

/* Without what the other side takes of the cords' couples, a box left 7e-3 and a rod 3e-2, whatever the step. */
static void angular_momentum_stays(void** state)
{
    static const char* const models[] = {"sap", "sap_lagged", "lcp"};
    static const char* const flyers[] = {
        "rigid_bodies: [{name: box, density: 500, position: [0.011, 0.007, 0.0375], velocity: [0.5, 0, -0.4], shapes: [{box: {size: "
        "[0.1, 0.08, 0.06]}}]}]\n",
        "rods: [{name: rod, material: rubber, section: {circle: {radius: 0.01}}, velocity: [0.5, 0, -0.4], shape: {straight: {from: "
        "[-0.09, 0.007, 0.0175], to: [0.11, 0.007, 0.0175], nodes: 9}}}]\n"};
    (void)state;
    for (int k = 0; k < 6; k++) {
        const double coarse = fly(models[k / 2], flyers[k % 2], 1e-3), fine = fly(models[k / 2], flyers[k % 2], 2.5e-4);
        // first order in dt: forces of the step's end at arms of its start
        if (!(fine < 1e-4 || (fine < 2e-3 && fine < 0.6 * coarse))) {
            fail_msg("%s: angular momentum changes by %g at 1 ms and %g at 0.25 ms", models[k / 2], coarse, fine);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(angular_momentum_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
