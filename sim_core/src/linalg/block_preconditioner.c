#include "linalg/block_preconditioner.h"

#include <math.h>
#include <string.h>

#include "base/prefetch.h"
#include "base/vector.h"

/* Columns that products are subtracted from at once, in as many rows at once. */
enum { TARGETS = 2, ROWS = 2 };

/* The terms. */
enum { A, C, F };

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
    int* start = precond->gather_start.at;
    memset(start, 0, (n + 2) * sizeof *start);
    for (int j = 0; j < s->first_changing; j++) {
        for (int p = first_above(precond, j); p < s->column_start.at[j + 1]; p++) {
            start[s->row.at[p] + 2]++;
        }
    }
    for (size_t i = 0; i < n; i++) {
        start[i + 2] += start[i + 1];
    }
    for (int j = 0; j < s->first_changing; j++) {
        for (int p = first_above(precond, j); p < s->column_start.at[j + 1]; p++) {
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
    const size_t n = (size_t)s->columns, blocks = (size_t)s->factor_blocks;
    const size_t changing = blocks - (size_t)s->column_start.at[s->first_changing];
    const bool room = find_subtrees(precond) && find_gathered(precond) && reserve_f(precond, terms[F]) && fil_ints_reserve(&precond->place, n) &&
                      fil_ints_reserve(&precond->stale, n) && fil_floats_reserve(&precond->factor, FIL_BLOCK_SIZE * blocks) &&
                      fil_floats_reserve(&precond->base, FIL_BLOCK_SIZE * changing + 1) &&
                      fil_floats_reserve(&precond->inverse, FIL_BLOCK_SIZE * n) &&
                      fil_floats_reserve(&precond->column, TARGETS * FIL_BLOCK_SIZE * n) && fil_floats_reserve(&precond->x, FIL_BLOCK * n) &&
                      fil_floats_reserve(&precond->reduced, FIL_BLOCK * n);
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

/* ---- the factor ----
 * `width` is the number of columns of a block, 3 or 4; a constant wherever it matters. */

/* Where block k of an array of them begins. */
static inline float* block_at(float* blocks, int k, int width)
{
    return blocks + (ptrdiff_t)4 * width * k;
}

/* Size of a block's fourth row and column, on the diagonal but for what they have in common. */
static inline double fourth_of(const double* b, bool diagonal)
{
    return (fabs(b[3]) + fabs(b[7]) + fabs(b[11])) + (fabs(b[12]) + fabs(b[13]) + fabs(b[14])) + (diagonal ? 0.0 : fabs(b[15]));
}

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

/* Adds a term's blocks to column j, or sets it to the first one's; false: they are not thin where that is asked for. */
static inline bool add_sources(const FilBlockPreconditioner* precond, float* column, int term, int j, const double* values, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int first = s->column_start.at[j], *source = s->source[term].at;
    double fourth = 0.0;
    for (int p = first; p < s->column_start.at[j + 1]; p++, column += 4 * width) {
        look_ahead(s, term, p, values);
        if (source[p] == FIL_BLOCK_NO_SOURCE) {
            for (int c = 0; term == A && c < width; c++) {
                fil_float4_store(column + 4 * c, fil_float4_all(0.0F));
            }
            continue;
        }
        const double* block = values + FIL_BLOCK_SIZE * (size_t)(source[p] >> 1);
        for (int c = 0; c < width; c++) {  // turned round where the source says so
            const FilFloat4 own = source[p] & 1 ? fil_float4_round(block + c, 4) : fil_float4_round(block + 4 * c, 1);
            fil_float4_store(column + 4 * c, term == A ? own : fil_float4_load(column + 4 * c) + own);
        }
        fourth += width < FIL_BLOCK ? fourth_of(block, p == first) : 0.0;
    }
    return fourth == 0.0;
}

/* `rows` blocks of `targets` columns, less the products of all columns k whose blocks from row j on begin at `from`: of their
 * blocks in these rows, the first of them the i-th, with those in rows j and j + 1. */
static inline __attribute__((always_inline)) void subtract_tile(float* to[ROWS][TARGETS], int rows, int targets, const float* factor, const int* from,
                                                                int run, int i, int width)
{
    FilFloat4 c[ROWS][TARGETS][FIL_BLOCK], b[TARGETS];
    for (int r = 0; r < rows; r++) {
        for (int t = 0; t < targets; t++) {
            for (int m = 0; m < width; m++) {
                c[r][t][m] = fil_float4_load(to[r][t] + 4 * m);
            }
        }
    }
    for (int k = 0; k < run; k++) {
        const float* column = factor + (ptrdiff_t)4 * width * from[k];
        for (int s = 0; s < width; s++) {
            for (int t = 0; t < targets; t++) {
                b[t] = fil_float4_load(column + 4 * (width * t + s));
            }
            for (int r = 0; r < rows; r++) {
                const FilFloat4 a = fil_float4_load(column + 4 * (width * (i + r) + s));
                for (int t = 0; t < targets; t++) {
                    for (int m = 0; m < width; m++) {
                        c[r][t][m] = fil_float4_sub_lane(c[r][t][m], a, b[t], m);
                    }
                }
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int t = 0; t < targets; t++) {
            for (int m = 0; m < width; m++) {
                fil_float4_store(to[r][t] + 4 * m, c[r][t][m]);
            }
        }
    }
}

/* L_ik L_jk' is subtracted from columns j and, of two `targets`, j + 1 in all `count` rows i >= j of `run` columns k, whose blocks from row j on
 * begin at `from`. Both are gathered as column j is, where rows have their `place`. */
static inline __attribute__((always_inline)) void subtract_products(float* first, float* second, int targets, const float* factor, const int* from,
                                                                    int run, const int* row, int count, const int* place, int width)
{
    int i = 0;
    for (; i + 1 < count; i += 2) {
        const int here = place[row[i]], there = place[row[i + 1]];
        float* to[ROWS][TARGETS] = {{first + here, second + here}, {first + there, second + there}};
        subtract_tile(to, 2, targets, factor, from, run, i, width);
    }
    if (i < count) {
        float* to[ROWS][TARGETS] = {{first + place[row[i]], second + place[row[i]]}};
        subtract_tile(to, 1, targets, factor, from, run, i, width);
    }
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

/* Subtracts from column j all products of fixed, or of changing columns with row j; from column j + 1, if it is there, those that it shares. */
static inline void subtract_row(const FilBlockPreconditioner* precond, float* first, float* second, int j, bool changing, const int* place, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int end = s->row_start.at[j + 1];
    for (int q = s->row_start.at[j], run; q < end; q += run) {
        const int k = s->row_column.at[q], *from = s->row_block.at + q, *row = s->row.at + from[0];
        run = 1;
        if ((k >= s->first_changing) != changing) {
            continue;
        }
        run = run_at(s, q, end);
        const int count = s->column_start.at[k + 1] - from[0];
        if (second != NULL && count > 1 && row[1] == j + 1) {
            subtract_products(first, second, 2, precond->factor.at, from, run, row, count, place, width);
        } else {
            subtract_products(first, first, 1, precond->factor.at, from, run, row, count, place, width);
        }
    }
}

/* Subtracts from column j + 1 the products of changing columns with row j + 1 that column j did not share. */
static inline void subtract_rest(const FilBlockPreconditioner* precond, float* column, int j, const int* place, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    for (int q = s->row_start.at[j + 1]; q < s->row_start.at[j + 2]; q++) {
        const int k = s->row_column.at[q], *from = s->row_block.at + q, *row = s->row.at + from[0];
        if (k >= s->first_changing && row[-1] != j) {
            subtract_products(column, column, 1, precond->factor.at, from, 1, row, s->column_start.at[k + 1] - from[0], place, width);
        }
    }
}

/* W with W a W' = 1 of a symmetric block, both by columns; false if that is not positive definite. Thin: the fourth is left alone. */
static inline bool invert_pivot(const float* a, float* w, int width)
{
    const float i0 = 1.0F / a[0];
    const float l10 = a[1] * i0, l20 = a[2] * i0;
    const float d1 = a[5] - l10 * a[1], i1 = 1.0F / d1, u21 = a[6] - l10 * a[2], l21 = u21 * i1;
    const float d2 = a[10] - l20 * a[2] - l21 * u21, i2 = 1.0F / d2;
    if (!(a[0] > 0.0F && d1 > 0.0F && d2 > 0.0F && a[0] < INFINITY && d1 < INFINITY && d2 < INFINITY)) {
        return false;
    }
    const float s0 = sqrtf(i0), s1 = sqrtf(i1), s2 = sqrtf(i2), m20 = l21 * l10 - l20;
    memset(w, 0, sizeof(float) * 4 * (size_t)width);
    w[0] = s0;
    w[1] = -s1 * l10;
    w[2] = s2 * m20;
    w[5] = s1;
    w[6] = -s2 * l21;
    w[10] = s2;
    if (width == FIL_BLOCK) {
        const float l30 = a[3] * i0, u31 = a[7] - l10 * a[3], l31 = u31 * i1, u32 = a[11] - l20 * a[3] - l21 * u31, l32 = u32 * i2;
        const float d3 = a[15] - l30 * a[3] - l31 * u31 - l32 * u32, s3 = sqrtf(1.0F / d3), m31 = l32 * l21 - l31;
        if (!(d3 > 0.0F && d3 < INFINITY)) {
            return false;
        }
        w[3] = s3 * (l31 * l10 - l30 - l32 * m20);
        w[7] = s3 * m31;
        w[11] = -s3 * l32;
        w[15] = s3;
    }
    return true;
}

/* Column j of L from the gathered one. */
static inline bool finish_column(FilBlockPreconditioner* precond, const float* column, int j, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    float *w = block_at(precond->inverse.at, j, width), *factor = block_at(precond->factor.at, s->column_start.at[j], width);
    if (!invert_pivot(column, w, width)) {
        return false;
    }
    FilFloat4 inverse[FIL_BLOCK];
    for (int k = 0; k < width; k++) {
        inverse[k] = fil_float4_load(w + 4 * k);
    }
    const int count = s->column_start.at[j + 1] - s->column_start.at[j];
    for (int p = 1; p < count; p++) {
        // column r is the sum of c_k w_rk over k <= r
        for (int r = 0; r < width; r++) {
            FilFloat4 sum = fil_float4_all(0.0F);
            for (int k = 0; k <= r; k++) {
                sum = fil_float4_add_lane(sum, fil_float4_load(column + 4 * width * p + 4 * k), inverse[k], r);
            }
            fil_float4_store(factor + 4 * width * p + 4 * r, sum);
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

static inline size_t column_bytes(const FilBlockSymbolic* s, int j, int width)
{
    return sizeof(float) * 4 * (size_t)width * (size_t)(s->column_start.at[j + 1] - s->column_start.at[j]);
}

static inline float* base_of(const FilBlockPreconditioner* precond, int j, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    return block_at(precond->base.at, s->column_start.at[j] - s->column_start.at[s->first_changing], width);
}

/* ---- fixed columns, shared by workers ---- */

enum { DONE, INDEFINITE, NOT_THIN };

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
    const bool a_thin = add_sources(precond, column, A, j, values->a, width), c_thin = add_sources(precond, column, C, j, values->c, width);
    for (int k = 0; values->more != NULL && k < width; k++) {
        column[5 * k] += (float)values->more[precond->symbolic.ordering.old_of_new[j]];
    }
    subtract_row(precond, column, NULL, j, false, place, width);
    return a_thin && c_thin ? DONE : NOT_THIN;
}

/* Columns of some subtrees; the last one stands for what is above all. */
static inline void make_trees(const Fixed* fixed, int first, int end, int worker, int width)
{
    FilBlockPreconditioner* precond = fixed->precond;
    const size_t n = (size_t)precond->symbolic.columns;
    const FilSubtrees* trees = &precond->trees;
    int* place = precond->place.at + (size_t)worker * n;
    float* column = precond->column.at + (size_t)worker * TARGETS * FIL_BLOCK_SIZE * n;
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

static int worst_outcome(const FilBlockPreconditioner* precond, int count)
{
    int worst = DONE;
    for (int k = 0; k < count; k++) {
        worst = precond->outcome.at[k] > worst ? precond->outcome.at[k] : worst;
    }
    return worst;
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

/* Room for each worker's column. */
static bool reserve_columns(FilBlockPreconditioner* precond, FilWorkers* workers)
{
    const size_t n = (size_t)precond->symbolic.columns * (size_t)fil_workers_count(workers);
    return fil_ints_reserve(&precond->place, n) && fil_floats_reserve(&precond->column, TARGETS * FIL_BLOCK_SIZE * n);
}

/* Whether F is another in column j than it was. */
static bool has_changed(const FilBlockPreconditioner* precond, int j, const double* f_values)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int* source = s->source[F].at;
    bool changed = false;
    for (int p = s->column_start.at[j]; p < s->column_start.at[j + 1] && !changed; p++) {
        const size_t block = FIL_BLOCK_SIZE * (size_t)(source[p] >> 1);
        changed = source[p] != FIL_BLOCK_NO_SOURCE && memcmp(f_values + block, precond->f_values.at + block, FIL_BLOCK_SIZE * sizeof *f_values) != 0;
    }
    return changed;
}

/* Flags the changing columns in which F is another than it was, and what depends on them. */
static void find_stale(FilBlockPreconditioner* precond, const double* f_values)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    int* stale = precond->stale.at;
    for (int j = s->first_changing; j < s->columns; j++) {
        stale[j] = !precond->has_f;
    }
    for (int j = s->first_changing; j < s->columns && precond->has_f; j++) {
        stale[j] = stale[j] || has_changed(precond, j, f_values);
        if (stale[j] && s->parent.at[j] >= 0) {
            stale[s->parent.at[j]] = true;
        }
    }
}

/* Whether column j + 1 is as column j but for its first block. */
static inline bool are_alike(const FilBlockSymbolic* s, int j)
{
    const int* start = s->column_start.at + j;
    return j + 1 < s->columns && s->parent.at[j] == j + 1 && start[2] - start[1] == start[1] - start[0] - 1;
}

/* Column j before changing columns take from it. */
static inline void start_column(FilBlockPreconditioner* precond, int j, const double* f_values, float* column, int width)
{
    memcpy(column, base_of(precond, j, width), column_bytes(&precond->symbolic, j, width));
    precond->thin = add_sources(precond, column, F, j, f_values, width) && precond->thin;
}

static inline bool factor_changing(FilBlockPreconditioner* precond, const double* f_values, int width)
{
    FilBlockSymbolic* s = &precond->symbolic;
    int* place = s->scratch.at;
    // the second one's blocks are where the first has those of the same rows
    float *const first = precond->column.at, *const second = first + FIL_BLOCK_SIZE * (size_t)s->columns, *const own = second + 4 * width;
    for (int j = s->first_changing, targets; j < s->columns; j += targets) {
        targets = are_alike(s, j) ? 2 : 1;  // also if only the second is stale: sums are in the same order then
        if (!precond->stale.at[j + targets - 1]) {
            continue;  // nor is the first, on which it depends
        }
        find_places(s, j, width, place);
        start_column(precond, j, f_values, first, width);
        if (targets == 2) {
            start_column(precond, j + 1, f_values, own, width);
            subtract_rest(precond, second, j, place, width);
        }
        subtract_row(precond, first, targets == 2 ? second : NULL, j, true, place, width);
        bool definite = finish_column(precond, first, j, width);
        if (definite && targets == 2) {
            const int from = s->column_start.at[j] + 1, count = s->column_start.at[j + 1] - from;
            subtract_products(second, second, 1, precond->factor.at, &from, 1, s->row.at + from, count, place, width);
            definite = finish_column(precond, own, j + 1, width);
        }
        if (!definite || (width < FIL_BLOCK && !precond->thin)) {
            return false;
        }
    }
    return true;
}

bool fil_block_preconditioner_factor_fixed(FilBlockPreconditioner* precond, bool thin, const FilBlockPreconditionerValues* values)
{
    precond->has_f = false;
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

bool fil_block_preconditioner_factor_changing(FilBlockPreconditioner* precond, const double* f_values)
{
    find_stale(precond, f_values);
    precond->has_f = precond->thin ? factor_changing(precond, f_values, 3) : factor_changing(precond, f_values, 4);
    if (precond->f_blocks > 0) {
        memcpy(precond->f_values.at, f_values, FIL_BLOCK_SIZE * (size_t)precond->f_blocks * sizeof *f_values);
    }
    return precond->has_f;
}
