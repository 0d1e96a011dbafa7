/* The SAP solver: residuals of the regularised problem, convergence from a cold start, warm starts, patterns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sap_problems.h"

static FilSap* sap;
static FilSapOptions settings;

static int set_up(void** state)
{
    (void)state;
    sap = fil_sap_create();
    settings = fil_sap_options_default();
    return sap != NULL ? 0 : 1;
}

static int tear_down(void** state)
{
    (void)state;
    fil_sap_destroy(sap);
    return 0;
}

static FilSapStats solve(SapFixture* f)
{
    FilSapStats stats;
    assert_int_equal(fil_sap_solve(sap, &f->problem, &settings, f->v, f->impulse, &stats), FIL_OK);
    return stats;
}

/* A by definition, entry by entry */
static double entry(const SapFixture* f, int i, int j)
{
    const int column = i / 4 > j / 4 ? j / 4 : i / 4, row = i / 4 > j / 4 ? i / 4 : j / 4;
    for (int k = f->start[column]; k < f->start[column + 1]; k++) {
        if (f->row[k] == row) {
            return i / 4 >= j / 4 ? f->a[16 * k + 4 * (j % 4) + i % 4] : f->a[16 * k + 4 * (i % 4) + j % 4];
        }
    }
    return 0.0;
}

/* v_c of constraint i */
static void constraint_velocity(const SapFixture* f, int i, double* v_c)
{
    const FilSapConstraint* c = &f->constraints[i];
    for (int row = 0; row < 3; row++) {
        v_c[row] = c->bias[row];
        for (int k = c->first_block; k < c->first_block + c->block_count; k++) {
            for (int d = 0; d < 4; d++) {
                v_c[row] += f->jacobian[12 * k + 4 * row + d] * f->v[4 * f->block[k] + d];
            }
        }
    }
}

/* |D (A (v - v*) - J' gamma)| over the larger of |D A v| and |D J' gamma|, all by definition */
static double momentum_residual(const SapFixture* f)
{
    const int n = 4 * f->problem.pattern.columns;
    double rest = 0.0, momentum = 0.0, impulse = 0.0;
    double* j = calloc((size_t)n, sizeof *j);
    for (int i = 0; i < f->problem.constraint_count; i++) {
        const FilSapConstraint* c = &f->constraints[i];
        for (int k = c->first_block; k < c->first_block + c->block_count; k++) {
            for (int d = 0; d < 4; d++) {
                for (int row = 0; row < 3; row++) {
                    j[4 * f->block[k] + d] += f->jacobian[12 * k + 4 * row + d] * f->impulse[3 * i + row];
                }
            }
        }
    }
    for (int r = 0; r < n; r++) {
        double p = 0.0, change = 0.0;
        for (int c = 0; c < n; c++) {
            p += entry(f, r, c) * f->v[c];
            change += entry(f, r, c) * (f->v[c] - f->v_free[c]);
        }
        const double mass = entry(f, r, r);
        rest += (change - j[r]) * (change - j[r]) / mass;
        momentum += p * p / mass;
        impulse += j[r] * j[r] / mass;
    }
    free(j);
    return sqrt(rest) / sqrt(fmax(momentum, impulse));
}

/* ---- by hand ---- */

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* One free block of mass m above the ground. */
static SapFixture* puck(double m, double dt, FilSapContact contact)
{
    SapFixture* f = fixture_new(dt);
    fixture_add_variable(f, m);
    fixture_add_constraint(f, FIL_SAP_CONTACT)->contact = contact;
    memcpy(fixture_add_jacobian(f, 0), identity, sizeof identity);
    return f;
}

static void no_constraints(void** state)
{
    (void)state;
    SapFixture* f = fixture_new(1e-3);
    fixture_add_variable(f, 2.0);
    const double v_free[4] = {1.0, -2.0, 3.0, -4.0};
    memcpy(f->v_free, v_free, sizeof v_free);
    const FilSapStats stats = solve(f);
    assert_memory_equal(f->v, v_free, sizeof v_free);
    assert_int_equal(stats.analyses, 0);
    assert_int_equal(stats.factorisations, 0);
    free(f);
}

/* A puck on the ground in closed form: stick, slide, fly. gamma_n = (v_hat - v*)/(1/m + Rn) in stick. */
static void puck_regions(void** state)
{
    (void)state;
    const double m = 2.0, dt = 1e-2, g = 9.81, w = 1.0 / m, rn = w / (4.0 * 9.8696044010893586), rt = 1e-3 * w;
    const FilSapContact contact = {.mu = 0.5, .stiffness = INFINITY};
    SapFixture* f = puck(m, dt, contact);
    // the fourth place of the block, with no Jacobian, keeps its free velocity
    const double slow[4] = {0.01, 0.0, -g * dt, 7.0};
    memcpy(f->v_free, slow, sizeof slow);
    solve(f);
    // Newton stops at 1e-6; one step is exact here because the cost is quadratic in stick
    assert_true(fabs(f->impulse[2] - g * dt / (1.0 / m + rn)) < 1e-12);
    assert_true(fabs(f->impulse[0] + 0.01 / (1.0 / m + rt)) < 1e-12);
    assert_true(fabs(f->v[3] - 7.0) < 1e-14);

    // sliding: |gamma_t| = mu gamma_n, against the motion
    f->v_free[0] = 3.0;
    memset(f->v, 0, sizeof f->v);
    solve(f);
    assert_true(fabs(f->impulse[0] + 0.5 * f->impulse[2]) < 1e-12 && f->impulse[1] == 0.0);
    // the convex approximation's artefact: it separates at about mu |v_t|
    assert_true(fabs(f->v[2] - 0.5 * f->v[0] + rn * f->impulse[2] + 0.5 * rt * 0.5 * f->impulse[2]) < 1e-5 * f->v[0]);

    f->v_free[2] = 3.0;
    solve(f);
    assert_memory_equal(f->impulse, ((double[3]){0}), 3 * sizeof(double));
    // free flight from a warm start elsewhere: to the solver's tolerance
    assert_true(fabs(f->v[2] - 3.0) < 1e-5);
    free(f);
}

/* A speculative contact lets a body fall exactly up to the surface. */
static void speculative_contact(void** state)
{
    (void)state;
    const double dt = 1e-3;
    const FilSapContact contact = {.distance = 1e-3, .stiffness = INFINITY, .dissipation_time = 0.1};
    SapFixture* f = puck(1.0, dt, contact);
    f->v_free[2] = -0.5;
    solve(f);
    assert_true(f->impulse[2] == 0.0);  // 0.5 mm of the way
    f->v_free[2] = -3.0;
    solve(f);
    // gap + dt v = -dt R gamma, with R gamma = (1/(4 pi^2)) * 2 m/s at the most
    assert_true(f->impulse[2] > 0.0 && 1e-3 + dt * f->v[2] < 1e-12 && 1e-3 + dt * f->v[2] > -0.06 * dt);
    free(f);
}

/* Two pucks welded: they move as one, whatever their masses; the impulse is read off. */
static void weld(void** state)
{
    (void)state;
    SapFixture* f = fixture_new(1e-3);
    fixture_add_variable(f, 1.0);
    fixture_add_variable(f, 1e4);
    FilSapConstraint* c = fixture_add_constraint(f, FIL_SAP_BOUNDED);
    c->bounded = (FilSapBounded){.equations = 3,
                                 .error = {1e-4, 0.0, 0.0},
                                 .stiffness = INFINITY,
                                 .lower = {-INFINITY, -INFINITY, -INFINITY},
                                 .upper = {INFINITY, INFINITY, INFINITY}};
    for (int side = 0; side < 2; side++) {
        double* j = fixture_add_jacobian(f, side);
        for (int k = 0; k < 12; k++) {
            j[k] = (side == 0 ? 1.0 : -1.0) * identity[k];
        }
    }
    f->v_free[1] = 1.0;
    settings.rigidity = 1e-3;  // R = 2.5e-8 w: relative velocity is removed to 1e-7
    solve(f);
    assert_true(fabs(f->v[1] - f->v[5]) < 1e-6);
    assert_true(fabs(f->v[1] - 1.0 / 10001.0) < 1e-6);
    assert_true(fabs(f->v[0] - f->v[4] + 1e-4 / 1e-3) < 1e-6);  // closes the gap in one step
    assert_true(fabs(f->impulse[1] + 10000.0 / 10001.0) < 1e-5);
    settings = fil_sap_options_default();
    free(f);
}

/* A drive that cannot hold the load gives its effort and no more. */
static void saturated_drive(void** state)
{
    (void)state;
    SapFixture* f = fixture_new(1e-2);
    fixture_add_variable(f, 1.0);
    fixture_add_constraint(f, FIL_SAP_BOUNDED)->bounded =
        (FilSapBounded){.equations = 1, .stiffness = 1e3, .damping = 10.0, .lower = {-0.02}, .upper = {0.02}};
    fixture_add_jacobian(f, 0)[2] = 1.0;
    f->v_free[2] = -1.0;
    solve(f);
    assert_true(fabs(f->impulse[0] - 0.02) < 1e-15 && fabs(f->v[2] + 0.98) < 1e-6);
    free(f);
}

/* A scripted body has no variable: its velocity is the bias. A belt drags the puck along. */
static void belt(void** state)
{
    (void)state;
    SapFixture* f = puck(1.0, 1e-3, (FilSapContact){.mu = 1.0, .stiffness = INFINITY});
    f->constraints[0].bias[0] = -0.5;
    f->v_free[2] = -1.0;
    solve(f);
    // sticks to the belt but for Rt gamma = 1e-3 * 0.5
    assert_true(fabs(f->v[0] - 0.5) < 1e-3);
    free(f);
}

/* Between objects that cannot move: an impulse, and nothing else. */
static void no_variables(void** state)
{
    (void)state;
    SapFixture* f = puck(1.0, 1e-3, (FilSapContact){.mu = 1.0, .stiffness = INFINITY});
    f->constraints[0].block_count = 0;
    f->constraints[0].bias[2] = -1.0;
    f->v_free[2] = -1.0;
    const FilSapStats stats = solve(f);
    assert_int_equal(stats.iterations, 0);
    assert_true(f->v[2] == -1.0 && f->impulse[2] > 0.0);
    free(f);
}

/* ---- at random ---- */

/* Solves the 4x4 system m x = b by elimination; m is positive definite. */
static void solve4(double m[4][4], double* x)
{
    for (int k = 0; k < 4; k++) {
        for (int i = k + 1; i < 4; i++) {
            const double factor = m[i][k] / m[k][k];
            for (int j = k; j < 4; j++) {
                m[i][j] -= factor * m[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (int k = 3; k >= 0; k--) {
        for (int j = k + 1; j < 4; j++) {
            x[k] -= m[k][j] * x[j];
        }
        x[k] /= m[k][k];
    }
}

/* w as documented: the mean diagonal of J A^-1 J' with A's diagonal blocks for A */
static double compliance_of(const SapFixture* f, const FilSapConstraint* c)
{
    double sum = 0.0;
    for (int k = c->first_block; k < c->first_block + c->block_count; k++) {
        for (int row = 0; row < 3; row++) {
            const double* j = f->jacobian + 12 * k + 4 * row;
            double m[4][4], x[4];
            memcpy(x, j, sizeof x);
            for (int e = 0; e < 16; e++) {
                m[e / 4][e % 4] = entry(f, 4 * f->block[k] + e / 4, 4 * f->block[k] + e % 4);
            }
            solve4(m, x);
            sum += j[0] * x[0] + j[1] * x[1] + j[2] * x[2] + j[3] * x[3];
        }
    }
    return sum / 3.0;
}

/* gamma in the cone, v_c - v_hat + R gamma in its dual, and the two orthogonal. */
static void check_contact(const SapFixture* f, int i)
{
    const FilSapConstraint* c = &f->constraints[i];
    const double* gamma = f->impulse + 3 * i;
    const FilSapScales scales = {f->problem.dt, settings.rigidity, settings.stick, settings.slip_velocity};
    FilSapLaw law = {0};
    fil_sap_kinds[c->kind].prepare(c, compliance_of(f, c), &scales, &law);
    double v_c[3], rest[3], dot = 0.0, size = 0.0;
    constraint_velocity(f, i, v_c);
    for (int k = 0; k < 3; k++) {
        rest[k] = v_c[k] - law.v_hat[k] + law.r[k] * gamma[k];
        dot += gamma[k] * rest[k];
        size += fabs(gamma[k]) * (fabs(v_c[k]) + fabs(law.v_hat[k]) + law.r[k] * fabs(gamma[k]));
    }
    assert_true(hypot(gamma[0], gamma[1]) <= c->contact.mu * gamma[2] * (1.0 + 1e-12));
    assert_true(fabs(dot) <= 1e-6 * size);
    assert_true(rest[2] >= c->contact.mu * hypot(rest[0], rest[1]) - 1e-6 * (fabs(v_c[2]) + fabs(law.v_hat[2]) + hypot(v_c[0], v_c[1])));
}

/* 200 problems from a cold start (v = 0), up to 200 contacts, mass ratios to 1e4, mu from 0 to 2, redundant and
 * conflicting contacts: every one converges, and the solution is checked from outside. */
static void random_problems_converge(void** state)
{
    (void)state;
    Random random = {21};
    int max = 0, sum = 0;
    for (int trial = 0; trial < 200; trial++) {
        SapFixture* f = random_problem(&random, FIL_SAP_CONTACT, 1 + trial);
        const FilSapStats stats = solve(f);
        sum += stats.factorisations;
        max = stats.factorisations > max ? stats.factorisations : max;
        // the solver updates momenta from one iteration to the next, which drifts by some 1e-10 on these problems
        const double rest = momentum_residual(f);
        assert_true(rest <= 1e-6 * (1.0 + 1e-3));
        assert_true(fabs(rest - stats.residual) <= 1e-3 * stats.residual + 1e-9);
        for (int i = 0; i < f->problem.constraint_count; i++) {
            check_contact(f, i);
        }
        free(f);
    }
    print_message("factorisations: %.1f on average, %d at most\n", sum / 200.0, max);
    assert_true(max < 50);  // of the 100 allowed
}

static void random_lagged_problems_converge(void** state)
{
    (void)state;
    Random random = {22};
    for (int trial = 0; trial < 200; trial++) {
        SapFixture* f = random_problem(&random, FIL_SAP_LAGGED_CONTACT, 1 + trial);
        const int rounds = settings.max_rounds;
        settings.max_rounds = 0;  // bounds as the state gives them
        solve(f);
        settings.max_rounds = rounds;
        assert_true(momentum_residual(f) <= 1e-6 * (1.0 + 1e-3));
        for (int i = 0; i < f->problem.constraint_count; i++) {
            // |gamma_t| <= mu n0 with n0 = dt k (-phi0)+ (1 - d vn0)+ and dt^2 k at most 4 pi^2/w
            const FilSapContact* c = &f->constraints[i].contact;
            const double dt = f->problem.dt, pi = 3.14159265358979323846;
            const double stiff = fmin(dt * dt * c->stiffness, 4.0 * pi * pi / compliance_of(f, &f->constraints[i]));
            const double n0 = stiff / dt * fmax(-c->distance, 0.0) * fmax(1.0 - c->hunt_crossley * c->normal_velocity, 0.0);
            assert_true(hypot(f->impulse[3 * i], f->impulse[3 * i + 1]) <= c->mu * n0 * (1.0 + 1e-9));  // of w
            assert_true(f->impulse[3 * i + 2] >= 0.0);
        }
        free(f);
    }
}

/* Contacts of both kinds, welds, limits and drives in one problem. */
static void mixed_problems_converge(void** state)
{
    (void)state;
    Random random = {23};
    for (int trial = 0; trial < 50; trial++) {
        SapFixture* f = random_problem(&random, FIL_SAP_CONTACT, 100);
        for (int i = 0; i < 100; i++) {
            FilSapConstraint* c = &f->constraints[i];
            const double far = random_int(&random, 2) == 0 ? INFINITY : 0.1;
            if (i % 3 == 1) {
                c->kind = FIL_SAP_LAGGED_CONTACT;
            } else if (i % 3 == 2) {
                c->kind = FIL_SAP_BOUNDED;
                c->bounded = (FilSapBounded){.equations = 3,
                                             .stiffness = random_log(&random, 1.0, 1e9),
                                             .damping = random_log(&random, 1.0, 1e3),
                                             .error = {1e-4, -1e-4, 0.0},
                                             .lower = {-far, -far, 0.0},
                                             .upper = {far, far, far}};
            }
        }
        solve(f);
        assert_true(momentum_residual(f) <= 1e-6 * (1.0 + 1e-3));
        free(f);
    }
}

/* The optimum is unique: a warm start finds the same one, and from the optimum itself there is nothing to do. */
static void warm_starts_agree(void** state)
{
    (void)state;
    Random random = {24};
    for (int trial = 0; trial < 50; trial++) {
        SapFixture* f = random_problem(&random, FIL_SAP_CONTACT, 60);
        const int n = 4 * f->problem.pattern.columns;
        settings.tolerance = 1e-10;
        const FilSapStats cold = solve(f);
        double v[4 * MAX_VARIABLES];
        memcpy(v, f->v, sizeof v);
        for (int k = 0; k < n; k++) {
            f->v[k] = random_between(&random, -10.0, 10.0);
        }
        const FilSapStats warm = solve(f);
        // momenta drift by 1e-10 (above), and costs with them
        assert_true(fabs(cold.cost - warm.cost) <= 1e-10 * fabs(cold.cost));
        double difference = 0.0, size = 0.0;
        for (int k = 0; k < n; k++) {
            difference += (v[k] - f->v[k]) * (v[k] - f->v[k]);
            size += v[k] * v[k];
        }
        assert_true(difference <= 1e-12 * size);  // 1e-6 of the velocities: 1e-10 times a condition number of 1e4
        assert_int_equal(solve(f).iterations, 0);
        settings = fil_sap_options_default();
        free(f);
    }
}

/* ---- patterns ---- */

/* One analysis per pattern; a pattern inside the analysed one needs none; growing needs one. */
static void analyses_are_kept(void** state)
{
    (void)state;
    Random random = {25};
    SapFixture* f = random_problem(&random, FIL_SAP_CONTACT, 150);
    assert_int_equal(solve(f).analyses, 1);
    memset(f->v, 0, sizeof f->v);
    const FilSapStats again = solve(f);
    assert_int_equal(again.analyses, 0);
    assert_true(again.factorisations > 0);
    // a few contacts fewer, still solved right
    f->problem.constraint_count = 140;
    memset(f->v, 0, sizeof f->v);
    assert_int_equal(solve(f).analyses, 0);
    assert_true(momentum_residual(f) <= 1e-6 * (1.0 + 1e-3));
    f->problem.constraint_count = 150;
    memset(f->v, 0, sizeof f->v);
    assert_int_equal(solve(f).analyses, 0);
    assert_true(momentum_residual(f) <= 1e-6 * (1.0 + 1e-3));
    free(f);

    // ten pucks, a contact between two of them; then one between two others, then both
    f = fixture_new(1e-3);
    for (int k = 0; k < 10; k++) {
        fixture_add_variable(f, 1.0);
        f->v_free[4 * k + 2] = k % 2 == 0 ? 1.0 : -1.0;
    }
    for (int k = 0; k < 2; k++) {
        fixture_add_constraint(f, FIL_SAP_CONTACT)->contact = (FilSapContact){.mu = 0.3, .stiffness = INFINITY};
        fixture_add_jacobian(f, 8 * k)[10] = -1.0;
        fixture_add_jacobian(f, 8 * k + 1)[10] = 1.0;
    }
    f->problem.constraint_count = 1;
    assert_int_equal(solve(f).analyses, 1);
    f->problem.constraints = f->constraints + 1;
    assert_int_equal(solve(f).analyses, 1);
    f->problem.constraints = f->constraints;
    f->problem.constraint_count = 2;
    memset(f->v, 0, sizeof f->v);
    assert_int_equal(solve(f).analyses, 1);
    assert_true(f->impulse[2] > 0.4 && f->impulse[5] > 0.4);
    free(f);
}

/* Two Jacobian blocks on the same variable act as their sum. */
static void repeated_variable(void** state)
{
    (void)state;
    Random random = {26};
    SapFixture* f = random_problem(&random, FIL_SAP_CONTACT, 1);
    f->problem.constraint_count = f->jacobians = 0;
    fixture_add_constraint(f, FIL_SAP_CONTACT)->contact = (FilSapContact){.distance = -1e-3, .mu = 0.6, .stiffness = INFINITY};
    f->constraints[0].compliance = 1.0;
    double sum[12];
    for (int k = 0; k < 2; k++) {
        double* j = fixture_add_jacobian(f, 0);
        for (int e = 0; e < 12; e++) {
            j[e] = random_between(&random, -1.0, 1.0);
            sum[e] = (k == 0 ? 0.0 : sum[e]) + j[e];
        }
    }
    settings.tolerance = 1e-12;
    solve(f);
    double split[3];
    memcpy(split, f->impulse, sizeof split);
    f->problem.constraint_count = f->jacobians = 0;
    const FilSapConstraint whole = f->constraints[0];
    fixture_add_constraint(f, FIL_SAP_CONTACT)->contact = whole.contact;
    f->constraints[0].compliance = 1.0;
    memcpy(fixture_add_jacobian(f, 0), sum, sizeof sum);
    memset(f->v, 0, sizeof f->v);
    solve(f);
    assert_true(split[2] > 0.0);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(split[k] - f->impulse[k]) <= 1e-10 * fabs(split[2]));
    }
    settings = fil_sap_options_default();
    free(f);
}

/* ---- bad input ---- */

static void bad_numbers_are_reported(void** state)
{
    (void)state;
    Random random = {27};
    SapFixture* f = random_problem(&random, FIL_SAP_CONTACT, 20);
    FilSapStats stats;
    f->v_free[1] = NAN;
    assert_int_equal(fil_sap_solve(sap, &f->problem, &settings, f->v, f->impulse, &stats), FIL_NOT_CONVERGED);
    f->v_free[1] = 0.0;
    memset(f->v, 0, sizeof f->v);
    f->a[0] = -1.0;
    assert_int_equal(fil_sap_solve(sap, &f->problem, &settings, f->v, f->impulse, &stats), FIL_NOT_CONVERGED);
    assert_true(stats.indefinite);
    f->a[0] = 1e3;
    settings.max_factorisations = 1;
    memset(f->v, 0, sizeof f->v);
    assert_int_equal(fil_sap_solve(sap, &f->problem, &settings, f->v, f->impulse, &stats), FIL_NOT_CONVERGED);
    assert_true(stats.residual > settings.tolerance && isfinite(stats.residual) && !stats.indefinite);
    // and the workspace is as good as new
    settings = fil_sap_options_default();
    memset(f->v, 0, sizeof f->v);
    solve(f);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_constraints),
        cmocka_unit_test(puck_regions),
        cmocka_unit_test(speculative_contact),
        cmocka_unit_test(weld),
        cmocka_unit_test(saturated_drive),
        cmocka_unit_test(belt),
        cmocka_unit_test(no_variables),
        cmocka_unit_test(random_problems_converge),
        cmocka_unit_test(random_lagged_problems_converge),
        cmocka_unit_test(mixed_problems_converge),
        cmocka_unit_test(warm_starts_agree),
        cmocka_unit_test(analyses_are_kept),
        cmocka_unit_test(repeated_variable),
        cmocka_unit_test(bad_numbers_are_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
