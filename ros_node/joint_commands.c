/* Commands to robots: targets of joints, and trajectories. */
#include <math.h>
#include <stdlib.h>

#include "command_parts.h"
#include "sensor_msgs/msg/joint_state.h"
#include "trajectory_msgs/msg/joint_trajectory.h"
#include "trajectory_msgs/msg/joint_trajectory_point.h"

/* a joint of the world */
typedef struct Joint {
    FilId robot;
    int index;
} Joint;

/* Finds a joint by its name; refuses one that is not there, or there more than once. */
static bool find_joint(FilCommands* commands, const char* topic, const char* name, Joint* joint)
{
    const FilWorld* world = commands->simulation->world;
    int found = 0;
    for (int i = 0; i < fil_world_robot_count(world); i++) {
        const FilId robot = fil_world_robot_at(world, i);
        const int index = fil_robot_find_joint(world, robot, name);
        if (index >= 0) {
            *joint = (Joint){robot, index};
            found++;
        }
    }
    if (fil_command_has(commands, topic, "joint", name, found > 0) && found > 1) {
        FIL_REFUSE(commands, "%s: %d robots have a joint '%s'; give them a prefix in the scene", topic, found, name);
    }
    return found == 1;
}

/* ---- joint_commands ---- */

/* the i-th number of a sequence that may be empty; NAN: not given */
static double given(const rosidl_runtime_c__double__Sequence* numbers, size_t i)
{
    return numbers->size > 0 ? numbers->data[i] : NAN;
}

/* A joint's mode is the first of position, velocity and effort that is given and that it takes. What is not given stays
 * as it was if the mode does, and is zero if not. */
static void command_joint(FilCommands* commands, const sensor_msgs__msg__JointState* message, size_t i)
{
    FilWorld* world = commands->simulation->world;
    const double numbers[3] = {given(&message->position, i), given(&message->velocity, i), given(&message->effort, i)};
    static const FilJointMode modes[3] = {FIL_JOINT_POSITION, FIL_JOINT_VELOCITY, FIL_JOINT_EFFORT};
    Joint joint;
    if (!find_joint(commands, "joint_commands", message->name.data[i].data, &joint)) {
        return;
    }
    const unsigned taken = fil_robot_joint_modes(world, joint.robot, joint.index);
    FilJointCommand command = fil_robot_joint_command(world, joint.robot, joint.index);
    int first = 3;
    for (int k = 2; k >= 0; k--) {
        const bool takes = taken == 0 || (taken & (unsigned)modes[k]) != 0;
        first = !isnan(numbers[k]) && (takes || first == 3) ? k : first;
    }
    if (first == 3) {
        fil_command_keep(commands);
        return;
    }
    if (command.mode != modes[first]) {
        command = (FilJointCommand){.mode = modes[first]};
    }
    double* const fields[3] = {&command.position, &command.velocity, &command.effort};
    for (int k = first; k < 3; k++) {
        *fields[k] = isnan(numbers[k]) ? *fields[k] : numbers[k];
    }
    fil_command_done(commands, "joint_commands",
                     fil_robot_set_joint_command(world, joint.robot, joint.index, &command));
}

static void apply_joints(FilCommands* commands, const void* received)
{
    const sensor_msgs__msg__JointState* message = received;
    const size_t count = message->name.size;
    const struct {
        const char* what;
        size_t size;
    } arrays[] = {{"positions", message->position.size},
                  {"velocities", message->velocity.size},
                  {"efforts", message->effort.size}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].size != 0 &&
            !fil_command_matches(commands, "joint_commands", count, "names", arrays[i].size, arrays[i].what)) {
            return;
        }
    }
    for (size_t i = 0; i < count; i++) {
        command_joint(commands, message, i);
    }
}

/* ---- joint_trajectory ---- */

typedef trajectory_msgs__msg__JointTrajectory Trajectory;

/* a trajectory of one robot, as the core takes it */
typedef struct Part {
    FilTrajectoryDef def;
    int* joints;     /* of the robot */
    size_t* columns; /* where they are in the message */
    double *times, *positions, *velocities;
} Part;

static double seconds_of(builtin_interfaces__msg__Duration duration)
{
    return duration.sec + 1e-9 * duration.nanosec;
}

/* whether all points are complete; refuses those that are not */
static bool check_points(FilCommands* commands, const Trajectory* message)
{
    const size_t joints = message->joint_names.size;
    for (size_t i = 0; i < message->points.size; i++) {
        const trajectory_msgs__msg__JointTrajectoryPoint* point = &message->points.data[i];
        const size_t velocities = message->points.data[0].velocities.size;
        if (point->positions.size != joints || point->velocities.size != velocities ||
            (velocities != 0 && velocities != joints)) {
            FIL_REFUSE(commands, "joint_trajectory: point %zu has %zu positions and %zu velocities for %zu joints", i,
                       point->positions.size, point->velocities.size, joints);
            return false;
        }
        if (seconds_of(point->time_from_start) < 0.0) {
            FIL_REFUSE(commands, "joint_trajectory: point %zu lies %g s before the start", i,
                       -seconds_of(point->time_from_start));
            return false;
        }
        if (!fil_command_is_finite(&point->positions) || !fil_command_is_finite(&point->velocities)) {
            FIL_REFUSE(commands, "joint_trajectory: point %zu is not finite", i);
            return false;
        }
    }
    return true;
}

static void part_free(Part* part)
{
    free(part->joints);
    free(part->columns);
    free(part->times);
    free(part->positions);
    free(part->velocities);
}

static bool part_allocate(Part* part, const Trajectory* message)
{
    const size_t joints = message->joint_names.size;
    const size_t points = message->points.size;
    part->joints = calloc(joints, sizeof *part->joints);
    part->columns = calloc(joints, sizeof *part->columns);
    part->times = calloc(points, sizeof *part->times);
    part->positions = calloc(joints * points, sizeof *part->positions);
    part->velocities = calloc(joints * points, sizeof *part->velocities);
    return part->joints != NULL && part->columns != NULL && part->times != NULL && part->positions != NULL &&
           part->velocities != NULL;
}

/* the columns of one robot's joints; a stamp of zero starts now, without points the joints hold where they are */
static void part_fill(Part* part, const Trajectory* message, const Joint* joints, FilId robot, double now)
{
    int count = 0;
    for (size_t k = 0; k < message->joint_names.size; k++) {
        if (joints[k].robot.index == robot.index) {
            part->joints[count] = joints[k].index;
            part->columns[count++] = k;
        }
    }
    const bool has_velocities = message->points.data[0].velocities.size > 0;
    for (size_t i = 0; i < message->points.size; i++) {
        const trajectory_msgs__msg__JointTrajectoryPoint* point = &message->points.data[i];
        part->times[i] = seconds_of(point->time_from_start);
        for (int k = 0; k < count; k++) {
            part->positions[i * (size_t)count + (size_t)k] = point->positions.data[part->columns[k]];
            part->velocities[i * (size_t)count + (size_t)k] =
                has_velocities ? point->velocities.data[part->columns[k]] : 0.0;
        }
    }
    const builtin_interfaces__msg__Time stamp = message->header.stamp;
    part->def = fil_trajectory_def_default();
    part->def.joints = part->joints;
    part->def.joint_count = count;
    part->def.interpolation = has_velocities ? FIL_INTERPOLATE_SPLINE : FIL_INTERPOLATE_LINEAR;
    part->def.start = stamp.sec == 0 && stamp.nanosec == 0 ? now : stamp.sec + 1e-9 * stamp.nanosec;
    part->def.point_count = (int)message->points.size;
    part->def.times = part->times;
    part->def.positions = part->positions;
    part->def.velocities = has_velocities ? part->velocities : NULL;
}

/* a message without points ends what its joints follow: they hold what they are commanded now */
static void hold(FilCommands* commands, const Joint* joints, size_t count)
{
    FilWorld* world = commands->simulation->world;
    for (size_t k = 0; k < count; k++) {
        FilJointCommand command = fil_robot_joint_command(world, joints[k].robot, joints[k].index);
        command = (FilJointCommand){.mode = FIL_JOINT_POSITION, .position = command.position};
        fil_command_done(commands, "joint_trajectory",
                         fil_robot_set_joint_command(world, joints[k].robot, joints[k].index, &command));
    }
}

/* one trajectory per robot that has joints in the message */
static void follow(FilCommands* commands, const Trajectory* message, const Joint* joints)
{
    FilWorld* world = commands->simulation->world;
    for (int i = 0; i < fil_world_robot_count(world); i++) {
        const FilId robot = fil_world_robot_at(world, i);
        bool named = false;
        for (size_t k = 0; k < message->joint_names.size; k++) {
            named |= joints[k].robot.index == robot.index;
        }
        Part part = {0};
        if (named && part_allocate(&part, message)) {
            part_fill(&part, message, joints, robot, fil_world_time(world));
            fil_command_done(commands, "joint_trajectory", fil_robot_set_trajectory(world, robot, &part.def));
        } else if (named) {
            FIL_REFUSE(commands, "joint_trajectory: out of memory");
        }
        part_free(&part);
    }
}

static void apply_trajectory(FilCommands* commands, const void* received)
{
    const Trajectory* message = received;
    const size_t count = message->joint_names.size;
    Joint* joints = calloc(count + 1, sizeof *joints);
    bool good = joints != NULL && count > 0;
    if (!good) {
        FIL_REFUSE(commands, "joint_trajectory: %s", joints == NULL ? "out of memory" : "no joints are named");
    }
    for (size_t k = 0; good && k < count; k++) {
        good = find_joint(commands, "joint_trajectory", message->joint_names.data[k].data, &joints[k]);
    }
    if (good && message->points.size == 0) {
        hold(commands, joints, count);
    } else if (good && check_points(commands, message)) {
        follow(commands, message, joints);
    }
    free(joints);
}

FIL_MESSAGE_FUNCTIONS(sensor_msgs, JointState)

const FilCommandTopic fil_joint_commands = {
    .topic = {"joint_commands", 100, false, "sensor_msgs/msg/JointState", type_of_JointState},
    .message = {sizeof(sensor_msgs__msg__JointState), init_JointState, fini_JointState},
    .apply = apply_joints,
};

FIL_MESSAGE_FUNCTIONS(trajectory_msgs, JointTrajectory)

const FilCommandTopic fil_trajectory_commands = {
    .topic = {"joint_trajectory", 100, false, "trajectory_msgs/msg/JointTrajectory", type_of_JointTrajectory},
    .message = {sizeof(trajectory_msgs__msg__JointTrajectory), init_JointTrajectory, fini_JointTrajectory},
    .apply = apply_trajectory,
};
