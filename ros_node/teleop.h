/* Teleoperation: somebody moves a link of a robot by twists, and closes and opens its hand. A twist is followed by differential
 * inverse kinematics, step by step in simulated time, from where the joints are commanded to be: what is commanded is the same
 * whenever the same messages come at the same steps. No ROS. */
#ifndef FILUM_NODE_TELEOP_H
#define FILUM_NODE_TELEOP_H

#include "parameters.h"
#include "view/simulation.h"

/* A link with its robot before it; joints that one pad moves: room, half of what a robot can have. */
enum { FIL_TELEOP_NAME = 128, FIL_TELEOP_JOINTS = 64 };

/* An axis of a gamepad that gives a component of the twist. */
typedef struct FilTeleopAxis {
    int index; /* -1: none */
    double sign;
} FilTeleopAxis;

/* Positions of some joints. */
typedef struct FilTeleopPosture {
    int count;
    struct {
        char name[FIL_TELEOP_NAME];
        double position; /* rad or m */
    } joints[FIL_TELEOP_JOINTS];
} FilTeleopPosture;

typedef struct FilTeleop {
    /* set by parameters; all zero: no link is named, and every command is refused */
    char link[FIL_TELEOP_NAME];                   /* that is moved */
    char frame[FIL_TELEOP_NAME];                  /* that twists without a frame of their own are in: a link, or "" for the world */
    double gain;                                  /* 1/s, of what the link is off its path */
    double damping;                               /* m/rad, of FilLinkMotionDef */
    double timeout;                               /* s of simulated time after which a command is over; 0: never */
    double linear, angular;                       /* m/s and rad/s of an axis at its end */
    FilTeleopAxis axes[6];                        /* of x, y, z and about x, y, z */
    int enable_button, close_button, open_button; /* -1: none */
    FilTeleopPosture open, closed;
    double grasp_time; /* s from open to closed */

    /* what is commanded now */
    uint64_t load_count; /* the world that it is for */
    double last_time;    /* s, the world's at the last step */
    double until;        /* s, the world's at which it is over */
    bool moves;
    FilVec3 velocity, angular_velocity; /* in its frame */
    char twist_frame[FIL_TELEOP_NAME];
    bool on_path; /* whether the two below hold */
    FilVec3 position;
    FilQuat orientation;
    bool grips; /* the hand is commanded */
    int grasp;  /* 1 closes, -1 opens, 0 holds */
} FilTeleop;

/* Sets one parameter; false with a reason if it cannot. `world` may be NULL: then names are not looked for in it. */
typedef bool (*FilTeleopParameterSet)(FilTeleop* teleop, const FilWorld* world, const FilParameterValue* value, char reason[FIL_REASON_TEXT]);
FilTeleopParameterSet fil_teleop_parameter(const char* name); /* NULL: it is none of teleoperation's */

/* From the next step on the link moves so, in the frame of a link ("": the one that is set; "world"). A twist of zero makes it hold.
 * False with a reason if it cannot. */
bool fil_teleop_move(FilTeleop* teleop, const FilSimulation* simulation, FilVec3 velocity, FilVec3 angular, const char* frame,
                     char reason[FIL_REASON_TEXT]);

/* From the next step on the hand closes (1), opens (-1) or holds (0). Without postures 0 does nothing, and the others cannot be. */
bool fil_teleop_grasp(FilTeleop* teleop, const FilSimulation* simulation, int direction, char reason[FIL_REASON_TEXT]);

/* Before each step: commands the joints. False with a reason where it cannot; then what was commanded is over. */
bool fil_teleop_follow(FilTeleop* teleop, FilSimulation* simulation, char reason[FIL_REASON_TEXT]);

#endif
