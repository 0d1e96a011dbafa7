#include "contact/friction.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/ipc_barrier.h"

/* Inside the bound curvature falls to zero at its edge: the model's does so only where it has proved right, by slips that are
 * NEAR times closer to it than to the bound (chosen; 2 to 10 make no difference). */
static const double EDGE = 0.9, NEAR = 4.0;
static const double TINY = 1e-6; /* of the bound: what is left of curvature there, far below what inertia adds */

/* Contacts move others along: how many times as far as a contact by itself one goes, to begin with. */
static const double FIRST_MOBILITY = 6.0;

/* Change of the force, over the most there is, from which something can be learned. */
static const double TELLING = 0.1;

/* Slips that are off by more, in bounds, are another matter: a model that sticks, at least as stiff as at EDGE, is never off by more than 8. */
static const double SMALL = 10.0;

/* hypot() took 2.2 % of tether_net; no slip or force is near numbers whose squares are not normal. */
static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

/* Slip along the two tangents. */
static void slip_of(const FilFriction* friction, const FilSlipping* s, const double* bias, const double* v, double slip[2])
{
    double u[3];
    fil_v3_copy(u, bias);
    for (int k = 0; k < s->count; k++) {
        const double *j = s->jacobian + 12 * k, *x = v + 4 * s->block[k];
        for (int r = 0; r < 3; r++) {
            u[r] += j[4 * r] * x[0] + j[4 * r + 1] * x[1] + j[4 * r + 2] * x[2] + j[4 * r + 3] * x[3];
        }
    }
    slip[0] = fil_v3_dot(friction->tangent[0], u);
    slip[1] = fil_v3_dot(friction->tangent[1], u);
}

/* The same after the step -direction from where it was looked at. */
static void slip_after(const FilFriction* friction, const FilSlipping* s, const double* direction, double slip[2])
{
    static const double nothing[3] = {0.0, 0.0, 0.0};
    double change[2];
    slip_of(friction, s, nothing, direction, change);
    slip[0] = friction->slip[0] - change[0];
    slip[1] = friction->slip[1] - change[1];
}

void fil_friction_velocity(const FilFriction* friction, const FilSlipping* slipping, const double* v, double velocity[3])
{
    double slip[2];
    slip_of(friction, slipping, friction->bias, v, slip);
    fil_v3_scale(velocity, slip[0], friction->tangent[0]);
    fil_v3_axpy(velocity, slip[1], friction->tangent[1]);
}

/* Adds what a force along the tangents does to the blocks. */
static void spread(const FilFriction* friction, const FilSlipping* s, const double force[2], double* residual)
{
    double f[3];
    fil_v3_scale(f, force[0], friction->tangent[0]);
    fil_v3_axpy(f, force[1], friction->tangent[1]);
    for (int k = 0; k < s->count; k++) {
        const double* j = s->jacobian + 12 * k;
        for (int m = 0; m < 4; m++) {
            residual[4 * s->block[k] + m] += j[m] * f[0] + j[4 + m] * f[1] + j[8 + m] * f[2];
        }
    }
}

/* Force over its most, at a slip; returns the potential over the same. */
static double force_at(const double slip[2], double bound, double force[2])
{
    const double speed = length_of(slip[0], slip[1]);
    const FilJet jet = fil_slip(speed, bound);
    force[0] = speed > 0.0 ? jet.first * slip[0] / speed : 0.0;
    force[1] = speed > 0.0 ? jet.first * slip[1] / speed : 0.0;
    return jet.value;
}

/* Curvature over its most, 2 x 2: `along` the slip and across. */
static void curvature_at(const double slip[2], double bound, double edge, bool majorised, double h[4])
{
    const double speed = length_of(slip[0], slip[1]), y = fmin(speed / bound, edge);
    const double across = fil_slip_bound_curvature(speed, bound);
    const double along = majorised ? across : speed < bound ? 2.0 * (1.0 - y) / bound : 0.0;
    const double cosine = speed > 0.0 ? slip[0] / speed : 1.0, sine = speed > 0.0 ? slip[1] / speed : 0.0;
    h[0] = along * cosine * cosine + across * sine * sine;
    h[3] = along * sine * sine + across * cosine * cosine;
    h[1] = h[2] = (along - across) * cosine * sine;
}

double fil_friction_energy(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v, double gradient[3])
{
    double slip[2], force[2];
    slip_of(friction, slipping, friction->bias, v, slip);
    const double value = force_at(slip, bound, force);
    fil_v3_scale(gradient, friction->max * force[0], friction->tangent[0]);
    fil_v3_axpy(gradient, friction->max * force[1], friction->tangent[1]);
    return friction->max * value;
}

double fil_friction_add(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v, double* residual)
{
    double slip[2], force[2];
    slip_of(friction, slipping, friction->bias, v, slip);
    const double value = force_at(slip, bound, force);
    force[0] *= friction->max;
    force[1] *= friction->max;
    spread(friction, slipping, force, residual);
    return friction->max * value;
}

void fil_friction_look(FilFriction* friction, const FilSlipping* slipping, const double* v)
{
    slip_of(friction, slipping, friction->bias, v, friction->slip);
}

double fil_friction_add_lead(const FilFriction* friction, const FilSlipping* slipping, double bound, double* residual)
{
    const double *expected = friction->expected, *slip = friction->slip;
    double now[2], then[2], h[4], lead[2];
    if (slip[0] == expected[0] && slip[1] == expected[1]) {
        return 0.0;
    }
    force_at(slip, bound, now);
    force_at(expected, bound, then);
    curvature_at(expected, bound, friction->edge, false, h);
    for (int k = 0; k < 2; k++) {
        lead[k] = friction->max * (then[k] + h[2 * k] * (slip[0] - expected[0]) + h[2 * k + 1] * (slip[1] - expected[1]) - now[k]);
    }
    spread(friction, slipping, lead, residual);
    return fabs(lead[0] * (slip[0] - expected[0]) + lead[1] * (slip[1] - expected[1]));
}

void fil_friction_curvature(const FilFriction* friction, const FilSlipping* slipping, double bound, bool majorised, const double* v,
                            double curvature[4])
{
    double slip[2];
    if (majorised) {
        slip_of(friction, slipping, friction->bias, v, slip);
    }
    curvature_at(majorised ? slip : friction->expected, bound, friction->edge, majorised, curvature);
    for (int k = 0; k < 4; k++) {
        curvature[k] *= friction->max;
    }
}

void fil_friction_rates(const FilFriction* friction, const double* jacobian, double rates[8])
{
    for (int k = 0; k < 8; k++) {
        const double *along = friction->tangent[k / 4], *j = jacobian + k % 4;
        rates[k] = along[0] * j[0] + along[1] * j[4] + along[2] * j[8];
    }
}

static bool sticks(const double slip[2], double bound)
{
    return length_of(slip[0], slip[1]) < bound;
}

bool fil_friction_sticks(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v)
{
    double slip[2];
    slip_of(friction, slipping, friction->bias, v, slip);
    return sticks(slip, bound);
}

void fil_friction_begin(FilFriction* friction, const FilSlipping* slipping, double bound, bool stuck, const double* v)
{
    friction->min = friction->mobility = 0.0;
    friction->learns = false;
    friction->edge = EDGE;
    slip_of(friction, slipping, friction->bias, v, friction->expected);
    if (stuck && !sticks(friction->expected, bound)) {
        memset(friction->expected, 0, sizeof friction->expected);
    }
}

/* What the model makes of the slip that it predicts: its force over the most there is. */
static void force_ahead(const FilFriction* friction, double bound, const double predicted[2], double force[2])
{
    const double ahead[2] = {predicted[0] - friction->expected[0], predicted[1] - friction->expected[1]};
    double h[4];
    force_at(friction->expected, bound, force);
    curvature_at(friction->expected, bound, friction->edge, false, h);
    for (int k = 0; k < 2; k++) {
        force[k] += h[2 * k] * ahead[0] + h[2 * k + 1] * ahead[1];
    }
}

/* Slip by impulse if no block moved others: the mean of both tangents. */
static double min_mobility(const FilFriction* friction, const FilSlipping* s, const double* weight)
{
    double sum = 0.0;
    for (int b = 0; b < s->count; b++) {
        double rates[8];
        fil_friction_rates(friction, s->jacobian + 12 * b, rates);
        for (int k = 0; k < 8; k++) {
            sum += 0.5 * rates[k] * rates[k] * weight[4 * s->block[b] + k % 4];
        }
    }
    return sum;
}

/* Learns from how the slip has changed with the force since the last model; not from what sticks, which hardly slips at all. */
static void learn(FilFriction* friction, double bound, const double slip[2], const double force[2])
{
    const double *was = friction->last_slip, *had = friction->last_force;
    const double slipped = length_of(slip[0] - was[0], slip[1] - was[1]), pushed = length_of(force[0] - had[0], force[1] - had[1]);
    if (friction->learns && pushed > TELLING && slipped > 2.0 * bound) {
        const double seen = slipped / (pushed * friction->max);
        friction->mobility = fmax(sqrt(friction->mobility * seen), friction->min);
    }
    memcpy(friction->last_slip, slip, sizeof friction->last_slip);
    memcpy(friction->last_force, force, sizeof friction->last_force);
    friction->learns = true;
}

/* The model that would be right if the contact were alone. */
static void propose(FilFriction* friction, double bound, const double slip[2], const double force[2])
{
    const double unit = friction->mobility * friction->max;  // m/s that all its force makes
    const double y[2] = {force[0] + slip[0] / unit, force[1] + slip[1] / unit}, size = length_of(y[0], y[1]);
    const double speed = size < 1.0 ? (1.0 - sqrt(1.0 - size)) * bound : fmax((size - 1.0) * unit, bound);
    for (int k = 0; k < 2; k++) {
        friction->next[k] = size > 0.0 ? speed * y[k] / size : 0.0;
    }
}

void fil_friction_review(FilFriction* friction, const FilSlipping* slipping, double bound, const double* weight, const double* direction)
{
    double predicted[2], force[2], truth[2];
    slip_after(friction, slipping, direction, predicted);
    if (friction->min == 0.0) {
        friction->min = min_mobility(friction, slipping, weight);
        friction->mobility = FIRST_MOBILITY * friction->min;
    }
    if (!(friction->mobility * friction->max > 0.0)) {  // nothing that could give way, or no force
        memcpy(friction->next, predicted, sizeof friction->next);
        friction->wrong = 0.0;
        return;
    }
    force_ahead(friction, bound, predicted, force);
    learn(friction, bound, predicted, force);
    propose(friction, bound, predicted, force);
    if (sticks(friction->expected, bound)) {  // judged by the force that it takes: the model's slip would be too small at that force
        friction->wrong = friction->max * fmax(length_of(force[0], force[1]) - 1.0, 0.0);
    } else {
        force_at(predicted, bound, truth);
        friction->wrong = friction->max * length_of(force[0] - truth[0], force[1] - truth[1]);
    }
}

bool fil_friction_settle(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* weight, double negligible,
                         double* direction)
{
    double predicted[2], truth[2], wanted[2], give = 0.0;
    if (!sticks(friction->expected, bound)) {
        return false;
    }
    slip_after(friction, slipping, direction, predicted);
    const double off[2] = {predicted[0] - friction->expected[0], predicted[1] - friction->expected[1]}, square = off[0] * off[0] + off[1] * off[1];
    force_at(predicted, bound, truth);
    force_at(friction->expected, bound, wanted);
    const double wrong = friction->max * length_of(truth[0] - wanted[0], truth[1] - wanted[1]);
    if (square > SMALL * SMALL * bound * bound || friction->min * wrong * wrong <= negligible * negligible) {
        return false;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < slipping->count; b++) {
            const double* w = weight + 4 * slipping->block[b];
            double rates[8], *to = direction + 4 * slipping->block[b];
            fil_friction_rates(friction, slipping->jacobian + 12 * b, rates);
            for (int k = 0; k < 4; k++) {
                const double rate = rates[k] * off[0] + rates[4 + k] * off[1];
                give += pass == 0 ? w[k] * rate * rate : 0.0;
                to[k] += pass == 1 && give > 0.0 ? w[k] * rate * square / give : 0.0;
            }
        }
    }
    return give > 0.0;
}

void fil_friction_revise(FilFriction* friction)
{
    memcpy(friction->expected, friction->next, sizeof friction->expected);
}

void fil_friction_center(FilFriction* friction, const FilSlipping* slipping, const double* v)
{
    slip_of(friction, slipping, friction->bias, v, friction->expected);
    friction->edge = 1.0 - TINY;
}

void fil_friction_accept(FilFriction* friction, const FilSlipping* slipping, double bound, const double* v)
{
    double slip[2];
    slip_of(friction, slipping, friction->bias, v, slip);
    friction->learns = false;
    if (!sticks(friction->expected, bound)) {
        memcpy(friction->expected, slip, sizeof slip);
    }
    const double off = length_of(slip[0] - friction->expected[0], slip[1] - friction->expected[1]) / bound;
    friction->edge = fmax(EDGE, 1.0 - NEAR * off - TINY);
}
