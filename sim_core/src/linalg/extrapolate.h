/* A fixed point l = T(l) from its iterates (Anderson 1965): the combination of the last ones whose errors T(l) - l cancel
 * best. Where T is affine that is GMRES. */
#ifndef FILUM_LINALG_EXTRAPOLATE_H
#define FILUM_LINALG_EXTRAPOLATE_H

#include <stddef.h>

/* Numbers of the history of iterates of length n. */
size_t fil_extrapolate_size(int n);

/* Replaces the iterate `l` by the next one. `error` is T(l) - l; `round` counts from 1, which forgets the history.
 * No more than the last `depth` iterates count. */
void fil_extrapolate(int n, int round, int depth, double* history, const double* error, double* l);

#endif
