/* How edges of rods share what touches both of them at the node between (geometry/edge_share.h). */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "geometry/edge_pair.h"
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

/* One side of a pair for slopes: its points, and those beside it on its rod. */
static void take_side(const FilSolver* solver, const int* points, int count, const int* other, int side, const double* x, FilEdgePair* pair,
                      int point[4])
{
    const FilIpcPoint *a = &solver->ipc.surface.points[points[0]], *b = &solver->ipc.surface.points[other[0]];
    point[0] = point[3] = -1;
    point[1] = points[0];
    point[2] = points[count - 1];
    pair->edge[side] = count == 2 && of_rod(solver, points[0]);
    pair->radius[side] = 0.5 * (a->radius + b->radius);
    for (int end = 0; end < 2 && pair->edge[side]; end++) {
        const int first = points[0] - a->part[1];
        const int collider[2] = {side == 0 ? a->collider : b->collider, side == 0 ? b->collider : a->collider};
        const int part[2] = {side == 0 ? a->part[1] : b->part[1], side == 0 ? b->part[1] : a->part[1]};
        const double* beyond = node_beyond(solver, collider, part, side, end, first, x);
        pair->goes_on[side][end] = beyond != NULL;
        point[3 * end] = beyond != NULL ? (int)((beyond - x) / 3) : -1;
    }
    for (int k = 0; k < 4; k++) {
        if (point[k] >= 0) {
            fil_v3_copy(pair->x[side][k], x + 3 * point[k]);
        }
    }
}

void fil_ipc_share_slopes(const FilSolver* solver, const FilRepulsion* repulsion, const int* points, const double* x, int point[2][4],
                          double slope[2][4][3])
{
    const int count = fil_feature_corners(repulsion->pair), split = fil_feature_split(repulsion->pair);
    double corners[12];
    FilEdgePair pair = {.edge = {false, false}};
    for (int i = 0; i < count; i++) {
        fil_v3_copy(corners + 3 * i, x + 3 * points[i]);
    }
    const FilClosest closest = fil_feature_closest(repulsion->pair, corners);
    take_side(solver, points, split, points + split, 0, x, &pair, point[0]);
    take_side(solver, points + split, count - split, points, 1, x, &pair, point[1]);
    pair.at[0] = split == 2 ? fabs(closest.weight[1]) : 0.0;
    pair.at[1] = count - split == 2 ? fabs(closest.weight[split + 1]) : 0.0;
    // two sides of four points with three coordinates
    for (int k = 0; k < 24; k++) {
        double dx[2][4][3] = {{{0.0}}};
        const int side = k / 12, which = k % 12 / 3;
        dx[side][which][k % 3] = 1.0;
        slope[side][which][k % 3] = point[side][which] >= 0 ? fil_edge_pair_change(&pair, dx) : 0.0;
    }
}
