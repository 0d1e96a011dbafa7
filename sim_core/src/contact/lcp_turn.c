#include "contact/lcp_turn.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"

/* m/s: slower than the LCP is solved to, 1e-8 of 0.1 m/s (docs/lcp.md): what seems to slip by that rests. */
static const double STILL = 1e-9;

/* How much of a slip is that of the step's start where its way is known to a tenth of a radian: friction is within 0.5 % then. */
static const double CERTAIN = 10.0;

/* rad: of a slip to the nearest direction, from which on what slides is turned and solved for again. */
static const double ASKEW = 0.1;

/* Of the speed that a contact would slip with, what is left where friction has stopped it. */
static const double STOPPED = 0.01;

void fil_lcp_turn_free(FilLcpTurn* turn)
{
    fil_free(turn->turns.at);
    fil_free(turn->jacobian.at);
    fil_free(turn->constraints);
}

/* Tangential velocities of a contact under two velocities of all, the second those of free motion. */
static void slips_of(const FilSapProblem* from, const FilSapConstraint* contact, const double* v, double* slip, double* free)
{
    for (int row = 0; row < 2; row++) {
        slip[row] = free[row] = contact->bias[row];
    }
    for (int b = contact->first_block; b < contact->first_block + contact->block_count; b++) {
        const double* j = from->jacobian + FIL_SAP_JACOBIAN * (size_t)b;
        const double *x = v + FIL_BLOCK * (size_t)from->block[b], *y = from->v_free + FIL_BLOCK * (size_t)from->block[b];
        for (int c = 0; c < FIL_BLOCK; c++) {
            slip[0] += j[c] * x[c];
            slip[1] += j[FIL_BLOCK + c] * x[c];
            free[0] += j[c] * y[c];
            free[1] += j[FIL_BLOCK + c] * y[c];
        }
    }
}

static bool has_friction(const FilSapConstraint* constraint)
{
    return constraint->kind != FIL_SAP_BOUNDED && constraint->contact.mu > 0.0;
}

/* The way that a contact slips: the mean of the step's start and of free motion. Of a rod's edge only where the step's start is most of it: what sticks to it has a
 * slip of (v dt)^2/2R by the curvature within a step, any way, and rods without their contacts move otherwise than with them. False: it does not. */
static bool find_way(const FilSapProblem* from, const FilSapConstraint* contact, const double* v, double* way)
{
    double now[2], free[2];
    slips_of(from, contact, v, now, free);
    const double sum[2] = {now[0] + free[0], now[1] + free[1]}, speed = sqrt(sum[0] * sum[0] + sum[1] * sum[1]);
    if (!(speed > 2.0 * STILL) || (contact->contact.redundant && hypot(now[0], now[1]) < CERTAIN * hypot(free[0] - now[0], free[1] - now[1]))) {
        return false;
    }
    way[0] = sum[0] / speed, way[1] = sum[1] / speed;
    return true;
}

/* (a, b) <- (cos a + sin b, cos b - sin a) */
static void rotate(const double* turn, double* a, double* b)
{
    const double old = *a;
    *a = turn[0] * old + turn[1] * *b;
    *b = turn[0] * *b - turn[1] * old;
}

/* Turns the tangents of a contact. */
static void turn_contact(FilLcpTurn* turn, int index, const double* way)
{
    FilSapConstraint* contact = (FilSapConstraint*)turn->constraints + index;
    double* own = turn->turns.at + 2 * index;
    const double cosine = own[0];
    own[0] = cosine * way[0] - own[1] * way[1];
    own[1] = cosine * way[1] + own[1] * way[0];
    rotate(way, &contact->bias[0], &contact->bias[1]);
    for (int b = contact->first_block; b < contact->first_block + contact->block_count; b++) {
        double* j = turn->jacobian.at + FIL_SAP_JACOBIAN * (size_t)b;
        for (int c = 0; c < FIL_BLOCK; c++) {
            rotate(way, &j[c], &j[FIL_BLOCK + c]);
        }
    }
}

bool fil_lcp_turn(FilLcpTurn* turn, const FilSapProblem* from, const double* v, FilSapProblem* turned)
{
    const size_t m = (size_t)from->constraint_count;
    size_t blocks = 0;
    for (size_t i = 0; i < m; i++) {
        const size_t end = (size_t)(from->constraints[i].first_block + from->constraints[i].block_count);
        blocks = end > blocks ? end : blocks;
    }
    if (!fil_doubles_reserve(&turn->turns, 2 * m) || !fil_doubles_reserve(&turn->jacobian, FIL_SAP_JACOBIAN * blocks) ||
        !fil_buffer_reserve(&turn->constraints, &turn->constraint_capacity, m, sizeof(FilSapConstraint))) {
        return false;
    }
    *turned = *from;
    if (m == 0) {
        return true;
    }
    FilSapConstraint* constraints = turn->constraints;
    memcpy(constraints, from->constraints, m * sizeof *constraints);
    memcpy(turn->jacobian.at, from->jacobian, FIL_SAP_JACOBIAN * blocks * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        double way[2];
        turn->turns.at[2 * i] = 1.0, turn->turns.at[2 * i + 1] = 0.0;
        if (has_friction(&constraints[i]) && find_way(from, &constraints[i], v, way)) {
            turn_contact(turn, (int)i, way);
        }
    }
    turned->constraints = constraints;
    turned->jacobian = turn->jacobian.at;
    return true;
}

bool fil_lcp_turn_again(FilLcpTurn* turn, const FilSapProblem* turned, const double* v, const double* impulse, int directions)
{
    // the circle that fits into the polygon of directions, less what is solved to
    const double sector = 2.0 * FIL_PI / directions, inside = (1.0 - 1e-6) * cos(0.5 * sector);
    bool any = false;
    for (int i = 0; i < turned->constraint_count; i++) {
        const FilSapConstraint* contact = &turned->constraints[i];
        const double *gamma = impulse + 3 * i, least = has_friction(contact) ? contact->contact.mu * gamma[2] * inside : 0.0;
        double slip[2], free[2];
        if (!(least > 0.0) || gamma[0] * gamma[0] + gamma[1] * gamma[1] < least * least) { // bears nothing, or sticks
            continue;
        }
        slips_of(turned, contact, v, slip, free);
        const double speed = hypot(slip[0], slip[1]);
        if (speed > STILL && speed > STOPPED * hypot(free[0], free[1]) && fabs(remainder(atan2(slip[1], slip[0]), sector)) > ASKEW) {
            turn_contact(turn, i, (const double[2]){slip[0] / speed, slip[1] / speed});
            any = true;
        }
    }
    return any;
}

void fil_lcp_turn_back(const FilLcpTurn* turn, int constraint_count, double* impulse)
{
    for (int i = 0; i < constraint_count; i++) {
        const double back[2] = {turn->turns.at[2 * i], -turn->turns.at[2 * i + 1]};
        rotate(back, &impulse[3 * i], &impulse[3 * i + 1]);
    }
}
