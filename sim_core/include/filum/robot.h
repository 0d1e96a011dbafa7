/* Robots: trees of rigid links moved by joints, made from definitions or from URDF. docs/arms.md has the model.
 *
 * Links are objects of the world like rods and rigid bodies: their ids serve in joints (which fix rods, bodies and soft
 * arms to them), in pairs of surfaces, in FIL_DRIVE_FORCE and FIL_DRIVE_TORQUE, and contacts name them. */
#ifndef FILUM_ROBOT_H
#define FILUM_ROBOT_H

#include "filum/base.h"
#include "filum/contact.h"
#include "filum/joint.h"
#include "filum/rigid.h"

FIL_API_BEGIN

/* What a joint of a robot leaves free. */
typedef enum FilRobotJointType {
    FIL_ROBOT_FIXED,
    FIL_ROBOT_REVOLUTE,   /* turns about its axis between its limits */
    FIL_ROBOT_CONTINUOUS, /* turns without limits */
    FIL_ROBOT_PRISMATIC,  /* slides along its axis between its limits */
    FIL_ROBOT_BALL,       /* turns freely */
    FIL_ROBOT_FLOATING,   /* moves freely */
} FilRobotJointType;

/* A link. Pointers are borrowed for the call only. */
typedef struct FilLinkDef {
    const char* name;          /* unique in the robot */
    double mass;               /* kg */
    FilVec3 center_of_mass;    /* m, link frame */
    double inertia[6];         /* kg m^2 about the centre of mass, link axes: xx, yy, zz, xy, xz, yz */
    const FilShapeDef* shapes; /* that collide, link frame */
    int shape_count;
} FilLinkDef;

/* Numbers of a joint that turns or slides; efforts are N m or N, positions rad or m. */
typedef struct FilRobotJointDef {
    const char* name; /* unique in the robot */
    FilRobotJointType type;
    int parent, child;                     /* links */
    FilVec3 position;                      /* m, of the child's frame in the parent's when the joint is at zero */
    FilQuat orientation;                   /* unit, likewise */
    FilVec3 axis;                          /* child frame; any length but zero */
    double lower, upper;                   /* limits; -INFINITY and INFINITY: none */
    double limit_stiffness, limit_damping; /* of the limits; stiffness INFINITY: as rigid as a step can resolve */
    double max_effort;                     /* of the actuator; INFINITY: no bound */
    double max_velocity;                   /* that commands may ask for; INFINITY: no bound */
    double damping;                        /* effort per velocity */
    double friction;                       /* dry, effort */
    double armature;                       /* kg m^2 or kg: inertia of the drive, seen at the joint */
    double stiffness_gain, damping_gain;   /* of POSITION, the latter of VELOCITY too; both 0: critically damped for the
                                              inertia at the start, 10 Hz or more, full effort within 0.05 rad or m */
    int mimic;                             /* another joint that it follows, multiplier * position + offset; -1: none */
    double multiplier, offset;             /* of what it follows */
    unsigned modes;                        /* FilJointMode bits that commands may use; it starts in the first of them, holding what it has.
                                              0: passive until commanded, and then by any */
    double start_position, start_velocity; /* rad or m, rad/s or m/s */
} FilRobotJointDef;

FilLinkDef fil_link_def_default(void);
FilRobotJointDef fil_robot_joint_def_default(void);

/* Pointers are borrowed for the call only. */
typedef struct FilRobotDef {
    const char* name;   /* unique among robots; NULL gets "robot<k>" */
    const char* prefix; /* in front of the names of links and joints; NULL: none */
    FilVec3 position;   /* m, of the root link, at the start if it floats */
    FilQuat orientation;
    bool floating; /* the root is free to move; false: it is fixed to the world */
    const FilLinkDef* links;
    int link_count;
    const FilRobotJointDef* joints; /* one less than links: a tree */
    int joint_count;
    FilCollision collision;  /* of all links; `self`: with each other, but for neighbours in the tree and what overlaps at the start */
    int trajectory_points;   /* most points that a trajectory can have */
    const char* description; /* text for those who draw the robot; NULL: none */
    const char* ignored;     /* what of it has no effect, for fil_robot_ignored(); NULL: nothing */
} FilRobotDef;

FilRobotDef fil_robot_def_default(void);

/* Refuses what is no tree, has no inertia where it must, or numbers out of range; the message names link or joint. */
FIL_MUST_CHECK FilStatus fil_world_add_robot(FilWorld* world, const FilRobotDef* def, FilId* robot);

int fil_world_robot_count(const FilWorld* world);
FilId fil_world_robot_at(const FilWorld* world, int index);
FilId fil_world_find_robot(const FilWorld* world, const char* name); /* null id if there is none */

const char* fil_robot_name(const FilWorld* world, FilId robot);
const char* fil_robot_description(const FilWorld* world, FilId robot); /* URDF with the prefix put in; or NULL */
const char* fil_robot_ignored(const FilWorld* world, FilId robot);     /* elements of the URDF that have no effect here,
                                                                         each once, separated by ", "; or "" */

/* ---- links: the root first, parents before children ---- */

int fil_robot_link_count(const FilWorld* world, FilId robot);
FilId fil_robot_link(const FilWorld* world, FilId robot, int link);            /* as an object of the world */
FilId fil_world_find_link(const FilWorld* world, const char* name);            /* with its prefix; null if there is none */
const char* fil_robot_link_name(const FilWorld* world, FilId robot, int link); /* with the prefix */
int fil_robot_link_parent(const FilWorld* world, FilId robot, int link);       /* -1 of the root */
bool fil_robot_link_fixed(const FilWorld* world, FilId robot, int link);       /* to its parent; the root: to the world */
void fil_robot_link_pose(const FilWorld* world, FilId robot, int link, FilVec3* position, FilQuat* orientation); /* of the link frame */
void fil_robot_link_velocity(const FilWorld* world, FilId robot, int link, FilVec3* velocity, FilVec3* angular); /* of the link frame's origin */
void fil_link_pose(const FilWorld* world, FilId link, FilVec3* position, FilQuat* orientation);                  /* by the link's id */
void fil_link_velocity(const FilWorld* world, FilId link, FilVec3* velocity, FilVec3* angular);                  /* by the link's id */
int fil_robot_shape_count(const FilWorld* world, FilId robot, int link);
FilShapeDef fil_robot_shape(const FilWorld* world, FilId robot, int link, int shape); /* as fil_rigid_shape() */

/* ---- joints that turn or slide, in the order of their links ---- */

int fil_robot_joint_count(const FilWorld* world, FilId robot);
const char* fil_robot_joint_name(const FilWorld* world, FilId robot, int joint);    /* with the prefix */
int fil_robot_find_joint(const FilWorld* world, FilId robot, const char* name);     /* -1 if there is none */
double fil_robot_joint_max_velocity(const FilWorld* world, FilId robot, int joint); /* INFINITY: no bound */
/* -INFINITY and INFINITY: none; NaN if refused */
void fil_robot_joint_limits(const FilWorld* world, FilId robot, int joint, double* lower, double* upper);
bool fil_robot_joint_slides(const FilWorld* world, FilId robot, int joint);    /* along its axis, in m; else it turns */
int fil_robot_joint_link(const FilWorld* world, FilId robot, int joint);       /* that it moves; -1 if refused */
unsigned fil_robot_joint_modes(const FilWorld* world, FilId robot, int joint); /* that commands may use; 0: any */
bool fil_robot_joint_mimics(const FilWorld* world, FilId robot, int joint);    /* follows another, takes no command */
/* Effort per position and per velocity of its actuator; NaN if refused. */
void fil_robot_joint_gains(const FilWorld* world, FilId robot, int joint, double* stiffness, double* damping);

/* Where a joint of a robot is, how it moves and what drives it. */
typedef struct FilJointState {
    double position; /* rad or m */
    double velocity; /* rad/s or m/s */
    double effort;   /* N m or N, of the actuator in the last step */
} FilJointState;

/* At the current state. Setting it moves the robot at once, between steps; what is joined to it does not follow until the next one. */
FilJointState fil_robot_joint_state(const FilWorld* world, FilId robot, int joint);
FIL_MUST_CHECK FilStatus fil_robot_set_joint_state(FilWorld* world, FilId robot, int joint, double position, double velocity);
/* A floating root. */
FIL_MUST_CHECK FilStatus fil_robot_set_base(FilWorld* world, FilId robot, FilVec3 position, FilQuat orientation, FilVec3 velocity, FilVec3 angular);

/* ---- kinematics of joint positions that the robot need not have ---- */

/* Pose that a link would have with these positions of all joints. */
void fil_robot_place_link(const FilWorld* world, FilId robot, int link, const double* positions, FilVec3* position, FilQuat* orientation);

/* Pointers are borrowed for the call only. */
typedef struct FilReachDef {
    int link;         /* that is to get there */
    FilVec3 position; /* m, world, of the link's frame */
    FilQuat orientation;
    const int* joints; /* that may move; NULL: all between root and link */
    int joint_count;
    const double* posture; /* positions of all joints to stay near where the pose leaves a choice; NULL: none */
    double posture_share;  /* 0 to 1: how much of the way to it is gone in this call */
    double tolerance;      /* m and rad together */
    int max_iterations;    /* refused beyond */
} FilReachDef;

FilReachDef fil_reach_def_default(void);

/* Joint positions that bring a link to a pose, by damped least squares from `positions` (of all joints), within the
 * joints' limits. On success they stand in `positions`; the robot itself does not move. Refuses, with the distance that
 * remains, what is out of reach. Allocates. */
FIL_MUST_CHECK FilStatus fil_robot_reach(FilWorld* world, FilId robot, const FilReachDef* def, double* positions);

/* A motion of a link for a short time. Pointers are borrowed for the call only. */
typedef struct FilLinkMotionDef {
    int link;          /* that moves */
    FilVec3 velocity;  /* m/s, world, of the link's origin */
    FilVec3 angular;   /* rad/s, world */
    const int* joints; /* that may move; NULL: all between root and link */
    int joint_count;
    double damping; /* m/rad: where a joint moves the link by less than this per rad, it is spared */
    double period;  /* s */
} FilLinkMotionDef;

FilLinkMotionDef fil_link_motion_def_default(void);

/* Differential inverse kinematics: moves `positions` (of all joints) on by the period so that the link moves as wanted,
 * by damped least squares. Joints stop at their limits, the others take over what they can; where a joint would be
 * faster than it may, all are slowed alike. The robot itself does not move. Allocates. */
FIL_MUST_CHECK FilStatus fil_robot_move_link(FilWorld* world, FilId robot, const FilLinkMotionDef* def, double* positions);

/* Inverse dynamics M(q) a + c(q, v) - g(q), armature included, without damping, friction and loads: the efforts of all joints
 * that give `accelerations` at `positions` and `velocities` (each of all joints; NULL: zero, or for positions those of now)
 * where the base keeps its velocity. `gravity` false leaves g out. Allocates. */
FIL_MUST_CHECK FilStatus fil_robot_inverse_dynamics(FilWorld* world, FilId robot, const double* positions, const double* velocities,
                                                    const double* accelerations, bool gravity, double* efforts);

/* ---- commands: they hold from the next step on, and are part of the state ---- */

/* POSITION uses all three numbers, VELOCITY the last two, EFFORT the last: what is not a target is added on top. The
 * sum stays within the joint's effort. */
typedef struct FilJointCommand {
    FilJointMode mode;
    double position, velocity, effort; /* rad or m, rad/s or m/s, N m or N */
} FilJointCommand;

/* Refuses NaN and Inf, modes that the joint does not take, joints that mimic. Ends a trajectory of this joint. */
FIL_MUST_CHECK FilStatus fil_robot_set_joint_command(FilWorld* world, FilId robot, int joint, const FilJointCommand* command);
FilJointCommand fil_robot_joint_command(const FilWorld* world, FilId robot, int joint); /* at the current time */

/* How a trajectory goes from point to point. */
typedef enum FilInterpolation {
    FIL_INTERPOLATE_LINEAR, /* straight between points */
    FIL_INTERPOLATE_SPLINE, /* cubic: with the velocities given, or else with continuous accelerations, at rest at
                               both ends */
} FilInterpolation;

/* Pointers are borrowed for the call only. */
typedef struct FilTrajectoryDef {
    const int* joints; /* NULL: all that take commands */
    int joint_count;
    FilInterpolation interpolation;
    double start; /* s, world time that `times` count from */
    int point_count;
    const double* times;      /* s, increasing */
    const double* positions;  /* joint_count per point */
    const double* velocities; /* likewise; NULL: none */
    const double* efforts;    /* likewise, N or N m on top, straight between points; NULL: none */
    bool open;                /* more is to come: joints go on from the last point with the velocity that they have there, rather than stop */
} FilTrajectoryDef;

FilTrajectoryDef fil_trajectory_def_default(void);

/* Joints follow the points by POSITION, with the efforts on top; from where they are commanded to be now until the first point, and hold the
 * last one, unless it is open. Replaces the robot's trajectory; joints that had one and are not in this one hold where it has them. */
FIL_MUST_CHECK FilStatus fil_robot_set_trajectory(FilWorld* world, FilId robot, const FilTrajectoryDef* def);
/* s until the last point; 0 if there is none or it is over. */
double fil_robot_trajectory_left(const FilWorld* world, FilId robot);
int fil_robot_trajectory_room(const FilWorld* world, FilId robot);           /* most points that one can have; 0 if refused */
bool fil_robot_joint_follows(const FilWorld* world, FilId robot, int joint); /* the trajectory: no command has ended that */

FIL_API_END

#endif
