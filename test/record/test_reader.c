/* Reading: order of time across chunks that overlap, limits on what is open at once, files of SQLite. */
#include "record/sample_bag.h"

#include <sqlite3.h>
#include <unistd.h>

enum { COUNT = 3000 };

/* Times that wander: by up to `spread` ns around the number's own, many of them equal. */
static uint64_t wandering_time(uint32_t number, uint64_t spread)
{
    Random random = {.state = number + 77};
    return (uint64_t)number * 1000 + random_bits(&random) % (spread / 1000 + 1) * 1000;
}

static void record_wandering(const char* path, uint64_t spread)
{
    FilRecorderOptions options = fil_recorder_options_default();
    options.chunk_bytes = 16 << 10;
    FilRecorder* recorder = sample_start(path, &options);
    uint8_t buffer[SAMPLE_MAX_SIZE];
    FilError error = {""};
    for (uint32_t number = 0; number < COUNT; ++number) {
        FilBagMessage message = sample_message(number, buffer);
        message.log_time = wandering_time(number, spread);
        assert_int_equal(fil_recorder_write(recorder, &message, &error), FIL_OK);
    }
    assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
}

/* Reads all: in order of time, equal times in order of number, each message once and whole. */
static void check_order(FilReader* reader, uint64_t start, uint64_t end, uint64_t spread)
{
    static bool seen[COUNT];
    memset(seen, 0, sizeof seen);
    uint8_t buffer[SAMPLE_MAX_SIZE];
    uint64_t last_time = 0;
    uint32_t last_number = 0, count = 0, wanted = 0;
    FilError error = {""};
    for (;; ++count) {
        FilBagMessage message;
        bool found = false;
        assert_int_equal(fil_reader_next(reader, &message, &found, &error), FIL_OK);
        if (!found) {
            break;
        }
        const uint32_t number = message.sequence;
        assert_true(number < COUNT && !seen[number]);
        seen[number] = true;
        assert_true(message.log_time > last_time || (message.log_time == last_time && number >= last_number));
        assert_int_equal(message.log_time, wandering_time(number, spread));
        assert_true(fil_slice_equal(message.data, sample_message(number, buffer).data));
        last_time = message.log_time;
        last_number = number;
    }
    for (uint32_t number = 0; number < COUNT; ++number) {
        const uint64_t time = wandering_time(number, spread);
        wanted += time >= start && time <= end;
    }
    assert_int_equal(count, wanted);
}

static void test_order_of_time(void** state)
{
    static const uint64_t spreads[] = {0, 5000, 100000, 3000000}; /* the last: all chunks overlap */
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; ++i) {
        char path[128];
        FilError error = {""};
        snprintf(path, sizeof path, "%s/%zu.mcap", (const char*)*state, i);
        record_wandering(path, spreads[i]);
        FilReader* reader = sample_open(path, fil_reader_options_default());
        check_order(reader, 0, UINT64_MAX, spreads[i]);
        assert_int_equal(fil_reader_select(reader, 700000, 1200000, &error), FIL_OK);
        check_order(reader, 700000, 1200000, spreads[i]);
        fil_reader_close(reader);
    }
}

/* what overlaps too much for the memory allowed is refused, not merged wrongly */
/* Reads until a message is refused with these words; closes the reader. */
static void refuses_a_message(FilReader* reader, const char* words)
{
    FilError error = {""};
    FilStatus status = FIL_OK;
    for (bool found = true; found && status == FIL_OK;) {
        FilBagMessage message;
        status = fil_reader_next(reader, &message, &found, &error);
    }
    assert_int_equal(status, FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, words));
    fil_reader_close(reader);
}

static void test_overlap_is_limited(void** state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/run.mcap", (const char*)*state);
    record_wandering(path, 3000000);
    FilReaderOptions options = fil_reader_options_default();
    options.max_chunk_bytes = 20 << 10;
    FilReader* reader = sample_open(path, options);
    refuses_a_message(reader, "too many chunks overlap");
}

/* ---- SQLite ---- */

static void record_database(const char* path)
{
    FilRecorderOptions options = fil_recorder_options_default();
    options.sqlite = true;
    options.chunk_bytes = 64 << 10;
    sample_record(path, options, COUNT);
}

static uint32_t check_database(FilReader* reader, uint32_t first)
{
    uint8_t buffer[SAMPLE_MAX_SIZE];
    uint32_t counts[SAMPLE_CHANNELS] = {0};
    for (uint32_t number = first;; ++number) {
        FilBagMessage message;
        FilError error = {""};
        bool found = false;
        assert_int_equal(fil_reader_next(reader, &message, &found, &error), FIL_OK);
        if (!found) {
            return number - first;
        }
        const FilBagMessage expected = sample_message(number, buffer);
        assert_int_equal(message.channel, expected.channel);
        assert_int_equal(message.log_time, expected.log_time);
        assert_int_equal(message.sequence, counts[message.channel - 1]++);
        assert_true(fil_slice_equal(message.data, expected.data));
    }
}

static void test_database(void** state)
{
    char path[128];
    FilError error = {""};
    snprintf(path, sizeof path, "%s/run.db3", (const char*)*state);
    record_database(path);
    for (int front_to_back = 0; front_to_back < 2; ++front_to_back) {
        FilReaderOptions options = fil_reader_options_default();
        options.front_to_back = front_to_back != 0;
        FilReader* reader = sample_open(path, options);
        const FilReaderInfo info = fil_reader_info(reader);
        assert_int_equal(info.message_count, COUNT);
        assert_int_equal(info.end_time, UINT64_C(1000000) * (COUNT - 1));
        assert_true(info.summarised);
        const FilBagChannels* channels = fil_reader_channels(reader);
        assert_int_equal(channels->count, SAMPLE_CHANNELS);
        uint64_t sum = 0;
        for (int i = 0; i < SAMPLE_CHANNELS; ++i) {
            assert_string_equal(channels->items[i].channel.topic, sample_channel(i).topic);
            assert_string_equal(channels->items[i].channel.type, sample_channel(i).type);
            assert_string_equal(fil_bag_property(&channels->items[i].channel, FIL_BAG_QOS_KEY), SAMPLE_QOS);
            assert_int_equal(channels->items[i].channel.schema.size, 0);
            sum += channels->items[i].message_count;
        }
        assert_int_equal(sum, COUNT);
        assert_int_equal(check_database(reader, 0), COUNT);
        assert_int_equal(fil_reader_select(reader, 1000000000, 1099000000, &error), FIL_OK);
        assert_int_equal(check_database(reader, 1000), 100);
        fil_reader_close(reader);
    }
}

/* Iron and later keep definitions; nobody else's tables, nor damage, bring the reader down. */
static void test_other_databases(void** state)
{
    char path[128];
    FilError error = {""};
    snprintf(path, sizeof path, "%s/run.db3", (const char*)*state);
    record_database(path);
    sqlite3* connection = NULL;
    assert_int_equal(sqlite3_open(path, &connection), SQLITE_OK);
    static const char iron[] =
        "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, encoding TEXT NOT NULL,"
        " encoded_message_definition TEXT NOT NULL, type_description_hash TEXT NOT NULL);"
        "INSERT INTO message_definitions VALUES (1, 'std_msgs/msg/String', 'ros2msg', 'string data', '');";
    assert_int_equal(sqlite3_exec(connection, iron, NULL, NULL, NULL), SQLITE_OK);
    FilReader* reader = sample_open(path, fil_reader_options_default());
    const FilBagChannel* words = &fil_reader_channels(reader)->items[0].channel;
    assert_string_equal(words->schema_encoding, "ros2msg");
    assert_true(fil_slice_equal(words->schema, slice_of_text("string data")));
    fil_reader_close(reader);

    assert_int_equal(sqlite3_exec(connection, "DELETE FROM topics WHERE id = 2", NULL, NULL, NULL), SQLITE_OK);
    reader = sample_open(path, fil_reader_options_default());
    refuses_a_message(reader, "channel that is not there");

    reader = NULL;
    const FilReaderOptions options = fil_reader_options_default();
    assert_int_equal(sqlite3_exec(connection, "DROP TABLE topics", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(fil_reader_open(path, &options, &reader, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "no such table: topics"));
    assert_null(reader);
    sqlite3_close(connection);
    assert_int_equal(truncate(path, 5000), 0);
    assert_int_equal(fil_reader_open(path, &options, &reader, &error), FIL_BAD_INPUT);
    assert_null(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order_of_time, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_overlap_is_limited, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_database, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_other_databases, sample_folder_make, sample_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
