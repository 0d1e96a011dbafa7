/* ctest: embedded */
/* Every n-th call of a socket fails, once or from there on, while a node records, a page is served and the graph is asked: each ends by
 * itself with 0, or with 1 or 2 and a message, and a recording is whole. Here a few n; `test_ros_faults all
 * [SCENARIO]` takes all of them (scripts/faults). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bag_folder.h"
#include "faults.h"
#include "filum/record.h"
#include "scene.h"

typedef struct Scenario {
    const char* name;
    const char* program;
    const char* arguments; /* %s: the scene */
    const char* bag;       /* that it records */
} Scenario;

static const Scenario scenarios[] = {
    {"node", FILUM_NODE, "--duration 0.3 --ros-args -p scene:=%s -p record:=bag", "bag/bag_0.mcap"},
    {"view", FILUM_CLI, "view %s --port 18642 --duration 0.1", NULL},
    {"topics", FILUM_CLI, "topic list", NULL},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, PATIENCE_SECONDS = 30, MAX_WORDS = 16, FEW = 4 };

static void* scene; /* a TestScene */
static BagFolder folder;
static bool all; /* n, not a few */

static FaultRun start(const Scenario* scenario, long number, bool lasting)
{
    char words[512];
    char* argv[MAX_WORDS] = {(char*)(uintptr_t)scenario->program};
    int count = 1;
    snprintf(words, sizeof words, scenario->arguments, ((const TestScene*)scene)->path);
    for (char *rest = words, *word; (word = strtok_r(rest, " ", &rest)) != NULL; count++) {
        argv[count] = word;
    }
    assert_int_equal(system("rm -rf bag"), 0);
    return faults_run(argv, folder.path, (Fault){FAULT_SOCKET, number, lasting}, PATIENCE_SECONDS);
}

/* The beginning of what it said. */
static const char* read_errors(void)
{
    static char text[400];
    FILE* file = fopen("errors", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static bool is_whole(const char* path)
{
    const FilReaderOptions options = fil_reader_options_default();
    FilReader* reader = NULL;
    FilError error = {""};
    if (fil_reader_open(path, &options, &reader, &error) != FIL_OK) {
        return false;
    }
    const bool whole = fil_reader_info(reader).summarised && fil_reader_info(reader).message_count > 0;
    fil_reader_close(reader);
    return whole;
}

/* What is wrong; NULL: nothing. */
static const char* judge(const Scenario* scenario, FaultRun run)
{
    if (run.hung) {
        return "hangs";
    }
    if (run.exit_code < 0 || run.exit_code > 2) {
        return "ends with another code";
    }
    if (run.exit_code > 0) {
        return read_errors()[0] == '\0' ? "fails without a word" : NULL;
    }
    return scenario->bag != NULL && !is_whole(scenario->bag) ? "done, but the bag is not whole" : NULL;
}

static void test_scenario(void** state)
{
    const Scenario* scenario = *state;
    const FaultRun reference = start(scenario, 0, false);
    if (reference.exit_code != 0 && reference.calls == 0 && strstr(scenario->arguments, "--port") != NULL) {
        skip();  // a build without pages
    }
    if (reference.exit_code != 0 || judge(scenario, reference) != NULL) {
        fail_msg("%s without faults ends with %d: %s", scenario->name, reference.exit_code, read_errors());
    }
    int bad = 0, failed = 0, done = 0;
    for (long number = 1; number <= reference.calls; number += all ? 1 : reference.calls / FEW + 1) {
        for (int lasting = 0; lasting < 2; lasting++) {
            const FaultRun run = start(scenario, number, lasting);
            const char* wrong = judge(scenario, run);
            if (wrong != NULL) {
                print_message("%s, socket call %ld of %ld%s: %s (exit code %d): %s\n", scenario->name, number, reference.calls,
                              lasting ? " and all after it" : "", wrong, run.exit_code, read_errors());
                bad++;
            }
            failed += run.exit_code > 0;
            done++;
        }
    }
    print_message("%s: %ld calls of sockets, %d runs, of which %d failed with a message\n", scenario->name, reference.calls, done, failed);
    assert_int_equal(bad, 0);
}

static int set_up(void** state)
{
    (void)state;  // each test has its scenario there
    return test_scene_write(&scene) != 0 || bag_folder_make(&folder) != 0;
}

static int tear_down(void** state)
{
    (void)state;
    return bag_folder_remove(&folder) != 0 || test_scene_remove(&scene) != 0;
}

int main(int argc, char** argv)
{
    if (!faults_possible()) {
        printf("system calls cannot be refused here: no faults\n");
        return 0;
    }
    all = argc > 1 && strcmp(argv[1], "all") == 0;
    struct CMUnitTest tests[SCENARIOS];
    size_t count = 0;
    for (int i = 0; i < SCENARIOS; i++) {
        if (argc < 3 || strcmp(argv[2], scenarios[i].name) == 0) {
            tests[count++] = (struct CMUnitTest){scenarios[i].name, test_scenario, NULL, NULL, (void*)(uintptr_t)&scenarios[i]};
        }
    }
    return _cmocka_run_group_tests("faults", tests, count, set_up, tear_down);
}
