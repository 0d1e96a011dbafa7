/* How points on a rod's edges move with its unknowns, and how edges turn. */
#include <math.h>

#include "base/vec3.h"
#include "body/rod.h"

/* An edge's axis, inverse length and end blocks. */
typedef struct Edge {
    double t[3], per_length;
    const double* start;
    int blocks[2];
} Edge;

static Edge edge_of(const FilRodBody* body, const FilRod* rod, int edge, const double* q)
{
    const int next = edge + 1 < rod->node_count ? edge + 1 : 0;
    Edge e = {.start = q + 4 * (rod->first_node + edge)};
    fil_v3_sub(e.t, q + 4 * (rod->first_node + next), e.start);
    e.per_length = 1.0 / fil_v3_norm(e.t);
    fil_v3_scale(e.t, e.per_length, e.t);
    e.blocks[0] = rod->first_node + edge;
    e.blocks[1] = body->owner[rod->first_node + next];
    return e;
}

/* Names the blocks of an edge's Jacobian. Where the edge starts at a copy of a shared node, its position is the owner's
 * and its angle the copy's own: a third block. Returns their number. */
static int name_blocks(const FilRodBody* body, const Edge* e, int* blocks, double* jacobian)
{
    blocks[0] = body->owner[e->blocks[0]];
    blocks[1] = e->blocks[1];
    if (blocks[0] == e->blocks[0]) {
        return 2;
    }
    blocks[2] = e->blocks[0];
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
            jacobian[24 + 4 * j + k] = 0.0;
        }
        jacobian[24 + 4 * j + 3] = jacobian[4 * j + 3];
        jacobian[4 * j + 3] = 0.0;
    }
    return 3;
}

int fil_rod_point_jacobian(const void* pointer, int index, int part, const double* point, const double* q, int* blocks, double* jacobian,
                           double* bias)
{
    const FilRodBody* body = pointer;
    const Edge e = edge_of(body, &body->rods[index], part, q);
    double arm[3], spin[3];
    fil_v3_sub(arm, point, e.start);
    const double along = fil_v3_dot(arm, e.t), s = along * e.per_length;  // beyond the ends on caps, which turn with the edge
    fil_v3_axpy(arm, -along, e.t);                                        // from the axis out to the surface
    fil_v3_cross(spin, e.t, arm);
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    // v = (1 - s) v0 + s v1 + gamma_dot t x arm - t (t_dot . arm), the last from the edge's own turning
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
            const double turn = e.t[j] * (arm[k] * e.per_length), unit = j == k ? 1.0 : 0.0;
            jacobian[4 * j + k] = (1.0 - s) * unit + turn;
            jacobian[12 + 4 * j + k] = s * unit - turn;
        }
        jacobian[4 * j + 3] = spin[j];
        jacobian[12 + 4 * j + 3] = 0.0;
    }
    return name_blocks(body, &e, blocks, jacobian);
}

int fil_rod_edge_jacobian(const void* pointer, int index, int edge, const double* point, const double* q, const double* frame, double scale,
                          int* blocks, double* jacobian)
{
    const FilRodBody* body = pointer;
    const Edge e = edge_of(body, &body->rods[index], edge, q);
    double arm[3], spin[3], turned[3], turned_spin[3];
    fil_v3_sub(arm, point, e.start);
    const double along = fil_v3_dot(arm, e.t), s = along * e.per_length;
    fil_v3_axpy(arm, -along, e.t);
    fil_v3_cross(spin, e.t, arm);
    // F ((1 - s) + t arm'/l) and F (s - t arm'/l), as above
    fil_m3_apply(turned, frame, e.t);
    fil_m3_apply(turned_spin, frame, spin);
    const double near = scale * (1.0 - s), far = scale * s;
    for (int j = 0; j < 3; j++) {
        const double turn = scale * e.per_length * turned[j];
        for (int k = 0; k < 3; k++) {
            jacobian[4 * j + k] = near * frame[3 * j + k] + turn * arm[k];
            jacobian[12 + 4 * j + k] = far * frame[3 * j + k] - turn * arm[k];
        }
        jacobian[4 * j + 3] = scale * turned_spin[j];
        jacobian[12 + 4 * j + 3] = 0.0;
    }
    return name_blocks(body, &e, blocks, jacobian);
}

/* An edge at a node, seen in a contact's frame F: by how much its far end moves a point at `arm` from the node, F (s - t arm'/l), where s is the
 * share of the way to the far end; and F (t x arm), what the edge's angle does. */
typedef struct FarEnd {
    double moves[9], spin[3];
} FarEnd;

/* `arm` is that in the world's frame, `turned` in the contact's, both from the node. */
static inline FarEnd far_end(const double* frame, const double* node, const double* far, const double* arm, const double* turned)
{
    const double e0 = far[0] - node[0], e1 = far[1] - node[1], e2 = far[2] - node[2];
    const double per_length = 1.0 / sqrt(e0 * e0 + e1 * e1 + e2 * e2);
    const double t0 = e0 * per_length, t1 = e1 * per_length, t2 = e2 * per_length;
    const double along = arm[0] * t0 + arm[1] * t1 + arm[2] * t2, share = along * per_length;
    const double out[3] = {(arm[0] - along * t0) * per_length, (arm[1] - along * t1) * per_length, (arm[2] - along * t2) * per_length};
    FarEnd end;
    double axis[3];
    for (int j = 0; j < 3; j++) {
        axis[j] = frame[3 * j] * t0 + frame[3 * j + 1] * t1 + frame[3 * j + 2] * t2;
        for (int k = 0; k < 3; k++) {
            end.moves[3 * j + k] = share * frame[3 * j + k] - axis[j] * out[k];
        }
    }
    fil_v3_cross(end.spin, axis, turned);  // F is a rotation
    return end;
}

int fil_rod_node_jacobian(const void* pointer, int index, const int edge[2], const double* point, const double* q, const double* frame, double scale,
                          int* blocks, double* restrict jacobian)
{
    const FilRodBody* body = pointer;
    const FilRod* rod = &body->rods[index];
    if (body->network || rod->node_count < 3) {
        return 0;
    }
    const int first = rod->first_node, before = first + edge[0], node = first + edge[1], last = edge[1] + 1 < rod->node_count ? node + 1 : first;
    double arm[3], turned[3];
    fil_v3_sub(arm, point, q + 4 * node);
    fil_m3_apply(turned, frame, arm);
    const FarEnd back = far_end(frame, q + 4 * node, q + 4 * before, arm, turned), ahead = far_end(frame, q + 4 * node, q + 4 * last, arm, turned);
    blocks[0] = before;
    blocks[1] = node;
    blocks[2] = last;
    for (int j = 0; j < 3; j++) {
        double *first_row = jacobian + 4 * j, *own = first_row + 12, *last_row = first_row + 24;
        for (int k = 0; k < 3; k++) {  // what both edges leave of the point's motion is the node's
            const double from_back = scale * back.moves[3 * j + k], from_ahead = scale * ahead.moves[3 * j + k];
            first_row[k] = from_back;
            last_row[k] = from_ahead;
            own[k] = 2.0 * scale * frame[3 * j + k] - from_back - from_ahead;
        }
        // an edge's angle is in the block of where it starts; seen from its end it turns the other way
        first_row[3] = -scale * back.spin[j];
        own[3] = scale * ahead.spin[j];
        last_row[3] = 0.0;
    }
    return FIL_NODE_BLOCKS;
}

int fil_rod_turn_jacobian(const void* pointer, int index, int part, const double* q, int* blocks, double* jacobian, double* bias)
{
    const FilRodBody* body = pointer;
    const Edge e = edge_of(body, &body->rods[index], part, q);
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    // omega = gamma_dot t + t x (v1 - v0) / l
    const double cross[9] = {0.0, -e.t[2], e.t[1], e.t[2], 0.0, -e.t[0], -e.t[1], e.t[0], 0.0};
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
            jacobian[4 * j + k] = -cross[3 * j + k] * e.per_length;
            jacobian[12 + 4 * j + k] = cross[3 * j + k] * e.per_length;
        }
        jacobian[4 * j + 3] = e.t[j];
        jacobian[12 + 4 * j + 3] = 0.0;
    }
    return name_blocks(body, &e, blocks, jacobian);
}

void fil_rod_edge_blocks(const void* pointer, int index, int edge, int* blocks)
{
    const FilRodBody* body = pointer;
    const FilRod* rod = &body->rods[index];
    blocks[0] = body->owner[rod->first_node + edge];
    blocks[1] = body->owner[rod->first_node + (edge + 1 == rod->node_count ? 0 : edge + 1)];
}
