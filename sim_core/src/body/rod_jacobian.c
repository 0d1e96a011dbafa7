/* How points on a rod's edges move with its unknowns, and how edges turn. */
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

/* An edge at a node, seen in a contact's frame F: by how much its other end would move a point at `arm` from the node if the edge began there,
 * F (s - t arm'/l), where s is the share of the way along it; and F (t x arm), what the edge's angle does. Both times `scale`. */
typedef struct FarEnd {
    double moves[9], spin[3];
} FarEnd;

/* `arm` is that in the world's frame, `turned` in the contact's. */
static inline FarEnd far_end(const double* frame, const FilEdgeAxis* edge, const double* arm, const double* turned, double scale)
{
    const double *t = edge->t, along = fil_v3_dot(arm, t), per_length = scale * edge->per_length, share = along * per_length;
    const double out[3] = {(arm[0] - along * t[0]) * per_length, (arm[1] - along * t[1]) * per_length, (arm[2] - along * t[2]) * per_length};
    FarEnd end;
    double axis[3];
    fil_m3_apply(axis, frame, t);
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
            end.moves[3 * j + k] = share * frame[3 * j + k] - axis[j] * out[k];
        }
    }
    fil_v3_cross(end.spin, axis, turned);  // F is a rotation
    fil_v3_scale(end.spin, scale, end.spin);
    return end;
}

int fil_rod_node_jacobian(const void* pointer, int index, const int edge[2], const FilEdgeAxis axis[2], const double* point, const double* q,
                          const double* frame, double scale, int* blocks, double* restrict jacobian)
{
    const FilRodBody* body = pointer;
    const FilRod* rod = &body->rods[index];
    if (body->network || rod->node_count < 3) {
        return 0;
    }
    const int first = rod->first_node, node = first + edge[1];
    double arm[3], turned[3];
    fil_v3_sub(arm, point, q + 4 * node);
    fil_m3_apply(turned, frame, arm);
    blocks[0] = first + edge[0];
    blocks[1] = node;
    blocks[2] = edge[1] + 1 < rod->node_count ? node + 1 : first;
    // the edge before ends here: its other end is the way back
    const FarEnd back = far_end(frame, &axis[0], arm, turned, scale), ahead = far_end(frame, &axis[1], arm, turned, scale);
    for (int j = 0; j < 3; j++) {
        double *before = jacobian + 4 * j, *own = before + 12, *behind = before + 24;
        for (int k = 0; k < 3; k++) {  // what both edges leave of the point's motion is the node's
            before[k] = -back.moves[3 * j + k];
            own[k] = 2.0 * scale * frame[3 * j + k] + back.moves[3 * j + k] - ahead.moves[3 * j + k];
            behind[k] = ahead.moves[3 * j + k];
        }
        before[3] = back.spin[j];  // an edge's angle is in the block of where it starts
        own[3] = ahead.spin[j];
        behind[3] = 0.0;
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
