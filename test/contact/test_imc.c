/* IMC: its energy and the derivatives of everything that a contact contributes, against differences. */
#include "contact/imc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

static const double RADIUS = 1.6e-3, DT = 5e-4;

/* Two crossed edges 3.3 mm long whose axes are `apart` in the middle. */
static FilPotentialContact crossed_edges(FilContact* contact, double apart, Random* random)
{
    FilPotentialContact c = {
        .contact = contact, .share = 1.0, .nodes = true, .radius = RADIUS, .thickness = 2.0 * RADIUS, .diagonal = 3e-5, .memory = {0, 1}};
    const double x[12] = {-1.5e-3, 0.0, 0.0, 1.8e-3, 0.1e-3, 0.0, 0.3e-3, -1.7e-3, apart, 0.2e-3, 1.6e-3, apart};
    for (int k = 0; k < 12; k++) {
        c.x[k] = x[k] + random_between(random, -1e-4, 1e-4) * (k % 3 != 2);
        c.speed[k] = random_between(random, -5e-3, 5e-3);
    }
    *contact = (FilContact){.mu = 0.3, .normal_velocity = -1e-3, .distance = apart - 2.0 * RADIUS, .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return c;
}

static double memory[FIL_POTENTIAL_MEMORY], edges[2], scratch[2];

static FilPotentialProblem problem_of(FilPotentialContact* contact, const FilImcSettings* settings)
{
    memset(memory, 0, sizeof memory);
    memset(edges, 0, sizeof edges);
    FilPotentialProblem p = {.dt = DT,
                             .gravity = 9.81,
                             .settings = settings,
                             .count = 1,
                             .contacts = contact,
                             .memory = memory,
                             .edge_memory = edges,
                             .edge_scratch = scratch};
    fil_imc_pair.begin(&p);
    return p;
}

static FilPotentialTerm evaluate(const FilPotentialProblem* p, const double* x, const double* u, FilPotentialOrder order)
{
    FilPotentialTerm term = {0};
    fil_imc_pair.evaluate(p, p->contacts, x, u, order, &term);
    return term;
}

static const double WEIGHT[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};

/* Sixth-order differences of the energy and of the gradient against what the model says, by the twelve coordinates. */
static void check_nodes(const FilPotentialProblem* p, const double* x, double step)
{
    const double u[3] = {0.0};
    const FilPotentialTerm term = evaluate(p, x, u, FIL_POTENTIAL_FULL);
    double size = 0.0, bend = 0.0;
    for (int k = 0; k < 144; k++) {
        size = fmax(size, fabs(term.gradient[k % 12]));
        bend = fmax(bend, fabs(term.hessian[k]));
    }
    for (int i = 0; i < 12; i++) {
        double slope = 0.0, row[12] = {0.0};
        for (int m = -3; m <= 3; m++) {
            if (m == 0) {
                continue;
            }
            double moved[12];
            memcpy(moved, x, sizeof moved);
            moved[i] += m * step;
            const FilPotentialTerm there = evaluate(p, moved, u, FIL_POTENTIAL_FORCE);
            const double weight = (m > 0 ? 1.0 : -1.0) * WEIGHT[(m > 0 ? m : -m) - 1] / step;
            slope += weight * there.energy;
            for (int j = 0; j < 12; j++) {
                row[j] += weight * there.gradient[j];
            }
        }
        assert_true(fabs(slope - term.gradient[i]) <= 1e-7 * size);
        for (int j = 0; j < 12; j++) {
            assert_true(fabs(row[j] - term.hessian[12 * i + j]) <= 1e-6 * bend);
        }
    }
}

static void test_energy(void** state)
{
    (void)state;
    const FilImcSettings s = fil_imc_settings_default();
    double first, second, there, ignored;
    // at touch half the stiffness; far inside all of it; far outside nothing
    fil_imc_energy(&s, 2.0, RADIUS, 0.0, &first, &second);
    assert_true(fabs(first + 1.0) < 1e-15);
    fil_imc_energy(&s, 2.0, RADIUS, -RADIUS, &first, &second);
    assert_true(fabs(first + 2.0) < 1e-15 && second < 1e-15);
    assert_true(fil_imc_energy(&s, 2.0, RADIUS, RADIUS, &first, &second) < 1e-20);
    for (double over = -3e-4; over < 3e-4; over += 1.3e-5) {
        const double step = 1e-7;
        const double e = fil_imc_energy(&s, 2.0, RADIUS, over, &first, &second);
        const double up = fil_imc_energy(&s, 2.0, RADIUS, over + step, &there, &ignored);
        const double down = fil_imc_energy(&s, 2.0, RADIUS, over - step, &ignored, &(double){0.0});
        // second order differences: step^2 times a third derivative of order (ce/h)^2
        assert_true(fabs((up - down) / (2.0 * step) - first) < 1e-4 * fabs(first));
        assert_true(fabs((up - 2.0 * e + down) / (step * step) - second) < 1e-3 * second + 1.0);
    }
}

static void test_normal_force(void** state)
{
    (void)state;
    Random random = {5};
    const FilImcSettings s = fil_imc_settings_default();
    for (double apart = 1.98 * RADIUS; apart < 2.1 * RADIUS; apart += 0.01 * RADIUS) {
        FilContact contact;
        FilPotentialContact c = crossed_edges(&contact, apart, &random);
        contact.mu = 0.0;
        const FilPotentialProblem p = problem_of(&c, &s);
        check_nodes(&p, c.x, 1e-7);
    }
}

static void test_static_friction(void** state)
{
    (void)state;
    Random random = {6};
    FilImcSettings s = fil_imc_settings_default();
    s.friction = FIL_IMC_STATIC;
    s.static_speed = 1e-2;  // wide enough for differences
    for (int trial = 0; trial < 20; trial++) {
        FilContact contact;
        FilPotentialContact c = crossed_edges(&contact, 2.0 * RADIUS, &random);
        const FilPotentialProblem p = problem_of(&c, &s);
        double x[12];
        for (int k = 0; k < 12; k++) {
            x[k] = c.x[k] + DT * random_between(&random, -2e-2, 2e-2);
        }
        check_nodes(&p, x, 1e-7);
    }
}

static void test_sliding_friction(void** state)
{
    (void)state;
    // against the slip at mid-edge, mu times the normal force, shared evenly (P2 eq. 18-20)
    Random random = {8};
    FilImcSettings s = fil_imc_settings_default();
    s.friction = FIL_IMC_SLIDING;
    s.contact_points = false;
    FilContact contact;
    FilPotentialContact c = crossed_edges(&contact, 2.0 * RADIUS, &random);
    static const double speed[12] = {0.01, 0, 0, 0.01, 0, 0, 0, 0, 0, 0, 0, 0};
    memcpy(c.speed, speed, sizeof speed);
    const FilPotentialProblem p = problem_of(&c, &s);
    const double u[3] = {0.0};
    const FilPotentialTerm with = evaluate(&p, c.x, u, FIL_POTENTIAL_FORCE);
    contact.mu = 0.0;
    const FilPotentialTerm without = evaluate(&p, c.x, u, FIL_POTENTIAL_FORCE);
    const double normal = fabs(without.gradient[2] + without.gradient[5]);
    for (int n = 0; n < 4; n++) {
        const double force = with.gradient[3 * n] - without.gradient[3 * n];
        // the normal is nearly z, so the slip along x nearly tangential
        assert_true(fabs(force - (n < 2 ? 0.5 : -0.5) * 0.3 * normal) < 1e-3 * normal);
    }
    // and none where nothing slides
    contact.mu = 0.3;
    memset(c.speed, 0, sizeof c.speed);
    const FilPotentialProblem at_rest = problem_of(&c, &s);
    const FilPotentialTerm still = evaluate(&at_rest, c.x, u, FIL_POTENTIAL_FORCE);
    for (int k = 0; k < 12; k++) {
        assert_true(fabs(still.gradient[k] - without.gradient[k]) < 1e-3 * normal);
    }
}

/* Several at once, lanes to spare, give what each gives alone. */
static void test_side_by_side(void** state)
{
    (void)state;
    for (int held = 0; held < 2; held++) {
        Random random = {11};
        FilImcSettings s = fil_imc_settings_default();
        s.friction = held == 1 ? FIL_IMC_STATIC : FIL_IMC_SLIDING;
        s.contact_points = false;
        for (int count = 1; count <= FIL_DOUBLE4_COUNT; count++) {
            FilContact contacts[FIL_DOUBLE4_COUNT];
            FilPotentialContact c[FIL_DOUBLE4_COUNT];
            for (int k = 0; k < count; k++) {
                c[k] = crossed_edges(&contacts[k], (1.99 + 0.02 * k) * RADIUS, &random);
                contacts[k].mu = k == 1 ? 0.0 : 0.3;
            }
            FilPotentialProblem p = problem_of(c, &s);
            p.count = count;
            p.soft = fil_soft_clamp(s.smoothing);
            fil_imc_pair.begin(&p);
            FilPotentialEdges e = {.count = count};
            FilDouble4 x[12];
            for (int lane = 0; lane < FIL_DOUBLE4_COUNT; lane++) {
                const int k = lane < count ? lane : count - 1;
                e.contact[lane] = k;
                e.stiffness[lane] = c[k].stiffness;
                e.radius[lane] = c[k].radius;
                e.thickness[lane] = c[k].thickness;
                e.start[lane] = c[k].start;
                e.ahead[lane] = c[k].ahead;
                for (int i = 0; i < 12; i++) {
                    e.push[i % 3][lane] = c[k].push[i % 3];
                    fil_double4_set(&x[i], lane, c[k].x[i] + DT * c[k].speed[i]);
                }
            }
            fil_imc_pair.evaluate_edges(&p, x, &e);
            assert_true(e.simple == (held == 0));
            for (int k = 0; k < count; k++) {
                double ends[12];
                for (int i = 0; i < 12; i++) {
                    ends[i] = fil_double4_get(&x[i], k);
                }
                FilPotentialTerm term = {0};
                fil_imc_pair.evaluate(&p, &c[k], ends, NULL, FIL_POTENTIAL_DEFINITE, &term);
                // both round a few times; friction of sliding is in no Hessian
                assert_true(fabs(e.energy[k] - term.energy) <= 1e-14 * term.energy);
                for (int i = 0; i < 12; i++) {
                    assert_true(fabs(e.gradient[i][k] - term.gradient[i]) <= 1e-14 * c[k].stiffness);
                    const double bend = e.second[k] * e.slope[i][k] * e.slope[i][k], size = e.second[k];
                    assert_true(held == 1 || fabs(bend - term.hessian[13 * i]) <= 1e-14 * size);
                }
            }
        }
    }
}

static void test_rows(void** state)
{
    (void)state;
    // a shape: energy over the relative velocity; displacements are dt u
    Random random = {9};
    FilImcSettings s = fil_imc_settings_default();
    s.friction = FIL_IMC_STATIC;
    s.static_speed = 1e-2;
    FilContact contact = {.mu = 0.4, .distance = 1e-5};
    FilPotentialContact c = {.contact = &contact, .share = 1.0, .radius = RADIUS, .diagonal = 3e-5, .memory = {-1, -1}};
    const FilPotentialProblem p = problem_of(&c, &s);
    assert_true(c.rows);
    for (int trial = 0; trial < 20; trial++) {
        double u[3];
        for (int k = 0; k < 3; k++) {
            u[k] = random_between(&random, -2e-2, 2e-2);
        }
        const FilPotentialTerm term = evaluate(&p, NULL, u, FIL_POTENTIAL_FULL);
        for (int i = 0; i < 3; i++) {
            const double step = 2e-4;
            double slope = 0.0, row[3] = {0.0};
            for (int m = -3; m <= 3; m++) {
                if (m == 0) {
                    continue;
                }
                double moved[3] = {u[0], u[1], u[2]};
                moved[i] += m * step;
                const FilPotentialTerm there = evaluate(&p, NULL, moved, FIL_POTENTIAL_FORCE);
                const double weight = (m > 0 ? 1.0 : -1.0) * WEIGHT[(m > 0 ? m : -m) - 1] / (step * DT);
                slope += weight * there.energy;
                for (int j = 0; j < 3; j++) {
                    row[j] += weight * there.row_gradient[j];
                }
            }
            assert_true(fabs(slope - term.row_gradient[i]) <= 1e-6 * c.stiffness);
            for (int j = 0; j < 3; j++) {
                assert_true(fabs(row[j] - term.row_hessian[3 * i + j]) <= 1e-5 * c.stiffness * s.sharpness / RADIUS);
            }
        }
    }
}

static void test_definite(void** state)
{
    (void)state;
    // without its own bending a contact's Hessian has no negative direction
    Random random = {10};
    const FilImcSettings s = fil_imc_settings_default();
    FilContact contact;
    FilPotentialContact c = crossed_edges(&contact, 2.01 * RADIUS, &random);
    const FilPotentialProblem p = problem_of(&c, &s);
    const double u[3] = {0.0};
    const FilPotentialTerm term = evaluate(&p, c.x, u, FIL_POTENTIAL_DEFINITE);
    for (int trial = 0; trial < 200; trial++) {
        double d[12], form = 0.0, size = 0.0;
        for (int k = 0; k < 12; k++) {
            d[k] = random_between(&random, -1.0, 1.0);
        }
        for (int k = 0; k < 144; k++) {
            form += d[k / 12] * term.hessian[k] * d[k % 12];
            size += fabs(term.hessian[k]);
        }
        assert_true(form >= -1e-14 * size);
    }
}

static void test_adaptation(void** state)
{
    (void)state;
    FilImcSettings s = fil_imc_settings_default();
    s.dissipation = 0.0;
    const double inside = 0.5 * (s.closest + s.farthest);
    assert_true(fil_imc_adapt(&s, 1.0, inside, 0.0, 1.0) == 1.0 && fil_imc_adapt(&s, 1.0, inside, -1e-4, 1.0) == 1.0);
    assert_true(fil_imc_adapt(&s, 1.0, s.closest - 0.01, 0.0, 1.0) > 1.0 && fil_imc_adapt(&s, 1.0, s.farthest + 0.01, 0.0, 1.0) < 1.0);
    // what is about to be too near, and what is thrown back: the one undoes the other, so that no energy comes of it
    const double coming = fil_imc_adapt(&s, 1.0, inside, -0.01, 1.0), parting = fil_imc_adapt(&s, 1.0, inside, 0.01, 1.0);
    assert_true(coming > 1.0 && fabs(coming * parting - 1.0) < 1e-15);
    // what parts slowly is left to do so
    assert_true(fil_imc_adapt(&s, 1.0, s.closest - 0.01, 1e-5, 1.0) == 1.0);
    // what hovers is let down no faster than it can follow
    assert_true(fabs((1.0 / fil_imc_adapt(&s, 1.0, 1.0, 0.0, 0.1) - 1.0) / (1.0 / fil_imc_adapt(&s, 1.0, 1.0, 0.0, 1.0) - 1.0) - 0.1) < 1e-12);
    // by the rate at most
    assert_true(fil_imc_adapt(&s, 1.0, -1.0, 0.0, 1.0) <= 1.0 + 5.0 * s.rate && fil_imc_adapt(&s, 1.0, 1.0, 0.0, 1.0) >= 1.0 - 5.0 * s.rate);
}

/* The inertia that a push moves: that of a ring of nodes, far longer than a push reaches, whose bending couples nodes as 1, -4, 6, -4, 1 (its modes
 * are cosines); and its slopes by the diagonal and the steps, against differences. */
static void test_inertia(void** state)
{
    (void)state;
    enum { NODES = 20000 };
    const double mass = 3e-5, elastic[] = {0.0, 1e-3, 0.5, 20.0, 1e4}, pi = acos(-1.0);
    for (int k = 0; k < 10; k++) {
        const double e = elastic[k / 2], steps = k % 2 == 0 ? 1.0 : 3.0, s = e * steps * steps / 6.0, diagonal = mass * (1.0 + e);
        double response = 0.0;
        for (int j = 0; j < NODES; j++) {
            const double bend = 2.0 - 2.0 * cos(2.0 * pi * j / NODES);
            response += 1.0 / (mass * (1.0 + s * bend * bend) * NODES);
        }
        const FilPotentialContact c = {.diagonal = diagonal, .elastic = e};
        const FilImcInertia inertia = fil_imc_inertia(&c, steps);
        assert_true(fabs(inertia.kg * response - 1.0) < 1e-10);
        const double step = 1e-5 * diagonal;
        const FilPotentialContact more = {.diagonal = diagonal + step, .elastic = (diagonal + step) / mass - 1.0};
        const FilPotentialContact less = {.diagonal = diagonal - step, .elastic = (diagonal - step) / mass - 1.0};
        const double slope = (fil_imc_inertia(&more, steps).kg - fil_imc_inertia(&less, steps).kg) / (2.0 * step);
        // second order, with a third derivative of some hundreds of the slope over the mass squared
        assert_true(fabs(slope - inertia.by_diagonal) < 1e-6 * inertia.by_diagonal);
        const double longer = fil_imc_inertia(&c, steps * exp(1e-4)).kg - fil_imc_inertia(&c, steps * exp(-1e-4)).kg;
        assert_true(fabs(longer / 2e-4 - inertia.by_log_steps) <= 1e-6 * inertia.by_log_steps + 1e-11 * inertia.kg);
    }
}

static void test_local_stiffness(void** state)
{
    (void)state;
    // two pairs, one too close and one too far: each goes its own way
    Random random = {11};
    FilImcSettings s = fil_imc_settings_default();
    s.local_stiffness = true;
    s.stiffness = 1e-3;
    FilContact contact[2];
    FilPotentialContact c[2] = {crossed_edges(&contact[0], 1.98 * RADIUS, &random), crossed_edges(&contact[1], 2.05 * RADIUS, &random)};
    double numbers[4] = {0.0}, room[4];
    c[1].memory[0] = 2, c[1].memory[1] = 3;
    memset(memory, 0, sizeof memory);
    FilPotentialProblem p = {
        .dt = DT, .gravity = 9.81, .settings = &s, .count = 2, .contacts = c, .memory = memory, .edge_memory = numbers, .edge_scratch = room};
    for (int step = 0; step < 10; step++) {
        fil_imc_pair.begin(&p);
    }
    // the global one follows the closest pair
    assert_true(memory[0] > 1.0001e-3 && c[0].stiffness >= memory[0] && c[1].stiffness < 0.9999e-3);
    assert_true(numbers[0] == numbers[1] && numbers[2] == numbers[3]);
}

static void test_bad_settings(void** state)
{
    (void)state;
    FilImcSettings s = fil_imc_settings_default();
    assert_null(fil_imc_settings_problem(&s));
    double* const numbers[] = {&s.sharpness, &s.smoothing, &s.reach, &s.static_speed, &s.rate, &s.reduction, &s.closest};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const double kept = *numbers[k];
        static const double bad[] = {NAN, INFINITY};
        for (size_t b = 0; b < 2; b++) {
            *numbers[k] = bad[b];
            assert_non_null(fil_imc_settings_problem(&s));
        }
        *numbers[k] = kept;
    }
    s.friction = (FilImcFriction)7;
    assert_non_null(fil_imc_settings_problem(&s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy),           cmocka_unit_test(test_normal_force), cmocka_unit_test(test_static_friction),
        cmocka_unit_test(test_sliding_friction), cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_definite),         cmocka_unit_test(test_adaptation),   cmocka_unit_test(test_local_stiffness),
        cmocka_unit_test(test_bad_settings),     cmocka_unit_test(test_inertia),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
