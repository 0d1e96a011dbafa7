#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
/* A recorder that is killed (SIGKILL) at any moment: what it called flushed, and what another process could read by then, is there
 * afterwards, byte by byte, and a repaired copy has it too. A few times here; `test_record_kill 200` as often as that per format. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "record/copy.h"
#include "record/sample_bag.h"

typedef struct Shared {
    _Atomic uint32_t flushed; /* messages that the recorder called flushed */
    _Atomic uint32_t taken;   /* those that it was given */
} Shared;

static int kills = 6; /* per format */

/* Records without an end. */
static void record(const char* path, FilCompression compression, uint64_t seed, Shared* shared)
{
    FilRecorderOptions options = fil_recorder_options_default();
    Random random = {seed};
    options.compression = compression;
    options.chunk_bytes = 4096 + random_bits(&random) % 60000;
    FilRecorder* recorder = sample_start(path, &options);
    for (uint32_t number = 0;; number++) {
        sample_write(recorder, number, 1);
        shared->taken = number + 1;
        if (random_bits(&random) % 64 == 0) {
            FilError error = {""};
            if (fil_recorder_flush(recorder, &error) != FIL_OK) {
                _exit(1);
            }
            shared->flushed = number + 1;
        }
    }
}

/* How many messages there are, all as they were given, up to `max`: a reader need not catch up with who goes on writing; -1: it cannot be
 * opened. */
static int64_t count_messages(const char* path, uint32_t max)
{
    FilReaderOptions options = fil_reader_options_default();
    FilReader* reader = NULL;
    FilError error = {""};
    if (fil_reader_open(path, &options, &reader, &error) != FIL_OK) {
        return -1;
    }
    uint8_t buffer[SAMPLE_MAX_SIZE];
    FilBagMessage message;
    bool found = false;
    uint32_t number = 0;
    for (; number < max; number++) {  // by what both formats keep
        const FilBagMessage expected = sample_message(number, buffer);
        assert_int_equal(fil_reader_next(reader, &message, &found, &error), FIL_OK);
        if (!found) {
            break;
        }
        assert_int_equal(message.log_time, expected.log_time);
        assert_true(fil_slice_equal(message.data, expected.data));
    }
    fil_reader_close(reader);
    return number;
}

static void kill_once(const char* folder, const char* ending, uint64_t seed, Shared* shared, uint64_t* total)
{
    char path[256], copy[256];
    Random random = {seed};
    snprintf(path, sizeof path, "%s/run%s", folder, ending);
    snprintf(copy, sizeof copy, "%s/copy%s", folder, ending);
    shared->flushed = shared->taken = 0;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool mcap = strcmp(ending, ".mcap") == 0;
        record(path, mcap ? (FilCompression)(seed % 3) : FIL_COMPRESSION_NONE, seed, shared);
    }
    // while it starts, or after some of its messages and a moment
    const uint32_t wanted = random_bits(&random) % 8 == 0 ? 0 : (uint32_t)(random_bits(&random) % 3000);
    for (int tries = 0; tries < 5000 && shared->taken < wanted; tries++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    nanosleep(&(struct timespec){.tv_nsec = (long)(random_bits(&random) % 3000000)}, NULL);
    const int64_t seen = random_bits(&random) % 4 == 0 ? count_messages(path, shared->taken) : -1;
    const uint32_t flushed = shared->flushed;
    int status = 0;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));

    const int64_t left = count_messages(path, UINT32_MAX);
    if ((left < 0 ? 0 : left) < (int64_t)flushed || left < seen || left > (int64_t)shared->taken + 1) {
        fail_msg("%s, seed %llu: %lld messages left, %u flushed, %lld seen, %u taken", path, (unsigned long long)seed, (long long)left, flushed,
                 (long long)seen, shared->taken);
    }
    *total += left > 0 ? (uint64_t)left : 0;
    if (left >= 0 && strcmp(ending, ".mcap") == 0) {  // SQLite repairs its files itself
        FilCopyReport report;
        FilError error = {""};
        assert_int_equal(fil_bag_copy(path, copy, NULL, NULL, &report, &error), FIL_OK);
        assert_true(count_messages(copy, UINT32_MAX) >= left);
    }
    char command[300];
    snprintf(command, sizeof command, "rm -f '%s'/*", folder);
    assert_int_equal(system(command), 0);
}

static void test_killed(void** state)
{
    const char* ending = *state;
    char folder[] = "/tmp/filum_kill_XXXXXX";
    assert_non_null(mkdtemp(folder));
    Shared* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    uint64_t total = 0;
    for (int k = 0; k < kills; k++) {
        kill_once(folder, ending, (uint64_t)k + 1, shared, &total);
    }
    print_message("%s: killed %d times, %llu messages kept\n", ending, kills, (unsigned long long)total);
    munmap(shared, sizeof *shared);
    assert_int_equal(rmdir(folder), 0);
}

int main(int argc, char** argv)
{
    static char mcap[] = ".mcap", db3[] = ".db3";
    kills = argc > 1 ? atoi(argv[1]) : kills;
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_killed, mcap), cmocka_unit_test_prestate(test_killed, db3)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
