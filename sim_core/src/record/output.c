/* Owns the writing of files. */
#include "record/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"

FilStatus fil_output_create(const char* path, FilOutput* output, FilError* error)
{
    *output = (FilOutput){.file = -1, .path = fil_strdup(path)};
    if (output->path == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", path);
    }
    output->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output->file < 0) {
        const int reason = errno;
        fil_output_close(output);
        return reason == EEXIST ? fil_error(error, FIL_BAD_INPUT, "%s: exists already and is left alone", path)
                                : fil_error(error, FIL_IO, "%s: cannot be created: %s", path, strerror(reason));
    }
    return FIL_OK;
}

void fil_output_close(FilOutput* output)
{
    if (output->file >= 0) {
        close(output->file);
    }
    fil_free(output->path);
    *output = (FilOutput){.file = -1};
}

static bool write_all(int file, FilSlice bytes)
{
    while (bytes.size > 0) {
        const ssize_t written = write(file, bytes.data, bytes.size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            bytes.data += written;
            bytes.size -= (size_t)written;
        }
    }
    return true;
}

FilStatus fil_output_write(FilOutput* output, FilSlice bytes, const uint32_t* crc, FilError* error)
{
    if (!write_all(output->file, bytes)) {
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

FilStatus fil_file_replace(const char* path, FilSlice bytes, FilError* error)
{
    char draft[4096];
    if (snprintf(draft, sizeof draft, "%s.tmp", path) >= (int)sizeof draft) {
        return fil_error(error, FIL_BAD_INPUT, "%s: the path is too long", path);
    }
    const int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = file >= 0 && write_all(file, bytes) && fsync(file) == 0;
    int reason = errno;
    if (file >= 0 && close(file) != 0 && good) {
        reason = errno;
        good = false;
    }
    if (good && rename(draft, path) != 0) {
        reason = errno;
        good = false;
    }
    if (!good) {
        unlink(draft);
        return fil_error(error, FIL_IO, "%s: cannot be written: %s", path, strerror(reason));
    }
    return FIL_OK;
}
