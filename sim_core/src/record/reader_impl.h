/* What the files of the reader share. */
#ifndef FILUM_RECORD_READER_IMPL_H
#define FILUM_RECORD_READER_IMPL_H

#include "record/mcap.h"
#include "record/reader.h"

/* Where a record is in the file. */
typedef struct FilReaderPlace {
    uint64_t offset, length;       /* with its prefix */
    uint64_t start_time, end_time; /* ns, of chunks */
} FilReaderPlace;

typedef struct FilReaderPlaces {
    FilReaderPlace* items;
    size_t count, capacity;
} FilReaderPlaces;

/* Schemas by number: where each is in `texts` (u16 id, three u32 sizes, the bytes). */
typedef struct FilReaderSchemas {
    FilBytes texts;
    uint32_t place[65536]; /* 1 + offset; 0 if there is none */
} FilReaderSchemas;

typedef struct FilReaderOpen FilReaderOpen;
typedef struct FilDb3Reader FilDb3Reader;

struct FilReader {
    FILE* file;             /* NULL: a file of SQLite */
    FilDb3Reader* database; /* NULL: a file of MCAP */
    char* path;
    FilReaderOptions options;
    FilBytes header; /* profile and library, each with NUL */
    FilReaderInfo info;
    FilReaderSchemas schemas;
    FilBagChannels channels;
    FilReaderPlaces attachments, metadata;
    FilReaderPlaces chunks; /* by the summary, in order of time */
    size_t next_chunk;
    FilReaderOpen* open; /* chunks that overlap in time */
    size_t open_count, open_capacity;
    size_t open_bytes;                 /* of memory that they take */
    uint64_t select_start, select_end; /* ns */
    uint64_t offset;                   /* of the next record, front to back */
    FilBytes record;                   /* the content of the record that is being read */
    FilBytes chunk;                    /* the records of the chunk that is being read */
    FilCursor inside;                  /* what is left of them */
    bool partial;                      /* the chunk was cut off */
    FilBytes texts;                    /* what attachments and metadata point into */
    FilBytes pairs;
};

/* The text limit of all schemas and channels together. */
enum { FIL_READER_MAX_TEXT = 256 << 20 };

/* ---- the file (reader_file.c) ---- */

FilStatus fil_reader_complain(const FilReader* reader, uint64_t offset, const char* what, FilError* error);
FilStatus fil_reader_no_memory(const FilReader* reader, FilError* error);

/* How long the file is now; kept in `reader->info.size`. */
uint64_t fil_reader_measure(FilReader* reader);

/* Whether `size` bytes from `offset` on are there; looks again whether the file has grown if they are not. */
bool fil_reader_has(FilReader* reader, uint64_t offset, uint64_t size);

/* Reads bytes of the file into `reader->record`; false if they are not there. */
bool fil_reader_load(FilReader* reader, uint64_t offset, uint64_t size);

/* ---- what is learnt on the way (reader_tables.c), and from the summary (reader_summary.c) ---- */

bool fil_reader_note(FilReaderPlaces* places, FilReaderPlace place);

/* Learns a schema or a channel; `offset` is for messages. */
FilStatus fil_reader_learn(FilReader* reader, const FilMcapRecord* record, uint64_t offset, FilError* error);

/* Reads the summary, if there is one that is whole; otherwise leaves the reader as it was. */
FilStatus fil_reader_read_summary(FilReader* reader, FilError* error);

/* ---- chunks (reader_chunks.c) ---- */

/* Makes the chunk the one to read messages from; `cut`: its end is missing. Salvaging, a damaged chunk is counted and
 * passed over. */
FilStatus fil_reader_try_chunk(FilReader* reader, uint64_t offset, FilSlice content, bool cut, FilError* error);

/* Enters the next chunk of the index that has something of the selection, if it begins at `limit` or before. */
FilStatus fil_reader_enter_indexed(FilReader* reader, uint64_t limit, bool* found, FilError* error);

/* The next message in the chunk that is being read. */
FilStatus fil_reader_next_inside(FilReader* reader, FilBagMessage* message, bool* found, FilError* error);

/* ---- chunks that overlap in time (reader_merge.c) ---- */

/* The next message by the index, in order of time. */
FilStatus fil_reader_next_by_time(FilReader* reader, FilBagMessage* message, bool* found, FilError* error);
void fil_reader_merge_clear(FilReader* reader);

/* ---- files of SQLite ---- */

/* Opens it and reads its topics into `reader`. */
FilStatus fil_db3_reader_open(FilReader* reader, FilError* error);
void fil_db3_reader_close(FilDb3Reader* database); /* NULL is fine */
FilStatus fil_db3_reader_next(FilReader* reader, FilBagMessage* message, bool* found, FilError* error);

/* Starts again, with the reader's selection. */
FilStatus fil_db3_reader_restart(FilReader* reader, FilError* error);

#endif
