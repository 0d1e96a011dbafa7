/* The node at full rate for a while, with readers of everything, commands good and bad, parameters and services: its
 * memory stays what it is, a reset world has the same bits as at first, and under the address sanitizer nothing leaks.
 *
 *   test_ros_soak [SECONDS [FACTOR]]: for as long, at FACTOR times real time instead of as fast as it can */
/* ctest: embedded */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "commands.h"
#include "filum/msg/chamber_pressures.h"
#include "filum/msg/step_info.h"
#include "outputs.h"
#include "process.h"
#include "random_message.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"

#ifdef __SANITIZE_ADDRESS__
static double duration = 45.0; /* s */
#define GROWTH 8.0             /* MB: pages that the sanitizer touches late */
#else
static double duration = 20.0;
#define GROWTH 2.0 /* MB: buffers of the middleware that reach their largest size late */
#endif

static char factor[64]; /* the parameter: of real time, 0 for as fast as it can */

/* ---- one reader per topic ---- */

typedef struct Reader {
    rcl_subscription_t subscription;
    const FilMessageMembers* type;
    void* message;
    int64_t heard;
} Reader;

static void open_readers(Client* client, Reader* readers)
{
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        const FilOutputTopic* topic = fil_output_topic((FilTopicId)i);
        readers[i] = (Reader){.subscription = rcl_get_zero_initialized_subscription(), .type = topic->type()->data};
        readers[i].message = message_new(readers[i].type);
        rmw_qos_profile_t qos = rmw_qos_profile_default;
        qos.durability = topic->transient_local ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : qos.durability;
        must(rclc_subscription_init(&readers[i].subscription, &client->node, topic->type(), topic->name, &qos), topic->name);
    }
}

static void close_readers(Client* client, Reader* readers)
{
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        must(rcl_subscription_fini(&readers[i].subscription, &client->node), "reader");
        message_free(readers[i].type, readers[i].message);
    }
}

/* Takes what has come; whether anything had. */
static bool hear(Reader* readers)
{
    bool heard = false;
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        while (rcl_take(&readers[i].subscription, readers[i].message, NULL, NULL) == RCL_RET_OK) {
            readers[i].heard++;
            heard = true;
        }
    }
    return heard;
}

/* ---- commands: random ones of every type, and one that makes sense ---- */

typedef struct Commander {
    rcl_publisher_t publishers[FIL_COMMAND_COUNT];
    filum__msg__ChamberPressures* sensible;
    uint64_t seed;
} Commander;

static void open_commander(Client* client, Commander* commander)
{
    *commander = (Commander){.sensible = filum__msg__ChamberPressures__create(), .seed = 7};
    rosidl_runtime_c__String__Sequence__init(&commander->sensible->chambers, 1);
    rosidl_runtime_c__String__assign(&commander->sensible->chambers.data[0], "trunk/chamber_4");
    rosidl_runtime_c__double__Sequence__init(&commander->sensible->pressures, 1);
    for (int i = 0; i < FIL_COMMAND_COUNT; i++) {
        const FilOutputTopic* topic = fil_commands_topic((FilCommandId)i);
        commander->publishers[i] = rcl_get_zero_initialized_publisher();
        must(rclc_publisher_init(&commander->publishers[i], &client->node, topic->type(), topic->name, &rmw_qos_profile_default), topic->name);
    }
}

static void send_commands(Commander* commander, double now)
{
    commander->sensible->pressures.data[0] = 1e4 * sin(3.0 * now);
    must(rcl_publish(&commander->publishers[FIL_COMMAND_CHAMBER], commander->sensible, NULL), "commands");
    const FilCommandId id = (FilCommandId)(random_bits(&commander->seed) % FIL_COMMAND_COUNT);
    const FilMessageMembers* type = fil_commands_topic(id)->type()->data;
    void* nonsense = message_new(type);
    message_randomise(type, nonsense, 20, &commander->seed);
    must(rcl_publish(&commander->publishers[id], nonsense, NULL), "nonsense");
    message_free(type, nonsense);
}

static void close_commander(Client* client, Commander* commander)
{
    for (int i = 0; i < FIL_COMMAND_COUNT; i++) {
        must(rcl_publisher_fini(&commander->publishers[i], &client->node), "commands");
    }
    filum__msg__ChamberPressures__destroy(commander->sensible);
}

/* ---- */

static void ask_for_objects(Client* client, int round)
{
    char text[512];
    const double steps[] = {0.002, 0.001};
    assert_true(client_set(client, "/filum", "time_step", fil_parameter_double(steps[round % 2]), text));
    assert_false(client_set(client, "/filum", "time_step", fil_parameter_double(-1.0), text));
    assert_true(client_set(client, "/filum", "rod_node_frames", fil_parameter_bool(round % 2 == 0), text));
    if (round % 3 == 2) {
        char message[256];
        assert_true(client_trigger(client, "/filum", "reset", message));
    }
}

/* The hash of the state 50 steps after a reset. Leaves the node running. */
static uint64_t hash_after_reset(Client* client, Reader* readers)
{
    char text[512];
    const filum__msg__StepInfo* info = readers[FIL_TOPIC_STEP_INFO].message;
    assert_true(client_pause(client, "/filum", true));
    sleep_seconds(0.2);  // commands that are on their way
    assert_true(client_set(client, "/filum", "time_step", fil_parameter_double(0.002), text));
    assert_true(client_trigger(client, "/filum", "reset", text));
    for (int i = 0; i < 50; i++) {
        assert_true(client_trigger(client, "/filum", "step", text));
    }
    // 0.1 s: a moment at which states are published
    const double limit = seconds_now() + PATIENCE;
    while (info->step != 50 && seconds_now() < limit) {
        sleep_seconds(hear(readers) ? 0.0 : 0.001);
    }
    assert_int_equal(info->step, 50);
    const uint64_t hash = info->state_hash;
    assert_true(client_pause(client, "/filum", false));
    return hash;
}

/* ---- how long it takes to answer three or four requests, and what else a row of the table says ---- */

enum { LATENCIES = 2000 };

typedef struct Latencies {
    double seconds[LATENCIES]; /* since the last row */
    int count, rows;
} Latencies;

static int by_size(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void note_latency(Latencies* latencies, double seconds)
{
    latencies->seconds[latencies->count] = seconds;
    latencies->count += latencies->count + 1 < LATENCIES;
}

static void print_row(Latencies* latencies, double after, pid_t node, const Reader* readers)
{
    const filum__msg__StepInfo* info = readers[FIL_TOPIC_STEP_INFO].message;
    const int count = latencies->count;
    qsort(latencies->seconds, (size_t)count, sizeof *latencies->seconds, by_size);
    print_message("| %.0f s | %.1f MB | %d | %lld | %016llx | %.1f ms | %.1f ms | %.1f ms |\n", after, process_memory(node), process_files(node),
                  (long long)readers[FIL_TOPIC_ROD_STATES].heard, (unsigned long long)info->state_hash, 1e3 * latencies->seconds[count / 2],
                  1e3 * latencies->seconds[(count - 1) * 99 / 100], 1e3 * latencies->seconds[count - 1]);
    latencies->count = 0;
    latencies->rows++;
}

static void memory_stays(void** state)
{
    (void)state;
    // freed memory is not kept back for long: what grows, leaks
    const char* given = getenv("ASAN_OPTIONS");
    char options[512];
    snprintf(options, sizeof options, "%s%squarantine_size_mb=4", given != NULL ? given : "", given != NULL ? ":" : "");
    setenv("ASAN_OPTIONS", options, 1);
    static const char scene[] = "scene:=" FILUM_SOURCE_DIR "/config/scenes/demo.yaml";
    const char* const arguments[] = {"--ros-args", "-p", scene, "-p", factor, NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    Client client;
    client_join(&client, "soak", 0, NULL);
    Reader readers[FIL_TOPIC_COUNT];
    Commander commander;
    open_readers(&client, readers);
    open_commander(&client, &commander);
    const uint64_t hash = hash_after_reset(&client, readers);
    const double begin = seconds_now();
    double settled = 0.0;
    double max = 0.0;
    int rounds = 0, files = 0;
    double next_commands = begin;
    Latencies latencies = {0};
    print_message("| after | memory | files | states | last hash | answers, median | 99 %% | max |\n|---|---|---|---|---|---|---|---|\n");
    while (seconds_now() < begin + duration) {
        const double now = seconds_now();
        const bool heard = hear(readers);
        if (now > next_commands) {
            send_commands(&commander, now);
            next_commands = now + 0.01;
        }
        if (now > begin + 2.0 * (rounds + 1)) {
            ask_for_objects(&client, rounds++);
            note_latency(&latencies, seconds_now() - now);
            if (now > begin + duration / 10.0 * (latencies.rows + 1)) {
                print_row(&latencies, now - begin, node, readers);
            }
            files = now < begin + duration / 3.0 ? process_files(node) : files;
            // everything has been in use after a third of the time
            settled = now < begin + duration / 3.0 ? process_memory(node) : settled;
            max = now < begin + duration / 3.0 ? settled : fmax(max, process_memory(node));
        }
        sleep_seconds(heard ? 0.0 : 0.0005);
    }
    assert_true(hash_after_reset(&client, readers) == hash);
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        // the scene has no robot, no ring and no solid
        const bool silent = i == FIL_TOPIC_ROBOT_STATES || i == FIL_TOPIC_RING_STATES || i == FIL_TOPIC_SOLID_STATES;
        assert_true((readers[i].heard > 0) != silent);
    }
    print_message("%lld states in %.0f s, memory %.1f MB after a third of the time, %.1f MB at the most after it\n",
                  (long long)readers[FIL_TOPIC_ROD_STATES].heard, duration, settled, max);
    assert_true(settled > 0.0);
    assert_true(max < settled + GROWTH);
    assert_int_equal(process_files(node), files);
    close_commander(&client, &commander);
    close_readers(&client, readers);
    client_leave(&client);
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);  // the leak sanitizer would make it another number
}

int main(int argc, char** argv)
{
    duration = argc > 1 ? fmax(atof(argv[1]), 10.0) : duration;
    snprintf(factor, sizeof factor, "real_time_factor:=%.3f", argc > 2 ? atof(argv[2]) : 0.0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(memory_stays, process_end_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
