/* The common QoS profiles, as in rmw. */
#ifndef RMW__QOS_PROFILES_H_
#define RMW__QOS_PROFILES_H_

#include "rmw/types.h"

#define FIL_QOS_PROFILE(depth_, reliability_)                                                                                     \
    {                                                                                                                             \
        .history = RMW_QOS_POLICY_HISTORY_KEEP_LAST, .depth = (depth_), .reliability = RMW_QOS_POLICY_RELIABILITY_##reliability_, \
        .durability = RMW_QOS_POLICY_DURABILITY_VOLATILE                                                                          \
    }

/* depths as rmw's */
static const rmw_qos_profile_t rmw_qos_profile_default = FIL_QOS_PROFILE(10, RELIABLE);
static const rmw_qos_profile_t rmw_qos_profile_sensor_data = FIL_QOS_PROFILE(5, BEST_EFFORT);
static const rmw_qos_profile_t rmw_qos_profile_services_default = FIL_QOS_PROFILE(10, RELIABLE);
static const rmw_qos_profile_t rmw_qos_profile_parameters = FIL_QOS_PROFILE(1000, RELIABLE);
static const rmw_qos_profile_t rmw_qos_profile_parameter_events = FIL_QOS_PROFILE(1000, RELIABLE);

#undef FIL_QOS_PROFILE

#endif
