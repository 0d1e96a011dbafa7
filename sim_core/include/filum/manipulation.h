/* Tasks of planning through contact for robots, soft arms and rigid bodies: how what is driven is to move what is not (filum/plan.h plans). */
#ifndef FILUM_MANIPULATION_H
#define FILUM_MANIPULATION_H

#include "filum/world.h"

FIL_API_BEGIN

/* Contacts that a manipulation can have. */
enum { FIL_MANIPULATION_CONTACTS = 16 };

/* Where two objects may touch, which is nowhere else. A ball, or a corner, against a face. */
typedef struct FilManipulationContact {
    FilId ball;  /* a dynamic rigid body or a robot's link: its first sphere, or the corners of its first box; a soft arm: a disk, as the ball of its
                    radius about its centre */
    FilId face;  /* a rigid body or a robot's link: its first half-space, box or cylinder (the round side) */
    int disk;    /* of a soft arm; -1: its last */
    int side;    /* of a box: 0 to 5 for -x, x, -y, y, -z, z; -1: the one that is nearest at the start */
    int nearest; /* of a box's corners: so many, those nearest at the start; 1 to 8 */
    double friction;  /* 0: that of the surfaces; negative: none */
    double min_force; /* N; above zero the contact must last */
} FilManipulationContact;

/* Places on the way that a goal can have. */
enum { FIL_MANIPULATION_VIAS = 8 };

/* Where the body or the joint of a goal is to be on its way. */
typedef struct FilManipulationVia {
    double time;                /* s after the start; the end of the stage nearest to it counts */
    FilVec3 position, rotation; /* as those of the goal */
    double angle;               /* rad or m, of the joint */
    double within[2];           /* m and rad */
} FilManipulationVia;

/* Where a body or a joint is to end. */
typedef struct FilManipulationGoal {
    FilId body;                                     /* null: none */
    FilVec3 position;                               /* m, by how much its centre of mass is to move */
    FilVec3 rotation;                               /* rad, by what it is to turn: a vector along the axis, world frame, shorter than pi */
    FilId robot;                                    /* null: none */
    int joint;                                      /* of the robot */
    double angle;                                   /* rad or m, that the joint is to have */
    double within[2];                               /* m and rad, how far from there it may end */
    double speed;                                   /* m/s and rad/s, at most, at the end */
    FilManipulationVia vias[FIL_MANIPULATION_VIAS]; /* in order of time */
    int via_count;
} FilManipulationGoal;

/* What robots, soft arms and bodies are to do: the task of a plan of kind FIL_PLAN_MANIPULATION. Driven are the chambers of arms and all joints of
 * robots but those of effort 0; every robot, soft arm and dynamic rigid body that a contact names takes part, at rest at the start. */
typedef struct FilManipulationTask {
    FilManipulationContact contacts[FIL_MANIPULATION_CONTACTS];
    int contact_count;
    FilManipulationGoal goal;
    int directions; /* of friction: 4, 6 or 8; 0: a cone */
    /* weights: of the squared distance to the goal all along, and at the end; of squared efforts, of squared changes of all rates from stage
     * to stage, of squared normal forces (which chooses among the ways to share a load) */
    double goal_weight, end_weight, effort_weight, rate_weight, force_weight;
    double normal_force, slip, speed; /* N, m/s, m/s or rad/s of any coordinate: the largest */
    double effort;                    /* N or N m of a drive that names no bound */
    double elongation[2];             /* m, of a soft arm's coordinates */
} FilManipulationTask;

FilManipulationContact fil_manipulation_contact_default(void);

FIL_API_END

#endif
