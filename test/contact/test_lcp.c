/* The LCP model on small problems: closed forms, complementarity, its four solvers against each other and against SAP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact/lcp.h"
#include "contact/lcp_turn.h"
#include "sap_problems.h"

static FilLcp* lcp;

static int open_lcp(void** state)
{
    (void)state;
    lcp = fil_lcp_create();
    return lcp == NULL;
}

static int close_lcp(void** state)
{
    (void)state;
    fil_lcp_destroy(lcp);
    return 0;
}

static double difference(const double* a, const double* b, int n)
{
    double sum = 0.0, size = 0.0;
    for (int k = 0; k < n; k++) {
        sum += (a[k] - b[k]) * (a[k] - b[k]);
        size += b[k] * b[k];
    }
    return sum > 0.0 ? sqrt(sum / size) : 0.0;
}

/* Settings of a solver; the one beyond the last is that of large islands, made to take small ones. */
enum { LARGE = FIL_LCP_SOLVER_COUNT, SOLVERS };

static FilLcpSettings settings_of(int solver)
{
    FilLcpSettings settings = fil_lcp_settings_default();
    settings.solver = solver == LARGE ? FIL_LCP_NEWTON : (FilLcpSolver)solver;
    settings.dense_limit = solver == LARGE ? 0 : settings.dense_limit;
    return settings;
}

/* ---- one particle on a plane: closed forms ---- */

/* A particle of mass m that would move with v, touching the ground; its friction mu. */
static SapFixture* particle(double mass, double dt, double mu, double vx, double vy, double vz)
{
    SapFixture* f = fixture_new(dt);
    fixture_add_variable(f, mass);
    FilSapConstraint* c = fixture_add_constraint(f, FIL_SAP_CONTACT);
    c->contact = (FilSapContact){.mu = mu, .stiffness = INFINITY};
    double* j = fixture_add_jacobian(f, 0);
    j[0] = j[5] = j[10] = 1.0;
    f->v_free[0] = vx, f->v_free[1] = vy, f->v_free[2] = vz;
    return f;
}

static void solve(SapFixture* f, const FilLcpSettings* settings)
{
    FilLcpStats stats;
    assert_int_equal(fil_lcp_solve(lcp, &f->problem, settings, f->v, f->impulse, &stats), FIL_OK);
    // exact to the compliance of stage 3, 1e-8
    assert_true(stats.residual <= 1e-7);
}

static void assert_vector(const double* a, double x, double y, double z, double tolerance)
{
    assert_true(fabs(a[0] - x) <= tolerance && fabs(a[1] - y) <= tolerance && fabs(a[2] - z) <= tolerance);
}

static void a_particle_in_closed_form(void** state)
{
    (void)state;
    for (int solver = 0; solver < SOLVERS; solver++) {
        const FilLcpSettings settings = settings_of(solver);
        const double m = 2.0, tight = 1e-7;  // stage 3 gives way by 1e-8 of the impulse
        // frictionless: the normal velocity vanishes, the others stay
        SapFixture* f = particle(m, 1e-3, 0.0, 0.3, -0.2, -0.5);
        solve(f, &settings);
        assert_vector(f->v, 0.3, -0.2, 0.0, tight);
        assert_vector(f->impulse, 0.0, 0.0, m * 0.5, tight);
        free(f);
        // sticks: |m v_t| < mu m |v_n|
        f = particle(m, 1e-3, 0.8, 0.3, -0.2, -0.5);
        solve(f, &settings);
        assert_vector(f->v, 0.0, 0.0, 0.0, tight);
        assert_vector(f->impulse, -m * 0.3, m * 0.2, m * 0.5, tight);
        free(f);
        // slides along a direction of the pyramid: loses mu |v_n|
        f = particle(m, 1e-3, 0.4, 0.0, -0.7, -0.5);
        solve(f, &settings);
        assert_vector(f->v, 0.0, -0.7 + 0.4 * 0.5, 0.0, tight);
        free(f);
        // separates
        f = particle(m, 1e-3, 0.4, 0.1, -0.7, 0.5);
        solve(f, &settings);
        assert_vector(f->v, 0.1, -0.7, 0.5, 0.0);
        assert_vector(f->impulse, 0.0, 0.0, 0.0, 0.0);
        free(f);
    }
}

static void gaps_close_and_penetrations_open(void** state)
{
    (void)state;
    const FilLcpSettings settings = fil_lcp_settings_default();
    // a gap may close within the step, and no faster
    SapFixture* f = particle(1.0, 1e-2, 0.5, 0.0, 0.0, -0.5);
    f->constraints[0].contact.distance = 2e-3;
    solve(f, &settings);
    assert_true(fabs(f->v[2] + 0.2) < 1e-7);
    // a small penetration opens by the share of stabilisation, a large one at the recovery speed
    f->constraints[0].contact.distance = -1e-3;
    solve(f, &settings);
    assert_true(fabs(f->v[2] - settings.stabilisation * 0.1) < 1e-7);
    f->constraints[0].contact.distance = -0.1;
    solve(f, &settings);
    assert_true(fabs(f->v[2] - settings.recovery_speed) < 1e-7);
    // a soft one is a spring and damper: f = dt k (-phi - (dt + tau) v)
    f->constraints[0].contact.stiffness = 1e3;
    f->constraints[0].contact.dissipation_time = 0.05;
    f->constraints[0].contact.distance = -1e-3;
    solve(f, &settings);
    assert_true(fabs(f->impulse[2] - 1e-2 * 1e3 * (1e-3 - (1e-2 + 0.05) * f->v[2])) < 1e-7);
    assert_true(fabs(f->v[2] - (f->impulse[2] - 0.5)) < 1e-12);
    free(f);
}

/* ---- directions ---- */

/* Where the first direction is the way it slips, friction is the cone's, whichever way that is, and impulses come back along the problem's own
 * tangents. */
static void turned_directions_have_the_cones_friction(void** state)
{
    (void)state;
    FilLcpTurn turn = {0};
    for (int k = 0; k < 40; k++) {
        const double angle = 2.0 * 3.14159265358979 * k / 40.0, m = 2.0, mu = 0.4, speed = 0.7;
        SapFixture* f = particle(m, 1e-3, mu, 0.0, 0.0, -0.5);
        f->constraints[0].bias[0] = speed * cos(angle);
        f->constraints[0].bias[1] = speed * sin(angle);
        FilSapProblem turned;
        assert_true(fil_lcp_turn(&turn, &f->problem, f->v, &turned));
        const FilLcpSettings settings = fil_lcp_settings_default();
        assert_int_equal(fil_lcp_solve(lcp, &turned, &settings, f->v, f->impulse, NULL), FIL_OK);
        fil_lcp_turn_back(&turn, turned.constraint_count, f->impulse);
        assert_vector(f->impulse, -mu * m * 0.5 * cos(angle), -mu * m * 0.5 * sin(angle), m * 0.5, 1e-7);
        assert_vector(f->v, -mu * 0.5 * cos(angle), -mu * 0.5 * sin(angle), 0.0, 1e-7);
        free(f);
    }
    fil_lcp_turn_free(&turn);
}

static void more_directions_come_closer_to_the_cone(void** state)
{
    (void)state;
    double last = 1.0;
    for (int directions = 4; directions <= 32; directions *= 2) {
        FilLcpSettings settings = fil_lcp_settings_default();
        settings.directions = directions;
        double worst = 0.0;
        for (int k = 0; k < 40; k++) {
            // friction of the cone acts against the slip with mu times the normal impulse
            const double angle = 0.1 + 0.15 * k, mu = 0.3, x = cos(angle), y = sin(angle);
            SapFixture* f = particle(1.0, 1e-3, mu, x, y, -1.0);
            solve(f, &settings);
            worst = fmax(worst, hypot(f->impulse[0] + mu * x, f->impulse[1] + mu * y) / mu);
            free(f);
        }
        // friction along the nearest direction is off by half the angle between two at most
        assert_true(worst <= 2.0 * sin(0.5 * 3.14159265358979 / directions) + 1e-6);
        assert_true(worst < 0.7 * last);
        last = worst;
    }
}

/* ---- what a solution must satisfy, from the velocities and impulses alone ---- */

/* Worst miss of momentum balance, non-penetration, signs, complementarity and the cone, relative. */
static double miss(const SapFixture* f, int directions)
{
    const FilSapProblem* p = &f->problem;
    const int n = 4 * p->pattern.columns;
    double change[4 * MAX_VARIABLES], momentum[4 * MAX_VARIABLES], push[4 * MAX_VARIABLES] = {0}, size = 0.0;
    for (int k = 0; k < n; k++) {
        change[k] = f->v[k] - f->v_free[k];
    }
    fil_block_multiply(&p->pattern, p->a, change, momentum);
    double worst = 0.0;
    for (int i = 0; i < p->constraint_count; i++) {
        const FilSapConstraint* c = &f->constraints[i];
        const double* gamma = f->impulse + 3 * i;
        double v[3] = {0.0};
        for (int b = c->first_block; b < c->first_block + c->block_count; b++) {
            for (int e = 0; e < 12; e++) {
                v[e / 4] += f->jacobian[12 * b + e] * f->v[4 * f->block[b] + e % 4];
                push[4 * f->block[b] + e % 4] += f->jacobian[12 * b + e] * gamma[e / 4];
            }
        }
        const FilSapContact* contact = &c->contact;
        const double soft = isinf(contact->stiffness) ? 0.0 : 1.0 / (p->dt * p->dt * contact->stiffness);
        const double w = v[2] + contact->distance / p->dt + soft * gamma[2], f_n = gamma[2];
        const double slip = hypot(v[0], v[1]), friction = hypot(gamma[0], gamma[1]), shortest = cos(3.14159265358979 / directions);
        worst = fmax(worst, fmax(-w, fabs(fmin(w, f_n))));
        worst = fmax(worst, (friction - contact->mu * f_n) / (1.0 + f_n));
        if (slip > 1e-5 && f_n > 1e-5) {
            // slides: at the edge of the pyramid, against the slip
            worst = fmax(worst, (contact->mu * f_n * shortest - friction) / (1.0 + f_n));
            const double power = -(gamma[0] * v[0] + gamma[1] * v[1]);
            worst = fmax(worst, (shortest * contact->mu * f_n * slip - power) / (1.0 + f_n));
        }
    }
    double off = 0.0;
    for (int k = 0; k < n; k++) {
        off = fmax(off, fabs(momentum[k] - push[k]));
        size = fmax(size, fabs(f->a[0] * f->v_free[k]));  // of the momenta at work
    }
    return fmax(worst, off / size);
}

/* Contacts of rigid and of soft surfaces, still apart, with friction up to 0.5: larger ones may have more than one
 * solution. */
static SapFixture* contacts_ahead(Random* random, int max)
{
    SapFixture* f = random_problem(random, FIL_SAP_CONTACT, 1 + random_int(random, max));
    for (int i = 0; i < f->problem.constraint_count; i++) {
        FilSapContact* contact = &f->constraints[i].contact;
        contact->mu = fmin(contact->mu, 0.5);
        contact->distance = fabs(contact->distance);
    }
    return f;
}

static void solvers_agree_on_random_problems(void** state)
{
    (void)state;
    Random random = {2024};
    double worst = 0.0, worst_miss = 0.0;
    int swapped = 0;
    for (int trial = 0; trial < 500; trial++) {
        SapFixture* f = contacts_ahead(&random, 12);
        const int n = 4 * f->problem.pattern.columns;
        double v[SOLVERS][4 * MAX_VARIABLES];
        for (int solver = 0; solver < SOLVERS; solver++) {
            FilLcpSettings settings = settings_of(solver);
            settings.fallback = false;
            settings.regularisation = false;  // sharing a load among equal contacts would take Gauss-Seidel for ever
            settings.max_iterations = solver == FIL_LCP_GAUSS_SEIDEL ? 10000 : 100;
            FilLcpStats stats;
            assert_int_equal(fil_lcp_solve(lcp, &f->problem, &settings, f->v, f->impulse, &stats), FIL_OK);
            worst_miss = fmax(worst_miss, miss(f, settings.directions));
            memcpy(v[solver], f->v, sizeof f->v);
            swapped += solver != LARGE && stats.rounds > 1;
        }
        for (int solver = 0; solver < SOLVERS; solver++) {
            worst = fmax(worst, difference(v[solver], v[FIL_LCP_LEMKE], n));
        }
        free(f);
    }
    // 1e-8 of the tolerance, times mass ratios of up to 1e4 between what is measured and what moves
    assert_true(worst < 1e-5);
    assert_true(worst_miss < 1e-5);
    assert_true(swapped > 20);  // rows left out were needed after all
}

static void conditioning_does_not_change_the_solution(void** state)
{
    (void)state;
    Random random = {7};
    for (int trial = 0; trial < 60; trial++) {
        SapFixture* f = contacts_ahead(&random, 10);
        const int n = 4 * f->problem.pattern.columns;
        double plain[4 * MAX_VARIABLES];
        for (int variant = 0; variant < 8; variant++) {
            FilLcpSettings settings = fil_lcp_settings_default();
            settings.rank_selection = variant & 1;
            settings.equilibration = variant & 2;
            settings.regularisation = variant & 4;
            assert_int_equal(fil_lcp_solve(lcp, &f->problem, &settings, f->v, f->impulse, NULL), FIL_OK);
            if (variant == 0) {
                memcpy(plain, f->v, sizeof plain);
            }
            assert_true(difference(f->v, plain, n) < 1e-5);  // as above
        }
        free(f);
    }
}

/* ---- rows that depend on others are not always redundant ---- */

static void opposite_walls_are_both_kept(void** state)
{
    (void)state;
    for (int k = 0; k < 2 * SOLVERS; k++) {
        const FilLcpSettings settings = settings_of(k / 2);
        const double speed = k % 2 == 0 ? -1.0 : 1.0;
        SapFixture* f = particle(1.0, 1e-3, 0.3, 0.1, 0.0, speed);
        repeat_contact(f, -1.0);  // a lid on the floor
        FilLcpStats stats;
        assert_int_equal(fil_lcp_solve(lcp, &f->problem, &settings, f->v, f->impulse, &stats), FIL_OK);
        assert_true(fabs(f->v[2]) < 1e-7);
        assert_int_equal(stats.units, 2);
        assert_true(stats.active <= 2);
        free(f);
    }
}

/* ---- joints and limits ---- */

/* Random equations without bounds, limits and drives; SAP's solution of them is unique. */
static void bounded_equations_as_sap_has_them(void** state)
{
    (void)state;
    Random random = {99};
    FilSap* sap = fil_sap_create();
    FilSapOptions exact = fil_sap_options_default();
    exact.tolerance = 1e-9;
    for (int trial = 0; trial < 100; trial++) {
        SapFixture* f = random_problem(&random, FIL_SAP_BOUNDED, 1 + random_int(&random, 6));
        double impulses[3 * MAX_CONSTRAINTS], v[4 * MAX_VARIABLES] = {0};
        for (int i = 0; i < f->problem.constraint_count; i++) {
            FilSapBounded* b = &f->constraints[i].bounded;
            const int kind = random_int(&random, 4);
            *b = (FilSapBounded){.equations = 3, .stiffness = kind == 1 ? 1e4 : INFINITY, .damping = kind == 1 ? 3.0 : 0.0};
            for (int row = 0; row < 3; row++) {
                b->error[row] = random_between(&random, -1e-4, 1e-4);
                b->lower[row] = kind < 2 ? -INFINITY : (kind == 2 ? 0.0 : -0.01);
                b->upper[row] = kind < 3 ? INFINITY : 0.02;
            }
        }
        assert_int_equal(fil_sap_solve(sap, &f->problem, &exact, v, impulses, NULL), FIL_OK);
        for (int large = 0; large < 2; large++) {
            FilLcpSettings settings = settings_of(large ? LARGE : FIL_LCP_NEWTON);
            settings.regularisation = false;
            assert_int_equal(fil_lcp_solve(lcp, &f->problem, &settings, f->v, f->impulse, NULL), FIL_OK);
            assert_true(difference(f->v, v, 4 * f->problem.pattern.columns) < 1e-5);
            assert_true(difference(f->impulse, impulses, 3 * f->problem.constraint_count) < 1e-5);
        }
        free(f);
    }
    fil_sap_destroy(sap);
}

/* ---- the same bits, and bad input ---- */

static void a_solution_depends_on_the_problem_alone(void** state)
{
    (void)state;
    const FilLcpSettings settings = fil_lcp_settings_default();
    Random random = {5};
    SapFixture *a = contacts_ahead(&random, 12), *b = contacts_ahead(&random, 12);
    double first[4 * MAX_VARIABLES];
    const size_t bytes = sizeof(double) * 4 * (size_t)a->problem.pattern.columns;
    assert_int_equal(fil_lcp_solve(lcp, &a->problem, &settings, a->v, a->impulse, NULL), FIL_OK);
    memcpy(first, a->v, bytes);
    assert_int_equal(fil_lcp_solve(lcp, &b->problem, &settings, b->v, b->impulse, NULL), FIL_OK);
    assert_int_equal(fil_lcp_solve(lcp, &a->problem, &settings, a->v, a->impulse, NULL), FIL_OK);
    assert_memory_equal(first, a->v, bytes);
    free(a), free(b);
}

static void nothing_to_solve(void** state)
{
    (void)state;
    const FilLcpSettings settings = fil_lcp_settings_default();
    SapFixture* f = particle(1.0, 1e-3, 0.5, 1.0, 2.0, 3.0);
    f->problem.constraint_count = 0;
    assert_int_equal(fil_lcp_solve(lcp, &f->problem, &settings, f->v, f->impulse, NULL), FIL_OK);
    assert_vector(f->v, 1.0, 2.0, 3.0, 0.0);
    free(f);
}

static void a_tangent_that_is_not_positive_definite_is_reported(void** state)
{
    (void)state;
    const FilLcpSettings settings = fil_lcp_settings_default();
    SapFixture* f = particle(1.0, 1e-3, 0.5, 0.0, 0.0, -1.0);
    f->a[0] = -1.0;
    FilLcpStats stats;
    assert_int_equal(fil_lcp_solve(lcp, &f->problem, &settings, f->v, f->impulse, &stats), FIL_NOT_CONVERGED);
    assert_true(stats.indefinite);
    free(f);
}

static void bad_settings_are_named(void** state)
{
    (void)state;
    FilError error;
    const FilLcpSettings good = fil_lcp_settings_default();
    assert_int_equal(fil_lcp_settings_check(&good, &error), FIL_OK);
    FilLcpSettings bad[6] = {good, good, good, good, good, good};
    const char* words[6] = {"directions", "directions", "solver", "stabilisation", "max_iterations", "tolerance"};
    bad[0].directions = 7;
    bad[1].directions = 2;
    bad[2].solver = FIL_LCP_SOLVER_COUNT;
    bad[3].stabilisation = -0.1;
    bad[4].max_iterations = 0;
    bad[5].tolerance = NAN;
    for (int k = 0; k < 6; k++) {
        assert_int_equal(fil_lcp_settings_check(&bad[k], &error), FIL_BAD_INPUT);
        assert_non_null(strstr(error.text, words[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_in_closed_form),
        cmocka_unit_test(gaps_close_and_penetrations_open),
        cmocka_unit_test(turned_directions_have_the_cones_friction),
        cmocka_unit_test(more_directions_come_closer_to_the_cone),
        cmocka_unit_test(solvers_agree_on_random_problems),
        cmocka_unit_test(conditioning_does_not_change_the_solution),
        cmocka_unit_test(opposite_walls_are_both_kept),
        cmocka_unit_test(bounded_equations_as_sap_has_them),
        cmocka_unit_test(a_solution_depends_on_the_problem_alone),
        cmocka_unit_test(nothing_to_solve),
        cmocka_unit_test(a_tangent_that_is_not_positive_definite_is_reported),
        cmocka_unit_test(bad_settings_are_named),
    };
    return cmocka_run_group_tests(tests, open_lcp, close_lcp);
}
