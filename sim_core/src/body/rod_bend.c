/* How the tangent of a rod varies with its place, for contact that is linear about free motion: sums over hinges and edges. */
#include <string.h>

#include "base/arena.h"
#include "base/vec3.h"
#include "body/rod_bend_element.h"
#include "body/rod_block.h"
#include "body/rod_derivative.h"

struct FilRodBends {
    int hinge_count, stretch_count;
    FilBendHinge* hinges; /* those of clamps at last */
    FilBendStretch* stretches;
    bool* weighs; /* per node: something weighs on its block, or on all */
    bool named;   /* hinges of rods know their nodes, which stay */
};

/* ---- numbers on edges ---- */

static void gather(const FilBendEdge* edge, const double* x, double* out)
{
    for (int k = 0; k < 3; k++) {
        out[k] = edge->first >= 0 ? x[edge->next + k] - x[edge->first + k] : 0.0;
    }
    out[3] = edge->first >= 0 && edge->angle >= 0 ? x[edge->angle] : 0.0;
}

static void scatter(const FilBendEdge* edge, double scale, const double* x, double* out)
{
    for (int k = 0; k < 3 && edge->first >= 0; k++) {
        out[edge->next + k] += scale * x[k];
        out[edge->first + k] -= scale * x[k];
    }
    if (edge->first >= 0 && edge->angle >= 0) {
        out[edge->angle] += scale * x[3];
    }
}

static void gather_hinge(const FilBendHinge* hinge, const double* x, double* out)
{
    gather(&hinge->edge[0], x, out);
    gather(&hinge->edge[1], x, out + 4);
}

static void scatter_hinge(const FilBendHinge* hinge, double scale, const double* x, double* out)
{
    scatter(&hinge->edge[0], scale, x, out);
    scatter(&hinge->edge[1], scale, x + 4, out);
}

/* ---- taking them ---- */

static bool allocate(FilRodBody* body)
{
    const size_t n = (size_t)body->node_count, clamps = 2 * (size_t)body->attachment_count;
    FilRodBends* bends = fil_arena_alloc(body->arena, 1, sizeof *bends);
    if (bends == NULL) {
        return false;
    }
    *bends = (FilRodBends){.hinges = fil_arena_alloc(body->arena, n + clamps, sizeof(FilBendHinge)),
                           .stretches = fil_arena_alloc(body->arena, n, sizeof(FilBendStretch)),
                           .weighs = fil_arena_alloc(body->arena, n, sizeof(bool))};
    body->derivative->bends = bends;
    body->derivative->at_free = fil_arena_alloc(body->arena, n, sizeof(FilEdgeTurn));
    return body->derivative->at_free != NULL && bends->hinges != NULL && bends->stretches != NULL && bends->weighs != NULL;
}

static FilBendEdge edge_of(const FilRodBody* body, const FilRod* rod, int i)
{
    const int own = rod->first_node + i, next = rod->first_node + (i + 1) % rod->node_count;
    return (FilBendEdge){4 * body->owner[own], 4 * body->owner[next], rod->chain.untwisted ? -1 : 4 * own + 3};
}

/* Which blocks of unknowns move the hinge's edges. */
static void take_nodes(FilBendHinge* hinge)
{
    hinge->node_count = 0;
    for (int i = 0; i < 6; i++) {
        const FilBendEdge* edge = &hinge->edge[i / 3];
        const int unknown = i % 3 == 0 ? edge->first : i % 3 == 1 ? edge->next : edge->angle, first = i / 3 * 4;
        int n = 0;
        if (edge->first < 0 || unknown < 0) {
            continue;
        }
        while (n < hinge->node_count && hinge->nodes[n].block != unknown / 4) {
            n++;
        }
        FilBendNode* node = &hinge->nodes[n];
        if (n == hinge->node_count) {
            *node = (FilBendNode){.block = unknown / 4};
            hinge->node_count++;
        }
        for (int k = 0; k < 3 && i % 3 < 2; k++) {
            node->moves[first + k] += i % 3 == 0 ? -1.0 : 1.0;
        }
        node->moves[first + 3] += i % 3 == 2 ? 1.0 : 0.0;
    }
    static const double in_line[3][8] = {
        {-1.0, -1.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0}, {1.0, 1.0, 1.0, 0.0, -1.0, -1.0, -1.0, 1.0}, {0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0}};
    hinge->in_line = hinge->node_count == 3;
    for (int n = 0; n < 3 && hinge->in_line; n++) {
        for (int k = 0; k < 8; k++) {
            hinge->in_line = hinge->in_line && hinge->nodes[n].moves[k] == in_line[n][k];
        }
    }
}

/* What the step's start and end say about a hinge whose edges and law are set. */
static void take_hinge(FilBendHinge* hinge, const double* change, const Frame1* first, const Frame1* second, double damping)
{
    gather_hinge(hinge, change, hinge->z);
    hinge->damped = damping / (1.0 + damping);
    if (!(damping > 0.0)) {
        return;
    }
    const Frame1* const start[2] = {first, second};
    double gradients[3][6];
    fil_rod_strain_gradients(first, second, gradients);
    for (int s = 0; s < 3; s++) {
        for (int side = 0; side < 2; side++) {
            const double* g = gradients[s] + 3 * side;
            for (int k = 0; k < 3; k++) {
                hinge->start[s][4 * side + k] = (g[0] * start[side]->m1[k] + g[1] * start[side]->m2[k]) * start[side]->inverse;
            }
            hinge->start[s][4 * side + 3] = g[2];
        }
    }
}

static void take_rod(FilRodBody* body, FilRod* rod, const double* change, FilRodBends* bends)
{
    const double damping = rod->damping_stiffness / body->setup.dt;
    const FilRodHistory* h0 = body->h0 + rod->first_node;
    const FilEdgeFrames* frames = body->derivative->frames + rod->first_node;
    const int n = rod->node_count;
    for (int i = 0; i < rod->edge_count; i++) {
        const int before = (i + n - 1) % n;
        const Frame1 *start = &frames[i].start, *end = &frames[i].end;
        const double k = rod->law[i].ea / h0[i].rest_length;
        double z[4];
        FilBendStretch* stretch = &bends->stretches[bends->stretch_count];
        *stretch = (FilBendStretch){.edge = edge_of(body, rod, i),
                                    .stiffness = k * (1.0 + damping),
                                    .natural = (h0[i].rest_length + damping * start->length) / (1.0 + damping),
                                    .inverse = end->inverse,
                                    .damped = damping / (1.0 + damping)};
        fil_v3_copy(stretch->t, end->t);
        fil_v3_copy(stretch->start, start->t);
        gather(&stretch->edge, change, z);
        fil_v3_copy(stretch->z, z);
        bends->stretch_count++;
        if (!rod->closed && i == 0) {
            continue;
        }
        FilBendHinge* hinge = &bends->hinges[bends->hinge_count++];
        if (!bends->named) {
            hinge->edge[0] = edge_of(body, rod, before);
            hinge->edge[1] = edge_of(body, rod, i);
            take_nodes(hinge);
        }
        hinge->frame[0] = frames[before].end, hinge->frame[1] = *end;
        hinge->frameless = rod->chain.untwisted;
        hinge->law = (HingeLaw1){rod->law[i].k1, rod->law[i].k2, rod->law[i].kt, h0[i].rest1, h0[i].rest2, h0[i].rest_twist};
        hinge->known = (KnownTwist1){h0[i].twist, h0[i].cosine, h0[i].sine};
        if (damping > 0.0) {
            double kappa1, kappa2;
            curvatures1(&frames[before].start, start, &kappa1, &kappa2);
            fil_rod_blend_law(&hinge->law, kappa1, kappa2, h0[i].twist, damping);
        }
        take_hinge(hinge, change, &frames[before].start, start, damping);
    }
}

/* The half hinges at a clamp, between the held section and the edges beside it. */
static void take_clamp(FilRodBody* body, const FilRodAttachment* a, const double* change, FilRodBends* bends)
{
    static const KnownTwist1 untwisted = {0.0, 1.0, 0.0};
    FilRod* rod = &body->rods[a->rod];
    const double damping = rod->damping_stiffness / body->setup.dt;
    for (int which = 0; which < 2; which++) {
        const FilClampSide* side = &a->side[which];
        if (side->edge < 0) {
            continue;
        }
        const int own = which == 0 ? 1 : 0, held = 1 - own;
        FilBendHinge* hinge = &bends->hinges[bends->hinge_count++];
        Frame1 start[2];
        start[held] = fil_rod_clamp_section(side, a->target.rotation[0]);
        hinge->frame[held] = fil_rod_clamp_section(side, a->target.rotation[1]);
        fil_rod_edge_frame(rod, body->q0 + 4 * rod->first_node, body->h0 + rod->first_node, side->edge, &start[own]);
        fil_rod_chain_frame(&rod->chain, side->edge, &hinge->frame[own]);
        hinge->edge[own] = edge_of(body, rod, side->edge);
        hinge->edge[held] = (FilBendEdge){-1, -1, -1};
        take_nodes(hinge);
        hinge->frameless = false;
        hinge->law = fil_rod_clamp_law(side, body->h0 + rod->first_node + a->first);
        hinge->known = untwisted;
        if (damping > 0.0) {
            double kappa1, kappa2;
            curvatures1(&start[0], &start[1], &kappa1, &kappa2);
            fil_rod_blend_law(&hinge->law, kappa1, kappa2, twist1(&start[0], &start[1], &untwisted), damping);
        }
        take_hinge(hinge, change, &start[0], &start[1], damping);
    }
}

const char* fil_rod_take_bends(FilRodBody* body, const double* v_free, const double* v)
{
    FilRodDerivative* d = body->derivative;
    if (d->bends == NULL && !allocate(body)) {
        return "needs more memory than there is";
    }
    FilRodBends* bends = d->bends;
    bends->hinge_count = bends->stretch_count = 0;
    for (int i = 0; i < d->edge_count; i++) {
        d->at_free[i] = d->edges[i].turn;
    }
    for (int k = 0; k < 4 * body->node_count; k++) {
        d->weight[k] = body->is_free[k] * (v[k] - v_free[k]);
    }
    for (int r = 0; r < body->rod_count; r++) {
        take_rod(body, &body->rods[r], d->weight, bends);
    }
    bends->named = true;
    for (int s = 0; s < body->attachment_count; s++) {
        if (body->attachments[s].target.active && body->attachments[s].kind == FIL_ATTACH_CLAMP) {
            take_clamp(body, &body->attachments[s], d->weight, bends);
        }
    }
    return NULL;
}

/* ---- products ---- */

static double dot_of(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* With `back` adds to the matrix of a hinge what its nodes' blocks are, B block B' with B of FilBendNode, else adds to the blocks B' matrix B. */
static void join_blocks(const FilBendHinge* hinge, bool back, double* blocks, double matrix[8][8])
{
    for (int n = 0; n < hinge->node_count; n++) {
        const FilBendNode* node = &hinge->nodes[n];
        double* block = blocks + 16 * (size_t)node->block;
        for (int i = 0; i < 8; i++) {
            double* row = block + 4 * (i % 4);
            for (int j = 0; j < 8 && !back && node->moves[i] != 0.0; j++) {
                row[j % 4] += node->moves[i] * node->moves[j] * matrix[i][j];
            }
            if (back && node->moves[i] != 0.0) {
                for (int k = 0; k < 4; k++) {
                    const double own = node->moves[i] * row[k];
                    matrix[i][k] += own * node->moves[k];
                    matrix[i][4 + k] += own * node->moves[4 + k];
                }
            }
        }
    }
}

static void bend_hinges(const FilRodBends* bends, const double* place, const double* start, double scale, double* sum, double* blocks)
{
    for (int h = 0; h < bends->hinge_count; h++) {
        const FilBendHinge* hinge = &bends->hinges[h];
        double y[8], rest[3] = {0.0}, change[8][8], product[8];
        gather_hinge(hinge, start, y);
        for (int s = 0; s < 3 && hinge->damped > 0.0; s++) {
            rest[s] = hinge->damped * dot_of(hinge->start[s], y, 8);
        }
        gather_hinge(hinge, place, y);
        fil_bend_vary(hinge, y, rest, change);
        for (int i = 0; i < 8; i++) {
            product[i] = 0.0;
            for (int j = 0; j < 8; j++) {
                change[i][j] *= scale;
                product[i] += change[i][j] * hinge->z[j];
            }
        }
        scatter_hinge(hinge, 1.0, product, sum);
        join_blocks(hinge, false, blocks, change);
    }
}

void fil_rod_bend(const void* pointer, const double* place, const double* start, double* out, double* blocks)
{
    const FilRodBody* body = pointer;
    const FilRodBends* bends = body->derivative->bends;
    const double scale = body->stiffness_scale;
    double* sum = body->derivative->weight;
    memset(sum, 0, 4 * sizeof(double) * (size_t)body->node_count);
    bend_hinges(bends, place, start, scale, sum, blocks);
    for (int k = 0; k < bends->stretch_count; k++) {
        const FilBendStretch* stretch = &bends->stretches[k];
        double y[4], change[3][3], product[4] = {0.0};
        gather(&stretch->edge, start, y);
        const double rest = stretch->damped * fil_v3_dot(stretch->start, y);
        gather(&stretch->edge, place, y);
        fil_bend_vary_stretch(stretch, y, rest, change);
        for (int i = 0; i < 3; i++) {
            product[i] = fil_v3_dot(change[i], stretch->z);
            for (int j = 0; j < 3; j++) {
                blocks[4 * stretch->edge.first + 4 * i + j] += scale * change[i][j];
                blocks[4 * stretch->edge.next + 4 * i + j] += scale * change[i][j];
            }
        }
        scatter(&stretch->edge, scale, product, sum);
    }
    for (int k = 0; k < 4 * body->node_count; k++) {
        out[k] += body->is_free[k] * sum[k];
    }
}

static bool any_of(const double* a, int n)
{
    bool any = false;
    for (int k = 0; k < n; k++) {
        any |= a[k] != 0.0;
    }
    return any;
}

/* Whether something weighs on a hinge. */
static bool weighs(const FilRodBends* bends, const FilBendHinge* hinge)
{
    bool any = false;
    for (int n = 0; n < hinge->node_count; n++) {
        any |= bends->weighs[hinge->nodes[n].block];
    }
    return any;
}

/* What weighs on a hinge's Hessian. */
static void weigh_hinge(const FilBendHinge* hinge, const double* own, double* blocks, double weight[8][8])
{
    double w[8];
    gather_hinge(hinge, own, w);
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            weight[i][j] = 0.5 * (w[i] * hinge->z[j] + hinge->z[i] * w[j]);
        }
    }
    join_blocks(hinge, true, blocks, weight);
}

/* The same of hinges whose nodes are in line, one in each lane. */
static void weigh_lanes(const FilBendHinge* const hinges[FIL_LANE_COUNT], const double* own, const double* blocks, FilLanes weight[8][8])
{
    FilLanes w[8], z[8], b[3][16];
    for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
        const FilBendHinge* hinge = hinges[lane];
        double one[8];
        gather_hinge(hinge, own, one);
        for (int k = 0; k < 8; k++) {
            ((double*)w)[FIL_LANE_COUNT * k + lane] = 0.5 * one[k];
            ((double*)z)[FIL_LANE_COUNT * k + lane] = hinge->z[k];
        }
        for (int n = 0; n < 3; n++) {
            const double* block = blocks + 16 * (size_t)hinge->nodes[n].block;
            for (int k = 0; k < 16; k++) {
                ((double*)b[n])[FIL_LANE_COUNT * k + lane] = block[k];
            }
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            weight[i][j] = w[i] * z[j] + z[i] * w[j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int k = 4 * i + j;
            weight[i][j] += b[0][k] + b[1][k];
            weight[i][4 + j] -= b[1][k];
            weight[4 + i][j] -= b[1][k];
            weight[4 + i][4 + j] += b[1][k] + b[2][k];
        }
        weight[i][3] -= b[0][4 * i + 3], weight[3][i] -= b[0][12 + i];
        weight[i][7] += b[1][4 * i + 3], weight[7][i] += b[1][12 + i];
        weight[4 + i][7] -= b[1][4 * i + 3], weight[7][4 + i] -= b[1][12 + i];
    }
    weight[3][3] += b[0][15];
    weight[7][7] += b[1][15];
}

static void add_back(const FilBendHinge* hinge, double scale, const double* y, const double* rest, double* place, double* start)
{
    scatter_hinge(hinge, scale, y, place);
    if (hinge->damped > 0.0) {
        double sum[8];
        for (int k = 0; k < 8; k++) {
            sum[k] = hinge->start[0][k] * rest[0] + hinge->start[1][k] * rest[1] + hinge->start[2][k] * rest[2];
        }
        scatter_hinge(hinge, scale * hinge->damped, sum, start);
    }
}

/* Hinges one in each lane; those that are left over stand in all of them. */
static void bend_lanes_back(const FilBendHinge* const hinges[FIL_LANE_COUNT], int count, const double* own, double* blocks, double scale,
                            double* place, double* start)
{
    FilLanes weight[8][8], y[8], rest[3];
    bool in_line = true;
    for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
        in_line = in_line && hinges[lane]->in_line;
    }
    if (in_line) {
        weigh_lanes(hinges, own, blocks, weight);
    }
    for (int lane = 0; lane < FIL_LANE_COUNT && !in_line; lane++) {
        double one[8][8];
        weigh_hinge(hinges[lane], own, blocks, one);
        for (int k = 0; k < 64; k++) {
            ((double*)weight)[FIL_LANE_COUNT * k + lane] = (&one[0][0])[k];
        }
    }
    fil_bend_vary_back_lanes(hinges, weight, y, rest);
    for (int lane = 0; lane < count; lane++) {
        double own_y[8], own_rest[3];
        for (int k = 0; k < 8; k++) {
            own_y[k] = fil_lanes_get(y[k], lane);
        }
        for (int k = 0; k < 3; k++) {
            own_rest[k] = fil_lanes_get(rest[k], lane);
        }
        add_back(hinges[lane], scale, own_y, own_rest, place, start);
    }
}

static void bend_hinges_back(const FilRodBends* bends, const double* own, double* blocks, double scale, double* place, double* start)
{
    const FilBendHinge* waiting[FIL_LANE_COUNT];
    int count = 0;
    for (int h = 0; h < bends->hinge_count; h++) {
        const FilBendHinge* hinge = &bends->hinges[h];
        if (!weighs(bends, hinge)) {
            continue;
        }
        if (hinge->frameless) {
            const double rest[3] = {0.0};
            double weight[8][8], y[8];
            weigh_hinge(hinge, own, blocks, weight);
            fil_bend_vary_back(hinge, weight, y);
            add_back(hinge, scale, y, rest, place, start);
            continue;
        }
        waiting[count++] = hinge;
        if (count == FIL_LANE_COUNT) {
            bend_lanes_back(waiting, count, own, blocks, scale, place, start);
            count = 0;
        }
    }
    for (int lane = count; lane < FIL_LANE_COUNT && count > 0; lane++) {
        waiting[lane] = waiting[0];
    }
    if (count > 0) {
        bend_lanes_back(waiting, count, own, blocks, scale, place, start);
    }
}

void fil_rod_bend_back(const void* pointer, const double* weight, double* blocks, double* place, double* start)
{
    const FilRodBody* body = pointer;
    const FilRodBends* bends = body->derivative->bends;
    const double scale = body->stiffness_scale;
    double* own = body->derivative->weight;
    for (int k = 0; k < 4 * body->node_count; k++) {
        own[k] = body->is_free[k] * weight[k];
    }
    const bool all = any_of(own, 4 * body->node_count);
    for (int k = 0; k < body->node_count; k++) {
        bends->weighs[k] = all || any_of(blocks + 16 * (size_t)k, 16);
    }
    bend_hinges_back(bends, own, blocks, scale, place, start);
    for (int k = 0; k < bends->stretch_count; k++) {
        const FilBendStretch* stretch = &bends->stretches[k];
        const double *first = blocks + 4 * stretch->edge.first, *next = blocks + 4 * stretch->edge.next;
        double w[4], sum[3][3], y[4] = {0.0}, rest;
        if (!bends->weighs[stretch->edge.first / 4] && !bends->weighs[stretch->edge.next / 4]) {
            continue;
        }
        gather(&stretch->edge, own, w);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                sum[i][j] = 0.5 * (w[i] * stretch->z[j] + stretch->z[i] * w[j]) + first[4 * i + j] + next[4 * i + j];
            }
        }
        fil_bend_vary_stretch_back(stretch, sum, y, &rest);
        scatter(&stretch->edge, scale, y, place);
        if (stretch->damped > 0.0) {
            const double along[4] = {stretch->start[0], stretch->start[1], stretch->start[2], 0.0};
            scatter(&stretch->edge, scale * stretch->damped * rest, along, start);
        }
    }
}

/* ---- contact points ---- */

/* t . (z1 - z0) / l */
void fil_rod_stretch(const void* pointer, int index, int part, const double* q, double* row)
{
    const FilRod* rod = &((const FilRodBody*)pointer)->rods[index];
    const double *x = q + 4 * rod->first_node, *x0 = x + 4 * part, *x1 = x + 4 * (part + 1 < rod->node_count ? part + 1 : 0);
    double t[3];
    fil_v3_sub(t, x1, x0);
    const double over = 1.0 / fil_v3_normalise(t);
    for (int k = 0; k < 3; k++) {
        row[k] = -over * t[k];
        row[4 + k] = over * t[k];
    }
}

/* v = (1 - s) z0 + s z1 + gamma' t x arm - t (z1 - z0) . arm / l at a fixed point, by the places of both nodes (rod_contact.c), in reverse. */
void fil_rod_sweep(const void* pointer, int index, int part, const double* point, int count, const double (*forces)[3], const double* const* z,
                   double* place, double* by_point)
{
    const FilRodBody* body = pointer;
    const FilRod* rod = &body->rods[index];
    const int own = rod->first_node + part, next = own + 1 < rod->first_node + rod->node_count ? own + 1 : rod->first_node;
    const int angle = body->owner[own] == own ? 3 : 11;
    double t[3], from[3], arm[3], to_t[3] = {0.0}, to_arm[3] = {0.0}, to_along = 0.0, longer = 0.0;
    fil_v3_sub(t, body->q0 + 4 * next, body->q0 + 4 * own);
    const double over = 1.0 / fil_v3_normalise(t);
    fil_v3_sub(from, point, body->q0 + 4 * own);
    const double along = fil_v3_dot(from, t);
    fil_v3_copy(arm, from);
    fil_v3_axpy(arm, -along, t);
    for (int i = 0; i < count; i++) {  // of force . v by t, arm, s and the length
        const double *force = forces[i], spin = z[i][angle];
        double apart[3], turned[3];
        fil_v3_sub(apart, z[i] + 4, z[i]);
        const double bent = fil_v3_dot(apart, arm) * over, ahead = fil_v3_dot(force, t), to_share = fil_v3_dot(force, apart);
        fil_v3_cross(turned, arm, force);
        fil_v3_axpy(to_t, spin, turned);
        fil_v3_axpy(to_t, -bent, force);
        fil_v3_cross(turned, force, t);
        fil_v3_axpy(to_arm, spin, turned);
        fil_v3_axpy(to_arm, -ahead * over, apart);
        to_along += to_share * over;
        longer += (ahead * bent - to_share * along * over) * over;
    }
    // arm = from - t (from . t), s = from . t / l
    to_along -= fil_v3_dot(to_arm, t);
    fil_v3_axpy(to_t, -along, to_arm);
    fil_v3_axpy(to_t, to_along, from);
    const double lengthwise = fil_v3_dot(to_t, t);
    for (int k = 0; k < 3; k++) {
        const double to_edge = (to_t[k] - lengthwise * t[k]) * over + longer * t[k];
        const double along_with = to_arm[k] + to_along * t[k];
        place[k] -= along_with + to_edge;
        place[4 + k] += to_edge;
        if (by_point != NULL) {
            by_point[k] += along_with;
        }
    }
}
