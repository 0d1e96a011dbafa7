/* How edges of rows share what touches both of them at the node between. */
#include "base/vec3.h"
#include "collision/collision.h"
#include "geometry/closest.h"
#include "geometry/edge_pair.h"

/* Where a node of a row will be at the step's end if it goes on as it does. */
static void look_ahead(const FilWorldCollider* row, int node, double dt, double* x)
{
    fil_v3_copy(x, row->place.nodes + 4 * node);
    fil_v3_axpy(x, dt, row->place.velocities + 4 * node);
}

/* How much edges in directions u and w cross rather than run along each other: 0 below 45 degrees, 1 above 72. Strands that wind around
 * each other touch all along, by ends of edges too; to leave those to neighbours would leave gaps that strands slip through. */
static double crossing(const double* u, const double* w)
{
    const double cosine = fil_v3_dot(u, w), square = cosine * cosine / (fil_v3_dot(u, u) * fil_v3_dot(w, w));
    const double x = fmin(fmax((0.5 - square) / 0.4, 0.0), 1.0);  // cos^2 from 0.5 to 0.1
    return x * x * (3.0 - 2.0 * x);
}

/* Nodes of two edges and those beside them, where they will be at the step's end: there forces act. */
static FilEdgePair pair_of(const FilCollisionStage* stage, const FilContact* contact, double dt, int node[2][4])
{
    FilEdgePair pair = {.edge = {true, true}};
    for (int side = 0; side < 2; side++) {
        const FilWorldCollider* row = &stage->colliders[contact->collider[side]];
        const int edge = contact->part[side], count = row->collider.node_count;
        node[side][1] = edge;
        node[side][2] = (edge + 1) % count;
        for (int end = 0; end < 2; end++) {
            const int next = fil_collision_edge_beyond(stage, contact->collider, contact->part, side, end);
            node[side][3 * end] = next < 0 ? -1 : end == 0 ? next : (next + 1) % count;
            pair.goes_on[side][end] = next >= 0;
        }
        for (int k = 0; k < 4; k++) {
            if (node[side][k] >= 0) {
                look_ahead(row, node[side][k], dt, pair.x[side][k]);
            }
        }
        pair.radius[side] = row->collider.radii[edge];
    }
    (void)fil_segment_segment(pair.x[0][1], pair.x[0][2], pair.x[1][1], pair.x[1][2], &pair.at[0], &pair.at[1]);
    return pair;
}

double fil_collision_share(const FilCollisionStage* stage, const FilContact* contact, double dt)
{
    int node[2][4];
    const FilEdgePair pair = pair_of(stage, contact, dt, node);
    double along[2][3];
    for (int side = 0; side < 2; side++) {
        fil_v3_sub(along[side], pair.x[side][2], pair.x[side][1]);
    }
    return 1.0 - crossing(along[0], along[1]) * (1.0 - fil_edge_pair_share(&pair));
}

/* How crossing() changes. */
static double crossing_slope(const double* u, const double* w, const double* du, const double* dw)
{
    const double cosine = fil_v3_dot(u, w), uu = fil_v3_dot(u, u), ww = fil_v3_dot(w, w), square = cosine * cosine / (uu * ww);
    const double x = (0.5 - square) / 0.4;
    if (!(x > 0.0 && x < 1.0)) {
        return 0.0;
    }
    const double change =
        2.0 * cosine * (fil_v3_dot(du, w) + fil_v3_dot(u, dw)) / (uu * ww) - 2.0 * square * (fil_v3_dot(u, du) / uu + fil_v3_dot(w, dw) / ww);
    return 6.0 * x * (1.0 - x) * -change / 0.4;
}

void fil_collision_share_slopes(const FilCollisionStage* stage, const FilContact* contact, double dt, int node[2][4], double slope[2][4][3])
{
    const FilEdgePair pair = pair_of(stage, contact, dt, node);
    const double share = fil_edge_pair_share(&pair);
    double along[2][3];
    for (int side = 0; side < 2; side++) {
        fil_v3_sub(along[side], pair.x[side][2], pair.x[side][1]);
    }
    const double crosses = crossing(along[0], along[1]);
    for (int k = 0; k < 24; k++) {
        double dx[2][4][3] = {{{0.0}}}, turned[2][3];
        const int side = k / 12, which = k % 12 / 3;
        dx[side][which][k % 3] = 1.0;
        for (int s = 0; s < 2; s++) {
            fil_v3_sub(turned[s], dx[s][2], dx[s][1]);
        }
        slope[side][which][k % 3] = node[side][which] < 0 ? 0.0
                                                          : crosses * fil_edge_pair_change(&pair, dx) -
                                                                crossing_slope(along[0], along[1], turned[0], turned[1]) * (1.0 - share);
    }
}
