/* Contact patches by pressure fields (P0 III-B2): where two solids press on each other, as small polygons.
 *
 * A patch lies where two pressures agree, or on the surface of a rigid solid inside a compliant one. Each polygon
 * becomes one point with, n from a to b,
 *
 *     k = A g,   phi = -p/g,   f_n(v_n) = (k (-phi - dt v_n))+,   f_n(0) = A p,
 *     1/g = 1/g_a + 1/g_b,   g_a = -grad p_a . n,   g_b = grad p_b . n   (rigid: infinite);
 *
 * afterwards it is a contact point like any other. The centroid rule is exact for the force of a linear pressure and
 * is off by O(size^2) for moments of friction.
 *
 * Rules. Polygons are cut where p = 0, so that what touches and what is about to are different points, and the sum of
 * A p over those with p > 0 is continuous. Polygons below 1e-12 H^2 are dropped. Where n and the fields' gradients
 * point more than 90 degrees apart, the area fades out until 5 pi/8: no push from behind thin solids, no attraction,
 * and no jump. g is at least a tenth of the gradient's size: the force A p of sides along n is kept, and k stays
 * positive.
 *
 * How a narrow phase uses it:
 *
 *     per shape, once   a FilField for compliant ones (the surface's modulus, resolution, margin), a FilBoundary with
 *                       a resolution for rigid ones;
 *     per pair, a step  fil_patch_fields or fil_patch_half_space if both are compliant, fil_patch_boundary if one is
 *                       (it comes first), points of contact if none; rod edges go through rod_patch.h; then
 *                       fil_patch_reduce (patch_reduce.h), if wanted;
 *     per point         a contact at `position` with `normal`, of stiffness fil_patch_stiffness and distance
 *                       fil_patch_distance.
 *
 * The caller brings poses and keeps one FilPatch as workspace; `feature` is the same from step to step while the same
 * cells meet. Margins beyond those that the fields were made with are cut to them. Nothing allocates but to grow the
 * workspace. */
#ifndef FILUM_GEOMETRY_PATCH_H
#define FILUM_GEOMETRY_PATCH_H

#include "geometry/boundary.h"
#include "geometry/field.h"
#include "geometry/near_cells.h"
#include "geometry/pairs.h"

typedef struct FilPatchPoint {
    double position[3]; /* m, world */
    double normal[3];   /* unit, from a to b, world */
    double area;        /* m^2 */
    double pressure;    /* Pa, at the centroid; negative: not touching yet */
    double gradient;    /* Pa/m, positive: change of pressure as a and b approach along the normal */
    uint32_t feature;
} FilPatchPoint;

/* Points that grow in number and are used again. Zero-initialised it is empty. */
typedef struct FilPatch {
    FilPatchPoint* points;
    int count, capacity;
    FilPairs pairs;       /* scratch: cells that may meet */
    FilNearCells near[2]; /* scratch: of two fields, where they may */
} FilPatch;

void fil_patch_free(FilPatch* patch);

/* Makes room for `more` points; allocates only when there is none, and then at least doubles. */
FIL_MUST_CHECK FilStatus fil_patch_reserve(FilPatch* patch, int more);

/* Normal stiffness, N/m. */
static inline double fil_patch_stiffness(const FilPatchPoint* point)
{
    return point->area * point->gradient;
}

/* Signed distance, m. */
static inline double fil_patch_distance(const FilPatchPoint* point)
{
    return -point->pressure / point->gradient;
}

/* Normal force at rest, N: 0 while not touching. */
static inline double fil_patch_force(const FilPatchPoint* point)
{
    return point->pressure > 0.0 ? point->area * point->pressure : 0.0;
}

/* Mixes numbers into a feature. */
uint32_t fil_patch_feature(int a, int b, int part);

/* What a pair of gradients along the normal makes of a polygon: takes g_a and the size of gradient a, and fades `area`;
 * returns g_a, at least a tenth of the size. Zero area: drop it. */
double fil_patch_gradient(double along, double steepness, double* area);

/* Appends where the field a meets the rigid solid b; points up to `margin` (m) before touching. */
FIL_MUST_CHECK FilStatus fil_patch_boundary(const FilField* a, const FilPose* pose_a, const FilBoundary* b, const FilPose* pose_b, double margin,
                                            FilPatch* patch);

/* Appends where the field a agrees with a compliant half-space, below z = 0 of pose_b: p = -stiffness z, stiffness
 * (Pa/m) being its modulus over its thickness. */
FIL_MUST_CHECK FilStatus fil_patch_half_space(const FilField* a, const FilPose* pose_a, const FilPose* pose_b, double stiffness, double margin,
                                              FilPatch* patch);

/* Appends where two fields agree. */
FIL_MUST_CHECK FilStatus fil_patch_fields(const FilField* a, const FilPose* pose_a, const FilField* b, const FilPose* pose_b, double margin,
                                          FilPatch* patch);

#endif
