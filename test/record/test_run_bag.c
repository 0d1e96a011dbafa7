/* `filum run --bag`: what is in the bag, judged by others, and what is said where it cannot be made. */
#include <unistd.h>

#include "record/command.h"
#include "record/node_referee.h"

#define EVERYTHING FILUM_SOURCE_DIR "/test/record/everything.yaml"

#ifdef FILUM_MESSAGES

/* every type, every step, every codec, by @mcap/core and @foxglove/rosmsg2-serialization */
static void test_node_judges(void** state)
{
    static const char* const codecs[] = {"none", "lz4", "zstd"};
    for (int i = 0; i < 3; ++i) {
        char arguments[512];
        snprintf(arguments, sizeof arguments, "run " EVERYTHING " --quiet --csv %s.csv --bag %s.mcap --bag-compression %s --bag-rate 1e6", codecs[i],
                 codecs[i], codecs[i]);
        assert_int_equal(filum(arguments), 0);
        snprintf(arguments, sizeof arguments, "bag export %s.mcap", codecs[i]);
        assert_int_equal(filum(arguments), 0);
    }
    let_node_judge(*state);
}

static uint64_t count_of(const FilReader* reader, const char* topic)
{
    const FilBagChannels* channels = fil_reader_channels(reader);
    for (size_t i = 0; i < channels->count; ++i) {
        if (strcmp(channels->items[i].channel.topic, topic) == 0) {
            return channels->items[i].message_count;
        }
    }
    return 0;
}

/* the node's usual rates: 0.1 s give 6 states, as the first is at 0, and 11 of the clock */
static void test_rates_and_folder(void** state)
{
    (void)state;
    assert_int_equal(filum("run " EVERYTHING " --bag run"), 0);
    assert_non_null(strstr(output, "  bag          run, 55 messages"));
    assert_int_equal(access("run/metadata.yaml", F_OK), 0);
    FilReader* reader = sample_open("run/run_0.mcap", fil_reader_options_default());
    assert_int_equal(count_of(reader, "/clock"), 11);
    assert_int_equal(count_of(reader, "/rod_states"), 6);
    assert_int_equal(count_of(reader, "/markers"), 7);
    assert_int_equal(count_of(reader, "/tf_static"), 1);
    assert_int_equal(fil_reader_info(reader).message_count, 55);
    assert_int_equal(fil_reader_info(reader).end_time, 100000000);
    fil_reader_close(reader);
}

/* two runs record the same messages, digit by digit, and recording does not change the run */
static void test_determinism(void** state)
{
    (void)state;
    char hash[64];
    assert_int_equal(filum("run " EVERYTHING " --quiet --hash"), 0);
    snprintf(hash, sizeof hash, "%.60s", output);
    for (int i = 0; i < 2; ++i) {
        char arguments[512];
        snprintf(arguments, sizeof arguments, "run " EVERYTHING " --quiet --hash --bag %d.mcap --bag-rate 300", i);
        assert_int_equal(filum(arguments), 0);
        assert_string_equal(output, hash);
        snprintf(arguments, sizeof arguments, "bag export %d.mcap", i);
        assert_int_equal(filum(arguments), 0);
    }
    assert_int_equal(system("diff -r 0_csv 1_csv"), 0);
}

/* SQLite's own shell counts */
static void test_sqlite(void** state)
{
    (void)state;
    if (system("command -v sqlite3 >/dev/null") != 0) {
        skip();
    }
    assert_int_equal(filum("run " EVERYTHING " --quiet --bag run --bag-storage sqlite3"), 0);
    assert_int_equal(system("sqlite3 run/run_0.db3 \"SELECT t.name, t.type, count(*) FROM messages m JOIN topics t ON "
                            "t.id = m.topic_id GROUP BY t.id ORDER BY t.name\" > counts"),
                     0);
    FILE* counts = fopen("counts", "r");
    assert_non_null(counts);
    output[fread(output, 1, sizeof output - 1, counts)] = '\0';
    fclose(counts);
    assert_string_equal(output,
                        "/arm_states|filum/msg/ArmStates|6\n"
                        "/clock|rosgraph_msgs/msg/Clock|11\n"
                        "/contact_wrenches|filum/msg/ContactWrenches|6\n"
                        "/markers|visualization_msgs/msg/MarkerArray|7\n"
                        "/probes|filum/msg/Probes|6\n"
                        "/rod_states|filum/msg/RodStates|6\n"
                        "/step_info|filum/msg/StepInfo|6\n"
                        "/tf|tf2_msgs/msg/TFMessage|6\n"
                        "/tf_static|tf2_msgs/msg/TFMessage|1\n");
    assert_int_equal(system("sqlite3 run/run_0.db3 'PRAGMA integrity_check' | grep -qx ok"), 0);
}

static void test_bad_usage(void** state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"--bag taken", "taken: exists already and is left alone"},
        {"--bag a.mcap --bag-compression gz", "no compression 'gz'; there are none, lz4 and zstd"},
        {"--bag a --bag-storage hdf5", "no storage 'hdf5'; there are mcap and sqlite3"},
        {"--bag a.db3 --bag-compression zstd", "not compressed"},
        {"--bag missing/a.mcap", "missing/a.mcap"},
    };
    assert_int_equal(system("mkdir taken"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char arguments[512];
        snprintf(arguments, sizeof arguments, "run " EVERYTHING " %s", cases[i].arguments);
        assert_int_equal(filum(arguments), 2);
        assert_non_null(strstr(output, cases[i].message));
    }
}

#else

static void test_no_messages(void** state)
{
    (void)state;
    assert_int_equal(filum("run " EVERYTHING " --bag run"), 2);
    assert_non_null(strstr(output, "this build has no message types"));
    assert_int_not_equal(access("run", F_OK), 0);
}

#endif

int main(void)
{
    // the search for leaks takes seconds in each process of a build with sanitizers
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    const struct CMUnitTest tests[] = {
#ifdef FILUM_MESSAGES
        cmocka_unit_test_setup_teardown(test_node_judges, sample_folder_enter, sample_folder_leave),
        cmocka_unit_test_setup_teardown(test_rates_and_folder, sample_folder_enter, sample_folder_leave),
        cmocka_unit_test_setup_teardown(test_determinism, sample_folder_enter, sample_folder_leave),
        cmocka_unit_test_setup_teardown(test_sqlite, sample_folder_enter, sample_folder_leave),
        cmocka_unit_test_setup_teardown(test_bad_usage, sample_folder_enter, sample_folder_leave),
#else
        cmocka_unit_test_setup_teardown(test_no_messages, sample_folder_enter, sample_folder_leave),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
