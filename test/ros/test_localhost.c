/* ROS_LOCALHOST_ONLY: sockets that hear this machine alone, room for many processes, and namesakes that know of each other. */
/* ctest: embedded */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "client.h"
#include "namesakes.h"
#include "process.h"
#include "rcl/graph.h"

enum { MEMBERS = 24 }; /* more than the ten that Cyclone has room for by itself */

static int join_and_wait(const char* name)
{
    Client member;
    client_join(&member, name, 0, NULL);
    sleep_seconds(10.0 * PATIENCE);  // it is killed before
    return 1;
}

static void sockets_hear_this_machine_only(void** state)
{
    (void)state;
    Client member;
    int bound = 0;
    client_join(&member, "local", 0, NULL);
    for (int file = 0; file < 256; file++) {
        struct sockaddr_in address = {0};
        socklen_t size = sizeof address;
        char device[32] = "";
        socklen_t length = sizeof device;
        if (getsockname(file, (struct sockaddr*)&address, &size) != 0 || address.sin_family != AF_INET) {
            continue;
        }
        if (address.sin_addr.s_addr != htonl(INADDR_ANY)) {
            assert_int_equal(ntohl(address.sin_addr.s_addr) >> 24, 127);
            continue;
        }
        assert_int_equal(getsockopt(file, SOL_SOCKET, SO_BINDTODEVICE, device, &length), 0);
        assert_string_equal(device, "lo");
        bound++;
    }
    assert_true(bound >= 2);  // those for discovery and for data
    client_leave(&member);
}

static size_t count_nodes(const Client* member)
{
    rcutils_string_array_t names = rcutils_get_zero_initialized_string_array(), spaces = rcutils_get_zero_initialized_string_array();
    must(rcl_get_node_names(&member->node, rcl_get_default_allocator(), &names, &spaces), "names");
    const size_t count = names.size;
    must(rcutils_string_array_fini(&names), "names");
    must(rcutils_string_array_fini(&spaces), "spaces");
    return count;
}

static void many_processes_have_room(void** state)
{
    (void)state;
    Client member;
    for (int k = 0; k < MEMBERS; k++) {
        char name[16];
        snprintf(name, sizeof name, "member%d", k / 2 * 2);  // in pairs of one name
        process_start_role("join", name, NULL, NULL);
    }
    client_join(&member, "member4", 0, NULL);
    const double limit = seconds_now() + 2.0 * PATIENCE;
    while (count_nodes(&member) < MEMBERS + 1 && seconds_now() < limit) {
        sleep_seconds(0.1);
    }
    assert_int_equal(count_nodes(&member), MEMBERS + 1);
    FilNamesakes namesakes = {0};
    fil_namesakes_watch(&namesakes, &member.node, seconds_now());
    assert_int_equal(namesakes.count, 2);
    client_leave(&member);
}

int main(int argc, char** argv)
{
    if (setenv("ROS_LOCALHOST_ONLY", "1", 1) != 0 || setenv("CYCLONEDDS_URI", "", 1) != 0) {
        return 1;
    }
    if (argc > 2 && strcmp(argv[1], "join") == 0) {
        return join_and_wait(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sockets_hear_this_machine_only),
        cmocka_unit_test_teardown(many_processes_have_room, process_end_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
