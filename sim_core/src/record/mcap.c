/* Owns the layout of MCAP records. */
#include "record/mcap.h"

size_t fil_mcap_open_record(FilBytes* bytes, FilMcapOpcode opcode)
{
    fil_bytes_u8(bytes, (uint8_t)opcode);
    fil_bytes_u64(bytes, 0);  // the length, when it is known
    return bytes->size;
}

void fil_mcap_close_record(FilBytes* bytes, size_t opened)
{
    fil_bytes_set_u64(bytes, opened - 8, bytes->size - opened);
}

void fil_mcap_put_pairs(FilBytes* bytes, const FilBagPair* pairs, size_t count)
{
    const size_t at = bytes->size;
    fil_bytes_u32(bytes, 0);
    for (size_t i = 0; i < count; ++i) {
        fil_bytes_text(bytes, pairs[i].key);
        fil_bytes_text(bytes, pairs[i].value);
    }
    fil_bytes_set_u32(bytes, at, (uint32_t)(bytes->size - at - 4));
}

void fil_mcap_put_schema(FilBytes* bytes, uint16_t id, const FilBagChannel* channel)
{
    const size_t opened = fil_mcap_open_record(bytes, FIL_MCAP_SCHEMA);
    fil_bytes_u16(bytes, id);
    fil_bytes_text(bytes, channel->type);
    fil_bytes_text(bytes, channel->schema_encoding);
    fil_bytes_u32(bytes, (uint32_t)channel->schema.size);
    fil_bytes_put(bytes, channel->schema.data, channel->schema.size);
    fil_mcap_close_record(bytes, opened);
}

void fil_mcap_put_channel(FilBytes* bytes, uint16_t id, uint16_t schema_id, const FilBagChannel* channel)
{
    const size_t opened = fil_mcap_open_record(bytes, FIL_MCAP_CHANNEL);
    fil_bytes_u16(bytes, id);
    fil_bytes_u16(bytes, schema_id);
    fil_bytes_text(bytes, channel->topic);
    fil_bytes_text(bytes, channel->encoding);
    fil_mcap_put_pairs(bytes, channel->properties, channel->property_count);
    fil_mcap_close_record(bytes, opened);
}

void fil_mcap_put_message(FilBytes* bytes, const FilBagMessage* message)
{
    const size_t opened = fil_mcap_open_record(bytes, FIL_MCAP_MESSAGE);
    fil_bytes_u16(bytes, message->channel);
    fil_bytes_u32(bytes, message->sequence);
    fil_bytes_u64(bytes, message->log_time);
    fil_bytes_u64(bytes, message->publish_time);
    fil_bytes_put(bytes, message->data.data, message->data.size);
    fil_mcap_close_record(bytes, opened);
}

/* ---- taking ---- */

static FilCursor cursor_of(FilSlice content)
{
    return (FilCursor){.at = content.data, .left = content.size};
}

bool fil_mcap_next_record(FilCursor* cursor, FilMcapRecord* record)
{
    FilCursor ahead = *cursor;
    record->opcode = fil_cursor_u8(&ahead);
    const uint64_t length = fil_cursor_u64(&ahead);
    record->content = fil_cursor_take(&ahead, length);
    if (ahead.failed) {
        return false;
    }
    *cursor = ahead;
    return true;
}

bool fil_mcap_take_schema(FilSlice content, FilMcapSchema* schema)
{
    FilCursor cursor = cursor_of(content);
    schema->id = fil_cursor_u16(&cursor);
    schema->name = fil_cursor_slice(&cursor);
    schema->encoding = fil_cursor_slice(&cursor);
    schema->data = fil_cursor_slice(&cursor);
    return !cursor.failed && schema->id != 0;
}

bool fil_mcap_take_channel(FilSlice content, FilMcapChannel* channel)
{
    FilCursor cursor = cursor_of(content);
    channel->id = fil_cursor_u16(&cursor);
    channel->schema_id = fil_cursor_u16(&cursor);
    channel->topic = fil_cursor_slice(&cursor);
    channel->encoding = fil_cursor_slice(&cursor);
    channel->pairs = fil_cursor_slice(&cursor);
    return !cursor.failed;
}

bool fil_mcap_take_message(FilSlice content, FilBagMessage* message)
{
    FilCursor cursor = cursor_of(content);
    message->channel = fil_cursor_u16(&cursor);
    message->sequence = fil_cursor_u32(&cursor);
    message->log_time = fil_cursor_u64(&cursor);
    message->publish_time = fil_cursor_u64(&cursor);
    message->data = fil_cursor_take(&cursor, cursor.left);
    return !cursor.failed;
}

bool fil_mcap_take_chunk(FilSlice content, FilMcapChunk* chunk)
{
    FilCursor cursor = cursor_of(content);
    chunk->start_time = fil_cursor_u64(&cursor);
    chunk->end_time = fil_cursor_u64(&cursor);
    chunk->size = fil_cursor_u64(&cursor);
    chunk->crc = fil_cursor_u32(&cursor);
    chunk->compression = fil_cursor_slice(&cursor);
    chunk->stored_size = fil_cursor_u64(&cursor);
    chunk->records = fil_cursor_take(&cursor, chunk->stored_size < cursor.left ? chunk->stored_size : cursor.left);
    return !cursor.failed;
}

bool fil_mcap_take_chunk_index(FilSlice content, FilMcapChunkIndex* index)
{
    FilCursor cursor = cursor_of(content);
    index->start_time = fil_cursor_u64(&cursor);
    index->end_time = fil_cursor_u64(&cursor);
    index->offset = fil_cursor_u64(&cursor);
    index->length = fil_cursor_u64(&cursor);
    (void)fil_cursor_slice(&cursor);  // where the message indexes are
    (void)fil_cursor_u64(&cursor);    // and how long
    index->compression = fil_cursor_slice(&cursor);
    return !cursor.failed;
}

bool fil_mcap_take_attachment(FilSlice content, FilMcapAttachment* attachment)
{
    FilCursor cursor = cursor_of(content);
    attachment->log_time = fil_cursor_u64(&cursor);
    attachment->create_time = fil_cursor_u64(&cursor);
    attachment->name = fil_cursor_slice(&cursor);
    attachment->media_type = fil_cursor_slice(&cursor);
    const uint64_t size = fil_cursor_u64(&cursor);
    attachment->data = fil_cursor_take(&cursor, size);
    attachment->counted = (FilSlice){.data = content.data, .size = content.size - cursor.left};
    attachment->crc = fil_cursor_u32(&cursor);
    return !cursor.failed;
}

bool fil_mcap_take_statistics(FilSlice content, FilMcapStatistics* statistics)
{
    FilCursor cursor = cursor_of(content);
    statistics->message_count = fil_cursor_u64(&cursor);
    statistics->schema_count = fil_cursor_u16(&cursor);
    statistics->channel_count = fil_cursor_u32(&cursor);
    statistics->attachment_count = fil_cursor_u32(&cursor);
    statistics->metadata_count = fil_cursor_u32(&cursor);
    statistics->chunk_count = fil_cursor_u32(&cursor);
    statistics->start_time = fil_cursor_u64(&cursor);
    statistics->end_time = fil_cursor_u64(&cursor);
    statistics->counts = fil_cursor_slice(&cursor);
    return !cursor.failed;
}
