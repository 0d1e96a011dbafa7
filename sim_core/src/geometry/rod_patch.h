/* Contact patches of rods, without meshes.
 *
 * The pressure of a rod's edge is a closed form over its section (rod_field.h) and does not fall off at the ends,
 * where the next edge goes on; ends may be mitred, so that edges of a bent rod neither gap nor overlap. What it meets
 * is known by its distance phi: rigid, or compliant with the field p = -s phi, s = E_h/H, which is that of spheres,
 * capsules, cylinders, boxes, half-spaces and other rods. On each ray from the outline inwards,
 * x(t) = outline + t (foot - outline) with p = E_h t, the patch is where
 *
 *     phi(x(t)) = 0   (rigid),      E_h t + s phi(x(t)) = 0   (compliant),
 *
 * found by Newton's method in t. Rays fill just the stretch, and around circles just the angle, where the edge can
 * touch, so that few of them do; cells between them become points, with the mean of a quadratic pressure.
 *
 * An edge that is entered beyond its core is treated as if it stood just outside, and what is missing is added to its
 * distance: the push goes on growing. Tips of rods are not patches: keep a point of contact at the last node.
 *
 * How a narrow phase uses it:
 *
 *     per rod, once     fil_rod_field_init from section, modulus, resolution;
 *     per edge, a step  its pose (x along m1, z along the edge), half length and mitres;
 *     per pair, a step  fil_rod_patch with the other side's FilBoundary, then fil_patch_reduce.
 *
 * The other side's boundary is made once. That of another rod's edge can be made on the stack: a capsule or box with
 * no resolution, longer than the edge by more than its thickness; FilRodOther.half_length then cuts at its ends.
 * Of two rods the softer one should be the first, of equals the thinner: it is resolved better. Nothing allocates but to grow the patch. */
#ifndef FILUM_GEOMETRY_ROD_PATCH_H
#define FILUM_GEOMETRY_ROD_PATCH_H

#include "geometry/patch.h"
#include "geometry/rod_field.h"

/* Most stations along an edge. */
#define FIL_ROD_STATIONS 36

typedef struct FilRodEdge {
    FilPose pose;       /* at the middle; z along the edge, x along m1 */
    double half_length; /* m */
    double mitre[2][2]; /* both ends: the end plane is z = end + mitre . (x, y); zero: cut square */
} FilRodEdge;

/* What the edge meets. */
typedef struct FilRodOther {
    const FilBoundary* boundary;
    FilPose pose;
    double stiffness;   /* Pa/m: E_h/H if compliant, 0 if rigid */
    double half_length; /* m: only what lies within |z| <= half_length counts; 0: all. For edges of other rods */
    double mitre[2][2]; /* its end planes, as of FilRodEdge */
} FilRodOther;

/* Appends where the edge meets the other, normals from the edge to it; points up to `margin` (m) before touching.
 * `feature` is mixed into those of the points: the edge's number. */
FIL_MUST_CHECK FilStatus fil_rod_patch(const FilRodField* field, const FilRodEdge* edge, const FilRodOther* other, double margin, int feature,
                                       FilPatch* patch);

#endif
