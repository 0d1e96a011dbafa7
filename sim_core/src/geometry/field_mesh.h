/* Pressure fields of closed meshes, convex or not.
 *
 * A cubic grid of the field's resolution is laid over the mesh and each cube cut into six tetrahedra; the pressure at
 * grid points is E_h depth/H by their distance to the mesh, negative outside. The surface is where the field is zero:
 * met to O(resolution^2) where the mesh is smooth, edges are cut off by O(resolution). */
#ifndef FILUM_GEOMETRY_FIELD_MESH_H
#define FILUM_GEOMETRY_FIELD_MESH_H

#include "geometry/boundary.h"
#include "geometry/field.h"

/* Most grid points that a resolution may ask for. */
#define FIL_FIELD_MAX_GRID 300000

/* Of a mesh's boundary, or of any other that has an end. Takes a distance per grid point. Allocates. */
FIL_MUST_CHECK FilStatus fil_field_of_boundary(const FilBoundary* boundary, const FilFieldDef* def, FilField* field, FilError* error);

#endif
