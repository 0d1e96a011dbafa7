/* What is no message, on a topic of the node. */
/* ctest: embedded */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client.h"
#include "node_impl.h"
#include "process.h"
#include "random_message.h"
#include "scene.h"

/* samples that are no messages arrive on the command topic, as any faulty or hostile program could send them */
static void garbage_does_no_harm(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    FilEndpoint writer;
    must(fil_endpoint_create(test_client.support.context.impl->participant.entity, true, "rt/rod_commands", "filum::msg::dds_::RodCommand_",
                             &rmw_qos_profile_default, NULL, &writer),
         "writer");
    size_t connected = 0;
    const double limit = seconds_now() + PATIENCE;
    while (connected == 0 && seconds_now() < limit) {
        must(fil_endpoint_matched(&writer, &connected), "count");
        sleep_seconds(0.01);
    }
    assert_int_equal(connected, 1);
    uint64_t seed = 3;
    for (int i = 0; i < 500; i++) {
        uint8_t bytes[512];
        const size_t size = random_bits(&seed) % sizeof bytes;
        for (size_t k = 0; k < size; k++) {
            // small numbers are more often believed than large ones
            bytes[k] = (uint8_t)(random_bits(&seed) % (i % 2 == 0 ? 256 : 3));
        }
        if (size >= 4 && i % 4 != 0) {
            fil_cdr_write_header(bytes);
        }
        must(fil_endpoint_write_bytes(&writer, bytes, size), "garbage");
    }
    // it still answers, and time still passes
    assert_true(client_get(&test_client, "/filum", "time_step").real == 0.002);
    const double before = client_time(&test_client);
    sleep_seconds(0.2);
    assert_true(client_time(&test_client) > before);
    fil_endpoint_delete(&writer);
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(garbage_does_no_harm, process_end_all),
    };
    return cmocka_run_group_tests(tests, test_scene_join, test_scene_leave);
}
