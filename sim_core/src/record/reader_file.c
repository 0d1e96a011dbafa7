/* Owns the access to a reader's file: which bytes are there, and faults by their place. */
#include <sys/types.h>

#include "base/error.h"
#include "record/reader_impl.h"

FilStatus fil_reader_complain(const FilReader* reader, uint64_t offset, const char* what, FilError* error)
{
    if (reader->record.failed) {  // what could not be loaded is not damaged
        return fil_reader_no_memory(reader, error);
    }
    return fil_error(error, FIL_BAD_INPUT, "%s: byte %llu: %s", reader->path, (unsigned long long)offset, what);
}

uint64_t fil_reader_measure(FilReader* reader)
{
    const off_t size = fseeko(reader->file, 0, SEEK_END) == 0 ? ftello(reader->file) : 0;
    reader->info.size = size > 0 ? (uint64_t)size : 0;
    return reader->info.size;
}

bool fil_reader_has(FilReader* reader, uint64_t offset, uint64_t size)
{
    uint64_t end = reader->info.size;
    if (offset > end || size > end - offset) {
        end = fil_reader_measure(reader);
    }
    return offset <= end && size <= end - offset;
}

bool fil_reader_load(FilReader* reader, uint64_t offset, uint64_t size)
{
    fil_bytes_clear(&reader->record);
    if (!fil_reader_has(reader, offset, size)) {
        return false;
    }
    uint8_t* place = fil_bytes_extend(&reader->record, (size_t)size);
    return place != NULL && fseeko(reader->file, (off_t)offset, SEEK_SET) == 0 && fread(place, 1, (size_t)size, reader->file) == size;
}

FilStatus fil_reader_no_memory(const FilReader* reader, FilError* error)
{
    return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", reader->path);
}
