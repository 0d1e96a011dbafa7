#include "plan/ball_plan.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/quat.h"

/* ---- the problem ---- */

/* Usual sizes, by which shifts, pushes and gradients are measured; chosen for P1's arm of 0.45 m, its ball of 50 mm and turns of 4 s, in m, m/s, N
 * and rad/s. */
static void fill_scale(const FilBallTurn* turn, const FilBallLayout* o, double* scale)
{
    for (int i = 0; i < o->joints; i++) {
        scale[o->l + i] = 0.05;
        scale[o->v + i] = 0.1;
        scale[o->tau + i] = turn->kinematic ? 0.1 : 10.0;
    }
    for (int k = 0; k < 4; k++) {
        scale[o->q + k] = 1.0;
    }
    for (int k = 0; k < 3; k++) {
        scale[o->w + k] = 1.0;
    }
    scale[o->gap] = 0.01;
    scale[o->cone] = scale[o->f] = 1.0;
    scale[o->face] = 1.0;
    scale[o->g] = 0.1;
    for (int i = 0; i < turn->directions; i++) {
        scale[o->slip + i] = 0.1;
        scale[o->b + i] = 1.0;
    }
}

static void fill_bounds(const FilBallTurn* turn, const FilBallBounds* bounds, const FilBallLayout* o, double* lower, double* upper)
{
    for (int k = 0; k < turn->stages; k++) {
        double *low = lower + k * o->variables, *high = upper + k * o->variables;
        for (int j = 0; j < o->variables; j++) {
            low[j] = (j >= o->gap && j < o->tau) || j >= o->f ? 0.0 : -INFINITY;
            high[j] = INFINITY;
        }
        for (int i = 0; i < o->joints; i++) {
            low[o->l + i] = bounds->elongation[0];
            high[o->l + i] = bounds->elongation[1];
            low[o->tau + i] = turn->kinematic ? -INFINITY : -bounds->effort;
            high[o->tau + i] = turn->kinematic ? INFINITY : bounds->effort;
        }
        low[o->f] = bounds->normal_force[0];
        high[o->f] = bounds->normal_force[1];
        high[o->g] = bounds->slip;
        for (int i = 0; i < 3; i++) {
            const double spin = bounds->spin[i] > 0.0 ? bounds->spin[i] : INFINITY;
            low[o->w + i] = -spin;
            high[o->w + i] = spin;
        }
    }
}

/* The last orientation: q and -q are the same one, and the nearer to the start is meant. An error of the angle a is one of a/2 in
 * all components together, so that a/4 in each keeps it. */
static void bound_target(const FilBallTurn* turn, const FilBallBounds* bounds, const FilBallLayout* o, const double* start, double* lower,
                         double* upper)
{
    const int last = (turn->stages - 1) * o->variables + o->q;
    double along = 0.0;
    for (int k = 0; k < 4; k++) {
        along += start[o->q + k] * turn->target[k];
    }
    for (int k = 0; k < 4 && bounds->target > 0.0; k++) {
        const double q = along < 0.0 ? -turn->target[k] : turn->target[k];
        lower[last + k] = q - 0.25 * bounds->target;
        upper[last + k] = q + 0.25 * bounds->target;
    }
}

bool fil_ball_problem_create(const FilBallTurn* turn, const FilBallBounds* bounds, const double* start, FilPlanMesh* out)
{
    const FilBallLayout o = fil_ball_layout(turn);
    const FilPlanProblem sizes = {.stages = turn->stages,
                                  .variables = o.variables,
                                  .rows = o.rows,
                                  .carried = o.carried,
                                  .pair_count = turn->directions + 2,
                                  .evaluate = fil_ball_evaluate};
    if (!fil_plan_mesh_create(&sizes, turn, sizeof *turn, out)) {
        return false;
    }
    fill_bounds(turn, bounds, &o, out->lower, out->upper);
    bound_target(turn, bounds, &o, start, out->lower, out->upper);
    fill_scale(turn, &o, out->scale);
    memcpy(out->before, start, sizeof(double) * (size_t)o.carried);
    out->carry[o.carried - 1] = o.f;
    out->pairs[0] = (FilPlanPair){o.gap, o.f, 1.0};
    out->pairs[1] = (FilPlanPair){o.cone, o.g, 1.0};
    for (int i = 0; i < turn->directions; i++) {
        out->pairs[2 + i] = (FilPlanPair){o.slip + i, o.b + i, 1.0};
    }
    return true;
}

/* ---- first guesses ---- */

/* Variables that their rows define, and the efforts that hold the arm where it is. */
static void settle(const FilBallTurn* turn, const FilBallLayout* o, int stage, const double* p, double* x)
{
    double row[128] = {0.0};
    FilPlanStage out = {.row = row};
    for (int i = 0; i < o->joints; i++) {
        x[o->tau + i] = 0.0;
    }
    if (!fil_ball_evaluate(turn, stage, p, x, NULL, FIL_PLAN_VALUES, &out)) {
        return;
    }
    for (int i = 0; i < o->joints; i++) {
        x[o->tau + i] = turn->kinematic ? row[o->v + i] : row[o->v + i] / turn->step;
    }
    for (int j = o->gap; j < o->tau; j++) {
        x[j] -= row[j];
    }
}

void fil_ball_guess(const FilPlanMesh* mesh, double share, double noise, unsigned seed, double* x)
{
    const FilBallTurn* turn = mesh->data;
    const FilBallLayout o = fil_ball_layout(turn);
    const double* start = mesh->problem.before;
    const FilQuat from = {start[o.q], start[o.q + 1], start[o.q + 2], start[o.q + 3]};
    const FilQuat back = {-from.x, -from.y, -from.z, from.w};
    const FilQuat to = {turn->target[0], turn->target[1], turn->target[2], turn->target[3]};
    double rotation[3], p[128];
    fil_quat_logarithm(fil_quat_multiply(to, back), rotation);
    fil_v3_scale(rotation, share, rotation);
    memcpy(p, start, sizeof(double) * (size_t)o.carried);
    for (int k = 0; k < turn->stages; k++) {
        double *own = x + k * o.variables, part[3];
        const double t = (k + 1.0) / turn->stages;
        memset(own, 0, sizeof(double) * (size_t)o.variables);
        for (int i = 0; i < o.joints; i++) {
            own[o.l + i] = start[o.l + i] + (noise > 0.0 ? noise * fil_plan_wave(seed, (unsigned)i, t) : 0.0);
            own[o.v + i] = (own[o.l + i] - p[o.l + i]) / turn->step;
        }
        fil_v3_scale(part, t, rotation);
        const FilQuat q = fil_quat_multiply(fil_quat_exponential(part), from);
        own[o.q] = q.x, own[o.q + 1] = q.y, own[o.q + 2] = q.z, own[o.q + 3] = q.w;
        fil_v3_scale(own + o.w, 1.0 / (turn->step * turn->stages), rotation);
        own[o.f] = 1.0;
        // of the usual size
        own[o.g] = 0.1;
        for (int i = 0; i < turn->directions; i++) {
            own[o.b + i] = 0.5 * turn->friction / turn->directions;
        }
        settle(turn, &o, k, p, own);
        memcpy(p, own, sizeof(double) * (size_t)o.gap);
        p[o.carried - 1] = own[o.f];
    }
}

void fil_ball_hold(const FilPlanMesh* mesh, double* x)
{
    const FilBallTurn* turn = mesh->data;
    const FilBallLayout o = fil_ball_layout(turn);
    double p[128];
    memcpy(p, mesh->problem.before, sizeof(double) * (size_t)o.carried);
    for (int k = 0; k < turn->stages; k++) {
        double* own = x + k * o.variables;
        settle(turn, &o, k, p, own);
        memcpy(p, own, sizeof(double) * (size_t)o.gap);
        p[o.carried - 1] = own[o.f];
    }
}

/* ---- judging ---- */

static void look(const void* data, const double* x, const double* row, FilPlanQuality* quality)
{
    const FilBallTurn* turn = data;
    const FilBallLayout o = fil_ball_layout(turn);
    quality->gap_pair = fmax(quality->gap_pair, fabs(x[o.gap] * x[o.f]));
    quality->slip_pair = fmax(quality->slip_pair, fabs(x[o.cone] * x[o.g]));
    for (int i = 0; i < turn->directions; i++) {
        quality->slip_pair = fmax(quality->slip_pair, fabs(x[o.slip + i] * x[o.b + i]));
    }
    // what the row leaves of the gap is penetration, too
    quality->penetration = fmax(quality->penetration, -(x[o.gap] - row[o.gap]));
    // 1 mN: a hundredth of the least that `bounds: normal_force` asks for by default
    quality->contact += x[o.f] > 1e-3 ? 1.0 : 0.0;
}

FilPlanQuality fil_ball_judge(const FilPlanMesh* mesh, const double* x)
{
    const FilBallTurn* turn = mesh->data;
    const FilBallLayout o = fil_ball_layout(turn);
    const double* q = x + (turn->stages - 1) * o.variables + o.q;
    FilPlanQuality quality;
    if (fil_plan_walk(&mesh->problem, x, look, &quality)) {
        double along = 0.0, size = 0.0;
        for (int k = 0; k < 4; k++) {
            along += q[k] * turn->target[k];
            size += q[k] * q[k];
        }
        quality.turn_miss = 2.0 * asin(sqrt(fmin(1.0, fmax(0.0, 1.0 - along * along / size))));
    }
    return quality;
}
