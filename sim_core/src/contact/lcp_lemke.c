/* Lemke's complementary pivoting on the scaled LCP w = M z + q, with a lexicographic ratio test, so that it cannot
 * cycle. M is copositive (Anitescu and Potra), for which the method ends at a solution if there is one. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/lcp_problem.h"

#define PIVOT 1e-11 /* entries of the scaled tableau below this are zero */

/* Multiply-adds of all pivots, about a second; and unknowns, a tableau of 144 MB. Beyond either the method gives up. */
#define MAX_WORK 1e9
enum { MAX_UNKNOWNS = 3000 };

/* Columns: w (n), z (n), the artificial one, q. The columns of w hold the inverse of the basis. */
typedef struct Tableau {
    int n, width;
    double* at;
    int* slot;  /* of each row: place of its unknown in z */
    int* basis; /* of each row: column of its basic variable */
} Tableau;

static double* row_of(const Tableau* t, int r)
{
    return t->at + (size_t)r * (size_t)t->width;
}

static int count_unknowns(const FilLcpProblem* problem)
{
    int n = 0;
    for (int a = 0; a < problem->active_count; a++) {
        for (int k = 0; k < problem->size; k++) {
            n += fil_lcp_used(problem, &problem->units[problem->active[a]], k);
        }
    }
    return n;
}

/* Impulse per unit of unknown k, as a direction of (t1, t2, n); zero for slip speeds. */
static void unit_impulse(const FilLcpProblem* problem, int k, double* gamma)
{
    fil_v3_set(gamma, 0.0, 0.0, k == 0 ? 1.0 : 0.0);
    if (k > 0 && k <= problem->directions) {
        gamma[0] = problem->direction[2 * (k - 1)];
        gamma[1] = problem->direction[2 * (k - 1) + 1];
    }
}

/* Slack of row (unit, k) per unknown (other, m), unscaled. */
static double entry(const FilLcpProblem* problem, int unit, int k, int other, int m, const double* impulse, const double* reply)
{
    const FilLcpUnit* data = &problem->units[unit];
    const int last = problem->size - 1;
    double value = impulse[0] * reply[0] + impulse[1] * reply[1] + impulse[2] * reply[2];
    if (unit != other) {
        return value;
    }
    if (k == 0 && m == 0) {
        value += data->compliance + problem->softness[unit];
    }
    if (data->kind == FIL_LCP_LIMIT) {
        return value + (k == 0 && m == last ? 1.0 : 0.0) - (k == last && m == 0 ? 1.0 : 0.0);
    }
    if (k == last) {
        return m == 0 ? data->mu : (m == last ? 0.0 : -1.0);
    }
    return value + (k > 0 && m == last ? 1.0 : 0.0);
}

/* Fills w - M z - e z0 = q; `push` has `dimension` numbers. */
static void fill(const FilLcpProblem* problem, Tableau* t, double* push)
{
    memset(t->at, 0, sizeof(double) * (size_t)t->n * (size_t)t->width);
    for (int r = 0; r < t->n; r++) {
        row_of(t, r)[r] = 1.0;
        row_of(t, r)[2 * t->n] = -1.0;
        t->basis[r] = r;
    }
    for (int col = 0; col < t->n; col++) {
        const int other = t->slot[col] / problem->size, m = t->slot[col] % problem->size;
        double gamma[3];
        unit_impulse(problem, m, gamma);
        memset(push, 0, sizeof(double) * (size_t)problem->dimension);
        fil_lcp_push(problem, other, gamma, push);
        double reply[3] = {0.0};
        for (int r = 0, seen = -1; r < t->n; r++) {
            const int unit = t->slot[r] / problem->size, k = t->slot[r] % problem->size;
            const size_t at = (size_t)t->slot[r];
            if (unit != seen) {
                fil_lcp_velocity(problem, unit, push, reply);
                fil_v3_sub(reply, reply, problem->units[unit].free);
                seen = unit;
            }
            double impulse[3];
            unit_impulse(problem, k, impulse);
            row_of(t, r)[t->n + col] =
                -problem->row_scale[at] * problem->column_scale[(size_t)t->slot[col]] * entry(problem, unit, k, other, m, impulse, reply);
        }
    }
    for (int r = 0; r < t->n; r++) {
        const int unit = t->slot[r] / problem->size, k = t->slot[r] % problem->size;
        const FilLcpUnit* data = &problem->units[unit];
        double impulse[3], value;
        unit_impulse(problem, k, impulse);
        value = impulse[0] * data->free[0] + impulse[1] * data->free[1] + impulse[2] * data->free[2];
        if (k == 0) {
            value -= data->target;
        } else if (k == problem->size - 1) {
            value = data->kind == FIL_LCP_LIMIT ? data->range : 0.0;
        }
        row_of(t, r)[t->width - 1] = problem->row_scale[(size_t)t->slot[r]] * value;
    }
}

/* Whether row a comes before row b in the lexicographic order of (q, inverse basis) divided by column `enter`. */
static bool before(const Tableau* t, int a, int b, int enter)
{
    const double *x = row_of(t, a), *y = row_of(t, b);
    const double left = x[t->width - 1] * y[enter], right = y[t->width - 1] * x[enter];
    if (fabs(left - right) > 1e-13 * (fabs(left) + fabs(right))) {  // equal but for what pivots have rounded
        return left < right;
    }
    for (int k = 0; k < t->n; k++) {
        const double l = x[k] * y[enter], r = y[k] * x[enter];
        if (fabs(l - r) > 1e-13 * (fabs(l) + fabs(r))) {  // likewise
            return l < r;
        }
    }
    return false;
}

/* Row that leaves when column `enter` comes in: the smallest ratio; the artificial one goes as soon as it may. -1:
 * none, a ray. */
static int leaving(const Tableau* t, int enter)
{
    int best = -1;
    for (int r = 0; r < t->n; r++) {
        if (row_of(t, r)[enter] > PIVOT && (best < 0 || before(t, r, best, enter))) {
            best = r;
        }
    }
    for (int r = 0; r < t->n && best >= 0; r++) {
        const double* x = row_of(t, r);
        if (t->basis[r] == 2 * t->n && x[enter] > PIVOT) {
            const double min = row_of(t, best)[t->width - 1] / row_of(t, best)[enter];
            // a hundred times rounding: ratios that are equal but for that
            best = x[t->width - 1] / x[enter] <= min + 1e-14 * fabs(min) ? r : best;
        }
    }
    return best;
}

static void pivot(Tableau* t, int row, int enter)
{
    double* top = row_of(t, row);
    const double inverse = 1.0 / top[enter];
    for (int c = 0; c < t->width; c++) {
        top[c] *= inverse;
    }
    top[enter] = 1.0;
    for (int r = 0; r < t->n; r++) {
        double* x = row_of(t, r);
        const double factor = x[enter];
        if (r == row || factor == 0.0) {
            continue;
        }
        for (int c = 0; c < t->width; c++) {
            x[c] -= factor * top[c];
        }
        x[enter] = 0.0;
    }
    t->basis[row] = enter;
}

/* From the first pivot on the artificial column to its leaving, to a ray, or to too many pivots. */
static void run(Tableau* t, FilWatch* watch, int* pivots)
{
    int row = 0;
    for (int r = 1; r < t->n; r++) {
        const double q = row_of(t, r)[t->width - 1], min = row_of(t, row)[t->width - 1];
        row = q <= min ? r : row;  // the last of equals: least in the lexicographic order
    }
    if (t->n == 0 || row_of(t, row)[t->width - 1] >= 0.0) {
        return;
    }
    int enter = 2 * t->n;
    // pivots: n to 2n are usual; the lexicographic order does not cycle, but rounding may; MAX_WORK, which binds from n = 215 on, is a second of it
    const double max = fmin(50.0 * t->n + 100.0, MAX_WORK / ((double)t->n * (double)t->width));
    for (int k = 0; k < max && !fil_watch_ended(watch); k++) {
        const int left = t->basis[row];
        pivot(t, row, enter);
        ++*pivots;
        if (left == 2 * t->n) {
            return;
        }
        enter = left < t->n ? left + t->n : left - t->n;
        row = leaving(t, enter);
        if (row < 0) {
            return;
        }
    }
}

FilStatus fil_lcp_lemke(FilLcpProblem* problem, const FilLcpSettings* settings, FilLcpScratch* scratch, int* iterations)
{
    Tableau t = {.n = count_unknowns(problem)};
    t.width = 2 * t.n + 2;
    if (t.n > MAX_UNKNOWNS) {
        return FIL_NOT_CONVERGED;
    }
    const size_t n = (size_t)t.n, size = (size_t)problem->size;
    if (!fil_doubles_reserve(&scratch->numbers, n * (size_t)t.width + (size_t)problem->dimension) || !fil_ints_reserve(&scratch->indices, 2 * n)) {
        return FIL_OUT_OF_MEMORY;
    }
    t.at = scratch->numbers.at;
    t.slot = scratch->indices.at;
    t.basis = t.slot + n;
    for (int a = 0, row = 0; a < problem->active_count; a++) {
        for (int k = 0; k < problem->size; k++) {
            if (fil_lcp_used(problem, &problem->units[problem->active[a]], k)) {
                t.slot[row++] = problem->active[a] * problem->size + k;
            }
        }
    }
    fill(problem, &t, t.at + n * (size_t)t.width);
    run(&t, problem->watch, iterations);
    for (int a = 0; a < problem->active_count; a++) {
        memset(problem->z + size * (size_t)problem->active[a], 0, size * sizeof *problem->z);
    }
    for (int r = 0; r < t.n; r++) {
        const int basic = t.basis[r];
        if (basic >= t.n && basic < 2 * t.n) {
            const size_t at = (size_t)t.slot[basic - t.n];
            problem->z[at] = problem->column_scale[at] * fmax(0.0, row_of(&t, r)[t.width - 1]);
        }
    }
    fil_lcp_gather(problem, problem->z, problem->u);
    // a ray from where the artificial variable is zero already is a solution too
    const bool good = fil_lcp_residual(problem, problem->z, problem->u) <= settings->tolerance;
    return good ? FIL_OK : FIL_NOT_CONVERGED;
}
