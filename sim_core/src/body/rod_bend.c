/* How the tangent of a rod varies with its place, for contact that is linear about free motion: sums over hinges and edges. */
#include <string.h>

#include "base/arena.h"
#include "base/vec3.h"
#include "body/rod_bend_element.h"
#include "body/rod_block.h"
#include "body/rod_derivative.h"

struct FilRodBends {
    int hinge_count, stretch_count;
    FilBendHinge* hinges;
    FilBendStretch* stretches;
    int* hinges_at; /* 3 per node: those that its block is in, and ... */
    int* edges_at;  /* ... 2 per node; -1: none. Of clamps: in hinges from first_clamp on */
    int first_clamp;
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
                           .hinges_at = fil_arena_alloc(body->arena, 3 * n, sizeof(int)),
                           .edges_at = fil_arena_alloc(body->arena, 2 * n, sizeof(int))};
    body->derivative->bends = bends;
    return bends->hinges != NULL && bends->stretches != NULL && bends->hinges_at != NULL && bends->edges_at != NULL;
}

static FilBendEdge edge_of(const FilRodBody* body, const FilRod* rod, int i)
{
    const int own = rod->first_node + i, next = rod->first_node + (i + 1) % rod->node_count;
    return (FilBendEdge){4 * body->owner[own], 4 * body->owner[next], rod->chain.untwisted ? -1 : 4 * own + 3};
}

/* What the step's start and end say about a hinge whose edges and law are set. */
static void take_hinge(FilBendHinge* hinge, const double* change, const Frame1* start, double damping)
{
    gather_hinge(hinge, change, hinge->z);
    fil_bend_begin(hinge);
    memset(hinge->damped, 0, sizeof hinge->damped);
    if (!(damping > 0.0)) {
        return;
    }
    const double share = damping / (1.0 + damping), stiffness[3] = {hinge->law.k1, hinge->law.k2, hinge->law.kt};
    double gradients[3][6];
    fil_rod_strain_gradients(&start[0], &start[1], gradients);
    for (int s = 0; s < 3; s++) {
        hinge->damped[s] = share * stiffness[s];
        for (int side = 0; side < 2; side++) {
            const double* g = gradients[s] + 3 * side;
            for (int k = 0; k < 3; k++) {
                hinge->start[s][4 * side + k] = (g[0] * start[side].m1[k] + g[1] * start[side].m2[k]) * start[side].inverse;
            }
            hinge->start[s][4 * side + 3] = g[2];
        }
        fil_bend_curve(hinge, s, hinge->z, hinge->curvature[s]);
    }
}

static void take_rod(FilRodBody* body, FilRod* rod, const double* change, FilRodBends* bends)
{
    const double damping = rod->damping_stiffness / body->setup.dt;
    const double* q0 = body->q0 + 4 * rod->first_node;
    const FilRodHistory* h0 = body->h0 + rod->first_node;
    const int n = rod->node_count;
    for (int i = 0; i < rod->edge_count; i++) {
        const int before = (i + n - 1) % n;
        Frame1 start[2], end[2];
        fil_rod_edge_frame(rod, q0, h0, i, &start[1]);
        fil_rod_chain_frame(&rod->chain, i, &end[1]);
        const double k = rod->law[i].ea / h0[i].rest_length;
        double z[4];
        FilBendStretch* stretch = &bends->stretches[bends->stretch_count];
        *stretch = (FilBendStretch){.edge = edge_of(body, rod, i),
                                    .stiffness = k * (1.0 + damping),
                                    .natural = (h0[i].rest_length + damping * start[1].length) / (1.0 + damping),
                                    .damped = k * damping};
        fil_v3_scale(stretch->e, end[1].length, end[1].t);
        fil_v3_copy(stretch->start, start[1].t);
        gather(&stretch->edge, change, z);
        fil_v3_copy(stretch->z, z);
        bends->edges_at[2 * (rod->first_node + i)] = bends->stretch_count;
        bends->edges_at[2 * (rod->first_node + (i + 1) % n) + 1] = bends->stretch_count++;
        if (!rod->closed && i == 0) {
            continue;
        }
        fil_rod_edge_frame(rod, q0, h0, before, &start[0]);
        fil_rod_chain_frame(&rod->chain, before, &end[0]);
        FilBendHinge* hinge = &bends->hinges[bends->hinge_count];
        hinge->edge[0] = edge_of(body, rod, before);
        hinge->edge[1] = edge_of(body, rod, i);
        hinge->frame[0] = end[0], hinge->frame[1] = end[1];
        hinge->frameless = rod->chain.untwisted;
        hinge->law = (HingeLaw1){rod->law[i].k1, rod->law[i].k2, rod->law[i].kt, h0[i].rest1, h0[i].rest2, h0[i].rest_twist};
        hinge->known = (KnownTwist1){h0[i].twist, h0[i].cosine, h0[i].sine};
        if (damping > 0.0) {
            double kappa1, kappa2;
            curvatures1(&start[0], &start[1], &kappa1, &kappa2);
            fil_rod_blend_law(&hinge->law, kappa1, kappa2, h0[i].twist, damping);
        }
        take_hinge(hinge, change, start, damping);
        const int nodes[3] = {before, i, (i + 1) % n};
        for (int k3 = 0; k3 < 3; k3++) {
            bends->hinges_at[3 * (rod->first_node + nodes[k3]) + k3] = bends->hinge_count;
        }
        bends->hinge_count++;
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
        hinge->frameless = false;
        hinge->law = fil_rod_clamp_law(side, body->h0 + rod->first_node + a->first);
        hinge->known = untwisted;
        if (damping > 0.0) {
            double kappa1, kappa2;
            curvatures1(&start[0], &start[1], &kappa1, &kappa2);
            fil_rod_blend_law(&hinge->law, kappa1, kappa2, twist1(&start[0], &start[1], &untwisted), damping);
        }
        take_hinge(hinge, change, start, damping);
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
    for (int k = 0; k < 4 * body->node_count; k++) {
        d->weight[k] = body->is_free[k] * (v[k] - v_free[k]);
    }
    for (int k = 0; k < 3 * body->node_count; k++) {
        bends->hinges_at[k] = -1;
        bends->edges_at[k * 2 / 3] = -1;
    }
    for (int r = 0; r < body->rod_count; r++) {
        take_rod(body, &body->rods[r], d->weight, bends);
    }
    bends->first_clamp = bends->hinge_count;
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

void fil_rod_bend(const void* pointer, const double* place, const double* start, double* out)
{
    const FilRodBody* body = pointer;
    const FilRodBends* bends = body->derivative->bends;
    double* sum = body->derivative->weight;
    memset(sum, 0, 4 * sizeof(double) * (size_t)body->node_count);
    for (int h = 0; h < bends->hinge_count; h++) {
        const FilBendHinge* hinge = &bends->hinges[h];
        double y[8], change[8];
        gather_hinge(hinge, place, y);
        fil_bend_vary(hinge, y, change);
        scatter_hinge(hinge, 1.0, change, sum);
        gather_hinge(hinge, start, y);
        for (int s = 0; s < 3 && hinge->damped[s] > 0.0; s++) {
            scatter_hinge(hinge, -hinge->damped[s] * dot_of(hinge->start[s], y, 8), hinge->curvature[s], sum);
        }
    }
    for (int k = 0; k < bends->stretch_count; k++) {
        const FilBendStretch* stretch = &bends->stretches[k];
        double y[4], change[4], curved[4];
        gather(&stretch->edge, place, y);
        fil_bend_vary_stretch(stretch, y, stretch->z, change);
        scatter(&stretch->edge, 1.0, change, sum);
        gather(&stretch->edge, start, y);
        fil_bend_curve_stretch(stretch, stretch->z, curved);
        scatter(&stretch->edge, -stretch->damped * fil_v3_dot(stretch->start, y), curved, sum);
    }
    for (int k = 0; k < 4 * body->node_count; k++) {
        out[k] += body->stiffness_scale * body->is_free[k] * sum[k];
    }
}

void fil_rod_bend_back(const void* pointer, const double* weight, double* place, double* start)
{
    const FilRodBody* body = pointer;
    const FilRodBends* bends = body->derivative->bends;
    const double scale = body->stiffness_scale;
    double* own = body->derivative->weight;
    for (int k = 0; k < 4 * body->node_count; k++) {
        own[k] = body->is_free[k] * weight[k];
    }
    for (int h = 0; h < bends->hinge_count; h++) {
        const FilBendHinge* hinge = &bends->hinges[h];
        double w[8], change[8];
        gather_hinge(hinge, own, w);
        fil_bend_vary_back(hinge, w, change);
        scatter_hinge(hinge, scale, change, place);
        for (int s = 0; s < 3 && hinge->damped[s] > 0.0; s++) {
            scatter_hinge(hinge, -scale * hinge->damped[s] * dot_of(hinge->curvature[s], w, 8), hinge->start[s], start);
        }
    }
    for (int k = 0; k < bends->stretch_count; k++) {
        const FilBendStretch* stretch = &bends->stretches[k];
        double w[4], change[4], curved[4];
        gather(&stretch->edge, own, w);
        fil_bend_vary_stretch(stretch, stretch->z, w, change);
        scatter(&stretch->edge, scale, change, place);
        fil_bend_curve_stretch(stretch, stretch->z, curved);
        const double along[4] = {stretch->start[0], stretch->start[1], stretch->start[2], 0.0};
        scatter(&stretch->edge, -scale * stretch->damped * fil_v3_dot(curved, w), along, start);
    }
}

/* ---- blocks of the tangent ---- */

/* Slopes of one number, an unknown only once. */
typedef struct Slopes {
    FilTangentSlope* items;
    int count; /* more than FIL_TANGENT_SLOPES: there was no room */
} Slopes;

static void add_slope(Slopes* slopes, int unknown, double by_place, double by_start)
{
    int k = 0;
    while (k < slopes->count && k < FIL_TANGENT_SLOPES && slopes->items[k].unknown != unknown) {
        k++;
    }
    if (k >= FIL_TANGENT_SLOPES) {
        slopes->count = FIL_TANGENT_SLOPES + 1;
        return;
    }
    if (k == slopes->count) {
        slopes->items[slopes->count++] = (FilTangentSlope){.unknown = unknown};
    }
    slopes->items[k].by_place += by_place;
    slopes->items[k].by_start += by_start;
}

static void add_slopes(const FilBendEdge* edge, double scale, const double* by_place, const double* by_start, Slopes* slopes)
{
    for (int k = 0; k < 3 && edge->first >= 0; k++) {
        add_slope(slopes, edge->next + k, scale * by_place[k], scale * by_start[k]);
        add_slope(slopes, edge->first + k, -scale * by_place[k], -scale * by_start[k]);
    }
    if (edge->first >= 0 && edge->angle >= 0) {
        add_slope(slopes, edge->angle, scale * by_place[3], scale * by_start[3]);
    }
}

/* Three u on a block's unknowns, as an edge has them. */
static bool gather_block(const FilBendEdge* edge, int block, const double* u, double* out)
{
    const bool first = edge->first == 4 * block, next = edge->next == 4 * block, angle = edge->angle == 4 * block + 3;
    for (int k = 0; k < 3; k++) {
        out[k] = (next ? u[k] : 0.0) - (first ? u[k] : 0.0);
    }
    out[3] = angle ? u[3] : 0.0;
    return edge->first >= 0 && (first || next || angle);
}

static void stiffen_hinge(const FilBendHinge* hinge, int block, double scale, const double* u, Slopes* slopes)
{
    double sum[8] = {0.0}, start[8] = {0.0};
    bool moves = false;
    for (int r = 0; r < 3; r++) {
        double own[8], change[8], curved[8];
        moves = gather_block(&hinge->edge[0], block, u + 4 * r, own);
        moves = gather_block(&hinge->edge[1], block, u + 4 * r, own + 4) || moves;
        if (!moves) {
            return;
        }
        for (int s = 0; s < 2; s++) {  // held edges stay
            for (int k = 0; k < 4 && hinge->edge[s].first < 0; k++) {
                own[4 * s + k] = 0.0;
            }
        }
        fil_bend_vary_square(hinge, own, change);
        for (int k = 0; k < 8; k++) {
            sum[k] += change[k];
        }
        for (int s = 0; s < 3 && hinge->damped[s] > 0.0; s++) {
            fil_bend_curve(hinge, s, own, curved);
            const double share = -hinge->damped[s] * dot_of(own, curved, 8);
            for (int k = 0; k < 8; k++) {
                start[k] += share * hinge->start[s][k];
            }
        }
    }
    add_slopes(&hinge->edge[0], scale, sum, start, slopes);
    add_slopes(&hinge->edge[1], scale, sum + 4, start + 4, slopes);
}

static void stiffen_stretch(const FilBendStretch* stretch, int block, double scale, const double* u, Slopes* slopes)
{
    double sum[4] = {0.0}, start[4] = {0.0};
    for (int r = 0; r < 3; r++) {
        double own[4], change[4], curved[4];
        gather_block(&stretch->edge, block, u + 4 * r, own);
        fil_bend_vary_stretch(stretch, own, own, change);
        fil_bend_curve_stretch(stretch, own, curved);
        fil_v3_axpy(sum, 1.0, change);
        fil_v3_axpy(start, -stretch->damped * fil_v3_dot(own, curved), stretch->start);
    }
    add_slopes(&stretch->edge, scale, sum, start, slopes);
}

int fil_rod_stiffen(const void* pointer, double share, const int* blocks, int count, const double* u, FilTangentSlope* out)
{
    const FilRodBody* body = pointer;
    const FilRodBends* bends = body->derivative->bends;
    const double scale = share * body->stiffness_scale;
    Slopes slopes = {.items = out};
    for (int b = 0; b < count; b++, u += 12) {
        for (int c = -1; c < body->copy_count; c++) {  // the node, and its copies
            const int node = c < 0 ? blocks[b] : body->copies[c];
            for (int k = 0; k < 3 && body->owner[node] == body->owner[blocks[b]] && (c < 0 || node != blocks[b]); k++) {
                if (bends->hinges_at[3 * node + k] >= 0) {
                    stiffen_hinge(&bends->hinges[bends->hinges_at[3 * node + k]], blocks[b], scale, u, &slopes);
                }
                if (k < 2 && bends->edges_at[2 * node + k] >= 0) {
                    stiffen_stretch(&bends->stretches[bends->edges_at[2 * node + k]], blocks[b], scale, u, &slopes);
                }
            }
        }
        for (int h = bends->first_clamp; h < bends->hinge_count; h++) {
            stiffen_hinge(&bends->hinges[h], blocks[b], scale, u, &slopes);
        }
    }
    return slopes.count;
}

/* ---- contact points ---- */

/* v = (1 - s) z0 + s z1 + gamma' t x arm - t (z1 - z0) . arm / l at a fixed point, by the places of both nodes (rod_contact.c). */
void fil_rod_sweep(const void* pointer, int index, int part, const double* point, const double* force, const double* z, double* place)
{
    const FilRodBody* body = pointer;
    const FilRod* rod = &body->rods[index];
    const int own = rod->first_node + part, next = rod->first_node + (part + 1) % rod->node_count;
    const double *x0 = body->q0 + 4 * own, *x1 = body->q0 + 4 * next, spin = body->owner[own] == own ? z[3] : z[11];
    double t[3], from[3], arm[3], apart[3];
    fil_v3_sub(t, x1, x0);
    const double length = fil_v3_normalise(t);
    fil_v3_sub(from, point, x0);
    const double along = fil_v3_dot(from, t);
    fil_v3_copy(arm, from);
    fil_v3_axpy(arm, -along, t);
    fil_v3_sub(apart, z + 4, z);
    for (int k = 0; k < 6; k++) {
        double d_from[3] = {0.0}, d_edge[3] = {0.0}, d_t[3], d_arm[3], turn[3], more[3];
        d_edge[k % 3] = k < 3 ? -1.0 : 1.0;
        d_from[k % 3] = k < 3 ? -1.0 : 0.0;
        const double longer = fil_v3_dot(t, d_edge);
        fil_v3_scale(d_t, 1.0 / length, d_edge);
        fil_v3_axpy(d_t, -longer / length, t);
        const double d_along = fil_v3_dot(d_from, t) + fil_v3_dot(from, d_t), d_share = (d_along - along * longer / length) / length;
        fil_v3_copy(d_arm, d_from);
        fil_v3_axpy(d_arm, -d_along, t);
        fil_v3_axpy(d_arm, -along, d_t);
        fil_v3_cross(turn, d_t, arm);
        fil_v3_cross(more, t, d_arm);
        fil_v3_add(turn, turn, more);
        const double bent = fil_v3_dot(apart, arm) / length, d_bent = (fil_v3_dot(apart, d_arm) - bent * longer) / length;
        place[k < 3 ? k : k + 1] +=
            d_share * fil_v3_dot(force, apart) + spin * fil_v3_dot(force, turn) - bent * fil_v3_dot(force, d_t) - d_bent * fil_v3_dot(force, t);
    }
}
