/* Which points, edges, triangles and planes may meet. */
#include "solver/solver.h"

static const FilWorldCollider* collider_of(const FilSolver* solver, int point)
{
    return &solver->collision->colliders[solver->ipc.surface.points[point].collider];
}

static bool colliders_meet(const FilSolver* solver, const FilWorldCollider* a, const FilWorldCollider* b)
{
    return fil_collision_may_meet(solver->collision, a, b) && !fil_collision_kept_apart(solver->collision, a, b);
}

static bool points_meet(const FilSolver* solver, int p, int q)
{
    const FilWorldCollider *a = collider_of(solver, p), *b = collider_of(solver, q);
    return a == b ? a->collider.collision.self && solver->ipc.surface.points[p].node >= 0 : colliders_meet(solver, a, b);
}

bool fil_ipc_may_meet(const FilSolver* solver, int p, int q)
{
    // rims are for planes and faces
    return solver->ipc.surface.points[p].rim == 0 && solver->ipc.surface.points[q].rim == 0 && points_meet(solver, p, q);
}

bool fil_ipc_at_joint(const FilSolver* solver, int p, int q)
{
    const FilIpcPoint *a = &solver->ipc.surface.points[p], *b = &solver->ipc.surface.points[q];
    bool near = false;
    for (int k = 0; k < 4 && !near && solver->collision->join_count > 0; k++) {
        near = fil_collision_at_joint(solver->collision, a->collider, a->part[k / 2], b->collider, b->part[k % 2]);
    }
    return near;
}

bool fil_ipc_plane_meets(const FilSolver* solver, int plane, int p)
{
    const FilIpcPoint* point = &solver->ipc.surface.points[p];
    const bool fits = point->rim > 0 ? point->rim == 1 + plane : !point->prism;
    return fits && colliders_meet(solver, collider_of(solver, p), &solver->collision->colliders[solver->ipc.surface.planes[plane]]);
}

bool fil_ipc_triangle_meets(const FilSolver* solver, const FilIpcTriangle* triangle, int p)
{
    const FilIpcPoint* point = &solver->ipc.surface.points[p];
    const bool fits = triangle->face < 0 ? point->rim == 0
                      : point->rim > 0   ? point->rim == 1 + solver->ipc.surface.plane_count + triangle->face
                                         : !point->prism;
    return fits && points_meet(solver, p, triangle->point[0]) && !fil_ipc_at_joint(solver, p, triangle->point[0]);
}

/* ---- edges ---- */

/* Whether two edges of rods are one piece: neighbours on a rod, or at a shared node. */
static bool one_piece(const FilSolver* solver, const FilIpcEdge* e, const FilIpcEdge* f)
{
    const FilWorldCollider *a = collider_of(solver, e->point[0]), *b = collider_of(solver, f->point[0]);
    const FilBody* body = &solver->system->bodies[a->body];
    if (a->body != b->body || a->collider.kind != FIL_COLLIDER_ROW || b->collider.kind != FIL_COLLIDER_ROW) {
        return false;
    }
    if (a == b) {
        return fil_collision_neighbours(&a->collider, e->part < f->part ? e->part : f->part, e->part < f->part ? f->part : e->part);
    }
    return body->ops->joined(body->impl, a->index, e->part, b->index, f->part);
}

static bool at_joint(const FilSolver* solver, const FilIpcEdge* e, const FilIpcEdge* f)
{
    const FilIpcPoint *a = &solver->ipc.surface.points[e->point[0]], *b = &solver->ipc.surface.points[f->point[0]];
    return solver->collision->join_count > 0 && fil_collision_at_joint(solver->collision, a->collider, e->part, b->collider, f->part);
}

bool fil_ipc_edge_meets(const FilSolver* solver, const FilIpcEdge* e, const FilIpcEdge* f)
{
    return fil_ipc_may_meet(solver, e->point[0], f->point[0]) && !one_piece(solver, e, f) && !at_joint(solver, e, f);
}
