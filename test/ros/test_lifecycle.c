/* A managed node, driven from another process by the services of lifecycle_msgs; and the graph of its states. */
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
#include "filum/msg/step_info.h"
#include "lifecycle_msgs/msg/state.h"
#include "lifecycle_msgs/msg/transition.h"
#include "lifecycle_msgs/msg/transition_event.h"
#include "lifecycle_msgs/srv/change_state.h"
#include "lifecycle_msgs/srv/get_available_states.h"
#include "lifecycle_msgs/srv/get_available_transitions.h"
#include "lifecycle_msgs/srv/get_state.h"
#include "process.h"
#include "rclc/subscription.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "simulation_interfaces/srv/load_world.h"

#define SERVICE(name) ROSIDL_GET_SRV_TYPE_SUPPORT(lifecycle_msgs, srv, name)
#define TRANSITION(name) lifecycle_msgs__msg__Transition__TRANSITION_##name
#define STATE(name) lifecycle_msgs__msg__State__PRIMARY_STATE_##name

static pid_t start(const char* more)
{
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, "-p", "managed:=true", "-p", more, NULL};
    return process_start(FILUM_NODE, arguments);
}

static int get_state(char label[32])
{
    const lifecycle_msgs__srv__GetState_Request request = {0};
    lifecycle_msgs__srv__GetState_Response* response = lifecycle_msgs__srv__GetState_Response__create();
    assert_true(client_call(&test_client, SERVICE(GetState), "/filum/get_state", &request, response));
    const int id = response->current_state.id;
    if (label != NULL) {
        snprintf(label, 32, "%s", response->current_state.label.data);
    }
    lifecycle_msgs__srv__GetState_Response__destroy(response);
    return id;
}

static bool change_state(uint8_t id, const char* label)
{
    lifecycle_msgs__srv__ChangeState_Request* request = lifecycle_msgs__srv__ChangeState_Request__create();
    lifecycle_msgs__srv__ChangeState_Response response = {0};
    request->transition.id = id;
    rosidl_runtime_c__String__assign(&request->transition.label, label);
    assert_true(client_call(&test_client, SERVICE(ChangeState), "/filum/change_state", request, &response));
    lifecycle_msgs__srv__ChangeState_Request__destroy(request);
    return response.success;
}

static bool is_from_now(const void* message, void* context)
{
    const filum__msg__StepInfo* info = message;
    return info->state == *(const uint8_t*)context;
}

/* the number of the last step, from the next step_info that tells this state */
static uint64_t hear_step(uint8_t state)
{
    filum__msg__StepInfo* info = filum__msg__StepInfo__create();
    assert_true(client_hear(&test_client, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo), "/step_info", &rmw_qos_profile_default, info,
                            is_from_now, &state));
    const uint64_t step = info->step;
    filum__msg__StepInfo__destroy(info);
    return step;
}

static void lives_its_states(void** state)
{
    (void)state;
    char label[32], word[256], reason[512];
    const pid_t node = start("real_time_factor:=1.0");
    assert_int_equal(get_state(label), STATE(UNCONFIGURED));
    assert_string_equal(label, "unconfigured");
    // there is nothing to run, to step, to record or to activate yet
    assert_false(client_pause(&test_client, "/filum", false));
    assert_false(client_trigger(&test_client, "/filum", "step", word));
    assert_string_equal(word, "there is no world");
    assert_false(client_set(&test_client, "/filum", "record", fil_parameter_string("never"), reason));
    assert_false(change_state(TRANSITION(ACTIVATE), ""));
    assert_int_equal(get_state(NULL), STATE(UNCONFIGURED));

    // configured it stands, whoever asks
    assert_true(change_state(TRANSITION(CONFIGURE), ""));
    assert_int_equal(get_state(NULL), STATE(INACTIVE));
    assert_int_equal(hear_step(filum__msg__StepInfo__PAUSED), 0);
    assert_false(client_pause(&test_client, "/filum", false));
    assert_false(client_trigger(&test_client, "/filum", "step", word));
    assert_string_equal(word, "the node is inactive");
    assert_false(client_set(&test_client, "/filum", "scene", fil_parameter_string("capstan"), reason));

    // active it runs; transitions go by label, too
    assert_true(change_state(0, "activate"));
    assert_int_equal(get_state(NULL), STATE(ACTIVE));
    const uint64_t first = hear_step(filum__msg__StepInfo__RUNNING);
    assert_true(hear_step(filum__msg__StepInfo__RUNNING) > first);
    assert_false(change_state(TRANSITION(CLEANUP), ""));
    assert_true(change_state(TRANSITION(DEACTIVATE), ""));
    const uint64_t held = hear_step(filum__msg__StepInfo__PAUSED);
    assert_true(held >= first);
    sleep_seconds(0.2);
    assert_int_equal(hear_step(filum__msg__StepInfo__PAUSED), held);

    // cleaned up there is none, and the next one begins at the beginning
    assert_true(change_state(TRANSITION(CLEANUP), ""));
    assert_int_equal(get_state(NULL), STATE(UNCONFIGURED));
    assert_false(client_trigger(&test_client, "/filum", "reset", word));
    assert_true(change_state(TRANSITION(CONFIGURE), ""));
    assert_int_equal(hear_step(filum__msg__StepInfo__PAUSED), 0);
    assert_true(change_state(TRANSITION(ACTIVATE), ""));
    hear_step(filum__msg__StepInfo__RUNNING);
    assert_true(change_state(TRANSITION(ACTIVE_SHUTDOWN), ""));
    assert_int_equal(get_state(label), STATE(FINALIZED));
    assert_string_equal(label, "finalized");
    assert_false(change_state(TRANSITION(CONFIGURE), ""));
    assert_int_equal(process_stop(node), 0);
}

static void loads_what_is_chosen_while_unconfigured(void** state)
{
    (void)state;
    char reason[512];
    const pid_t node = start("start_paused:=true");
    assert_true(client_set(&test_client, "/filum", "time_step", fil_parameter_double(0.0005), reason));
    assert_true(client_set(&test_client, "/filum", "contact_model", fil_parameter_string("none"), reason));
    // a scene that is not there, or not below read_folders, leaves it unconfigured
    assert_true(client_set(&test_client, "/filum", "scene", fil_parameter_string("no_such_scene"), reason));
    assert_false(change_state(TRANSITION(CONFIGURE), ""));
    assert_true(client_set(&test_client, "/filum", "scene", fil_parameter_string(test_scene->path), reason));  // in /tmp
    assert_false(change_state(TRANSITION(CONFIGURE), ""));
    assert_int_equal(get_state(NULL), STATE(UNCONFIGURED));
    assert_true(client_set(&test_client, "/filum", "scene", fil_parameter_string("cantilever"), reason));
    assert_true(change_state(TRANSITION(CONFIGURE), ""));
    assert_float_equal(client_get(&test_client, "/filum", "time_step").real, 0.0005, 0.0);
    assert_string_equal(client_get(&test_client, "/filum", "contact_model").text, "none");
    // with start_paused active means that steps can be made
    assert_true(change_state(TRANSITION(ACTIVATE), ""));
    char word[256];
    assert_true(client_trigger(&test_client, "/filum", "step", word));
    assert_string_equal(word, "0.00050000000000000001 s");
    assert_int_equal(process_stop(node), 0);
}

static void refuses_worlds_and_ends_that_it_must_not_have(void** state)
{
    (void)state;
    const pid_t node = start("locked:=true");
    char reason[512];
    simulation_interfaces__srv__LoadWorld_Request* request = simulation_interfaces__srv__LoadWorld_Request__create();
    simulation_interfaces__srv__LoadWorld_Response* response = simulation_interfaces__srv__LoadWorld_Response__create();
    rosidl_runtime_c__String__assign(&request->uri, "cantilever");
    assert_true(
        client_call(&test_client, ROSIDL_GET_SRV_TYPE_SUPPORT(simulation_interfaces, srv, LoadWorld), "/filum/load_world", request, response));
    assert_string_equal(response->result.error_message.data, "the node is not configured");
    simulation_interfaces__srv__LoadWorld_Request__destroy(request);
    simulation_interfaces__srv__LoadWorld_Response__destroy(response);
    assert_false(client_set(&test_client, "/filum", "scene", fil_parameter_string("cantilever"), reason));
    assert_non_null(strstr(reason, "locked"));
    assert_false(change_state(TRANSITION(UNCONFIGURED_SHUTDOWN), ""));
    assert_true(change_state(TRANSITION(CONFIGURE), ""));
    assert_false(change_state(TRANSITION(INACTIVE_SHUTDOWN), ""));
    assert_int_equal(get_state(NULL), STATE(INACTIVE));
    assert_int_equal(process_stop(node), 0);
}

static void reports_its_transitions(void** state)
{
    (void)state;
    const pid_t node = start("tf_rate:=10.0");
    rcl_subscription_t events = rcl_get_zero_initialized_subscription();
    must(rclc_subscription_init(&events, &test_client.node, ROSIDL_GET_MSG_TYPE_SUPPORT(lifecycle_msgs, msg, TransitionEvent),
                                "/filum/transition_event", &rmw_qos_profile_default),
         "subscription");
    size_t publishers = 0;
    for (double end = seconds_now() + PATIENCE; publishers == 0 && seconds_now() < end; sleep_seconds(0.01)) {
        must(rcl_subscription_get_publisher_count(&events, &publishers), "publishers");
    }
    sleep_seconds(0.3);  // it has to know us, too
    assert_true(change_state(TRANSITION(CONFIGURE), ""));
    static const uint8_t expected[][2] = {{1, 10}, {10, 2}};
    lifecycle_msgs__msg__TransitionEvent* event = lifecycle_msgs__msg__TransitionEvent__create();
    for (size_t i = 0; i < 2; i++) {
        rcl_ret_t ret = RCL_RET_SUBSCRIPTION_TAKE_FAILED;
        for (double end = seconds_now() + PATIENCE; ret != RCL_RET_OK && seconds_now() < end; sleep_seconds(0.01)) {
            ret = rcl_take(&events, event, NULL, NULL);
        }
        assert_int_equal(ret, RCL_RET_OK);
        assert_int_equal(event->start_state.id, expected[i][0]);
        assert_int_equal(event->goal_state.id, expected[i][1]);
    }
    lifecycle_msgs__msg__TransitionEvent__destroy(event);
    must(rcl_subscription_fini(&events, &test_client.node), "subscription");
    assert_int_equal(process_stop(node), 0);
}

static void ask_transitions(const char* service, lifecycle_msgs__srv__GetAvailableTransitions_Response* response)
{
    const lifecycle_msgs__srv__GetAvailableTransitions_Request request = {0};
    assert_true(client_call(&test_client, SERVICE(GetAvailableTransitions), service, &request, response));
}

static void lists_states_and_transitions(void** state)
{
    (void)state;
    const pid_t node = start("tf_rate:=10.0");
    const lifecycle_msgs__srv__GetAvailableStates_Request request = {0};
    lifecycle_msgs__srv__GetAvailableStates_Response* states = lifecycle_msgs__srv__GetAvailableStates_Response__create();
    assert_true(client_call(&test_client, SERVICE(GetAvailableStates), "/filum/get_available_states", &request, states));
    assert_int_equal(states->available_states.size, 11);
    lifecycle_msgs__srv__GetAvailableTransitions_Response* graph = lifecycle_msgs__srv__GetAvailableTransitions_Response__create();
    ask_transitions("/filum/get_transition_graph", graph);
    assert_int_equal(graph->available_transitions.size, 25);
    // from here: to configure, or to shut down; and the graph has just these from here
    lifecycle_msgs__srv__GetAvailableTransitions_Response* here = lifecycle_msgs__srv__GetAvailableTransitions_Response__create();
    ask_transitions("/filum/get_available_transitions", here);
    assert_int_equal(here->available_transitions.size, 2);
    assert_string_equal(here->available_transitions.data[0].transition.label.data, "configure");
    assert_int_equal(here->available_transitions.data[0].goal_state.id, 10);
    assert_string_equal(here->available_transitions.data[1].transition.label.data, "shutdown");
    size_t from_here = 0, ends = 0;
    for (size_t i = 0; i < graph->available_transitions.size; i++) {
        const lifecycle_msgs__msg__TransitionDescription* t = &graph->available_transitions.data[i];
        from_here += t->start_state.id == STATE(UNCONFIGURED);
        ends += t->transition.id >= 10;
        // a transition of the user begins in a primary state and leads into a passing one, its end begins there
        assert_int_equal(t->start_state.id < 10, t->transition.id < 10);
        assert_true(t->start_state.id != STATE(FINALIZED) && t->start_state.id != STATE(UNKNOWN));
    }
    assert_int_equal(from_here, 2);
    assert_int_equal(ends, 18);
    lifecycle_msgs__srv__GetAvailableStates_Response__destroy(states);
    lifecycle_msgs__srv__GetAvailableTransitions_Response__destroy(graph);
    lifecycle_msgs__srv__GetAvailableTransitions_Response__destroy(here);
    assert_int_equal(process_stop(node), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lives_its_states, process_end_all),
        cmocka_unit_test_teardown(loads_what_is_chosen_while_unconfigured, process_end_all),
        cmocka_unit_test_teardown(refuses_worlds_and_ends_that_it_must_not_have, process_end_all),
        cmocka_unit_test_teardown(reports_its_transitions, process_end_all),
        cmocka_unit_test_teardown(lists_states_and_transitions, process_end_all),
    };
    return cmocka_run_group_tests(tests, test_scene_join, test_scene_leave);
}
