/* Tetrahedral meshes of implicit solids by isosurface stuffing (Labelle, Shewchuk 2007), of uniform size. */
#ifndef FILUM_GEOMETRY_TET_STUFF_H
#define FILUM_GEOMETRY_TET_STUFF_H

#include "geometry/aabb.h"
#include "geometry/implicit.h"
#include "geometry/tet_mesh.h"

/* Bound of the lattice, in cells. */
#define FIL_TET_STUFF_MAX_CELLS 2000000

/* Every dihedral angle of a stuffed mesh lies between these, whatever the solid, rad: 10.7 and 164.8 degrees. */
#define FIL_TET_STUFF_MIN_DIHEDRAL 0.18675
#define FIL_TET_STUFF_MAX_DIHEDRAL 2.8763

/* A solid as a function of place: negative inside. Continuous; near a distance only for speed. */
typedef struct FilTetField {
    double (*value)(const void* context, const double* p);
    const void* context;
    FilAabb bounds; /* contains the solid */
} FilTetField;

/* Elements with edges of about `spacing` (m): its lattice has edges of spacing and 0.87 spacing. Surface vertices lie
 * on the surface; edges and corners of the solid are cut off within a spacing. Parts thinner than a spacing may be
 * lost; FIL_BAD_INPUT if nothing is left. `name` stands for the solid in messages. Allocates. */
FIL_MUST_CHECK FilStatus fil_tet_stuff(const FilTetField* field, double spacing, const char* name, FilTetMesh* mesh, FilError* error);

/* The same for an implicit solid. */
FIL_MUST_CHECK FilStatus fil_tet_stuff_implicit(const FilImplicit* implicit, double spacing, const char* name, FilTetMesh* mesh, FilError* error);

#endif
