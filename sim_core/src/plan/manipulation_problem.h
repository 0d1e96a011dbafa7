/* Plans how robots and soft arms move bodies: bounds, first guesses, mesh refinement, and what a plan is judged by. */
#ifndef FILUM_PLAN_MANIPULATION_PROBLEM_H
#define FILUM_PLAN_MANIPULATION_PROBLEM_H

#include "plan/manipulation.h"
#include "plan/stage_mesh.h"

typedef struct FilManipulationBounds {
    double lower[FIL_PLAN_COORDINATES], upper[FIL_PLAN_COORDINATES]; /* of the coordinates */
    double rate[FIL_PLAN_COORDINATES];                               /* of their rates, either way */
    double effort[FIL_PLAN_COORDINATES];                             /* of each drive, either way */
    double end[FIL_PLAN_COORDINATES];                                /* how far from the goal a coordinate may end; INFINITY: any */
    double end_rate[FIL_PLAN_COORDINATES];                           /* its rate at the end, either way; INFINITY: any */
    double normal_force, slip;                                       /* N, m/s: the largest */
    double min_force[FIL_PLAN_TOUCHES];                              /* N; above zero: contact throughout */
} FilManipulationBounds;

/* `start` is the state before the first stage: q, v. The mesh's data is a FilManipulation. False when out of memory. */
bool fil_manipulation_problem_create(const FilManipulation* m, const FilManipulationBounds* bounds, const double* start, FilPlanMesh* out);

/* A first guess: coordinates that have a goal go there evenly, what is driven keeps its contacts, efforts do what is left. With `noise`, shares of
 * usual sizes, what is driven is moved about smoothly on top, different for every seed. */
void fil_manipulation_guess(const FilPlanMesh* mesh, double noise, unsigned seed, double* x);

/* All but goal and `there`, which are not known here. */
FilPlanQuality fil_manipulation_judge(const FilPlanMesh* mesh, const double* x);

#endif
