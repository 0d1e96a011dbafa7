/* Owns the order of time across chunks: chunks that overlap are open side by side, and the earliest of their messages
 * comes next. Messages of equal times keep the order of the file. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/reader_impl.h"

/* A chunk whose messages are being given out. */
struct FilReaderOpen {
    FilBytes records;
    FilBagMessage* messages; /* in order of time, pointing into `records` */
    size_t count, capacity, next;
    uint64_t offset; /* of the chunk in the file */
};

/* Earlier in time, or else in the chunk, where addresses grow. */
static int compare_messages(const void* a, const void* b)
{
    const FilBagMessage* one = a;
    const FilBagMessage* other = b;
    if (one->log_time != other->log_time) {
        return one->log_time < other->log_time ? -1 : 1;
    }
    return one->data.data < other->data.data ? -1 : one->data.data > other->data.data;
}

static bool is_sorted(const FilReaderOpen* open)
{
    for (size_t i = 1; i < open->count; ++i) {
        if (open->messages[i].log_time < open->messages[i - 1].log_time) {
            return false;
        }
    }
    return true;
}

static bool add_message(FilReaderOpen* open, const FilBagMessage* message)
{
    if (open->count == open->capacity) {
        const size_t capacity = 2 * open->capacity + 64;
        if (!fil_grow((void**)&open->messages, open->count, capacity, sizeof *open->messages)) {
            return false;
        }
        open->capacity = capacity;
    }
    open->messages[open->count++] = *message;
    return true;
}

static void free_open(FilReaderOpen* open)
{
    fil_bytes_free(&open->records);
    fil_free(open->messages);
}

void fil_reader_merge_clear(FilReader* reader)
{
    for (size_t i = 0; i < reader->open_count; ++i) {
        free_open(&reader->open[i]);
    }
    fil_free(reader->open);
    reader->open = NULL;
    reader->open_count = reader->open_capacity = 0;
    reader->open_bytes = 0;
}

/* Puts the chunk that was just entered beside those that are open. */
static FilStatus open_chunk(FilReader* reader, FilError* error)
{
    FilReaderOpen made = {.offset = reader->chunks.items[reader->next_chunk - 1].offset};
    bool found = true;
    FilStatus status = FIL_OK;
    while (status == FIL_OK && found) {
        FilBagMessage message;
        status = fil_reader_next_inside(reader, &message, &found, error);
        if (status == FIL_OK && found && !add_message(&made, &message)) {
            status = fil_reader_no_memory(reader, error);
        }
    }
    const size_t bytes = reader->chunk.capacity + made.capacity * sizeof *made.messages;
    if (status == FIL_OK && reader->open_count > 0 && reader->open_bytes + bytes > 4 * reader->options.max_chunk_bytes) {
        status = fil_error(error, FIL_BAD_INPUT, "%s: too many chunks overlap in time to be merged", reader->path);
    }
    if (status == FIL_OK && reader->open_count == reader->open_capacity) {
        const size_t capacity = 2 * reader->open_capacity + 4;
        if (fil_grow((void**)&reader->open, reader->open_count, capacity, sizeof *reader->open)) {
            reader->open_capacity = capacity;
        } else {
            status = fil_reader_no_memory(reader, error);
        }
    }
    if (status != FIL_OK || made.count == 0) {
        free_open(&made);
        return status;
    }
    if (!is_sorted(&made)) {
        qsort(made.messages, made.count, sizeof *made.messages, compare_messages);
    }
    made.records = reader->chunk;  // the messages point into it
    reader->chunk = (FilBytes){0};
    reader->open_bytes += bytes;
    reader->open[reader->open_count++] = made;
    return FIL_OK;
}

/* Closes the chunk that has given out all of its messages, if there is one: the last message is used up by now. */
static void close_empty(FilReader* reader)
{
    for (size_t i = 0; i < reader->open_count; ++i) {
        FilReaderOpen* open = &reader->open[i];
        if (open->next == open->count) {
            reader->open_bytes -= open->records.capacity + open->capacity * sizeof *open->messages;
            free_open(open);
            *open = reader->open[--reader->open_count];
            return;
        }
    }
}

/* The open chunk with the earliest message; NULL if none is open. */
static FilReaderOpen* find_earliest(const FilReader* reader)
{
    FilReaderOpen* best = NULL;
    for (size_t i = 0; i < reader->open_count; ++i) {
        FilReaderOpen* open = &reader->open[i];
        const uint64_t time = open->messages[open->next].log_time;
        const uint64_t best_time = best != NULL ? best->messages[best->next].log_time : UINT64_MAX;
        if (best == NULL || time < best_time || (time == best_time && open->offset < best->offset)) {
            best = open;
        }
    }
    return best;
}

FilStatus fil_reader_next_by_time(FilReader* reader, FilBagMessage* message, bool* found, FilError* error)
{
    *found = false;
    close_empty(reader);
    FilReaderOpen* best = find_earliest(reader);
    for (bool more = true; more;) {
        // a chunk that begins before the earliest message may have an earlier one
        const uint64_t limit = best != NULL ? best->messages[best->next].log_time : UINT64_MAX;
        FilStatus status = fil_reader_enter_indexed(reader, limit, &more, error);
        if (status == FIL_OK && more) {
            status = open_chunk(reader, error);
        }
        if (status != FIL_OK) {
            return status;
        }
        best = find_earliest(reader);
    }
    if (best != NULL) {
        *found = true;
        *message = best->messages[best->next++];
    }
    return FIL_OK;
}
