/* Owns `filum topic`: topics of the running graph. */
#include <math.h>
#include <string.h>

#include "command_table.h"
#include "graph_tools.h"
#include "rcl/graph.h"
#include "rclc/publisher.h"
#include "rclc/subscription.h"
#include "rmw/qos_profiles.h"

/* ---- list ---- */

static bool print_topics(const FilGraphMember* member, bool with_types)
{
    rcl_allocator_t allocator = member->allocator;
    rcl_names_and_types_t list;
    if (!fil_graph_ok(member, rcl_get_topic_names_and_types(&member->node, &allocator, false, &list), "topics")) {
        return false;
    }
    for (size_t i = 0; i < list.names.size; i++) {
        printf("%s", list.names.data[i]);
        for (size_t k = 0; with_types && k < list.types[i].size; k++) {
            printf("%s%s", k == 0 ? " [" : ", ", list.types[i].data[k]);
        }
        printf("%s\n", with_types && list.types[i].size > 0 ? "]" : "");
    }
    return fil_graph_ok(member, rcl_names_and_types_fini(&list), "topics");
}

static int run_list(int argc, char** argv)
{
    bool types = false;
    double wait = 1.0;
    const FilOption options[] = {
        {"--types", FIL_OPTION_FLAG, &types, NULL, "the types too"},
        {"--wait", FIL_OPTION_POSITIVE, &wait, "S", "how long to look around (1)"},
    };
    const FilUsage usage = {
        "topic list", "", "Lists the topics that somebody publishes or listens to.", 0, 0, options, sizeof options / sizeof *options};
    int arguments;
    int exit_code;
    FilGraphMember member;
    if (!fil_graph_begin(&usage, argc, argv, &member, &arguments, &exit_code)) {
        return exit_code;
    }
    fil_graph_sleep(wait);
    const bool done = print_topics(&member, types);
    fil_graph_leave(&member);
    return done ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}

/* ---- listening ---- */

/* a subscription that everybody who publishes matches */
typedef struct Listener {
    FilGraphMember member;
    rcl_subscription_t subscription;
    const FilMembers* type;
    void* message;
} Listener;

/* Asks for what all publishers offer: reliable if all are, and kept for late comers if all keep. */
static rmw_qos_profile_t common_offer(const FilGraphMember* member, const char* topic)
{
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    rcl_topic_endpoint_info_array_t offers = rcl_get_zero_initialized_topic_endpoint_info_array();
    rcl_allocator_t allocator = member->allocator;
    bool reliable = true;
    bool kept = false;
    if (fil_graph_ok(member, rcl_get_publishers_info_by_topic(&member->node, &allocator, topic, false, &offers), topic)) {
        kept = offers.size > 0;
        for (size_t i = 0; i < offers.size; i++) {
            reliable &= offers.info_array[i].qos_profile.reliability == RMW_QOS_POLICY_RELIABILITY_RELIABLE;
            kept &= offers.info_array[i].qos_profile.durability == RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
        }
        fil_graph_ok(member, rcl_topic_endpoint_info_array_fini(&offers, &allocator), topic);
    }
    // as of the node's commands (docs/ros.md)
    qos.depth = 100;
    qos.reliability = reliable ? RMW_QOS_POLICY_RELIABILITY_RELIABLE : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
    qos.durability = kept ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
    return qos;
}

static bool listener_open(Listener* listener, const char* command, const char* name, double patience)
{
    char topic[256];
    char type_name[256];
    fil_graph_full_name(name, topic);
    if (!fil_graph_join(&listener->member, NULL, command)) {
        return false;
    }
    const rosidl_message_type_support_t* type =
        fil_graph_topic_type_name(&listener->member, topic, patience, type_name) ? fil_graph_message_type(&listener->member, type_name) : NULL;
    listener->subscription = rcl_get_zero_initialized_subscription();
    listener->type = type != NULL ? fil_members_of(type) : NULL;
    listener->message = type != NULL ? fil_message_new(listener->type) : NULL;
    if (listener->message != NULL) {
        const rmw_qos_profile_t qos = common_offer(&listener->member, topic);
        if (fil_graph_ok(&listener->member, rclc_subscription_init(&listener->subscription, &listener->member.node, type, topic, &qos), topic)) {
            return true;
        }
        fil_message_free(listener->type, listener->message);
    }
    fil_graph_leave(&listener->member);
    return false;
}

static void listener_close(Listener* listener)
{
    fil_graph_ok(&listener->member, rcl_subscription_fini(&listener->subscription, &listener->member.node), "topic");
    fil_message_free(listener->type, listener->message);
    fil_graph_leave(&listener->member);
}

/* the next message; false when `limit` (steady time) has passed or the user has had enough */
static bool listener_hear(Listener* listener, double limit)
{
    while (!fil_stop_requested()) {
        const rcl_ret_t ret = rcl_take(&listener->subscription, listener->message, NULL, NULL);
        if (ret == RCL_RET_OK) {
            return true;
        }
        if (ret != RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
            fil_graph_ok(&listener->member, ret, "message");
        }
        if (fil_graph_now() > limit) {
            return false;
        }
        // s: half a period at 1 kHz
        fil_graph_sleep(0.0005);
    }
    return false;
}

static int run_echo(int argc, char** argv)
{
    bool once = false;
    int count = 0;
    double timeout = 0.0;
    const FilOption options[] = {
        {"--once", FIL_OPTION_FLAG, &once, NULL, "the next message only"},
        {"--count", FIL_OPTION_COUNT, &count, "N", "end after N messages"},
        {"--timeout", FIL_OPTION_POSITIVE, &timeout, "S", "end after S seconds; nothing heard is a failure then"},
    };
    const FilUsage usage = {
        "topic echo", "TOPIC", "Prints the messages of a topic as YAML, until Ctrl-C.", 1, 1, options, sizeof options / sizeof *options};
    int arguments;
    int exit_code;
    Listener listener;
    fil_stop_on_signals();
    if (!fil_options_parse(&usage, argc, argv, &arguments, &exit_code)) {
        return exit_code;
    }
    if (!listener_open(&listener, usage.command, argv[1], timeout > 0.0 ? timeout : FIL_GRAPH_PATIENCE)) {
        return FIL_EXIT_FAILED;
    }
    const double limit = timeout > 0.0 ? fil_graph_now() + timeout : INFINITY;
    const int max = once ? 1 : count;
    int heard = 0;
    while ((max == 0 || heard < max) && listener_hear(&listener, limit)) {
        fil_message_print(listener.type, listener.message, 0, stdout);
        printf("---\n");
        fflush(stdout);
        heard++;
    }
    const bool enough = max > 0 ? heard == max : heard > 0 || timeout == 0.0;
    if (!enough && !fil_stop_requested()) {
        fil_cli_fail(usage.command, 0, "%d messages within %g s", heard, timeout);
    }
    listener_close(&listener);
    return enough || fil_stop_requested() ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}

/* ---- hz ---- */

static void print_rate(const double* times, int count)
{
    double sum = 0.0;
    double squares = 0.0;
    double shortest = INFINITY;
    double longest = 0.0;
    for (int i = 1; i < count; i++) {
        const double gap = times[i] - times[i - 1];
        sum += gap;
        squares += gap * gap;
        shortest = fmin(shortest, gap);
        longest = fmax(longest, gap);
    }
    const double mean = sum / (count - 1);
    printf("average rate: %.3f\n\tmin: %.4fs max: %.4fs std dev: %.5fs window: %d\n", 1.0 / mean, shortest, longest,
           sqrt(fmax(squares / (count - 1) - mean * mean, 0.0)), count);
    fflush(stdout);
}

static int run_hz(int argc, char** argv)
{
    // of messages that a rate is taken over, as `ros2 topic hz` has it
    enum { WINDOW = 10000 };
    double duration = 0.0;
    const FilOption options[] = {
        {"--duration", FIL_OPTION_POSITIVE, &duration, "S", "end after S seconds"},
    };
    const FilUsage usage = {
        "topic hz", "TOPIC", "Measures how often a topic's messages come, until Ctrl-C.", 1, 1, options, sizeof options / sizeof *options};
    static double times[WINDOW];
    int arguments;
    int exit_code;
    Listener listener;
    if (!fil_options_parse(&usage, argc, argv, &arguments, &exit_code)) {
        return exit_code;
    }
    fil_stop_on_signals();
    if (!listener_open(&listener, usage.command, argv[1], FIL_GRAPH_PATIENCE)) {
        return FIL_EXIT_FAILED;
    }
    const double end = duration > 0.0 ? fil_graph_now() + duration : INFINITY;
    int count = 0;
    for (double report = fil_graph_now() + 1.0; fil_graph_now() < end && !fil_stop_requested();) {
        if (listener_hear(&listener, fmin(report, end))) {
            if (count == WINDOW) {
                memmove(times, times + WINDOW / 2, (WINDOW - WINDOW / 2) * sizeof *times);
                count = WINDOW - WINDOW / 2;
            }
            times[count++] = fil_graph_now();
        }
        if (fil_graph_now() >= report) {
            report += 1.0;
            if (count > 1) {
                print_rate(times, count);
            }
        }
    }
    const bool heard = count > 1;
    if (!heard && !fil_stop_requested()) {
        fil_cli_fail(usage.command, 0, "%d messages within %g s", count, duration);
    }
    listener_close(&listener);
    return heard || fil_stop_requested() ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}

/* ---- pub ---- */

typedef struct Pace {
    double rate; /* Hz */
    int count;   /* 0: until Ctrl-C */
} Pace;

/* waits until somebody listens, then publishes at the pace */
static bool publish(FilGraphMember* member, const rcl_publisher_t* publisher, const void* message, Pace pace)
{
    size_t listeners = 0;
    for (const double limit = fil_graph_now() + FIL_GRAPH_PATIENCE; fil_graph_now() < limit && !fil_stop_requested();) {
        if (!fil_graph_ok(member, rcl_publisher_get_subscription_count(publisher, &listeners), "listeners") || listeners > 0) {
            break;
        }
        fil_graph_sleep(0.01);
    }
    if (listeners == 0 && !fil_stop_requested()) {
        fil_cli_fail(member->command, 0, "nobody listens");
        return false;
    }
    double next = fil_graph_now();
    for (int sent = 0; (pace.count == 0 || sent < pace.count) && !fil_stop_requested(); sent++) {
        if (!fil_graph_ok(member, rcl_publish(publisher, message, NULL), "publish")) {
            return false;
        }
        next += 1.0 / pace.rate;
        while (fil_graph_now() < next && !fil_stop_requested() && sent + 1 != pace.count) {
            // a request to stop is seen within 50 ms
            fil_graph_sleep(fmin(next - fil_graph_now(), 0.05));
        }
    }
    fil_graph_sleep(0.1);  // what was sent is on its way before the publisher is gone
    return true;
}

static bool publish_yaml(FilGraphMember* member, const char* name, const char* type_name, const char* yaml, Pace pace)
{
    const rosidl_message_type_support_t* type = fil_graph_message_type(member, type_name);
    char topic[256];
    fil_graph_full_name(name, topic);
    if (type == NULL) {
        return false;
    }
    const FilMembers* members = fil_members_of(type);
    void* message = fil_message_new(members);
    FilError error = {"out of memory"};
    rcl_publisher_t publisher = rcl_get_zero_initialized_publisher();
    if (message == NULL || !fil_message_parse(members, yaml, message, &error)) {
        fil_cli_fail(member->command, 0, "%s", error.text);
        fil_message_free(members, message);
        return false;
    }
    const bool done = fil_graph_ok(member, rclc_publisher_init(&publisher, &member->node, type, topic, &rmw_qos_profile_default), topic) &&
                      publish(member, &publisher, message, pace);
    fil_graph_ok(member, rcl_publisher_fini(&publisher, &member->node), topic);
    fil_message_free(members, message);
    return done;
}

static int run_pub(int argc, char** argv)
{
    bool once = false;
    Pace pace = {.rate = 1.0};
    const FilOption options[] = {
        {"--once", FIL_OPTION_FLAG, &once, NULL, "one message"},
        {"--count", FIL_OPTION_COUNT, &pace.count, "N", "N messages"},
        {"--rate", FIL_OPTION_POSITIVE, &pace.rate, "HZ", "messages per second (1)"},
    };
    const FilUsage usage = {"topic pub",
                            "TOPIC TYPE [YAML]",
                            "Publishes a message, once somebody listens, until Ctrl-C. Fields that the YAML does not "
                            "name keep their defaults.",
                            2,
                            3,
                            options,
                            sizeof options / sizeof *options};
    int arguments;
    int exit_code;
    FilGraphMember member;
    fil_stop_on_signals();
    if (!fil_graph_begin(&usage, argc, argv, &member, &arguments, &exit_code)) {
        return exit_code;
    }
    pace.count = once ? 1 : pace.count;
    const bool done = publish_yaml(&member, argv[1], argv[2], arguments > 2 ? argv[3] : "", pace);
    fil_graph_leave(&member);
    return done ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}

int fil_command_topic(int argc, char** argv)
{
    static const FilCommand commands[] = {
        {"list", "[--types]", "the topics of the graph", run_list},
        {"echo", "TOPIC [--once]", "print messages as YAML", run_echo},
        {"hz", "TOPIC", "measure how often messages come", run_hz},
        {"pub", "TOPIC TYPE [YAML] [--once]", "publish a message", run_pub},
    };
    return fil_cli_dispatch("topic", commands, sizeof commands / sizeof *commands, FIL_GRAPH_NOTE, argc, argv);
}
