/* The choice between the two block factors: patterns that fill little and much, by the same interface. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/block_factor.h"

enum { SIDE = 8, COLUMNS = SIDE * SIDE * SIDE, BLOCKS = 8 * COLUMNS };

typedef struct System {
    FilBlockPattern a, c;
    int a_start[COLUMNS + 1], a_row[COLUMNS], c_start[COLUMNS + 1], c_row[BLOCKS];
    double a_values[16 * COLUMNS], c_values[16 * BLOCKS];
} System;

/* A = 30 on the diagonal, C = -1 between neighbours within `reach` of a row (a chain) or of a cube, two of whose layers
 * stay out of it. */
static System* make_system(bool cube)
{
    System* s = calloc(1, sizeof *s);
    s->a = (FilBlockPattern){COLUMNS, s->a_start, s->a_row};
    s->c = (FilBlockPattern){COLUMNS, s->c_start, s->c_row};
    int end = 0;
    for (int j = 0; j < COLUMNS; j++) {
        s->a_row[j] = j;
        s->a_start[j + 1] = j + 1;
        for (int d = 0; d < 4; d++) {
            s->a_values[16 * j + 5 * d] = d < 3 ? 30.0 : 1.0;
        }
        for (int z = 0; z < 2 && j >= 2 * SIDE * SIDE; z++) {
            for (int y = 0; y < 2; y++) {
                for (int x = 0; x < 2; x++) {
                    const bool inside = j % SIDE + x < SIDE && j / SIDE % SIDE + y < SIDE && j / SIDE / SIDE + z < SIDE;
                    if (inside && x + y + z > 0 && (cube || y + z == 0)) {
                        s->c_row[end++] = j + x + SIDE * (y + SIDE * z);
                        for (int d = 0; d < 3; d++) {
                            s->c_values[16 * (end - 1) + 5 * d] = -1.0;
                        }
                    }
                }
            }
        }
        s->c_start[j + 1] = end;
    }
    return s;
}

/* Factors, solves in parts and compares with (A + C) x = b; 1e-13: entries of order one, condition below 3. */
static void check(FilBlockFactor* factor, const System* s)
{
    static double b[4 * COLUMNS], x[4 * COLUMNS], z[4 * COLUMNS], product[4 * COLUMNS];
    const int* pivot = fil_block_factor_pivots(factor);
    for (int k = 0; k < 4 * COLUMNS; k++) {
        b[k] = sin(0.3 * k);
        z[4 * pivot[k / 4] + k % 4] = b[k];
    }
    assert_int_equal(COLUMNS - fil_block_factor_first_changing(factor), COLUMNS - 2 * SIDE * SIDE);
    assert_true(fil_block_factor_fixed(factor, s->a_values));
    assert_true(fil_block_factor_changing(factor, s->a_values, s->c_values));
    fil_block_factor_eliminate_fixed(factor, z);
    fil_block_factor_solve_changing(factor, z);
    fil_block_factor_substitute_fixed(factor, z);
    for (int k = 0; k < 4 * COLUMNS; k++) {
        x[k] = z[4 * pivot[k / 4] + k % 4];
    }
    fil_block_multiply(&s->a, s->a_values, x, product);
    fil_block_multiply_add(&s->c, s->c_values, x, product);
    for (int k = 0; k < 4 * COLUMNS; k++) {
        assert_true(fabs(product[k] - b[k]) <= 1e-13);
    }

    // |L^-1 b|^2 = b' (S + C)^-1 b on the changing variables, whatever the order
    double energy = 0.0, whitened = 0.0;
    for (int k = 0; k < 4 * COLUMNS; k++) {
        z[4 * pivot[k / 4] + k % 4] = b[k];
        energy += pivot[k / 4] >= fil_block_factor_first_changing(factor) ? b[k] * x[k] : 0.0;
    }
    fil_block_factor_forward_changing(factor, z);
    for (int k = 4 * fil_block_factor_first_changing(factor); k < 4 * COLUMNS; k++) {
        whitened += z[k] * z[k];
    }
    assert_true(fabs(whitened - energy) <= 1e-12 * energy);
}

static void chooses(void** state)
{
    (void)state;
    FilBlockFactor factor;
    assert_true(fil_block_factor_init(&factor));
    System *row = make_system(false), *cube = make_system(true);
    unsigned char used[COLUMNS];
    memset(used, 7, sizeof used);
    for (int k = 0; k < 4; k++) {
        System* s = k % 2 == 0 ? row : cube;
        assert_int_equal(fil_block_factor_analyze(&factor, &s->a, &s->c), FIL_OK);
        if (factor.supernodes) {
            assert_int_equal(fil_block_factor_analyze_supernodes(&factor, &s->a, &s->c, k == 1 ? used : NULL), FIL_OK);
        }
        assert_int_equal(factor.supernodes, s == cube);
        check(&factor, s);
    }
    // rows of neighbours lie inside the cube's factor, but not the other way round
    bool fits = false;
    assert_int_equal(fil_block_factor_bind(&factor, &row->a, &row->c, &fits), FIL_OK);
    assert_true(fits);
    check(&factor, row);
    assert_int_equal(fil_block_factor_analyze(&factor, &row->a, &row->c), FIL_OK);
    assert_int_equal(fil_block_factor_bind(&factor, &cube->a, &cube->c, &fits), FIL_OK);
    assert_false(fits);
    fil_block_factor_free(&factor);
    free(row);
    free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chooses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
