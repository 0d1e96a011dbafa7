/* rosbag2's SQLite files, judged by SQLite itself (the shell, where there is one) and by its library. */
#include "record/sample_bag.h"

#include <sqlite3.h>

enum { COUNT = 1200 };

static void test_content(void** state)
{
    char path[128], file[160];
    snprintf(path, sizeof path, "%s/run", (const char*)*state);
    snprintf(file, sizeof file, "%s/run_0.db3", path);
    FilRecorderOptions options = fil_recorder_options_default();
    options.sqlite = true;
    options.chunk_bytes = 64 << 10;
    sample_record(path, options, COUNT);

    sqlite3* connection = NULL;
    sqlite3_stmt* rows = NULL;
    assert_int_equal(sqlite3_open_v2(file, &connection, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    static const char query[] =
        "SELECT topics.name, topics.type, serialization_format, offered_qos_profiles, timestamp, data"
        " FROM messages JOIN topics ON messages.topic_id = topics.id ORDER BY messages.id";
    assert_int_equal(sqlite3_prepare_v2(connection, query, -1, &rows, NULL), SQLITE_OK);
    uint8_t buffer[SAMPLE_MAX_SIZE];
    uint32_t number = 0;
    for (; sqlite3_step(rows) == SQLITE_ROW; ++number) {
        const FilBagMessage expected = sample_message(number, buffer);
        const FilBagChannel channel = sample_channel(expected.channel - 1);
        assert_string_equal((const char*)sqlite3_column_text(rows, 0), channel.topic);
        assert_string_equal((const char*)sqlite3_column_text(rows, 1), channel.type);
        assert_string_equal((const char*)sqlite3_column_text(rows, 2), "cdr");
        assert_string_equal((const char*)sqlite3_column_text(rows, 3), SAMPLE_QOS);
        assert_int_equal(sqlite3_column_int64(rows, 4), expected.log_time);
        const FilSlice data = {.data = sqlite3_column_blob(rows, 5), .size = (size_t)sqlite3_column_bytes(rows, 5)};
        assert_true(fil_slice_equal(data, expected.data));
    }
    assert_int_equal(number, COUNT);
    sqlite3_finalize(rows);
    sqlite3_close(connection);
}

static void test_shell(void** state)
{
    char path[128], command[512], answer[256];
    snprintf(path, sizeof path, "%s/run.db3", (const char*)*state);
    sample_record(path, (FilRecorderOptions){.sqlite = true, .chunk_bytes = 1 << 16, .flush_period = 1.0}, COUNT);
    snprintf(command, sizeof command,
             "sqlite3 -readonly '%s' 'PRAGMA integrity_check; SELECT schema_version FROM schema;"
             " SELECT count(*), min(timestamp), max(timestamp) FROM messages; SELECT count(*) FROM topics;"
             " SELECT metadata_version FROM metadata; PRAGMA journal_mode'",
             path);
    FILE* shell = popen(command, "r");
    assert_non_null(shell);
    answer[fread(answer, 1, sizeof answer - 1, shell)] = '\0';
    if (pclose(shell) != 0) {
        print_message("no sqlite3 shell here\n");
        skip();
    }
    assert_string_equal(answer, "ok\n3\n1200|0|1199000000\n3\n5\ndelete\n");
}

/* What .db3 has no place for is refused, not lost. */
static void test_refusals(void** state)
{
    char path[128];
    FilError error = {""};
    snprintf(path, sizeof path, "%s/run.db3", (const char*)*state);
    FilRecorderOptions options = fil_recorder_options_default();
    FilRecorder* recorder = NULL;
    options.compression = FIL_COMPRESSION_ZSTD;
    assert_int_equal(fil_recorder_create(path, &options, &recorder, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "not compressed"));
    options.compression = FIL_COMPRESSION_NONE;
    recorder = sample_start(path, &options);
    const FilBagAttachment attachment = {.name = "scene.yaml", .media_type = "", .data = slice_of_text("x")};
    assert_int_equal(fil_recorder_attach(recorder, &attachment, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "scene.yaml"));
    assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_content, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_shell, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_refusals, sample_folder_make, sample_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
