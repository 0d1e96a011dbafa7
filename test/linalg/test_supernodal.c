/* ctest: wrap-malloc */
/* The supernodal factorisation against dense Cholesky on random patterns, and on meshes that are dissected. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heap_calls.h"
#include "linalg/supernodal_data.h"
#include "random_blocks.h"

static double dense_factor[MAX_N * MAX_N];

/* Solves random_blocks_dense x = x; false if it is not positive definite. */
static bool solve_dense(double* x, int n)
{
    double* l = dense_factor;
    memcpy(l, random_blocks_dense, (size_t)(n * n) * sizeof *l);
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            for (int k = 0; k < j; k++) {
                l[i * n + j] -= l[i * n + k] * l[j * n + k];
            }
            if (i == j && !(l[j * n + j] > 0.0)) {
                return false;
            }
            l[i * n + j] = i == j ? sqrt(l[j * n + j]) : l[i * n + j] / l[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= l[i * n + k] * x[k];
        }
        x[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= l[k * n + i] * x[k];
        }
        x[i] /= l[i * n + i];
    }
    return true;
}

static void check_solution(FilSupernodal* factor, Random* random, int n)
{
    double b[MAX_N], x[MAX_N], y[MAX_N];
    for (int k = 0; k < n; k++) {
        b[k] = x[k] = y[k] = random_between(random, -1.0, 1.0);
    }
    fil_supernodal_solve(factor, x);
    assert_true(solve_dense(y, n));
    random_blocks_compare(b, x, y, n);
}

/* Takes random components out of the matrix: the dense one gets the rows of the unit matrix, the sparse one what must
 * not be read. */
static void leave_out(Random* random, RandomBlocks* a, unsigned char* used)
{
    const int columns = a->pattern.columns, n = 4 * columns;
    for (int v = 0; v < columns; v++) {
        used[v] = (unsigned char)(random_bits(random) % 3 == 0 ? random_bits(random) % 16 : 7);
        for (int d = 0; d < 4; d++) {
            for (int k = 0; k < n && !(used[v] >> d & 1); k++) {
                random_blocks_dense[(4 * v + d) * n + k] = random_blocks_dense[k * n + 4 * v + d] = k == 4 * v + d ? 1.0 : 0.0;
            }
        }
    }
    for (int j = 0; j < columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            for (int e = 0; e < 16; e++) {
                if (!(used[a->row[k]] >> e % 4 & 1) || !(used[j] >> e / 4 & 1)) {
                    a->values[16 * k + e] = NAN;
                }
            }
        }
    }
}

static void random_patterns(void** state)
{
    (void)state;
    Random random = {1};
    FilSupernodal* factor = fil_supernodal_create();
    for (int trial = 0; trial < 120; trial++) {
        const int columns = 1 + (int)(random_bits(&random) % MAX_COLUMNS);
        const double fill = trial % 10 == 0 ? 1.0 : random_between(&random, 0.0, 4.0 / columns);
        RandomBlocks* a = random_blocks(&random, columns, fill, true);
        RandomBlocks* c = random_blocks(&random, columns, fill, trial % 2 == 0);
        const bool sum = trial % 3 != 0;
        unsigned char used[MAX_COLUMNS];
        random_blocks_make_definite(a, sum ? c : NULL);
        if (trial % 4 == 1) {
            leave_out(&random, a, used);
        }
        assert_int_equal(fil_supernodal_analyze(factor, &a->pattern, sum ? &c->pattern : NULL, trial % 4 == 1 ? used : NULL), FIL_OK);
        assert_true(fil_supernodal_factor(factor, a->values, sum ? c->values : NULL));
        check_solution(factor, &random, 4 * columns);
        free(a);
        free(c);
    }
    fil_supernodal_destroy(factor);
}

/* No variable, one, one beside many (an arrow), and none beside another. */
static void odd_shapes(void** state)
{
    (void)state;
    Random random = {2};
    FilSupernodal* factor = fil_supernodal_create();
    RandomBlocks* empty = random_blocks(&random, 0, 0.0, true);
    double nothing = 0.0;
    assert_int_equal(fil_supernodal_analyze(factor, &empty->pattern, NULL, NULL), FIL_OK);
    assert_true(fil_supernodal_factor(factor, empty->values, NULL));
    fil_supernodal_solve(factor, &nothing);
    free(empty);
    for (int shape = 0; shape < 3; shape++) {
        const int columns = shape == 0 ? 1 : MAX_COLUMNS;
        RandomBlocks* a = random_blocks(&random, columns, 0.0, true);
        if (shape == 2) {
            // variable 0 beside all others
            int end = 0;
            for (int j = 0; j < columns; j++) {
                for (int i = j; i < (j == 0 ? columns : j + 1); i++) {
                    a->row[end++] = i;
                }
                a->start[j + 1] = end;
            }
            for (int k = 0; k < 16 * end; k++) {
                a->values[k] = 0.1;
            }
        }
        random_blocks_make_definite(a, NULL);
        assert_int_equal(fil_supernodal_analyze(factor, &a->pattern, NULL, NULL), FIL_OK);
        assert_true(fil_supernodal_factor(factor, a->values, NULL));
        check_solution(factor, &random, 4 * columns);
        free(a);
    }
    fil_supernodal_destroy(factor);
}

/* A random pattern, and C on a quarter of its variables. */
static void make_parts(Random* random, RandomBlocks** a, RandomBlocks** c)
{
    *a = random_blocks(random, MAX_COLUMNS, 0.05, true);
    *c = random_blocks(random, MAX_COLUMNS, 0.0, false);
    int end = 0;
    for (int j = 0; j < MAX_COLUMNS; j++) {
        for (int i = j; i < MAX_COLUMNS && j % 4 == 0; i += 12) {
            (*c)->row[end++] = i;
        }
        (*c)->start[j + 1] = end;
    }
    for (int k = 0; k < 16 * end; k++) {
        (*c)->values[k] = random_between(random, -0.1, 0.1);
    }
    for (int j = 0; j < MAX_COLUMNS; j++) {
        for (int k = (*c)->start[j]; k < (*c)->start[j + 1]; k++) {
            for (int e = 0; e < 16 && (*c)->row[k] == j; e++) {
                (*c)->values[16 * k + e] = (*c)->values[16 * k + 4 * (e % 4) + e / 4];
            }
        }
    }
}

/* After a change of C, factoring the changing columns gives bit for bit what factoring all gives; so does solving in
 * parts. */
static void changing_columns(void** state)
{
    (void)state;
    Random random = {3};
    FilSupernodal* factor = fil_supernodal_create();
    RandomBlocks *a, *c;
    make_parts(&random, &a, &c);
    random_blocks_make_definite(a, c);
    assert_int_equal(fil_supernodal_analyze(factor, &a->pattern, &c->pattern, NULL), FIL_OK);
    assert_true(fil_supernodal_factor(factor, a->values, c->values));
    assert_int_equal(fil_supernodal_info(factor).changing, MAX_COLUMNS / 4);
    for (int k = 0; k < 16 * c->start[MAX_COLUMNS]; k++) {
        c->values[k] *= 0.5;
    }
    double x[MAX_N], y[MAX_N], z[MAX_N];
    for (int k = 0; k < MAX_N; k++) {
        x[k] = y[k] = random_between(&random, -1.0, 1.0);
        z[4 * fil_supernodal_pivots(factor)[k / 4] + k % 4] = x[k];
    }
    assert_true(fil_supernodal_factor_changing(factor, a->values, c->values));
    fil_supernodal_solve(factor, x);
    assert_true(fil_supernodal_factor(factor, a->values, c->values));
    fil_supernodal_solve(factor, y);
    assert_memory_equal(x, y, sizeof x);
    fil_supernodal_eliminate_fixed(factor, z);
    fil_supernodal_solve_changing(factor, z);
    fil_supernodal_substitute_fixed(factor, z);
    for (int p = 0; p < MAX_COLUMNS; p++) {
        assert_memory_equal(z + 4 * p, y + 4 * fil_supernodal_variables(factor)[p], 4 * sizeof *z);
    }
    fil_supernodal_destroy(factor);
    free(a);
    free(c);
}

/* S of the fixed part's factor: S x_p = b_p - A_pn A_nn^-1 b_n gives the x_p of the whole system. */
static void schur_complement(void** state)
{
    (void)state;
    Random random = {4};
    FilSupernodal* factor = fil_supernodal_create();
    for (int trial = 0; trial < 4; trial++) {
        RandomBlocks *a, *c;
        unsigned char used[MAX_COLUMNS];
        make_parts(&random, &a, &c);
        random_blocks_make_definite(a, NULL);
        if (trial % 2 == 1) {
            leave_out(&random, a, used);
        }
        assert_int_equal(fil_supernodal_analyze(factor, &a->pattern, &c->pattern, trial % 2 == 1 ? used : NULL), FIL_OK);
        assert_true(fil_supernodal_factor_fixed(factor, a->values));
        const int first = fil_supernodal_first_changing(factor), n = 4 * (MAX_COLUMNS - first);
        double x[MAX_N], z[MAX_N];
        for (int k = 0; k < MAX_N; k++) {
            x[k] = random_between(&random, -1.0, 1.0);
            z[4 * fil_supernodal_pivots(factor)[k / 4] + k % 4] = x[k];
        }
        assert_true(solve_dense(x, MAX_N));
        fil_supernodal_eliminate_fixed(factor, z);
        fil_supernodal_schur(factor, &a->pattern, a->values, random_blocks_dense);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                assert_true(random_blocks_dense[i * n + j] == random_blocks_dense[j * n + i]);
            }
        }
        assert_true(solve_dense(z + 4 * first, n));
        for (int p = first; p < MAX_COLUMNS; p++) {
            for (int d = 0; d < 4; d++) {
                assert_true(fabs(z[4 * p + d] - x[4 * fil_supernodal_variables(factor)[p] + d]) <= 1e-12);
            }
        }
        free(a);
        free(c);
    }
    fil_supernodal_destroy(factor);
}

/* A smaller pattern is bound to an old analysis; one outside it is refused, and so is one of another size. */
static void bind(void** state)
{
    (void)state;
    Random random = {5};
    FilSupernodal* factor = fil_supernodal_create();
    RandomBlocks* a = random_blocks(&random, 40, 0.0, true);
    RandomBlocks* c = random_blocks(&random, 40, 0.05, true);
    assert_int_equal(fil_supernodal_analyze(factor, &a->pattern, &c->pattern, NULL), FIL_OK);
    RandomBlocks* less = random_blocks_fewer(c);
    random_blocks_make_definite(a, less);
    bool fits = false;
    assert_int_equal(fil_supernodal_bind(factor, &a->pattern, &less->pattern, &fits), FIL_OK);
    assert_true(fits);
    assert_true(fil_supernodal_factor(factor, a->values, less->values));
    check_solution(factor, &random, 160);
    RandomBlocks* full = random_blocks(&random, 40, 1.0, true);
    assert_int_equal(fil_supernodal_bind(factor, &a->pattern, &full->pattern, &fits), FIL_OK);
    assert_false(fits);
    RandomBlocks* other = random_blocks(&random, 41, 0.0, true);
    assert_int_equal(fil_supernodal_bind(factor, &other->pattern, NULL, &fits), FIL_OK);
    assert_false(fits);
    fil_supernodal_destroy(factor);
    free(a);
    free(c);
    free(less);
    free(full);
    free(other);
}

/* Matrices that are just not positive definite, in any column, are distinguished from those that just are. */
static void definiteness(void** state)
{
    (void)state;
    Random random = {6};
    FilSupernodal* factor = fil_supernodal_create();
    for (int trial = 0; trial < 40; trial++) {
        const int columns = 1 + (int)(random_bits(&random) % 20);
        RandomBlocks* a = random_blocks(&random, columns, 0.3, true);
        random_blocks_make_definite(a, NULL);
        assert_int_equal(fil_supernodal_analyze(factor, &a->pattern, NULL, NULL), FIL_OK);
        // lowering entry (r, r) by t is singular at t = 1/(A^-1)_rr
        const int column = (int)(random_bits(&random) % (uint64_t)columns), d = (int)(random_bits(&random) % 4);
        double x[MAX_N] = {0};
        x[4 * column + d] = 1.0;
        assert_true(fil_supernodal_factor(factor, a->values, NULL));
        fil_supernodal_solve(factor, x);
        const double singular = 1.0 / x[4 * column + d];
        double* pivot = random_blocks_pivot(a, column, d);
        const double bad[] = {*pivot - singular * (1.0 + 1e-9), 0.0, -1.0, NAN, INFINITY, -INFINITY};
        const double good[] = {*pivot - singular * (1.0 - 1e-9), *pivot};
        for (int b = 0; b < 6; b++) {
            *pivot = bad[b];
            assert_false(fil_supernodal_factor(factor, a->values, NULL));
        }
        for (int b = 0; b < 2; b++) {
            *pivot = good[b];
            assert_true(fil_supernodal_factor(factor, a->values, NULL));
        }
        free(a);
    }
    fil_supernodal_destroy(factor);
}

/* ---- a grid of vertices, large enough to be dissected, with three unknowns each and some vertices held ---- */

enum { SIDE = 9, VERTICES = SIDE * SIDE * SIDE, SIDES = 5 };

typedef struct Grid {
    FilBlockPattern pattern;
    int start[VERTICES + 1], row[4 * VERTICES];
    double values[16 * 4 * VERTICES], b[4 * VERTICES], scratch[8 * VERTICES];
    unsigned char used[VERTICES];
} Grid;

static Grid* make_grid(void)
{
    Grid* g = calloc(1, sizeof *g);
    Random random = {7};
    int end = 0;
    g->pattern = (FilBlockPattern){VERTICES, g->start, g->row};
    for (int j = 0; j < VERTICES; j++) {
        const int at[3] = {j % SIDE, j / SIDE % SIDE, j / SIDE / SIDE}, step[3] = {1, SIDE, SIDE * SIDE};
        const bool held = j % 50 == 0;
        g->row[end++] = j;
        for (int d = 0; d < 4; d++) {
            g->values[16 * (end - 1) + 5 * d] = held || d == 3 ? 1.0 : 7.0;
            g->b[4 * j + d] = held || d == 3 ? 0.0 : random_between(&random, -1.0, 1.0);
        }
        for (int k = 0; k < 3; k++) {
            if (at[k] + 1 < SIDE) {
                g->row[end++] = j + step[k];
                for (int d = 0; d < 3 && !held && g->row[end - 1] % 50 != 0; d++) {
                    g->values[16 * (end - 1) + 5 * d] = -1.0;
                    g->values[16 * (end - 1) + 4 * d + (d + 1) % 3] = 0.1;
                }
            }
        }
        g->start[j + 1] = end;
    }
    return g;
}

/* Dissected, right, repeatable, without a heap call; refined; and many right sides as one by one. */
static void grid(void** state)
{
    (void)state;
    Grid* g = make_grid();
    FilSupernodal* factor = fil_supernodal_create();
    fil_supernodal_find_used(&g->pattern, g->values, g->used);
    assert_int_equal(g->used[0], 0);
    assert_int_equal(g->used[1], 7);
    assert_int_equal(fil_supernodal_analyze(factor, &g->pattern, NULL, g->used), FIL_OK);
    assert_true(fil_supernodal_info(factor).dissected);
    assert_true(fil_supernodal_info(factor).tasks > 4);
    static double x[SIDES][4 * VERTICES], y[4 * VERTICES], first[4 * VERTICES];
    memcpy(first, g->b, sizeof first);
    heap_calls = 0;
    assert_true(fil_supernodal_factor(factor, g->values, NULL));
    fil_supernodal_solve(factor, first);
    assert_int_equal(heap_calls, 0);
    memcpy(y, first, sizeof y);
    const double error = fil_supernodal_refine(factor, &g->pattern, g->values, NULL, NULL, g->b, y, 0.0, 0, g->scratch);
    assert_true(error <= 1e-13);
    // a start that is off is mended in two iterations
    for (int k = 0; k < 4 * VERTICES; k++) {
        y[k] *= 1.001;
    }
    assert_true(fil_supernodal_refine(factor, &g->pattern, g->values, NULL, NULL, g->b, y, 0.0, 3, g->scratch) <= error);

    // another factor of the same matrix, and many right sides
    FilSupernodal* other = fil_supernodal_create();
    assert_int_equal(fil_supernodal_analyze(other, &g->pattern, NULL, g->used), FIL_OK);
    assert_true(fil_supernodal_factor(other, g->values, NULL));
    for (int b = 0; b < SIDES; b++) {
        for (int k = 0; k < 4 * VERTICES; k++) {
            x[b][k] = g->b[k] * (b + 1);
        }
    }
    assert_true(fil_supernodal_solve_many(other, x[0], 4 * VERTICES, SIDES));
    assert_memory_equal(x[0], first, sizeof first);
    memcpy(y, g->b, sizeof y);
    for (int k = 0; k < 4 * VERTICES; k++) {
        y[k] *= 4.0;
    }
    fil_supernodal_solve(factor, y);
    assert_memory_equal(x[3], y, sizeof y);
    fil_supernodal_destroy(other);
    fil_supernodal_destroy(factor);
    free(g);
}

/* L in single precision solves to its rounding, refinement on top of it to that of double; and back to double without a trace. */
static void single_precision(void** state)
{
    (void)state;
    Grid* g = make_grid();
    FilSupernodal* factor = fil_supernodal_create();
    static double x[4 * VERTICES], y[4 * VERTICES], again[4 * VERTICES];
    fil_supernodal_find_used(&g->pattern, g->values, g->used);
    assert_int_equal(fil_supernodal_analyze(factor, &g->pattern, NULL, g->used), FIL_OK);
    assert_true(fil_supernodal_factor(factor, g->values, NULL));
    memcpy(x, g->b, sizeof x);
    fil_supernodal_solve(factor, x);
    heap_calls = 0;
    fil_supernodal_set_single(factor, true);
    assert_true(fil_supernodal_factor(factor, g->values, NULL));
    memcpy(y, g->b, sizeof y);
    fil_supernodal_solve(factor, y);
    double off = 0.0, size = 0.0;
    for (int k = 0; k < 4 * VERTICES; k++) {
        off = fmax(off, fabs(y[k] - x[k]));
        size = fmax(size, fabs(x[k]));
    }
    assert_true(off > 1e-12 * size && off < 1e-3 * size);  // 6e-8 times the condition, which is below 1e4
    assert_true(fil_supernodal_refine(factor, &g->pattern, g->values, NULL, NULL, g->b, y, 1e-13, 10, g->scratch) <= 1e-13);
    fil_supernodal_set_single(factor, false);
    assert_true(fil_supernodal_factor(factor, g->values, NULL));
    memcpy(again, g->b, sizeof again);
    fil_supernodal_solve(factor, again);
    assert_memory_equal(again, x, sizeof x);
    assert_int_equal(heap_calls, 0);
    fil_supernodal_destroy(factor);
    free(g);
}

/* Workers share tasks and fronts: the same bits as without them, in both precisions, and nothing is allocated once there is room. */
static void shared_by_workers(void** state)
{
    (void)state;
    Grid* g = make_grid();
    static double x[4 * VERTICES], y[4 * VERTICES];
    fil_supernodal_find_used(&g->pattern, g->values, g->used);
    for (int threads = 2; threads <= 4; threads++) {
        FilSupernodal* factor = fil_supernodal_create();
        FilWorkers* workers = fil_workers_create(threads);
        assert_int_equal(fil_supernodal_analyze(factor, &g->pattern, NULL, g->used), FIL_OK);
        assert_in_range(factor->crown[0].branches, 2, FIL_MAX_BRANCHES);
        for (int single = 0; single < 2; single++) {
            fil_supernodal_set_single(factor, single);
            fil_supernodal_set_workers(factor, NULL);
            assert_true(fil_supernodal_factor(factor, g->values, NULL));
            memcpy(x, g->b, sizeof x);
            fil_supernodal_solve(factor, x);
            fil_supernodal_set_workers(factor, workers);
            heap_calls = 0;
            assert_true(fil_supernodal_factor(factor, g->values, NULL));
            memcpy(y, g->b, sizeof y);
            fil_supernodal_solve(factor, y);
            assert_int_equal(heap_calls, 0);
            assert_memory_equal(x, y, sizeof x);
        }
        for (int turn = 0; turn < 2; turn++) {  // whoever finds a pivot that is negative, the factor fails
            for (int k = 0; k < FIL_BLOCK_SIZE * g->pattern.start[g->pattern.columns]; k++) {
                g->values[k] = -g->values[k];
            }
            assert_int_equal(fil_supernodal_factor(factor, g->values, NULL), turn == 1);
        }
        fil_supernodal_destroy(factor);
        fil_workers_destroy(workers);
    }
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns),
        cmocka_unit_test(odd_shapes),
        cmocka_unit_test(changing_columns),
        cmocka_unit_test(schur_complement),
        cmocka_unit_test(bind),
        cmocka_unit_test(definiteness),
        cmocka_unit_test(grid),
        cmocka_unit_test(single_precision),
        cmocka_unit_test(shared_by_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
