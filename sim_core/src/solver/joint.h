/* Joints: holonomic constraints between bodies (P3 eq. 3), equations for the point and for the orientation, and what acts along
 * the one coordinate that hinges and sliders leave free. */
#ifndef FILUM_SOLVER_JOINT_H
#define FILUM_SOLVER_JOINT_H

#include "body/system.h"
#include "filum/joint.h"

/* point, three turns; or two limits, friction, spring and motor beside those of a hinge or slider */
enum { FIL_JOINT_ROWS = 9 };

/* By so much, of its sides' sizes or rad, a rigid joint may give way before it is as hard as its heavier side asks for; from 1e-3 to 2e-2 were tried.
 */
#define FIL_JOINT_DEPTH 5e-3

/* What a constraint of the last problem acts along: its impulses are of these axes, on side 1. */
typedef struct FilJointRow {
    int equations;
    double axes[9]; /* one after the other, world frame */
    bool turns;     /* torques, else forces */
} FilJointRow;

/* A further point of side 0 that keeps its place on side 1. */
typedef struct FilJointPoint {
    int point;    /* block of unknowns of the body of side 0 */
    double at[3]; /* m, in the frame of side 1's body */
} FilJointPoint;

typedef struct FilJoint {
    char* name;
    FilJointKind kind;
    FilBodySide side[2];
    FilJointPoint* points; /* beyond side 0's own */
    int point_count;
    double stiffness, damping;                    /* 0, 0: rigid; of sliders: along the axis */
    double angular_stiffness[3], angular_damping; /* about the axes of side 0's frame; all 0: rigid; of hinges and balls: the spring */
    double start, lower, upper, limit_stiffness, limit_damping, rest, friction; /* as in the definition */
    double depth;   /* m, by which its points may come apart before it is harder; 0: any */
    double hardest; /* ... and by which factor: of its sides' masses */
    FilJointMotor motor;
    double target, rate; /* of the motor, at the end of the stage, and how fast it gets there */
    int memory;          /* in the history: position where the last step began, less `start`; -1: it keeps none */

    int first_constraint; /* in the last problem, -1 if none */
    int row_count, motor_row;
    FilJointRow rows[FIL_JOINT_ROWS];
    double force[3], torque[3], effort; /* on side 1; of the motor on side 0; last step */
} FilJoint;

typedef struct FilJoints {
    int count, capacity;
    FilJoint* items;
    double ahead; /* s from the state to where rows are taken: 0, a stage of a step, or half of one */
} FilJoints;

struct FilSolver;

/* Which motions a kind leaves, as of the joint's frame, whose first axis is the joint's. */
typedef enum FilJointCoordinate {
    FIL_JOINT_NO_COORDINATE,
    FIL_JOINT_TURN,  /* about the axis */
    FIL_JOINT_SLIDE, /* along the axis */
    FIL_JOINT_SWING, /* away from the axis */
} FilJointCoordinate;

typedef struct FilJointOps {
    const char* name;
    bool springs;  /* all equations are springs */
    bool oriented; /* both sides need an orientation, and the joint an axis */
    bool motor;    /* it can have one */
    FilJointCoordinate coordinate;
    /* Appends the equations that always hold; frames are those of the sides now. */
    FilStatus (*hold)(struct FilSolver* solver, FilJoint* joint, const FilPose frame[2]);
} FilJointOps;

extern const FilJointOps fil_joint_kinds[];
extern const int fil_joint_kind_count;

void fil_joints_free(FilJoints* joints);

/* Position of a joint's coordinate, turns counted from `memory`'s; 0 without one. */
double fil_joint_measure(const FilSystem* system, const FilJoint* joint);
/* Its rate at the system's velocities. */
double fil_joint_rate(const FilSystem* system, const FilJoint* joint);

/* How many constraints the joints make at most. */
int fil_joints_constraints(const struct FilSolver* solver);

/* Appends the joints' constraints and Jacobian rows for a stage of dt to the contact stage; the next state's history learns where they are. */
FIL_MUST_CHECK FilStatus fil_joints_add(struct FilSolver* solver, double dt);

/* Forces and torques from the impulses found. */
void fil_joints_collect(struct FilSolver* solver, double dt);

#endif
