/* A file that is being written: where it ends, the CRC-32 of all of it, and a way back to an earlier end when the disk
 * is full. */
#ifndef FILUM_RECORD_OUTPUT_H
#define FILUM_RECORD_OUTPUT_H

#include "filum/base.h"
#include "record/bytes.h"
#include "record/place.h"

typedef struct FilOutput {
    int file; /* descriptor; -1 if closed */
    char* path;
    uint64_t size;
    uint32_t crc; /* of everything written */
} FilOutput;

/* Creates the file; refuses one that exists. */
FIL_MUST_CHECK FilStatus fil_output_create(const FilPlace* place, FilOutput* output, FilError* error);
void fil_output_close(FilOutput* output);

/* Appends. `crc` is the CRC-32 of the bytes if the caller knows it already, otherwise NULL. */
FIL_MUST_CHECK FilStatus fil_output_write(FilOutput* output, FilSlice bytes, const uint32_t* crc, FilError* error);

/* Makes the file as long as it was when `earlier` was a copy of the output. */
void fil_output_return(FilOutput* output, const FilOutput* earlier);

uint32_t fil_crc32(uint32_t crc, FilSlice bytes); /* starts from 0 */

#endif
