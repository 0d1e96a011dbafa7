/* A soft arm in the node: what it tells, what it takes, and a controller that closes a position loop around it. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "diagnostic_msgs/msg/diagnostic_array.h"
#include "filum/msg/arm_states.h"
#include "filum/msg/chamber_pressures.h"
#include "filum/msg/step_info.h"
#include "process.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "tf2_msgs/msg/tf_message.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)
enum { CHAMBERS = 6 };

static const char scene_text[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.002}\n"
    "arms:\n"
    "  - name: trunk\n"
    "    position: [0, 0, 1]\n"
    "    rotation: [$(pi), 0, 0]\n"
    "    sections: [{mass: 0.5}, {mass: 0.3}]\n"
    "drives: [{name: air, arm: trunk, chamber: 0, pressure: [[0, 1000]]}]\n";

/* a command to all chambers */
static filum__msg__ChamberPressures* new_command(void)
{
    filum__msg__ChamberPressures* command = filum__msg__ChamberPressures__create();
    rosidl_runtime_c__String__Sequence__init(&command->chambers, CHAMBERS);
    rosidl_runtime_c__double__Sequence__init(&command->pressures, CHAMBERS);
    for (int k = 0; k < CHAMBERS; k++) {
        char name[32];
        snprintf(name, sizeof name, "trunk/chamber_%d", k);
        rosidl_runtime_c__String__assign(&command->chambers.data[k], name);
        command->pressures.data[k] = NAN;
    }
    return command;
}

/* ---- what is published ---- */

/* two sections of 0.15 m, and what gravity adds to them in time */
static bool hangs(const void* message, void* context)
{
    (void)context;
    const filum__msg__ArmStates* states = message;
    return states->arms.size == 1 && states->arms.data[0].tip.position.z < 0.699;
}

static void reports_shape_and_frames(void** state)
{
    (void)state;
    const pid_t node = test_scene_start(NULL);
    filum__msg__ArmStates* states = filum__msg__ArmStates__create();
    assert_true(client_hear(&test_client, TYPE(filum, ArmStates), "/arm_states", &rmw_qos_profile_default, states, hangs, NULL));
    assert_string_equal(states->header.frame_id.data, "world");
    assert_int_equal(states->arms.size, 1);
    const filum__msg__ArmState* arm = &states->arms.data[0];
    assert_string_equal(arm->name.data, "trunk");
    assert_int_equal(arm->chambers.size, CHAMBERS);
    assert_int_equal(arm->chamber_lengths.size, CHAMBERS);
    assert_int_equal(arm->chamber_pressures.size, CHAMBERS);
    assert_int_equal(arm->sections.size, 6);
    assert_string_equal(arm->chambers.data[5].data, "trunk/chamber_5");
    assert_true(arm->chamber_pressures.data[1] == 0.0);
    assert_true(arm->tip.position.z > 0.65);
    // a section's length is the mean of its chambers'
    assert_true(fabs(arm->sections.data[2] - (arm->chamber_lengths.data[0] + arm->chamber_lengths.data[1] + arm->chamber_lengths.data[2]) / 3.0) <
                1e-12);  // rounding
    filum__msg__ArmStates__destroy(states);

    tf2_msgs__msg__TFMessage* tf = tf2_msgs__msg__TFMessage__create();
    assert_true(client_hear(&test_client, TYPE(tf2_msgs, TFMessage), "/tf", &rmw_qos_profile_default, tf, NULL, NULL));
    const char* const frames[] = {"trunk/base", "trunk/section_0", "trunk/section_1"};
    assert_int_equal(tf->transforms.size, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(tf->transforms.data[i].header.frame_id.data, "world");
        assert_string_equal(tf->transforms.data[i].child_frame_id.data, frames[i]);
    }
    assert_true(fabs(tf->transforms.data[0].transform.translation.z - 1.0) < 1e-12);
    tf2_msgs__msg__TFMessage__destroy(tf);
    assert_int_equal(process_stop(node), 0);
}

/* ---- what is taken ---- */

static bool has_pressure(const void* message, void* context)
{
    const filum__msg__ArmStates* states = message;
    const double* wanted = context;
    return memcmp(states->arms.data[0].chamber_pressures.data, wanted, CHAMBERS * sizeof *wanted) == 0;
}

static bool refused_enough(const void* message, void* context)
{
    const diagnostic_msgs__msg__DiagnosticArray* diagnostics = message;
    const diagnostic_msgs__msg__DiagnosticStatus* status = &diagnostics->status.data[0];
    for (size_t i = 0; i < status->values.size; i++) {
        if (strcmp(status->values.data[i].key.data, "refused_commands") == 0) {
            return atof(status->values.data[i].value.data) >= *(const double*)context;
        }
    }
    return false;
}

/* sends until the node is seen to have taken it */
static void send_until_pressure(rcl_publisher_t* publisher, const filum__msg__ChamberPressures* command, const double* wanted)
{
    rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
    filum__msg__ArmStates* states = filum__msg__ArmStates__create();
    must(rclc_subscription_init(&subscription, &test_client.node, TYPE(filum, ArmStates), "/arm_states", &rmw_qos_profile_sensor_data), "arm_states");
    bool seen = false;
    double next = 0.0;
    for (const double limit = seconds_now() + PATIENCE; !seen && seconds_now() < limit;) {
        if (seconds_now() > next) {
            must(rcl_publish(publisher, command, NULL), "chamber_commands");
            next = seconds_now() + 0.1;
        }
        if (rcl_take(&subscription, states, NULL, NULL) == RCL_RET_OK) {
            seen = has_pressure(states, (void*)(uintptr_t)wanted);
        } else {
            sleep_seconds(0.002);
        }
    }
    filum__msg__ArmStates__destroy(states);
    must(rcl_subscription_fini(&subscription, &test_client.node), "arm_states");
    assert_true(seen);
}

static void takes_pressures_and_refuses_nonsense(void** state)
{
    (void)state;
    const pid_t node = test_scene_start(NULL);
    rcl_publisher_t publisher = rcl_get_zero_initialized_publisher();
    must(rclc_publisher_init(&publisher, &test_client.node, TYPE(filum, ChamberPressures), "/chamber_commands", &rmw_qos_profile_default),
         "chamber_commands");
    filum__msg__ChamberPressures* command = new_command();
    command->pressures.data[1] = 2000.0;
    command->pressures.data[4] = -500.0;
    const double first[CHAMBERS] = {1000.0, 2000.0, 0.0, 0.0, -500.0, 0.0};  // the scene's drive goes on
    send_until_pressure(&publisher, command, first);
    // not a number leaves a chamber as it is; what else is in the command counts
    command->pressures.data[0] = 3000.0;
    command->pressures.data[1] = NAN;
    command->pressures.data[2] = INFINITY;
    command->pressures.data[4] = NAN;
    const double second[CHAMBERS] = {3000.0, 2000.0, 0.0, 0.0, -500.0, 0.0};
    send_until_pressure(&publisher, command, second);
    rosidl_runtime_c__String__assign(&command->chambers.data[2], "trunk/chamber_6");
    rosidl_runtime_c__String__assign(&command->chambers.data[3], "");
    command->pressures.data[0] = 0.0;
    const double third[CHAMBERS] = {0.0, 2000.0, 0.0, 0.0, -500.0, 0.0};
    send_until_pressure(&publisher, command, third);
    command->pressures.size = 5;  // lengths differ: nothing of it is taken
    command->pressures.data[0] = 7000.0;
    must(rcl_publish(&publisher, command, NULL), "chamber_commands");
    double refused = 4.0;  // Inf, two names, one length
    diagnostic_msgs__msg__DiagnosticArray* diagnostics = diagnostic_msgs__msg__DiagnosticArray__create();
    assert_true(client_hear(&test_client, TYPE(diagnostic_msgs, DiagnosticArray), "/diagnostics", &rmw_qos_profile_default, diagnostics,
                            refused_enough, &refused));
    diagnostic_msgs__msg__DiagnosticArray__destroy(diagnostics);
    filum__msg__ArmStates* states = filum__msg__ArmStates__create();
    assert_true(
        client_hear(&test_client, TYPE(filum, ArmStates), "/arm_states", &rmw_qos_profile_default, states, has_pressure, (void*)(uintptr_t)third));
    filum__msg__ArmStates__destroy(states);
    command->pressures.size = CHAMBERS;
    filum__msg__ChamberPressures__destroy(command);
    must(rcl_publisher_fini(&publisher, &test_client.node), "chamber_commands");
    assert_int_equal(process_stop(node), 0);
}

/* ---- the loop ---- */

/* A controller of the tip's place across its axis: a pressure that grows with the error, more in the chambers that the
 * tip is to bend away from. */
typedef struct Controller {
    double goal[2];     /* m */
    double integral[2]; /* Pa */
    double last;        /* s */
} Controller;

/* fills the command for a state; returns the distance to the goal relative to the goal's own */
static double control(Controller* controller, const filum__msg__ArmStates* states, filum__msg__ChamberPressures* command)
{
    // the plant moves some 4e-6 m per Pa with a time constant of half a second: gains for a second to settle
    const double proportional = 1e5;
    const double integral = 3e5;
    const double now = seconds_of(states->header.stamp);
    const double dt = controller->last >= 0.0 ? now - controller->last : 0.0;
    const geometry_msgs__msg__Point* tip = &states->arms.data[0].tip.position;
    const double error[2] = {controller->goal[0] - tip->x, controller->goal[1] - tip->y};
    double push[2];
    for (int i = 0; i < 2; i++) {
        controller->integral[i] += integral * dt * error[i];
        push[i] = controller->integral[i] + proportional * error[i];
    }
    for (int k = 0; k < CHAMBERS; k++) {
        // chamber k lies at the angle 2 pi k / 3 about the base's z axis, which points down: y is turned over
        const double angle = 2.0 * 3.141592653589793 / 3.0 * (k % 3);
        command->pressures.data[k] = -push[0] * cos(angle) + push[1] * sin(angle);
    }
    command->header.stamp = states->header.stamp;
    controller->last = now;
    return hypot(error[0], error[1]) / hypot(controller->goal[0], controller->goal[1]);
}

typedef struct Loop {
    rcl_subscription_t states, infos;
    rcl_publisher_t commands;
    filum__msg__ArmStates* state;
    filum__msg__StepInfo* info;
    filum__msg__ChamberPressures* command;
} Loop;

static void loop_open(Loop* loop)
{
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = 200;
    loop->states = loop->infos = rcl_get_zero_initialized_subscription();
    loop->commands = rcl_get_zero_initialized_publisher();
    must(rclc_subscription_init(&loop->states, &test_client.node, TYPE(filum, ArmStates), "/arm_states", &qos), "states");
    must(rclc_subscription_init(&loop->infos, &test_client.node, TYPE(filum, StepInfo), "/step_info", &qos), "infos");
    must(rclc_publisher_init(&loop->commands, &test_client.node, TYPE(filum, ChamberPressures), "/chamber_commands", &qos), "commands");
    loop->state = filum__msg__ArmStates__create();
    loop->info = filum__msg__StepInfo__create();
    loop->command = new_command();
}

static void loop_close(Loop* loop)
{
    filum__msg__ArmStates__destroy(loop->state);
    filum__msg__StepInfo__destroy(loop->info);
    filum__msg__ChamberPressures__destroy(loop->command);
    must(rcl_publisher_fini(&loop->commands, &test_client.node), "commands");
    must(rcl_subscription_fini(&loop->infos, &test_client.node), "infos");
    must(rcl_subscription_fini(&loop->states, &test_client.node), "states");
}

/* free running in real time at 100 Hz: the error settles below 1 % and stays there for a second */
static void reaches_its_goal(void** state)
{
    (void)state;
    const char* const more[] = {"-p", "publish_rate:=100.0", NULL};
    const pid_t node = test_scene_start(more);
    Loop loop;
    loop_open(&loop);
    Controller controller = {.goal = {0.05, -0.03}, .last = -1.0};
    int good = 0;
    int heard = 0;
    double error = 1.0;
    for (const double limit = seconds_now() + PATIENCE; good < 100 && seconds_now() < limit;) {
        if (rcl_take(&loop.states, loop.state, NULL, NULL) != RCL_RET_OK) {
            sleep_seconds(0.0005);
            continue;
        }
        error = control(&controller, loop.state, loop.command);
        must(rcl_publish(&loop.commands, loop.command, NULL), "chamber_commands");
        heard++;
        good = error < 0.01 ? good + 1 : 0;
    }
    print_message("after %.2f s and %d states the error is %.2g %%\n", controller.last, heard, 100.0 * error);
    assert_int_equal(good, 100);
    loop_close(&loop);
    assert_int_equal(process_stop(node), 0);
}

/* the same controller under lockstep: the hash of the state after two seconds */
static uint64_t run_in_lockstep(void)
{
    const char* const more[] = {"-p", "publish_rate:=100.0",   "-p", "lockstep:=true",         "-p", "lockstep_topics:=chamber_commands",
                                "-p", "real_time_factor:=0.0", "-p", "lockstep_timeout:=20.0", NULL};
    const pid_t node = test_scene_start(more);
    Loop loop;
    loop_open(&loop);
    Controller controller = {.goal = {0.05, -0.03}, .last = -1.0};
    uint64_t hash = 0;
    for (const double limit = seconds_now() + PATIENCE; hash == 0 && seconds_now() < limit;) {
        while (rcl_take(&loop.states, loop.state, NULL, NULL) == RCL_RET_OK) {
            // a state that is published again gets the same answer
            const bool again = seconds_of(loop.state->header.stamp) == controller.last;
            if (!again) {
                control(&controller, loop.state, loop.command);
            }
            must(rcl_publish(&loop.commands, loop.command, NULL), "chamber_commands");
        }
        while (rcl_take(&loop.infos, loop.info, NULL, NULL) == RCL_RET_OK) {
            hash = loop.info->step == 1000 ? loop.info->state_hash : hash;
        }
        sleep_seconds(0.0002);
    }
    loop_close(&loop);
    assert_int_equal(process_stop(node), 0);
    return hash;
}

static int burn(void)
{
    for (const double limit = seconds_now() + 3.0 * PATIENCE; seconds_now() < limit;) {
    }
    return 0;
}

static void lockstep_repeats(void** state)
{
    (void)state;
    uint64_t hashes[3];
    for (int run = 0; run < 3; run++) {
        const pid_t busy = run == 1 ? process_start_role("burn", NULL, NULL, NULL) : 0;
        const pid_t busier = run == 1 ? process_start_role("burn", NULL, NULL, NULL) : 0;
        hashes[run] = run_in_lockstep();
        if (run == 1) {
            process_kill(busy);
            process_kill(busier);
        }
    }
    assert_true(hashes[0] != 0);
    assert_true(hashes[1] == hashes[0]);
    assert_true(hashes[2] == hashes[0]);
}

/* ---- */

static int set_up(void** state)
{
    return test_scene_join_with(state, scene_text);
}

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "burn") == 0) {
        return burn();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reports_shape_and_frames, process_end_all),
        cmocka_unit_test_teardown(takes_pressures_and_refuses_nonsense, process_end_all),
        cmocka_unit_test_teardown(reaches_its_goal, process_end_all),
        cmocka_unit_test_teardown(lockstep_repeats, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, test_scene_leave);
}
