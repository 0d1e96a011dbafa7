/* A soft block on a slope (gravity is inclined): it sticks below the angle of friction and slides above with g (sin a - mu cos a). */
#include <stdio.h>

#include "blocks.h"

static const double MU = 0.3, G = 9.81;

static FilWorld* slope(const char* model, double angle)
{
    char text[900];
    FilWorld* world = NULL;
    FilError error;
    snprintf(text, sizeof text,
             "world: {dt: 0.005, contact: %s, gravity: [%.17g, 0, %.17g]}\n"
             "materials: {gum: {young: 2.0e+5, poisson: 0.3, density: 1000, friction: %g}}\n"
             "rigid_bodies: [{name: ground, motion: static, material: gum, shapes: [{half_space: {}}]}]\n"
             "solids: [{name: block, material: gum, brick: {size: [0.2, 0.1, 0.05], cells: [4, 2, 1]}, position: [0, 0, 0.025], damping: {stiffness: "
             "0.01}}]\n",
             model, G * sin(angle), -G * cos(angle), MU);
    if (fil_scene_load_text("scene", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return world;
}

static double run(FilWorld* world, int steps)
{
    for (int k = 0; k < steps; k++) {
        block_step(world, NULL);
    }
    return fil_solid_center(world, fil_world_find_solid(world, "block")).x;
}

static void test_slides(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged"};
    for (int m = 0; m < 2; m++) {
        const double angle = 0.4, t = 0.25;
        FilWorld* world = slope(models[m], angle);
        run(world, 100);
        double x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = run(world, k == 0 ? 1 : 50);
        }
        const double measured = (x[2] - 2.0 * x[1] + x[0]) / (t * t), theory = G * (sin(angle) - MU * cos(angle));
        print_message("%s: slides with %g of theory\n", models[m], measured / theory);
        assert_true(fabs(measured / theory - 1.0) < 1e-3);
        fil_world_destroy(world);
    }
}

static void test_sticks(void** state)
{
    (void)state;
    FilWorld* world = slope("sap", 0.25);
    const double from = run(world, 100), to = run(world, 100);
    print_message("creeps by %g m in half a second\n", to - from);
    assert_true(fabs(to - from) < 1e-3 * 0.5 * G * sin(0.25) * 0.25);  // of what it would slide without friction
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slides), cmocka_unit_test(test_sticks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
