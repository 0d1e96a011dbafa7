/* Contacts in the derivative of a step under IPC: m(v) + dt dB/dx(q1) + J' f(J v) = 0, barriers B where the step ends, friction f with the normal
 * forces, tangents and Jacobians of its start.
 *
 * A barrier takes dt J_i' g_i from each corner i that it has, g its gradient there. By the end's place that is dt (J_i' H_ij dx_j + dJ_i' g_i):
 * corners are fixed to their bodies, so that with the velocity V of what lies at x_i, dJ' g is that of g . V(e_k), which sweep() gives at a fixed
 * point, and (W(e_k) x dx_i) . g. Friction is a contact whose impulse follows from slip and gap (world/gradient_side.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "linalg/buffer.h"
#include "world/gradient.h"
#include "world/gradient_side.h"

enum { MOTION = FIL_PART_MOTION };

static const char NODES_SHARE[] = "touch at a node whose edges share the contact, of which gradients are not known yet";

static const FilWorldCollider* collider_of(const FilWorld* world, int point)
{
    return &world->collision.colliders[world->solver.ipc.surface.points[point].collider];
}

static FilStatus refuse(const FilGradient* gradient, const FilIpcPair* pair, const char* why)
{
    const FilWorld* world = gradient->world;
    const FilIpcSurface* surface = &world->solver.ipc.surface;
    const char* first = pair->plane >= 0 ? world->collision.colliders[surface->planes[pair->plane]].name : collider_of(world, pair->point[0])->name;
    return fil_world_fail(gradient->world, FIL_BAD_INPUT, "'%s' and '%s' %s", first, collider_of(world, pair->point[pair->corner_count - 1])->name,
                          why);
}

/* Unknowns that a corner moves with, at most. */
static int corner_size(const FilWorld* world, int point)
{
    const FilIpcPoint* p = &world->solver.ipc.surface.points[point];
    const FilBody* body = &world->system.bodies[collider_of(world, point)->body];
    if (!body->moves) {
        return 0;
    }
    return p->node >= 0 ? 4 : body->v_count;
}

static int split_of(const FilIpcPair* pair)
{
    return pair->plane >= 0 ? 0 : fil_feature_split(pair->repulsion.pair);
}

/* ---- barriers ---- */

/* A corner's velocity by its unknowns, how it moves with them, and its part if it is not a node. */
typedef struct Corner {
    int size;
    double *jacobian, *move; /* 3 rows each */
    FilGradientMaker maker;
} Corner;

static void cross_of_normal(const FilSolver* solver, int plane, FilTouch* touch)
{
    double at[3];
    touch->feature = FIL_TOUCH_FACE;
    fil_ipc_plane(solver, plane, solver->ipc.x.at, touch->axis, at);
}

/* Where a rim's point is counted from goes around with the plane. */
static void take_rim(const FilWorld* world, int point, const double* q, FilTouch* touch)
{
    const FilWorldCollider* c = collider_of(world, point);
    const FilBody* body = &world->system.bodies[c->body];
    FilPlacement place;
    body->ops->place(body->impl, c->index, q + body->q, world->system.state.v + body->v, &place);
    fil_pose_axis(touch->along, &place.pose, 2);
    fil_v3_copy(touch->center, place.pose.p);
    touch->goes_around = true;
}

static FilStatus take_corner(FilGradient* gradient, const FilIpcPair* pair, int i, double* work, int* unknown, Corner* corner)
{
    FilWorld* world = gradient->world;
    const FilSolver* solver = &world->solver;
    const int point = pair->point[i];
    const FilIpcPoint* p = &solver->ipc.surface.points[point];
    const FilBody* body = &world->system.bodies[collider_of(world, point)->body];
    *corner = (Corner){.size = corner_size(world, point), .jacobian = work, .move = work};
    if (corner->size == 0) {
        return FIL_OK;
    }
    if (p->node >= 0) {
        memset(work, 0, 12 * sizeof(double));
        work[0] = work[5] = work[10] = 1.0;
        for (int k = 0; k < 4; k++) {
            unknown[k] = body->v + 4 * p->node + k;
        }
        return FIL_OK;
    }
    FilGradientMaker* maker = &corner->maker;
    fil_v3_copy(maker->point, solver->ipc.points.at + 3 * point);
    const FilStatus status = fil_gradient_side_take(gradient, &world->system.state, maker, p->collider, 0, 1, 1.0, work);
    corner->size = maker->size;
    if (status != FIL_OK || maker->size == 0) {
        return status;
    }
    fil_gradient_maker_name(maker, unknown);
    if (p->rim > 0) {
        FilTouching touching = {.beyond = 0.5};
        double map[FIL_CONTACT_MOTION][MOTION];
        fil_v3_copy(touching.middle, maker->point);
        fil_v3_copy(touching.point, maker->point);
        cross_of_normal(solver, pair->plane, &touching.touch[0]);
        fil_v3_copy(touching.normal, touching.touch[0].axis);
        take_rim(world, point, solver->ipc.x.at, &touching.touch[1]);
        fil_touching_vary(&touching, 1, touching.touch[1].along, map);
        corner->move = work + MOTION * (size_t)maker->size;
        for (int k = 0; k < 3 * maker->size; k++) {
            corner->move[k] = 0.0;
            for (int m = 0; m < MOTION; m++) {
                corner->move[k] += map[k / maker->size][m] * work[m * maker->size + k % maker->size];
            }
        }
    }
    return FIL_OK;
}

/* by_end += dJ_i' g_i of a corner that is not a node, whose unknowns begin at `at`. */
static void add_turning(const Corner* corner, const double* g, double dt, int at, double* row, FilGradientBarrier* out)
{
    const FilGradientSide* side = &corner->maker.sides[0];
    const int n = corner->size;
    double force[3];
    fil_v3_scale(force, dt, g);
    for (int a = 0; a < n; a++) {
        double *to = out->by_end + (size_t)(at + a) * (size_t)out->size + at, turn[3], lever[3];
        memset(row, 0, sizeof(double) * (size_t)n);
        row[a] = 1.0;
        side->body->ops->derivative->sweep(side->body->impl, side->index, 0, corner->maker.point, 1, (const double(*)[3]) & force,
                                           &(const double*){row}, to);
        fil_v3_set(turn, side->twist[3 * n + a], side->twist[4 * n + a], side->twist[5 * n + a]);
        fil_v3_cross(lever, force, turn);
        for (int b = 0; b < n; b++) {
            to[b] += lever[0] * corner->move[b] + lever[1] * corner->move[n + b] + lever[2] * corner->move[2 * n + b];
        }
    }
}

static FilStatus take_barrier(FilGradient* gradient, const FilIpcPair* pair, double* work, FilGradientBarrier* out)
{
    const FilWorld* world = gradient->world;
    const double dt = world->def.dt;
    const int plane = pair->plane, corners = pair->corner_count;
    Corner corner[4];
    double g[12], h[144];
    int at[4];
    if (plane >= 0 && world->system.bodies[world->collision.colliders[world->solver.ipc.surface.planes[plane]].body].moves) {
        return refuse(gradient, pair, "touch, a half-space that moves, of which gradients are not known yet");
    }
    if (pair->share > 0.05 && pair->share < 1.0) {  // the least that edges have is constant, too (solver/ipc_list.c)
        return refuse(gradient, pair, NODES_SHARE);
    }
    out->size = 0;
    FilStatus status = FIL_OK;
    for (int i = 0; i < corners && status == FIL_OK; i++) {
        at[i] = out->size;
        status = take_corner(gradient, pair, i, work, out->unknown + out->size, &corner[i]);
        out->size += corner[i].size;
        work += (MOTION + 3) * (size_t)corner[i].size;
    }
    if (status != FIL_OK) {
        return status;
    }
    memset(out->by_end, 0, sizeof(double) * (size_t)out->size * (size_t)out->size);
    (void)fil_ipc_pair_energy(&world->solver, pair, g, h, false);
    for (int i = 0; i < corners; i++) {
        for (int j = 0; j < corners; j++) {
            const double* own = h + (size_t)(3 * i) * 3 * (size_t)corners + 3 * j;
            for (int b = 0; b < corner[j].size; b++) {
                double moved[3], force[3];
                for (int k = 0; k < 3; k++) {
                    moved[k] = corner[j].move[k * corner[j].size + b];
                }
                for (int k = 0; k < 3; k++) {
                    force[k] = dt * fil_v3_dot(own + (size_t)k * 3 * (size_t)corners, moved);
                }
                for (int a = 0; a < corner[i].size; a++) {
                    out->by_end[(size_t)(at[i] + a) * (size_t)out->size + (size_t)(at[j] + b)] +=
                        corner[i].jacobian[a] * force[0] + corner[i].jacobian[corner[i].size + a] * force[1] +
                        corner[i].jacobian[2 * corner[i].size + a] * force[2];
                }
            }
        }
        if (corner[i].maker.count > 0 && corner[i].size > 0) {
            add_turning(&corner[i], g + 3 * i, dt, at[i], work, out);
        }
    }
    return FIL_OK;
}

/* Bodies that are no points begin a step at a state, or where they have just begun one. */
static FilStatus begin_bodies(FilGradient* gradient, const FilState* at, bool prepare)
{
    FilWorld* world = gradient->world;
    const FilStepSetup setup = {.time = world->time - world->def.dt,
                                .dt = world->def.dt,
                                .theta = 1.0,
                                .theta_vq = 1.0,
                                .gravity = {world->def.gravity.x, world->def.gravity.y, world->def.gravity.z},
                                .frugal = world->solver.model->frugal};
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        double potential;
        if (!body->moves || body->ops->points) {
            continue;
        }
        body->ops->begin(body->impl, &setup, at->q + body->q, at->v + body->v, at->h + body->h);
        if (!prepare) {
            continue;
        }
        const char* why = body->ops->evaluate(body->impl, gradient->v + body->v, 0.0, gradient->residual + body->v, &potential)
                              ? body->ops->derivative->prepare(body->impl, gradient->v + body->v)
                              : "cannot be evaluated at the end of its step";
        if (why != NULL) {
            return fil_world_fail(world, FIL_BAD_INPUT, "'%s' %s", body->name, why);
        }
    }
    return FIL_OK;
}

FilStatus fil_gradient_barriers_take(FilGradient* gradient)
{
    FilWorld* world = gradient->world;
    FilIpcField* field = &world->solver.ipc;
    FilGradientBarriers* barriers = &gradient->barriers;
    size_t numbers = 0, unknowns = 0, most = 0;
    barriers->count = 0;
    for (int k = 0; k < field->active_count; k++) {
        const FilIpcPair* pair = &field->pairs[field->active.at[k]];
        size_t size = 0;
        for (int i = 0; i < pair->corner_count; i++) {
            size += (size_t)corner_size(world, pair->point[i]);
        }
        numbers += size * size;
        unknowns += size;
        most = size > most ? size : most;
    }
    const size_t work = (MOTION + 4) * most + 1;
    if (!fil_buffer_reserve((void**)&barriers->items, &barriers->capacity, (size_t)field->active_count, sizeof *barriers->items) ||
        !fil_buffer_reserve((void**)&barriers->numbers, &barriers->number_capacity, numbers + work, sizeof(double)) ||
        !fil_buffer_reserve((void**)&barriers->unknowns, &barriers->unknown_capacity, unknowns + 1, sizeof(int))) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    FilStatus status = field->active_count > 0 ? begin_bodies(gradient, &world->system.state, true) : FIL_OK;
    double* next = barriers->numbers + work;
    int* unknown = barriers->unknowns;
    for (int k = 0; k < field->active_count && status == FIL_OK; k++) {
        FilGradientBarrier* out = &barriers->items[barriers->count];
        *out = (FilGradientBarrier){.unknown = unknown, .by_end = next};
        status = take_barrier(gradient, &field->pairs[field->active.at[k]], barriers->numbers, out);
        next += (size_t)out->size * (size_t)out->size;
        unknown += out->size;
        barriers->count += out->size > 0;
    }
    return status == FIL_OK && field->active_count > 0 ? begin_bodies(gradient, &world->system.next, false) : status;
}

void fil_gradient_barriers_apply(const FilGradient* gradient, bool back, const double* place, double* out)
{
    for (int k = 0; k < gradient->barriers.count; k++) {
        const FilGradientBarrier* barrier = &gradient->barriers.items[k];
        const int m = barrier->size;
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                const double value = barrier->by_end[i * m + j];
                out[barrier->unknown[back ? j : i]] += value * place[barrier->unknown[back ? i : j]];
            }
        }
    }
}

void fil_gradient_barriers_free(FilGradientBarriers* barriers)
{
    fil_free(barriers->items);
    fil_free(barriers->numbers);
    fil_free(barriers->unknowns);
    fil_free(barriers->points);
    fil_free(barriers->krylov);
}

/* ---- friction ---- */

/* What corners of one side are together, as its closest point is free to move along them. */
static void touch_of(const FilWorld* world, const FilIpcPair* pair, const FilClosest* closest, int side, const double* x, const double* normal,
                     FilTouch* touch)
{
    const int split = split_of(pair), from = side == 0 ? 0 : split, to = side == 0 ? split : pair->corner_count;
    int free_count = 0;
    touch->rounding = world->solver.ipc.surface.points[pair->point[from]].radius;
    for (int k = 0; k < closest->free_count; k++) {
        double along[3] = {0.0};
        for (int i = from; i < to; i++) {
            fil_v3_axpy(along, closest->change[k][i], x + 3 * pair->point[i]);
        }
        if (fil_v3_normalise(along) > 0.0) {
            free_count++;
            fil_v3_copy(touch->axis, along);
        }
    }
    touch->feature = free_count == 0 ? FIL_TOUCH_POINT : free_count == 1 ? FIL_TOUCH_EDGE : FIL_TOUCH_FACE;
    if (free_count == 2) {
        fil_v3_scale(touch->axis, side == 0 ? 1.0 : -1.0, normal);
    }
}

/* The pair as its friction sees it at the step's start, where points and x are. Returns NULL, or why that is not known. */
static const char* take_touching(const FilWorld* world, const FilIpcPair* pair, FilTouching* t)
{
    const FilSolver* solver = &world->solver;
    const double* x = solver->ipc.points.at;
    const int split = split_of(pair);
    double weight[4];
    bool movable[2];
    *t = (FilTouching){.beyond = 0.0};
    t->distance = fil_ipc_pair_see(solver, pair, t->normal, weight);
    if (pair->plane >= 0) {
        t->touch[0].feature = FIL_TOUCH_FACE;
        fil_v3_copy(t->touch[0].axis, t->normal);
        t->touch[1].rounding = solver->ipc.surface.points[pair->point[0]].radius;
        if (solver->ipc.surface.points[pair->point[0]].rim > 0) {
            take_rim(world, pair->point[0], world->system.next.q, &t->touch[1]);
        }
        movable[0] = world->collision.colliders[solver->ipc.surface.planes[pair->plane]].collider.movable;
    } else {
        double corners[12];
        for (int i = 0; i < pair->corner_count; i++) {
            fil_v3_copy(corners + 3 * i, x + 3 * pair->point[i]);
        }
        if (fil_repulsion_crossing(&pair->repulsion, corners) < 1.0) {
            return "lie side by side, of which gradients are not known yet";
        }
        const FilClosest closest = fil_feature_closest(pair->repulsion.pair, corners);
        touch_of(world, pair, &closest, 0, x, t->normal, &t->touch[0]);
        touch_of(world, pair, &closest, 1, x, t->normal, &t->touch[1]);
        movable[0] = collider_of(world, pair->point[0])->collider.movable;
    }
    movable[1] = collider_of(world, pair->point[split])->collider.movable;
    for (int i = split; i < pair->corner_count; i++) {
        fil_v3_axpy(t->middle, fabs(weight[i]), x + 3 * pair->point[i]);
    }
    fil_v3_axpy(t->middle, -t->touch[1].rounding - 0.5 * t->distance, t->normal);
    // midway in the gap, or on the surface that moves (solver/ipc_slide.c)
    t->beyond = movable[0] && movable[1] ? 0.0 : movable[1] ? 0.5 : -0.5;
    fil_v3_copy(t->point, t->middle);
    fil_v3_axpy(t->point, t->beyond * t->distance, t->normal);
    return fil_touching_check(t);
}

/* The sides' motion: an edge of a rod, both edges of a node, or the shape. */
static FilStatus take_sides(FilGradient* gradient, const FilIpcPair* pair, int side, double* work, FilGradientMaker* maker)
{
    FilWorld* world = gradient->world;
    const FilIpcSurface* surface = &world->solver.ipc.surface;
    const int split = split_of(pair), from = side == 0 ? 0 : split, to = side == 0 ? split : pair->corner_count;
    const double sign = side == 0 ? -1.0 : 1.0;
    const FilState* start = &world->system.next;
    if (side == 0 && pair->plane >= 0) {
        return fil_gradient_side_take(gradient, start, maker, surface->planes[pair->plane], 0, 0, sign, work);
    }
    const FilIpcPoint *first = &surface->points[pair->point[from]], *last = &surface->points[pair->point[to - 1]];
    if (first->node < 0) {
        return fil_gradient_side_take(gradient, start, maker, first->collider, 0, side, sign, work);
    }
    if (to - from == 2) {
        const int edge = first->part[0] == last->part[0] || first->part[0] == last->part[1] ? first->part[0] : first->part[1];
        return fil_gradient_side_take(gradient, start, maker, first->collider, edge, side, sign, work);
    }
    FilStatus status = FIL_OK;
    for (int k = 0; k < 2 && status == FIL_OK; k++) {
        const int before = maker->size;
        status = fil_gradient_side_take(gradient, start, maker, first->collider, first->part[k], side, 0.5 * sign, work);
        work += MOTION * (size_t)(maker->size - before);
    }
    return status;
}

/* gamma = -most f(slip), and its derivatives. */
static void find_law(const FilIpcSlide* slide, double bound, double most_by_gap, const double* u, FilGradientLaw* law)
{
    const double speed = hypot(u[0], u[1]), most = slide->friction.most;
    const FilJet jet = fil_slip(speed, bound);
    const double across = speed > 0.0 ? jet.first / speed : jet.second;
    *law = (FilGradientLaw){.impulse = {-most * across * u[0], -most * across * u[1]},
                            .by_distance = {-most_by_gap * across * u[0], -most_by_gap * across * u[1]}};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            const double line = speed > 0.0 ? u[i] * u[j] / (speed * speed) : 0.0;
            law->hessian[3 * i + j] = most * (across * ((i == j ? 1.0 : 0.0) - line) + jet.second * line);
        }
    }
}

/* How friction's bound follows the gap. Returns why not, or NULL. */
static const char* find_bound(const FilWorld* world, const FilIpcSlide* slide, double gap, double* slope)
{
    const FilIpcPair* pair = &slide->pair;
    const FilSolver* solver = &world->solver;
    const double share = pair->plane >= 0 ? 1.0 : fil_ipc_share(solver, &pair->repulsion, pair->point, solver->ipc.points.at);
    const FilJet jet = fil_barrier(gap, pair->repulsion.range, pair->repulsion.stiffness);
    const double factor = world->def.dt * pair->friction * share / pair->share;
    *slope = -factor * jet.second;
    if (share < 1.0 || (pair->share > 0.05 && pair->share < 1.0)) {
        return NODES_SHARE;
    }
    return fabs(slide->friction.most + factor * jet.first) <= 1e-9 * slide->friction.most
               ? NULL
               : "rub with the force of a later solution of the step, of which gradients are not known yet: set friction_iterations of world.ipc to "
                 "1";
}

static FilStatus take_slide(FilGradient* gradient, const FilIpcSlide* slide, double* numbers, double* work, bool* counts)
{
    FilWorld* world = gradient->world;
    const FilIpcPair* pair = &slide->pair;
    FilGradientContact* out = &gradient->contacts.items[gradient->contacts.count];
    FilTouching touching;
    FilGradientMaker maker = {.count = 0};
    double frame[9], u[3], slope;
    const char* why = take_touching(world, pair, &touching);
    why = why == NULL ? find_bound(world, slide, touching.distance, &slope) : why;
    for (int i = 0; i < pair->corner_count && why == NULL; i++) {
        const FilCollider* c = &collider_of(world, pair->point[i])->collider;
        why = c->kind == FIL_COLLIDER_ROW && !c->twists ? "rub, a cord, of which gradients are not known yet" : NULL;
    }
    if (why != NULL) {
        return refuse(gradient, pair, why);
    }
    fil_v3_copy(frame, slide->friction.tangent[0]);
    fil_v3_copy(frame + 3, slide->friction.tangent[1]);
    fil_v3_copy(frame + 6, touching.normal);
    maker.frame = frame;
    fil_v3_copy(maker.point, touching.point);
    FilStatus status = take_sides(gradient, pair, 0, work, &maker);
    status = status == FIL_OK ? take_sides(gradient, pair, 1, work + MOTION * (size_t)maker.size, &maker) : status;
    if (status != FIL_OK) {
        return status;
    }
    const size_t m = (size_t)maker.size;
    *counts = m > 0;
    *out = (FilGradientContact){.constraint = -1, .body = {-1, -1}, .size = maker.size, .unknown = out->unknown, .jacobian = numbers};
    out->by_place = numbers + 3 * m;
    work += MOTION * m;
    maker.moves = work;
    work += FIL_CONTACT_MOTION * m;
    fil_gradient_maker_name(&maker, out->unknown);
    fil_gradient_maker_move(&maker, &touching);
    fil_gradient_maker_jacobian(&maker, gradient->v, out->unknown, out->jacobian, u);
    FilGradientLaw law;
    find_law(slide, world->solver.settings.model.ipc.slip_speed, slope, u, &law);
    memcpy(out->hessian, law.hessian, sizeof law.hessian);
    fil_gradient_maker_law(gradient, &maker, &law, out->unknown, work + 3 * m, work);
    fil_gradient_maker_rows(&maker, law.impulse, work, work + 3 * m, out);
    return FIL_OK;
}

/* Unknowns of a slide at most: a node of a rod has two edges of three blocks. */
static size_t slide_size(const FilWorld* world, const FilIpcSlide* slide)
{
    size_t size = 0;
    for (int i = 0; i < slide->pair.corner_count; i++) {
        const FilBody* body = &world->system.bodies[collider_of(world, slide->pair.point[i])->body];
        size += body->ops->points ? 24 : (size_t)body->v_count;
    }
    return size;
}

FilStatus fil_gradient_slides_take(FilGradient* gradient)
{
    FilWorld* world = gradient->world;
    FilIpcField* field = &world->solver.ipc;
    FilGradientContacts* contacts = &gradient->contacts;
    const size_t count = (size_t)field->slides.count;
    size_t numbers = 0, most = 0, all = 0;
    contacts->count = 0;
    if (count == 0) {
        return FIL_OK;
    }
    for (size_t k = 0; k < count; k++) {
        const size_t m = slide_size(world, &field->slides.at[k]);
        numbers += m * (m + 3);
        all += m;
        most = m > most ? m : most;
    }
    const size_t work = (MOTION + FIL_CONTACT_MOTION + 6) * most + 1;
    if (!fil_buffer_reserve((void**)&contacts->items, &contacts->capacity, count, sizeof *contacts->items) ||
        !fil_buffer_reserve((void**)&contacts->unknowns, &contacts->unknown_capacity, all + 1, sizeof(int)) ||
        !fil_buffer_reserve((void**)&contacts->numbers, &contacts->number_capacity, numbers + work, sizeof(double))) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    // surfaces where the step began
    memcpy(field->x.at, world->system.next.q, sizeof(double) * (size_t)world->system.q_count);
    fil_ipc_surface_place(&world->solver, field->x.at, field->points.at);
    FilStatus status = FIL_OK;
    double* next = contacts->numbers + work;
    int* unknown = contacts->unknowns;
    for (size_t k = 0; k < count && status == FIL_OK; k++) {
        bool counts = false;
        FilGradientContact* out = &contacts->items[contacts->count];
        out->unknown = unknown;
        status = take_slide(gradient, &field->slides.at[k], next, contacts->numbers, &counts);
        if (counts) {
            contacts->count++;
            next += (size_t)out->size * ((size_t)out->size + 3);
            unknown += out->size;
        }
    }
    memcpy(field->x.at, world->system.state.q, sizeof(double) * (size_t)world->system.q_count);
    fil_ipc_surface_place(&world->solver, field->x.at, field->points.at);
    return status;
}
