/* Numbers that IMC holds fixed over a step, and how they follow its start (contact/imc_derivative.h). The stiffness of a contact follows a global
 * one, or its own speed and inertia; it looks ahead by its stiffness and inertia. Inertia is the least of the tangents' diagonals at the first guess:
 * the derivative of a diagonal entry, by the place there, is a third derivative of the elastic energy, found for all contacts at once
 * (gradient_lag.c). The bound of friction is F = -E'(y) |dD/dx|, with y = d0 + a dt d' at the start, or y = d + a (d - d0) at an earlier solution. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "contact/imc.h"
#include "linalg/buffer.h"
#include "world/gradient_imc.h"

enum { ENDS = FIL_IMC_ENDS };

/* ---- rows of slopes ---- */

static FilGradientSlope* slope_at(FilGradientRow* row, int unknown)
{
    for (int k = 0; k < row->count && k < FIL_GRADIENT_ROW; k++) {
        if (row->at[k].unknown == unknown) {
            return &row->at[k];
        }
    }
    if (row->count >= FIL_GRADIENT_ROW) {
        row->count = FIL_GRADIENT_ROW + 1;
        return &row->at[FIL_GRADIENT_ROW];
    }
    row->at[row->count] = (FilGradientSlope){.unknown = unknown};
    return &row->at[row->count++];
}

static void clear_row(FilGradientRow* row)
{
    row->count = 0;
    memset(row->by, 0, sizeof row->by);
}

static void add_row(FilGradientRow* to, double scale, const FilGradientRow* from)
{
    for (int k = 0; k < FIL_LAG_NUMBERS; k++) {
        to->by[k] += scale * from->by[k];
    }
    if (from->count > FIL_GRADIENT_ROW) {
        to->count = from->count;
    }
    for (int k = 0; k < from->count && k < FIL_GRADIENT_ROW && scale != 0.0; k++) {
        const FilGradientSlope* s = &from->at[k];
        FilGradientSlope* out = slope_at(to, s->unknown);
        out->by_place += scale * s->by_place;
        out->by_rate += scale * s->by_rate;
        out->by_guess += scale * s->by_guess;
        out->by_last_place += scale * s->by_last_place;
        out->by_last_rate += scale * s->by_last_rate;
    }
}

static FilStatus append(FilGradient* gradient, const FilGradientRow* row)
{
    FilGradientLags* lags = &gradient->lags;
    if (row->count > FIL_GRADIENT_ROW) {
        return fil_world_fail(gradient->world, FIL_BAD_INPUT,
                              "a contact depends on more than gradients have room for: too many rods share a node there");
    }
    for (int k = 0; k < row->count; k++) {
        if (!fil_array_reserve((void**)&lags->slopes, lags->slope_count, &lags->slope_capacity, sizeof *lags->slopes)) {
            return fil_world_fail(gradient->world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
        }
        lags->slopes[lags->slope_count++] = row->at[k];
    }
    return FIL_OK;
}

/* ---- inertia ---- */

/* The unknown whose diagonal is least among those that the contact moves, of velocities; -1: that stays, as the mass is more, and counts. */
static int lightest(const FilGradient* gradient, const FilContact* contact)
{
    const FilContactSet* set = &gradient->world->collision.set;
    int best = -1;
    for (int b = contact->first_block; b < contact->first_block + contact->block_count; b++) {
        for (int k = 4 * set->variable[b]; k < 4 * set->variable[b] + 3; k++) {
            const bool less = gradient->diagonal[k] > 0.0 && (best < 0 || gradient->diagonal[k] < gradient->diagonal[best]);
            best = less ? k : best;
        }
    }
    return best >= 0 && gradient->v_free[best] < gradient->diagonal[best] * (1.0 - 1e-12) ? -1 : best;
}

/* Marks the body whose tangent has an unknown of a contact's. */
static void mark_body(FilGradient* gradient, const FilContact* contact, int unknown)
{
    const FilWorld* world = gradient->world;
    for (int s = 0; s < 2 && unknown >= 0; s++) {
        const int b = world->collision.colliders[contact->collider[s]].body;
        const FilBody* body = &world->system.bodies[b];
        gradient->lags.bends[b] |= unknown >= body->v && unknown < body->v + body->v_count;
    }
}

/* Bodies at the first guess, with how their tangents vary there. */
static FilStatus evaluate_guess(FilGradient* gradient)
{
    FilWorld* world = gradient->world;
    FilSolver* solver = &world->solver;
    double* v = gradient->solution;
    memset(gradient->residual, 0, sizeof(double) * (size_t)gradient->n);
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        double potential;
        if (!body->moves || !fil_potential_takes_part(solver, b)) {
            continue;
        }
        body->ops->guess(body->impl, (solver->potential.goes_on > 0.0 ? world->system.next.change : gradient->residual) + body->v, v + body->v);
        if (!body->ops->evaluate(body->impl, v + body->v, 0.0, gradient->correction + body->v, &potential)) {
            return fil_world_fail(world, FIL_NOT_CONVERGED, "'%s' cannot be evaluated where its step began to look", body->name);
        }
        const char* why = body->ops->derivative->prepare(body->impl, v + body->v);
        why =
            why == NULL && body->ops->derivative->linearised != NULL ? body->ops->derivative->linearised(body->impl, v + body->v, v + body->v) : why;
        if (why != NULL) {
            return fil_world_fail(world, FIL_BAD_INPUT, "'%s' %s", body->name, why);
        }
        body->ops->diagonal(body->impl, v + body->v, gradient->diagonal + body->v, gradient->correction + body->v);
        if (body->ops->derivative->tangent_diagonal != NULL) {  // free motion is no part of potentials
            body->ops->derivative->tangent_diagonal(body->impl, gradient->v_free + body->v);
        }
    }
    return FIL_OK;
}

FilStatus fil_gradient_inertia_take(FilGradient* gradient)
{
    FilWorld* world = gradient->world;
    const FilPotentialProblem* p = &world->solver.potential.problem;
    FilGradientLags* lags = &gradient->lags;
    if (!lags->adapts) {
        return FIL_OK;
    }
    const size_t bodies = (size_t)world->system.body_count;
    if (!fil_buffer_reserve((void**)&lags->inertia, &lags->inertia_capacity, (size_t)p->count + 1, sizeof(int)) ||
        !fil_buffer_reserve((void**)&lags->bends, &lags->bend_capacity, bodies + 1, sizeof(bool))) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    memset(lags->bends, 0, bodies * sizeof(bool));
    if (!world->solver.contact.active || world->collision.set.count == 0 || p->count == 0) {
        return FIL_OK;
    }
    const FilStatus status = evaluate_guess(gradient);
    for (int k = 0; k < p->count && status == FIL_OK; k++) {
        lags->inertia[k] = lightest(gradient, p->contacts[k].contact);
        mark_body(gradient, p->contacts[k].contact, lags->inertia[k]);
    }
    return status;
}

/* ---- what contacts are at the start ---- */

/* Of the softened distance of two edges: its own slope, how large the normal is, and how far it tilts along the edges. */
typedef struct Edges {
    double distance, size;
    double by_x[ENDS], size_by_x[ENDS], tilt_by_x[ENDS];
} Edges;

static void see_edges(const FilImcSettings* s, const FilPotentialContact* c, const double* x, Edges* out)
{
    FilSmoothDistance d;
    double hessian[ENDS * ENDS], normal[3], unit[3], steepest = -1.0;
    fil_smooth_distance_second(x, s->smoothing, &d);
    fil_smooth_distance_gradient(&d, out->by_x);
    fil_smooth_distance_hessian(&d, out->by_x, 0.0, 1.0, hessian);
    out->distance = d.distance - c->thickness;
    fil_v3_add(normal, out->by_x, out->by_x + 3);
    fil_v3_copy(unit, normal);
    out->size = fil_v3_normalise(unit);
    memset(out->size_by_x, 0, sizeof out->size_by_x);
    for (int j = 0; j < ENDS; j++) {
        for (int k = 0; k < 3; k++) {
            out->size_by_x[j] += unit[k] * (hessian[k * ENDS + j] + hessian[(3 + k) * ENDS + j]);
        }
    }
    for (int side = 0; side < 2; side++) {
        double edge[3];
        fil_v3_sub(edge, x + 6 * side + 3, x + 6 * side);
        const double length = fil_v3_normalise(edge), along = fil_v3_dot(edge, normal), sign = along < 0.0 ? -1.0 : 1.0;
        if (fabs(along) <= steepest) {
            continue;
        }
        steepest = fabs(along);
        for (int j = 0; j < ENDS; j++) {
            double change = 0.0;
            for (int k = 0; k < 3; k++) {
                change += edge[k] * (hessian[k * ENDS + j] + hessian[(3 + k) * ENDS + j]);
            }
            const bool own = j / 6 == side;
            change += own ? (j % 6 < 3 ? -1.0 : 1.0) / length * (normal[j % 3] - along * edge[j % 3]) : 0.0;
            out->tilt_by_x[j] = sign * change;
        }
    }
}

/* What numbers that are held fixed are made of. */
typedef struct Parts {
    FilGradientRow distance, velocity, start, size, tilt, share;
} Parts;

/* Of a contact's energy at a distance `over`: E' by the stiffness, E' and E''. */
typedef struct Force {
    double by_stiffness, first, second;
} Force;

static Force force_at(const FilGradient* gradient, const FilPotentialContact* c, double over)
{
    Force f;
    double bend;
    (void)fil_imc_energy(&gradient->world->solver.settings.model.imc, 1.0, c->radius, over, &f.by_stiffness, &bend);
    f.first = c->stiffness * f.by_stiffness;
    f.second = c->stiffness * bend;
    return f;
}

/* The block of the world's velocities that a node of a row has. */
static int block_of(const FilWorld* world, int collider, int node)
{
    const FilWorldCollider* row = &world->collision.colliders[collider];
    const FilBody* body = &world->system.bodies[row->body];
    int blocks[2];
    const bool last = node >= row->collider.edge_count;
    body->ops->edge_blocks(body->impl, row->index, last ? node - 1 : node, blocks);
    return body->v / 4 + blocks[last ? 1 : 0];
}

/* How edges share the contact, by where their nodes will be. */
static void take_share(const FilGradient* gradient, const FilPotentialContact* c, FilGradientRow* row)
{
    const FilWorld* world = gradient->world;
    const double dt = world->def.dt;
    int node[2][4];
    double slope[2][4][3];
    if (!(c->share > 0.0 && c->share < 1.0)) {
        return;
    }
    fil_collision_share_slopes(&world->collision, c->contact, dt, node, slope);
    for (int k = 0; k < 24; k++) {
        const int side = k / 12, which = k % 12 / 3;
        if (node[side][which] >= 0) {
            FilGradientSlope* s = slope_at(row, 4 * block_of(world, c->contact->collider[side], node[side][which]) + k % 3);
            s->by_place += slope[side][which][k % 3];
            s->by_rate += dt * slope[side][which][k % 3];
        }
    }
}

static void take_ends(const FilPotentialContact* c, const double* by_x, bool last, FilGradientRow* row)
{
    for (int j = 0; j < ENDS; j++) {
        FilGradientSlope* s = slope_at(row, fil_imc_end_unknown(c, j));
        *(last ? &s->by_last_place : &s->by_place) += by_x[j];
    }
}

/* The velocity along the normal, with velocities v, by the start's place; `work` has room for a row. */
static void find_velocity(const FilGradientMaker* maker, const double* v, const int* unknown, double* work, double* place)
{
    static const double normal[3] = {0.0, 0.0, 1.0};
    for (int i = 0; i < maker->size; i++) {
        work[i] = v[unknown[i]];
        place[i] = 0.0;
    }
    fil_gradient_maker_vary(maker, 1.0, normal, work, true, place);
}

void fil_gradient_lag_slopes(const FilGradient* gradient, FilGradientLag* lag, const FilGradientMaker* maker, double* work)
{
    const int m = lag->size;
    const size_t row = sizeof(double) * (size_t)m;
    memcpy(lag->by_place, maker->moves + 6 * m, row);
    find_velocity(maker, gradient->world->system.next.v, lag->unknown, work, lag->by_place + m);
    if (gradient->round > 0) {
        find_velocity(maker, fil_gradient_before(gradient), lag->unknown, work, lag->by_place + 2 * m);
    } else {
        memset(lag->by_place + 2 * m, 0, row);
    }
    lag->made = true;
}

static void take_parts(const FilGradient* gradient, const FilGradientPair* pair, Parts* parts)
{
    const FilPotentialContact* c = pair->contact;
    FilGradientRow* const all[] = {&parts->distance, &parts->velocity, &parts->start, &parts->size, &parts->tilt, &parts->share};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        clear_row(all[k]);
    }
    parts->distance.by[FIL_IMC_BY_DISTANCE] = 1.0;
    parts->velocity.by[FIL_IMC_BY_VELOCITY] = gradient->lags.adapts ? 1.0 : 0.0;
    if (c->nodes) {
        Edges edges;
        take_share(gradient, c, &parts->share);
        see_edges(&gradient->world->solver.settings.model.imc, c, c->x, &edges);
        take_ends(c, edges.by_x, false, &parts->start);
        take_ends(c, edges.size_by_x, false, &parts->size);
        take_ends(c, edges.tilt_by_x, false, &parts->tilt);
    } else {
        add_row(&parts->start, 1.0, &parts->distance);
    }
}

/* ---- the bound of friction ---- */

/* Of the start. */
static void bound_at_start(const FilGradient* gradient, const FilPotentialContact* c, const Parts* parts, FilGradientRow* rows, double* by_global)
{
    const double dt = gradient->world->def.dt, u = c->contact->normal_velocity;
    FilGradientRow* out = &rows[FIL_LAG_BOUND];
    double size = 1.0;
    const Force f = force_at(gradient, c, c->start + c->ahead * dt * u);
    if (c->nodes) {
        Edges edges;
        see_edges(&gradient->world->solver.settings.model.imc, c, c->x, &edges);
        size = edges.size;
    }
    add_row(out, -f.first, &parts->size);
    add_row(out, -f.second * size, &parts->start);
    add_row(out, -f.second * size * c->ahead * dt, &parts->velocity);
    add_row(out, -f.by_stiffness * size, &rows[FIL_LAG_STIFFNESS]);
    add_row(out, -f.second * size * dt * u, &rows[FIL_LAG_AHEAD]);
    by_global[FIL_LAG_BOUND] = -f.by_stiffness * size * by_global[FIL_LAG_STIFFNESS] - f.second * size * dt * u * by_global[FIL_LAG_AHEAD];
}

/* Of the solution before. */
static void bound_at_last(const FilGradient* gradient, const FilGradientPair* pair, const Parts* parts, FilGradientRow* rows, double* by_global)
{
    const FilPotentialContact* c = pair->contact;
    const double dt = gradient->world->def.dt, *v = fil_gradient_before(gradient);
    FilGradientRow *out = &rows[FIL_LAG_BOUND], closing;
    clear_row(&closing);
    double size = 1.0, since = 0.0;  // how far it has come since the start
    Force f;
    if (c->nodes) {
        Edges edges;
        double x[ENDS];
        for (int i = 0; i < ENDS; i++) {
            x[i] = c->x[i] + dt * v[fil_imc_end_unknown(c, i)];
        }
        see_edges(&gradient->world->solver.settings.model.imc, c, x, &edges);
        since = edges.distance - c->start;
        size = edges.size;
        f = force_at(gradient, c, edges.distance + c->ahead * since);
        take_ends(c, edges.size_by_x, true, &closing);
        add_row(out, -f.first, &closing);
        clear_row(&closing);
        take_ends(c, edges.by_x, true, &closing);
        add_row(out, -f.second * size * (1.0 + c->ahead), &closing);
        add_row(out, f.second * size * c->ahead, &parts->start);
    } else {
        for (int i = 0; i < pair->touch->maker.size; i++) {
            since += dt * pair->jacobian[2 * pair->touch->maker.size + i] * v[pair->unknown[i]];
        }
        since += dt * c->contact->bias[2];
        f = force_at(gradient, c, c->contact->distance + (1.0 + c->ahead) * since);
        out->by[FIL_LAG_BY_LAST] -= f.second * (1.0 + c->ahead) * dt;
        add_row(out, -f.second, &parts->distance);
    }
    add_row(out, -f.by_stiffness * size, &rows[FIL_LAG_STIFFNESS]);
    add_row(out, -f.second * size * since, &rows[FIL_LAG_AHEAD]);
    by_global[FIL_LAG_BOUND] = -f.by_stiffness * size * by_global[FIL_LAG_STIFFNESS] - f.second * size * since * by_global[FIL_LAG_AHEAD];
}

/* ---- what they do ---- */

/* The change of J' gamma - dt dE/dx by each number. */
static void take_push(const FilGradient* gradient, const FilGradientPair* pair)
{
    const FilImcSettings* s = &gradient->world->solver.settings.model.imc;
    const FilPotentialContact* c = pair->contact;
    const double dt = gradient->world->def.dt, *u = pair->u;
    const int m = pair->touch->maker.size;
    double* push = pair->push;
    memset(push, 0, FIL_LAGS * sizeof(double) * (size_t)m);
    if (c->nodes) {
        FilSmoothDistance d;
        double x[ENDS], by_x[ENDS];
        for (int i = 0; i < ENDS; i++) {
            x[i] = c->x[i] + dt * gradient->v[fil_imc_end_unknown(c, i)];
        }
        fil_smooth_distance(x, s->smoothing, &d);
        fil_smooth_distance_gradient(&d, by_x);
        const double over = d.distance - c->thickness;
        const Force f = force_at(gradient, c, over + c->ahead * (over - c->start));
        for (int i = 0; i < ENDS; i++) {
            int at = 0;
            while (pair->unknown[at] != fil_imc_end_unknown(c, i)) {
                at++;
            }
            push[FIL_LAG_STIFFNESS * m + at] -= dt * f.by_stiffness * by_x[i];
            push[FIL_LAG_AHEAD * m + at] -= dt * f.second * (over - c->start) * by_x[i];
            push[FIL_LAG_START * m + at] += dt * f.second * c->ahead * by_x[i];
        }
    } else {
        const Force f = force_at(gradient, c, c->contact->distance + (1.0 + c->ahead) * dt * u[2]);
        for (int i = 0; i < m; i++) {
            push[FIL_LAG_STIFFNESS * m + i] = -dt * f.by_stiffness * pair->jacobian[2 * m + i];
            push[FIL_LAG_AHEAD * m + i] = -dt * f.second * dt * u[2] * pair->jacobian[2 * m + i];
        }
    }
    const double speed = sqrt(u[0] * u[0] + u[1] * u[1] + s->static_speed * s->static_speed);
    for (int i = 0; i < m && c->contact->mu > 0.0; i++) {
        push[FIL_LAG_BOUND * m + i] = -dt * c->contact->mu / speed * (u[0] * pair->jacobian[i] + u[1] * pair->jacobian[m + i]);
    }
}

bool fil_gradient_leads(const FilGradient* gradient, int contact)
{
    const FilImcGlobalSlopes* global = &gradient->lags.global;
    bool leads = global->closest == contact;
    for (int k = 0; k < FIL_IMC_LEADERS; k++) {
        leads |= global->contact[k] == contact;
    }
    return leads;
}

/* Adds what a contact that the global stiffness follows does to it, but for its inertia. */
static void lead_global(FilGradient* gradient, const FilGradientPair* pair)
{
    FilGradientLags* lags = &gradient->lags;
    const FilImcGlobalSlopes* global = &lags->global;
    const FilGradientMaker* maker = &pair->touch->maker;
    const int m = maker->size;
    double distance = 0.0, velocity = 0.0, *place = pair->work;
    for (int k = 0; k < FIL_IMC_LEADERS; k++) {
        distance += global->contact[k] == pair->index ? global->by[k][FIL_IMC_BY_DISTANCE] : 0.0;
        velocity += global->contact[k] == pair->index ? global->by[k][FIL_IMC_BY_VELOCITY] : 0.0;
    }
    const double speed = global->closest == pair->index ? global->speed_scale : 0.0;
    find_velocity(maker, gradient->world->system.next.v, pair->unknown, pair->work + m, place);
    for (int i = 0; i < m; i++) {
        FilGradientSlope* s = slope_at(&lags->stiffness, pair->unknown[i]);
        s->by_place += distance * maker->moves[6 * m + i] + velocity * place[i];
        s->by_rate += velocity * pair->jacobian[2 * m + i];
        s = slope_at(&lags->speed, pair->unknown[i]);
        s->by_place += speed * place[i];
        s->by_rate += speed * pair->jacobian[2 * m + i];
    }
}

FilStatus fil_gradient_pair_lag(FilGradient* gradient, FilGradientPair* pair)
{
    FilGradientLags* lags = &gradient->lags;
    const FilPotentialProblem* p = &gradient->world->solver.potential.problem;
    const FilPotentialContact* c = pair->contact;
    Parts parts;
    FilGradientRow rows[FIL_LAGS];
    FilGradientLag* lag = &lags->items[lags->count++];
    const int m = pair->touch->maker.size;
    *lag = (FilGradientLag){.size = m, .unknown = pair->pushed, .push = pair->push, .normal = pair->push + FIL_LAGS * m};
    lag->by_place = lag->normal + m;
    lag->inertia = lags->adapts ? lags->inertia[pair->index] : -1;
    memcpy(lag->unknown, pair->unknown, sizeof(int) * (size_t)m);
    memcpy(lag->normal, pair->jacobian + 2 * m, sizeof(double) * (size_t)m);
    take_parts(gradient, pair, &parts);
    for (int s = 0; s < FIL_LAGS; s++) {
        clear_row(&rows[s]);
    }
    FilImcContactSlopes slopes;
    fil_imc_contact_slopes(p, c, p->memory[FIL_IMC_STIFFNESS], &slopes);
    const bool leads = fil_gradient_leads(gradient, pair->index);
    if (leads || pair->out == NULL) {
        fil_gradient_maker_move(&pair->touch->maker, &pair->touch->touching);
    }
    if (leads) {
        lead_global(gradient, pair);
    }
    add_row(&rows[FIL_LAG_STIFFNESS], slopes.by[FIL_IMC_BY_DISTANCE], &parts.distance);
    add_row(&rows[FIL_LAG_STIFFNESS], slopes.by[FIL_IMC_BY_VELOCITY], &parts.velocity);
    rows[FIL_LAG_STIFFNESS].by[FIL_IMC_BY_INERTIA] = slopes.by[FIL_IMC_BY_INERTIA];
    add_row(&rows[FIL_LAG_STIFFNESS], slopes.by_share, &parts.share);
    add_row(&rows[FIL_LAG_AHEAD], slopes.ahead_by_stiffness, &rows[FIL_LAG_STIFFNESS]);
    rows[FIL_LAG_AHEAD].by[FIL_IMC_BY_INERTIA] += slopes.ahead_by_inertia;
    add_row(&rows[FIL_LAG_AHEAD], slopes.ahead_by_tilt, &parts.tilt);
    add_row(&rows[FIL_LAG_START], c->nodes ? 1.0 : 0.0, &parts.start);
    lag->by_global[FIL_LAG_STIFFNESS] = slopes.by_global;
    lag->by_global[FIL_LAG_AHEAD] = slopes.ahead_by_stiffness * slopes.by_global;
    if (c->contact->mu > 0.0 && gradient->round == 0) {
        bound_at_start(gradient, c, &parts, rows, lag->by_global);
    } else if (c->contact->mu > 0.0) {
        bound_at_last(gradient, pair, &parts, rows, lag->by_global);
    }
    take_push(gradient, pair);
    FilStatus status = FIL_OK;
    for (int s = 0; s < FIL_LAGS && status == FIL_OK; s++) {
        memcpy(lag->by[s], rows[s].by, sizeof rows[s].by);
        lag->first[s] = lags->slope_count;
        status = append(gradient, &rows[s]);
        lag->first[s + 1] = lags->slope_count;
    }
    if (pair->out != NULL) {
        pair->out->lag = lag;
    } else {
        fil_gradient_lag_slopes(gradient, lag, &pair->touch->maker, pair->work);
    }
    return status;
}

void fil_gradient_lags_begin(FilGradient* gradient)
{
    FilGradientLags* lags = &gradient->lags;
    const FilWorld* world = gradient->world;
    lags->count = lags->slope_count = 0;
    clear_row(&lags->stiffness);
    clear_row(&lags->speed);
    lags->global = (FilImcGlobalSlopes){.by_memory = {1.0}, .contact = {-1, -1, -1}, .closest = -1};
    lags->keeps_speed = 1.0;
    if (lags->adapts && world->solver.contact.active && world->collision.set.count > 0 && world->solver.potential.problem.count > 0) {
        fil_imc_global_slopes(&world->solver.potential.problem, world->system.next.h + world->solver.memory, &lags->global);
        lags->keeps_speed = 0.0;
    }
}

FilStatus fil_gradient_lags_end(FilGradient* gradient)
{
    const FilGradientLags* lags = &gradient->lags;
    return lags->stiffness.count <= FIL_GRADIENT_ROW && lags->speed.count <= FIL_GRADIENT_ROW
               ? FIL_OK
               : fil_world_fail(gradient->world, FIL_BAD_INPUT, "the stiffness of contacts depends on more than gradients have room for");
}
