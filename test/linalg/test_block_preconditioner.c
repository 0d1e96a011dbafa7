/* The single-precision factor against the double one, on random patterns, whole and in parts. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/block_cholesky.h"
#include "linalg/block_preconditioner.h"
#include "random_blocks.h"

typedef struct Case {
    RandomBlocks *a, *f;
    bool thin;
    int n;
    double b[MAX_N];
} Case;

static Case make_case(Random* random, int trial)
{
    const int columns = 1 + (int)(random_bits(random) % MAX_COLUMNS);
    const double fill = trial % 10 == 0 ? 1.0 : random_between(random, 0.0, 4.0 / columns);
    Case c = {.a = random_blocks(random, columns, fill, true),
              .f = random_blocks(random, columns, random_between(random, 0.0, 1.0 / columns), false),
              .thin = trial % 2 == 0,
              .n = 4 * columns};
    if (c.thin) {
        random_blocks_make_thin(c.a, true);
        random_blocks_make_thin(c.f, false);
    }
    random_blocks_make_definite(c.a, c.f);
    for (int k = 0; k < c.n; k++) {
        c.b[k] = c.thin && k % 4 == 3 ? 0.0 : random_between(random, -1.0, 1.0);
    }
    return c;
}

static void free_case(Case* c)
{
    free(c->a);
    free(c->f);
}

static void analyze(FilBlockPreconditioner* precond, const Case* c)
{
    int block[MAX_BLOCKS];
    for (int k = 0; k < c->a->start[c->n / 4]; k++) {
        block[k] = k;
    }
    const FilBlockPattern* const terms[FIL_BLOCK_TERMS] = {&c->a->pattern, NULL, &c->f->pattern};
    assert_int_equal(fil_block_preconditioner_analyze(precond, terms, block, true), FIL_OK);
}

static bool is_definite(FilBlockPreconditioner* precond, const Case* c)
{
    const FilBlockPreconditionerValues values = {.a = c->a->values};
    return fil_block_preconditioner_factor_fixed(precond, true, &values) && fil_block_preconditioner_factor_changing(precond, NULL, c->f->values);
}

/* Finds out by itself whether blocks are thin. */
static void factor(FilBlockPreconditioner* precond, const Case* c)
{
    assert_true(is_definite(precond, c));
    assert_int_equal(precond->thin, c->thin);
}

/* Condition numbers are below 1e4 for these sizes: single precision is good to 6e-8 times that. */
static void check_solution(FilBlockPreconditioner* precond, const Case* c)
{
    double x[MAX_N], y[MAX_N], size = 0.0;
    FilBlockCholesky* referee = fil_block_cholesky_create();
    assert_int_equal(fil_block_cholesky_analyze(referee, &c->a->pattern, &c->f->pattern), FIL_OK);
    assert_true(fil_block_cholesky_factor(referee, c->a->values, c->f->values));
    memcpy(y, c->b, sizeof y);
    fil_block_cholesky_solve(referee, y);
    fil_block_cholesky_destroy(referee);
    fil_block_preconditioner_solve(precond, NULL, c->b, x);
    for (int k = 0; k < c->n; k++) {
        size = fmax(size, fabs(y[k]));
    }
    for (int k = 0; k < c->n; k++) {
        assert_true(fabs(x[k] - y[k]) <= 6e-4 * size);
    }
}

static void random_patterns(void** state)
{
    (void)state;
    Random random = {1};
    FilBlockPreconditioner precond = {0};
    for (int trial = 0; trial < 100; trial++) {
        Case c = make_case(&random, trial);
        analyze(&precond, &c);
        factor(&precond, &c);
        check_solution(&precond, &c);
        free_case(&c);
    }
    fil_block_preconditioner_free(&precond);
}

/* After a change of F, factoring what it reaches gives bit for bit what factoring all gives, and solving in parts what solving at
 * once does. */
static void in_parts(void** state)
{
    (void)state;
    Random random = {2};
    FilBlockPreconditioner precond = {0};
    int some = 0;
    for (int trial = 0; trial < 40; trial++) {
        Case c = make_case(&random, trial);
        double x[MAX_N], y[MAX_N], more[MAX_N] = {0.0};
        int count;
        analyze(&precond, &c);
        factor(&precond, &c);
        fil_block_preconditioner_reduce(&precond, NULL, c.b);
        const int* reached = fil_block_preconditioner_reached(&precond, &count);
        some += count > 0 && 4 * count < c.n ? 1 : 0;
        for (int k = 0; k < 16 * c.f->start[c.n / 4]; k++) {
            c.f->values[k] *= trial % 3 > 0 && k % 80 >= 16 ? 1.0 : 0.5;  // all, or a fifth of them; dominant as before
        }
        for (int k = 0; k < count; k++) {
            more[4 * reached[k]] = random_between(&random, -1.0, 1.0);
        }
        assert_true(fil_block_preconditioner_factor_changing(&precond, NULL, c.f->values));
        fil_block_preconditioner_predict(&precond, NULL, more, y);
        for (int k = 0; k < c.n; k++) {
            more[k] += c.b[k];
        }
        fil_block_preconditioner_solve(&precond, NULL, more, x);
        for (int k = 0; k < count; k++) {
            assert_true(fabs(y[4 * reached[k]] - x[4 * reached[k]]) <= 1e-5);  // b + more is rounded before or after
        }
        factor(&precond, &c);
        fil_block_preconditioner_solve(&precond, NULL, more, y);
        assert_memory_equal(x, y, sizeof(double) * (size_t)c.n);
        fil_block_preconditioner_reduce(&precond, NULL, more);
        memset(more, 0, sizeof more);
        fil_block_preconditioner_predict(&precond, NULL, more, y);
        fil_block_preconditioner_complete(&precond, NULL, y);
        assert_memory_equal(x, y, sizeof(double) * (size_t)c.n);
        free_case(&c);
    }
    assert_in_range(some, 10, 40);  // of both kinds of columns
    fil_block_preconditioner_free(&precond);
}

/* Any number of workers makes the same bits, of factor and solutions. */
static void workers_do_not_matter(void** state)
{
    (void)state;
    Random random = {5};
    int some = 0;
    for (int trial = 0; trial < 40; trial++) {
        Case c = make_case(&random, trial);
        double x[2][MAX_N], y[2][MAX_N], none[MAX_N] = {0.0};
        for (int k = 0; k < 2; k++) {
            FilBlockPreconditioner precond = {0};
            FilWorkers* workers = fil_workers_create(k == 0 ? 1 : 2 + trial % 3);
            const FilBlockPreconditionerValues values = {.a = c.a->values, .workers = workers};
            analyze(&precond, &c);
            assert_true(fil_block_preconditioner_factor_fixed(&precond, true, &values) &&
                        fil_block_preconditioner_factor_changing(&precond, workers, c.f->values));
            fil_block_preconditioner_solve(&precond, workers, c.b, x[k]);
            fil_block_preconditioner_reduce(&precond, workers, c.b);
            fil_block_preconditioner_predict(&precond, workers, none, y[k]);
            fil_block_preconditioner_complete(&precond, workers, y[k]);
            some += precond.trees.count > 1;
            fil_workers_destroy(workers);
            fil_block_preconditioner_free(&precond);
        }
        assert_memory_equal(x[0], x[1], sizeof(double) * (size_t)c.n);
        assert_memory_equal(y[0], y[1], sizeof(double) * (size_t)c.n);
        free_case(&c);
    }
    assert_in_range(some, 20, 80);
}

/* A square lattice of springs all of which F reaches, large enough to be shared: panels of many columns, in several subtrees. */
enum { SIDE = 24, KNOTS = SIDE * SIDE };

typedef struct Lattice {
    int start[KNOTS + 1], row[3 * KNOTS], block[3 * KNOTS], f_start[KNOTS + 1], f_row[KNOTS];
    double values[48 * KNOTS], f_values[16 * KNOTS], b[4 * KNOTS];
} Lattice;

static void make_lattice(Random* random, Lattice* l)
{
    int end = 0;
    memset(l, 0, sizeof *l);
    for (int j = 0; j < KNOTS; j++) {
        const int other[3] = {j, j % SIDE + 1 < SIDE ? j + 1 : -1, j + SIDE < KNOTS ? j + SIDE : -1};
        l->start[j] = end;
        l->f_start[j] = l->f_row[j] = j;
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 4 && other[k] >= 0; i++) {
                l->values[16 * end + 5 * i] = k > 0 ? -10.0 : 41.0;
            }
            l->row[end] = other[k];
            l->block[end] = end;
            end += other[k] >= 0;
        }
        for (int i = 0; i < 4; i++) {
            l->f_values[16 * j + 5 * i] = random_between(random, 0.0, 10.0);
            l->b[4 * j + i] = random_between(random, -1.0, 1.0);
        }
    }
    l->start[KNOTS] = end;
    l->f_start[KNOTS] = KNOTS;
}

static void analyze_lattice(FilBlockPreconditioner* precond, const Lattice* l)
{
    const FilBlockPattern a = {KNOTS, l->start, l->row}, f = {KNOTS, l->f_start, l->f_row};
    const FilBlockPattern* const terms[FIL_BLOCK_TERMS] = {&a, NULL, &f};
    assert_int_equal(fil_block_preconditioner_analyze(precond, terms, l->block, true), FIL_OK);
}

/* What is left of b, in its largest number. */
static double lattice_residual(const Lattice* l, const double* x)
{
    static double product[4 * KNOTS];
    const FilBlockPattern a = {KNOTS, l->start, l->row}, f = {KNOTS, l->f_start, l->f_row};
    fil_block_multiply(&a, l->values, x, product);
    fil_block_multiply_add(&f, l->f_values, x, product);
    double worst = 0.0;
    for (int k = 0; k < 4 * KNOTS; k++) {
        worst = fmax(worst, fabs(l->b[k] - product[k]));
    }
    return worst;
}

/* The same bits for any number of workers, and for factors made anew as far as F has changed. */
static void panels_are_shared(void** state)
{
    (void)state;
    static Lattice l;
    static double x[3][4 * KNOTS];
    make_lattice(&(Random){7}, &l);
    for (int k = 0; k < 3; k++) {
        FilBlockPreconditioner precond = {0};
        FilWorkers* workers = fil_workers_create(1 + k);
        const FilBlockPreconditionerValues values = {.a = l.values, .workers = workers};
        analyze_lattice(&precond, &l);
        assert_true(precond.panels.trees.count > 1 && precond.panels.work > 40e3);  // twice what is shared
        assert_true(fil_block_preconditioner_factor_fixed(&precond, true, &values));
        for (int part = 0; part < 2 && k == 2; part++) {  // one place of F is another at first
            const double kept = l.f_values[16 * 100];
            l.f_values[16 * 100] = part == 0 ? kept + 1.0 : kept;
            assert_true(fil_block_preconditioner_factor_changing(&precond, workers, l.f_values));
            l.f_values[16 * 100] = kept;
        }
        assert_true(k == 2 || fil_block_preconditioner_factor_changing(&precond, workers, l.f_values));
        fil_block_preconditioner_solve(&precond, workers, l.b, x[k]);
        assert_true(lattice_residual(&l, x[k]) < 1e-4);  // single precision times a condition of about 80, times a margin of 20
        fil_workers_destroy(workers);
        fil_block_preconditioner_free(&precond);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(x[0], x[2], sizeof x[0]);
}

/* What is done with a right side before F is known goes beside the columns that F reaches where these take long, with the same bits. */
static void right_sides_go_beside(void** state)
{
    (void)state;
    enum { FIRST = KNOTS / 3 };
    static Lattice l;
    static double x[3][4 * KNOTS], none[4 * KNOTS];
    make_lattice(&(Random){8}, &l);
    for (int j = 0; j <= KNOTS; j++) {  // F reaches two thirds of the lattice
        l.f_start[j] = j > FIRST ? j - FIRST : 0;
    }
    for (int j = FIRST; j < KNOTS; j++) {
        l.f_row[j - FIRST] = j;
    }
    for (int k = 0; k < 3; k++) {
        FilBlockPreconditioner precond = {0};
        FilWorkers* workers = fil_workers_create(1 + k);
        const FilBlockPreconditionerValues values = {.a = l.values, .workers = workers};
        analyze_lattice(&precond, &l);
        assert_in_range(precond.symbolic.first_changing, 50, FIRST);
        assert_true(fil_block_preconditioner_factor_fixed(&precond, true, &values));
        fil_block_preconditioner_reduce(&precond, workers, l.b);
        assert_true((precond.reducing != NULL) == (k > 0));
        assert_true(fil_block_preconditioner_factor_changing(&precond, workers, l.f_values));
        assert_null(precond.reducing);
        const int* start = precond.symbolic.column_start.at;  // enough for workers to share these columns' subtrees
        assert_true(precond.symbolic.factor_blocks - start[precond.symbolic.first_changing] > 4000 && precond.panels.trees.count > 1);
        fil_block_preconditioner_predict(&precond, workers, none, x[k]);
        fil_block_preconditioner_complete(&precond, workers, x[k]);
        assert_true(lattice_residual(&l, x[k]) < 1e-4);           // as above
        fil_block_preconditioner_reduce(&precond, workers, l.b);  // left alone by what follows
        assert_true(fil_block_preconditioner_factor_fixed(&precond, true, &values));
        assert_null(precond.reducing);
        fil_workers_destroy(workers);
        fil_block_preconditioner_free(&precond);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(x[0], x[2], sizeof x[0]);
}

/* What fades out along panels ends at zero before products of it are subnormal, for which amd64 takes as long as for a hundred others. */
static void what_fades_out_is_zero(void** state)
{
    (void)state;
    static Lattice l;
    static double x[4 * KNOTS];
    FilBlockPreconditioner precond = {0};
    const FilBlockPreconditionerValues values = {.a = l.values};
    make_lattice(&(Random){9}, &l);
    for (int j = 0; j < KNOTS; j++) {
        l.f_values[16 * j] += 1e4;  // of 1: L is a thousandth of that, or less, from each knot to the next
    }
    analyze_lattice(&precond, &l);
    assert_true(fil_block_preconditioner_factor_fixed(&precond, true, &values));
    assert_true(fil_block_preconditioner_factor_changing(&precond, NULL, l.f_values));
    int zero = 0, small = 0;
    for (int k = 0; k < precond.symbolic.factor_blocks; k++) {  // F reaches all columns
        const float size = fabsf(precond.factor.at[12 * k]);
        zero += size == 0.0F;
        small += size > 0.0F && size < 1e-15F;
        assert_true(size == 0.0F || size * size >= FLT_MIN);
    }
    assert_true(zero - KNOTS > 100 && small > 100);  // diagonal blocks are elsewhere
    fil_block_preconditioner_solve(&precond, NULL, l.b, x);
    assert_true(lattice_residual(&l, x) < 1e-4);  // as above
    fil_block_preconditioner_free(&precond);
}

/* Where only F uses fourth places, that is found out late. */
static void fourth_places_of_f(void** state)
{
    (void)state;
    Random random = {4};
    FilBlockPreconditioner precond = {0};
    int some = 0;
    for (int trial = 0; trial < 40; trial += 2) {
        Case c = make_case(&random, trial);
        const FilBlockPreconditionerValues values = {.a = c.a->values};
        if (c.f->start[c.n / 4] > 0) {
            c.f->values[3] = c.f->values[12] = 0.01;  // little beside a pivot of 1
            analyze(&precond, &c);
            assert_true(fil_block_preconditioner_factor_fixed(&precond, true, &values));
            assert_true(precond.thin);
            assert_false(fil_block_preconditioner_factor_changing(&precond, NULL, c.f->values));
            assert_false(precond.thin);
            assert_true(fil_block_preconditioner_factor_fixed(&precond, false, &values));
            assert_true(fil_block_preconditioner_factor_changing(&precond, NULL, c.f->values));
            check_solution(&precond, &c);
            some++;
        }
        free_case(&c);
    }
    assert_in_range(some, 5, 20);
    fil_block_preconditioner_free(&precond);
}

/* Pivots that just are, or are not, positive: as near as single precision tells. */
static void definiteness(void** state)
{
    (void)state;
    Random random = {3};
    FilBlockPreconditioner precond = {0};
    for (int trial = 0; trial < 40; trial++) {
        Case c = make_case(&random, trial);
        const int column = (int)(random_bits(&random) % (uint64_t)(c.n / 4)), d = (int)(random_bits(&random) % 3);
        double x[MAX_N], unit[MAX_N] = {0.0};
        unit[4 * column + d] = 1.0;
        analyze(&precond, &c);
        factor(&precond, &c);
        fil_block_preconditioner_solve(&precond, NULL, unit, x);
        // lowering entry (r, r) by t is singular at t = 1/(A^-1)_rr
        const double singular = 1.0 / x[4 * column + d];
        int k = c.a->start[column];
        while (c.a->row[k] != column) {
            k++;
        }
        double* pivot = &c.a->values[16 * k + 5 * d];
        const double old = *pivot, bad[] = {old - 1.01 * singular, -1.0, NAN, INFINITY, -INFINITY};
        *pivot = old - 0.99 * singular;
        factor(&precond, &c);
        for (int b = 0; b < 5; b++) {
            *pivot = bad[b];
            assert_false(is_definite(&precond, &c));
        }
        free_case(&c);
    }
    fil_block_preconditioner_free(&precond);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns),       cmocka_unit_test(in_parts),
        cmocka_unit_test(workers_do_not_matter), cmocka_unit_test(panels_are_shared),
        cmocka_unit_test(right_sides_go_beside), cmocka_unit_test(what_fades_out_is_zero),
        cmocka_unit_test(fourth_places_of_f),    cmocka_unit_test(definiteness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
