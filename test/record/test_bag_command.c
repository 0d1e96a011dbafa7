/* `filum bag` from outside: exit codes, what it says, the files it makes. */
#include <unistd.h>

#include "record/command.h"
#include "text_file.h"

/* Runs `filum bag ARGUMENTS`; returns the exit code. */
static int run(const char* arguments)
{
    char all[512];
    snprintf(all, sizeof all, "bag %s", arguments);
    return filum(all);
}

static void test_info(void** state)
{
    (void)state;
    FilRecorderOptions options = fil_recorder_options_default();
    options.compression = FIL_COMPRESSION_ZSTD;
    sample_record("run", options, 300);
    assert_int_equal(run("info run"), 0);
    assert_non_null(strstr(output, "messages   300\n"));
    assert_non_null(strstr(output, "compression zstd"));
    assert_non_null(strstr(output, "std_msgs/msg/String"));
    assert_int_equal(run("info run/run_0.mcap --json"), 0);
    assert_non_null(strstr(output, "\"messages\": 300"));
    assert_int_equal(run("info nothing"), 2);
    assert_non_null(strstr(output, "there is no such bag"));
    assert_int_equal(run("inof run"), 2);
    assert_non_null(strstr(output, "did you mean 'info'?"));
    assert_int_equal(run(""), 2);
    assert_int_equal(run("--help"), 0);
}

static void test_repair(void** state)
{
    (void)state;
    FilRecorderOptions options = fil_recorder_options_default();
    options.chunk_bytes = 64 << 10;
    sample_record("run", options, 300);
    assert_int_equal(truncate("run/run_0.mcap", 100000), 0);
    assert_int_equal(unlink("run/metadata.yaml"), 0);
    assert_int_equal(run("info run"), 0);
    assert_non_null(strstr(output, "cut off"));
    assert_int_equal(run("repair run"), 0);
    assert_non_null(strstr(output, "run_repaired: "));
    assert_non_null(strstr(output, "from a chunk that was cut off"));
    assert_int_equal(access("run_repaired/metadata.yaml", F_OK), 0);
    FilReader* reader = sample_open("run_repaired/run_repaired_0.mcap", fil_reader_options_default());
    // 100 kB hold 60 messages of 1 kB on average, and a third of them are short
    assert_true(sample_check(reader, 0) > 60);
    fil_reader_close(reader);
    // a second time there is something in the way
    assert_int_equal(run("repair run"), 1);
    assert_non_null(strstr(output, "exists already"));
    assert_int_equal(run("repair run other.mcap"), 0);
    assert_int_equal(access("other.mcap", F_OK), 0);
}

static void test_export(void** state)
{
    (void)state;
    char text[65536];
    sample_record("run.mcap", fil_recorder_options_default(), 30);
    assert_int_equal(run("export run.mcap --csv"), 0);
    read_text("run_csv/time.csv", text, sizeof text);
    char expected[4096] = "log_time,sec,nanosec\n";
    uint8_t buffer[SAMPLE_MAX_SIZE];
    for (uint32_t number = 0; number < 30; ++number) {
        if (sample_message(number, buffer).channel == 3) {
            const size_t size = strlen(expected);
            snprintf(expected + size, sizeof expected - size, "0.%03u000000,%u,%u\n", number, number, number * 7);
        }
    }
    assert_string_equal(text, expected);
    read_text("run_csv/words.csv", text, sizeof text);
    assert_int_equal(strncmp(text, "log_time,data\n0.", 16), 0);
    assert_int_equal(run("export run.mcap --topic /none --output none"), 1);
    assert_non_null(strstr(output, "nothing to write of /none"));
    assert_int_equal(run("export run.mcap"), 2);
    assert_non_null(strstr(output, "run_csv: cannot be created"));
}

static void test_add_definitions(void** state)
{
    (void)state;
    const FilRecorderOptions options = fil_recorder_options_default();
    FilRecorder* recorder = NULL;
    FilError error = {""};
    static const char* const types[] = {"std_msgs/msg/Header", "mine/msg/Own"};
    assert_int_equal(fil_recorder_create("bare.mcap", &options, &recorder, &error), FIL_OK);
    for (int i = 0; i < 2; ++i) {
        uint16_t id = 0;
        const FilBagChannel channel = {.topic = i == 0 ? "/known" : "/own", .type = types[i], .encoding = "cdr", .schema_encoding = ""};
        assert_int_equal(fil_recorder_add_channel(recorder, &channel, &id, &error), FIL_OK);
    }
    assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
    assert_int_equal(run("info bare.mcap"), 0);
    assert_non_null(strstr(output, "no definition"));
    // one is built in, the other is not
    assert_int_equal(run("add-definitions bare.mcap half.mcap"), 1);
    assert_non_null(strstr(output, "/own: no definition of mine/Own is found"));
    assert_int_equal(system("mkdir -p defs/mine/msg && echo 'std_msgs/Header h' > defs/mine/msg/Own.msg"), 0);
    assert_int_equal(run("add-definitions bare.mcap --path defs"), 0);
    FilReader* reader = sample_open("bare_defined.mcap", fil_reader_options_default());
    const FilSlice schema = fil_reader_channels(reader)->items[1].channel.schema;
    assert_int_equal(strncmp((const char*)schema.data, "std_msgs/Header h\n====", 22), 0);
    assert_non_null(strstr((const char*)schema.data, "MSG: builtin_interfaces/Time\n"));
    fil_reader_close(reader);
}

int main(void)
{
    // the search for leaks takes seconds in each process of a build with sanitizers
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    unsetenv("AMENT_PREFIX_PATH");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_info, sample_folder_enter, sample_folder_leave),
        cmocka_unit_test_setup_teardown(test_repair, sample_folder_enter, sample_folder_leave),
        cmocka_unit_test_setup_teardown(test_export, sample_folder_enter, sample_folder_leave),
        cmocka_unit_test_setup_teardown(test_add_definitions, sample_folder_enter, sample_folder_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
