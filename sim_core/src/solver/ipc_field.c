#include "solver/ipc_field.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "solver/ipc_friction.h"

void fil_ipc_field_free(FilIpcField* field)
{
    void* blocks[] = {field->x.at,          field->rings,     field->points.at,    field->from.at,       field->ends.at,
                      field->x_end.at,      field->ahead.at,  field->listed.at,    field->listed_end.at, field->slack.at,
                      field->stale.at,      field->boxes,     field->swept_bounds, field->pairs,         field->active.at,
                      field->was_active.at, field->work.at,   field->picked.at,    field->moved.at,      field->pushes.at,
                      field->pushing.at,    field->pushed.at, field->held.at,      field->first.at,      field->jets};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        fil_free(blocks[k]);
    }
    fil_ipc_slides_free(&field->slides);
    fil_ipc_slides_free(&field->other_slides);
    for (int r = 0; r < field->round_room; r++) {
        fil_free(field->rounds[r].pairs);
        fil_ipc_slides_free(&field->rounds[r].slides);
    }
    fil_free(field->rounds);
    fil_ipc_near_free(&field->near);
    for (int k = 0; k < 2; k++) {
        fil_pairs_free(&field->chosen[k]);
        fil_pairs_free(&field->sorting[k]);
    }
    fil_ipc_surface_free(&field->surface);
}

/* Bodies that are no points, at the end of the step if it went with v. Velocities and history there are written again when the
 * step is over. */
static void place_shapes(FilSolver* solver, const double* v, double* q)
{
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (!body->ops->points) {
            body->ops->finish(body->impl, v + body->v, q + body->q, solver->system->next.v + body->v, solver->system->next.h + body->h);
        }
    }
}

/* Coordinates at a time: some five microseconds. */
enum { PLACE_GRAIN = 4096 };

/* A body made of points, on its way with v, or with v less a share of a direction. */
typedef struct Going {
    const double *from, *v, *direction; /* NULL: none */
    double dt, share, *to;
} Going;

static void go_some(void* context, int first, int end, int worker)
{
    const Going* g = context;
    (void)worker;
    if (g->direction == NULL) {
        for (int k = first; k < end; k++) {
            g->to[k] = g->from[k] + g->dt * g->v[k];
        }
        return;
    }
    for (int k = first; k < end; k++) {
        g->to[k] = g->from[k] + g->dt * (g->v[k] - g->share * g->direction[k]);
    }
}

/* Where a body made of points is at the end of the step. */
static void go(const FilSolver* solver, const FilBody* body, Going going)
{
    going.from = solver->system->state.q + body->q;
    going.dt = solver->ipc.dt;
    fil_workers_run(body->q_count > PLACE_GRAIN ? solver->system->workers : NULL, body->q_count, PLACE_GRAIN, go_some, &going);
}

/* Configuration at the end of the step if it went with v, and the points of surfaces there. */
static void place(FilSolver* solver, const double* v, double* q, double* points)
{
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (body->ops->points) {
            go(solver, body, (Going){.v = v + body->v, .to = q + body->q});
        }
    }
    place_shapes(solver, v, q);
    fil_ipc_surface_place(solver, q, points);
}

static double add(FilSolver* solver, const double* v, double* residual)
{
    FilIpcField* field = &solver->ipc;
    place(solver, v, field->x.at, field->points.at);
    const double contacts = fil_ipc_contacts_add(solver, v, residual);
    return isfinite(contacts) ? contacts + fil_rings_add(solver, v, residual) : INFINITY;
}

/* Adds so many times `more`. */
typedef struct Sum {
    const double* more;
    double times, *to;
} Sum;

static void add_some(void* context, int first, int end, int worker)
{
    const Sum* sum = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        sum->to[k] += sum->times * sum->more[k];
    }
}

static void add_all(const FilSolver* solver, double times, const double* more, double* to)
{
    Sum sum = {more, times, to};
    const int count = solver->system->v_count;
    fil_workers_run(count > PLACE_GRAIN ? solver->system->workers : NULL, count, PLACE_GRAIN, add_some, &sum);
}

/* The same at what begin() has left, where it was evaluated. */
static double add_first(FilSolver* solver, double* residual)
{
    add_all(solver, 1.0, solver->ipc.first.at, residual);
    return solver->ipc.first_energy;
}

/* ---- the first guess ---- */

/* `share` of the way from where the step begins, for everything that is not held. */
static void shorten(FilSolver* solver, double share, double* v)
{
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        for (int k = body->v; k < body->v + body->v_count; k++) {
            const double begin = fil_start_rate(solver->system, k);
            solver->system->scratch.trial[k] = begin + share * (v[k] - begin) - solver->system->state.v[k];
        }
        if (body->moves) {
            fil_potential_guess(solver, b, solver->system->scratch.trial, v);
        }
    }
}

static bool make_room(FilSolver* solver)
{
    FilIpcField* field = &solver->ipc;
    const size_t points = 3 * (size_t)field->surface.point_count, q = (size_t)solver->system->q_count;
    return fil_doubles_reserve(&field->x, q) && fil_doubles_reserve(&field->x_end, q) && fil_doubles_reserve(&field->points, points) &&
           fil_doubles_reserve(&field->from, points) && fil_doubles_reserve(&field->ends, points) && fil_doubles_reserve(&field->ahead, points) &&
           fil_doubles_reserve(&field->first, (size_t)solver->system->v_count);
}

/* `points` to where the step begins, `ends` to where it goes with v. */
static void place_step(FilSolver* solver, const double* v)
{
    FilIpcField* field = &solver->ipc;
    fil_system_copy(solver->system, field->x_end.at, solver->system->state.q, solver->system->q_count);
    place(solver, v, field->x_end.at, field->ends.at);
    fil_system_copy(solver->system, field->x.at, fil_start_q(solver->system), solver->system->q_count);
    fil_ipc_surface_place(solver, field->x.at, field->points.at);
}

/* What would meet moves on together, as after an inelastic impact. *free: nothing met, and nothing else does. */
static FilStatus part(FilSolver* solver, double* v, bool* free)
{
    // what one pair parts, another may join again; 2 to 16 give clothes and folded cloth the same bits
    enum { ROUNDS = 4 };
    FilIpcField* field = &solver->ipc;
    if (!fil_ints_reserve(&field->moved, (size_t)field->surface.point_count + (size_t)field->pair_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    const bool met = fil_ipc_keep_apart(solver, ROUNDS, free);
    if (!met) {
        return FIL_OK;
    }
    for (int p = 0; p < field->surface.point_count; p++) {
        const FilIpcPoint* point = &field->surface.points[p];
        const FilBody* body = &solver->system->bodies[solver->collision->colliders[point->collider].body];
        for (int k = 0; k < 3 && point->node >= 0; k++) {
            const int own = 4 * point->node + k;
            v[body->v + own] = (field->ends.at[3 * p + k] - solver->system->state.q[body->q + own]) / field->dt;
        }
    }
    shorten(solver, 1.0, v);  // what is held stays so
    place_step(solver, v);
    return fil_ipc_relist(solver);
}

/* Shortens the initial guess until nothing meets on the way and nothing is out of reach: from where the step starts that is always
 * possible, unless what is held moves too far. */
static FilStatus make_feasible(FilSolver* solver, double* v)
{
    FilIpcField* field = &solver->ipc;
    bool free = false;
    FilStatus status = part(solver, v, &free);
    // 30 halvings, to 1e-9 of it: what still meets then met where the step starts
    for (int attempt = 0; attempt < 30 && status == FIL_OK; attempt++) {
        if ((attempt == 0 && free) || fil_ipc_sweep(solver) >= 1.0) {
            memset(field->first.at, 0, sizeof(double) * (size_t)solver->system->v_count);
            field->first_energy = add(solver, v, field->first.at);
            if (isfinite(field->first_energy)) {
                return FIL_OK;
            }
        }
        shorten(solver, 0.5, v);
        place_step(solver, v);
        status = fil_ipc_list(solver);
    }
    return status == FIL_OK ? FIL_NOT_CONVERGED : status;
}

static FilStatus begin(FilSolver* solver, double dt, double* v, FilStepInfo* info)
{
    (void)info;
    FilIpcField* field = &solver->ipc;
    field->dt = dt;
    field->lag_round = 0;
    field->listing = FIL_OK;
    FilStatus status = fil_ipc_surface_build(solver);
    if (status != FIL_OK) {
        return status;
    }
    if (!make_room(solver)) {
        return FIL_OUT_OF_MEMORY;
    }
    field->scale = fil_ipc_scale(solver);
    fil_ipc_surface_hold(solver, fil_start_q(solver->system));
    status = fil_rings_begin(solver);
    // everything that is near on the way to the initial guess
    place_step(solver, v);
    fil_system_copy(solver->system, field->ahead.at, field->ends.at, 3 * field->surface.point_count);
    status = status == FIL_OK ? fil_ipc_list(solver) : status;
    field->first_pairs = field->pair_count;
    if (status == FIL_OK && solver->first_step) {
        status = fil_ipc_check_start(solver);
        solver->first_step = false;  // what parts of the step and repetitions begin with is not how the world was laid out
    }
    status = status == FIL_OK ? fil_ipc_contacts_begin(solver) : status;
    status = status == FIL_OK ? make_feasible(solver, v) : status;
    bool changed = false;
    if (status == FIL_OK) {
        fil_ipc_friction_begin(solver, v);
        fil_rings_accept(solver, &changed);
        status = fil_ipc_contacts_accept(solver, &changed);
    }
    return status;
}

/* ---- second derivatives, steps, the end ---- */

static FilStatus list(FilSolver* solver, FilInts* end, FilInts* variable, int* count)
{
    FilIpcField* field = &solver->ipc;
    size_t max = FIL_RING_BLOCKS * (size_t)field->ring_count;
    const size_t lists = (size_t)field->ring_count + (size_t)fil_ipc_contacts_lists(solver, &max);
    int variables = 0;
    *count = 0;
    if (!fil_ints_reserve(end, lists) || !fil_ints_reserve(variable, max)) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_rings_list(solver, end->at, variable->at, count, &variables);
    fil_ipc_contacts_list(solver, end->at, variable->at, count, &variables);
    return FIL_OK;
}

static void hessian(FilSolver* solver, const double* v, FilPotentialOrder order, FilBlockSum* sum)
{
    (void)v;
    const bool definite = order == FIL_POTENTIAL_DEFINITE;
    fil_rings_hessian(solver, definite, sum, 0);
    fil_ipc_contacts_hessian(solver, definite, sum, solver->ipc.ring_count);
}

/* Where points go with a share of the step -direction from v. */
static void place_end(FilSolver* solver, const double* v, const double* direction, double share)
{
    FilIpcField* field = &solver->ipc;
    double* end = solver->system->scratch.trial;  // of what is no points
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (body->ops->points) {
            go(solver, body,
               (Going){.v = v + body->v, .direction = body->moves ? direction + body->v : NULL, .share = share, .to = field->x_end.at + body->q});
            continue;
        }
        for (int k = body->v; k < body->v + body->v_count; k++) {
            end[k] = v[k] - (body->moves ? share * direction[k] : 0.0);
        }
    }
    place_shapes(solver, end, field->x_end.at);
    fil_ipc_surface_place(solver, field->x_end.at, field->ends.at);
}

/* Lists pairs on the way of a share of the step -direction. */
static FilStatus list_share(FilSolver* solver, const double* v, const double* direction, double share)
{
    place_end(solver, v, direction, share);
    return fil_ipc_list(solver);
}

static double longest(FilSolver* solver, const double* v, const double* direction)
{
    // times as many pairs as there are points and pairs on the way of the first guess: cloth that wrinkles has two times as many
    enum { TIMES = 10 };
    FilIpcField* field = &solver->ipc;
    if (field->surface.point_count == 0) {
        return 1.0;
    }
    place_end(solver, v, direction, 1.0);
    place_shapes(solver, v, field->x.at);  // points are there since add()
    if (field->surface.turns) {
        memcpy(field->from.at, field->points.at, sizeof(double) * 3 * (size_t)field->surface.point_count);
    }
    field->max_pairs = TIMES * (field->surface.point_count + field->first_pairs);
    field->listing = fil_ipc_relist(solver);
    // a nearly singular tangent may lead hundreds of times too far, where everything passes everything: then a part of the way is looked at
    double share = 1.0;
    for (int attempt = 0; attempt < 4 && field->listing == FIL_NOT_CONVERGED; attempt++) {
        share *= 0.1;
        field->listing = list_share(solver, v, direction, share);
    }
    field->max_pairs = 0;
    field->looked = share;
    field->listing = field->listing == FIL_NOT_CONVERGED ? list_share(solver, v, direction, share) : field->listing;
    return field->listing == FIL_OK ? share * fil_ipc_sweep(solver) : 0.0;
}

/* Leads the ways to `ends` on, so many times as far. */
static void prolong(FilIpcField* field, double times)
{
    for (int k = 0; k < 3 * field->surface.point_count; k++) {
        field->ends.at[k] = field->points.at[k] + times * (field->ends.at[k] - field->points.at[k]);
    }
}

/* Points on bodies that turn leave the line that longest() has looked along, except at its end. What has gone from one place to another by lines on
 * which nothing meets has passed through nothing. */
static bool is_free(FilSolver* solver, const double* v, const double* direction, double share)
{
    // as far as pairs are listed for already, but not by what rounding makes of a short way
    static const double FARTHEST = 1e6;
    FilIpcField* field = &solver->ipc;
    if (!field->surface.turns || share >= field->looked || !(share > 0.0)) {
        return true;
    }
    const double times = fmin(field->looked / share, FARTHEST);
    memcpy(field->points.at, field->from.at, sizeof(double) * 3 * (size_t)field->surface.point_count);
    place_shapes(solver, v, field->x.at);
    fil_ipc_find_gaps(solver);
    place_end(solver, v, direction, share);
    prolong(field, times);
    field->listing = fil_ipc_relist(solver);
    return field->listing != FIL_OK || times * fil_ipc_sweep_turning(solver) >= 1.0;
}

static FilStatus accept(FilSolver* solver, const double* v, bool* changed)
{
    fil_ipc_friction_accept(solver, v);
    fil_rings_accept(solver, changed);
    return solver->ipc.listing != FIL_OK ? solver->ipc.listing : fil_ipc_contacts_accept(solver, changed);
}

static FilStatus finish(FilSolver* solver, const double* v, double* impulse, FilStepInfo* info)
{
    memset(solver->system->scratch.trial, 0, sizeof(double) * (size_t)solver->system->v_count);
    add(solver, v, solver->system->scratch.trial);
    add_all(solver, -1.0, solver->system->scratch.trial, impulse);
    fil_rings_finish(solver, v);
    return fil_ipc_contacts_finish(solver, v, info);
}

static void set_newton(const FilSolver* solver, FilPotentialNewton* options)
{
    // what turns by an angle a in a step has torques in the frame of the step's end, as laws of motion want them; the potential's gradient over
    // angular velocities is that turned back by some a / 2. So the potential may rise on the way to the solution. Not of two stages: the second goes
    // on from 2.4 times the first one's change, and gains energy in an impact that is too short for the step; where that fails the step is divided
    const bool askew = solver->ipc.surface.turns && !solver->system->staged;
    *options = (FilPotentialNewton){.tangent = true, .tangent_first = true, .full_tangent = true, .askew = askew};
}

const FilPotentialField fil_ipc_potential = {
    .scheme = &fil_scheme_full,
    .keeps_analysis = true,
    .keeps_bending = true,
    .newton = set_newton,
    .begin = begin,
    .add = add,
    .add_first = add_first,
    .list = list,
    .hessian = hessian,
    .list_friction = fil_ipc_friction_list,
    .friction_hessian = fil_ipc_friction_hessian,
    .add_lead = fil_ipc_friction_lead,
    .review = fil_ipc_friction_review,
    .revise = fil_ipc_friction_revise,
    .settle = fil_ipc_friction_settle,
    .center = fil_ipc_friction_center,
    .anticipate = fil_ipc_anticipate,
    .longest = longest,
    .is_free = is_free,
    .accept = accept,
    .refine = fil_ipc_follow_friction,
    .finish = finish,
};
