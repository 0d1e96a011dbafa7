/* Commands to robots: trajectories of joints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command_parts.h"
#include "trajectory_msgs/msg/joint_trajectory_point.h"
#include "trajectory_parts.h"

typedef trajectory_msgs__msg__JointTrajectory Trajectory;
typedef trajectory_msgs__msg__JointTrajectoryPoint Point;

/* ---- what is refused ---- */

/* The joints that are named, which must be there and take positions; refuses the message if one does not. */
static bool find_joints(FilCommands* commands, const Trajectory* message, FilCommandJoint* joints)
{
    const FilWorld* world = commands->simulation->world;
    for (size_t k = 0; k < message->joint_names.size; k++) {
        const char* name = message->joint_names.data[k].data;
        if (!fil_command_find_joint(commands, "joint_trajectory", name, &joints[k])) {
            return false;
        }
        const unsigned modes = fil_robot_joint_modes(world, joints[k].robot, joints[k].index);
        if (fil_robot_joint_mimics(world, joints[k].robot, joints[k].index) || (modes != 0 && (modes & FIL_JOINT_POSITION) == 0)) {
            FIL_REFUSE(commands, "joint_trajectory: joint '%s' takes no positions", fil_shown(name).text);
            return false;
        }
        for (size_t i = 0; i < k; i++) {
            if (joints[i].robot.index == joints[k].robot.index && joints[i].index == joints[k].index) {
                FIL_REFUSE(commands, "joint_trajectory: joint '%s' is named twice", fil_shown(name).text);
                return false;
            }
        }
    }
    return true;
}

/* ---- what is followed ---- */

/* copies a row of the message into a track's table; both may be without it */
static void copy_row(double* to, const rosidl_runtime_c__double__Sequence* from, const size_t* columns, int count)
{
    for (int c = 0; c < count && to != NULL; c++) {
        to[c] = from->data[columns[c]];
    }
}

/* the columns of one robot's joints; a stamp of zero starts now */
static void fill_track(FilTrack* track, const Trajectory* message, const FilCommandJoint* joints, size_t* columns, double now)
{
    int count = 0;
    for (size_t k = 0; k < message->joint_names.size; k++) {
        if (joints[k].robot.index == track->robot.index) {
            track->joints[count] = joints[k].index;
            columns[count++] = k;
        }
    }
    for (size_t i = 0; i < message->points.size; i++) {
        const Point* point = &message->points.data[i];
        const size_t row = i * (size_t)count;
        track->times[i] = fil_trajectory_seconds(point->time_from_start);
        copy_row(track->positions + row, &point->positions, columns, count);
        copy_row(track->velocities != NULL ? track->velocities + row : NULL, &point->velocities, columns, count);
        copy_row(track->accelerations != NULL ? track->accelerations + row : NULL, &point->accelerations, columns, count);
        copy_row(track->efforts != NULL ? track->efforts + row : NULL, &point->effort, columns, count);
    }
    track->start = fil_trajectory_start(message, now);
}

/* a message without points ends what its joints follow: they hold what they are commanded now */
static void hold(FilCommands* commands, const FilCommandJoint* joints, size_t count)
{
    FilWorld* world = commands->simulation->world;
    for (size_t k = 0; k < count; k++) {
        FilJointCommand command = fil_robot_joint_command(world, joints[k].robot, joints[k].index);
        command = (FilJointCommand){.mode = FIL_JOINT_POSITION, .position = command.position};
        fil_command_done(commands, "joint_trajectory", fil_robot_set_joint_command(world, joints[k].robot, joints[k].index, &command));
    }
}

/* one trajectory for a robot that has joints in the message */
static void follow(FilCommands* commands, const Trajectory* message, const FilCommandJoint* joints, FilId robot)
{
    const FilWorld* world = commands->simulation->world;
    const size_t count = message->joint_names.size;
    const Point* first = &message->points.data[0];
    int named = 0;
    for (size_t k = 0; k < count; k++) {
        named += joints[k].robot.index == robot.index;
    }
    FilTrack track;
    size_t* columns = calloc(count, sizeof *columns);
    if (named > 0 && columns != NULL && message->points.size < INT32_MAX &&
        fil_track_init(&track, named, (int)message->points.size, first->velocities.size > 0, first->accelerations.size > 0, first->effort.size > 0)) {
        track.robot = robot;
        fill_track(&track, message, joints, columns, fil_world_time(world));
        fil_command_done(commands, "joint_trajectory", fil_tracks_take(&commands->tracks, commands->simulation, &track));
    } else if (named > 0) {
        FIL_REFUSE(commands, "joint_trajectory: out of memory");
    }
    free(columns);
}

static void apply_trajectory(FilCommands* commands, const void* received)
{
    const Trajectory* message = received;
    const FilWorld* world = commands->simulation->world;
    const size_t count = message->joint_names.size;
    FilCommandJoint* joints = calloc(count + 1, sizeof *joints);
    if (joints == NULL || count == 0) {
        FIL_REFUSE(commands, "joint_trajectory: %s", joints == NULL ? "out of memory" : "no joints are named");
    } else if (!find_joints(commands, message, joints) || !fil_trajectory_check(commands, "joint_trajectory", message)) {
        // refused, and reported
    } else if (message->points.size == 0) {
        hold(commands, joints, count);
    } else {
        for (int i = 0; i < fil_world_robot_count(world); i++) {
            follow(commands, message, joints, fil_world_robot_at(world, i));
        }
    }
    free(joints);
}

FIL_MESSAGE_FUNCTIONS(trajectory_msgs, JointTrajectory)

const FilCommandTopic fil_trajectory_commands = {
    .topic = {"joint_trajectory", 100, false, "trajectory_msgs/msg/JointTrajectory", type_of_JointTrajectory},
    .message = {sizeof(trajectory_msgs__msg__JointTrajectory), init_JointTrajectory, fini_JointTrajectory},
    .apply = apply_trajectory,
};
