/* What a planner of manipulation takes from a world: the forest, its contacts, bounds, the goal and the start. */
#ifndef FILUM_PLAN_MANIPULATION_WORLD_H
#define FILUM_PLAN_MANIPULATION_WORLD_H

#include "filum/manipulation.h"
#include "plan/manipulation_problem.h"

/* Objects that take part, at most: room in a struct; more are refused. */
enum { FIL_MANIPULATION_PARTS = 8 };

/* An object that takes part, and where its coordinates are. */
typedef struct FilManipulationPart {
    const void* impl; /* which object it is */
    int kind;         /* FilBodyKind */
    FilId id;         /* a body, an arm, or any link of the robot */
    char name[64];    /* its name, by which other worlds know it */
    int first_block, first, count;
    FilPose turned;                 /* of a free body: its frame seen from its last block's, whose origin is the centre of mass */
    double area[FIL_PLAN_SECTIONS]; /* m^2, of an arm's chambers */
} FilManipulationPart;

typedef struct FilManipulationStart {
    FilManipulation m; /* without its stages */
    FilManipulationBounds bounds;
    double state[2 * FIL_PLAN_COORDINATES]; /* q, v */
    FilManipulationPart parts[FIL_MANIPULATION_PARTS];
    int part_count;
    double stiffness[FIL_PLAN_COORDINATES], damping[FIL_PLAN_COORDINATES]; /* of the coordinates: gains of robots' joints */
    int driver[FIL_PLAN_COORDINATES][2];                                   /* of each drive: the part, and its joint or chamber */
    double within[2];                                                      /* m and rad, that each coordinate of the goal may miss it by */
    int goal_part, goal_coordinate;                                        /* coordinate of a joint; -1: the goal is a body's */
    double goal_position[3];                                               /* m, of the body's centre of mass */
    FilQuat goal_orientation;
} FilManipulationStart;

/* FIL_BAD_INPUT says what cannot be planned. */
FilStatus fil_manipulation_start_from(const FilWorld* world, const FilManipulationTask* task, double horizon, FilManipulationStart* out,
                                      FilError* error);

#endif
