/* What a planner takes from a world: the arm, the ball, the task and where they are. */
#ifndef FILUM_PLAN_PLAN_WORLD_H
#define FILUM_PLAN_PLAN_WORLD_H

#include "filum/plan.h"
#include "plan/ball_plan.h"

typedef struct FilPlanStart {
    FilBallTurn turn; /* without its stages */
    FilBallBounds bounds;
    double state[2 * FIL_PLAN_SHAPES + 8]; /* before the first stage */
    double area[FIL_PLAN_SECTIONS];        /* m^2, of a chamber */
} FilPlanStart;

/* FIL_BAD_INPUT says what cannot be planned. */
FilStatus fil_plan_start_from(const FilWorld* world, const FilPlanDef* def, FilPlanStart* out, FilError* error);

#endif
