#include "contact/sap_bodies.h"

#include <math.h>
#include <string.h>

void fil_sap_bodies_free(FilSapBodies* bodies)
{
    FilInts* const ints[] = {&bodies->body, &bodies->level, &bodies->order, &bodies->pivot,  &bodies->start, &bodies->row,
                             &bodies->next, &bodies->place, &bodies->mark,  &bodies->fourth, &bodies->sorted};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    fil_free(bodies->values.at);
    fil_free(bodies->vectors.at);
    fil_free(bodies->x.at);
    fil_single_rows_free(&bodies->rows);
    fil_block_incomplete_free(&bodies->factor);
}

/* ---- order ---- */

/* Bodies of fewer variables, mean, were not looked at: rigid ones have two. */
enum { MIN_VARIABLES = 3 };

static int first_of(int* body, int v)
{
    while (body[v] != v) {
        v = body[v] = body[body[v]];
    }
    return v;
}

static void join(int* body, int u, int v)
{
    u = first_of(body, u);
    v = first_of(body, v);
    body[u < v ? v : u] = u < v ? u : v;
}

/* Variables that A joins are of one body, and two that it does not join with any other where they stand side by side in a constraint: linear and
 * angular velocity of a rigid one. How many there are that A joins. */
static int find_bodies(FilSapBodies* bodies, const FilSapProblem* problem)
{
    const FilBlockPattern* a = &problem->pattern;
    int *body = bodies->body.at, *alone = bodies->mark.at, count = 0;
    for (int v = 0; v < a->columns; v++) {
        body[v] = v;
        alone[v] = 1;
    }
    for (int j = 0; j < a->columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (a->row[k] != j) {
                join(body, a->row[k], j);
                alone[j] = alone[a->row[k]] = 0;
            }
        }
    }
    for (int v = 0; v < a->columns; v++) {
        count += body[v] == v;
    }
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapConstraint* constraint = &problem->constraints[i];
        const int* variable = problem->block + constraint->first_block;
        for (int k = 0; k + 1 < constraint->block_count; k++) {
            if (alone[variable[k]] && alone[variable[k + 1]]) {
                join(body, variable[k], variable[k + 1]);
                k++;
            }
        }
    }
    for (int v = 0; v < a->columns; v++) {
        body[v] = first_of(body, v);
    }
    return count;
}

/* Whether a constraint ties its one body to what does not move: its Jacobian is not that of a motion of parts against each other. */
static bool is_grounded(const FilSapProblem* problem, const FilSapConstraint* constraint)
{
    double sum[3] = {0.0};
    for (int k = constraint->first_block; k < constraint->first_block + constraint->block_count; k++) {
        for (int d = 0; d < 3; d++) {
            sum[d] += problem->jacobian[FIL_SAP_JACOBIAN * (size_t)k + 8 + (size_t)d];
        }
    }
    return sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] > 0.25;
}

/* Bodies of all constraints are no further than one from the nearest of each; false: they were so. Those of constraints that have one alone are
 * where it begins. */
static bool relax(const FilSapBodies* bodies, const FilSapProblem* problem, int i)
{
    const FilSapConstraint* constraint = &problem->constraints[i];
    const int *variable = problem->block + constraint->first_block, *body = bodies->body.at, far = problem->pattern.columns;
    int nearest = far, *level = bodies->level.at;
    bool changed = false, one = constraint->block_count > 0;
    for (int k = 0; k < constraint->block_count; k++) {
        const int own = level[body[variable[k]]];
        nearest = own < nearest ? own : nearest;
        one &= body[variable[k]] == body[variable[0]];
    }
    if (one && nearest > 0 && is_grounded(problem, constraint)) {
        level[body[variable[0]]] = 0;
        return true;
    }
    for (int k = 0; k < constraint->block_count && !one; k++) {
        int* own = &level[body[variable[k]]];
        changed |= *own > nearest + 1;
        *own = *own > nearest + 1 ? nearest + 1 : *own;
    }
    return changed;
}

/* Passes over all constraints, to and fro. A heap takes some; what is left then of a long chain is in another order, and no worse for it. */
enum { PASSES_MAX = 32 };

/* How many contacts each body is from what does not move. */
static void find_levels(FilSapBodies* bodies, const FilSapProblem* problem)
{
    const int n = problem->pattern.columns, m = problem->constraint_count;
    for (int v = 0; v < n; v++) {
        bodies->level.at[v] = n;
    }
    bool changed = true;
    for (int pass = 0; pass < PASSES_MAX && changed; pass++) {
        changed = false;
        for (int k = 0; k < m; k++) {
            changed |= relax(bodies, problem, pass % 2 == 0 ? k : m - 1 - k);
        }
    }
    for (int v = 0; v < n; v++) {
        bodies->level.at[v] = bodies->level.at[bodies->body.at[v]];
    }
}

/* Sorts `from` by keys of 0 to `keys`, equal ones as they are. */
static void sort_by(const int* key, int keys, const int* from, int count, int* start, int* to)
{
    memset(start, 0, ((size_t)keys + 2) * sizeof *start);
    for (int k = 0; k < count; k++) {
        start[key[from[k]] + 1]++;
    }
    for (int k = 0; k <= keys; k++) {
        start[k + 1] += start[k];
    }
    for (int k = 0; k < count; k++) {
        to[start[key[from[k]]]++] = from[k];
    }
}

/* Which part each variable is of: the first half of the order; of the others those that nothing joins with it; the rest, whole bodies each. */
static void find_parts(FilSapBodies* bodies, const FilSapProblem* problem, const int* order)
{
    const int n = problem->pattern.columns, *body = bodies->body.at;
    int *part = bodies->pivot.at, half = n / 2;
    while (half < n && half > 0 && body[order[half]] == body[order[half - 1]]) {
        half++;
    }
    for (int k = 0; k < n; k++) {
        part[order[k]] = k >= half;
    }
    for (int i = 0; i < problem->constraint_count; i++) {
        const int *variable = problem->block + problem->constraints[i].first_block, count = problem->constraints[i].block_count;
        bool first = false;
        for (int k = 0; k < count; k++) {
            first |= part[body[variable[k]]] == 0;
        }
        for (int k = 0; k < count && first; k++) {
            part[body[variable[k]]] = part[body[variable[k]]] > 0 ? 2 : 0;
        }
    }
    for (int v = 0; v < n; v++) {
        part[v] = part[body[v]];
    }
}

/* From what does not move on, body by body; as an incomplete factor leaves out what a body's elimination would join, it is good where few of those
 * that it touches come later. The second part is from the far end to the middle, so that two workers may share it. */
static void find_order(FilSapBodies* bodies, const FilSapProblem* problem)
{
    const int n = problem->pattern.columns;
    int *order = bodies->order.at, *other = bodies->mark.at, *start = bodies->start.at, *pivot = bodies->pivot.at;
    find_levels(bodies, problem);
    for (int v = 0; v < n; v++) {
        other[v] = v;
    }
    sort_by(bodies->body.at, n, other, n, start, order);
    sort_by(bodies->level.at, n, order, n, start, other);
    find_parts(bodies, problem, other);
    sort_by(pivot, 2, other, n, start, order);
    for (int part = 0, k = 0; part < FIL_INCOMPLETE_PARTS; part++) {
        while (k < n && pivot[order[k]] == part) {
            k++;
        }
        bodies->part_end[part] = k;
    }
    for (int low = bodies->part_end[0], high = bodies->part_end[1] - 1; low < high; low++, high--) {
        const int v = order[low];
        order[low] = order[high];
        order[high] = v;
    }
    for (int k = 0; k < n; k++) {
        pivot[order[k]] = k;
    }
}

/* ---- pattern ---- */

/* Lists the blocks of A + C in that order. */
static void merge(FilSapBodies* bodies, const FilBlockPattern* a, const FilBlockPattern* c)
{
    const int n = a->columns, a_blocks = a->start[n], *pivot = bodies->pivot.at;
    const FilBlockPattern* const terms[] = {a, c};
    int *next = bodies->next.at, *place = bodies->place.at, *row = bodies->row.at, *sorted = bodies->sorted.at, *mark = bodies->mark.at, end = 0;
    memset(next, 0, ((size_t)n + 2) * sizeof *next);
    for (int pass = 0; pass < 2; pass++) {
        for (int t = 0; t < 2; t++) {
            for (int j = 0; j < n; j++) {
                for (int k = terms[t]->start[j]; k < terms[t]->start[j + 1]; k++) {
                    const int u = pivot[terms[t]->row[k]], v = pivot[j], column = u < v ? u : v, block = t > 0 ? a_blocks + k : k;
                    if (pass == 0) {
                        next[column + 2]++;
                    } else {
                        place[block] = 2 * (u < v ? v : u) + (u < v);
                        sorted[next[column + 1]++] = block;
                    }
                }
            }
        }
        for (int j = 0; j < n && pass == 0; j++) {
            next[j + 2] += next[j + 1];
        }
    }
    memset(mark, -1, (size_t)n * sizeof *mark);
    for (int j = 0; j < n; j++) {
        bodies->start.at[j] = end;
        for (int k = next[j]; k < next[j + 1]; k++) {
            const int turned = place[sorted[k]] & 1, i = place[sorted[k]] >> 1;
            if (mark[i] < bodies->start.at[j]) {
                mark[i] = end;
                row[end++] = i;
            }
            place[sorted[k]] = 2 * mark[i] + turned;
        }
    }
    bodies->start.at[n] = end;
}

static bool reserve(FilSapBodies* bodies, size_t n, size_t blocks)
{
    FilInts* const of_columns[] = {&bodies->level, &bodies->order, &bodies->pivot, &bodies->start, &bodies->next, &bodies->fourth};
    FilInts* const of_blocks[] = {&bodies->row, &bodies->place, &bodies->sorted};
    bool room = fil_doubles_reserve(&bodies->values, FIL_BLOCK_SIZE * blocks) && fil_floats_reserve(&bodies->vectors, 7 * FIL_BLOCK * n) &&
                fil_doubles_reserve(&bodies->x, 2 * FIL_BLOCK * n);
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++) {
        room = room && fil_ints_reserve(of_columns[k], n + 2);
    }
    for (size_t k = 0; k < sizeof of_blocks / sizeof *of_blocks; k++) {
        room = room && fil_ints_reserve(of_blocks[k], blocks);
    }
    return room;
}

FilStatus fil_sap_bodies_begin(FilSapBodies* bodies, const FilSapSystem* system, const FilSapProblem* problem, bool* worth)
{
    const FilBlockPattern *a = &problem->pattern, c = {a->columns, system->c_start.at, system->c_row.at};
    const size_t n = (size_t)a->columns;
    *worth = false;
    if (!fil_ints_reserve(&bodies->body, n) || !fil_ints_reserve(&bodies->mark, n)) {
        return FIL_OUT_OF_MEMORY;
    }
    if (find_bodies(bodies, problem) > a->columns / MIN_VARIABLES) {
        return FIL_OK;
    }
    if (!reserve(bodies, n, (size_t)a->start[n] + (size_t)c.start[n])) {
        return FIL_OUT_OF_MEMORY;
    }
    *worth = true;
    find_order(bodies, problem);
    merge(bodies, a, &c);
    bodies->rows_found = false;
    bodies->shift = 0.0;
    const FilBlockPattern all = {a->columns, bodies->start.at, bodies->row.at};
    return fil_block_incomplete_find(&bodies->factor, &all, bodies->part_end) ? FIL_OK : FIL_OUT_OF_MEMORY;
}

/* ---- numbers ---- */

/* A + C; false when out of memory. */
static bool take_matrix(FilSapBodies* bodies, const FilSapSystem* system, const FilSapProblem* problem)
{
    const int n = system->columns, a_blocks = problem->pattern.start[n], c_blocks = system->c_start.at[n], *place = bodies->place.at;
    double* values = bodies->values.at;
    memset(values, 0, FIL_BLOCK_SIZE * (size_t)bodies->start.at[n] * sizeof *values);
    for (int k = 0; k < a_blocks + c_blocks; k++) {
        const double* from = k < a_blocks ? problem->a + FIL_BLOCK_SIZE * (size_t)k : system->c.at + FIL_BLOCK_SIZE * (size_t)(k - a_blocks);
        double* to = values + FIL_BLOCK_SIZE * (size_t)(place[k] >> 1);
        const int across = place[k] & 1 ? 4 : 1, down = 5 - across;  // of columns and rows, turned or not
        for (int e = 0; e < FIL_BLOCK_SIZE; e++) {
            to[e] += from[across * (e % 4) + down * (e / 4)];
        }
    }
    const FilBlockPattern all = {n, bodies->start.at, bodies->row.at};
    const double* const terms[] = {values};
    if (bodies->rows_found && fil_single_rows_take(&bodies->rows, problem->workers, &all, terms, 1, bodies->fourth.at)) {
        return true;
    }
    memset(bodies->fourth.at, 0, (size_t)n * sizeof(int));
    fil_single_rows_mark(&all, terms, 1, bodies->fourth.at);
    bodies->rows_found = fil_single_rows_find(&bodies->rows, &all, 1, bodies->fourth.at);
    return bodies->rows_found && fil_single_rows_take(&bodies->rows, problem->workers, &all, terms, 1, bodies->fourth.at);
}

/* Where a pivot is not positive definite, diagonals grow by so much, ten times as much next time, in the rest of the solve, too. */
#define FIRST_SHIFT 1e-3
#define LAST_SHIFT 1.0

static bool factor(FilSapBodies* bodies, const FilSapProblem* problem)
{
    while (!fil_block_incomplete_factor(&bodies->factor, problem->workers, bodies->values.at, bodies->shift)) {
        bodies->shift = fmax(FIRST_SHIFT, 10.0 * bodies->shift);
        if (bodies->shift > LAST_SHIFT) {
            return false;
        }
    }
    return true;
}

/* ---- conjugate gradients in single precision; see linalg/block_pcg_single.c ---- */

/* Rows are shared in so many pieces, whoever there is to take them. */
enum { PIECES = 32 };

typedef struct Solve {
    const FilSapBodies* bodies;
    FilSingleStep step;
    const float* weight;
    int grain;
    double products[PIECES]; /* of each piece: w z, or r z, ... */
    double sizes[PIECES];    /* ... and of weight r r */
} Solve;

/* w = (A + C) z, and what that is times z. */
static void multiply_rows(void* context, int first, int end, int worker)
{
    Solve* solve = context;
    (void)worker;
    solve->products[first / solve->grain] = (double)fil_single_rows_times(&solve->bodies->rows, NULL, first, end, solve->step.z, solve->step.w);
}

static void measure_rows(void* context, int first, int end, int worker)
{
    Solve* solve = context;
    const FilSingleStep* step = &solve->step;
    FilFloat4 product = fil_float4_all(0.0F), size = product;
    (void)worker;
    for (ptrdiff_t k = (ptrdiff_t)4 * first; k < (ptrdiff_t)4 * end; k += 4) {
        const FilFloat4 r = fil_float4_load(step->r + k);
        product = fil_float4_add_product(product, r, fil_float4_load(step->z + k));
        size = fil_float4_add_product(size, fil_float4_load(solve->weight + k) * r, r);
    }
    solve->products[first / solve->grain] = (double)fil_float4_sum(product);
    solve->sizes[first / solve->grain] = (double)fil_float4_sum(size);
}

static double sum_of(const double* pieces)
{
    double sum = 0.0;
    for (int k = 0; k < PIECES; k++) {
        sum += pieces[k];
    }
    return sum;
}

static bool iterate(FilSapBodies* bodies, FilWorkers* workers, Solve* solve, int n, double tolerance, int max)
{
    FilSingleStep* step = &solve->step;
    fil_block_incomplete_step(&bodies->factor, workers, step);  // one that goes nowhere
    fil_workers_run(workers, n, solve->grain, measure_rows, solve);
    double rz = sum_of(solve->products), turn = 0.0, length = 0.0, left = sum_of(solve->sizes);
    const double goal = tolerance * tolerance * left;
    for (bodies->iterations = 0; !(left <= goal); bodies->iterations++) {
        if (bodies->iterations == max) {
            return false;
        }
        // p'Hp = z'Hz - turn r'z / length, of the last length
        fil_workers_run(workers, n, solve->grain, multiply_rows, solve);
        const double own = sum_of(solve->products), curvature = bodies->iterations > 0 ? own - turn * rz / length : own;
        if (!(curvature > 0.0)) {
            return false;
        }
        length = rz / curvature;
        step->turn = (float)turn;
        step->length = (float)length;
        fil_block_incomplete_step(&bodies->factor, workers, step);
        fil_workers_run(workers, n, solve->grain, measure_rows, solve);
        const double next = sum_of(solve->products);
        turn = next / rz;
        rz = next;
        left = sum_of(solve->sizes);
    }
    return true;
}

/* What brings the largest number to about one. */
static double scale_of(const double* x, int count)
{
    double largest = 0.0;
    for (int k = 0; k < count; k++) {
        largest = fmax(largest, fabs(x[k]));
    }
    int exponent;
    (void)frexp(largest, &exponent);
    return ldexp(1.0, -exponent);
}

/* What rounding may add to what is left: Newton's directions are not the better for less. */
#define ROUNDED 2.0

/* Whether the solution is one in double precision, too: some contacts are stiffer than single precision can tell. */
static bool leaves_little(const FilSapBodies* bodies, const FilSapSystem* system, const FilSapProblem* problem, const double* weight,
                          double tolerance, const double* r)
{
    const int n = system->columns;
    const FilBlockPattern terms[] = {problem->pattern, {n, system->c_start.at, system->c_row.at}};
    const double* const values[] = {problem->a, system->c.at};
    double *product = bodies->x.at + FIL_BLOCK * (size_t)n, left = 0.0, all = 0.0;
    fil_block_parts_multiply(&system->parts, problem->workers, terms, values, 2, bodies->x.at, product);
    for (int j = 0; j < n; j++) {
        const int at = FIL_BLOCK * fil_sap_system_participant(system, j);
        for (int d = 0; d < FIL_BLOCK; d++) {
            const double rest = r[at + d] - product[FIL_BLOCK * j + d];
            left += weight[at + d] * rest * rest;
            all += weight[at + d] * r[at + d] * r[at + d];
        }
    }
    return left <= ROUNDED * ROUNDED * tolerance * tolerance * all;
}

FilStatus fil_sap_bodies_solve(FilSapBodies* bodies, const FilSapSystem* system, const FilSapProblem* problem, const double* weight, double tolerance,
                               int max, const double* r, double* x, bool* done)
{
    const int n = system->columns, count = FIL_BLOCK * n;
    if (!take_matrix(bodies, system, problem)) {
        return FIL_OUT_OF_MEMORY;
    }
    *done = factor(bodies, problem);
    if (!*done) {
        return FIL_OK;
    }
    float *at = bodies->vectors.at, *of_weight = at + 6 * (size_t)count;
    Solve solve = {.bodies = bodies, .weight = of_weight, .grain = 1 + n / PIECES};
    solve.step = (FilSingleStep){.r = at,
                                 .z = at + (size_t)count,
                                 .w = at + 2 * (size_t)count,
                                 .p = at + 3 * (size_t)count,
                                 .s = at + 4 * (size_t)count,
                                 .x = at + 5 * (size_t)count};
    memset(at, 0, 6 * (size_t)count * sizeof *at);
    const double scale = scale_of(r, count), weight_scale = scale_of(weight, count);
    for (int j = 0; j < n; j++) {
        const int from = FIL_BLOCK * fil_sap_system_participant(system, bodies->order.at[j]);
        for (int d = 0; d < FIL_BLOCK; d++) {
            solve.step.r[FIL_BLOCK * j + d] = (float)(scale * r[from + d]);
            of_weight[FIL_BLOCK * j + d] = (float)(weight_scale * weight[from + d]);
        }
    }
    *done = iterate(bodies, problem->workers, &solve, n, tolerance, max);
    for (int k = 0; k < count; k++) {
        bodies->x.at[FIL_BLOCK * bodies->order.at[k / FIL_BLOCK] + k % FIL_BLOCK] = (double)solve.step.x[k] / scale;
    }
    *done = *done && leaves_little(bodies, system, problem, weight, tolerance, r);
    for (int j = 0; j < n; j++) {
        memcpy(x + FIL_BLOCK * (size_t)fil_sap_system_participant(system, j), bodies->x.at + FIL_BLOCK * (size_t)j, FIL_BLOCK * sizeof *x);
    }
    return FIL_OK;
}
