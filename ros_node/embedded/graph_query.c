/* What is in the graph, for tools: nodes from what participants tell, topics and services from DDS discovery. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node_impl.h"
#include "rcl/error_handling.h"
#include "rcl/graph.h"

static rcl_ret_t out_of_memory(void)
{
    RCL_SET_ERROR_MSG("out of memory");
    return RCL_RET_BAD_ALLOC;
}

/* ---- lists of names ---- */

/* appends a copy of `text` to an array that malloc() made; -1 when out of memory, else its index */
static long append(rcutils_string_array_t* array, const char* text, size_t length)
{
    char** data = realloc(array->data, (array->size + 1) * sizeof *data);
    if (data == NULL) {
        return -1;
    }
    array->data = data;
    array->allocator = rcutils_get_default_allocator();
    data[array->size] = strndup(text, length);
    return data[array->size] != NULL ? (long)array->size++ : -1;
}

static long find(const rcutils_string_array_t* array, const char* text, size_t length)
{
    for (size_t i = 0; i < array->size; i++) {
        if (strncmp(array->data[i], text, length) == 0 && array->data[i][length] == '\0') {
            return (long)i;
        }
    }
    return -1;
}

rcl_names_and_types_t rcl_get_zero_initialized_names_and_types(void)
{
    return (rcl_names_and_types_t){0};
}

rcl_ret_t rcl_names_and_types_fini(rcl_names_and_types_t* names_and_types)
{
    bool done = true;
    for (size_t i = 0; names_and_types->types != NULL && i < names_and_types->names.size; i++) {
        done &= rcutils_string_array_fini(&names_and_types->types[i]) == RCUTILS_RET_OK;
    }
    free(names_and_types->types);
    done &= names_and_types->names.data == NULL || rcutils_string_array_fini(&names_and_types->names) == RCUTILS_RET_OK;
    *names_and_types = rcl_get_zero_initialized_names_and_types();
    return done ? RCL_RET_OK : RCL_RET_ERROR;
}

/* keeps names sorted by inserting at the right place */
static bool add_name_and_type(rcl_names_and_types_t* list, const char* name, size_t name_length, const char* type)
{
    long at = find(&list->names, name, name_length);
    if (at < 0) {
        rcutils_string_array_t* types = realloc(list->types, (list->names.size + 1) * sizeof *types);
        if (types == NULL) {
            return false;
        }
        list->types = types;
        at = append(&list->names, name, name_length);
        if (at < 0) {
            return false;
        }
        list->types[at] = rcutils_get_zero_initialized_string_array();
        for (; at > 0 && strcmp(list->names.data[at - 1], list->names.data[at]) > 0; at--) {
            char* other = list->names.data[at - 1];
            const rcutils_string_array_t other_types = list->types[at - 1];
            list->names.data[at - 1] = list->names.data[at];
            list->types[at - 1] = list->types[at];
            list->names.data[at] = other;
            list->types[at] = other_types;
        }
    }
    return find(&list->types[at], type, strlen(type)) >= 0 || append(&list->types[at], type, strlen(type)) >= 0;
}

/* ---- DDS names back to ROS names ---- */

/* "package::msg::dds_::Name_" to "package/msg/Name"; a request's or response's suffix is dropped if asked */
static void demangle_type(const char* dds, bool service, char* type, size_t size)
{
    const char* kind = strstr(dds, "::");
    const char* name = kind != NULL ? strstr(kind, "::dds_::") : NULL;
    if (name == NULL) {
        snprintf(type, size, "%s", dds);
        return;
    }
    const char* bare = name + strlen("::dds_::");
    size_t length = strlen(bare);
    const char* const endings[] = {"_Request_", "_Response_"};
    size_t ending = length > 0 && bare[length - 1] == '_' ? 1 : 0;
    for (size_t i = 0; service && i < 2; i++) {
        const size_t candidate = strlen(endings[i]);
        if (length > candidate && strcmp(bare + length - candidate, endings[i]) == 0) {
            ending = candidate;
        }
    }
    length -= ending;
    snprintf(type, size, "%.*s/%.*s/%.*s", (int)(kind - dds), dds, (int)(name - kind - 2), kind + 2, (int)length, bare);
}

typedef enum Selection { TOPICS, SERVICES, EVERYTHING } Selection;

/* adds an endpoint if it is of the kind asked for */
static bool add_endpoint(rcl_names_and_types_t* list, Selection selection, const char* topic, const char* dds_type)
{
    char type[512];
    size_t length = strlen(topic);
    if (selection == EVERYTHING) {
        return add_name_and_type(list, topic, length, dds_type);
    }
    demangle_type(dds_type, selection == SERVICES, type, sizeof type);
    if (selection == TOPICS) {
        return strncmp(topic, "rt/", 3) != 0 || add_name_and_type(list, topic + 2, length - 2, type);
    }
    // rq/ and Request: three and seven characters of a service's name in DDS
    const bool request = strncmp(topic, "rq/", 3) == 0 && length > 10 && strcmp(topic + length - 7, "Request") == 0;
    return !request || add_name_and_type(list, topic + 2, length - 2 - 7, type);
}

typedef bool (*EndpointVisitor)(void* context, const dds_builtintopic_endpoint_t* endpoint);

/* calls back for the endpoints among the next samples; how many samples there were, or -1 when a callback has returned false */
static int visit_some(dds_entity_t reader, EndpointVisitor visit, void* context)
{
    // at a time: room on the stack; what is left is visited next
    enum { BATCH = 256 };
    void* samples[BATCH] = {NULL};
    dds_sample_info_t infos[BATCH];
    const int count = dds_take(reader, samples, infos, BATCH, BATCH);
    bool done = true;
    for (int i = 0; i < count && done; i++) {
        if (infos[i].valid_data && infos[i].instance_state == DDS_ALIVE_INSTANCE_STATE) {
            done = visit(context, samples[i]);
        }
    }
    if (count > 0) {
        dds_return_loan(reader, samples, count);
    }
    return done ? count : -1;
}

/* calls back for each endpoint of either kind that is alive, however many there are; stops when the callback returns false */
static rcl_ret_t visit_endpoints(const rcl_node_t* node, dds_entity_t builtin_topic, EndpointVisitor visit, void* context)
{
    const dds_entity_t reader = dds_create_reader(node->context->impl->participant.entity, builtin_topic, NULL, NULL);
    if (reader < 0) {
        fil_dds_error("cannot read what is in the domain", reader);
        return RCL_RET_ERROR;
    }
    int count = 1;
    while (count > 0) {
        count = visit_some(reader, visit, context);
    }
    dds_delete(reader);
    return count == 0 ? RCL_RET_OK : out_of_memory();
}

typedef struct Listing {
    rcl_names_and_types_t* list;
    Selection selection;
} Listing;

static bool list_endpoint(void* context, const dds_builtintopic_endpoint_t* endpoint)
{
    const Listing* listing = context;
    return add_endpoint(listing->list, listing->selection, endpoint->topic_name, endpoint->type_name);
}

static rcl_ret_t list_endpoints(const rcl_node_t* node, Selection selection, rcl_names_and_types_t* list)
{
    Listing listing = {list, selection};
    *list = rcl_get_zero_initialized_names_and_types();
    rcl_ret_t ret = visit_endpoints(node, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, list_endpoint, &listing);
    if (ret == RCL_RET_OK) {
        ret = visit_endpoints(node, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, list_endpoint, &listing);
    }
    return ret;
}

rcl_ret_t rcl_get_topic_names_and_types(const rcl_node_t* node, rcl_allocator_t* allocator, bool no_demangle,
                                        rcl_names_and_types_t* topic_names_and_types)
{
    (void)allocator;
    return list_endpoints(node, no_demangle ? EVERYTHING : TOPICS, topic_names_and_types);
}

rcl_ret_t rcl_get_service_names_and_types(const rcl_node_t* node, rcl_allocator_t* allocator, rcl_names_and_types_t* service_names_and_types)
{
    (void)allocator;
    return list_endpoints(node, SERVICES, service_names_and_types);
}

/* ---- counts ---- */

typedef struct Counting {
    const char* topic; /* as ROS names it */
    size_t count;
} Counting;

static bool count_endpoint(void* context, const dds_builtintopic_endpoint_t* endpoint)
{
    Counting* counting = context;
    counting->count += strncmp(endpoint->topic_name, "rt/", 3) == 0 && strcmp(endpoint->topic_name + 2, counting->topic) == 0;
    return true;
}

static rcl_ret_t count_endpoints(const rcl_node_t* node, dds_entity_t builtin_topic, const char* topic, size_t* count)
{
    Counting counting = {topic, 0};
    const rcl_ret_t ret = visit_endpoints(node, builtin_topic, count_endpoint, &counting);
    *count = counting.count;
    return ret;
}

rcl_ret_t rcl_count_publishers(const rcl_node_t* node, const char* topic_name, size_t* count)
{
    return count_endpoints(node, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, topic_name, count);
}

rcl_ret_t rcl_count_subscribers(const rcl_node_t* node, const char* topic_name, size_t* count)
{
    return count_endpoints(node, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, topic_name, count);
}

/* ---- endpoints one by one ---- */

static rmw_time_t time_of(dds_duration_t duration)
{
    return duration == DDS_INFINITY ? (rmw_time_t){0}
                                    : (rmw_time_t){(uint64_t)(duration / DDS_NSECS_IN_SEC), (uint64_t)(duration % DDS_NSECS_IN_SEC)};
}

/* back from DDS; what is not given stays at its default */
static rmw_qos_profile_t profile_of(const dds_qos_t* qos)
{
    rmw_qos_profile_t profile = {.history = RMW_QOS_POLICY_HISTORY_UNKNOWN};
    dds_reliability_kind_t reliability = DDS_RELIABILITY_BEST_EFFORT;
    dds_durability_kind_t durability = DDS_DURABILITY_VOLATILE;
    dds_liveliness_kind_t liveliness = DDS_LIVELINESS_AUTOMATIC;
    dds_history_kind_t history;
    dds_duration_t duration;
    int32_t depth;
    dds_qget_reliability(qos, &reliability, &duration);
    dds_qget_durability(qos, &durability);
    profile.reliability = reliability == DDS_RELIABILITY_RELIABLE ? RMW_QOS_POLICY_RELIABILITY_RELIABLE : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
    profile.durability = durability == DDS_DURABILITY_VOLATILE ? RMW_QOS_POLICY_DURABILITY_VOLATILE : RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    if (dds_qget_history(qos, &history, &depth)) {
        profile.history = history == DDS_HISTORY_KEEP_ALL ? RMW_QOS_POLICY_HISTORY_KEEP_ALL : RMW_QOS_POLICY_HISTORY_KEEP_LAST;
        profile.depth = depth > 0 ? (size_t)depth : 0;
    }
    if (dds_qget_deadline(qos, &duration)) {
        profile.deadline = time_of(duration);
    }
    if (dds_qget_lifespan(qos, &duration)) {
        profile.lifespan = time_of(duration);
    }
    profile.liveliness = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
    if (dds_qget_liveliness(qos, &liveliness, &duration)) {
        profile.liveliness_lease_duration = time_of(duration);
        profile.liveliness =
            liveliness == DDS_LIVELINESS_MANUAL_BY_TOPIC ? RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC : RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
    }
    return profile;
}

typedef struct Collection {
    const char* topic; /* as ROS names it, or as DDS does */
    bool mangled;
    rcl_topic_endpoint_info_array_t* array;
} Collection;

static bool collect_endpoint(void* context, const dds_builtintopic_endpoint_t* endpoint)
{
    const Collection* collection = context;
    const char* name = endpoint->topic_name;
    if (!collection->mangled && strncmp(name, "rt/", 3) != 0) {
        return true;
    }
    if (strcmp(collection->mangled ? name : name + 2, collection->topic) != 0) {
        return true;
    }
    rcl_topic_endpoint_info_array_t* array = collection->array;
    rmw_topic_endpoint_info_t* items = realloc(array->info_array, (array->size + 1) * sizeof *items);
    char type[512];
    if (items == NULL) {
        return false;
    }
    demangle_type(endpoint->type_name, false, type, sizeof type);
    array->info_array = items;
    items[array->size] = (rmw_topic_endpoint_info_t){strdup(type), profile_of(endpoint->qos)};
    return items[array->size++].topic_type != NULL;
}

rcl_topic_endpoint_info_array_t rcl_get_zero_initialized_topic_endpoint_info_array(void)
{
    return (rcl_topic_endpoint_info_array_t){0};
}

rcl_ret_t rcl_topic_endpoint_info_array_fini(rcl_topic_endpoint_info_array_t* array, rcutils_allocator_t* allocator)
{
    (void)allocator;
    for (size_t i = 0; i < array->size; i++) {
        free(array->info_array[i].topic_type);
    }
    free(array->info_array);
    *array = rcl_get_zero_initialized_topic_endpoint_info_array();
    return RCL_RET_OK;
}

rcl_ret_t rcl_get_publishers_info_by_topic(const rcl_node_t* node, rcutils_allocator_t* allocator, const char* topic_name, bool no_mangle,
                                           rcl_topic_endpoint_info_array_t* publishers_info)
{
    (void)allocator;
    Collection collection = {topic_name, no_mangle, publishers_info};
    return visit_endpoints(node, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, collect_endpoint, &collection);
}

rcl_ret_t rcl_get_subscriptions_info_by_topic(const rcl_node_t* node, rcutils_allocator_t* allocator, const char* topic_name, bool no_mangle,
                                              rcl_topic_endpoint_info_array_t* subscriptions_info)
{
    (void)allocator;
    Collection collection = {topic_name, no_mangle, subscriptions_info};
    return visit_endpoints(node, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, collect_endpoint, &collection);
}

/* ---- nodes ---- */

typedef struct NodeLists {
    rcutils_string_array_t* names;
    rcutils_string_array_t* spaces;
    bool complete;
} NodeLists;

static void list_node(void* context, const char* name_space, const char* name)
{
    NodeLists* lists = context;
    lists->complete &= append(lists->names, name, strlen(name)) >= 0 && append(lists->spaces, name_space, strlen(name_space)) >= 0;
}

rcl_ret_t rcl_get_node_names(const rcl_node_t* node, rcl_allocator_t allocator, rcutils_string_array_t* node_names,
                             rcutils_string_array_t* node_namespaces)
{
    (void)allocator;
    NodeLists lists = {node_names, node_namespaces, true};
    const rcl_ret_t ret = fil_graph_visit_nodes(&node->context->impl->graph, list_node, &lists);
    if (ret != RCL_RET_OK) {
        return ret;
    }
    return lists.complete ? RCL_RET_OK : out_of_memory();
}
