/* Plans how an arm turns a ball: bounds, first guesses, mesh refinement, several starts. */
#ifndef FILUM_PLAN_BALL_PLAN_H
#define FILUM_PLAN_BALL_PLAN_H

#include "plan/ball_turn.h"
#include "plan/interior_point.h"

typedef struct FilBallBounds {
    double elongation[2];   /* m */
    double effort;          /* N, of a coordinate, either way */
    double normal_force[2]; /* N; a lower bound above zero demands contact throughout */
    double slip;            /* m/s, the fastest slip */
    double spin;            /* rad/s, of the ball about each axis; 0: any */
    double target;          /* rad, between the last orientation and the target; 0: any */
} FilBallBounds;

/* A stage problem with its arrays. */
typedef struct FilBallProblem {
    FilBallTurn turn;
    FilPlanProblem problem;
    double* memory;
    double* before; /* the state before the first stage, which may be changed */
    FilPlanPair* pairs;
    int* carry;
} FilBallProblem;

/* `start` is the state before the first stage: l, v, q, w, f. False when out of memory. Free with fil_ball_problem_free. */
bool fil_ball_problem_create(const FilBallTurn* turn, const FilBallBounds* bounds, const double* start,
                             FilBallProblem* out);
void fil_ball_problem_free(FilBallProblem* problem);

/* A first guess: the arm stands still and holds itself, the ball turns by `share` of what it should; `noise` (m) moves the
 * arm about smoothly, different for every seed. */
void fil_ball_guess(const FilBallProblem* problem, double share, double noise, unsigned seed, double* x);

/* A solution for other numbers of stages, by interpolation in time. */
void fil_ball_resample(const FilBallProblem* from, const double* x, const FilBallProblem* to, double* out);

/* Efforts and defined variables that fit the motion of all stages: inverse dynamics. */
void fil_ball_hold(const FilBallProblem* problem, double* x);

/* What a plan is judged by. */
typedef struct FilBallQuality {
    double cost, orientation; /* J of P1 eq. 20, J_q at the end */
    double violation;         /* worst row */
    double gap_pair;          /* worst gap * f, N m */
    double slip_pair;         /* worst slip_i * b_i and cone * g, N m/s */
    double penetration;       /* m, deepest */
    double contact;           /* share of stages that touch: f > 1 mN */
    int worst_row, worst_stage; /* where the violation is */
} FilBallQuality;

FilBallQuality fil_ball_judge(const FilBallProblem* problem, const double* x);

#endif
