/* Broyden's updates of the inverse of an old tangent. Factors that are no longer those of the present point know
 * nothing of what the steps since then have shown; the updates do, and cost a few products of vectors (Kelley, Solving
 * nonlinear equations with Newton's method, SIAM 2003, chapter 4). With s_0 ... s_n the full steps since the factors
 * were new and z = B^-1 F(x_n+1),
 *
 *     z += s_j+1 (s_j' z) / s_j's_j for j < n,    s_n+1 = z / (1 - s_n'z / s_n's_n).
 *
 * Products are weighed by a diagonal, so that unknowns of different units can be mixed. */
#ifndef FILUM_LINALG_BROYDEN_H
#define FILUM_LINALG_BROYDEN_H

#include "linalg/buffer.h"

enum { FIL_BROYDEN_STEPS = 8 }; /* that are remembered */

typedef struct FilBroyden {
    size_t size;
    int count;
    FilDoubles steps;
    FilDoubles metric;                 /* the diagonal, >= 0 */
    double squares[FIL_BROYDEN_STEPS]; /* s_j's_j */
} FilBroyden;

void fil_broyden_free(FilBroyden* broyden);

/* Forgets everything, for vectors of `size` (0: it is not used); the metric is to be filled by the caller. Allocates
 * only to grow; false when out of memory. */
bool fil_broyden_begin(FilBroyden* broyden, size_t size);

/* The factors are new, and `step` is theirs. */
void fil_broyden_start(FilBroyden* broyden, const double* step);

/* Whether there is no room for another step: the factors are to be made anew. */
static inline bool fil_broyden_full(const FilBroyden* broyden)
{
    return broyden->count == FIL_BROYDEN_STEPS;
}

/* Turns old factors' step into a better one, and remembers it: it must be taken in full. Not when it is full. */
void fil_broyden_correct(FilBroyden* broyden, double* step);

#endif
