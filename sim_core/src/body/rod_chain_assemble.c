/* Energy, gradient and Hessian of a chain: one sweep over the edges of both halves, and the middle hinge where they meet. */
#include "base/lane_blocks.h"
#include "body/rod_block.h"
#include "body/rod_chain_pair.h"
#include "body/rod_chain_sweep.inc"

/* What sweeps read and write of a group. */
static Sweep sweep_of(FilRodChain* chain, size_t group)
{
    const size_t n = (size_t)chain->matrix.half_nodes, first = group * n;
    return (Sweep){.nodes = (int)n,
                   .frames = (const FilLanes*)(chain->frames + first),
                   .law = (const FilLanes*)(chain->law + first),
                   .twist0 = (const FilLanes*)(chain->twist0 + first),
                   .stretch = chain->stretch + first,
                   .natural = chain->natural + first,
                   .diagonal = chain->diagonal + 4 * first,
                   .gradient = chain->gradient + 4 * first,
                   .columns = chain->matrix.columns + FIL_FOLD_COLUMNS * first};
}

/* The middle hinge, where the halves meet. Returns its energy. */
static double assemble_middle(FilRodChain* chain)
{
    Frame1 e, f;
    HingeTerms1 terms;
    fil_rod_chain_middle_frames(chain, &e, &f);
    hinge1(&e, &f, &chain->middle_law, &chain->middle_twist0, &terms);
    fil_rod_hinge_block(&e, &f, &terms, chain->matrix.joint, chain->middle_gradient);
    return terms.energy;
}

/* The elastic energy of the halves as well; false if it is not finite. */
static bool add_energy(FilRodChain* chain, const FilLanes* energy)
{
    for (int half = 0; half < 2; half++) {
        chain->energy += fil_lane_get(energy, 1, half, 0);
    }
    return isfinite(chain->energy);
}

/* Whether edges have lengths and have not turned back, 1 + cos: by 0.08 degrees less. */
static bool is_in_reach(double shortest, double straightest)
{
    return shortest > 0.0 && straightest > 1e-6;
}

static void begin_assembly(FilRodChain* chain, const double* q, double shift, bool hessian)
{
    fil_rod_chain_load_positions(chain, q);
    chain->hessian = hessian;
    chain->pending = hessian && chain->untwisted;
    chain->shift = shift;
}

/* A shifted tangent is wanted definite: it does without the geometric stiffness of edges under pressure. */
static double min_tension(double shift)
{
    return shift > 0.0 ? 0.0 : -INFINITY;
}

bool fil_rod_chain_assemble(FilRodChain* chain, const double* q, double shift, bool hessian)
{
    double shortest, straightest;
    FilLanes energy[FIL_LANE_GROUPS];
    begin_assembly(chain, q, shift, hessian);
    if (chain->untwisted) {
        return fil_rod_chain_assemble_untwisted(chain);
    }
    fil_rod_chain_find_frames(chain, &shortest, &straightest);
    if (!is_in_reach(shortest, straightest)) {
        return false;
    }
    chain->energy = assemble_middle(chain);
    for (size_t g = 0; g < FIL_LANE_GROUPS; g++) {
        const Sweep s = sweep_of(chain, g);
        energy[g] = hessian ? sweep(&s, fil_lanes_splat(1.0 + shift), fil_lanes_splat(min_tension(shift))) : sweep_gradient(&s);
    }
    return add_energy(chain, energy);
}

/* ---- two at once ---- */

#if defined(FIL_LANE_PAIRS)
bool fil_rod_chain_goes_with(const FilRodChain* a, const FilRodChain* b)
{
    return fil_lanes_pair() && !a->untwisted && !b->untwisted && fil_fold_goes_with(&a->matrix, &b->matrix);
}

void fil_rod_chain_assemble_pair(FilRodChain* const* chains, const double* const* q, const double* shift, bool hessian, bool* in_reach)
{
    FilLanes length[2], turn[2], energy[2], scale[2], min[2];
    for (int k = 0; k < 2; k++) {
        begin_assembly(chains[k], q[k], shift[k], hessian);
        scale[k] = fil_lanes_splat(1.0 + shift[k]);
        min[k] = fil_lanes_splat(min_tension(shift[k]));
    }
    fil_rod_chain_find_frames_pair(chains, length, turn);
    for (int k = 0; k < 2; k++) {
        chains[k]->framed = true;
        in_reach[k] = is_in_reach(fil_lanes_smallest(length[k]), 1.0 + fil_lanes_smallest(turn[k]));
        chains[k]->energy = in_reach[k] ? assemble_middle(chains[k]) : 0.0;
    }
    fil_rod_chain_sweep_pair(chains, scale, min, hessian, energy);
    for (int k = 0; k < 2; k++) {
        in_reach[k] = in_reach[k] && add_energy(chains[k], &energy[k]);
    }
}
#endif

/* ---- single edges ---- */

void fil_rod_chain_add_edge_block(FilRodChain* chain, int edge, const double* block, const double* gradient)
{
    // a half's own order of (x, theta, x'): half 1 arrives at x' first
    static const int order[2][7] = {{0, 1, 2, 3, 4, 5, 6}, {4, 5, 6, 3, 0, 1, 2}};
    const size_t n = (size_t)chain->matrix.half_nodes;
    int half, place;
    fil_rod_chain_fill(chain);
    fil_rod_chain_find_edge(chain, edge, &half, &place);
    for (int j = 0; j < 7; j++) {
        const double sign_j = j == 3 ? fil_rod_half_direction(half) : 1.0;
        *fil_lane_at(chain->gradient, 4 * n, half, 4 * (size_t)place + (size_t)j) += sign_j * gradient[order[half][j]];
        for (int k = j; k < 7 && chain->hessian; k++) {
            const double sign_k = k == 3 ? fil_rod_half_direction(half) : 1.0;
            const size_t node = (size_t)place + (size_t)(j / 4);
            const size_t at = FIL_FOLD_COLUMNS * node + (size_t)fil_fold_entry(j % 4, k - 4 * (j / 4));
            *fil_lane_at(chain->matrix.columns, n * FIL_FOLD_COLUMNS, half, at) += sign_j * sign_k * block[7 * order[half][j] + order[half][k]];
        }
    }
}
