/* The support object: context and allocator. */
#ifndef RCLC__TYPES_H_
#define RCLC__TYPES_H_

#include "rcl/allocator.h"
#include "rcl/context.h"

typedef struct {
    rcl_context_t context;
    rcl_allocator_t* allocator;
} rclc_support_t;

#endif
