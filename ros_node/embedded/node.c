/* Nodes once they are made: what they are called, and their endpoints. */
#include <stdio.h>
#include <string.h>

#include "node_impl.h"
#include "rcl/error_handling.h"
#include "rcl/logging_rosout.h"
#include "rosidl_typesupport_introspection_c/identifier.h"

rcl_node_options_t rcl_node_get_default_options(void)
{
    return (rcl_node_options_t){
        .allocator = rcl_get_default_allocator(),
        .use_global_arguments = true,
        .enable_rosout = true,
        .rosout_qos = rcl_qos_profile_rosout_default,
    };
}

rcl_node_t rcl_get_zero_initialized_node(void)
{
    return (rcl_node_t){0};
}

const rcl_arguments_t* fil_node_global_arguments(const rcl_node_t* node)
{
    return node->impl->options.use_global_arguments ? &node->context->global_arguments : NULL;
}

bool rcl_node_is_valid(const rcl_node_t* node)
{
    return node != NULL && node->impl != NULL;
}

const char* rcl_node_get_name(const rcl_node_t* node)
{
    return rcl_node_is_valid(node) ? node->impl->name : NULL;
}

const char* rcl_node_get_namespace(const rcl_node_t* node)
{
    return rcl_node_is_valid(node) ? node->impl->name_space : NULL;
}

const char* rcl_node_get_fully_qualified_name(const rcl_node_t* node)
{
    return rcl_node_is_valid(node) ? node->impl->full_name : NULL;
}

const char* rcl_node_get_logger_name(const rcl_node_t* node)
{
    return rcl_node_is_valid(node) ? node->impl->logger_name : NULL;
}

const rcl_node_options_t* rcl_node_get_options(const rcl_node_t* node)
{
    return rcl_node_is_valid(node) ? &node->impl->options : NULL;
}

/* ---- names and endpoints of a node ---- */

rcl_ret_t fil_node_resolve(const rcl_node_t* node, const char* name, FilRemapKind kind, char full[FIL_NAME_MAX])
{
    if (!rcl_node_is_valid(node)) {
        RCL_SET_ERROR_MSG("the node is not initialised");
        return RCL_RET_NODE_INVALID;
    }
    const rcl_node_impl_t* impl = node->impl;
    if (name == NULL || !fil_name_expand(name, impl->name, impl->name_space, full) ||
        !fil_name_remap(&impl->options.arguments, fil_node_global_arguments(node), kind, impl->name, impl->name_space, full)) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("'%s', or what it is remapped to, is not a valid name", name != NULL ? name : "");
        return kind == FIL_REMAP_SERVICE ? RCL_RET_SERVICE_NAME_INVALID : RCL_RET_TOPIC_NAME_INVALID;
    }
    return RCL_RET_OK;
}

rcl_ret_t rcl_node_resolve_name(const rcl_node_t* node, const char* input_name, rcl_allocator_t allocator, bool is_service, bool only_expand,
                                char** output_name)
{
    char full[FIL_NAME_MAX];
    rcl_ret_t ret = RCL_RET_OK;
    if (!only_expand) {
        ret = fil_node_resolve(node, input_name, is_service ? FIL_REMAP_SERVICE : FIL_REMAP_TOPIC, full);
    } else if (!fil_name_expand(input_name, node->impl->name, node->impl->name_space, full)) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("'%s' is not a valid name", input_name);
        ret = is_service ? RCL_RET_SERVICE_NAME_INVALID : RCL_RET_TOPIC_NAME_INVALID;
    }
    if (ret != RCL_RET_OK) {
        return ret;
    }
    *output_name = allocator.allocate(strlen(full) + 1, allocator.state);
    if (*output_name == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    memcpy(*output_name, full, strlen(full) + 1);
    return RCL_RET_OK;
}

const FilMessageMembers* fil_message_members(const rosidl_message_type_support_t* support)
{
    const rosidl_message_type_support_t* handle =
        support != NULL ? get_message_typesupport_handle(support, rosidl_typesupport_introspection_c__identifier) : NULL;
    if (handle == NULL) {
        RCL_SET_ERROR_MSG("the message type has no introspection");
        return NULL;
    }
    return handle->data;
}

rcl_ret_t fil_node_add_typed_endpoint(const rcl_node_t* node, bool is_writer, const char* prefix, const char* full, const char* suffix,
                                      const char* type_name, const rmw_qos_profile_t* qos, const char* user_data, FilEndpoint* endpoint)
{
    char topic[FIL_NAME_MAX + 32];
    snprintf(topic, sizeof topic, "%s%s%s", qos->avoid_ros_namespace_conventions ? "" : prefix, full + (qos->avoid_ros_namespace_conventions ? 1 : 0),
             suffix);
    rcl_context_impl_t* context = node->context->impl;
    rcl_ret_t ret = fil_endpoint_create(context->participant.entity, is_writer, topic, type_name, qos, user_data, endpoint);
    if (ret != RCL_RET_OK) {
        return ret;
    }
    ret = fil_graph_add_endpoint(&context->graph, node->impl->graph_node, endpoint);
    if (ret != RCL_RET_OK) {
        fil_endpoint_delete(endpoint);
    }
    return ret;
}

rcl_ret_t fil_node_add_endpoint(const rcl_node_t* node, bool is_writer, const char* prefix, const char* full, const char* suffix,
                                const FilMessageMembers* type, const rmw_qos_profile_t* qos, const char* user_data, FilEndpoint* endpoint)
{
    char type_name[FIL_NAME_MAX];
    const char* field = NULL;
    if (!fil_cdr_supports(type, &field) || !fil_type_dds_name(type, type_name, sizeof type_name)) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("type %s cannot be sent (field %s)", type->message_name_, field != NULL ? field : "none");
        return RCL_RET_UNSUPPORTED;
    }
    return fil_node_add_typed_endpoint(node, is_writer, prefix, full, suffix, type_name, qos, user_data, endpoint);
}

rcl_ret_t fil_node_remove_endpoint(const rcl_node_t* node, FilEndpoint* endpoint)
{
    const rcl_ret_t ret =
        endpoint->entity > 0 ? fil_graph_remove_endpoint(&node->context->impl->graph, node->impl->graph_node, endpoint) : RCL_RET_OK;
    fil_endpoint_delete(endpoint);
    return ret;
}
