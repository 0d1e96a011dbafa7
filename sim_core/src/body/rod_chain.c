/* Chains over a step: the fold of a rod's nodes and edges into halves, what a step starts from, the frames of a
 * configuration, and the history that a step leaves. */
#include "body/rod_chain.h"

#include <string.h>

/* ---- the fold: which plain node and edge stands where ---- */

/* Chain positions of a closed rod run over edge n-1 twice: nodes n-1, 0, 1, ... n-1, 0 (and 1 to make the count odd). */
static int chain_positions(int node_count, bool closed)
{
    const int needed = closed ? node_count + 2 : (node_count < 3 ? 3 : node_count);
    return needed + (needed % 2 == 0);
}

static int node_at_position(const FilRodChain* chain, int position)
{
    if (chain->closed) {
        return (position + chain->node_count - 1) % chain->node_count;
    }
    return position < chain->node_count ? position : -1;
}

static int edge_at_position(const FilRodChain* chain, int position)
{
    if (chain->closed) {
        return (position + chain->node_count - 1) % chain->node_count;
    }
    return position < chain->edge_count ? position : -1;
}

/* Whether nodes, edges and hinges of both halves at a place are there, and no copies. */
static bool is_regular(const FilRodChain* chain, int i)
{
    const bool copied = chain->closed && i <= chain->matrix.border_node[1] + 1;
    bool regular = !copied;
    for (int half = 0; half < 2; half++) {
        regular = regular && chain->node_at[half][i] >= 0 && chain->edge_at[half][i] >= 0 && chain->edge_acts[half][i] && chain->hinge_acts[half][i];
    }
    return regular;
}

static void fold(FilRodChain* chain)
{
    const int count = chain->matrix.count, n = chain->matrix.half_nodes;
    // copies of a closed rod: edges from `edge_end` on and hinges outside 1 .. hinge_end act elsewhere already
    const int edge_end = chain->closed ? chain->node_count : chain->edge_count;
    const int hinge_end = chain->closed ? chain->node_count : chain->node_count - 2;
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < n; i++) {
            const int position = half == 0 ? i : count - 1 - i;
            chain->node_at[half][i] = node_at_position(chain, position);
            chain->hinge_acts[half][i] = position >= 1 && position <= hinge_end;
            if (i < n - 1) {
                const int edge_position = half == 0 ? i : count - 2 - i;
                chain->edge_at[half][i] = edge_at_position(chain, edge_position);
                chain->edge_acts[half][i] = edge_position < edge_end;
            }
        }
    }
    chain->middle = chain->node_at[0][n - 1];
    chain->regular = n - 1;
    while (chain->regular > 0 && is_regular(chain, chain->regular - 1)) {
        chain->regular--;
    }
}

bool fil_rod_chain_init(FilRodChain* chain, FilArena* arena, int node_count, bool closed)
{
    memset(chain, 0, sizeof *chain);
    chain->node_count = node_count;
    chain->edge_count = closed ? node_count : node_count - 1;
    chain->closed = closed;
    const int count = chain_positions(node_count, closed);
    const int padding = closed && node_count % 2 == 0 ? 1 : 0;
    if (!fil_fold_init(&chain->matrix, arena, count, closed, padding)) {
        return false;
    }
    // the border must end before the joint begins
    chain->solvable = !closed || chain->matrix.half_nodes - 2 >= padding + 2;

    const size_t n = (size_t)chain->matrix.half_nodes, lanes = n * FIL_LANE_GROUPS;
    struct {
        FilLanes** block;
        size_t width;
    } blocks[] = {
        {&chain->tangent0, 3}, {&chain->director0, 3}, {&chain->angle0, 1},   {&chain->stretch, 1},  {&chain->natural, 1}, {&chain->diagonal, 4},
        {&chain->x, 3},        {&chain->angle, 1},     {&chain->gradient, 4}, {&chain->expected, 1}, {&chain->along, 3},
    };
    bool ok = true;
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
        *blocks[b].block = fil_arena_alloc(arena, lanes * blocks[b].width, sizeof(FilLanes));
        ok = ok && *blocks[b].block != NULL;
    }
    chain->law = fil_arena_alloc(arena, lanes, sizeof *chain->law);
    chain->twist0 = fil_arena_alloc(arena, lanes, sizeof *chain->twist0);
    chain->frames = fil_arena_alloc(arena, lanes, sizeof *chain->frames);
    ok = ok && chain->law != NULL && chain->twist0 != NULL && chain->frames != NULL;
    for (int half = 0; half < 2; half++) {
        chain->node_at[half] = fil_arena_alloc(arena, n, sizeof(int));
        chain->edge_at[half] = fil_arena_alloc(arena, n, sizeof(int));
        chain->edge_acts[half] = fil_arena_alloc(arena, n, sizeof(bool));
        chain->hinge_acts[half] = fil_arena_alloc(arena, n, sizeof(bool));
        ok = ok && chain->node_at[half] != NULL && chain->edge_at[half] != NULL && chain->edge_acts[half] != NULL && chain->hinge_acts[half] != NULL;
    }
    if (ok) {
        fold(chain);
    }
    return ok;
}

/* ---- a step's start ---- */

/* Stiffness-proportional damping over a step: a second spring, `damping` times as stiff and at rest at the strain where
 * the step starts, in one with the first: k (1 + c) about the rest value (rest + c start) / (1 + c). */
static void blend(FilLanes* stiffness, FilLanes* rest, FilLanes start, double damping)
{
    *stiffness *= 1.0 + damping;
    *rest = (*rest + damping * start) / (1.0 + damping);
}

void fil_rod_blend_law(HingeLaw1* law, double kappa1, double kappa2, double twist, double damping)
{
    const double share = damping / (1.0 + damping);
    law->rest1 += share * (kappa1 - law->rest1);
    law->rest2 += share * (kappa2 - law->rest2);
    law->rest_twist += share * (twist - law->rest_twist);
    law->k1 *= 1.0 + damping;
    law->k2 *= 1.0 + damping;
    law->kt *= 1.0 + damping;
}

static void add_damping(FilRodChain* chain, const double* q, double damping)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    fil_rod_chain_load_positions(chain, q);
    fil_rod_chain_have_frames(chain);
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        const Frame2* frames = chain->frames + g * n;
        for (size_t i = 0; i + 1 < n; i++) {
            blend(&chain->stretch[g * n + i], &chain->natural[g * n + i], frames[i].length, damping);
            if (i > 0) {
                HingeLaw2* law = &chain->law[g * n + i];
                FilLanes kappa1, kappa2;
                curvatures2(&frames[i - 1], &frames[i], &kappa1, &kappa2);
                blend(&law->k1, &law->rest1, kappa1, damping);
                blend(&law->k2, &law->rest2, kappa2, damping);
                blend(&law->kt, &law->rest_twist, chain->twist0[g * n + i].twist, damping);
            }
        }
    }
    Frame1 e, f;
    double kappa1, kappa2;
    fil_rod_chain_middle_frames(chain, &e, &f);
    curvatures1(&e, &f, &kappa1, &kappa2);
    fil_rod_blend_law(&chain->middle_law, kappa1, kappa2, chain->middle_twist0.twist, damping);
}

void fil_rod_chain_begin(FilRodChain* chain, const double* q, const FilRodHistory* history, const FilRodLaw* law, double damping,
                         const double* diagonal)
{
    fil_rod_chain_load_start(chain, q, history, law, diagonal);
    chain->follows = false;
    if (damping > 0.0) {
        chain->untwisted = false;  // its second spring rests where the step starts
        add_damping(chain, q, damping);
    }
}

void fil_rod_chain_begin_again(FilRodChain* chain, const double* q, const FilRodHistory* history, const FilRodLaw* law)
{
    fil_rod_chain_load_start(chain, q, history, law, NULL);
    chain->follows = false;
}

/* ---- the history that a step leaves ---- */

/* The twist between two edges counted on from a known one, and its direction, as {twist, cosine, sine}. */
static inline void find_twist(const Frame2* e, const Frame2* f, const KnownTwist2* known, FilLanes out[3])
{
    FilLanes cosine, sine;
    twist_direction2(e, f, &cosine, &sine);
    const FilLanes size = 1.0 / fil_lanes_sqrt(cosine * cosine + sine * sine);
    out[0] = unwrap2(cosine, sine, known);
    out[1] = cosine * size;
    out[2] = sine * size;
}

/* m1 of a frame, orthonormal again, so that errors do not add up over steps. */
static inline void find_director(const Frame2* frame, FilLanes out[3])
{
    const FilLanes along = dot2(frame->m1, frame->t);
    for (int k = 0; k < 3; k++) {
        out[k] = frame->m1[k] - along * frame->t[k];
    }
    const FilLanes size = 1.0 / fil_lanes_sqrt(dot2(out, out));
    for (int k = 0; k < 3; k++) {
        out[k] *= size;
    }
}

/* What place i of a half leaves to the history of its edge. */
static void store_edge(const FilRodChain* chain, int half, size_t i, int lane, const FilLanes* tangent, const FilLanes* director,
                       FilRodHistory* history)
{
    if (chain->edge_acts[half][i]) {
        FilRodHistory* edge = &history[chain->edge_at[half][i]];
        for (int k = 0; k < 3; k++) {
            edge->tangent[k] = fil_rod_half_direction(half) * ((const double*)&tangent[k])[lane];
            edge->director[k] = ((const double*)&director[k])[lane];
        }
    }
}

/* ... and to that of its hinge. */
static void store_hinge(const FilRodChain* chain, int half, size_t i, int lane, const FilLanes* twist, FilRodHistory* history)
{
    if (chain->hinge_acts[half][i]) {
        FilRodHistory* hinge = &history[chain->node_at[half][i]];
        hinge->twist = ((const double*)&twist[0])[lane];
        hinge->cosine = ((const double*)&twist[1])[lane];
        hinge->sine = ((const double*)&twist[2])[lane];
    }
}

/* The same of both halves at once, where both act. */
static inline void store_regular_edge(const FilRodChain* chain, size_t i, const FilLanes* tangent, const FilLanes* director, FilRodHistory* history)
{
    FilRodHistory *e = &history[chain->edge_at[0][i]], *f = &history[chain->edge_at[1][i]];
    for (int k = 0; k < 3; k++) {
        e->tangent[k] = fil_lanes_get(tangent[k], 0);
        f->tangent[k] = -fil_lanes_get(tangent[k], 1);
        e->director[k] = fil_lanes_get(director[k], 0);
        f->director[k] = fil_lanes_get(director[k], 1);
    }
}

static inline void store_regular_hinge(const FilRodChain* chain, size_t i, const FilLanes* twist, FilRodHistory* history)
{
    FilRodHistory *g = &history[chain->node_at[0][i]], *h = &history[chain->node_at[1][i]];
    g->twist = fil_lanes_get(twist[0], 0);
    g->cosine = fil_lanes_get(twist[1], 0);
    g->sine = fil_lanes_get(twist[2], 0);
    h->twist = fil_lanes_get(twist[0], 1);
    h->cosine = fil_lanes_get(twist[1], 1);
    h->sine = fil_lanes_get(twist[2], 1);
}

static void store_middle(const FilRodChain* chain, FilRodHistory* hinge)
{
    Frame1 e, f;
    double cosine, sine;
    fil_rod_chain_middle_frames(chain, &e, &f);
    twist_direction1(&e, &f, &cosine, &sine);
    const double size = 1.0 / sqrt(cosine * cosine + sine * sine);
    hinge->twist = unwrap1(cosine, sine, &chain->middle_twist0);
    hinge->cosine = cosine * size;
    hinge->sine = sine * size;
}

void fil_rod_chain_transport(FilRodChain* chain, const double* q, FilRodHistory* history)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    if (q != NULL) {
        fil_rod_chain_load_positions(chain, q);
    }
    if (chain->untwisted) {
        fil_rod_chain_transport_untwisted(chain, history);
        return;
    }
    fil_rod_chain_have_frames(chain);
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        const Frame2* frames = chain->frames + g * n;
        // edges, then hinges: places whose roots and quotients need not wait for each other are near each other so
        for (size_t i = 0; i + 1 < n; i++) {
            FilLanes director[3];
            find_director(&frames[i], director);
            if (FIL_LANE_COUNT == 2 && i >= (size_t)chain->regular) {
                store_regular_edge(chain, i, frames[i].t, director, history);
                continue;
            }
            for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
                store_edge(chain, (int)g + lane, i, lane, frames[i].t, director, history);
            }
        }
        for (size_t i = 1; i + 1 < n; i++) {
            FilLanes twist[3];
            find_twist(&frames[i - 1], &frames[i], &chain->twist0[g * n + i], twist);
            if (FIL_LANE_COUNT == 2 && i >= (size_t)chain->regular) {
                store_regular_hinge(chain, i, twist, history);
                continue;
            }
            for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
                store_hinge(chain, (int)g + lane, i, lane, twist, history);
            }
        }
    }
    if (chain->node_count > 2) {
        store_middle(chain, &history[chain->middle]);
    }
}
