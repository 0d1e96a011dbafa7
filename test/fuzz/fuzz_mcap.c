/* libFuzzer harness of the MCAP reader: any bytes give messages or an error that says why, by the index, front to back
 * and salvaging, within the limits of memory. The first byte chooses; if it has its fourth bit, the rest is wrapped as
 * a chunk, which the fuzzer would hardly find the sizes of; if it has its highest, the summary's CRC is taken out of
 * the way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/mcap.h"
#include "record/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { BACKWARD = 1, SALVAGE = 2, SELECT = 4, WRAP = 8, MEND = 128, MAX_CHUNK = 1 << 20 };

static void put_header(FilBytes* file)
{
    fil_bytes_put(file, FIL_MCAP_MAGIC, FIL_MCAP_MAGIC_SIZE);
    const size_t opened = fil_mcap_open_record(file, FIL_MCAP_HEADER);
    fil_bytes_text(file, "ros2");
    fil_bytes_text(file, "fuzz");
    fil_mcap_close_record(file, opened);
}

static void put_chunk(FilBytes* file, const char* compression, uint64_t promised, const uint8_t* data, size_t size)
{
    const size_t opened = fil_mcap_open_record(file, FIL_MCAP_CHUNK);
    fil_bytes_u64(file, 0);
    fil_bytes_u64(file, 1);
    fil_bytes_u64(file, promised);
    fil_bytes_u32(file, 0);
    fil_bytes_text(file, compression);
    fil_bytes_u64(file, size);
    fil_bytes_put(file, data, size);
    fil_mcap_close_record(file, opened);
}

static void check(FilStatus status, const FilError* error)
{
    // a failure says why
    if ((status != FIL_OK) != (error->text[0] != '\0')) {
        abort();
    }
}

/* Uses everything that a reader has to give. */
static void read_all(FilReader* reader)
{
    uint64_t sum = 0;
    for (bool found = true; found;) {
        FilBagMessage message;
        FilError error = {""};
        check(fil_reader_next(reader, &message, &found, &error), &error);
        for (size_t i = 0; found && i < message.data.size; ++i) {
            sum += message.data.data[i];
        }
    }
    const FilReaderInfo info = fil_reader_info(reader);
    for (size_t i = 0; i < info.attachment_count && i < 10; ++i) {
        FilBagAttachment attachment;
        FilError error = {""};
        const FilStatus status = fil_reader_attachment(reader, i, &attachment, &error);
        check(status, &error);
        sum += status == FIL_OK ? strlen(attachment.name) + strlen(attachment.media_type) : 0;
    }
    for (size_t i = 0; i < info.metadata_count && i < 10; ++i) {
        FilReaderMetadata metadata;
        FilError error = {""};
        const FilStatus status = fil_reader_metadata(reader, i, &metadata, &error);
        check(status, &error);
        for (size_t k = 0; status == FIL_OK && k < metadata.count; ++k) {
            sum += strlen(metadata.pairs[k].key) + strlen(metadata.pairs[k].value);
        }
    }
    for (size_t i = 0; i < fil_reader_channels(reader)->count; ++i) {
        const FilBagChannel* channel = &fil_reader_channels(reader)->items[i].channel;
        sum += strlen(channel->topic) + strlen(channel->type) + strlen(fil_bag_property(channel, FIL_BAG_QOS_KEY));
    }
    // so that nothing is left out as unused
    if (sum == UINT64_MAX) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    const uint8_t choice = data[0];
    FilBytes bytes = {0};
    put_header(&bytes);
    if (choice & WRAP) {
        static const char* const compressions[] = {"", "lz4", "zstd", "none"};
        const bool packed = (choice >> 4) % 3 != 0;
        put_chunk(&bytes, compressions[(choice >> 4) % 3], packed ? MAX_CHUNK / 2 : size - 1, data + 1, size - 1);
    } else if (memcmp(data + 1, FIL_MCAP_MAGIC, size - 1 < 4 ? size - 1 : 4) == 0) {
        fil_bytes_clear(&bytes);  // a whole file
        fil_bytes_put(&bytes, data + 1, size - 1);
    } else {
        fil_bytes_put(&bytes, data + 1, size - 1);
    }
    if ((choice & MEND) && bytes.size > FIL_MCAP_TAIL_SIZE) {
        fil_bytes_set_u32(&bytes, bytes.size - FIL_MCAP_MAGIC_SIZE - 4, 0);
    }
    FILE* file = fmemopen(bytes.data, bytes.size, "rb");
    if (file != NULL) {
        FilReader* reader = NULL;
        FilError error = {""};
        const FilReaderOptions options = {
            .max_chunk_bytes = MAX_CHUNK,
            .front_to_back = (choice & BACKWARD) != 0,
            .salvage = (choice & SALVAGE) != 0,
        };
        const FilStatus status = fil_reader_open_file(file, "fuzz.mcap", &options, &reader, &error);
        check(status, &error);
        if (reader != NULL) {
            read_all(reader);
            FilError again = {""};
            if ((choice & SELECT) && fil_reader_select(reader, 5, 1000000, &again) == FIL_OK) {
                read_all(reader);
            }
        }
        fil_reader_close(reader);
    }
    fil_bytes_free(&bytes);
    return 0;
}
