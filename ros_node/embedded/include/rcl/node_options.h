/* Options of a node. */
#ifndef RCL__NODE_OPTIONS_H_
#define RCL__NODE_OPTIONS_H_

#include "rcl/allocator.h"
#include "rcl/arguments.h"

typedef struct rcl_node_options_s {
    rcl_allocator_t allocator;
    bool use_global_arguments; /* remaps of the command line apply; default true */
    rcl_arguments_t arguments; /* further ones, looked at first */
    bool enable_rosout;        /* default true */
    rmw_qos_profile_t rosout_qos;
} rcl_node_options_t;

rcl_node_options_t rcl_node_get_default_options(void);

#endif
