/* What others are sent about nodes and endpoints: byte for byte, for both sizes of identities; what is kept of what they send. */
/* ctest: embedded */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "filum/msg/step_info.h"
#include "graph.h"
#include "node_impl.h"
#include "process.h"
#include "rcl/graph.h"
#include "rclc/publisher.h"
#include "std_srvs/srv/trigger.h"

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

/* Whether a look at the graph leaves nothing with its reader. */
static bool is_drained(FilGraph* graph)
{
    struct ddsi_serdata* sample;
    dds_sample_info_t info;
    if (dds_readcdr(graph->reader.entity, &sample, 1, &info, DDS_ANY_STATE) == 0) {
        return true;
    }
    fil_sample_release(sample);
    return false;
}

/* Whether the graph comes to have the parts of as many participants, and nothing else. */
static bool has_parts(FilGraph* graph, size_t count)
{
    const double limit = seconds_now() + PATIENCE;
    bool done = false;
    while (!done && seconds_now() < limit) {
        Seen seen = {0};
        sleep_seconds(0.01);
        must(fil_graph_visit_nodes(graph, see, &seen), "nodes");
        done = graph->part_count == count && is_drained(graph);
    }
    return done;
}

/* each client that a peer makes and drops is two endpoints that come and go, and each of them a sample */
static void a_peers_changes_do_not_add_up(void** state)
{
    (void)state;
    Client watcher, peer;
    client_join(&watcher, "watcher", 0, NULL);
    client_join(&peer, "peer", 0, NULL);
    FilGraph* graph = &watcher.support.context.impl->graph;
    assert_true(has_parts(graph, 2));
    for (int i = 0; i < 20; i++) {
        rcl_client_t caller = rcl_get_zero_initialized_client();
        must(rclc_client_init_default(&caller, &peer.node, ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger), "/nobody"), "client");
        must(rcl_client_fini(&caller, &peer.node), "client");
    }
    assert_true(has_parts(graph, 2));
    client_leave(&peer);
    assert_true(has_parts(graph, 1));
    client_leave(&watcher);
}

/* bytes of the longest sample that a participant has published last */
static size_t largest_part(FilGraph* graph)
{
    size_t largest = 0;
    Seen seen = {0};
    must(fil_graph_visit_nodes(graph, see, &seen), "nodes");
    for (size_t i = 0; i < graph->part_count; i++) {
        size_t size;
        fil_sample_bytes(graph->parts[i].sample, &size);
        largest = size > largest ? size : largest;
    }
    return largest;
}

static size_t count_topics(Client* watcher)
{
    rcl_names_and_types_t topics = rcl_get_zero_initialized_names_and_types();
    must(rcl_get_topic_names_and_types(&watcher->node, &watcher->allocator, false, &topics), "topics");
    const size_t count = topics.names.size;
    must(rcl_names_and_types_fini(&topics), "topics");
    return count;
}

/* A sample lists all endpoints: one for each of n changes would be n^2 / 2 of them. */
static void many_endpoints_are_announced_together(void** state)
{
    (void)state;
    enum { MANY = 1500, AT_ONCE = 500 };
    static rcl_publisher_t publishers[MANY];
    Client watcher, peer;
    client_join(&watcher, "watcher", 0, NULL);
    client_join(&peer, "peer", 0, NULL);
    FilGraph* graph = &watcher.support.context.impl->graph;
    const size_t all = MANY * graph->gid_size;
    const double begin = seconds_now();
    for (int i = 0; i < MANY; i++) {
        char topic[32];
        snprintf(topic, sizeof topic, "/many/t%d", i);
        publishers[i] = rcl_get_zero_initialized_publisher();
        must(rclc_publisher_init_default(&publishers[i], &peer.node, ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo), topic), topic);
    }
    const double taken = seconds_now() - begin;
    for (const double limit = seconds_now() + PATIENCE; largest_part(graph) < all && seconds_now() < limit;) {
        sleep_seconds(0.01);
    }
    assert_in_range(largest_part(graph), all, all + 200);
    assert_int_equal(count_topics(&watcher), MANY);
    // as many samples as fit into the time, one each for the first ones, and a few that a thread may be late with
    const double samples = (double)peer.support.context.impl->graph.announced;
    assert_true(samples < AT_ONCE + taken / 0.05 + 10.0);
    for (int i = 0; i < MANY; i++) {
        must(rcl_publisher_fini(&publishers[i], &peer.node), "publisher");
    }
    for (const double limit = seconds_now() + PATIENCE; largest_part(graph) > 500 && seconds_now() < limit;) {
        sleep_seconds(0.01);
    }
    assert_in_range(largest_part(graph), 1, 500);
    assert_int_equal(count_topics(&watcher), 0);
    client_leave(&peer);
    client_leave(&watcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sizes_are_exact),
        cmocka_unit_test(refuses_garbage),
        cmocka_unit_test(a_peers_changes_do_not_add_up),
        cmocka_unit_test(many_endpoints_are_announced_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
