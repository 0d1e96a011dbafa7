/* Begin and end of a program's life in the graph. */
#ifndef RCLC__INIT_H_
#define RCLC__INIT_H_

#include "rclc/types.h"

/* Reads the command line and joins the DDS domain ROS_DOMAIN_ID. */
rcl_ret_t rclc_support_init(rclc_support_t* support, int argc, char const* const* argv, rcl_allocator_t* allocator);
rcl_ret_t rclc_support_fini(rclc_support_t* support);

#endif
