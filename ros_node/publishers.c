#include "publishers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagnostic_msgs/msg/diagnostic_status.h"
#include "diagnostic_msgs/msg/key_value.h"
#include "messages.h"
#include "rclc/publisher.h"
#include "rcutils/time.h"

static const struct {
    const char* name;
    size_t depth;
    const char* durability;
} topics[FIL_TOPIC_COUNT] = {
    [FIL_TOPIC_CLOCK] = {"/clock", 10, "volatile"},
    [FIL_TOPIC_TF] = {"/tf", 100, "volatile"},
    [FIL_TOPIC_TF_STATIC] = {"/tf_static", 1, "transient_local"},
    [FIL_TOPIC_ROD_STATES] = {"rod_states", 10, "volatile"},
    [FIL_TOPIC_CONTACT_WRENCHES] = {"contact_wrenches", 10, "volatile"},
    [FIL_TOPIC_PROBES] = {"probes", 10, "volatile"},
    [FIL_TOPIC_STEP_INFO] = {"step_info", 10, "volatile"},
    [FIL_TOPIC_MARKERS] = {"markers", 10, "volatile"},
    [FIL_TOPIC_DIAGNOSTICS] = {"/diagnostics", 10, "volatile"},
};

static const rosidl_message_type_support_t* topic_type(FilTopicId topic)
{
    switch (topic) {
        case FIL_TOPIC_CLOCK:
            return ROSIDL_GET_MSG_TYPE_SUPPORT(rosgraph_msgs, msg, Clock);
        case FIL_TOPIC_TF:
        case FIL_TOPIC_TF_STATIC:
            return ROSIDL_GET_MSG_TYPE_SUPPORT(tf2_msgs, msg, TFMessage);
        case FIL_TOPIC_ROD_STATES:
            return ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, RodStates);
        case FIL_TOPIC_CONTACT_WRENCHES:
            return ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, ContactWrenches);
        case FIL_TOPIC_PROBES:
            return ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, Probes);
        case FIL_TOPIC_STEP_INFO:
            return ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, StepInfo);
        case FIL_TOPIC_MARKERS:
            return ROSIDL_GET_MSG_TYPE_SUPPORT(visualization_msgs, msg, MarkerArray);
        default:
            return ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, DiagnosticArray);
    }
}

/* ---- QoS by parameter ---- */

/* "qos_overrides./ns/topic.publisher.policy" */
static void policy_name(char name[128], const char* name_space, const char* topic, const char* policy)
{
    const bool absolute = topic[0] == '/';
    const bool root = strcmp(name_space, "/") == 0;
    snprintf(name, 128, "qos_overrides.%s%s%s.publisher.%s", absolute || root ? "" : name_space, absolute ? "" : "/",
             topic, policy);
}

void fil_publishers_declare(FilParameters* parameters, const char* name_space)
{
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        char name[128];
        policy_name(name, name_space, topics[i].name, "history");
        FilParameter* parameter = fil_parameters_declare(parameters, name, fil_parameter_string("keep_last"),
                                                         "history of the topic: keep_last or keep_all");
        parameter->read_only = true;
        policy_name(name, name_space, topics[i].name, "depth");
        parameter = fil_parameters_declare(parameters, name, fil_parameter_integer((int64_t)topics[i].depth),
                                           "messages that the history keeps");
        parameter->read_only = true;
        parameter->lowest = 1;
        parameter->highest = 100000;
        policy_name(name, name_space, topics[i].name, "reliability");
        parameter = fil_parameters_declare(parameters, name, fil_parameter_string("reliable"),
                                           "reliability of the topic: reliable or best_effort");
        parameter->read_only = true;
        policy_name(name, name_space, topics[i].name, "durability");
        parameter = fil_parameters_declare(parameters, name, fil_parameter_string(topics[i].durability),
                                           "durability of the topic: volatile or transient_local");
        parameter->read_only = true;
    }
}

/* which of two words a policy's parameter holds; false with a log line for any other */
static bool read_policy(const FilPublishers* publishers, FilParameters* parameters, const char* name_space,
                        FilTopicId topic, const char* policy, const char* first, const char* second, bool* is_second)
{
    char name[128];
    policy_name(name, name_space, topics[topic].name, policy);
    const char* text = fil_parameters_find(parameters, name)->value.text;
    *is_second = strcmp(text, second) == 0;
    if (!*is_second && strcmp(text, first) != 0) {
        RCUTILS_LOG_ERROR_NAMED(publishers->logger, "%s is '%s'; expected %s or %s", name, text, first, second);
        return false;
    }
    return true;
}

static bool read_qos(const FilPublishers* publishers, FilParameters* parameters, const char* name_space,
                     FilTopicId topic, rmw_qos_profile_t* qos)
{
    bool keep_all;
    bool best_effort;
    bool transient_local;
    if (!read_policy(publishers, parameters, name_space, topic, "history", "keep_last", "keep_all", &keep_all) ||
        !read_policy(publishers, parameters, name_space, topic, "reliability", "reliable", "best_effort",
                     &best_effort) ||
        !read_policy(publishers, parameters, name_space, topic, "durability", "volatile", "transient_local",
                     &transient_local)) {
        return false;
    }
    char name[128];
    policy_name(name, name_space, topics[topic].name, "depth");
    *qos = rmw_qos_profile_default;
    qos->depth = (size_t)fil_parameters_find(parameters, name)->value.integer;
    qos->history = keep_all ? RMW_QOS_POLICY_HISTORY_KEEP_ALL : RMW_QOS_POLICY_HISTORY_KEEP_LAST;
    qos->reliability = best_effort ? RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT : RMW_QOS_POLICY_RELIABILITY_RELIABLE;
    qos->durability = transient_local ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
    return true;
}

/* ---- life ---- */

bool fil_publishers_init(FilPublishers* publishers, rcl_node_t* node, FilParameters* parameters)
{
    memset(publishers, 0, sizeof *publishers);
    publishers->logger = rcl_node_get_logger_name(node);
    publishers->node_name = rcl_node_get_fully_qualified_name(node);
    if (!fil_state_messages_init(&publishers->messages) ||
        !diagnostic_msgs__msg__DiagnosticArray__init(&publishers->diagnostics)) {
        RCUTILS_LOG_ERROR_NAMED(publishers->logger, "out of memory");
        return false;
    }
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        rmw_qos_profile_t qos;
        publishers->publishers[i] = rcl_get_zero_initialized_publisher();
        if (!read_qos(publishers, parameters, rcl_node_get_namespace(node), (FilTopicId)i, &qos) ||
            !fil_ros_ok(
                rclc_publisher_init(&publishers->publishers[i], node, topic_type((FilTopicId)i), topics[i].name, &qos),
                publishers->logger, topics[i].name)) {
            return false;
        }
    }
    return true;
}

void fil_publishers_fini(FilPublishers* publishers, rcl_node_t* node)
{
    for (int i = FIL_TOPIC_COUNT; i-- > 0;) {
        fil_ros_ok(rcl_publisher_fini(&publishers->publishers[i], node), publishers->logger, topics[i].name);
    }
    diagnostic_msgs__msg__DiagnosticArray__fini(&publishers->diagnostics);
    fil_state_messages_fini(&publishers->messages);
}

/* ---- publishing ---- */

static double wall_time(void)
{
    rcutils_time_point_value_t now = 0;
    if (rcutils_steady_time_now(&now) != RCUTILS_RET_OK) {
        rcutils_reset_error();
    }
    return 1e-9 * (double)now;
}

static void publish(FilPublishers* publishers, FilTopicId topic, const void* message)
{
    const double begin = wall_time();
    if (rcl_publish(&publishers->publishers[topic], message, NULL) != RCL_RET_OK) {
        publishers->failed++;
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, publishers->logger, "%s: %s", topics[topic].name,
                                        rcl_get_error_string().str);
        rcl_reset_error();
    }
    publishers->slowest = fmax(publishers->slowest, wall_time() - begin);
}

/* Whether a rate asks for something now. Steps fall on multiples of dt: half a step early is closer than half a step
 * late. A schedule that lags, or that a reset left in the future, starts anew. */
static bool is_due(FilSchedule* schedule, double time, double dt, bool all)
{
    if (schedule->rate <= 0.0) {
        return false;
    }
    const double period = 1.0 / schedule->rate;
    if (!all && time + 0.5 * dt < schedule->next && schedule->next <= time + period + dt) {
        return false;
    }
    schedule->next = all || schedule->next + period < time ? time + period : schedule->next + period;
    return true;
}

static bool has_listener(const FilPublishers* publishers, FilTopicId topic)
{
    size_t count = 1;
    if (rcl_publisher_get_subscription_count(&publishers->publishers[topic], &count) != RCL_RET_OK) {
        rcl_reset_error();
    }
    return count > 0;
}

void fil_publishers_update(FilPublishers* publishers, const FilSimulation* simulation, bool all)
{
    FilStateMessages* messages = &publishers->messages;
    const double time = fil_world_time(simulation->world);
    const double dt = fil_world_dt(simulation->world);
    if (!fil_state_messages_fit(messages, simulation, publishers->node_frames)) {
        RCUTILS_LOG_ERROR_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, publishers->logger, "out of memory");
        return;
    }
    // the clock first: what follows is stamped with a time that listeners then know
    if (is_due(&publishers->clock, time, dt, all)) {
        fil_fill_clock(messages, simulation);
        publish(publishers, FIL_TOPIC_CLOCK, &messages->clock);
    }
    if (publishers->fixed_load != simulation->load_count && messages->static_transforms.transforms.size > 0) {
        fil_fill_static_transforms(messages, simulation);
        publish(publishers, FIL_TOPIC_TF_STATIC, &messages->static_transforms);
    }
    publishers->fixed_load = simulation->load_count;
    if (is_due(&publishers->transforms, time, dt, all) && messages->transforms.transforms.size > 0) {
        fil_fill_transforms(messages, simulation);
        publish(publishers, FIL_TOPIC_TF, &messages->transforms);
    }
    if (!is_due(&publishers->states, time, dt, all)) {
        return;
    }
    if (messages->rod_states.rods.size > 0) {
        fil_fill_rod_states(messages, simulation);
        publish(publishers, FIL_TOPIC_ROD_STATES, &messages->rod_states);
    }
    if (fil_has_contact(simulation) && fil_fill_contacts(messages, simulation)) {
        publish(publishers, FIL_TOPIC_CONTACT_WRENCHES, &messages->contacts);
    }
    if (messages->probes.names.size > 0) {
        fil_fill_probes(messages, simulation);
        publish(publishers, FIL_TOPIC_PROBES, &messages->probes);
    }
    fil_fill_step_info(messages, simulation);
    publish(publishers, FIL_TOPIC_STEP_INFO, &messages->step_info);
    // markers are for people: drawn only when somebody looks
    if (has_listener(publishers, FIL_TOPIC_MARKERS)) {
        if (publishers->drawn_load != simulation->load_count) {
            publish(publishers, FIL_TOPIC_MARKERS, &messages->no_markers);
            publishers->drawn_load = simulation->load_count;
        }
        fil_fill_markers(messages, simulation);
        publish(publishers, FIL_TOPIC_MARKERS, &messages->markers);
    }
}

/* ---- diagnostics ---- */

static void add_value(diagnostic_msgs__msg__DiagnosticStatus* status, const char* key, const char* text)
{
    diagnostic_msgs__msg__KeyValue* value = &status->values.data[status->values.size++];
    rosidl_runtime_c__String__assign(&value->key, key);
    rosidl_runtime_c__String__assign(&value->value, text);
}

static void add_number(diagnostic_msgs__msg__DiagnosticStatus* status, const char* key, double number)
{
    char text[64];
    snprintf(text, sizeof text, "%.6g", number);
    add_value(status, key, text);
}

void fil_publishers_diagnose(FilPublishers* publishers, const FilSimulation* simulation, uint64_t refused_commands,
                             double now)
{
    enum { VALUES = 12 };
    if (now < publishers->next_diagnostics) {
        return;
    }
    publishers->next_diagnostics = now + 1.0;
    diagnostic_msgs__msg__DiagnosticArray* message = &publishers->diagnostics;
    FIL_MESSAGE_RENEW(diagnostic_msgs__msg__DiagnosticArray, message);
    if (!diagnostic_msgs__msg__DiagnosticStatus__Sequence__init(&message->status, 1) ||
        !diagnostic_msgs__msg__KeyValue__Sequence__init(&message->status.data[0].values, VALUES)) {
        return;
    }
    diagnostic_msgs__msg__DiagnosticStatus* status = &message->status.data[0];
    status->values.size = 0;
    const bool late = simulation->missed_deadlines > publishers->told_deadlines;
    const char* summary = simulation->world == NULL ? "no world"
                          : simulation->paused      ? "paused"
                          : late                    ? "slower than real_time_factor asks for"
                                                    : "running";
    status->level = late ? diagnostic_msgs__msg__DiagnosticStatus__WARN : diagnostic_msgs__msg__DiagnosticStatus__OK;
    char name[300];
    snprintf(name, sizeof name, "%.255s: simulation", publishers->node_name + 1);
    rosidl_runtime_c__String__assign(&status->name, name);
    rosidl_runtime_c__String__assign(&status->message, summary);
    rosidl_runtime_c__String__assign(&status->hardware_id, "none");
    if (simulation->world != NULL) {
        message->header.stamp = fil_time_message(fil_world_time(simulation->world));
        add_value(status, "scene", simulation->scene.name);
        add_number(status, "time", fil_world_time(simulation->world));
        add_number(status, "contacts", simulation->last_step.contacts);
    }
    add_number(status, "real_time_rate", simulation->real_time_rate);
    add_number(status, "newton_iterations", simulation->last_step.newton_iterations);
    add_number(status, "residual", simulation->last_step.residual);
    add_number(status, "missed_deadlines", (double)simulation->missed_deadlines);
    add_number(status, "refused_commands", (double)refused_commands);
    add_number(status, "failed_publications", (double)publishers->failed);
    add_number(status, "slowest_publication", publishers->slowest);
    publish(publishers, FIL_TOPIC_DIAGNOSTICS, message);
    publishers->told_deadlines = simulation->missed_deadlines;
    publishers->slowest = 0.0;
}
