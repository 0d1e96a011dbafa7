/* Nodal pressure against volumetric locking: the volumetric energy of a mesh of linear tetrahedra counted per vertex,
 * not per element. The caller owns all arrays; nothing allocates. */
#ifndef FILUM_BODY_SOLID_NODAL_H
#define FILUM_BODY_SOLID_NODAL_H

#include "body/solid_element.h"

typedef struct FilSolidNodal {
    int element_count, vertex_count;
    const int* tets; /* 4 vertices per element */
    const FilSolidElement* elements;
    const double* volumes; /* m^3 per vertex: fil_solid_nodal_volumes */
    double stiffness;      /* Pa, of the nodal part: (1 - kept) times the material's */
} FilSolidNodal;

/* The share of the volumetric energy to keep in the elements: enough against spurious modes, too little to lock. */
double fil_solid_nodal_kept(const FilSolidMaterial* material);

/* V_a: a quarter of the volume of all elements at a vertex. */
void fil_solid_nodal_volumes(const FilSolidNodal* nodal, double* volumes);

/* Pressures (Pa, positive in tension) of vertices and, averaged, of elements from the dilations theta of elements.
 * Returns the nodal part of the energy, J. Linear in theta: rates of theta give rates of pressure. */
double fil_solid_nodal_pressures(const FilSolidNodal* nodal, const double* theta, double* vertex_pressures, double* element_pressures);

#endif
