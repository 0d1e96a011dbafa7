/* A bag of known content for the tests: several topics, messages of many sizes, bytes that follow from their number. */
#ifndef TEST_SAMPLE_BAG_H
#define TEST_SAMPLE_BAG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/reader.h"
#include "support/random.h"

enum { SAMPLE_CHANNELS = 3, SAMPLE_MAX_SIZE = 3000 };

static const char SAMPLE_QOS[] = "- history: 1\n  depth: 10\n  reliability: 1\n  durability: 2\n";
static const FilBagPair SAMPLE_PROPERTIES[] = {{FIL_BAG_QOS_KEY, SAMPLE_QOS}};

static inline FilSlice slice_of_text(const char* text)
{
    return (FilSlice){.data = (const uint8_t*)text, .size = strlen(text)};
}

/* Two channels share a type. */
static inline FilBagChannel sample_channel(int index)
{
    static const char* const topics[SAMPLE_CHANNELS] = {"/words", "/echo", "/time"};
    const bool words = index < 2;
    return (FilBagChannel){
        .topic = topics[index],
        .type = words ? "std_msgs/msg/String" : "builtin_interfaces/msg/Time",
        .encoding = "cdr",
        .schema_encoding = "ros2msg",
        .schema = slice_of_text(words ? "string data\n" : "int32 sec\nuint32 nanosec\n"),
        .properties = SAMPLE_PROPERTIES,
        .property_count = 1,
    };
}

/* The CDR bytes of the number-th message in `buffer`; numbers say all: channel, size, content, times. */
static inline FilBagMessage sample_message(uint32_t number, uint8_t* buffer)
{
    Random random = {.state = number};
    const int channel = (int)(random_bits(&random) % SAMPLE_CHANNELS);
    const size_t letters = random_bits(&random) % (SAMPLE_MAX_SIZE - 16);
    FilBytes bytes = {.data = buffer, .capacity = SAMPLE_MAX_SIZE};
    fil_bytes_put(&bytes, "\x00\x01\x00\x00", 4);
    if (channel == 2) {
        fil_bytes_u32(&bytes, number);
        fil_bytes_u32(&bytes, number * 7);
    } else {
        // words that repeat, so that there is something to compress
        fil_bytes_u32(&bytes, (uint32_t)letters + 1);
        for (size_t i = 0; i < letters; ++i) {
            fil_bytes_u8(&bytes, (uint8_t)('a' + (i * i + number + random_bits(&random) % 3) % 26));
        }
        fil_bytes_u8(&bytes, 0);
    }
    return (FilBagMessage){
        .channel = (uint16_t)(channel + 1),
        .sequence = number,
        .log_time = UINT64_C(1000000) * number,
        .publish_time = UINT64_C(1000000) * number + 5,
        .data = {.data = buffer, .size = bytes.size},
    };
}

static inline FilRecorder* sample_start(const char* path, const FilRecorderOptions* options)
{
    FilRecorder* recorder = NULL;
    FilError error = {""};
    if (fil_recorder_create(path, options, &recorder, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    for (int i = 0; i < SAMPLE_CHANNELS; ++i) {
        const FilBagChannel channel = sample_channel(i);
        uint16_t id = 0;
        assert_int_equal(fil_recorder_add_channel(recorder, &channel, &id, &error), FIL_OK);
        assert_int_equal(id, i + 1);
    }
    return recorder;
}

static inline void sample_write(FilRecorder* recorder, uint32_t first, uint32_t count)
{
    uint8_t buffer[SAMPLE_MAX_SIZE];
    for (uint32_t i = 0; i < count; ++i) {
        FilError error = {""};
        const FilBagMessage message = sample_message(first + i, buffer);
        if (fil_recorder_write(recorder, &message, &error) != FIL_OK) {
            fail_msg("%s", error.text);
        }
    }
}

/* A bag of `count` messages with an attachment and metadata. */
static inline void sample_record(const char* path, FilRecorderOptions options, uint32_t count)
{
    FilError error = {""};
    FilRecorder* recorder = sample_start(path, &options);
    if (!options.sqlite) {
        const FilBagAttachment scene = {
            .log_time = 3, .create_time = 4, .name = "scene.yaml", .media_type = "application/yaml", .data = slice_of_text("title: A scene\n")};
        const FilBagPair version[] = {{"version", FIL_VERSION}, {"commit", "abc"}};
        assert_int_equal(fil_recorder_attach(recorder, &scene, &error), FIL_OK);
        assert_int_equal(fil_recorder_describe(recorder, "filum", version, 2, &error), FIL_OK);
    }
    sample_write(recorder, 0, count);
    FilRecorderCounts counts;
    if (fil_recorder_close(recorder, &counts, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(counts.written, count);
    assert_int_equal(counts.dropped, 0);
}

static inline FilReader* sample_open(const char* path, FilReaderOptions options)
{
    FilReader* reader = NULL;
    FilError error = {""};
    if (fil_reader_open(path, &options, &reader, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return reader;
}

/* Whether the reader's next messages are those from `first` on; returns how many there are. */
static inline uint32_t sample_check(FilReader* reader, uint32_t first)
{
    uint8_t buffer[SAMPLE_MAX_SIZE];
    for (uint32_t number = first;; ++number) {
        FilBagMessage message;
        FilError error = {""};
        bool found = false;
        if (fil_reader_next(reader, &message, &found, &error) != FIL_OK) {
            fail_msg("message %u: %s", number, error.text);
        }
        if (!found) {
            return number - first;
        }
        const FilBagMessage expected = sample_message(number, buffer);
        const FilBagEntry* entry = fil_bag_channels_find(fil_reader_channels(reader), message.channel);
        assert_string_equal(entry->channel.topic, sample_channel(expected.channel - 1).topic);
        assert_int_equal(message.sequence, expected.sequence);
        assert_int_equal(message.log_time, expected.log_time);
        assert_int_equal(message.publish_time, expected.publish_time);
        assert_true(fil_slice_equal(message.data, expected.data));
    }
}

/* A new directory that goes away with all that is in it. */
static inline int sample_folder_make(void** state)
{
    char* folder = strdup("/tmp/filum_record_XXXXXX");
    *state = folder;
    return folder == NULL || mkdtemp(folder) == NULL ? -1 : 0;
}

/* The same, and the place to be while it is there. */
static inline int sample_folder_enter(void** state)
{
    return sample_folder_make(state) != 0 || chdir(*state) != 0;
}

static inline int sample_folder_remove(void** state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", (const char*)*state);
    free(*state);
    return system(command);
}

static inline int sample_folder_leave(void** state)
{
    return chdir("/tmp") != 0 || sample_folder_remove(state) != 0;
}

#endif
