/* Two edges of chains that touch, or a point and one: how they share that with their neighbours (geometry/edge_share.h), and how it varies. */
#ifndef FILUM_GEOMETRY_EDGE_PAIR_H
#define FILUM_GEOMETRY_EDGE_PAIR_H

#include <stdbool.h>

#include "geometry/edge_share.h"

typedef struct FilEdgePair {
    bool edge[2];       /* a side is an edge of a chain, that shares; else it has no share to lose, and a point is both ends of one */
    bool goes_on[2][2]; /* before its edge, and after */
    double x[2][4][3];  /* of each side: the node before its edge, its two, and the one after */
    double at[2];       /* where on both edges they are closest, 0 to 1 */
    double radius[2];
} FilEdgePair;

/* The share of both. */
double fil_edge_pair_share(const FilEdgePair* pair);
/* How it changes where nodes go as dx says. */
double fil_edge_pair_change(const FilEdgePair* pair, double dx[2][4][3]);

#endif
