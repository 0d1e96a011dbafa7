#include "plan/reference.h"

#include <math.h>
#include <string.h>

#include "base/quat.h"
#include "base/vec3.h"

// s, of the step by which accelerations enter the equations of motion: any small one gives the same
static const double INSTANT = 1e-3;

void fil_step_rows(const FilBallTurn* turn, double h, const double* v0, const double* w0, const FilReference* to, FilStepRows* out)
{
    const FilBallLayout o = fil_ball_layout(turn);
    FilBallTurn step = *turn;
    double p[FIL_STAGE_CARRIED] = {0.0}, x[FIL_STAGE_VARIABLES] = {0.0};
    step.step = h;
    for (int i = 0; i < o.joints; i++) {
        x[o.l + i] = to->l[i];
        x[o.v + i] = to->v[i];
        x[o.tau + i] = to->tau[i];
        p[o.l + i] = to->l[i] - h * to->v[i];
        p[o.v + i] = v0[i];
    }
    for (int k = 0; k < 3; k++) {
        x[o.w + k] = to->w[k];
        p[o.w + k] = w0[k];
    }
    p[o.q + 3] = x[o.q + 3] = 1.0;
    x[o.f] = to->force[2];
    // any force in the face's plane: b_i = 2/d F . d_i, since the sum of d_i d_i' is d/2
    for (int i = 0; i < turn->directions; i++) {
        const double angle = 2.0 * FIL_PI * i / turn->directions;
        x[o.b + i] = 2.0 / turn->directions * (cos(angle) * to->force[0] + sin(angle) * to->force[1]);
    }
    memset(out, 0, sizeof *out);
    FilPlanStage stage = {.row = out->row,
                          .cost_own = out->cost_own,
                          .cost_before = out->cost_before,
                          .row_own = out->own,
                          .row_before = out->before};
    fil_ball_evaluate(&step, 0, p, x, NULL, FIL_PLAN_FIRST, &stage);
}

void fil_step_axes(const FilBallTurn* turn, double h, const FilStepRows* rows, double axes[3][3])
{
    const FilBallLayout o = fil_ball_layout(turn);
    const double lever = h * turn->radius / turn->inertia;
    // the spin's rows by b_i are lever (cos_i d_2 - sin_i d_1); d/2 times the sums over i give both
    memset(axes, 0, sizeof(double) * 9);
    for (int i = 0; i < turn->directions; i++) {
        const double angle = 2.0 * FIL_PI * i / turn->directions, share = 2.0 / (turn->directions * lever);
        const double* column = rows->own + (o.b + i) * o.rows + o.w;
        fil_v3_axpy(axes[1], share * cos(angle), column);
        fil_v3_axpy(axes[0], -share * sin(angle), column);
    }
    fil_v3_cross(axes[2], axes[0], axes[1]);
}

/* A cubic over the unit interval from 0 to `rise`, with end slopes: value, slope and second derivative at s. */
static void cubic(double rise, const double slope[2], double s, double out[3])
{
    const double b = 3.0 * rise - 2.0 * slope[0] - slope[1], c = slope[0] + slope[1] - 2.0 * rise;
    out[0] = s * (slope[0] + s * (b + s * c));
    out[1] = slope[0] + s * (2.0 * b + 3.0 * s * c);
    out[2] = 2.0 * b + 6.0 * s * c;
}

/* Rates of variable j at the nodes before and after stage k: means of neighbouring stages, at the ends the known ones. */
static void node_rates(const FilBallProblem* problem, const double* x, int k, int j, double slope[2])
{
    const int n = problem->problem.variables, last = problem->turn.stages - 1;
    const double own = x[k * n + j];
    slope[0] = k > 0 ? 0.5 * (x[(k - 1) * n + j] + own) : problem->problem.before[j];
    slope[1] = k < last ? 0.5 * (own + x[(k + 1) * n + j]) : own;
}

/* Friction that turns the ball as it does, and efforts of the arm. `v0` and `w0` are velocities an instant before. */
static void balance(const FilBallTurn* turn, const double* v0, const double* w0, FilReference* out)
{
    const FilBallLayout o = fil_ball_layout(turn);
    const double lever = INSTANT * turn->radius / turn->inertia;
    FilStepRows rows;
    double axes[3][3];
    // without friction the spin's rows are what friction must do: lever (f_1 d_2 - f_2 d_1) = -rest
    fil_step_rows(turn, INSTANT, v0, w0, out, &rows);
    fil_step_axes(turn, INSTANT, &rows, axes);
    out->force[0] = -fil_v3_dot(rows.row + o.w, axes[1]) / lever;
    out->force[1] = fil_v3_dot(rows.row + o.w, axes[0]) / lever;
    fil_step_rows(turn, INSTANT, v0, w0, out, &rows);
    for (int i = 0; i < o.joints; i++) {
        out->tau[i] = rows.row[o.v + i] / INSTANT;
    }
}

void fil_reference_at(const FilBallProblem* problem, const double* x, double time, FilReference* out)
{
    const FilBallTurn* turn = &problem->turn;
    const FilBallLayout o = fil_ball_layout(turn);
    const double at = fmin(fmax(time / turn->step, 0.0), turn->stages), h = turn->step;
    const int k = at < turn->stages ? (int)at : turn->stages - 1;
    const double s = at - k, *own = x + k * o.variables;
    const double* before = k > 0 ? own - o.variables : problem->problem.before;
    double v0[FIL_PLAN_SHAPES], w0[3], slope[2], c[3], turned[3];
    memset(out, 0, sizeof *out);
    for (int i = 0; i < o.joints; i++) {
        node_rates(problem, x, k, o.v + i, slope);
        const double scaled[2] = {h * slope[0], h * slope[1]};
        cubic(own[o.l + i] - before[o.l + i], scaled, s, c);
        out->l[i] = before[o.l + i] + c[0];
        out->v[i] = c[1] / h;
        v0[i] = out->v[i] - INSTANT * c[2] / (h * h);
    }
    // the ball turns by h w from node to node
    for (int i = 0; i < 3; i++) {
        node_rates(problem, x, k, o.w + i, slope);
        const double scaled[2] = {h * slope[0], h * slope[1]};
        cubic(h * own[o.w + i], scaled, s, c);
        turned[i] = c[0];
        out->w[i] = c[1] / h;
        w0[i] = out->w[i] - INSTANT * c[2] / (h * h);
    }
    const FilQuat q = fil_quat_multiply(fil_quat_exponential(turned),
                                        (FilQuat){before[o.q], before[o.q + 1], before[o.q + 2], before[o.q + 3]});
    out->q[0] = q.x, out->q[1] = q.y, out->q[2] = q.z, out->q[3] = q.w;
    // forces act throughout a stage: they are had at its middle
    const int other = s < 0.5 ? (k > 0 ? k - 1 : k) : (k + 1 < turn->stages ? k + 1 : k);
    const double share = fabs(s - 0.5);
    out->force[2] = (1.0 - share) * own[o.f] + share * x[other * o.variables + o.f];
    out->slip = own[o.g];
    balance(turn, v0, w0, out);
}
