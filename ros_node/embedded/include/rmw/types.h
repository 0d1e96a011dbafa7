/* Return codes, QoS profiles and sample information, as in rmw. */
#ifndef RMW__TYPES_H_
#define RMW__TYPES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int rmw_ret_t;

/* numbers as rmw's */
#define RMW_RET_OK 0
#define RMW_RET_ERROR 1
#define RMW_RET_TIMEOUT 2
#define RMW_RET_UNSUPPORTED 3
#define RMW_RET_BAD_ALLOC 10
#define RMW_RET_INVALID_ARGUMENT 11

/* 16 bytes of a writer's identity in a request, 24 in message information (the first 16 count) */
#define RMW_GID_STORAGE_SIZE 24u

typedef int64_t rmw_time_point_value_t;

typedef struct rmw_time_s {
    uint64_t sec;
    uint64_t nsec;
} rmw_time_t;

typedef enum rmw_qos_reliability_policy_e {
    RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
    RMW_QOS_POLICY_RELIABILITY_RELIABLE,
    RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT,
    RMW_QOS_POLICY_RELIABILITY_UNKNOWN,
} rmw_qos_reliability_policy_t;

typedef enum rmw_qos_history_policy_e {
    RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT,
    RMW_QOS_POLICY_HISTORY_KEEP_LAST,
    RMW_QOS_POLICY_HISTORY_KEEP_ALL,
    RMW_QOS_POLICY_HISTORY_UNKNOWN,
} rmw_qos_history_policy_t;

typedef enum rmw_qos_durability_policy_e {
    RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT,
    RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
    RMW_QOS_POLICY_DURABILITY_VOLATILE,
    RMW_QOS_POLICY_DURABILITY_UNKNOWN,
} rmw_qos_durability_policy_t;

typedef enum rmw_qos_liveliness_policy_e {
    RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT = 0,
    RMW_QOS_POLICY_LIVELINESS_AUTOMATIC = 1,
    RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC = 3,
    RMW_QOS_POLICY_LIVELINESS_UNKNOWN = 4,
} rmw_qos_liveliness_policy_t;

typedef struct rmw_qos_profile_s {
    rmw_qos_history_policy_t history;
    size_t depth;
    rmw_qos_reliability_policy_t reliability;
    rmw_qos_durability_policy_t durability;
    rmw_time_t deadline; /* zero: none, here and below */
    rmw_time_t lifespan;
    rmw_qos_liveliness_policy_t liveliness;
    rmw_time_t liveliness_lease_duration;
    bool avoid_ros_namespace_conventions;
} rmw_qos_profile_t;

typedef struct rmw_gid_s {
    const char* implementation_identifier;
    uint8_t data[RMW_GID_STORAGE_SIZE];
} rmw_gid_t;

typedef struct rmw_message_info_s {
    rmw_time_point_value_t source_timestamp;
    rmw_time_point_value_t received_timestamp;
    rmw_gid_t publisher_gid;
    bool from_intra_process;
} rmw_message_info_t;

typedef struct rmw_request_id_s {
    int8_t writer_guid[16];
    int64_t sequence_number;
} rmw_request_id_t;

/* Preallocation handles; always NULL here. */
typedef struct rmw_publisher_allocation_s rmw_publisher_allocation_t;
typedef struct rmw_subscription_allocation_s rmw_subscription_allocation_t;

#endif
