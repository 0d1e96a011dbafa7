/* A second vendor as referee: Fast DDS reads what the node says and is obeyed when it commands. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client.h"
#include "process.h"
#include "scene.h"

static void fast_dds_understands_and_is_understood(void** state)
{
    const TestScene* scene = *state;
#ifdef FILUM_REFEREE
    const char* const node_arguments[] = {"--ros-args", "-p", scene->argument, NULL};
    const char* const none[] = {NULL};
    const pid_t node = process_start(FILUM_NODE, node_arguments);
    const pid_t referee = process_start(FILUM_REFEREE, none);
    assert_int_equal(process_wait(referee, EXIT_PATIENCE), 0);
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
#else
    (void)scene;
    skip();  // libfastrtps-dev is not installed
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(fast_dds_understands_and_is_understood, process_end_all),
    };
    return cmocka_run_group_tests(tests, test_scene_write_with_robot, test_scene_remove);
}
