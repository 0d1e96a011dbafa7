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

struct FilReader {
    FILE* file;
    char* path;
    FilReaderOptions options;
    FilBytes header; /* profile and library, each with NUL */
    FilReaderInfo info;
    FilReaderSchemas schemas;
    FilBagChannels channels;
    FilReaderPlaces attachments, metadata;
    FilReaderPlaces chunks; /* by the summary, in order of time */
    size_t next_chunk;
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

FilStatus fil_reader_complain(const FilReader* reader, uint64_t offset, const char* what, FilError* error);

/* Reads bytes of the file into `reader->record`; false if they are not there. */
bool fil_reader_load(FilReader* reader, uint64_t offset, uint64_t size);

/* How long the file is now; kept in `reader->info.size`. */
uint64_t fil_reader_measure(FilReader* reader);

bool fil_reader_note(FilReaderPlaces* places, FilReaderPlace place);

/* Learns a schema or a channel; `offset` is for messages. */
FilStatus fil_reader_learn(FilReader* reader, const FilMcapRecord* record, uint64_t offset, FilError* error);

/* Reads the summary, if there is one that is whole; otherwise leaves the reader as it was. */
FilStatus fil_reader_read_summary(FilReader* reader, FilError* error);

#endif
