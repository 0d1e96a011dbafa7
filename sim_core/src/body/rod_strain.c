/* Frames and strains of rods at a committed state, and how rest strains follow from curvatures. */
#include <math.h>

#include "base/vec3.h"
#include "body/rod.h"

/* ---- rest strains ---- */

void fil_rod_rest_from_curvature(double voronoi, const double* curvature, double* rest1, double* rest2)
{
    fil_rod_rest_from_curvature_of(voronoi, curvature, hypot(curvature[0], curvature[1]), rest1, rest2);
}

void fil_rod_curvature_from_rest(double voronoi, double rest1, double rest2, double* curvature)
{
    const double size = hypot(rest1, rest2);
    // as the other way
    const double scale = (size < 1e-8 ? 1.0 : 2.0 * atan(0.5 * size) / size) / voronoi;
    curvature[0] = scale * rest1;
    curvature[1] = scale * rest2;
}

/* ---- edges and nodes ---- */

void fil_rod_edge_frame(const FilRod* rod, const double* q, const FilRodHistory* h, int edge, Frame1* frame)
{
    frame->length = fil_v3_distance(q + 4 * ((edge + 1) % rod->node_count), q + 4 * edge);
    frame->inverse = 1.0 / frame->length;
    fil_v3_copy(frame->t, h[edge].tangent);
    fil_v3_copy(frame->m1, h[edge].director);
    fil_v3_cross(frame->m2, frame->t, frame->m1);
}

bool fil_rod_node_strains(const FilRod* rod, const double* q, const FilRodHistory* h, int node, double* kappa1, double* kappa2)
{
    *kappa1 = *kappa2 = 0.0;
    if (!rod->closed && (node == 0 || node == rod->node_count - 1)) {
        return false;
    }
    Frame1 e, f;
    fil_rod_edge_frame(rod, q, h, (node + rod->node_count - 1) % rod->node_count, &e);
    fil_rod_edge_frame(rod, q, h, node, &f);
    curvatures1(&e, &f, kappa1, kappa2);
    return true;
}

void fil_rod_node_curvature(const FilRod* rod, const double* q, const FilRodHistory* h, int node, double* curvature)
{
    double kappa1, kappa2;
    (void)fil_rod_node_strains(rod, q, h, node, &kappa1, &kappa2);
    fil_rod_curvature_from_rest(rod->voronoi[node], kappa1, kappa2, curvature);
}

double fil_rod_edge_tension(const FilRod* rod, const double* q, const FilRodHistory* h, int edge)
{
    const double length = fil_v3_distance(q + 4 * ((edge + 1) % rod->node_count), q + 4 * edge);
    return rod->law[edge].ea * (length / h[edge].rest_length - 1.0);
}

/* ---- clamps ---- */

Frame1 fil_rod_clamp_section(const FilClampSide* side, const double* turn)
{
    double rotation[9];
    Frame1 section = side->section;
    fil_m3_from_rotation_vector(rotation, turn);
    fil_m3_apply(section.m1, rotation, side->section.m1);
    fil_m3_apply(section.m2, rotation, side->section.m2);
    fil_m3_apply(section.t, rotation, side->section.t);
    return section;
}

HingeLaw1 fil_rod_clamp_law(const FilClampSide* side, const FilRodHistory* node)
{
    HingeLaw1 law = side->law;
    double curvature[2];
    fil_rod_curvature_from_rest(side->voronoi, node->rest1, node->rest2, curvature);
    fil_rod_rest_from_curvature(side->half, curvature, &law.rest1, &law.rest2);
    law.rest_twist = node->rest_twist / side->voronoi * side->half;
    return law;
}
