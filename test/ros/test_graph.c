/* What is told to others about nodes and endpoints: byte for byte, for both sizes of identities. */
/* ctest: embedded */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph.h"

/* one node "n" in "/s" with one reader and no writer; identities are 16 times 0xa0, 0xb0 */
static FilGraph example(size_t gid_size)
{
    static FilGraphNode node;
    static FilGraphNode* nodes[] = {&node};
    static dds_guid_t reader;
    static char name[] = "n";
    static char name_space[] = "/s";
    FilGraph graph = {.nodes = nodes, .node_count = 1, .gid_size = gid_size};
    memset(&graph.guid, 0xa0, sizeof graph.guid);
    memset(&reader, 0xb0, sizeof reader);
    node = (FilGraphNode){.name = name, .name_space = name_space, .readers = {&reader, 1}};
    return graph;
}

/* what the sample above must be, put together by hand */
static size_t expected(size_t gid_size, uint8_t* bytes)
{
    const uint8_t middle[] = {1, 0, 0, 0, 3, 0, 0, 0, '/', 's', 0, 0, 2, 0, 0, 0, 'n', 0, 0, 0, 1, 0, 0, 0};
    const uint8_t head[] = {0, 1, 0, 0};
    size_t at = 0;
    memcpy(bytes, head, sizeof head);
    at += sizeof head;
    memset(bytes + at, 0, gid_size);
    memset(bytes + at, 0xa0, 16);
    at += gid_size;
    memcpy(bytes + at, middle, sizeof middle);
    at += sizeof middle;
    memset(bytes + at, 0, gid_size);
    memset(bytes + at, 0xb0, 16);
    at += gid_size;
    memset(bytes + at, 0, 4);  // no writers
    return at + 4;
}

typedef struct Seen {
    int count;
    char text[64];
} Seen;

static void see(void* context, const char* name_space, const char* name)
{
    Seen* seen = context;
    seen->count++;
    snprintf(seen->text, sizeof seen->text, "%s %s", name_space, name);
}

static void both_sizes_are_exact(void** state)
{
    (void)state;
    const size_t sizes[] = {24, 16};
    for (size_t i = 0; i < 2; i++) {
        const FilGraph graph = example(sizes[i]);
        uint8_t wanted[256];
        const size_t wanted_size = expected(sizes[i], wanted);
        size_t size;
        uint8_t* bytes = fil_graph_encode(&graph, &size);
        assert_int_equal(size, wanted_size);
        assert_memory_equal(bytes, wanted, size);

        Seen seen = {0};
        assert_true(fil_graph_decode(bytes, size, see, &seen));
        assert_int_equal(seen.count, 1);
        assert_string_equal(seen.text, "/s n");
        // what is cut off names no nodes (with the other size of identities it may be an empty graph)
        for (size_t cut = 0; cut < size; cut++) {
            Seen nothing = {0};
            fil_graph_decode(bytes, cut, see, &nothing);
            assert_int_equal(nothing.count, 0);
        }
        free(bytes);
    }
}

static void refuses_garbage(void** state)
{
    (void)state;
    uint8_t bytes[256];
    memset(bytes, 0xff, sizeof bytes);
    assert_false(fil_graph_decode(bytes, sizeof bytes, NULL, NULL));
    memset(bytes, 0, 4);
    bytes[1] = 1;
    assert_false(fil_graph_decode(bytes, sizeof bytes, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sizes_are_exact),
        cmocka_unit_test(refuses_garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
