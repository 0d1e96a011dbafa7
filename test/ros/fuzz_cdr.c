/* Garbage at the decoder: the first byte picks a message type, the rest is taken for its encoding. What is accepted
 * must survive a round trip; nothing may touch memory that is not its own. The graph's decoder gets the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "cdr.h"
#include "graph.h"
#include "random_message.h"
#include "types.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static bool decode(const FilMessageMembers* type, const uint8_t* bytes, size_t size, void* message)
{
    FilCdrReader reader;
    return fil_cdr_reader_open(&reader, bytes, size) && fil_cdr_read_message(&reader, type, message);
}

static void check_round_trip(const FilMessageMembers* type, const void* message)
{
    FilCdrWriter counter = {0};
    fil_cdr_write_message(&counter, type, message);
    uint8_t* bytes = malloc(FIL_CDR_HEADER + counter.at);
    if (bytes == NULL) {
        return;
    }
    fil_cdr_write_header(bytes);
    FilCdrWriter writer = {.body = bytes + FIL_CDR_HEADER};
    fil_cdr_write_message(&writer, type, message);
    void* copy = message_new(type);
    if (writer.at != counter.at || writer.failed || !decode(type, bytes, FIL_CDR_HEADER + writer.at, copy) || !message_equal(type, message, copy)) {
        abort();
    }
    message_free(type, copy);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t count;
    const FilMessageType* types = fil_message_types(&count);
    if (size == 0) {
        return 0;
    }
    const FilMessageMembers* type = types[data[0] % count].support()->data;
    void* message = message_new(type);
    // twice into the same message: memory in use is used again
    for (int i = 0; i < 2; i++) {
        if (decode(type, data + 1, size - 1, message)) {
            check_round_trip(type, message);
        }
    }
    message_free(type, message);
    fil_graph_decode(data, size, NULL, NULL);
    return 0;
}
