#include "node_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filum/msg/chamber_pressures.h"
#include "filum/msg/pull.h"
#include "frames.h"
#include "messages.h"
#include "node_recording.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "sensor_msgs/msg/joint_state.h"
#include "view/show.h"

/* ---- for Foxglove: the node's parameters ---- */

static int parameter_count(void* context)
{
    return (int)((FilNode*)context)->parameters.count;
}

static void parameter_at(void* context, int index, FilFoxgloveParameter* out)
{
    const FilParameter* parameter = &((FilNode*)context)->parameters.items[index];
    const FilParameterValue* value = &parameter->value;
    *out = (FilFoxgloveParameter){.type = FIL_FOXGLOVE_NUMBER};
    snprintf(out->name, sizeof out->name, "%s", parameter->name);
    switch (value->type) {
        case FIL_PARAMETER_BOOL:
            out->type = FIL_FOXGLOVE_BOOL;
            out->boolean = value->boolean;
            break;
        case FIL_PARAMETER_INTEGER:
            out->number = (double)value->integer;
            break;
        case FIL_PARAMETER_DOUBLE:
            out->number = value->real;
            break;
        default:
            out->type = FIL_FOXGLOVE_TEXT;
            snprintf(out->text, sizeof out->text, "%s", value->text);
            break;
    }
}

static bool set_by_viewer(void* context, const FilFoxgloveParameter* given, char reason[FIL_FOXGLOVE_ANSWER])
{
    FilNode* node = context;
    const FilParameter* parameter = fil_parameters_find(&node->parameters, given->name);
    if (parameter == NULL) {
        snprintf(reason, FIL_FOXGLOVE_ANSWER, "there is no parameter '%.190s'", given->name);
        return false;
    }
    // numbers have no types on their way: a whole one fits both
    FilParameterValue value = given->type == FIL_FOXGLOVE_BOOL   ? fil_parameter_bool(given->boolean)
                              : given->type == FIL_FOXGLOVE_TEXT ? fil_parameter_string(given->text)
                                                                 : fil_parameter_double(given->number);
    // below 2^53 every whole number is a double
    if (given->type == FIL_FOXGLOVE_NUMBER && parameter->value.type == FIL_PARAMETER_INTEGER && fabs(given->number) < 9e15 &&
        given->number == floor(given->number)) {
        value = fil_parameter_integer((int64_t)given->number);
    }
    return fil_parameter_server_set(&node->parameter_server, parameter->name, &value, reason);
}

static void report_parameters(FilNode* node, const rcl_interfaces__msg__ParameterEvent* event)
{
    for (size_t i = 0; i < event->changed_parameters.size; i++) {
        const FilParameter* parameter = fil_parameters_find(&node->parameters, event->changed_parameters.data[i].name.data);
        if (parameter != NULL) {
            fil_view_topics_report_parameter(node->view.topics, (int)(parameter - node->parameters.items));
        }
    }
}

static void hear(void* context, const FilOutputTopic* topic, const void* message)
{
    FilNode* node = context;
    if (strcmp(topic->type_name, "rcl_interfaces/msg/ParameterEvent") == 0) {
        report_parameters(node, message);
    }
    fil_view_topics_hear(node->view.topics, topic, message);
}

static bool resolve(void* context, const char* name, char full[256])
{
    return fil_resolve_name(&((FilNode*)context)->node, name, full);
}

static void note_reset(void* context)
{
    ((FilNode*)context)->control.changed = true;
}

static FilFoxglove* open_topics(FilNode* node)
{
    const FilViewTopicsDef def = {.simulation = &node->simulation,
                                  .node = rcl_node_get_fully_qualified_name(&node->node),
                                  .resolve = resolve,
                                  .was_reset = note_reset,
                                  .parameter_count = parameter_count,
                                  .parameter = parameter_at,
                                  .set_parameter = set_by_viewer,
                                  .context = node};
    node->view.topics = fil_view_topics_create(&def);
    node->tap.viewer = node->view.topics != NULL ? (FilTapListener){hear, node} : (FilTapListener){0};
    return fil_view_topics_foxglove(node->view.topics);
}

/* ---- life ---- */

void fil_node_open_view(FilNode* node)
{
    const int64_t port = fil_parameters_find(&node->parameters, "view_port")->value.integer;
    const char* address = fil_parameters_find(&node->parameters, "view_address")->value.text;
    FilViewSessionDef def = {
        .simulation = &node->simulation,
        .hand = &node->commands.hand,
        .address = address[0] != '\0' ? address : "127.0.0.1",
        .port = (int)port + node->def.index,
        .read_only = fil_parameters_find(&node->parameters, "view_read_only")->value.boolean,
        .origins = fil_parameters_find(&node->parameters, "view_origins")->value.text,
    };
    FilError error = {{0}};
    if (port == 0) {
        return;
    }
    def.foxglove = open_topics(node);
    if (fil_view_session_open(&def, &node->view.session, &error) != FIL_OK) {
        // what nobody can look at runs as well
        RCUTILS_LOG_ERROR_NAMED(node->logger, "view_port: %s", error.text);
        return;
    }
    RCUTILS_LOG_INFO_NAMED(node->logger, "to look at it: http://%s:%d/", def.address, fil_view_session_port(node->view.session));
}

void fil_node_close_view(FilNode* node)
{
    fil_view_session_close(node->view.session);
    node->tap.viewer = (FilTapListener){0};
    fil_view_topics_destroy(node->view.topics);
    node->view.session = NULL;
    node->view.topics = NULL;
}

/* ---- for pages ---- */

static void set_parameter(FilNode* node, const char* name, const FilParameterValue* value)
{
    char reason[FIL_REASON_TEXT] = "";
    const bool set = fil_parameter_server_set(&node->parameter_server, name, value, reason);
    fil_view_session_say(node->view.session, set ? "" : reason);
}

static void send_pull(FilNode* node, const FilViewCommand* command, filum__msg__Pull* message)
{
    const double* numbers = command->numbers;
    const geometry_msgs__msg__Point point = {numbers[0], numbers[1], numbers[2]};
    const bool grabs = command->ask == FIL_VIEW_GRAB, moves = command->ask == FIL_VIEW_MOVE;
    message->action = grabs ? filum__msg__Pull__HOLD : moves ? filum__msg__Pull__MOVE : filum__msg__Pull__RELEASE;
    message->header.stamp = fil_stamp_of(node->simulation.world);
    if (grabs) {
        fil_simulation_forgive(&node->simulation);
        message->part = command->part;
        message->local = point;
        message->strength = numbers[3];
    } else if (moves) {
        message->target = point;
    }
    const FilShowKind* kind;
    FilId id;
    if (grabs && (!fil_show_at(node->simulation.world, (int)command->object, &kind, &id) ||
                  !rosidl_runtime_c__String__assign(&message->object, kind->name(node->simulation.world, id)))) {
        return;
    }
    const bool refused = fil_commands_apply(&node->commands, FIL_COMMAND_PULL, message) > 0;
    if (refused || grabs) {
        fil_view_session_say(node->view.session, refused ? fil_world_error(node->simulation.world) : "");
    }
}

/* As a command of the node, so that recordings have it. */
static void pull(FilNode* node, const FilViewCommand* command)
{
    filum__msg__Pull message;
    // a page goes on to move what it could not take hold of
    if (node->simulation.world == NULL || (command->ask != FIL_VIEW_GRAB && fil_commands_hand(&node->commands)->held < 0)) {
        return;
    }
    if (filum__msg__Pull__init(&message)) {
        send_pull(node, command, &message);
    }
    filum__msg__Pull__fini(&message);
}

static bool set_number(rosidl_runtime_c__double__Sequence* numbers, double value)
{
    if (!rosidl_runtime_c__double__Sequence__init(numbers, 1)) {
        return false;
    }
    numbers->data[0] = value;
    return true;
}

static bool set_name(rosidl_runtime_c__String__Sequence* names, const char* name)
{
    return rosidl_runtime_c__String__Sequence__init(names, 1) && rosidl_runtime_c__String__assign(&names->data[0], name);
}

static bool command_chamber(FilNode* node, const char* name, double pressure)
{
    filum__msg__ChamberPressures message;
    bool done = filum__msg__ChamberPressures__init(&message) && set_name(&message.chambers, name) && set_number(&message.pressures, pressure);
    message.header.stamp = fil_stamp_of(node->simulation.world);
    done = done && fil_commands_apply(&node->commands, FIL_COMMAND_CHAMBER, &message) == 0;
    filum__msg__ChamberPressures__fini(&message);
    return done;
}

/* held at a place: with no velocity and no effort of its own, whatever it was commanded before */
static bool command_joint(FilNode* node, const char* name, double position)
{
    sensor_msgs__msg__JointState message;
    bool done = sensor_msgs__msg__JointState__init(&message) && set_name(&message.name, name) && set_number(&message.position, position) &&
                set_number(&message.velocity, 0.0) && set_number(&message.effort, 0.0);
    message.header.stamp = fil_stamp_of(node->simulation.world);
    done = done && fil_commands_apply(&node->commands, FIL_COMMAND_JOINT, &message) == 0;
    sensor_msgs__msg__JointState__fini(&message);
    return done;
}

/* A slider, as a command of the node too. False: there is none for it, as of a joint whose name two robots have. */
static bool command_control(FilNode* node, const FilViewCommand* command)
{
    const FilWorld* world = node->simulation.world;
    const FilShowKind* kind;
    FilShownControl control;
    FilId id;
    char name[2 * FIL_FRAME_NAME];
    if (world == NULL || !fil_show_at(world, (int)command->object, &kind, &id) || kind->set_control == NULL ||
        command->part >= (uint32_t)kind->control_count(world, id) || !kind->control(world, id, (int)command->part, &control)) {
        return true;  // nothing to be set
    }
    if (!control.pressure) {
        return command_joint(node, control.name, command->numbers[0]);
    }
    snprintf(name, sizeof name, "%s/chamber_%u", kind->name(world, id), (unsigned)command->part);
    return command_chamber(node, name, command->numbers[0]);
}

static void obey(FilNode* node, const FilViewCommand* command)
{
    FilParameterValue value;
    switch ((FilViewAsk)command->ask) {
        case FIL_VIEW_SPEED:
            value = fil_parameter_double(command->numbers[0]);
            set_parameter(node, "real_time_factor", &value);
            break;
        case FIL_VIEW_MODEL:
            value = fil_parameter_string((int)command->part < fil_contact_model_count() ? fil_contact_model_name((int)command->part) : "");
            set_parameter(node, "contact_model", &value);
            break;
        case FIL_VIEW_GRAB:
        case FIL_VIEW_MOVE:
        case FIL_VIEW_RELEASE:
            pull(node, command);
            break;
        case FIL_VIEW_CONTROL:
            if (!command_control(node, command)) {
                fil_node_changed_by_hand(node, "a page has set a joint that has no name of its own");
                fil_view_session_obey(node->view.session, command);
            }
            break;
        default:
            if (command->ask == FIL_VIEW_RESET) {
                pull(node, &(FilViewCommand){.ask = FIL_VIEW_RELEASE});
            }
            fil_view_session_obey(node->view.session, command);
            node->control.changed |= command->ask == FIL_VIEW_RESET;
            break;
    }
}

void fil_node_obey_pages(FilNode* node)
{
    FilViewCommand command;
    // as many as a queue holds: pages that never stop asking do not stop the simulation
    for (int i = 0; node->view.session != NULL && i < FIL_VIEW_QUEUE && fil_view_session_take(node->view.session, 0.0, &command); i++) {
        obey(node, &command);
    }
    fil_view_topics_serve(node->view.topics);
    node->publishers.looked_at = fil_view_topics_want_markers(node->view.topics);
}

void fil_node_show_pages(FilNode* node, double now)
{
    if (node->view.session != NULL && fil_view_session_show(node->view.session, now) != FIL_OK) {
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, node->logger, "out of memory: pages miss a frame");
    }
}
