/* What trajectories of joints and of chambers share: their times, and what is refused of them. */
#ifndef FILUM_NODE_TRAJECTORY_PARTS_H
#define FILUM_NODE_TRAJECTORY_PARTS_H

#include "command_parts.h"
#include "trajectory_msgs/msg/joint_trajectory.h"

double fil_trajectory_seconds(builtin_interfaces__msg__Duration duration);

/* s of simulated time at which it starts: its stamp, or now if that is zero. */
double fil_trajectory_start(const trajectory_msgs__msg__JointTrajectory* message, double now);

/* Whether all points are complete and in order; refuses them if not. */
bool fil_trajectory_check(FilCommands* commands, const char* topic, const trajectory_msgs__msg__JointTrajectory* message);

#endif
