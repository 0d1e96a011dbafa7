/* The command line's view of the graph: filum topic, param and service against a running node. */
/* ctest: embedded */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "client.h"
#include "process.h"
#include "scene.h"

static const TestScene* scene;
static char output[1 << 20];

/* runs `filum ARGUMENTS` in a shell, with a limit; its exit code, what it printed in `output` */
static int run(const char* arguments)
{
    char command[2000];
    snprintf(command, sizeof command, "timeout 60 '%s' %s 2>&1", FILUM_CLI, arguments);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t size = fread(output, 1, sizeof output - 1, pipe);
    output[size] = '\0';
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(const char* arguments, int code, const char* text)
{
    const int got = run(arguments);
    if (got != code || strstr(output, text) == NULL) {
        fail_msg("filum %s: exit code %d instead of %d, or no '%s' in:\n%s", arguments, got, code, text, output);
    }
}

static pid_t start(void)
{
    const char* const arguments[] = {"--ros-args", "-p", scene->argument, NULL};
    return process_start(FILUM_NODE, arguments);
}

static void topics(void** state)
{
    (void)state;
    const pid_t node = start();
    expect("topic echo /probes --once --timeout 20", 0, "names: [tip]\n");
    expect("topic list --types", 0, "/rod_states [filum/msg/RodStates]\n");
    assert_non_null(strstr(output, "/joint_commands [sensor_msgs/msg/JointState]\n"));
    expect("topic echo rod_states --count 2 --timeout 20", 0, "- name: cable\n");
    assert_non_null(strstr(output, "---\nheader:\n"));
    expect("topic hz /clock --duration 2.5", 0, "average rate: ");
    expect("topic echo /nothing --once --timeout 1", 1, "no topic '/nothing' in the graph");
    // a command is taken, and seen to be
    expect(
        "topic pub /rod_commands filum/msg/RodCommand "
        "'{targets: [{drive: pull, value: [0, 0, 1e3]}, {drive: nonsense}]}' --once",
        0, "");
    expect("topic echo /rosout --once --timeout 20", 0, "msg: ");
    expect("topic pub /rod_commands filum/RodCommand '{targets: [{drives: pull}]}' --once", 1,
           "DriveTarget has no field 'drives'; did you mean 'drive'?");
    expect("topic pub /rod_commands filum/RodCommand '{first_node: -1}' --once", 1, "first_node: is not an integer that fits");
    expect("topic pub /rod_commands filum/RodComand '{}' --once", 1, "did you mean 'filum/msg/RodCommand'?");
    expect("topic pub /nobody filum/RodCommand '{}' --once", 1, "nobody listens");
    assert_int_equal(process_stop(node), 0);
}

static void parameters(void** state)
{
    (void)state;
    const pid_t node = start();
    expect("param get /filum time_step", 0, "Double value is: 0.002\n");
    expect("param list", 0, "contact_model\n");
    expect("param set /filum time_step 0.001", 0, "Set parameter successful\n");
    expect("param get filum time_step", 0, "Double value is: 0.001\n");
    expect("param set /filum time_step -1", 1, "time_step must lie between");
    expect("param set /filum rod_node_frames true", 0, "successful");
    expect("param get /filum rod_node_frames", 0, "Boolean value is: true\n");
    expect("param get /filum nonsense", 1, "there is no parameter 'nonsense'");
    expect("param get /nobody time_step", 1, "nobody offers the service '/nobody/get_parameters'");
    assert_int_equal(process_stop(node), 0);
}

static void services(void** state)
{
    (void)state;
    const pid_t node = start();
    expect("service call /filum/pause std_srvs/srv/SetBool '{data: true}'", 0, "success: true\nmessage: paused\n");
    expect("service call /filum/reset std_srvs/Trigger", 0, "message: reset\n");
    expect("service call /filum/step std_srvs/Trigger", 0, "message: \"0.002 s\"\n");
    expect("service list", 0, "/filum/set_parameters [rcl_interfaces/srv/SetParameters]\n");
    expect("service call /filum/step std_srvs/Triger", 1, "did you mean 'std_srvs/srv/Trigger'?");
    expect("service call /filum/pause std_srvs/srv/SetBool '{data: 1}'", 1, "data: expected true or false");
    expect("service cal", 2, "did you mean 'call'?");
    assert_int_equal(process_stop(node), 0);
}

static int set_up(void** state)
{
    const int result = test_scene_write(state);
    scene = *state;
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(topics, process_end_all),
        cmocka_unit_test_teardown(parameters, process_end_all),
        cmocka_unit_test_teardown(services, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, test_scene_remove);
}
