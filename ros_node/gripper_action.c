/* The action <joint>/gripper_command of control_msgs for each joint that the parameter gripper_joints names: to a position, with a
 * bounded effort, until it is reached or the joint stalls. After the goal the joint goes on holding with that effort, until it is
 * given another goal or command. Joints move by the same command as on the topic joint_commands, so that a recording repeats it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action_server.h"
#include "actions.h"
#include "command_parts.h"
#include "control_msgs/action/gripper_command.h"
#include "node.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "sensor_msgs/msg/joint_state.h"

FIL_ACTION_TYPE(control_msgs, GripperCommand, type)

#define FEEDBACK_PERIOD 0.05 /* s of simulated time */
#define STATUS(name) action_msgs__msg__GoalStatus__STATUS_##name

/* Of a joint: a bound of ours, beyond which a gripper is refused. */
enum { NAME_SIZE = 100 };

struct Grippers;

typedef struct Gripper {
    struct Grippers* part;
    FilActionServer server;
    char joint_name[NAME_SIZE];
    FilCommandJoint joint;
    FilActionGoal* goal;             /* NULL: none is pursued */
    bool holds;                      /* the joint obeys this gripper */
    double wanted;                   /* position */
    double max_effort;               /* 0: the joint's own */
    double sent;                     /* the position that was commanded last */
    double moved;                    /* s, world time at which it was last seen to move */
    double next_feedback, last_time; /* s, world time */
    uint64_t load;
} Gripper;

typedef struct Grippers {
    FilNode* node;
    sensor_msgs__msg__JointState command;
    int count;
    Gripper* grippers;
} Grippers;

static double number(Grippers* part, const char* parameter)
{
    return fil_parameters_find(&part->node->parameters, parameter)->value.real;
}

/* ---- goals ---- */

static void end(Gripper* gripper, int8_t status, bool stalled, bool reached)
{
    const FilWorld* world = gripper->part->node->simulation.world;
    control_msgs__action__GripperCommand_GetResult_Response* response = gripper->goal->result;
    const bool there = world != NULL && gripper->load == gripper->part->node->simulation.load_count;
    const FilJointState state = there ? fil_robot_joint_state(world, gripper->joint.robot, gripper->joint.index) : (FilJointState){0};
    response->result.position = state.position;
    response->result.effort = state.effort;
    response->result.stalled = stalled;
    response->result.reached_goal = reached;
    FilActionGoal* goal = gripper->goal;
    gripper->goal = NULL;
    fil_action_end(&gripper->server, goal, status);
}

/* Commands a position by a message, as who publishes joint_commands would. */
static bool send(Gripper* gripper, double position)
{
    sensor_msgs__msg__JointState* message = &gripper->part->command;
    message->position.data[0] = position;
    gripper->sent = position;
    return rosidl_runtime_c__String__assign(&message->name.data[0], gripper->joint_name) &&
           fil_commands_apply(&gripper->part->node->commands, FIL_COMMAND_JOINT, message) == 0;
}

/* Where to send the joint so that k (target - q), which its actuator then exerts, stays within the effort allowed. */
static double bounded_target(const Gripper* gripper, const FilWorld* world)
{
    double stiffness, damping;
    fil_robot_joint_gains(world, gripper->joint.robot, gripper->joint.index, &stiffness, &damping);
    const double position = fil_robot_joint_state(world, gripper->joint.robot, gripper->joint.index).position;
    const double reach = gripper->max_effort > 0.0 && stiffness > 0.0 ? gripper->max_effort / stiffness : INFINITY;
    return position + fmin(fmax(gripper->wanted - position, -reach), reach);
}

static bool begin(void* context, FilActionGoal* goal, const void* request)
{
    Gripper* gripper = context;
    FilCommands* commands = &gripper->part->node->commands;
    const FilWorld* world = commands->simulation->world;
    const control_msgs__msg__GripperCommand* command = &((const control_msgs__action__GripperCommand_SendGoal_Request*)request)->goal.command;
    if (world == NULL || !isfinite(command->position) || !isfinite(command->max_effort)) {
        FIL_REFUSE(commands, "%s: a goal is rejected: %s", gripper->server.name, world == NULL ? "there is no world" : "its numbers are not finite");
        return false;
    }
    FilCommandJoint joint;
    if (!fil_command_find_joint(commands, gripper->server.name, gripper->joint_name, &joint)) {
        return false;
    }
    double lower, upper;
    fil_robot_joint_limits(world, joint.robot, joint.index, &lower, &upper);
    if (command->position < lower || command->position > upper) {
        FIL_REFUSE(commands, "%s: a goal is rejected: %g is not between the joint's limits %g and %g", gripper->server.name, command->position, lower,
                   upper);
        return false;
    }
    if (gripper->goal != NULL) {
        end(gripper, STATUS(ABORTED), false, false);  // preempted
    }
    gripper->joint = joint;
    gripper->wanted = command->position;
    gripper->max_effort = fmax(command->max_effort, 0.0);
    gripper->moved = gripper->next_feedback = gripper->last_time = fil_world_time(world);
    gripper->load = commands->simulation->load_count;
    gripper->holds = send(gripper, bounded_target(gripper, world));
    gripper->goal = gripper->holds ? goal : NULL;
    return gripper->holds;
}

/* The joint stays where it is, with the effort allowed. */
static void cancel(void* context, FilActionGoal* goal)
{
    Gripper* gripper = context;
    const FilSimulation* simulation = &gripper->part->node->simulation;
    if (simulation->world != NULL && simulation->load_count == gripper->load && goal == gripper->goal) {
        gripper->wanted = fil_robot_joint_state(simulation->world, gripper->joint.robot, gripper->joint.index).position;
        gripper->holds = send(gripper, gripper->wanted);
    }
    end(gripper, STATUS(CANCELED), false, false);
}

/* ---- on the way ---- */

/* Whether the joint still obeys: neither its world nor its command is another one. */
static bool obeys(const Gripper* gripper)
{
    const FilSimulation* simulation = &gripper->part->node->simulation;
    if (!gripper->holds || simulation->world == NULL || simulation->load_count != gripper->load ||
        fil_world_time(simulation->world) < gripper->last_time) {
        return false;
    }
    const FilJointCommand command = fil_robot_joint_command(simulation->world, gripper->joint.robot, gripper->joint.index);
    return command.mode == FIL_JOINT_POSITION && command.position == gripper->sent;
}

static void report(Gripper* gripper, FilJointState state, bool stalled, bool reached)
{
    control_msgs__action__GripperCommand_FeedbackMessage* feedback_message = gripper->server.feedback_message;
    feedback_message->feedback.position = state.position;
    feedback_message->feedback.effort = state.effort;
    feedback_message->feedback.stalled = stalled;
    feedback_message->feedback.reached_goal = reached;
    fil_action_report(&gripper->server, gripper->goal);
}

static void pursue(Gripper* gripper)
{
    Grippers* part = gripper->part;
    const FilWorld* world = part->node->simulation.world;
    const double now = gripper->last_time = fil_world_time(world);
    const FilJointState state = fil_robot_joint_state(world, gripper->joint.robot, gripper->joint.index);
    if (fabs(state.velocity) > number(part, "gripper_stall_velocity")) {
        gripper->moved = now;
    }
    const bool reached = fabs(state.position - gripper->wanted) < number(part, "gripper_tolerance");
    const bool stalled = !reached && now - gripper->moved > number(part, "gripper_stall_timeout");
    if (gripper->goal != NULL && now >= gripper->next_feedback) {
        gripper->next_feedback = fmax(gripper->next_feedback + FEEDBACK_PERIOD, now);
        report(gripper, state, stalled, reached);
    }
    const double target = bounded_target(gripper, world);
    if (target != gripper->sent) {
        gripper->holds = send(gripper, target);
    }
    if (gripper->goal != NULL && (reached || stalled)) {
        const bool good = reached || fil_parameters_find(&part->node->parameters, "gripper_allow_stalling")->value.boolean;
        end(gripper, good ? STATUS(SUCCEEDED) : STATUS(ABORTED), stalled, reached);
    }
}

static void look_after(Gripper* gripper, bool stepped)
{
    if (gripper->holds && !obeys(gripper)) {
        gripper->holds = false;
        if (gripper->goal != NULL) {
            RCUTILS_LOG_WARN_NAMED(gripper->server.logger, "%s: the goal is aborted: the joint was given another command, or the world was reset",
                                   gripper->server.name);
            end(gripper, STATUS(ABORTED), false, false);
        }
    }
    if (gripper->holds && stepped) {
        pursue(gripper);
    }
}

static void follow(void* context)
{
    Grippers* part = context;
    for (int i = 0; i < part->count; i++) {
        look_after(&part->grippers[i], true);
    }
}

static void update(void* context)
{
    Grippers* part = context;
    for (int i = 0; i < part->count; i++) {
        fil_action_server_update(&part->grippers[i].server);
        look_after(&part->grippers[i], false);
    }
}

/* ---- life ---- */

static void destroy(void* context)
{
    Grippers* part = context;
    for (int i = 0; i < part->count; i++) {
        fil_action_server_fini(&part->grippers[i].server);
    }
    sensor_msgs__msg__JointState__fini(&part->command);
    free(part->grippers);
    free(part);
}

static bool make_gripper(Grippers* part, const char* joint, size_t length)
{
    Gripper* gripper = &part->grippers[part->count];
    char name[NAME_SIZE + 20];
    if (length >= NAME_SIZE) {
        RCUTILS_LOG_ERROR_NAMED(part->node->logger, "gripper_joints: '%.40s...' is too long", joint);
        return false;
    }
    memcpy(gripper->joint_name, joint, length);
    gripper->part = part;
    part->count++;
    snprintf(name, sizeof name, "%s/gripper_command", gripper->joint_name);
    return fil_action_server_init(&gripper->server, &type, name, &part->node->node, &part->node->simulation, (FilActionHandler){begin, cancel},
                                  gripper);
}

static void* create(FilNode* node)
{
    const char* text = fil_parameters_find(&node->parameters, "gripper_joints")->value.text;
    Grippers* part = calloc(1, sizeof *part);
    bool made = part != NULL && (part->grippers = calloc(strlen(text) / 2 + 1, sizeof *part->grippers)) != NULL;
    if (!made) {
        RCUTILS_LOG_ERROR_NAMED(node->logger, "out of memory");
        free(part);
        return NULL;
    }
    part->node = node;
    made = sensor_msgs__msg__JointState__init(&part->command) && rosidl_runtime_c__String__Sequence__init(&part->command.name, 1) &&
           rosidl_runtime_c__double__Sequence__init(&part->command.position, 1);
    for (size_t length; made && (text += strspn(text, " ,"), length = strcspn(text, " ,")) > 0; text += length) {
        made = make_gripper(part, text, length);
    }
    if (!made) {
        destroy(part);
    }
    return made ? part : NULL;
}

const FilActionPart fil_gripper_action = {create, destroy, update, follow};
