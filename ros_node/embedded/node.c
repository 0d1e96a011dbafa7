/* Contexts (rclc_support) and nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node_impl.h"
#include "rcl/error_handling.h"
#include "rcl/logging_rosout.h"
#include "rclc/node.h"
#include "rosidl_typesupport_introspection_c/identifier.h"

/* ---- contexts ---- */

rcl_context_t rcl_get_zero_initialized_context(void)
{
    return (rcl_context_t){0};
}

bool rcl_context_is_valid(const rcl_context_t* context)
{
    return context != NULL && context->impl != NULL;
}

rcl_ret_t rcl_context_get_domain_id(rcl_context_t* context, size_t* domain_id)
{
    if (!rcl_context_is_valid(context)) {
        RCL_SET_ERROR_MSG("the context is not initialised");
        return RCL_RET_NOT_INIT;
    }
    *domain_id = context->impl->participant.domain_id;
    return RCL_RET_OK;
}

rcl_ret_t rclc_support_init(rclc_support_t* support, int argc, char const* const* argv, rcl_allocator_t* allocator)
{
    *support = (rclc_support_t){.allocator = allocator};
    rcl_ret_t ret = rcl_parse_arguments(argc, argv, *allocator, &support->context.global_arguments);
    if (ret != RCL_RET_OK) {
        return ret;
    }
    rcl_context_impl_t* impl = calloc(1, sizeof *impl);
    support->context.impl = impl;
    if (impl == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        ret = RCL_RET_BAD_ALLOC;
    } else {
        ret = fil_participant_create(&impl->participant);
    }
    if (ret == RCL_RET_OK) {
        ret = fil_graph_init(&impl->graph, impl->participant.entity);
    }
    if (ret != RCL_RET_OK) {
        const rcl_ret_t fini = rclc_support_fini(support);
        (void)fini;  // the first error counts
    }
    return ret;
}

rcl_ret_t rclc_support_fini(rclc_support_t* support)
{
    if (support->context.impl != NULL) {
        fil_graph_fini(&support->context.impl->graph);
        fil_participant_delete(&support->context.impl->participant);
        free(support->context.impl);
    }
    const rcl_ret_t ret = rcl_arguments_fini(&support->context.global_arguments);
    *support = (rclc_support_t){0};
    return ret;
}

/* ---- nodes ---- */

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

static const rcl_arguments_t* global_arguments(const rcl_node_t* node)
{
    return node->impl->options.use_global_arguments ? &node->context->global_arguments : NULL;
}

/* name, namespace and what follows from them, after remapping */
static rcl_ret_t set_names(rcl_node_t* node, const char* name, const char* name_space)
{
    rcl_node_impl_t* impl = node->impl;
    const rcl_arguments_t* local = &impl->options.arguments;
    const rcl_arguments_t* global = global_arguments(node);
    const char* new_space = fil_name_remap_node(local, global, FIL_REMAP_NAMESPACE, name);
    const char* new_name = fil_name_remap_node(local, global, FIL_REMAP_NODE_NAME, name);
    name = new_name != NULL ? new_name : name;
    name_space = new_space != NULL ? new_space : name_space;
    if (!fil_name_is_token(name)) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("'%s' is not a node name", name);
        return RCL_RET_NODE_INVALID_NAME;
    }
    // an empty namespace is the root, and the leading '/' may be left out
    snprintf(impl->name_space, sizeof impl->name_space, "%s%s", name_space[0] == '/' ? "" : "/", name_space);
    if (strlen(name_space) + 1 >= sizeof impl->name_space || !fil_name_is_absolute(impl->name_space, true)) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("'%s' is not a namespace", name_space);
        return RCL_RET_NODE_INVALID_NAMESPACE;
    }
    const char* prefix = strcmp(impl->name_space, "/") == 0 ? "" : impl->name_space;
    snprintf(impl->name, sizeof impl->name, "%s", name);
    snprintf(impl->full_name, sizeof impl->full_name, "%s/%s", prefix, name);
    // loggers are named like nodes, with dots
    snprintf(impl->logger_name, sizeof impl->logger_name, "%s", impl->full_name + 1);
    for (char* c = impl->logger_name; *c != '\0'; c++) {
        *c = *c == '/' ? '.' : *c;
    }
    return RCL_RET_OK;
}

rcl_ret_t rcl_node_init(rcl_node_t* node, const char* name, const char* namespace_, rcl_context_t* context,
                        const rcl_node_options_t* options)
{
    if (node == NULL || name == NULL || namespace_ == NULL || options == NULL || !rcl_context_is_valid(context)) {
        RCL_SET_ERROR_MSG("bad argument");
        return RCL_RET_INVALID_ARGUMENT;
    }
    rcl_node_impl_t* impl = calloc(1, sizeof *impl);
    if (impl == NULL) {
        RCL_SET_ERROR_MSG("out of memory");
        return RCL_RET_BAD_ALLOC;
    }
    impl->options = *options;
    *node = (rcl_node_t){.context = context, .impl = impl};
    rcl_ret_t ret = set_names(node, name, namespace_);
    if (ret == RCL_RET_OK) {
        ret = fil_graph_add_node(&context->impl->graph, impl->name, impl->name_space, &impl->graph_node);
    }
    if (ret == RCL_RET_OK && options->enable_rosout) {
        ret = rcl_logging_rosout_init_publisher_for_node(node);
    }
    if (ret != RCL_RET_OK) {
        const rcl_ret_t fini = rcl_node_fini(node);
        (void)fini;  // the first error counts
    }
    return ret;
}

rcl_ret_t rcl_node_fini(rcl_node_t* node)
{
    rcl_ret_t ret = RCL_RET_OK;
    if (node->impl != NULL) {
        if (node->impl->options.enable_rosout) {
            ret = rcl_logging_rosout_fini_publisher_for_node(node);
        }
        if (node->impl->graph_node != NULL) {
            const rcl_ret_t told = fil_graph_remove_node(&node->context->impl->graph, node->impl->graph_node);
            ret = ret == RCL_RET_OK ? told : ret;
        }
        free(node->impl);
    }
    *node = rcl_get_zero_initialized_node();
    return ret;
}

rcl_ret_t rclc_node_init_with_options(rcl_node_t* node, const char* name, const char* namespace_,
                                      rclc_support_t* support, rcl_node_options_t* node_ops)
{
    return rcl_node_init(node, name, namespace_, &support->context, node_ops);
}

rcl_ret_t rclc_node_init_default(rcl_node_t* node, const char* name, const char* namespace_, rclc_support_t* support)
{
    const rcl_node_options_t options = rcl_node_get_default_options();
    return rcl_node_init(node, name, namespace_, &support->context, &options);
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
        !fil_name_remap(&impl->options.arguments, global_arguments(node), kind, impl->name, impl->name_space, full)) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("'%s', or what it is remapped to, is not a valid name",
                                             name != NULL ? name : "");
        return kind == FIL_REMAP_SERVICE ? RCL_RET_SERVICE_NAME_INVALID : RCL_RET_TOPIC_NAME_INVALID;
    }
    return RCL_RET_OK;
}

rcl_ret_t rcl_node_resolve_name(const rcl_node_t* node, const char* input_name, rcl_allocator_t allocator,
                                bool is_service, bool only_expand, char** output_name)
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
        support != NULL ? get_message_typesupport_handle(support, rosidl_typesupport_introspection_c__identifier)
                        : NULL;
    if (handle == NULL) {
        RCL_SET_ERROR_MSG("the message type has no introspection");
        return NULL;
    }
    return handle->data;
}

rcl_ret_t fil_node_add_typed_endpoint(const rcl_node_t* node, bool is_writer, const char* prefix, const char* full,
                                      const char* suffix, const char* type_name, const rmw_qos_profile_t* qos,
                                      const char* user_data, FilEndpoint* endpoint)
{
    char topic[FIL_NAME_MAX + 32];
    snprintf(topic, sizeof topic, "%s%s%s", qos->avoid_ros_namespace_conventions ? "" : prefix,
             full + (qos->avoid_ros_namespace_conventions ? 1 : 0), suffix);
    rcl_context_impl_t* context = node->context->impl;
    rcl_ret_t ret =
        fil_endpoint_create(context->participant.entity, is_writer, topic, type_name, qos, user_data, endpoint);
    if (ret != RCL_RET_OK) {
        return ret;
    }
    ret = fil_graph_add_endpoint(&context->graph, node->impl->graph_node, endpoint);
    if (ret != RCL_RET_OK) {
        fil_endpoint_delete(endpoint);
    }
    return ret;
}

rcl_ret_t fil_node_add_endpoint(const rcl_node_t* node, bool is_writer, const char* prefix, const char* full,
                                const char* suffix, const FilMessageMembers* type, const rmw_qos_profile_t* qos,
                                const char* user_data, FilEndpoint* endpoint)
{
    char type_name[FIL_NAME_MAX];
    const char* field = NULL;
    if (!fil_cdr_supports(type, &field) || !fil_type_dds_name(type, type_name, sizeof type_name)) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("type %s cannot be sent (field %s)", type->message_name_,
                                             field != NULL ? field : "none");
        return RCL_RET_UNSUPPORTED;
    }
    return fil_node_add_typed_endpoint(node, is_writer, prefix, full, suffix, type_name, qos, user_data, endpoint);
}

rcl_ret_t fil_node_remove_endpoint(const rcl_node_t* node, FilEndpoint* endpoint)
{
    const rcl_ret_t ret = endpoint->entity > 0
                              ? fil_graph_remove_endpoint(&node->context->impl->graph, node->impl->graph_node, endpoint)
                              : RCL_RET_OK;
    fil_endpoint_delete(endpoint);
    return ret;
}
