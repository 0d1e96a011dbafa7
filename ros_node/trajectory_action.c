/* The action follow_joint_trajectory of control_msgs, as joint_trajectory_controller has it: joints of any robots along a trajectory,
 * within tolerances on the way and at its end. A goal moves robots through the same command as the topic joint_trajectory, so that a
 * recording repeats it; several goals are pursued at once as long as they move different robots. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action_server.h"
#include "actions.h"
#include "command_parts.h"
#include "control_msgs/action/follow_joint_trajectory.h"
#include "control_msgs/msg/joint_tolerance.h"
#include "node.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "trajectory_msgs/msg/joint_trajectory.h"
#include "trajectory_msgs/msg/joint_trajectory_point.h"

FIL_ACTION_TYPE(control_msgs, FollowJointTrajectory, type)

#define FEEDBACK_PERIOD 0.05 /* s of simulated time, as joint_trajectory_controller's action_monitor_rate has it */
#define NAME "follow_joint_trajectory"
#define STATUS(name) action_msgs__msg__GoalStatus__STATUS_##name
#define ERROR(name) control_msgs__action__FollowJointTrajectory_Result__##name

typedef control_msgs__action__FollowJointTrajectory_Goal Goal;
typedef trajectory_msgs__msg__JointTrajectory Trajectory;

/* a joint of a goal; tolerances of zero are none */
typedef struct Follower {
    FilCommandJoint joint;
    uint64_t serial; /* of the trajectory that its robot follows for this goal */
    double path_position, path_velocity, goal_position, goal_velocity;
} Follower;

typedef struct Pursuit {
    Trajectory hold; /* names the joints, and is what they are sent when the goal ends early */
    Follower* followers;
    double start, end;     /* s, world time of the first and last point */
    double time_tolerance; /* s after the end; 0: any */
    double next_feedback;  /* s, world time */
    uint64_t load;         /* the world that it was accepted for */
    double last_time;      /* s, of that world */
} Pursuit;

typedef struct Followers {
    FilActionServer server;
    FilNode* node;
} Followers;

/* ---- the end of a goal ---- */

static void free_pursuit(Pursuit* pursuit)
{
    if (pursuit != NULL) {
        trajectory_msgs__msg__JointTrajectory__fini(&pursuit->hold);
        free(pursuit->followers);
        free(pursuit);
    }
}

static void end(Followers* part, FilActionGoal* goal, int8_t status, int32_t code, const char* message)
{
    control_msgs__action__FollowJointTrajectory_GetResult_Response* response = goal->result;
    Pursuit* pursuit = goal->work;
    response->result.error_code = code;
    rosidl_runtime_c__String__assign(&response->result.error_string, message);
    fil_action_end(&part->server, goal, status);
    free_pursuit(pursuit);
}

static bool is_followed(const Followers* part, const Follower* follower)
{
    const FilCommands* commands = &part->node->commands;
    return fil_tracks_serial(&commands->tracks, follower->joint.robot) == follower->serial &&
           fil_robot_joint_follows(commands->simulation->world, follower->joint.robot, follower->joint.index);
}

/* Joints that still follow the goal stay where they are now. */
static void hold(Followers* part, Pursuit* pursuit)
{
    Trajectory* message = &pursuit->hold;
    size_t kept = 0;
    for (size_t k = 0; k < message->joint_names.size; k++) {
        if (is_followed(part, &pursuit->followers[k])) {
            const rosidl_runtime_c__String name = message->joint_names.data[kept];
            message->joint_names.data[kept++] = message->joint_names.data[k];
            message->joint_names.data[k] = name;
        }
    }
    message->joint_names.size = kept;
    if (kept > 0) {
        fil_commands_apply(&part->node->commands, FIL_COMMAND_TRAJECTORY, message);
    }
}

static void fail(Followers* part, FilActionGoal* goal, int32_t code, const char* message)
{
    RCUTILS_LOG_WARN_NAMED(part->server.logger, NAME ": a goal is aborted: %s", message);
    hold(part, goal->work);
    end(part, goal, STATUS(ABORTED), code, message);
}

static void cancel(void* context, FilActionGoal* goal)
{
    Followers* part = context;
    const FilSimulation* simulation = &part->node->simulation;
    const Pursuit* pursuit = goal->work;
    if (simulation->world != NULL && simulation->load_count == pursuit->load) {
        hold(part, goal->work);
    }
    end(part, goal, STATUS(CANCELED), ERROR(SUCCESSFUL), "cancelled");
}

/* ---- a new goal ---- */

static double seconds(int32_t sec, uint32_t nanosec)
{
    return sec + 1e-9 * nanosec;
}

/* Reads tolerances into those of the joints that they name; a reason if one is not among them, or NULL. */
static const char* read_tolerances(const control_msgs__msg__JointTolerance__Sequence* list, bool at_end, Pursuit* pursuit)
{
    for (size_t i = 0; i < list->size; i++) {
        const control_msgs__msg__JointTolerance* tolerance = &list->data[i];
        size_t k = 0;
        while (k < pursuit->hold.joint_names.size && strcmp(pursuit->hold.joint_names.data[k].data, tolerance->name.data) != 0) {
            k++;
        }
        if (k == pursuit->hold.joint_names.size) {
            return "a tolerance names a joint that is not in the trajectory";
        }
        if (isnan(tolerance->position) || isnan(tolerance->velocity)) {
            return "a tolerance is not a number";
        }
        Follower* follower = &pursuit->followers[k];
        *(at_end ? &follower->goal_position : &follower->path_position) = tolerance->position;
        *(at_end ? &follower->goal_velocity : &follower->path_velocity) = tolerance->velocity;
    }
    return NULL;
}

/* Why a goal makes no sense whatever its points are; NULL: it may. */
static const char* find_fault(const Goal* goal, const FilWorld* world, Pursuit* pursuit)
{
    const Trajectory* trajectory = &goal->trajectory;
    const double stamp = seconds(trajectory->header.stamp.sec, trajectory->header.stamp.nanosec);
    const double now = fil_world_time(world);
    if (goal->multi_dof_trajectory.points.size > 0 || goal->multi_dof_trajectory.joint_names.size > 0) {
        return "joints with several degrees of freedom are not moved";
    }
    if (trajectory->points.size == 0) {
        return "the trajectory has no points";
    }
    const builtin_interfaces__msg__Duration length = trajectory->points.data[trajectory->points.size - 1].time_from_start;
    pursuit->start = stamp != 0.0 ? stamp : now;
    pursuit->end = pursuit->start + seconds(length.sec, length.nanosec);
    pursuit->time_tolerance = seconds(goal->goal_time_tolerance.sec, goal->goal_time_tolerance.nanosec);
    if (stamp != 0.0 && pursuit->end <= now) {
        return "the trajectory ends in the past";
    }
    const char* fault = read_tolerances(&goal->path_tolerance, false, pursuit);
    return fault != NULL ? fault : read_tolerances(&goal->goal_tolerance, true, pursuit);
}

static Pursuit* make_pursuit(const Goal* goal)
{
    const size_t count = goal->trajectory.joint_names.size;
    Pursuit* pursuit = calloc(1, sizeof *pursuit);
    bool made = pursuit != NULL && trajectory_msgs__msg__JointTrajectory__init(&pursuit->hold) &&
                (pursuit->followers = calloc(count + 1, sizeof *pursuit->followers)) != NULL &&
                rosidl_runtime_c__String__Sequence__init(&pursuit->hold.joint_names, count);
    for (size_t k = 0; made && k < count; k++) {
        made = rosidl_runtime_c__String__assign(&pursuit->hold.joint_names.data[k], goal->trajectory.joint_names.data[k].data);
    }
    if (!made) {
        free_pursuit(pursuit);
    }
    return made ? pursuit : NULL;
}

static bool begin(void* context, FilActionGoal* goal, const void* request)
{
    Followers* part = context;
    FilCommands* commands = &part->node->commands;
    const FilWorld* world = commands->simulation->world;
    const Goal* wanted = &((const control_msgs__action__FollowJointTrajectory_SendGoal_Request*)request)->goal;
    Pursuit* pursuit = make_pursuit(wanted);
    const char* fault = pursuit == NULL ? "out of memory" : world == NULL ? "there is no world" : find_fault(wanted, world, pursuit);
    // what is refused as a command is reported there
    const uint64_t accepted = commands->accepted;
    if (fault == NULL && fil_commands_apply(commands, FIL_COMMAND_TRAJECTORY, &wanted->trajectory) > 0) {
        if (commands->accepted > accepted) {  // by one robot and not by another
            fil_commands_apply(commands, FIL_COMMAND_TRAJECTORY, &pursuit->hold);
        }
        free_pursuit(pursuit);
        return false;
    }
    if (fault != NULL) {
        FIL_REFUSE(commands, NAME ": a goal is rejected: %s", fault);
        free_pursuit(pursuit);
        return false;
    }
    for (size_t k = 0; k < pursuit->hold.joint_names.size; k++) {
        Follower* follower = &pursuit->followers[k];
        fil_command_find_joint(commands, NAME, pursuit->hold.joint_names.data[k].data, &follower->joint);
        follower->serial = fil_tracks_serial(&commands->tracks, follower->joint.robot);
    }
    pursuit->load = commands->simulation->load_count;
    pursuit->last_time = pursuit->next_feedback = fil_world_time(world);
    goal->work = pursuit;
    return true;
}

/* ---- on the way ---- */

static bool size_point(trajectory_msgs__msg__JointTrajectoryPoint* point, size_t count)
{
    if (point->positions.size == count) {
        return true;
    }
    rosidl_runtime_c__double__Sequence* const arrays[] = {&point->positions, &point->velocities, &point->effort};
    bool good = true;
    for (int i = 0; i < 3; i++) {
        rosidl_runtime_c__double__Sequence__fini(arrays[i]);
        good = rosidl_runtime_c__double__Sequence__init(arrays[i], count) && good;
    }
    return good;
}

static void report(Followers* part, FilActionGoal* goal, const Pursuit* pursuit, const FilWorld* world)
{
    control_msgs__action__FollowJointTrajectory_FeedbackMessage* feedback_message = part->server.feedback_message;
    control_msgs__action__FollowJointTrajectory_Feedback* feedback = &feedback_message->feedback;
    const size_t count = pursuit->hold.joint_names.size;
    feedback->header.stamp = fil_stamp_of(world);
    bool good = size_point(&feedback->desired, count) && size_point(&feedback->actual, count) && size_point(&feedback->error, count) &&
                rosidl_runtime_c__String__Sequence__copy(&pursuit->hold.joint_names, &feedback->joint_names);
    for (size_t k = 0; k < count && good; k++) {
        const FilCommandJoint joint = pursuit->followers[k].joint;
        const FilJointCommand desired = fil_robot_joint_command(world, joint.robot, joint.index);
        const FilJointState actual = fil_robot_joint_state(world, joint.robot, joint.index);
        feedback->desired.positions.data[k] = desired.position;
        feedback->desired.velocities.data[k] = desired.velocity;
        feedback->desired.effort.data[k] = desired.effort;
        feedback->actual.positions.data[k] = actual.position;
        feedback->actual.velocities.data[k] = actual.velocity;
        feedback->actual.effort.data[k] = actual.effort;
        feedback->error.positions.data[k] = desired.position - actual.position;
        feedback->error.velocities.data[k] = desired.velocity - actual.velocity;
        feedback->error.effort.data[k] = desired.effort - actual.effort;
    }
    const builtin_interfaces__msg__Time since = fil_time_message(fmax(fil_world_time(world) - pursuit->start, 0.0));
    feedback->desired.time_from_start = feedback->actual.time_from_start = feedback->error.time_from_start =
        (builtin_interfaces__msg__Duration){since.sec, since.nanosec};
    if (good) {
        fil_action_report(&part->server, goal);
    }
}

/* The first joint that is further from where it is sent than its tolerances; -1: none. `off` says by how much. */
static int find_offender(const Pursuit* pursuit, const FilWorld* world, bool at_end, char off[160])
{
    for (size_t k = 0; k < pursuit->hold.joint_names.size; k++) {
        const Follower* follower = &pursuit->followers[k];
        const FilJointCommand desired = fil_robot_joint_command(world, follower->joint.robot, follower->joint.index);
        const FilJointState actual = fil_robot_joint_state(world, follower->joint.robot, follower->joint.index);
        const double position = fabs(desired.position - actual.position), velocity = fabs(desired.velocity - actual.velocity);
        const double places = at_end ? follower->goal_position : follower->path_position;
        const double rates = at_end ? follower->goal_velocity : follower->path_velocity;
        const bool misplaced = places > 0.0 && position > places;
        if (misplaced || (rates > 0.0 && velocity > rates)) {
            snprintf(off, 160, "joint '%.80s' is off by %.4g %s, more than %.4g", pursuit->hold.joint_names.data[k].data,
                     misplaced ? position : velocity, misplaced ? "in position" : "in velocity", misplaced ? places : rates);
            return (int)k;
        }
    }
    return -1;
}

/* Why a goal cannot be pursued any more; NULL: it can. */
static const char* find_end(const Followers* part, const Pursuit* pursuit)
{
    const FilSimulation* simulation = &part->node->simulation;
    if (simulation->world == NULL || simulation->load_count != pursuit->load) {
        return "another world was loaded";
    }
    if (fil_world_time(simulation->world) < pursuit->last_time) {
        return "the simulation was reset";
    }
    for (size_t k = 0; k < pursuit->hold.joint_names.size; k++) {
        const Follower* follower = &pursuit->followers[k];
        if (fil_tracks_serial(&part->node->commands.tracks, follower->joint.robot) != follower->serial) {
            return "preempted by another trajectory of the same robot";
        }
        if (!is_followed(part, follower)) {
            return "a joint was given another command";
        }
    }
    return NULL;
}

static void pursue(Followers* part, FilActionGoal* goal)
{
    Pursuit* pursuit = goal->work;
    const FilWorld* world = part->node->simulation.world;
    const char* over = find_end(part, pursuit);
    if (over != NULL) {
        if (world == NULL || part->node->simulation.load_count != pursuit->load) {
            pursuit->hold.joint_names.size = 0;  // its joints are gone
        }
        fail(part, goal, ERROR(INVALID_GOAL), over);
        return;
    }
    const double now = pursuit->last_time = fil_world_time(world);
    char off[160];
    if (now >= pursuit->next_feedback) {
        pursuit->next_feedback = fmax(pursuit->next_feedback + FEEDBACK_PERIOD, now);
        report(part, goal, pursuit, world);
    }
    if (now < pursuit->end) {
        if (now >= pursuit->start && find_offender(pursuit, world, false, off) >= 0) {
            fail(part, goal, ERROR(PATH_TOLERANCE_VIOLATED), off);
        }
    } else if (find_offender(pursuit, world, true, off) < 0) {
        end(part, goal, STATUS(SUCCEEDED), ERROR(SUCCESSFUL), "");
    } else if (pursuit->time_tolerance > 0.0 && now > pursuit->end + pursuit->time_tolerance) {
        fail(part, goal, ERROR(GOAL_TOLERANCE_VIOLATED), off);
    }
}

static void follow(void* context)
{
    Followers* part = context;
    for (int i = 0; i < FIL_ACTION_GOALS; i++) {
        if (fil_action_is_active(&part->server.goals[i])) {
            pursue(part, &part->server.goals[i]);
        }
    }
}

/* Goals that are replaced, or whose world is gone, end also while time stands. */
static void update(void* context)
{
    Followers* part = context;
    fil_action_server_update(&part->server);
    for (int i = 0; i < FIL_ACTION_GOALS; i++) {
        FilActionGoal* goal = &part->server.goals[i];
        if (fil_action_is_active(goal) && find_end(part, goal->work) != NULL) {
            pursue(part, goal);
        }
    }
}

/* ---- life ---- */

static void destroy(void* context)
{
    Followers* part = context;
    for (int i = 0; i < FIL_ACTION_GOALS; i++) {
        free_pursuit(part->server.goals[i].work);
    }
    fil_action_server_fini(&part->server);
    free(part);
}

static void* create(FilNode* node)
{
    Followers* part = calloc(1, sizeof *part);
    if (part == NULL) {
        RCUTILS_LOG_ERROR_NAMED(node->logger, "out of memory");
        return NULL;
    }
    part->node = node;
    if (!fil_action_server_init(&part->server, &type, NAME, &node->node, &node->simulation, (FilActionHandler){begin, cancel}, part)) {
        destroy(part);
        return NULL;
    }
    return part;
}

const FilActionPart fil_trajectory_action = {create, destroy, update, follow};
