/* Command line: --ros-args with remaps, parameters and log levels. */
#ifndef RCL__ARGUMENTS_H_
#define RCL__ARGUMENTS_H_

#include "rcl/allocator.h"
#include "rcl/types.h"
#include "rcl_yaml_param_parser/types.h"

typedef struct rcl_arguments_impl_s rcl_arguments_impl_t;

typedef struct rcl_arguments_s {
    rcl_arguments_impl_t* impl;
} rcl_arguments_t;

rcl_arguments_t rcl_get_zero_initialized_arguments(void);

/* Between --ros-args and -- (or the end): -r from:=to, -p name:=value, --params-file FILE, --log-level LEVEL or
 * logger:=LEVEL, --enable/disable-rosout-logs, --enable/disable-stdout-logs, and those of rcl that have no effect here
 * (-e, --log-config-file, --enable/disable-external-lib-logs). What stands outside is left to the program. */
RCL_WARN_UNUSED rcl_ret_t rcl_parse_arguments(int argc, const char* const* argv, rcl_allocator_t allocator, rcl_arguments_t* args_output);

int rcl_arguments_get_count_unparsed(const rcl_arguments_t* args);
RCL_WARN_UNUSED rcl_ret_t rcl_arguments_get_unparsed(const rcl_arguments_t* args, rcl_allocator_t allocator, int** output_unparsed_indices);

/* A copy, to be freed with rcl_yaml_node_struct_fini(); NULL when there are none. */
RCL_WARN_UNUSED rcl_ret_t rcl_arguments_get_param_overrides(const rcl_arguments_t* arguments, rcl_params_t** parameter_overrides);

RCL_WARN_UNUSED rcl_ret_t rcl_arguments_fini(rcl_arguments_t* args);

#endif
