/* Soft arms in scene files: what is read, driven, joined and measured, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

#define HEAD                            \
    "world: {dt: 1e-3, contact: sap}\n" \
    "arms:\n"                           \
    "  - name: trunk\n"                 \
    "    position: [0, 0, 1]\n"         \
    "    rotation: [$(pi), 0, 0]\n"     \
    "    valve_time: 0.05\n"            \
    "    coriolis: lumped\n"            \
    "    sections:\n"                   \
    "      - {mass: 1.17, disks: 6}\n"  \
    "      - {mass: 0.54, chambers: 4, elongation: [0.01, 0, 0]}\n"

static FilStatus load(const char* text, FilWorld** world, FilError* error)
{
    return fil_scene_load_text("arm.yaml", text, strlen(text), NULL, world, NULL, error);
}

static void scene_arms_move_and_are_measured(void** state)
{
    (void)state;
    static const char text[] = HEAD
        "rigid_bodies:\n"
        "  - {name: load, position: [0, 0, 0.69], mass: 0.1, shapes: [{sphere: {radius: 0.02}}]}\n"
        "joints:\n"
        "  - {name: hook, pin: {a: {arm: trunk, disk: -1}, b: {body: load}, point: [0, 0, 0.69]}}\n"
        "pairs:\n"
        "  - {a: trunk, b: load, friction: 0.3}\n"
        "drives:\n"
        "  - {name: air, arm: trunk, chambers: [3, 2], pressure: [[0, 0], [0.1, 3e4]]}\n"
        "  - {name: push, arm: trunk, disk: -1, force: [1, 0, 0]}\n"
        "probes:\n"
        "  tip: {disk_position: {arm: trunk, disk: -1}}\n"
        "  speed: {disk_velocity: {arm: trunk, disk: -1, component: norm}}\n"
        "  bend: {bending: {arm: trunk, section: 1}}\n"
        "  long: {section_length: {arm: trunk, section: 1}}\n"
        "  air: {pressure: {arm: trunk, chamber: 4}}\n"
        "  touch: {contact_force: {arm: trunk, component: norm}}\n"
        "  hook: {joint_force: {joint: hook, component: z}}\n";
    FilWorld* world = NULL;
    FilError error;
    if (load(text, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    const FilId arm = fil_world_find_arm(world, "trunk");
    assert_int_equal(fil_arm_section_count(world, arm), 2);
    assert_int_equal(fil_arm_chamber_count(world, arm), 7);
    assert_int_equal(fil_arm_disk_count(world, arm), 1 + 7 + 4);
    double elongations[6];
    fil_arm_get_state(world, arm, elongations, NULL);
    assert_true(elongations[3] == 0.01 && elongations[0] == 0.0);
    for (int k = 0; k < 2000; ++k) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    FilVec3 tip;
    FilQuat orientation;
    fil_arm_tip_pose(world, arm, &tip, &orientation);
    const FilArmShape shape = fil_arm_shape(world, arm, 1);
    assert_true(probe_value(world, "tip_x") == tip.x && probe_value(world, "tip_z") == tip.z);
    assert_true(probe_value(world, "bend") == shape.angle && probe_value(world, "long") == shape.length);
    assert_true(shape.angle > 0.3);                           /* rad: 12 N in two chambers of four */
    assert_true(fabs(probe_value(world, "air") - 3e4) < 1.0); /* 38 time constants after the ramp */
    assert_true(probe_value(world, "speed") < 0.1);
    assert_true(fabs(fabs(probe_value(world, "hook")) - 0.981) < 0.05); /* N: the load hangs, nearly at rest */
    assert_true(probe_value(world, "touch") == 0.0);
    fil_world_destroy(world);
}

static void refused(const char* tail, const char* message)
{
    char text[2000] = HEAD;
    FilWorld* world = NULL;
    FilError error;
    strcat(text, tail);
    assert_int_equal(load(text, &world, &error), FIL_BAD_INPUT);
    if (strstr(error.text, message) == NULL) {
        fail_msg("expected '%s' in '%s'", message, error.text);
    }
}

static void bad_scenes_are_refused(void** state)
{
    (void)state;
    refused("      - {chambers: 2}\n", "arm.yaml:11: arms.trunk.sections.2.chambers: ");
    refused("      - {stiffness: -3}\n", "arm.yaml:11: arms.trunk.sections.2.stiffness: ");
    refused("      - {lenght: 0.2}\n", "did you mean 'length'?");
    refused("      - {elongation: [-0.5, 0, 0]}\n", "section 2: its elongations leave it a length of");
    refused("  - {name: other, coriolis: ful, sections: [{}]}\n", "did you mean 'full'?");
    refused("  - {name: other, scheme: rk32, sections: [{}]}\n", "did you mean 'rk23'?");
    refused("  - {name: other}\n", "sections");
    refused("drives:\n  - {arm: trunk, chamber: 7, pressure: 1e4}\n", "drives.0.chamber: ");
    refused("drives:\n  - {arm: trunk, disk: 1, pressure: 1e4}\n", "'pressure' acts on chambers, not on 'disk'");
    refused("drives:\n  - {arm: trunk, chamber: 1, force: [0, 0, 1]}\n", "'force' acts on disks, not on 'chamber'");
    refused("drives:\n  - {arm: trunk, curvature: [0, 1]}\n", "'curvature' does not act on 'arm': it needs 'rod'");
    refused("drives:\n  - {arm: trnk, pressure: 1e4}\n", "unknown arm 'trnk'; did you mean 'trunk'?");
    refused("drives:\n  - {pressure: 1e4}\n", "arm");
    refused("probes:\n  p: {bending: {arm: trunk, section: 2}}\n", "probes.p.bending.section: ");
    refused("probes:\n  p: {disk_position: {arm: trunk}}\n", "disk");
    refused("joints:\n  - {pin: {a: {arm: trunk, disk: 0}, point: [0, 0, 1]}}\n", "arm 'trunk' has disks 1 to 11, no disk 0");
    refused("rigid_bodies:\n  - {name: trunk, motion: static}\n", "the name 'trunk' is given twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scene_arms_move_and_are_measured),
        cmocka_unit_test(bad_scenes_are_refused),
    };
    return cmocka_run_group_tests_name("arm scenes", tests, NULL, NULL);
}
