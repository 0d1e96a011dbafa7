/* Reads MCAP files, whoever wrote them, and rosbag2's SQLite files. A file with a summary is read by its index, in
 * order of time, and so is one of SQLite; any other, also one that is still being written, is read from front to back.
 * Whatever the bytes are, memory stays within limits and damage gives an error. */
#ifndef FILUM_RECORD_READER_H
#define FILUM_RECORD_READER_H

#include <stdio.h>

#include "record/bag.h"
#include "record/codec.h"

typedef struct FilReader FilReader;

typedef struct FilReaderOptions {
    size_t max_chunk_bytes; /* uncompressed; larger ones are refused */
    bool front_to_back;     /* leave the index alone */
    bool salvage;           /* front to back, past damaged chunks, and into one that was cut off */
} FilReaderOptions;

FilReaderOptions fil_reader_options_default(void);

FIL_MUST_CHECK FilStatus fil_reader_open(const char* path, const FilReaderOptions* options, FilReader** reader,
                                         FilError* error);

/* Takes over an open file that can be sought in; `name` is for messages. */
FIL_MUST_CHECK FilStatus fil_reader_open_file(FILE* file, const char* name, const FilReaderOptions* options,
                                              FilReader** reader, FilError* error);
void fil_reader_close(FilReader* reader); /* NULL is fine */

/* The next message, valid until the next call; its channel is known then. *found is false at the end, or where a file
 * that is being written ends for now: a later call goes on from there. */
FIL_MUST_CHECK FilStatus fil_reader_next(FilReader* reader, FilBagMessage* message, bool* found, FilError* error);

/* Only messages with `start` <= log time <= `end` (ns) from now on; starts again at the front. */
FIL_MUST_CHECK FilStatus fil_reader_select(FilReader* reader, uint64_t start, uint64_t end, FilError* error);

typedef struct FilReaderInfo {
    const char* path;
    const char* profile;
    const char* library;
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

FilReaderInfo fil_reader_info(const FilReader* reader);

/* The channels known so far, with the counts of the summary or of what was read. */
const FilBagChannels* fil_reader_channels(const FilReader* reader);

/* The index-th attachment known so far; valid until the next call of any function. */
FIL_MUST_CHECK FilStatus fil_reader_attachment(FilReader* reader, size_t index, FilBagAttachment* attachment,
                                               FilError* error);

typedef struct FilReaderMetadata {
    const char* name;
    const FilBagPair* pairs;
    size_t count;
} FilReaderMetadata;

/* The index-th metadata record known so far; valid until the next call of any function. */
FIL_MUST_CHECK FilStatus fil_reader_metadata(FilReader* reader, size_t index, FilReaderMetadata* metadata,
                                             FilError* error);

#endif
