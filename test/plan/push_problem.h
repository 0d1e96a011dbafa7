/* A box on the ground, pushed by a fingertip along a line: a stage problem with four pairs.
 *
 * Variables: box x, v; finger y; gap x - y; unused friction mu m g - f+ - f-; v + g, -v + g; then the finger's velocity,
 * its force u, friction f+, f-, and the slip speed g. */
#ifndef FILUM_TEST_PUSH_PROBLEM_H
#define FILUM_TEST_PUSH_PROBLEM_H

#include <math.h>

#include "plan/stage_problem.h"

enum { X, V, Y, GAP, UNUSED, UP, DOWN, FINGER, FORCE, PLUS, MINUS, SLIP, PUSH_VARIABLES, PUSH_ROWS = 7 };
enum { PUSH_STAGES = 100 };

typedef struct Push {
    double mass, friction, step, effort; /* kg; mu g, m/s^2; s; weight of u^2 */
    double lower[PUSH_STAGES * PUSH_VARIABLES], upper[PUSH_STAGES * PUSH_VARIABLES];
    int stages;
} Push;

static void push_entry(FilPlanStage* out, int row, int column, double value)
{
    out->row_own[column * PUSH_ROWS + row] = value;
}

static bool push_evaluate(const void* data, int stage, const double* p, const double* x, const double* multiplier, FilPlanOrder order,
                          FilPlanStage* out)
{
    const Push* push = data;
    const double h = push->step, m = push->mass;
    (void)multiplier, (void)stage;
    const double small = 1e-8, w = h * push->effort;
    out->cost = w * x[FORCE] * x[FORCE] + small * x[FINGER] * x[FINGER];
    const double rows[PUSH_ROWS] = {x[X] - p[0] - h * x[V],     m * (x[V] - p[1]) - h * (x[FORCE] + x[PLUS] - x[MINUS]), x[Y] - p[2] - h * x[FINGER],
                                    x[GAP] - (x[X] - x[Y]),     x[UNUSED] - (push->friction * m - x[PLUS] - x[MINUS]),   x[UP] - (x[V] + x[SLIP]),
                                    x[DOWN] - (-x[V] + x[SLIP])};
    for (int i = 0; i < PUSH_ROWS; i++) {
        out->row[i] = rows[i];
    }
    if (order == FIL_PLAN_VALUES) {
        return true;
    }
    out->cost_own[FORCE] = 2.0 * w * x[FORCE];
    out->cost_own[FINGER] = 2.0 * small * x[FINGER];
    push_entry(out, 0, X, 1.0), push_entry(out, 0, V, -h), out->row_before[0 * PUSH_ROWS + 0] = -1.0;
    push_entry(out, 1, V, m), push_entry(out, 1, FORCE, -h), push_entry(out, 1, PLUS, -h), push_entry(out, 1, MINUS, h);
    out->row_before[1 * PUSH_ROWS + 1] = -m;
    push_entry(out, 2, Y, 1.0), push_entry(out, 2, FINGER, -h), out->row_before[2 * PUSH_ROWS + 2] = -1.0;
    push_entry(out, 3, GAP, 1.0), push_entry(out, 3, X, -1.0), push_entry(out, 3, Y, 1.0);
    push_entry(out, 4, UNUSED, 1.0), push_entry(out, 4, PLUS, 1.0), push_entry(out, 4, MINUS, 1.0);
    push_entry(out, 5, UP, 1.0), push_entry(out, 5, V, -1.0), push_entry(out, 5, SLIP, -1.0);
    push_entry(out, 6, DOWN, 1.0), push_entry(out, 6, V, 1.0), push_entry(out, 6, SLIP, -1.0);
    if (order == FIL_PLAN_SECOND) {
        out->own_own[FORCE * PUSH_VARIABLES + FORCE] = 2.0 * w;
        out->own_own[FINGER * PUSH_VARIABLES + FINGER] = 2.0 * small;
    }
    return true;
}

/* By 1 m within 1 s, at rest at its end, with the least integral of u^2. */
static FilPlanProblem push_problem(Push* push, int stages, double mass, double friction, double force, double effort)
{
    static const int carry[3] = {X, V, Y};
    static const double before[3] = {0.0, 0.0, -0.01};
    static const double scale[PUSH_VARIABLES] = {1, 1, 1, 0.1, 1, 1, 1, 1, 10, 1, 1, 1};
    static const FilPlanPair pairs[4] = {{GAP, FORCE, 1.0}, {UNUSED, SLIP, 1.0}, {PLUS, UP, 1.0}, {MINUS, DOWN, 1.0}};
    *push = (Push){.mass = mass, .friction = friction, .step = 1.0 / stages, .effort = effort, .stages = stages};
    for (int k = 0; k < stages; k++) {
        double *lower = push->lower + k * PUSH_VARIABLES, *upper = push->upper + k * PUSH_VARIABLES;
        for (int j = 0; j < PUSH_VARIABLES; j++) {
            lower[j] = j >= GAP && j != FINGER ? 0.0 : -INFINITY;
            upper[j] = INFINITY;
        }
        upper[FORCE] = force;
    }
    const int last = (stages - 1) * PUSH_VARIABLES;
    push->lower[last + V] = -1e-6, push->upper[last + V] = 1e-6;
    push->lower[last + X] = 1.0 - 1e-6, push->upper[last + X] = 1.0 + 1e-6;
    return (FilPlanProblem){.data = push,
                            .stages = stages,
                            .variables = PUSH_VARIABLES,
                            .rows = PUSH_ROWS,
                            .carried = 3,
                            .carry = carry,
                            .before = before,
                            .lower = push->lower,
                            .upper = push->upper,
                            .scale = scale,
                            .pairs = pairs,
                            .pair_count = 4,
                            .evaluate = push_evaluate};
}

#endif
