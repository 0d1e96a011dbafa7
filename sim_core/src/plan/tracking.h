/* Time-varying linear feedback that keeps arm and ball on their plan, with the contact kept as it is planned.
 *
 * Deviations z = (l, v, t, w) of elongations, rates, the ball's rotation t (a vector, from the plan's orientation) and
 * spin obey the linearised step together with the contact's: the gap stays (the normal force does what that needs) and the slip
 * stays zero, or friction turns with the slip. Their sum of squares is minimised (LQR) by the Riccati recursion over steps
 * finer than the plan's stages. Deviations across the face are not weighed: there the force is commanded, not the place.
 * A second set of gains is for an arm that has lost the ball: it brings the arm alone back to its plan. */
#ifndef FILUM_PLAN_TRACKING_H
#define FILUM_PLAN_TRACKING_H

#include "plan/reference.h"

/* What deviations are weighed by: these count alike. */
typedef struct FilTrackingWeights {
    double elongation, rate; /* m, m/s */
    double rotation, spin;   /* rad, rad/s */
    double effort;           /* N */
    double longest;          /* s, of the steps at most */
    double delay;            /* stages by which the motion begins late: 1/2 where plans begin at rest (reference.h) */
    bool alone;              /* with the gains of an arm without its ball; else those in contact serve for both */
} FilTrackingWeights;

FilTrackingWeights fil_tracking_weights_default(void);

/* A plan's instants in equal steps with the gains from each to the next; the last has none. */
typedef struct FilTracking {
    int steps, joints; /* steps + 1 instants */
    double step;       /* s */
    FilReference* instants;
    double* gains; /* 2 x steps x joints x (2 joints + 6), by rows: tau by z, in contact, then without */
} FilTracking;

/* False when out of memory. Free with fil_tracking_free. */
bool fil_tracking_create(const FilPlanMesh* mesh, const double* x, const FilTrackingWeights* weights, FilTracking* out);
void fil_tracking_free(FilTracking* tracking);

/* Between instants. */
void fil_tracking_at(const FilTracking* tracking, double time, FilReference* out);

/* The efforts for a state, which touches the ball or not: the plan's, and gains times deviations (NULL: without). */
void fil_tracking_efforts(const FilTracking* tracking, double time, const FilReference* state, bool touches, double* tau);

#endif
