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

static const char* name_of(FilTopicId topic)
{
    return fil_output_topic(topic)->name;
}

/* ---- QoS by parameter ---- */

/* The name that a topic is published under, before remapping: clock and transforms of the whole graph, or of the node's namespace. */
static const char* own_name(FilParameters* parameters, FilTopicId topic)
{
    const char* asked = topic == FIL_TOPIC_CLOCK ? "own_clock" : topic == FIL_TOPIC_TF || topic == FIL_TOPIC_TF_STATIC ? "own_tf" : NULL;
    return name_of(topic) + (asked != NULL && fil_parameters_find(parameters, asked)->value.boolean ? 1 : 0);  // without the slash
}

/* "qos_overrides./ns/topic.publisher.policy" */
static bool policy_name(char name[FIL_PARAMETER_NAME], FilParameters* parameters, const rcl_node_t* node, FilTopicId topic, const char* policy)
{
    char full[256];
    const bool resolved = fil_resolve_name(node, own_name(parameters, topic), full);
    snprintf(name, FIL_PARAMETER_NAME, "qos_overrides.%s.publisher.%s", resolved ? full : "", policy);
    return resolved;
}

bool fil_publishers_declare(FilParameters* parameters, const rcl_node_t* node)
{
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        const FilOutputTopic* topic = fil_output_topic((FilTopicId)i);
        const struct {
            const char* policy;
            FilParameterValue value;
            const char* description;
        } rows[] = {
            {"history", fil_parameter_string("keep_last"), "history of the topic: keep_last or keep_all"},
            {"depth", fil_parameter_integer((int64_t)topic->depth), "messages that the history keeps"},
            {"reliability", fil_parameter_string("reliable"), "reliability of the topic: reliable or best_effort"},
            {"durability", fil_parameter_string(topic->transient_local ? "transient_local" : "volatile"),
             "durability of the topic: volatile or transient_local"},
        };
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            char name[FIL_PARAMETER_NAME];
            if (!policy_name(name, parameters, node, (FilTopicId)i, rows[k].policy)) {
                return false;
            }
            if (fil_parameters_find(parameters, name) != NULL) {
                continue;  // two topics are one after remapping
            }
            FilParameter* parameter = fil_parameters_declare(parameters, name, rows[k].value, rows[k].description);
            parameter->read_only = true;
            if (rows[k].value.type == FIL_PARAMETER_INTEGER) {
                parameter->lowest = 1;
                // messages that wait for a slow reader: bounds what an override can take, 100 MB of messages of 1 kB
                parameter->highest = 100000;
            }
        }
    }
    return true;
}

/* which of two words a policy's parameter holds; false with a log line for any other */
static bool read_policy(const FilPublishers* publishers, FilParameters* parameters, const rcl_node_t* node, FilTopicId topic, const char* policy,
                        const char* first, const char* second, bool* is_second)
{
    char name[FIL_PARAMETER_NAME];
    policy_name(name, parameters, node, topic, policy);
    const char* text = fil_parameters_find(parameters, name)->value.text;
    *is_second = strcmp(text, second) == 0;
    if (!*is_second && strcmp(text, first) != 0) {
        RCUTILS_LOG_ERROR_NAMED(publishers->logger, "%s is '%s'; expected %s or %s", name, text, first, second);
        return false;
    }
    return true;
}

static bool read_qos(const FilPublishers* publishers, FilParameters* parameters, const rcl_node_t* node, FilTopicId topic, rmw_qos_profile_t* qos)
{
    bool keep_all;
    bool best_effort;
    bool transient_local;
    if (!read_policy(publishers, parameters, node, topic, "history", "keep_last", "keep_all", &keep_all) ||
        !read_policy(publishers, parameters, node, topic, "reliability", "reliable", "best_effort", &best_effort) ||
        !read_policy(publishers, parameters, node, topic, "durability", "volatile", "transient_local", &transient_local)) {
        return false;
    }
    char name[FIL_PARAMETER_NAME];
    policy_name(name, parameters, node, topic, "depth");
    *qos = rmw_qos_profile_default;
    qos->depth = (size_t)fil_parameters_find(parameters, name)->value.integer;
    qos->history = keep_all ? RMW_QOS_POLICY_HISTORY_KEEP_ALL : RMW_QOS_POLICY_HISTORY_KEEP_LAST;
    qos->reliability = best_effort ? RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT : RMW_QOS_POLICY_RELIABILITY_RELIABLE;
    qos->durability = transient_local ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
    return true;
}

/* ---- life ---- */

bool fil_publishers_init(FilPublishers* publishers, rcl_node_t* node, FilParameters* parameters, const FilTap* tap)
{
    memset(publishers, 0, sizeof *publishers);
    publishers->tap = tap;
    publishers->logger = rcl_node_get_logger_name(node);
    publishers->node_name = rcl_node_get_fully_qualified_name(node);
    if (!fil_outputs_init(&publishers->outputs) || !diagnostic_msgs__msg__DiagnosticArray__init(&publishers->diagnostics)) {
        RCUTILS_LOG_ERROR_NAMED(publishers->logger, "out of memory");
        return false;
    }
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        rmw_qos_profile_t* qos = &publishers->offered[i];
        publishers->publishers[i] = rcl_get_zero_initialized_publisher();
        if (!read_qos(publishers, parameters, node, (FilTopicId)i, qos) ||
            !fil_ros_ok(rclc_publisher_init(&publishers->publishers[i], node, fil_output_topic((FilTopicId)i)->type(),
                                            own_name(parameters, (FilTopicId)i), qos),
                        publishers->logger, name_of((FilTopicId)i))) {
            return false;
        }
    }
    return true;
}

void fil_publishers_fini(FilPublishers* publishers, rcl_node_t* node)
{
    for (int i = FIL_TOPIC_COUNT; i-- > 0;) {
        fil_ros_ok(rcl_publisher_fini(&publishers->publishers[i], node), publishers->logger, name_of((FilTopicId)i));
    }
    diagnostic_msgs__msg__DiagnosticArray__fini(&publishers->diagnostics);
    fil_outputs_fini(&publishers->outputs);
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

/* one if it cannot be known: better tell somebody who is not there than not tell */
static size_t listeners_of(const FilPublishers* publishers, FilTopicId topic)
{
    size_t count = 1;
    if (rcl_publisher_get_subscription_count(&publishers->publishers[topic], &count) != RCL_RET_OK) {
        rcl_reset_error();
    }
    return count;
}

/* every outgoing message passes here */
static void publish(void* context, FilTopicId topic, const void* message)
{
    FilPublishers* publishers = context;
    const double begin = wall_time();
    if (publishers->running) {
        publishers->listeners[topic] = listeners_of(publishers, topic);
    }
    if (rcl_publish(&publishers->publishers[topic], message, NULL) != RCL_RET_OK) {
        publishers->failed++;
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, publishers->logger, "%s: %s", name_of(topic), rcl_get_error_string().str);
        rcl_reset_error();
    }
    (publishers->repeating ? fil_tap_pass_again : fil_tap_pass)(publishers->tap, fil_output_topic(topic), message);
    publishers->slowest = fmax(publishers->slowest, wall_time() - begin);
}

size_t fil_publishers_listeners(const FilPublishers* publishers)
{
    size_t count = 0;
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        count += listeners_of(publishers, (FilTopicId)i);
    }
    return count;
}

bool fil_publishers_joined(FilPublishers* publishers)
{
    bool joined = false;
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        const size_t count = listeners_of(publishers, (FilTopicId)i);
        joined |= count > publishers->listeners[i];
        publishers->listeners[i] = count;
    }
    return joined;
}

void fil_publishers_update(FilPublishers* publishers, const FilSimulation* simulation, bool all)
{
    const bool looked_at = publishers->looked_at || listeners_of(publishers, FIL_TOPIC_MARKERS) > 0;
    publishers->running = !simulation->paused;
    if (!fil_outputs_update(&publishers->outputs, simulation, all, looked_at, publish, publishers)) {
        RCUTILS_LOG_ERROR_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, publishers->logger, "out of memory");
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

void fil_publishers_diagnose(FilPublishers* publishers, const FilSimulation* simulation, const FilCommands* commands, const FilBoundary* boundary,
                             double now)
{
    // room for the lines of the message below
    enum { VALUES = 16 };
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
    const bool late = simulation->missed_deadlines > publishers->reported_deadlines;
    const bool lags = late && !simulation->paused;
    const char* summary = lags ? "slower than real_time_factor asks for" : fil_simulation_word(simulation);
    status->level = simulation->failed ? diagnostic_msgs__msg__DiagnosticStatus__ERROR
                    : late             ? diagnostic_msgs__msg__DiagnosticStatus__WARN
                                       : diagnostic_msgs__msg__DiagnosticStatus__OK;
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
    if (simulation->failed) {
        add_number(status, "failed_since", now - simulation->failed_at);  // s of wall time
    }
    add_number(status, "real_time_rate", simulation->real_time_rate);
    add_number(status, "newton_iterations", simulation->last_step.newton_iterations);
    add_number(status, "residual", simulation->last_step.residual);
    add_number(status, "missed_deadlines", (double)simulation->missed_deadlines);
    add_number(status, "refused_commands", (double)commands->refused);
    add_number(status, "postponed_commands", (double)commands->postponed);
    add_number(status, "refused_requests", (double)boundary->refused);
    if (boundary->refused > 0) {
        add_value(status, "last_refusal", boundary->last_refusal);
    }
    add_number(status, "failed_publications", (double)publishers->failed);
    add_number(status, "slowest_publication", publishers->slowest);
    publish(publishers, FIL_TOPIC_DIAGNOSTICS, message);
    publishers->reported_deadlines = simulation->missed_deadlines;
    publishers->slowest = 0.0;
}
