#include "bag_messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/reader.h"

/* s: what comes at least so often is there after a jump, and longer ones are jumps. Everything of ours
 * comes once a second or more (docs/ros.md); a jump reads BEFORE again, a fifth of what it spares at least */
static const double BEFORE = 1.0, JUMP = 5.0;

struct FilBagMessages {
    FilReader* reader;
    FilFoxglove* foxglove;
    size_t offered;                         /* channels, of the reader's list */
    uint32_t ids[FIL_BAG_MAX_CHANNELS + 1]; /* of channels, by their numbers in the bag; 0: not offered */
    FilBagMessage next;                     /* of the reader */
    bool has_next, began;
    double time; /* s, up to where all was sent */
};

/* Offers channels that have become known: all of them at first, if the bag has a summary. */
static FilStatus add_channels(FilBagMessages* messages, FilError* error)
{
    const FilBagChannels* channels = fil_reader_channels(messages->reader);
    for (; messages->offered < channels->count; ++messages->offered) {
        const FilBagEntry* entry = &channels->items[messages->offered];
        // without its definition nobody can read a message
        const bool known = strcmp(entry->channel.encoding, "cdr") == 0 && entry->channel.schema.size > 0;
        const FilFoxgloveChannel channel = {.topic = entry->channel.topic,
                                            .type = entry->channel.type,
                                            .schema = (const char*)entry->channel.schema.data,
                                            .schema_size = entry->channel.schema.size,
                                            .latched = true};
        if (known && fil_foxglove_add_channel(messages->foxglove, &channel, &messages->ids[entry->id]) != FIL_OK) {
            return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
        }
    }
    return FIL_OK;
}

FilStatus fil_bag_messages_open(const char* bag, FilBagMessages** out, FilError* error)
{
    const FilReaderOptions options = fil_reader_options_default();
    FilBagMessages* messages = calloc(1, sizeof *messages);
    FilStatus status =
        messages != NULL ? fil_reader_open(bag, &options, &messages->reader, error) : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    if (status == FIL_OK) {
        messages->foxglove = fil_foxglove_create(bag);
        status = messages->foxglove != NULL ? add_channels(messages, error) : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    if (status != FIL_OK) {
        fil_bag_messages_close(messages);
        messages = NULL;
    }
    *out = messages;
    return status;
}

void fil_bag_messages_close(FilBagMessages* messages)
{
    if (messages != NULL) {
        fil_foxglove_destroy(messages->foxglove);
        fil_reader_close(messages->reader);
        free(messages);
    }
}

FilFoxglove* fil_bag_messages_foxglove(FilBagMessages* messages)
{
    return messages != NULL ? messages->foxglove : NULL;
}

/* ns of a time in s, which is not before the start */
static uint64_t nanoseconds(double time)
{
    return time > 0.0 ? (uint64_t)(1e9 * time + 0.5) : 0;
}

FilStatus fil_bag_messages_go(FilBagMessages* messages, double time, FilError* error)
{
    FilStatus status = FIL_OK;
    if (messages->began && time == messages->time) {
        return FIL_OK;
    }
    if (messages->began && (time < messages->time || time > messages->time + JUMP)) {
        messages->has_next = false;
        status = fil_reader_select(messages->reader, nanoseconds(time - BEFORE), UINT64_MAX, error);
    }
    messages->began = true;
    messages->time = time;
    fil_foxglove_send_time(messages->foxglove, nanoseconds(time));
    while (status == FIL_OK) {
        bool found = messages->has_next;
        if (!found) {
            status = fil_reader_next(messages->reader, &messages->next, &found, error);
            status = status == FIL_OK ? add_channels(messages, error) : status;
        }
        messages->has_next = status == FIL_OK && found;
        const FilBagMessage* next = &messages->next;
        if (!messages->has_next || next->log_time > nanoseconds(time)) {
            break;
        }
        if (messages->ids[next->channel] != 0) {
            fil_foxglove_send(messages->foxglove, messages->ids[next->channel], next->log_time, next->data.data, next->data.size);
        }
        messages->has_next = false;
    }
    return status;
}
