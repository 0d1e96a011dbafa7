/* The loops of two folds at once (base/lane_pairs.h). */
#include "linalg/fold_pair.h"

#if defined(FIL_LANE_PAIRS)
#include "base/lane_pairs.h"
#include "linalg/fold_kernels.inc"

static FilPairBlocks columns_of(FilFold* const* folds)
{
    return (FilPairBlocks){folds[0]->columns, folds[1]->columns};
}

static FilPairBlocks spikes_of(FilFold* const* folds)
{
    return (FilPairBlocks){folds[0]->spike, folds[1]->spike};
}

void fil_fold_eliminate_pair(FilFold* const* folds, int head, FilFoldCarry* carry, bool* definite)
{
    const FilPairBlocks joint = {carry[0].joint, carry[1].joint}, spike = {carry[0].spike, carry[1].spike}, gram = {carry[0].gram, carry[1].gram};
    const FilPairLanes smallest =
        eliminate_all(folds[0]->half_nodes - 2, head, folds[0]->closed, columns_of(folds), spikes_of(folds), joint, spike, gram);
    definite[0] = fil_lanes_smallest(fil_pair_first(smallest)) > 0.0;
    definite[1] = fil_lanes_smallest(fil_pair_second(smallest)) > 0.0;
}

void fil_fold_forward_pair(FilFold* const* folds, FilLanes* const* rhs, FilFoldReach* reach)
{
    const int inner = folds[0]->half_nodes - 2;
    const FilPairBlocks b = {rhs[0], rhs[1]};
    forward(inner, columns_of(folds), b, (FilPairBlocks){reach[0].joint, reach[1].joint});
    if (folds[0]->closed) {
        border_gather(inner, spikes_of(folds), b, (FilPairBlocks){reach[0].border, reach[1].border});
    }
}

void fil_fold_backward_pair(FilFold* const* folds, FilLanes* const* rhs, FilLanes* border_a, FilLanes* border_b)
{
    const int inner = folds[0]->half_nodes - 2;
    const FilPairBlocks b = {rhs[0], rhs[1]};
    if (folds[0]->closed) {
        border_apply(inner, columns_of(folds), spikes_of(folds), (FilPairBlocks){border_a, border_b}, b);
    }
    backward(inner, columns_of(folds), b);
}
#else
typedef int FilNoFoldPairs;
#endif
