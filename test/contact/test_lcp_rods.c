/* Rods' contacts under lcp give way a little (docs/lcp.md): heavy loads do not sink for all that. A rope over an edge, which needs it: contact.edge.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

static const double RADIUS = 0.01; /* m, of two rods on the ground */

/* A box of `ratio` times their mass lies on them for half a second: how far it sinks, m. */
static double sink(double ratio)
{
    const double mass = ratio * 2.0 * 500.0 * 3.14159265358979 * RADIUS * RADIUS * 0.2;
    char text[1400];
    snprintf(text, sizeof text,
             "world: {dt: 1e-3, contact: lcp}\n"
             "materials: {wood: {young: 1e+9, poisson: 0.3, density: 500, friction: 0.5}}\n"
             "rods:\n"
             "  - {name: rod, repeat: 2, material: wood, section: {circle: {radius: %g}},\n"
             "     shape: {straight: {from: [-0.1, $(0.1 * index - 0.05), %g], to: [0.1, $(0.1 * index - 0.05), %g], nodes: 11}}}\n"
             "rigid_bodies:\n"
             "  - {name: ground, motion: static, material: wood, shapes: [{half_space: {}}]}\n"
             "  - {name: box, material: wood, mass: %g, position: [0, 0, %g], shapes: [{box: {size: [0.12, 0.15, 0.1]}}]}\n"
             "probes: {height: {body_position: {body: box, component: z}}, load: {contact_force: {body: ground, component: z}}}\n",
             RADIUS, RADIUS, RADIUS, mass, 0.05 + 2.0 * RADIUS);
    FilWorld* world = load_text(text);
    for (int k = 0; k < 500; k++) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fail_msg("mass ratio %g: %s", ratio, fil_world_error(world));
        }
    }
    const double weight = 9.81 * mass * (1.0 + 1.0 / ratio);
    assert_true(fabs(fil_world_probe_value(world, 1) + weight) < 1e-3 * weight);
    const double height = fil_world_probe_value(world, 0);
    fil_world_destroy(world);
    return 0.05 + 2.0 * RADIUS - height;
}

/* A hundredth of the radius where contact becomes harder, on either side of the rods; rigid contact did not start with 1e4. */
static void heavy_box_on_rods(void** state)
{
    (void)state;
    static const double ratios[] = {1.0, 100.0, 1e4};
    static const double max[] = {1e-6, 2e-5, 2e-4};  // m: 2 x 0.1 g dt^2 times the load on a node; then 1 % of the radius each
    for (int k = 0; k < 3; k++) {
        const double depth = sink(ratios[k]);
        if (!(depth > 0.0 && depth < max[k])) {
            fail_msg("mass ratio %g: sinks by %g m, more than %g", ratios[k], depth, max[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(heavy_box_on_rods)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
