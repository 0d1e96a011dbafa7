/* Whether a world that begins to move under barriers is free of intersections. */
#include "geometry/closest.h"
#include "solver/solver.h"

static const char* name_of(const FilSolver* solver, int collider)
{
    return solver->collision->colliders[collider].name;
}

static FilStatus refuse(FilSolver* solver, int collider_a, int part_a, int collider_b, int part_b)
{
    return fil_solver_refuse(solver,
                             "'%s' (part %d) and '%s' (part %d) intersect at the start: contact model 'ipc' "
                             "cannot part them; move them apart, of one sheet coarsen its folds, or use 'sap_lagged'",
                             name_of(solver, collider_a), part_a, name_of(solver, collider_b), part_b);
}

static bool shares(const int* a, int count_a, const int* b, int count_b)
{
    for (int i = 0; i < count_a; i++) {
        for (int j = 0; j < count_b; j++) {
            if (a[i] == b[j]) {
                return true;
            }
        }
    }
    return false;
}

/* An edge through a triangle leaves all their corners and sides apart: looked for by itself. */
static FilStatus check_piercing(FilSolver* solver)
{
    FilIpcField* field = &solver->ipc;
    const FilIpcSurface* s = &field->surface;
    FilPairs* near = &field->chosen[0];
    near->count = 0;
    fil_bvh_mark(&field->near.trees[0], NULL);
    FilStatus status = s->triangle_count > 0 ? fil_bvh_pairs(&field->near.trees[0], &field->near.trees[1], near) : FIL_OK;
    for (int k = 0; k < near->count && status == FIL_OK; k++) {
        const FilIpcEdge* e = &s->edges[near->items[k].a];
        const FilIpcTriangle* t = &s->triangles[near->items[k].b];
        const double* x = field->points.at;
        double along, w[3];
        if (shares(e->point, 2, t->point, 3) || !fil_ipc_may_meet(solver, e->point[0], t->point[0]) ||
            fil_ipc_at_joint(solver, e->point[0], t->point[0]) || fil_ipc_at_joint(solver, e->point[1], t->point[0])) {
            continue;
        }
        const double d2 =
            fil_segment_triangle(x + 3 * e->point[0], x + 3 * e->point[1], x + 3 * t->point[0], x + 3 * t->point[1], x + 3 * t->point[2], &along, w);
        const double offset = s->points[e->point[0]].radius + s->points[t->point[0]].radius;
        if (d2 <= offset * offset) {
            status = refuse(solver, s->points[e->point[0]].collider, e->part, s->points[t->point[0]].collider, t->part);
        }
    }
    return status;
}

FilStatus fil_ipc_check_start(FilSolver* solver)
{
    const FilIpcField* field = &solver->ipc;
    for (int k = 0; k < field->pair_count; k++) {
        const FilIpcPair* pair = &field->pairs[k];
        if (!(pair->gap > 0.0)) {
            const int split = pair->plane >= 0 ? 0 : fil_feature_split(pair->repulsion.pair);
            const int other = pair->plane >= 0 ? field->surface.planes[pair->plane] : field->surface.points[pair->point[split]].collider;
            return refuse(solver, field->surface.points[pair->point[0]].collider, pair->point[0], other, pair->point[split]);
        }
    }
    return check_piercing(solver);
}
