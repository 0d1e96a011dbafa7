/* Factorisations of what fills: cubes of tetrahedra and cube-shaped piles of rigid bodies. */
#include "factor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/block_cholesky.h"
#include "linalg/supernodal.h"

typedef struct Case {
    const char* name;
    int side;     /* vertices or bodies along an edge of the cube */
    int per_node; /* block variables: 1 for a vertex, 2 for a rigid body */
    int reach;    /* neighbours: 0 along the axes, 1 with the diagonals of cubes of six tetrahedra, 2 all 26 */
} Case;

/* The matrix and what is solved with it, in one place to free. */
typedef struct Specimen {
    FilBlockPattern pattern;
    int *start, *row;
    double *values, *b, *x, *scratch;
    unsigned char* used;
    FilSupernodal* supernodal;
    FilBlockCholesky* block;
} Specimen;

static void release(Specimen* s)
{
    fil_free(s->start);
    fil_free(s->row);
    fil_free(s->values);
    fil_free(s->b);
    fil_free(s->x);
    fil_free(s->scratch);
    fil_free(s->used);
    fil_supernodal_destroy(s->supernodal);
    fil_block_cholesky_destroy(s->block);
}

/* Offsets to later neighbours. Kuhn's six tetrahedra of a cube have its edges, one diagonal of each face, and one of
 * space. */
static int list_offsets(int reach, int (*offset)[3])
{
    int count = 0;
    for (int z = 0; z <= 1; z++) {
        for (int y = z > 0 ? -1 : 0; y <= 1; y++) {
            for (int x = z > 0 || y > 0 ? -1 : 1; x <= 1; x++) {
                const bool kuhn = x >= 0 && y >= 0;
                const bool axis = kuhn && x + y + z == 1;
                if (reach == 2 || (reach == 1 ? kuhn : axis)) {
                    memcpy(offset[count++], (int[]){x, y, z}, sizeof *offset);
                }
            }
        }
    }
    return count;
}

static bool allocate(Specimen* s, Case c)
{
    const size_t n = (size_t)c.per_node * (size_t)(c.side * c.side * c.side), blocks = n * (size_t)c.per_node * 14;
    s->start = fil_alloc(n + 1, sizeof(int));
    s->row = fil_alloc(blocks, sizeof(int));
    s->values = fil_alloc(blocks * FIL_BLOCK_SIZE, sizeof(double));
    s->b = fil_alloc(4 * n, sizeof(double));
    s->x = fil_alloc(4 * n, sizeof(double));
    s->scratch = fil_alloc(8 * n, sizeof(double));
    s->used = fil_alloc(n, 1);
    s->supernodal = fil_supernodal_create();
    s->block = fil_block_cholesky_create();
    s->pattern = (FilBlockPattern){(int)n, s->start, s->row};
    return s->start != NULL && s->row != NULL && s->values != NULL && s->b != NULL && s->x != NULL && s->scratch != NULL && s->used != NULL &&
           s->supernodal != NULL && s->block != NULL;
}

/* Blocks of variable j: its own, those of its node's other variables, those of later neighbours. */
static void fill_pattern(Specimen* s, Case c)
{
    int offset[13][3], end = 0;
    const int offsets = list_offsets(c.reach, offset), n = c.side;
    for (int j = 0; j < s->pattern.columns; j++) {
        const int node = j / c.per_node, at[3] = {node % n, node / n % n, node / n / n};
        s->start[j] = end;
        for (int i = j; i < (node + 1) * c.per_node; i++) {
            s->row[end++] = i;
        }
        for (int k = 0; k < offsets; k++) {
            const int x = at[0] + offset[k][0], y = at[1] + offset[k][1], z = at[2] + offset[k][2];
            for (int v = 0; v < c.per_node && x >= 0 && x < n && y >= 0 && y < n && z < n; v++) {
                s->row[end++] = c.per_node * ((z * n + y) * n + x) + v;
            }
        }
    }
    s->start[s->pattern.columns] = end;
}

/* Three unknowns a block, coupled by numbers without meaning, and diagonals that outweigh them: definite with a
 * condition near 100. */
static void fill_values(Specimen* s)
{
    const int n = s->pattern.columns;
    double* weight = s->scratch;
    memset(weight, 0, 4 * (size_t)n * sizeof *weight);
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < n; j++) {
            for (int k = s->start[j]; k < s->start[j + 1]; k++) {
                const int i = s->row[k];
                double* block = s->values + FIL_BLOCK_SIZE * (size_t)k;
                for (int e = 0; e < 12; e++) {
                    const int r = e % 4, col = e / 4;
                    if (r == 3) {
                        continue;
                    }
                    if (i != j && pass == 0) {
                        block[e] = sin(1.0 + 7.0 * k + 3.0 * e) - (r == col ? 2.0 : 0.0);
                        weight[4 * i + r] += fabs(block[e]);
                        weight[4 * j + col] += fabs(block[e]);
                    } else if (i == j && pass == 1 && r == col) {
                        block[e] = 1.01 * weight[4 * j + r] + 0.1;
                    }
                }
                block[15] = i == j ? 1.0 : 0.0;
            }
        }
    }
    for (int k = 0; k < 4 * n; k++) {
        s->b[k] = k % 4 < 3 ? cos(0.7 * k) : 0.0;
    }
}

typedef struct Times {
    FilBenchClock factor; /* best of several */
    double analyze, solve, block;
} Times;

/* The list-of-products factor on the same matrix, once: what the supernodal one is for. */
static FilStatus time_block_cholesky(Specimen* s, Times* times)
{
    FilStatus status = fil_block_cholesky_analyze(s->block, &s->pattern, NULL);
    times->block = INFINITY;
    for (int k = 0; k < 2 && status == FIL_OK; k++) {
        const FilBenchClock start = fil_bench_clock();
        status = fil_block_cholesky_factor(s->block, s->values, NULL) ? FIL_OK : FIL_NOT_CONVERGED;
        times->block = fmin(times->block, fil_bench_since(start).cpu);
    }
    return status;
}

static FilStatus time_supernodal(Specimen* s, int repeats, Times* times)
{
    fil_supernodal_find_used(&s->pattern, s->values, s->used);
    const FilBenchClock start = fil_bench_clock();
    FilStatus status = fil_supernodal_analyze(s->supernodal, &s->pattern, NULL, s->used);
    times->analyze = fil_bench_since(start).cpu;
    times->factor = (FilBenchClock){INFINITY, INFINITY};
    times->solve = INFINITY;
    for (int k = 0; k < repeats && status == FIL_OK; k++) {
        const FilBenchClock begin = fil_bench_clock();
        status = fil_supernodal_factor(s->supernodal, s->values, NULL) ? FIL_OK : FIL_NOT_CONVERGED;
        const FilBenchClock spent = fil_bench_since(begin), second = fil_bench_clock();
        times->factor = (FilBenchClock){fmin(times->factor.wall, spent.wall), fmin(times->factor.cpu, spent.cpu)};
        memcpy(s->x, s->b, 4 * (size_t)s->pattern.columns * sizeof *s->x);
        fil_supernodal_solve(s->supernodal, s->x);
        times->solve = fmin(times->solve, fil_bench_since(second).cpu);
    }
    return status;
}

static FilStatus measure_case(FilBench* bench, Case c, FilError* error)
{
    Specimen s = {0};
    Times times = {.block = NAN};
    FilStatus status = FIL_OUT_OF_MEMORY;
    if (allocate(&s, c)) {
        fill_pattern(&s, c);
        fill_values(&s);
        status = time_supernodal(&s, 5 * fil_bench_repeats(bench), &times);
        // its list of products grows as the square of the vertices: 500 MB for the largest cube
        if (status == FIL_OK && s.pattern.columns <= 2000) {
            status = time_block_cholesky(&s, &times);
        }
    }
    if (status == FIL_OK) {
        FilBenchResult result = fil_bench_result(c.name);
        const FilSupernodalInfo info = fil_supernodal_info(s.supernodal);
        result.nodes = c.side * c.side * c.side;
        result.wall_time = times.factor.wall;
        result.cpu_time = times.factor.cpu;
        result.us_per_iteration = 1e6 * times.factor.cpu;
        result.ns_per_node = 1e9 * times.factor.cpu / result.nodes;
        fil_bench_result_accuracy(&result, "factor_ms", 1e3 * times.factor.cpu);
        fil_bench_result_accuracy(&result, "gflops", 1e-9 * info.flops / times.factor.cpu);
        fil_bench_result_accuracy(&result, "analyze_ms", 1e3 * times.analyze);
        fil_bench_result_accuracy(&result, "solve_ms", 1e3 * times.solve);
        fil_bench_result_accuracy(&result, "block_cholesky_ms", 1e3 * times.block);
        fil_bench_result_accuracy(&result, "solve_error",
                                  fil_supernodal_refine(s.supernodal, &s.pattern, s.values, NULL, NULL, s.b, s.x, 0.0, 0, s.scratch));
        status = fil_bench_report(bench, &result);
    } else {
        snprintf(error->text, sizeof error->text, "%s of %d: %s", c.name, c.side * c.side * c.side,
                 status == FIL_OUT_OF_MEMORY ? "out of memory" : "the matrix is not positive definite");
    }
    release(&s);
    return status;
}

FilStatus fil_bench_factor(FilBench* bench, FilError* error)
{
    static const Case cases[] = {
        {"factor_cube", 8, 1, 1}, {"factor_cube", 11, 1, 1}, {"factor_cube", 16, 1, 1}, {"factor_pile_6", 10, 2, 0}, {"factor_pile_26", 10, 2, 2}};
    FilStatus status = FIL_OK;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0] && status == FIL_OK; k++) {
        status = measure_case(bench, cases[k], error);
    }
    return status;
}
