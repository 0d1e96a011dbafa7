/* Joints: holonomic constraints between rods, rigid bodies, links, arms and the world, solved with the contacts. Bodies that
 * are joined do not collide with each other, nor does what a rod is joined to with the rod's edges at the joint. */
#ifndef FILUM_JOINT_H
#define FILUM_JOINT_H

#include "filum/base.h"
#include "filum/contact.h"

FIL_API_BEGIN

/* What a joint leaves free. */
typedef enum FilJointKind {
    FIL_JOINT_PIN,     /* one point stays together */
    FIL_JOINT_WELD,    /* the point and the orientation (a rod: of its cross-section, through half an edge's stiffness) */
    FIL_JOINT_BUSHING, /* springs and dampers, linear and angular */
    FIL_JOINT_HINGE,   /* a turns about an axis of b */
    FIL_JOINT_SLIDER,  /* a moves along an axis of b and does not turn */
    FIL_JOINT_BALL,    /* a turns about a point of b: a pin with spring, friction and a cone that its axis stays in */
} FilJointKind;

/* What moves a joint. Bits, so that a robot's joint can say what it takes. */
typedef enum FilJointMode {
    FIL_JOINT_PASSIVE = 0,
    FIL_JOINT_POSITION = 1, /* a spring and damper draw it to a position that moves at a velocity */
    FIL_JOINT_VELOCITY = 2, /* a damper draws it to a velocity */
    FIL_JOINT_EFFORT = 4,   /* a force or torque */
} FilJointMode;

/* The motor of a hinge or slider. */
typedef struct FilJointMotor {
    FilJointMode mode;         /* PASSIVE: there is none */
    double target;             /* rad or m, per s, or N m or N, by its mode, unless a drive moves it */
    double stiffness, damping; /* of POSITION, the latter of VELOCITY too; all 0: as rigid as a step can resolve */
    double max_effort;         /* N m or N; INFINITY: no bound */
} FilJointMotor;

/* A joint between two objects, or one and the world. */
typedef struct FilJointDef {
    const char* name; /* unique; NULL gets "joint<k>" */
    FilJointKind kind;
    FilId a, b;          /* rods, rigid bodies, arms, links, rings or shells, not one place with itself; a null b is the world */
    int node_a, node_b;  /* of rods; vertex of shells; disk of arms, -1 the tip; negative counts from the end */
    const int* vertices; /* PIN, WELD of a solid or shell a: all its vertices that are held, instead of node_a; NULL: that one.
                          * Each keeps its place on b; force and torque are those of all, about the first. Borrowed for the call */
    int vertex_count;
    FilVec3 point;             /* m, world frame: where bodies are joined; ignored if one side is a rod, a ring or a shell, whose node,
                                * point or vertex it is. Those of rings and shells do not turn: a weld is a pin there */
    bool aligned;              /* WELD, BUSHING of rigid bodies: at rest their own axes are parallel; false: as they are now */
    double stiffness, damping; /* N/m, N s/m: bushing; spring of a slider */
    double angular_stiffness, angular_damping; /* N m/rad, N m s/rad: bushing; spring of a hinge or ball */

    /* HINGE, SLIDER and BALL, of what has an orientation: not of rods, rings and shells. Positions are rad or m, of a against b;
     * of a BALL the angle between a's and b's `axis` */
    FilVec3 axis;                          /* world frame, any length but zero; where the joint is made it is an axis of a and b */
    double start;                          /* HINGE, SLIDER: position where it is made */
    double lower, upper;                   /* limits; -INFINITY and INFINITY: none. BALL: upper only */
    double limit_stiffness, limit_damping; /* of the limits; stiffness 0: as rigid as a step can resolve */
    double rest;                           /* HINGE, SLIDER: position where the spring is at ease */
    double friction;                       /* N m or N: dry, whatever the load; BALL: about each of three axes of a */
    FilJointMotor motor;                   /* HINGE, SLIDER */
} FilJointDef;

FilJointDef fil_joint_def_default(void);
FIL_MUST_CHECK FilStatus fil_world_add_joint(FilWorld* world, const FilJointDef* def, FilId* joint);
FilId fil_world_find_joint(const FilWorld* world, const char* name);

/* What the joint did to b (to the world: what the world did to a, negated) in the last step, world frame; the torque about the
 * joint's point on a. Motors, springs, limits and friction are part of it. */
FilVec3 fil_joint_force(const FilWorld* world, FilId joint);  /* N */
FilVec3 fil_joint_torque(const FilWorld* world, FilId joint); /* N m */

/* Of a hinge or slider (a ball: its angle from the axis), of a against b: where it is, turns counted, and how fast; what its motor
 * did to a in the last step. 0 of other kinds. */
double fil_joint_position(const FilWorld* world, FilId joint); /* rad or m */
double fil_joint_velocity(const FilWorld* world, FilId joint); /* rad/s or m/s */
double fil_joint_effort(const FilWorld* world, FilId joint);   /* N m or N */

FIL_API_END

#endif
