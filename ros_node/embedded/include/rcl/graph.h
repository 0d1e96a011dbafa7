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
RCL_WARN_UNUSED rcl_ret_t rcl_get_topic_names_and_types(const rcl_node_t* node, rcl_allocator_t* allocator,
                                                        bool no_demangle, rcl_names_and_types_t* topic_names_and_types);
RCL_WARN_UNUSED rcl_ret_t rcl_get_service_names_and_types(const rcl_node_t* node, rcl_allocator_t* allocator,
                                                          rcl_names_and_types_t* service_names_and_types);
RCL_WARN_UNUSED rcl_ret_t rcl_get_node_names(const rcl_node_t* node, rcl_allocator_t allocator,
                                             rcutils_string_array_t* node_names,
                                             rcutils_string_array_t* node_namespaces);
RCL_WARN_UNUSED rcl_ret_t rcl_count_publishers(const rcl_node_t* node, const char* topic_name, size_t* count);
RCL_WARN_UNUSED rcl_ret_t rcl_count_subscribers(const rcl_node_t* node, const char* topic_name, size_t* count);

#endif
