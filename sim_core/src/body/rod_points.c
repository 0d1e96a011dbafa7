/* A rod's nodes as points: what error estimates, barriers, joints and rings take hold of. */
#include <math.h>

#include "base/error.h"
#include "base/vec3.h"
#include "body/rod.h"

int fil_rod_place_count(const void* pointer)
{
    return ((const FilRodBody*)pointer)->node_count;
}

void fil_rod_place_velocity(const void* pointer, int place, const double* q, const double* v, double* velocity)
{
    (void)pointer, (void)q;
    fil_v3_copy(velocity, v + 4 * place);
}

double fil_rod_mass(const void* pointer)
{
    const FilRodBody* body = pointer;
    double mass = 0.0;
    for (int i = 0; i < body->node_count; i++) {
        mass += body->owner[i] == i ? body->mass[4 * i] : 0.0;
    }
    return mass;
}

double fil_rod_inertia(const void* pointer, int unknown)
{
    return ((const FilRodBody*)pointer)->mass[unknown];
}

int fil_rod_point_count(const void* pointer, int object)
{
    return ((const FilRodBody*)pointer)->rods[object].node_count;
}

int fil_rod_point(const void* pointer, int object, int node)
{
    const FilRodBody* body = pointer;
    return body->owner[body->rods[object].first_node + node];
}

bool fil_rod_is_held(const void* pointer, int block)
{
    return ((const FilRodBody*)pointer)->held[4 * block];
}

/* The edge whose end is the node; welded, it turns against half an edge that bends towards m1 and m2 and twists: about m2, m1
 * and t. */
FilStatus fil_rod_side(const void* pointer, int object, int node, const double* q, FilBodySide* side, FilError* error)
{
    const FilRod* rod = &((const FilRodBody*)pointer)->rods[object];
    const int at = fil_counted(node, rod->node_count);
    if (at < 0) {
        return fil_error(error, FIL_BAD_INPUT, "has %d nodes, no node %d", rod->node_count, node);
    }
    const bool ends = at == rod->node_count - 1 && !rod->closed;
    side->index = object;
    side->edge = ends ? at - 1 : at;
    side->frame_part = 2 * side->edge + (ends ? 1 : 0);
    side->placed = side->section = true;
    FilStiffness s = {0};
    const double* nodes = q + 4 * rod->first_node;
    const double half = 0.5 * fil_v3_distance(nodes + 4 * side->edge, nodes + 4 * ((side->edge + 1) % rod->node_count));
    if (fil_section_stiffness(&rod->sections[side->edge], &s, NULL) == FIL_OK) {
        fil_v3_set(side->stiffness, s.ei2 / half, s.ei1 / half, s.gj / half);
    }
    return FIL_OK;
}
