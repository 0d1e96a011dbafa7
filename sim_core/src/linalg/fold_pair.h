/* Between fold.c and its loops for two folds at once (fold_pair_avx2.c): what the loops over all nodes leave to the dense middle. */
#ifndef FILUM_LINALG_FOLD_PAIR_H
#define FILUM_LINALG_FOLD_PAIR_H

#include "linalg/fold.h"

/* Of a factorisation. */
typedef struct FilFoldCarry {
    FilLanes joint[28 * FIL_LANE_GROUPS]; /* what elimination carried to the joint: packed lower 7 x 7 */
    FilLanes spike[49 * FIL_LANE_GROUPS]; /* closed: to its coupling with the border, 7 x 7, ... */
    FilLanes gram[28 * FIL_LANE_GROUPS];  /* ... and to the border */
} FilFoldCarry;

/* Of a solution: what reaches the joint, and the border. */
typedef struct FilFoldReach {
    FilLanes joint[7 * FIL_LANE_GROUPS], border[7 * FIL_LANE_GROUPS];
} FilFoldReach;

#if defined(FIL_LANE_PAIRS)
/* False where a pivot is not positive. */
void fil_fold_eliminate_pair(FilFold* const* folds, int head, FilFoldCarry* carry, bool* definite);
void fil_fold_forward_pair(FilFold* const* folds, FilLanes* const* rhs, FilFoldReach* reach);
/* `border_a`, `border_b`: of each, for all lanes. */
void fil_fold_backward_pair(FilFold* const* folds, FilLanes* const* rhs, FilLanes* border_a, FilLanes* border_b);
#endif

#endif
