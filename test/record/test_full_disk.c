/* A disk that fills up: the recorder says so, and what was written before is a good bag. Two kinds of disk: a limit on
 * the size of files, which needs no rights, and a small tmpfs, where one may be mounted. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef FILUM_MESSAGES
#include "record/command.h"
#endif
#include "record/sample_bag.h"

enum { LIMIT = 3 << 20, SKIPPED = 77 };

/* Records until it fails; returns how many messages were taken by then. */
static uint32_t fill(FilRecorder* recorder, FilError* error)
{
    uint8_t buffer[SAMPLE_MAX_SIZE];
    for (uint32_t number = 0; number < 100000; ++number) {
        const FilBagMessage message = sample_message(number, buffer);
        const FilStatus status = fil_recorder_write(recorder, &message, error);
        if (status != FIL_OK) {
            assert_int_equal(status, FIL_IO);
            return number;
        }
    }
    fail_msg("the limit was never met");
    return 0;
}

static void record_into_limit(const char* folder, const char* name, FilRecorderCounts* counts, char* file, size_t size)
{
    FilRecorderOptions options = fil_recorder_options_default();
    options.chunk_bytes = 300 << 10;
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FilRecorder* recorder = sample_start(path, &options);
    snprintf(file, size, "%s", fil_recorder_file(recorder));
    FilError error = {""}, closing = {""};
    const uint32_t taken = fill(recorder, &error);
    assert_non_null(strstr(error.text, file));
    assert_int_equal(fil_recorder_close(recorder, counts, &closing), FIL_IO);
    assert_string_equal(closing.text, error.text);
    assert_true(counts->written > 0 && counts->written <= taken);
}

static void test_mcap(void** state)
{
    char file[256];
    FilRecorderCounts counts;
    record_into_limit(*state, "full", &counts, file, sizeof file);
    // the summary went where the unfinished chunk was
    FilReader* reader = sample_open(file, fil_reader_options_default());
    assert_true(fil_reader_info(reader).summarised);
    assert_int_equal(sample_check(reader, 0), counts.written);
    fil_reader_close(reader);
    struct stat status;
    assert_int_equal(stat(file, &status), 0);
    assert_true(status.st_size <= LIMIT && status.st_size > LIMIT - (400 << 10));
    char metadata[256];
    snprintf(metadata, sizeof metadata, "%s/full/metadata.yaml", (const char*)*state);
    assert_int_equal(stat(metadata, &status), 0);
    assert_true(status.st_size > 0);
}

/* Makes room for the next test. */
static void test_empty_again(void** state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'/full", (const char*)*state);
    assert_int_equal(system(command), 0);
}

static void test_db3(void** state)
{
    char file[256], command[512], answer[64];
    FilRecorderCounts counts;
    record_into_limit(*state, "full.db3", &counts, file, sizeof file);
    snprintf(command, sizeof command, "sqlite3 '%s' 'PRAGMA integrity_check; SELECT count(*) FROM messages'", file);
    FILE* shell = popen(command, "r");
    assert_non_null(shell);
    const size_t size = fread(answer, 1, sizeof answer - 1, shell);
    answer[size] = '\0';
    if (pclose(shell) != 0) {
        print_message("no sqlite3 shell: the database was not looked at\n");
        skip();
    }
    char expected[64];
    snprintf(expected, sizeof expected, "ok\n%llu\n", (unsigned long long)counts.written);
    assert_string_equal(answer, expected);
}

#ifdef FILUM_MESSAGES

/* A run whose bag fills the disk: it stops and says why, its state is that of the same run without a bag, and what is
 * in the bag can be repeated. */
static void test_run(void** state)
{
    char arguments[512], hash[20], time[40];
    snprintf(arguments, sizeof arguments,
             "run '" FILUM_SOURCE_DIR "/test/record/everything.yaml' --duration 5 --json --bag '%s/run.mcap' --bag-rate 1e6", (const char*)*state);
    assert_int_equal(filum(arguments), 1);
    assert_non_null(strstr(output, "as the bag cannot be written: "));
    assert_non_null(strstr(output, "/run.mcap"));
    const char* found = strstr(output, "\"state_hash\": \"");
    assert_non_null(found);
    assert_int_equal(sscanf(found, "\"state_hash\": \"%16[0-9a-f]", hash), 1);
    found = strstr(output, "\"sim_time\": ");
    assert_non_null(found);
    assert_int_equal(sscanf(found, "\"sim_time\": %38[0-9.e+-]", time), 1);
    assert_true(strtod(time, NULL) > 0.03 && strtod(time, NULL) < 5.0);  // 58 kB a step, 3 MB in all
    snprintf(arguments, sizeof arguments, "run '" FILUM_SOURCE_DIR "/test/record/everything.yaml' --duration %s --quiet --hash", time);
    assert_int_equal(filum(arguments), 0);
    assert_int_equal(strncmp(output, hash, 16), 0);
    snprintf(arguments, sizeof arguments, "bag replay-check '%s/run.mcap'", (const char*)*state);
    assert_int_equal(filum(arguments), 0);
    assert_non_null(strstr(output, "states are the same"));
    snprintf(arguments, sizeof arguments, "%s/run.mcap", (const char*)*state);
    assert_int_equal(unlink(arguments), 0);
}

#endif

/* Runs this program again on a tmpfs in a mount namespace of its own, which goes away with the process. */
static void test_tmpfs(void** state)
{
    char self[512], command[1024];
    const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(size > 0);
    self[size] = '\0';
    snprintf(command, sizeof command,
             "unshare --map-root-user --mount sh -c 'mount -t tmpfs -o size=%d tmpfs \"$1\" || exit %d;"
             " exec \"$0\" \"$1\"' '%s' '%s' 2>/dev/null",
             LIMIT, SKIPPED, self, (const char*)*state);
    const int result = system("unshare --map-root-user --mount true 2>/dev/null") == 0 ? system(command) : SKIPPED << 8;
    if (WIFEXITED(result) && WEXITSTATUS(result) == SKIPPED) {
        print_message("no tmpfs can be mounted here\n");
        skip();
    }
    assert_int_equal(result, 0);
}

/* With a folder as argument: that disk is small by itself. */
static int test_mounted(char* folder)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_mcap, folder),
        cmocka_unit_test_prestate(test_empty_again, folder),
#ifdef FILUM_MESSAGES
        cmocka_unit_test_prestate(test_run, folder),
#endif
        cmocka_unit_test_prestate(test_db3, folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char** argv)
{
    if (argc > 1) {
        return test_mounted(argv[1]);
    }
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {.rlim_cur = LIMIT, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_mcap, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_db3, sample_folder_make, sample_folder_remove),
#ifdef FILUM_MESSAGES
        cmocka_unit_test_setup_teardown(test_run, sample_folder_make, sample_folder_remove),
#endif
        cmocka_unit_test_setup_teardown(test_tmpfs, sample_folder_make, sample_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
