/* Lagged, mollified Coulomb friction (P4 eq. 7) of one contact or ring: a potential of the slip, whose force is bounded by
 * mu times the normal force of the step's start.
 *
 * That force has a kink, as narrow as the speed below which things stick. Newton's model of it is made about the slip that
 * is expected at the end of the iteration, which is not the slip now: nothing for what will stick, and for what will slide
 * on its slip now. A model that turns out to contradict itself is made anew: what sticks slides where that takes more force than
 * there is, and what slides sticks where it would turn round. What goes on to stick is expected at the slip that has the force it
 * took: other motions hardly depend on so small a slip, so that this force is right at once and Newton has nothing left to do.
 * A few contacts may push each other to and fro for ever: whose model has changed too often gets one without a kink, a damper that
 * has friction's force at the slip it expects. */
#ifndef FILUM_CONTACT_FRICTION_H
#define FILUM_CONTACT_FRICTION_H

#include <stdbool.h>

typedef struct FilFriction {
    double tangent[2][3]; /* directions of slip */
    double bias[3];       /* m/s, of scripted bodies */
    double most;          /* N s: dt mu times the normal force */
    double expected[2];   /* m/s, slip along the tangents */
    int changes;          /* of the model's mind since v was accepted */
} FilFriction;

/* The velocity that slips is a sum over blocks of the world's velocities. */
typedef struct FilSlipping {
    int count;
    const int *block, *column; /* of the world's velocities; of the matrix, -1: takes no part */
    const double* jacobian;    /* 3 x 4 each */
} FilSlipping;

/* The velocity of the slip, m/s. */
void fil_friction_velocity(const FilFriction* friction, const FilSlipping* slipping, const double* v, double velocity[3]);

/* The potential, and its gradient by the relative velocity. `bound`: m/s, from where friction is full. */
double fil_friction_energy(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v, double gradient[3]);

/* Adds the gradient to the residual; returns the potential. */
double fil_friction_add(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v, double* residual);

/* Adds by how much the model's gradient at v differs from the true one; returns the square of that, measured with the inverse
 * of the model's curvature. */
double fil_friction_add_lead(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v, double* residual);

/* Curvature over the slip along the tangents, 2 x 2: the model's; `cautious`: that of the paraboloid that touches the potential
 * at v from above, with which a step never leads uphill. */
void fil_friction_curvature(const FilFriction* friction, const FilSlipping* slipping, double bound, bool cautious, const double* v,
                            double curvature[4]);

/* How fast each velocity of a block slips along the first tangent, then along the second. */
void fil_friction_rates(const FilFriction* friction, const double* jacobian, double rates[8]);

bool fil_friction_sticks(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v);

/* What to expect at first: what stuck in the last step sticks. */
void fil_friction_begin(FilFriction* friction, const FilSlipping* slipping, double bound, bool stuck, const double* v);
/* The step -direction from v was found with the model: by which impulse, N s, the model contradicts itself; 0: not at all. If it does
 * it is made anew. What goes on to slide is expected as before, or to `follow` what the step leads to: quick where reviews may go on
 * until all agree, else a model of slips that come to nothing on the way. */
double fil_friction_review(FilFriction* friction, const FilSlipping* slipping, double bound, bool follow, const double* v,
                           const double* direction);

/* Square of the size of a residual that is an impulse along a tangent, `weight` times the squares of its entries. */
double fil_friction_size(const FilFriction* friction, const FilSlipping* slipping, const double* weight, double impulse);
/* v has been accepted. */
void fil_friction_accept(FilFriction* friction, const FilSlipping* slipping, double bound, const double* v);

#endif
