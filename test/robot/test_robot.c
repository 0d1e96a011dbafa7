/* Robots in a world: commands as state, what is refused, what is attached to links, what they touch.
 */
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
#include "robot_world.h"
#include "sample.h"

/* ---- commands ---- */

static void commands_are_state(void** state)
{
    (void)state;
    FilWorld* world = make_world("none");
    const FilId robot = add(world, ROBOTS "arm6.urdf", NULL);
    run(world, 10);
    const uint64_t before = fil_world_hash(world);
    void* snapshot = malloc(fil_world_snapshot_size(world));
    assert_non_null(snapshot);
    fil_world_save(world, snapshot);
    send(world, robot, 1, FIL_JOINT_POSITION, -0.5);
    assert_true(fil_world_hash(world) != before);
    run(world, 50);
    const uint64_t after = fil_world_hash(world);
    const double moved = fil_robot_joint_state(world, robot, 1).position;
    assert_true(moved < -0.05);
    // back, and the same again
    assert_int_equal(fil_world_restore(world, snapshot, fil_world_snapshot_size(world)), FIL_OK);
    assert_true(fil_world_hash(world) == before);
    assert_true(fil_robot_joint_command(world, robot, 1).position == 0.0);
    send(world, robot, 1, FIL_JOINT_POSITION, -0.5);
    run(world, 50);
    assert_true(fil_world_hash(world) == after);
    assert_int_equal(fil_world_reset(world), FIL_OK);
    assert_true(fil_robot_joint_command(world, robot, 1).position == 0.0);
    free(snapshot);
    fil_world_destroy(world);
}

static void all_modes_move_joints(void** state)
{
    (void)state;
    FilWorld* world = make_world("none");
    const FilId robot = add(world, ROBOTS "arm6.urdf", NULL);
    assert_int_equal(fil_world_set_gravity(world, (FilVec3){0.0, 0.0, 0.0}), FIL_OK);
    send(world, robot, 0, FIL_JOINT_POSITION, 0.7);
    send(world, robot, 3, FIL_JOINT_VELOCITY, 0.4);
    send(world, robot, 5, FIL_JOINT_EFFORT, 0.1);  // its friction is 0.05, its damping 0.1
    run(world, 1000);
    assert_true(fabs(fil_robot_joint_state(world, robot, 0).position - 0.7) < 1e-3);
    // the damper's effort is what friction and damping take: 0.05 + 0.1 v
    const FilJointState wrist = fil_robot_joint_state(world, robot, 3);
    assert_true(wrist.velocity > 0.3 && wrist.velocity < 0.4 && fabs(wrist.effort - 0.05 - 0.1 * wrist.velocity) < 1e-3);
    assert_true(fabs(fil_robot_joint_state(world, robot, 5).velocity - 0.5) < 0.02);
    assert_true(fil_robot_joint_state(world, robot, 5).effort == 0.1);
    // velocities stay within the joint's limit
    send(world, robot, 3, FIL_JOINT_VELOCITY, -100.0);
    run(world, 300);
    assert_true(fabs(fil_robot_joint_state(world, robot, 3).velocity) < 6.1);
    send(world, robot, 5, FIL_JOINT_PASSIVE, 0.0);
    run(world, 1);
    assert_true(fil_robot_joint_state(world, robot, 5).effort == 0.0);
    fil_world_destroy(world);
}

static void wrong_commands_are_refused(void** state)
{
    (void)state;
    FilWorld *world = make_world("none"), *other = make_world("none");
    const FilId robot = add(world, ROBOTS "gripper.urdf", NULL), foreign = add(other, ROBOTS "gripper.urdf", NULL);
    const int lift = fil_robot_find_joint(world, robot, "lift"), mirror = fil_robot_find_joint(world, robot, "mirror");
    FilJointCommand command = {FIL_JOINT_POSITION, 0.1, 0.0, 0.0};
    expect_refusal(world, fil_robot_set_joint_command(world, foreign, lift, &command), "no such robot");
    expect_refusal(world, fil_robot_set_joint_command(world, robot, 3, &command), "no joint 3");
    expect_refusal(world, fil_robot_set_joint_command(world, robot, -1, &command), "no joint -1");
    expect_refusal(world, fil_robot_set_joint_command(world, robot, mirror, &command), "'mirror' follows 'grip'");
    command.mode = FIL_JOINT_VELOCITY;
    expect_refusal(world, fil_robot_set_joint_command(world, robot, lift, &command), "'lift' takes no velocity");
    command.mode = (FilJointMode)3;
    expect_refusal(world, fil_robot_set_joint_command(world, robot, lift, &command), "unknown mode 3");
    command = (FilJointCommand){FIL_JOINT_POSITION, NAN, 0.0, 0.0};
    expect_refusal(world, fil_robot_set_joint_command(world, robot, lift, &command), "'lift': the command is not finite");
    expect_refusal(world, fil_robot_set_joint_state(world, robot, lift, INFINITY, 0.0), "not finite");
    expect_refusal(world, fil_robot_set_base(world, robot, (FilVec3){0}, (FilQuat){0, 0, 0, 1}, (FilVec3){0}, (FilVec3){0}), "fixed base");
    expect_refusal(world, fil_world_add_robot(world, &(FilRobotDef){.name = "robot1"}, &(FilId){0}), "already a robot");
    FilId again;
    const FilRobotDef def = fil_robot_def_default();
    expect_refusal(world, fil_world_add_robot_urdf(world, &def, ROBOTS "gripper.urdf", NULL, 0, NULL, 0, &again),
                   "'rail' is empty or taken; a prefix");
    fil_world_destroy(other);
    fil_world_destroy(world);
}

/* ---- definitions ---- */

static void joints_of_one_name_are_refused(void** state)
{
    (void)state;
    FilWorld* world = make_world("none");
    static const char* const link_names[] = {"foot", "knee", "bob"};
    FilLinkDef links[3];
    FilRobotJointDef hinges[2];
    for (int k = 0; k < 3; k++) {
        links[k] = fil_link_def_default();
        links[k].name = link_names[k];
        links[k].mass = 1.0;
        links[k].inertia[0] = links[k].inertia[1] = links[k].inertia[2] = 0.1;
    }
    for (int k = 0; k < 2; k++) {
        hinges[k] = fil_robot_joint_def_default();
        hinges[k].name = "hinge";
        hinges[k].type = FIL_ROBOT_REVOLUTE;
        hinges[k].parent = k;
        hinges[k].child = k + 1;
    }
    FilRobotDef def = fil_robot_def_default();
    def.links = links;
    def.link_count = 3;
    def.joints = hinges;
    def.joint_count = 2;
    FilId id;
    expect_refusal(world, fil_world_add_robot(world, &def, &id), "two joints are named 'hinge'");
    hinges[1].name = "elbow";
    assert_int_equal(fil_world_add_robot(world, &def, &id), FIL_OK);
    fil_world_destroy(world);
}

static void wrong_definitions_are_refused(void** state)
{
    (void)state;
    FilWorld* world = make_world("none");
    FilLinkDef links[2] = {fil_link_def_default(), fil_link_def_default()};
    FilRobotJointDef joint = fil_robot_joint_def_default();
    links[0].name = "foot";
    links[1].name = "bob";
    links[1].mass = 1.0;
    links[1].inertia[0] = links[1].inertia[1] = links[1].inertia[2] = 0.1;
    joint.name = "hinge";
    joint.type = FIL_ROBOT_REVOLUTE;
    joint.child = 1;
    const FilRobotJointDef good = joint;
    FilRobotDef def = sample_robot_def(links, &joint);
    FilId id;
    struct {
        double* number;
        double value;
        const char* words;
    } cases[] = {
        {&joint.damping, -1.0, "joint 'hinge': its damping and armature"},
        {&joint.friction, NAN, "joint 'hinge': its friction"},
        {&joint.armature, INFINITY, "joint 'hinge': its damping and armature"},
        {&joint.max_effort, -1.0, "joint 'hinge': its effort"},
        {&joint.axis.x, 0.0, "joint 'hinge': its axis"},
        {&joint.lower, NAN, "joint 'hinge': its limits"},
        {&joint.position.x, NAN, "joint 'hinge': its type or"},
        {&joint.start_velocity, NAN, "joint 'hinge': its coupling"},
        {&joint.limit_stiffness, 0.0, "joint 'hinge': its limits"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        *cases[k].number = cases[k].value;
        expect_refusal(world, fil_world_add_robot(world, &def, &id), cases[k].words);
        joint = good;
    }
    joint.child = 2;
    expect_refusal(world, fil_world_add_robot(world, &def, &id), "joint 'hinge': there is no link 2");
    joint = good;
    joint.mimic = 0;
    expect_refusal(world, fil_world_add_robot(world, &def, &id), "joint 'hinge': it can only mimic");
    joint = good;
    def.position.x = NAN;
    expect_refusal(world, fil_world_add_robot(world, &def, &id), "position of the base");
    def.position.x = 0.0;
    def.link_count = 0;
    expect_refusal(world, fil_world_add_robot(world, &def, &id), "at least one link");
    def.link_count = 2;
    assert_int_equal(fil_world_add_robot(world, &def, &id), FIL_OK);
    run(world, 10);
    fil_world_destroy(world);
}

/* ---- attached and touched ---- */

static FilWorld* load_text(const char* text)
{
    FilWorld* world = NULL;
    FilError error;
    if (fil_scene_load_text(FILUM_SOURCE_DIR "/config/scenes/test.yaml", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return world;
}

static const char attached[] =
    "world: {dt: 1e-3, contact: sap}\n"
    "materials: {m: {young: 1e7, poisson: 0.3, density: 1000, friction: 0.5}}\n"
    "rods:\n"
    "  - {name: rod, material: m, section: {circle: {radius: 0.004}}, damping: {mass: 5, stiffness: 1e-3},\n"
    "     shape: {straight: {from: [0.83, 0, 0.3], to: [0.83, 0, 0], nodes: 16}}}\n"
    "rigid_bodies:\n"
    "  - {name: box, material: m, position: [0.9, 0, 0.3], shapes: [{box: {size: [0.03, 0.03, 0.03]}}]}\n"
    "arms:\n"
    "  - {name: soft, position: [0.83, 0.4, 0.3], rotation: [1.5707963267948966, 0, 0], sections: [{length: 0.35, "
    "disks: 4}],\n"
    "     collision: {enabled: false}}\n"
    "robots:\n"
    "  - {name: arm, urdf: ../robots/arm6.urdf, joints: [{gains: {stiffness: 1e4, damping: 300}}]}\n"
    "joints:\n"
    "  - {name: rope, attach: {rod: rod, node: 0, link: tool0}}\n"
    "  - {name: load, attach: {body: box, link: tool0}}\n"
    "  - {name: brace, pin: {a: {arm: soft, disk: -1}, b: {link: forearm}, point: [0.83, 0.05, 0.3]}}\n"
    "probes:\n"
    "  tool: {link_position: {link: tool0}}\n"
    "  speed: {link_velocity: {link: tool0, component: norm}}\n"
    "  lift: {axis_position: {robot: arm, joint: shoulder_lift}}\n"
    "  push: {contact_force: {link: tool0}}\n";

static void rods_bodies_and_arms_hang_on_links(void** state)
{
    (void)state;
    FilWorld* world = load_text(attached);
    const FilId robot = fil_world_find_robot(world, "arm"), rod = fil_world_find_rod(world, "rod");
    send(world, robot, 1, FIL_JOINT_POSITION, -0.2);
    run(world, 3000);
    FilVec3 tool, box;
    FilQuat turned, box_turned;
    double nodes[3 * 16];
    fil_link_pose(world, fil_world_find_link(world, "tool0"), &tool, &turned);
    fil_rigid_get_pose(world, fil_world_find_rigid(world, "box"), &box, &box_turned);
    fil_rod_get_positions(world, rod, nodes);
    assert_true(tool.z > 0.4);
    // the rod's node is where the tool is, up to what a joint as rigid as a step can resolve gives way; the box is 7 cm
    // along the tool's axis and turned with it
    assert_true(hypot(hypot(nodes[0] - tool.x, nodes[1] - tool.y), nodes[2] - tool.z) < 1e-4);
    assert_true(fabs(hypot(hypot(box.x - tool.x, box.y - tool.y), box.z - tool.z) - 0.07) < 1e-5);
    assert_true(fabs(box_turned.y - turned.y) < 1e-4 && fabs(box_turned.w - turned.w) < 1e-4);
    // what the joints bear: the weights of what hangs on them
    const double box_weight = 1000.0 * 0.03 * 0.03 * 0.03 * 9.81;
    assert_true(fabs(fil_joint_force(world, fil_world_find_joint(world, "load")).z + box_weight) < 0.02 * box_weight);
    assert_true(fil_world_probe_count(world) > 0);
    fil_world_destroy(world);
}

/* A soft arm with its base on the tool goes where the tool goes, and the tool bears its weight. */
static void soft_arms_are_mounted_on_links(void** state)
{
    (void)state;
    static const char text[] =
        "world: {dt: 1e-3, contact: sap}\n"
        "robots: [{name: arm, urdf: ../robots/arm6.urdf, joints: [{gains: {stiffness: 1e4, damping: 300}}]}]\n"
        "arms:\n"
        "  - {name: soft, position: [0.85, 0, 0.3], rotation: [0, 1.5707963267948966, 0], free_base: true, base_mass: 0.1,\n"
        "     sections: [{length: 0.2, mass: 0.2}], collision: {enabled: false}}\n"
        "joints: [{name: mount, attach: {arm: soft, disk: 0, link: tool0}}]\n"
        "trajectories: [{robot: arm, joints: [pan, shoulder_lift], points: [[0.2, 0, 0], [1, 0.6, -0.4]]}]\n";
    FilWorld* world = load_text(text);
    const FilId link = fil_world_find_link(world, "tool0"), soft = fil_world_find_arm(world, "soft");
    run(world, 3000);
    FilVec3 tool, base;
    FilQuat orientation;
    fil_link_pose(world, link, &tool, &orientation);
    fil_arm_disk_pose(world, soft, 0, &base, &orientation);
    assert_true(tool.y > 0.4 && tool.z > 0.5);
    // 2 cm in front of the tool, as at the start
    assert_true(fabs(hypot(hypot(base.x - tool.x, base.y - tool.y), base.z - tool.z) - 0.02) < 1e-5);
    assert_true(fabs(fil_joint_force(world, fil_world_find_joint(world, "mount")).z + 0.3 * 9.81) < 1e-3);
    fil_world_destroy(world);
}

/* A chain of three bars that folds onto itself: the outer two touch only if they may; neighbours never do. */
static void links_collide_with_each_other_if_asked(void** state)
{
    (void)state;
    static const char text[] =
        "<robot name='fold'>"
        "<link name='a'><collision><origin xyz='0.5 0 0'/><geometry><box size='1 0.1 "
        "0.1'/></geometry></collision></link>"
        "<link name='b'><inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial>"
        "<collision><origin xyz='0 0 0.1'/><geometry><box size='0.1 0.1 0.3'/></geometry></collision></link>"
        "<link name='c'><inertial><origin xyz='-0.3 0 0'/><mass value='1'/><inertia ixx='0.1' iyy='0.1' "
        "izz='0.1'/></inertial>"
        "<collision><origin xyz='-0.4 0 0'/><geometry><box size='0.8 0.1 0.1'/></geometry></collision></link>"
        "<joint name='j' type='fixed'><parent link='a'/><child link='foot'/></joint><link name='foot'/>"
        "<joint name='k' type='revolute'><parent link='a'/><child link='b'/><origin xyz='1 0 0'/><axis xyz='0 1 0'/>"
        "<limit lower='-1' upper='1' effort='1000' velocity='1'/></joint>"
        "<joint name='l' type='continuous'><parent link='b'/><child link='c'/><origin xyz='0 0 0.3'/><axis xyz='0 1 "
        "0'/></joint>"
        "</robot>";
    for (int self = 0; self < 2; self++) {
        FilWorld* world = make_world("sap");
        FilRobotDef def = fil_robot_def_default();
        def.collision.self = self == 1;
        FilId robot;
        if (fil_world_add_robot_urdf(world, &def, "fold.urdf", text, strlen(text), NULL, 0, &robot) != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
        send(world, robot, 0, FIL_JOINT_POSITION, 0.0);
        int contacts = 0;
        for (int k = 0; k < 1000; k++) {
            run(world, 1);
            for (int i = 0; i < fil_world_contact_count(world); i++) {
                const FilContactInfo info = fil_world_contact(world, i);
                contacts += info.force.z != 0.0;
                // never neighbours: only the foot's bar and the last
                assert_true((info.a.index == fil_robot_link(world, robot, 0).index) != (info.b.index == fil_robot_link(world, robot, 0).index));
            }
        }
        assert_true(self == 1 ? contacts > 0 : contacts == 0);
        fil_world_destroy(world);
    }
}

static void robots_repeat_bit_for_bit(void** state)
{
    (void)state;
    uint64_t hashes[2];
    for (int repeat = 0; repeat < 2; repeat++) {
        FilWorld* world = load_text(attached);
        const FilTrajectoryDef def = path(FIL_INTERPOLATE_SPLINE);
        assert_int_equal(fil_robot_set_trajectory(world, fil_world_find_robot(world, "arm"), &def), FIL_OK);
        run(world, 300);
        hashes[repeat] = fil_world_hash(world);
        fil_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void every_integrator_takes_motors_and_limits(void** state)
{
    (void)state;
    for (int integrator = FIL_BACKWARD_EULER; integrator <= FIL_SDIRK2; integrator++) {
        FilWorld* world = make_world("none");
        assert_int_equal(fil_world_set_integrator(world, (FilIntegrator)integrator), FIL_OK);
        const FilId robot = add(world, ROBOTS "gripper.urdf", NULL);
        send(world, robot, 1, FIL_JOINT_EFFORT, 5.0);
        run(world, 2000);
        // at its upper limit, the coupled finger beside it, the lift holding its weight
        assert_true(fabs(fil_robot_joint_state(world, robot, 1).position - 0.08) < 1e-4);
        assert_true(fabs(fil_robot_joint_state(world, robot, 2).position - 0.08) < 1e-4);
        assert_true(fabs(fil_robot_joint_state(world, robot, 0).effort - 0.7 * 9.81) < 0.01);
        fil_world_destroy(world);
    }
}

/* Damping of a ball joint slows its three unknowns alike; friction is said to have no effect. */
static void ball_joints_are_damped(void** state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' "
        "izz='0.1'/>"
        "</inertial></link><joint name='j' type='ball'><parent link='a'/><child link='b'/>"
        "<dynamics damping='0.2' friction='1'/></joint></robot>";
    FilWorld* world = make_world("none");
    const FilRobotDef def = fil_robot_def_default();
    FilId robot, drive;
    if (fil_world_add_robot_urdf(world, &def, "r.urdf", text, strlen(text), NULL, 0, &robot) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    assert_string_equal(fil_robot_ignored(world, robot), "friction of ball joints");
    FilDriveDef torque = fil_drive_def_default();
    torque.kind = FIL_DRIVE_TORQUE;
    torque.object = fil_robot_link(world, robot, 1);
    assert_int_equal(fil_world_add_drive(world, &torque, &drive), FIL_OK);
    const double value[3] = {0.1, 0.2, -0.1};
    assert_int_equal(fil_drive_set(world, drive, value, 3), FIL_OK);
    run(world, 8000);  // 16 times the time it takes to get up to speed
    FilVec3 velocity, spin;
    fil_robot_link_velocity(world, robot, 1, &velocity, &spin);
    assert_true(fabs(spin.x - 0.5) < 1e-5 && fabs(spin.y - 1.0) < 1e-5 && fabs(spin.z + 0.5) < 1e-5);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_state),
        cmocka_unit_test(all_modes_move_joints),
        cmocka_unit_test(wrong_commands_are_refused),
        cmocka_unit_test(joints_of_one_name_are_refused),
        cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(rods_bodies_and_arms_hang_on_links),
        cmocka_unit_test(soft_arms_are_mounted_on_links),
        cmocka_unit_test(links_collide_with_each_other_if_asked),
        cmocka_unit_test(robots_repeat_bit_for_bit),
        cmocka_unit_test(every_integrator_takes_motors_and_limits),
        cmocka_unit_test(ball_joints_are_damped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
