/* Solves with the block Cholesky factor. Bundles of subtrees are solved side by side, each in its own rows; rows above gather what those below take
 * from them. So sums have one order, whoever makes them. */
#include <string.h>

#include "linalg/block_cholesky_data.h"
#include "linalg/tile.h"

/* Rows that gather at a time: some 5 us. */
enum { ROW_GRAIN = 64 };

typedef struct Solve {
    const FilBlockCholesky* cholesky;
    const FilBlockTasks* tasks;
    double* x;
    int first, end; /* columns that rows gather from */
} Solve;

/* Column j of L y = b, in place; rows lose what it takes from them, as long as they are among `task`'s: those that follow are above. */
static inline void solve_column(const Solve* solve, int j, int task)
{
    const FilBlockCholesky* cholesky = solve->cholesky;
    const FilBlockSymbolic* s = &cholesky->symbolic;
    const FilBlockTasks* tasks = solve->tasks;
    double* y = solve->x + FIL_BLOCK * (size_t)j;
    fil_quarter_apply(cholesky->inverse.at + FIL_BLOCK_SIZE * (size_t)j, y);
    for (int p = s->column_start.at[j] + 1; p < s->column_start.at[j + 1]; p++) {
        const int i = s->row.at[p];
        if (i >= tasks->end || tasks->trees.task.at[i - tasks->first] != task) {
            break;
        }
        double* z = solve->x + FIL_BLOCK * (size_t)i;
        fil_quarter_store(fil_quarter_subtract(fil_quarter_load(z), cholesky->factor.at + FIL_BLOCK_SIZE * (size_t)p, y), z);
    }
}

static void forward_bundles(void* context, int first, int end, int worker)
{
    const Solve* solve = context;
    const FilBlockTasks* tasks = solve->tasks;
    (void)worker;
    for (int k = tasks->start.at[first]; k < tasks->start.at[end]; k++) {
        const int j = tasks->column.at[k];
        solve_column(solve, j, tasks->trees.task.at[j - tasks->first]);
    }
}

/* Row i loses what the columns that are asked for take from it, but for those `above` their part's subtrees where these have done so themselves. */
static inline void gather_row(const Solve* solve, int i, bool above)
{
    const FilBlockCholesky* cholesky = solve->cholesky;
    const FilBlockSymbolic* s = &cholesky->symbolic;
    const FilSubtrees* trees = &solve->tasks->trees;
    double* x = solve->x + FIL_BLOCK * (size_t)i;
    FilQuarter z = fil_quarter_load(x);
    for (int q = s->row_start.at[i]; q < s->row_start.at[i + 1]; q++) {
        const int j = s->row_column.at[q];
        if (j >= solve->first && j < solve->end && (above || trees->task.at[j - solve->first] != trees->count)) {
            z = fil_quarter_subtract(z, cholesky->factor.at + FIL_BLOCK_SIZE * (size_t)s->row_block.at[q], solve->x + FIL_BLOCK * (size_t)j);
        }
    }
    fil_quarter_store(z, x);
}

/* Some of the rows above all subtrees, counted from the first of them. */
static void gather_above(void* context, int first, int end, int worker)
{
    const Solve* solve = context;
    const int* column = solve->tasks->column.at + solve->tasks->start.at[solve->tasks->count];
    (void)worker;
    for (int k = first; k < end; k++) {
        gather_row(solve, column[k], false);
    }
}

/* Some of the rows behind a part. */
static void gather_behind(void* context, int first, int end, int worker)
{
    const Solve* solve = context;
    (void)worker;
    for (int i = first; i < end; i++) {
        gather_row(solve, solve->tasks->end + i, true);
    }
}

/* Who shares a part. */
static FilWorkers* workers_of(const FilBlockCholesky* cholesky, int part)
{
    return cholesky->tasks[part].small ? NULL : cholesky->workers;
}

/* The part's columns of L y = b, in place; rows behind it are as they were. */
static void solve_forward(const FilBlockCholesky* cholesky, int part, double* x)
{
    const FilBlockTasks* tasks = &cholesky->tasks[part];
    const int columns = tasks->end - tasks->first, above = tasks->start.at[tasks->count];
    FilWorkers* workers = workers_of(cholesky, part);
    Solve solve = {cholesky, tasks, x, tasks->first, tasks->end};
    if (workers == NULL) {  // the same in the order of elimination, in which subtrees take turns
        for (int j = tasks->first; j < tasks->end; j++) {
            const int task = tasks->trees.task.at[j - tasks->first];
            if (task < tasks->trees.count) {
                solve_column(&solve, j, task);
            }
        }
    } else {
        fil_workers_run(workers, tasks->count, 1, forward_bundles, &solve);
    }
    fil_workers_run(workers, columns - above, ROW_GRAIN, gather_above, &solve);
    for (int k = above; k < columns; k++) {
        solve_column(&solve, tasks->column.at[k], tasks->trees.count);
    }
}

/* Rows of changing columns lose what fixed ones take from them. */
static void pass_on(const FilBlockCholesky* cholesky, double* x)
{
    const FilBlockTasks* tasks = &cholesky->tasks[0];
    Solve solve = {cholesky, tasks, x, 0, tasks->end};
    fil_workers_run(workers_of(cholesky, 0), cholesky->symbolic.columns - tasks->end, ROW_GRAIN, gather_behind, &solve);
}

/* Row j of L' x = y, in place */
static inline void solve_row(const FilBlockCholesky* cholesky, int j, double* x)
{
    const FilBlockSymbolic* s = &cholesky->symbolic;
    FilDouble2 sum[FIL_BLOCK];
    for (int k = 0; k < FIL_BLOCK; k++) {
        sum[k] = fil_double2_all(0.0);
    }
    for (int p = s->column_start.at[j] + 1; p < s->column_start.at[j + 1]; p++) {
        fil_quarter_add_transposed(sum, cholesky->factor.at + FIL_BLOCK_SIZE * (size_t)p, x + FIL_BLOCK * (size_t)s->row.at[p]);
    }
    fil_quarter_finish_transposed(cholesky->inverse.at + FIL_BLOCK_SIZE * (size_t)j, sum, x + FIL_BLOCK * (size_t)j);
}

static void backward_bundles(void* context, int first, int end, int worker)
{
    const Solve* solve = context;
    const FilBlockTasks* tasks = solve->tasks;
    (void)worker;
    for (int k = tasks->start.at[end] - 1; k >= tasks->start.at[first]; k--) {
        solve_row(solve->cholesky, tasks->column.at[k], solve->x);
    }
}

/* The part's rows of L' x = y, in place */
static void solve_backward(const FilBlockCholesky* cholesky, int part, double* x)
{
    const FilBlockTasks* tasks = &cholesky->tasks[part];
    FilWorkers* workers = workers_of(cholesky, part);
    Solve solve = {cholesky, tasks, x, tasks->first, tasks->end};
    if (workers == NULL) {
        for (int j = tasks->end - 1; j >= tasks->first; j--) {
            solve_row(cholesky, j, x);
        }
        return;
    }
    backward_bundles(&solve, tasks->count, tasks->count + 1, 0);
    fil_workers_run(workers, tasks->count, 1, backward_bundles, &solve);
}

void fil_block_cholesky_eliminate_fixed(const FilBlockCholesky* cholesky, double* x)
{
    solve_forward(cholesky, 0, x);
    pass_on(cholesky, x);
}

void fil_block_cholesky_forward_changing(const FilBlockCholesky* cholesky, double* x)
{
    solve_forward(cholesky, 1, x);
}

void fil_block_cholesky_solve_changing(const FilBlockCholesky* cholesky, double* x)
{
    solve_forward(cholesky, 1, x);
    solve_backward(cholesky, 1, x);
}

void fil_block_cholesky_substitute_fixed(const FilBlockCholesky* cholesky, double* x)
{
    solve_backward(cholesky, 0, x);
}

void fil_block_cholesky_solve(FilBlockCholesky* cholesky, double* x)
{
    const int* old = cholesky->symbolic.ordering.old_of_new;
    const int columns = cholesky->symbolic.columns;
    double* y = cholesky->x.at;
    for (int j = 0; j < columns; j++) {
        memcpy(y + 4 * (size_t)j, x + 4 * (size_t)old[j], FIL_BLOCK * sizeof *y);
    }
    fil_block_cholesky_eliminate_fixed(cholesky, y);
    fil_block_cholesky_solve_changing(cholesky, y);
    fil_block_cholesky_substitute_fixed(cholesky, y);
    for (int j = 0; j < columns; j++) {
        memcpy(x + 4 * (size_t)old[j], y + 4 * (size_t)j, FIL_BLOCK * sizeof *y);
    }
}
