/* Owns what a reader learns on its way: schemas, channels, and where attachments and metadata are. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/output.h"
#include "record/reader_impl.h"

bool fil_reader_note(FilReaderPlaces* places, FilReaderPlace place)
{
    if (places->count == places->capacity) {
        const size_t capacity = 2 * places->capacity + 16;
        if (!fil_grow((void**)&places->items, places->count, capacity, sizeof *places->items)) {
            return false;
        }
        places->capacity = capacity;
    }
    places->items[places->count++] = place;
    return true;
}

/* ---- schemas and channels ---- */

static bool find_schema(const FilReader* reader, uint16_t id, FilMcapSchema* schema)
{
    const uint32_t place = reader->schemas.place[id];
    if (place == 0) {
        *schema = (FilMcapSchema){0};
        return id == 0;  // no schema at all is allowed
    }
    const FilBytes* texts = &reader->schemas.texts;
    return fil_mcap_take_schema((FilSlice){.data = texts->data + place - 1, .size = texts->size - (place - 1)}, schema);
}

static FilStatus learn_schema(FilReader* reader, FilSlice content, uint64_t offset, FilError* error)
{
    FilMcapSchema schema, known;
    if (!fil_mcap_take_schema(content, &schema)) {
        return fil_reader_complain(reader, offset, "a schema is damaged", error);
    }
    if (reader->schemas.place[schema.id] != 0) {
        return find_schema(reader, schema.id, &known) && fil_slice_equal(known.name, schema.name) &&
                       fil_slice_equal(known.encoding, schema.encoding) && fil_slice_equal(known.data, schema.data)
                   ? FIL_OK
                   : fil_reader_complain(reader, offset, "a schema says other than before", error);
    }
    if (content.size > FIL_READER_MAX_TEXT - reader->schemas.texts.size) {
        return fil_reader_complain(reader, offset, "the schemas are too long", error);
    }
    reader->schemas.place[schema.id] = (uint32_t)reader->schemas.texts.size + 1;
    fil_bytes_put(&reader->schemas.texts, content.data, content.size);
    return reader->schemas.texts.failed ? fil_reader_no_memory(reader, error) : FIL_OK;
}

/* Appends the slice and a NUL; returns where. Texts end at their first NUL. */
static size_t put_text(FilBytes* bytes, FilSlice slice)
{
    const size_t at = bytes->size;
    fil_bytes_put(bytes, slice.data, slice.size);
    fil_bytes_u8(bytes, '\0');
    return at;
}

/* Takes a map apart: the texts go to `texts`, the pairs to `pairs` (as FilBagPair, pointing into `texts` once it has
 * stopped growing). */
static bool put_pairs(FilSlice map, FilBytes* texts, FilBytes* pairs)
{
    FilCursor cursor = {.at = map.data, .left = map.size};
    while (cursor.left > 0) {
        const FilSlice key = fil_cursor_slice(&cursor);
        const FilSlice value = fil_cursor_slice(&cursor);
        if (cursor.failed) {
            return false;
        }
        const size_t places[2] = {put_text(texts, key), put_text(texts, value)};
        fil_bytes_put(pairs, places, sizeof places);
    }
    return !texts->failed && !pairs->failed;
}

/* Turns places in `texts` into pointers; returns the pairs. */
static const FilBagPair* point_pairs(const FilBytes* texts, FilBytes* pairs, size_t* count)
{
    _Static_assert(sizeof(FilBagPair) == 2 * sizeof(size_t), "a pair of places has the size of a pair of pointers");
    const char* base = (const char*)texts->data;
    *count = pairs->size / sizeof(FilBagPair);
    for (size_t i = 0; i < *count; ++i) {
        size_t places[2];
        uint8_t* pair = pairs->data + i * sizeof(FilBagPair);
        memcpy(places, pair, sizeof places);
        const FilBagPair pointed = {.key = base + places[0], .value = base + places[1]};
        memcpy(pair, &pointed, sizeof pointed);
    }
    return (const FilBagPair*)(const void*)pairs->data;
}

static bool text_equal(const char* text, FilSlice slice)
{
    return fil_slice_equal((FilSlice){.data = (const uint8_t*)text, .size = strlen(text)}, slice);
}

static FilStatus learn_channel(FilReader* reader, FilSlice content, uint64_t offset, FilError* error)
{
    FilMcapChannel channel;
    FilMcapSchema schema;
    if (!fil_mcap_take_channel(content, &channel)) {
        return fil_reader_complain(reader, offset, "a channel is damaged", error);
    }
    if (!find_schema(reader, channel.schema_id, &schema)) {
        return fil_reader_complain(reader, offset, "a channel has a schema that is not there", error);
    }
    const FilBagEntry* known = fil_bag_channels_find(&reader->channels, channel.id);
    if (known != NULL) {
        return known->schema_id == channel.schema_id && text_equal(known->channel.topic, channel.topic)
                   ? FIL_OK
                   : fil_reader_complain(reader, offset, "a channel says other than before", error);
    }
    if (content.size + schema.data.size + schema.name.size > FIL_READER_MAX_TEXT - reader->channels.text_bytes ||
        reader->channels.count >= FIL_BAG_MAX_CHANNELS) {
        return fil_reader_complain(reader, offset, "there are too many channels, or too long ones", error);
    }
    FilBytes* texts = &reader->texts;
    FilBytes* pairs = &reader->pairs;
    fil_bytes_clear(texts);
    fil_bytes_clear(pairs);
    const size_t topic = put_text(texts, channel.topic), encoding = put_text(texts, channel.encoding);
    const size_t type = put_text(texts, schema.name), schema_encoding = put_text(texts, schema.encoding);
    if (!put_pairs(channel.pairs, texts, pairs)) {
        return texts->failed || pairs->failed ? fil_reader_no_memory(reader, error)
                                              : fil_reader_complain(reader, offset, "a channel is damaged", error);
    }
    const char* base = (const char*)texts->data;
    FilBagChannel made = {
        .topic = base + topic,
        .type = base + type,
        .encoding = base + encoding,
        .schema_encoding = base + schema_encoding,
        .schema = schema.data,
    };
    made.properties = point_pairs(texts, pairs, &made.property_count);
    return fil_bag_channels_add(&reader->channels, &made, channel.id, channel.schema_id) ? FIL_OK : fil_reader_no_memory(reader, error);
}

FilStatus fil_reader_learn(FilReader* reader, const FilMcapRecord* record, uint64_t offset, FilError* error)
{
    return record->opcode == FIL_MCAP_SCHEMA ? learn_schema(reader, record->content, offset, error)
                                             : learn_channel(reader, record->content, offset, error);
}

/* ---- attachments and metadata ---- */

/* Loads the record at a noted place into `reader->record`. */
static FilStatus load_place(FilReader* reader, const FilReaderPlaces* places, size_t index, FilMcapOpcode opcode, FilSlice* content, FilError* error)
{
    if (index >= places->count) {
        return fil_error(error, FIL_BAD_INPUT, "%s: has no such record", reader->path);
    }
    const FilReaderPlace place = places->items[index];
    if (place.length > FIL_READER_MAX_TEXT || !fil_reader_load(reader, place.offset, place.length)) {
        return fil_reader_complain(reader, place.offset, "an attachment or metadata cannot be read", error);
    }
    FilCursor cursor = {.at = reader->record.data, .left = reader->record.size};
    FilMcapRecord record;
    if (!fil_mcap_next_record(&cursor, &record) || record.opcode != opcode) {
        return fil_reader_complain(reader, place.offset, "an index points to something else", error);
    }
    *content = record.content;
    return FIL_OK;
}

FilStatus fil_reader_attachment(FilReader* reader, size_t index, FilBagAttachment* attachment, FilError* error)
{
    FilSlice content = {0};
    FilMcapAttachment found;
    const FilStatus status = load_place(reader, &reader->attachments, index, FIL_MCAP_ATTACHMENT, &content, error);
    if (status != FIL_OK) {
        return status;
    }
    if (!fil_mcap_take_attachment(content, &found) || (found.crc != 0 && fil_crc32(0, found.counted) != found.crc)) {
        return fil_reader_complain(reader, reader->attachments.items[index].offset, "an attachment is damaged", error);
    }
    fil_bytes_clear(&reader->texts);
    const size_t name = put_text(&reader->texts, found.name);
    const size_t media_type = put_text(&reader->texts, found.media_type);
    if (reader->texts.failed) {
        return fil_reader_no_memory(reader, error);
    }
    *attachment = (FilBagAttachment){
        .log_time = found.log_time,
        .create_time = found.create_time,
        .name = (const char*)reader->texts.data + name,
        .media_type = (const char*)reader->texts.data + media_type,
        .data = found.data,
    };
    return FIL_OK;
}

FilStatus fil_reader_metadata(FilReader* reader, size_t index, FilReaderMetadata* metadata, FilError* error)
{
    FilSlice content = {0};
    const FilStatus status = load_place(reader, &reader->metadata, index, FIL_MCAP_METADATA, &content, error);
    if (status != FIL_OK) {
        return status;
    }
    FilCursor cursor = {.at = content.data, .left = content.size};
    const FilSlice name = fil_cursor_slice(&cursor);
    const FilSlice map = fil_cursor_slice(&cursor);
    fil_bytes_clear(&reader->texts);
    fil_bytes_clear(&reader->pairs);
    (void)put_text(&reader->texts, name);
    const bool good = !cursor.failed && put_pairs(map, &reader->texts, &reader->pairs);
    if (reader->texts.failed || reader->pairs.failed) {
        return fil_reader_no_memory(reader, error);
    }
    if (!good) {
        return fil_reader_complain(reader, reader->metadata.items[index].offset, "metadata is damaged", error);
    }
    metadata->name = (const char*)reader->texts.data;
    metadata->pairs = point_pairs(&reader->texts, &reader->pairs, &metadata->count);
    return FIL_OK;
}
