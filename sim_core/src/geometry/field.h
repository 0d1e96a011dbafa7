/* Pressure fields: how hard a compliant solid pushes back at each of its points (P0 III-B2).
 *
 * A field is linear on tetrahedra: 0 on the surface, the modulus E_h (Pa) at the deepest points, so p = E_h depth/H
 * with the largest depth H. It is an elastic foundation of thickness H, not elasticity: no state, no sideways coupling.
 * A layer of thickness `margin` around the solid carries the field on to negative values; what is found there has not
 * touched yet.
 *
 * Fields are made once per shape, in the shape's own frame, and are const afterwards: bodies of one shape share one. */
#ifndef FILUM_GEOMETRY_FIELD_H
#define FILUM_GEOMETRY_FIELD_H

#include "geometry/bvh.h"
#include "geometry/skin.h"

/* One tetrahedron. */
typedef struct FilFieldCell {
    double corner[12];  /* m, 3 per corner */
    double face[16];    /* 4 per corner i, its barycentric weight at x: face[4 i .. 4 i + 2] . x + face[4 i + 3] */
    double gradient[3]; /* Pa/m */
    double offset;      /* Pa: p(x) = gradient . x + offset */
    double steepness;   /* |gradient| */
} FilFieldCell;

typedef struct FilField {
    FilFieldCell* cells;
    int count, capacity;
    FilBvh tree;    /* over the cells' boxes */
    double modulus; /* Pa: E_h */
    double depth;   /* m: H */
    double margin;  /* m: how far the field goes on outside */
} FilField;

/* The settings of a compliant surface. */
typedef struct FilFieldDef {
    double modulus;    /* Pa, positive */
    double resolution; /* m, positive: how long the edges of surface triangles, or of a mesh's grid, may be */
    double margin;     /* m, not negative */
} FilFieldDef;

void fil_field_free(FilField* field); /* its arrays; a zeroed one is fine */

/* Of any shape but a half-space. Allocates. */
FIL_MUST_CHECK FilStatus fil_field_create(const FilShape* shape, const FilFieldDef* def, FilField* field, FilError* error);

/* An empty field with its settings, to which cells are added one by one, and the tree when all are there. */
FIL_MUST_CHECK FilStatus fil_field_begin(const FilFieldDef* def, double depth, FilField* field, FilError* error);
FIL_MUST_CHECK FilStatus fil_field_add_cell(FilField* field, const double* const corner[4], const double pressure[4]);
FIL_MUST_CHECK FilStatus fil_field_finish(FilField* field);

/* Pressure at x by the cell's own linear function. */
static inline double fil_field_pressure(const FilFieldCell* cell, const double* x)
{
    return fil_v3_dot(cell->gradient, x) + cell->offset;
}

#endif
