/* The server of `filum view` as browsers and others meet it: the handshake, frames, commands, and what it refuses. The client is
 * plain sockets, so that it can misbehave. */
#include <arpa/inet.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "view/commands.h"
#include "view/server.h"

enum { PATIENCE = 5000 }; /* ms */

static FilViewServer* server;
static FilViewQueue queue;

static int setup(void** state)
{
    (void)state;
    FilError error = {""};
    fil_view_queue_init(&queue);
    const FilViewServerDef def = {
        .address = "127.0.0.1", .folder = FILUM_SOURCE_DIR "/sim_core/src/view/page", .command = fil_view_queue_put, .context = &queue};
    return fil_view_server_start(&def, &server, &error) == FIL_OK ? 0 : -1;
}

static int teardown(void** state)
{
    (void)state;
    fil_view_server_stop(server);
    fil_view_queue_destroy(&queue);
    return 0;
}

/* ---- a client ---- */

static int dial(void)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)fil_view_server_port(server)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int link = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(link >= 0);
    assert_int_equal(connect(link, (const struct sockaddr*)&address, sizeof address), 0);
    return link;
}

static void say(int link, const void* bytes, size_t size)
{
    assert_int_equal(send(link, bytes, size, MSG_NOSIGNAL), (ssize_t)size);
}

/* Reads `size` bytes; false: the server has closed, or says nothing for too long. */
static bool hear(int link, void* bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        struct pollfd wait = {.fd = link, .events = POLLIN};
        const ssize_t part = poll(&wait, 1, PATIENCE) > 0 ? recv(link, (char*)bytes + got, size - got, 0) : -1;
        if (part <= 0) {
            return false;
        }
        got += (size_t)part;
    }
    return true;
}

/* The status of the answer to a handshake; 0: none came. */
static int shake_hands(int link, const char* host, const char* origin)
{
    char text[1024], line[512] = "";
    snprintf(text, sizeof text,
             "GET /stream HTTP/1.1\r\nHost: %s\r\n%s%s%sUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Protocol: filum\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
             host, origin != NULL ? "Origin: " : "", origin != NULL ? origin : "", origin != NULL ? "\r\n" : "");
    say(link, text, strlen(text));
    int status = 0;
    for (size_t n = 0, lines = 0; n < sizeof line - 1 && hear(link, line + n, 1); n++) {
        if (line[n] == '\n') {
            status = lines++ == 0 ? atoi(line + strlen("HTTP/1.1 ")) : status;
            if (n <= 1) {
                return status;
            }
            n = (size_t)-1;
        }
    }
    return status;
}

static int join(void)
{
    const int link = dial();
    assert_int_equal(shake_hands(link, "127.0.0.1:1", NULL), 101);
    return link;
}

/* A message of the server: its opcode, -1 if it has closed. */
static int hear_message(int link, unsigned char* out, size_t room, size_t* size)
{
    unsigned char head[10];
    if (!hear(link, head, 2)) {
        return -1;
    }
    const size_t extra = (head[1] & 127) == 126 ? 2 : (head[1] & 127) == 127 ? 8 : 0;
    *size = extra == 0 ? head[1] & 127u : 0;
    if (extra > 0 && !hear(link, head + 2, extra)) {
        return -1;
    }
    for (size_t i = 0; i < extra; i++) {
        *size = 256 * *size + head[2 + i];
    }
    assert_true(*size <= room);
    return hear(link, out, *size) ? head[0] & 15 : -1;
}

static void send_command(int link, int opcode, const void* bytes, size_t size)
{
    unsigned char message[256] = {(unsigned char)(0x80 | opcode), (unsigned char)(0x80 | size), 0, 0, 0, 0};  // masked by zeros
    assert_true(size < 126);
    memcpy(message + 6, bytes, size);
    say(link, message, size + 6);
}

/* ---- what must hold ---- */

static void pages_get_the_text_then_frames(void** state)
{
    (void)state;
    unsigned char bytes[256];
    size_t size;
    assert_int_equal(fil_view_server_send(server, "{}", 2), FIL_OK);
    assert_int_equal(fil_view_server_show(server, "one", 3), FIL_OK);
    const int early = join(), late = join();
    for (int k = 0; k < 2; k++) {
        const int link = k == 0 ? early : late;
        assert_int_equal(hear_message(link, bytes, sizeof bytes, &size), 1);
        assert_memory_equal(bytes, "{}", 2);
        assert_int_equal(hear_message(link, bytes, sizeof bytes, &size), 2);
        assert_memory_equal(bytes, "one", 3);
    }
    assert_int_equal(fil_view_server_show(server, "second", 6), FIL_OK);
    assert_int_equal(hear_message(late, bytes, sizeof bytes, &size), 2);
    assert_int_equal(size, 6);
    assert_int_equal(hear_message(early, bytes, sizeof bytes, &size), 2);
    // what a page has already is not sent again, but after another text
    assert_int_equal(fil_view_server_show(server, "second", 6), FIL_OK);
    assert_int_equal(fil_view_server_show(server, "3rd", 3), FIL_OK);
    assert_int_equal(hear_message(early, bytes, sizeof bytes, &size), 2);
    assert_memory_equal(bytes, "3rd", 3);
    assert_int_equal(fil_view_server_send(server, "[]", 2), FIL_OK);
    assert_int_equal(hear_message(early, bytes, sizeof bytes, &size), 1);
    assert_int_equal(hear_message(early, bytes, sizeof bytes, &size), 2);
    assert_memory_equal(bytes, "3rd", 3);
    assert_int_equal(fil_view_server_counts(server).pages, 2);
    close(early);
    close(late);
}

static void commands_arrive_and_others_end_the_link(void** state)
{
    (void)state;
    unsigned char command[FIL_VIEW_COMMAND_BYTES] = {FIL_VIEW_SPEED};
    const double speed = 0.25, worst = 0.0 / 0.0;
    memcpy(command + 16, &speed, sizeof speed);
    int link = join();
    send_command(link, 2, command, sizeof command);
    FilViewCommand taken;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    assert_true(fil_view_queue_take(&queue, (double)now.tv_sec + 5.0, &taken));
    assert_int_equal(taken.ask, FIL_VIEW_SPEED);
    assert_float_equal(taken.numbers[0], speed, 0.0);
    // what is not finite is dropped, what has another size or kind ends the connection
    memcpy(command + 16, &worst, sizeof worst);
    send_command(link, 2, command, sizeof command);
    unsigned char bytes[1024];
    size_t size;
    send_command(link, 2, command, sizeof command - 1);
    int kind;
    while ((kind = hear_message(link, bytes, sizeof bytes, &size)) > 0 && kind != 8) {
    }
    assert_false(fil_view_queue_take(&queue, 0.0, &taken));
    assert_true(queue.dropped > 0);
    close(link);
    link = join();
    send_command(link, 1, command, sizeof command);
    while ((kind = hear_message(link, bytes, sizeof bytes, &size)) > 0 && kind != 8) {
    }
    assert_false(fil_view_queue_take(&queue, 0.0, &taken));
    close(link);
}

static void other_sites_are_refused(void** state)
{
    (void)state;
    static const struct {
        const char *host, *origin;
        bool welcome;
    } rows[] = {{"127.0.0.1:8642", "http://127.0.0.1:8642", true},      {"localhost:8642", "http://localhost:8642", true},
                {"localhost:8642", "http://example.org", false},        {"localhost:8642", "null", false},
                {"example.org:8642", "http://example.org:8642", false}, {"localhost:8642", "http://localhost:8643", false}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const int link = dial();
        assert_int_equal(shake_hands(link, rows[k].host, rows[k].origin) == 101, rows[k].welcome);
        close(link);
    }
    assert_int_equal(fil_view_server_counts(server).refused, 4);
}

static void only_so_many_pages(void** state)
{
    (void)state;
    int links[FIL_VIEW_PAGES + 1];
    for (int k = 0; k <= FIL_VIEW_PAGES; k++) {
        links[k] = dial();
        assert_int_equal(shake_hands(links[k], "127.0.0.1:1", NULL) == 101, k < FIL_VIEW_PAGES);
    }
    for (int k = 0; k <= FIL_VIEW_PAGES; k++) {
        close(links[k]);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A page that reads nothing costs whoever shows frames no time, and gets the newest when it reads again. */
static void a_stalled_page_holds_nobody_up(void** state)
{
    (void)state;
    enum { SIZE = 200000, FRAMES = 500 };
    unsigned char* frame = calloc(1, SIZE);
    size_t size;
    assert_non_null(frame);
    const int stalled = join();
    double worst = 0.0;
    for (int k = 1; k <= FRAMES; k++) {
        memcpy(frame, &k, sizeof k);
        const double start = seconds();
        assert_int_equal(fil_view_server_show(server, frame, SIZE), FIL_OK);
        const double took = seconds() - start;
        worst = took > worst ? took : worst;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_true(worst < 0.5);
    int last = 0, count = 0;
    while (last < FRAMES && hear_message(stalled, frame, SIZE, &size) == 2) {
        int number;
        memcpy(&number, frame, sizeof number);
        assert_true(number > last);
        last = number;
        count++;
    }
    assert_int_equal(last, FRAMES);
    assert_true(count < FRAMES);  // the sockets' buffers do not hold 100 MB
    assert_true(fil_view_server_counts(server).skipped > 0);
    close(stalled);
    free(frame);
}

static void files_outside_the_folder_stay_there(void** state)
{
    (void)state;
    static const char* const paths[] = {"/../server.c", "/%2e%2e/server.c", "/..%2fserver.c", "//etc/passwd", "/lib/../../server.c"};
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
        char text[256], answer[16] = "";
        const int link = dial();
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", paths[k]);
        say(link, text, strlen(text));
        assert_false(hear(link, answer, 12) && memcmp(answer + 9, "200", 3) == 0);
        close(link);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pages_get_the_text_then_frames, setup, teardown),
        cmocka_unit_test_setup_teardown(commands_arrive_and_others_end_the_link, setup, teardown),
        cmocka_unit_test_setup_teardown(other_sites_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(only_so_many_pages, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stalled_page_holds_nobody_up, setup, teardown),
        cmocka_unit_test_setup_teardown(files_outside_the_folder_stay_there, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
