/* Bags of messages, as rosbag2 writes and reads them: MCAP files, or SQLite. Bytes only: nothing here knows what a message
 * means. Belongs to the library filum_record, which needs none of the others. */
#ifndef FILUM_RECORD_H
#define FILUM_RECORD_H

#include "filum/base.h"

FIL_API_BEGIN

/* ---- what a bag holds ---- */

/* Bytes of someone else's. */
typedef struct FilSlice {
    const uint8_t* data; /* not terminated */
    size_t size;         /* bytes */
} FilSlice;

/* Two texts of a record of metadata, borrowed. */
typedef struct FilBagPair {
    const char* key;   /* terminated */
    const char* value; /* terminated */
} FilBagPair;

/* A topic of a bag. Texts are borrowed. */
typedef struct FilBagChannel {
    const char* topic;           /* "/rod_states" */
    const char* type;            /* "filum/msg/RodStates" */
    const char* encoding;        /* of the messages, "cdr" */
    const char* schema_encoding; /* "ros2msg"; "" where the definition is not known */
    FilSlice schema;             /* the definition; empty where it is not known */
    const FilBagPair* properties;
    size_t property_count;
} FilBagChannel;

/* A message of a bag. Its bytes are borrowed. */
typedef struct FilBagMessage {
    uint16_t channel;      /* its number in the bag, from 1 in bags of this writer */
    uint32_t sequence;     /* counted by who published it; 0: not known */
    uint64_t log_time;     /* ns */
    uint64_t publish_time; /* ns */
    FilSlice data;
} FilBagMessage;

/* A file inside a bag. Texts and bytes are borrowed. */
typedef struct FilBagAttachment {
    uint64_t log_time, create_time; /* ns */
    const char* name;               /* of the file */
    const char* media_type;         /* "application/yaml" */
    FilSlice data;
} FilBagAttachment;

/* Of chunks of MCAP files; db3 files have none. */
typedef enum FilCompression {
    FIL_COMPRESSION_NONE,
    FIL_COMPRESSION_LZ4,
    FIL_COMPRESSION_ZSTD,
} FilCompression;

/* ---- writing ---- */

/* Records messages into a bag from a thread of its own. Writing copies the bytes into a bounded queue; when the queue
 * is full the caller waits, or the message is dropped and counted. What is written is readable while the recording goes
 * on.
 *
 * A path that ends in .mcap or .db3 becomes that file alone; any other becomes a directory as rosbag2 makes it:
 * PATH/NAME_0.mcap and PATH/metadata.yaml. What exists is never touched.
 *
 * All functions may be called from any thread, but only one may close. */
typedef struct FilRecorder FilRecorder;

/* How a bag is written. */
typedef struct FilRecorderOptions {
    bool sqlite;                /* a directory gets a .db3 file instead of .mcap; that of a single file follows its name */
    FilCompression compression; /* of MCAP's chunks */
    size_t chunk_bytes;         /* a chunk is written when it has grown to this */
    size_t queue_bytes;         /* about what may wait to be written */
    double flush_period;        /* s of wall time after which a chunk is written anyway */
    bool drop_when_full;        /* rather than wait */
    const char* library;        /* who writes; borrowed while creating */
    const char* folders;        /* the bag must lie below one of these, separated by colons, whatever links do; NULL: anywhere. Likewise borrowed */
} FilRecorderOptions;

FilRecorderOptions fil_recorder_options_default(void);

/* Sets storage ("mcap", "sqlite3") and compression ("none", "lz4", "zstd") by their names. */
FIL_MUST_CHECK FilStatus fil_recorder_options_choose(FilRecorderOptions* options, const char* storage, const char* compression, FilError* error);

/* Creates the directory and the file, and starts the thread. `options` may be NULL: the defaults. */
FIL_MUST_CHECK FilStatus fil_recorder_create(const char* path, const FilRecorderOptions* options, FilRecorder** recorder, FilError* error);

/* Copies the channel and gives it the next number, from 1. */
FIL_MUST_CHECK FilStatus fil_recorder_add_channel(FilRecorder* recorder, const FilBagChannel* channel, uint16_t* id, FilError* error);

/* Copies the message. Fails if the thread has failed (a full disk) since; the recording is over then. */
FIL_MUST_CHECK FilStatus fil_recorder_write(FilRecorder* recorder, const FilBagMessage* message, FilError* error);

/* Lays a file, or named texts, beside the messages, after everything written so far. MCAP only. */
FIL_MUST_CHECK FilStatus fil_recorder_attach(FilRecorder* recorder, const FilBagAttachment* attachment, FilError* error);
FIL_MUST_CHECK FilStatus fil_recorder_describe(FilRecorder* recorder, const char* name, const FilBagPair* pairs, size_t count, FilError* error);

/* Returns when everything written so far is in the file. */
FIL_MUST_CHECK FilStatus fil_recorder_flush(FilRecorder* recorder, FilError* error);

/* What became of messages so far. */
typedef struct FilRecorderCounts {
    uint64_t written; /* messages that are in the file */
    uint64_t dropped; /* because the queue was full */
    uint64_t waited;  /* times that a caller had to wait */
} FilRecorderCounts;

/* Since it was opened. May be called by any thread. */
FilRecorderCounts fil_recorder_counts(FilRecorder* recorder);

/* The file that is being written, and whether it has a place for attachments and metadata. */
const char* fil_recorder_file(const FilRecorder* recorder);
bool fil_recorder_attaches(const FilRecorder* recorder);

/* Writes what waits, the summary and metadata.yaml, and frees the recorder, also when it fails. After a failure the
 * file is good up to the last chunk. NULL is fine. */
FIL_MUST_CHECK FilStatus fil_recorder_close(FilRecorder* recorder, FilRecorderCounts* counts, FilError* error);

/* ---- reading ---- */

/* Reads MCAP files, whoever wrote them, and rosbag2's SQLite files. A file with a summary is read by its index, in
 * order of time, and so is one of SQLite; any other, also one that is still being written, is read from front to back.
 * Whatever the bytes are, memory stays within limits and damage gives an error. */
typedef struct FilReader FilReader;

/* How a bag is read. */
typedef struct FilReaderOptions {
    size_t max_chunk_bytes; /* uncompressed; larger ones are refused */
    bool front_to_back;     /* leave the index alone */
    bool salvage;           /* front to back, past damaged chunks, and into one that was cut off */
} FilReaderOptions;

FilReaderOptions fil_reader_options_default(void);

/* Opens a recording, MCAP or db3, which the caller closes. A message says why it cannot be read. `options` may be NULL: the defaults. Allocates. */
FIL_MUST_CHECK FilStatus fil_reader_open(const char* path, const FilReaderOptions* options, FilReader** reader, FilError* error);

void fil_reader_close(FilReader* reader); /* NULL is fine */

/* The next message, valid until the next call; its channel is known then. *found is false at the end, or where a file
 * that is being written ends for now: a later call goes on from there. */
FIL_MUST_CHECK FilStatus fil_reader_next(FilReader* reader, FilBagMessage* message, bool* found, FilError* error);

/* Only messages with `start` <= log time <= `end` (ns) from now on; starts again at the front. */
FIL_MUST_CHECK FilStatus fil_reader_select(FilReader* reader, uint64_t start, uint64_t end, FilError* error);

/* What is known of a bag. Texts live as long as the reader. */
typedef struct FilReaderInfo {
    const char* path;           /* as it was opened */
    const char* profile;        /* "ros2", ... */
    const char* library;        /* that wrote it */
    uint64_t size;              /* bytes */
    bool summarised;            /* there is a summary: all that follows is known from the start */
    bool ended;                 /* the end of the messages was seen, or there is a summary */
    uint64_t message_count;     /* by the summary, otherwise those read so far */
    uint64_t start_time;        /* ns */
    uint64_t end_time;          /* ns */
    uint64_t chunk_count;       /* by the summary, otherwise those read so far */
    uint64_t damaged_chunks;    /* passed over (salvage) */
    uint64_t partial_messages;  /* out of a chunk that was cut off (salvage) */
    FilCompression compression; /* of the last chunk seen */
    size_t attachment_count;
    size_t metadata_count;
} FilReaderInfo;

/* What is known so far; all of it once the last message has been read. */
FilReaderInfo fil_reader_info(const FilReader* reader);

/* A topic, and what the bag has of it. */
typedef struct FilReaderChannel {
    FilBagChannel channel;
    uint16_t id;            /* by which messages name it */
    uint64_t message_count; /* by the summary, otherwise those read so far */
} FilReaderChannel;

/* The channels known so far. The index-th is valid until the next call of any function; NULL texts past the last. */
size_t fil_reader_channel_count(const FilReader* reader);
FilReaderChannel fil_reader_channel(const FilReader* reader, size_t index);

/* The index-th attachment known so far; valid until the next call of any function. */
FIL_MUST_CHECK FilStatus fil_reader_attachment(FilReader* reader, size_t index, FilBagAttachment* attachment, FilError* error);

/* A named list of pairs, borrowed from the reader. */
typedef struct FilReaderMetadata {
    const char* name;        /* of the record */
    const FilBagPair* pairs; /* `count` of them */
    size_t count;            /* of the pairs */
} FilReaderMetadata;

/* The index-th metadata record known so far; valid until the next call of any function. */
FIL_MUST_CHECK FilStatus fil_reader_metadata(FilReader* reader, size_t index, FilReaderMetadata* metadata, FilError* error);

FIL_API_END

#endif
