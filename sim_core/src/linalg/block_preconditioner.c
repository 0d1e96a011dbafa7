#include "linalg/block_preconditioner.h"

#include <string.h>

#include "base/prefetch.h"
#include "linalg/block_preconditioner_data.h"

void fil_block_preconditioner_free(FilBlockPreconditioner* precond)
{
    FilFloats* const floats[] = {&precond->factor, &precond->base, &precond->inverse, &precond->column, &precond->x, &precond->reduced};
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++) {
        fil_free(floats[k]->at);
    }
    fil_free(precond->f_values.at);
    fil_free(precond->stale.at);
    fil_free(precond->place.at);
    fil_free(precond->outcome.at);
    fil_free(precond->gather_start.at);
    fil_free(precond->gather.at);
    fil_free(precond->alone.variable.at);
    fil_free(precond->alone.square.at);
    fil_free(precond->alone.tree.at);
    fil_subtrees_free(&precond->trees);
    fil_block_panels_free(&precond->panels);
    fil_block_symbolic_free(&precond->symbolic);
    *precond = (FilBlockPreconditioner){0};
}

static bool reserve_f(FilBlockPreconditioner* precond, const FilBlockPattern* f)
{
    precond->f_blocks = f->start[f->columns];
    return fil_doubles_reserve(&precond->f_values, FIL_BLOCK_SIZE * (size_t)precond->f_blocks + 1);
}

/* Subtrees of the fixed columns, by how many blocks each column is made of. */
static bool find_subtrees(FilBlockPreconditioner* precond)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    if (!fil_subtrees_reserve(&precond->trees, s->columns) || !fil_ints_reserve(&precond->outcome, (size_t)s->columns + 1)) {
        return false;
    }
    for (int j = 0; j < s->first_changing; j++) {
        double work = s->column_start.at[j + 1] - s->column_start.at[j];
        for (int q = s->row_start.at[j]; q < s->row_start.at[j + 1]; q++) {
            work += s->column_start.at[s->row_column.at[q] + 1] - s->row_block.at[q];
        }
        precond->trees.work.at[j] = work;
    }
    fil_subtrees_find(&precond->trees, s->first_changing, s->parent.at);
    return true;
}

/* The block of column j from which on rows are above its subtree. */
static int first_above(const FilBlockPreconditioner* precond, int j)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int *task = precond->trees.task.at, *row = s->row.at, end = s->column_start.at[j + 1];
    int p = s->column_start.at[j] + 1;
    while (p < end && row[p] < s->first_changing && task[row[p]] == task[j] && task[j] < precond->trees.count) {
        p++;
    }
    return p;
}

/* For solutions: lists by rows, as right-looking columns would come to them. */
static bool find_gathered(FilBlockPreconditioner* precond)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const size_t n = (size_t)s->columns;
    if (!fil_ints_reserve(&precond->gather_start, n + 2) || !fil_ints_reserve(&precond->gather, 2 * (size_t)s->factor_blocks + 1)) {
        return false;
    }
    int *start = precond->gather_start.at, *above = s->scratch.at;
    memset(start, 0, (n + 2) * sizeof *start);
    for (int j = 0; j < s->first_changing; j++) {
        above[j] = first_above(precond, j);
        for (int p = above[j]; p < s->column_start.at[j + 1]; p++) {
            start[s->row.at[p] + 2]++;
        }
    }
    for (size_t i = 0; i < n; i++) {
        start[i + 2] += start[i + 1];
    }
    for (int j = 0; j < s->first_changing; j++) {
        for (int p = above[j]; p < s->column_start.at[j + 1]; p++) {
            memcpy(precond->gather.at + 2 * (size_t)start[s->row.at[p] + 1]++, (const int[]){j, p}, 2 * sizeof(int));
        }
    }
    return true;
}

/* Blocks of A have numbers of their own. */
static void renumber(FilBlockSymbolic* s, const int* a_block)
{
    int* source = s->source[0].at;
    for (int p = 0; p < s->factor_blocks; p++) {
        source[p] = source[p] != FIL_BLOCK_NO_SOURCE ? 2 * a_block[source[p] >> 1] + (source[p] & 1) : source[p];
    }
}

FilStatus fil_block_preconditioner_analyze(FilBlockPreconditioner* precond, const FilBlockPattern* const* terms, const int* a_block, bool order)
{
    FilBlockSymbolic* s = &precond->symbolic;
    const FilStatus status = fil_block_symbolic_analyze(s, terms, true, order, INFINITY);
    if (status != FIL_OK) {
        return status;
    }
    renumber(s, a_block);
    precond->has_f = false;
    precond->products = fil_block_products();
    const size_t n = (size_t)s->columns, blocks = (size_t)s->factor_blocks;
    const size_t changing = blocks - (size_t)s->column_start.at[s->first_changing];
    const bool room = find_subtrees(precond) && find_gathered(precond) && fil_block_panels_find(precond) && reserve_f(precond, terms[F]) &&
                      fil_ints_reserve(&precond->place, n) && fil_ints_reserve(&precond->stale, n) &&
                      fil_floats_reserve(&precond->factor, FIL_BLOCK_SIZE * blocks) &&
                      fil_floats_reserve(&precond->base, FIL_BLOCK_SIZE * changing + 1) &&
                      fil_floats_reserve(&precond->inverse, FIL_BLOCK_SIZE * n) && fil_floats_reserve(&precond->column, FIL_BLOCK_SIZE * n) &&
                      fil_floats_reserve(&precond->x, FIL_BLOCK * n) && fil_floats_reserve(&precond->reduced, FIL_BLOCK * n);
    return room ? FIL_OK : FIL_OUT_OF_MEMORY;
}

FilStatus fil_block_preconditioner_bind(FilBlockPreconditioner* precond, const FilBlockPattern* const* terms, const int* a_block, bool* fits)
{
    precond->has_f = false;
    *fits = false;
    if (!reserve_f(precond, terms[F])) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilStatus status = fil_block_symbolic_bind(&precond->symbolic, terms, a_block != NULL ? A : C, fits);
    if (a_block != NULL && *fits) {
        renumber(&precond->symbolic, a_block);
    }
    return status;
}

const int* fil_block_preconditioner_reached(const FilBlockPreconditioner* precond, int* count)
{
    *count = precond->symbolic.columns - precond->symbolic.first_changing;
    return precond->symbolic.ordering.old_of_new + precond->symbolic.first_changing;
}

/* ---- the factor ---- */

/* Blocks that are asked for before they are needed: a processor does not foresee their places. Chosen: three columns of a net. */
enum { BLOCKS_AHEAD = 6 };

/* Asks for the block of a term's values that is needed some blocks after block p of L. */
static inline void look_ahead(const FilBlockSymbolic* s, int term, int p, const double* values)
{
    const int source = p + BLOCKS_AHEAD < s->factor_blocks ? s->source[term].at[p + BLOCKS_AHEAD] : FIL_BLOCK_NO_SOURCE;
    if (source != FIL_BLOCK_NO_SOURCE) {
        const double* block = values + FIL_BLOCK_SIZE * (size_t)(source >> 1);
        FIL_PREFETCH(block);
        FIL_PREFETCH(block + FIL_BLOCK_SIZE / 2);
    }
}

/* Sets column j to its blocks of A and C; false: they are not thin where that is asked for. */
static inline bool set_sources(const FilBlockPreconditioner* precond, float* column, int j, const FilBlockPreconditionerValues* values, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int first = s->column_start.at[j], *of_a = s->source[A].at, *of_c = s->source[C].at;
    double fourth = 0.0;
    for (int p = first; p < s->column_start.at[j + 1]; p++, column += 4 * width) {
        FilFloat4 sum[FIL_BLOCK];
        look_ahead(s, A, p, values->a);
        for (int c = 0; c < width; c++) {
            sum[c] = fil_float4_all(0.0F);
        }
        if (of_a[p] != FIL_BLOCK_NO_SOURCE) {
            const double* block = values->a + FIL_BLOCK_SIZE * (size_t)(of_a[p] >> 1);
            for (int c = 0; c < width; c++) {
                sum[c] = round_column(block, of_a[p], c);
            }
            fourth += width < FIL_BLOCK ? fourth_of(block, p == first) : 0.0;
        }
        if (of_c[p] != FIL_BLOCK_NO_SOURCE) {
            const double* block = values->c + FIL_BLOCK_SIZE * (size_t)(of_c[p] >> 1);
            for (int c = 0; c < width; c++) {
                sum[c] += round_column(block, of_c[p], c);
            }
            fourth += width < FIL_BLOCK ? fourth_of(block, p == first) : 0.0;
        }
        for (int c = 0; c < width; c++) {
            fil_float4_store(column + 4 * c, sum[c]);
        }
    }
    return fourth == 0.0;
}

/* How many columns from entry q of a row on, which ends at `end`, go on alike below, all fixed or all changing: each is the parent of
 * the one before and as long, and what a column reaches its parent reaches, too. */
static inline int run_at(const FilBlockSymbolic* s, int q, int end)
{
    const int k = s->row_column.at[q], length = s->column_start.at[k + 1] - s->row_block.at[q];
    int run = 1;
    for (int last = k; q + run < end; run++) {
        const int next = s->row_column.at[q + run];
        const bool other = last < s->first_changing && next >= s->first_changing;
        if (other || s->parent.at[last] != next || s->column_start.at[next + 1] - s->row_block.at[q + run] != length) {
            break;
        }
        last = next;
    }
    return run;
}

/* Subtracts from column j all products of fixed columns with row j. */
static inline void subtract_row(const FilBlockPreconditioner* precond, float* column, int j, const int* place, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int end = s->row_start.at[j + 1];
    for (int q = s->row_start.at[j], run; q < end; q += run) {
        const int k = s->row_column.at[q], *from = s->row_block.at + q, *row = s->row.at + from[0];
        run = 1;
        if (k >= s->first_changing) {
            continue;
        }
        run = run_at(s, q, end);
        precond->products->column(column, precond->factor.at, from, run, row, s->column_start.at[k + 1] - from[0], place, width);
    }
}

/* Column j of L from the gathered one. */
static inline bool finish_column(FilBlockPreconditioner* precond, const float* column, int j, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    float* factor = block_at(precond->factor.at, s->column_start.at[j], width);
    FilFloat4 w[FIL_BLOCK], l[FIL_BLOCK];
    if (!keep_pivot(precond, column, j, w, width)) {
        return false;
    }
    const int count = s->column_start.at[j + 1] - s->column_start.at[j];
    for (int p = 1; p < count; p++) {
        FilFloat4 block[FIL_BLOCK];
        for (int k = 0; k < width; k++) {
            block[k] = fil_float4_load(column + 4 * width * p + 4 * k);
        }
        finish_block(block, w, l, width);
        for (int r = 0; r < width; r++) {
            fil_float4_store(factor + 4 * width * p + 4 * r, l[r]);
        }
    }
    return true;
}

/* Where the blocks of column j are in its buffer, by row. */
static inline void find_places(const FilBlockSymbolic* s, int j, int width, int* place)
{
    const int first = s->column_start.at[j];
    for (int p = first; p < s->column_start.at[j + 1]; p++) {
        place[s->row.at[p]] = 4 * width * (p - first);
    }
}

/* ---- fixed columns, shared by workers ---- */

typedef struct Fixed {
    FilBlockPreconditioner* precond;
    const FilBlockPreconditionerValues* values;
} Fixed;

/* Column j, in a buffer: what a fixed one has to be finished from, and a changing one begins with. */
static inline int make_fixed(const Fixed* fixed, int j, int* place, float* column, int width)
{
    const FilBlockPreconditioner* precond = fixed->precond;
    const FilBlockPreconditionerValues* values = fixed->values;
    find_places(&precond->symbolic, j, width, place);
    const bool thin = set_sources(precond, column, j, values, width);
    const int weak = values->weak != NULL ? values->weak->place.at[precond->symbolic.ordering.old_of_new[j]] : -1;
    for (int k = 0; weak >= 0 && k < 4 * width; k += 4) {
        fil_float4_store(column + k, fil_float4_load(column + k) + fil_float4_load(values->weak->diagonal.at + FIL_BLOCK_SIZE * (ptrdiff_t)weak + k));
    }
    subtract_row(precond, column, j, place, width);
    return thin ? DONE : NOT_THIN;
}

/* Columns of some subtrees; the last one stands for what is above all. */
static inline void make_trees(const Fixed* fixed, int first, int end, int worker, int width)
{
    FilBlockPreconditioner* precond = fixed->precond;
    const size_t n = (size_t)precond->symbolic.columns;
    const FilSubtrees* trees = &precond->trees;
    int* place = precond->place.at + (size_t)worker * n;
    float* column = precond->column.at + (size_t)worker * FIL_BLOCK_SIZE * n;
    for (int t = first; t < end; t++) {
        int* outcome = &precond->outcome.at[t];
        *outcome = DONE;
        for (int k = trees->start.at[t]; k < trees->start.at[t + 1] && *outcome == DONE; k++) {
            const int j = trees->column.at[k];
            *outcome = make_fixed(fixed, j, place, column, width);
            *outcome = *outcome == DONE && !finish_column(precond, column, j, width) ? INDEFINITE : *outcome;
        }
    }
}

static void make_some_trees(void* context, int first, int end, int worker)
{
    const Fixed* fixed = context;
    if (fixed->precond->thin) {
        make_trees(fixed, first, end, worker, 3);
    } else {
        make_trees(fixed, first, end, worker, 4);
    }
}

/* What some changing columns begin with; columns are counted from the first of these. */
static void make_bases(void* context, int first, int end, int worker)
{
    const Fixed* fixed = context;
    const FilBlockPreconditioner* precond = fixed->precond;
    const FilBlockSymbolic* s = &precond->symbolic;
    int* place = precond->place.at + (size_t)worker * (size_t)s->columns;
    for (int j = s->first_changing + first; j < s->first_changing + end; j++) {
        precond->outcome.at[j - s->first_changing] =
            precond->thin ? make_fixed(fixed, j, place, base_of(precond, j, 3), 3) : make_fixed(fixed, j, place, base_of(precond, j, 4), 4);
    }
}

/* Some 100 pieces, whoever there is to take them: chosen, more than there are workers, so that none waits long for another. */
static int grain_of(int count)
{
    return 1 + count / 100;
}

static int factor_fixed(FilBlockPreconditioner* precond, const FilBlockPreconditionerValues* values)
{
    const int trees = precond->trees.count, changing = precond->symbolic.columns - precond->symbolic.first_changing;
    Fixed fixed = {precond, values};
    fil_workers_run(values->workers, trees, grain_of(trees), make_some_trees, &fixed);
    make_some_trees(&fixed, trees, trees + 1, 0);
    const int worst = worst_outcome(precond, trees + 1);
    if (worst != DONE) {
        return worst;
    }
    fil_workers_run(values->workers, changing, grain_of(changing), make_bases, &fixed);
    return worst_outcome(precond, changing);
}

bool fil_block_preconditioner_factor_fixed(FilBlockPreconditioner* precond, bool thin, const FilBlockPreconditionerValues* values)
{
    precond->has_f = false;
    end_reduction(precond);
    if (!reserve_columns(precond, values->workers)) {
        return false;
    }
    precond->thin = thin;
    int outcome = factor_fixed(precond, values);
    if (outcome == NOT_THIN) {
        precond->thin = false;
        outcome = factor_fixed(precond, values);
    }
    return outcome == DONE;
}
