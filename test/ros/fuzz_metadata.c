/* libFuzzer harness of bags' metadata: four texts, each up to a zero byte, as topic, type, QoS and file of a channel. metadata.yaml of such a bag is
 * YAML, and says what it was given; QoS as others wrote it gives a profile that is read again as the same. */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "need.h"
#include "qos_text.h"
#include "record/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { TEXTS = 4, MAX_TEXT = 4096 };

static bool is_plain(const char* text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text >= 0x80) {
            return false;
        }
    }
    return true;
}

/* How many scalars of the text are `value`. */
static int count_scalars(FilBytes text, const char* value)
{
    yaml_parser_t parser;
    yaml_event_t event;
    int count = 0;
    need(yaml_parser_initialize(&parser) == 1);
    yaml_parser_set_input_string(&parser, text.data, text.size);
    for (bool done = false; !done; yaml_event_delete(&event)) {
        need(yaml_parser_parse(&parser, &event) == 1);
        done = event.type == YAML_STREAM_END_EVENT;
        count += event.type == YAML_SCALAR_EVENT && strcmp((const char*)event.data.scalar.value, value) == 0;
    }
    yaml_parser_delete(&parser);
    return count;
}

static void check_metadata(char texts[TEXTS][MAX_TEXT])
{
    const FilBagPair qos = {FIL_BAG_QOS_KEY, texts[2]};
    FilBagChannels channels = {0};
    const FilBagChannel channel = {
        .topic = texts[0], .type = texts[1], .encoding = "cdr", .schema_encoding = "ros2msg", .properties = &qos, .property_count = 1};
    need(fil_bag_channels_add(&channels, &channel, 1, 1));
    for (int nested = 0; nested < 2; nested++) {
        FilBytes text = {0};
        const FilBagTally tally = {.message_count = 3, .start_time = 1, .end_time = 5};
        fil_metadata_put(&text, nested == 1, "mcap", texts[3], &channels, &tally);
        need(!text.failed);
        for (int k = 0; k < TEXTS; k++) {
            need(count_scalars(text, texts[k]) > 0 || !is_plain(texts[k]));
        }
        fil_bytes_free(&text);
    }
    fil_bag_channels_free(&channels);
}

static void check_qos(const char* given)
{
    char text[FIL_QOS_TEXT], again[FIL_QOS_TEXT];
    const rmw_qos_profile_t profile = fil_qos_from_text(given);
    fil_qos_to_text(&profile, text);
    const rmw_qos_profile_t same = fil_qos_from_text(text);
    fil_qos_to_text(&same, again);
    need(strcmp(text, again) == 0 && same.history == profile.history && same.depth == profile.depth && same.reliability == profile.reliability &&
         same.durability == profile.durability);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static char texts[TEXTS][MAX_TEXT];
    memset(texts, 0, sizeof texts);
    for (int k = 0; k < TEXTS && size > 0; k++) {
        const uint8_t* end = memchr(data, 0, size);
        const size_t length = end != NULL ? (size_t)(end - data) : size;
        if (length >= MAX_TEXT) {
            return 0;
        }
        memcpy(texts[k], data, length);
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
    check_metadata(texts);
    check_qos(texts[2]);
    return 0;
}
