/* How edges of rows share what touches both of them at the node between. */
#include "base/vec3.h"
#include "collision/collision.h"
#include "geometry/closest.h"
#include "geometry/edge_share.h"

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

/* Share of two edges in what touches both and their neighbours, at the step's end: there forces act. */
double fil_collision_share(const FilCollisionStage* stage, const FilContact* contact, double dt)
{
    double x[2][4][3], at[2], share = 1.0;
    int beyond[2][2];
    for (int side = 0; side < 2; side++) {
        const FilWorldCollider* row = &stage->colliders[contact->collider[side]];
        const int edge = contact->part[side], count = row->collider.node_count;
        look_ahead(row, edge, dt, x[side][1]);
        look_ahead(row, (edge + 1) % count, dt, x[side][2]);
        for (int end = 0; end < 2; end++) {
            const int next = beyond[side][end] = fil_collision_edge_beyond(stage, contact->collider, contact->part, side, end);
            if (next >= 0) {
                look_ahead(row, end == 0 ? next : (next + 1) % count, dt, x[side][3 * end]);
            }
        }
    }
    (void)fil_segment_segment(x[0][1], x[0][2], x[1][1], x[1][2], &at[0], &at[1]);
    for (int side = 0; side < 2; side++) {
        const double(*own)[3] = (const double(*)[3])x[side], (*other)[3] = (const double(*)[3])x[1 - side];
        double point[3];
        fil_v3_sub(point, other[2], other[1]);
        fil_v3_scale(point, at[1 - side], point);
        fil_v3_add(point, point, other[1]);
        share *= fil_edge_share(beyond[side][0] >= 0 ? own[0] : NULL, own[1], own[2], beyond[side][1] >= 0 ? own[3] : NULL, point,
                                stage->colliders[contact->collider[side]].collider.radii[contact->part[side]]);
    }
    double along[2][3];
    for (int side = 0; side < 2; side++) {
        fil_v3_sub(along[side], x[side][2], x[side][1]);
    }
    return 1.0 - crossing(along[0], along[1]) * (1.0 - share);
}
