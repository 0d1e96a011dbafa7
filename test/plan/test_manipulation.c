/* Derivatives of the transcription of robots, arms and bodies by complex steps, and its equations against the simulator's. */
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
#include "base/vec3.h"
#include "body/articulated.h"
#include "plan/interior_point.h"
#include "plan/manipulation_problem.h"
#include "random.h"
#include "show_progress.h"
#include "stage_check.h"

#define REAL double complex
#define STAGE ComplexStage
#define NAME(x) complex_##x
#define COSINE ccos
#define SINE csin
#define ROOT csqrt
// each needs the one before it
// clang-format off
#include "plan/tree_jet.inc"
#include "plan/touch.inc"
#include "plan/manipulation.inc"
// clang-format on

static bool evaluate_complex(const void* m, int stage, const double complex* p, const double complex* x, const double* multiplier, FilPlanOrder order,
                             ComplexStage* out)
{
    return complex_evaluate(m, stage, p, x, multiplier, order, out);
}

static void check_derivatives(const FilManipulation* m, int stage, uint64_t seed)
{
    static Exact exact;
    const FilManipulationLayout o = fil_manipulation_layout(m);
    Random random = {seed};
    double p[C], x[N], mult[N], values[N];
    assert_true(o.variables < N && o.carried <= C);
    for (int i = 0; i < o.variables; i++) {
        x[i] = random_between(&random, -1.0, 1.0);
        mult[i] = random_between(&random, -2.0, 2.0);
    }
    for (int i = 0; i < o.carried; i++) {
        p[i] = random_between(&random, -1.0, 1.0);
    }
    for (int b = 0; b < m->tree.blocks; b++) {  // sections are short
        for (int i = 0; m->tree.block[b].kind == FIL_BLOCK_SECTION && i < 3; i++) {
            x[m->tree.block[b].first + i] *= 0.05;
        }
    }
    const StageCheck check = {m, stage, o.variables, o.carried, o.rows, fil_manipulation_evaluate, evaluate_complex};
    evaluate_exact(&check, p, x, mult, &exact);
    // values alone are the same
    FilPlanStage only = {.row = values};
    assert_true(fil_manipulation_evaluate(m, stage, p, x, NULL, FIL_PLAN_VALUES, &only));
    for (int i = 0; i < o.rows; i++) {
        compare(values[i], exact.row[i], fabs(values[i]));
    }
    check_stage(&check, p, x, mult);
}

/* ---- a forest of everything ---- */

static FilPlanBlock joint(FilPlanBlockKind kind, int parent, Random* random)
{
    FilPlanBlock b = {.kind = kind, .parent = parent, .count = kind == FIL_BLOCK_SECTION ? 3 : 1};
    const double turn[3] = {random_between(random, -1.0, 1.0), random_between(random, -1.0, 1.0), random_between(random, -1.0, 1.0)};
    fil_m3_from_quat(b.rest.r, fil_quat_exponential(turn));
    double size = 0.0;
    for (int k = 0; k < 3; k++) {
        b.rest.p[k] = random_between(random, -0.5, 0.5);
        b.center[k] = random_between(random, -0.2, 0.2);
        b.axis[k] = random_between(random, -1.0, 1.0);
        b.second[k] = random_between(random, 0.1, 0.3);
        b.second[3 + k] = random_between(random, -0.1, 0.1);
        size += b.axis[k] * b.axis[k];
    }
    fil_v3_scale(b.axis, 1.0 / sqrt(size), b.axis);
    b.mass = random_between(random, 0.5, 2.0);
    if (kind == FIL_BLOCK_SECTION) {
        b.length = 0.3;
        b.slices = 2;
        b.slice_moment = 0.01;
        for (int k = 0; k < 9; k++) {
            b.shape[k] = random_between(random, -1.0, 1.0);
        }
    }
    return b;
}

static FilPlanTouch touch_between(int a, int b, double radius, double cylinder, Random* random)
{
    FilPlanTouch t = {.a = a, .b = b, .radius = radius, .cylinder = cylinder, .friction = 0.5};
    const FilPlanBlock any = joint(FIL_BLOCK_HINGE, -1, random);
    t.face = any.rest;
    fil_v3_copy(t.point, any.center);
    return t;
}

static void derivatives_are_exact(void** state)
{
    (void)state;
    Random random = {7};
    FilManipulation m = {.directions = 4, .stages = 2, .step = 0.04, .effort_weight = 0.3, .force_weight = 0.2};
    // a robot of three joints that forks, a slide with a section of a soft arm on it
    const int root = fil_plan_tree_add(
        &m.tree,
        &(FilPlanBlock){.kind = FIL_BLOCK_SLIDE, .parent = -1, .count = 1, .rest = fil_pose_identity(), .axis = {0.0, 1.0, 0.0}, .mass = 1.0});
    FilPlanBlock next = joint(FIL_BLOCK_HINGE, root, &random);
    const int elbow = fil_plan_tree_add(&m.tree, &next);
    next = joint(FIL_BLOCK_HINGE, elbow, &random);
    const int tip = fil_plan_tree_add(&m.tree, &next);
    next = joint(FIL_BLOCK_SLIDE, root, &random);
    const int fork = fil_plan_tree_add(&m.tree, &next);
    next = joint(FIL_BLOCK_SECTION, -1, &random);
    const int arm = fil_plan_tree_add(&m.tree, &next);
    next = joint(FIL_BLOCK_HINGE, arm, &random);
    const int wrist = fil_plan_tree_add(&m.tree, &next);
    fil_v3_set(m.tree.gravity, 0.3, -1.0, -9.81);
    m.touch[0] = touch_between(tip, wrist, 0.05, 0.0, &random);
    m.touch[1] = touch_between(wrist, -1, 0.0, 0.0, &random);
    m.touch[2] = touch_between(tip, arm, 0.1, 0.2, &random);
    m.touch[3] = touch_between(fork, tip, 0.03, 0.0, &random);  // variables that both have
    m.touches = 4;
    m.drives = 2;
    m.drive[0] = 1, m.drive[1] = 4;
    for (int i = 0; i < m.tree.coordinates; i++) {
        m.goal[i] = 0.1 * i;
        m.goal_weight[i] = 0.2;
        m.end_weight[i] = 0.5 + i;
        m.rate_weight[i] = 0.4;
        m.tree.stiffness[i] = 3.0, m.tree.damping[i] = 0.7, m.tree.armature[i] = 0.2;
    }
    for (int k = 0; k < 6; k++) {
        m.directions = k < 3 ? 4 : 0;  // a pyramid of friction, a cone
        check_derivatives(&m, k % 2, 100u + (unsigned)k);
    }
    print_message("worst derivative: %.1e\n", worst);
}

/* ---- a box pushed along the ground ---- */

// a box of 2 kg and 0.2 m on the ground, pushed along x by a ball of 20 mm on a slide of 0.5 kg
static const double BOX_MASS = 2.0, FINGER_MASS = 0.5, HALF = 0.1, TIP = 0.02, G = 9.81;

/* `effort` is what the cost is counted in. The force's weight chooses among the ways in which four corners share a load. */
static FilManipulation push_task(double mu, int stages, double effort)
{
    FilManipulation m = {.directions = 4, .stages = stages, .step = 1.0 / stages, .effort_weight = 1.0 / effort, .force_weight = 1e-6};
    int block = -1;
    for (int k = 0; k < 6; k++) {
        FilPlanBlock b = {.kind = k < 3 ? FIL_BLOCK_SLIDE : FIL_BLOCK_HINGE, .parent = block, .count = 1, .rest = fil_pose_identity()};
        b.axis[k % 3] = 1.0;
        if (k == 5) {
            b.mass = BOX_MASS;
            b.second[0] = b.second[1] = b.second[2] = BOX_MASS * HALF * HALF / 3.0;
        }
        block = fil_plan_tree_add(&m.tree, &b);
    }
    const int finger = fil_plan_tree_add(
        &m.tree, &(FilPlanBlock){
                     .kind = FIL_BLOCK_SLIDE, .parent = -1, .count = 1, .rest = fil_pose_identity(), .axis = {1.0, 0.0, 0.0}, .mass = FINGER_MASS});
    m.tree.gravity[2] = -G;
    for (int k = 0; k < 4; k++) {
        m.touch[k] = (FilPlanTouch){
            .a = block, .b = -1, .point = {k % 2 ? HALF : -HALF, k / 2 ? HALF : -HALF, -HALF}, .face = fil_pose_identity(), .friction = mu};
        m.touch[k].face.p[2] = -HALF;
    }
    // the face at -x: tangents z and y. Without friction: the ball would carry some of the box's weight, and push it with a sixth less effort
    static const double face[9] = {0, 0, -1, 0, 1, 0, 1, 0, 0};
    m.touch[4] = (FilPlanTouch){.a = finger, .b = block, .radius = TIP, .half = {HALF, HALF}, .friction = 0.0};
    memcpy(m.touch[4].face.r, face, sizeof face);
    m.touch[4].face.p[0] = -HALF;
    m.touches = 5;
    m.drives = 1;
    m.drive[0] = 6;
    m.goal[0] = 1.0;
    m.end_weight[0] = 1e-9;  // the bounds of the end do it
    return m;
}

static FilManipulationBounds push_bounds(void)
{
    FilManipulationBounds b = {.normal_force = 200.0, .slip = 20.0};
    for (int i = 0; i < FIL_PLAN_COORDINATES; i++) {
        b.lower[i] = -INFINITY, b.upper[i] = b.rate[i] = b.effort[i] = b.end[i] = b.end_rate[i] = INFINITY;
    }
    b.end[0] = b.end_rate[0] = 1e-4;
    return b;
}

static void pushes_a_box_with_least_effort(void** state)
{
    // finger and box move as one, M x'' = u - mu m g. Over 1 m from rest to rest within 1 s the integral of u^2 is least for a ramp,
    // u/M = a + 6 - 12 t with a = mu m g/M, and M^2 (a^2 + 12); waiting would not help, because sqrt(6/a) > 1 (test_interior_point.c), and the box
    // does not leave the finger, because friction alone would brake it faster than the ramp does
    (void)state;
    const double mu = 0.7, total = BOX_MASS + FINGER_MASS, a = mu * BOX_MASS * G / total, effort = total * total * (a * a + 12.0);
    const FilManipulationBounds bounds = push_bounds();
    FilPlanMesh problem[2];
    double *x[2], start[2 * FIL_PLAN_COORDINATES] = {0.0};
    start[6] = -HALF - TIP;
    for (int k = 0; k < 2; k++) {  // the finer mesh from the coarser one
        const int stages = 20 << k;
        const FilManipulation m = push_task(mu, stages, effort);
        assert_true(fil_manipulation_problem_create(&m, &bounds, start, &problem[k]));
        x[k] = calloc((size_t)(stages * problem[k].problem.variables), sizeof(double));
        FilPlanSettings settings = fil_plan_settings_default();
        settings.relaxation_start = k == 0 ? 10.0 : 1e-3;  // standing still is stationary, too
        settings.push = k == 0 ? settings.push : 1e-4;
        settings.report = show_progress;
        settings.max_iterations = 400;
        if (k == 0) {
            fil_manipulation_guess(&problem[k], 0.0, 0, x[k]);
        } else {
            fil_plan_resample(&problem[0].problem, fil_manipulation_layout(problem[0].data).gap, x[0], stages, x[k]);
        }
        FilPlanPoint point = {.x = x[k]};
        const FilPlanResult result = fil_interior_point(&problem[k].problem, &settings, &point);
        const FilPlanQuality q = fil_manipulation_judge(&problem[k], x[k]);
        print_message("%d stages: effort %.5f of the closed form's, %d iterations, rows %.1e, pairs %.1e and %.1e\n", stages, q.cost,
                      result.iterations, q.violation, q.gap_pair, q.slip_pair);
        assert_int_equal(result.outcome, FIL_PLAN_SOLVED);
        assert_true(q.violation < 1e-8 && q.gap_pair < 1e-7 && q.slip_pair < 1e-7);
        assert_true(fabs(q.cost - 1.0) < (k == 0 ? 2e-3 : 1e-3));
    }
    for (int k = 0; k < 2; k++) {
        free(x[k]);
        fil_plan_mesh_free(&problem[k]);
    }
}

/* Stages have room for 512 rows; two of them are a coordinate's. */
static void problems_of_too_many_rows_are_refused(void** state)
{
    (void)state;
    const FilManipulationBounds bounds = push_bounds();
    FilManipulation m = push_task(0.7, 2, 1.0);
    m.tree.coordinates = 257;
    FilPlanMesh problem;
    assert_false(fil_manipulation_problem_create(&m, &bounds, NULL, &problem));
    assert_null(problem.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(pushes_a_box_with_least_effort),
        cmocka_unit_test(problems_of_too_many_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
