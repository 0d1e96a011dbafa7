/* Owns the reading of one chunk: unpacking it, and the messages in it. */
#include "base/error.h"
#include "record/output.h"
#include "record/reader_impl.h"

/* Makes the chunk whose content is in `reader->record` the one to read messages from. */
static FilStatus enter_chunk(FilReader* reader, uint64_t offset, FilSlice content, bool cut, FilError* error)
{
    FilMcapChunk chunk;
    reader->inside = (FilCursor){0};
    if (!fil_mcap_take_chunk(content, &chunk)) {
        return cut ? FIL_OK : fil_reader_complain(reader, offset, "a chunk is damaged", error);
    }
    FilCompression compression;
    if (!fil_compression_find((const char*)chunk.compression.data, chunk.compression.size, &compression)) {
        return fil_reader_complain(reader, offset, "a chunk is compressed in a way that is not known here", error);
    }
    if (chunk.size > reader->options.max_chunk_bytes) {
        return fil_reader_complain(reader, offset, "a chunk is too large", error);
    }
    const bool whole = fil_decompress(compression, chunk.records, (size_t)chunk.size, &reader->chunk) && reader->chunk.size == chunk.size &&
                       chunk.records.size == chunk.stored_size;
    if (reader->chunk.failed) {
        return fil_reader_no_memory(reader, error);
    }
    const FilSlice records = {.data = reader->chunk.data, .size = reader->chunk.size};
    if (!cut && (!whole || (chunk.crc != 0 && fil_crc32(0, records) != chunk.crc))) {
        return fil_reader_complain(reader, offset, "a chunk is damaged: its size or CRC is wrong", error);
    }
    reader->partial = !whole;
    reader->info.compression = compression;
    reader->info.chunk_count += whole && !reader->info.summarised ? 1 : 0;
    reader->inside = (FilCursor){.at = records.data, .left = records.size};
    return FIL_OK;
}

FilStatus fil_reader_try_chunk(FilReader* reader, uint64_t offset, FilSlice content, bool cut, FilError* error)
{
    FilError damage = {""};
    const FilStatus status = enter_chunk(reader, offset, content, cut, &damage);
    if (status == FIL_BAD_INPUT && reader->options.salvage) {
        reader->info.damaged_chunks += 1;
        reader->inside = (FilCursor){0};
        return FIL_OK;
    }
    return status == FIL_OK ? FIL_OK : fil_error(error, status, "%s", damage.text);
}

FilStatus fil_reader_enter_indexed(FilReader* reader, uint64_t limit, bool* found, FilError* error)
{
    *found = false;
    while (reader->next_chunk < reader->chunks.count && reader->chunks.items[reader->next_chunk].start_time <= limit) {
        const FilReaderPlace place = reader->chunks.items[reader->next_chunk++];
        if (place.end_time < reader->select_start || place.start_time > reader->select_end) {
            continue;
        }
        FilMcapRecord record = {0};
        FilCursor cursor = {0};
        if (place.length / 2 <= reader->options.max_chunk_bytes && fil_reader_load(reader, place.offset, place.length)) {
            cursor = (FilCursor){.at = reader->record.data, .left = reader->record.size};
        }
        if (!fil_mcap_next_record(&cursor, &record) || record.opcode != FIL_MCAP_CHUNK) {
            return fil_reader_complain(reader, place.offset, "the index promises a chunk that is not there", error);
        }
        *found = true;
        return enter_chunk(reader, place.offset, record.content, false, error);
    }
    return FIL_OK;
}

FilStatus fil_reader_next_inside(FilReader* reader, FilBagMessage* message, bool* found, FilError* error)
{
    FilMcapRecord record;
    *found = false;
    while (!*found && fil_mcap_next_record(&reader->inside, &record)) {
        if (record.opcode == FIL_MCAP_SCHEMA || record.opcode == FIL_MCAP_CHANNEL) {
            const FilStatus status = fil_reader_learn(reader, &record, reader->offset, error);
            if (status != FIL_OK) {
                return status;
            }
        } else if (record.opcode == FIL_MCAP_MESSAGE) {
            if (!fil_mcap_take_message(record.content, message)) {
                return fil_reader_complain(reader, reader->offset, "a message is damaged", error);
            }
            *found = true;
        }
    }
    if (!*found && reader->inside.left > 0 && !reader->partial) {
        return fil_reader_complain(reader, reader->offset, "a chunk ends in the middle of a record", error);
    }
    return FIL_OK;
}
