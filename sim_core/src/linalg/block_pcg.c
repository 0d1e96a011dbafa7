#include "linalg/block_pcg.h"

#include <math.h>
#include <string.h>

void fil_block_pcg_free(FilBlockPcg* pcg)
{
    FilInts* const ints[] = {&pcg->start, &pcg->row, &pcg->place[0], &pcg->place[1], &pcg->diagonal};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    fil_free(pcg->values.at);
    fil_free(pcg->vectors.at);
    fil_block_near_free(&pcg->near);
    *pcg = (FilBlockPcg){0};
}

/* ---- the near matrix ---- */

static bool reserve(FilBlockPcg* pcg, const FilBlockPattern* a, const FilBlockPattern* c)
{
    const size_t n = (size_t)a->columns, a_blocks = (size_t)a->start[n], c_blocks = (size_t)c->start[n];
    return fil_ints_reserve(&pcg->start, n + 1) &&
           fil_ints_reserve(&pcg->row, a_blocks + c_blocks) && fil_ints_reserve(&pcg->place[0], a_blocks) &&
           fil_ints_reserve(&pcg->place[1], c_blocks + 1) && fil_ints_reserve(&pcg->diagonal, 2 * n) &&
           fil_doubles_reserve(&pcg->values, FIL_BLOCK_SIZE * (a_blocks + c_blocks)) &&
           fil_doubles_reserve(&pcg->vectors, 3 * FIL_BLOCK * n);
}

/* Pattern of A without its weak blocks and of C, and where their blocks stand in it. */
static void merge(FilBlockPcg* pcg, const FilBlockPattern* a, const bool* weak, const FilBlockPattern* c)
{
    const FilBlockPattern* const terms[2] = {a, c};
    int *seen = pcg->diagonal.at + a->columns, end = 0;
    memset(seen, -1, (size_t)a->columns * sizeof *seen);
    for (int j = 0; j < a->columns; j++) {
        const int first = end;
        pcg->start.at[j] = first;
        // C first: a weak block that a contact also couples is none
        for (int m = 1; m >= 0; m--) {
            for (int k = terms[m]->start[j]; k < terms[m]->start[j + 1]; k++) {
                const int i = terms[m]->row[k];
                if (seen[i] < first && m == 0 && (weak != NULL ? weak[k] : i != j)) {
                    pcg->place[m].at[k] = -1;
                    continue;
                }
                if (seen[i] < first) {
                    seen[i] = end;
                    pcg->row.at[end++] = i;
                }
                pcg->place[m].at[k] = seen[i];
            }
        }
        pcg->diagonal.at[j] = seen[j];
    }
    pcg->start.at[a->columns] = end;
}

FilStatus fil_block_pcg_bind(FilBlockPcg* pcg, const FilBlockTerms* terms, const bool* weak, bool afresh, bool* analysed)
{
    if (!reserve(pcg, &terms->a, &terms->c)) {
        return FIL_OUT_OF_MEMORY;
    }
    merge(pcg, &terms->a, weak, &terms->c);
    pcg->diagonal_only = weak == NULL;
    const FilBlockPattern near = {terms->a.columns, pcg->start.at, pcg->row.at};
    const int blocks = near.start[near.columns];
    FilStatus status = FIL_OK;
    bool fits = false;
    // an old analysis serves while the blocks fit and it is not mostly about blocks that are gone
    if (pcg->analysed && !afresh && 2 * blocks > pcg->analysed_blocks) {
        status = fil_block_near_bind(&pcg->near, &near, &terms->f, &fits);
    }
    *analysed = status == FIL_OK && !fits;
    if (*analysed) {
        status = fil_block_near_analyze(&pcg->near, &near, &terms->f);
        pcg->analysed_blocks = blocks;
    }
    pcg->analysed = status == FIL_OK;
    return status;
}

static inline void add_block(double* to, const double* block)
{
    for (int i = 0; i < FIL_BLOCK_SIZE; i++) {
        to[i] += block[i];
    }
}

static double size_of(const double* block)
{
    double sum[4] = {0.0};
    for (int i = 0; i < FIL_BLOCK_SIZE; i++) {
        sum[i % 4] += block[i] * block[i];
    }
    return sqrt((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* Whether the fourth places of a block are idle: zero but for the diagonal's own. */
static inline bool is_thin(const double* b, bool diagonal)
{
    return b[3] == 0.0 && b[7] == 0.0 && b[11] == 0.0 && b[12] == 0.0 && b[13] == 0.0 && b[14] == 0.0 &&
           (diagonal || b[15] == 0.0);
}

static bool all_thin(const FilBlockPattern* pattern, const double* values)
{
    bool thin = true;
    for (int j = 0; j < pattern->columns && thin; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1] && thin; k++) {
            thin = is_thin(values + FIL_BLOCK_SIZE * (size_t)k, pattern->row[k] == j);
        }
    }
    return thin;
}

/* Values of the near matrix. */
static void fill(FilBlockPcg* pcg, const FilBlockPattern* a, const double* a_values, const FilBlockPattern* c,
                 const double* c_values)
{
    double* values = pcg->values.at;
    memset(values, 0, FIL_BLOCK_SIZE * (size_t)pcg->start.at[a->columns] * sizeof *values);
    for (int j = 0; j < a->columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            const int place = pcg->place[0].at[k];
            const double* block = a_values + FIL_BLOCK_SIZE * (size_t)k;
            if (place >= 0) {
                add_block(values + FIL_BLOCK_SIZE * (size_t)place, block);
            }
            if (place >= 0 || pcg->diagonal_only) {
                continue;
            }
            const double size = size_of(block);
            double* own = values + FIL_BLOCK_SIZE * (size_t)pcg->diagonal.at[j];
            double* other = values + FIL_BLOCK_SIZE * (size_t)pcg->diagonal.at[a->row[k]];
            for (int i = 0; i < FIL_BLOCK; i++) {
                own[5 * i] += size;
                other[5 * i] += size;
            }
        }
    }
    for (int k = 0; k < c->start[c->columns]; k++) {
        add_block(values + FIL_BLOCK_SIZE * (size_t)pcg->place[1].at[k], c_values + FIL_BLOCK_SIZE * (size_t)k);
    }
}

bool fil_block_pcg_factor(FilBlockPcg* pcg, const FilBlockTerms* terms)
{
    const FilBlockPattern near = {terms->a.columns, pcg->start.at, pcg->row.at};
    fill(pcg, &terms->a, terms->a_values, &terms->c, terms->c_values);
    return fil_block_near_factor_fixed(&pcg->near, all_thin(&near, pcg->values.at), pcg->values.at);
}

bool fil_block_pcg_factor_rest(FilBlockPcg* pcg, const FilBlockTerms* terms)
{
    pcg->predicted = false;
    if (pcg->near.thin && !all_thin(&terms->f, terms->f_values) &&
        !fil_block_near_factor_fixed(&pcg->near, false, pcg->values.at)) {
        return false;
    }
    return fil_block_near_factor_changing(&pcg->near, terms->f_values);
}

/* ---- where F reaches ---- */

const int* fil_block_pcg_reached(const FilBlockPcg* pcg, int* count)
{
    return fil_block_near_reached(&pcg->near, count);
}

void fil_block_pcg_reduce(FilBlockPcg* pcg, const double* b)
{
    fil_block_near_reduce(&pcg->near, b);
    pcg->predicted = false;
}

void fil_block_pcg_predict(FilBlockPcg* pcg, const double* more, double* x)
{
    fil_block_near_predict(&pcg->near, more, x);
    pcg->predicted = true;
}

/* ---- conjugate gradients ---- */

static double dot(const double* a, const double* b, int n)
{
    double sum[4] = {0.0};
    for (int k = 0; k < n; k += 4) {
        for (int j = 0; j < 4; j++) {
            sum[j] += a[k + j] * b[k + j];
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

FilBlockPcgResult fil_block_pcg_solve(FilBlockPcg* pcg, const FilBlockTerms* terms, double tolerance, int most, double* r,
                                      double* x)
{
    const int n = FIL_BLOCK * terms->a.columns;
    double *z = pcg->vectors.at, *p = z + n, *product = p + n;
    if (pcg->predicted) {
        fil_block_near_complete(&pcg->near, z);
        pcg->predicted = false;
    } else {
        fil_block_near_solve(&pcg->near, r, z);
    }
    memcpy(p, z, sizeof(double) * (size_t)n);
    double rz = dot(r, z, n);
    const double goal = tolerance * tolerance * rz;
    FilBlockPcgResult result = rz > goal ? FIL_PCG_SLOW : FIL_PCG_DONE;
    for (int iteration = 0; iteration < most && result == FIL_PCG_SLOW; iteration++) {
        fil_block_multiply(&terms->a, terms->a_values, p, product);
        fil_block_multiply_add(&terms->c, terms->c_values, p, product);
        fil_block_multiply_add(&terms->f, terms->f_values, p, product);
        const double curvature = dot(p, product, n);
        if (!(curvature > 0.0)) {
            return FIL_PCG_INDEFINITE;
        }
        const double step = rz / curvature;
        for (int k = 0; k < n; k++) {
            x[k] += step * p[k];
            r[k] -= step * product[k];
        }
        fil_block_near_solve(&pcg->near, r, z);
        const double next = dot(r, z, n), turn = next / rz;
        rz = next;
        for (int k = 0; k < n; k++) {
            p[k] = z[k] + turn * p[k];
        }
        result = rz <= goal ? FIL_PCG_DONE : FIL_PCG_SLOW;
    }
    return result;
}
