/* Owns the life of a reader and the order in which it gives out messages. */
#include "record/reader.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/reader_impl.h"

FilReaderOptions fil_reader_options_default(void)
{
    // rosbag2's and our own chunks have about 1 MB (docs/recording.md); this bounds what a false length makes us ask for
    return (FilReaderOptions){.max_chunk_bytes = (size_t)512 << 20};
}

/* ---- opening ---- */

static FilStatus read_header(FilReader* reader, FilError* error)
{
    const FilStatus damaged = FIL_BAD_INPUT;
    if (!fil_reader_load(reader, 0, FIL_MCAP_MAGIC_SIZE) || memcmp(reader->record.data, FIL_MCAP_MAGIC, FIL_MCAP_MAGIC_SIZE) != 0) {
        return fil_error(error, damaged, "%s: is not an MCAP file", reader->path);
    }
    FilCursor cursor = {0};
    if (fil_reader_load(reader, FIL_MCAP_MAGIC_SIZE, FIL_MCAP_PREFIX_SIZE)) {
        cursor = (FilCursor){.at = reader->record.data, .left = reader->record.size};
    }
    const uint8_t opcode = fil_cursor_u8(&cursor);
    const uint64_t length = fil_cursor_u64(&cursor);
    if (cursor.failed || opcode != FIL_MCAP_HEADER || length > FIL_READER_MAX_TEXT ||
        !fil_reader_load(reader, FIL_MCAP_MAGIC_SIZE + FIL_MCAP_PREFIX_SIZE, length)) {
        return fil_error(error, damaged, "%s: the header is damaged or cut off", reader->path);
    }
    cursor = (FilCursor){.at = reader->record.data, .left = reader->record.size};
    const FilSlice profile = fil_cursor_slice(&cursor);
    const FilSlice library = fil_cursor_slice(&cursor);
    fil_bytes_put(&reader->header, profile.data, profile.size);
    fil_bytes_u8(&reader->header, '\0');
    fil_bytes_put(&reader->header, library.data, library.size);
    fil_bytes_u8(&reader->header, '\0');
    if (cursor.failed || reader->header.failed) {
        return fil_error(error, damaged, "%s: the header is damaged", reader->path);
    }
    reader->info.profile = (const char*)reader->header.data;
    reader->info.library = (const char*)reader->header.data + profile.size + 1;
    reader->offset = FIL_MCAP_MAGIC_SIZE + FIL_MCAP_PREFIX_SIZE + length;
    return FIL_OK;
}

/* A reader of the file, which may be NULL for one of SQLite; the file is closed if there is no memory. */
static FilReader* create(FILE* file, const char* name, const FilReaderOptions* options, FilError* error)
{
    FilReader* made = fil_alloc(1, sizeof *made);
    if (made == NULL || (made->path = fil_strdup(name)) == NULL) {
        fil_free(made);
        if (file != NULL) {
            fclose(file);
        }
        fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", name);
        return NULL;
    }
    made->file = file;
    made->options = *options;
    made->select_end = UINT64_MAX;
    return made;
}

FilStatus fil_reader_open_file(FILE* file, const char* name, const FilReaderOptions* options, FilReader** reader, FilError* error)
{
    *reader = create(file, name, options, error);
    if (*reader == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    FilStatus status = read_header(*reader, error);
    if (status == FIL_OK && !options->front_to_back && !options->salvage) {
        status = fil_reader_read_summary(*reader, error);
    }
    if (status != FIL_OK) {
        fil_reader_close(*reader);
        *reader = NULL;
    }
    return status;
}

static FilStatus open_database(const char* path, const FilReaderOptions* options, FilReader** reader, FilError* error)
{
    *reader = create(NULL, path, options, error);
    if (*reader == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilStatus status = fil_db3_reader_open(*reader, error);
    if (status != FIL_OK) {
        fil_reader_close(*reader);
        *reader = NULL;
    }
    return status;
}

FilStatus fil_reader_open(const char* path, const FilReaderOptions* options, FilReader** reader, FilError* error)
{
    static const char sqlite[16] = "SQLite format 3"; /* with its NUL */
    const FilReaderOptions defaults = fil_reader_options_default();
    options = options != NULL ? options : &defaults;
    *reader = NULL;
    if (path == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "a recording needs a path, not NULL");
    }
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return fil_error(error, FIL_IO, "%s: cannot be opened: %s", path, strerror(errno));
    }
    char magic[sizeof sqlite] = {0};
    if (fread(magic, 1, sizeof magic, file) == sizeof magic && memcmp(magic, sqlite, sizeof magic) == 0) {
        fclose(file);
        return open_database(path, options, reader, error);
    }
    return fil_reader_open_file(file, path, options, reader, error);
}

void fil_reader_close(FilReader* reader)
{
    if (reader == NULL) {
        return;
    }
    if (reader->file != NULL) {
        fclose(reader->file);
    }
    fil_db3_reader_close(reader->database);
    fil_reader_merge_clear(reader);
    fil_free(reader->path);
    FilBytes* const buffers[] = {&reader->header, &reader->schemas.texts, &reader->record, &reader->chunk, &reader->texts, &reader->pairs};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        fil_bytes_free(buffers[i]);
    }
    fil_bag_channels_free(&reader->channels);
    fil_free(reader->attachments.items);
    fil_free(reader->metadata.items);
    fil_free(reader->chunks.items);
    fil_free(reader);
}

/* ---- front to back ---- */

/* What a step to the next record of the file leads to. */
typedef enum Step {
    STEP_ON,      /* nothing to see */
    STEP_INSIDE,  /* into a chunk */
    STEP_MESSAGE, /* a message outside of chunks */
    STEP_END,
} Step;

/* A record that is not all there: the end for now, unless there is something to salvage. */
static FilStatus meet_cut(FilReader* reader, uint8_t opcode, uint64_t there, Step* step, FilError* error)
{
    *step = STEP_END;
    const uint64_t offset = reader->offset;
    if (!reader->options.salvage || opcode != FIL_MCAP_CHUNK || there / 2 > reader->options.max_chunk_bytes ||
        !fil_reader_load(reader, offset + FIL_MCAP_PREFIX_SIZE, there)) {
        return FIL_OK;
    }
    reader->offset = offset + FIL_MCAP_PREFIX_SIZE + there;
    *step = STEP_INSIDE;
    return fil_reader_try_chunk(reader, offset, (FilSlice){.data = reader->record.data, .size = reader->record.size}, true, error);
}

static FilStatus meet_record(FilReader* reader, uint64_t offset, const FilMcapRecord* record, FilBagMessage* message, Step* step, FilError* error)
{
    switch (record->opcode) {
        case FIL_MCAP_SCHEMA:
        case FIL_MCAP_CHANNEL:
            return fil_reader_learn(reader, record, offset, error);
        case FIL_MCAP_MESSAGE:
            *step = STEP_MESSAGE;
            return fil_mcap_take_message(record->content, message) ? FIL_OK : fil_reader_complain(reader, offset, "a message is damaged", error);
        case FIL_MCAP_CHUNK:
            *step = STEP_INSIDE;
            return fil_reader_try_chunk(reader, offset, record->content, false, error);
        default:
            return FIL_OK;
    }
}

/* Attachments and metadata are noted, not read; the summary's list is left alone. */
static FilStatus note_place(FilReader* reader, FilReaderPlaces* places, uint64_t length, FilError* error)
{
    const FilReaderPlace place = {.offset = reader->offset, .length = FIL_MCAP_PREFIX_SIZE + length};
    const bool known = reader->info.summarised || (places->count > 0 && places->items[places->count - 1].offset >= place.offset);
    return known || fil_reader_note(places, place) ? FIL_OK : fil_reader_no_memory(reader, error);
}

static FilStatus step_on(FilReader* reader, FilBagMessage* message, Step* step, FilError* error)
{
    *step = STEP_ON;
    const uint64_t offset = reader->offset;
    if (!fil_reader_load(reader, offset, FIL_MCAP_PREFIX_SIZE)) {
        *step = STEP_END;
        return FIL_OK;
    }
    FilCursor cursor = {.at = reader->record.data, .left = reader->record.size};
    const uint8_t opcode = fil_cursor_u8(&cursor);
    const uint64_t length = fil_cursor_u64(&cursor);
    if (opcode == FIL_MCAP_DATA_END || opcode == FIL_MCAP_FOOTER) {
        reader->info.ended = true;
        *step = STEP_END;
        return FIL_OK;
    }
    if (opcode == 0) {
        return fil_reader_complain(reader, offset, "this is no record", error);
    }
    if (!fil_reader_has(reader, offset + FIL_MCAP_PREFIX_SIZE, length)) {
        return meet_cut(reader, opcode, reader->info.size - offset - FIL_MCAP_PREFIX_SIZE, step, error);
    }
    FilStatus status = FIL_OK;
    if (opcode == FIL_MCAP_ATTACHMENT) {
        status = note_place(reader, &reader->attachments, length, error);
    } else if (opcode == FIL_MCAP_METADATA) {
        status = note_place(reader, &reader->metadata, length, error);
    } else if (opcode == FIL_MCAP_SCHEMA || opcode == FIL_MCAP_CHANNEL || opcode == FIL_MCAP_MESSAGE || opcode == FIL_MCAP_CHUNK) {
        if (length / 2 > reader->options.max_chunk_bytes || !fil_reader_load(reader, offset + FIL_MCAP_PREFIX_SIZE, length)) {
            return fil_reader_complain(reader, offset, "a record is too large or cannot be read", error);
        }
        const FilMcapRecord record = {.opcode = opcode, .content = {.data = reader->record.data, .size = reader->record.size}};
        status = meet_record(reader, offset, &record, message, step, error);
    }
    reader->offset = offset + FIL_MCAP_PREFIX_SIZE + length;
    return status;
}

/* ---- messages ---- */

/* Checks and counts a message; *wanted if it is in the selection. */
static FilStatus accept(FilReader* reader, const FilBagMessage* message, bool* wanted, FilError* error)
{
    FilBagEntry* entry = fil_bag_channels_find(&reader->channels, message->channel);
    if (entry == NULL) {
        return fil_reader_complain(reader, reader->offset, "a message has a channel that is not there", error);
    }
    *wanted = message->log_time >= reader->select_start && message->log_time <= reader->select_end;
    if (!reader->info.summarised) {
        FilBagTally tally = {.message_count = reader->info.message_count, .start_time = reader->info.start_time, .end_time = reader->info.end_time};
        fil_bag_tally_add(&tally, message);
        reader->info.message_count = tally.message_count;
        reader->info.start_time = tally.start_time;
        reader->info.end_time = tally.end_time;
        entry->message_count += 1;
        reader->info.partial_messages += reader->partial ? 1 : 0;
    }
    return FIL_OK;
}

/* The next message in the order of the file. */
static FilStatus next_in_file(FilReader* reader, FilBagMessage* message, bool* found, FilError* error)
{
    FilStatus status = fil_reader_next_inside(reader, message, found, error);
    for (Step step = STEP_ON; status == FIL_OK && !*found && step != STEP_END;) {
        reader->partial = false;
        status = step_on(reader, message, &step, error);
        if (status == FIL_OK && step == STEP_MESSAGE) {
            *found = true;
        } else if (status == FIL_OK && step == STEP_INSIDE) {
            status = fil_reader_next_inside(reader, message, found, error);
        }
    }
    return status;
}

/* The next message, wanted or not. */
static FilStatus next_any(FilReader* reader, FilBagMessage* message, bool* found, FilError* error)
{
    if (reader->database != NULL) {
        return fil_db3_reader_next(reader, message, found, error);
    }
    if (reader->info.summarised && reader->chunks.count > 0) {
        return fil_reader_next_by_time(reader, message, found, error);
    }
    return next_in_file(reader, message, found, error);
}

FilStatus fil_reader_next(FilReader* reader, FilBagMessage* message, bool* found, FilError* error)
{
    bool wanted = false;
    FilStatus status = FIL_OK;
    *found = true;
    while (status == FIL_OK && *found && !wanted) {
        status = next_any(reader, message, found, error);
        if (status == FIL_OK && *found) {
            status = accept(reader, message, &wanted, error);
        }
    }
    if (status != FIL_OK) {
        *found = false;
        reader->inside = (FilCursor){0};
    }
    return status;
}

FilStatus fil_reader_select(FilReader* reader, uint64_t start, uint64_t end, FilError* error)
{
    reader->inside = (FilCursor){0};
    reader->next_chunk = 0;
    reader->select_start = start;
    reader->select_end = end;
    fil_reader_merge_clear(reader);
    if (reader->database != NULL) {
        return fil_db3_reader_restart(reader, error);
    }
    fil_bytes_clear(&reader->header);
    if (!reader->info.summarised) {
        // what was counted is counted again
        reader->info.message_count = reader->info.chunk_count = reader->info.damaged_chunks = 0;
        for (size_t i = 0; i < reader->channels.count; ++i) {
            reader->channels.items[i].message_count = 0;
        }
    }
    return read_header(reader, error);
}

FilReaderInfo fil_reader_info(const FilReader* reader)
{
    FilReaderInfo info = reader->info;
    info.path = reader->path;
    info.attachment_count = reader->attachments.count;
    info.metadata_count = reader->metadata.count;
    return info;
}

const FilBagChannels* fil_reader_channels(const FilReader* reader)
{
    return &reader->channels;
}
