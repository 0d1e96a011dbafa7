#include "plan/riccati.h"

#include <string.h>

#include "linalg/dense.h"

static double* take(FilArena* arena, int rows, int columns)
{
    return fil_arena_alloc(arena, (size_t)rows * (size_t)columns, sizeof(double));
}

bool fil_riccati_create(const FilPlanProblem* problem, FilArena* arena, FilRiccati* out)
{
    const int n = problem->variables, m = problem->rows, c = problem->carried, u = n - m, f = u + c;
    *out = (FilRiccati){.stages = problem->stages, .variables = n, .rows = m, .carried = c, .carry = problem->carry};
    out->stage = fil_arena_alloc(arena, (size_t)problem->stages, sizeof *out->stage);
    // 3 m f + f f of the factorisation, (c + u + m) a stage and 2 n of a solution
    out->work = take(arena, 1, 3 * m * f + f * f + problem->stages * (c + n) + 3 * n);
    if (out->stage == NULL || out->work == NULL) {
        return false;
    }
    for (int k = 0; k < problem->stages; k++) {
        FilRiccatiStage* s = &out->stage[k];
        *s = (FilRiccatiStage){.hessian = take(arena, n, n),
                               .mixed = take(arena, n, c),
                               .corner = take(arena, c, c),
                               .own = take(arena, m, n),
                               .before = take(arena, m, c),
                               .lu = take(arena, m, m),
                               .pivots = fil_arena_alloc(arena, (size_t)m, sizeof(int)),
                               .follow = take(arena, m, f),
                               .chol = take(arena, u, u),
                               .gain = take(arena, u, c),
                               .value = take(arena, c, c)};
        if (!s->hessian || !s->mixed || !s->corner || !s->own || !s->before || !s->lu || !s->pivots || !s->follow || !s->chol || !s->gain ||
            !s->value) {
            return false;
        }
    }
    return true;
}

/* Whether the first n entries of a column are zero, but for its own. */
static bool stands_alone(const double* column, int n, int own)
{
    for (int i = 0; i < n; i++) {
        if (i != own && column[i] != 0.0) {
            return false;
        }
    }
    return true;
}

/* Definitions of gaps, slips and the like come last: their variables are in no other row. */
static int coupled_rows(int m, const double* own)
{
    int n = m;
    while (n > 0 && own[(n - 1) * m + n - 1] == 1.0 && stands_alone(own + (n - 1) * m, m, n - 1)) {
        n--;
    }
    return n;
}

/* The stage's rows solved for its first variables: follow = -E_S^-1 [E_U, B], first those of A, then the others. */
static bool follow_rows(const FilRiccati* riccati, FilRiccatiStage* s)
{
    const int n = riccati->variables, m = riccati->rows, c = riccati->carried, u = n - m, f = u + c;
    const int a = s->coupled = coupled_rows(m, s->own);
    double* first = riccati->work;
    for (int j = 0; j < a; j++) {
        memcpy(s->lu + j * a, s->own + j * m, sizeof(double) * (size_t)a);
    }
    if (!fil_dense_lu(a, s->lu, s->pivots)) {
        return false;
    }
    for (int j = 0; j < f; j++) {
        const double* column = j < u ? s->own + (m + j) * m : s->before + (j - u) * m;
        for (int i = 0; i < a; i++) {
            first[j * a + i] = -column[i];
        }
        memcpy(s->follow + j * m + a, column + a, sizeof(double) * (size_t)(m - a));
    }
    fil_dense_lu_solve(a, s->lu, s->pivots, f, first);
    fil_dense_multiply(m - a, f, a, s->own + a, m, first, a, s->follow + a, m);
    for (int j = 0; j < f; j++) {
        memcpy(s->follow + j * m, first + j * a, sizeof(double) * (size_t)a);
        for (int i = a; i < m; i++) {
            s->follow[j * m + i] = -s->follow[j * m + i];
        }
    }
    s->followed = true;
    return true;
}

/* Q = F' (H_SS F + Y) + Y' F + D, the Hessian of the stage in (du, dp), with Y = [H_SU, G_S] and D what is left. */
static void reduce(const FilRiccati* riccati, const FilRiccatiStage* s, double* q)
{
    const int n = riccati->variables, m = riccati->rows, c = riccati->carried, u = n - m, f = u + c;
    double *t = q + f * f, *turned = t + m * f;
    for (int j = 0; j < f; j++) {
        const double* column = j < u ? s->hessian + (size_t)(m + j) * (size_t)n : s->mixed + (j - u) * n;
        for (int i = 0; i < m; i++) {
            t[j * m + i] = 2.0 * column[i];
            turned[i * f + j] = s->follow[j * m + i];
        }
        memcpy(q + j * f, column + m, sizeof(double) * (size_t)u);
        for (int i = 0; i < c; i++) {
            q[j * f + u + i] = j < u ? s->mixed[i * n + m + j] : s->corner[(j - u) * c + i];
        }
    }
    // T = H_SS F + 2 Y and F' T; its symmetric part has both sides of Y' F. The last variables' H_SS is diagonal
    int full = m;
    while (full > 0 && stands_alone(s->hessian + (full - 1) * n, m, full - 1)) {
        full--;
    }
    fil_dense_multiply(full, f, full, s->hessian, n, s->follow, m, t, m);
    for (int j = 0; j < f; j++) {
        for (int i = full; i < m; i++) {
            t[j * m + i] += s->hessian[i * n + i] * s->follow[j * m + i];
        }
    }
    fil_dense_multiply(f, f, m, turned, f, t, m, q, f);
    for (int j = 0; j < f; j++) {
        for (int i = 0; i < j; i++) {
            q[j * f + i] = q[i * f + j] = 0.5 * (q[j * f + i] + q[i * f + j]);
        }
    }
}

/* gain = -Quu^-1 Qup, P = Qpp + Qup' gain. */
static bool eliminate(const FilRiccati* riccati, FilRiccatiStage* s, const double* q)
{
    const int n = riccati->variables, m = riccati->rows, c = riccati->carried, u = n - m, f = u + c;
    for (int j = 0; j < u; j++) {
        memcpy(s->chol + j * u, q + j * f, sizeof(double) * (size_t)u);
    }
    if (!fil_dense_cholesky(u, s->chol)) {
        return false;
    }
    for (int j = 0; j < c; j++) {
        for (int i = 0; i < u; i++) {
            s->gain[j * u + i] = -q[(u + j) * f + i];
        }
        memcpy(s->value + j * c, q + (u + j) * f + u, sizeof(double) * (size_t)c);
    }
    fil_dense_cholesky_solve(u, s->chol, c, s->gain);
    fil_dense_multiply(c, c, u, q + u, f, s->gain, u, s->value, c);
    for (int j = 0; j < c; j++) {
        for (int i = 0; i < j; i++) {
            s->value[j * c + i] = s->value[i * c + j] = 0.5 * (s->value[j * c + i] + s->value[i * c + j]);
        }
    }
    return true;
}

FilRiccatiResult fil_riccati_factor(FilRiccati* riccati)
{
    const int n = riccati->variables, c = riccati->carried;
    for (int k = riccati->stages - 1; k >= 0; k--) {
        FilRiccatiStage* s = &riccati->stage[k];
        for (int j = 0; k + 1 < riccati->stages && j < c; j++) {
            for (int i = 0; i < c; i++) {
                s->hessian[riccati->carry[j] * n + riccati->carry[i]] += riccati->stage[k + 1].value[j * c + i];
            }
        }
        if (!s->followed && !follow_rows(riccati, s)) {
            return FIL_RICCATI_SINGULAR;
        }
        reduce(riccati, s, riccati->work);
        if (!eliminate(riccati, s, riccati->work)) {
            return FIL_RICCATI_INDEFINITE;
        }
    }
    return FIL_RICCATI_DONE;
}

/* Constants s of dx_S and k of du, and the gradient p of the value, from the last stage to the first; p, k, s of a
 * stage stand together. */
static void solve_backward(const FilRiccati* riccati, const double* g, const double* before, const double* r, double* gradient, double* stages)
{
    const int n = riccati->variables, m = riccati->rows, c = riccati->carried, u = n - m;
    double* hs = gradient + n;
    for (int k = riccati->stages - 1; k >= 0; k--) {
        const FilRiccatiStage* s = &riccati->stage[k];
        double *p = stages + k * (c + n), *ku = p + c, *rest = ku + u;
        memcpy(gradient, g + k * n, sizeof(double) * (size_t)n);
        for (int i = 0; k + 1 < riccati->stages && i < c; i++) {
            gradient[riccati->carry[i]] += p[c + n + i];
        }
        for (int i = 0; i < m; i++) {
            rest[i] = -r[k * m + i];
        }
        fil_dense_lu_solve(s->coupled, s->lu, s->pivots, 1, rest);
        fil_dense_apply(m - s->coupled, s->coupled, -1.0, s->own + s->coupled, m, rest, rest + s->coupled);
        memcpy(hs, gradient, sizeof(double) * (size_t)m);
        fil_dense_apply(m, m, 1.0, s->hessian, n, rest, hs);
        memcpy(ku, gradient + m, sizeof(double) * (size_t)u);
        fil_dense_apply_transposed(m, u, 1.0, s->follow, m, hs, ku);
        fil_dense_apply_transposed(m, u, 1.0, s->hessian + (size_t)m * (size_t)n, n, rest, ku);
        memcpy(p, before + k * c, sizeof(double) * (size_t)c);
        fil_dense_apply_transposed(m, c, 1.0, s->follow + m * u, m, hs, p);
        fil_dense_apply_transposed(m, c, 1.0, s->mixed, n, rest, p);
        fil_dense_apply_transposed(u, c, 1.0, s->gain, u, ku, p);
        for (int i = 0; i < u; i++) {
            ku[i] = -ku[i];
        }
        fil_dense_cholesky_solve(u, s->chol, 1, ku);
    }
}

void fil_riccati_solve(const FilRiccati* riccati, const double* g, const double* before, const double* r, double* dx, double* dl)
{
    const int n = riccati->variables, m = riccati->rows, c = riccati->carried, u = n - m;
    double *gradient = riccati->work, *stages = gradient + 2 * n, *dp = stages + riccati->stages * (c + n);
    solve_backward(riccati, g, before, r, gradient, stages);
    // steps and multipliers, from the first stage to the last
    memset(dp, 0, sizeof(double) * (size_t)c);
    for (int k = 0; k < riccati->stages; k++) {
        const FilRiccatiStage* s = &riccati->stage[k];
        const double *p = stages + k * (c + n), *ku = p + c, *rest = ku + u;
        double *step = dx + k * n, *multiplier = dl + k * m;
        memcpy(step + m, ku, sizeof(double) * (size_t)u);
        fil_dense_apply(u, c, 1.0, s->gain, u, dp, step + m);
        memcpy(step, rest, sizeof(double) * (size_t)m);
        fil_dense_apply(m, u, 1.0, s->follow, m, step + m, step);
        fil_dense_apply(m, c, 1.0, s->follow + m * u, m, dp, step);
        // E_S' dl = -(g_S + H_S dx + G_S dp)
        memcpy(gradient, g + k * n, sizeof(double) * (size_t)n);
        for (int i = 0; k + 1 < riccati->stages && i < c; i++) {
            gradient[riccati->carry[i]] += p[c + n + i];
        }
        for (int i = 0; i < m; i++) {
            multiplier[i] = -gradient[i];
        }
        fil_dense_apply(m, n, -1.0, s->hessian, n, step, multiplier);
        fil_dense_apply(m, c, -1.0, s->mixed, n, dp, multiplier);
        fil_dense_apply_transposed(m - s->coupled, s->coupled, -1.0, s->own + s->coupled, m, multiplier + s->coupled, multiplier);
        fil_dense_lu_solve_transposed(s->coupled, s->lu, s->pivots, multiplier);
        for (int i = 0; i < c; i++) {
            dp[i] = step[riccati->carry[i]];
        }
    }
}
