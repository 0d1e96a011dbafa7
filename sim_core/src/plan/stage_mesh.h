/* A stage problem with the arrays that it owns, what a solution of it is judged by, and numbers for first guesses: what the transcriptions share. */
#ifndef FILUM_PLAN_STAGE_MESH_H
#define FILUM_PLAN_STAGE_MESH_H

#include <stddef.h>

#include "plan/stage_problem.h"

/* Its problem points to the arrays, and to a copy of the data: it may be moved, not copied. */
typedef struct FilPlanMesh {
    FilPlanProblem problem;
    double* memory;
    double *lower, *upper, *scale, *before; /* the problem's, to be filled */
    FilPlanPair* pairs;
    int* carry;
    void* data;
} FilPlanMesh;

/* Arrays for a problem whose stages, variables, rows, carried variables and most pairs are given, with a copy of `data`; bounds are open, scales one,
 * the first variables carried. False when out of memory. Free with fil_plan_mesh_free. */
bool fil_plan_mesh_create(const FilPlanProblem* sizes, const void* data, size_t size, FilPlanMesh* out);
void fil_plan_mesh_free(FilPlanMesh* mesh);

/* What a plan is judged by. */
typedef struct FilPlanQuality {
    double cost;
    double violation;           /* worst row */
    int worst_row, worst_stage; /* where that is */
    double gap_pair;            /* worst gap * f, N m */
    double slip_pair;           /* worst product of slip and unused friction, N m/s */
    double penetration;         /* m, deepest */
    double contact;             /* share of stages in which something that is driven touches */
    double miss, turn_miss;     /* m and rad, between end and goal */
    bool there;                 /* both are allowed */
} FilPlanQuality;

/* Cost and worst row of all stages; `look`, which may be NULL, sees each stage's variables and what its rows leave. False where the functions
 * are not defined; the violation is infinite then. */
typedef void (*FilStageLook)(const void* data, const double* x, const double* row, FilPlanQuality* quality);
bool fil_plan_walk(const FilPlanProblem* problem, const double* x, FilStageLook look, FilPlanQuality* quality);

/* A share of something smooth that begins at zero, for coordinate i at the share t of the horizon: three sines, their sizes in [-1, 1) by the seed
 * alone. */
double fil_plan_wave(unsigned seed, unsigned i, double t);

#endif
