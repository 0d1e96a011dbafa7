#include "plan/reference.h"

#include <math.h>
#include <string.h>

#include "base/quat.h"
#include "base/vec3.h"

// s, of the step by which accelerations enter the equations of motion: any small one gives the same
static const double INSTANT = 1e-3;
// m, below which the plan touches: its gaps are 1e-9 there
static const double TOUCHING = 1e-6;

void fil_step_rows(const FilBallTurn* turn, double h, const double* v0, const double* w0, const FilReference* to, FilPlanOrder order,
                   FilStepRows* out)
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
    double direction[FIL_PLAN_DIRECTIONS][2];
    fil_ball_directions(turn, direction);
    for (int i = 0; i < turn->directions; i++) {
        x[o.b + i] = 2.0 / turn->directions * (direction[i][0] * to->force[0] + direction[i][1] * to->force[1]);
    }
    memset(out, 0, order == FIL_PLAN_VALUES ? sizeof out->row : sizeof *out);
    FilPlanStage stage = {
        .row = out->row, .cost_own = out->cost_own, .cost_before = out->cost_before, .row_own = out->own, .row_before = out->before};
    fil_ball_evaluate(&step, 0, p, x, NULL, order, &stage);
}

/* A piece of the motion between two knots: the middles of stages, the start and the end. */
typedef struct Piece {
    const double *from, *to; /* variables of the stage that ends here, of the next one; NULL before the first stage and after the last */
    double begin, length;    /* s, of the plan's time */
    double lead;             /* s: places at its beginning are those of `from` less lead times rates */
    bool touches;            /* at both nodes */
} Piece;

/* The stage's middle k is at (k - 1/2) h. */
static Piece piece_at(const FilPlanMesh* mesh, const double* x, double delay, double time)
{
    const FilBallTurn* turn = mesh->data;
    const FilBallLayout o = fil_ball_layout(turn);
    const double h = turn->step;
    const int k = (int)floor(fmin(fmax(time / h + 0.5, 0.0), turn->stages));
    Piece piece = {.from = k > 0 ? x + (k - 1) * o.variables : mesh->before,
                   .to = k < turn->stages ? x + k * o.variables : NULL,
                   .begin = k > 0 ? (k - 0.5) * h : -delay * h,
                   .lead = k > 0 ? 0.5 * h : 0.0};
    piece.length = (k < turn->stages ? (k + 0.5) * h : turn->stages * h) - piece.begin;
    double gradient[FIL_PLAN_SHAPES];
    const double gap = k > 0 ? piece.from[o.gap] : fil_ball_gap(turn, piece.from + o.l, gradient);
    const double* acting = piece.to != NULL ? piece.to : piece.from;
    piece.touches = fabs(gap) < TOUCHING && acting[o.gap] < TOUCHING && acting[o.f] > 0.0;
    return piece;
}

/* What a variable with rate j has gained since the plan's node at a time: cubic in time (square between middles), with the rates of
 * both stages at the ends. */
static double gain_at(const Piece* piece, double h, int j, double time)
{
    const double v0 = piece->from[j], v1 = piece->to != NULL ? piece->to[j] : v0, length = piece->length;
    const double end = piece->to != NULL ? 0.5 * h * v1 : 0.0;  // at the next middle, seen from this node
    const double rise = end + piece->lead * v0, s = (time - piece->begin) / length;
    const double b = 3.0 * rise - length * (2.0 * v0 + v1), c = length * (v0 + v1) - 2.0 * rise;
    return s * (length * v0 + s * (b + s * c)) - piece->lead * v0;
}

/* Elongations at a time, on the ball where the plan is. */
static void places_at(const FilBallTurn* turn, const Piece* piece, double time, double* l)
{
    const FilBallLayout o = fil_ball_layout(turn);
    double gradient[FIL_PLAN_SHAPES], size2 = 0.0;
    for (int i = 0; i < o.joints; i++) {
        l[i] = piece->from[o.l + i] + gain_at(piece, turn->step, o.v + i, time);
    }
    if (!piece->touches) {
        return;
    }
    const double gap = fil_ball_gap(turn, l, gradient);  // one Newton step: interpolation leaves some um
    for (int i = 0; i < o.joints; i++) {
        size2 += gradient[i] * gradient[i];
    }
    for (int i = 0; i < o.joints && size2 > 0.0; i++) {
        l[i] -= gap / size2 * gradient[i];
    }
}

/* Friction that turns the ball as it does, and efforts of the arm. `v0` and `w0` are velocities an instant before. */
static void balance(const FilBallTurn* turn, const double* v0, const double* w0, FilReference* out)
{
    const FilBallLayout o = fil_ball_layout(turn);
    const double lever = INSTANT * turn->radius / turn->inertia;
    FilStepRows rows;
    double axes[3][3];
    // without friction the spin's rows are what friction must do: lever (f_1 d_2 - f_2 d_1) = -rest
    fil_step_rows(turn, INSTANT, v0, w0, out, FIL_PLAN_VALUES, &rows);
    fil_ball_axes(turn, out->l, axes);
    out->force[0] = -fil_v3_dot(rows.row + o.w, axes[1]) / lever;
    out->force[1] = fil_v3_dot(rows.row + o.w, axes[0]) / lever;
    fil_step_rows(turn, INSTANT, v0, w0, out, FIL_PLAN_VALUES, &rows);
    for (int i = 0; i < o.joints; i++) {
        out->tau[i] = rows.row[o.v + i] / INSTANT;
    }
}

void fil_reference_at(const FilPlanMesh* mesh, const double* x, double delay, double time, FilReference* out)
{
    const FilBallTurn* turn = mesh->data;
    const FilBallLayout o = fil_ball_layout(turn);
    const double h = turn->step, end = turn->stages * h, t = fmin(fmax(time, 0.0), end);
    const double late = delay * h * (1.0 - t / end), pace = 1.0 + delay * h / end;  // the plan's time is t - late
    const Piece piece = piece_at(mesh, x, delay, t - late);
    double v0[FIL_PLAN_SHAPES], w0[3], turned[3], l[2][FIL_PLAN_SHAPES];
    memset(out, 0, sizeof *out);
    // rates and accelerations by differences of the piece, which is smooth
    places_at(turn, &piece, t - late, out->l);
    places_at(turn, &piece, t - late - pace * INSTANT, l[0]);
    places_at(turn, &piece, t - late + pace * INSTANT, l[1]);
    for (int i = 0; i < o.joints; i++) {
        out->v[i] = (l[1][i] - l[0][i]) / (2.0 * INSTANT);
        v0[i] = out->v[i] - (l[1][i] - 2.0 * out->l[i] + l[0][i]) / INSTANT;
    }
    for (int i = 0; i < 3; i++) {
        const double a = gain_at(&piece, h, o.w + i, t - late - pace * INSTANT);
        const double b = gain_at(&piece, h, o.w + i, t - late + pace * INSTANT);
        turned[i] = gain_at(&piece, h, o.w + i, t - late);
        out->w[i] = (b - a) / (2.0 * INSTANT);
        w0[i] = out->w[i] - (b - 2.0 * turned[i] + a) / INSTANT;
    }
    const FilQuat q =
        fil_quat_multiply(fil_quat_exponential(turned), (FilQuat){piece.from[o.q], piece.from[o.q + 1], piece.from[o.q + 2], piece.from[o.q + 3]});
    out->q[0] = q.x, out->q[1] = q.y, out->q[2] = q.z, out->q[3] = q.w;
    // the stage whose force acts now
    const double* acting = piece.to != NULL ? piece.to : piece.from;
    out->force[2] = acting[o.f];
    out->slip = acting[o.g];
    balance(turn, v0, w0, out);
}
