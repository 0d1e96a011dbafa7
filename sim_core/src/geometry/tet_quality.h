/* How good the elements of a tetrahedral mesh are. */
#ifndef FILUM_GEOMETRY_TET_QUALITY_H
#define FILUM_GEOMETRY_TET_QUALITY_H

#include "geometry/tet_mesh.h"

typedef struct FilTetQuality {
    double min_dihedral, max_dihedral; /* rad */
    double min_radius_ratio;           /* 3 inradius/circumradius: 1 for a regular element, 0 for a flat one */
    double mean_radius_ratio;
    double volume, min_volume, max_volume;                                        /* m^3 */
    double min_edge, max_edge;                                                    /* m */
    double area;                                                                  /* m^2, of the surface */
    int min_dihedral_tet, max_dihedral_tet, min_radius_ratio_tet, min_volume_tet; /* where, from 0 */
    int pieces;                                                                   /* parts that share no vertex */
    int touching_edges; /* edges of the surface with more than two triangles: elements meet there in an edge only */
} FilTetQuality;

/* The six dihedral angles of a tetrahedron, rad, at the edges 01, 02, 03, 12, 13, 23. */
void fil_tet_dihedrals(const double* const x[4], double* angles);

/* 3 inradius/circumradius. */
double fil_tet_radius_ratio(const double* const x[4]);

/* Allocates for the time of the call. */
FIL_MUST_CHECK FilStatus fil_tet_mesh_quality(const FilTetMesh* mesh, FilTetQuality* out, FilError* error);

#endif
