/* Repair: a bag cut off anywhere gives back every whole chunk, a damaged one all others; the original stays as it was.
 */
#include "record/sample_bag.h"

#include <sys/stat.h>
#include <unistd.h>

#include "record/copy.h"
#include "record/mcap.h"

enum { COUNT = 1500, CUTS = 200 };

typedef struct File {
    uint8_t* data;
    size_t size;
} File;

static File read_file(const char* path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    File file = {.data = malloc((size_t)status.st_size), .size = (size_t)status.st_size};
    FILE* stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fread(file.data, 1, file.size, stream), file.size);
    fclose(stream);
    return file;
}

static void write_file(const char* path, const uint8_t* data, size_t size)
{
    FILE* stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(data, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static FilRecorderOptions small_chunks(FilCompression compression)
{
    FilRecorderOptions options = fil_recorder_options_default();
    options.compression = compression;
    options.chunk_bytes = 200 << 10;
    return options;
}

/* How many messages are in chunks that end before `cut`, by the file's own records. */
static uint32_t messages_before(const File* file, size_t cut)
{
    FilCursor cursor = {.at = file->data + FIL_MCAP_MAGIC_SIZE, .left = cut - FIL_MCAP_MAGIC_SIZE};
    FilMcapRecord record;
    FilBytes records = {0};
    uint32_t count = 0;
    while (fil_mcap_next_record(&cursor, &record) && record.opcode != FIL_MCAP_DATA_END) {
        FilMcapChunk chunk;
        FilCompression compression;
        if (record.opcode != FIL_MCAP_CHUNK || !fil_mcap_take_chunk(record.content, &chunk)) {
            continue;
        }
        assert_true(fil_compression_find((const char*)chunk.compression.data, chunk.compression.size, &compression));
        assert_true(fil_decompress(compression, chunk.records, chunk.size, &records));
        FilCursor inside = {.at = records.data, .left = records.size};
        while (fil_mcap_next_record(&inside, &record)) {
            count += record.opcode == FIL_MCAP_MESSAGE ? 1 : 0;
        }
    }
    fil_bytes_free(&records);
    return count;
}

/* Repairs the first `cut` bytes; returns how many messages came back, all of them the first ones in order. */
static uint32_t repair(const char* folder, const File* whole, size_t cut, FilCopyReport* report)
{
    char source[128], target[128];
    FilError error = {""};
    snprintf(source, sizeof source, "%s/cut.mcap", folder);
    snprintf(target, sizeof target, "%s/mended.mcap", folder);
    write_file(source, whole->data, cut);
    if (fil_bag_copy(source, target, NULL, NULL, report, &error) != FIL_OK) {
        fail_msg("cut at %zu: %s", cut, error.text);
    }
    const File after = read_file(source);
    assert_int_equal(after.size, cut);
    assert_memory_equal(after.data, whole->data, cut);
    free(after.data);
    FilReader* reader = sample_open(target, fil_reader_options_default());
    assert_true(fil_reader_info(reader).summarised);
    const uint32_t count = sample_check(reader, 0);
    assert_int_equal(count, report->messages);
    fil_reader_close(reader);
    assert_int_equal(unlink(target), 0);
    return count;
}

static void test_truncation(void** state)
{
    const char* folder = *state;
    for (FilCompression compression = FIL_COMPRESSION_NONE; compression <= FIL_COMPRESSION_ZSTD; ++compression) {
        char path[128];
        snprintf(path, sizeof path, "%s/whole%d.mcap", folder, (int)compression);
        sample_record(path, small_chunks(compression), COUNT);
        const File whole = read_file(path);
        Random random = {.state = 7 + (uint64_t)compression};
        uint64_t partial = 0;
        for (int i = 0; i < CUTS; ++i) {
            // anywhere after the header
            const size_t cut = 64 + (size_t)(random_bits(&random) % (whole.size - 64));
            FilCopyReport report;
            const uint32_t found = repair(folder, &whole, cut, &report);
            const uint32_t safe = messages_before(&whole, cut);
            assert_int_equal(found, safe + report.partial_messages);
            assert_int_equal(report.damaged_chunks, 0);
            partial += report.partial_messages;
        }
        // a cut goes through the middle of a chunk as a rule, and half of that one can be had on average; zstd's blocks
        // of 128 KiB leave less
        assert_true(partial > CUTS);
        free(whole.data);
    }
}

static void test_whole_bag(void** state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/good.mcap", (const char*)*state);
    sample_record(path, small_chunks(FIL_COMPRESSION_ZSTD), COUNT);
    const File whole = read_file(path);
    FilCopyReport report;
    assert_int_equal(repair(*state, &whole, whole.size, &report), COUNT);
    assert_true(report.ended);
    assert_int_equal(report.partial_messages, 0);
    free(whole.data);
}

static void test_hopeless(void** state)
{
    char source[128], target[128];
    snprintf(source, sizeof source, "%s/hopeless.mcap", (const char*)*state);
    snprintf(target, sizeof target, "%s/mended.mcap", (const char*)*state);
    static const struct {
        const char* text;
        size_t size;
        const char* message;
    } cases[] = {
        {"", 0, "is not an MCAP file"},
        {"\x89MCAP0\r", 7, "is not an MCAP file"},
        {FIL_MCAP_MAGIC, 8, "the header is damaged or cut off"},
        {"PNG or so, not a bag", 20, "is not an MCAP file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        FilCopyReport report;
        FilError error = {""};
        write_file(source, (const uint8_t*)cases[i].text, cases[i].size);
        assert_int_equal(fil_bag_copy(source, target, NULL, NULL, &report, &error), FIL_BAD_INPUT);
        assert_non_null(strstr(error.text, source));
        assert_non_null(strstr(error.text, cases[i].message));
        assert_int_not_equal(access(target, F_OK), 0);
    }
}

/* A flipped bit costs its own chunk: reading says so, repair leaves it out. */
static void test_damage(void** state)
{
    char path[128], target[128];
    snprintf(path, sizeof path, "%s/damaged.mcap", (const char*)*state);
    snprintf(target, sizeof target, "%s/mended.mcap", (const char*)*state);
    sample_record(path, small_chunks(FIL_COMPRESSION_NONE), COUNT);
    File whole = read_file(path);
    const uint32_t all = messages_before(&whole, whole.size);
    assert_int_equal(all, COUNT);
    whole.data[whole.size / 2] ^= 1;
    write_file(path, whole.data, whole.size);
    free(whole.data);

    FilReader* reader = sample_open(path, fil_reader_options_default());
    FilBagMessage message;
    FilError error = {""};
    FilStatus status = FIL_OK;
    for (bool found = true; found && status == FIL_OK;) {
        status = fil_reader_next(reader, &message, &found, &error);
    }
    fil_reader_close(reader);
    assert_int_equal(status, FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "CRC"));

    FilCopyReport report;
    assert_int_equal(fil_bag_copy(path, target, NULL, NULL, &report, &error), FIL_OK);
    assert_int_equal(report.damaged_chunks, 1);
    // a chunk of 200 KiB has some two hundred messages of 1 kB on average, and there are several chunks
    assert_true(report.messages < COUNT && report.messages > COUNT / 2);
}

static void rename_echo(void* context, FilBagChannel* channel)
{
    *(int*)context += 1;
    if (strcmp(channel->topic, "/echo") == 0) {
        channel->schema = slice_of_text("string other\n");
    }
}

static void test_revision(void** state)
{
    char path[128], target[128];
    snprintf(path, sizeof path, "%s/old.mcap", (const char*)*state);
    snprintf(target, sizeof target, "%s/new.mcap", (const char*)*state);
    sample_record(path, small_chunks(FIL_COMPRESSION_LZ4), COUNT);
    FilCopyReport report;
    FilError error = {""};
    int calls = 0;
    assert_int_equal(fil_bag_copy(path, target, rename_echo, &calls, &report, &error), FIL_OK);
    assert_int_equal(calls, SAMPLE_CHANNELS);
    FilReader* reader = sample_open(target, fil_reader_options_default());
    assert_true(fil_slice_equal(fil_reader_channels(reader)->items[1].channel.schema, slice_of_text("string other\n")));
    assert_int_equal(sample_check(reader, 0), COUNT);
    assert_int_equal(fil_reader_info(reader).attachment_count, 1);
    assert_int_equal(fil_reader_info(reader).metadata_count, 2);
    fil_reader_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_truncation, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_whole_bag, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_hopeless, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_damage, sample_folder_make, sample_folder_remove),
        cmocka_unit_test_setup_teardown(test_revision, sample_folder_make, sample_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
