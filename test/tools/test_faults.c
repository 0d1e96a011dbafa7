/* ctest: heavy */
/* Every n-th allocation, write, sync and rename of ten commands fails, once or from there on: each ends by itself with 0 and all that
 * it was asked for, or with 1 or 2 and a message; what it leaves is whole, or the beginning of it where a file grows. Here a few n of each
 * kind; `test_tools_faults all` takes all of them (scripts/faults). */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "cli.h"
#include "faults.h"
#include "filum/record.h"

/* what is promised of a file that a command writes */
typedef enum Promise {
    NOTHING,
    WHOLE, /* it is there as a whole or not at all; of the last good state where the run failed */
    GROWS, /* its beginning is there */
    BAG,   /* the first of its messages can be read */
    TABLE, /* the same command again makes its rows complete */
} Promise;

typedef struct Scenario {
    const char* name;
    const char* arguments; /* of `filum`; inputs lie in the folder above */
    const char* file;      /* that it makes */
    Promise promise;
} Scenario;

static const Scenario scenarios[] = {
    {"run", "run ../scene.yaml --hash --quiet", NULL, NOTHING},
    {"load", "info ../everything.yaml", NULL, NOTHING},
    {"csv", "run ../scene.yaml --csv rows.csv --quiet", "rows.csv", GROWS},
    {"svg", "run ../scene.yaml --svg world.svg --quiet", "world.svg", WHOLE},
    {"mcap", "run ../scene.yaml --bag run.mcap --quiet", "run.mcap", BAG},
    {"zstd", "run ../scene.yaml --bag bag --bag-compression zstd --quiet", "bag/bag_0.mcap", BAG},
    {"db3", "run ../scene.yaml --bag run.db3 --quiet", "run.db3", BAG},
    {"export", "bag export ../sample.mcap --output csv", "csv/probes.csv", GROWS},
    {"repair", "bag repair ../sample.mcap again.mcap", "again.mcap", BAG},
    {"replay", "bag replay-check ../sample.mcap", NULL, NOTHING},
    {"sweep", "sweep ../scene.yaml --seeds 2 --threads 1 --duration 0.004 --out table --quiet", "table.csv", TABLE},
    {"report", "validate rod.torsion --report report.md", NULL, NOTHING},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, MAX_FILE = 1 << 20, MAX_MESSAGES = 4096, PATIENCE = 60 };

static const char SCENE[] =
    "title: A rod falls on a ball\n"
    "duration: 0.02\n"
    "output_period: 0.005\n"
    "world: {dt: 1e-3, gravity: [0, 0, -9.81], contact: sap}\n"
    "materials:\n"
    "  rubber: {young: 1e7, poisson: 0.49, density: 1100, friction: 0.5}\n"
    "rods:\n"
    "  - name: rod\n"
    "    material: rubber\n"
    "    section: {circle: {radius: 2e-3}}\n"
    "    shape: {straight: {from: [0, 0, 0.0221], to: [0.3, 0, 0.0221], nodes: 11}}\n"
    "rigid_bodies:\n"
    "  - {name: ball, motion: static, material: rubber, shapes: [{sphere: {radius: 0.02}}]}\n"
    "probes:\n"
    "  tip: {position: {rod: rod, node: -1, component: z}}\n";

typedef struct Content {
    uint8_t bytes[MAX_FILE];
    size_t size;
} Content;

typedef struct Bag {
    uint64_t hashes[MAX_MESSAGES];
    int count;
} Bag;

static char folder[64];
static char program[4096]; /* filum_faulty, beside this test */
static bool all;           /* n, not a few */

/* The file's bytes; false where there is none. */
static bool take(const char* path, Content* content)
{
    FILE* file = fopen(path, "rb");
    content->size = 0;
    if (file == NULL) {
        return false;
    }
    content->size = fread(content->bytes, 1, sizeof content->bytes, file);
    assert_true(content->size < sizeof content->bytes);
    fclose(file);
    return true;
}

/* The messages that can be read, by hashes of topic, time and bytes; false where there is nothing to open. */
static bool take_bag(const char* path, Bag* bag, bool* whole)
{
    FilReaderOptions options = fil_reader_options_default();
    FilReader* reader = NULL;
    FilError error = {""};
    FilStatus status = fil_reader_open(path, &options, &reader, &error);
    bag->count = 0;
    *whole = false;
    if (status != FIL_OK) {
        return false;
    }
    *whole = fil_reader_info(reader).summarised;
    FilBagMessage message;
    bool found = true;
    while ((status = fil_reader_next(reader, &message, &found, &error)) == FIL_OK && found) {
        assert_true(bag->count < MAX_MESSAGES);
        uint64_t hash = fil_hash_bytes(FIL_HASH_SEED, &message.log_time, sizeof message.log_time);
        hash = fil_hash_bytes(hash, &message.channel, sizeof message.channel);
        bag->hashes[bag->count++] = fil_hash_bytes(hash, message.data.data, message.data.size);
    }
    fil_reader_close(reader);
    if (status != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return true;
}

typedef struct Reference {
    Content output, file;
    Bag bag;
    long calls[FAULT_KINDS];
} Reference;

static Reference reference;
static Content found;

static void work_path(char* path, size_t size, const char* name)
{
    assert_true(snprintf(path, size, "%s/run/%s", folder, name) < (int)size);
}

static int drop(const char* path, const struct stat* status, int type, struct FTW* place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static void empty_work(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/run", folder);
    (void)nftw(path, drop, 8, FTW_DEPTH | FTW_PHYS);
    assert_int_equal(mkdir(path, 0777), 0);
}

/* Runs a scenario's command where it left things. */
static FaultRun start(const Scenario* scenario, Fault fault)
{
    char words[512];
    char* argv[24] = {program};
    int count = 1;
    snprintf(words, sizeof words, "%s", scenario->arguments);
    for (char *rest = words, *word; (word = strtok_r(rest, " ", &rest)) != NULL; count++) {
        argv[count] = word;
    }
    char work[128];
    snprintf(work, sizeof work, "%s/run", folder);
    return faults_run(argv, work, fault, PATIENCE);
}

static void take_reference(const Scenario* scenario)
{
    char path[256];
    for (int kind = 0; kind < FAULT_SOCKET; kind++) {  // none of them has a socket
        empty_work();
        const FaultRun run = start(scenario, (Fault){.kind = (FaultKind)kind});
        if (run.exit_code != 0) {
            work_path(path, sizeof path, "errors");
            (void)take(path, &found);
            fail_msg("%s without faults ends with %d: %.*s", scenario->name, run.exit_code, (int)found.size, (const char*)found.bytes);
        }
        reference.calls[kind] = run.calls;
    }
    work_path(path, sizeof path, "heap");
    assert_true(take(path, &found));
    reference.calls[FAULT_HEAP] = strtol((const char*)found.bytes, NULL, 10);
    work_path(path, sizeof path, "output");
    assert_true(take(path, &reference.output));
    if (scenario->file != NULL) {
        work_path(path, sizeof path, scenario->file);
        bool whole = true;
        assert_true(scenario->promise == BAG ? take_bag(path, &reference.bag, &whole) && whole : take(path, &reference.file));
    }
}

static bool begins(const Content* whole, const Content* part)
{
    return part->size <= whole->size && memcmp(whole->bytes, part->bytes, part->size) == 0;
}

static bool ends_alike(const Content* a, const Content* b)
{
    enum { TAIL = 6 };
    return a->size >= TAIL && b->size >= TAIL && memcmp(a->bytes + a->size - TAIL, b->bytes + b->size - TAIL, TAIL) == 0;
}

static int lines(const Content* content)
{
    int count = 0;
    for (size_t i = 0; i < content->size; i++) {
        count += content->bytes[i] == '\n';
    }
    return count;
}

/* What is wrong with what a run left; NULL: nothing. */
static const char* judge_file(const Scenario* scenario, bool done)
{
    static Bag bag;
    char path[256];
    bool whole = true;
    work_path(path, sizeof path, scenario->file);
    if (scenario->promise == BAG) {
        if (!take_bag(path, &bag, &whole)) {
            // a file without its header, or a database without its tables, has had no message yet
            return done ? "done, but no bag" : take(path, &found) && found.size > 8192 ? "a bag that cannot be opened" : NULL;
        }
        if (bag.count > reference.bag.count || memcmp(bag.hashes, reference.bag.hashes, sizeof *bag.hashes * (size_t)bag.count) != 0) {
            return "messages that were not recorded";
        }
        return done && (bag.count < reference.bag.count || !whole) ? "done, but messages or the summary are missing" : NULL;
    }
    const bool there = take(path, &found);
    if (scenario->promise == TABLE) {  // it says how long runs took
        return done && (!there || lines(&found) != lines(&reference.file)) ? "done, but rows are missing" : NULL;
    }
    if (done && (!there || found.size != reference.file.size || !begins(&reference.file, &found))) {
        return "done, but the file is not whole";
    }
    if (there && scenario->promise == WHOLE && !ends_alike(&reference.file, &found)) {
        return "half a file";
    }
    return there && scenario->promise == GROWS && !begins(&reference.file, &found) ? "the file has another content" : NULL;
}

static const char* judge(const Scenario* scenario, FaultRun run)
{
    char path[256];
    if (run.hung) {
        return "hangs";
    }
    if (run.exit_code != FIL_EXIT_DONE && run.exit_code != FIL_EXIT_FAILED && run.exit_code != FIL_EXIT_USAGE) {
        return "ends with another code";
    }
    const bool done = run.exit_code == 0;
    work_path(path, sizeof path, "output");
    assert_true(take(path, &found));
    const bool timed = strcmp(scenario->name, "report") == 0;  // it says how long it took, and what failed
    if (done && !timed && (found.size != reference.output.size || !begins(&reference.output, &found))) {
        return "prints something else";
    }
    const bool printed = timed && found.size > 0;
    work_path(path, sizeof path, "errors");
    if (!done && !printed && (!take(path, &found) || found.size == 0)) {
        return "fails without a word";
    }
    const char* fault_text = scenario->file != NULL ? judge_file(scenario, done) : NULL;
    if (fault_text == NULL && scenario->promise == TABLE && !done) {
        const FaultRun again = start(scenario, (Fault){0});
        work_path(path, sizeof path, scenario->file);
        if (again.exit_code < 0 || !take(path, &found) || lines(&found) != lines(&reference.file)) {
            return "cannot go on afterwards";
        }
    }
    return fault_text;
}

/* Whether a number is taken: all of them, or one in the middle and the last. */
static bool taken(long number, long last, bool lasting)
{
    return all || number == (lasting ? (last + 1) / 2 : last);
}

static int try_kind(const Scenario* scenario, FaultKind kind)
{
    int bad = 0;
    const long last = reference.calls[kind];
    for (long number = 1; number <= last; number++) {
        for (int lasting = 0; lasting < 2; lasting++) {
            if (!taken(number, last, lasting)) {
                continue;
            }
            const Fault fault = {kind, number, lasting};
            empty_work();
            const FaultRun run = start(scenario, fault);
            const char* wrong = judge(scenario, run);
            if (wrong != NULL) {
                char path[256];
                work_path(path, sizeof path, "errors");
                found.size = 0;
                (void)take(path, &found);
                print_message("%s, %s %ld of %ld%s: %s (exit code %d): %.*s\n", scenario->name, fault_names[kind], number, last,
                              lasting ? " and all after it" : "", wrong, run.exit_code, (int)(found.size < 600 ? found.size : 600),
                              (const char*)found.bytes);
                bad++;
            }
        }
    }
    return bad;
}

static void test_scenario(void** state)
{
    const Scenario* scenario = *state;
    int bad = 0;
    take_reference(scenario);
    for (int kind = 0; kind < FAULT_SOCKET; kind++) {
        bad += try_kind(scenario, (FaultKind)kind);
    }
    print_message("%s: %ld allocations, %ld writes, %ld syncs, %ld renames\n", scenario->name, reference.calls[FAULT_HEAP],
                  reference.calls[FAULT_WRITE], reference.calls[FAULT_SYNC], reference.calls[FAULT_RENAME]);
    assert_int_equal(bad, 0);
}

static int set_up(void** state)
{
    (void)state;
    strcpy(folder, "/tmp/filum_faults_XXXXXX");
    char command[512];
    // the search for leaks takes seconds in each process of a build with sanitizers
    if (mkdtemp(folder) == NULL || setenv("ASAN_OPTIONS", "detect_leaks=0", 1) != 0) {
        return -1;
    }
    snprintf(command, sizeof command, "%s/scene.yaml", folder);
    FILE* file = fopen(command, "w");
    if (file == NULL || fputs(SCENE, file) < 0 || fclose(file) != 0) {
        return -1;
    }
    snprintf(command, sizeof command, "cp '%s/test/record/everything.yaml' '%s' && cd '%s' && '%s' run scene.yaml --bag sample.mcap --quiet",
             FILUM_SOURCE_DIR, folder, folder, FILUM_CLI);
    return system(command);
}

static int tear_down(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(int argc, char** argv)
{
    if (!faults_possible()) {
        printf("system calls cannot be refused here: no faults\n");
        return 0;
    }
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 20);
    if (length <= 0) {
        return 1;
    }
    program[length] = '\0';
    strcpy(strrchr(program, '/') + 1, "filum_faulty");
    all = argc > 1 && strcmp(argv[1], "all") == 0;
    const char* only = argc > 2 ? argv[2] : NULL;
    struct CMUnitTest tests[SCENARIOS];
    size_t count = 0;
    for (int i = 0; i < SCENARIOS; i++) {
        if (only == NULL || strcmp(only, scenarios[i].name) == 0) {
            tests[count++] = (struct CMUnitTest){scenarios[i].name, test_scenario, NULL, NULL, (void*)(uintptr_t)&scenarios[i]};
        }
    }
    return _cmocka_run_group_tests("faults", tests, count, set_up, tear_down);
}
