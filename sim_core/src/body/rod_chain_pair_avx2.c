/* The loops of two chains at once (base/lane_pairs.h). */
#include "body/rod_chain_pair.h"

#if defined(FIL_LANE_PAIRS)
#include "base/lane_pairs.h"

/* Where a number of one rod is too large for a series, only that rod leaves it. */
static void sine_cosine_apart(FilPairLanes angle, FilPairLanes* sine, FilPairLanes* cosine)
{
    FilLanes s[2], c[2];
    sine_cosine2(fil_pair_first(angle), &s[0], &c[0]);
    sine_cosine2(fil_pair_second(angle), &s[1], &c[1]);
    *sine = fil_pair_join(s[0], s[1]);
    *cosine = fil_pair_join(c[0], c[1]);
}

static FilPairLanes twice_atan_apart(FilPairLanes x)
{
    return fil_pair_join(twice_atan2(fil_pair_first(x)), twice_atan2(fil_pair_second(x)));
}

#define NUMBER LANES
#define GENERIC OF
#define SQRT fil_pair_sqrt
#define ARE_BELOW fil_pair_are_below
#define SINE_COSINE_APART sine_cosine_apart
#define TWICE_ATAN_APART twice_atan_apart
#include "body/rod_hinge.inc"

#include "body/rod_chain_sweep.inc"
#include "body/rod_frames.inc"

#define BOTH(a, b) ((FilPairBlocks){(FilLanes*)(a), (FilLanes*)(b)})

static Sweep sweep_of(FilRodChain* const* chains)
{
    const FilRodChain *a = chains[0], *b = chains[1];
    return (Sweep){.nodes = a->matrix.half_nodes,
                   .frames = BOTH(a->frames, b->frames),
                   .law = BOTH(a->law, b->law),
                   .twist0 = BOTH(a->twist0, b->twist0),
                   .stretch = BOTH(a->stretch, b->stretch),
                   .natural = BOTH(a->natural, b->natural),
                   .diagonal = BOTH(a->diagonal, b->diagonal),
                   .gradient = BOTH(a->gradient, b->gradient),
                   .columns = BOTH(a->matrix.columns, b->matrix.columns)};
}

static Frames frames_of(FilRodChain* const* chains)
{
    const FilRodChain *a = chains[0], *b = chains[1];
    return (Frames){.nodes = a->matrix.half_nodes,
                    .x = BOTH(a->x, b->x),
                    .angle = BOTH(a->angle, b->angle),
                    .tangent0 = BOTH(a->tangent0, b->tangent0),
                    .director0 = BOTH(a->director0, b->director0),
                    .angle0 = BOTH(a->angle0, b->angle0),
                    .frames = BOTH(a->frames, b->frames)};
}

void fil_rod_chain_find_frames_pair(FilRodChain* const* chains, FilLanes* length, FilLanes* turn)
{
    const Frames s = frames_of(chains);
    FilPairLanes lengths, turns;
    find_frames(&s, false, &lengths, &turns);
    fil_pair_put((FilPairBlocks){length, length + 1}, 0, lengths);
    fil_pair_put((FilPairBlocks){turn, turn + 1}, 0, turns);
}

void fil_rod_chain_sweep_pair(FilRodChain* const* chains, const FilLanes* scale, const FilLanes* min, bool hessian, FilLanes* energy)
{
    const Sweep s = sweep_of(chains);
    const FilPairLanes both = hessian ? sweep(&s, fil_pair_join(scale[0], scale[1]), fil_pair_join(min[0], min[1])) : sweep_gradient(&s);
    fil_pair_put((FilPairBlocks){energy, energy + 1}, 0, both);
}
#else
typedef int FilNoChainPairs;
#endif
