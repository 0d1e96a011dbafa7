#include "linalg/block_pcg.h"

#include <float.h>
#include <math.h>
#include <string.h>

void fil_block_pcg_free(FilBlockPcg* pcg)
{
    FilInts* const ints[] = {&pcg->start, &pcg->row, &pcg->block};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    fil_block_weak_free(&pcg->weak);
    fil_free(pcg->vectors.at);
    fil_free(pcg->rest.at);
    fil_block_preconditioner_free(&pcg->precond);
    fil_block_parts_free(&pcg->parts);
    fil_single_rows_free(&pcg->a_rows);
    fil_single_rows_free(&pcg->rest_rows);
    fil_free(pcg->fourth.at);
    fil_free(pcg->single.at);
    *pcg = (FilBlockPcg){0};
}

/* An order serves until there is so much more fill, as a share of what there was. */
enum { WORSE = 50 };

/* ---- the preconditioner ---- */

/* Sorts the blocks of A. */
static bool sort_blocks(FilBlockPcg* pcg, const FilBlockPattern* a, const bool* weak)
{
    const size_t n = (size_t)a->columns, blocks = (size_t)a->start[n];
    if (!fil_ints_reserve(&pcg->start, n + 1) || !fil_ints_reserve(&pcg->row, blocks) || !fil_ints_reserve(&pcg->block, blocks) ||
        !fil_block_weak_find(&pcg->weak, a, weak) || !fil_doubles_reserve(&pcg->vectors, 3 * FIL_BLOCK * n) ||
        !fil_floats_reserve(&pcg->rest, FIL_BLOCK * n)) {
        return false;
    }
    int end = 0;
    for (int j = 0; j < a->columns; j++) {
        pcg->start.at[j] = end;
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (weak != NULL ? !weak[k] : a->row[k] == j) {
                pcg->row.at[end] = a->row[k];
                pcg->block.at[end++] = k;
            }
        }
    }
    pcg->start.at[n] = end;
    return true;
}

FilStatus fil_block_pcg_bind(FilBlockPcg* pcg, const FilBlockTerms* terms, const bool* weak, bool afresh, bool* analysed)
{
    const bool same = pcg->analysed && pcg->a_pattern == terms->a_pattern && pcg->diagonal_only == (weak == NULL);
    if (!same && !sort_blocks(pcg, &terms->a, weak)) {
        return FIL_OUT_OF_MEMORY;
    }
    pcg->wide = pcg->wide && pcg->a_pattern == terms->a_pattern && !afresh;
    pcg->a_found = pcg->a_found && pcg->a_pattern == terms->a_pattern;
    pcg->rest_found = false;
    pcg->a_pattern = terms->a_pattern;
    pcg->diagonal_only = weak == NULL;
    const int n = terms->a.columns, blocks = pcg->start.at[n] + terms->c.start[n];
    const FilBlockPattern a = {n, pcg->start.at, pcg->row.at}, *const precond[FIL_BLOCK_TERMS] = {&a, &terms->c, &terms->f};
    FilStatus status = FIL_OK;
    bool fits = false;
    // an old one serves while it is not mostly about blocks that are gone: the analysis if blocks fit, else its order if that
    // makes little more fill
    const bool serves = pcg->analysed && !afresh && n == pcg->precond.symbolic.columns && 2 * blocks > pcg->analysed_blocks;
    if (serves) {
        status = fil_block_preconditioner_bind(&pcg->precond, precond, same ? NULL : pcg->block.at, &fits);
    }
    *analysed = status == FIL_OK && !fits;
    bool order = *analysed && !serves;
    if (*analysed && serves) {
        status = fil_block_preconditioner_analyze(&pcg->precond, precond, pcg->block.at, false);
        order = status == FIL_OK && pcg->precond.symbolic.factor_blocks > pcg->ordered_blocks + pcg->ordered_blocks / WORSE;
    }
    if (order) {
        status = fil_block_preconditioner_analyze(&pcg->precond, precond, pcg->block.at, true);
        pcg->ordered_blocks = pcg->precond.symbolic.factor_blocks;
    }
    pcg->analysed_blocks = *analysed ? blocks : pcg->analysed_blocks;
    pcg->exact = order;
    pcg->analysed = status == FIL_OK;
    const FilBlockPattern whole[FIL_BLOCK_TERMS] = {terms->a, terms->c, terms->f};
    // where they have been solved in single precision before they will be again, and this may be done beside other work
    pcg->rest_found = pcg->a_found && fil_single_rows_find(&pcg->rest_rows, whole + 1, 2, pcg->fourth.at);
    return status == FIL_OK && !fil_block_parts_find(&pcg->parts, whole, FIL_BLOCK_TERMS) ? FIL_OUT_OF_MEMORY : status;
}

/* Factors what F does not reach; `thin`: as far as possible with idle fourth places. */
static bool factor(FilBlockPcg* pcg, const FilBlockTerms* terms, bool thin)
{
    fil_block_weak_take(&pcg->weak, terms->workers, terms->a_values);
    const FilBlockPreconditionerValues values = {terms->a_values, terms->c_values, &pcg->weak, terms->workers};
    const bool definite = fil_block_preconditioner_factor_fixed(&pcg->precond, thin, &values);
    pcg->wide = !pcg->precond.thin;
    return definite;
}

bool fil_block_pcg_factor(FilBlockPcg* pcg, const FilBlockTerms* terms)
{
    return factor(pcg, terms, !pcg->wide);
}

bool fil_block_pcg_factor_rest(FilBlockPcg* pcg, const FilBlockTerms* terms)
{
    const bool thin = pcg->precond.thin, definite = fil_block_preconditioner_factor_changing(&pcg->precond, terms->workers, terms->f_values);
    pcg->predicted = false;
    if (thin && !pcg->precond.thin) {
        return factor(pcg, terms, false) && fil_block_preconditioner_factor_changing(&pcg->precond, terms->workers, terms->f_values);
    }
    return definite;
}

/* ---- where F reaches ---- */

const int* fil_block_pcg_reached(const FilBlockPcg* pcg, int* count)
{
    return fil_block_preconditioner_reached(&pcg->precond, count);
}

void fil_block_pcg_reduce(FilBlockPcg* pcg, FilWorkers* workers, const double* b)
{
    fil_block_preconditioner_reduce(&pcg->precond, workers, b);
    pcg->predicted = false;
}

void fil_block_pcg_predict(FilBlockPcg* pcg, FilWorkers* workers, const double* more, double* x)
{
    fil_block_preconditioner_predict(&pcg->precond, workers, more, x);
    pcg->predicted = true;
}

/* ---- conjugate gradients ---- */

/* What products and solves need. */
typedef struct Solve {
    FilBlockPcg* pcg;
    const FilBlockTerms* terms;
} Solve;

static void multiply(void* context, const double* x, double* y)
{
    const Solve* solve = context;
    const FilBlockTerms* terms = solve->terms;
    const FilBlockPattern patterns[FIL_BLOCK_TERMS] = {terms->a, terms->c, terms->f};
    const double* const values[FIL_BLOCK_TERMS] = {terms->a_values, terms->c_values, terms->f_values};
    fil_block_parts_multiply(&solve->pcg->parts, terms->workers, patterns, values, FIL_BLOCK_TERMS, x, y);
}

static void precondition(void* context, const double* r, double* z)
{
    const Solve* solve = context;
    fil_block_preconditioner_solve(&solve->pcg->precond, solve->terms->workers, r, z);
}

/* ---- the same by what the preconditioner leaves out ---- */

/* Vectors are gone through in so many pieces, whoever there is to take them. */
enum { PIECES = 16 };

/* An iteration: x, residual r, z = P^-1 r, y = (P - A) z where P - A has something, direction p and product s with that. */
typedef struct Close {
    Solve solve;
    double *x, *r, *z, *p, *s;
    float* y;
    double turn, length;
    int grain, weak_grain;
    double sums[PIECES];
} Close;

static double sum_pieces(Close* close, int count, int grain, FilWork* work)
{
    memset(close->sums, 0, sizeof close->sums);
    fil_workers_run(close->solve.terms->workers, count, grain, work, close);
    double sum = 0.0;
    for (int k = 0; k < PIECES; k++) {
        sum += close->sums[k];
    }
    return sum;
}

static void multiply_weak(void* context, int first, int end, int worker)
{
    Close* close = context;
    (void)worker;
    close->sums[first / close->weak_grain] = fil_block_weak_multiply(&close->solve.pcg->weak, first, end, close->z, close->y);
}

static void dot_piece(void* context, int first, int end, int worker)
{
    Close* close = context;
    double sum[FIL_BLOCK] = {0.0};
    (void)worker;
    for (int k = FIL_BLOCK * first; k < FIL_BLOCK * end; k += FIL_BLOCK) {
        for (int i = 0; i < FIL_BLOCK; i++) {
            sum[i] += close->r[k + i] * close->z[k + i];
        }
    }
    close->sums[first / close->grain] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* p = z + turn p, s = A z + turn s, x = x + length p, r = r - length s, where P z = r and so A z = r - (P - A) z. */
static void advance_piece(void* context, int first, int end, int worker)
{
    Close* close = context;
    const int* place = close->solve.pcg->weak.place.at;
    const float none[FIL_BLOCK] = {0.0F};
    const double turn = close->turn, length = close->length;
    double *x = close->x, *r = close->r, *p = close->p, *s = close->s;
    const double* z = close->z;
    const float* all = close->y;
    (void)worker;
    for (int v = first; v < end; v++) {
        const float* y = place[v] >= 0 ? all + FIL_BLOCK * (ptrdiff_t)place[v] : none;
        for (int k = FIL_BLOCK * v, i = 0; i < FIL_BLOCK; k++, i++) {
            const double product = r[k] - (double)y[i], direction = z[k];
            p[k] = turn == 0.0 ? direction : direction + turn * p[k];  // in the beginning there is none
            s[k] = turn == 0.0 ? product : product + turn * s[k];
            x[k] += length * p[k];
            r[k] -= length * s[k];
        }
    }
}

/* Whether an iteration that begins with r'z = `rz` will leave no more than `goal`, z'(P - A) z being `rest`. With R = r'A^-1 r >= r'P^-1 r and m the
 * largest eigenvalue of P^-1 (P - A), R is at most rz + rest / (1 - m) before, a step along z takes rz^2 / (rz - rest) of it, and the direction takes
 * no less: rest m / (1 - m) is left at most, and no more than `rest` where m is a half or less. A quotient of a quarter says nothing against that. Of
 * numbers whose squares single precision does not have nothing is known. */
static bool is_last(double rz, double rest, double goal)
{
    return rest > (double)FLT_MIN && rest <= goal && 4.0 * rest <= rz;
}

/* `vectors` begins with P^-1 r. Where the last iteration is known to be enough no solution follows that only says so. */
static FilBlockPcgResult solve_close(const Solve* solve, double tolerance, int max, double* r, double* x)
{
    const FilBlockTerms* terms = solve->terms;
    FilBlockPcg* pcg = solve->pcg;
    const int n = terms->a.columns, count = FIL_BLOCK * n;
    double* at = pcg->vectors.at;
    Close close = {.solve = *solve, .x = x, .r = r, .z = at, .p = at + count, .s = at + 2 * count, .y = pcg->rest.at};
    close.grain = 1 + n / PIECES;
    close.weak_grain = 1 + pcg->weak.count / PIECES;
    double rz = sum_pieces(&close, n, close.grain, dot_piece);
    const double goal = tolerance * tolerance * rz;
    for (int k = 0; !(rz <= goal); k++) {
        if (k == max) {
            return FIL_PCG_SLOW;
        }
        // z'Az, and p'Ap by it and the last length (Chronopoulos and Gear 1989)
        const double rest = sum_pieces(&close, pcg->weak.count, close.weak_grain, multiply_weak), own = rz - rest;
        const double curvature = k > 0 ? own - close.turn * rz / close.length : own;
        if (!(curvature > 0.0)) {
            return FIL_PCG_INDEFINITE;
        }
        close.length = rz / curvature;
        fil_workers_run(terms->workers, n, close.grain, advance_piece, &close);
        if (is_last(rz, rest, goal)) {
            return FIL_PCG_DONE;
        }
        fil_block_preconditioner_solve(&pcg->precond, terms->workers, r, close.z);
        const double next = sum_pieces(&close, n, close.grain, dot_piece);
        close.turn = next / rz;
        rz = next;
    }
    return FIL_PCG_DONE;
}

/* Tolerances from which on the factor is taken for exact. In a net that stops a ball, products differed by more than a tenth of these in 4 of 1,000
 * solutions, in none by more than all of it; of tolerances between 1e-4 and 1e-3 in one of five. */
static const double CLOSE = 1e-3;

FilBlockPcgResult fil_block_pcg_solve(FilBlockPcg* pcg, const FilBlockTerms* terms, double tolerance, int max, double* r, double* x)
{
    Solve solve = {pcg, terms};
    double* z = pcg->vectors.at;
    if (pcg->predicted) {
        fil_block_preconditioner_complete(&pcg->precond, terms->workers, z);
        pcg->predicted = false;
    } else {
        precondition(&solve, r, z);
    }
    if (!pcg->diagonal_only && tolerance >= CLOSE) {
        return solve_close(&solve, tolerance, max, r, x);
    }
    int iterations;
    double left;
    const FilPcgSystem system = {&solve, FIL_BLOCK * terms->a.columns, multiply, precondition, NULL, z};
    return fil_pcg_solve(&system, tolerance, max, r, x, &iterations, &left);
}
