/* Owns the reading of a file's summary. */
#include <stdlib.h>
#include <string.h>

#include "record/output.h"
#include "record/reader_impl.h"

/* Finds the summary and loads it into `reader->record`; false if there is none that is whole. */
static bool load_summary(FilReader* reader, uint64_t* start, FilSlice* summary)
{
    const uint64_t size = fil_reader_measure(reader);
    if (size < FIL_MCAP_MAGIC_SIZE + FIL_MCAP_TAIL_SIZE || !fil_reader_load(reader, size - FIL_MCAP_TAIL_SIZE, FIL_MCAP_TAIL_SIZE)) {
        return false;
    }
    FilCursor cursor = {.at = reader->record.data, .left = reader->record.size};
    FilMcapRecord footer;
    if (!fil_mcap_next_record(&cursor, &footer) || footer.opcode != FIL_MCAP_FOOTER || cursor.left != FIL_MCAP_MAGIC_SIZE ||
        memcmp(cursor.at, FIL_MCAP_MAGIC, FIL_MCAP_MAGIC_SIZE) != 0) {
        return false;
    }
    cursor = (FilCursor){.at = footer.content.data, .left = footer.content.size};
    *start = fil_cursor_u64(&cursor);
    (void)fil_cursor_u64(&cursor);  // where the offsets of its groups are
    const uint32_t crc = fil_cursor_u32(&cursor);
    const uint64_t end = size - FIL_MCAP_TAIL_SIZE;
    // the CRC is of everything up to itself
    const uint64_t counted = size - FIL_MCAP_MAGIC_SIZE - 4;
    if (*start < FIL_MCAP_MAGIC_SIZE || *start > end || counted - *start > FIL_READER_MAX_TEXT ||
        !fil_reader_load(reader, *start, counted - *start)) {
        return false;
    }
    *summary = (FilSlice){.data = reader->record.data, .size = reader->record.size};
    if (crc != 0 && fil_crc32(0, *summary) != crc) {
        return false;
    }
    summary->size = (size_t)(end - *start);
    return true;
}

static void count_channels(FilReader* reader, FilSlice counts)
{
    FilCursor cursor = {.at = counts.data, .left = counts.size};
    while (cursor.left > 0 && !cursor.failed) {
        const uint16_t id = fil_cursor_u16(&cursor);
        const uint64_t count = fil_cursor_u64(&cursor);
        FilBagEntry* entry = fil_bag_channels_find(&reader->channels, id);
        if (entry != NULL) {
            entry->message_count = count;
        }
    }
}

static bool take_statistics(FilReader* reader, FilSlice content)
{
    FilMcapStatistics statistics;
    if (!fil_mcap_take_statistics(content, &statistics)) {
        return false;
    }
    reader->info.message_count = statistics.message_count;
    reader->info.start_time = statistics.start_time;
    reader->info.end_time = statistics.end_time;
    reader->info.chunk_count = statistics.chunk_count;
    count_channels(reader, statistics.counts);
    return true;
}

static bool take_chunk_index(FilReader* reader, FilSlice content)
{
    FilMcapChunkIndex index;
    if (!fil_mcap_take_chunk_index(content, &index)) {
        return false;
    }
    (void)fil_compression_find((const char*)index.compression.data, index.compression.size, &reader->info.compression);
    return fil_reader_note(
        &reader->chunks,
        (FilReaderPlace){.offset = index.offset, .length = index.length, .start_time = index.start_time, .end_time = index.end_time});
}

static bool take_place(FilReaderPlaces* places, FilSlice content)
{
    FilCursor cursor = {.at = content.data, .left = content.size};
    FilReaderPlace place = {0};
    place.offset = fil_cursor_u64(&cursor);
    place.length = fil_cursor_u64(&cursor);
    return !cursor.failed && fil_reader_note(places, place);
}

static FilStatus take_record(FilReader* reader, const FilMcapRecord* record, uint64_t offset, FilError* error)
{
    bool good = true;
    switch (record->opcode) {
        case FIL_MCAP_SCHEMA:
        case FIL_MCAP_CHANNEL:
            return fil_reader_learn(reader, record, offset, error);
        case FIL_MCAP_STATISTICS:
            reader->info.summarised = true;
            good = take_statistics(reader, record->content);
            break;
        case FIL_MCAP_CHUNK_INDEX:
            good = take_chunk_index(reader, record->content);
            break;
        case FIL_MCAP_ATTACHMENT_INDEX:
            good = take_place(&reader->attachments, record->content);
            break;
        case FIL_MCAP_METADATA_INDEX:
            good = take_place(&reader->metadata, record->content);
            break;
        default:
            break;
    }
    return good ? FIL_OK : fil_reader_complain(reader, offset, "the summary is damaged", error);
}

static int compare_places(const void* a, const void* b)
{
    const FilReaderPlace* one = a;
    const FilReaderPlace* other = b;
    if (one->start_time != other->start_time) {
        return one->start_time < other->start_time ? -1 : 1;
    }
    return one->offset < other->offset ? -1 : one->offset > other->offset;
}

FilStatus fil_reader_read_summary(FilReader* reader, FilError* error)
{
    uint64_t start = 0;
    FilSlice summary;
    if (!load_summary(reader, &start, &summary)) {
        return FIL_OK;
    }
    FilCursor cursor = {.at = summary.data, .left = summary.size};
    FilMcapRecord record;
    for (uint64_t offset = start; fil_mcap_next_record(&cursor, &record); offset = start + summary.size - cursor.left) {
        const FilStatus status = take_record(reader, &record, offset, error);
        if (status != FIL_OK) {
            return status;
        }
    }
    if (reader->chunks.count > 0) {
        qsort(reader->chunks.items, reader->chunks.count, sizeof *reader->chunks.items, compare_places);
    }
    reader->info.ended = reader->info.summarised;
    return FIL_OK;
}
