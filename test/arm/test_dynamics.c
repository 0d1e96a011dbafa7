/* Inertia, Coriolis terms, gravity and the step's equations of soft arms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arm/reference.h"
#include "dense.h"
#include "random.h"

enum { SECTIONS = 3, UNKNOWNS = 4 * SECTIONS, SIZE = UNKNOWNS * UNKNOWNS };

static const double gravity[3] = {1.0, -2.0, -9.0};
static const double angles[] = {0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0};
enum { ANGLES = sizeof angles / sizeof angles[0] };

static FilSoftArm* make_arm(bool rotational, FilArmCoriolis coriolis)
{
    FilArmSection sections[SECTIONS];
    for (int k = 0; k < SECTIONS; ++k) {
        sections[k] = fil_arm_section_default();
        sections[k].mass = 1.2 / (k + 1);
        sections[k].chambers = 5 - k;
        sections[k].chamber_angle = -0.3 * k;
    }
    FilArmDef def = fil_arm_def_default();
    def.sections = sections;
    def.section_count = SECTIONS;
    def.rotational_energy = rotational;
    def.coriolis = coriolis;
    def.orientation = (FilQuat){0.7, 0.1, -0.2, 0.6};
    FilSoftArm* arm;
    FilError error;
    assert_int_equal(fil_soft_arm_create(&def, &arm, &error), FIL_OK);
    return arm;
}

static void random_state(const FilSoftArm* arm, double angle, Random* random, double* q, double* v)
{
    for (int k = 0; k < SECTIONS; ++k) {
        const double plane = random_between(random, -3.0, 3.0), stretch = random_between(random, -0.03, 0.05);
        for (int j = 0; j < 4; ++j) {
            const double phi = arm->sections[k].chamber_angle + j * 2.0943951023931953;
            q[4 * k + j] = j < 3 ? stretch - arm->sections[k].chamber_offset * angle * cos(phi - plane) : 0.0;
            v[4 * k + j] = j < 3 ? random_between(random, -0.3, 0.3) : 0.0;
        }
    }
}

/* M = sum m J'J + turn' I turn, from the complex-step Jacobians of all slices */
static void reference_mass(const FilSoftArm* arm, const double* q, double* mass)
{
    memset(mass, 0, sizeof(double) * SIZE);
    for (int p = 0; p < SECTIONS * arm->mass_points; ++p) {
        const FilArmSection* section = &arm->sections[p / arm->mass_points];
        const FilArmPlace place = {p / arm->mass_points, (p % arm->mass_points + 0.5) / arm->mass_points};
        const double m = section->mass / arm->mass_points;
        const double across = arm->rotational_energy ? 0.25 * m * section->disk_radius * section->disk_radius : 0.0;
        double move[UNKNOWNS][3] = {{0.0}}, turn[UNKNOWNS][3] = {{0.0}};
        Complex z[UNKNOWNS], t[16];
        for (int k = 0; k < UNKNOWNS; ++k) {
            z[k] = q[k];
            if (k % 4 < 3) {
                reference_derivative(arm, place, q, k, move[k], turn[k]);
            }
        }
        reference_pose(arm, place, z, t);
        const double axis[3] = {creal(t[2]), creal(t[6]), creal(t[10])};
        for (int i = 0; i < SIZE; ++i) {
            const int r = i / UNKNOWNS, c = i % UNKNOWNS;
            mass[i] += m * fil_v3_dot(move[r], move[c]) + across * fil_v3_dot(turn[r], turn[c]) +
                       across * fil_v3_dot(turn[r], axis) * fil_v3_dot(turn[c], axis);
        }
    }
    for (int k = 3; k < UNKNOWNS; k += 4) {
        mass[k * UNKNOWNS + k] = 1.0;
    }
}

static bool positive_definite(double* a)
{
    for (int r = 0; r < UNKNOWNS; ++r) {
        for (int c = 0; c <= r; ++c) {
            double sum = a[r * UNKNOWNS + c];
            for (int k = 0; k < c; ++k) {
                sum -= a[r * UNKNOWNS + k] * a[c * UNKNOWNS + k];
            }
            if (r == c && !(sum > 0.0)) {
                return false;
            }
            a[r * UNKNOWNS + c] = r == c ? sqrt(sum) : sum / a[c * UNKNOWNS + c];
        }
    }
    return true;
}

static void mass_is_symmetric_positive_and_right(void** state)
{
    (void)state;
    Random random = {1};
    double error = 0.0, asymmetry = 0.0, energy_error = 0.0;
    for (int rotational = 0; rotational < 2; ++rotational) {
        FilSoftArm* arm = make_arm(rotational == 1, FIL_ARM_CORIOLIS_FULL);
        for (int trial = 0; trial < 4 * ANGLES; ++trial) {
            double q[UNKNOWNS], v[UNKNOWNS], mass[SIZE], expected[SIZE], product[UNKNOWNS];
            random_state(arm, angles[trial % ANGLES], &random, q, v);
            fil_soft_arm_mass(arm, q, mass);
            reference_mass(arm, q, expected);
            error = fmax(error, dense_mismatch(mass, expected, SIZE));
            asymmetry = fmax(asymmetry, dense_asymmetry(mass, UNKNOWNS));
            dense_multiply(mass, v, UNKNOWNS, product);
            double kinetic = 0.0;
            for (int k = 0; k < UNKNOWNS; ++k) {
                kinetic += 0.5 * v[k] * product[k];
            }
            FilEnergy energy = {0};
            fil_soft_arm_energy(arm, q, v, gravity, &energy);
            energy_error = fmax(energy_error, fabs(energy.kinetic / kinetic - 1.0));
            assert_true(positive_definite(mass));
        }
        fil_soft_arm_ops.destroy(arm);
    }
    print_message("mass %.1e, asymmetry %.1e, kinetic energy %.1e\n", error, asymmetry, energy_error);
    assert_true(error < 1e-12); /* both are sums of a dozen products: rounding */
    assert_true(asymmetry == 0.0);
    assert_true(energy_error < 1e-12);
}

/* derivative of the mass matrix along v by eighth-order differences */
static void mass_rate(const FilSoftArm* arm, const double* q, const double* v, double* rate)
{
    const double step = 1e-3;
    double mass[SIZE], moved[UNKNOWNS];
    memset(rate, 0, sizeof(double) * SIZE);
    for (int m = -4; m <= 4; ++m) {
        if (m == 0) {
            continue;
        }
        for (int i = 0; i < UNKNOWNS; ++i) {
            moved[i] = q[i] + m * step * v[i];
        }
        fil_soft_arm_mass(arm, moved, mass);
        const double weight = (m > 0 ? 1.0 : -1.0) * reference_weights[(m > 0 ? m : -m) - 1] / step;
        for (int i = 0; i < SIZE; ++i) {
            rate[i] += weight * mass[i];
        }
    }
}

/* M' - 2 C is skew: the Coriolis terms do no work beyond the change of inertia; and C v is Lagrange's,
 * M' v - 1/2 d(v'M v)/dq */
static void coriolis_terms_are_lagranges(void** state)
{
    (void)state;
    Random random = {2};
    double skew_error = 0.0, lagrange_error = 0.0, force_error = 0.0;
    for (int rotational = 0; rotational < 2; ++rotational) {
        FilSoftArm* arm = make_arm(rotational == 1, FIL_ARM_CORIOLIS_FULL);
        for (int trial = 0; trial < 2 * ANGLES; ++trial) {
            double q[UNKNOWNS], v[UNKNOWNS], rate[SIZE], coriolis[SIZE], sum[SIZE], cv[UNKNOWNS], expected[UNKNOWNS];
            random_state(arm, angles[trial % ANGLES], &random, q, v);
            mass_rate(arm, q, v, rate);
            fil_soft_arm_coriolis(arm, q, v, coriolis);
            double largest = 0.0;
            for (int i = 0; i < SIZE; ++i) {
                sum[i] = rate[i] - 2.0 * coriolis[i];
                largest = fmax(largest, fabs(rate[i]));
            }
            for (int i = 0; i < SIZE; ++i) {
                skew_error = fmax(skew_error, fabs(sum[i] + sum[i % UNKNOWNS * UNKNOWNS + i / UNKNOWNS]) / largest);
            }
            dense_multiply(coriolis, v, UNKNOWNS, cv);
            dense_multiply(rate, v, UNKNOWNS, expected);
            for (int k = 0; k < UNKNOWNS; ++k) {
                double unit[UNKNOWNS] = {0.0}, by_q[SIZE], product[UNKNOWNS];
                unit[k] = k % 4 < 3 ? 1.0 : 0.0;
                mass_rate(arm, q, unit, by_q);
                dense_multiply(by_q, v, UNKNOWNS, product);
                for (int i = 0; i < UNKNOWNS; ++i) {
                    expected[k] -= 0.5 * product[i] * v[i];
                }
            }
            lagrange_error = fmax(lagrange_error, dense_mismatch(cv, expected, UNKNOWNS));
            double mass[SIZE], force[UNKNOWNS];
            const double nothing[3] = {0.0, 0.0, 0.0};
            fil_soft_arm_dynamics(arm, q, v, nothing, mass, force);
            for (int k = 0; k < UNKNOWNS; ++k) {
                force[k] = -force[k];
            }
            force_error = fmax(force_error, dense_mismatch(force, cv, UNKNOWNS));
        }
        fil_soft_arm_ops.destroy(arm);
    }
    print_message("skew %.1e, lagrange %.1e, force %.1e\n", skew_error, lagrange_error, force_error);
    assert_true(skew_error < 1e-8); /* differences of the mass matrix: rounding over the step, 1e-13 / 1e-3 */
    assert_true(lagrange_error < 1e-8);
    assert_true(force_error < 1e-11);
}

/* lumping changes Coriolis terms a little, leaving them out takes them away */
static void coriolis_can_be_simplified(void** state)
{
    (void)state;
    Random random = {3};
    FilSoftArm* arms[3] = {make_arm(true, FIL_ARM_CORIOLIS_FULL), make_arm(true, FIL_ARM_CORIOLIS_LUMPED), make_arm(true, FIL_ARM_CORIOLIS_NONE)};
    double q[UNKNOWNS], v[UNKNOWNS], mass[SIZE], force[3][UNKNOWNS];
    const double nothing[3] = {0.0, 0.0, 0.0};
    random_state(arms[0], 0.5, &random, q, v);
    for (int k = 0; k < 3; ++k) {
        fil_soft_arm_dynamics(arms[k], q, v, nothing, mass, force[k]);
        fil_soft_arm_ops.destroy(arms[k]);
    }
    const double lumped = dense_mismatch(force[1], force[0], UNKNOWNS);
    print_message("lumped Coriolis terms are off by %.2f\n", lumped);
    assert_true(lumped > 1e-3 && lumped < 0.5); /* another model, of the same size */
    for (int k = 0; k < UNKNOWNS; ++k) {
        assert_true(force[2][k] == 0.0);
    }
}

/* gravity's force is minus the gradient of its energy, a load's the work it does */
static void gravity_and_loads_are_gradients(void** state)
{
    (void)state;
    Random random = {4};
    FilSoftArm* arm = make_arm(false, FIL_ARM_CORIOLIS_NONE);
    const int disk = arm->disk_count - 2;
    double error = 0.0, load_error = 0.0;
    for (int trial = 0; trial < 2 * ANGLES; ++trial) {
        double q[UNKNOWNS], v[UNKNOWNS], mass[SIZE], force[UNKNOWNS], expected[UNKNOWNS] = {0.0}, load[UNKNOWNS] = {0.0};
        random_state(arm, angles[trial % ANGLES], &random, q, v);
        fil_soft_arm_ops.clear_loads(arm);
        fil_soft_arm_dynamics(arm, q, v, gravity, mass, force);
        const double step = 1e-3, zero[UNKNOWNS] = {0.0};
        for (int k = 0; k < UNKNOWNS; ++k) {
            for (int m = -4; m <= 4 && k % 4 < 3; ++m) {
                if (m != 0) {
                    double moved[UNKNOWNS];
                    memcpy(moved, q, sizeof moved);
                    moved[k] += m * step;
                    FilEnergy energy = {0};
                    fil_soft_arm_energy(arm, moved, zero, gravity, &energy);
                    expected[k] -= (m > 0 ? 1.0 : -1.0) * reference_weights[(m > 0 ? m : -m) - 1] / step * energy.gravity;
                }
            }
        }
        error = fmax(error, dense_mismatch(force, expected, UNKNOWNS));

        const double push[3] = {3.0, -1.0, 2.0}, twist[3] = {0.1, 0.3, -0.2}, nothing[3] = {0.0, 0.0, 0.0};
        fil_soft_arm_ops.load(arm, 0, FIL_DRIVE_FORCE, disk, 1, push, NULL);
        fil_soft_arm_ops.load(arm, 0, FIL_DRIVE_TORQUE, disk, 1, twist, NULL);
        fil_soft_arm_dynamics(arm, q, v, nothing, mass, force);
        for (int k = 0; k < UNKNOWNS; ++k) {
            double move[3], turn[3];
            if (k % 4 < 3) {
                reference_derivative(arm, arm->disks[disk].place, q, k, move, turn);
                load[k] = fil_v3_dot(move, push) + fil_v3_dot(turn, twist);
            }
        }
        load_error = fmax(load_error, dense_mismatch(force, load, UNKNOWNS));
    }
    print_message("gravity %.1e, loads %.1e\n", error, load_error);
    assert_true(error < 1e-9); /* of differences of an energy of 10 J over 1e-3 m */
    assert_true(load_error < 1e-12);
    fil_soft_arm_ops.destroy(arm);
}

/* the step's residual is the gradient of its potential, its tangent the derivative of the residual */
static void semi_implicit_steps_are_linear(void** state)
{
    (void)state;
    Random random = {5};
    FilSoftArm* arm = make_arm(true, FIL_ARM_CORIOLIS_FULL);
    double q[UNKNOWNS], v[UNKNOWNS], h[64] = {0.0}, trial[UNKNOWNS], residual[UNKNOWNS], solved[UNKNOWNS], potential;
    double diagonal[UNKNOWNS], scale[UNKNOWNS];
    const double pressure = 3e4;
    random_state(arm, 0.7, &random, q, v);
    FilStepSetup setup = {.dt = 2e-3, .theta = 1.0, .theta_vq = 1.0, .gravity = {0.0, 0.0, -9.81}};
    fil_soft_arm_ops.clear_loads(arm);
    fil_soft_arm_ops.load(arm, 0, FIL_DRIVE_PRESSURE, 2, 3, &pressure, h);
    fil_soft_arm_ops.begin(arm, &setup, q, v, h);
    for (int k = 0; k < UNKNOWNS; ++k) {
        trial[k] = k % 4 < 3 ? v[k] + random_between(&random, -0.1, 0.1) : 0.0;
    }
    assert_true(fil_soft_arm_ops.evaluate(arm, trial, 0.0, residual, &potential));
    fil_soft_arm_ops.diagonal(arm, trial, diagonal, scale);
    for (int k = 0; k < UNKNOWNS; ++k) {
        double moved[UNKNOWNS], there[UNKNOWNS], back[UNKNOWNS], up, down;
        if (k % 4 == 3) {
            assert_true(residual[k] == 0.0 && diagonal[k] == 0.0 && scale[k] == 0.0);
            continue;
        }
        memcpy(moved, trial, sizeof moved);
        moved[k] = trial[k] + 0.01;
        assert_true(fil_soft_arm_ops.evaluate(arm, moved, 0.0, there, &up));
        moved[k] = trial[k] - 0.01;
        assert_true(fil_soft_arm_ops.evaluate(arm, moved, 0.0, back, &down));
        /* quadratic and linear: differences are exact but for rounding */
        assert_true(fabs((up - down) / 0.02 - residual[k]) < 1e-10);
        assert_true(fabs((there[k] - back[k]) / 0.02 - diagonal[k]) < 1e-10);
    }
    assert_true(fil_soft_arm_ops.evaluate(arm, trial, 0.0, residual, &potential));
    assert_true(fil_soft_arm_ops.factor(arm));
    fil_soft_arm_ops.solve(arm, residual);
    for (int k = 0; k < UNKNOWNS; ++k) {
        trial[k] -= residual[k];
    }
    assert_true(fil_soft_arm_ops.evaluate(arm, trial, 0.0, solved, &potential));
    for (int k = 0; k < UNKNOWNS; ++k) {
        assert_true(fabs(solved[k]) < 1e-12); /* one Newton step solves it: momenta of order 0.1 */
    }
    fil_soft_arm_ops.destroy(arm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_is_symmetric_positive_and_right), cmocka_unit_test(coriolis_terms_are_lagranges),
        cmocka_unit_test(coriolis_can_be_simplified),           cmocka_unit_test(gravity_and_loads_are_gradients),
        cmocka_unit_test(semi_implicit_steps_are_linear),
    };
    return cmocka_run_group_tests_name("arm dynamics", tests, NULL, NULL);
}
