/* Gas in chambers: energy, gradient and Hessian against complex steps of a formula of our own; the springs in series that stand for the
 * part that couples all vertices. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/chambers.h"
#include "random.h"

/* two boxes of eight corners each, twelve triangles, far from the origin and crumpled */
enum { VERTICES = 16, TRIANGLES = 24, UNKNOWNS = 4 * VERTICES, BLOCKS = VERTICES * (VERTICES + 1) / 2 };

typedef double complex Complex;

static int triangles[3 * TRIANGLES];

static void make_boxes(Random* random, double* q)
{
    static const int box[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 7, 5}, {4, 6, 7}, {0, 5, 1}, {0, 4, 5},
                                   {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 7, 3}, {1, 5, 7}};
    for (int i = 0; i < VERTICES; i++) {
        for (int k = 0; k < 3; k++) {
            const double side = 0.5 * ((i % 8) >> (2 - k) & 1);
            q[4 * i + k] = 3.0 + (i < 8 ? 0.0 : 2.0) + side + random_between(random, -0.1, 0.1);
        }
        q[4 * i + 3] = 0.0;
    }
    for (int t = 0; t < TRIANGLES; t++) {
        for (int k = 0; k < 3; k++) {
            triangles[3 * t + k] = box[t % 12][k] + (t < 12 ? 0 : 8);
        }
    }
}

/* where the block of two vertices is among all there are */
static int find_block(int u, int v)
{
    const int column = u < v ? u : v, row = u < v ? v : u;
    return column * VERTICES - column * (column - 1) / 2 + row - column;
}

static void place(FilChambers* chambers)
{
    int start[VERTICES + 1], row[BLOCKS];
    for (int column = 0, count = 0; column <= VERTICES; column++) {
        start[column] = count;
        for (int k = column; k < VERTICES; k++) {
            row[count++] = k;
        }
    }
    fil_chambers_place(chambers, &(FilBlockPattern){VERTICES, start, row});
}

static Complex volume_of(int box, const Complex* x)
{
    Complex sum = 0.0;
    for (int t = 12 * box; t < 12 * box + 12; t++) {
        const Complex *a = x + 4 * triangles[3 * t], *b = x + 4 * triangles[3 * t + 1], *c = x + 4 * triangles[3 * t + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6.0;
}

/* -(P - ambient) dV/dx, or with `energy` the work against it */
static Complex energy_of(const FilChambers* chambers, const Complex* x)
{
    Complex sum = 0.0;
    for (int box = 0; box < 2; box++) {
        const FilChamber* item = &chambers->items[box];
        const Complex v = volume_of(box, x);
        const double rest = item->rest_volume, whole = item->value + chambers->gas.ambient, gamma = chambers->gas.gamma;
        if (chambers->gas.law == FIL_GAS_DRIVEN) {
            sum -= item->value * (v - rest);
        } else if (gamma > 1.0) {
            sum += whole * pow(rest, gamma) / (gamma - 1.0) * (cpow(v, 1.0 - gamma) - pow(rest, 1.0 - gamma));
            sum += chambers->gas.ambient * (v - rest);
        } else {
            sum += whole * rest * clog(rest / v) + chambers->gas.ambient * (v - rest);
        }
    }
    return sum;
}

/* by components, from analytic functions of complex numbers */
static void gradient_of(const FilChambers* chambers, const Complex* x, Complex* g)
{
    memset(g, 0, UNKNOWNS * sizeof *g);
    for (int box = 0; box < 2; box++) {
        const FilChamber* item = &chambers->items[box];
        const Complex v = volume_of(box, x);
        const double whole = item->value + chambers->gas.ambient;
        const Complex p =
            chambers->gas.law == FIL_GAS_DRIVEN ? item->value : whole * cpow(item->rest_volume / v, chambers->gas.gamma) - chambers->gas.ambient;
        for (int k = 36 * box; k < 36 * box + 36; k++) {
            const int t = k / 3;
            const Complex *b = x + 4 * triangles[3 * t + (k + 1) % 3], *c = x + 4 * triangles[3 * t + (k + 2) % 3];
            for (int i = 0; i < 3; i++) {
                const int j = (i + 1) % 3, m = (i + 2) % 3;
                g[4 * triangles[k] + i] -= p * (b[j] * c[m] - b[m] * c[j]) / 6.0;
            }
        }
    }
}

static void check_law(FilGas gas)
{
    Random random = {3};
    FilChambers chambers;
    FilError error;
    double q[UNKNOWNS], gradient[UNKNOWNS] = {0.0};
    bool ok;
    make_boxes(&random, q);
    assert_int_equal(fil_chambers_build(&chambers, &gas, VERTICES, q, 4, triangles, TRIANGLES, false, &error), FIL_OK);
    assert_int_equal(chambers.count, 2);
    place(&chambers);
    double h[2 * FIL_CHAMBER_HISTORY];
    fil_chambers_init(&chambers, h);
    fil_chambers_load(&chambers, 1, 1, 2e3);  // a script adds
    fil_chambers_begin(&chambers, h);
    for (int k = 0; k < UNKNOWNS; k++) {
        q[k] += k % 4 < 3 ? random_between(&random, -0.05, 0.05) : 0.0;
    }
    const double energy = fil_chambers_gradient(&chambers, q, gradient, &ok);
    assert_true(ok);

    // the gradient
    Complex x[UNKNOWNS], slopes[UNKNOWNS];
    double largest = 0.0, reference[UNKNOWNS] = {0.0};
    for (int k = 0; k < UNKNOWNS; k++) {
        x[k] = q[k];
    }
    for (int k = 0; k < UNKNOWNS; k++) {
        x[k] += 1e-200 * I;
        reference[k] = k % 4 < 3 ? cimag(energy_of(&chambers, x)) / 1e-200 : 0.0;
        x[k] = q[k];
        largest = fmax(largest, fabs(reference[k]));
    }
    assert_true(fabs(energy - creal(energy_of(&chambers, x))) < 1e-11 * fabs(energy));  // the reference counts from far away
    for (int k = 0; k < UNKNOWNS; k++) {
        assert_true(fabs(gradient[k] - reference[k]) < 1e-12 * largest * 100.0);  // x is 5 m away: it loses two digits
    }

    // the Hessian: eliminating fourth numbers from A = [X B; B' U] gives X - B U^-1 B'
    static double values[FIL_BLOCK_SIZE * BLOCKS], matrix[UNKNOWNS][UNKNOWNS];
    const double scale = 0.01;
    memset(values, 0, sizeof values);
    fil_chambers_stiffness(&chambers, q, scale, false, values);
    for (int u = 0; u < VERTICES; u++) {
        for (int v = 0; v <= u; v++) {
            const double* block = values + FIL_BLOCK_SIZE * find_block(u, v);
            for (int r = 0; r < 4; r++) {
                for (int c = 0; c < 4; c++) {
                    matrix[4 * u + r][4 * v + c] = matrix[4 * v + c][4 * u + r] = block[4 * c + r];
                }
            }
        }
    }
    for (int k = 3; k < UNKNOWNS && gas.law == FIL_GAS_SEALED; k += 4) {  // one by one, by Gauss
        assert_true(matrix[k][k] > 0.4);
        for (int i = 0; i < UNKNOWNS; i++) {
            const double factor = matrix[i][k] / matrix[k][k];
            for (int j = 0; j < UNKNOWNS && i != k && (i % 4 < 3 || i > k); j++) {
                matrix[i][j] -= factor * matrix[k][j];
            }
        }
    }
    largest = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < UNKNOWNS; k++) {
            x[k] += 1e-200 * I;
            gradient_of(&chambers, x, slopes);
            x[k] = q[k];
            for (int i = 0; i < UNKNOWNS; i++) {
                const double expected = i % 4 < 3 && k % 4 < 3 ? scale * cimag(slopes[i]) / 1e-200 : 0.0;
                largest = pass == 0 ? fmax(largest, fabs(expected)) : largest;
                assert_true(pass == 0 || k % 4 == 3 || i % 4 == 3 || fabs(matrix[i][k] - expected) < 1e-11 * largest);
            }
        }
    }
    fil_chambers_free(&chambers);
}

static void test_derivatives(void** state)
{
    (void)state;
    check_law((FilGas){FIL_GAS_DRIVEN, 5e3, 1.0, 1e5});
    check_law((FilGas){FIL_GAS_SEALED, 5e3, 1.0, 1e5});
    check_law((FilGas){FIL_GAS_SEALED, -2e4, 1.4, 1e5});
    check_law((FilGas){FIL_GAS_SEALED, 1e3, 1.4, 0.0});
}

/* definite: the quadratic form is not negative in any direction */
static void test_definite(void** state)
{
    (void)state;
    Random random = {8};
    FilChambers chambers;
    FilError error;
    double q[UNKNOWNS], h[2 * FIL_CHAMBER_HISTORY], x[UNKNOWNS], y[UNKNOWNS];
    static double values[FIL_BLOCK_SIZE * BLOCKS];
    const FilGas gas = {FIL_GAS_SEALED, 5e3, 1.4, 1e5};
    make_boxes(&random, q);
    assert_int_equal(fil_chambers_build(&chambers, &gas, VERTICES, q, 4, triangles, TRIANGLES, false, &error), FIL_OK);
    place(&chambers);
    fil_chambers_init(&chambers, h);
    fil_chambers_begin(&chambers, h);
    fil_chambers_stiffness(&chambers, q, 1.0, true, values);
    for (int round = 0; round < 1000; round++) {
        double form = 0.0, size = 0.0;
        memset(y, 0, sizeof y);
        for (int k = 0; k < UNKNOWNS; k++) {
            x[k] = random_between(&random, -1.0, 1.0);
        }
        for (int u = 0; u < VERTICES; u++) {
            for (int v = 0; v < VERTICES; v++) {
                const double* block = values + FIL_BLOCK_SIZE * find_block(u, v);
                for (int k = 0; k < 16; k++) {
                    const int row = k % 4, column = k / 4;
                    y[4 * u + (u >= v ? row : column)] += block[k] * x[4 * v + (u >= v ? column : row)];
                }
            }
        }
        for (int k = 0; k < UNKNOWNS; k++) {
            form += x[k] * y[k];
            size += fabs(x[k] * y[k]);
        }
        assert_true(form >= -1e-12 * size);
    }
    fil_chambers_free(&chambers);
}

/* what is no chamber, what is one whichever way it turns */
static void test_surfaces(void** state)
{
    (void)state;
    Random random = {8};
    FilChambers chambers;
    FilError error;
    FilGas gas = {FIL_GAS_SEALED, 0.0, 1.4, 1e5};
    double q[UNKNOWNS], bent[UNKNOWNS], h[2 * FIL_CHAMBER_HISTORY], forward;
    make_boxes(&random, q);
    assert_int_equal(fil_chambers_build(&chambers, &gas, VERTICES, q, 4, triangles, TRIANGLES, true, &error), FIL_BAD_INPUT);
    assert_string_equal(error.text, "it has no cavity for gas");
    fil_chambers_free(&chambers);
    assert_int_equal(fil_chambers_build(&chambers, &gas, VERTICES, q, 4, triangles, TRIANGLES, false, &error), FIL_OK);
    forward = fil_chambers_volume(&chambers, 1, q);
    assert_true(forward > 0.0 && fabs(forward - chambers.items[1].rest_volume) < 1e-14);
    fil_chambers_free(&chambers);
    for (int t = 12; t < TRIANGLES; t++) {  // the second inside out: a cavity
        const int swapped = triangles[3 * t + 1];
        triangles[3 * t + 1] = triangles[3 * t + 2];
        triangles[3 * t + 2] = swapped;
    }
    assert_int_equal(fil_chambers_build(&chambers, &gas, VERTICES, q, 4, triangles, TRIANGLES, true, &error), FIL_OK);
    assert_int_equal(chambers.count, 1);
    assert_true(fabs(fil_chambers_volume(&chambers, 0, q) - forward) < 1e-14);
    // turned outside in there is no volume left
    bool ok;
    double gradient[UNKNOWNS] = {0.0};
    fil_chambers_init(&chambers, h);
    fil_chambers_begin(&chambers, h);
    for (int k = 0; k < UNKNOWNS; k++) {
        bent[k] = k % 4 == 0 ? -q[k] : q[k];
    }
    fil_chambers_gradient(&chambers, bent, gradient, &ok);
    assert_false(ok);
    fil_chambers_free(&chambers);
    for (int bad = 0; bad < 4; bad++) {
        static const FilGas wrong[4] = {
            {FIL_GAS_SEALED, 0.0, 0.9, 1e5}, {FIL_GAS_SEALED, -2e5, 1.4, 1e5}, {FIL_GAS_DRIVEN, NAN, 1.4, 1e5}, {(FilGasLaw)9, 0.0, 1.4, 1e5}};
        assert_int_equal(fil_chambers_build(&chambers, &wrong[bad], VERTICES, q, 4, triangles, TRIANGLES, true, &error), FIL_BAD_INPUT);
        assert_true(strncmp(error.text, "gas: ", 5) == 0);
        fil_chambers_free(&chambers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_definite),
        cmocka_unit_test(test_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
