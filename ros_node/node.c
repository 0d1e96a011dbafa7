#include "node.h"

#include <math.h>
#include <string.h>

#include "messages.h"
#include "node_parameters.h"
#include "node_recording.h"
#include "node_view.h"
#include "node_world.h"
#include "rcl/logging_rosout.h"
#include "rcutils/time.h"

/* requests to step are looked for this often while nothing else happens */
#define IDLE_WAIT 0.01 /* s */
/* a state is published again this long after it was, for somebody who has just joined and may have missed it */
#define AWAIT_REPEAT 0.2 /* s */
#define RETELL_WAIT 0.5  /* s, the longest */

double fil_node_now(void)
{
    rcutils_time_point_value_t now = 0;
    if (rcutils_steady_time_now(&now) != RCUTILS_RET_OK) {
        rcutils_reset_error();
    }
    return 1e-9 * (double)now;
}

/* ---- life: parts are made in the order of the table below and undone in reverse ---- */

static bool make_node(FilNode* node)
{
    rcl_node_options_t options = rcl_node_get_default_options();
    options.enable_rosout = false;  // rclc configures no logging: /rosout is made and undone here
    node->node = rcl_get_zero_initialized_node();
    const bool made = fil_ros_ok(rclc_node_init_with_options(&node->node, "filum", node->def.name_space, node->def.support, &options), "filum",
                                 "cannot make the node");
    node->logger = made ? rcl_node_get_logger_name(&node->node) : "filum";
    return made;
}

static void undo_node(FilNode* node)
{
    fil_ros_ok(rcl_node_fini(&node->node), "filum", "node");
}

static bool make_rosout(FilNode* node)
{
    return fil_ros_ok(rcl_logging_rosout_init_publisher_for_node(&node->node), node->logger, "/rosout");
}

static void undo_rosout(FilNode* node)
{
    fil_ros_ok(rcl_logging_rosout_fini_publisher_for_node(&node->node), node->logger, "/rosout");
}

size_t fil_node_handles(void)
{
    return FIL_PARAMETER_SERVICES + FIL_CONTROL_SERVICES + FIL_PLANNING_SERVICES + (size_t)FIL_COMMAND_COUNT + fil_standard_services_handles();
}

static bool make_parameters(FilNode* node)
{
    fil_node_declare_parameters(node);
    const bool done = fil_node_override_parameters(node);
    fil_boundary_init(&node->boundary, node->logger, &node->parameters);
    return done;
}

static bool make_publishers(FilNode* node)
{
    return fil_publishers_init(&node->publishers, &node->node, &node->parameters, &node->tap);
}

static void undo_publishers(FilNode* node)
{
    fil_publishers_fini(&node->publishers, &node->node);
}

static bool make_commands(FilNode* node)
{
    const bool lockstep = fil_parameters_find(&node->parameters, "lockstep")->value.boolean;
    const char* needed = fil_parameters_find(&node->parameters, "lockstep_topics")->value.text;
    return fil_commands_init(&node->commands, &node->node, node->def.executor, &node->simulation, &node->tap, lockstep, needed);
}

static void undo_commands(FilNode* node)
{
    fil_commands_fini(&node->commands, &node->node);
}

static bool make_control(FilNode* node)
{
    return fil_control_init(&node->control, &node->node, node->def.executor, &node->simulation);
}

static void undo_control(FilNode* node)
{
    fil_control_fini(&node->control, &node->node);
}

static bool make_planning(FilNode* node)
{
    return fil_planning_init(&node->planning, &node->node, node->def.executor, &node->simulation, &node->tap);
}

static void undo_planning(FilNode* node)
{
    fil_planning_fini(&node->planning, &node->node);
}

static bool make_actions(FilNode* node)
{
    return fil_actions_init(&node->actions, node);
}

static void undo_actions(FilNode* node)
{
    fil_actions_fini(&node->actions);
}

static bool make_sensors(FilNode* node)
{
    return fil_sensors_init(&node->sensors, &node->node, &node->parameters, &node->tap);
}

static void undo_sensors(FilNode* node)
{
    fil_sensors_fini(&node->sensors);
}

static bool make_descriptions(FilNode* node)
{
    fil_descriptions_init(&node->descriptions, &node->node);
    return true;
}

static void undo_descriptions(FilNode* node)
{
    fil_descriptions_fini(&node->descriptions);
}

static bool make_parameter_server(FilNode* node)
{
    return fil_parameter_server_init(&node->parameter_server, &node->node, node->def.executor, &node->parameters, &node->tap);
}

static void undo_parameter_server(FilNode* node)
{
    fil_parameter_server_fini(&node->parameter_server, &node->node);
}

static bool make_standard_services(FilNode* node)
{
    return fil_standard_services_create(node, &node->standard_services);
}

static void undo_standard_services(FilNode* node)
{
    fil_standard_services_destroy(node->standard_services);
}

static bool make_world_services(FilNode* node)
{
    return fil_world_services_create(node, &node->world_services);
}

static void undo_world_services(FilNode* node)
{
    fil_world_services_destroy(node->world_services);
}

static bool is_stopped(void* context)
{
    const FilNode* node = context;
    return *node->def.stop != 0;
}

static bool make_lifecycle(FilNode* node)
{
    return fil_lifecycle_init(&node->lifecycle, node);
}

static void undo_lifecycle(FilNode* node)
{
    fil_lifecycle_fini(&node->lifecycle);
}

/* one that is managed waits for somebody to configure it */
static bool make_world(FilNode* node)
{
    fil_simulation_init(&node->simulation);
    fil_simulation_watch(&node->simulation, is_stopped, node, 0.0);
    fil_node_open_parameters(node);
    return node->lifecycle.node != NULL || fil_node_load(node);
}

static void undo_world(FilNode* node)
{
    fil_node_unload(node);
    fil_simulation_fini(&node->simulation);
}

static const struct {
    bool (*make)(FilNode* node);
    void (*undo)(FilNode* node); /* NULL: nothing to undo */
    bool undo_half;              /* whether it is to be undone when making it has failed */
} parts[] = {
    {make_node, undo_node, false},
    {make_rosout, undo_rosout, false},
    {make_parameters, NULL, false},
    {make_publishers, undo_publishers, true},
    {make_commands, undo_commands, true},
    {make_control, undo_control, true},
    {make_planning, undo_planning, true},
    {make_actions, undo_actions, true},
    {make_sensors, undo_sensors, true},
    {make_descriptions, undo_descriptions, false},
    {make_parameter_server, undo_parameter_server, true},
    {make_standard_services, undo_standard_services, true},
    {make_world_services, undo_world_services, true},
    {make_lifecycle, undo_lifecycle, true},
    {make_world, undo_world, true},
};

bool fil_node_init(FilNode* node, const FilNodeDef* def)
{
    memset(node, 0, sizeof *node);
    node->def = *def;
    node->duration = INFINITY;
    node->retell = INFINITY;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const bool made = parts[i].make(node);
        node->parts_made += made || parts[i].undo_half;
        if (!made) {
            fil_node_fini(node);
            return false;
        }
    }
    fil_parameter_server_announce(&node->parameter_server);
    return true;
}

void fil_node_fini(FilNode* node)
{
    while (node->parts_made > 0) {
        node->parts_made--;
        if (parts[node->parts_made].undo != NULL) {
            parts[node->parts_made].undo(node);
        }
    }
}

/* ---- running ---- */

static int64_t stamp_of(const FilNode* node)
{
    const builtin_interfaces__msg__Time time = fil_time_message(fil_world_time(node->simulation.world));
    return (int64_t)time.sec * 1000000000 + time.nanosec;
}

/* publishers of commands, of others */
static size_t count_controllers(const FilNode* node)
{
    size_t sum = 0;
    for (int i = 0; i < FIL_COMMAND_COUNT; i++) {
        size_t count = 0;
        if (rcl_subscription_get_publisher_count(&node->commands.subscriptions[i], &count) != RCL_RET_OK) {
            rcl_reset_error();
        }
        sum += count;
    }
    return sum;
}

/* Commands and states are reliable: once controllers have answered, every state reaches them, however late they are, and to
 * tell them again would make one that integrates count a state twice. Only from when their number changes until a state that
 * was published after that is answered may a state or an answer be lost. (And against all odds: in the second half of the timeout
 * states are published again in any case.) */
static void watch_controllers(FilNode* node)
{
    const size_t controllers = count_controllers(node);
    if (controllers != node->controllers) {
        node->controllers = controllers;
        node->published = node->heard = false;
    } else if (node->commands.awaited_stamp < 0) {
        node->heard = node->published;
    }
}

static void publish(FilNode* node, bool all, double now)
{
    if (node->simulation.world == NULL) {
        return;
    }
    const double before = node->publishers.outputs.states.next;
    fil_publishers_update(&node->publishers, &node->simulation, all);
    const bool published = node->publishers.outputs.states.next != before || all;
    if (node->commands.lockstep && published) {
        node->published = true;
        fil_commands_await(&node->commands, stamp_of(node));
        node->await_limit = now + node->lockstep_timeout;
        node->await_repeat = now + AWAIT_REPEAT;
    }
}

/* the same state once more, for those who listen now; a recording has it already */
static void report_again(FilNode* node, double now)
{
    node->publishers.repeating = true;
    publish(node, true, now);
    node->publishers.repeating = false;
}

/* under lockstep: whether the command for the last published state is still missing */
static bool is_awaiting(FilNode* node, double now)
{
    FilCommands* commands = &node->commands;
    if (commands->lockstep) {
        watch_controllers(node);
    }
    if (commands->awaited_stamp < 0) {
        return false;
    }
    const bool wanted = !node->simulation.paused || node->simulation.steps_wanted > 0;
    if (wanted && !node->await_counts) {
        node->await_limit = now + node->lockstep_timeout;
    }
    node->await_counts = wanted;
    if (wanted && now > node->await_limit) {
        RCUTILS_LOG_ERROR_NAMED(node->logger, "lockstep: no command for the state at %.9f s came within %g s; the simulation pauses",
                                1e-9 * (double)commands->awaited_stamp, node->lockstep_timeout);
        node->control.step_refusal = node->control.step_pending ? "lockstep: no command came" : NULL;
        fil_simulation_set_paused(&node->simulation, true);
        node->simulation.steps_wanted = 0;
    } else if (wanted && now > node->await_repeat && (!node->heard || now > node->await_limit - 0.5 * node->lockstep_timeout)) {
        const double limit = node->await_limit;
        report_again(node, now);
        node->await_limit = limit;
    }
    return true;
}

/* Who joins while time stands receives the state too: at once, and again twice, since it may not have known all of the node's
 * publishers yet. Who joined while time ran has heard it, unless that was after the last publication. */
static void inform_newcomers(FilNode* node, double now)
{
    const bool viewer = fil_view_topics_joined(node->view.topics);
    if ((!node->simulation.paused && !node->waits) || node->simulation.world == NULL) {
        node->retell = INFINITY;
        return;
    }
    if (fil_publishers_joined(&node->publishers) || viewer) {
        report_again(node, now);
        node->retell_wait = AWAIT_REPEAT;
        node->retell = now + node->retell_wait;
    } else if (now > node->retell) {
        report_again(node, now);
        node->retell_wait *= 2.0;
        node->retell = node->retell_wait <= RETELL_WAIT ? now + node->retell_wait : INFINITY;
    }
}

void fil_node_begin(FilNode* node)
{
    publish(node, true, fil_node_now());
}

double fil_node_wait(FilNode* node, double now)
{
    return is_awaiting(node, now) ? IDLE_WAIT : fmin(fil_simulation_wait(&node->simulation, now), IDLE_WAIT);
}

void fil_node_update(FilNode* node)
{
    const bool pending = node->control.step_pending;
    fil_control_update(&node->control);
    fil_standard_services_update(node->standard_services);
    fil_world_services_update(node->world_services);
    fil_planning_update(&node->planning, fil_node_now());
    fil_actions_update(&node->actions);
    fil_lifecycle_update(&node->lifecycle);
    if (node->commands.lockstep && node->control.step_pending && !pending) {
        node->control.changed = true;  // the state is published again, and its command awaited
    }
    fil_node_obey_pages(node);
    if (node->control.changed) {
        node->control.changed = false;
        publish(node, true, fil_node_now());
    }
}

bool fil_node_is_due(FilNode* node, double now)
{
    return !is_awaiting(node, now) && fil_simulation_wait(&node->simulation, now) <= 0.0;
}

void fil_node_begin_step(FilNode* node)
{
    fil_planning_follow(&node->planning);
    fil_commands_follow(&node->commands);
}

void fil_node_step(FilNode* node, double now)
{
    node->stepped = fil_simulation_step(&node->simulation, now);
}

void fil_node_end_step(FilNode* node, double now)
{
    if (node->stepped == FIL_INTERRUPTED && *node->def.stop != 0) {
        return;  // the node ends, with the state of the last good step
    }
    if (node->stepped != FIL_OK) {
        RCUTILS_LOG_ERROR_NAMED(node->logger, "%s; the simulation pauses", node->simulation.failure);
        report_again(node, now);
        return;
    }
    fil_actions_follow(&node->actions);
    fil_sensors_update(&node->sensors, &node->simulation);
    publish(node, false, now);
}

void fil_node_attend(FilNode* node, double now)
{
    FilSimulation* simulation = &node->simulation;
    inform_newcomers(node, now);
    fil_descriptions_update(&node->descriptions, simulation);
    fil_node_watch_recording(node, now);
    fil_node_show_pages(node, now);
    fil_publishers_diagnose(&node->publishers, simulation, &node->commands, &node->boundary, now);
    fil_namesakes_watch(&node->namesakes, &node->node, now);
    fil_status_line_update(&node->status_line, simulation, &node->publishers, now);
}

bool fil_node_is_at_end(const FilNode* node)
{
    return node->simulation.world != NULL && fil_world_time(node->simulation.world) >= node->duration;
}
