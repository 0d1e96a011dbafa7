/* Solves with the supernodal factor, and what becomes of the fixed columns: the Schur complement. */
#include <math.h>
#include <string.h>

#include "linalg/supernodal_data.h"

/* ---- what is above all tasks ---- */

/* Of the supernodes from `begin` to `end` - 1, children before parents and subtrees in one piece: the stem is the last of them as long as only one
 * tree is left below. */
static FilSupernodalCrown crown_of(const FilSupernodes* s, int begin, int end)
{
    const FilSupernode* node = s->nodes;
    FilSupernodalCrown crown = {0};
    int stem = end, roots = 0;
    do {
        roots = 0;
        for (int k = begin; k < stem; k++) {
            if ((node[k].parent < 0 || node[k].parent >= stem) && ++roots <= FIL_MAX_BRANCHES) {
                crown.first[roots] = k + 1;
            }
        }
        stem -= roots == 1;
    } while (roots == 1);
    crown.branches = roots <= FIL_MAX_BRANCHES ? roots : 0;
    crown.first[0] = begin;
    crown.first[crown.branches + 1] = end;
    return crown;
}

static int first_pivot(const FilSupernodes* s, int k)
{
    return k < s->count ? ((const FilSupernode*)s->nodes)[k].first : s->columns;
}

void fil_supernodal_find_crowns(FilSupernodal* factor)
{
    const FilSupernodes* s = &factor->symbolic;
    for (int part = 0; part < 2; part++) {
        const int first = part > 0 ? s->first_changing_task : 0, tasks = (part > 0 ? s->task_count : s->first_changing_task) - first - 1;
        const int begin = tasks >= 0 ? s->task.at[first + tasks] : 0, end = tasks >= 0 ? s->task.at[first + tasks + 1] : 0;
        FilSupernodalCrown crown = crown_of(s, begin, end);
        // what branches put aside has the room of what tasks do
        const double room = (double)tasks * (s->columns - first_pivot(s, begin));
        if (crown.branches * (double)(s->columns - first_pivot(s, crown.first[crown.branches])) > room) {
            crown = (FilSupernodalCrown){.first = {begin, end}};
        }
        factor->crown[part] = crown;
    }
}

/* ---- tasks of one part: fixed columns, or changing ones; or the branches of its crown ---- */

typedef struct Part {
    FilSupernodal* factor;
    double* x;
    const int* start; /* supernode of each task, and of what is above them */
    int tasks;        /* -1: there is not even that */
    size_t above;     /* numbers of pivots above all tasks */
    int border;       /* the first of them */
    bool apart;       /* tasks put aside what those lose */
} Part;

/* Putting aside costs a pass over what is put aside; it pays where the factor is larger than that by this. It is done by one thread as
 * well, whose sums are the same then. */
enum { WORTH = 8 };

/* Numbers of a factor below which a solve is over before others have come to help: some ten microseconds. */
enum { ALONE = 100000 };

static Part part_of(FilSupernodal* factor, double* x, bool changing)
{
    const FilSupernodes* s = &factor->symbolic;
    const int first = changing ? s->first_changing_task : 0;
    Part part = {.factor = factor, .x = x, .start = s->task.at + first};
    part.tasks = (changing ? s->task_count : s->first_changing_task) - first - 1;
    part.border = part.tasks > 0 ? fil_supernodal_border(s, first + part.tasks) : 0;
    part.above = FIL_BLOCK * (size_t)(s->columns - part.border);
    part.apart = part.tasks > 0 && s->panel_size > ALONE && s->panel_size > WORTH * (size_t)part.tasks * part.above;
    return part;
}

/* What is above the tasks of a part, where they put aside: its branches are the tasks, its stem the last. Else there are none. */
static Part crown_part(const Part* part, bool changing)
{
    const FilSupernodes* s = &part->factor->symbolic;
    const FilSupernodalCrown* crown = &part->factor->crown[changing];
    Part upper = {.factor = part->factor, .x = part->x, .start = part->start + part->tasks};
    if (part->apart && crown->branches > 0) {
        upper.start = crown->first;
        upper.tasks = crown->branches;
        upper.border = first_pivot(s, crown->first[crown->branches]);
        upper.above = FIL_BLOCK * (size_t)(s->columns - upper.border);
        upper.apart = true;
    }
    return upper;
}

static FilWorkers* workers_of(const Part* part)
{
    return part->apart ? part->factor->workers : NULL;
}

static void forward_tasks(void* context, int first, int end, int worker)
{
    const Part* part = context;
    FilSupernodalWork* work = &part->factor->works[worker];
    if (part->apart) {
        work->border = part->border;
        work->above = part->factor->above.at + (size_t)first * part->above;
        memset(work->above, 0, part->above * sizeof(double));
    }
    for (int k = part->start[first]; k < part->start[end]; k++) {
        part->factor->fronts->forward(part->factor, work, k, part->x);
    }
    work->above = NULL;
}

static void backward_tasks(void* context, int first, int end, int worker)
{
    const Part* part = context;
    for (int k = part->start[end] - 1; k >= part->start[first]; k--) {
        part->factor->fronts->backward(part->factor, &part->factor->works[worker], k, part->x);
    }
}

/* Some of the numbers above all tasks lose what these have put aside, task by task. */
static void take_aside(void* context, int first, int end, int worker)
{
    const Part* part = context;
    double* above = part->x + FIL_BLOCK * (size_t)part->border;
    (void)worker;
    for (int t = 0; t < part->tasks; t++) {
        const double* subtracted = part->factor->above.at + (size_t)t * part->above;
        for (int k = first; k < end; k++) {
            above[k] += subtracted[k];
        }
    }
}

/* Numbers at a time: some 5 us. */
enum { ASIDE_GRAIN = 512 };

static void forward_all(Part* part, FilWorkers* workers)
{
    fil_workers_run(workers, part->tasks, 1, forward_tasks, part);
    if (part->apart) {
        fil_workers_run(workers, (int)part->above, ASIDE_GRAIN, take_aside, part);
    }
    part->apart = false;
}

/* The stem's fronts are shared by strips. */
static void forward(FilSupernodal* factor, bool changing, double* x)
{
    Part part = part_of(factor, x, changing);
    if (part.tasks < 0) {
        return;
    }
    FilWorkers* workers = workers_of(&part);
    Part upper = crown_part(&part, changing);
    forward_all(&part, workers);
    forward_all(&upper, workers);
    factor->works[0].workers = workers;
    forward_tasks(&upper, upper.tasks, upper.tasks + 1, 0);
    factor->works[0].workers = NULL;
}

static void backward(FilSupernodal* factor, bool changing, double* x)
{
    Part part = part_of(factor, x, changing);
    if (part.tasks < 0) {
        return;
    }
    FilWorkers* workers = workers_of(&part);
    Part upper = crown_part(&part, changing);
    factor->works[0].workers = workers;
    backward_tasks(&upper, upper.tasks, upper.tasks + 1, 0);
    factor->works[0].workers = NULL;
    fil_workers_run(workers, upper.tasks, 1, backward_tasks, &upper);
    fil_workers_run(workers, part.tasks, 1, backward_tasks, &part);
}

void fil_supernodal_eliminate_fixed(FilSupernodal* factor, double* x)
{
    forward(factor, false, x);
}

void fil_supernodal_forward_changing(FilSupernodal* factor, double* x)
{
    forward(factor, true, x);
}

void fil_supernodal_solve_changing(FilSupernodal* factor, double* x)
{
    forward(factor, true, x);
    backward(factor, true, x);
}

void fil_supernodal_substitute_fixed(FilSupernodal* factor, double* x)
{
    backward(factor, false, x);
}

/* Solves for `count` right sides, at most as many as `factor->x` has room for. */
static void solve_batch(FilSupernodal* factor, double* x, size_t stride, int count)
{
    const FilSupernodes* s = &factor->symbolic;
    const size_t size = FIL_BLOCK * (size_t)s->columns;
    double* y = factor->x.at;
    for (int b = 0; b < count; b++) {
        for (int j = 0; j < s->columns; j++) {
            memcpy(y + (size_t)b * size + FIL_BLOCK * (size_t)j, x + (size_t)b * stride + FIL_BLOCK * (size_t)s->variable.at[j],
                   FIL_BLOCK * sizeof *y);
        }
    }
    for (int b = 0; b < count; b++) {
        forward(factor, false, y + (size_t)b * size);
        forward(factor, true, y + (size_t)b * size);
        backward(factor, true, y + (size_t)b * size);
        backward(factor, false, y + (size_t)b * size);
    }
    for (int b = 0; b < count; b++) {
        for (int j = 0; j < s->columns; j++) {
            memcpy(x + (size_t)b * stride + FIL_BLOCK * (size_t)s->variable.at[j], y + (size_t)b * size + FIL_BLOCK * (size_t)j,
                   FIL_BLOCK * sizeof *y);
        }
    }
}

void fil_supernodal_solve(FilSupernodal* factor, double* x)
{
    solve_batch(factor, x, 0, 1);
}

bool fil_supernodal_solve_many(FilSupernodal* factor, double* x, size_t stride, int count)
{
    enum { BATCH = 16 };  // right sides that are brought into order at a time
    if (!fil_doubles_reserve(&factor->x, BATCH * FIL_BLOCK * (size_t)factor->symbolic.columns)) {
        return false;
    }
    for (int b = 0; b < count; b += BATCH) {
        solve_batch(factor, x + (size_t)b * stride, stride, count - b < BATCH ? count - b : BATCH);
    }
    return true;
}

/* ---- refinement ---- */

static double largest(const double* x, size_t count)
{
    double size = 0.0;
    for (size_t k = 0; k < count; k++) {
        size = fmax(size, fabs(x[k]));
    }
    return size;
}

double fil_supernodal_refine(FilSupernodal* factor, const FilBlockPattern* a, const double* a_values, const FilBlockPattern* c,
                             const double* c_values, const double* b, double* x, double tolerance, int iterations, double* scratch)
{
    const size_t size = FIL_BLOCK * (size_t)a->columns;
    const double scale = largest(b, size);
    double *residual = scratch, *trial = scratch + size, best = INFINITY;
    memcpy(trial, x, size * sizeof *x);
    for (int k = 0; scale > 0.0; k++) {
        fil_block_multiply(a, a_values, trial, residual);
        if (c != NULL) {
            fil_block_multiply_add(c, c_values, trial, residual);
        }
        for (size_t e = 0; e < size; e++) {
            residual[e] = b[e] - residual[e];
        }
        const double error = largest(residual, size) / scale;
        const bool better = error < best, enough = error <= tolerance || error > 0.5 * best || k >= iterations;
        if (better) {
            best = error;
            memcpy(x, trial, size * sizeof *x);
        }
        if (enough) {
            return best;
        }
        fil_supernodal_solve(factor, residual);
        for (size_t e = 0; e < size; e++) {
            trial[e] += residual[e];
        }
    }
    memset(x, 0, size * sizeof *x);
    return 0.0;
}

/* ---- the Schur complement ---- */

/* S_ij and S_ji += value */
static void add_both(double* schur, size_t size, size_t i, size_t j, double value)
{
    schur[j * size + i] += value;
    if (i != j) {
        schur[i * size + j] += value;
    }
}

/* A_pp: blocks of A between changing variables */
static void add_changing_blocks(const FilSupernodes* s, const FilBlockPattern* a, const double* a_values, double* schur, size_t size)
{
    for (int j = 0; j < a->columns; j++) {
        const int pj = s->pivot.at[j];
        for (int k = a->start[j]; pj >= s->first_changing && k < a->start[j + 1]; k++) {
            const int pi = s->pivot.at[a->row[k]];
            const double* block = a_values + FIL_BLOCK_SIZE * (size_t)k;
            for (int e = 0; pi >= s->first_changing && e < FIL_BLOCK_SIZE; e++) {
                const int r = e % FIL_BLOCK, c = e / FIL_BLOCK;
                if ((s->used.at[pi] >> r & 1) && (s->used.at[pj] >> c & 1) && (pi != pj || r >= c)) {
                    add_both(schur, size, (size_t)(FIL_BLOCK * (pi - s->first_changing) + r), (size_t)(FIL_BLOCK * (pj - s->first_changing) + c),
                             block[e]);
                }
            }
        }
    }
}

/* The update matrix of a supernode that is fixed and whose parent is not; place: of its unknowns in S. */
static void add_border(const FilSupernodal* factor, const FilSupernode* node, double* schur, size_t size)
{
    const FilSupernodes* s = &factor->symbolic;
    const double* update = fil_supernodal_update(factor, &factor->works[0], node);
    int* place = factor->works[0].place.at;
    for (int q = node->first_row, end = 0; q < node->end_row; q++) {
        for (int d = 0; d < FIL_BLOCK; d++) {
            if (s->used.at[s->row.at[q]] >> d & 1) {
                place[end++] = FIL_BLOCK * (s->row.at[q] - s->first_changing) + d;
            }
        }
    }
    for (int i = 0; i < node->updates; i++) {
        const size_t strip = (size_t)(i / FIL_STRIP);
        const double* row = update + 8 * strip * (strip + 1) + i % FIL_STRIP;
        for (int j = 0; j <= i; j++) {
            add_both(schur, size, (size_t)place[i], (size_t)place[j], row[FIL_STRIP * j]);
        }
    }
}

void fil_supernodal_schur(const FilSupernodal* factor, const FilBlockPattern* a, const double* a_values, double* schur)
{
    const FilSupernodes* s = &factor->symbolic;
    const size_t size = FIL_BLOCK * (size_t)(s->columns - s->first_changing);
    memset(schur, 0, size * size * sizeof *schur);
    for (int p = s->first_changing; p < s->columns; p++) {
        for (int d = 0; d < FIL_BLOCK; d++) {
            const size_t at = (size_t)(FIL_BLOCK * (p - s->first_changing) + d);
            schur[at * size + at] = s->used.at[p] >> d & 1 ? 0.0 : 1.0;
        }
    }
    add_changing_blocks(s, a, a_values, schur, size);
    for (int k = 0; k < s->first_changing_node; k++) {
        const FilSupernode* node = fil_supernodal_node(factor, k);
        if (node->parent >= s->first_changing_node) {
            add_border(factor, node, schur, size);
        }
    }
}
