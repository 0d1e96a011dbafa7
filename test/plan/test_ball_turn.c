/* Derivatives of the ball's transcription by complex steps, and its equations against the simulator's. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/quat.h"
#include "p1_problem.h"
#include "random.h"
#include "stage_check.h"

#define REAL double complex
#define STAGE ComplexStage
#define NAME(x) complex_##x
#include "plan/arm_jet.inc"
#include "plan/ball_turn.inc"

static bool evaluate_complex(const void* turn, int stage, const double complex* p, const double complex* x, const double* m, FilPlanOrder order,
                             ComplexStage* out)
{
    return complex_evaluate(turn, stage, p, x, m, order, out);
}

static StageCheck check_of(const FilBallTurn* turn, int stage)
{
    const FilBallLayout o = fil_ball_layout(turn);
    return (StageCheck){turn, stage, o.variables, o.carried, o.rows, fil_ball_evaluate, evaluate_complex};
}

static void random_point(const FilBallTurn* turn, Random* random, double* p, double* x, double* m)
{
    const FilBallLayout o = fil_ball_layout(turn);
    for (int i = 0; i < o.variables; i++) {
        x[i] = random_between(random, -1.0, 1.0);
        m[i] = random_between(random, -2.0, 2.0);
    }
    for (int i = 0; i < o.joints; i++) {
        x[o.l + i] = random_between(random, -0.04, 0.08);
        p[o.l + i] = random_between(random, -0.04, 0.08);
        x[o.v + i] = random_between(random, -0.3, 0.3);
        p[o.v + i] = random_between(random, -0.3, 0.3);
    }
    for (int i = o.q; i < o.carried; i++) {
        p[i] = random_between(random, -1.0, 1.0);
    }
}

static void check_derivatives(const FilBallTurn* turn, int stage, uint64_t seed)
{
    const StageCheck check = check_of(turn, stage);
    Random random = {seed};
    double p[C], x[N], m[N];
    random_point(turn, &random, p, x, m);
    check_stage(&check, p, x, m);
}

static void derivatives_are_exact(void** state)
{
    (void)state;
    FilSoftArm* arm = p1_arm(4, true);
    FilBallTurn turn = p1_turn(arm, 100);
    for (int k = 0; k < 4; k++) {
        turn.kinematic = k == 3;
        check_derivatives(&turn, k == 2 ? 99 : k, 17u + (uint64_t)k);
    }
    print_message("worst derivative: %.1e\n", worst);
    fil_soft_arm_ops.destroy(arm);
}

/* The rows of v are m(v) of the simulator's implicit step, less the contact's impulse. */
static void rows_are_the_simulators(void** state)
{
    (void)state;
    static Exact exact;
    for (int variant = 0; variant < 2; variant++) {
        FilSoftArm* arm = p1_arm(variant == 0 ? 4 : 1, variant == 0);
        FilBallTurn turn = p1_turn(arm, 100);
        const FilBallLayout o = fil_ball_layout(&turn);
        Random random = {5u};
        double p[C], x[N], m[N], q0[12] = {0.0}, v0[12] = {0.0}, v1[12] = {0.0}, h0[64] = {0.0};
        random_point(&turn, &random, p, x, m);
        for (int i = 0; i < 9; i++) {  // the state before fits the one after
            p[o.l + i] = x[o.l + i] - turn.step * x[o.v + i];
            const int at = 4 * (i / 3) + i % 3;
            q0[at] = p[o.l + i], v0[at] = p[o.v + i], v1[at] = x[o.v + i];
        }
        const StageCheck check = check_of(&turn, 0);
        evaluate_exact(&check, p, x, m, &exact);
        const FilStepSetup setup = {.dt = turn.step, .theta = 1.0, .theta_vq = 1.0, .gravity = {0.0, 0.0, -9.81}};
        double residual[12], potential;
        fil_soft_arm_ops.begin(arm, &setup, q0, v0, h0);
        assert_true(fil_soft_arm_ops.evaluate(arm, v1, 0.0, residual, &potential));
        // the force on the disk, at the contact
        double q1[12] = {0.0};
        FilArmLink links[FIL_ARM_SECTIONS + 1];
        FilArmFrame frame;
        for (int i = 0; i < 9; i++) {
            q1[4 * (i / 3) + i % 3] = x[o.l + i];
        }
        fil_soft_arm_links(arm, q1, NULL, links);
        fil_soft_arm_frame(arm, links, q1, NULL, (FilArmPlace){2, 1.0}, &frame);
        double axis[3][3], push[3] = {0.0}, point[3], lever[3], moment[3];
        for (int a = 0; a < 3; a++) {
            fil_pose_axis(axis[a], &frame.pose, a);
        }
        for (int i = 0; i < turn.directions; i++) {
            const double angle = 2.0 * FIL_PI * i / turn.directions;
            fil_v3_axpy(push, x[o.b + i] * cos(angle), axis[0]);
            fil_v3_axpy(push, x[o.b + i] * sin(angle), axis[1]);
        }
        fil_v3_axpy(push, x[o.f], axis[2]);
        fil_v3_copy(point, turn.centre);
        fil_v3_axpy(point, -turn.radius, axis[2]);
        fil_v3_sub(lever, point, frame.pose.p);
        fil_v3_cross(moment, lever, push);
        for (int i = 0; i < 9; i++) {
            const int at = 4 * (i / 3) + i % 3, b = i / 3, c = i % 3;
            double impulse = 0.0;
            for (int k = 0; k < 3; k++) {
                impulse += turn.step * (frame.move[b][3 * k + c] * push[k] + frame.turn[b][3 * k + c] * moment[k]);
            }
            const double expected = residual[at] + impulse - turn.step * x[o.tau + i];
            assert_true(fabs(exact.row[o.v + i] - expected) < 1e-12);
        }
        // the ball's torque is that of the force at the contact
        double spin_lever[3], spin_torque[3];
        fil_v3_sub(spin_lever, point, turn.centre);
        fil_v3_cross(spin_torque, spin_lever, push);
        for (int k = 0; k < 3; k++) {
            const double torque = spin_torque[k] - turn.damping * x[o.w + k];
            const double expected = x[o.w + k] - p[o.w + k] - turn.step * torque / turn.inertia;
            assert_true(fabs(exact.row[o.w + k] - expected) < 1e-12);
        }
        // and its orientation turns as rigid bodies' do
        double rotation[3];
        fil_v3_scale(rotation, turn.step, x + o.w);
        const FilQuat q = fil_quat_multiply(fil_quat_exponential(rotation), (FilQuat){p[o.q], p[o.q + 1], p[o.q + 2], p[o.q + 3]});
        const double next[4] = {q.x, q.y, q.z, q.w};
        for (int k = 0; k < 4; k++) {
            assert_true(fabs(exact.row[o.q + k] - (x[o.q + k] - next[k])) < 1e-14);
        }
        fil_soft_arm_ops.destroy(arm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_simulators),
        cmocka_unit_test(derivatives_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
