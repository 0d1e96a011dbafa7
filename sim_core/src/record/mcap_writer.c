/* Owns the writing of MCAP files: chunks with their message indexes, attachments, the summary at the end.
 *
 *   magic, header | chunk, message indexes | ... attachments, metadata ... | data end | summary | footer, magic
 *
 * Each piece is written whole or not at all, so that the file can be read up to its end at any time. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/mcap.h"
#include "record/output.h"
#include "record/storage.h"

typedef struct Writer {
    FilOutput output;
    FilCompression compression;
    FilBytes head;       /* of the chunk that is being written */
    FilBytes compressed; /* its records */
    FilBytes tail;       /* its message indexes */
    FilBytes* entries;   /* by channel: time and offset of each message in it */
    size_t entry_count;  /* channels that there is room for */

    /* index records for the summary, as they will stand there */
    FilBytes chunk_index, attachment_index, metadata_index;
    uint32_t chunk_count, attachment_count, metadata_count;
} Writer;

/* What a walk through a batch finds. */
typedef struct ChunkSpan {
    uint64_t start_time, end_time; /* ns */
    uint64_t message_count;
} ChunkSpan;

static FilSlice slice_of(const FilBytes* bytes)
{
    return (FilSlice){.data = bytes->data, .size = bytes->size};
}

static FilStatus no_memory(const Writer* writer, FilError* error)
{
    return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", writer->output.path);
}

static void destroy(void* storage)
{
    Writer* writer = storage;
    if (writer == NULL) {
        return;
    }
    fil_output_close(&writer->output);
    for (size_t i = 0; i < writer->entry_count; ++i) {
        fil_bytes_free(&writer->entries[i]);
    }
    fil_free(writer->entries);
    FilBytes* const all[] = {&writer->head,        &writer->compressed,       &writer->tail,
                             &writer->chunk_index, &writer->attachment_index, &writer->metadata_index};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        fil_bytes_free(all[i]);
    }
    fil_free(writer);
}

/* Writes the bytes of a buffer; takes them back if that fails. */
static FilStatus write_whole(Writer* writer, const FilBytes* bytes, FilError* error)
{
    const FilOutput before = writer->output;
    if (bytes->failed) {
        return no_memory(writer, error);
    }
    const FilStatus status = fil_output_write(&writer->output, slice_of(bytes), NULL, error);
    if (status != FIL_OK) {
        fil_output_return(&writer->output, &before);
    }
    return status;
}

static FilStatus create(const FilPlace* place, const FilStorageOptions* options, void** storage, FilError* error)
{
    Writer* writer = fil_alloc(1, sizeof *writer);
    if (writer == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", place->file);
    }
    writer->compression = options->compression;
    FilStatus status = fil_output_create(place, &writer->output, error);
    if (status == FIL_OK) {
        fil_bytes_put(&writer->head, FIL_MCAP_MAGIC, FIL_MCAP_MAGIC_SIZE);
        const size_t opened = fil_mcap_open_record(&writer->head, FIL_MCAP_HEADER);
        fil_bytes_text(&writer->head, "ros2");
        fil_bytes_text(&writer->head, options->library);
        fil_mcap_close_record(&writer->head, opened);
        status = write_whole(writer, &writer->head, error);
        if (status != FIL_OK) {
            fil_place_remove_file(place, "");
        }
    }
    if (status != FIL_OK) {
        destroy(writer);
        return status;
    }
    *storage = writer;
    return FIL_OK;
}

/* ---- chunks ---- */

/* Makes room for the index entries of a channel. */
static FilBytes* entries_of(Writer* writer, uint16_t channel)
{
    if (channel >= writer->entry_count) {
        const size_t count = 2 * (size_t)channel + 16;
        if (!fil_grow((void**)&writer->entries, writer->entry_count, count, sizeof *writer->entries)) {
            return NULL;
        }
        writer->entry_count = count;
    }
    return &writer->entries[channel];
}

/* Notes where each message of the batch is, by channel. */
static bool index_batch(Writer* writer, FilSlice batch, ChunkSpan* span)
{
    FilCursor cursor = {.at = batch.data, .left = batch.size};
    FilMcapRecord record;
    FilBagMessage message;
    for (size_t i = 0; i < writer->entry_count; ++i) {
        fil_bytes_clear(&writer->entries[i]);
    }
    for (uint64_t offset = 0; fil_mcap_next_record(&cursor, &record); offset = batch.size - cursor.left) {
        if (record.opcode != FIL_MCAP_MESSAGE || !fil_mcap_take_message(record.content, &message)) {
            continue;
        }
        FilBytes* entries = entries_of(writer, message.channel);
        if (entries == NULL) {
            return false;
        }
        fil_bytes_u64(entries, message.log_time);
        fil_bytes_u64(entries, offset);
        if (entries->failed) {
            return false;
        }
        span->start_time = span->message_count == 0 || message.log_time < span->start_time ? message.log_time : span->start_time;
        span->end_time = message.log_time > span->end_time ? message.log_time : span->end_time;
        span->message_count += 1;
    }
    return true;
}

/* The chunk's record up to its bytes, and the message indexes that follow them. */
static void put_frame(Writer* writer, FilSlice records, uint64_t size, uint32_t crc, const ChunkSpan* span)
{
    fil_bytes_clear(&writer->head);
    fil_bytes_clear(&writer->tail);
    const size_t opened = fil_mcap_open_record(&writer->head, FIL_MCAP_CHUNK);
    fil_bytes_u64(&writer->head, span->start_time);
    fil_bytes_u64(&writer->head, span->end_time);
    fil_bytes_u64(&writer->head, size);
    fil_bytes_u32(&writer->head, crc);
    fil_bytes_text(&writer->head, fil_compression_name(writer->compression));
    fil_bytes_u64(&writer->head, records.size);
    fil_bytes_set_u64(&writer->head, opened - 8, writer->head.size - opened + records.size);

    for (size_t channel = 0; channel < writer->entry_count; ++channel) {
        const FilBytes* entries = &writer->entries[channel];
        if (entries->size > 0) {
            const size_t index = fil_mcap_open_record(&writer->tail, FIL_MCAP_MESSAGE_INDEX);
            fil_bytes_u16(&writer->tail, (uint16_t)channel);
            fil_bytes_u32(&writer->tail, (uint32_t)entries->size);
            fil_bytes_put(&writer->tail, entries->data, entries->size);
            fil_mcap_close_record(&writer->tail, index);
        }
    }
}

/* The chunk that begins at `start` and whose records end at `end`, for the summary. */
static void put_chunk_index(Writer* writer, uint64_t start, uint64_t end, uint64_t stored_size, uint64_t size, const ChunkSpan* span)
{
    FilBytes* bytes = &writer->chunk_index;
    const size_t opened = fil_mcap_open_record(bytes, FIL_MCAP_CHUNK_INDEX);
    fil_bytes_u64(bytes, span->start_time);
    fil_bytes_u64(bytes, span->end_time);
    fil_bytes_u64(bytes, start);
    fil_bytes_u64(bytes, end - start);
    const size_t map = bytes->size;
    fil_bytes_u32(bytes, 0);
    uint64_t offset = end;
    for (size_t channel = 0; channel < writer->entry_count; ++channel) {
        if (writer->entries[channel].size > 0) {
            fil_bytes_u16(bytes, (uint16_t)channel);
            fil_bytes_u64(bytes, offset);
            offset += FIL_MCAP_PREFIX_SIZE + 2 + 4 + writer->entries[channel].size;
        }
    }
    fil_bytes_set_u32(bytes, map, (uint32_t)(bytes->size - map - 4));
    fil_bytes_u64(bytes, writer->tail.size);
    fil_bytes_text(bytes, fil_compression_name(writer->compression));
    fil_bytes_u64(bytes, stored_size);
    fil_bytes_u64(bytes, size);
    fil_mcap_close_record(bytes, opened);
}

static FilStatus write_chunk(void* storage, FilSlice batch, FilError* error)
{
    Writer* writer = storage;
    FilSlice records = batch;
    ChunkSpan span = {0};
    if (writer->compression != FIL_COMPRESSION_NONE) {
        if (!fil_compress(writer->compression, batch, &writer->compressed)) {
            return no_memory(writer, error);
        }
        records = slice_of(&writer->compressed);
    }
    if (!index_batch(writer, batch, &span)) {
        return no_memory(writer, error);
    }
    const uint32_t crc = fil_crc32(0, batch);
    put_frame(writer, records, batch.size, crc, &span);
    if (writer->head.failed || writer->tail.failed) {
        return no_memory(writer, error);
    }

    // the records' own CRC serves the file's too, unless they are compressed
    const FilOutput before = writer->output;
    const uint32_t* known = writer->compression == FIL_COMPRESSION_NONE ? &crc : NULL;
    FilStatus status = fil_output_write(&writer->output, slice_of(&writer->head), NULL, error);
    if (status == FIL_OK) {
        status = fil_output_write(&writer->output, records, known, error);
    }
    const uint64_t end = writer->output.size;
    if (status == FIL_OK) {
        status = fil_output_write(&writer->output, slice_of(&writer->tail), NULL, error);
    }
    if (status != FIL_OK) {
        fil_output_return(&writer->output, &before);
        return status;
    }
    put_chunk_index(writer, before.size, end, records.size, batch.size, &span);
    writer->chunk_count += 1;
    return writer->chunk_index.failed ? no_memory(writer, error) : FIL_OK;
}

/* ---- beside the messages ---- */

/* Writes a record that `head` holds, and opens the record of an index that says where it is. */
static FilStatus write_indexed(Writer* writer, FilBytes* list, FilMcapOpcode opcode, size_t* index, FilError* error)
{
    const uint64_t offset = writer->output.size;
    const FilStatus status = write_whole(writer, &writer->head, error);
    if (status == FIL_OK) {
        *index = fil_mcap_open_record(list, opcode);
        fil_bytes_u64(list, offset);
        fil_bytes_u64(list, writer->head.size);
    }
    return status;
}

static FilStatus attach(void* storage, const FilBagAttachment* attachment, FilError* error)
{
    Writer* writer = storage;
    FilBytes* bytes = &writer->head;
    fil_bytes_clear(bytes);
    const size_t opened = fil_mcap_open_record(bytes, FIL_MCAP_ATTACHMENT);
    fil_bytes_u64(bytes, attachment->log_time);
    fil_bytes_u64(bytes, attachment->create_time);
    fil_bytes_text(bytes, attachment->name);
    fil_bytes_text(bytes, attachment->media_type);
    fil_bytes_u64(bytes, attachment->data.size);
    fil_bytes_put(bytes, attachment->data.data, attachment->data.size);
    if (bytes->failed) {
        return no_memory(writer, error);
    }
    const FilSlice counted = {.data = bytes->data + opened, .size = bytes->size - opened};
    fil_bytes_u32(bytes, fil_crc32(0, counted));
    fil_mcap_close_record(bytes, opened);

    FilBytes* list = &writer->attachment_index;
    size_t index;
    const FilStatus status = write_indexed(writer, list, FIL_MCAP_ATTACHMENT_INDEX, &index, error);
    if (status != FIL_OK) {
        return status;
    }
    fil_bytes_u64(list, attachment->log_time);
    fil_bytes_u64(list, attachment->create_time);
    fil_bytes_u64(list, attachment->data.size);
    fil_bytes_text(list, attachment->name);
    fil_bytes_text(list, attachment->media_type);
    fil_mcap_close_record(list, index);
    writer->attachment_count += 1;
    return list->failed ? no_memory(writer, error) : FIL_OK;
}

static FilStatus describe(void* storage, const char* name, const FilBagPair* pairs, size_t count, FilError* error)
{
    Writer* writer = storage;
    FilBytes* bytes = &writer->head;
    fil_bytes_clear(bytes);
    const size_t opened = fil_mcap_open_record(bytes, FIL_MCAP_METADATA);
    fil_bytes_text(bytes, name);
    fil_mcap_put_pairs(bytes, pairs, count);
    fil_mcap_close_record(bytes, opened);

    FilBytes* list = &writer->metadata_index;
    size_t index;
    const FilStatus status = write_indexed(writer, list, FIL_MCAP_METADATA_INDEX, &index, error);
    if (status != FIL_OK) {
        return status;
    }
    fil_bytes_text(list, name);
    fil_mcap_close_record(list, index);
    writer->metadata_count += 1;
    return list->failed ? no_memory(writer, error) : FIL_OK;
}

/* ---- the end ---- */

/* Where the groups of equal records in the summary begin. */
typedef struct Groups {
    FilBytes offsets; /* summary offset records */
    uint64_t summary; /* where the summary begins in the file */
    size_t begin;     /* of the open group, in the summary */
} Groups;

static void end_group(Groups* groups, const FilBytes* summary, FilMcapOpcode opcode)
{
    if (summary->size > groups->begin) {
        const size_t opened = fil_mcap_open_record(&groups->offsets, FIL_MCAP_SUMMARY_OFFSET);
        fil_bytes_u8(&groups->offsets, (uint8_t)opcode);
        fil_bytes_u64(&groups->offsets, groups->summary + groups->begin);
        fil_bytes_u64(&groups->offsets, summary->size - groups->begin);
        fil_mcap_close_record(&groups->offsets, opened);
    }
    groups->begin = summary->size;
}

/* Schemas have the number of the first channel that uses them; returns how many there are. */
static uint16_t put_schemas(FilBytes* bytes, const FilBagChannels* channels)
{
    uint16_t count = 0;
    for (size_t i = 0; i < channels->count; ++i) {
        const FilBagEntry* entry = &channels->items[i];
        if (entry->schema_id == entry->id) {
            fil_mcap_put_schema(bytes, entry->id, &entry->channel);
            count += 1;
        }
    }
    return count;
}

static void put_statistics(FilBytes* bytes, const Writer* writer, const FilBagChannels* channels, const FilBagTally* tally, uint16_t schema_count)
{
    const size_t opened = fil_mcap_open_record(bytes, FIL_MCAP_STATISTICS);
    fil_bytes_u64(bytes, tally->message_count);
    fil_bytes_u16(bytes, schema_count);
    fil_bytes_u32(bytes, (uint32_t)channels->count);
    fil_bytes_u32(bytes, writer->attachment_count);
    fil_bytes_u32(bytes, writer->metadata_count);
    fil_bytes_u32(bytes, writer->chunk_count);
    fil_bytes_u64(bytes, tally->start_time);
    fil_bytes_u64(bytes, tally->end_time);
    const size_t map = bytes->size;
    fil_bytes_u32(bytes, 0);
    for (size_t i = 0; i < channels->count; ++i) {
        fil_bytes_u16(bytes, channels->items[i].id);
        fil_bytes_u64(bytes, channels->items[i].message_count);
    }
    fil_bytes_set_u32(bytes, map, (uint32_t)(bytes->size - map - 4));
    fil_mcap_close_record(bytes, opened);
}

/* Everything after the data section, up to the footer's CRC, which is of all of it. */
static void put_summary(FilBytes* bytes, Groups* groups, const Writer* writer, const FilBagChannels* channels, const FilBagTally* tally)
{
    const uint16_t schema_count = put_schemas(bytes, channels);
    end_group(groups, bytes, FIL_MCAP_SCHEMA);
    for (size_t i = 0; i < channels->count; ++i) {
        const FilBagEntry* entry = &channels->items[i];
        fil_mcap_put_channel(bytes, entry->id, entry->schema_id, &entry->channel);
    }
    end_group(groups, bytes, FIL_MCAP_CHANNEL);
    put_statistics(bytes, writer, channels, tally, schema_count);
    end_group(groups, bytes, FIL_MCAP_STATISTICS);
    fil_bytes_put(bytes, writer->chunk_index.data, writer->chunk_index.size);
    end_group(groups, bytes, FIL_MCAP_CHUNK_INDEX);
    fil_bytes_put(bytes, writer->attachment_index.data, writer->attachment_index.size);
    end_group(groups, bytes, FIL_MCAP_ATTACHMENT_INDEX);
    fil_bytes_put(bytes, writer->metadata_index.data, writer->metadata_index.size);
    end_group(groups, bytes, FIL_MCAP_METADATA_INDEX);

    const uint64_t offsets = groups->summary + bytes->size;
    fil_bytes_put(bytes, groups->offsets.data, groups->offsets.size);
    (void)fil_mcap_open_record(bytes, FIL_MCAP_FOOTER);
    // a footer has 20 bytes: two offsets and a CRC, which are written below
    fil_bytes_set_u64(bytes, bytes->size - 8, 20);
    fil_bytes_u64(bytes, groups->summary);
    fil_bytes_u64(bytes, offsets);
}

static FilStatus finish(void* storage, const FilBagChannels* channels, const FilBagTally* tally, FilError* error)
{
    Writer* writer = storage;
    FilBytes end = {0}, summary = {0};
    const size_t opened = fil_mcap_open_record(&end, FIL_MCAP_DATA_END);
    fil_bytes_u32(&end, writer->output.crc);
    fil_mcap_close_record(&end, opened);

    Groups groups = {.summary = writer->output.size + end.size};
    put_summary(&summary, &groups, writer, channels, tally);
    // a list that lacks an entry would make a summary that no reader takes: without one the file is read front to back
    const bool failed =
        summary.failed || groups.offsets.failed || writer->chunk_index.failed || writer->attachment_index.failed || writer->metadata_index.failed;
    if (!failed) {
        fil_bytes_u32(&summary, fil_crc32(0, slice_of(&summary)));
        fil_bytes_put(&summary, FIL_MCAP_MAGIC, FIL_MCAP_MAGIC_SIZE);
        fil_bytes_put(&end, summary.data, summary.size);
    }
    const FilStatus status = failed ? no_memory(writer, error) : write_whole(writer, &end, error);
    fil_bytes_free(&end);
    fil_bytes_free(&summary);
    fil_bytes_free(&groups.offsets);
    return status;
}

const FilStorageOps fil_mcap_storage = {
    .identifier = "mcap",
    .extension = ".mcap",
    .create = create,
    .write = write_chunk,
    .attach = attach,
    .describe = describe,
    .finish = finish,
    .destroy = destroy,
};
