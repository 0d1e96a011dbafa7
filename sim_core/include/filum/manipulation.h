/* Planning through contact for robots, soft arms and rigid bodies: how what is driven moves what is not. docs/planning.md has the method. */
#ifndef FILUM_MANIPULATION_H
#define FILUM_MANIPULATION_H

#include "filum/plan.h"
#include "filum/world.h"

FIL_API_BEGIN

enum { FIL_MANIPULATION_CONTACTS = 16 };

/* Where two objects may touch, which is nowhere else. A ball, or a corner, against a face. */
typedef struct FilManipulationContact {
    FilId ball; /* a dynamic rigid body or a robot's link: its first sphere, or the corners of its first box; a soft arm: a disk, as the ball of its
                   radius about its centre */
    FilId face; /* a rigid body or a robot's link: its first half-space, box or cylinder (the round side) */
    int disk;   /* of a soft arm; -1: its last */
    int side;   /* of a box: 0 to 5 for -x, x, -y, y, -z, z; -1: the one that is nearest at the start */
    int nearest; /* of a box's corners: so many, those nearest at the start; 1 to 8 */
    double friction;    /* 0: that of the surfaces; negative: none */
    double least_force; /* N; above zero the contact must last */
} FilManipulationContact;

enum { FIL_MANIPULATION_VIAS = 8 };

/* Where the body or the joint of a goal is to be on its way. */
typedef struct FilManipulationVia {
    double time;                /* s after the start; the end of the stage nearest to it counts */
    FilVec3 position, rotation; /* as those of the goal */
    double angle;
    double within[2]; /* m and rad */
} FilManipulationVia;

/* Where a body or a joint is to end. */
typedef struct FilManipulationGoal {
    FilId body;       /* null: none */
    FilVec3 position; /* m, by how much its centre of mass is to move */
    FilVec3 rotation; /* rad, by what it is to turn: a vector along the axis, world frame, shorter than pi */
    FilId robot;      /* null: none */
    int joint;
    double angle;     /* rad or m, that the joint is to have */
    double within[2]; /* m and rad, how far from there it may end */
    double speed;     /* m/s and rad/s, at most, at the end */
    FilManipulationVia vias[FIL_MANIPULATION_VIAS]; /* in order of time */
    int via_count;
} FilManipulationGoal;

typedef struct FilManipulationDef {
    FilManipulationContact contacts[FIL_MANIPULATION_CONTACTS];
    int contact_count;
    FilManipulationGoal goal;
    double horizon; /* s */
    int nodes;      /* stages of implicit Euler */
    int directions; /* of friction: 4, 6 or 8; 0: a cone */
    /* weights: of the squared distance to the goal all along, and at the end; of squared efforts, of squared changes of all rates from stage
     * to stage, of squared normal forces (which chooses among the ways to share a load) */
    double goal_weight, end_weight, effort_weight, rate_weight, force_weight;
    double normal_force, slip, speed; /* N, m/s, m/s or rad/s of any coordinate: the largest */
    double effort;                    /* N or N m of a drive that names no bound */
    double elongation[2];             /* m, of a soft arm's coordinates */
    double relaxation[2], relaxation_fall, tolerance; /* as in FilPlanDef; products in units of usual sizes */
    int max_iterations, meshes;
    bool (*report)(void* user, const FilPlanReport* report); /* called once an iteration; false cancels. May be NULL */
    void* user;
} FilManipulationDef;

FilManipulationContact fil_manipulation_contact_default(void);
FilManipulationDef fil_manipulation_def_default(void);

typedef struct FilManipulationInfo {
    FilPlanVerdict verdict;
    int iterations, stages, coordinates, points; /* points: balls and corners that may touch */
    double cost, violation, gap_pair, slip_pair, penetration; /* as in FilPlanInfo */
    double miss, turn_miss; /* m and rad, between end and goal, of a joint in its own unit */
    char reason[192];       /* a sentence on what is not met; empty where all is */
} FilManipulationInfo;

typedef struct FilManipulationPlan FilManipulationPlan;

/* Plans from the world's present state, at rest, which it does not change: every robot, soft arm and dynamic rigid body that a contact names takes
 * part. Driven are the chambers of arms and all joints of robots but those of effort 0. FIL_BAD_INPUT says what cannot be planned, FIL_OK
 * gives the best motion found, whatever its verdict. Allocates. */
FIL_MUST_CHECK FilStatus fil_manipulation_solve(const FilWorld* world, const FilManipulationDef* def, FilManipulationPlan** plan, FilError* error);
void fil_manipulation_destroy(FilManipulationPlan* plan);
FilManipulationInfo fil_manipulation_info(const FilManipulationPlan* plan);

/* Coordinates at the end of a stage, in the order of the objects as the contacts name them: joints, chambers, or a body's move (m) and its three
 * angles. */
void fil_manipulation_coordinates(const FilManipulationPlan* plan, int stage, double* coordinates);

/* How a world follows a plan: by its efforts alone, or by positions with the joints' own gains and the efforts on top (joints only). */
typedef enum FilFollowing { FIL_FOLLOW_EFFORTS, FIL_FOLLOW_POSITIONS } FilFollowing;

/* Once before each step of a world that holds the same objects: sets joints' commands and arms' pressures for a time (s) after the plan's
 * start. */
FIL_MUST_CHECK FilStatus fil_manipulation_follow(const FilManipulationPlan* plan, FilWorld* world, double time, FilFollowing following);

/* How far the world is from the goal: m and rad, as in FilManipulationInfo. */
void fil_manipulation_miss(const FilManipulationPlan* plan, const FilWorld* world, double* miss, double* turn_miss);

FIL_API_END

#endif
