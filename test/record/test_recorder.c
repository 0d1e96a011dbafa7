/* Recording and reading back: every codec, directories and single files, refusals, streaming, drops, attachments. */
#include "record/sample_bag.h"
#include "text_file.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 2000 };

static FilRecorderOptions small_chunks(FilCompression compression)
{
    FilRecorderOptions options = fil_recorder_options_default();
    options.compression = compression;
    options.chunk_bytes = 64 << 10;
    return options;
}

static void test_round_trip(void** state)
{
    for (FilCompression compression = FIL_COMPRESSION_NONE; compression <= FIL_COMPRESSION_ZSTD; ++compression) {
        char path[128];
        snprintf(path, sizeof path, "%s/%d.mcap", (const char*)*state, (int)compression);
        sample_record(path, small_chunks(compression), COUNT);
        for (int front_to_back = 0; front_to_back < 2; ++front_to_back) {
            FilReaderOptions options = fil_reader_options_default();
            options.front_to_back = front_to_back != 0;
            FilReader* reader = sample_open(path, options);
            assert_int_equal(fil_reader_info(reader).summarised, !front_to_back);
            assert_int_equal(sample_check(reader, 0), COUNT);
            const FilReaderInfo info = fil_reader_info(reader);
            assert_true(info.ended);
            assert_int_equal(info.message_count, COUNT);
            assert_int_equal(info.start_time, 0);
            assert_int_equal(info.end_time, UINT64_C(1000000) * (COUNT - 1));
            assert_true(info.chunk_count > 10);
            assert_int_equal(info.compression, compression);
            assert_string_equal(info.profile, "ros2");
            uint64_t sum = 0;
            for (size_t i = 0; i < fil_reader_channels(reader)->count; ++i) {
                sum += fil_reader_channels(reader)->items[i].message_count;
            }
            assert_int_equal(sum, COUNT);
            fil_reader_close(reader);
        }
    }
}

static void test_compression_pays(void** state)
{
    struct stat sizes[3];
    for (int i = 0; i < 3; ++i) {
        char path[128];
        snprintf(path, sizeof path, "%s/%d.mcap", (const char*)*state, i);
        sample_record(path, small_chunks((FilCompression)i), COUNT);
        assert_int_equal(stat(path, &sizes[i]), 0);
    }
    // five bits of each letter's eight are news at most
    assert_true(sizes[2].st_size < sizes[0].st_size * 5 / 8);
    assert_true(sizes[1].st_size < sizes[0].st_size);
}

static void test_channels_and_extras(void** state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/extras.mcap", (const char*)*state);
    sample_record(path, small_chunks(FIL_COMPRESSION_ZSTD), 10);
    FilReader* reader = sample_open(path, fil_reader_options_default());
    const FilBagChannels* channels = fil_reader_channels(reader);
    assert_int_equal(channels->count, SAMPLE_CHANNELS);
    for (int i = 0; i < SAMPLE_CHANNELS; ++i) {
        const FilBagChannel expected = sample_channel(i);
        const FilBagChannel* channel = &channels->items[i].channel;
        assert_string_equal(channel->topic, expected.topic);
        assert_string_equal(channel->type, expected.type);
        assert_string_equal(channel->encoding, "cdr");
        assert_string_equal(channel->schema_encoding, "ros2msg");
        assert_true(fil_slice_equal(channel->schema, expected.schema));
        assert_string_equal(fil_bag_property(channel, FIL_BAG_QOS_KEY), SAMPLE_QOS);
    }
    assert_int_equal(channels->items[0].schema_id, channels->items[1].schema_id);

    FilError error = {""};
    FilBagAttachment attachment;
    assert_int_equal(fil_reader_info(reader).attachment_count, 1);
    assert_int_equal(fil_reader_attachment(reader, 0, &attachment, &error), FIL_OK);
    assert_string_equal(attachment.name, "scene.yaml");
    assert_string_equal(attachment.media_type, "application/yaml");
    assert_true(fil_slice_equal(attachment.data, slice_of_text("title: A scene\n")));

    FilReaderMetadata metadata;
    assert_int_equal(fil_reader_info(reader).metadata_count, 2);
    assert_int_equal(fil_reader_metadata(reader, 0, &metadata, &error), FIL_OK);
    assert_string_equal(metadata.name, "filum");
    assert_int_equal(metadata.count, 2);
    assert_string_equal(metadata.pairs[0].value, FIL_VERSION);
    assert_int_equal(fil_reader_metadata(reader, 1, &metadata, &error), FIL_OK);
    assert_string_equal(metadata.name, "rosbag2");
    assert_non_null(strstr(metadata.pairs[0].value, "message_count: 10\n"));
    assert_int_equal(fil_reader_metadata(reader, 2, &metadata, &error), FIL_BAD_INPUT);
    fil_reader_close(reader);
}

static void test_directory(void** state)
{
    char path[128], file[256], text[8192];
    snprintf(path, sizeof path, "%s/run/", (const char*)*state);
    sample_record(path, small_chunks(FIL_COMPRESSION_NONE), COUNT);
    snprintf(file, sizeof file, "%s/run/run_0.mcap", (const char*)*state);
    FilReader* reader = sample_open(file, fil_reader_options_default());
    assert_int_equal(sample_check(reader, 0), COUNT);
    fil_reader_close(reader);

    snprintf(file, sizeof file, "%s/run/metadata.yaml", (const char*)*state);
    read_text(file, text, sizeof text);
    static const char* const lines[] = {
        "rosbag2_bagfile_information:\n  version: 5\n  storage_identifier: mcap\n  duration:\n",
        "  duration:\n    nanoseconds: 1999000000\n  starting_time:\n    nanoseconds_since_epoch: 0\n",
        "  message_count: 2000\n  topics_with_message_count:\n    - topic_metadata:\n        name: \"/words\"\n",
        "        offered_qos_profiles: \"- history: 1\\n  depth: 10\\n",
        "  relative_file_paths:\n    - \"run_0.mcap\"\n  files:\n    - path: \"run_0.mcap\"\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        assert_non_null(strstr(text, lines[i]));
    }
}

/* A bag whose description cannot be written is whole all the same, and the failure has its words. */
static void test_no_metadata(void** state)
{
    char path[128], file[256];
    FilError error = {""};
    snprintf(path, sizeof path, "%s/run", (const char*)*state);
    FilRecorder* recorder = sample_start(path, NULL);
    sample_write(recorder, 0, 10);
    snprintf(file, sizeof file, "%s/metadata.yaml", path);
    (void)remove(file);  // one of the start
    assert_int_equal(mkdir(file, 0755), 0);
    assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_IO);
    assert_non_null(strstr(error.text, "metadata.yaml"));
    snprintf(file, sizeof file, "%s/run_0.mcap", path);
    FilReader* reader = sample_open(file, fil_reader_options_default());
    assert_int_equal(sample_check(reader, 0), 10);
    fil_reader_close(reader);
}

/* Names that are not UTF-8, or not printable, are escaped: anything else would be no YAML. */
static void test_odd_names(void** state)
{
    static const struct {
        const char *name, *written;
    } names[] = {{"b\xff", "b\\xff_0.mcap"},
                 {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x8d\x8e", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x8d\x8e_0.mcap\""},  // as they are
                 {"a\xc2\x80", "a\\xc2\\x80_0"},                                                               // a control
                 {"a\xc0\xaf", "a\\xc0\\xaf_0"},                                                               // too long for a slash
                 {"a\xed\xa0\x80", "a\\xed\\xa0\\x80_0"},                                                      // half of a pair
                 {"a\xe2\x82", "a\\xe2\\x82_0"},                                                               // cut off
                 {"a\"\\\t\n", "a\\\"\\\\\\x09\\n_0"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[128], metadata[160], text[4096];
        snprintf(path, sizeof path, "%s/%s", (const char*)*state, names[i].name);
        sample_record(path, fil_recorder_options_default(), 1);
        snprintf(metadata, sizeof metadata, "%s/metadata.yaml", path);
        read_text(metadata, text, sizeof text);
        assert_non_null(strstr(text, names[i].written));
    }
}

static void test_refusals(void** state)
{
    char path[128];
    struct stat before, after;
    const FilRecorderOptions options = fil_recorder_options_default();
    static const char* const names[] = {"taken", "taken.mcap", "taken.db3"};
    for (int i = 0; i < 3; ++i) {
        FilRecorder* recorder = NULL;
        FilError error = {""};
        snprintf(path, sizeof path, "%s/%s", (const char*)*state, names[i]);
        FilRecorderOptions sample = options;
        sample.sqlite = i == 2;
        sample_record(path, sample, 3);
        assert_int_equal(stat(path, &before), 0);
        assert_int_equal(fil_recorder_create(path, &options, &recorder, &error), FIL_BAD_INPUT);
        assert_null(recorder);
        assert_non_null(strstr(error.text, path));
        assert_non_null(strstr(error.text, "exists already"));
        assert_int_equal(stat(path, &after), 0);
        assert_int_equal(before.st_size, after.st_size);
    }
    FilRecorder* recorder = NULL;
    FilError error = {""};
    assert_int_equal(fil_recorder_create("/no/such/folder/bag", &options, &recorder, &error), FIL_IO);
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(fil_recorder_create("", &options, &recorder, &error), FIL_BAD_INPUT);
    assert_int_equal(fil_recorder_create("..", &options, &recorder, &error), FIL_BAD_INPUT);
}

static void test_bad_messages(void** state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/bad.mcap", (const char*)*state);
    const FilRecorderOptions options = fil_recorder_options_default();
    FilRecorder* recorder = sample_start(path, &options);
    FilError error = {""};
    const FilBagMessage stray = {.channel = 9};
    assert_int_equal(fil_recorder_write(recorder, &stray, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "no channel has the number 9"));
    const FilBagMessage huge = {.channel = 1, .data = {.data = NULL, .size = (size_t)FIL_BAG_MAX_MESSAGE + 1}};
    assert_int_equal(fil_recorder_write(recorder, &huge, &error), FIL_BAD_INPUT);
    assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
}

/* What was flushed is there for a reader while the recording goes on; the reader then follows. */
static void test_streaming(void** state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/live.mcap", (const char*)*state);
    const FilRecorderOptions options = small_chunks(FIL_COMPRESSION_LZ4);
    FilRecorder* recorder = sample_start(path, &options);
    FilError error = {""};
    sample_write(recorder, 0, 100);
    assert_int_equal(fil_recorder_flush(recorder, &error), FIL_OK);
    FilReader* reader = sample_open(path, fil_reader_options_default());
    assert_int_equal(sample_check(reader, 0), 100);
    assert_false(fil_reader_info(reader).ended);
    sample_write(recorder, 100, 300);
    assert_int_equal(fil_recorder_flush(recorder, &error), FIL_OK);
    assert_int_equal(sample_check(reader, 100), 300);
    sample_write(recorder, 400, 1);
    assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
    assert_int_equal(sample_check(reader, 400), 1);
    assert_true(fil_reader_info(reader).ended);
    fil_reader_close(reader);
}

/* A few messages come out of the queue by themselves. */
static void test_flush_period(void** state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/slow.mcap", (const char*)*state);
    FilRecorderOptions options = fil_recorder_options_default();
    options.flush_period = 0.01;
    FilRecorder* recorder = sample_start(path, &options);
    FilError error = {""};
    sample_write(recorder, 0, 3);
    for (int i = 0; i < 1000 && fil_recorder_counts(recorder).written < 3; ++i) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(fil_recorder_counts(recorder).written, 3);
    FilReader* reader = sample_open(path, fil_reader_options_default());
    assert_int_equal(sample_check(reader, 0), 3);
    fil_reader_close(reader);
    assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
}

/* Whether it waits or drops, every message is accounted for. */
static void test_full_queue(void** state)
{
    for (int drop = 0; drop < 2; ++drop) {
        char path[128];
        snprintf(path, sizeof path, "%s/full%d.mcap", (const char*)*state, drop);
        FilRecorderOptions options = small_chunks(FIL_COMPRESSION_ZSTD);
        options.chunk_bytes = 1 << 10;
        options.queue_bytes = 1 << 10;
        options.drop_when_full = drop != 0;
        FilRecorder* recorder = sample_start(path, &options);
        sample_write(recorder, 0, 20000);
        FilRecorderCounts counts;
        FilError error = {""};
        assert_int_equal(fil_recorder_close(recorder, &counts, &error), FIL_OK);
        assert_int_equal(counts.written + counts.dropped, 20000);
        FilReader* reader = sample_open(path, fil_reader_options_default());
        assert_int_equal(fil_reader_info(reader).message_count, counts.written);
        if (drop) {
            assert_int_equal(counts.waited, 0);
        } else {
            assert_int_equal(counts.dropped, 0);
            assert_int_equal(sample_check(reader, 0), 20000);
        }
        fil_reader_close(reader);
    }
}

static void test_selection(void** state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/select.mcap", (const char*)*state);
    sample_record(path, small_chunks(FIL_COMPRESSION_LZ4), COUNT);
    for (int front_to_back = 0; front_to_back < 2; ++front_to_back) {
        FilReaderOptions options = fil_reader_options_default();
        options.front_to_back = front_to_back != 0;
        FilReader* reader = sample_open(path, options);
        FilError error = {""};
        assert_int_equal(fil_reader_select(reader, 500000000, 700000000, &error), FIL_OK);
        assert_int_equal(sample_check(reader, 500), 201);
        assert_int_equal(fil_reader_select(reader, 0, UINT64_MAX, &error), FIL_OK);
        assert_int_equal(sample_check(reader, 0), COUNT);
        fil_reader_close(reader);
    }
}

static void test_empty(void** state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/empty.mcap", (const char*)*state);
    sample_record(path, fil_recorder_options_default(), 0);
    FilReader* reader = sample_open(path, fil_reader_options_default());
    assert_int_equal(sample_check(reader, 0), 0);
    assert_int_equal(fil_reader_channels(reader)->count, SAMPLE_CHANNELS);
    fil_reader_close(reader);
}

static void test_no_options(void** state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/plain.mcap", (const char*)*state);
    FilRecorder* recorder = sample_start(path, NULL);
    sample_write(recorder, 0, 10);
    FilError error = {""};
    assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
    FilReader* reader = NULL;
    assert_int_equal(fil_reader_open(path, NULL, &reader, &error), FIL_OK);
    assert_int_equal(sample_check(reader, 0), 10);
    fil_reader_close(reader);
    assert_int_equal(fil_recorder_create(NULL, NULL, &recorder, &error), FIL_BAD_INPUT);
    assert_null(recorder);
    assert_int_equal(fil_reader_open(NULL, NULL, &reader, &error), FIL_BAD_INPUT);
    assert_null(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_compression_pays, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_channels_and_extras, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_directory, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_no_metadata, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_refusals, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_bad_messages, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_streaming, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_flush_period, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_full_queue, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_selection, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_odd_names, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_no_options, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_empty, sample_folder_make, sample_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
