/* SAP's linear system by conjugate gradients, body after body in an incomplete factor: a cube of variables, rows of which A ties to rods, open or
 * closed, or planes to sheets, with contacts between these. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/sap_iterative.h"

enum { SIDE = 12, COLUMNS = SIDE * SIDE * SIDE, A_BLOCKS = 4 * COLUMNS, PAIRS = 6 * COLUMNS };

typedef enum Kind { OPEN, CLOSED, SHEETS } Kind;

typedef struct Rods {
    FilSapProblem problem;
    FilSapSystem system;
    FilSapBodies bodies;
    int start[COLUMNS + 1], row[A_BLOCKS], block[2 * PAIRS];
    double a[16 * A_BLOCKS], v_free[4 * COLUMNS], jacobian[2 * FIL_SAP_JACOBIAN * PAIRS], hessians[9 * PAIRS];
    FilSapConstraint constraints[PAIRS];
    double b[4 * COLUMNS], x[4 * COLUMNS], weight[4 * COLUMNS];
} Rods;

static int add_block(Rods* rods, int at, int row, double stiffness)
{
    rods->row[at] = row;
    for (int d = 0; d < 4; d++) {
        rods->a[16 * at + 5 * d] = stiffness;
    }
    return at + 1;
}

/* Variables with a mass of 1, or less of the fourth component, tied to the next one of their row, the last one to the first where that is closed, and
 * to the next row of their sheet. */
static void tie(Rods* rods, Kind kind)
{
    int end = 0;
    for (int j = 0; j < COLUMNS; j++) {
        const int x = j % SIDE, y = j / SIDE % SIDE;
        rods->start[j] = end;
        end = add_block(rods, end, j, kind == SHEETS ? 1.0 + 4.0 * 0.8 : 1.0 + 2.0 * 0.8);
        rods->a[16 * (end - 1) + 15] -= 0.8;
        if (x + 1 < SIDE) {
            end = add_block(rods, end, j + 1, -0.8);
        }
        if (kind == CLOSED && x == 0) {
            end = add_block(rods, end, j + SIDE - 1, -0.8);
        }
        if (kind == SHEETS && y + 1 < SIDE) {
            end = add_block(rods, end, j + SIDE, -0.8);
        }
    }
    rods->start[COLUMNS] = end;
}

/* Contacts with the neighbours in other rows, one of five of them stiff and one of five open; the fourth component turns. */
static void touch(Rods* rods)
{
    int count = 0;
    for (int j = 0; j < COLUMNS; j++) {
        for (int k = 2; k < 8; k++) {
            const int x = k & 1, y = k >> 1 & 1, z = k >> 2;
            if (j % SIDE + x >= SIDE || j / SIDE % SIDE + y >= SIDE || j / SIDE / SIDE + z >= SIDE) {
                continue;
            }
            rods->constraints[count] = (FilSapConstraint){.kind = FIL_SAP_CONTACT, .first_block = 2 * count, .block_count = 2};
            rods->constraints[count].contact = (FilSapContact){.distance = 1e-4 * sin(1.7 * count), .mu = 0.4, .stiffness = 1e4};
            rods->block[2 * count] = j;
            rods->block[2 * count + 1] = j + x + SIDE * (y + SIDE * z);
            for (int side = 0; side < 2; side++) {
                double* jacobian = rods->jacobian + FIL_SAP_JACOBIAN * (2 * count + side);
                for (int d = 0; d < 3; d++) {
                    jacobian[5 * d] = side == 0 ? 1.0 : -1.0;
                    jacobian[4 * d + 3] = 0.1 * (d + 1);
                }
            }
            for (int d = 0; d < 3; d++) {
                rods->hessians[9 * count + 4 * d] = count % 5 == 0 ? 30.0 : count % 5 == 1 ? 0.0 : 1.0;
            }
            count++;
        }
    }
    rods->problem.constraint_count = count;
}

static Rods* make_rods(Kind kind)
{
    Rods* rods = calloc(1, sizeof *rods);
    tie(rods, kind);
    touch(rods);
    rods->problem.dt = 0.01;
    rods->problem.pattern = (FilBlockPattern){COLUMNS, rods->start, rods->row};
    rods->problem.a = rods->a;
    rods->problem.v_free = rods->v_free;
    rods->problem.constraints = rods->constraints;
    rods->problem.block = rods->block;
    rods->problem.jacobian = rods->jacobian;
    for (int k = 0; k < 4 * COLUMNS; k++) {
        rods->b[k] = sin(0.3 * k) + cos(1e-3 * k);
        rods->weight[k] = 1.0 + 0.5 * sin(0.1 * k);
        rods->v_free[k] = k % 4 < 3 ? 0.1 * cos(0.01 * k) : 0.0;
    }
    assert_true(fil_sap_system_init(&rods->system));
    return rods;
}

static void free_rods(Rods* rods)
{
    fil_sap_bodies_free(&rods->bodies);
    fil_sap_system_free(&rods->system);
    free(rods);
}

/* The system is adopted, and its matrix is there. */
static void begin(Rods* rods, FilWorkers* workers, bool* worth)
{
    rods->problem.workers = workers;
    assert_int_equal(fil_sap_system_begin(&rods->system, &rods->problem), FIL_OK);
    assert_int_equal(rods->system.participants, COLUMNS);
    assert_true(fil_sap_system_eliminate(&rods->system, &rods->problem));
    fil_sap_system_assemble(&rods->system, &rods->problem, rods->hessians);
    assert_int_equal(fil_sap_bodies_begin(&rods->bodies, &rods->system, &rods->problem, worth), FIL_OK);
}

static bool solve(Rods* rods, double tolerance, int max)
{
    bool done;
    assert_int_equal(fil_sap_bodies_solve(&rods->bodies, &rods->system, &rods->problem, rods->weight, tolerance, max, rods->b, rods->x, &done),
                     FIL_OK);
    return done;
}

/* What is left of b, relative, measured with the weight. */
static double left_of(Rods* rods)
{
    static double product[4 * COLUMNS];
    double left = 0.0, all = 0.0;
    fil_sap_system_apply(&rods->system, &rods->problem, true, rods->x, product);
    for (int k = 0; k < 4 * COLUMNS; k++) {
        left += rods->weight[k] * (rods->b[k] - product[k]) * (rods->b[k] - product[k]);
        all += rods->weight[k] * rods->b[k] * rods->b[k];
    }
    return sqrt(left / all);
}

static void solves_with_same_bits(Kind kind, int max)
{
    static double first[4 * COLUMNS];
    for (int threads = 1; threads <= 4; threads++) {
        Rods* rods = make_rods(kind);
        FilWorkers* workers = threads > 1 ? fil_workers_create(threads) : NULL;
        bool worth;
        begin(rods, workers, &worth);
        assert_true(worth);
        assert_true(solve(rods, 1e-3, 200));
        assert_true(left_of(rods) <= 2e-3);
        assert_in_range(rods->bodies.iterations, 3, max);
        if (threads == 1) {
            memcpy(first, rods->x, sizeof first);
        }
        assert_memory_equal(first, rods->x, sizeof first);
        // other Hessians, the same patterns
        for (int k = 0; k < 9 * rods->problem.constraint_count; k++) {
            rods->hessians[k] *= k / 9 % 2 == 0 ? 10.0 : 0.1;
        }
        fil_sap_system_assemble(&rods->system, &rods->problem, rods->hessians);
        assert_true(solve(rods, 1e-2, 200));
        assert_true(left_of(rods) <= 2e-2);
        free_rods(rods);
        fil_workers_destroy(workers);
    }
}

static void rods_are_solved(void** state)
{
    (void)state;
    solves_with_same_bits(OPEN, 15);
}

static void closed_rods_are_solved(void** state)
{
    (void)state;
    solves_with_same_bits(CLOSED, 15);
}

static void sheets_are_solved(void** state)
{
    (void)state;
    solves_with_same_bits(SHEETS, 15);
}

/* Neither too few iterations nor what single precision cannot tell is called a solution. */
static void says_what_is_none(void** state)
{
    (void)state;
    Rods* rods = make_rods(OPEN);
    bool worth;
    begin(rods, NULL, &worth);
    assert_false(solve(rods, 1e-3, 3));
    assert_false(solve(rods, 1e-10, 1000));
    assert_true(left_of(rods) < 1e-3);
    free_rods(rods);
}

/* Variables that A does not join are no bodies. */
static void bodies_have_to_be_known(void** state)
{
    (void)state;
    Rods* rods = make_rods(OPEN);
    for (int j = 0; j < COLUMNS; j++) {
        rods->start[j + 1] = j + 1;
        rods->row[j] = j;
        memset(rods->a + 16 * j, 0, 16 * sizeof *rods->a);
        for (int d = 0; d < 4; d++) {
            rods->a[16 * j + 5 * d] = 1.0;
        }
    }
    bool worth;
    begin(rods, NULL, &worth);
    assert_false(worth);
    free_rods(rods);
}

/* A contact problem is solved without a factor, where that takes much longer; and its momenta balance. */
static void contacts_are_solved(void** state)
{
    (void)state;
    static double v[4 * COLUMNS], impulse[3 * PAIRS], pushed[4 * COLUMNS];
    Rods* rods = make_rods(OPEN);
    bool worth;
    begin(rods, NULL, &worth);
    FilSap* sap = fil_sap_create();
    FilSapStats stats;
    const FilSapOptions options = fil_sap_options_default();
    assert_int_equal(fil_sap_solve(sap, &rods->problem, &options, v, impulse, &stats), FIL_OK);
    assert_int_equal(stats.factorisations, 0);
    assert_in_range(stats.iterations, 4, 60);
    fil_sap_system_multiply_transposed(&rods->system, &rods->problem, impulse, pushed);
    for (int k = 0; k < 4 * COLUMNS; k++) {
        rods->x[k] = v[k] - rods->v_free[k];
    }
    fil_block_multiply(&rods->problem.pattern, rods->a, rods->x, rods->b);
    double rest = 0.0, all = 0.0;
    for (int j = 0; j < COLUMNS; j++) {
        for (int d = 0; d < 4; d++) {
            const double p = pushed[4 * fil_sap_system_participant(&rods->system, j) + d];
            rest += (rods->b[4 * j + d] - p) * (rods->b[4 * j + d] - p);
            all += p * p;
        }
    }
    assert_true(all > 0.0 && sqrt(rest / all) <= 1e-5);  // 1e-6 of the larger of momenta and impulses, by masses from 1.8 to 2.6
    fil_sap_destroy(sap);
    free_rods(rods);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rods_are_solved),         cmocka_unit_test(closed_rods_are_solved),
                                       cmocka_unit_test(sheets_are_solved),       cmocka_unit_test(says_what_is_none),
                                       cmocka_unit_test(bodies_have_to_be_known), cmocka_unit_test(contacts_are_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
