#include "contact/lcp_turn.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* m/s, chosen: what is slower may be about to stick, and needs its friction along what pulls it, not along what is left of its slip: a cube that a
 * gripper holds at 1.03 of the least friction slipped through with 1e-4 m/s here, and holds with this. */
static const double STILL = 0.05;

/* Of mu times what presses: what pulls less is held along any direction, of four as of more, and may be rounding alone. */
static const double PULLS = 0.5;

/* How much larger the slip of the step's start is than what a step without contacts adds to it, where it slips and does not begin to. Of a rod's edge
 * more: its way is known to a tenth of a radian then, friction within 0.5 %. */
static const double SLIPS = 1.0, CERTAIN = 10.0;

void fil_lcp_turn_free(FilLcpTurn* turn)
{
    fil_free(turn->turns.at);
    fil_free(turn->jacobian.at);
    fil_free(turn->constraints);
}

/* What the first so many blocks of a contact make of velocities, tangents first. */
static void add_velocity(const FilSapProblem* from, const FilSapConstraint* contact, int blocks, const double* v, double sign, double* velocity)
{
    for (int b = contact->first_block; b < contact->first_block + blocks; b++) {
        const double *j = from->jacobian + FIL_SAP_JACOBIAN * (size_t)b, *own = v + FIL_BLOCK * (size_t)from->block[b];
        for (int k = 0; k < FIL_SAP_JACOBIAN; k++) {
            velocity[k / FIL_BLOCK] += sign * j[k] * own[k % FIL_BLOCK];
        }
    }
}

/* The way that a contact is pulled, by what free motion adds: to one side against the other, or else to one alone, as it is held by what the other
 * rests on. False: not much. */
static bool find_pull(const FilSapProblem* from, const FilSapConstraint* contact, const double* v, double* way)
{
    for (int blocks = contact->block_count; blocks > 0; blocks = blocks > 1 ? 1 : 0) {
        double pull[3] = {0.0};
        add_velocity(from, contact, blocks, from->v_free, 1.0, pull);
        add_velocity(from, contact, blocks, v, -1.0, pull);
        const double size = hypot(pull[0], pull[1]);
        if (size > PULLS * contact->contact.mu * fabs(pull[2])) {
            way[0] = pull[0] / size, way[1] = pull[1] / size;
            return true;
        }
    }
    return false;
}

/* The way that a contact slips: the mean of the step's start and of free motion, where the step's start is most of it; or that it is pulled. What
 * sticks to a rod's edge has a slip of (v dt)^2/2R by the curvature within a step, any way, and rods without their contacts move otherwise than with
 * them. False: neither. */
static bool find_way(const FilSapProblem* from, const FilSapConstraint* contact, const double* v, double* way)
{
    double now[3], free[3];
    for (int k = 0; k < 3; k++) {
        now[k] = free[k] = contact->bias[k];
    }
    add_velocity(from, contact, contact->block_count, v, 1.0, now);
    add_velocity(from, contact, contact->block_count, from->v_free, 1.0, free);
    const double sum[2] = {now[0] + free[0], now[1] + free[1]}, speed = hypot(sum[0], sum[1]);
    const double share = contact->contact.redundant ? CERTAIN : SLIPS;
    if (speed > 2.0 * STILL && hypot(now[0], now[1]) >= share * hypot(free[0] - now[0], free[1] - now[1])) {
        way[0] = sum[0] / speed, way[1] = sum[1] / speed;
        return true;
    }
    return !contact->contact.redundant && find_pull(from, contact, v, way);
}

/* (a, b) <- (cos a + sin b, cos b - sin a) */
static void rotate(const double* turn, double* a, double* b)
{
    const double old = *a;
    *a = turn[0] * old + turn[1] * *b;
    *b = turn[0] * *b - turn[1] * old;
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
    if (blocks > 0) {
        memcpy(turn->jacobian.at, from->jacobian, FIL_SAP_JACOBIAN * blocks * sizeof(double));
    }
    for (size_t i = 0; i < m; i++) {
        FilSapConstraint* constraint = &constraints[i];
        double* own = turn->turns.at + 2 * i;
        own[0] = 1.0, own[1] = 0.0;
        if (constraint->kind == FIL_SAP_BOUNDED || !(constraint->contact.mu > 0.0) || !find_way(from, constraint, v, own)) {
            continue;
        }
        rotate(own, &constraint->bias[0], &constraint->bias[1]);
        for (int b = constraint->first_block; b < constraint->first_block + constraint->block_count; b++) {
            double* j = turn->jacobian.at + FIL_SAP_JACOBIAN * (size_t)b;
            for (int c = 0; c < FIL_BLOCK; c++) {
                rotate(own, &j[c], &j[FIL_BLOCK + c]);
            }
        }
    }
    turned->constraints = constraints;
    turned->jacobian = turn->jacobian.at;
    return true;
}

void fil_lcp_turn_back(const FilLcpTurn* turn, int constraint_count, double* impulse)
{
    for (int i = 0; i < constraint_count; i++) {
        const double back[2] = {turn->turns.at[2 * i], -turn->turns.at[2 * i + 1]};
        rotate(back, &impulse[3 * i], &impulse[3 * i + 1]);
    }
}
