/* libFuzzer harness of what peers say about themselves: samples of the topic ros_discovery_info. Each byte string is refused, or names nodes by
 * texts that lie in it; what is written of those names is read as the same again. */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "need.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { MAX_NODES = 64 };

typedef struct Seen {
    const uint8_t* bytes;
    size_t size;
    const char* names[2 * MAX_NODES];
    size_t count; /* of nodes */
} Seen;

/* Whether a text ends within the sample; one of no length may stand anywhere. */
static bool lies_within(const Seen* seen, const char* text)
{
    const uint8_t *at = (const uint8_t*)text, *end = seen->bytes + seen->size;
    return *text == '\0' || (at >= seen->bytes && at < end && memchr(at, '\0', (size_t)(end - at)) != NULL);
}

static void note(void* context, const char* name_space, const char* name)
{
    Seen* seen = context;
    need(lies_within(seen, name_space) && lies_within(seen, name));
    if (seen->count < MAX_NODES) {
        seen->names[2 * seen->count] = name_space;
        seen->names[2 * seen->count + 1] = name;
    }
    seen->count++;
}

/* The same nodes in a sample of our own, with as many endpoints as their names are long. */
static void check_again(const Seen* seen, size_t gid_size)
{
    FilGraphNode nodes[MAX_NODES], *list[MAX_NODES];
    FilGraph graph = {.gid_size = gid_size, .nodes = list, .node_count = seen->count};
    static dds_guid_t guids[8];
    for (size_t i = 0; i < seen->count; i++) {
        nodes[i] = (FilGraphNode){.name_space = (char*)(uintptr_t)seen->names[2 * i],
                                  .name = (char*)(uintptr_t)seen->names[2 * i + 1],
                                  .readers = {guids, strlen(seen->names[2 * i]) % 8},
                                  .writers = {guids, strlen(seen->names[2 * i + 1]) % 8}};
        list[i] = &nodes[i];
    }
    size_t size;
    uint8_t* bytes = fil_graph_encode(&graph, &size);
    need(bytes != NULL);
    Seen again = {.bytes = bytes, .size = size};
    // a sample may make sense with either size of identities; what is ours then need not be what is read
    if (fil_graph_decode(bytes, size, note, &again) && again.count == seen->count) {
        for (size_t i = 0; i < 2 * seen->count && gid_size == 24; i++) {
            need(strcmp(seen->names[i], again.names[i]) == 0);
        }
    } else {
        need(gid_size == 16);
    }
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // a buffer of just this size, so that a read beyond it is seen
    uint8_t* bytes = malloc(size > 0 ? size : 1);
    need(bytes != NULL);
    if (size > 0) {
        memcpy(bytes, data, size);
    }
    Seen seen = {.bytes = bytes, .size = size};
    const bool good = fil_graph_decode(bytes, size, note, &seen);
    need(good || seen.count == 0);
    if (good && seen.count <= MAX_NODES) {
        check_again(&seen, 24);
        check_again(&seen, 16);
    }
    free(bytes);
    return 0;
}
