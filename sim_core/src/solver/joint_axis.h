/* The coordinate that a hinge, slider or ball leaves free: where it is, and what acts along it: limits, spring, dry friction and
 * motor, each a constraint of bounded impulse. */
#ifndef FILUM_SOLVER_JOINT_AXIS_H
#define FILUM_SOLVER_JOINT_AXIS_H

#include "solver/joint_rows.h"

/* Position with turns counted from what the history of `system`'s state knows; frames are those of the sides. */
double fil_joint_position_at(const FilSystem* system, const FilJoint* joint, const FilPose frame[2], FilJointCoordinate coordinate);

/* Appends what acts along the coordinate; `position` is its own. */
FIL_MUST_CHECK FilStatus fil_joint_add_axis(struct FilSolver* solver, FilJoint* joint, const FilPose frame[2], FilJointCoordinate coordinate,
                                            double position, double dt);

#endif
