/* The checks of robots, by topic. */
#ifndef FILUM_TOOLS_VALIDATE_ROBOT_H
#define FILUM_TOOLS_VALIDATE_ROBOT_H

#include "validate/check.h"
#include "validate/contact_sandbox.h"

/* robot_motion.c: what moves by itself */
void fil_check_pendulum_period(FilCheck* check);
void fil_check_double_pendulum(FilCheck* check);
void fil_check_spherical_pendulum(FilCheck* check);
void fil_check_free_robot(FilCheck* check);

/* robot_joints.c: what holds and drives joints */
void fil_check_joint_gains(FilCheck* check);
void fil_check_joint_effort(FilCheck* check);
void fil_check_joint_limits(FilCheck* check);
void fil_check_joint_friction(FilCheck* check);

/* robot_grip.c: robots that touch objects */
void fil_check_gripper_hold(FilCheck* check);
void fil_check_gripper_pinch(FilCheck* check);
void fil_check_two_arms_knot(FilCheck* check);

/* A robot of config/robots, its joints set. */
FilId fil_sandbox_add_robot(FilSandbox* box, const char* urdf, const FilRobotDef* def, const FilRobotJointSetting* settings, int count);

#endif
