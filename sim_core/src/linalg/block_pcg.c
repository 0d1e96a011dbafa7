#include "linalg/block_pcg.h"

#include <math.h>
#include <string.h>

void fil_block_pcg_free(FilBlockPcg* pcg)
{
    FilInts* const ints[] = {&pcg->start, &pcg->row, &pcg->block, &pcg->weak};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    fil_free(pcg->more.at);
    fil_free(pcg->vectors.at);
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
        !fil_ints_reserve(&pcg->weak, 3 * blocks) || !fil_doubles_reserve(&pcg->more, n) || !fil_doubles_reserve(&pcg->vectors, 3 * FIL_BLOCK * n)) {
        return false;
    }
    int end = 0;
    pcg->weak_count = 0;
    for (int j = 0; j < a->columns; j++) {
        pcg->start.at[j] = end;
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (weak != NULL ? !weak[k] : a->row[k] == j) {
                pcg->row.at[end] = a->row[k];
                pcg->block.at[end++] = k;
            } else if (weak != NULL) {
                memcpy(pcg->weak.at + 3 * (size_t)pcg->weak_count++, (const int[]){k, a->row[k], j}, 3 * sizeof(int));
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
    return status == FIL_OK && !fil_block_parts_find(&pcg->parts, whole, FIL_BLOCK_TERMS) ? FIL_OUT_OF_MEMORY : status;
}

static double size_of(const double* block)
{
    double sum[4] = {0.0};
    for (int i = 0; i < FIL_BLOCK_SIZE; i++) {
        sum[i % 4] += block[i] * block[i];
    }
    return sqrt((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* Factors what F does not reach; `thin`: as far as possible with idle fourth places. */
static bool factor(FilBlockPcg* pcg, const FilBlockTerms* terms, bool thin)
{
    double* more = pcg->more.at;
    memset(more, 0, (size_t)terms->a.columns * sizeof *more);
    for (const int* weak = pcg->weak.at; weak < pcg->weak.at + 3 * (ptrdiff_t)pcg->weak_count; weak += 3) {
        const double size = size_of(terms->a_values + FIL_BLOCK_SIZE * (size_t)weak[0]);
        more[weak[1]] += size;
        more[weak[2]] += size;
    }
    const FilBlockPreconditionerValues values = {terms->a_values, terms->c_values, more, terms->workers};
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
    const bool thin = pcg->precond.thin, definite = fil_block_preconditioner_factor_changing(&pcg->precond, terms->f_values);
    pcg->predicted = false;
    if (thin && !pcg->precond.thin) {
        return factor(pcg, terms, false) && fil_block_preconditioner_factor_changing(&pcg->precond, terms->f_values);
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

void fil_block_pcg_predict(FilBlockPcg* pcg, const double* more, double* x)
{
    fil_block_preconditioner_predict(&pcg->precond, more, x);
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
    int iterations;
    const FilPcgSystem system = {&solve, FIL_BLOCK * terms->a.columns, multiply, precondition, NULL, z};
    return fil_pcg_solve(&system, tolerance, max, r, x, &iterations);
}
