#include "geometry/hole.h"

#include "base/vec3.h"

void fil_hole_place(const FilHole* hole, const double* x, const double* rotation, double* center, double* axis)
{
    fil_m3_apply(center, rotation, hole->center);
    fil_v3_axpy(center, 1.0, x);
    fil_m3_apply(axis, rotation, hole->axis);
}

double fil_hole_gap(const FilHole* hole, const double* axis, const FilTrackPoint* crossing)
{
    const double cosine = fil_v3_dot(crossing->slope, axis) / fil_v3_norm(crossing->slope);
    return hole->radius - fil_v3_norm(crossing->r) - hole->rod_radius / cosine;
}
