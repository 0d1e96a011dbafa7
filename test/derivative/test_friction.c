/* Friction of contacts and rings: derivatives, and the models that Newton makes of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "contact/friction.h"
#include "near.h"
#include "random.h"

enum { BLOCKS = 3, SIZE = 4 * BLOCKS };

static const double BOUND = 1e-2;
static const int BLOCK[BLOCKS] = {2, 0, 1};

typedef struct Case {
    FilFriction friction;
    double jacobian[12 * BLOCKS], v[SIZE];
} Case;

/* a random one whose slip is about `speed` */
static Case random_case(Random* random, double speed)
{
    Case c = {.friction = {.tangent = {{0.6, 0.8, 0.0}, {0.0, 0.0, 1.0}}, .max = 0.3}};
    for (int k = 0; k < 12 * BLOCKS; k++) {
        c.jacobian[k] = random_between(random, -1.0, 1.0);
    }
    for (int k = 0; k < SIZE; k++) {
        c.v[k] = random_between(random, -speed, speed);
    }
    for (int k = 0; k < 3; k++) {
        c.friction.bias[k] = random_between(random, -speed, speed);
    }
    return c;
}

static FilSlipping slipping_of(const Case* c)
{
    return (FilSlipping){.count = BLOCKS, .block = BLOCK, .jacobian = c->jacobian};
}

static double energy_at(const Case* c, const double* v)
{
    double gradient[3];
    const FilSlipping s = slipping_of(c);
    return fil_friction_energy(&c->friction, &s, BOUND, v, gradient);
}

static const double SPEEDS[] = {1e-3, 1e-2, 1.0}; /* sticking, about the bound, sliding */

static void test_gradient(void** state)
{
    (void)state;
    Random random = {1};
    for (int trial = 0; trial < 30; trial++) {
        const Case c = random_case(&random, SPEEDS[trial % 3]);
        const FilSlipping s = slipping_of(&c);
        double residual[SIZE] = {0.0};
        assert_near(fil_friction_add(&c.friction, &s, BOUND, c.v, residual), energy_at(&c, c.v), 1e-15);
        for (int k = 0; k < SIZE; k++) {
            const double h = 1e-3 * SPEEDS[trial % 3];
            double v[SIZE], sum = 0.0;
            memcpy(v, c.v, sizeof v);
            for (int m = 1; m <= 2; m++) {  // fourth order
                v[k] = c.v[k] + m * h;
                const double ahead = energy_at(&c, v);
                v[k] = c.v[k] - m * h;
                sum += (m == 1 ? 8.0 : -1.0) * (ahead - energy_at(&c, v));
            }
            // the third derivative jumps at the bound: h^2 of it is left there
            assert_near(residual[k], sum / (12.0 * h), 1e-5 * c.friction.max);
        }
    }
}

/* curvature over the relative velocity */
static void hessian_of(const FilFriction* friction, const FilSlipping* slipping, double bound, bool majorised, const double* v, double hessian[9])
{
    double c[4];
    fil_friction_curvature(friction, slipping, bound, majorised, v, c);
    for (int k = 0; k < 9; k++) {
        hessian[k] = 0.0;
        for (int m = 0; m < 4; m++) {
            hessian[k] += c[m] * friction->tangent[m / 2][k / 3] * friction->tangent[m % 2][k % 3];
        }
    }
}

/* about the slip now the model is the truth: no lead, and the Hessian is the gradient's change */
static void test_model_about_now(void** state)
{
    (void)state;
    Random random = {2};
    for (int trial = 0; trial < 30; trial++) {
        Case c = random_case(&random, trial % 2 == 0 ? 2e-3 : 1.0);
        const FilSlipping s = slipping_of(&c);
        fil_friction_begin(&c.friction, &s, BOUND, false, c.v);
        double lead[SIZE] = {0.0}, hessian[9], u[3];
        fil_friction_look(&c.friction, &s, c.v);
        fil_friction_add_lead(&c.friction, &s, BOUND, lead);
        for (int k = 0; k < SIZE; k++) {
            assert_true(lead[k] == 0.0);
        }
        hessian_of(&c.friction, &s, BOUND, false, c.v, hessian);
        for (int k = 0; k < SIZE; k++) {
            const double h = 1e-6;
            double v[SIZE], ahead[3], behind[3];
            memcpy(v, c.v, sizeof v);
            v[k] = c.v[k] + h;
            fil_friction_energy(&c.friction, &s, BOUND, v, ahead);
            v[k] = c.v[k] - h;
            fil_friction_energy(&c.friction, &s, BOUND, v, behind);
            // block k / 4 of the world's velocities is the one whose number it is
            int at = 0;
            while (BLOCK[at] != k / 4) {
                at++;
            }
            for (int i = 0; i < 3; i++) {
                u[i] = c.jacobian[12 * at + 4 * i + k % 4];
            }
            for (int i = 0; i < 3; i++) {
                const double expected = hessian[3 * i] * u[0] + hessian[3 * i + 1] * u[1] + hessian[3 * i + 2] * u[2];
                // the kink of the third derivative at the bound leaves h / bound of the curvature
                assert_near((ahead[i] - behind[i]) / (2.0 * h), expected, 1e-3 * c.friction.max / BOUND);
            }
        }
    }
}

/* the majorised paraboloid lies above the potential everywhere */
static void test_majorised_lies_above(void** state)
{
    (void)state;
    Random random = {3};
    for (int trial = 0; trial < 300; trial++) {
        const Case c = random_case(&random, SPEEDS[trial % 3]);
        const FilSlipping s = slipping_of(&c);
        double hessian[9], residual[SIZE] = {0.0}, v[SIZE], du[3] = {0.0}, sum = energy_at(&c, c.v);
        hessian_of(&c.friction, &s, BOUND, true, c.v, hessian);
        fil_friction_add(&c.friction, &s, BOUND, c.v, residual);
        for (int k = 0; k < SIZE; k++) {
            v[k] = c.v[k] + random_between(&random, -1.0, 1.0) * SPEEDS[trial / 3 % 3];
            sum += residual[k] * (v[k] - c.v[k]);
        }
        for (int b = 0; b < BLOCKS; b++) {
            for (int k = 0; k < 12; k++) {
                du[k / 4] += c.jacobian[12 * b + k] * (v[4 * BLOCK[b] + k % 4] - c.v[4 * BLOCK[b] + k % 4]);
            }
        }
        for (int k = 0; k < 9; k++) {
            sum += 0.5 * hessian[k] * du[k / 3] * du[k % 3];
        }
        assert_true(energy_at(&c, v) <= sum + 1e-12);
    }
}

/* one mass on a belt: Newton with the model finds the end, however narrow the kink, in a handful of iterations */
static int iterations_until_rest(double push, double from, double* end)
{
    const double mass = 2.0, bound = 1e-9;
    const double jacobian[12] = {1.0}, weight[4] = {1.0 / mass};
    const int block = 0;
    const FilSlipping s = {.count = 1, .block = &block, .jacobian = jacobian};
    FilFriction f = {.tangent = {{1.0, 0.0, 0.0}}, .max = 0.5};
    double v[4] = {from};
    fil_friction_begin(&f, &s, bound, false, v);
    for (int iteration = 1; iteration <= 50; iteration++) {
        double direction[4] = {0.0};
        for (int pass = 0; pass < 4; pass++) {
            double residual[4] = {mass * v[0] - push}, hessian[9];
            fil_friction_add(&f, &s, bound, v, residual);
            fil_friction_look(&f, &s, v);
            fil_friction_add_lead(&f, &s, bound, residual);
            hessian_of(&f, &s, bound, false, v, hessian);
            direction[0] = residual[0] / (mass + hessian[0]);
            fil_friction_review(&f, &s, bound, weight, direction);
            fil_friction_revise(&f);
            if (f.wrong <= 1e-12 * f.max) {
                break;
            }
        }
        v[0] -= direction[0];
        fil_friction_accept(&f, &s, bound, v);
        double residual[4] = {mass * v[0] - push};
        fil_friction_add(&f, &s, bound, v, residual);
        if (fabs(residual[0]) <= 1e-10 * f.max) {
            *end = v[0];
            return iteration;
        }
    }
    return 51;
}

static void test_stick_and_slip(void** state)
{
    (void)state;
    double v;
    // slides on in its own direction, or turns round: exactly one model is right
    assert_true(iterations_until_rest(1.0, 3.0, &v) <= 2);
    assert_near(v, 0.25, 1e-9);
    assert_true(iterations_until_rest(-1.0, 3.0, &v) <= 2);
    assert_near(v, -0.25, 1e-9);
    assert_true(iterations_until_rest(1.0, 0.0, &v) <= 2);
    assert_near(v, 0.25, 1e-9);
    // sticks: below the bound, where the force is curved; the first model finds the force, the second the slip
    assert_true(iterations_until_rest(0.3, 3.0, &v) <= 2);
    assert_true(fabs(v) < 1e-9);
    assert_true(iterations_until_rest(-0.49, 3.0, &v) <= 2);
    assert_true(fabs(v) < 1e-9);
}

/* ---- contacts that push each other ---- */

enum { ROW = 12, UNKNOWNS = 4 * ROW };

/* masses in a row on a table, joined by stiff springs: (a + curvature) x = right, by elimination; blocks couple two unknowns each */
static void solve_row(double a[UNKNOWNS][UNKNOWNS], double* x)
{
    for (int p = 0; p < UNKNOWNS; p++) {
        for (int r = p + 1; r < UNKNOWNS; r++) {
            const double factor = a[r][p] / a[p][p];
            for (int c = p; c < UNKNOWNS; c++) {
                a[r][c] -= factor * a[p][c];
            }
            x[r] -= factor * x[p];
        }
    }
    for (int p = UNKNOWNS - 1; p >= 0; p--) {
        for (int c = p + 1; c < UNKNOWNS; c++) {
            x[p] -= a[p][c] * x[c];
        }
        x[p] /= a[p][p];
    }
}

typedef struct Row {
    FilFriction friction[ROW];
    FilSlipping slipping[ROW];
    int block[ROW];
    double a[UNKNOWNS][UNKNOWNS], push[UNKNOWNS], weight[UNKNOWNS], v[UNKNOWNS];
} Row;

static const double ROW_JACOBIAN[12] = {[0] = 1.0, [5] = 1.0, [10] = 1.0};

static void set_up_row(Row* row, Random* random, double spring)
{
    *row = (Row){.block = {0}};
    for (int k = 0; k < UNKNOWNS; k++) {
        row->a[k][k] = 0.1 + (k < 4 || k >= UNKNOWNS - 4 ? 1.0 : 2.0) * spring;
        row->weight[k] = 1.0 / row->a[k][k];
        if (k >= 4) {
            row->a[k][k - 4] = row->a[k - 4][k] = -spring;
        }
        row->push[k] = k % 4 < 2 ? random_between(random, -1.0, 1.0) : 0.0;
    }
    for (int i = 0; i < ROW; i++) {
        row->block[i] = i;
        row->slipping[i] = (FilSlipping){.count = 1, .block = &row->block[i], .jacobian = ROW_JACOBIAN};
        row->friction[i] = (FilFriction){.tangent = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, .max = random_between(random, 0.1, 1.0)};
        fil_friction_begin(&row->friction[i], &row->slipping[i], 1e-6, false, row->v);
    }
}

/* residual of what moves against friction */
static void row_residual(const Row* row, double* residual)
{
    for (int r = 0; r < UNKNOWNS; r++) {
        residual[r] = -row->push[r];
        for (int c = 0; c < UNKNOWNS; c++) {
            residual[r] += row->a[r][c] * row->v[c];
        }
    }
    for (int i = 0; i < ROW; i++) {
        fil_friction_add(&row->friction[i], &row->slipping[i], 1e-6, row->v, residual);
    }
}

/* one solution with the models as they are; returns by how much they are wrong */
static double try_models(Row* row, double* direction)
{
    static double a[UNKNOWNS][UNKNOWNS];
    double wrong = 0.0;
    memcpy(a, row->a, sizeof a);
    row_residual(row, direction);
    for (int i = 0; i < ROW; i++) {
        double h[4];
        fil_friction_look(&row->friction[i], &row->slipping[i], row->v);
        fil_friction_add_lead(&row->friction[i], &row->slipping[i], 1e-6, direction);
        fil_friction_curvature(&row->friction[i], &row->slipping[i], 1e-6, false, row->v, h);
        for (int k = 0; k < 4; k++) {
            a[4 * i + k / 2][4 * i + k % 2] += h[k];
        }
    }
    solve_row(a, direction);
    for (int i = 0; i < ROW; i++) {
        fil_friction_review(&row->friction[i], &row->slipping[i], 1e-6, row->weight, direction);
        wrong = fmax(wrong, row->friction[i].wrong);
    }
    return wrong;
}

/* models of contacts that are coupled far more than each gives way by itself agree after some rounds, and are right then */
static void test_models_agree(void** state)
{
    (void)state;
    Random random = {4};
    for (int trial = 0; trial < 40; trial++) {
        Row row;
        double direction[UNKNOWNS], residual[UNKNOWNS];
        int rounds = 1;
        set_up_row(&row, &random, trial % 2 == 0 ? 0.1 : 10.0);
        for (; try_models(&row, direction) > 1e-6 && rounds < 30; rounds++) {
            for (int i = 0; i < ROW; i++) {
                fil_friction_revise(&row.friction[i]);
            }
        }
        assert_in_range(rounds, 1, 20);  // as many as sheets take
        for (int k = 0; k < UNKNOWNS; k++) {
            row.v[k] -= direction[k];
        }
        row_residual(&row, residual);
        for (int i = 0; i < ROW; i++) {  // of what sticks the force is known, but not yet the slip that has it
            const FilFriction* f = &row.friction[i];
            const bool stuck = fil_friction_sticks(f, &row.slipping[i], 1e-6, row.v);
            assert_near(hypot(f->last_force[0], f->last_force[1]), stuck ? 0.5 : 1.0, stuck ? 0.5 + 1e-5 : 1e-5);
            for (int k = 4 * i; k < 4 * i + 2 && !stuck; k++) {
                assert_near(residual[k], 0.0, 1e-5);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),       cmocka_unit_test(test_model_about_now), cmocka_unit_test(test_majorised_lies_above),
        cmocka_unit_test(test_stick_and_slip), cmocka_unit_test(test_models_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
