/* Rows of joints: where their sides are, how these move, and equations between them. */
#ifndef FILUM_SOLVER_JOINT_ROWS_H
#define FILUM_SOLVER_JOINT_ROWS_H

#include "contact/sap_constraint.h"
#include "solver/joint.h"

/* Where a side's frame is in the current state; of a point: there, with the world's axes. */
void fil_joint_side_pose(const FilSystem* system, const FilBodySide* side, FilPose* pose);
/* The joint's frame on each side. */
void fil_joint_frames(const FilSystem* system, const FilJoint* joint, FilPose frame[2]);

/* Velocity of side 1 against side 0 at a point, or of turning where it is NULL, in the current state. */
void fil_joint_relative_velocity(const FilSystem* system, const FilJoint* joint, const double* point, double* velocity);

/* A law without bounds: rigid if stiffness is INFINITY. */
FilSapBounded fil_joint_law(int equations, const double* error, double stiffness, double damping);

/* Appends a constraint on the velocity of side 1 against side 0 along `axes`, at a point, or of turning where it is NULL;
 * `bias` is added to each of its rows. */
FIL_MUST_CHECK FilStatus fil_joint_add_row(struct FilSolver* solver, FilJoint* joint, const double* point, const double* axes,
                                           const FilSapBounded* law, double bias);

/* The same for each of the joint's further points, which keep their places; comes after its other rows. */
FIL_MUST_CHECK FilStatus fil_joint_add_points(struct FilSolver* solver, const FilJoint* joint);
/* Adds what their impulses, 3 numbers each, do to the joint's force and torque. */
void fil_joint_collect_points(const FilSystem* system, FilJoint* joint, const double* impulses, double dt);

/* Rotation vector that takes frame a to frame b, in the world; below half a turn. */
void fil_joint_turn_between(const FilPose* a, const FilPose* b, double* turn);
/* The same for their first axes. */
void fil_joint_swing_between(const FilPose* a, const FilPose* b, double* swing);

#endif
