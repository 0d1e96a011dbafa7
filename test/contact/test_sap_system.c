/* SAP's linear system where it fills: a cube of variables tied to their neighbours, factored by supernodes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/sap_iterative.h"
#include "contact/sap_system.h"

enum { SIDE = 10, COLUMNS = SIDE * SIDE * SIDE, PAIRS = 7 * COLUMNS };

typedef struct Cube {
    FilSapProblem problem;
    int start[COLUMNS + 1], row[COLUMNS], block[2 * PAIRS];
    double a[16 * COLUMNS], jacobian[2 * FIL_SAP_JACOBIAN * PAIRS], hessians[9 * PAIRS];
    FilSapConstraint constraints[PAIRS];
} Cube;

/* Masses of 2 along x and y, of 1 along z: that component is an unknown only while a Jacobian says so. */
static Cube* make_cube(void)
{
    Cube* cube = calloc(1, sizeof *cube);
    int count = 0;
    for (int j = 0; j < COLUMNS; j++) {
        cube->start[j + 1] = j + 1;
        cube->row[j] = j;
        for (int d = 0; d < 4; d++) {
            cube->a[16 * j + 5 * d] = d < 2 ? 2.0 : 1.0;
        }
        for (int k = 1; k < 8; k++) {
            const int x = k & 1, y = k >> 1 & 1, z = k >> 2;
            if (j % SIDE + x < SIDE && j / SIDE % SIDE + y < SIDE && j / SIDE / SIDE + z < SIDE) {
                cube->constraints[count] = (FilSapConstraint){.first_block = 2 * count, .block_count = 2};
                cube->block[2 * count] = j;
                cube->block[2 * count + 1] = j + x + SIDE * (y + SIDE * z);
                for (int d = 0; d < 3; d++) {
                    cube->hessians[9 * count + 4 * d] = 1.0 + 0.1 * k;
                }
                count++;
            }
        }
    }
    cube->problem = (FilSapProblem){.dt = 0.001,
                                    .pattern = {COLUMNS, cube->start, cube->row},
                                    .a = cube->a,
                                    .constraint_count = count,
                                    .constraints = cube->constraints,
                                    .block = cube->block,
                                    .jacobian = cube->jacobian};
    return cube;
}

/* J of a pair: the difference of its two velocities in the first components, turned a little. */
static void set_jacobian(Cube* cube, int components)
{
    for (int b = 0; b < 2 * cube->problem.constraint_count; b++) {
        double* j = cube->jacobian + FIL_SAP_JACOBIAN * b;
        memset(j, 0, FIL_SAP_JACOBIAN * sizeof *j);
        for (int d = 0; d < components; d++) {
            j[5 * d] = b % 2 == 0 ? 1.0 : -1.0;
            j[4 * d + (d + 1) % components] += 0.2;
        }
    }
}

/* A x + J' G J x against b; entries of order one and a condition near 40: 1e-12. */
static void check_solution(FilSapSystem* system, const Cube* cube)
{
    static double b[4 * COLUMNS], x[4 * COLUMNS], velocity[3 * PAIRS], product[4 * COLUMNS];
    for (int v = 0; v < COLUMNS; v++) {
        for (int d = 0; d < 4; d++) {
            b[4 * fil_sap_system_participant(system, v) + d] = d < 3 ? sin(0.4 * v + d) : 0.0;
        }
    }
    memcpy(x, b, sizeof x);
    fil_sap_system_solve(system, x);
    fil_sap_system_multiply(system, &cube->problem, x, velocity);
    for (int k = 0; k < 3 * cube->problem.constraint_count; k++) {
        velocity[k] *= cube->hessians[9 * (k / 3) + 4 * (k % 3)];
    }
    fil_sap_system_multiply_transposed(system, &cube->problem, velocity, product);
    for (int v = 0; v < COLUMNS; v++) {
        for (int d = 0; d < 4; d++) {
            const int k = 4 * fil_sap_system_participant(system, v) + d;
            assert_true(fabs(product[k] + cube->a[16 * v + 5 * d] * x[k] - b[k]) <= 1e-12);
        }
    }
}

static void finds_unknowns(void** state)
{
    (void)state;
    Cube* cube = make_cube();
    FilSapSystem system;
    assert_true(fil_sap_system_init(&system));
    // two components, twice, then three, then two again: what is eliminated, and in which order, follows from the unknowns of now
    const int components[] = {2, 2, 3, 2}, analyses[] = {1, 0, 1, 1};
    for (int k = 0; k < 4; k++) {
        set_jacobian(cube, components[k]);
        assert_int_equal(fil_sap_system_begin(&system, &cube->problem), FIL_OK);
        assert_true(system.factor.supernodes);
        assert_int_equal(system.analyses, analyses[k]);
        assert_int_equal(system.used[0], components[k] == 2 ? 3 : 7);
        assert_true(fil_sap_system_eliminate(&system, &cube->problem));
        assert_true(fil_sap_system_factor(&system, &cube->problem, cube->hessians));
        check_solution(&system, cube);
    }
    fil_sap_system_free(&system);
    free(cube);
}

/* Ties the variables of the top layer to those below by A alone: nothing else touches them. */
static void tie_top(Cube* cube)
{
    static int start[COLUMNS + 1], row[2 * COLUMNS];
    static double a[16 * 2 * COLUMNS];
    const int below = SIDE * SIDE;
    int end = 0, kept = 0;
    memset(a, 0, sizeof a);
    for (int j = 0; j < COLUMNS; j++) {
        start[j] = end;
        memcpy(a + 16 * end, cube->a + 16 * j, 16 * sizeof *a);
        row[end++] = j;
        for (int d = 0; d < 3 && j >= COLUMNS - 2 * below && j < COLUMNS - below; d++) {
            a[16 * end + 5 * d] = -0.4;
        }
        if (j >= COLUMNS - 2 * below && j < COLUMNS - below) {
            row[end++] = j + below;
        }
    }
    start[COLUMNS] = end;
    for (int i = 0; i < cube->problem.constraint_count; i++) {
        if (cube->block[2 * i + 1] < COLUMNS - below) {
            memcpy(cube->hessians + 9 * kept, cube->hessians + 9 * i, 9 * sizeof *cube->hessians);
            cube->constraints[kept++] = cube->constraints[i];
        }
    }
    cube->problem.constraint_count = kept;
    cube->problem.pattern = (FilBlockPattern){COLUMNS, start, row};
    cube->problem.a = a;
}

/* Hessians change after the factor was made, a third of them to nothing, a third to ten times as much: conjugate gradients with that factor find
 * what a new factor finds. */
static void iterates(void** state)
{
    (void)state;
    static double b[4 * COLUMNS], x[4 * COLUMNS], y[4 * COLUMNS], rest[4 * COLUMNS], weight[4 * COLUMNS];
    Cube* cube = make_cube();
    FilSapSystem system;
    FilSapIterative iterative = {0};
    assert_true(fil_sap_system_init(&system));
    set_jacobian(cube, 3);
    tie_top(cube);
    assert_int_equal(fil_sap_system_begin(&system, &cube->problem), FIL_OK);
    assert_true(system.factor.supernodes);
    assert_int_equal(system.participants, COLUMNS - SIDE * SIDE);
    assert_true(fil_sap_system_eliminate(&system, &cube->problem));
    assert_true(fil_sap_system_factor(&system, &cube->problem, cube->hessians));
    const int n = 4 * system.participants;
    for (int k = 0; k < n; k++) {
        b[k] = k % 4 < 3 ? sin(0.3 * k) : 0.0;
        weight[k] = 1.0;
    }
    // with its own factor the product undoes the solve
    memcpy(x, b, sizeof x);
    fil_sap_system_solve(&system, x);
    fil_sap_system_apply(&system, &cube->problem, true, x, y);
    for (int k = 0; k < n; k++) {
        assert_true(fabs(y[k] - b[k]) <= 1e-12);
    }
    for (int i = 0; i < cube->problem.constraint_count; i++) {
        for (int e = 0; e < 9; e++) {
            cube->hessians[9 * i + e] *= i % 3 == 0 ? 0.0 : i % 3 == 1 ? 1.0 : 10.0;
        }
    }
    fil_sap_system_assemble(&system, &cube->problem, cube->hessians);
    bool done;
    memcpy(rest, b, sizeof rest);
    assert_int_equal(fil_sap_iterative_solve(&iterative, &system, &cube->problem, weight, 1e-10, 0.0, 2, rest, x, &done), FIL_OK);
    assert_false(done);
    // what two iterations leave: a share that is enough, or is not
    double left = 0.0, all = 0.0;
    for (int k = 0; k < n; k++) {
        left += rest[k] * rest[k];
        all += b[k] * b[k];
    }
    const double share = sqrt(left / all);
    assert_true(share > 1e-10 && share < 1.0);
    memcpy(rest, b, sizeof rest);
    assert_int_equal(fil_sap_iterative_solve(&iterative, &system, &cube->problem, weight, 1e-10, 0.999 * share, 2, rest, x, &done), FIL_OK);
    assert_false(done || iterative.cut);
    memcpy(rest, b, sizeof rest);
    assert_int_equal(fil_sap_iterative_solve(&iterative, &system, &cube->problem, weight, 1e-10, 1.001 * share, 2, rest, x, &done), FIL_OK);
    assert_true(done && iterative.cut && iterative.iterations == 2);
    memcpy(rest, b, sizeof rest);
    assert_int_equal(fil_sap_iterative_solve(&iterative, &system, &cube->problem, weight, 1e-10, 0.0, 100, rest, x, &done), FIL_OK);
    assert_true(done && !iterative.cut && iterative.iterations > 2);
    assert_true(fil_sap_system_factor_assembled(&system, &cube->problem));
    fil_sap_system_solve(&system, b);
    for (int k = 0; k < n; k++) {
        assert_true(fabs(x[k] - b[k]) <= 1e-8);  // 1e-10 of the norm of b, 16, and a condition below 40
    }
    fil_sap_iterative_free(&iterative);
    fil_sap_system_free(&system);
    free(cube);
}

/* Iterations are for systems whose factor costs many of them. */
static void patience_follows_cost(void** state)
{
    (void)state;
    Cube* cube = make_cube();
    FilSapSystem system;
    FilSapIterative iterative = {0};
    assert_true(fil_sap_system_init(&system));
    set_jacobian(cube, 3);
    assert_int_equal(fil_sap_system_begin(&system, &cube->problem), FIL_OK);
    assert_true(system.factor.supernodes);
    assert_int_equal(fil_sap_iterative_begin(&iterative, &system, &cube->problem), FIL_OK);
    assert_in_range(iterative.patience, 4, 20);
    assert_true(iterative.single);
    cube->problem.constraint_count = 100;
    assert_int_equal(fil_sap_system_begin(&system, &cube->problem), FIL_OK);
    assert_false(system.factor.supernodes);
    assert_int_equal(fil_sap_iterative_begin(&iterative, &system, &cube->problem), FIL_OK);
    assert_int_equal(iterative.patience, 0);
    assert_false(iterative.single);
    fil_sap_iterative_free(&iterative);
    fil_sap_system_free(&system);
    free(cube);
}

/* Unknowns, J' gamma and (A + C) x: what workers share has the same bits. */
static void shared_by_workers(void** state)
{
    (void)state;
    static double gamma[3 * PAIRS], x[4 * COLUMNS], pushed[2][4 * COLUMNS], product[2][4 * COLUMNS];
    Cube* cube = make_cube();
    set_jacobian(cube, 3);
    for (int k = 0; k < 3 * cube->problem.constraint_count; k++) {
        gamma[k] = sin(0.7 * k);
    }
    for (int k = 0; k < 4 * COLUMNS; k++) {
        x[k] = k % 4 < 3 ? cos(0.3 * k) : 0.0;
    }
    for (int threads = 1; threads <= 4; threads++) {
        FilSapSystem system;
        assert_true(fil_sap_system_init(&system));
        FilWorkers* workers = threads > 1 ? fil_workers_create(threads) : NULL;
        cube->problem.workers = workers;
        for (int step = 0; step < 2; step++) {  // components are looked for again
            assert_int_equal(fil_sap_system_begin(&system, &cube->problem), FIL_OK);
            assert_int_equal(system.analyses, step == 0);
            assert_true(system.used[0] == 7 && system.used[COLUMNS - 1] == 7);
        }
        assert_true(fil_sap_system_eliminate(&system, &cube->problem));
        fil_sap_system_assemble(&system, &cube->problem, cube->hessians);
        const int at = threads > 1;
        fil_sap_system_multiply_transposed(&system, &cube->problem, gamma, pushed[at]);
        fil_sap_system_apply(&system, &cube->problem, true, x, product[at]);
        assert_memory_equal(pushed[0], pushed[at], sizeof pushed[0]);
        assert_memory_equal(product[0], product[at], sizeof product[0]);
        fil_sap_system_free(&system);
        fil_workers_destroy(workers);
    }
    free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_unknowns), cmocka_unit_test(shared_by_workers), cmocka_unit_test(iterates),
                                       cmocka_unit_test(patience_follows_cost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
