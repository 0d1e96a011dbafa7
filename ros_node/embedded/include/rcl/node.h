/* A node: a name in the graph that owns endpoints. */
#ifndef RCL__NODE_H_
#define RCL__NODE_H_

#include "rcl/context.h"
#include "rcl/node_options.h"

typedef struct rcl_node_impl_s rcl_node_impl_t;

typedef struct rcl_node_s {
    rcl_context_t* context;
    rcl_node_impl_t* impl;
} rcl_node_t;

rcl_node_t rcl_get_zero_initialized_node(void);
RCL_WARN_UNUSED rcl_ret_t rcl_node_init(rcl_node_t* node, const char* name, const char* namespace_, rcl_context_t* context,
                                        const rcl_node_options_t* options);
RCL_WARN_UNUSED rcl_ret_t rcl_node_fini(rcl_node_t* node);
bool rcl_node_is_valid(const rcl_node_t* node);

/* After remapping; NULL for an invalid node. */
const char* rcl_node_get_name(const rcl_node_t* node);
const char* rcl_node_get_namespace(const rcl_node_t* node);
const char* rcl_node_get_fully_qualified_name(const rcl_node_t* node);
const char* rcl_node_get_logger_name(const rcl_node_t* node);
const rcl_node_options_t* rcl_node_get_options(const rcl_node_t* node);

/* The full name that a relative, private (~) or absolute name stands for, with remaps unless only_expand. */
RCL_WARN_UNUSED rcl_ret_t rcl_node_resolve_name(const rcl_node_t* node, const char* input_name, rcl_allocator_t allocator, bool is_service,
                                                bool only_expand, char** output_name);

#endif
