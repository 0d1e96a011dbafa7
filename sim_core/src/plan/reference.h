/* A plan as a smooth motion: what arm, ball and contact do at any time between its nodes.
 *
 * A stage of implicit Euler, M (v_k - v_{k-1}) = h F_k and l_k = l_{k-1} + h v_k, is met exactly by a motion whose velocity is v_k
 * in the middle of stage k and linear from middle to middle: places at the nodes are the plan's within h (v_{k+1} - v_k)/8,
 * and the force F_{k+1} acts from the middle of stage k to that of stage k+1. So the plan's forces run half a stage ahead of
 * its time; a plan that begins at rest would have to begin before its start, and its first stage would need twice its force. `delay`
 * lets such a plan begin half a stage late; it catches up linearly until its end.
 * Where the plan touches at both ends the motion is brought back on the ball: interpolation leaves it by
 * some um. Efforts and friction follow by the equations of motion (inverse dynamics); the normal force is the plan's. */
#ifndef FILUM_PLAN_REFERENCE_H
#define FILUM_PLAN_REFERENCE_H

#include "plan/ball_plan.h"

/* Room for one stage: four sections and 16 directions make 80, 50 and 32 (ball_layout.c). */
enum { FIL_STAGE_VARIABLES = 96, FIL_STAGE_ROWS = 64, FIL_STAGE_CARRIED = 40 };

/* One instant. */
typedef struct FilReference {
    double l[FIL_PLAN_SHAPES], v[FIL_PLAN_SHAPES]; /* m, m/s */
    double q[4], w[3];                             /* the ball's orientation and spin */
    double force[3];                               /* N, on the ball, along the disk's axes: friction, friction, normal */
    double slip;                                   /* m/s, of the plan's stage; 0: it sticks */
    double tau[FIL_PLAN_SHAPES];                   /* N, that the equations of motion ask for */
} FilReference;

/* Rows of one step with their derivatives by the stage's variables. */
typedef struct FilStepRows {
    double row[FIL_STAGE_ROWS];
    double own[FIL_STAGE_ROWS * FIL_STAGE_VARIABLES]; /* by columns, as a stage has them */
    double before[FIL_STAGE_ROWS * FIL_STAGE_CARRIED];
    double cost_own[FIL_STAGE_VARIABLES], cost_before[FIL_STAGE_CARRIED];
} FilStepRows;

/* A step of length h from the velocities v0, w0 to the instant `to`, with its force and efforts; by FIL_PLAN_VALUES the rows alone. */
void fil_step_rows(const FilBallTurn* turn, double h, const double* v0, const double* w0, const FilReference* to, FilPlanOrder order,
                   FilStepRows* out);

/* The plan `x` at a time (s) from its start, within its horizon; `delay` is 0 or, for plans that begin at rest, 1/2 of a stage. */
void fil_reference_at(const FilPlanMesh* mesh, const double* x, double delay, double time, FilReference* out);

#endif
