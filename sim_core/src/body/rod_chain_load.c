/* Chains: numbers from plain order to halves. */
#include "body/rod_chain.h"

/* Numbers of half 0 and half 1. Where two stores are not one instruction, they are put together first: fewer instructions, and a load of both that
 * follows soon need not wait for them. */
static inline void set_both(FilLanes* block, size_t count, size_t k, double first, double second)
{
#if FIL_LANE_COUNT == 2 && !defined(FIL_VECTOR_NEON)
    (void)count;
    block[k] = (FilLanes){first, second};
#else
    *fil_lane_at(block, count, 0, k) = first;
    *fil_lane_at(block, count, 1, k) = second;
#endif
}

/* Places of half 1 that are padding continue the rod straight on, so that their hinge is never turned or twisted. */
static void load_padding(FilRodChain* chain, const double* q)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    const double *last = q + 4 * (chain->node_count - 1), *before = last - 4;
    for (size_t i = 0; i < (size_t)chain->regular && i + 1 < n; i++) {
        for (int half = 0; half < 2; half++) {
            if (chain->node_at[half][i] < 0) {
                for (size_t k = 0; k < 3; k++) {
                    *fil_lane_at(chain->x, 3 * n, half, 3 * i + k) = 2.0 * last[k] - before[k];
                }
                *fil_lane_at(chain->angle, n, half, i) = fil_rod_half_direction(half) * q[4 * (chain->edge_count - 1) + 3];
            }
        }
    }
}

void fil_rod_chain_load_positions(FilRodChain* chain, const double* q)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    chain->framed = false;
    for (size_t i = 0; i < n; i++) {  // both halves at once
        const int a = chain->node_at[0][i], b = chain->node_at[1][i];
        const double *first = q + 4 * (size_t)(a < 0 ? 0 : a), *second = q + 4 * (size_t)(b < 0 ? 0 : b);
        for (size_t k = 0; k < 3; k++) {
            set_both(chain->x, 3 * n, 3 * i + k, first[k], second[k]);
        }
    }
    for (size_t i = 0; i + 1 < n; i++) {
        const int a = chain->edge_at[0][i], b = chain->edge_at[1][i];
        set_both(chain->angle, n, i, a < 0 ? 0.0 : q[4 * a + 3], b < 0 ? 0.0 : -q[4 * b + 3]);
    }
    load_padding(chain, q);
}

/* Of one half at a place. */
static void load_frame(FilRodChain* chain, const double* q, const FilRodHistory* history, int half, size_t i)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    // padding is a copy of the last edge and node
    const int padded = chain->edge_at[half][i], node = chain->node_at[half][i];
    const int edge = padded < 0 ? chain->edge_count - 1 : padded;
    const FilRodHistory* e = &history[edge];
    const FilRodHistory* h = &history[node < 0 ? chain->node_count - 1 : node];
    const double sign = fil_rod_half_direction(half), known[3] = {h->twist, h->cosine, h->sine};
    for (size_t k = 0; k < 3; k++) {
        *fil_lane_at(chain->tangent0, 3 * n, half, 3 * i + k) = sign * e->tangent[k];
        *fil_lane_at(chain->director0, 3 * n, half, 3 * i + k) = e->director[k];
        *fil_lane_at((FilLanes*)chain->twist0, 3 * n, half, 3 * i + k) = known[k];
    }
    *fil_lane_at(chain->angle0, n, half, i) = sign * q[4 * edge + 3];
}

static void load_frames(FilRodChain* chain, const double* q, const FilRodHistory* history)
{
    const size_t n = (size_t)chain->matrix.half_nodes, regular = (size_t)chain->regular;
    for (size_t i = 0; i < regular; i++) {
        load_frame(chain, q, history, 0, i);
        load_frame(chain, q, history, 1, i);
    }
    FilLanes* twist0 = (FilLanes*)chain->twist0;
    for (size_t i = regular; i + 1 < n; i++) {
        const int a = chain->edge_at[0][i], b = chain->edge_at[1][i];
        const FilRodHistory *e = &history[a], *f = &history[b], *g = &history[chain->node_at[0][i]], *h = &history[chain->node_at[1][i]];
        for (size_t k = 0; k < 3; k++) {
            set_both(chain->tangent0, 3 * n, 3 * i + k, e->tangent[k], -f->tangent[k]);
            set_both(chain->director0, 3 * n, 3 * i + k, e->director[k], f->director[k]);
        }
        set_both(chain->angle0, n, i, q[4 * a + 3], -q[4 * b + 3]);
        set_both(twist0, 3 * n, 3 * i, g->twist, h->twist);
        set_both(twist0, 3 * n, 3 * i + 1, g->cosine, h->cosine);
        set_both(twist0, 3 * n, 3 * i + 2, g->sine, h->sine);
    }
    const FilRodHistory* middle = &history[chain->middle];
    chain->middle_twist0 = (KnownTwist1){middle->twist, middle->cosine, middle->sine};
}

static HingeLaw1 hinge_law(const FilRodLaw* law, const FilRodHistory* rest)
{
    return (HingeLaw1){law->k1, law->k2, law->kt, rest->rest1, rest->rest2, rest->rest_twist};
}

/* But for what rounding makes of straight rods: curvatures at rest are integrated over the Voronoi length, without a unit. */
static bool is_straight(const FilRodHistory* rest)
{
    return fabs(rest->rest1) + fabs(rest->rest2) < 1e-9;
}

/* Of one half at a place; false if that bends at rest. */
static bool load_place_law(FilRodChain* chain, const FilRodHistory* history, const FilRodLaw* law, int half, size_t i)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    const int edge = chain->edge_at[half][i], node = chain->node_at[half][i];
    const bool stretches = chain->edge_acts[half][i], bends = chain->hinge_acts[half][i];
    *fil_lane_at(chain->stretch, n, half, i) = stretches ? law[edge].ea / history[edge].rest_length : 0.0;
    *fil_lane_at(chain->natural, n, half, i) = stretches ? history[edge].rest_length : 1.0;
    HingeLaw1 hinge = {0};
    if (bends) {
        hinge = hinge_law(&law[node], &history[node]);
        hinge.rest2 *= fil_rod_half_direction(half);
    }
    const double numbers[6] = {hinge.k1, hinge.k2, hinge.kt, hinge.rest1, hinge.rest2, hinge.rest_twist};
    for (size_t k = 0; k < 6; k++) {
        *fil_lane_at((FilLanes*)chain->law, 6 * n, half, 6 * i + k) = numbers[k];
    }
    return !bends || is_straight(&history[node]);
}

/* Of both halves at a place, lengths and values at rest, where both act; false if that bends at rest. Springs that are as long as they were are as
 * they were, unless they are `anew`. */
static inline bool load_regular_rests(FilRodChain* chain, const FilRodHistory* history, const FilRodLaw* law, bool anew, size_t i)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    const int a = chain->edge_at[0][i], b = chain->edge_at[1][i];
    const double long_a = history[a].rest_length, long_b = history[b].rest_length;
    if (anew || fil_lane_get(chain->natural, n, 0, i) != long_a || fil_lane_get(chain->natural, n, 1, i) != long_b) {
        set_both(chain->stretch, n, i, law[a].ea / long_a, law[b].ea / long_b);
        set_both(chain->natural, n, i, long_a, long_b);
    }
    const FilRodHistory *g = &history[chain->node_at[0][i]], *h = &history[chain->node_at[1][i]];
    FilLanes* laws = (FilLanes*)chain->law;
    set_both(laws, 6 * n, 6 * i + 3, g->rest1, h->rest1);
    set_both(laws, 6 * n, 6 * i + 4, g->rest2, -h->rest2);
    set_both(laws, 6 * n, 6 * i + 5, g->rest_twist, h->rest_twist);
    return is_straight(g) && is_straight(h);
}

/* Stiffnesses are `anew`, or as they were. */
static void load_law(FilRodChain* chain, const FilRodHistory* history, const FilRodLaw* law, bool anew)
{
    const size_t n = (size_t)chain->matrix.half_nodes, regular = (size_t)chain->regular;
    bool straight = true;
    for (size_t i = 0; i < regular; i++) {
        for (int half = 0; half < 2; half++) {
            straight = load_place_law(chain, history, law, half, i) && straight;
        }
    }
    FilLanes* laws = (FilLanes*)chain->law;
    for (size_t i = regular; i + 1 < n && anew; i++) {
        const FilRodLaw *g = &law[chain->node_at[0][i]], *h = &law[chain->node_at[1][i]];
        set_both(laws, 6 * n, 6 * i, g->k1, h->k1);
        set_both(laws, 6 * n, 6 * i + 1, g->k2, h->k2);
        set_both(laws, 6 * n, 6 * i + 2, g->kt, h->kt);
    }
    for (size_t i = regular; i + 1 < n; i++) {
        straight = load_regular_rests(chain, history, law, anew, i) && straight;
    }
    chain->middle_law = hinge_law(&law[chain->middle], &history[chain->middle]);
    chain->untwisted = chain->twist_free && !chain->closed && straight && is_straight(&history[chain->middle]);
    if (chain->node_count < 3) {  // a single edge has no hinge
        chain->middle_law = (HingeLaw1){0};
    }
}

/* Of one half at a place. */
static void load_place_diagonal(FilRodChain* chain, const double* diagonal, int half, size_t i)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    const int node = chain->node_at[half][i];
    // the middle node and the copies of a closed rod's border get their share once
    const bool copy = half == 1 && (i == n - 1 || (chain->closed && (int)i <= chain->matrix.border_node[1] + 1));
    const bool padding = node < 0 || (half == 1 && (int)i < chain->matrix.border_node[1]);
    for (size_t k = 0; k < 3; k++) {
        *fil_lane_at(chain->diagonal, 4 * n, half, 4 * i + k) = padding ? 1.0 : (copy ? 0.0 : diagonal[4 * (size_t)node + k]);
    }
    if (i + 1 < n) {
        const int edge = chain->edge_at[half][i];
        const bool acts = chain->edge_acts[half][i];
        const bool edge_padding = edge < 0 || (half == 1 && (int)i < chain->matrix.border_node[1]);
        *fil_lane_at(chain->diagonal, 4 * n, half, 4 * i + 3) = edge_padding ? 1.0 : (acts ? diagonal[4 * (size_t)edge + 3] : 0.0);
    }
}

static void load_diagonal(FilRodChain* chain, const double* diagonal)
{
    const size_t n = (size_t)chain->matrix.half_nodes, regular = (size_t)chain->regular;
    for (int half = 0; half < 2; half++) {
        for (size_t i = 0; i < regular; i++) {
            load_place_diagonal(chain, diagonal, half, i);
        }
        load_place_diagonal(chain, diagonal, half, n - 1);
    }
    for (size_t i = regular; i + 1 < n; i++) {
        const double *a = diagonal + 4 * (size_t)chain->node_at[0][i], *b = diagonal + 4 * (size_t)chain->node_at[1][i];
        for (size_t k = 0; k < 3; k++) {
            set_both(chain->diagonal, 4 * n, 4 * i + k, a[k], b[k]);
        }
        set_both(chain->diagonal, 4 * n, 4 * i + 3, diagonal[4 * (size_t)chain->edge_at[0][i] + 3], diagonal[4 * (size_t)chain->edge_at[1][i] + 3]);
    }
}

void fil_rod_chain_load_start(FilRodChain* chain, const double* q, const FilRodHistory* history, const FilRodLaw* law, const double* diagonal)
{
    load_frames(chain, q, history);
    load_law(chain, history, law, diagonal != NULL);
    if (diagonal != NULL) {
        load_diagonal(chain, diagonal);
    }
}
