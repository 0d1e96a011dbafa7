/* ctest: heavy */ /* ctest: alone */
/* Under load: 50 rods of 100 nodes published 100 times a second to five readers, none of which misses a sample, and to a
 * sixth that is stopped for five seconds, loses samples, and goes on, while no publication holds the simulation up.
 *
 *   test_ros_load [SECONDS]    60 if not given */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "diagnostic_msgs/msg/diagnostic_array.h"
#include "filum/msg/rod_states.h"
#include "process.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)
#define PERIOD 10000000 /* ns */
enum { READERS = 5, RODS = 50, NODES = 100 };

static char scene_path[] = "/tmp/filum_load_XXXXXX.yaml";
static double duration = 60.0; /* s */

/* ---- a reader: a process that counts until it is asked to stop, then writes what it counted ---- */

typedef struct Count {
    int64_t heard, missed;   /* samples */
    int64_t gaps;            /* runs of missed ones */
    int64_t heard_after_gap; /* samples since the last of them */
    double cpu;              /* s */
} Count;

static volatile sig_atomic_t asked_to_stop;

static void on_signal(int number)
{
    (void)number;
    asked_to_stop = 1;
}

static int read_states(const char* file)
{
    signal(SIGTERM, on_signal);
    Client client;
    client_join(&client, "reader", 0, NULL);
    rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = 100;  // one second
    must(rclc_subscription_init(&subscription, &client.node, TYPE(filum, RodStates), "/rod_states", &qos), "states");
    filum__msg__RodStates* states = filum__msg__RodStates__create();
    Count count = {0};
    int64_t last = -1;
    while (asked_to_stop == 0) {
        if (rcl_take(&subscription, states, NULL, NULL) != RCL_RET_OK) {
            sleep_seconds(0.002);
            continue;
        }
        const int64_t stamp = (int64_t)states->header.stamp.sec * 1000000000 + states->header.stamp.nanosec;
        const int64_t skipped = last < 0 ? 0 : (stamp - last) / PERIOD - 1;
        if (states->rods.size != RODS || states->rods.data[RODS - 1].positions.size != 3 * NODES || skipped < 0) {
            return EXIT_FAILURE;
        }
        count.heard++;
        count.missed += skipped;
        count.gaps += skipped > 0;
        count.heard_after_gap = skipped > 0 ? 1 : count.heard_after_gap + 1;
        last = stamp;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    count.cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    FILE* out = fopen(file, "wb");
    const bool written = out != NULL && fwrite(&count, sizeof count, 1, out) == 1;
    if (out != NULL) {
        fclose(out);
    }
    filum__msg__RodStates__destroy(states);
    must(rcl_subscription_fini(&subscription, &client.node), "states");
    client_leave(&client);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

static Count collect(pid_t reader, const char* file)
{
    Count count = {0};
    kill(reader, SIGTERM);
    assert_int_equal(process_wait(reader, EXIT_PATIENCE), 0);
    FILE* in = fopen(file, "rb");
    assert_non_null(in);
    assert_int_equal(fread(&count, sizeof count, 1, in), 1);
    fclose(in);
    remove(file);
    return count;
}

/* ---- the node ---- */

/* s that the node's main thread was ready to run but had no processor; 0 where the kernel does not tell */
static double time_in_queue(pid_t node)
{
    return 1e-9 * process_number(node, "schedstat");
}

/* Watches the diagnostics, which tell the slowest publication of each second. */
typedef struct Watch {
    Client client;
    rcl_subscription_t subscription;
    diagnostic_msgs__msg__DiagnosticArray* message;
    double queued[3]; /* time_in_queue() at the last three messages, the newest first */
    double slowest;   /* s, of all publications */
    double held_up;   /* s, at the least: without what other processes took of the processor in these two seconds */
    int count;
} Watch;

static void watch_start(Watch* watch)
{
    *watch = (Watch){.message = diagnostic_msgs__msg__DiagnosticArray__create(), .subscription = rcl_get_zero_initialized_subscription()};
    client_join(&watch->client, "watcher", 0, NULL);
    must(rclc_subscription_init(&watch->subscription, &watch->client.node, TYPE(diagnostic_msgs, DiagnosticArray), "/diagnostics",
                                &rmw_qos_profile_default),
         "diagnostics");
}

static void watch_end(Watch* watch)
{
    diagnostic_msgs__msg__DiagnosticArray__destroy(watch->message);
    must(rcl_subscription_fini(&watch->subscription, &watch->client.node), "diagnostics");
    client_leave(&watch->client);
}

static void watch_for(Watch* watch, pid_t node, double seconds)
{
    watch->slowest = watch->held_up = 0.0;
    watch->count = 0;
    for (const double limit = seconds_now() + seconds; seconds_now() < limit; sleep_seconds(0.01)) {
        if (rcl_take(&watch->subscription, watch->message, NULL, NULL) != RCL_RET_OK) {
            continue;
        }
        watch->queued[2] = watch->queued[1];
        watch->queued[1] = watch->queued[0];
        watch->queued[0] = time_in_queue(node);
        const diagnostic_msgs__msg__DiagnosticStatus* status = &watch->message->status.data[0];
        for (size_t i = 0; i < status->values.size && watch->queued[2] > 0.0; i++) {
            if (strcmp(status->values.data[i].key.data, "slowest_publication") == 0) {
                const double slowest = atof(status->values.data[i].value.data);
                watch->slowest = fmax(watch->slowest, slowest);
                watch->held_up = fmax(watch->held_up, slowest - (watch->queued[0] - watch->queued[2]));
                watch->count++;
            }
        }
    }
}

static void readers_miss_nothing(void** state)
{
    (void)state;
    char argument[64];
    char files[READERS + 1][64];
    pid_t readers[READERS + 1];
    snprintf(argument, sizeof argument, "scene:=%s", scene_path);
    Watch watch;
    watch_start(&watch);
    for (int i = 0; i <= READERS; i++) {
        snprintf(files[i], sizeof files[i], "/tmp/filum_load_%ld_%d", (long)getpid(), i);
        readers[i] = process_start_role("read", files[i], NULL, NULL);
    }
    // what gets lost on the way is kept long enough to be sent again
    const char* const arguments[] = {
        "--ros-args", "-p", argument, "-p", "publish_rate:=100.0", "-p", "qos_overrides./rod_states.publisher.depth:=300", NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    watch_for(&watch, node, 0.5 * duration - 2.5);
    const Watch running = watch;
    kill(readers[READERS], SIGSTOP);
    watch_for(&watch, node, 5.0);
    kill(readers[READERS], SIGCONT);
    const Watch stopped = watch;
    watch_for(&watch, node, 0.5 * duration - 2.5);
    // it may stay seconds behind, where the writer's history ends now and then: time stands until it has caught up
    assert_true(client_pause(&watch.client, "/filum", true));
    sleep_seconds(6.0);
    assert_true(client_pause(&watch.client, "/filum", false));
    sleep_seconds(3.0);

    Count counts[READERS + 1];
    for (int i = 0; i <= READERS; i++) {
        counts[i] = collect(readers[i], files[i]);
        print_message("reader %d: %lld heard, %lld missed in %lld gaps, %.1f s of CPU time\n", i, (long long)counts[i].heard,
                      (long long)counts[i].missed, (long long)counts[i].gaps, counts[i].cpu);
    }
    kill(node, SIGINT);
    int status;
    struct rusage usage;
    wait4(node, &status, 0, &usage);
    const double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    print_message(
        "node: %.1f s of CPU time; slowest publication %.2f ms, with a stopped reader %.2f ms; of which not for "
        "want of a processor: %.2f and %.2f ms\n",
        cpu, 1e3 * running.slowest, 1e3 * stopped.slowest, 1e3 * running.held_up, 1e3 * stopped.held_up);

    for (int i = 0; i < READERS; i++) {
        assert_true(counts[i].heard > (int64_t)(50.0 * duration));  // half of real time at the least
        assert_int_equal(counts[i].missed, 0);
    }
    assert_true(counts[READERS].missed > 0);
    // it goes on
    assert_true(4 * counts[READERS].heard > 3 * counts[0].heard);
    assert_true(counts[READERS].heard_after_gap > 100);
    assert_true(running.count > 2 && stopped.count > 2);
    assert_true(running.held_up < 0.010);  // s
    assert_true(stopped.held_up < 0.010);
    watch_end(&watch);
}

static int set_up(void** state)
{
    (void)state;
    FILE* file = fdopen(mkstemps(scene_path, 5), "w");
    if (file == NULL) {
        return -1;
    }
    fprintf(file,
            "world: {dt: 0.01}\n"
            "materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000}}\n"
            "rods:\n"
            "  - {name: rod, repeat: %d, material: rubber, section: {circle: {radius: 0.005}}, damping: {mass: 1},\n"
            "     shape: {straight: {from: [0, $(0.1 * index), 1], to: [0, $(0.1 * index), 0], nodes: %d}}}\n"
            "attachments:\n"
            "  - {name: hook, repeat: %d, pin: {rod: rod$(index), node: 0}}\n",
            RODS, NODES, RODS);
    return fclose(file);
}

static int tear_down(void** state)
{
    (void)state;
    return remove(scene_path);
}

int main(int argc, char** argv)
{
    if (argc > 2 && strcmp(argv[1], "read") == 0) {
        return read_states(argv[2]);
    }
    duration = argc > 1 ? fmax(atof(argv[1]), 12.0) : duration;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(readers_miss_nothing, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
