/* A context: the command line and one DDS participant. */
#ifndef RCL__CONTEXT_H_
#define RCL__CONTEXT_H_

#include "rcl/allocator.h"
#include "rcl/arguments.h"
#include "rcl/types.h"

typedef struct rcl_context_impl_s rcl_context_impl_t;

typedef struct rcl_context_s {
    rcl_arguments_t global_arguments;
    rcl_context_impl_t* impl;
} rcl_context_t;

rcl_context_t rcl_get_zero_initialized_context(void);
bool rcl_context_is_valid(const rcl_context_t* context);
RCL_WARN_UNUSED rcl_ret_t rcl_context_get_domain_id(rcl_context_t* context, size_t* domain_id);

#endif
