/* Solutions with a factor in single precision: subtrees side by side, then what is above them. */
#include "linalg/block_preconditioner_rows.h"

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

/* Columns that F reaches, backward: of some subtrees of panels. */
static void backward_panels(void* context, int first, int end, int worker)
{
    const Solve* solve = context;
    const FilBlockPanels* panels = &solve->precond->panels;
    (void)worker;
    for (int q = panels->trees.start.at[end] - 1; q >= panels->trees.start.at[first]; q--) {
        const int k = panels->trees.column.at[q];
        for (int j = panels->first.at[k + 1] - 1; j >= panels->first.at[k]; j--) {
            if (solve->precond->thin) {
                solve_row(solve->precond, j, solve->x, 3);
            } else {
                solve_row(solve->precond, j, solve->x, 4);
            }
        }
    }
}

/* Blocks of these columns from which on workers share their subtrees: some 10 us each way. */
enum { MIN_SHARED = 4000 };

/* Columns that F reaches, shared by workers. */
static void share_changing(const FilBlockPreconditioner* precond, FilWorkers* workers, float* x)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int trees = precond->panels.trees.count, blocks = s->factor_blocks - s->column_start.at[s->first_changing];
    Solve solve = {precond, x};
    if (precond->thin) {
        solve_forward(precond, s->first_changing, s->columns, x, 3);
    } else {
        solve_forward(precond, s->first_changing, s->columns, x, 4);
    }
    backward_panels(&solve, trees, trees + 1, 0);
    fil_workers_run(blocks > MIN_SHARED ? workers : NULL, trees, 1, backward_panels, &solve);
}

/* The same by one. */
static void solve_changing(const FilBlockPreconditioner* precond, float* x)
{
    share_changing(precond, NULL, x);
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
    share_changing(precond, workers, precond->x.at);
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

/* Columns that F reaches from which on workers share them: some 5 us. */
enum { MANY = 512 };

static void lead_some(void* context, int first, int end, int worker)
{
    const Exchange* exchange = context;
    const FilBlockPreconditioner* precond = exchange->precond;
    const int* variable = precond->symbolic.ordering.old_of_new;
    (void)worker;
    for (int j = exchange->begin + first; j < exchange->begin + end; j++) {
        for (int k = 0; k < FIL_BLOCK; k++) {
            exchange->x[FIL_BLOCK * j + k] = precond->reduced.at[FIL_BLOCK * j + k] + (float)exchange->b[FIL_BLOCK * variable[j] + k];
        }
    }
}

void fil_block_preconditioner_predict(FilBlockPreconditioner* precond, FilWorkers* workers, const double* more, double* x)
{
    const int first = precond->symbolic.first_changing, changing = precond->symbolic.columns - first;
    FilWorkers* sharing = changing > MANY ? workers : NULL;
    Exchange exchange = {.precond = precond, .b = more, .x = precond->x.at, .begin = first};
    end_reduction(precond);
    fil_workers_run(sharing, changing, grain_of(changing), lead_some, &exchange);
    share_changing(precond, workers, precond->x.at);
    give(precond, sharing, first, precond->x.at, x);
}

static void restore_some(void* context, int first, int end, int worker)
{
    const Exchange* exchange = context;
    const size_t at = FIL_BLOCK * (size_t)first;
    (void)worker;
    memcpy(exchange->x + at, exchange->precond->reduced.at + at, FIL_BLOCK * (size_t)(end - first) * sizeof *exchange->x);
}

void fil_block_preconditioner_complete(FilBlockPreconditioner* precond, FilWorkers* workers, double* x)
{
    Exchange exchange = {.precond = precond, .x = precond->x.at};
    const int fixed = precond->symbolic.first_changing;
    fil_workers_run(fixed > MANY ? workers : NULL, fixed, grain_of(fixed), restore_some, &exchange);
    backward_fixed(precond, workers, precond->x.at);
    give(precond, workers, 0, precond->x.at, x);
}

/* ---- conjugate gradients in single precision ---- */

/* Columns that nothing links to others, and trees of the others, are shared in so many pieces each: as above. A linked column takes one worker, there
 * and back, as long as nine that are alone (Xeon: 80 and 9 ns), which others go through beside it. Trees have loops of their own where linked columns
 * are more than such a share of the others: shorter loops gain nothing there. */
enum { PIECES = 8, LINKED_SHARE = 3 };

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
    alone->trees = alone->linked = alone->thin = 0;
    // those whose fourth places are idle first
    int *thin = alone->variable.at, *wide = alone->tree.at, wide_count = 0;
    for (int v = 0; v < s->columns; v++) {
        if (is_alone(precond, s->ordering.new_of_old[v])) {
            *(fourth[v] != 0 ? &wide[wide_count++] : &thin[alone->thin++]) = v;
        }
    }
    for (int k = 0; k < wide_count; k++) {
        thin[alone->thin + k] = wide[k];
    }
    alone->count = alone->thin + wide_count;
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
    float* x;    /* in the order of pivots */
    bool shared; /* trees are, by all workers */
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
static void advance_trees(void* context, int piece, int end, int worker)
{
    const Apply* apply = context;
    const FilBlockPreconditioner* precond = apply->precond;
    const FilBlockAlone* alone = &precond->alone;
    const FilSubtrees* trees = &precond->trees;
    (void)end;
    (void)worker;
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

/* Columns above all trees and those that F reaches, forward and back: one after the other. */
static void step_above(const Apply* apply)
{
    const FilBlockPreconditioner* precond = apply->precond;
    const FilBlockSymbolic* s = &precond->symbolic;
    const FilSubtrees* trees = &precond->trees;
    Solve solve = {precond, apply->x};
    for (int c = trees->start.at[trees->count]; c < trees->start.at[trees->count + 1]; c++) {
        advance_column(apply, trees->column.at[c]);
    }
    for (int j = s->first_changing; j < s->columns; j++) {
        advance_column(apply, j);
    }
    solve_above(precond, apply->x);
    gather_changing(&solve, 0, s->columns - s->first_changing, 0);
    solve_changing(precond, apply->x);
    for (int j = s->columns - 1; j >= s->first_changing; j--) {
        give_single(apply, j);
    }
    finish_tree(apply, trees->count);
}

/* What is above trees, with the trees unless they are shared, is the first piece, which the caller takes; helpers do columns that are alone
 * meanwhile. */
static void step_pieces(void* context, int first, int end, int worker)
{
    const Apply* apply = context;
    (void)end;
    if (first > 0) {
        advance_alone_piece(apply, first - 1);
        return;
    }
    for (int piece = 0; piece < PIECES && !apply->shared; piece++) {
        advance_trees(context, piece, piece + 1, worker);
    }
    step_above(apply);
    if (!apply->shared) {
        finish_pieces(context, 0, PIECES, worker);
    }
}

void fil_block_preconditioner_step(FilBlockPreconditioner* precond, FilWorkers* workers, const FilSingleStep* step)
{
    Apply apply = {precond, step, precond->x.at, LINKED_SHARE * precond->alone.linked > precond->alone.count};
    if (apply.shared) {
        fil_workers_run(workers, PIECES, 1, advance_trees, &apply);
    }
    fil_workers_run(workers, 1 + PIECES, 1, step_pieces, &apply);
    if (apply.shared) {
        fil_workers_run(workers, PIECES, 1, finish_pieces, &apply);
    }
}
