/* Publishers and subscriptions. */
#include <stdlib.h>
#include <string.h>

#include "node_impl.h"
#include "rcl/error_handling.h"
#include "rclc/publisher.h"
#include "rclc/subscription.h"
#include "rmw/qos_profiles.h"
#include "topics_impl.h"

/* Iron and later expect some user data on every endpoint of a topic */
static const char topic_user_data[] = "implementation=filum;";

static rcl_ret_t init(FilTopic* topic, const rcl_node_t* node, bool is_writer, const rosidl_message_type_support_t* support, const char* name,
                      const rmw_qos_profile_t* qos)
{
    const rcl_ret_t ret = fil_node_resolve(node, name, FIL_REMAP_TOPIC, topic->name);
    if (ret != RCL_RET_OK) {
        return ret;
    }
    topic->type = fil_message_members(support);
    if (topic->type == NULL) {
        return RCL_RET_INVALID_ARGUMENT;
    }
    return fil_node_add_endpoint(node, is_writer, "rt", topic->name, "", topic->type, qos, topic_user_data, &topic->endpoint);
}

static rcl_ret_t invalid(const char* what, rcl_ret_t ret)
{
    RCL_SET_ERROR_MSG(what);
    return ret;
}

/* ---- publishers ---- */

struct rcl_publisher_impl_s {
    FilTopic topic;
};

rcl_publisher_t rcl_get_zero_initialized_publisher(void)
{
    return (rcl_publisher_t){NULL};
}

rcl_publisher_options_t rcl_publisher_get_default_options(void)
{
    return (rcl_publisher_options_t){.qos = rmw_qos_profile_default, .allocator = rcl_get_default_allocator()};
}

bool rcl_publisher_is_valid(const rcl_publisher_t* publisher)
{
    return publisher != NULL && publisher->impl != NULL;
}

rcl_ret_t rcl_publisher_init(rcl_publisher_t* publisher, const rcl_node_t* node, const rosidl_message_type_support_t* type_support,
                             const char* topic_name, const rcl_publisher_options_t* options)
{
    publisher->impl = calloc(1, sizeof *publisher->impl);
    if (publisher->impl == NULL) {
        return invalid("out of memory", RCL_RET_BAD_ALLOC);
    }
    const rcl_ret_t ret = init(&publisher->impl->topic, node, true, type_support, topic_name, &options->qos);
    if (ret != RCL_RET_OK) {
        free(publisher->impl);
        publisher->impl = NULL;
    }
    return ret;
}

rcl_ret_t rcl_publisher_fini(rcl_publisher_t* publisher, rcl_node_t* node)
{
    if (!rcl_publisher_is_valid(publisher)) {
        return RCL_RET_OK;
    }
    const rcl_ret_t ret = fil_node_remove_endpoint(node, &publisher->impl->topic.endpoint);
    free(publisher->impl);
    publisher->impl = NULL;
    return ret;
}

rcl_ret_t rcl_publish(const rcl_publisher_t* publisher, const void* ros_message, rmw_publisher_allocation_t* allocation)
{
    (void)allocation;
    if (!rcl_publisher_is_valid(publisher)) {
        return invalid("the publisher is not initialised", RCL_RET_PUBLISHER_INVALID);
    }
    const FilTopic* topic = &publisher->impl->topic;
    return fil_endpoint_write(&topic->endpoint, topic->type, ros_message, NULL, 0);
}

rcl_ret_t rcl_publisher_get_subscription_count(const rcl_publisher_t* publisher, size_t* subscription_count)
{
    if (!rcl_publisher_is_valid(publisher)) {
        return invalid("the publisher is not initialised", RCL_RET_PUBLISHER_INVALID);
    }
    return fil_endpoint_matched(&publisher->impl->topic.endpoint, subscription_count);
}

const char* rcl_publisher_get_topic_name(const rcl_publisher_t* publisher)
{
    return rcl_publisher_is_valid(publisher) ? publisher->impl->topic.name : NULL;
}

rcl_ret_t rclc_publisher_init(rcl_publisher_t* publisher, const rcl_node_t* node, const rosidl_message_type_support_t* type_support,
                              const char* topic_name, const rmw_qos_profile_t* qos_profile)
{
    rcl_publisher_options_t options = rcl_publisher_get_default_options();
    options.qos = *qos_profile;
    return rcl_publisher_init(publisher, node, type_support, topic_name, &options);
}

rcl_ret_t rclc_publisher_init_default(rcl_publisher_t* publisher, const rcl_node_t* node, const rosidl_message_type_support_t* type_support,
                                      const char* topic_name)
{
    return rclc_publisher_init(publisher, node, type_support, topic_name, &rmw_qos_profile_default);
}

rcl_ret_t rclc_publisher_init_best_effort(rcl_publisher_t* publisher, const rcl_node_t* node, const rosidl_message_type_support_t* type_support,
                                          const char* topic_name)
{
    return rclc_publisher_init(publisher, node, type_support, topic_name, &rmw_qos_profile_sensor_data);
}

/* ---- subscriptions ---- */

struct rcl_subscription_impl_s {
    FilTopic topic;
};

rcl_subscription_t rcl_get_zero_initialized_subscription(void)
{
    return (rcl_subscription_t){NULL};
}

rcl_subscription_options_t rcl_subscription_get_default_options(void)
{
    return (rcl_subscription_options_t){.qos = rmw_qos_profile_default, .allocator = rcl_get_default_allocator()};
}

bool rcl_subscription_is_valid(const rcl_subscription_t* subscription)
{
    return subscription != NULL && subscription->impl != NULL;
}

rcl_ret_t rcl_subscription_init(rcl_subscription_t* subscription, const rcl_node_t* node, const rosidl_message_type_support_t* type_support,
                                const char* topic_name, const rcl_subscription_options_t* options)
{
    subscription->impl = calloc(1, sizeof *subscription->impl);
    if (subscription->impl == NULL) {
        return invalid("out of memory", RCL_RET_BAD_ALLOC);
    }
    const rcl_ret_t ret = init(&subscription->impl->topic, node, false, type_support, topic_name, &options->qos);
    if (ret != RCL_RET_OK) {
        free(subscription->impl);
        subscription->impl = NULL;
    }
    return ret;
}

rcl_ret_t rcl_subscription_fini(rcl_subscription_t* subscription, rcl_node_t* node)
{
    if (!rcl_subscription_is_valid(subscription)) {
        return RCL_RET_OK;
    }
    const rcl_ret_t ret = fil_node_remove_endpoint(node, &subscription->impl->topic.endpoint);
    free(subscription->impl);
    subscription->impl = NULL;
    return ret;
}

rcl_ret_t rcl_take(const rcl_subscription_t* subscription, void* ros_message, rmw_message_info_t* message_info,
                   rmw_subscription_allocation_t* allocation)
{
    (void)allocation;
    if (!rcl_subscription_is_valid(subscription)) {
        return invalid("the subscription is not initialised", RCL_RET_SUBSCRIPTION_INVALID);
    }
    const FilTopic* topic = &subscription->impl->topic;
    dds_sample_info_t info;
    struct ddsi_serdata* sample = fil_endpoint_take(&topic->endpoint, &info);
    if (sample == NULL) {
        return RCL_RET_SUBSCRIPTION_TAKE_FAILED;
    }
    const bool good = fil_sample_read(sample, topic->type, ros_message, NULL, 0);
    fil_sample_release(sample);
    if (message_info != NULL) {
        *message_info = (rmw_message_info_t){.source_timestamp = info.source_timestamp};
        memcpy(message_info->publisher_gid.data, &info.publication_handle, sizeof info.publication_handle);
    }
    return good ? RCL_RET_OK : RCL_RET_ERROR;
}

rcl_ret_t rcl_subscription_get_publisher_count(const rcl_subscription_t* subscription, size_t* publisher_count)
{
    if (!rcl_subscription_is_valid(subscription)) {
        return invalid("the subscription is not initialised", RCL_RET_SUBSCRIPTION_INVALID);
    }
    return fil_endpoint_matched(&subscription->impl->topic.endpoint, publisher_count);
}

const char* rcl_subscription_get_topic_name(const rcl_subscription_t* subscription)
{
    return rcl_subscription_is_valid(subscription) ? subscription->impl->topic.name : NULL;
}

const FilEndpoint* fil_subscription_endpoint(const rcl_subscription_t* subscription)
{
    return &subscription->impl->topic.endpoint;
}

rcl_ret_t rclc_subscription_init(rcl_subscription_t* subscription, rcl_node_t* node, const rosidl_message_type_support_t* type_support,
                                 const char* topic_name, const rmw_qos_profile_t* qos_profile)
{
    rcl_subscription_options_t options = rcl_subscription_get_default_options();
    options.qos = *qos_profile;
    return rcl_subscription_init(subscription, node, type_support, topic_name, &options);
}

rcl_ret_t rclc_subscription_init_default(rcl_subscription_t* subscription, rcl_node_t* node, const rosidl_message_type_support_t* type_support,
                                         const char* topic_name)
{
    return rclc_subscription_init(subscription, node, type_support, topic_name, &rmw_qos_profile_default);
}

rcl_ret_t rclc_subscription_init_best_effort(rcl_subscription_t* subscription, rcl_node_t* node, const rosidl_message_type_support_t* type_support,
                                             const char* topic_name)
{
    return rclc_subscription_init(subscription, node, type_support, topic_name, &rmw_qos_profile_sensor_data);
}
