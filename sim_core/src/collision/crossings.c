/* Whether edges of rows have passed through each other in a step. */
#include "base/vec3.h"
#include "collision/collision.h"
#include "geometry/sweep.h"

/* Six times the volume between two segments: its sign tells on which side one passes the other. */
static double side_of(const double points[12])
{
    double e[3], f[3], between[3], normal[3];
    fil_v3_sub(e, points + 3, points);
    fil_v3_sub(f, points + 9, points + 6);
    fil_v3_sub(between, points + 6, points);
    fil_v3_cross(normal, e, f);
    return fil_v3_dot(normal, between);
}

/* Where a row's nodes are in q. */
static const double* row_nodes(const FilCollisionStage* stage, int collider, const double* q)
{
    const FilWorldCollider* c = &stage->colliders[collider];
    const FilBody* body = &stage->system->bodies[c->body];
    FilPlacement place;
    body->ops->place(body->impl, c->index, q + body->q, stage->system->state.v + body->v, &place);
    return place.nodes;
}

static void take_edge(const double* nodes, int edge, int node_count, double points[6])
{
    fil_v3_copy(points, nodes + 4 * edge);
    fil_v3_copy(points + 3, nodes + 4 * (edge + 1 == node_count ? 0 : edge + 1));
}

/* The farthest that any node of a row has moved, squared. */
static double farthest_move(const FilCollisionStage* stage, const double* q_start, const double* q_end)
{
    double farthest = 0.0;
    for (int k = 0; k < stage->collider_count; k++) {
        const FilCollider* c = &stage->colliders[k].collider;
        if (c->kind != FIL_COLLIDER_ROW) {
            continue;
        }
        const double *from = row_nodes(stage, k, q_start), *to = row_nodes(stage, k, q_end);
        for (int n = 0; n < c->node_count; n++) {
            double move[3];
            fil_v3_sub(move, to + 4 * n, from + 4 * n);
            const double square = fil_v3_dot(move, move);
            farthest = square > farthest ? square : farthest;
        }
    }
    return farthest;
}

int fil_collision_crossings(const FilCollisionStage* stage, const double* q_start, const double* q_end)
{
    const double *from[2] = {NULL, NULL}, *to[2] = {NULL, NULL};  // nodes of the rows last looked at
    int count = 0, rows[2] = {-1, -1};
    // two edges would have to cover the distance of their axes; half of that is left for rounding
    if (stage->near.count == 0 || 16.0 * farthest_move(stage, q_start, q_end) < stage->near_axes) {
        return 0;
    }
    for (int k = 0; k < stage->near.count; k += 2) {
        const FilIndexPair* ends = &stage->near.items[k];
        double start[12], end[12];
        for (int s = 0; s < 2; s++) {
            const int row = ends[s].a, nodes = stage->colliders[row].collider.node_count;
            if (rows[s] != row) {
                rows[s] = row;
                from[s] = row_nodes(stage, row, q_start);
                to[s] = row_nodes(stage, row, q_end);
            }
            take_edge(from[s], ends[s].b, nodes, start + 6 * s);
            take_edge(to[s], ends[s].b, nodes, end + 6 * s);
        }
        if (side_of(start) * side_of(end) < 0.0 && fil_sweep_segments_cross(start, end, NULL)) {
            count++;
        }
    }
    return count;
}
