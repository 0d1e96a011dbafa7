/* Nets of cords: a hexagon cut into triangles. */
#ifndef FILUM_SCENE_NET_H
#define FILUM_SCENE_NET_H

#include "filum/rod.h"

typedef struct FilHexagonNet {
    double center[3]; /* m; the net lies level, its first corner along x */
    double side;      /* m, of the hexagon */
    int cells;        /* triangles along a side */
    int segments;     /* edges along a triangle's side */
} FilHexagonNet;

/* Cords run straight through in three directions. The first six are the hexagon's sides, cord k from corner k to corner
 * k + 1; corners are counted against the clock seen from above. */
int fil_net_cords(const FilHexagonNet* net);
int fil_net_cord_nodes(const FilHexagonNet* net, int cord);
void fil_net_cord(const FilHexagonNet* net, int cord, double* nodes); /* 3 per node */

/* Nodes that cords share, by cord; `junctions` has room for fil_net_junctions(). */
int fil_net_junctions(const FilHexagonNet* net);
void fil_net_join(const FilHexagonNet* net, int* scratch, FilRodJunction* junctions);
int fil_net_scratch(const FilHexagonNet* net); /* ints that joining needs */

#endif
