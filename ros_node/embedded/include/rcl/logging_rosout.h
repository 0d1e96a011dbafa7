/* The /rosout publishers of nodes. */
#ifndef RCL__LOGGING_ROSOUT_H_
#define RCL__LOGGING_ROSOUT_H_

#include <stdarg.h>

#include "rcl/node.h"
#include "rcutils/logging.h"

/* as rcl's */
static const rmw_qos_profile_t rcl_qos_profile_rosout_default = {
    .history = RMW_QOS_POLICY_HISTORY_KEEP_LAST,
    .depth = 1000,
    .reliability = RMW_QOS_POLICY_RELIABILITY_RELIABLE,
    .durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
    .lifespan = {10, 0},
};

/* From now on messages of the node's logger go to /rosout too. */
RCL_WARN_UNUSED rcl_ret_t rcl_logging_rosout_init_publisher_for_node(rcl_node_t* node);
RCL_WARN_UNUSED rcl_ret_t rcl_logging_rosout_fini_publisher_for_node(rcl_node_t* node);

void rcl_logging_rosout_output_handler(const rcutils_log_location_t* location, int severity, const char* name, rcutils_time_point_value_t timestamp,
                                       const char* format, va_list* args);

#endif
