/* Plans how an arm turns a ball: bounds, first guesses, mesh refinement, several starts. */
#ifndef FILUM_PLAN_BALL_PLAN_H
#define FILUM_PLAN_BALL_PLAN_H

#include "plan/ball_turn.h"
#include "plan/stage_mesh.h"

typedef struct FilBallBounds {
    double elongation[2];   /* m */
    double effort;          /* N, of a coordinate, either way */
    double normal_force[2]; /* N; a lower bound above zero demands contact throughout */
    double slip;            /* m/s, the fastest slip */
    double spin[3];         /* rad/s, of the ball about each axis; 0: any */
    double target;          /* rad, between the last orientation and the target; 0: any */
} FilBallBounds;

/* `start` is the state before the first stage: l, v, q, w, f. The mesh's data is a FilBallTurn. False when out of memory. */
bool fil_ball_problem_create(const FilBallTurn* turn, const FilBallBounds* bounds, const double* start, FilPlanMesh* out);

/* A first guess: the arm stands still and holds itself, the ball turns by `share` of what it should; `noise` (m) moves the
 * arm about smoothly, different for every seed. */
void fil_ball_guess(const FilPlanMesh* mesh, double share, double noise, unsigned seed, double* x);

/* Efforts and defined variables that fit the motion of all stages: inverse dynamics. */
void fil_ball_hold(const FilPlanMesh* mesh, double* x);

/* All but `there`: what is allowed is not known here. */
FilPlanQuality fil_ball_judge(const FilPlanMesh* mesh, const double* x);

#endif
