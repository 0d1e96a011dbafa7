/* A semicircular arch of seven stiff blocks without mortar (P3 VII-B) stands or falls within 3 % of what thrust lines say: at high
 * friction from a thickness of 0.0963 radii on, at a thickness of 0.2 from mu = 0.2982 on (linear programmes over thrust lines
 * with radial joints and true centroids). */
#include <stdio.h>

#include "blocks.h"
#include "scenes.h"

static bool stands(const char* model, double thickness, double mu)
{
    char text[1000];
    snprintf(text, sizeof text,
             "world: {dt: 0.01, contact: %s}\n"
             "materials: {stone: {young: 20.0e+9, poisson: 0.3, density: 2300, friction: %g}}\n"
             "solids:\n"
             "  - name: stone$(index)\n"
             "    repeat: 7\n"
             "    material: stone\n"
             "    voussoir: {radius: 1, thickness: %g, depth: 0.3, from: $(pi * index / 7), to: $(pi * (index + 1) / 7), cells: [1, 1, 1]}\n"
             "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}], surface: {friction: %g}}]\n",
             model, mu, thickness, mu);
    FilWorld* world = load_text(text);
    const FilId crown = fil_world_find_solid(world, "stone3");
    double start[3], end[3] = {0.0};
    fil_solid_get_position(world, crown, 0, start);
    for (int k = 0; k < 600 && (k == 0 || start[2] - end[2] < 0.02); k++) {
        FilStepInfo info;
        if (fil_world_step(world, &info) != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
        fil_solid_get_position(world, crown, 0, end);
    }
    fil_world_destroy(world);
    return start[2] - end[2] < 0.02;
}

static void test_thickness(void** state)
{
    (void)state;
    assert_true(stands("sap", 1.03 * 0.0963, 1.0));
    assert_false(stands("sap", 0.97 * 0.0963, 1.0));
}

static void test_friction(void** state)
{
    (void)state;
    assert_true(stands("sap", 0.2, 1.03 * 0.2982));
    assert_false(stands("sap", 0.2, 0.97 * 0.2982));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thickness), cmocka_unit_test(test_friction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
