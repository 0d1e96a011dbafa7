/* Solutions with a factor in single precision: subtrees side by side, then what is above them. */
#include "linalg/block_preconditioner.h"
#include "linalg/quad.h"

/* Where block k of an array of them begins, of `width` columns. */
static inline const float* block_at(const FilFloats* blocks, int k, int width)
{
    return blocks->at + (ptrdiff_t)4 * width * k;
}

/* x_j <- W_j x_j */
static inline FilQuad apply_pivot(const FilBlockPreconditioner* precond, int j, float* x, int width)
{
    const float* w = block_at(&precond->inverse, j, width);
    const FilQuad b = fil_quad_load(x + 4 * j);
    FilQuad y = fil_quad_all(0.0F);
    for (int k = 0; k < width; k++) {
        y = fil_quad_add_lane(y, fil_quad_load(w + 4 * k), b, k);
    }
    fil_quad_store(x + 4 * j, y);
    return y;
}

/* x_i <- x_i - L_p y */
static inline void subtract_block(const FilBlockPreconditioner* precond, int p, FilQuad y, float* xi, int width)
{
    const float* l = block_at(&precond->factor, p, width);
    FilQuad z = fil_quad_load(xi);
    for (int k = 0; k < width; k++) {
        z = fil_quad_sub_lane(z, fil_quad_load(l + 4 * k), y, k);
    }
    fil_quad_store(xi, z);
}

/* Columns begin to end of L y = b, in place. */
static inline void solve_forward(const FilBlockPreconditioner* precond, int begin, int end, float* x, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    for (int j = begin; j < end; j++) {
        const FilQuad y = apply_pivot(precond, j, x, width);
        for (int p = s->column_start.at[j] + 1; p < s->column_start.at[j + 1]; p++) {
            subtract_block(precond, p, y, x + (ptrdiff_t)4 * s->row.at[p], width);
        }
    }
}

/* The same of a subtree, in its own rows; those above gather theirs. */
static inline void solve_tree_forward(const FilBlockPreconditioner* precond, int tree, float* x, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const FilSubtrees* trees = &precond->trees;
    for (int c = trees->start.at[tree]; c < trees->start.at[tree + 1]; c++) {
        const int j = trees->column.at[c];
        const FilQuad y = apply_pivot(precond, j, x, width);
        for (int p = s->column_start.at[j] + 1; p < s->column_start.at[j + 1]; p++) {
            const int i = s->row.at[p];
            if (i >= s->first_changing || trees->task.at[i] != tree) {
                break;  // all that follow are above, too
            }
            subtract_block(precond, p, y, x + (ptrdiff_t)4 * i, width);
        }
    }
}

/* What fixed columns subtract from row i, in their order. */
static inline void gather_row(const FilBlockPreconditioner* precond, int i, float* x, int width)
{
    const int* gather = precond->gather.at;
    for (int q = precond->gather_start.at[i]; q < precond->gather_start.at[i + 1]; q++) {
        subtract_block(precond, gather[2 * q + 1], fil_quad_load(x + (ptrdiff_t)4 * gather[2 * q]), x + (ptrdiff_t)4 * i, width);
    }
}

/* Row j of L' x = y, in place; those below are done. */
static inline void solve_row(const FilBlockPreconditioner* precond, int j, float* x, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int *start = s->column_start.at, *row = s->row.at;
    const float *w = block_at(&precond->inverse, j, width), *l = block_at(&precond->factor, start[j] + 1, width);
    FilQuad sum[FIL_BLOCK] = {fil_quad_all(0.0F), fil_quad_all(0.0F), fil_quad_all(0.0F), fil_quad_all(0.0F)};
    for (int p = start[j] + 1; p < start[j + 1]; p++, l += 4 * width) {
        const FilQuad z = fil_quad_load(x + 4 * row[p]);
        for (int k = 0; k < width; k++) {
            sum[k] = fil_quad_add_product(sum[k], fil_quad_load(l + 4 * k), z);
        }
    }
    // W' rest
    const FilQuad rest = fil_quad_sub(fil_quad_load(x + 4 * j), fil_quad_sums(sum[0], sum[1], sum[2], sum[3]));
    for (int k = 0; k < width; k++) {
        sum[k] = fil_quad_product(fil_quad_load(w + 4 * k), rest);
    }
    fil_quad_store(x + 4 * j, fil_quad_sums(sum[0], sum[1], sum[2], sum[3]));
}

/* ---- shared by workers ---- */

typedef struct Solve {
    const FilBlockPreconditioner* precond;
    float* x;
} Solve;

static void forward_trees(void* context, int first, int end, int worker)
{
    const Solve* solve = context;
    (void)worker;
    for (int t = first; t < end; t++) {
        if (solve->precond->thin) {
            solve_tree_forward(solve->precond, t, solve->x, 3);
        } else {
            solve_tree_forward(solve->precond, t, solve->x, 4);
        }
    }
}

static void backward_trees(void* context, int first, int end, int worker)
{
    const Solve* solve = context;
    const FilSubtrees* trees = &solve->precond->trees;
    (void)worker;
    for (int c = trees->start.at[end] - 1; c >= trees->start.at[first]; c--) {
        if (solve->precond->thin) {
            solve_row(solve->precond, trees->column.at[c], solve->x, 3);
        } else {
            solve_row(solve->precond, trees->column.at[c], solve->x, 4);
        }
    }
}

/* Rows that F reaches, counted from the first. */
static void gather_changing(void* context, int first, int end, int worker)
{
    const Solve* solve = context;
    const int from = solve->precond->symbolic.first_changing;
    (void)worker;
    for (int i = from + first; i < from + end; i++) {
        if (solve->precond->thin) {
            gather_row(solve->precond, i, solve->x, 3);
        } else {
            gather_row(solve->precond, i, solve->x, 4);
        }
    }
}

/* Some 16 pieces, whoever there is to take them: of 50, taking them took 3 % of a step with cloth. */
static int grain_of(int count)
{
    return 1 + count / 16;
}

/* Fixed columns of L y = b, and what they subtract from the others. */
static void forward_fixed(const FilBlockPreconditioner* precond, FilWorkers* workers, float* x)
{
    const FilSubtrees* trees = &precond->trees;
    const int changing = precond->symbolic.columns - precond->symbolic.first_changing;
    Solve solve = {precond, x};
    fil_workers_run(workers, trees->count, grain_of(trees->count), forward_trees, &solve);
    for (int c = trees->start.at[trees->count]; c < trees->start.at[trees->count + 1]; c++) {
        const int j = trees->column.at[c];
        if (precond->thin) {
            gather_row(precond, j, x, 3);
            (void)apply_pivot(precond, j, x, 3);
        } else {
            gather_row(precond, j, x, 4);
            (void)apply_pivot(precond, j, x, 4);
        }
    }
    fil_workers_run(workers, changing, grain_of(changing), gather_changing, &solve);
}

static void backward_fixed(const FilBlockPreconditioner* precond, FilWorkers* workers, float* x)
{
    const int trees = precond->trees.count;
    Solve solve = {precond, x};
    backward_trees(&solve, trees, trees + 1, 0);
    fil_workers_run(workers, trees, grain_of(trees), backward_trees, &solve);
}

/* Columns that F reaches. */
static void solve_changing(const FilBlockPreconditioner* precond, float* x)
{
    const int first = precond->symbolic.first_changing, columns = precond->symbolic.columns;
    if (precond->thin) {
        solve_forward(precond, first, columns, x, 3);
    } else {
        solve_forward(precond, first, columns, x, 4);
    }
    for (int j = columns - 1; j >= first; j--) {
        if (precond->thin) {
            solve_row(precond, j, x, 3);
        } else {
            solve_row(precond, j, x, 4);
        }
    }
}

/* From the order of variables to that of pivots, and back. */
static void take(const FilBlockPreconditioner* precond, const double* b, float* x)
{
    const int* variable = precond->symbolic.ordering.old_of_new;
    for (int j = 0; j < precond->symbolic.columns; j++) {
        for (int k = 0; k < FIL_BLOCK; k++) {
            x[FIL_BLOCK * j + k] = (float)b[FIL_BLOCK * variable[j] + k];
        }
    }
}

static void give(const FilBlockPreconditioner* precond, int begin, const float* from, double* x)
{
    const int* variable = precond->symbolic.ordering.old_of_new;
    for (int j = begin; j < precond->symbolic.columns; j++) {
        for (int k = 0; k < FIL_BLOCK; k++) {
            x[FIL_BLOCK * variable[j] + k] = (double)from[FIL_BLOCK * j + k];
        }
    }
}

void fil_block_preconditioner_solve(FilBlockPreconditioner* precond, FilWorkers* workers, const double* b, double* x)
{
    take(precond, b, precond->x.at);
    forward_fixed(precond, workers, precond->x.at);
    solve_changing(precond, precond->x.at);
    backward_fixed(precond, workers, precond->x.at);
    give(precond, 0, precond->x.at, x);
}

void fil_block_preconditioner_reduce(FilBlockPreconditioner* precond, FilWorkers* workers, const double* b)
{
    take(precond, b, precond->reduced.at);
    forward_fixed(precond, workers, precond->reduced.at);
}

void fil_block_preconditioner_predict(FilBlockPreconditioner* precond, const double* more, double* x)
{
    const int *variable = precond->symbolic.ordering.old_of_new, first = precond->symbolic.first_changing, columns = precond->symbolic.columns;
    for (int j = first; j < columns; j++) {
        for (int k = 0; k < FIL_BLOCK; k++) {
            precond->x.at[FIL_BLOCK * j + k] = precond->reduced.at[FIL_BLOCK * j + k] + (float)more[FIL_BLOCK * variable[j] + k];
        }
    }
    solve_changing(precond, precond->x.at);
    give(precond, first, precond->x.at, x);
}

void fil_block_preconditioner_complete(FilBlockPreconditioner* precond, FilWorkers* workers, double* x)
{
    memcpy(precond->x.at, precond->reduced.at, FIL_BLOCK * (size_t)precond->symbolic.first_changing * sizeof *precond->x.at);
    backward_fixed(precond, workers, precond->x.at);
    give(precond, 0, precond->x.at, x);
}
