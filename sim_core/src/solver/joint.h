/* Joints: holonomic constraints between bodies (P3 eq. 3), three equations for the point and three for the orientation. */
#ifndef FILUM_SOLVER_JOINT_H
#define FILUM_SOLVER_JOINT_H

#include "body/system.h"
#include "filum/rigid.h"

typedef struct FilJoint {
    char* name;
    FilJointKind kind;
    FilBodySide side[2];
    double stiffness, damping;                    /* 0, 0: rigid */
    double angular_stiffness[3], angular_damping; /* about the axes of side 0's frame; all 0: rigid */
    int first_constraint;                         /* in the last problem, -1 if none */
    double force[3], torque[3];                   /* on side 1, last step */
} FilJoint;

typedef struct FilJoints {
    int count, capacity;
    FilJoint* items;
} FilJoints;

struct FilSolver;

void fil_joints_free(FilJoints* joints);

/* Where a side's frame is in the current state; of a point: there, with the world's axes. */
void fil_joint_side_pose(const FilSystem* system, const FilBodySide* side, FilPose* pose);

/* How many constraints the joints make at most. */
int fil_joints_constraints(const struct FilSolver* solver);

/* Appends the joints' constraints and Jacobian rows to the contact stage. */
FIL_MUST_CHECK FilStatus fil_joints_add(struct FilSolver* solver);

/* Forces and torques from the impulses found. */
void fil_joints_collect(struct FilSolver* solver, double dt);

#endif
