#include "plan/interior_step.h"

#include <math.h>
#include <string.h>

// the Hessian's shift (Waechter, Biegler 2006, algorithm IC), in units of 1 / scale^2: the first one and both factors are those of IPOPT's sources;
// its ends, 1e-20 and 1e20, are nearer here, as problems are scaled
static const double FIRST_SHIFT = 1e-4, MIN_SHIFT = 1e-12, LARGEST_SHIFT = 1e12, GROW_FIRST = 100.0, GROW = 8.0;

static double* take(FilArena* arena, int count)
{
    return fil_arena_alloc(arena, (size_t)count, sizeof(double));
}

static bool create_vector(FilArena* arena, const FilPlanProblem* p, FilInteriorVector* v)
{
    const int n = p->stages * p->variables, m = p->stages * p->rows, c = p->stages * p->pair_count;
    *v = (FilInteriorVector){take(arena, n), take(arena, n), take(arena, n), take(arena, m), take(arena, c), take(arena, c)};
    return v->x && v->lower && v->upper && v->multiplier && v->slack && v->relax;
}

bool fil_interior_create(const FilPlanProblem* problem, FilInterior* out)
{
    const int k = problem->stages, n = problem->variables, m = problem->rows, c = problem->carried;
    const int pairs = problem->pair_count;
    *out = (FilInterior){.problem = *problem, .paired = true};
    FilArena* arena = &out->arena;
    bool ok = fil_riccati_create(problem, arena, &out->riccati);
    ok = create_vector(arena, problem, &out->at) && create_vector(arena, problem, &out->step) && ok;
    out->stages = fil_arena_alloc(arena, (size_t)k, sizeof *out->stages);
    double** arrays[] = {&out->row,        &out->trial_row, &out->right_row, &out->pair,         &out->trial_pair,
                         &out->right_pair, &out->trial_x,   &out->right,     &out->right_before, &out->trial_slack};
    const int sizes[] = {m, m, m, pairs, pairs, pairs, n, n, c, pairs};
    for (int i = 0; i < 10; i++) {
        *arrays[i] = take(arena, k * sizes[i]);
        ok = ok && *arrays[i] != NULL;
    }
    for (int s = 0; ok && s < k; s++) {
        const FilRiccatiStage* r = &out->riccati.stage[s];
        out->stages[s] = (FilPlanStage){.row = out->row + s * m,
                                        .cost_own = take(arena, n),
                                        .cost_before = take(arena, c),
                                        .row_own = r->own,
                                        .row_before = r->before,
                                        .own_own = take(arena, n * n),
                                        .own_before = r->mixed,
                                        .before_before = r->corner};
        ok = out->stages[s].cost_own && out->stages[s].cost_before && out->stages[s].own_own;
    }
    return ok && out->stages != NULL;
}

void fil_interior_free(FilInterior* ip)
{
    fil_arena_free(&ip->arena);
}

/* p_k: what a stage is carried over from the one before. */
static void carried(const FilPlanProblem* p, const double* x, int stage, double* out)
{
    for (int i = 0; i < p->carried; i++) {
        out[i] = stage == 0 ? p->before[i] : x[(stage - 1) * p->variables + p->carry[i]];
    }
}

static void clear(const FilPlanProblem* p, FilPlanStage* s)
{
    const size_t n = (size_t)p->variables, m = (size_t)p->rows, c = (size_t)p->carried, d = sizeof(double);
    memset(s->row, 0, d * m);
    memset(s->cost_own, 0, d * n);
    memset(s->cost_before, 0, d * c);
    memset(s->row_own, 0, d * m * n);
    memset(s->row_before, 0, d * m * c);
    memset(s->own_own, 0, d * n * n);
    memset(s->own_before, 0, d * n * c);
    memset(s->before_before, 0, d * c * c);
}

bool fil_interior_evaluate(FilInterior* ip)
{
    const FilPlanProblem* p = &ip->problem;
    double before[256];
    ip->cost = 0.0;
    for (int k = 0; k < p->stages; k++) {
        FilPlanStage* s = &ip->stages[k];
        clear(p, s);
        ip->riccati.stage[k].followed = false;
        carried(p, ip->at.x, k, before);
        if (!p->evaluate(p->data, k, before, ip->at.x + k * p->variables, ip->at.multiplier + k * p->rows, FIL_PLAN_SECOND, s)) {
            return false;
        }
        ip->cost += s->cost;
    }
    fil_interior_pairs(ip, ip->at.x, ip->at.slack, ip->pair);
    return isfinite(ip->cost);
}

void fil_interior_pairs(const FilInterior* ip, const double* x, const double* slack, double* residual)
{
    const FilPlanProblem* p = &ip->problem;
    for (int k = 0; k < p->stages; k++) {
        for (int i = 0; i < p->pair_count; i++) {
            const double *own = x + k * p->variables, product = own[p->pairs[i].a] * own[p->pairs[i].b];
            const int at = k * p->pair_count + i;
            residual[at] = ip->paired ? product / p->pairs[i].unit + slack[at] - ip->relaxation : 0.0;
        }
    }
}

double fil_interior_worst_pair(const FilInterior* ip, const double* x)
{
    const FilPlanProblem* p = &ip->problem;
    double worst = 0.0;
    for (int k = 0; k < p->stages; k++) {
        for (int i = 0; i < p->pair_count; i++) {
            const double* own = x + k * p->variables;
            worst = fmax(worst, fabs(own[p->pairs[i].a] * own[p->pairs[i].b]) / p->pairs[i].unit);
        }
    }
    return worst;
}

/* Gradient of cost and rows, without the part that a stage gets from the next one. */
static void lagrangian(const FilInterior* ip, int k, double* own, double* before)
{
    const FilPlanProblem* p = &ip->problem;
    const FilPlanStage* s = &ip->stages[k];
    const double* l = ip->at.multiplier + k * p->rows;
    for (int j = 0; j < p->variables; j++) {
        double sum = s->cost_own[j];
        for (int i = 0; i < p->rows; i++) {
            sum += s->row_own[j * p->rows + i] * l[i];
        }
        own[j] = sum;
    }
    for (int j = 0; j < p->carried; j++) {
        double sum = s->cost_before[j];
        for (int i = 0; i < p->rows; i++) {
            sum += s->row_before[j * p->rows + i] * l[i];
        }
        before[j] = sum;
    }
}

/* The worst of the Lagrangian's gradient, unscaled: cost, rows, bounds and pairs. */
static double dual_error(const FilInterior* ip)
{
    const FilPlanProblem* p = &ip->problem;
    const int n = p->variables;
    double worst = 0.0, before[256], *own = ip->right;
    for (int k = p->stages - 1; k >= 0; k--) {
        if (k + 1 == p->stages) {
            lagrangian(ip, k, own + k * n, before);
        }
        for (int j = 0; j < n; j++) {
            own[k * n + j] += ip->at.upper[k * n + j] - ip->at.lower[k * n + j];
        }
        for (int i = 0; ip->paired && i < p->pair_count; i++) {
            const FilPlanPair* pair = &p->pairs[i];
            const double w = ip->at.relax[k * p->pair_count + i] / pair->unit, *x = ip->at.x + k * n;
            own[k * n + pair->a] += w * x[pair->b];
            own[k * n + pair->b] += w * x[pair->a];
        }
        for (int j = 0; j < n; j++) {
            worst = fmax(worst, fabs(own[k * n + j]) * p->scale[j]);
        }
        if (k > 0) {
            double next[256];
            lagrangian(ip, k - 1, own + (k - 1) * n, next);
            for (int i = 0; i < p->carried; i++) {
                own[(k - 1) * n + p->carry[i]] += before[i];
            }
            memcpy(before, next, sizeof(double) * (size_t)p->carried);
        }
    }
    return worst;
}

FilInteriorError fil_interior_error(const FilInterior* ip, double barrier)
{
    const FilPlanProblem* p = &ip->problem;
    const int n = p->stages * p->variables, pairs = ip->paired ? p->stages * p->pair_count : 0;
    FilInteriorError e = {0.0, 0.0, dual_error(ip), 0.0};
    double sum = 0.0;
    int bounds = 0;
    for (int i = 0; i < p->stages * p->rows; i++) {
        e.row = fmax(e.row, fabs(ip->row[i]));
    }
    for (int j = 0; j < n; j++) {
        if (p->lower[j] > -INFINITY) {
            e.complement = fmax(e.complement, fabs(ip->at.lower[j] * (ip->at.x[j] - p->lower[j]) - barrier));
            sum += ip->at.lower[j] * p->scale[j % p->variables];
            bounds++;
        }
        if (p->upper[j] < INFINITY) {
            e.complement = fmax(e.complement, fabs(ip->at.upper[j] * (p->upper[j] - ip->at.x[j]) - barrier));
            sum += ip->at.upper[j] * p->scale[j % p->variables];
            bounds++;
        }
    }
    for (int i = 0; i < pairs; i++) {
        e.pair = fmax(e.pair, fabs(ip->pair[i]));
        e.complement = fmax(e.complement, fabs(ip->at.relax[i] * ip->at.slack[i] - barrier));
        sum += ip->at.relax[i];
    }
    // large multipliers make large gradients: measured against their mean (ibid., eq. 6)
    const double mean = sum / fmax(1.0, bounds + pairs), scale = fmax(100.0, mean) / 100.0;
    e.dual /= scale;
    e.complement /= scale;
    return e;
}

/* ---- Newton's equations ---- */

/* Hessian of cost, rows, bounds and pairs, plus shift / scale^2. */
static void assemble(FilInterior* ip, double shift)
{
    const FilPlanProblem* p = &ip->problem;
    const int n = p->variables;
    for (int k = 0; k < p->stages; k++) {
        double* h = ip->riccati.stage[k].hessian;
        const double *x = ip->at.x + k * n, *zl = ip->at.lower + k * n, *zu = ip->at.upper + k * n;
        memcpy(h, ip->stages[k].own_own, sizeof(double) * (size_t)(n * n));
        for (int j = 0; j < n; j++) {
            double* d = &h[j * n + j];
            const double lower = p->lower[k * n + j], upper = p->upper[k * n + j];
            *d += shift / (p->scale[j] * p->scale[j]);
            *d += lower > -INFINITY ? zl[j] / (x[j] - lower) : 0.0;
            *d += upper < INFINITY ? zu[j] / (upper - x[j]) : 0.0;
        }
        for (int i = 0; ip->paired && i < p->pair_count; i++) {
            const int a = p->pairs[i].a, b = p->pairs[i].b, at = k * p->pair_count + i;
            const double u = 1.0 / p->pairs[i].unit, w = ip->at.relax[at], s = w / ip->at.slack[at] * u * u;
            h[a * n + a] += s * x[b] * x[b];
            h[b * n + b] += s * x[a] * x[a];
            h[a * n + b] += s * x[a] * x[b] + w * u;
            h[b * n + a] += s * x[a] * x[b] + w * u;
        }
    }
}

bool fil_interior_factor(FilInterior* ip, double min)
{
    double shift = min;
    for (;;) {
        assemble(ip, shift);
        ip->factorisations++;
        const FilRiccatiResult result = fil_riccati_factor(&ip->riccati);
        if (result == FIL_RICCATI_DONE) {
            ip->shift = shift > 0.0 ? shift : ip->shift;
            return true;
        }
        if (result == FIL_RICCATI_SINGULAR || shift > LARGEST_SHIFT) {
            return false;
        }
        if (shift == 0.0) {
            shift = ip->shift == 0.0 ? FIRST_SHIFT : fmax(MIN_SHIFT, ip->shift / 3.0);
        } else {
            shift *= ip->shift == 0.0 ? GROW_FIRST : GROW;
        }
    }
}

/* Right-hand side of the rows of x: bounds and pairs eliminated. */
static void right_hand_side(FilInterior* ip, const double* pair_residual)
{
    const FilPlanProblem* p = &ip->problem;
    const int n = p->variables;
    for (int k = 0; k < p->stages; k++) {
        double* g = ip->right + k * n;
        const double* x = ip->at.x + k * n;
        lagrangian(ip, k, g, ip->right_before + k * p->carried);
        for (int j = 0; j < n; j++) {
            const double lower = p->lower[k * n + j], upper = p->upper[k * n + j];
            g[j] -= lower > -INFINITY ? ip->barrier / (x[j] - lower) : 0.0;
            g[j] += upper < INFINITY ? ip->barrier / (upper - x[j]) : 0.0;
        }
        for (int i = 0; ip->paired && i < p->pair_count; i++) {
            const int a = p->pairs[i].a, b = p->pairs[i].b, at = k * p->pair_count + i;
            const double t = ip->at.slack[at], u = 1.0 / p->pairs[i].unit;
            const double w = u * (ip->barrier + ip->at.relax[at] * pair_residual[at]) / t;
            g[a] += w * x[b];
            g[b] += w * x[a];
        }
    }
}

void fil_interior_solve(FilInterior* ip, const double* row, const double* pair)
{
    const FilPlanProblem* p = &ip->problem;
    const int n = p->variables;
    right_hand_side(ip, pair);
    fil_riccati_solve(&ip->riccati, ip->right, ip->right_before, row, ip->step.x, ip->step.multiplier);
    for (int j = 0; j < p->stages * n; j++) {
        const double x = ip->at.x[j], dx = ip->step.x[j], zl = ip->at.lower[j], zu = ip->at.upper[j];
        const double below = x - p->lower[j], above = p->upper[j] - x;
        ip->step.lower[j] = p->lower[j] > -INFINITY ? ip->barrier / below - zl - zl / below * dx : 0.0;
        ip->step.upper[j] = p->upper[j] < INFINITY ? ip->barrier / above - zu + zu / above * dx : 0.0;
    }
    for (int k = 0; ip->paired && k < p->stages; k++) {
        for (int i = 0; i < p->pair_count; i++) {
            const int a = k * n + p->pairs[i].a, b = k * n + p->pairs[i].b, at = k * p->pair_count + i;
            const double change = (ip->at.x[b] * ip->step.x[a] + ip->at.x[a] * ip->step.x[b]) / p->pairs[i].unit;
            const double t = ip->at.slack[at], w = ip->at.relax[at];
            ip->step.slack[at] = -pair[at] - change;
            ip->step.relax[at] = ip->barrier / t - w - w / t * ip->step.slack[at];
        }
    }
}

/* Largest fraction of dv that leaves v a share of itself. */
static void limit(const double v, const double dv, const double share, double* fraction)
{
    if (dv < 0.0 && -dv * *fraction > share * v) {
        *fraction = share * v / -dv;
    }
}

void fil_interior_limits(const FilInterior* ip, double* primal, double* dual)
{
    const FilPlanProblem* p = &ip->problem;
    const double share = fmax(0.99, 1.0 - ip->barrier);  // Waechter and Biegler (2006), eq. 8
    *primal = *dual = 1.0;
    for (int j = 0; j < p->stages * p->variables; j++) {
        if (p->lower[j] > -INFINITY) {
            limit(ip->at.x[j] - p->lower[j], ip->step.x[j], share, primal);
            limit(ip->at.lower[j], ip->step.lower[j], share, dual);
        }
        if (p->upper[j] < INFINITY) {
            limit(p->upper[j] - ip->at.x[j], -ip->step.x[j], share, primal);
            limit(ip->at.upper[j], ip->step.upper[j], share, dual);
        }
    }
    for (int i = 0; ip->paired && i < p->stages * p->pair_count; i++) {
        limit(ip->at.slack[i], ip->step.slack[i], share, primal);
        limit(ip->at.relax[i], ip->step.relax[i], share, dual);
    }
}
