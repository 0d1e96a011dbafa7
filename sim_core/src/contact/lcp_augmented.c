/* The LCP of a large island by multipliers. Friction of the greatest dissipation within mu f, and f complementary to
 * w = c_n - target + R f, are together one condition (de Saxce and Feng 1998): gamma lies in the pyramid of impulses, (c_t, w + mu g)
 * in its dual cone, g the slip speed of c_t, and the two are orthogonal. With g given, that is the optimum of a convex problem in
 * velocities. Of every contact an impulse and a slip speed are kept; with those
 *     gamma = the point of the pyramid nearest to kept - rho (c_t, c_n - target + mu g)        (lcp_multiplier.c has R)
 * makes the momentum balance
 *     S x = J' gamma(c),   c = free + J x
 * the minimum of a convex, piecewise quadratic function of x: Newton with an exact line search finds it in finitely
 * many steps, each with one factor of S + J' G J (contact/sap_system.h). Then kept <- gamma, g <- slip speed of c_t, and again. A
 * fixed point solves the LCP, whatever rho. As G is piecewise constant a factor serves until a contact changes between apart,
 * sticking, sliding along a side and at a corner: at the end each round costs one solve.
 *
 * What is carried from round to round are velocities: they are unique where impulses of contacts that depend on each other are
 * not (those that alternate along a rope's edges push no node), and gamma is within mu f in every round.
 *
 * Limits and joints are springs with clamped impulses and need no multipliers. */
#include "contact/lcp_augmented.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/lcp_multiplier.h"
#include "contact/lcp_problem.h"
#include "linalg/extrapolate.h"

/* rho times the compliance that A's diagonal gives a contact. Little, and multipliers take many rounds; much, and where contacts
 * depend on each other a small error of slip moves all load from one to the other. Begun with the first (tried 1 to 1e3 on ropes, piles,
 * capstans), and scaled by GROWS within the other two, whichever of the two errors is the larger, where WINDOW rounds have not reduced
 * the worst miss to SLOW (windows of 5, 10, 20 tried on nets and strips on cloth: about the same). */
#define STIFFNESS_FIRST 1e2
#define MIN_STIFFNESS 1.0
#define MAX_STIFFNESS 1e6
#define STIFFNESS_GROWS 10.0
#define SLOW 0.2
#define WORSE 2.0
enum { WINDOW = 5 };

/* Worst miss of velocities, relative, that is enough after PATIENCE rounds: with 0.1 m/s it is 1e-7 m/s. Beyond that, contacts that depend
 * on each other exchange loads which move nothing. */
#define ENOUGH 1e-6
enum { PATIENCE = 30 };

/* A contact with less compliance than this, 1/kg, is between objects that are held: no impulse moves them. */
#define IMMOVABLE 1e-17

/* Momentum residual, relative, at which a round is done, and the last one: reported forces are judged to 1e-9. */
#define BALANCED 1e-10
#define BALANCED_LAST 1e-13

/* Share of the friction limit below which a guessed contact sticks. */
#define STICKS 0.99

/* Of the slope along a step against its start: a better minimum saves no factors (tried 1e-6 to 0.3). */
#define LINE_SEARCH_TOLERANCE 1e-2

/* Line-search evaluations; factors of a solve, in max_iterations. */
/* and rounds that slip speeds are extrapolated from while branches change; steps with one factor that do not halve the residual; steps of a round, of
 * which those that converge take up to 30 */
enum { MAX_LINE_SEARCH = 60, MAX_FACTORS = 10, UNSETTLED = 5, MAX_STILL = 5, MAX_STEPS = 100 };

typedef struct Item {
    bool contact;
    FilSapLaw law;          /* of a joint or limit */
    FilLcpMultiplier holds; /* of a contact */
} Item;

/* What a solve works on: n numbers of participants, m constraints. */
typedef struct Work {
    FilLcpAugmented* own;
    FilSapSystem* system;
    const FilSapProblem* problem;
    Item* items;
    FilLcpPolygon polygon; /* of friction directions */
    int n, m;
    double speed;          /* m/s, that residuals are relative to */
    double stiffness, max; /* rho times the compliance of each contact, and up to where round-off allows */
    /* all variables: */
    double *change, *momentum, *guess;
    /* participants: */
    double *mass_inverse, *x, *p, *dx, *dp, *j;
    /* constraints, 3 each: */
    double *free, *c, *dc, *trial, *gamma;
    double *hessian, *factored; /* 9 each: at c, and in the factor */
    double *next, *error;       /* 4 of each constraint: impulse and slip of the next round, as velocities */
    double* history;            /* the same of the last rounds */
    int factors, settled;       /* factors so far; rounds since the last */
    int round;                  /* since rho last changed */
    bool fresh;                 /* the factor is that of `hessian` */
    bool rough;                 /* round-off ended the last balance */
} Work;

bool fil_lcp_augmented_init(FilLcpAugmented* augmented)
{
    *augmented = (FilLcpAugmented){.items = NULL};
    return fil_sap_system_init(&augmented->system);
}

void fil_lcp_augmented_free(FilLcpAugmented* augmented)
{
    fil_sap_system_free(&augmented->system);
    fil_free(augmented->vectors.at);
    fil_free(augmented->items);
}

static bool reserve(Work* w)
{
    const size_t all = FIL_BLOCK * (size_t)w->problem->pattern.columns, m = (size_t)w->m;
    const size_t n = FIL_BLOCK * (size_t)w->system->participants;
    const struct {
        double** vector;
        size_t size;
    } parts[] = {
        // clang-format off
        {&w->change, all}, {&w->momentum, all}, {&w->guess, all}, {&w->mass_inverse, n}, {&w->x, n},
        {&w->p, n}, {&w->dx, n}, {&w->dp, n}, {&w->j, n}, {&w->free, 3 * m},
        {&w->c, 3 * m}, {&w->dc, 3 * m}, {&w->trial, 3 * m}, {&w->gamma, 3 * m}, {&w->hessian, 9 * m},
        {&w->factored, 9 * m}, {&w->history, fil_extrapolate_size(4 * w->m)}, {&w->next, 4 * m}, {&w->error, 4 * m},
        // clang-format on
    };
    size_t total = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        total += parts[k].size;
    }
    if (!fil_doubles_reserve(&w->own->vectors, total) || !fil_buffer_reserve(&w->own->items, &w->own->item_capacity, m, sizeof(Item))) {
        return false;
    }
    double* next = w->own->vectors.at;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k].vector = next;
        next += parts[k].size;
    }
    w->items = w->own->items;
    w->n = (int)n;
    return true;
}

/* ---- laws ---- */

static bool prepare_contact(Work* w, const FilLcpSettings* settings, int i, Item* item)
{
    const FilLcpUnit unit = fil_lcp_contact_unit(w->problem, settings, i);
    item->contact = true;
    item->holds.mu = unit.mu;
    item->holds.target = unit.target;
    if (!fil_sap_compliance_of(w->problem, &w->problem->constraints[i], &item->holds.scale)) {
        return false;
    }
    item->holds.said = unit.compliance;
    item->holds.rigid = !isfinite(w->problem->constraints[i].contact.stiffness);
    return true;
}

/* False if a diagonal block of A is missing or not positive definite. */
static bool prepare(Work* w, const FilLcpSettings* settings)
{
    const FilSapOptions sap = fil_sap_options_default();
    const FilSapScales scales = {w->problem->dt, sap.rigidity, sap.stick, sap.slip_velocity};
    memset(w->items, 0, sizeof *w->items * (size_t)w->m);
    for (int i = 0; i < w->m; i++) {
        const FilSapConstraint* constraint = &w->problem->constraints[i];
        Item* item = &w->items[i];
        double compliance;
        if (constraint->kind != FIL_SAP_BOUNDED) {
            if (!prepare_contact(w, settings, i, item)) {
                return false;
            }
            continue;
        }
        if (!fil_sap_compliance_of(w->problem, constraint, &compliance)) {
            return false;
        }
        fil_sap_kinds[FIL_SAP_BOUNDED].prepare(constraint, compliance, &scales, &item->law);
    }
    return true;
}

static void evaluate(Work* w, const double* c)
{
    for (int i = 0; i < w->m; i++) {
        if (w->items[i].contact) {
            fil_lcp_multiplier_respond(&w->items[i].holds, &w->polygon, c + 3 * i, w->gamma + 3 * i, w->hessian + 9 * i);
            continue;
        }
        FilSapResponse response;
        fil_sap_kinds[FIL_SAP_BOUNDED].evaluate(&w->items[i].law, c + 3 * i, &response);
        memcpy(w->gamma + 3 * i, response.impulse, sizeof response.impulse);
        memcpy(w->hessian + 9 * i, response.hessian, sizeof response.hessian);
    }
}

/* ---- one round: the convex problem ---- */

static double dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* dp = J' gamma - S x; returns its size relative to the impulses'. */
static double residual(Work* w)
{
    fil_sap_system_multiply_transposed(w->system, w->problem, w->gamma, w->j);
    double rest = 0.0, size = DBL_MIN;
    for (int k = 0; k < w->n; k++) {
        const double r = w->j[k] - w->p[k];
        w->dp[k] = r;
        rest += r * r * w->mass_inverse[k];
        size += fmax(w->j[k] * w->j[k], w->p[k] * w->p[k]) * w->mass_inverse[k];
    }
    return sqrt(rest / size);
}

/* dx = (S + J' G J)^-1 (J' gamma - S x), dc = J dx, dp = S dx = right-hand side - J' G dc. */
static void find_direction(Work* w)
{
    memcpy(w->dx, w->dp, (size_t)w->n * sizeof *w->dx);
    fil_sap_system_solve(w->system, w->dx);
    fil_sap_system_multiply(w->system, w->problem, w->dx, w->dc);
    for (int i = 0; i < w->m; i++) {
        fil_m3_apply(w->trial + 3 * i, w->factored + 9 * i, w->dc + 3 * i);
    }
    fil_sap_system_multiply_transposed(w->system, w->problem, w->trial, w->j);
    for (int k = 0; k < w->n; k++) {
        w->dp[k] -= w->j[k];
    }
}

/* The minimum along dx: the slope rises and is piecewise linear, so Newton inside a bracket ends at it. Leaves the
 * responses there. */
static double line_search(Work* w)
{
    const double dx_p = dot(w->dx, w->p, w->n), dx_dp = dot(w->dx, w->dp, w->n);
    const double start = fabs(dx_p - dot(w->gamma, w->dc, 3 * w->m));
    double low = 0.0, high = INFINITY, alpha = 1.0, last = start;
    for (int k = 1;; k++) {
        for (int i = 0; i < 3 * w->m; i++) {
            w->trial[i] = w->c[i] + alpha * w->dc[i];
        }
        evaluate(w, w->trial);
        double slope = dx_p + alpha * dx_dp, curvature = dx_dp, size = fabs(dx_p) + fabs(alpha * dx_dp);
        for (int i = 0; i < w->m; i++) {
            const double *u = w->dc + 3 * i, work = fil_v3_dot(w->gamma + 3 * i, u);
            double gu[3];
            fil_m3_apply(gu, w->hessian + 9 * i, u);
            slope -= work;
            size += fabs(work);
            curvature += fil_v3_dot(u, gu);
        }
        const double rest = fabs(slope);
        if (!(rest > LINE_SEARCH_TOLERANCE * start) || rest <= 4.0 * DBL_EPSILON * size || high - low <= DBL_EPSILON * low || k == MAX_LINE_SEARCH) {
            return alpha;
        }
        *(slope < 0.0 ? &low : &high) = alpha;
        const double newton = alpha - slope / curvature;
        if (newton > low && newton < high && (k == 1 || rest < 0.5 * last)) {
            alpha = newton;
        } else {
            alpha = isinf(high) ? 2.0 * low : 0.5 * (low + high);
        }
        last = rest;
    }
}

/* Factors anew if a contact has changed its branch since. */
static bool factor(Work* w)
{
    const size_t size = 9 * sizeof(double) * (size_t)w->m;
    if (w->fresh && memcmp(w->hessian, w->factored, size) == 0) {
        return true;
    }
    memcpy(w->factored, w->hessian, size);
    w->fresh = fil_sap_system_factor(w->system, w->problem, w->factored);
    return w->fresh;
}

/* p = S x from A itself, so that nothing drifts. */
static void refresh(Work* w, double* v)
{
    fil_sap_system_expand(w->system, w->problem, w->x, v);
    for (int k = 0; k < FIL_BLOCK * w->problem->pattern.columns; k++) {
        w->change[k] = v[k] - w->problem->v_free[k];
    }
    fil_block_multiply(&w->problem->pattern, w->problem->a, w->change, w->momentum);
    fil_sap_system_reduce(w->system, w->momentum, w->p);
    fil_sap_system_multiply(w->system, w->problem, w->x, w->c);
    for (int k = 0; k < 3 * w->m; k++) {
        w->c[k] += w->free[k];
    }
}

/* Minimises for the multipliers and limits as they are. Sets w->rough where round-off, which grows with rho, ends that above what
 * is asked for: with branches as they are Newton's method is done in one step, and repeats of it only refine. */
static FilStatus balance(Work* w, double tolerance, const FilLcpSettings* settings, double* v, FilLcpStats* stats)
{
    refresh(w, v);
    evaluate(w, w->c);
    double rest = residual(w);
    int still = 0;
    w->rough = false;
    for (int k = 0; rest > tolerance; k++) {
        if (w->system->factorisations > MAX_FACTORS * settings->max_iterations || isnan(rest) || fil_watch_ended(w->problem->watch)) {
            return FIL_NOT_CONVERGED;
        }
        const int factors = w->system->factorisations;
        // a round begins with the branches that the last one ended with: multipliers have moved, contacts have not
        if (!(k == 0 && w->fresh) && !factor(w)) {
            stats->indefinite = true;
            return FIL_NOT_CONVERGED;
        }
        find_direction(w);
        const double alpha = line_search(w);
        for (int i = 0; i < w->n; i++) {
            w->x[i] += alpha * w->dx[i];
            w->p[i] += alpha * w->dp[i];
        }
        double* c = w->c;
        w->c = w->trial;
        w->trial = c;
        stats->iterations++;
        const double last = rest;
        rest = residual(w);

        // round-off: the same branches, and no better
        const bool same = w->system->factorisations == factors && rest > 0.5 * last;
        // within 1e3 of where it is done: further off, the same branches may still gain
        if (same && k > 0 && rest < 1e3 * BALANCED) {
            break;
        }
        still = same ? still + 1 : 0;
        if (still == MAX_STILL || k == MAX_STEPS) {
            w->rough = true;
            break;
        }
    }
    return FIL_OK;
}

/* ---- rounds ---- */

/* The worst miss of velocities, relative. */
static double worst_miss(const Work* w)
{
    double worst = 0.0;
    for (int i = 0; i < w->m; i++) {
        if (w->items[i].contact) {
            worst = fmax(worst, fil_lcp_multiplier_miss(&w->items[i].holds, &w->polygon, w->c + 3 * i, w->gamma + 3 * i));
        }
    }
    return worst / w->speed;
}

/* A contact's slip speed, whether it bears load or not: without it none could slide and touch. */
static double slip_of(const Work* w, int i)
{
    return fil_lcp_polygon_slip(&w->polygon, w->c + 3 * i);
}

/* kept <- gamma, g <- slip speed found, or what the last rounds lead to; as velocities kept/rho and mu g. */
static void update(Work* w)
{
    for (int i = 0; i < w->m; i++) {
        const FilLcpMultiplier* holds = &w->items[i].holds;
        double *next = w->next + 4 * i, *error = w->error + 4 * i;
        memset(next, 0, 4 * sizeof *next);
        memset(error, 0, 4 * sizeof *error);
        if (w->items[i].contact && holds->rho > 0.0) {
            for (int d = 0; d < 3; d++) {
                next[d] = holds->kept[d] / holds->rho;
                error[d] = (w->gamma[3 * i + d] - holds->kept[d]) / holds->rho;
            }
            next[3] = holds->mu * holds->slip;
            error[3] = holds->mu * (slip_of(w, i) - holds->slip);
        }
    }
    // rounds before a change of branches belong to another map
    w->settled = w->system->factorisations == w->factors ? w->settled + 1 : 0;
    w->factors = w->system->factorisations;
    const int depth = w->settled > UNSETTLED ? w->settled : UNSETTLED;
    w->round++;
    fil_extrapolate(4 * w->m, w->round, depth, w->history, w->error, w->next);
    for (int i = 0; i < w->m; i++) {
        FilLcpMultiplier* holds = &w->items[i].holds;
        const double* next = w->next + 4 * i;
        if (w->items[i].contact && holds->rho > 0.0) {
            fil_v3_scale(holds->kept, holds->rho, next);
            holds->slip = holds->mu > 0.0 ? fmax(next[3] / holds->mu, 0.0) : 0.0;
        }
    }
}

/* Velocities of the constraints when x = 0, and what residuals are relative to. */
static void set_free(Work* w)
{
    for (int column = 0; column < w->problem->pattern.columns; column++) {
        const int place = fil_sap_system_participant(w->system, column);
        const double* block = fil_sap_diagonal_block(w->problem, column);
        for (int d = 0; d < FIL_BLOCK && place >= 0; d++) {
            w->dx[FIL_BLOCK * place + d] = w->problem->v_free[FIL_BLOCK * column + d];
            w->mass_inverse[FIL_BLOCK * place + d] = 1.0 / block[5 * d];
        }
    }
    fil_sap_system_multiply(w->system, w->problem, w->dx, w->free);
    w->speed = FIL_LCP_SPEED;
    for (int i = 0; i < w->m; i++) {
        double* free = w->free + 3 * i;
        fil_v3_add(free, free, w->problem->constraints[i].bias);
        if (w->items[i].contact) {
            w->speed = fmax(w->speed, fmax(fabs(free[2] - w->items[i].holds.target), hypot(free[0], free[1])));
        }
    }
}

/* x of the guess. */
static void start(Work* w, const double* v)
{
    for (int column = 0; column < w->problem->pattern.columns; column++) {
        const int place = fil_sap_system_participant(w->system, column);
        for (int d = 0; d < FIL_BLOCK && place >= 0; d++) {
            const int k = FIL_BLOCK * column + d;
            w->x[FIL_BLOCK * place + d] = v[k] - w->problem->v_free[k];
        }
    }
}

/* The solution as lcp.h has it: most negative slack, and products of slacks and unknowns (lcp.h). */
static void judge(const Work* w, FilLcpStats* stats)
{
    double lowest = 0.0, product = 0.0, impulses = 0.0;
    for (int i = 0; i < w->m; i++) {
        const Item* item = &w->items[i];
        const double *c = w->c + 3 * i, *gamma = w->gamma + 3 * i;
        if (!item->contact || item->holds.rho == 0.0) {
            continue;
        }
        const double slip = fil_lcp_polygon_slip(&w->polygon, c);
        const double slack = c[2] - item->holds.target + item->holds.compliance * gamma[2];
        lowest = fmin(lowest, slack);
        impulses += gamma[2];
        product += fabs(slack * gamma[2]) + fabs(gamma[0] * c[0] + gamma[1] * c[1] + slip * item->holds.mu * gamma[2]);
        stats->units++;
    }
    stats->active = stats->units;
    stats->negativity = -lowest / w->speed;
    stats->complementarity = product > 0.0 ? product / (w->speed * impulses) : 0.0;
    stats->residual = fmax(stats->negativity, stats->complementarity);
}

/* A first factor with the branches that the guessed impulses are on: what bears load holds, what is inside the pyramid
 * sticks. */
static bool guess_branches(Work* w, const double* impulse)
{
    for (int i = 0; i < w->m; i++) {
        const Item* item = &w->items[i];
        const double *gamma = impulse + 3 * i, rho = item->holds.rho, size = hypot(gamma[0], gamma[1]);
        double* g = w->hessian + 9 * i;
        if (!item->contact) {
            FilSapResponse response;
            fil_sap_kinds[FIL_SAP_BOUNDED].evaluate(&item->law, w->c + 3 * i, &response);
            memcpy(g, response.hessian, sizeof response.hessian);
            continue;
        }
        memset(g, 0, 9 * sizeof *g);
        if (gamma[2] > 0.0 && rho > 0.0) {
            bool soft;
            g[8] = fil_lcp_multiplier_slope(&item->holds, &soft);
            g[0] = g[4] = size < STICKS * item->holds.mu * gamma[2] ? rho : 0.0;
        }
    }
    w->fresh = false;
    return factor(w);
}

/* Multiplies rho of all contacts; what earlier rounds lead to is forgotten with it. */
static void stiffen(Work* w, double by)
{
    w->stiffness *= by;
    for (int i = 0; i < w->m; i++) {
        w->items[i].holds.rho *= by;
    }
    w->round = 0;
}

/* Where rounds converge slowly: harder multipliers if they are what is off, softer ones if slips are. */
static void rescale(Work* w)
{
    double impulse = 0.0, slip = 0.0;
    for (int i = 0; i < w->m; i++) {
        impulse = fmax(impulse, fil_v3_norm(w->error + 4 * i));
        slip = fmax(slip, fabs(w->error[4 * i + 3]));
    }
    if (impulse > slip && w->stiffness < w->max) {
        stiffen(w, STIFFNESS_GROWS);
    } else if (slip > impulse && w->stiffness > MIN_STIFFNESS) {
        stiffen(w, 1.0 / STIFFNESS_GROWS);
    }
}

static FilStatus rounds(Work* w, const FilLcpSettings* settings, double* v, FilLcpStats* stats)
{
    double begun = INFINITY, last = INFINITY;  // miss when the present window began, and of the last round
    for (stats->rounds = 1; stats->rounds <= settings->max_iterations; stats->rounds++) {
        const FilStatus status = balance(w, BALANCED, settings, v, stats);
        if (status != FIL_OK) {
            return status;
        }
        // softer multipliers take more rounds, but lose fewer digits
        if (w->rough) {
            if (w->stiffness <= MIN_STIFFNESS) {
                return FIL_NOT_CONVERGED;
            }
            stiffen(w, 1.0 / STIFFNESS_GROWS);
            w->max = w->stiffness;
            w->fresh = false;
            continue;
        }
        const double miss = worst_miss(w);
        if (miss <= settings->tolerance || (stats->rounds >= PATIENCE && miss <= ENOUGH)) {
            return balance(w, BALANCED_LAST, settings, v, stats);
        }
        // what extrapolation has made worse begins anew
        if (miss > WORSE * last) {
            w->round = 0;
        }
        last = miss;
        update(w);
        if (w->round >= WINDOW && miss > SLOW * begun) {
            rescale(w);
        } else if (w->round == 1 || w->round % WINDOW == 0) {
            begun = miss;
        }
    }
    return FIL_NOT_CONVERGED;
}

/* Solves from the guess (v, impulse); leaves the velocities in x. */
static FilStatus attempt(Work* w, const FilLcpSettings* settings, FilLcpYield yield, const double* v, const double* impulse, FilLcpStats* stats)
{
    for (int i = 0; i < w->m; i++) {
        Item* item = &w->items[i];
        if (item->contact) {
            fil_v3_copy(item->holds.kept, impulse + 3 * i);
            item->holds.compliance = fil_lcp_multiplier_compliance(&item->holds, yield);
            item->holds.rho = item->holds.scale > IMMOVABLE ? STIFFNESS_FIRST / item->holds.scale : 0.0;
        }
    }
    w->stiffness = STIFFNESS_FIRST;
    w->max = MAX_STIFFNESS;
    w->factors = w->settled = w->round = w->system->factorisations = 0;
    start(w, v);
    memcpy(w->guess, v, FIL_BLOCK * (size_t)w->problem->pattern.columns * sizeof *v);
    refresh(w, w->guess);
    for (int i = 0; i < w->m; i++) {
        if (w->items[i].contact) {
            w->items[i].holds.slip = slip_of(w, i);
        }
    }
    if (!guess_branches(w, impulse)) {
        stats->indefinite = true;
        return FIL_NOT_CONVERGED;
    }
    return rounds(w, settings, w->guess, stats);
}

FilStatus fil_lcp_augmented_solve(FilLcpAugmented* augmented, const FilSapProblem* problem, const FilLcpSettings* settings, double* v,
                                  double* impulse, FilLcpStats* stats)
{
    Work w = {.own = augmented,
              .system = &augmented->system,
              .problem = problem,
              .polygon = fil_lcp_polygon(settings->directions),
              .m = problem->constraint_count};
    FilStatus status = fil_sap_system_begin(w.system, problem);
    if (status != FIL_OK) {
        return status;
    }
    if (!reserve(&w)) {
        return FIL_OUT_OF_MEMORY;
    }
    if (!prepare(&w, settings) || !fil_sap_system_eliminate(w.system, problem)) {
        stats->indefinite = true;
        return FIL_NOT_CONVERGED;
    }
    set_free(&w);
    status = attempt(&w, settings, FIL_LCP_YIELD_AS_SAID, v, impulse, stats);
    for (int k = 1; k < FIL_LCP_YIELDS && status == FIL_NOT_CONVERGED && !stats->indefinite; k++) {
        stats->fallbacks++;
        status = attempt(&w, settings, (FilLcpYield)k, v, impulse, stats);
    }
    if (!stats->indefinite) {
        judge(&w, stats);
        fil_sap_system_expand(w.system, problem, w.x, v);
        memcpy(impulse, w.gamma, 3 * (size_t)w.m * sizeof *impulse);
    }
    return status;
}
