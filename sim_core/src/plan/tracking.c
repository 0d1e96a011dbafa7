#include "plan/tracking.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/quat.h"
#include "base/vec3.h"
#include "plan/riccati.h"

// N and m/s, below which a plan is taken not to touch, and not to slip
static const double TOUCH = 1e-3, SLIP = 1e-3;

/* Shape and its rates, and six of the ball. */
enum { MAX_COUNT = 2 * FIL_PLAN_SHAPES + 6 };

/* Some 200 steps a second follow what the fastest strokes do. */
FilTrackingWeights fil_tracking_weights_default(void)
{
    // chosen: deviations of 3 mm, 0.1 m/s, 0.01 rad and 1 rad/s count as much as 5 N. With these the worst of 27 runs with wrong models ended 0.005
    // degrees off its target, where feedback without contact left 5 to 16
    return (FilTrackingWeights){
        .elongation = 3e-3, .rate = 0.1, .rotation = 0.01, .spin = 1.0, .effort = 5.0, .longest = 5e-3, .delay = 0.5, .alone = true};
}

/* Where deviations stand among a step's variables; rows are those of the variables before `tau`, in their order. */
typedef struct Places {
    int l, v, t, w, force, tau, variables, rows, carried;
} Places;

static Places places_of(int n)
{
    return (Places){0, n, 2 * n, 2 * n + 3, 2 * n + 6, 2 * n + 9, 3 * n + 9, 2 * n + 9, 2 * n + 6};
}

/* ---- the contact, linearised ---- */

/* A vector in the face is the sum of its products with the directions of friction times these. */
typedef struct Face {
    int directions;
    double friction, share[FIL_PLAN_DIRECTIONS][2];
} Face;

static Face face_of(const FilBallTurn* turn)
{
    Face face = {.directions = turn->directions, .friction = turn->friction};
    fil_ball_directions(turn, face.share);
    for (int i = 0; i < turn->directions; i++) {  // the sum of d_i d_i' is half their number
        face.share[i][0] *= 2.0 / turn->directions;
        face.share[i][1] *= 2.0 / turn->directions;
    }
    return face;
}

/* What the stage's columns by b_i are along axis a of the face. */
static double along(const Face* face, const FilBallLayout* o, const double* own, int row, int a)
{
    double sum = 0.0;
    for (int i = 0; i < face->directions; i++) {
        sum += face->share[i][a] * own[(o->b + i) * o->rows + row];
    }
    return sum;
}

/* The slip's derivative along axis a of the face by a variable: from the rows of slip_i. */
static double slip_by(const Face* face, const FilBallLayout* o, const double* own, int variable, int a)
{
    double sum = 0.0;
    for (int i = 0; i < face->directions; i++) {
        sum -= face->share[i][a] * own[variable * o->rows + o->slip + i];
    }
    return sum;
}

/* Slip along the face's axes at an instant: what the rows of slip_i leave of zero. */
static void slip_at(const Face* face, const FilBallLayout* o, const double* row, double nu[2])
{
    nu[0] = nu[1] = 0.0;
    for (int i = 0; i < face->directions; i++) {
        nu[0] -= face->share[i][0] * row[o->slip + i];
        nu[1] -= face->share[i][1] * row[o->slip + i];
    }
}

/* Rows of the contact's forces: free, sticking, or sliding with f_t = -mu f nu / |nu|. */
static void contact_rows(const Face* face, const FilBallLayout* o, const Places* z, const FilReference* to, const FilStepRows* rows,
                         FilRiccatiStage* out)
{
    const int m = z->rows, first = z->force;
    const bool touches = to->force[2] > TOUCH, slides = to->slip > SLIP;
    double nu[2];
    slip_at(face, o, rows->row, nu);
    const double size = hypot(nu[0], nu[1]), mu = face->friction;
    for (int a = 0; a < 2; a++) {
        const int row = first + a;
        if (!touches || slides) {
            out->own[row * m + row] = 1.0;
        }
        if (touches && slides && size > 0.0) {
            out->own[(first + 2) * m + row] = mu * nu[a] / size;
        }
        // (stick) the slip stays zero; (slide) friction turns with it: mu f (1 - d d') nu / |nu|
        for (int j = 0; j < 2 * o->joints + 3 && touches; j++) {
            const int variable = j < 2 * o->joints ? j : o->w + j - 2 * o->joints;
            const int column = j < 2 * o->joints ? j : z->w + j - 2 * o->joints;
            const double by[2] = {slip_by(face, o, rows->own, variable, 0), slip_by(face, o, rows->own, variable, 1)};
            const double length = size > 0.0 ? (nu[0] * by[0] + nu[1] * by[1]) / (size * size) : 0.0;
            out->own[column * m + row] = slides ? mu * to->force[2] * (by[a] - length * nu[a]) / fmax(size, SLIP) : by[a];
        }
    }
    const int row = first + 2;
    if (!touches) {
        out->own[row * m + row] = 1.0;
    }
    for (int j = 0; j < o->joints && touches; j++) {  // the gap stays: g . l+ = g . l
        const double g = -rows->own[(o->l + j) * o->rows + o->gap];
        out->own[(z->l + j) * m + row] = g;
        out->before[(z->l + j) * m + row] = -g;
    }
}

/* ---- one step of deviations ---- */

static void motion_rows(const Face* face, const FilBallLayout* o, const Places* z, double h, const FilReference* to, const FilStepRows* rows,
                        FilRiccatiStage* out)
{
    const int n = o->joints, m = z->rows;
    for (int i = 0; i < 2 * n + 3; i++) {
        const int from = i < 2 * n ? i : o->w + i - 2 * n, row = i < 2 * n ? i : z->w + i - 2 * n;
        for (int j = 0; j < 2 * n + 3; j++) {
            const int variable = j < 2 * n ? j : o->w + j - 2 * n, column = j < 2 * n ? j : z->w + j - 2 * n;
            out->own[column * m + row] = rows->own[variable * o->rows + from];
            out->before[column * m + row] = rows->before[variable * o->rows + from];
        }
        out->own[z->force * m + row] = along(face, o, rows->own, from, 0);
        out->own[(z->force + 1) * m + row] = along(face, o, rows->own, from, 1);
        out->own[(z->force + 2) * m + row] = rows->own[o->f * o->rows + from];
        for (int j = 0; j < n; j++) {
            out->own[(z->tau + j) * m + row] = rows->own[(o->tau + j) * o->rows + from];
        }
    }
    // t+ = t + h (dw+ + w x t)
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        out->own[(z->t + k) * m + z->t + k] = 1.0;
        out->own[(z->w + k) * m + z->t + k] = -h;
        out->before[(z->t + k) * m + z->t + k] = -1.0;
        out->before[(z->t + b) * m + z->t + k] = -h * to->w[a];
        out->before[(z->t + a) * m + z->t + k] = h * to->w[b];
    }
}

/* Squares of deviations, those of the arm without their part across the face. */
static void weigh(const FilBallLayout* o, const Places* z, double h, bool touches, const FilTrackingWeights* w, const FilStepRows* rows,
                  FilRiccatiStage* out)
{
    const int n = o->joints, all = z->variables;
    double g[FIL_PLAN_SHAPES], size2 = 0.0;
    for (int i = 0; i < n; i++) {
        g[i] = touches ? rows->own[(o->l + i) * o->rows + o->gap] : 0.0;
        size2 += g[i] * g[i];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const double p = (i == j ? 1.0 : 0.0) - (size2 > 0.0 ? g[i] * g[j] / size2 : 0.0);
            out->hessian[(z->l + j) * all + z->l + i] = h * p / (w->elongation * w->elongation);
            out->hessian[(z->v + j) * all + z->v + i] = h * p / (w->rate * w->rate);
        }
        out->hessian[(z->tau + i) * all + z->tau + i] = h / (w->effort * w->effort);
    }
    for (int k = 0; k < 3; k++) {
        out->hessian[(z->t + k) * all + z->t + k] = h / (w->rotation * w->rotation);
        out->hessian[(z->w + k) * all + z->w + k] = h / (w->spin * w->spin);
    }
}

/* ---- gains ---- */

/* In contact where the plan is, or without contact at all; steps x joints x carried. */
static bool fill_gains(const FilBallTurn* turn, const FilTrackingWeights* weights, bool contact, const FilTracking* tracking, double* gains)
{
    const FilBallLayout o = fil_ball_layout(turn);
    const Places z = places_of(o.joints);
    const Face face = face_of(turn);
    FilArena arena = {0};
    FilRiccati riccati;
    int carry[MAX_COUNT];
    for (int i = 0; i < z.carried; i++) {
        carry[i] = i;
    }
    const FilPlanProblem steps = {.stages = tracking->steps, .variables = z.variables, .rows = z.rows, .carried = z.carried, .carry = carry};
    bool ok = fil_riccati_create(&steps, &arena, &riccati);
    for (int k = 0; k < tracking->steps && ok; k++) {
        const FilReference* from = &tracking->instants[k];
        FilReference to = from[1];
        FilStepRows rows;
        if (!contact) {
            fil_v3_set(to.force, 0.0, 0.0, 0.0);
        }
        fil_step_rows(turn, tracking->step, from->v, from->w, &to, FIL_PLAN_FIRST, &rows);
        motion_rows(&face, &o, &z, tracking->step, &to, &rows, &riccati.stage[k]);
        contact_rows(&face, &o, &z, &to, &rows, &riccati.stage[k]);
        weigh(&o, &z, tracking->step, to.force[2] > TOUCH, weights, &rows, &riccati.stage[k]);
    }
    ok = ok && fil_riccati_factor(&riccati) == FIL_RICCATI_DONE;
    for (int k = 0; k < tracking->steps && ok; k++) {
        for (int i = 0; i < o.joints; i++) {
            for (int j = 0; j < z.carried; j++) {
                gains[(k * o.joints + i) * z.carried + j] = riccati.stage[k].gain[j * o.joints + i];
            }
        }
    }
    fil_arena_free(&arena);
    return ok;
}

bool fil_tracking_create(const FilPlanMesh* mesh, const double* x, const FilTrackingWeights* weights, FilTracking* out)
{
    const FilBallTurn* turn = mesh->data;
    // 1e-9: a whole number but for rounding
    const int n = 3 * turn->arm.sections, parts = (int)ceil(turn->step / weights->longest - 1e-9);
    *out = (FilTracking){.steps = parts * turn->stages, .joints = n, .step = turn->step / parts};
    out->instants = fil_alloc((size_t)out->steps + 1, sizeof *out->instants);
    const size_t gains = (size_t)out->steps * (size_t)(n * (2 * n + 6));
    out->gains = fil_alloc(2 * gains, sizeof(double));
    if (out->instants == NULL || out->gains == NULL) {
        fil_tracking_free(out);
        return false;
    }
    for (int k = 0; k <= out->steps; k++) {
        fil_reference_at(mesh, x, weights->delay, k * out->step, &out->instants[k]);
    }
    bool ok = fill_gains(turn, weights, true, out, out->gains);
    memcpy(out->gains + gains, out->gains, sizeof(double) * gains);
    ok = ok && (!weights->alone || fill_gains(turn, weights, false, out, out->gains + gains));
    if (!ok) {
        fil_tracking_free(out);
        return false;
    }
    return true;
}

void fil_tracking_free(FilTracking* tracking)
{
    fil_free(tracking->instants);
    fil_free(tracking->gains);
    *tracking = (FilTracking){.steps = 0};
}

/* ---- use ---- */

static int instant_before(const FilTracking* tracking, double time, double* share)
{
    const double at = fmin(fmax(time / tracking->step, 0.0), tracking->steps);
    const int k = at < tracking->steps ? (int)at : tracking->steps - 1;
    *share = at - k;
    return k;
}

static void blend(double* out, const double* a, const double* b, double share, int count)
{
    for (int i = 0; i < count; i++) {
        out[i] = (1.0 - share) * a[i] + share * b[i];
    }
}

void fil_tracking_at(const FilTracking* tracking, double time, FilReference* out)
{
    double share;
    const int k = instant_before(tracking, time, &share), n = tracking->joints;
    const FilReference *a = &tracking->instants[k], *b = a + 1;
    *out = *a;
    blend(out->l, a->l, b->l, share, n);
    blend(out->v, a->v, b->v, share, n);
    blend(out->w, a->w, b->w, share, 3);
    blend(out->q, a->q, b->q, share, 4);
    blend(out->force, a->force, b->force, share, 3);
    blend(out->tau, a->tau, b->tau, share, n);
}

void fil_tracking_efforts(const FilTracking* tracking, double time, const FilReference* state, bool touches, double* tau)
{
    double share, z[MAX_COUNT];
    const int k = instant_before(tracking, time, &share), n = tracking->joints, m = 2 * n + 6;
    FilReference plan;
    fil_tracking_at(tracking, time, &plan);
    memcpy(tau, plan.tau, sizeof(double) * (size_t)n);
    if (state == NULL) {
        return;
    }
    for (int i = 0; i < n; i++) {
        z[i] = state->l[i] - plan.l[i];
        z[n + i] = state->v[i] - plan.v[i];
    }
    // t: from the plan's orientation to the ball's, in the world
    const FilQuat now = {state->q[0], state->q[1], state->q[2], state->q[3]};
    const FilQuat back = {-plan.q[0], -plan.q[1], -plan.q[2], plan.q[3]};
    fil_quat_logarithm(fil_quat_multiply(now, back), z + 2 * n);
    fil_v3_sub(z + 2 * n + 3, state->w, plan.w);
    const double* gain = tracking->gains + (size_t)(k + (touches ? 0 : tracking->steps)) * (size_t)(n * m);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            tau[i] += gain[i * m + j] * z[j];
        }
    }
}
