/* Robots and soft arms move bodies through contact: the transcription as a stage problem.
 *
 * A stage is one implicit Euler step of length h. Its variables, in this order:
 *     q, v (coordinates of the forest and their rates),                              determined by the equations of motion
 *     of each contact: gap, cone, slip, and the place on the face (2),                                       by definitions
 *     tau (of the coordinates that are driven), of each contact f, b_i, g                                          controls
 * Friction is one of two, with F the force along the tangents and nu the slip:
 *     a pyramid: F = sum b_i d_i, cone = mu f - sum b, slip_i = d_i . nu + g; pairs cone _|_ g, slip_i _|_ b_i (P1 eq. 19)
 *     a cone: F = mu f b, cone = 1 - |b|^2, slip = nu + g b = 0; pair cone _|_ g
 * A pyramid has no friction across the way it slides along one of its directions, until it slides elsewhere by half the angle between them: a
 * pushed box turns too easily. And gap _|_ f.
 *
 *     M(q+) (v+ - v) + h (C v + G + K q + B v)(q+, v+) = h (tau + f grad gap + F T)
 *
 * where nu = T v. docs/planning.md has the whole. */
#ifndef FILUM_PLAN_MANIPULATION_H
#define FILUM_PLAN_MANIPULATION_H

#include "plan/touch.h"

/* Of the friction pyramid, at most: room on the stack; more are refused. */
enum { FIL_MANIPULATION_DIRECTIONS = 8 };

/* Places to pass on the way, at most: room in a struct. */
enum { FIL_PLAN_VIAS = 8 };

/* Where coordinates are to be on their way. */
typedef struct FilPlanVia {
    double share;                                                     /* of the horizon */
    double place[FIL_PLAN_COORDINATES], within[FIL_PLAN_COORDINATES]; /* within: INFINITY where it does not matter */
} FilPlanVia;

typedef struct FilManipulation {
    FilPlanTree tree;
    FilPlanTouch touch[FIL_PLAN_TOUCHES];
    int touches, directions;                                                    /* directions of friction, 0: a cone */
    int drives, drive[FIL_PLAN_COORDINATES];                                    /* coordinates that are driven */
    double goal[FIL_PLAN_COORDINATES];                                          /* of the coordinates */
    double goal_weight[FIL_PLAN_COORDINATES], end_weight[FIL_PLAN_COORDINATES]; /* of squared distances to it, all along and at the end */
    double rate_weight[FIL_PLAN_COORDINATES];                                   /* of squared changes of rates */
    double effort_weight, force_weight;                                         /* of squared efforts; of squared normal forces */
    FilPlanVia via[FIL_PLAN_VIAS];
    int vias;
    int stages;
    double step; /* s */
} FilManipulation;

/* Where variables and rows begin. Of contact k: gap + k, and so on; slip + k width, place + 2 k, b + k width. */
typedef struct FilManipulationLayout {
    int q, v, gap, cone, slip, place, tau, f, b, g;
    int width; /* of a contact's friction: directions, or 2 */
    int variables, rows, carried;
} FilManipulationLayout;

FilManipulationLayout fil_manipulation_layout(const FilManipulation* m);

/* A stage problem's evaluate; data is a FilManipulation. */
bool fil_manipulation_evaluate(const void* data, int stage, const double* p, const double* x, const double* multiplier, FilPlanOrder order,
                               FilPlanStage* out);

/* The gap of a contact at coordinates q, the place of it on the face, and their gradients by the coordinates; NULL: not wanted. */
double fil_manipulation_gap(const FilManipulation* m, int touch, const double* q, double place[2], double (*gradient)[FIL_PLAN_COORDINATES]);

#endif
