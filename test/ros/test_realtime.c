#define _GNU_SOURCE /* sched_getaffinity */
/* How the node shares the machine: priority, processors and resident memory of its process, and what it says where it may not. */
#include <dirent.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "client.h"
#include "process.h"
#include "scene.h"

/* The number behind `key` in /proc/PID/status; -1 if it is not there. */
static long status_of(pid_t process, const char* key)
{
    char path[64], line[256];
    long value = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':') {
            value = strtol(line + strlen(key) + 1, NULL, 10);
        }
    }
    fclose(file);
    return value;
}

/* Calls `check` for every thread; how many there are. */
static int for_threads(pid_t process, void (*check)(pid_t thread))
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR* folder = opendir(path);
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.') {
            check((pid_t)strtol(entry->d_name, NULL, 10));
            count++;
        }
    }
    closedir(folder);
    return count;
}

static void is_urgent(pid_t thread)
{
    struct sched_param parameter = {0};
    assert_int_equal(sched_getscheduler(thread), SCHED_FIFO);
    assert_int_equal(sched_getparam(thread, &parameter), 0);
    assert_int_equal(parameter.sched_priority, 7);
}

static void is_as_others(pid_t thread)
{
    assert_int_equal(sched_getscheduler(thread), SCHED_OTHER);
}

/* The first that this process may run on, as the node then may. */
static int first_processor(void)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    int first = 0;
    while (!CPU_ISSET((size_t)first, &set)) {
        first++;
    }
    return first;
}

static void is_on_first_processor(pid_t thread)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(thread, sizeof set, &set), 0);
    assert_int_equal(CPU_COUNT(&set), 1);
    assert_true(CPU_ISSET((size_t)first_processor(), &set));
}

/* Whether this process may, as the node then may. */
static bool may_be_urgent(void)
{
    const struct sched_param urgent = {.sched_priority = 7}, usual = {0};
    const bool may = sched_setscheduler(0, SCHED_FIFO, &urgent) == 0;
    return sched_setscheduler(0, SCHED_OTHER, &usual) == 0 && may;
}

/* The sanitizers answer in the system's place, and lock nothing. */
static bool may_lock(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return false;
#endif
    const bool may = mlockall(MCL_CURRENT) == 0;
    munlockall();
    return may;
}

static pid_t start(const char* first, const char* second, const char* third)
{
    const char* const arguments[] = {"--ros-args", "-p", test_scene->argument, "-p", first, "-p", second, "-p", third, NULL};
    return process_start(FILUM_NODE, arguments);
}

static void is_what_was_asked_for(void** state)
{
    (void)state;
    char reason[512], processors[32];
    snprintf(processors, sizeof processors, "processors:='%d'", first_processor());
    const pid_t node = start("realtime_priority:=7", "lock_memory:=true", processors);
    // all threads are there when it answers; what counts at the start does not change
    assert_false(client_set(&test_client, "/filum", "realtime_priority", fil_parameter_integer(0), reason));
    const int threads = for_threads(node, may_be_urgent() ? is_urgent : is_as_others);
    assert_true(threads > 1);
    assert_int_equal(for_threads(node, is_on_first_processor), threads);
    if (may_lock()) {
        assert_true(status_of(node, "VmLck") >= status_of(node, "VmData"));  // kB; 0 by default
    }
    assert_int_equal(process_stop(node), 0);
}

static void is_as_others_by_default(void** state)
{
    (void)state;
    char reason[512];
    const pid_t node = start("start_paused:=true", "publish_rate:=50.0", "tf_rate:=50.0");
    assert_true(client_set(&test_client, "/filum", "publish_rate", fil_parameter_double(10.0), reason));
    for_threads(node, is_as_others);
    assert_int_equal(status_of(node, "VmLck"), 0);
    assert_int_equal(process_stop(node), 0);
}

static void refuses_processors_that_are_not_there(void** state)
{
    (void)state;
    static const char* const bad[] = {"processors:='1-'",  "processors:='3-2'",  "processors:='1,,2'",
                                      "processors:='all'", "processors:='1023'", "processors:='99999999999999999999'"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const int code = process_wait(start("start_paused:=true", "realtime_priority:=0", bad[k]), EXIT_PATIENCE);
        assert_true(code > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(is_what_was_asked_for, process_end_all),
        cmocka_unit_test_teardown(is_as_others_by_default, process_end_all),
        cmocka_unit_test_teardown(refuses_processors_that_are_not_there, process_end_all),
    };
    return cmocka_run_group_tests(tests, test_scene_join, test_scene_leave);
}
