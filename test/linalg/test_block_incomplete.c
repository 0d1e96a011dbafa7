/* The incomplete factor: exact where nothing fills, a preconditioner where something does, and said to be none where it breaks down. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/block_incomplete.h"

enum { COLUMNS = 90, MAX_BLOCKS = 6 * COLUMNS };

typedef struct Matrix {
    int start[COLUMNS + 1], row[MAX_BLOCKS];
    double values[FIL_BLOCK_SIZE * MAX_BLOCKS];
    FilBlockPattern pattern;
} Matrix;

static void add_block(Matrix* matrix, int* end, int row, double diagonal, double beside)
{
    matrix->row[*end] = row;
    for (int k = 0; k < FIL_BLOCK_SIZE; k++) {
        matrix->values[FIL_BLOCK_SIZE * *end + k] = k % 5 == 0 ? diagonal + 0.1 * k : beside * sin(1.0 + k + *end);
    }
    ++*end;
}

/* Columns joined with the next two; where `bridge` rows of the end with rows of the beginning, too, which fills. */
static Matrix* make_matrix(double diagonal, int bridge)
{
    Matrix* matrix = calloc(1, sizeof *matrix);
    int end = 0;
    for (int j = 0; j < COLUMNS; j++) {
        matrix->start[j] = end;
        add_block(matrix, &end, j, diagonal, 0.0);
        for (int k = 1; k <= 2 && j + k < COLUMNS; k++) {
            add_block(matrix, &end, j + k, -0.7, 0.2);
        }
        if (bridge > 0 && j % 3 == 0 && j + bridge < COLUMNS) {
            add_block(matrix, &end, j + bridge, -0.5, 0.2);
        }
    }
    matrix->start[COLUMNS] = end;
    matrix->pattern = (FilBlockPattern){COLUMNS, matrix->start, matrix->row};
    return matrix;
}

/* What one application leaves of r, relative. */
static double left_by(const Matrix* matrix, FilBlockIncomplete* factor, FilWorkers* workers, float* z)
{
    static float vectors[5][FIL_BLOCK * COLUMNS];
    static double x[FIL_BLOCK * COLUMNS], product[FIL_BLOCK * COLUMNS];
    double left = 0.0, all = 0.0;
    memset(vectors, 0, sizeof vectors);
    memset(z, 0, FIL_BLOCK * COLUMNS * sizeof *z);
    for (int k = 0; k < FIL_BLOCK * COLUMNS; k++) {
        vectors[0][k] = sinf(0.7F * (float)k);
    }
    fil_block_incomplete_step(factor, workers,
                              &(FilSingleStep){.r = vectors[0], .z = z, .w = vectors[1], .p = vectors[2], .s = vectors[3], .x = vectors[4]});
    for (int k = 0; k < FIL_BLOCK * COLUMNS; k++) {
        x[k] = (double)z[k];
    }
    fil_block_multiply(&matrix->pattern, matrix->values, x, product);
    for (int k = 0; k < FIL_BLOCK * COLUMNS; k++) {
        const double r = (double)vectors[0][k];
        left += (r - product[k]) * (r - product[k]);
        all += r * r;
    }
    return sqrt(left / all);
}

static FilBlockIncomplete factor_of(const Matrix* matrix)
{
    FilBlockIncomplete factor = {0};
    const int end[] = {COLUMNS, COLUMNS, COLUMNS};
    assert_true(fil_block_incomplete_find(&factor, &matrix->pattern, end));
    assert_true(fil_block_incomplete_factor(&factor, NULL, matrix->values, 0.0));
    return factor;
}

static void is_exact_without_fill(void** state)
{
    (void)state;
    static float z[FIL_BLOCK * COLUMNS];
    Matrix* matrix = make_matrix(4.0, 0);
    FilBlockIncomplete factor = factor_of(matrix);
    assert_true(left_by(matrix, &factor, NULL, z) < 1e-5);
    assert_true(fil_block_incomplete_factor(&factor, NULL, matrix->values, 0.1));
    assert_true(left_by(matrix, &factor, NULL, z) > 1e-2);
    fil_block_incomplete_free(&factor);
    free(matrix);
}

/* What is left out of the fill is missing, and no more than that; a diagonal that is too small for it breaks it down. */
static void is_near_with_fill(void** state)
{
    (void)state;
    static float z[FIL_BLOCK * COLUMNS];
    Matrix* matrix = make_matrix(5.0, 30);
    FilBlockIncomplete factor = factor_of(matrix);
    const double left = left_by(matrix, &factor, NULL, z);
    assert_true(left > 1e-4 && left < 0.2);
    free(matrix);
    matrix = make_matrix(1.0, 30);
    assert_false(fil_block_incomplete_factor(&factor, NULL, matrix->values, 0.0));
    assert_true(fil_block_incomplete_factor(&factor, NULL, matrix->values, 8.0));
    fil_block_incomplete_free(&factor);
    free(matrix);
}

/* Two parts that nothing joins but the third: the same bits, whoever takes them. */
static void parts_may_be_shared(void** state)
{
    (void)state;
    static float first[FIL_BLOCK * COLUMNS], z[FIL_BLOCK * COLUMNS];
    enum { CUT = 40, LAST = COLUMNS - 5 };
    Matrix* whole = make_matrix(5.0, 0);
    Matrix* matrix = calloc(1, sizeof *matrix);
    int count = 0;
    for (int j = 0; j < COLUMNS; j++) {
        matrix->start[j] = count;
        for (int k = whole->start[j]; k < whole->start[j + 1]; k++) {
            if (j >= CUT || whole->row[k] < CUT) {
                matrix->row[count] = whole->row[k];
                memcpy(matrix->values + FIL_BLOCK_SIZE * count++, whole->values + FIL_BLOCK_SIZE * k, FIL_BLOCK_SIZE * sizeof(double));
            }
        }
        if (j < CUT && j % 4 == 0) {
            add_block(matrix, &count, LAST + j % 5, -0.5, 0.1);
        }
    }
    matrix->start[COLUMNS] = count;
    matrix->pattern = (FilBlockPattern){COLUMNS, matrix->start, matrix->row};
    for (int threads = 1; threads <= 3; threads++) {
        FilWorkers* workers = threads > 1 ? fil_workers_create(threads) : NULL;
        FilBlockIncomplete factor = {0};
        const int end[] = {CUT, LAST, COLUMNS};
        assert_true(fil_block_incomplete_find(&factor, &matrix->pattern, end));
        assert_true(fil_block_incomplete_factor(&factor, workers, matrix->values, 0.0));
        assert_true(left_by(matrix, &factor, workers, threads == 1 ? first : z) < 0.05);
        if (threads > 1) {
            assert_memory_equal(first, z, sizeof first);
        }
        fil_block_incomplete_free(&factor);
        fil_workers_destroy(workers);
    }
    free(matrix);
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_exact_without_fill), cmocka_unit_test(is_near_with_fill),
                                       cmocka_unit_test(parts_may_be_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
