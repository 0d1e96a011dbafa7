/* The two kinds of file that a bag can be, behind one table: each takes batches of records and ends with a summary.
 * A batch is MCAP's schema, channel and message records one after the other, each channel before its first message. */
#ifndef FILUM_RECORD_STORAGE_H
#define FILUM_RECORD_STORAGE_H

#include "record/bag.h"
#include "record/codec.h"
#include "record/place.h"

typedef struct FilStorageOptions {
    FilCompression compression;
    const char* library; /* who writes */
} FilStorageOptions;

typedef struct FilStorageOps {
    const char* identifier; /* as in metadata.yaml */
    const char* extension;  /* with its dot */

    /* Creates the file; refuses one that exists. The place outlives it. */
    FilStatus (*create)(const FilPlace* place, const FilStorageOptions* options, void** storage, FilError* error);

    /* All of the batch or nothing: after a failure the file ends with the last whole batch. */
    FilStatus (*write)(void* storage, FilSlice batch, FilError* error);

    /* Lays a file or a set of named texts beside the messages. */
    FilStatus (*attach)(void* storage, const FilBagAttachment* attachment, FilError* error);
    FilStatus (*describe)(void* storage, const char* name, const FilBagPair* pairs, size_t count, FilError* error);

    /* Ends the file; after a failure what was written remains readable. */
    FilStatus (*finish)(void* storage, const FilBagChannels* channels, const FilBagTally* tally, FilError* error);

    void (*destroy)(void* storage); /* NULL is fine */
} FilStorageOps;

extern const FilStorageOps fil_mcap_storage;
extern const FilStorageOps fil_db3_storage;

#endif
