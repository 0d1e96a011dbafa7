#include "plan/interior_search.h"

#include <math.h>
#include <string.h>

// gamma_theta, gamma_phi, eta_phi, s_phi, s_theta of Waechter and Biegler (2006), section 3. IPOPT's sources have the same but for gamma_phi and
// eta_phi, 1e-8 there: they accept steps that gain less
static const double LESS_VIOLATION = 1e-5, LESS_BARRIER = 1e-5, ARMIJO = 1e-4, SWITCH_STEP = 2.3, SWITCH_VIOLATION = 1.1;
// multipliers stay within this factor of barrier / distance (ibid., eq. 16)
static const double MULTIPLIER_RANGE = 1e10;
// to 2e-7 of a step, beyond which rounding of the cost decides; second-order corrections: p_max there, max_soc of IPOPT
static const int MAX_HALVINGS = 22, MAX_CORRECTIONS = 4;

typedef struct Merit {
    double violation, barrier;
} Merit;

/* Violation and barrier function of given residuals, cost and point. */
static Merit merit_of(const FilInterior* ip, const double* x, const double* slack, const double* row, const double* pair, double cost)
{
    const FilPlanProblem* p = &ip->problem;
    Merit m = {0.0, cost};
    double logs = 0.0;
    for (int i = 0; i < p->stages * p->rows; i++) {
        m.violation += fabs(row[i]);
    }
    for (int j = 0; j < p->stages * p->variables; j++) {
        logs += p->lower[j] > -INFINITY ? log(x[j] - p->lower[j]) : 0.0;
        logs += p->upper[j] < INFINITY ? log(p->upper[j] - x[j]) : 0.0;
    }
    for (int i = 0; ip->paired && i < p->stages * p->pair_count; i++) {
        m.violation += fabs(pair[i]);
        logs += log(slack[i]);
    }
    m.barrier -= ip->barrier * logs;
    return m;
}

/* Merit of the point moved by a fraction of the step; infinite where it is not defined. */
static Merit try_step(FilInterior* ip, double fraction, double* cost)
{
    const FilPlanProblem* p = &ip->problem;
    const Merit nowhere = {INFINITY, INFINITY};
    double before[256];
    for (int j = 0; j < p->stages * p->variables; j++) {
        ip->trial_x[j] = ip->at.x[j] + fraction * ip->step.x[j];
    }
    for (int i = 0; ip->paired && i < p->stages * p->pair_count; i++) {
        ip->trial_slack[i] = ip->at.slack[i] + fraction * ip->step.slack[i];
    }
    *cost = 0.0;
    for (int k = 0; k < p->stages; k++) {
        FilPlanStage s = {.row = ip->trial_row + k * p->rows};
        for (int i = 0; i < p->carried; i++) {
            before[i] = k == 0 ? p->before[i] : ip->trial_x[(k - 1) * p->variables + p->carry[i]];
        }
        memset(s.row, 0, sizeof(double) * (size_t)p->rows);
        if (!p->evaluate(p->data, k, before, ip->trial_x + k * p->variables, NULL, FIL_PLAN_VALUES, &s)) {
            return nowhere;
        }
        *cost += s.cost;
    }
    fil_interior_pairs(ip, ip->trial_x, ip->trial_slack, ip->trial_pair);
    // a larger slack where the product leaves room: less violation and less barrier
    for (int i = 0; ip->paired && i < p->stages * p->pair_count; i++) {
        if (ip->trial_pair[i] < 0.0) {
            ip->trial_slack[i] -= ip->trial_pair[i];
            ip->trial_pair[i] = 0.0;
        }
    }
    const Merit m = merit_of(ip, ip->trial_x, ip->trial_slack, ip->trial_row, ip->trial_pair, *cost);
    return isfinite(m.violation) && isfinite(m.barrier) ? m : nowhere;
}

/* Derivative of the barrier function along the step. */
static double slope(const FilInterior* ip)
{
    const FilPlanProblem* p = &ip->problem;
    const int n = p->variables;
    double sum = 0.0;
    for (int k = 0; k < p->stages; k++) {
        for (int j = 0; j < n; j++) {
            const double dx = ip->step.x[k * n + j], x = ip->at.x[k * n + j];
            sum += ip->stages[k].cost_own[j] * dx;
            sum -= p->lower[k * n + j] > -INFINITY ? ip->barrier / (x - p->lower[k * n + j]) * dx : 0.0;
            sum += p->upper[k * n + j] < INFINITY ? ip->barrier / (p->upper[k * n + j] - x) * dx : 0.0;
        }
        for (int i = 0; k > 0 && i < p->carried; i++) {
            sum += ip->stages[k].cost_before[i] * ip->step.x[(k - 1) * n + p->carry[i]];
        }
    }
    for (int i = 0; ip->paired && i < p->stages * p->pair_count; i++) {
        sum -= ip->barrier / ip->at.slack[i] * ip->step.slack[i];
    }
    return sum;
}

static Merit merit_here(const FilInterior* ip)
{
    return merit_of(ip, ip->at.x, ip->at.slack, ip->row, ip->pair, ip->cost);
}

void fil_filter_reset(FilFilter* filter, const FilInterior* ip)
{
    const double violation = fmax(1.0, merit_here(ip).violation);
    filter->count = 0;
    filter->largest = 1e4 * violation;  // theta_max of Waechter and Biegler (2006), and theta_min below
    filter->small = 1e-4 * violation;
}

static bool filter_allows(const FilFilter* filter, Merit m)
{
    if (!(m.violation < filter->largest)) {
        return false;
    }
    for (int i = 0; i < filter->count; i++) {
        if (m.violation >= filter->violation[i] && m.barrier >= filter->barrier[i]) {
            return false;
        }
    }
    return true;
}

static void filter_add(FilFilter* filter, Merit m)
{
    int kept = 0;
    const double violation = (1.0 - LESS_VIOLATION) * m.violation, barrier = m.barrier - LESS_BARRIER * m.violation;
    for (int i = 0; i < filter->count; i++) {  // points that the new one dominates are of no use
        if (filter->violation[i] < violation || filter->barrier[i] < barrier) {
            filter->violation[kept] = filter->violation[i];
            filter->barrier[kept++] = filter->barrier[i];
        }
    }
    if (kept == FIL_FILTER_SIZE) {  // the oldest goes
        memmove(filter->violation, filter->violation + 1, sizeof(double) * (size_t)--kept);
        memmove(filter->barrier, filter->barrier + 1, sizeof(double) * (size_t)kept);
    }
    filter->violation[kept] = violation;
    filter->barrier[kept] = barrier;
    filter->count = kept + 1;
}

/* Whether a trial is good enough; `descent` says that it was judged by the barrier function. */
static bool acceptable(const FilFilter* filter, Merit from, Merit trial, double fraction, double down, bool* descent)
{
    *descent = down < 0.0 && fraction * pow(-down, SWITCH_STEP) > pow(from.violation, SWITCH_VIOLATION) && from.violation <= filter->small;
    // rounding: differences below the last digits of the barrier function say nothing
    const double noise = 1e-13 * fabs(from.barrier);
    if (!filter_allows(filter, trial)) {
        return false;
    }
    if (*descent) {
        return trial.barrier <= from.barrier + ARMIJO * fraction * down + noise;
    }
    return trial.violation <= (1.0 - LESS_VIOLATION) * from.violation || trial.barrier <= from.barrier - LESS_BARRIER * from.violation + noise;
}

/* Takes the trial point, and the multipliers' step. */
static void take_trial(FilInterior* ip, double primal, double dual)
{
    const FilPlanProblem* p = &ip->problem;
    const int n = p->stages * p->variables, pairs = ip->paired ? p->stages * p->pair_count : 0;
    memcpy(ip->at.x, ip->trial_x, sizeof(double) * (size_t)n);
    for (int i = 0; i < p->stages * p->rows; i++) {
        ip->at.multiplier[i] += primal * ip->step.multiplier[i];
    }
    for (int j = 0; j < n; j++) {
        const double below = ip->at.x[j] - p->lower[j], above = p->upper[j] - ip->at.x[j];
        if (p->lower[j] > -INFINITY) {
            const double z = ip->at.lower[j] + dual * ip->step.lower[j], middle = ip->barrier / below;
            ip->at.lower[j] = fmin(fmax(z, middle / MULTIPLIER_RANGE), middle * MULTIPLIER_RANGE);
        }
        if (p->upper[j] < INFINITY) {
            const double z = ip->at.upper[j] + dual * ip->step.upper[j], middle = ip->barrier / above;
            ip->at.upper[j] = fmin(fmax(z, middle / MULTIPLIER_RANGE), middle * MULTIPLIER_RANGE);
        }
    }
    for (int i = 0; i < pairs; i++) {
        ip->at.slack[i] = ip->trial_slack[i];
        const double w = ip->at.relax[i] + dual * ip->step.relax[i], middle = ip->barrier / ip->at.slack[i];
        ip->at.relax[i] = fmin(fmax(w, middle / MULTIPLIER_RANGE), middle * MULTIPLIER_RANGE);
    }
}

/* Second-order corrections: the step for the residuals that the full one leaves. True if one is taken. */
static bool correct(FilInterior* ip, const FilFilter* filter, Merit from, Merit first, double fraction, double down, double* length)
{
    const FilPlanProblem* p = &ip->problem;
    const int m = p->stages * p->rows, pairs = p->stages * p->pair_count;
    double last = first.violation;
    memcpy(ip->right_row, ip->row, sizeof(double) * (size_t)m);
    memcpy(ip->right_pair, ip->pair, sizeof(double) * (size_t)pairs);
    for (int c = 0; c < MAX_CORRECTIONS; c++) {
        double primal, dual, cost;
        bool descent;
        for (int i = 0; i < m; i++) {
            ip->right_row[i] = fraction * ip->right_row[i] + ip->trial_row[i];
        }
        for (int i = 0; i < pairs; i++) {
            ip->right_pair[i] = fraction * ip->right_pair[i] + ip->trial_pair[i];
        }
        fil_interior_solve(ip, ip->right_row, ip->right_pair);
        fil_interior_limits(ip, &primal, &dual);
        const Merit trial = try_step(ip, primal, &cost);
        if (acceptable(filter, from, trial, fraction, down, &descent)) {
            take_trial(ip, primal, dual);
            *length = primal;
            return true;
        }
        // kappa_soc of Waechter and Biegler (2006), sec. 2.4
        if (!(trial.violation < 0.99 * last)) {
            return false;
        }
        last = trial.violation;
        fraction = primal;
    }
    return false;
}

bool fil_interior_search(FilInterior* ip, FilFilter* filter, double* length)
{
    const Merit from = merit_here(ip);
    const double down = slope(ip);
    double primal, dual, cost;
    bool descent = false;
    fil_interior_limits(ip, &primal, &dual);
    for (int i = 0; i < MAX_HALVINGS; i++, primal *= 0.5) {
        const Merit trial = try_step(ip, primal, &cost);
        const double fraction = primal;
        if (acceptable(filter, from, trial, fraction, down, &descent)) {
            if (!descent) {
                filter_add(filter, from);
            }
            take_trial(ip, primal, dual);
            *length = fraction;
            return true;
        }
        if (i == 0 && trial.violation >= from.violation && isfinite(trial.violation)) {
            if (correct(ip, filter, from, trial, fraction, down, length)) {
                filter_add(filter, from);
                return true;
            }
            fil_interior_solve(ip, ip->row, ip->pair);
        }
    }
    return false;
}

bool fil_interior_retreat(FilInterior* ip, FilFilter* filter, double* length)
{
    const Merit from = merit_here(ip);
    double primal, dual, cost;
    fil_interior_limits(ip, &primal, &dual);
    for (int i = 0; i < MAX_HALVINGS; i++, primal *= 0.5) {
        const Merit trial = try_step(ip, primal, &cost);
        // Armijo's 1e-4, of the violation alone
        if (trial.violation < (1.0 - 1e-4 * primal) * from.violation) {
            fil_filter_reset(filter, ip);
            take_trial(ip, primal, dual);
            *length = primal;
            return true;
        }
    }
    return false;
}
