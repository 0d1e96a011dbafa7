/* Plans how robots and soft arms move bodies: bounds, first guesses, mesh refinement, and what a plan is judged by. */
#ifndef FILUM_PLAN_MANIPULATION_PROBLEM_H
#define FILUM_PLAN_MANIPULATION_PROBLEM_H

#include "plan/interior_point.h"
#include "plan/manipulation.h"

typedef struct FilManipulationBounds {
    double lower[FIL_PLAN_COORDINATES], upper[FIL_PLAN_COORDINATES]; /* of the coordinates */
    double rate[FIL_PLAN_COORDINATES];                               /* of their rates, either way */
    double effort[FIL_PLAN_COORDINATES];                             /* of each drive, either way */
    double end[FIL_PLAN_COORDINATES];      /* how far from the goal a coordinate may end; INFINITY: any */
    double end_rate[FIL_PLAN_COORDINATES]; /* its rate at the end, either way; INFINITY: any */
    double normal_force, slip;             /* N, m/s: the largest */
    double least_force[FIL_PLAN_TOUCHES];  /* N; above zero: contact throughout */
} FilManipulationBounds;

/* A stage problem with its arrays. */
typedef struct FilManipulationProblem {
    FilManipulation m;
    FilPlanProblem problem;
    double* memory;
    FilPlanPair* pairs;
    int* carry;
} FilManipulationProblem;

/* `start` is the state before the first stage: q, v. False when out of memory. Free with fil_manipulation_problem_free. */
bool fil_manipulation_problem_create(const FilManipulation* m, const FilManipulationBounds* bounds, const double* start,
                                     FilManipulationProblem* out);
void fil_manipulation_problem_free(FilManipulationProblem* problem);

/* A first guess: coordinates that have a goal go there evenly, what is driven keeps its contacts, efforts do what is left. */
void fil_manipulation_guess(const FilManipulationProblem* problem, double* x);

/* A solution for other numbers of stages, by interpolation in time. */
void fil_manipulation_resample(const FilManipulationProblem* from, const double* x, const FilManipulationProblem* to, double* out);

typedef struct FilManipulationQuality {
    double cost;
    double violation;           /* worst row */
    double gap_pair, slip_pair; /* worst gap * f, N m; worst slip_i * b_i and cone * g, N m/s */
    double penetration;         /* m, deepest */
    int worst_row, worst_stage; /* where the violation is */
} FilManipulationQuality;

FilManipulationQuality fil_manipulation_judge(const FilManipulationProblem* problem, const double* x);

#endif
