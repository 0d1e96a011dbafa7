/* libFuzzer harness of the reader of SQLite bags: a good file of three topics with bytes of it replaced (three bytes of input each: where,
 * what), or, if the first byte is odd, any bytes as the file. Gives messages or an error that says why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "need.h"
#include "record/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { MAX_FILE = 1 << 16 };

static char path[64]; /* of the file that is read; empty until there is one */
static uint8_t good[MAX_FILE], bytes[MAX_FILE];
static size_t good_size;

/* The good file: three topics, some messages. */
static void make_good(void)
{
    char folder[] = "/tmp/fuzz_db3_XXXXXX";
    FilRecorderOptions options = fil_recorder_options_default();
    FilRecorder* recorder = NULL;
    FilError error;
    need(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/fuzz.db3", folder);
    need(fil_recorder_create(path, &options, &recorder, &error) == FIL_OK);
    static const char* const topics[] = {"/a", "/b", "/c"};
    for (int i = 0; i < 3; i++) {
        uint16_t id = 0;
        const FilBagPair qos = {FIL_BAG_QOS_KEY, "- history: 1\n  depth: 10\n"};
        const FilBagChannel channel = {
            .topic = topics[i], .type = "std_msgs/msg/String", .encoding = "cdr", .schema_encoding = "", .properties = &qos, .property_count = 1};
        need(fil_recorder_add_channel(recorder, &channel, &id, &error) == FIL_OK);
    }
    for (uint64_t i = 0; i < 12; i++) {
        const FilBagMessage message = {
            .channel = (uint16_t)(1 + i % 3), .log_time = 1000 * i, .data = {.data = (const uint8_t*)"\0\1\0\0\2\0\0\0a", .size = 10}};
        need(fil_recorder_write(recorder, &message, &error) == FIL_OK);
    }
    need(fil_recorder_close(recorder, NULL, &error) == FIL_OK);
    FILE* file = fopen(path, "rb");
    need(file != NULL);
    good_size = fread(good, 1, sizeof good, file);
    need(fclose(file) == 0 && good_size > 0 && good_size < sizeof good);
}

static void read_all(FilReader* reader)
{
    bool found = true;
    for (int count = 0; found && count < 1000; count++) {
        FilBagMessage message;
        FilError error = {""};
        const FilStatus status = fil_reader_next(reader, &message, &found, &error);
        need((status == FIL_OK) == (error.text[0] == '\0'));
        found = found && status == FIL_OK;
    }
    for (size_t i = 0; i < fil_reader_channel_count(reader); i++) {
        const FilReaderChannel channel = fil_reader_channel(reader, i);
        need(channel.channel.topic != NULL && channel.channel.type != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (path[0] == '\0') {
        make_good();
    }
    if (size == 0 || size > MAX_FILE) {
        return 0;
    }
    size_t length = good_size;
    memcpy(bytes, good, good_size);
    if (data[0] % 2 == 1) {
        memcpy(bytes, data + 1, size - 1);
        length = size - 1;
    }
    for (size_t i = 1; data[0] % 2 == 0 && i + 3 <= size; i += 3) {
        bytes[((size_t)data[i] << 8 | data[i + 1]) % good_size] = data[i + 2];
    }
    FILE* file = fopen(path, "wb");
    need(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
    FilReaderOptions options = fil_reader_options_default();
    options.front_to_back = (data[0] & 2) != 0;
    FilReader* reader = NULL;
    FilError error = {""};
    const FilStatus status = fil_reader_open(path, &options, &reader, &error);
    need((status == FIL_OK) == (error.text[0] == '\0'));
    if (status == FIL_OK) {
        read_all(reader);
    }
    fil_reader_close(reader);
    return 0;
}
