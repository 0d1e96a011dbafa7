/* What a planner of turns takes from a world: the arm, the ball, the task and where they are. */
#ifndef FILUM_PLAN_BALL_WORLD_H
#define FILUM_PLAN_BALL_WORLD_H

#include "filum/plan.h"
#include "plan/ball_plan.h"
#include "plan/plan_channels.h"

typedef struct FilBallStart {
    FilBallTurn turn; /* without its stages */
    FilBallBounds bounds;
    double state[2 * FIL_PLAN_SHAPES + 8]; /* before the first stage */
    char body[64];                         /* the ball's name, by which other worlds know it */
} FilBallStart;

/* FIL_BAD_INPUT says what cannot be planned. */
FilStatus fil_ball_start_from(const FilWorld* world, const FilBallTask* task, FilBallStart* out, FilPlanChannels* channels, FilError* error);

#endif
