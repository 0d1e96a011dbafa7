/* Lattice points are a (u e + v f) with e along x and f at 60 degrees; |u|, |v|, |u + v| <= n inside the hexagon. Cords run
 * along e (v fixed), f (u fixed) and f - e (u + v fixed). */
#include "scene/net.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec3.h"

/* A cord: where it starts on the lattice, which way it runs and how far. */
typedef struct Cord {
    int u, v, du, dv, length;
} Cord;

static const int corners[6][2] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};

int fil_net_cords(const FilHexagonNet* net)
{
    return 3 * (2 * net->cells + 1);
}

static Cord cord_of(const FilHexagonNet* net, int cord)
{
    const int n = net->cells;
    if (cord < 6) {
        const int *from = corners[cord], *to = corners[(cord + 1) % 6];
        return (Cord){n * from[0], n * from[1], to[0] - from[0], to[1] - from[1], n};
    }
    // those inside: 2 n - 1 in each direction
    const int family = (cord - 6) / (2 * n - 1), j = (cord - 6) % (2 * n - 1) - (n - 1), length = 2 * n - abs(j);
    const int low = j < 0 ? -n - j : -n, sum = j < 0 ? -n : j - n;
    return family == 0 ? (Cord){low, j, 1, 0, length} : family == 1 ? (Cord){j, low, 0, 1, length} : (Cord){sum, j - sum, 1, -1, length};
}

int fil_net_cord_nodes(const FilHexagonNet* net, int cord)
{
    return cord_of(net, cord).length * net->segments + 1;
}

void fil_net_cord(const FilHexagonNet* net, int cord, double* nodes)
{
    const Cord c = cord_of(net, cord);
    const double a = net->side / net->cells;
    for (int i = 0; i <= c.length * net->segments; i++) {
        const double t = (double)i / net->segments, u = c.u + t * c.du, v = c.v + t * c.dv;
        fil_v3_set(nodes + 3 * i, net->center[0] + a * (u + 0.5 * v), net->center[1] + a * 0.5 * sqrt(3.0) * v, net->center[2]);
    }
}

int fil_net_scratch(const FilHexagonNet* net)
{
    return 2 * (2 * net->cells + 1) * (2 * net->cells + 1);
}

int fil_net_junctions(const FilHexagonNet* net)
{
    // lattice points of all cords less those of the hexagon
    int count = 0;
    for (int cord = 0; cord < fil_net_cords(net); cord++) {
        count += cord_of(net, cord).length + 1;
    }
    return count - (3 * net->cells * (net->cells + 1) + 1);
}

void fil_net_join(const FilHexagonNet* net, int* scratch, FilRodJunction* junctions)
{
    const int n = net->cells, width = 2 * n + 1;
    int count = 0;
    for (int k = 0; k < width * width; k++) {
        scratch[2 * k] = -1;
    }
    for (int cord = 0; cord < fil_net_cords(net); cord++) {
        const Cord c = cord_of(net, cord);
        for (int i = 0; i <= c.length; i++) {
            int* first = scratch + 2 * (width * (c.u + i * c.du + n) + c.v + i * c.dv + n);
            if (first[0] < 0) {
                first[0] = cord;
                first[1] = i * net->segments;
            } else {
                junctions[count++] = (FilRodJunction){first[0], first[1], cord, i * net->segments};
            }
        }
    }
}
