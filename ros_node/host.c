#include "host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "overrides.h"
#include "rcl/logging.h"
#include "rcl_yaml_param_parser/parser.h"
#include "realtime.h"

/* messages that arrived together are taken together, but not without end: neither that many nor, where steps are due, for
 * longer than this share of the time to the next one */
enum { MAX_DRAIN = 100 };
#define DRAIN_SHARE 0.5

/* ---- life ---- */

/* How many worlds, whether they have one clock, and how they share the machine: parameters of the process, read before there are nodes. */
static bool read_process(FilHost* host, int* worlds)
{
    rcl_params_t* overrides = NULL;
    FilParameters* parameters = calloc(1, sizeof *parameters);
    char reason[FIL_REASON_TEXT] = "out of memory";
    bool done = parameters != NULL &&
                fil_ros_ok(rcl_arguments_get_param_overrides(&host->support.context.global_arguments, &overrides), "filum", "parameters");
    if (done) {
        FilParameter* count = fil_parameters_declare(parameters, "worlds", fil_parameter_integer(1), "");
        count->lowest = 1;
        count->highest = FIL_MAX_WORLDS;
        fil_parameters_declare(parameters, "one_clock", fil_parameter_bool(false), "");
        FilParameter* priority = fil_parameters_declare(parameters, "realtime_priority", fil_parameter_integer(0), "");
        priority->lowest = 0;
        priority->highest = 99;  // SCHED_FIFO's, as in node_parameters.c
        fil_parameters_declare(parameters, "lock_memory", fil_parameter_bool(false), "");
        fil_parameters_declare(parameters, "processors", fil_parameter_string(""), "");
        done = fil_overrides_apply(overrides, "/filum", parameters, reason);
    }
    if (done) {
        const FilRealtime realtime = {.priority = (int)fil_parameters_find(parameters, "realtime_priority")->value.integer,
                                      .lock_memory = fil_parameters_find(parameters, "lock_memory")->value.boolean,
                                      .processors = fil_parameters_find(parameters, "processors")->value.text};
        done = fil_realtime_apply(&realtime, reason);
    }
    if (done) {
        *worlds = (int)fil_parameters_find(parameters, "worlds")->value.integer;
        host->one_clock = fil_parameters_find(parameters, "one_clock")->value.boolean;
    } else {
        RCUTILS_LOG_FATAL_NAMED("filum", "%s", reason);
    }
    if (overrides != NULL) {
        rcl_yaml_node_struct_fini(overrides);
    }
    free(parameters);
    return done;
}

/* Whether a world made before has the node's name; rcl itself lets two nodes of one name live. */
static bool is_taken(const FilHost* host, const FilNode* node)
{
    for (int i = 0; i < host->count; i++) {
        if (strcmp(rcl_node_get_fully_qualified_name(&host->nodes[i]->node), rcl_node_get_fully_qualified_name(&node->node)) == 0) {
            return true;
        }
    }
    return false;
}

static bool make_node(FilHost* host, int index, int worlds)
{
    char space[16] = "";
    FilNode* node = malloc(sizeof *node);
    if (worlds > 1) {
        snprintf(space, sizeof space, "w%d", index);
    }
    const FilNodeDef def = {.support = &host->support,
                            .executor = &host->executor,
                            .name_space = space,
                            .index = index,
                            .worlds = worlds,
                            .one_clock = host->one_clock,
                            .stop = host->stop};
    bool made = node != NULL && fil_node_init(node, &def);
    if (made && is_taken(host, node)) {
        fil_node_fini(node);
        made = false;
    }
    if (!made) {
        if (index > 0) {
            RCUTILS_LOG_FATAL_NAMED("filum", "world %d has no node: each needs a name of its own, so that __ns does not go with `worlds`", index);
        }
        free(node);
        return false;
    }
    host->nodes[host->count++] = node;
    return true;
}

static bool make_nodes(FilHost* host, int worlds)
{
    host->nodes = calloc((size_t)worlds, sizeof *host->nodes);
    host->workers = worlds > 1 ? fil_workers_create(worlds) : NULL;
    bool done = host->nodes != NULL;
    for (int i = 0; done && i < worlds; i++) {
        done = make_node(host, i, worlds);
    }
    return done;
}

bool fil_host_init(FilHost* host, int argc, const char* const* argv, const volatile sig_atomic_t* stop)
{
    memset(host, 0, sizeof *host);
    host->allocator = rcl_get_default_allocator();
    host->executor = rclc_executor_get_zero_initialized_executor();
    host->stop = stop;
    int worlds = 1;
    bool done = fil_ros_ok(rclc_support_init(&host->support, argc, argv, &host->allocator), "filum", "cannot start");
    host->made += done;
    done = done && fil_ros_ok(rcl_logging_configure(&host->support.context.global_arguments, &host->allocator), "filum", "cannot log");
    host->made += done;
    done = done && read_process(host, &worlds);
    const size_t handles = (size_t)worlds * fil_node_handles();
    done = done && fil_ros_ok(rclc_executor_init(&host->executor, &host->support.context, handles, &host->allocator), "filum", "executor");
    host->made += done;
    if (!done || !make_nodes(host, worlds)) {
        fil_host_fini(host);
        return false;
    }
    return true;
}

void fil_host_fini(FilHost* host)
{
    while (host->count > 0) {
        FilNode* node = host->nodes[--host->count];
        fil_node_fini(node);
        free(node);
    }
    free(host->nodes);
    fil_workers_destroy(host->workers);
    if (host->made > 2) {
        fil_ros_ok(rclc_executor_fini(&host->executor), "filum", "executor");
    }
    if (host->made > 1) {
        fil_ros_ok(rcl_logging_fini(), "filum", "logging");
    }
    if (host->made > 0) {
        fil_ros_ok(rclc_support_fini(&host->support), "filum", "support");
    }
    host->made = 0;
}

/* ---- running ---- */

static uint64_t count_received(const FilHost* host)
{
    uint64_t sum = 0;
    for (int i = 0; i < host->count; i++) {
        sum += host->nodes[i]->commands.received;
    }
    return sum;
}

/* serves what has arrived; waits for it up to `seconds` */
static void serve(FilHost* host, double seconds)
{
    uint64_t timeout = (uint64_t)(1e9 * fmin(fmax(seconds, 0.0), 1.0));
    double period = INFINITY;
    for (int i = 0; i < host->count; i++) {
        period = fmin(period, fil_simulation_period(&host->nodes[i]->simulation));
    }
    const double enough = fil_node_now() + seconds + DRAIN_SHARE * period;
    for (int i = 0; i < MAX_DRAIN; i++) {
        if (i > 0 && fil_node_now() > enough) {
            for (int k = 0; k < host->count; k++) {
                host->nodes[k]->commands.postponed++;  // what is left waits in the readers, which drop the oldest
            }
            break;
        }
        const uint64_t before = count_received(host);
        // what goes wrong with one message is reported and survived
        const rcl_ret_t ret = rclc_executor_spin_some(&host->executor, timeout);
        if (ret != RCL_RET_OK && ret != RCL_RET_TIMEOUT) {
            RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, "filum", "something that arrived could not be taken (%d)", (int)ret);
            rcl_reset_error();
        }
        if (count_received(host) == before) {
            break;
        }
        timeout = 0;
    }
}

typedef struct Round {
    FilNode* nodes[FIL_MAX_WORLDS]; /* whose step is due */
    int count;
    double now;
} Round;

static void step_some(void* context, int first, int end, int worker)
{
    (void)worker;
    const Round* round = context;
    for (int i = first; i < end; i++) {
        fil_node_step(round->nodes[i], round->now);
    }
}

/* Steps of different worlds at once; with one clock all or none. What is published comes before and after, one by one. */
static void step_due(FilHost* host, double now)
{
    Round round = {.now = now};
    for (int i = 0; i < host->count; i++) {
        if (fil_node_is_due(host->nodes[i], now)) {
            round.nodes[round.count++] = host->nodes[i];
        }
    }
    const bool wait = host->one_clock && round.count < host->count;
    for (int i = 0; i < host->count; i++) {
        host->nodes[i]->waits = wait;
    }
    if (wait) {
        return;
    }
    for (int i = 0; i < round.count; i++) {
        fil_node_begin_step(round.nodes[i]);
    }
    fil_workers_run(round.count > 1 ? host->workers : NULL, round.count, 1, step_some, &round);
    for (int i = 0; i < round.count; i++) {
        fil_node_end_step(round.nodes[i], now);
    }
}

void fil_host_run(FilHost* host)
{
    for (int i = 0; i < host->count; i++) {
        fil_node_begin(host->nodes[i]);
    }
    bool quit = false;
    while (*host->stop == 0 && !quit) {
        double now = fil_node_now(), wait = INFINITY;
        int ended = 0;
        for (int i = 0; i < host->count; i++) {
            wait = fmin(wait, fil_node_wait(host->nodes[i], now));
        }
        serve(host, wait);
        for (int i = 0; i < host->count; i++) {
            fil_node_update(host->nodes[i]);
        }
        now = fil_node_now();
        step_due(host, now);
        for (int i = 0; i < host->count; i++) {
            fil_node_attend(host->nodes[i], now);
            ended += fil_node_is_at_end(host->nodes[i]);
            quit |= host->nodes[i]->quit;
        }
        quit |= ended == host->count;
    }
    for (int i = 0; i < host->count; i++) {
        fil_status_line_end(&host->nodes[i]->status_line);
    }
}
