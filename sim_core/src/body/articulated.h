/* The body kind "robot": a tree of links in joint coordinates.
 *
 * Links that are fixed to each other make one moving body. Its joint has 1 (revolute, prismatic), 3 (ball) or 6
 * (floating) unknowns: rates of the coordinate, the angular velocity in the child's frame, or the velocity of the
 * child's origin in the parent's frame followed by that. q holds the coordinate, a quaternion, or a position and a
 * quaternion. Unknowns stand in depth-first order, so that those of a chain are neighbours; some idle ones follow, to
 * make blocks of four. h holds commands and the trajectory (articulated_command.c).
 *
 * Spatial vectors are in world axes about one point, the first moving body's origin: motion (angular, linear), force
 * (torque, force). The mass matrix has an entry for a pair of unknowns only where one is above the other in the tree;
 * its rows are stored by depth: row k has the entries with the unknowns from the tree's foot up to k itself. */
#ifndef FILUM_BODY_ARTICULATED_H
#define FILUM_BODY_ARTICULATED_H

#include "body/body.h"
#include "body/rigid_shape.h"
#include "body/spatial.h"
#include "filum/robot.h"

/* As many as the Jacobian of one point can have. */
enum { FIL_ROBOT_UNKNOWNS = 4 * FIL_JACOBIAN_BLOCKS };

/* A moving body and its joint. */
typedef struct FilTreeBody {
    int parent; /* body, -1: the world */
    FilRobotJointType type;
    int q, v, dofs;                     /* its coordinates and unknowns */
    FilPose rest;                       /* of the joint's frame in the parent's */
    double axis[3];                     /* unit, joint frame */
    double mass, center[3], inertia[9]; /* body frame; inertia about the centre of mass */
    double armature, damping;           /* of each of its unknowns */
} FilTreeBody;

typedef struct FilTreeLink {
    char* name;   /* with the prefix */
    int parent;   /* link */
    bool fixed;   /* to its parent */
    int body;     /* that it is part of, -1: the world */
    FilPose pose; /* in that body's frame */
    int first_shape, shape_count;
    double reach; /* m, of its shapes from its origin */
} FilTreeLink;

/* A joint that turns or slides. */
typedef struct FilTreeJoint {
    char* name; /* with the prefix */
    int link, body;
    FilRobotJointDef def; /* numbers of it; gains filled in, names and links of the definition gone */
    int mimic;            /* joint, -1: none */
} FilTreeJoint;

/* One scalar constraint in force in this step; what it is tells where its impulse goes. */
typedef enum FilJointPart { FIL_PART_ACTUATOR, FIL_PART_LOWER, FIL_PART_UPPER, FIL_PART_FRICTION, FIL_PART_MIMIC } FilJointPart;

typedef struct FilJointConstraint {
    int joint;
    FilJointPart part;
} FilJointConstraint;

typedef struct FilArticulated {
    /* constant */
    int body_count, link_count, joint_count, shape_count;
    int q_count, dof_count, v_count; /* v_count with idle unknowns */
    FilTreeBody* bodies;
    FilTreeLink* links;
    FilTreeJoint* joints;
    FilRigidShape* shapes;
    int* shape_link;
    int *dof_parent, *dof_body; /* of each unknown */
    int* depth;                 /* how many unknowns are below it */
    int* row;                   /* where its row of the mass matrix starts */
    int* below;                 /* rows of unknowns: from the foot up to itself */
    int entry_count;
    double *armature, *damping; /* of each unknown */
    double *start_q, *start_v;
    FilCollision collision;
    int trajectory_points;
    char *description, *ignored;
    /* blocks of the tangent: where block (row, column) stands, -1: nowhere */
    int *block_at, block_count;

    /* loads, set before each step */
    double* wrench; /* 6 per link: force and torque about its origin, world frame */
    bool loaded;

    /* the step */
    FilStepSetup setup;
    const double *q0, *v0, *h0;
    double *mass, *tangent, *factor; /* entries; the factor has inverses on the diagonal */
    double *force, *v_free;          /* of bias and loads, per unknown */
    double *q_theta, *v_theta;
    FilJointCommand* target; /* of each joint in this step, effort within its bounds */
    FilJointConstraint* constraints;
    int constraint_count;
    double* effort; /* of each actuator, last step */

    /* kinematics of the configuration seen last */
    double* seen_q;
    bool seen;
    FilPose* poses;   /* of bodies */
    double* motion;   /* 6 per unknown */
    double origin[3]; /* the common point */

    /* scratch of the recursions */
    FilSpatialInertia *inertia, *composite;
    double *velocity, *acceleration, *wrenches; /* 6 per body */
    double* scratch;                            /* per unknown */

    struct FilTreeDerivative* derivative; /* articulated_derivative.c: made when first asked for */
} FilArticulated;

extern const FilBodyOps fil_articulated_ops;

FilStatus fil_articulated_create(const FilRobotDef* def, FilArticulated** robot, FilError* error);
int fil_articulated_history(const FilArticulated* robot);           /* numbers of h */
int fil_articulated_carrier(const FilArticulated* robot, int link); /* the first link that it is fixed to, or itself */

/* ---- definitions: articulated_check.c ---- */

static inline bool fil_joint_has_coordinate(FilRobotJointType type)
{
    return type == FIL_ROBOT_REVOLUTE || type == FIL_ROBOT_CONTINUOUS || type == FIL_ROBOT_PRISMATIC;
}

/* Everything but whether the joints make a tree. */
FilStatus fil_articulated_check(const FilRobotDef* def, FilError* error);
/* Links depth first from the root into `order`; the joint above each into `joint_of`, -1 of the root. */
FilStatus fil_articulated_sort(const FilRobotDef* def, int* order, int* joint_of, FilError* error);

/* ---- making: articulated_build.c ---- */

void fil_articulated_destroy(void* robot);

/* ---- kinematics and dynamics: articulated_tree.c ---- */

/* Places every body at q; remembered until another q is seen. */
void fil_articulated_place(const FilArticulated* robot, const double* q);
void fil_articulated_link_pose(const FilArticulated* robot, const double* q, int link, FilPose* pose);
/* Velocity of the link's material point at `point`, and its angular velocity. */
void fil_articulated_link_velocity(const FilArticulated* robot, const double* q, const double* v, int link, const double* point, double* velocity,
                                   double* angular);
/* q moved on by the velocities times the time; out may alias q. */
void fil_articulated_move(const FilArticulated* robot, const double* q, const double* v, double time, double* out);

/* Entries of the mass matrix, with armature (composite rigid bodies). */
void fil_articulated_mass(const FilArticulated* robot, const double* q, double* mass);
/* Generalised force that gives `acceleration` (NULL: none) under gravity and the loads, without damping (recursive
 * Newton-Euler); armature included. */
void fil_articulated_inverse(const FilArticulated* robot, const double* q, const double* v, const double* acceleration, const double* gravity,
                             double* force);
/* Mass matrix and inverse dynamics without acceleration, in one go. */
void fil_articulated_dynamics(const FilArticulated* robot, const double* q, const double* v, const double* gravity, double* mass, double* bias);
/* Acceleration under `force`. */
bool fil_articulated_forward(FilArticulated* robot, const double* q, const double* v, const double* force, const double* gravity,
                             double* acceleration);

/* L'DL of entries in place; false if not positive definite. Then x <- A^-1 x. And out = A x. */
bool fil_articulated_factor_entries(const FilArticulated* robot, double* entries);
void fil_articulated_solve_entries(const FilArticulated* robot, const double* factor, double* x);
void fil_articulated_multiply(const FilArticulated* robot, const double* entries, const double* x, double* out);

void fil_articulated_energy(const void* robot, const double* q, const double* v, const double* h, const double* gravity, FilEnergy* add_to);
void fil_articulated_momentum(const void* robot, const double* q, const double* v, const double* h, double* linear, double* angular);

/* ---- how a step varies with its start: articulated_derivative.c ---- */

extern const struct FilDerivativeOps fil_articulated_derivative_ops;

/* ---- inverse kinematics: articulated_reach.c ---- */

/* Moves q to where the link has the pose wanted; refuses with what remains. `trial` has room for q. */
FilStatus fil_articulated_reach(const FilArticulated* robot, const FilReachDef* def, double* q, double* trial, FilError* error);
/* Moves q on by the motion's period. `trial` has room for q; false where the motion cannot be found. */
bool fil_articulated_move_link(const FilArticulated* robot, const FilLinkMotionDef* def, double* q, double* trial);

/* ---- commands: articulated_command.c ---- */

void fil_articulated_init_commands(const FilArticulated* robot, double* h);
/* Commands and the trajectory to the history of another state of the same robot; as many points as there are in either, not all that there is room
 * for. */
void fil_articulated_carry_commands(const FilArticulated* robot, const double* h, double* to);
/* A joint's command under h at a time. */
FilJointCommand fil_articulated_command(const FilArticulated* robot, const double* h, int joint, double time);
void fil_articulated_set_command(const FilArticulated* robot, double* h, int joint, const FilJointCommand* command);
bool fil_articulated_follows(const double* h, int joint); /* the trajectory */
FilStatus fil_articulated_set_trajectory(const FilArticulated* robot, const double* q, double* h, const FilTrajectoryDef* def, double now,
                                         FilError* error);
double fil_articulated_trajectory_end(const FilArticulated* robot, const double* h); /* world time; -INFINITY: none */
/* Targets of the step begun, and which constraints are in force. */
void fil_articulated_aim(FilArticulated* robot);

int fil_articulated_constraint_count(const void* robot, const double* q, const double* v, const double* h);
void fil_articulated_constraint(const void* robot, int index, FilBodyConstraint* out);
void fil_articulated_constrained(void* robot, int index, double impulse);

int fil_articulated_collider_link(const FilArticulated* robot, int index); /* articulated_contact.c */

/* ---- entries of the table: articulated_step.c, articulated_contact.c ---- */

void fil_articulated_begin(void* robot, const FilStepSetup* setup, const double* q, const double* v, const double* h);
void fil_articulated_guess(const void* robot, const double* change, double* v);
bool fil_articulated_evaluate(void* robot, const double* v, double shift, double* residual, double* potential);
void fil_articulated_diagonal(const void* robot, const double* v, double* diagonal, double* scale);
bool fil_articulated_factor(void* robot);
void fil_articulated_solve(void* robot, double* x);
void fil_articulated_finish(void* robot, const double* v, double* q1, double* v1, double* h1);
int fil_articulated_tangent_pattern(void* robot, int* columns, int* rows);
void fil_articulated_tangent(void* robot, double* values);

int fil_articulated_collider_count(const void* robot);
void fil_articulated_collider(const void* robot, int index, FilCollider* out);
void fil_articulated_placement(const void* robot, int index, const double* q, const double* v, FilPlacement* out);
void fil_articulated_part(const void* robot, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose);
bool fil_articulated_joined(const void* robot, int index_a, int part_a, int index_b, int part_b);
int fil_articulated_point_jacobian(const void* robot, int index, int part, const double* point, const double* q, int* blocks, double* jacobian,
                                   double* bias);
int fil_articulated_turn_jacobian(const void* robot, int index, int part, const double* q, int* blocks, double* jacobian, double* bias);
void fil_articulated_frame(const void* robot, int index, int part, const double* q, const double* h, FilPose* pose);
int fil_articulated_place_count(const void* robot);
void fil_articulated_place_velocity(const void* robot, int place, const double* q, const double* v, double* velocity);
FilStatus fil_articulated_side(const void* robot, int object, int node, const double* q, FilBodySide* side, FilError* error);
int fil_articulated_carrier_of(const void* robot, int object);

#endif
