#include "graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "participant.h"
#include "rcl/error_handling.h"
#include "rcutils/logging_macros.h"

/* rmw_dds_common/msg/Gid of ROS 2 Humble, and since Iron; a GUID of DDSI-RTPS. */
enum { GID_SIZE_HUMBLE = 24, GID_SIZE_IRON = 16, GUID_SIZE = 16 };

/* A sample lists all endpoints, so that a sample for each of n changes makes n^2 of them: 64 worlds of a hundred endpoints each
 * would send half a gigabyte to every peer before they begin. Up to this many every change is announced at once; more wait for others. */
enum { MAX_AT_ONCE = 500 };
#define GATHER 50000000L /* ns that changes wait for others */

static const char graph_topic[] = "ros_discovery_info";
static const char graph_type[] = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_";

static const rmw_qos_profile_t graph_qos = {
    .history = RMW_QOS_POLICY_HISTORY_KEEP_LAST,
    .depth = 1,
    .reliability = RMW_QOS_POLICY_RELIABILITY_RELIABLE,
    .durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
};

/* a reader wants the last sample of every participant, and all share one instance */
static rmw_qos_profile_t reader_qos(void)
{
    rmw_qos_profile_t qos = graph_qos;
    qos.history = RMW_QOS_POLICY_HISTORY_KEEP_ALL;
    return qos;
}

static size_t gid_size_of_distribution(void)
{
    static const char* const old[] = {"", "foxy", "galactic", "humble"};
    const char* name = getenv("ROS_DISTRO");
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        if (name == NULL || strcmp(name, old[i]) == 0) {
            return GID_SIZE_HUMBLE;
        }
    }
    return GID_SIZE_IRON;
}

/* ---- encoding ---- */

static void write_gid(FilCdrWriter* writer, const dds_guid_t* guid, size_t gid_size)
{
    uint8_t bytes[GID_SIZE_HUMBLE] = {0};
    memcpy(bytes, guid->v, GUID_SIZE);
    fil_cdr_write_bytes(writer, bytes, gid_size);
}

static void write_gids(FilCdrWriter* writer, const FilGuids* guids, size_t gid_size)
{
    const uint32_t count = (uint32_t)guids->count;
    fil_cdr_write_number(writer, &count, sizeof count);
    for (size_t i = 0; i < guids->count; i++) {
        write_gid(writer, &guids->items[i], gid_size);
    }
}

static void write_graph(FilCdrWriter* writer, const FilGraph* graph)
{
    const uint32_t count = (uint32_t)graph->node_count;
    write_gid(writer, &graph->guid, graph->gid_size);
    fil_cdr_write_number(writer, &count, sizeof count);
    for (size_t i = 0; i < graph->node_count; i++) {
        const FilGraphNode* node = graph->nodes[i];
        fil_cdr_write_string(writer, node->name_space, strlen(node->name_space));
        fil_cdr_write_string(writer, node->name, strlen(node->name));
        write_gids(writer, &node->readers, graph->gid_size);
        write_gids(writer, &node->writers, graph->gid_size);
    }
}

uint8_t* fil_graph_encode(const FilGraph* graph, size_t* size)
{
    FilCdrWriter writer = {0};
    write_graph(&writer, graph);
    *size = FIL_CDR_HEADER + writer.at;
    uint8_t* bytes = malloc(*size);
    if (bytes != NULL) {
        fil_cdr_write_header(bytes);
        writer = (FilCdrWriter){.body = bytes + FIL_CDR_HEADER};
        write_graph(&writer, graph);
    }
    return bytes;
}

/* ---- decoding ---- */

static bool skip_gids(FilCdrReader* reader, size_t gid_size)
{
    uint32_t count;
    const uint8_t* bytes;
    return fil_cdr_read_number(reader, &count, sizeof count) && fil_cdr_read_bytes(reader, (size_t)count * gid_size, &bytes);
}

/* true if all of it makes sense with this size of identities; visits only then if asked */
static bool decode_with(const uint8_t* bytes, size_t size, size_t gid_size, FilNodeVisitor visit, void* context)
{
    FilCdrReader reader;
    const uint8_t* gid;
    uint32_t count;
    if (!fil_cdr_reader_open(&reader, bytes, size) || !fil_cdr_read_bytes(&reader, gid_size, &gid) ||
        !fil_cdr_read_number(&reader, &count, sizeof count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char* name_space;
        const char* name;
        size_t length;
        if (!fil_cdr_read_string(&reader, &name_space, &length) || !fil_cdr_read_string(&reader, &name, &length) || !skip_gids(&reader, gid_size) ||
            !skip_gids(&reader, gid_size)) {
            return false;
        }
        if (visit != NULL) {
            visit(context, name_space, name);
        }
    }
    // up to three bytes of padding may follow
    return reader.size - reader.at < 4;
}

bool fil_graph_decode(const uint8_t* bytes, size_t size, FilNodeVisitor visit, void* context)
{
    const size_t sizes[] = {GID_SIZE_HUMBLE, GID_SIZE_IRON};
    for (size_t i = 0; i < 2; i++) {
        if (decode_with(bytes, size, sizes[i], NULL, NULL)) {
            return decode_with(bytes, size, sizes[i], visit, context);
        }
    }
    return false;
}

/* ---- this participant's part ---- */

static rcl_ret_t report(FilGraph* graph)
{
    size_t size;
    uint8_t* bytes = fil_graph_encode(graph, &size);
    if (bytes == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    const rcl_ret_t ret = fil_endpoint_write_bytes(&graph->writer, bytes, size);
    free(bytes);
    graph->announced++;
    return ret;
}

static void wait_for_more(FilGraph* graph)
{
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_nsec += GATHER;
    limit.tv_sec += limit.tv_nsec / 1000000000L;
    limit.tv_nsec %= 1000000000L;
    while (!graph->ends && pthread_cond_timedwait(&graph->wake, &graph->lock, &limit) != ETIMEDOUT) {
    }
}

/* the thread that announces what has changed since the last time */
static void* announce_gathered(void* context)
{
    FilGraph* graph = context;
    pthread_mutex_lock(&graph->lock);
    while (!graph->ends) {
        if (!graph->changed) {
            pthread_cond_wait(&graph->wake, &graph->lock);
            continue;
        }
        wait_for_more(graph);
        if (graph->changed && !graph->ends) {
            graph->changed = report(graph) != RCL_RET_OK;
        }
        if (graph->changed && !graph->ends) {  // it is tried again
            RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, "rcl", "the graph: %s", rcl_get_error_string().str);
            rcl_reset_error();
        }
    }
    pthread_mutex_unlock(&graph->lock);
    return NULL;
}

/* Announces a change: at once, or with those that follow. The lock is held. */
static rcl_ret_t announce(FilGraph* graph)
{
    size_t endpoints = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        endpoints += graph->nodes[i]->readers.count + graph->nodes[i]->writers.count;
    }
    if (endpoints > MAX_AT_ONCE && !graph->gathers) {
        graph->gathers = pthread_create(&graph->thread, NULL, announce_gathered, graph) == 0;
    }
    graph->changed = endpoints > MAX_AT_ONCE && graph->gathers;
    if (!graph->changed) {
        return report(graph);
    }
    pthread_cond_signal(&graph->wake);
    return RCL_RET_OK;
}

rcl_ret_t fil_graph_init(FilGraph* graph, dds_entity_t participant)
{
    *graph = (FilGraph){.participant = participant, .gid_size = gid_size_of_distribution()};
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&graph->lock, NULL);
    pthread_cond_init(&graph->wake, &steady);
    pthread_condattr_destroy(&steady);
    graph->made = true;
    const dds_return_t code = dds_get_guid(participant, &graph->guid);
    if (code != DDS_RETCODE_OK) {
        fil_dds_error("cannot tell the participant's identity", code);
        return RCL_RET_ERROR;
    }
    return fil_endpoint_create(participant, true, graph_topic, graph_type, &graph_qos, NULL, &graph->writer);
}

static void free_node(FilGraphNode* node)
{
    free(node->name);
    free(node->name_space);
    free(node->readers.items);
    free(node->writers.items);
    free(node);
}

static void end_gathering(FilGraph* graph)
{
    pthread_mutex_lock(&graph->lock);
    graph->ends = true;
    pthread_cond_signal(&graph->wake);
    pthread_mutex_unlock(&graph->lock);
    if (graph->gathers) {
        pthread_join(graph->thread, NULL);
    }
    pthread_cond_destroy(&graph->wake);
    pthread_mutex_destroy(&graph->lock);
}

void fil_graph_fini(FilGraph* graph)
{
    if (graph->made) {
        end_gathering(graph);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        free_node(graph->nodes[i]);
    }
    free(graph->nodes);
    for (size_t i = 0; i < graph->part_count; i++) {
        fil_sample_release(graph->parts[i].sample);
    }
    free(graph->parts);
    fil_endpoint_delete(&graph->reader);
    fil_endpoint_delete(&graph->writer);
    *graph = (FilGraph){0};
}

static FilGraphNode* new_node(const char* name, const char* name_space)
{
    FilGraphNode* node = calloc(1, sizeof *node);
    if (node != NULL) {
        node->name = strdup(name);
        node->name_space = strdup(name_space);
        if (node->name == NULL || node->name_space == NULL) {
            free_node(node);
            node = NULL;
        }
    }
    return node;
}

rcl_ret_t fil_graph_add_node(FilGraph* graph, const char* name, const char* name_space, FilGraphNode** node)
{
    pthread_mutex_lock(&graph->lock);
    FilGraphNode** nodes = realloc(graph->nodes, (graph->node_count + 1) * sizeof(FilGraphNode*));
    if (nodes != NULL) {
        graph->nodes = nodes;
    }
    *node = nodes != NULL ? new_node(name, name_space) : NULL;
    rcl_ret_t ret = RCL_RET_BAD_ALLOC;
    if (*node != NULL) {
        graph->nodes[graph->node_count++] = *node;
        ret = announce(graph);
    } else {
        RCL_SET_ERROR_MSG("out of memory");
    }
    pthread_mutex_unlock(&graph->lock);
    return ret;
}

rcl_ret_t fil_graph_remove_node(FilGraph* graph, FilGraphNode* node)
{
    pthread_mutex_lock(&graph->lock);
    size_t kept = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i] != node) {
            graph->nodes[kept++] = graph->nodes[i];
        }
    }
    graph->node_count = kept;
    free_node(node);
    const rcl_ret_t ret = announce(graph);
    pthread_mutex_unlock(&graph->lock);
    return ret;
}

rcl_ret_t fil_graph_add_endpoint(FilGraph* graph, FilGraphNode* node, const FilEndpoint* endpoint)
{
    pthread_mutex_lock(&graph->lock);
    FilGuids* guids = endpoint->is_writer ? &node->writers : &node->readers;
    dds_guid_t* items = realloc(guids->items, (guids->count + 1) * sizeof *items);
    rcl_ret_t ret = RCL_RET_BAD_ALLOC;
    if (items != NULL) {
        guids->items = items;
        guids->items[guids->count++] = endpoint->guid;
        ret = announce(graph);
    } else {
        RCL_SET_ERROR_MSG("out of memory");
    }
    pthread_mutex_unlock(&graph->lock);
    return ret;
}

rcl_ret_t fil_graph_remove_endpoint(FilGraph* graph, FilGraphNode* node, const FilEndpoint* endpoint)
{
    pthread_mutex_lock(&graph->lock);
    FilGuids* guids = endpoint->is_writer ? &node->writers : &node->readers;
    size_t kept = 0;
    for (size_t i = 0; i < guids->count; i++) {
        if (memcmp(&guids->items[i], &endpoint->guid, sizeof endpoint->guid) != 0) {
            guids->items[kept++] = guids->items[i];
        }
    }
    guids->count = kept;
    const rcl_ret_t ret = announce(graph);
    pthread_mutex_unlock(&graph->lock);
    return ret;
}

/* ---- the others' part ---- */

/* Samples taken at a time: room on the stack; what is left is taken next. */
enum { BATCH = 64 };

static bool is_alive(const FilEndpoint* reader, dds_instance_handle_t writer)
{
    dds_builtintopic_endpoint_t* endpoint = dds_get_matched_publication_data(reader->entity, writer);
    if (endpoint != NULL) {
        dds_builtintopic_free_endpoint(endpoint);
    }
    return endpoint != NULL;
}

/* Keeps a sample, which replaces an earlier one of the same writer. */
static bool keep_part(FilGraph* graph, dds_instance_handle_t writer, struct ddsi_serdata* sample)
{
    for (size_t i = 0; i < graph->part_count; i++) {
        if (graph->parts[i].writer == writer) {
            fil_sample_release(graph->parts[i].sample);
            graph->parts[i].sample = sample;
            return true;
        }
    }
    FilGraphPart* parts = realloc(graph->parts, (graph->part_count + 1) * sizeof *parts);
    if (parts == NULL) {
        return false;
    }
    graph->parts = parts;
    graph->parts[graph->part_count++] = (FilGraphPart){writer, sample};
    return true;
}

/* Takes what has come since the last time: what stayed with the reader would add up, as every change of a node is a sample. */
static bool take_parts(FilGraph* graph)
{
    struct ddsi_serdata* samples[BATCH];
    dds_sample_info_t infos[BATCH];
    bool good = true;
    int count = BATCH;
    while (count == BATCH) {
        count = dds_takecdr(graph->reader.entity, samples, BATCH, infos, DDS_ANY_STATE);
        for (int i = 0; i < count; i++) {
            if (!infos[i].valid_data || !keep_part(graph, infos[i].publication_handle, samples[i])) {
                good = good && !infos[i].valid_data;
                fil_sample_release(samples[i]);
            }
        }
    }
    return good;
}

/* Drops what participants that are gone have published. */
static void drop_parts(FilGraph* graph)
{
    size_t kept = 0;
    for (size_t i = 0; i < graph->part_count; i++) {
        if (is_alive(&graph->reader, graph->parts[i].writer)) {
            graph->parts[kept++] = graph->parts[i];
        } else {
            fil_sample_release(graph->parts[i].sample);
        }
    }
    graph->part_count = kept;
}

rcl_ret_t fil_graph_visit_nodes(FilGraph* graph, FilNodeVisitor visit, void* context)
{
    if (graph->reader.entity == 0) {
        const rmw_qos_profile_t qos = reader_qos();
        const rcl_ret_t ret = fil_endpoint_create(graph->participant, false, graph_topic, graph_type, &qos, NULL, &graph->reader);
        if (ret != RCL_RET_OK) {
            return ret;
        }
    }
    if (!take_parts(graph)) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    drop_parts(graph);
    for (size_t i = 0; i < graph->part_count; i++) {
        size_t size;
        const uint8_t* bytes = fil_sample_bytes(graph->parts[i].sample, &size);
        fil_graph_decode(bytes, size, visit, context);  // garbage names no nodes
    }
    return RCL_RET_OK;
}
