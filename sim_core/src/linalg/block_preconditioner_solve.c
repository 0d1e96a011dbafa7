/* Solutions with a factor in single precision: subtrees side by side, then what is above them. */
#include "base/prefetch.h"
#include "base/vector.h"
#include "linalg/block_preconditioner_data.h"

/* Columns whose blocks are asked for before they are needed: subtrees lie apart, and a factor is more than a cache holds. 4 and 16 gain less. */
enum { COLUMNS_AHEAD = 8 };

/* Always inline: a function that does nothing else may be left out as one without effect. */
static inline __attribute__((always_inline)) void look_ahead(const FilBlockPreconditioner* precond, int j, int width)
{
    const float *blocks = block_at(precond->factor.at, precond->symbolic.column_start.at[j] + 1, width),
                *pivot = block_at(precond->inverse.at, j, width);
    FIL_PREFETCH(pivot);
    FIL_PREFETCH(blocks);
    FIL_PREFETCH(blocks + 16);
}

/* x_j <- W_j x_j */
static inline FilFloat4 apply_pivot(const FilBlockPreconditioner* precond, int j, float* x, int width)
{
    const float* w = block_at(precond->inverse.at, j, width);
    const FilFloat4 b = fil_float4_load(x + 4 * j);
    FilFloat4 y = fil_float4_all(0.0F);
    for (int k = 0; k < width; k++) {
        y = fil_float4_add_lane(y, fil_float4_load(w + 4 * k), b, k);
    }
    fil_float4_store(x + 4 * j, y);
    return y;
}

/* z - L_p y */
static inline FilFloat4 less_block(const FilBlockPreconditioner* precond, int p, FilFloat4 y, FilFloat4 z, int width)
{
    const float* l = block_at(precond->factor.at, p, width);
    for (int k = 0; k < width; k++) {
        z = fil_float4_sub_lane(z, fil_float4_load(l + 4 * k), y, k);
    }
    return z;
}

/* x_i <- x_i - L_p y */
static inline void subtract_block(const FilBlockPreconditioner* precond, int p, FilFloat4 y, float* xi, int width)
{
    fil_float4_store(xi, less_block(precond, p, y, fil_float4_load(xi), width));
}

/* Columns begin to end of L y = b, in place. */
static inline void solve_forward(const FilBlockPreconditioner* precond, int begin, int end, float* x, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    for (int j = begin; j < end; j++) {
        const FilFloat4 y = apply_pivot(precond, j, x, width);
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
        if (c + COLUMNS_AHEAD < trees->start.at[trees->count + 1]) {
            look_ahead(precond, trees->column.at[c + COLUMNS_AHEAD], width);
        }
        const FilFloat4 y = apply_pivot(precond, j, x, width);
        for (int p = s->column_start.at[j] + 1; p < s->column_start.at[j + 1]; p++) {
            const int i = s->row.at[p];
            if (i >= s->first_changing || trees->task.at[i] != tree) {
                break;  // all that follow are above, too
            }
            subtract_block(precond, p, y, x + (ptrdiff_t)4 * i, width);
        }
    }
}

/* Entries whose blocks are asked for before they are needed: 12 gain a seventh. */
enum { ENTRIES_AHEAD = 12 };

/* What is left of a row by entry q of those that fixed columns subtract. */
static inline FilFloat4 less_gathered(const FilBlockPreconditioner* precond, int q, const float* x, FilFloat4 z, int width)
{
    const int* gather = precond->gather.at + (ptrdiff_t)2 * q;
    if (q + ENTRIES_AHEAD < precond->gather_start.at[precond->symbolic.columns]) {
        const float* block = block_at(precond->factor.at, gather[2 * ENTRIES_AHEAD + 1], width);
        FIL_PREFETCH(block);
        FIL_PREFETCH(block + 8);
    }
    return less_block(precond, gather[1], fil_float4_load(x + (ptrdiff_t)4 * gather[0]), z, width);
}

/* What fixed columns subtract from row i, in their order. */
static inline void gather_row(const FilBlockPreconditioner* precond, int i, float* x, int width)
{
    FilFloat4 z = fil_float4_load(x + (ptrdiff_t)4 * i);
    for (int q = precond->gather_start.at[i]; q < precond->gather_start.at[i + 1]; q++) {
        z = less_gathered(precond, q, x, z, width);
    }
    fil_float4_store(x + (ptrdiff_t)4 * i, z);
}

/* The same of rows i and i + 1, which do not depend on each other, side by side: a row waits for one sum after the other. */
static inline void gather_two_rows(const FilBlockPreconditioner* precond, int i, float* x, int width)
{
    const int* start = precond->gather_start.at + i;
    FilFloat4 z = fil_float4_load(x + (ptrdiff_t)4 * i), next = fil_float4_load(x + (ptrdiff_t)4 * i + 4);
    int q = start[0], r = start[1];
    for (; q < start[1] && r < start[2]; q++, r++) {
        z = less_gathered(precond, q, x, z, width);
        next = less_gathered(precond, r, x, next, width);
    }
    for (; q < start[1]; q++) {
        z = less_gathered(precond, q, x, z, width);
    }
    for (; r < start[2]; r++) {
        next = less_gathered(precond, r, x, next, width);
    }
    fil_float4_store(x + (ptrdiff_t)4 * i, z);
    fil_float4_store(x + (ptrdiff_t)4 * i + 4, next);
}

static inline void gather_rows(const FilBlockPreconditioner* precond, int begin, int end, float* x, int width)
{
    for (int i = begin; i + 1 < end; i += 2) {
        gather_two_rows(precond, i, x, width);
    }
    if ((end - begin) % 2 != 0) {
        gather_row(precond, end - 1, x, width);
    }
}

/* Row j of L' x = y, in place; those below are done. */
static inline void solve_row(const FilBlockPreconditioner* precond, int j, float* x, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int *start = s->column_start.at, *row = s->row.at;
    const float *w = block_at(precond->inverse.at, j, width), *l = block_at(precond->factor.at, start[j] + 1, width);
    FilFloat4 sum[FIL_BLOCK] = {fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F)};
    for (int p = start[j] + 1; p < start[j + 1]; p++, l += 4 * width) {
        const FilFloat4 z = fil_float4_load(x + 4 * row[p]);
        for (int k = 0; k < width; k++) {
            sum[k] = fil_float4_add_product(sum[k], fil_float4_load(l + 4 * k), z);
        }
    }
    // W' rest
    const FilFloat4 rest = fil_float4_load(x + 4 * j) - fil_float4_sums(sum[0], sum[1], sum[2], sum[3]);
    for (int k = 0; k < width; k++) {
        sum[k] = fil_float4_load(w + 4 * k) * rest;
    }
    fil_float4_store(x + 4 * j, fil_float4_sums(sum[0], sum[1], sum[2], sum[3]));
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
        if (c >= COLUMNS_AHEAD) {
            look_ahead(solve->precond, trees->column.at[c - COLUMNS_AHEAD], solve->precond->thin ? 3 : 4);
        }
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
    if (solve->precond->thin) {
        gather_rows(solve->precond, from + first, from + end, solve->x, 3);
    } else {
        gather_rows(solve->precond, from + first, from + end, solve->x, 4);
    }
}

/* Some 16 pieces, whoever there is to take them: of 50, taking them took 3 % of a step with cloth. */
static int grain_of(int count)
{
    return 1 + count / 16;
}

/* Fixed columns of L y = b above all subtrees. */
static void solve_above(const FilBlockPreconditioner* precond, float* x)
{
    const FilSubtrees* trees = &precond->trees;
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
}

/* Fixed columns of L y = b, and what they subtract from the others. */
static void forward_fixed(const FilBlockPreconditioner* precond, FilWorkers* workers, float* x)
{
    const FilSubtrees* trees = &precond->trees;
    const int changing = precond->symbolic.columns - precond->symbolic.first_changing;
    Solve solve = {precond, x};
    fil_workers_run(workers, trees->count, grain_of(trees->count), forward_trees, &solve);
    solve_above(precond, x);
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

/* From the order of variables to that of pivots, and back, from a column on. */
typedef struct Exchange {
    const FilBlockPreconditioner* precond;
    const double* b;
    double* out;
    float* x;
    int begin;
} Exchange;

static void take_some(void* context, int first, int end, int worker)
{
    const Exchange* exchange = context;
    const int* variable = exchange->precond->symbolic.ordering.old_of_new;
    (void)worker;
    for (int j = first; j < end; j++) {
        fil_float4_store(exchange->x + (ptrdiff_t)4 * j, fil_float4_round(exchange->b + (ptrdiff_t)4 * variable[j], 1));
    }
}

static void give_some(void* context, int first, int end, int worker)
{
    const Exchange* exchange = context;
    const int* variable = exchange->precond->symbolic.ordering.old_of_new;
    (void)worker;
    for (int j = exchange->begin + first; j < exchange->begin + end; j++) {
        for (int k = 0; k < FIL_BLOCK; k++) {
            exchange->out[FIL_BLOCK * variable[j] + k] = (double)exchange->x[FIL_BLOCK * j + k];
        }
    }
}

static void take(const FilBlockPreconditioner* precond, FilWorkers* workers, const double* b, float* x)
{
    Exchange exchange = {.precond = precond, .b = b, .x = x};
    fil_workers_run(workers, precond->symbolic.columns, grain_of(precond->symbolic.columns), take_some, &exchange);
}

static void give(const FilBlockPreconditioner* precond, FilWorkers* workers, int begin, float* from, double* x)
{
    Exchange exchange = {.precond = precond, .out = x, .x = from, .begin = begin};
    const int count = precond->symbolic.columns - begin;
    fil_workers_run(workers, count, grain_of(count), give_some, &exchange);
}

void fil_block_preconditioner_solve(FilBlockPreconditioner* precond, FilWorkers* workers, const double* b, double* x)
{
    take(precond, workers, b, precond->x.at);
    forward_fixed(precond, workers, precond->x.at);
    solve_changing(precond, precond->x.at);
    backward_fixed(precond, workers, precond->x.at);
    give(precond, workers, 0, precond->x.at, x);
}

static void reduce(FilBlockPreconditioner* precond, FilWorkers* workers)
{
    take(precond, workers, precond->reduces, precond->reduced.at);
    forward_fixed(precond, workers, precond->reduced.at);
}

static void reduce_aside(void* context, int first, int end, int worker)
{
    (void)first;
    (void)end;
    (void)worker;
    reduce(context, NULL);
}

/* Products of the changing columns from which on it is sooner done beside them than by all before, for each block of the fixed ones: these take 11 ns
 * a block, those 1.5 ns a product and gain next to nothing from a second thread (Neoverse-N1). So half of the time. */
static const double ASIDE = 4.0;

void fil_block_preconditioner_reduce(FilBlockPreconditioner* precond, FilWorkers* workers, const double* b)
{
    end_reduction(precond);
    precond->reduces = b;
    if (workers != NULL && precond->panels.work > ASIDE * precond->symbolic.column_start.at[precond->symbolic.first_changing]) {
        precond->reducing = workers;
        fil_workers_begin_aside(workers, reduce_aside, precond);
    } else {
        reduce(precond, workers);
    }
}

void fil_block_preconditioner_predict(FilBlockPreconditioner* precond, const double* more, double* x)
{
    const int *variable = precond->symbolic.ordering.old_of_new, first = precond->symbolic.first_changing, columns = precond->symbolic.columns;
    end_reduction(precond);
    for (int j = first; j < columns; j++) {
        for (int k = 0; k < FIL_BLOCK; k++) {
            precond->x.at[FIL_BLOCK * j + k] = precond->reduced.at[FIL_BLOCK * j + k] + (float)more[FIL_BLOCK * variable[j] + k];
        }
    }
    solve_changing(precond, precond->x.at);
    give(precond, NULL, first, precond->x.at, x);
}

void fil_block_preconditioner_complete(FilBlockPreconditioner* precond, FilWorkers* workers, double* x)
{
    memcpy(precond->x.at, precond->reduced.at, FIL_BLOCK * (size_t)precond->symbolic.first_changing * sizeof *precond->x.at);
    backward_fixed(precond, workers, precond->x.at);
    give(precond, workers, 0, precond->x.at, x);
}

/* ---- conjugate gradients in single precision ---- */

/* Columns that nothing links to others, and trees of the others, are shared in so many pieces each: as above. Fewer linked columns than that many one
 * worker goes through sooner than they are shared, some two microseconds. */
enum { PIECES = 8, FEW = 100 };

/* Whether column j is in a subtree and nothing else in it, nor in its row. */
static inline bool is_alone(const FilBlockPreconditioner* precond, int j)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    return j < s->first_changing && precond->trees.task.at[j] < precond->trees.count && s->column_start.at[j + 1] - s->column_start.at[j] == 1 &&
           s->row_start.at[j + 1] == s->row_start.at[j];
}

/* W' W of a column. */
static inline void square_pivot(const FilBlockPreconditioner* precond, int j, float* square)
{
    const int width = precond->thin ? 3 : 4;
    const float* w = block_at(precond->inverse.at, j, width);
    for (int c = 0; c < width; c++) {
        for (int r = 0; r < FIL_BLOCK; r++) {
            float sum = 0.0F;
            for (int k = 0; k < FIL_BLOCK && r < width; k++) {
                sum += w[4 * r + k] * w[4 * c + k];
            }
            square[4 * c + r] = sum;
        }
    }
}

/* Squares of some of the columns that are alone, packed. */
static void square_some(void* context, int first, int end, int worker)
{
    FilBlockPreconditioner* precond = context;
    const FilBlockAlone* alone = &precond->alone;
    (void)worker;
    for (int k = first; k < end; k++) {
        float square[FIL_BLOCK_SIZE] = {0.0F};
        const int width = k < alone->thin ? 3 : 4;
        square_pivot(precond, precond->symbolic.ordering.new_of_old[alone->variable.at[k]], square);
        memcpy(alone->square.at + FIL_BLOCK_SIZE * (size_t)k - (k < alone->thin ? 4 * (size_t)k : 4 * (size_t)alone->thin), square,
               sizeof(float) * 4 * (size_t)width);
    }
}

/* At a time: some microseconds. */
enum { SQUARES = 128 };

bool fil_block_preconditioner_isolate(FilBlockPreconditioner* precond, FilWorkers* workers, const int* fourth)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const FilSubtrees* trees = &precond->trees;
    FilBlockAlone* alone = &precond->alone;
    const size_t n = (size_t)s->columns;
    if (!fil_ints_reserve(&alone->variable, n) || !fil_floats_reserve(&alone->square, FIL_BLOCK_SIZE * n) || !fil_ints_reserve(&alone->tree, n)) {
        return false;
    }
    alone->count = alone->trees = alone->linked = 0;
    // those whose fourth places are idle first
    for (int pass = 0; pass < 2; pass++) {
        for (int v = 0; v < s->columns; v++) {
            const int j = s->ordering.new_of_old[v];
            if (is_alone(precond, j) && (fourth[v] != 0) == (pass == 1)) {
                alone->variable.at[alone->count++] = v;
            }
        }
        alone->thin = pass == 0 ? alone->count : alone->thin;
    }
    fil_workers_run(workers, alone->count, SQUARES, square_some, precond);
    for (int t = 0; t < trees->count; t++) {
        const int columns = trees->start.at[t + 1] - trees->start.at[t];
        if (columns > 1 || !is_alone(precond, trees->column.at[trees->start.at[t]])) {
            alone->tree.at[alone->trees++] = t;
            alone->linked += columns;
        }
    }
    return true;
}

typedef struct Apply {
    const FilBlockPreconditioner* precond;
    const FilSingleStep* step;
    float* x; /* in the order of pivots */
} Apply;

static inline void advance_column(const Apply* apply, int j)
{
    fil_float4_store(apply->x + (ptrdiff_t)4 * j, fil_single_step_advance(apply->step, apply->precond->symbolic.ordering.old_of_new[j]));
}

static inline void give_single(const Apply* apply, int j)
{
    fil_float4_store(apply->step->z + (ptrdiff_t)4 * apply->precond->symbolic.ordering.old_of_new[j], fil_float4_load(apply->x + (ptrdiff_t)4 * j));
}

/* Columns that are alone. */
static inline void advance_alone(const Apply* apply, int first, int end, const float* square, int width)
{
    const int* variable = apply->precond->alone.variable.at;
    for (int k = first; k < end; k++, square += 4 * width) {
        const FilFloat4 r = fil_single_step_advance(apply->step, variable[k]);
        FilFloat4 z = fil_float4_all(0.0F);
        for (int c = 0; c < width; c++) {
            z = fil_float4_add_lane(z, fil_float4_load(square + 4 * c), r, c);
        }
        fil_float4_store(apply->step->z + (ptrdiff_t)4 * variable[k], z);
    }
}

/* The first of `count` items of a piece. */
static int piece_of(int count, int piece)
{
    return (int)((int64_t)piece * count / PIECES);
}

static void advance_alone_piece(const Apply* apply, int piece)
{
    const FilBlockAlone* alone = &apply->precond->alone;
    const int first = piece_of(alone->count, piece), end = piece_of(alone->count, piece + 1);
    const int from = first < alone->thin ? first : alone->thin, to = end < alone->thin ? end : alone->thin, wide = first > to ? first : to;
    advance_alone(apply, from, to, alone->square.at + (ptrdiff_t)12 * from, 3);
    advance_alone(apply, wide, end, alone->square.at + (ptrdiff_t)12 * alone->thin + (ptrdiff_t)16 * (wide - alone->thin), 4);
}

/* Trees of the others, forward. */
static void advance_trees(const Apply* apply, int piece)
{
    const FilBlockPreconditioner* precond = apply->precond;
    const FilBlockAlone* alone = &precond->alone;
    const FilSubtrees* trees = &precond->trees;
    for (int k = piece_of(alone->trees, piece); k < piece_of(alone->trees, piece + 1); k++) {
        const int t = alone->tree.at[k];
        for (int c = trees->start.at[t]; c < trees->start.at[t + 1]; c++) {
            advance_column(apply, trees->column.at[c]);
        }
        if (precond->thin) {
            solve_tree_forward(precond, t, apply->x, 3);
        } else {
            solve_tree_forward(precond, t, apply->x, 4);
        }
    }
}

static void advance_pieces(void* context, int first, int end, int worker)
{
    (void)worker;
    for (int piece = first; piece < end; piece++) {
        if (piece < PIECES) {
            advance_alone_piece(context, piece);
        } else {
            advance_trees(context, piece - PIECES);
        }
    }
}

/* Backward. */
static void finish_tree(const Apply* apply, int t)
{
    const FilBlockPreconditioner* precond = apply->precond;
    const FilSubtrees* trees = &precond->trees;
    for (int c = trees->start.at[t + 1] - 1; c >= trees->start.at[t]; c--) {
        if (precond->thin) {
            solve_row(precond, trees->column.at[c], apply->x, 3);
        } else {
            solve_row(precond, trees->column.at[c], apply->x, 4);
        }
        give_single(apply, trees->column.at[c]);
    }
}

static void finish_pieces(void* context, int first, int end, int worker)
{
    const Apply* apply = context;
    const FilBlockAlone* alone = &apply->precond->alone;
    (void)worker;
    for (int k = piece_of(alone->trees, first); k < piece_of(alone->trees, end); k++) {
        finish_tree(apply, alone->tree.at[k]);
    }
}

void fil_block_preconditioner_step(FilBlockPreconditioner* precond, FilWorkers* workers, const FilSingleStep* step)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const FilSubtrees* trees = &precond->trees;
    const int columns = s->columns, changing = columns - s->first_changing;
    Apply apply = {precond, step, precond->x.at};
    Solve solve = {precond, precond->x.at};
    fil_workers_run(workers, 2 * PIECES, 1, advance_pieces, &apply);
    for (int c = trees->start.at[trees->count]; c < trees->start.at[trees->count + 1]; c++) {
        advance_column(&apply, trees->column.at[c]);
    }
    for (int j = s->first_changing; j < columns; j++) {
        advance_column(&apply, j);
    }
    solve_above(precond, precond->x.at);
    fil_workers_run(changing > FEW ? workers : NULL, changing, grain_of(changing), gather_changing, &solve);
    solve_changing(precond, precond->x.at);
    for (int j = columns - 1; j >= s->first_changing; j--) {
        give_single(&apply, j);
    }
    finish_tree(&apply, trees->count);
    fil_workers_run(precond->alone.linked > FEW ? workers : NULL, PIECES, 1, finish_pieces, &apply);
}
