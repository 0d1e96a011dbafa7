/* The three stages that make an LCP of many dependent contacts easy to solve (P1 sec. III-D). */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/lcp_problem.h"
#include "linalg/qr.h"

/* ---- stage 1: rank ---- */

/* S' P = Q R with S the whitened normal rows (P1 eq. 14, 15); kept are those with |R_ii| > tolerance |R_11|. */
bool fil_lcp_select(FilLcpProblem* problem, double tolerance, FilLcpScratch* scratch)
{
    const int d = problem->dimension, m = problem->unit_count, max_rank = d < m ? d : m;
    const size_t size = (size_t)d * (size_t)m;
    if (!fil_doubles_reserve(&scratch->numbers, size + 2 * (size_t)m) || !fil_ints_reserve(&scratch->indices, (size_t)m)) {
        return false;
    }
    double *a = scratch->numbers.at, *norms = a + size;
    int* pivot = scratch->indices.at;
    for (int i = 0; i < m; i++) {
        memcpy(a + (size_t)i * (size_t)d, problem->rows + (3 * (size_t)i + 2) * (size_t)d, sizeof(double) * (size_t)d);
    }
    fil_qr_factor_pivoted(a, d, m, pivot, norms);
    int kept = 0;
    while (kept < max_rank && fabs(a[(size_t)kept * (size_t)(d + 1)]) > tolerance * fabs(a[0])) {
        kept++;
    }
    // in their own order, whatever that of the pivots
    memset(problem->active, 0, sizeof(int) * (size_t)m);
    for (int k = 0; k < m; k++) {
        // rows with a compliance of their own depend on no other
        problem->active[pivot[k]] = k < kept || problem->units[pivot[k]].compliance > 0.0;
    }
    problem->active_count = 0;
    for (int i = 0; i < m; i++) {
        if (problem->active[i]) {
            problem->active[problem->active_count++] = i;
        }
    }
    return true;
}

/* ---- stage 2: scales ---- */

/* Sum over a unit's impulses e_k of scale_k^2 e_k e_k', 3 x 3: (tt, tt, tt, nn). */
static void weights_of(const FilLcpProblem* problem, const FilLcpUnit* unit, const double* scale, double* w)
{
    w[0] = w[1] = w[2] = 0.0;
    w[3] = scale[0] * scale[0];
    for (int k = 0; k < problem->directions && unit->kind == FIL_LCP_CONTACT; k++) {
        const double* e = problem->direction + 2 * k;
        const double s2 = scale[1 + k] * scale[1 + k];
        w[0] += s2 * e[0] * e[0];
        w[1] += s2 * e[0] * e[1];
        w[2] += s2 * e[1] * e[1];
    }
}

/* q = sum of Y_i' W_i Y_i over active units, W_i by their scales: what 2-norms of rows are made of. */
static void gram(const FilLcpProblem* problem, const double* scale, double* q)
{
    const int d = problem->dimension;
    memset(q, 0, sizeof(double) * (size_t)d * (size_t)d);
    for (int a = 0; a < problem->active_count; a++) {
        const int i = problem->active[a];
        const double* y = problem->rows + 3 * (size_t)i * (size_t)d;
        double w[4];
        weights_of(problem, &problem->units[i], scale + (size_t)problem->size * (size_t)i, w);
        for (int r = 0; r < d; r++) {
            const double x0 = w[0] * y[r] + w[1] * y[d + r], x1 = w[1] * y[r] + w[2] * y[d + r], x2 = w[3] * y[2 * d + r];
            if (x0 == 0.0 && x1 == 0.0 && x2 == 0.0) {
                continue;
            }
            for (int c = 0; c < d; c++) {
                q[r * d + c] += x0 * y[c] + x1 * y[d + c] + x2 * y[2 * d + c];
            }
        }
    }
}

/* Y_i q Y_i': (t1 t1, t1 t2, t2 t2, n n). */
static void project(const FilLcpProblem* problem, int unit, const double* q, double* out)
{
    const int d = problem->dimension;
    const double* y = problem->rows + 3 * (size_t)unit * (size_t)d;
    memset(out, 0, 4 * sizeof *out);
    for (int r = 0; r < d; r++) {
        double sum[3] = {0.0, 0.0, 0.0};
        if (y[r] == 0.0 && y[d + r] == 0.0 && y[2 * d + r] == 0.0) {
            continue;
        }
        for (int c = 0; c < d; c++) {
            const double x = q[r * d + c];
            sum[0] += x * y[c];
            sum[1] += x * y[d + c];
            sum[2] += x * y[2 * d + c];
        }
        out[0] += y[r] * sum[0];
        out[1] += y[r] * sum[1];
        out[2] += y[d + r] * sum[1];
        out[3] += y[2 * d + r] * sum[2];
    }
}

/* Squared 2-norms of a unit's rows of the matrix with its columns scaled, or of its columns with the rows scaled:
 * `other` are those scales, `base` is Y_i q Y_i' made with them. */
static void norms_of(const FilLcpProblem* problem, int index, const double* base, const double* other, bool rows, double* norms)
{
    const FilLcpUnit* unit = &problem->units[index];
    const int last = problem->size - 1;
    const double soft = unit->compliance, f2 = other[0] * other[0], g2 = other[last] * other[last];
    norms[0] = base[3] + (2.0 * unit->own[8] * soft + soft * soft) * f2;
    if (unit->kind == FIL_LCP_LIMIT) {
        norms[0] += g2;
        norms[last] = f2;
        return;
    }
    // row g is (mu, -1 ... -1, 0), column g is (0, 1 ... 1, 0)
    norms[0] += rows ? 0.0 : unit->mu * unit->mu * g2;
    norms[last] = rows ? unit->mu * unit->mu * f2 : 0.0;
    for (int k = 0; k < problem->directions; k++) {
        const double* e = problem->direction + 2 * k;
        norms[1 + k] = e[0] * e[0] * base[0] + 2.0 * e[0] * e[1] * base[1] + e[1] * e[1] * base[2] + g2;
        norms[last] += other[1 + k] * other[1 + k];
    }
}

/* New scales of rows (or columns), from the present ones of the other kind: divided by the root of the norms. */
static void rescale(const FilLcpProblem* problem, const double* q, const double* other, bool rows, double* scale)
{
    double norms[FIL_LCP_MAX_DIRECTIONS + 2];
    for (int a = 0; a < problem->active_count; a++) {
        const int i = problem->active[a];
        const size_t first = (size_t)problem->size * (size_t)i;
        double base[4];
        project(problem, i, q, base);
        norms_of(problem, i, base, other + first, rows, norms);
        for (int k = 0; k < problem->size; k++) {
            if (fil_lcp_used(problem, &problem->units[i], k)) {
                const double norm = scale[first + (size_t)k] * sqrt(norms[k]);
                scale[first + (size_t)k] *= norm > 0.0 ? 1.0 / sqrt(norm) : 1.0;
            }
        }
    }
}

bool fil_lcp_equilibrate(FilLcpProblem* problem, int iterations, FilLcpScratch* scratch)
{
    const size_t square = (size_t)problem->dimension * (size_t)problem->dimension;
    const size_t all = (size_t)problem->size * (size_t)problem->unit_count;
    for (size_t k = 0; k < all; k++) {
        problem->row_scale[k] = problem->column_scale[k] = 1.0;
    }
    if (!fil_doubles_reserve(&scratch->numbers, square)) {
        return false;
    }
    double* q = scratch->numbers.at;
    for (int k = 0; k < iterations; k++) {
        gram(problem, problem->column_scale, q);
        rescale(problem, q, problem->column_scale, true, problem->row_scale);
        gram(problem, problem->row_scale, q);
        rescale(problem, q, problem->row_scale, false, problem->column_scale);
    }
    return true;
}

/* ---- stage 3: a little compliance ---- */

void fil_lcp_soften(FilLcpProblem* problem, double compliance)
{
    memset(problem->softness, 0, sizeof(double) * (size_t)problem->unit_count);
    for (int a = 0; a < problem->active_count; a++) {
        const size_t first = (size_t)problem->size * (size_t)problem->active[a];
        problem->softness[problem->active[a]] = compliance / (problem->row_scale[first] * problem->column_scale[first]);
    }
}
