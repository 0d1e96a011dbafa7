#include "contact/friction.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/ipc_barrier.h"

/* Inside the bound curvature falls to zero at its edge: the model's does not. */
static const double EDGE = 0.9;

/* Changes of mind in an iteration after which a model is not believed any more. */
enum { OFTEN = 4 };

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
    const double speed = hypot(slip[0], slip[1]);
    const FilJet jet = fil_slip(speed, bound);
    force[0] = speed > 0.0 ? jet.first * slip[0] / speed : 0.0;
    force[1] = speed > 0.0 ? jet.first * slip[1] / speed : 0.0;
    return jet.value;
}

/* Whether the model has changed too often to be believed: one without a kink then takes its place. */
static bool hesitates(const FilFriction* friction)
{
    return friction->changes >= OFTEN;
}

/* Curvature over its most, 2 x 2: `along` the slip and across. */
static void curvature_at(const double slip[2], double bound, bool cautious, double h[4])
{
    const double speed = hypot(slip[0], slip[1]), y = fmin(speed / bound, EDGE);
    const double across = fil_slip_bound_curvature(speed, bound);
    const double along = cautious ? across : speed < bound ? 2.0 * (1.0 - y) / bound : 0.0;
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
    fil_v3_scale(gradient, friction->most * force[0], friction->tangent[0]);
    fil_v3_axpy(gradient, friction->most * force[1], friction->tangent[1]);
    return friction->most * value;
}

double fil_friction_add(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v, double* residual)
{
    double slip[2], force[2];
    slip_of(friction, slipping, friction->bias, v, slip);
    const double value = force_at(slip, bound, force);
    force[0] *= friction->most;
    force[1] *= friction->most;
    spread(friction, slipping, force, residual);
    return friction->most * value;
}

double fil_friction_add_lead(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v, double* residual)
{
    const double* expected = friction->expected;
    double slip[2], now[2], then[2], h[4], lead[2];
    slip_of(friction, slipping, friction->bias, v, slip);
    if (slip[0] == expected[0] && slip[1] == expected[1]) {
        return 0.0;
    }
    force_at(slip, bound, now);
    force_at(expected, bound, then);
    curvature_at(expected, bound, hesitates(friction), h);
    for (int k = 0; k < 2; k++) {
        lead[k] = friction->most * (then[k] + h[2 * k] * (slip[0] - expected[0]) + h[2 * k + 1] * (slip[1] - expected[1]) - now[k]);
    }
    spread(friction, slipping, lead, residual);
    return fabs(lead[0] * (slip[0] - expected[0]) + lead[1] * (slip[1] - expected[1]));
}

void fil_friction_curvature(const FilFriction* friction, const FilSlipping* slipping, double bound, bool cautious, const double* v,
                            double curvature[4])
{
    double slip[2];
    if (cautious) {
        slip_of(friction, slipping, friction->bias, v, slip);
    }
    curvature_at(cautious ? slip : friction->expected, bound, cautious || hesitates(friction), curvature);
    for (int k = 0; k < 4; k++) {
        curvature[k] *= friction->most;
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
    return hypot(slip[0], slip[1]) < bound;
}

bool fil_friction_sticks(const FilFriction* friction, const FilSlipping* slipping, double bound, const double* v)
{
    double slip[2];
    slip_of(friction, slipping, friction->bias, v, slip);
    return sticks(slip, bound);
}

void fil_friction_begin(FilFriction* friction, const FilSlipping* slipping, double bound, bool stuck, const double* v)
{
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
    curvature_at(friction->expected, bound, false, h);
    for (int k = 0; k < 2; k++) {
        force[k] += h[2 * k] * ahead[0] + h[2 * k + 1] * ahead[1];
    }
}

double fil_friction_review(FilFriction* friction, const FilSlipping* slipping, double bound, bool follow, const double* v,
                           const double* direction)
{
    static const double nothing[3] = {0.0, 0.0, 0.0};
    double slip[2], change[2], force[2], *expected = friction->expected;
    slip_of(friction, slipping, friction->bias, v, slip);
    slip_of(friction, slipping, nothing, direction, change);
    const double predicted[2] = {slip[0] - change[0], slip[1] - change[1]};
    const bool stuck = sticks(expected, bound) && !hesitates(friction);
    bool changes = false;
    double share = 1.0, wrong = 1.0;
    if (stuck) { // judged by the force that it takes: the model's slip would be too small at that force
        force_ahead(friction, bound, predicted, force);
        const double size = hypot(force[0], force[1]);
        changes = size >= 1.0;
        wrong = fmax(size - 1.0, DBL_MIN);
        share = changes ? fmax(hypot(predicted[0], predicted[1]), bound) / size : size > 0.0 ? (1.0 - sqrt(1.0 - size)) * bound / size : 0.0;
    } else if (!hesitates(friction)) {
        changes = predicted[0] * expected[0] + predicted[1] * expected[1] <= 0.0;
        share = changes ? 0.0 : 1.0;
    }
    for (int k = 0; k < 2 && (stuck || changes || follow || hesitates(friction)); k++) {
        expected[k] = share * (stuck ? force[k] : predicted[k]);
    }
    friction->changes += changes ? 1 : 0;
    return changes ? wrong * friction->most : 0.0;
}

double fil_friction_size(const FilFriction* friction, const FilSlipping* s, const double* weight, double impulse)
{
    double sum = 0.0;
    for (int b = 0; b < s->count; b++) {
        double rates[8];
        fil_friction_rates(friction, s->jacobian + 12 * b, rates);
        for (int k = 0; k < 8; k++) {
            sum += 0.5 * rates[k] * rates[k] * weight[4 * s->block[b] + k % 4]; // the mean of both tangents
        }
    }
    return sum * impulse * impulse;
}

void fil_friction_accept(FilFriction* friction, const FilSlipping* slipping, double bound, const double* v)
{
    friction->changes = 0;
    if (!sticks(friction->expected, bound)) {
        slip_of(friction, slipping, friction->bias, v, friction->expected);
    }
}
