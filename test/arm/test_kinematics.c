/* Poses, first and second derivatives of soft arms against complex steps, across the straight pose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arm/reference.h"
#include "random.h"

enum { SECTIONS = 3, UNKNOWNS = 4 * SECTIONS };

/* bending angles from far below rounding to beyond a right angle, and straight itself */
static const double angles[] = {0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 2.9, 3.1, 4.0};
enum { ANGLES = sizeof angles / sizeof angles[0] };

static FilSoftArm* make_arm(void)
{
    FilArmSection sections[SECTIONS];
    for (int k = 0; k < SECTIONS; ++k) {
        sections[k] = fil_arm_section_default();
        sections[k].chambers = 3 + k;
        sections[k].chamber_angle = 0.4 * k;
        sections[k].length = 0.15 - 0.02 * k;
        sections[k].chamber_offset = 0.03 - 0.004 * k;
    }
    FilArmDef def = fil_arm_def_default();
    def.sections = sections;
    def.section_count = SECTIONS;
    def.position = (FilVec3){0.3, -0.2, 1.0};
    def.orientation = (FilQuat){0.5, -0.1, 0.3, 0.8};
    FilSoftArm* arm;
    FilError error;
    assert_int_equal(fil_soft_arm_create(&def, &arm, &error), FIL_OK);
    return arm;
}

/* elongations of a section bent by `angle` towards `plane` and stretched by `stretch`: q_j = e - r b . d_j */
static void bend(const FilSoftArm* arm, int k, double angle, double plane, double stretch, double* q)
{
    for (int j = 0; j < 3; ++j) {
        double phi = arm->sections[k].chamber_angle + j * 2.0943951023931953;
        q[4 * k + j] = stretch - arm->sections[k].chamber_offset * angle * cos(phi - plane);
    }
    q[4 * k + 3] = 0.0;
}

static void bend_all(const FilSoftArm* arm, double angle, Random* random, double* q, double* v)
{
    for (int k = 0; k < SECTIONS; ++k) {
        bend(arm, k, angle, random_between(random, -3.0, 3.0), random_between(random, -0.03, 0.05), q);
        for (int j = 0; j < 4; ++j) {
            v[4 * k + j] = j < 3 ? random_between(random, -0.1, 0.1) : 0.0;
        }
    }
}

static double worst(double so_far, double a, double b, double scale)
{
    return fmax(so_far, fabs(a - b) / scale);
}

/* the functions themselves: against sums in long double */
static void stumpff_functions_are_exact(void** state)
{
    (void)state;
    double error = 0.0;
    for (double x = 0.0; x < 25.0; x = x == 0.0 ? 1e-24 : x * 1.3) {
        double c[7];
        fil_stumpff(x, c);
        for (int k = 0; k < 7; ++k) {
            long double term = 1.0L, sum = 0.0L;
            for (int i = 2; i <= k; ++i) {
                term /= i;
            }
            for (int i = 0; i < 40; ++i) {
                sum += term;
                term *= -(long double)x / ((long double)(k + 2 * i + 1) * (k + 2 * i + 2));
            }
            /* against the size at zero, 1/k! */
            double size = 1.0 / tgamma(k + 1.0);
            error = worst(error, c[k], (double)sum, size);
        }
    }
    print_message("stumpff: %.1e\n", error);
    assert_true(error < 1e-14); /* 1 - x c_2 loses a factor of x = 25 at most of 1e-16 */
}

static FilArmFrame frame_at(FilSoftArm* arm, const double* q, const double* v, FilArmPlace place)
{
    FilArmLink links[SECTIONS + 1];
    FilArmFrame frame;
    fil_soft_arm_links(arm, q, v, links);
    fil_soft_arm_frame(arm, links, q, v, place, &frame);
    return frame;
}

/* position, orientation and Jacobians at several places of the arm */
static void jacobians_agree_with_complex_steps(void** state)
{
    (void)state;
    FilSoftArm* arm = make_arm();
    Random random = {1};
    double pose_error = 0.0, move_error = 0.0, turn_error = 0.0;
    for (int a = 0; a < ANGLES; ++a) {
        for (int trial = 0; trial < 12; ++trial) {
            double q[UNKNOWNS], v[UNKNOWNS];
            bend_all(arm, angles[a], &random, q, v);
            const FilArmPlace place = {trial % SECTIONS, trial < 6 ? 1.0 : random_between(&random, 0.0, 1.0)};
            const FilArmFrame frame = frame_at(arm, q, NULL, place);

            Complex z[UNKNOWNS], t[16];
            for (int i = 0; i < UNKNOWNS; ++i) {
                z[i] = q[i];
            }
            reference_pose(arm, place, z, t);
            for (int i = 0; i < 3; ++i) {
                pose_error = worst(pose_error, frame.pose.p[i], creal(t[4 * i + 3]), 1.0);
                for (int j = 0; j < 3; ++j) {
                    pose_error = worst(pose_error, frame.pose.r[3 * i + j], creal(t[4 * i + j]), 1.0);
                }
            }
            for (int k = 0; k < 4 * (place.section + 1); ++k) {
                double move[3], turn[3];
                if (k % 4 == 3) {
                    continue;
                }
                reference_derivative(arm, place, q, k, move, turn);
                for (int i = 0; i < 3; ++i) { /* both are of the order of 1/r and L/r: 30/m and 5 */
                    move_error = worst(move_error, frame.move[k / 4][3 * i + k % 4], move[i], 1.0);
                    turn_error = worst(turn_error, frame.turn[k / 4][3 * i + k % 4], turn[i], 1.0);
                }
            }
        }
    }
    print_message("pose %.1e, move %.1e, turn %.1e\n", pose_error, move_error, turn_error);
    assert_true(pose_error < 1e-12); /* asked for: 1e-8; rounding of the reference's 40 terms gives 1e-13 */
    assert_true(move_error < 1e-11);
    assert_true(turn_error < 1e-11);
    fil_soft_arm_ops.destroy(arm);
}

/* rates of the Jacobians along a velocity, which are the second derivatives, against differences of complex steps */
static void second_derivatives_agree_with_differences(void** state)
{
    (void)state;
    FilSoftArm* arm = make_arm();
    Random random = {2};
    double move_error = 0.0, turn_error = 0.0;
    for (int a = 0; a < ANGLES; ++a) {
        for (int trial = 0; trial < 6; ++trial) {
            double q[UNKNOWNS], v[UNKNOWNS];
            bend_all(arm, angles[a], &random, q, v);
            const FilArmPlace place = {trial % SECTIONS, trial < 3 ? 1.0 : random_between(&random, 0.1, 1.0)};
            const FilArmFrame frame = frame_at(arm, q, v, place);

            const double step = 0.003; /* of |v| = 0.1: turns by 0.02, whose eighth power is below rounding */
            for (int k = 0; k < 4 * (place.section + 1); ++k) {
                double move[3] = {0.0}, turn[3] = {0.0};
                if (k % 4 == 3) {
                    continue;
                }
                for (int m = -4; m <= 4; ++m) {
                    double moved[UNKNOWNS], dm[3], dt[3];
                    if (m == 0) {
                        continue;
                    }
                    for (int i = 0; i < UNKNOWNS; ++i) {
                        moved[i] = q[i] + m * step * v[i];
                    }
                    reference_derivative(arm, place, moved, k, dm, dt);
                    double weight = (m > 0 ? 1.0 : -1.0) * reference_weights[(m > 0 ? m : -m) - 1] / step;
                    for (int i = 0; i < 3; ++i) {
                        move[i] += weight * dm[i];
                        turn[i] += weight * dt[i];
                    }
                }
                for (int i = 0; i < 3; ++i) { /* of the order of |v| L / r^2 and |v| / r^2: 20 and 100 */
                    move_error = worst(move_error, frame.move_rate[k / 4][3 * i + k % 4], move[i], 1.0);
                    turn_error = worst(turn_error, frame.turn_rate[k / 4][3 * i + k % 4], turn[i], 1.0);
                }
            }
        }
    }
    print_message("move rate %.1e, turn rate %.1e\n", move_error, turn_error);
    assert_true(move_error < 1e-8);
    assert_true(turn_error < 1e-8);
    fil_soft_arm_ops.destroy(arm);
}

/* velocities of a frame are its Jacobian times v */
static void velocities_follow_from_jacobians(void** state)
{
    (void)state;
    FilSoftArm* arm = make_arm();
    Random random = {3};
    double error = 0.0;
    for (int trial = 0; trial < 50; ++trial) {
        double q[UNKNOWNS], v[UNKNOWNS];
        bend_all(arm, random_between(&random, 0.0, 2.0), &random, q, v);
        FilArmLink links[SECTIONS + 1];
        FilArmFrame frame;
        fil_soft_arm_links(arm, q, v, links);
        fil_soft_arm_frame(arm, links, q, v, (FilArmPlace){trial % SECTIONS, 0.7}, &frame);
        for (int i = 0; i < 3; ++i) {
            double velocity = 0.0, spin = 0.0;
            for (int j = 0; j <= frame.section; ++j) {
                for (int c = 0; c < 3; ++c) {
                    velocity += frame.move[j][3 * i + c] * v[4 * j + c];
                    spin += frame.turn[j][3 * i + c] * v[4 * j + c];
                }
            }
            error = worst(worst(error, frame.velocity[i], velocity, 1.0), frame.spin[i], spin, 10.0);
        }
    }
    assert_true(error < 1e-13); /* sums of nine products of order one */
    fil_soft_arm_ops.destroy(arm);
}

/* passing through straight, the pose and its derivatives change no faster than anywhere else */
static void straight_is_a_pose_like_any_other(void** state)
{
    (void)state;
    FilSoftArm* arm = make_arm();
    FilArcFrame straight, frame;
    double q[UNKNOWNS];
    bend(arm, 0, 0.0, 0.0, 0.02, q);
    fil_arc_frame(&arm->arcs[0], 1.0, q, &straight);
    for (double angle = 1e-3; angle > 1e-17; angle *= 0.1) {
        for (int direction = 0; direction < 8; ++direction) {
            bend(arm, 0, angle, 0.785398 * direction, 0.02, q);
            fil_arc_frame(&arm->arcs[0], 1.0, q, &frame);
            for (int i = 0; i < 3; ++i) {
                assert_true(fabs(frame.pose.p[i] - straight.pose.p[i]) <= 0.17 * angle + 1e-15); /* L = 0.17 */
            }
            for (int i = 0; i < 9; ++i) {
                assert_true(fabs(frame.pose.r[i] - straight.pose.r[i]) <= 1.0 * angle + 1e-15);
                assert_true(fabs(frame.turn[i] - straight.turn[i]) <= 30.0 * angle + 1e-13); /* 1/r = 33 */
            }
        }
    }
    fil_soft_arm_ops.destroy(arm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stumpff_functions_are_exact),
        cmocka_unit_test(jacobians_agree_with_complex_steps),
        cmocka_unit_test(second_derivatives_agree_with_differences),
        cmocka_unit_test(velocities_follow_from_jacobians),
        cmocka_unit_test(straight_is_a_pose_like_any_other),
    };
    return cmocka_run_group_tests_name("arm kinematics", tests, NULL, NULL);
}
