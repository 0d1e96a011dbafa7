/* Owns the writing of files. */
#include "record/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"

FilStatus fil_output_create(const FilPlace* place, FilOutput* output, FilError* error)
{
    *output = (FilOutput){.file = -1, .path = fil_strdup(place->file)};
    if (output->path == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", place->file);
    }
    const FilStatus status = fil_place_create(place, &output->file, error);
    if (status != FIL_OK) {
        fil_output_close(output);
    }
    return status;
}

void fil_output_close(FilOutput* output)
{
    if (output->file >= 0) {
        close(output->file);
    }
    fil_free(output->path);
    *output = (FilOutput){.file = -1};
}

FilStatus fil_output_write(FilOutput* output, FilSlice bytes, const uint32_t* crc, FilError* error)
{
    if (!fil_write_all(output->file, bytes)) {
        return fil_error(error, FIL_IO, "%s: cannot write after byte %llu: %s", output->path, (unsigned long long)output->size, strerror(errno));
    }
    // the CRC of two strings one after the other follows from theirs
    output->crc = crc != NULL ? (uint32_t)crc32_combine(output->crc, *crc, (z_off_t)bytes.size) : fil_crc32(output->crc, bytes);
    output->size += bytes.size;
    return FIL_OK;
}

void fil_output_return(FilOutput* output, const FilOutput* earlier)
{
    // where the file cannot be shortened, what is there remains readable up to the same place
    if (ftruncate(output->file, (off_t)earlier->size) == 0) {
        lseek(output->file, (off_t)earlier->size, SEEK_SET);
    }
    output->size = earlier->size;
    output->crc = earlier->crc;
}

uint32_t fil_crc32(uint32_t crc, FilSlice bytes)
{
    // zlib takes a null pointer as a request to start anew
    return bytes.size == 0 ? crc : (uint32_t)crc32_z(crc, bytes.data, bytes.size);
}
