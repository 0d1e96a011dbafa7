/* Frames of a chain: of all edges at a configuration, and of single ones. */
#include "base/lane_blocks.h"
#include "base/vec3.h"
#include "body/rod_chain.h"
#include "body/rod_frames.inc"

/* What they are found from, of a group. */
static Frames frames_of(FilRodChain* chain, size_t group)
{
    const size_t n = (size_t)chain->matrix.half_nodes, first = group * n;
    return (Frames){.nodes = (int)n,
                    .x = chain->x + 3 * first,
                    .angle = chain->angle + first,
                    .tangent0 = chain->tangent0 + 3 * first,
                    .director0 = chain->director0 + 3 * first,
                    .angle0 = chain->angle0 + first,
                    .frames = (FilLanes*)(chain->frames + first)};
}

void fil_rod_chain_find_frames(FilRodChain* chain, double* shortest, double* straightest)
{
    FilLanes length = fil_lanes_splat(INFINITY), turn = length;
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        const Frames s = frames_of(chain, g);
        FilLanes own, cosine;
        find_frames(&s, chain->untwisted, &own, &cosine);
        length = fil_lanes_min(length, own);
        turn = fil_lanes_min(turn, cosine);
    }
    *shortest = fil_lanes_smallest(length);
    *straightest = 1.0 + fil_lanes_smallest(turn);
    chain->framed = true;
}

void fil_rod_chain_have_frames(FilRodChain* chain)
{
    double shortest, straightest;
    if (!chain->framed) {
        fil_rod_chain_find_frames(chain, &shortest, &straightest);
    }
}

/* ---- single edges ---- */

static void lane_frame(const FilRodChain* chain, int half, size_t i, Frame1* frame)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    double numbers[11];
    for (size_t k = 0; k < 11; k++) {
        numbers[k] = fil_lane_get((const FilLanes*)chain->frames, 11 * n, half, 11 * i + k);
    }
    const double sign = fil_rod_half_direction(half);
    for (int k = 0; k < 3; k++) {
        frame->m1[k] = numbers[k];
        frame->m2[k] = sign * numbers[3 + k];
        frame->t[k] = sign * numbers[6 + k];
    }
    frame->length = numbers[9];
    frame->inverse = numbers[10];
}

void fil_rod_chain_middle_frames(const FilRodChain* chain, Frame1* e, Frame1* f)
{
    const size_t n = (size_t)chain->matrix.half_nodes;
    lane_frame(chain, 0, n - 2, e);
    lane_frame(chain, 1, n - 2, f);
    if (chain->untwisted) {
        fil_v3_transport(f->m1, e->m1, e->t, f->t);
        fil_v3_cross(f->m2, f->t, f->m1);
    }
}

void fil_rod_chain_find_edge(const FilRodChain* chain, int edge, int* half, int* place)
{
    const int position = chain->closed ? (edge + 1) % chain->node_count : edge;
    *half = position < chain->matrix.half_nodes - 1 ? 0 : 1;
    *place = *half == 0 ? position : chain->matrix.count - 2 - position;
}

void fil_rod_chain_frame(FilRodChain* chain, int edge, Frame1* frame)
{
    int half, place;
    fil_rod_chain_have_frames(chain);
    fil_rod_chain_find_edge(chain, edge, &half, &place);
    lane_frame(chain, half, (size_t)place, frame);
}
