/* Symmetric matrices of chains, folded in the middle: storage, factorisation, solution.
 *
 * The unknowns of a chain are (x_p, theta_p), four a node: the position of node p and the angle of the edge from p to
 * p + 1. A hinge couples x_{p-1}, theta_{p-1}, x_p, theta_p, x_{p+1}, so a column reaches at most to row 10 of its node
 * and the eliminated part of the chain talks to the rest through seven unknowns (x, theta, x').
 *
 * Half 0 holds nodes 0, 1, ... middle, half 1 holds nodes count-1, count-2, ... middle; in half 1 the edges are walked
 * backwards and their angles change sign. Both halves are eliminated towards the middle hinge, whose eleven unknowns
 * (the joint) are solved densely. A closed rod is cut at one edge: the seven unknowns of that edge (the border) stand at
 * the outer end of both halves and join the dense system, through columns that are carried along (the spike).
 */
#ifndef FILUM_LINALG_FOLD_H
#define FILUM_LINALG_FOLD_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/lanes.h"

enum {
    FIL_FOLD_COLUMNS = 38, /* numbers a node: columns of 11, 10, 9 and 8 rows */
    FIL_FOLD_JOINT = 11,
    FIL_FOLD_BORDER = 7,
    FIL_FOLD_DENSE = FIL_FOLD_JOINT + FIL_FOLD_BORDER,
};

/* Where row `row` (0..10, counted from the node's first unknown) of column `column` (0..3) is stored. */
static inline int fil_fold_entry(int column, int row)
{
    return 11 * column - column * (column - 1) / 2 + row - column;
}

typedef struct FilFold {
    int count;      /* chain nodes, odd, padding included */
    int half_nodes; /* nodes of a half, the middle one included: count / 2 + 1 */
    bool closed;
    int border_node[2]; /* closed: first border node of each half, counted from its outer end */

    FilLanes* columns;                             /* FIL_FOLD_COLUMNS per node: the matrix; after factoring unit-lower L with 1/D on its diagonal */
    double joint[FIL_FOLD_JOINT * FIL_FOLD_JOINT]; /* what the middle hinge adds, row-major, lower part */

    FilLanes* rhs;                                 /* 4 per node, scratch of solve */
    FilLanes* spike;                               /* closed: 4 x 7 per node, L^-1 times the border columns */
    double dense[FIL_FOLD_DENSE * FIL_FOLD_DENSE]; /* factored: unit-lower L, 1/D on the diagonal, row-major */
} FilFold;

/* `count` is odd and at least 3; a closed chain lists its border at both ends. Its memory is the
 * arena's; false when out of memory. */
bool fil_fold_init(FilFold* fold, FilArena* arena, int count, bool closed, int border_node_1);

/* Factors columns and joint in place. False if a pivot is not positive: the matrix is then used up. */
bool fil_fold_factor(FilFold* fold);

/* Solves in place. `rhs` has 4 numbers per chain node in half order; at the middle node both halves add up on entry and
 * agree on return, so do the two copies of the border. */
void fil_fold_solve(FilFold* fold, FilLanes* rhs);

#if defined(FIL_LANE_PAIRS)
/* Two folds of one shape at once, each with the bits that it has alone. For processors with AVX2 only: fil_lanes_pair(). */
bool fil_fold_goes_with(const FilFold* a, const FilFold* b);
void fil_fold_factor_pair(FilFold* const* folds, bool* definite);
void fil_fold_solve_pair(FilFold* const* folds, FilLanes* const* rhs);
#endif

#endif
