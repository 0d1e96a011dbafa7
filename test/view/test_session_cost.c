/* What two pages cost the thread that steps: fifty rods of a hundred nodes at sixty frames a second, in its own processor time. */
#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "view/session.h"

enum { PAGES = 2, STEPS = 300 };

/* A page that reads whatever comes until the server closes. */
static void* read_all(void* argument)
{
    const int link = *(const int*)argument;
    static const char hello[] =
        "GET /stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: filum\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    char bytes[65536];
    if (send(link, hello, sizeof hello - 1, MSG_NOSIGNAL) == (ssize_t)(sizeof hello - 1)) {
        while (recv(link, bytes, sizeof bytes, 0) > 0) {
        }
    }
    return NULL;
}

static int dial(int port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int link = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(link, (const struct sockaddr*)&address, sizeof address), 0);
    return link;
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void pages_cost_little(void** state)
{
    (void)state;
    FilError error = {""};
    FilSimulation simulation;
    FilViewSession* session = NULL;
    fil_simulation_init(&simulation);
    assert_int_equal(fil_simulation_load(&simulation, "fifty_rods", NULL, &error), FIL_OK);
    const FilViewSessionDef def = {.simulation = &simulation, .address = "127.0.0.1"};
    assert_int_equal(fil_view_session_open(&def, &session, &error), FIL_OK);
    int links[PAGES];
    pthread_t readers[PAGES];
    for (int p = 0; p < PAGES; ++p) {
        links[p] = dial(fil_view_session_port(session));
        assert_int_equal(pthread_create(&readers[p], NULL, read_all, &links[p]), 0);
    }
    for (int wait = 0; wait < 500 && fil_view_session_counts(session).pages < PAGES; ++wait) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(fil_view_session_counts(session).pages, PAGES);
    assert_int_equal(fil_view_session_show(session, 0.0), FIL_OK);  // the description, once
    double stepping = 0.0, showing = 0.0;
    for (int k = 1; k <= STEPS; ++k) {
        const double begin = processor_time();
        assert_int_equal(fil_simulation_step(&simulation, 0.001 * k), FIL_OK);
        const double middle = processor_time();
        assert_int_equal(fil_view_session_pull(session), FIL_OK);
        assert_int_equal(fil_view_session_show(session, 0.001 * k), FIL_OK);  // in real time
        stepping += middle - begin;
        showing += processor_time() - middle;
    }
    const FilViewCounts counts = fil_view_session_counts(session);
    print_message("a step %.2f ms, pages %.2f %% of it; %.1f MB/s to each at 60 frames a second\n", 1e3 * stepping / STEPS,
                  100.0 * showing / stepping, counts.frames > 0 ? 60e-6 * (double)counts.bytes / (double)counts.frames : 0.0);
    assert_true(showing < 0.03 * stepping);
    fil_view_session_close(session);
    for (int p = 0; p < PAGES; ++p) {
        pthread_join(readers[p], NULL);
        close(links[p]);
    }
    fil_simulation_fini(&simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pages_cost_little)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
