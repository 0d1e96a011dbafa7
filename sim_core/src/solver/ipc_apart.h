/* Which pairs stay out of each other's range, as make_pair() of ipc_list.c would find one by one: looked at four at once, where processors have AVX2,
 * so that those that come into range are all that is left to look at. */
#ifndef FILUM_SOLVER_IPC_APART_H
#define FILUM_SOLVER_IPC_APART_H

#include "solver/ipc_field.h"

/* Pairs side by side. */
enum { FIL_IPC_ABREAST = 4 };

typedef struct FilIpcAbreast {
    int point[4][FIL_IPC_ABREAST]; /* corners: the first ones of all, the second ones, ... */
    double reach[FIL_IPC_ABREAST]; /* how far apart they are out of range: that and both radii */
} FilIpcAbreast;

/* Bits of those pairs of edges, or of points and triangles, that certainly stay out of range on the way from `x` to `end`, or as far beside as
 * `slack` allows. */
unsigned fil_ipc_apart_avx2(FilFeature kind, const FilIpcAbreast* pairs, const double* x, const double* end, const double* slack);

/* Of some pairs of edges those that their swept bounds do not keep apart, which ipc_choose.c tells of one by one with the same bits; returns how
 * many. */
int fil_ipc_pick_unbounded_avx2(const FilIpcSweptBound* bounds, const FilIndexPair* near, int count, double range, FilIndexPair* picked);

#endif
