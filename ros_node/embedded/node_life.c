/* The life of nodes: named, joined to the graph, and heard on /rosout, for which a node needs a publisher of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node_impl.h"
#include "rcl/error_handling.h"
#include "rcl/logging_rosout.h"
#include "rclc/node.h"

/* name, namespace and what follows from them, after remapping */
static rcl_ret_t set_names(rcl_node_t* node, const char* name, const char* name_space)
{
    rcl_node_impl_t* impl = node->impl;
    const rcl_arguments_t* local = &impl->options.arguments;
    const rcl_arguments_t* global = fil_node_global_arguments(node);
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

rcl_ret_t rcl_node_init(rcl_node_t* node, const char* name, const char* namespace_, rcl_context_t* context, const rcl_node_options_t* options)
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
            const rcl_ret_t removed = fil_graph_remove_node(&node->context->impl->graph, node->impl->graph_node);
            ret = ret == RCL_RET_OK ? removed : ret;
        }
        free(node->impl);
    }
    *node = rcl_get_zero_initialized_node();
    return ret;
}

rcl_ret_t rclc_node_init_with_options(rcl_node_t* node, const char* name, const char* namespace_, rclc_support_t* support,
                                      rcl_node_options_t* node_ops)
{
    return rcl_node_init(node, name, namespace_, &support->context, node_ops);
}

rcl_ret_t rclc_node_init_default(rcl_node_t* node, const char* name, const char* namespace_, rclc_support_t* support)
{
    const rcl_node_options_t options = rcl_node_get_default_options();
    return rcl_node_init(node, name, namespace_, &support->context, &options);
}
