/* The ROS graph on DDS: tells others which endpoints belong to which node, and reads what they tell.
 *
 * Each participant keeps one sample on the topic ros_discovery_info: its own identity, and for each of its nodes the
 * namespace, the name, the identities of its readers and of its writers. An identity is the 16 bytes of the DDS guid;
 * up to Humble it is followed by 8 zero bytes, from Iron on it is not. ROS_DISTRO tells which one is spoken here.
 */
#ifndef FILUM_EMBEDDED_GRAPH_H
#define FILUM_EMBEDDED_GRAPH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "endpoint.h"

typedef struct FilGuids {
    dds_guid_t* items;
    size_t count;
} FilGuids;

typedef struct FilGraphNode {
    char* name;
    char* name_space;
    FilGuids readers;
    FilGuids writers;
} FilGraphNode;

/* The last sample of a participant. */
typedef struct FilGraphPart {
    dds_instance_handle_t writer;
    struct ddsi_serdata* sample;
} FilGraphPart;

typedef struct FilGraph {
    dds_entity_t participant;
    dds_guid_t guid; /* of the participant */
    FilEndpoint writer;
    FilEndpoint reader;  /* made when the graph is first looked at */
    FilGraphPart* parts; /* of all participants when it was last looked at, this one included */
    size_t part_count;
    FilGraphNode** nodes;
    size_t node_count;
    size_t gid_size;    /* 16 or 24 */
    uint64_t announced; /* samples so far */

    /* changes of a large graph are gathered, and announced by a thread */
    bool made, gathers;   /* whether the lock is there; whether the thread is */
    bool changed, ends;   /* since it has announced; for the thread to end */
    pthread_mutex_t lock; /* of the nodes and of these */
    pthread_cond_t wake;
    pthread_t thread;
} FilGraph;

rcl_ret_t fil_graph_init(FilGraph* graph, dds_entity_t participant);
void fil_graph_fini(FilGraph* graph);

/* Each change is announced to the others: at once, or, of many nodes, together with those that follow within some hundredths of a second. */
rcl_ret_t fil_graph_add_node(FilGraph* graph, const char* name, const char* name_space, FilGraphNode** node);
rcl_ret_t fil_graph_remove_node(FilGraph* graph, FilGraphNode* node);
rcl_ret_t fil_graph_add_endpoint(FilGraph* graph, FilGraphNode* node, const FilEndpoint* endpoint);
rcl_ret_t fil_graph_remove_endpoint(FilGraph* graph, FilGraphNode* node, const FilEndpoint* endpoint);

/* The sample that tells about this participant, encoding header included; NULL when out of memory. Free it. */
uint8_t* fil_graph_encode(const FilGraph* graph, size_t* size);

typedef void (*FilNodeVisitor)(void* context, const char* name_space, const char* name);

/* Calls `visit` for each node in such a sample of either kind. False for garbage. */
bool fil_graph_decode(const uint8_t* bytes, size_t size, FilNodeVisitor visit, void* context);

/* Calls `visit` for each node known so far in the whole graph, this participant's included. */
rcl_ret_t fil_graph_visit_nodes(FilGraph* graph, FilNodeVisitor visit, void* context);

#endif
