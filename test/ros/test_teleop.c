/* Teleoperation: links follow twists by differential inverse kinematics, a hand takes a ball by a gamepad's messages and is shaken by them,
 * and the recorded messages make the same run again. */
/* ctest: heavy */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bag_folder.h"
#include "client.h"
#include "commands.h"
#include "filum/msg/probes.h"
#include "geometry_msgs/msg/twist.h"
#include "geometry_msgs/msg/twist_stamped.h"
#include "motion.h"
#include "process.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "sensor_msgs/msg/joint_state.h"
#include "sensor_msgs/msg/joy.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)

/* ---- without a node ---- */

static const char scene[] =
    "world: {dt: 0.01, gravity: [0, 0, 0], contact: none}\n"
    "robots: [{name: hand, urdf: ../robots/arm7_hand.urdf, trajectory_points: 500, joints: [{gains: {stiffness: 2.0e+4, damping: 400}},\n"
    "  {joint: lift, position: 0.4}, {joint: elbow, position: 1.6}, {joint: wrist_pitch, position: 1.1}]}]\n"
    "trajectories: [{robot: hand, joints: [elbow], points: [[0, 1.6], [10, 0.6]]}]\n";

typedef struct Bench {
    FilSimulation simulation;
    FilTap nobody;
    FilCommands commands;
    FilId robot;
    int link; /* grasp */
} Bench;

static bool set(Bench* bench, const char* name, FilParameterValue value, char reason[FIL_REASON_TEXT])
{
    const FilTeleopParameterSet effect = fil_teleop_parameter(name);
    assert_non_null(effect);
    return effect(&bench->commands.teleop, bench->simulation.world, &value, reason);
}

static void set_up_bench(Bench* bench)
{
    char reason[FIL_REASON_TEXT];
    FilError error;
    const FilSceneOptions options = {0};
    *bench = (Bench){0};
    bench->commands = (FilCommands){.logger = "test", .simulation = &bench->simulation, .tap = &bench->nobody};
    fil_simulation_init(&bench->simulation);
    if (fil_simulation_load_text(&bench->simulation, FILUM_SOURCE_DIR "/config/scenes/t.yaml", scene, strlen(scene), &options, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    const FilWorld* world = bench->simulation.world;
    bench->robot = fil_world_find_robot(world, "hand");
    while (strcmp(fil_robot_link_name(world, bench->robot, bench->link), "grasp") != 0) {
        bench->link++;
    }
    const struct {
        const char* name;
        FilParameterValue value;
    } given[] = {{"teleop_link", fil_parameter_string("grasp")},
                 {"teleop_gain", fil_parameter_double(10)},
                 {"teleop_damping", fil_parameter_double(0.01)},
                 {"teleop_timeout", fil_parameter_double(0.5)},
                 {"teleop_linear", fil_parameter_double(0.2)},
                 {"teleop_angular", fil_parameter_double(1)},
                 {"teleop_axes", fil_parameter_string("")},
                 {"teleop_enable_button", fil_parameter_integer(2)},
                 {"teleop_open_button", fil_parameter_integer(1)},
                 {"teleop_open", fil_parameter_string("index_1:0 thumb_1:0")},
                 {"teleop_closed", fil_parameter_string("index_1:0.5 thumb_1:0.25")},
                 {"teleop_grasp_time", fil_parameter_double(1)}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (!set(bench, given[i].name, given[i].value, reason)) {
            fail_msg("%s", reason);
        }
    }
}

/* where the joints are commanded to have the link */
static FilVec3 commanded(const Bench* bench, FilQuat* orientation)
{
    const FilWorld* world = bench->simulation.world;
    double positions[64];
    FilVec3 position;
    for (int j = 0; j < fil_robot_joint_count(world, bench->robot); j++) {
        positions[j] = fil_robot_joint_command(world, bench->robot, j).position;
    }
    fil_robot_place_link(world, bench->robot, bench->link, positions, &position, orientation);
    return position;
}

static void run(Bench* bench, double seconds)
{
    for (int k = 0; k < lround(seconds / 0.01); k++) {
        fil_commands_follow(&bench->commands);
        assert_int_equal(fil_world_step(bench->simulation.world, NULL), FIL_OK);
    }
}

static double distance(FilVec3 a, FilVec3 b)
{
    return fil_vector_length(fil_vector_difference(a, b));
}

/* A second of a twist about z and along a line: where it leads is known in closed form. */
static void links_follow_twists(void** state)
{
    (void)state;
    static const char* const frames[] = {"", "world", "grasp"};
    for (int f = 0; f < 3; f++) {
        Bench bench;
        set_up_bench(&bench);
        geometry_msgs__msg__TwistStamped* twist = geometry_msgs__msg__TwistStamped__create();
        rosidl_runtime_c__String__assign(&twist->header.frame_id, frames[f]);
        twist->twist.linear.x = 0.06;
        twist->twist.linear.z = -0.03;
        twist->twist.angular.z = 0.4;
        FilQuat before, after;
        const FilVec3 from = commanded(&bench, &before);
        for (int k = 0; k < 4; k++) {  // again, before the time is over
            assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_STAMPED_TWIST, twist), 0);
            run(&bench, 0.25);
        }
        // in the link's own frame: an arc, whose chord is a linear combination of the twist's x and y
        const double t = 1.0, a = 0.4 * t, s = sin(a) / a, c = (1.0 - cos(a)) / a;
        FilVec3 way = {0.06 * t, 0.0, -0.03 * t};
        if (f == 2) {
            way = fil_quat_rotate(before, (FilVec3){0.06 * t * s, 0.06 * t * c, -0.03 * t});
        }
        const FilVec3 to = commanded(&bench, &after);
        // first order in the step: frames of a period's beginning, 0.5 dt w v t = 1.2e-4 m; path's lag v/gain is none, the twist is fed forward
        assert_true(distance(to, fil_vector_sum(from, way)) < (f == 2 ? 3e-4 : 2e-5));
        const FilQuat turn = fil_quat_product(after, fil_quat_conjugate(before));
        const FilVec3 axis = f == 2 ? fil_quat_rotate(before, (FilVec3){0, 0, 1}) : (FilVec3){0, 0, 1};
        assert_true(fabs(2.0 * atan2(fil_vector_dot(axis, (FilVec3){turn.x, turn.y, turn.z}), turn.w) - a) < 1e-4);
        // the robot itself is there too, but for what its joints give way; and it holds when no message comes
        run(&bench, 0.7);
        const FilVec3 last = commanded(&bench, &after);
        run(&bench, 0.5);
        assert_true(distance(last, commanded(&bench, &after)) == 0.0);
        FilVec3 place;
        fil_robot_link_pose(bench.simulation.world, bench.robot, bench.link, &place, NULL);
        assert_true(distance(place, last) < 1e-3);
        geometry_msgs__msg__TwistStamped__destroy(twist);
        fil_simulation_fini(&bench.simulation);
    }
}

/* The command of a step counts in it: one step after the first message the link has moved by v dt. And where joints end, the link
 * stops without a jump and comes back at once. */
static void links_move_at_once_and_stop_at_limits(void** state)
{
    (void)state;
    Bench bench;
    set_up_bench(&bench);
    char reason[FIL_REASON_TEXT];
    assert_true(set(&bench, "teleop_timeout", fil_parameter_double(0), reason));
    geometry_msgs__msg__Twist* twist = geometry_msgs__msg__Twist__create();
    twist->linear.x = 0.5;
    FilQuat turn;
    FilVec3 last = commanded(&bench, &turn);
    const FilVec3 start = last;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_TWIST, twist), 0);
    run(&bench, 0.01);
    // damping (1 cm per rad) and the velocities that joints may have take a little
    assert_true(fabs(commanded(&bench, &turn).x - last.x - 5e-3) < 1e-4);
    for (int k = 0; k < 400; k++) {  // 2 m ahead are out of reach
        last = commanded(&bench, &turn);
        run(&bench, 0.01);
        assert_true(distance(commanded(&bench, &turn), last) < 0.0075);
    }
    const FilVec3 far = commanded(&bench, &turn);
    assert_true(far.x - start.x > 0.2);
    twist->linear.x = -0.5;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_TWIST, twist), 0);
    run(&bench, 0.3);
    assert_true(commanded(&bench, &turn).x < far.x - 0.05);
    geometry_msgs__msg__Twist__destroy(twist);
    fil_simulation_fini(&bench.simulation);
}

static sensor_msgs__msg__Joy* new_pad(void)
{
    sensor_msgs__msg__Joy* pad = sensor_msgs__msg__Joy__create();
    rosidl_runtime_c__float__Sequence__init(&pad->axes, 6);
    rosidl_runtime_c__int32__Sequence__init(&pad->buttons, 3);
    memset(pad->axes.data, 0, 6 * sizeof *pad->axes.data);
    memset(pad->buttons.data, 0, 3 * sizeof *pad->buttons.data);
    return pad;
}

/* Sticks move the link, buttons the hand, both only while the third button is down. */
static void gamepads_move_arm_and_hand(void** state)
{
    (void)state;
    Bench bench;
    set_up_bench(&bench);
    const FilWorld* world = bench.simulation.world;
    const int index = fil_robot_find_joint(world, bench.robot, "index_1"), thumb = fil_robot_find_joint(world, bench.robot, "thumb_1");
    sensor_msgs__msg__Joy* pad = new_pad();
    FilQuat turn;
    pad->axes.data[1] = 2.0f;  // at its end is 1
    pad->axes.data[4] = -0.5f;
    pad->buttons.data[0] = 1;
    run(&bench, 0.1);  // the scene's trajectory bends the elbow
    const FilVec3 scripted = commanded(&bench, &turn);
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_JOY, pad), 0);
    run(&bench, 0.4);
    assert_true(distance(commanded(&bench, &turn), scripted) < 1e-12);  // it was ended, nothing moves
    pad->buttons.data[2] = 1;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_JOY, pad), 0);
    run(&bench, 0.4);
    const FilVec3 moved = fil_vector_difference(commanded(&bench, &turn), scripted);
    assert_true(distance(moved, (FilVec3){0.08, 0.0, -0.04}) < 1e-4);
    assert_true(fabs(fil_robot_joint_command(world, bench.robot, index).position - 0.2) < 1e-12);
    assert_true(fabs(fil_robot_joint_command(world, bench.robot, thumb).position - 0.1) < 1e-12);
    pad->buttons.data[0] = 0;
    pad->buttons.data[1] = 1;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_JOY, pad), 0);
    run(&bench, 1.0);  // it is over after half a second
    assert_true(fabs(fil_robot_joint_command(world, bench.robot, index).position) < 1e-12);
    // time that goes back ends what was commanded
    pad->buttons.data[1] = 0;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_JOY, pad), 0);
    assert_int_equal(fil_simulation_reset(&bench.simulation), FIL_OK);
    run(&bench, 0.1);
    assert_true(distance(commanded(&bench, &turn), scripted) < 1e-12);
    sensor_msgs__msg__Joy__destroy(pad);
    fil_simulation_fini(&bench.simulation);
}

static void nonsense_is_refused(void** state)
{
    (void)state;
    static const struct {
        const char *name, *text, *words;
    } bad[] = {{"teleop_link", "grsap", "there is no link 'grsap'"},
               {"teleop_frame", "nowhere", "teleop_frame: there is no link 'nowhere'"},
               {"teleop_axes", "1 0 4", "is not six axes"},
               {"teleop_axes", "1 0 4 . x 3", "is not six axes"},
               {"teleop_axes", "1 0 4 . . 3 2", "is not six axes"},
               {"teleop_open", "index_1", "'index_1' is no joint with its position"},
               {"teleop_closed", "index_1:0.5 :3", "':3' is no joint"},
               {"teleop_closed", "index_1:inf", "is no joint with"}};
    Bench bench;
    set_up_bench(&bench);
    char reason[FIL_REASON_TEXT];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(set(&bench, bad[i].name, fil_parameter_string(bad[i].text), reason));
        assert_non_null(strstr(reason, bad[i].words));
    }
    geometry_msgs__msg__TwistStamped* twist = geometry_msgs__msg__TwistStamped__create();
    sensor_msgs__msg__Joy* pad = new_pad();
    const uint64_t hash = fil_world_hash(bench.simulation.world);
    rosidl_runtime_c__String__assign(&twist->header.frame_id, "nowhere");
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_STAMPED_TWIST, twist), 1);
    twist->twist.linear.y = NAN;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_TWIST, &twist->twist), 1);
    pad->axes.data[1] = INFINITY;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_JOY, pad), 1);
    pad->axes.data[1] = 0.0f;
    pad->axes.size = 3;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_JOY, pad), 1);
    pad->axes.size = 6;
    pad->buttons.size = 2;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_JOY, pad), 1);
    pad->buttons.size = 3;
    // postures that do not fit the robot or each other
    assert_true(set(&bench, "teleop_closed", fil_parameter_string("index_1:1 nobody:2"), reason));
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_JOY, pad), 1);
    assert_true(set(&bench, "teleop_closed", fil_parameter_string("index_1:1 index_2:2"), reason));
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_JOY, pad), 1);
    assert_true(set(&bench, "teleop_closed", fil_parameter_string(""), reason));
    pad->buttons.data[0] = pad->buttons.data[2] = 1;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_JOY, pad), 1);
    assert_true(set(&bench, "teleop_link", fil_parameter_string(""), reason));
    twist->twist.linear.y = 0.0;
    assert_int_equal(fil_commands_apply(&bench.commands, FIL_COMMAND_TWIST, &twist->twist), 1);
    assert_int_equal(bench.commands.accepted, 0);
    fil_commands_follow(&bench.commands);
    assert_true(fil_world_hash(bench.simulation.world) == hash);
    sensor_msgs__msg__Joy__destroy(pad);
    geometry_msgs__msg__TwistStamped__destroy(twist);
    fil_simulation_fini(&bench.simulation);
}

/* ---- with the node ---- */

#define LINEAR 0.6   /* m/s of a full stick, config/hand_ball_teleop.yaml */
#define HEIGHT 0.104 /* m, from where the hand starts to where it grasps */
#define SHAKE 3.0    /* Hz */
#define END 7.4      /* s, half a second after the last shake */

static BagFolder folder;

/* What an operator does: down to the ball, close the hand, lift, shake along each axis with 1 g at the ends. */
static void operate(double t, sensor_msgs__msg__Joy* pad)
{
    const double shake = 9.81 / (2.0 * M_PI * SHAKE) / LINEAR * sin(2.0 * M_PI * SHAKE * (t - 3.9));
    memset(pad->axes.data, 0, 6 * sizeof *pad->axes.data);
    pad->buttons.data[0] = t >= 1.0 && t < 2.2;
    pad->axes.data[4] = (float)(t < 1.0 - 1e-9 ? -HEIGHT / LINEAR : t >= 2.4 && t < 3.4 - 1e-9 ? 0.2 / LINEAR : 0.0);
    const int axes[3] = {1, 0, 4};
    for (int i = 0; i < 3; i++) {
        if (t >= 3.9 + i - 1e-9 && t < 4.9 + i - 1e-9) {
            pad->axes.data[axes[i]] = (float)shake;
        }
    }
}

/* the ball against the palm, and its height */
static FilVec3 held_at(const filum__msg__Probes* probes, double* height)
{
    double ball[3] = {NAN, NAN, NAN}, palm[3] = {NAN, NAN, NAN};
    for (size_t i = 0; i < probes->names.size; i++) {
        const char* name = probes->names.data[i].data;
        for (int k = 0; k < 3; k++) {
            char wanted[2][16];
            snprintf(wanted[0], sizeof wanted[0], "ball_%c", 'x' + k);
            snprintf(wanted[1], sizeof wanted[1], "palm_%c", 'x' + k);
            ball[k] = strcmp(name, wanted[0]) == 0 ? probes->values.data[i] : ball[k];
            palm[k] = strcmp(name, wanted[1]) == 0 ? probes->values.data[i] : palm[k];
        }
    }
    *height = ball[2];
    return fil_vector_difference(fil_vector(ball), fil_vector(palm));
}

/* Answers each state with the pad's; how far the ball moves in the hand while it is shaken, at most, and its height in the end. */
static double teleoperate(Client* client, double patience, double* height)
{
    rcl_subscription_t states = rcl_get_zero_initialized_subscription();
    rcl_publisher_t commands = rcl_get_zero_initialized_publisher();
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = 200;
    must(rclc_subscription_init(&states, &client->node, TYPE(filum, Probes), "/probes", &qos), "probes");
    must(rclc_publisher_init(&commands, &client->node, TYPE(sensor_msgs, Joy), "/joy", &qos), "joy");
    filum__msg__Probes* probes = filum__msg__Probes__create();
    sensor_msgs__msg__Joy* pad = new_pad();
    FilVec3 first = {NAN, NAN, NAN};
    double slip = NAN, worst = 0.0;
    bool over = false;
    for (const double limit = seconds_now() + patience; !over && seconds_now() < limit; sleep_seconds(0.0005)) {
        while (rcl_take(&states, probes, NULL, NULL) == RCL_RET_OK) {
            const double t = seconds_of(probes->header.stamp);
            operate(t, pad);
            pad->header.stamp = probes->header.stamp;
            must(rcl_publish(&commands, pad, NULL), "publish");
            const FilVec3 held = held_at(probes, height);
            first = t > 3.85 && isnan(first.x) ? held : first;
            slip = distance(held, first);
            worst = fmax(worst, slip);
            over = t > END - 1e-9;
        }
    }
    assert_true(over);
    print_message("the ball moves by up to %.2f mm against the palm, and is %.2f mm elsewhere in the end\n", 1e3 * worst, 1e3 * slip);
    sensor_msgs__msg__Joy__destroy(pad);
    filum__msg__Probes__destroy(probes);
    must(rcl_publisher_fini(&commands, &client->node), "commands");
    must(rcl_subscription_fini(&states, &client->node), "states");
    return isnan(slip) ? NAN : worst;
}

/* The recorded pad makes the same run, bit for bit, without node and operator. */
static void the_ball_is_taken_and_shaken(void** state)
{
    (void)state;
    static const char parameters[] = FILUM_SOURCE_DIR "/config/hand_ball_teleop.yaml";
    const char* const arguments[] = {"--ros-args",
                                     "-p",
                                     "scene:=hand_ball",
                                     "--params-file",
                                     parameters,
                                     "-p",
                                     "lockstep:=true",
                                     "-p",
                                     "lockstep_topics:=joy",
                                     "-p",
                                     "real_time_factor:=0.0",
                                     "-p",
                                     "lockstep_timeout:=20.0",
                                     "-p",
                                     "record:=pad",
                                     NULL};
    Client client;
    client_join(&client, "operator", 0, NULL);
    const pid_t node = process_start(FILUM_NODE, arguments);
    double height = NAN;
    const double slip = teleoperate(&client, 20.0 * PATIENCE, &height);
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
    client_leave(&client);
    assert_true(slip < 5e-3);
    assert_true(height > 0.3);
    assert_int_equal(bag_folder_run(&folder, "bag replay-check pad"), 0);
    print_message("%s", folder.output);
    assert_null(strstr(folder.output, "not to be repeated"));
    assert_null(strstr(folder.output, "; 0 commands"));
}

/* Without lockstep, by plain twists, which bear no stamp. */
static void twists_move_a_running_robot(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args",          "-p", "scene:=t.yaml",       "-p", "teleop_link:=grasp", "-p",
                                     "teleop_timeout:=0.2", "-p", "record:=twists.mcap", NULL};
    FILE* file = fopen("t.yaml", "w");
    assert_non_null(file);
    // the URDF beside the scenes
    const char* relative = strstr(scene, "../robots");
    fprintf(file, "%.*s" FILUM_SOURCE_DIR "/config%s", (int)(relative - scene), scene, relative + 2);
    assert_int_equal(fclose(file), 0);
    Client client;
    client_join(&client, "operator", 0, NULL);
    const pid_t node = process_start(FILUM_NODE, arguments);
    rcl_publisher_t commands = rcl_get_zero_initialized_publisher();
    rcl_subscription_t states = rcl_get_zero_initialized_subscription();
    must(rclc_publisher_init_default(&commands, &client.node, TYPE(geometry_msgs, Twist), "/twist_commands"), "twists");
    must(rclc_subscription_init_default(&states, &client.node, TYPE(sensor_msgs, JointState), "/joint_states"), "states");
    sensor_msgs__msg__JointState* joints = sensor_msgs__msg__JointState__create();
    geometry_msgs__msg__Twist* twist = geometry_msgs__msg__Twist__create();
    twist->linear.y = 0.2;
    double pan = 0.0;
    for (const double limit = seconds_now() + PATIENCE; fabs(pan) < 0.2 && seconds_now() < limit; sleep_seconds(0.02)) {
        must(rcl_publish(&commands, twist, NULL), "publish");
        while (rcl_take(&states, joints, NULL, NULL) == RCL_RET_OK) {
            pan = joints->position.data[0];
        }
    }
    assert_true(pan > 0.2);  // the first joint turns about z
    geometry_msgs__msg__Twist__destroy(twist);
    sensor_msgs__msg__JointState__destroy(joints);
    must(rcl_subscription_fini(&states, &client.node), "states");
    must(rcl_publisher_fini(&commands, &client.node), "commands");
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
    client_leave(&client);
    assert_int_equal(bag_folder_run(&folder, "bag replay-check twists.mcap"), 0);
    assert_null(strstr(folder.output, "; 0 commands"));
}

static int make_folder(void** state)
{
    (void)state;
    return bag_folder_make(&folder);
}

static int remove_folder(void** state)
{
    (void)state;
    return bag_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_follow_twists),
        cmocka_unit_test(links_move_at_once_and_stop_at_limits),
        cmocka_unit_test(gamepads_move_arm_and_hand),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test_teardown(twists_move_a_running_robot, process_end_all),
        cmocka_unit_test_teardown(the_ball_is_taken_and_shaken, process_end_all),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
