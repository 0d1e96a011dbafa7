/* Contexts and nodes, and what all endpoints of a node have in common. */
#ifndef FILUM_EMBEDDED_NODE_IMPL_H
#define FILUM_EMBEDDED_NODE_IMPL_H

#include "endpoint.h"
#include "graph.h"
#include "names.h"
#include "participant.h"
#include "rcl/node.h"
#include "rosidl_runtime_c/message_type_support_struct.h"

struct rcl_context_impl_s {
    FilParticipant participant;
    FilGraph graph;
    uint32_t service_count; /* numbers the services and clients made so far */
};

struct rcl_node_impl_s {
    rcl_node_options_t options;
    char name[FIL_NAME_MAX];
    char name_space[FIL_NAME_MAX];
    char full_name[2 * FIL_NAME_MAX];
    char logger_name[2 * FIL_NAME_MAX];
    FilGraphNode* graph_node;
};

/* The arguments of the process, NULL if the node does not heed them. */
const rcl_arguments_t* fil_node_global_arguments(const rcl_node_t* node);

/* Resolves a name as a topic or service of the node. Sets the error message. */
rcl_ret_t fil_node_resolve(const rcl_node_t* node, const char* name, FilRemapKind kind, char full[FIL_NAME_MAX]);

/* Makes an endpoint on the topic prefix + full + suffix and adds it to the node. Refuses types that have no encoding.
 */
rcl_ret_t fil_node_add_endpoint(const rcl_node_t* node, bool is_writer, const char* prefix, const char* full, const char* suffix,
                                const FilMessageMembers* type, const rmw_qos_profile_t* qos, const char* user_data, FilEndpoint* endpoint);

/* The same under a DDS type name, whatever the type is. */
rcl_ret_t fil_node_add_typed_endpoint(const rcl_node_t* node, bool is_writer, const char* prefix, const char* full, const char* suffix,
                                      const char* type_name, const rmw_qos_profile_t* qos, const char* user_data, FilEndpoint* endpoint);
rcl_ret_t fil_node_remove_endpoint(const rcl_node_t* node, FilEndpoint* endpoint);

/* The introspection of a message type; NULL, with the error message set, if it has none. */
const FilMessageMembers* fil_message_members(const rosidl_message_type_support_t* support);

#endif
