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
#include "world/gradient_ipc.h"

enum { MOTION = FIL_PART_MOTION };

FilStatus fil_gradient_refuse_pair(const FilGradient* gradient, const FilIpcPair* pair, const char* why)
{
    const FilWorld* world = gradient->world;
    const FilIpcSurface* surface = &world->solver.ipc.surface;
    const char* first =
        pair->plane >= 0 ? world->collision.colliders[surface->planes[pair->plane]].name : fil_ipc_collider_of(world, pair->point[0])->name;
    return fil_world_fail(gradient->world, FIL_BAD_INPUT, "'%s' and '%s' %s", first,
                          fil_ipc_collider_of(world, pair->point[pair->corner_count - 1])->name, why);
}

int fil_gradient_corner_size(const FilWorld* world, int point)
{
    const FilIpcPoint* p = &world->solver.ipc.surface.points[point];
    const FilBody* body = &world->system.bodies[fil_ipc_collider_of(world, point)->body];
    if (!body->moves) {
        return 0;
    }
    return p->node >= 0 ? 4 : body->v_count;
}

/* ---- barriers ---- */

bool fil_gradient_on_moving_face(const FilWorld* world, const FilIpcPair* pair)
{
    return pair->plane < 0 && fil_ipc_goes_around(&world->solver.ipc.surface.points[pair->point[0]]) &&
           world->system.bodies[fil_ipc_collider_of(world, pair->point[1])->body].moves;
}

void fil_gradient_take_rim(const FilWorld* world, int point, const double* q, FilTouch* touch)
{
    const FilWorldCollider* c = fil_ipc_collider_of(world, point);
    const FilBody* body = &world->system.bodies[c->body];
    FilPlacement place;
    body->ops->place(body->impl, c->index, q + body->q, world->system.state.v + body->v, &place);
    fil_pose_axis(touch->along, &place.pose, 2);
    fil_v3_copy(touch->center, place.pose.p);
    touch->goes_around = true;
}

FilStatus fil_gradient_take_corner(FilGradient* gradient, const FilState* at, const FilIpcPair* pair, int i, double* work, int* unknown,
                                   FilGradientCorner* corner)
{
    FilWorld* world = gradient->world;
    const FilSolver* solver = &world->solver;
    const int point = pair->point[i];
    const FilIpcPoint* p = &solver->ipc.surface.points[point];
    const FilBody* body = &world->system.bodies[fil_ipc_collider_of(world, point)->body];
    *corner = (FilGradientCorner){.size = fil_gradient_corner_size(world, point), .jacobian = work, .move = work};
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
    const FilStatus status = fil_gradient_side_take(gradient, at, maker, p->collider, 0, 1, 1.0, work);
    corner->size = maker->size;
    if (status != FIL_OK || maker->size == 0) {
        return status;
    }
    fil_gradient_maker_name(maker, unknown);
    if (fil_ipc_goes_around(p)) {
        FilTouching touching = {.beyond = 0.5};
        double map[FIL_CONTACT_MOTION][MOTION];
        fil_v3_copy(touching.middle, maker->point);
        fil_v3_copy(touching.point, maker->point);
        touching.touch[0].feature = FIL_TOUCH_FACE;
        fil_ipc_rim_normal(solver, p->rim, solver->ipc.x.at, touching.touch[0].axis);
        fil_v3_copy(touching.normal, touching.touch[0].axis);
        fil_gradient_take_rim(world, point, solver->ipc.x.at, &touching.touch[1]);
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
static void add_turning(const FilGradientCorner* corner, const double* g, double dt, int at, double* row, FilGradientBarrier* out)
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
                                           &(const double*){row}, to, NULL);
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
    FilGradientCorner corner[4];
    double g[12], h[144];
    int at[4];
    if (plane >= 0 && world->system.bodies[world->collision.colliders[world->solver.ipc.surface.planes[plane]].body].moves) {
        return fil_gradient_refuse_pair(gradient, pair, "touch, a half-space that moves, of which gradients are not known yet");
    }
    if (fil_gradient_on_moving_face(world, pair)) {
        return fil_gradient_refuse_pair(gradient, pair, "touch, a cylinder and a face that moves, of which gradients are not known yet");
    }
    out->size = 0;
    FilStatus status = FIL_OK;
    for (int i = 0; i < corners && status == FIL_OK; i++) {
        at[i] = out->size;
        status = fil_gradient_take_corner(gradient, gradient->finish, pair, i, work, out->unknown + out->size, &corner[i]);
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

FilStatus fil_gradient_begin_bodies(FilGradient* gradient, const FilState* at, bool prepare)
{
    FilWorld* world = gradient->world;
    const FilStepSetup setup = fil_gradient_setup(gradient);
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
    size_t numbers = 0, unknowns = 0, max = 0;
    barriers->count = 0;
    for (int k = 0; k < field->active_count; k++) {
        const FilIpcPair* pair = &field->pairs[field->active.at[k]];
        size_t size = 0;
        for (int i = 0; i < pair->corner_count; i++) {
            size += (size_t)fil_gradient_corner_size(world, pair->point[i]);
        }
        numbers += size * size;
        unknowns += size;
        max = size > max ? size : max;
    }
    const size_t work = (MOTION + 4) * max + 1;
    if (!fil_buffer_reserve((void**)&barriers->items, &barriers->capacity, (size_t)field->active_count, sizeof *barriers->items) ||
        !fil_buffer_reserve((void**)&barriers->numbers, &barriers->number_capacity, numbers + work, sizeof(double)) ||
        !fil_buffer_reserve((void**)&barriers->unknowns, &barriers->unknown_capacity, unknowns + 1, sizeof(int))) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    FilStatus status = field->active_count > 0 ? fil_gradient_begin_bodies(gradient, gradient->finish, true) : FIL_OK;
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
    return status == FIL_OK && field->active_count > 0 ? fil_gradient_begin_bodies(gradient, &world->system.next, false) : status;
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
