#include "contact/sap_bodies.h"

#include <math.h>
#include <string.h>

void fil_sap_bodies_free(FilSapBodies* bodies)
{
    FilInts* const ints[] = {&bodies->body,    &bodies->start,  &bodies->row,  &bodies->place, &bodies->own_start,
                             &bodies->own_row, &bodies->own_at, &bodies->none, &bodies->mark,  &bodies->fourth};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    fil_free(bodies->values.at);
    fil_free(bodies->vectors.at);
    fil_free(bodies->x.at);
    fil_single_rows_free(&bodies->rows);
    fil_block_preconditioner_free(&bodies->precond);
}

/* ---- patterns ---- */

/* Bodies of fewer variables, mean, are not known as such: linear and angular velocity of a rigid one are two that A does not join. */
enum { MIN_VARIABLES = 3 };
/* Their factor may have so many times the blocks that it is of. Rods have one, closed ones nearly two. */
enum { MAX_FILL = 3 };

static int first_of(int* body, int v)
{
    while (body[v] != v) {
        v = body[v] = body[body[v]];
    }
    return v;
}

/* Variables that A joins are of one body; how many there are. */
static int find_bodies(int* body, const FilBlockPattern* a)
{
    int count = 0;
    for (int v = 0; v < a->columns; v++) {
        body[v] = v;
    }
    for (int j = 0; j < a->columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            const int u = first_of(body, a->row[k]), v = first_of(body, j);
            body[u < v ? v : u] = u < v ? u : v;
        }
    }
    for (int v = 0; v < a->columns; v++) {
        body[v] = first_of(body, v);
        count += body[v] == v;
    }
    return count;
}

/* Lists the blocks of A + C, and of these what stands within bodies. */
static void merge(FilSapBodies* bodies, const FilBlockPattern* a, const FilBlockPattern* c)
{
    int *mark = bodies->mark.at, *place = bodies->place.at, end = 0, own = 0;
    const FilBlockPattern* const terms[] = {a, c};
    memset(mark, -1, (size_t)a->columns * sizeof *mark);
    for (int j = 0; j < a->columns; j++) {
        bodies->start.at[j] = end;
        bodies->own_start.at[j] = own;
        for (int t = 0; t < 2; t++) {
            int* to = place + (t > 0 ? a->start[a->columns] : 0);
            for (int k = terms[t]->start[j]; k < terms[t]->start[j + 1]; k++) {
                const int i = terms[t]->row[k];
                if (mark[i] < bodies->start.at[j]) {
                    mark[i] = end;
                    if (bodies->body.at[i] == bodies->body.at[j]) {
                        bodies->own_row.at[own] = i;
                        bodies->own_at.at[own++] = end;
                    }
                    bodies->row.at[end++] = i;
                }
                to[k] = mark[i];
            }
        }
    }
    bodies->start.at[a->columns] = end;
    bodies->own_start.at[a->columns] = own;
}

FilStatus fil_sap_bodies_begin(FilSapBodies* bodies, const FilSapSystem* system, const FilSapProblem* problem, bool* worth)
{
    const FilBlockPattern *a = &problem->pattern, c = {a->columns, system->c_start.at, system->c_row.at};
    const size_t n = (size_t)a->columns, blocks = (size_t)a->start[n] + (size_t)c.start[n];
    FilInts* const of_columns[] = {&bodies->body, &bodies->start, &bodies->own_start, &bodies->none, &bodies->mark, &bodies->fourth};
    FilInts* const of_blocks[] = {&bodies->row, &bodies->place, &bodies->own_row, &bodies->own_at};
    bool room = fil_doubles_reserve(&bodies->values, FIL_BLOCK_SIZE * blocks) && fil_floats_reserve(&bodies->vectors, 7 * FIL_BLOCK * n) &&
                fil_doubles_reserve(&bodies->x, 2 * FIL_BLOCK * n);
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++) {
        room = room && fil_ints_reserve(of_columns[k], n + 1);
    }
    for (size_t k = 0; k < sizeof of_blocks / sizeof *of_blocks; k++) {
        room = room && fil_ints_reserve(of_blocks[k], blocks);
    }
    if (!room) {
        return FIL_OUT_OF_MEMORY;
    }
    *worth = find_bodies(bodies->body.at, a) <= a->columns / MIN_VARIABLES;
    if (!*worth) {
        return FIL_OK;
    }
    merge(bodies, a, &c);
    bodies->rows_found = false;
    memset(bodies->none.at, 0, (n + 1) * sizeof(int));
    const FilBlockPattern own = {a->columns, bodies->own_start.at, bodies->own_row.at}, none = {a->columns, bodies->none.at, bodies->row.at};
    const FilBlockPattern* const terms[FIL_BLOCK_TERMS] = {&own, &none, &none};
    const FilStatus status = fil_block_preconditioner_analyze(&bodies->precond, terms, bodies->own_at.at, true);
    *worth = status == FIL_OK && bodies->precond.symbolic.factor_blocks <= MAX_FILL * own.start[a->columns];
    return status;
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
        double* to = values + FIL_BLOCK_SIZE * (size_t)place[k];
        for (int e = 0; e < FIL_BLOCK_SIZE; e++) {
            to[e] += from[e];
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

/* Each body with what C has within it. */
static bool factor(FilSapBodies* bodies, const FilSapProblem* problem)
{
    const FilBlockPreconditionerValues values = {bodies->values.at, bodies->values.at, NULL, problem->workers};
    return fil_block_preconditioner_factor_fixed(&bodies->precond, true, &values) &&
           fil_block_preconditioner_factor_changing(&bodies->precond, problem->workers, bodies->values.at) &&
           fil_block_preconditioner_isolate(&bodies->precond, problem->workers, bodies->fourth.at);
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
    const float* z = solve->step.z;
    FilFloat4 sum = fil_float4_all(0.0F);
    (void)worker;
    for (int i = first; i < end; i++) {
        const FilFloat4 row = fil_single_row_times(&solve->bodies->rows, i, z);
        fil_float4_store(solve->step.w + (ptrdiff_t)4 * i, row);
        sum = fil_float4_add_product(sum, row, fil_float4_load(z + (ptrdiff_t)4 * i));
    }
    solve->products[first / solve->grain] = (double)fil_float4_sum(sum);
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
    fil_block_preconditioner_step(&bodies->precond, workers, step);  // one that goes nowhere
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
        fil_block_preconditioner_step(&bodies->precond, workers, step);
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
        const int from = FIL_BLOCK * fil_sap_system_participant(system, j);
        for (int d = 0; d < FIL_BLOCK; d++) {
            solve.step.r[FIL_BLOCK * j + d] = (float)(scale * r[from + d]);
            of_weight[FIL_BLOCK * j + d] = (float)(weight_scale * weight[from + d]);
        }
    }
    *done = iterate(bodies, problem->workers, &solve, n, tolerance, max);
    for (int k = 0; k < count; k++) {
        bodies->x.at[k] = (double)solve.step.x[k] / scale;
    }
    *done = *done && leaves_little(bodies, system, problem, weight, tolerance, r);
    for (int j = 0; j < n; j++) {
        memcpy(x + FIL_BLOCK * (size_t)fil_sap_system_participant(system, j), bodies->x.at + FIL_BLOCK * (size_t)j, FIL_BLOCK * sizeof *x);
    }
    return FIL_OK;
}
