/* Owns lists of channels. */
#include "record/bag.h"

#include <string.h>

#include "base/memory.h"

const char* fil_bag_property(const FilBagChannel* channel, const char* key)
{
    for (size_t i = 0; i < channel->property_count; ++i) {
        if (strcmp(channel->properties[i].key, key) == 0) {
            return channel->properties[i].value;
        }
    }
    return "";
}

bool fil_slice_equal(FilSlice a, FilSlice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

void fil_bag_channels_free(FilBagChannels* channels)
{
    for (size_t i = 0; i < channels->count; ++i) {
        fil_free(channels->items[i].text);
    }
    fil_free(channels->items);
    *channels = (FilBagChannels){0};
}

/* Copies `size` bytes and a NUL to *place and moves on. */
static const char* copy_to(char** place, const void* bytes, size_t size)
{
    char* copy = *place;
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    copy[size] = '\0';
    *place += size + 1;
    return copy;
}

static const char* copy_text(char** place, const char* text)
{
    return copy_to(place, text, strlen(text));
}

/* One block for the pairs and, after them, all texts. */
static char* copy_channel(FilBagChannel* copy, const FilBagChannel* channel, size_t* bytes)
{
    const size_t pairs = channel->property_count * sizeof(FilBagPair);
    size_t texts =
        strlen(channel->topic) + strlen(channel->type) + strlen(channel->encoding) + strlen(channel->schema_encoding) + channel->schema.size + 5;
    for (size_t i = 0; i < channel->property_count; ++i) {
        texts += strlen(channel->properties[i].key) + strlen(channel->properties[i].value) + 2;
    }
    char* block = fil_alloc(1, pairs + texts);
    if (block == NULL) {
        return NULL;
    }
    FilBagPair* properties = (FilBagPair*)(void*)block;
    char* place = block + pairs;
    copy->topic = copy_text(&place, channel->topic);
    copy->type = copy_text(&place, channel->type);
    copy->encoding = copy_text(&place, channel->encoding);
    copy->schema_encoding = copy_text(&place, channel->schema_encoding);
    copy->schema.size = channel->schema.size;
    copy->schema.data = (const uint8_t*)copy_to(&place, channel->schema.data, channel->schema.size);
    for (size_t i = 0; i < channel->property_count; ++i) {
        properties[i].key = copy_text(&place, channel->properties[i].key);
        properties[i].value = copy_text(&place, channel->properties[i].value);
    }
    copy->properties = properties;
    copy->property_count = channel->property_count;
    *bytes = pairs + texts;
    return block;
}

bool fil_bag_channels_add(FilBagChannels* channels, const FilBagChannel* channel, uint16_t id, uint16_t schema_id)
{
    if (channels->count == channels->capacity) {
        const size_t capacity = 2 * channels->capacity + 16;
        if (!fil_grow((void**)&channels->items, channels->count, capacity, sizeof *channels->items)) {
            return false;
        }
        channels->capacity = capacity;
    }
    size_t bytes = 0;
    FilBagEntry entry = {.id = id, .schema_id = schema_id};
    entry.text = copy_channel(&entry.channel, channel, &bytes);
    if (entry.text == NULL) {
        return false;
    }
    channels->items[channels->count++] = entry;
    channels->text_bytes += bytes;
    channels->place[id] = (uint32_t)channels->count;
    return true;
}

FilBagEntry* fil_bag_channels_find(const FilBagChannels* channels, uint16_t id)
{
    const uint32_t place = channels->place[id];
    return place == 0 ? NULL : &channels->items[place - 1];
}

void fil_bag_tally_add(FilBagTally* tally, const FilBagMessage* message)
{
    if (tally->message_count == 0 || message->log_time < tally->start_time) {
        tally->start_time = message->log_time;
    }
    if (tally->message_count == 0 || message->log_time > tally->end_time) {
        tally->end_time = message->log_time;
    }
    tally->message_count += 1;
    tally->message_bytes += message->data.size;
}
