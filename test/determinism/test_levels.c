/* Kernels that are built for several levels of vectors (base/vector.h) give the same bits at each that this processor has. A level is chosen once in
 * a process, so that each is a process of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "base/vector.h"
#include "body/shell.h"
#include "body/solid_batch.h"
#include "contact/imc.h"
#include "geometry/bvh.h"
#include "linalg/block_cholesky_data.h"
#include "linalg/block_factor.h"
#include "linalg/block_preconditioner.h"
#include "linalg/dense.h"
#include "linalg/single_rows.h"
#include "linalg/supernodal.h"
#include "random_blocks.h"
#include "random_matrix.h"
#include "run_system.h"
#include "sap_problems.h"
#include "solid_material.h"

/* Writes what it finds. */
typedef void Job(FILE* out);

static void put(FILE* out, const void* numbers, size_t bytes)
{
    if (fwrite(numbers, 1, bytes, out) != bytes) {
        abort();
    }
}

/* How a process ends whose processor lacks its level: unlike any failure. */
enum { LACKING = 77 };

/* What a job writes at a level, or NULL where the processor lacks it. */
static char* run_at(FilVectorLevel level, Job* job, size_t* size)
{
    FILE* out = tmpfile();
    int ended;
    assert_non_null(out);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("FILUM_VECTORS", fil_vector_level_name(level), 1);
        const bool has = fil_vector_level() == level;
        if (has) {
            job(out);
        }
        _exit(fflush(out) != 0 ? 1 : has ? 0 : LACKING);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && (WEXITSTATUS(ended) == 0 || WEXITSTATUS(ended) == LACKING));
    assert_int_equal(fseek(out, 0, SEEK_END), 0);
    const long bytes = ftell(out);
    assert_true(bytes >= 0);
    rewind(out);
    char* results = WEXITSTATUS(ended) == 0 ? malloc((size_t)bytes + 1) : NULL;
    assert_true(results == NULL || fread(results, 1, (size_t)bytes, out) == (size_t)bytes);
    *size = (size_t)bytes;
    fclose(out);
    return results;
}

static void compare(Job* job)
{
    size_t size, other;
    int compared = 0;
    char* plain = run_at(FIL_VECTOR_128, job, &size);
    assert_non_null(plain);
    assert_true(size > 1000);
    for (FilVectorLevel level = FIL_VECTOR_256; level < FIL_VECTOR_LEVEL_COUNT; level++) {
        char* wide = run_at(level, job, &other);
        if (wide != NULL) {
            assert_int_equal(other, size);
            assert_memory_equal(wide, plain, size);
            compared++;
        }
        free(wide);
    }
    free(plain);
    if (compared == 0) {
        print_message("this processor has one level only: nothing to compare\n");
        skip();
    }
}

/* ---- linalg ---- */

enum { MAX_ROWS = 23 };

/* All sizes up to MAX_ROWS, so that every remainder of four and eight is among them. */
static void dense_job(FILE* out)
{
    Random random = {21};
    static double a[MAX_ROWS * MAX_ROWS], b[MAX_ROWS * MAX_ROWS], c[MAX_ROWS * MAX_ROWS];
    for (int n = 1; n <= MAX_ROWS; n++) {
        for (int inner = 1; inner <= 9; inner++) {
            random_fill(&random, a, MAX_ROWS * MAX_ROWS);
            random_fill(&random, b, MAX_ROWS * MAX_ROWS);
            random_fill(&random, c, MAX_ROWS * MAX_ROWS);
            fil_dense_multiply(n, 1 + inner % 3, inner, a, MAX_ROWS, b, MAX_ROWS, c, MAX_ROWS);
            put(out, c, sizeof c);
        }
        int pivots[MAX_ROWS];
        random_fill(&random, a, n * n);
        random_fill(&random, b, 3 * n);
        put(out, &(char){fil_dense_lu(n, a, pivots)}, 1);
        fil_dense_lu_solve(n, a, pivots, 3, b);
        put(out, b, 3 * (size_t)n * sizeof *b);
        random_fill(&random, a, n * n);
        for (int k = 0; k < n; k++) {
            a[k * n + k] += 2.0 * n;
        }
        random_fill(&random, b, 3 * n);
        put(out, &(char){fil_dense_cholesky(n, a)}, 1);
        fil_dense_cholesky_solve(n, a, 3, b);
        put(out, b, 3 * (size_t)n * sizeof *b);
    }
}

static void dense(void** state)
{
    (void)state;
    compare(dense_job);
}

/* Of one to MAX_COLUMNS columns, of the same matrices for both sparse factors. Some numbers are zeros of either sign, as where bodies do not meet. */
static void make_matrices(Random* random, int trial, RandomBlocks** a, RandomBlocks** c)
{
    const int columns = 1 + trial % MAX_COLUMNS;
    *a = random_blocks(random, columns, 0.02 + 0.005 * (trial % 20), true);
    *c = random_blocks(random, columns, 0.05, false);
    random_blocks_make_definite(*a, *c);
    for (int j = 0; j < columns; j++) {
        for (int k = (*a)->start[j]; k < (*a)->start[j + 1]; k++) {
            for (int e = 0; e < FIL_BLOCK_SIZE && (*a)->row[k] != j; e++) {
                if (random_bits(random) % 3 == 0) {
                    (*a)->values[FIL_BLOCK_SIZE * k + e] = copysign(0.0, random_between(random, -1.0, 1.0));
                }
            }
        }
    }
}

static void columns_job(FILE* out)
{
    Random random = {22};
    double x[MAX_N];
    for (int trial = 0; trial < 2 * MAX_COLUMNS; trial++) {
        RandomBlocks *a, *c;
        make_matrices(&random, trial, &a, &c);
        FilBlockCholesky* factor = fil_block_cholesky_create();
        if (factor == NULL || fil_block_cholesky_analyze(factor, &a->pattern, &c->pattern) != FIL_OK ||
            !fil_block_cholesky_factor(factor, a->values, c->values)) {
            abort();
        }
        random_fill(&random, x, 4 * a->pattern.columns);
        fil_block_cholesky_solve(factor, x);
        put(out, factor->inverse.at, FIL_BLOCK_SIZE * (size_t)a->pattern.columns * sizeof(double));
        for (int j = 0; j < a->pattern.columns; j++) {  // below the diagonal
            const int *start = factor->symbolic.column_start.at + j, first = start[0] + 1, end = start[1];
            put(out, factor->factor.at + FIL_BLOCK_SIZE * (size_t)first, FIL_BLOCK_SIZE * (size_t)(end - first) * sizeof(double));
        }
        put(out, x, 4 * (size_t)a->pattern.columns * sizeof *x);
        fil_block_cholesky_destroy(factor);
        free(a);
        free(c);
    }
}

static void columns_of_blocks(void** state)
{
    (void)state;
    compare(columns_job);
}

/* Runs of all lengths, of rods that go either way, side by side: what they leave, and solutions. */
static void runs_job(FILE* out)
{
    Random random = {27};
    double v[RUN_NUMBERS], x[RUN_NUMBERS], product[RUN_NUMBERS];
    FilBlockFactor factor;
    if (!fil_block_factor_init(&factor)) {
        abort();
    }
    for (int trial = 1; trial <= 60; trial++) {
        RunSystem* s = run_system((uint64_t)trial, 0.005 * trial);
        if (fil_block_factor_analyze(&factor, &s->a_pattern, &s->c_pattern) != FIL_OK || !factor.condensed) {
            abort();
        }
        random_fill(&random, x, RUN_NUMBERS);
        random_fill(&random, v, RUN_NUMBERS);
        if (!fil_block_factor_fixed_along(&factor, s->a, &(FilBlockRunsAlong){v, product, x}) || !fil_block_factor_changing(&factor, s->a, s->c)) {
            abort();
        }
        put(out, fil_block_factor_pivots(&factor), RUN_COLUMNS * sizeof(int));
        put(out, factor.runs.values.at, FIL_BLOCK_SIZE * (size_t)factor.runs.a.start[factor.runs.a.columns] * sizeof(double));
        put(out, product, sizeof product);
        put(out, x, sizeof x);
        fil_block_factor_eliminate_fixed(&factor, v);
        fil_block_factor_solve_changing(&factor, v);
        fil_block_factor_substitute_fixed(&factor, v);
        put(out, v, sizeof v);
        free(s);
    }
    fil_block_factor_free(&factor);
}

static void runs(void** state)
{
    (void)state;
    compare(runs_job);
}

static void fronts_job(FILE* out)
{
    Random random = {23};
    double x[MAX_N];
    unsigned char used[MAX_COLUMNS];
    for (int trial = 0; trial < 2 * MAX_COLUMNS; trial++) {
        RandomBlocks *a, *c;
        for (int v = 0; v < MAX_COLUMNS; v++) {
            used[v] = v % 3 == trial % 3 ? 7 : 15;  // fronts of odd and of even sizes
        }
        make_matrices(&random, trial, &a, &c);
        FilSupernodal* factor = fil_supernodal_create();
        if (factor == NULL || fil_supernodal_analyze(factor, &a->pattern, &c->pattern, used) != FIL_OK) {
            abort();
        }
        for (int single = 0; single < 2; single++) {
            fil_supernodal_set_single(factor, single == 1);
            if (!fil_supernodal_factor(factor, a->values, c->values)) {
                abort();
            }
            random_fill(&random, x, 4 * a->pattern.columns);
            fil_supernodal_solve(factor, x);
            put(out, x, 4 * (size_t)a->pattern.columns * sizeof *x);
        }
        fil_supernodal_destroy(factor);
        free(a);
        free(c);
    }
}

static void fronts(void** state)
{
    (void)state;
    compare(fronts_job);
}

/* The factor in single precision of fixed and changing columns, thin ones and whole ones, and solutions with it. */
static void preconditioner_job(FILE* out)
{
    Random random = {26};
    double b[MAX_N], x[MAX_N];
    FilBlockPreconditioner precond = {0};
    for (int trial = 0; trial < 4 * MAX_COLUMNS; trial++) {
        RandomBlocks *a, *f;
        make_matrices(&random, trial / 2, &a, &f);
        if (trial % 2 == 0) {
            random_blocks_make_thin(a, true);
            random_blocks_make_thin(f, false);
            random_blocks_make_definite(a, f);
        }
        int number[MAX_BLOCKS];
        for (int k = 0; k < a->start[a->pattern.columns]; k++) {
            number[k] = k;
        }
        const FilBlockPattern* const terms[FIL_BLOCK_TERMS] = {&a->pattern, NULL, &f->pattern};
        const FilBlockPreconditionerValues values = {.a = a->values};
        if (fil_block_preconditioner_analyze(&precond, terms, number, true) != FIL_OK ||
            !fil_block_preconditioner_factor_fixed(&precond, true, &values) || !fil_block_preconditioner_factor_changing(&precond, NULL, f->values)) {
            abort();
        }
        random_fill(&random, b, 4 * a->pattern.columns);
        fil_block_preconditioner_solve(&precond, NULL, b, x);
        const size_t block = precond.thin ? 12 : FIL_BLOCK_SIZE;
        for (int j = 0; j < a->pattern.columns; j++) {  // below the diagonal
            const int *start = precond.symbolic.column_start.at + j, first = start[0] + 1, end = start[1];
            put(out, precond.factor.at + block * (size_t)first, block * (size_t)(end - first) * sizeof(float));
        }
        put(out, precond.inverse.at, block * (size_t)a->pattern.columns * sizeof(float));
        put(out, x, 4 * (size_t)a->pattern.columns * sizeof *x);
        free(a);
        free(f);
    }
    fil_block_preconditioner_free(&precond);
}

static void preconditioner(void** state)
{
    (void)state;
    compare(preconditioner_job);
}

/* Products by rows, of three numbers and of four. */
static void rows_job(FILE* out)
{
    Random random = {27};
    FilSingleRows first = {0}, second = {0};
    for (int trial = 0; trial < 2 * MAX_COLUMNS; trial++) {
        RandomBlocks *a, *c;
        int fourth[MAX_COLUMNS];
        double numbers[MAX_N];
        float z[MAX_N], w[MAX_N] = {0.0F};
        make_matrices(&random, trial, &a, &c);
        const int n = a->pattern.columns;
        for (int i = 0; i < n; i++) {
            fourth[i] = trial % 3 == 0 ? 0 : trial % 3 == 1 ? 1 : (int)(random_bits(&random) % 5 == 0);
        }
        if (trial % 3 == 0) {
            random_blocks_make_thin(a, true);
            random_blocks_make_thin(c, false);
        }
        random_fill(&random, numbers, 4 * n);
        for (int k = 0; k < 4 * n; k++) {
            z[k] = k % 4 < 3 || fourth[k / 4] ? (float)numbers[k] : 0.0F;
        }
        if (!fil_single_rows_find(&first, &a->pattern, 1, fourth) || !fil_single_rows_find(&second, &c->pattern, 1, fourth)) {
            abort();
        }
        const double *a_values = a->values, *c_values = c->values;
        (void)!fil_single_rows_take(&first, NULL, &a->pattern, &a_values, 1, fourth);  // of some the fourth places do not fit, and are left out
        (void)!fil_single_rows_take(&second, NULL, &c->pattern, &c_values, 1, fourth);
        const float both = fil_single_rows_times(&first, &second, 0, n, z, w);
        put(out, &both, sizeof both);
        put(out, w, sizeof w);
        const float one = fil_single_rows_times(&first, NULL, n / 3, n, z, w);
        put(out, &one, sizeof one);
        put(out, w, sizeof w);
        free(a);
        free(c);
    }
    fil_single_rows_free(&first);
    fil_single_rows_free(&second);
}

static void rows(void** state)
{
    (void)state;
    compare(rows_job);
}

/* ---- contact ---- */

static void sap_job(FILE* out)
{
    Random random = {28};
    for (int trial = 0; trial < 40; trial++) {
        SapFixture* f = random_problem(&random, trial % 2 == 0 ? FIL_SAP_CONTACT : FIL_SAP_LAGGED_CONTACT, 3 * trial);
        const FilSapOptions settings = fil_sap_options_default();
        FilSapStats stats;
        FilSap* sap = fil_sap_create();
        if (sap == NULL || fil_sap_solve(sap, &f->problem, &settings, f->v, f->impulse, &stats) != FIL_OK) {
            abort();
        }
        put(out, f->v, sizeof f->v);
        put(out, f->impulse, sizeof f->impulse);
        fil_sap_destroy(sap);
        free(f);
    }
}

static void sap(void** state)
{
    (void)state;
    compare(sap_job);
}

/* ---- elements of solids ---- */

/* Elements that share no vertex, deformed by any kind of matrix, for every law. */
static void solids_job(FILE* out)
{
    Random random = {24};
    for (int round = 0; round < 4 * MATRIX_KINDS; round++) {
        for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
            const FilSolidMaterial m = material_of(model);
            FilSolidElement elements[FIL_SOLID_LANES];
            FilSolidBatch batch;
            FilSolidBatchStrain strain = {.kept = 0.8};
            FilSolidBatchResult result, alone;
            FilDouble4 theta, rotation[9];
            double positions[16 * FIL_SOLID_LANES], rest[12], f[9];
            int tets[4 * FIL_SOLID_LANES];
            for (int e = 0; e < FIL_SOLID_LANES; e++) {
                const double* corners[4] = {rest, rest + 3, rest + 6, rest + 9};
                do {
                    random_fill(&random, rest, 12);
                } while (!fil_solid_element_make(corners, &elements[e]) || elements[e].volume < 0.05);
                random_matrix(&random, (round + e * (round % 3)) % MATRIX_KINDS, f);
                for (int k = 0; k < 4; k++) {
                    tets[4 * e + k] = 4 * e + k;
                    fil_m3_apply(positions + 4 * (4 * e + k), f, rest + 3 * k);
                }
                random_rotation(&random, f);
                for (int k = 0; k < 9; k++) {
                    fil_double4_set(&strain.rotation[k], e, f[k]);
                }
                fil_double4_set(&strain.pressure, e, 0.1 * e);
            }
            fil_solid_batch_make(elements, tets, 1 + round % FIL_SOLID_LANES, &batch);
            memset(&result, 0, sizeof result);
            memset(&alone, 0, sizeof alone);
            fil_solid_batch_evaluate(&batch, &m, positions, 4, &strain, true, round % 2 == 0, 0.7, &result);
            fil_solid_batch_evaluate(&batch, &m, positions, 4, &strain, false, false, 1.0, &alone);
            fil_solid_batch_dilation(&batch, &m, positions, 4, strain.rotation, &theta);
            fil_solid_batch_rotation(&batch, positions, 4, rotation);
            put(out, &result, sizeof result);
            put(out, &alone, sizeof alone);
            put(out, &theta, sizeof theta);
            put(out, rotation, sizeof rotation);
        }
    }
}

static void solids(void** state)
{
    (void)state;
    compare(solids_job);
}

/* ---- shells ---- */

/* A bent sheet: edges and folds, and the tangent by blocks, in which all folds are heavy, some or none. */
static void shells_job(FILE* out)
{
    enum { SIDE = 6, VERTICES = SIDE * SIDE, CELLS = (SIDE - 1) * (SIDE - 1) };
    Random random = {29};
    double x[3 * VERTICES], q[4 * VERTICES] = {0.0};
    int triangles[6 * CELLS], count = 0;
    for (int k = 0; k < CELLS; k++) {
        const int a = k / (SIDE - 1) * SIDE + k % (SIDE - 1), corners[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
        memcpy(triangles + 3 * count, corners, sizeof corners);
        count += 2;
    }
    for (int i = 0; i < VERTICES; i++) {
        fil_v3_set(x + 3 * i, i % SIDE, (double)(i / SIDE), 0.0);
    }
    FilShellDef def = fil_shell_def_default();
    FilShellBody* body;
    FilError error;
    def.vertex_count = VERTICES;
    def.vertices = x;
    def.triangle_count = count;
    def.triangles = triangles;
    def.thickness = 0.1;
    def.young = 10.0;
    def.density = 1.0;
    if (fil_shell_create(&def, &body, &error) != FIL_OK || body->fold_count <= FIL_SHELL_HEAVY || body->damping != NULL) {
        abort();
    }
    const size_t size = FIL_BLOCK_SIZE * (size_t)body->block_count;
    double* values = calloc(2 * size, sizeof *values);
    if (values == NULL) {
        abort();
    }
    for (int trial = 0; trial < 20; trial++) {
        for (int i = 0; i < VERTICES; i++) {
            for (int k = 0; k < 3; k++) {
                q[4 * i + k] = x[3 * i + k] + random_between(&random, -0.4, 0.4);
            }
        }
        fil_shell_edges_pull(body->edges, body->edge_count, q, body->pulls);
        fil_shell_folds_bend(body->folds, body->fold_count, body->bending, q, body->bends);
        put(out, body->pulls, sizeof *body->pulls * (size_t)body->edge_count);
        put(out, body->bends, sizeof *body->bends * (size_t)body->fold_count);
        // the lighter a fold is to mass, the more of them are; the second half of `values` is what damps
        body->setup.frugal = true;
        const double scale = 0.1 * (1 << trial % 8);
        fil_shell_stiffen(&(FilShellStiffening){body, q, 0.5, scale, trial % 2 == 0 ? NULL : values + size, 0.3, values, trial % 3 == 0 ? 0.0 : 2.0});
        put(out, values, size * sizeof *values);
        memcpy(values + size, values, size * sizeof *values);
    }
    free(values);
    fil_shell_ops.destroy(body);
}

static void shells(void** state)
{
    (void)state;
    compare(shells_job);
}

/* ---- trees ---- */

static void walks_job(FILE* out)
{
    enum { BOXES = 300 };
    Random random = {30};
    FilBvh trees[2] = {{0}};
    FilPairs pairs = {0};
    for (int trial = 0; trial < 30; trial++) {
        int marks[2][BOXES];
        for (int t = 0; t < 2; t++) {
            FilAabb boxes[BOXES];
            const int count = 1 + (int)(random_bits(&random) % BOXES);
            for (int i = 0; i < count; i++) {
                for (int k = 0; k < 3; k++) {
                    boxes[i].lo[k] = random_between(&random, 0.0, 1.0);
                    boxes[i].hi[k] = boxes[i].lo[k] + random_between(&random, 0.0, 0.3);
                }
                marks[t][i] = trial % 3 == 0 || random_bits(&random) % 3 == 0;
            }
            if (fil_bvh_build(&trees[t], boxes, count) != FIL_OK) {
                abort();
            }
            fil_bvh_mark(&trees[t], marks[t]);
        }
        pairs.count = 0;
        if (fil_bvh_pairs(&trees[0], &trees[1], &pairs) != FIL_OK || fil_bvh_self_pairs(&trees[0], &pairs) != FIL_OK) {
            abort();
        }
        put(out, pairs.items, sizeof *pairs.items * (size_t)pairs.count);
    }
    fil_bvh_free(&trees[0]);
    fil_bvh_free(&trees[1]);
    fil_pairs_free(&pairs);
}

static void walks(void** state)
{
    (void)state;
    compare(walks_job);
}

/* ---- pairs of edges ---- */

static void edges_job(FILE* out)
{
    const double radius = 1.6e-3;
    Random random = {25};
    FilImcSettings settings = fil_imc_settings_default();
    settings.friction = FIL_IMC_SLIDING;  // static friction is found one by one
    const FilPotentialProblem problem = {.dt = 5e-4, .gravity = 9.81, .settings = &settings, .soft = fil_soft_clamp(settings.smoothing)};
    for (int trial = 0; trial < 500; trial++) {
        FilPotentialEdges e;
        FilSmoothWide d;
        FilDouble4 x[12], gradient[12];
        memset(&e, 0, sizeof e);
        e.count = FIL_DOUBLE4_COUNT;
        for (int lane = 0; lane < FIL_DOUBLE4_COUNT; lane++) {
            e.stiffness[lane] = random_between(&random, 1.0, 1e5);
            e.radius[lane] = radius;
            e.thickness[lane] = 2.0 * radius;
            e.start[lane] = random_between(&random, -0.1 * radius, radius);
            e.ahead[lane] = random_between(&random, 0.0, 3.0);
            for (int k = 0; k < 12; k++) {
                e.push[k % 3][lane] = random_between(&random, -0.3, 0.3);
                fil_double4_set(&x[k], lane, random_between(&random, -1.0, 1.0) * radius * (trial % 2 == 0 ? 2.0 : 20.0));
            }
        }
        fil_smooth_distance_wide(x, &problem.soft, &d);
        fil_smooth_wide_gradient(&d, gradient);
        fil_imc_pair.evaluate_edges(&problem, x, &e);
        put(out, &d, sizeof d);
        put(out, gradient, sizeof gradient);
        put(out, e.energy, sizeof e.energy);
        put(out, e.gradient, sizeof e.gradient);
        put(out, e.slope, sizeof e.slope);
        put(out, e.second, sizeof e.second);
    }
}

static void edges(void** state)
{
    (void)state;
    compare(edges_job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense),  cmocka_unit_test(columns_of_blocks),
        cmocka_unit_test(fronts), cmocka_unit_test(preconditioner),
        cmocka_unit_test(runs),   cmocka_unit_test(rows),
        cmocka_unit_test(sap),    cmocka_unit_test(shells),
        cmocka_unit_test(walks),  cmocka_unit_test(solids),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
