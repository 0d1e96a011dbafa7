/* Vertices of solids welded to the world, to rigid bodies and to links: they keep their places there, and what they bear is
 * reported. */
#include <stdio.h>

#include "blocks.h"
#include "scenes.h"

#define FOAM "materials: {foam: {young: 1.0e+5, poisson: 0.3, density: 500}}\n"
#define BLOCK   \
    "solids:\n" \
    "  - {name: block, material: foam, brick: {size: [0.2, 0.1, 0.1], cells: [4, 2, 2]}, damping: {stiffness: 0.02}}\n"

static void refuse(const char* text, const char* part)
{
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_scene_load_text("scene", text, strlen(text), NULL, &world, NULL, &error), FIL_BAD_INPUT);
    if (strstr(error.text, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, error.text);
    }
}

/* What holds a cantilever bears its weight, and its weight times the arm of its centre of mass. */
static void bears(const char* model, const char* holder, double tolerance)
{
    char text[900];
    snprintf(text, sizeof text,
             "world: {dt: 0.01, contact: %s}\n" FOAM BLOCK
             "rigid_bodies: [{name: wall, motion: %s, mass: 1, position: [-0.3, 0, 0], shapes: [{box: {size: [0.2, 0.2, 0.2]}}]}]\n"
             "joints:\n"
             "  - {name: base, weld: {a: {solid: block, within: {from: [-0.11, -1, -1], to: [-0.09, 1, 1]}}%s}}\n",
             model, strcmp(holder, "free") == 0 ? "dynamic" : "static", strcmp(holder, "world") == 0 ? "" : ", b: {body: wall}");
    if (strcmp(holder, "free") == 0) {
        strcat(text, "  - {name: hook, weld: {a: {body: wall}, point: [-0.3, 0, 0]}}\n");
    }
    FilWorld* world = load_text(text);
    for (int k = 0; k < 300; k++) {
        block_step(world, NULL);
    }
    const FilId solid = fil_world_find_solid(world, "block"), base = fil_world_find_joint(world, "base");
    const double weight = 9.81 * fil_solid_mass(world, solid);
    const FilVec3 force = fil_joint_force(world, base), torque = fil_joint_torque(world, base), center = fil_solid_center(world, solid);
    double first[3];
    FilVec3 wall;
    FilQuat turn;
    fil_solid_get_position(world, solid, 0, first);  // the first held vertex
    fil_rigid_get_pose(world, fil_world_find_rigid(world, "wall"), &wall, &turn);
    const double arm[2] = {first[0] - wall.x - 0.2, first[2] - wall.z + 0.05};  // the wall turns by small angles at most
    const double off = hypot(arm[0] + 2.0 * turn.y * 0.05, arm[1] + 2.0 * turn.y * 0.2);
    print_message("%s, %s: force %.3e, torque %.3e off; moved %.2e\n", model, holder, -force.z / weight - 1.0,
                  torque.y / (weight * (center.x - first[0])) - 1.0, off);
    assert_true(fabs(-force.z / weight - 1.0) < tolerance);
    assert_true(fabs(torque.y / (weight * (center.x - first[0])) - 1.0) < tolerance);
    // joints are as rigid as the step can resolve; followers have no choice
    const bool follows = strcmp(holder, "free") == 0 && strncmp(model, "sap", 3) == 0;
    assert_true(off < (follows ? 1e-6 : 1e-4));
    if (strcmp(holder, "free") == 0) {  // and the hook bears both
        assert_true(fabs(-fil_joint_force(world, fil_world_find_joint(world, "hook")).z / (weight + 9.81) - 1.0) < tolerance);
    }
    fil_world_destroy(world);
}

static void test_bears_weight(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged", "lcp", "ipc"};
    static const char* const holders[] = {"world", "static", "free"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        for (size_t h = 0; h < sizeof holders / sizeof *holders; h++) {
            bears(models[m], holders[h], 1e-4);  // it still creeps after 3 s
        }
    }
}

/* A block and a body welded together in flight keep their momenta. */
static void test_keeps_momentum(void** state)
{
    (void)state;
    FilWorld* world = load_text("world: {dt: 0.005, gravity: [0, 0, 0], contact: sap}\n" FOAM
                                "solids:\n"
                                "  - {name: block, material: foam, model: corotated_linear, brick: {size: [0.2, 0.1, 0.1], cells: [4, 2, 2]}}\n"
                                "rigid_bodies: [{name: ball, mass: 1, position: [-0.2, 0, 0], velocity: [0, 0, 0.1], angular_velocity: [0, 0, 2], "
                                "shapes: [{sphere: {radius: 0.1}}]}]\n"
                                "joints:\n"
                                "  - {name: base, weld: {a: {solid: block, within: {from: [-0.11, -1, -1], to: [-0.09, 1, 1]}}, b: {body: ball}}}\n");
    const FilVec3 before[2] = {fil_world_momentum(world), fil_world_angular_momentum(world)};
    for (int k = 0; k < 200; k++) {
        block_step(world, NULL);
    }
    const FilVec3 after[2] = {fil_world_momentum(world), fil_world_angular_momentum(world)};
    print_message("momentum %.2e of %.2e, angular %.2e of %.2e\n", after[0].z - before[0].z, before[0].z, after[1].z - before[1].z, before[1].z);
    assert_true(fabs(after[0].z / before[0].z - 1.0) < 1e-6);
    assert_true(fabs(after[1].z / before[1].z - 1.0) < 2e-2);  // turning joints lose to second order in dt
    fil_world_destroy(world);
}

static void test_bad_input(void** state)
{
    (void)state;
    refuse(FOAM BLOCK "joints: [{weld: {a: {solid: block, within: {from: [5, 5, 5], to: [6, 6, 6]}}}}]\n", "no vertex lies inside");
    refuse(FOAM BLOCK "joints: [{weld: {a: {solid: block, within: {from: [5, 5, 5]}}}}]\n", "to");
    refuse(FOAM BLOCK "joints: [{bushing: {a: {solid: block, within: {from: [-1, -1, -1], to: [1, 1, 1]}}, stiffness: 1}}]\n", "pins and welds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bears_weight),
        cmocka_unit_test(test_keeps_momentum),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
