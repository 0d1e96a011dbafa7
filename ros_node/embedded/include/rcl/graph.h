/* What else is in the graph, for tools. */
#ifndef RCL__GRAPH_H_
#define RCL__GRAPH_H_

#include "rcl/node.h"
#include "rcutils/types/string_array.h"

/* Names with the types seen for each, "package/msg/Name". */
typedef struct rmw_names_and_types_s {
    rcutils_string_array_t names;
    rcutils_string_array_t* types; /* one array per name */
} rmw_names_and_types_t;
typedef rmw_names_and_types_t rcl_names_and_types_t;

rcl_names_and_types_t rcl_get_zero_initialized_names_and_types(void);
RCL_WARN_UNUSED rcl_ret_t rcl_names_and_types_fini(rcl_names_and_types_t* names_and_types);

/* Sorted by name. With no_demangle the DDS names are given as they are. */
RCL_WARN_UNUSED rcl_ret_t rcl_get_topic_names_and_types(const rcl_node_t* node, rcl_allocator_t* allocator, bool no_demangle,
                                                        rcl_names_and_types_t* topic_names_and_types);
RCL_WARN_UNUSED rcl_ret_t rcl_get_service_names_and_types(const rcl_node_t* node, rcl_allocator_t* allocator,
                                                          rcl_names_and_types_t* service_names_and_types);
RCL_WARN_UNUSED rcl_ret_t rcl_get_node_names(const rcl_node_t* node, rcl_allocator_t allocator, rcutils_string_array_t* node_names,
                                             rcutils_string_array_t* node_namespaces);
RCL_WARN_UNUSED rcl_ret_t rcl_count_publishers(const rcl_node_t* node, const char* topic_name, size_t* count);
RCL_WARN_UNUSED rcl_ret_t rcl_count_subscribers(const rcl_node_t* node, const char* topic_name, size_t* count);

/* What the publishers or subscriptions of a topic are and offer or ask for; of real rmw's fields those that DDS
 * discovery tells. */
typedef struct rmw_topic_endpoint_info_s {
    char* topic_type; /* "package/msg/Name" */
    rmw_qos_profile_t qos_profile;
} rmw_topic_endpoint_info_t;

typedef struct rmw_topic_endpoint_info_array_s {
    size_t size;
    rmw_topic_endpoint_info_t* info_array;
} rmw_topic_endpoint_info_array_t;
typedef rmw_topic_endpoint_info_array_t rcl_topic_endpoint_info_array_t;

rcl_topic_endpoint_info_array_t rcl_get_zero_initialized_topic_endpoint_info_array(void);
RCL_WARN_UNUSED rcl_ret_t rcl_topic_endpoint_info_array_fini(rcl_topic_endpoint_info_array_t* array, rcutils_allocator_t* allocator);
RCL_WARN_UNUSED rcl_ret_t rcl_get_publishers_info_by_topic(const rcl_node_t* node, rcutils_allocator_t* allocator, const char* topic_name,
                                                           bool no_mangle, rcl_topic_endpoint_info_array_t* publishers_info);
RCL_WARN_UNUSED rcl_ret_t rcl_get_subscriptions_info_by_topic(const rcl_node_t* node, rcutils_allocator_t* allocator, const char* topic_name,
                                                              bool no_mangle, rcl_topic_endpoint_info_array_t* subscriptions_info);

#endif
