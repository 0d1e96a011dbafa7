/* The node's parameter `record`: nothing is lost, the run can be repeated from the bag alone, and what cannot be
 * repeated is marked. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bag_folder.h"
#include "client.h"
#include "filum/msg/drive_target.h"
#include "filum/msg/rod_command.h"
#include "process.h"
#include "qos_text.h"
#include "rmw/qos_profiles.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "scene.h"
#include "simulation_interfaces/srv/set_entity_state.h"

static const TestScene* scene;
static BagFolder folder;
static Client client;

/* a controller: hears every step_info, answers with a force on the drive `pull` */
typedef struct Controller {
    rcl_subscription_t infos;
    rcl_publisher_t commands;
    filum__msg__StepInfo* info;
    filum__msg__RodCommand* command;
    uint64_t heard; /* of steps after the first state */
} Controller;

static void controller_start(Controller* controller)
{
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = 200;
    controller->heard = 0;
    controller->infos = rcl_get_zero_initialized_subscription();
    controller->commands = rcl_get_zero_initialized_publisher();
    must(rclc_subscription_init(&controller->infos, &client.node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo), "/step_info", &qos),
         "step_info");
    must(rclc_publisher_init(&controller->commands, &client.node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, RodCommand), "/rod_commands", &qos),
         "rod_commands");
    controller->info = filum__msg__StepInfo__create();
    controller->command = filum__msg__RodCommand__create();
    filum__msg__DriveTarget__Sequence__init(&controller->command->targets, 1);
    rosidl_runtime_c__String__assign(&controller->command->targets.data[0].drive, "pull");
    rosidl_runtime_c__double__Sequence__init(&controller->command->targets.data[0].value, 3);
    memset(controller->command->targets.data[0].value.data, 0, 3 * sizeof(double));
}

static void controller_end(Controller* controller)
{
    filum__msg__StepInfo__destroy(controller->info);
    filum__msg__RodCommand__destroy(controller->command);
    must(rcl_publisher_fini(&controller->commands, &client.node), "rod_commands");
    must(rcl_subscription_fini(&controller->infos, &client.node), "step_info");
}

/* answers all states up to step `last` */
static bool controller_run(Controller* controller, uint64_t last)
{
    const double limit = seconds_now() + PATIENCE;
    uint64_t step = 0;
    while (step < last && seconds_now() < limit) {
        while (rcl_take(&controller->infos, controller->info, NULL, NULL) == RCL_RET_OK) {
            step = controller->info->step;
            controller->heard += step > 0;
            if (step < last) {
                controller->command->header.stamp = controller->info->header.stamp;
                controller->command->targets.data[0].value.data[2] = 0.001 * (double)(step % 7);
                must(rcl_publish(&controller->commands, controller->command, NULL), "publish");
            }
        }
        sleep_seconds(0.0005);
    }
    return step >= last;
}

/* the step of the newest state that has come */
static uint64_t controller_now(Controller* controller)
{
    while (rcl_take(&controller->infos, controller->info, NULL, NULL) == RCL_RET_OK) {
    }
    return controller->info->step;
}

/* drops what was published before a reset */
static bool controller_hear_reset(Controller* controller)
{
    const double limit = seconds_now() + PATIENCE;
    const uint64_t before = controller->info->step;
    while (controller->info->step >= before && seconds_now() < limit) {
        if (rcl_take(&controller->infos, controller->info, NULL, NULL) != RCL_RET_OK) {
            sleep_seconds(0.0005);
        }
    }
    return controller->info->step < before;
}

static pid_t start_node(const char* record, const char* more)
{
    char argument[64];
    snprintf(argument, sizeof argument, "record:=%s", record);
    const char* const arguments[] = {"--ros-args", "-p", scene->argument, "-p", argument, "-p", more, NULL};
    return process_start(FILUM_NODE, arguments);
}

static void end_node(pid_t node)
{
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
}

/* the rows of an exported topic that are of steps after the first state */
static long count_later_rows(const char* path)
{
    char line[4096];
    long count = 0;
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        count += strncmp(line, "0.000000000,", 12) != 0;
    }
    fclose(file);
    return count;
}

/* in lockstep every state that is published is answered: both ends count, and the bag agrees with them */
static void nothing_is_lost(void** state)
{
    (void)state;
    enum { LAST = 600 }; /* steps, 10 from state to state */
    Controller controller;
    controller_start(&controller);
    const pid_t node = start_node("steps", "lockstep:=true");
    assert_true(controller_run(&controller, LAST));
    assert_int_equal(controller.heard, LAST / 10);
    end_node(node);
    controller_end(&controller);
    assert_int_equal(bag_folder_run(&folder, "bag info steps"), 0);
    const long states = bag_folder_count(&folder, "/step_info");
    assert_int_equal(bag_folder_count(&folder, "/rod_states"), states);
    assert_int_equal(bag_folder_count(&folder, "/probes"), states);
    // one command was taken for each state but the last
    assert_int_equal(bag_folder_count(&folder, "/rod_commands"), LAST / 10);
    assert_int_equal(bag_folder_count(&folder, "/parameter_events"), 1);
    assert_int_equal(bag_folder_run(&folder, "bag export steps --topic /step_info"), 0);
    assert_int_equal(count_later_rows("steps_csv/step_info.csv"), LAST / 10);
    assert_int_equal(bag_folder_run(&folder, "bag replay-check steps"), 0);
    assert_non_null(strstr(folder.output, "up to step 600; 60 commands"));
}

/* a run that was commanded, changed by parameters and reset, while it went as fast as it liked */
static void runs_are_repeated(void** state)
{
    (void)state;
    char text[512];
    Controller controller;
    controller_start(&controller);
    const pid_t node = start_node("free.mcap", "publish_rate:=10000.0");
    assert_true(controller_run(&controller, 50));
    assert_true(client_set(&client, "/filum", "gravity", fil_parameter_double(3.0), text));
    assert_true(client_set(&client, "/filum", "time_step", fil_parameter_double(0.001), text));
    assert_true(controller_run(&controller, 100));
    assert_true(client_trigger(&client, "/filum", "reset", text));
    assert_true(controller_hear_reset(&controller));
    assert_true(controller_run(&controller, controller.info->step + 60));
    end_node(node);
    controller_end(&controller);
    assert_int_equal(bag_folder_run(&folder, "bag replay-check free.mcap"), 0);
    // five at the start, two later
    assert_non_null(strstr(folder.output, " 7 parameters set"));
    assert_null(strstr(folder.output, "; 0 commands"));
    assert_null(strstr(folder.output, "not to be repeated"));
}

static void set_hoop_by_hand(void)
{
    simulation_interfaces__srv__SetEntityState_Request* request = simulation_interfaces__srv__SetEntityState_Request__create();
    simulation_interfaces__srv__SetEntityState_Response* response = simulation_interfaces__srv__SetEntityState_Response__create();
    rosidl_runtime_c__String__assign(&request->entity, "hoop");
    request->state.pose.position.x = 2.0;
    request->state.pose.orientation.w = 1.0;
    assert_true(
        client_call(&client, ROSIDL_GET_SRV_TYPE_SUPPORT(simulation_interfaces, srv, SetEntityState), "/filum/set_entity_state", request, response));
    assert_int_equal(response->result.result, simulation_interfaces__msg__Result__RESULT_OK);
    simulation_interfaces__srv__SetEntityState_Request__destroy(request);
    simulation_interfaces__srv__SetEntityState_Response__destroy(response);
}

/* A node that records, with a controller, in whose run somebody sets the hoop by hand; `more` periods go on. */
static pid_t run_with_a_hand(Controller* controller, const char* bag, uint64_t more)
{
    controller_start(controller);
    const pid_t node = start_node(bag, "publish_rate:=10000.0");
    assert_true(controller_run(controller, 20));
    set_hoop_by_hand();
    assert_true(controller_run(controller, controller_now(controller) + more));
    return node;
}

static void changes_by_hand_are_marked(void** state)
{
    (void)state;
    Controller controller;
    const pid_t node = run_with_a_hand(&controller, "hand.mcap", 20);
    end_node(node);
    controller_end(&controller);
    assert_int_equal(bag_folder_run(&folder, "bag replay-check hand.mcap"), 0);
    assert_non_null(strstr(folder.output, "not to be repeated from step "));
    assert_non_null(strstr(folder.output, "the state of an entity was set"));
}

/* a node that dies leaves a bag that can be mended, repeated, and whose marks are where they were */
static void dead_nodes_leave_a_bag(void** state)
{
    (void)state;
    Controller controller;
    // longer than the second after which a chunk is written anyway
    const pid_t node = run_with_a_hand(&controller, "dead.mcap", 700);
    process_kill(node);
    controller_end(&controller);
    assert_int_equal(bag_folder_run(&folder, "bag repair dead.mcap"), 0);
    assert_non_null(strstr(folder.output, "the original has no end"));
    assert_int_equal(bag_folder_run(&folder, "bag replay-check dead_repaired.mcap"), 0);
    assert_non_null(strstr(folder.output, "the state of an entity was set"));
    assert_int_equal(bag_folder_run(&folder, "bag replay-check dead.mcap"), 0);
}

/* the bag tells what was really offered */
static void overridden_qos_is_recorded(void** state)
{
    (void)state;
    Controller controller;
    controller_start(&controller);
    const pid_t node = start_node("offers", "qos_overrides./probes.publisher.depth:=37");
    assert_true(controller_run(&controller, 20));
    end_node(node);
    controller_end(&controller);
    assert_int_equal(system("grep -A3 '/probes' offers/metadata.yaml | grep -q 'depth: 37'"), 0);
    assert_int_equal(system("grep -A3 '/rod_states' offers/metadata.yaml | grep -q 'depth: 10'"), 0);
}

/* recording begins and ends while the node runs; what cannot be is refused with the reason */
static void recording_by_parameter(void** state)
{
    (void)state;
    char reason[512];
    Controller controller;
    controller_start(&controller);
    const pid_t node = start_node("first", "record_compression:=zstd");
    assert_true(controller_run(&controller, 20));
    assert_true(client_set(&client, "/filum", "record", fil_parameter_string(""), reason));
    assert_int_equal(bag_folder_run(&folder, "bag info first"), 0);
    assert_non_null(strstr(folder.output, "compression zstd"));
    assert_false(client_set(&client, "/filum", "record", fil_parameter_string("first"), reason));
    assert_non_null(strstr(reason, "first: exists already and is left alone"));
    assert_true(client_set(&client, "/filum", "record", fil_parameter_string("second.mcap"), reason));
    assert_true(controller_run(&controller, controller_now(&controller) + 40));
    end_node(node);
    controller_end(&controller);
    assert_int_equal(bag_folder_run(&folder, "bag info second.mcap"), 0);
    assert_true(bag_folder_count(&folder, "/rod_states") > 0);
    // what begins in the middle cannot be repeated
    assert_int_equal(bag_folder_run(&folder, "bag replay-check second.mcap"), 2);
    assert_non_null(strstr(folder.output, "not with the scene"));
}

static void qos_is_kept_as_text(void** state)
{
    (void)state;
    char text[FIL_QOS_TEXT];
    rmw_qos_profile_t qos = rmw_qos_profile_sensor_data;
    qos.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    fil_qos_to_text(&qos, text);
    rmw_qos_profile_t read = fil_qos_from_text(text);
    assert_int_equal(read.depth, qos.depth);
    assert_int_equal(read.reliability, qos.reliability);
    assert_int_equal(read.durability, qos.durability);
    assert_int_equal(read.history, RMW_QOS_POLICY_HISTORY_KEEP_LAST);
    // a time that is not set is infinite, one of whole seconds or of less than a second is not
    assert_non_null(strstr(text, "deadline:\n    sec: 9223372036\n    nsec: 854775807\n"));
    qos.deadline = (rmw_time_t){2, 0};
    qos.lifespan = (rmw_time_t){0, 5};
    fil_qos_to_text(&qos, text);
    assert_non_null(strstr(text, "deadline:\n    sec: 2\n    nsec: 0\n"));
    assert_non_null(strstr(text, "lifespan:\n    sec: 0\n    nsec: 5\n"));
    // as Jazzy writes it; the second profile of a list does not count
    read = fil_qos_from_text(
        "- history: keep_all\n  depth: 7\n  reliability: best_effort\n"
        "- history: keep_last\n  durability: transient_local\n");
    assert_int_equal(read.history, RMW_QOS_POLICY_HISTORY_KEEP_ALL);
    assert_int_equal(read.depth, 7);
    assert_int_equal(read.reliability, RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT);
    assert_int_equal(read.durability, RMW_QOS_POLICY_DURABILITY_VOLATILE);
    read = fil_qos_from_text("");
    assert_int_equal(read.reliability, RMW_QOS_POLICY_RELIABILITY_RELIABLE);
}

static int set_up(void** state)
{
    const int result = test_scene_write(state);
    scene = *state;
    client_join(&client, "controller", 0, NULL);
    return result != 0 || bag_folder_make(&folder) != 0;
}

static int tear_down(void** state)
{
    client_leave(&client);
    return bag_folder_remove(&folder) != 0 || test_scene_remove(state) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nothing_is_lost, process_end_all),
        cmocka_unit_test_teardown(runs_are_repeated, process_end_all),
        cmocka_unit_test_teardown(changes_by_hand_are_marked, process_end_all),
        cmocka_unit_test_teardown(dead_nodes_leave_a_bag, process_end_all),
        cmocka_unit_test_teardown(overridden_qos_is_recorded, process_end_all),
        cmocka_unit_test_teardown(recording_by_parameter, process_end_all),
        cmocka_unit_test(qos_is_kept_as_text),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
