/* How edges of rods share what touches both of them at the node between (geometry/edge_share.h). */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "geometry/edge_share.h"
#include "solver/solver.h"

static bool of_rod(const FilSolver* solver, int point)
{
    return solver->collision->colliders[solver->ipc.surface.points[point].collider].collider.kind == FIL_COLLIDER_ROW;
}

/* Where the chain of points goes on from an end of an edge; NULL: nowhere. */
static const double* node_beyond(const FilSolver* solver, const int collider[2], const int part[2], int side, int end, int first, const double* x)
{
    const FilCollider* c = &solver->collision->colliders[collider[side]].collider;
    const int beyond = fil_collision_edge_beyond(solver->collision, collider, part, side, end);
    return beyond < 0 ? NULL : x + 3 * (first + (end == 0 ? beyond : (beyond + 1) % c->node_count));
}

/* Share of one side, whose corners are an edge, in a contact with `point` of the other. */
static double side_share(const FilSolver* solver, const int* own, const int* other, bool first_side, const double* x, const double* point)
{
    const FilIpcPoint *a = &solver->ipc.surface.points[own[0]], *b = &solver->ipc.surface.points[other[0]];
    if (!of_rod(solver, own[0])) {
        return 1.0;
    }
    // an edge has the number of its first node
    const int side = first_side ? 0 : 1, first = own[0] - a->part[1];
    const int collider[2] = {first_side ? a->collider : b->collider, first_side ? b->collider : a->collider};
    const int part[2] = {first_side ? a->part[1] : b->part[1], first_side ? b->part[1] : a->part[1]};
    // the mean radius: normals tilt by as much where one side is large
    return fil_edge_share(node_beyond(solver, collider, part, side, 0, first, x), x + 3 * own[0], x + 3 * own[1],
                          node_beyond(solver, collider, part, side, 1, first, x), point, 0.5 * (a->radius + b->radius));
}

/* The point of a side that is closest: that with these weights. */
static void closest_point(const int* points, const double* weight, int count, const double* x, double* point)
{
    fil_v3_set(point, 0.0, 0.0, 0.0);
    for (int i = 0; i < count; i++) {
        fil_v3_axpy(point, fabs(weight[i]), x + 3 * points[i]);
    }
}

double fil_ipc_share(const FilSolver* solver, const FilRepulsion* repulsion, const int* points, const double* x)
{
    const FilFeature kind = repulsion->pair;
    const int count = fil_feature_corners(kind), split = fil_feature_split(kind);
    double corners[12], at[2][3], share = 1.0;
    if ((kind != FIL_SEGMENT_SEGMENT || !of_rod(solver, points[0])) && (count - split != 2 || !of_rod(solver, points[split]))) {
        return 1.0;
    }
    for (int i = 0; i < count; i++) {
        fil_v3_copy(corners + 3 * i, x + 3 * points[i]);
    }
    const FilClosest closest = fil_feature_closest(kind, corners);
    closest_point(points, closest.weight, split, x, at[0]);
    closest_point(points + split, closest.weight + split, count - split, x, at[1]);
    if (split == 2) {
        share *= side_share(solver, points, points + 2, true, x, at[1]);
    }
    share *= side_share(solver, points + split, points, false, x, at[0]);
    // nearly parallel edges share their nodes already
    return 1.0 - fil_repulsion_crossing(repulsion, corners) * (1.0 - share);
}
