/* Records messages into a bag from a thread of its own. Writing copies the bytes into a bounded queue; when the queue
 * is full the caller waits, or the message is dropped and counted. What is written is readable while the recording goes
 * on.
 *
 * A path that ends in .mcap or .db3 becomes that file alone; any other becomes a directory as rosbag2 makes it:
 * PATH/NAME_0.mcap and PATH/metadata.yaml. What exists is never touched.
 *
 * All functions may be called from any thread, but only one may close. */
#ifndef FILUM_RECORD_RECORDER_H
#define FILUM_RECORD_RECORDER_H

#include "record/bag.h"
#include "record/codec.h"

typedef struct FilRecorder FilRecorder;

typedef struct FilRecorderOptions {
    bool sqlite; /* a directory gets a .db3 file instead of .mcap; that of a single file follows its name */
    FilCompression compression; /* of MCAP's chunks */
    size_t chunk_bytes;         /* a chunk is written when it has grown to this */
    size_t queue_bytes;         /* about what may wait to be written */
    double flush_period;        /* s of wall time after which a chunk is written anyway */
    bool drop_when_full;        /* rather than wait */
    const char* library;        /* who writes; borrowed while creating */
} FilRecorderOptions;

FilRecorderOptions fil_recorder_options_default(void);

/* Sets storage ("mcap", "sqlite3") and compression ("none", "lz4", "zstd") by their names. */
FIL_MUST_CHECK FilStatus fil_recorder_options_choose(FilRecorderOptions* options, const char* storage,
                                                     const char* compression, FilError* error);

/* Creates the directory and the file, and starts the thread. */
FIL_MUST_CHECK FilStatus fil_recorder_create(const char* path, const FilRecorderOptions* options,
                                             FilRecorder** recorder, FilError* error);

/* Copies the channel and gives it the next number, from 1. */
FIL_MUST_CHECK FilStatus fil_recorder_add_channel(FilRecorder* recorder, const FilBagChannel* channel, uint16_t* id,
                                                  FilError* error);

/* Copies the message. Fails if the thread has failed (a full disk) since; the recording is over then. */
FIL_MUST_CHECK FilStatus fil_recorder_write(FilRecorder* recorder, const FilBagMessage* message, FilError* error);

/* Lays a file, or named texts, beside the messages, after everything written so far. MCAP only. */
FIL_MUST_CHECK FilStatus fil_recorder_attach(FilRecorder* recorder, const FilBagAttachment* attachment,
                                             FilError* error);
FIL_MUST_CHECK FilStatus fil_recorder_describe(FilRecorder* recorder, const char* name, const FilBagPair* pairs,
                                               size_t count, FilError* error);

/* Returns when everything written so far is in the file. */
FIL_MUST_CHECK FilStatus fil_recorder_flush(FilRecorder* recorder, FilError* error);

typedef struct FilRecorderCounts {
    uint64_t written; /* messages that are in the file */
    uint64_t dropped; /* because the queue was full */
    uint64_t waited;  /* times that a caller had to wait */
} FilRecorderCounts;

FilRecorderCounts fil_recorder_counts(FilRecorder* recorder);

/* The file that is being written, and whether it has a place for attachments and metadata. */
const char* fil_recorder_file(const FilRecorder* recorder);
bool fil_recorder_attaches(const FilRecorder* recorder);

/* Writes what waits, the summary and metadata.yaml, and frees the recorder, also when it fails. After a failure the
 * file is good up to the last chunk. NULL is fine. */
FIL_MUST_CHECK FilStatus fil_recorder_close(FilRecorder* recorder, FilRecorderCounts* counts, FilError* error);

#endif
