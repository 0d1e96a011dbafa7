/* Factors of chains shared by workers: the same bits for any number of them, a tree with two branches where minimum degree makes one, and no more
 * fill. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/block_cholesky_data.h"
#include "random.h"

enum { COLUMNS = 600, WIDTH = 6, BLOCKS = COLUMNS * (WIDTH + 1), NUMBERS = FIL_BLOCK * COLUMNS };

/* Two bands: A of all columns, C of those from `first` on, where it joins neighbours at most. */
typedef struct Chain {
    int a_start[COLUMNS + 1], a_row[BLOCKS], c_start[COLUMNS + 1], c_row[BLOCKS];
    double a[FIL_BLOCK_SIZE * BLOCKS], c[FIL_BLOCK_SIZE * BLOCKS];
    FilBlockPattern a_pattern, c_pattern;
} Chain;

static int fill_band(Random* random, int* start, int* row, double* values, int width, int every, double diagonal)
{
    int end = 0;
    for (int j = 0; j < COLUMNS; j++) {
        start[j] = end;
        for (int i = j; i < COLUMNS && i <= j + width && j % every == 0; i += every) {
            for (int e = 0; e < FIL_BLOCK_SIZE; e++) {
                values[FIL_BLOCK_SIZE * end + e] = i == j ? (e % 5 == 0 ? diagonal : 0.0) : 0.1 * random_between(random, -1.0, 1.0);
            }
            row[end++] = i;
        }
    }
    start[COLUMNS] = end;
    return end;
}

static Chain* make_chain(uint64_t seed, int width, int every)
{
    Random random = {seed};
    Chain* chain = calloc(1, sizeof *chain);
    assert_non_null(chain);
    fill_band(&random, chain->a_start, chain->a_row, chain->a, width, 1, 10.0);
    fill_band(&random, chain->c_start, chain->c_row, chain->c, WIDTH, every, 1.0);
    chain->a_pattern = (FilBlockPattern){COLUMNS, chain->a_start, chain->a_row};
    chain->c_pattern = (FilBlockPattern){COLUMNS, chain->c_start, chain->c_row};
    return chain;
}

/* |b - (A + C) x|, largest component */
static double rest_of(const Chain* chain, const double* b, const double* x)
{
    double y[NUMBERS], max = 0.0;
    fil_block_multiply(&chain->a_pattern, chain->a, x, y);
    fil_block_multiply_add(&chain->c_pattern, chain->c, x, y);
    for (int k = 0; k < NUMBERS; k++) {
        max = fmax(max, fabs(b[k] - y[k]));
    }
    return max;
}

static void check_chain(const Chain* chain, bool forks)
{
    FilBlockCholesky* cholesky = fil_block_cholesky_create();
    assert_int_equal(fil_block_cholesky_analyze(cholesky, &chain->a_pattern, &chain->c_pattern), FIL_OK);
    Random random = {5};
    double b[NUMBERS], first[NUMBERS];
    random_fill(&random, b, NUMBERS);
    for (int threads = 1; threads <= 4; threads++) {
        FilWorkers* workers = fil_workers_create(threads);
        double x[NUMBERS];
        fil_block_cholesky_set_workers(cholesky, workers);
        assert_true(fil_block_cholesky_factor(cholesky, chain->a, chain->c));
        for (int round = 0; round < 3; round++) {
            memcpy(x, b, sizeof x);
            fil_block_cholesky_solve(cholesky, x);
            if (threads == 1 && round == 0) {
                memcpy(first, x, sizeof first);
                assert_true(rest_of(chain, b, x) < 1e-13);  // of numbers of order one, condition below 100
            }
            assert_memory_equal(x, first, sizeof x);
        }
        fil_workers_destroy(workers);
    }
    const FilBlockTasks* tasks = &cholesky->tasks[1];
    if (forks) {
        const int above = tasks->end - tasks->first - tasks->start.at[tasks->count];
        assert_in_range(tasks->count, 2, 100);
        assert_true(10 * above < tasks->end - tasks->first);
    }
    fil_block_cholesky_destroy(cholesky);
}

static void chains_of_changing_columns(void** state)
{
    (void)state;
    Chain* chain = make_chain(1, WIDTH, 1);
    FilBlockCholesky* cholesky = fil_block_cholesky_create();
    assert_int_equal(fil_block_cholesky_analyze(cholesky, &chain->a_pattern, &chain->c_pattern), FIL_OK);
    // a band has no fill in its natural order, nor does it by any other root
    assert_true(fil_block_cholesky_info(cholesky).factor_blocks <= chain->a_start[COLUMNS]);
    fil_block_cholesky_destroy(cholesky);
    check_chain(chain, true);
    free(chain);
}

static void chains_of_both_kinds(void** state)
{
    (void)state;
    for (int every = 2; every <= 3; every++) {
        Chain* chain = make_chain((uint64_t)every, 2, every);
        check_chain(chain, false);
        free(chain);
    }
}

/* A narrow chain of as many bodies as columns forks; one that is a single body, whose contacts would be others in the next step, is not analysed
 * twice for that. */
static void narrow_chains(void** state)
{
    enum { NARROW = 2 };  // 3 products a column: 1,800
    (void)state;
    for (int width = 0; width <= NARROW; width += NARROW) {
        Random random = {6};
        Chain* chain = make_chain(5, width, 1);
        fill_band(&random, chain->c_start, chain->c_row, chain->c, NARROW, 1, 1.0);
        check_chain(chain, width == 0);
        FilBlockCholesky* cholesky = fil_block_cholesky_create();
        assert_int_equal(fil_block_cholesky_analyze(cholesky, &chain->a_pattern, &chain->c_pattern), FIL_OK);
        assert_true(fil_block_cholesky_info(cholesky).factor_blocks <= chain->c_start[COLUMNS]);
        const FilBlockTasks* tasks = &cholesky->tasks[1];
        const int above = tasks->end - tasks->first - tasks->start.at[tasks->count];
        assert_true((2 * above > COLUMNS) == (width > 0));
        fil_block_cholesky_destroy(cholesky);
        free(chain);
    }
}

/* A pivot that is not positive is found, whoever comes to it. */
static void indefinite_chains(void** state)
{
    (void)state;
    Chain* chain = make_chain(4, 2, 2);
    FilBlockCholesky* cholesky = fil_block_cholesky_create();
    FilWorkers* workers = fil_workers_create(3);
    assert_int_equal(fil_block_cholesky_analyze(cholesky, &chain->a_pattern, &chain->c_pattern), FIL_OK);
    fil_block_cholesky_set_workers(cholesky, workers);
    for (int j = 7; j < COLUMNS; j += 97) {
        double* diagonal = chain->a + FIL_BLOCK_SIZE * chain->a_start[j] + 5;
        const double kept = *diagonal;
        *diagonal = -20.0;
        assert_false(fil_block_cholesky_factor(cholesky, chain->a, chain->c));
        *diagonal = kept;
        assert_true(fil_block_cholesky_factor(cholesky, chain->a, chain->c));
    }
    fil_workers_destroy(workers);
    fil_block_cholesky_destroy(cholesky);
    free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_of_changing_columns), cmocka_unit_test(chains_of_both_kinds),
                                       cmocka_unit_test(narrow_chains), cmocka_unit_test(indefinite_chains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
