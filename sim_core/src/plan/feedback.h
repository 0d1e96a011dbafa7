/* Time-varying linear feedback about a solution of a stage problem, from the matrices of its own stages (LQR).
 *
 * Deviations of a stage obey its linearised rows, and each complementary pair its linearised relaxed form,
 *     (b + d) da + (a + d) db = 0,      a, b, d in units of their usual sizes,
 * with the relaxation d small: what is closed stays closed and what is free stays free, but contacts give way a little, so that loads that
 * several contacts share have one answer. What is left free are the efforts: they minimise the weighed squares of deviations to come. */
#ifndef FILUM_PLAN_FEEDBACK_H
#define FILUM_PLAN_FEEDBACK_H

#include "plan/stage_mesh.h"

/* Two variables of a stage that deviate together: dx[a] / scale[a] along[0] + dx[b] / scale[b] along[1] = 0. */
typedef struct FilFeedbackTie {
    int a, b;
    double along[2];
} FilFeedbackTie;

/* What of the problem is what. */
typedef struct FilFeedbackDef {
    int first, efforts;                /* the variables that are commanded */
    const double* weight;              /* carried variables, then efforts: of their squared deviations, per second */
    double end;                        /* factor of the weights of carried variables in the last stage */
    double step;                       /* s */
    int coordinates;                   /* the carried variables are these and then their rates, whose rows are those of the motion, */
    const double *stiffness, *damping; /* which springs and dampers join beside the problem's own: gains of joints, N/m or N m and times s */
    /* Ties of a stage: one for each variable behind the rows that is no effort. */
    void (*tie)(const void* data, const double* scale, const double* x, FilFeedbackTie* ties);
} FilFeedbackDef;

typedef struct FilFeedback {
    int stages, efforts, carried;
    double* gains; /* stages x efforts x carried, by rows: efforts by deviations at the stage's start */
} FilFeedback;

typedef enum FilFeedbackResult { FIL_FEEDBACK_DONE, FIL_FEEDBACK_SINGULAR, FIL_FEEDBACK_NO_MEMORY } FilFeedbackResult;

/* Carried variables must be the first ones. Allocates. On failure there are no gains. */
FilFeedbackResult fil_feedback_create(const FilPlanProblem* problem, const double* x, const FilFeedbackDef* def, FilFeedback* out);
void fil_feedback_free(FilFeedback* feedback);

/* efforts += gains of a stage times deviations. */
void fil_feedback_add(const FilFeedback* feedback, int stage, const double* deviation, double* efforts);

#endif
