/* Lagged, mollified Coulomb friction (P4 eq. 7) of one contact or ring: a potential of the slip, whose force is bounded by
 * mu times the normal force of the step's start.
 *
 * That force has a kink, as narrow as the speed below which objects stick. Newton's model of it is made about the slip that
 * is expected at the end of the iteration, which is not the slip now. A model is judged by what the step found with it leads to: what
 * sticks must not take more force than there is, what slides must go where its force is right. The next model comes from the force f
 * and the slip u that this one leads to: with f in units of the most there is, and the slip w that all of that makes,
 *
 *     y = f + u / w     sticks with the force y if |y| < 1, else slides along y with the slip w (|y| - 1),
 *
 * as it would if it were alone (Newton's method for f = y / max(|y|, 1), which is Coulomb's law whatever w is). What sticks is expected
 * at the slip that has the force: other motions hardly depend on so small a slip, so that this force is right at once and Newton
 * has nothing left to do. Contacts push each other, so what a force makes of a slip is not known beforehand; it is learned from
 * model to model. */
#ifndef FILUM_CONTACT_FRICTION_H
#define FILUM_CONTACT_FRICTION_H

#include <stdbool.h>

typedef struct FilFriction {
    double tangent[2][3];               /* directions of slip */
    double bias[3];                     /* m/s, of scripted bodies */
    double max;                         /* N s: dt mu times the normal force */
    double slip[2];                     /* m/s, along the tangents, where fil_friction_look() was asked last */
    double expected[2];                 /* m/s, slip along the tangents that the model is made about */
    double edge;                        /* of the bound: where the model's curvature stops to fall */
    double next[2];                     /* the same of the next model */
    double wrong;                       /* N s, by which the model is off at the end of the step that was found with it */
    double min;                         /* 1/kg: slip by impulse if the blocks were by themselves, the least there can be; 0: not known */
    double mobility;                    /* 1/kg: slip by impulse, as learned */
    double last_slip[2], last_force[2]; /* that the last model led to: m/s, and over the most there is */
    bool learns;                        /* there is a last one, since v was accepted */
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

/* Finds the slip at v, from which the next three go on until v changes. */
void fil_friction_look(FilFriction* friction, const FilSlipping* slipping, const double* v);

/* Adds by how much the model's gradient at v differs from the true one; returns the square of that, measured with the inverse
 * of the model's curvature. */
double fil_friction_add_lead(const FilFriction* friction, const FilSlipping* slipping, double bound, double* residual);

/* Curvature over the slip along the tangents, 2 x 2: the model's; `majorised` (majorised): that of the paraboloid that touches the potential
 * at v from above, with which a step never leads uphill. */
void fil_friction_curvature(const FilFriction* friction, const FilSlipping* slipping, double bound, bool majorised, const double* v,
                            double curvature[4]);

/* How fast each velocity of a block slips along the first tangent, then along the second. */
void fil_friction_rates(const FilFriction* friction, const double* jacobian, double rates[8]);

bool fil_friction_sticks(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v);

/* What to expect at first: what stuck in the last step sticks. */
void fil_friction_begin(FilFriction* friction, const FilSlipping* slipping, double bound, bool stuck, const double* v);
/* The step -direction from v was found with the model: says how wrong that was, and makes the next one for fil_friction_revise().
 * `weight`: inverse masses of the world's velocities. */
void fil_friction_review(FilFriction* friction, const FilSlipping* slipping, double bound, const double* weight, const double* direction);
/* Square of the size of the residual by which the model is wrong. */
static inline double fil_friction_wrong(const FilFriction* friction)
{
    return friction->min * friction->wrong * friction->wrong;
}
/* The next model takes the place of the last. */
void fil_friction_revise(FilFriction* friction);

/* The step -direction from v was found with the model before the last revision. Where what sticks ends at another slip than the one expected now,
 * which has the force that it took, and its force there is off by more than is negligible as a residual: moves its blocks by as much, lighter ones
 * farther. Whether it did. */
bool fil_friction_settle(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* weight, double negligible,
                         double* direction);

/* The model is about the slip at v, with all of its curvature. */
void fil_friction_center(FilFriction* friction, const FilSlipping* slipping, const double* v);

/* v has been accepted. */
void fil_friction_accept(FilFriction* friction, const FilSlipping* slipping, double bound, const double* v);

#endif
