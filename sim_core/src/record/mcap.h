/* The records of MCAP (mcap.dev/spec), byte by byte: one function to put each, one to take each apart. */
#ifndef FILUM_RECORD_MCAP_H
#define FILUM_RECORD_MCAP_H

#include "record/bag.h"
#include "record/bytes.h"

#define FIL_MCAP_MAGIC "\x89MCAP0\r\n"

enum {
    FIL_MCAP_MAGIC_SIZE = 8,
    FIL_MCAP_PREFIX_SIZE = 9,                                        /* opcode and length of a record */
    FIL_MCAP_MESSAGE_SIZE = 22,                                      /* a message's fields before its data */
    FIL_MCAP_FOOTER_SIZE = FIL_MCAP_PREFIX_SIZE + 20,                /* the whole record */
    FIL_MCAP_TAIL_SIZE = FIL_MCAP_FOOTER_SIZE + FIL_MCAP_MAGIC_SIZE, /* what a finished file ends with */
};

typedef enum FilMcapOpcode {
    FIL_MCAP_HEADER = 0x01,
    FIL_MCAP_FOOTER,
    FIL_MCAP_SCHEMA,
    FIL_MCAP_CHANNEL,
    FIL_MCAP_MESSAGE,
    FIL_MCAP_CHUNK,
    FIL_MCAP_MESSAGE_INDEX,
    FIL_MCAP_CHUNK_INDEX,
    FIL_MCAP_ATTACHMENT,
    FIL_MCAP_ATTACHMENT_INDEX,
    FIL_MCAP_STATISTICS,
    FIL_MCAP_METADATA,
    FIL_MCAP_METADATA_INDEX,
    FIL_MCAP_SUMMARY_OFFSET,
    FIL_MCAP_DATA_END,
} FilMcapOpcode;

/* ---- putting: open a record, put its fields, close it ---- */

size_t fil_mcap_open_record(FilBytes* bytes, FilMcapOpcode opcode); /* returns what closing wants */
void fil_mcap_close_record(FilBytes* bytes, size_t opened);

void fil_mcap_put_schema(FilBytes* bytes, uint16_t id, const FilBagChannel* channel);
void fil_mcap_put_channel(FilBytes* bytes, uint16_t id, uint16_t schema_id, const FilBagChannel* channel);
void fil_mcap_put_message(FilBytes* bytes, const FilBagMessage* message);
void fil_mcap_put_pairs(FilBytes* bytes, const FilBagPair* pairs, size_t count); /* a map, not a record */

/* ---- taking: the content of a record; false if it is damaged. Slices point into it. ---- */

typedef struct FilMcapRecord {
    uint8_t opcode;
    FilSlice content;
} FilMcapRecord;

typedef struct FilMcapSchema {
    uint16_t id;
    FilSlice name, encoding, data;
} FilMcapSchema;

typedef struct FilMcapChannel {
    uint16_t id, schema_id;
    FilSlice topic, encoding;
    FilSlice pairs; /* the map without its length */
} FilMcapChannel;

typedef struct FilMcapChunk {
    uint64_t start_time, end_time; /* ns */
    uint64_t size;                 /* uncompressed */
    uint32_t crc;                  /* of the uncompressed bytes; 0 if not known */
    FilSlice compression;
    uint64_t stored_size; /* as it stands in the file; `records` has less if the chunk was cut off */
    FilSlice records;
} FilMcapChunk;

typedef struct FilMcapChunkIndex {
    uint64_t start_time, end_time; /* ns */
    uint64_t offset, length;       /* of the chunk record */
    FilSlice compression;
} FilMcapChunkIndex;

typedef struct FilMcapAttachment {
    uint64_t log_time, create_time; /* ns */
    FilSlice name, media_type, data;
    uint32_t crc;     /* 0 if not known */
    FilSlice counted; /* what the CRC is of */
} FilMcapAttachment;

typedef struct FilMcapStatistics {
    uint64_t message_count;
    uint32_t channel_count, attachment_count, metadata_count, chunk_count;
    uint16_t schema_count;
    uint64_t start_time, end_time; /* ns */
    FilSlice counts;               /* u16 channel, u64 messages; again and again */
} FilMcapStatistics;

/* The next whole record in `cursor`; false, with the cursor left alone, if there is none. */
bool fil_mcap_next_record(FilCursor* cursor, FilMcapRecord* record);

bool fil_mcap_take_schema(FilSlice content, FilMcapSchema* schema);
bool fil_mcap_take_channel(FilSlice content, FilMcapChannel* channel);
bool fil_mcap_take_message(FilSlice content, FilBagMessage* message);
bool fil_mcap_take_chunk(FilSlice content, FilMcapChunk* chunk);
bool fil_mcap_take_chunk_index(FilSlice content, FilMcapChunkIndex* index);
bool fil_mcap_take_attachment(FilSlice content, FilMcapAttachment* attachment);
bool fil_mcap_take_statistics(FilSlice content, FilMcapStatistics* statistics);

#endif
