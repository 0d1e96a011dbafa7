/* Linear tetrahedra: deformation gradient, energy, gradient and Hessian by the twelve coordinates of the vertices,
 * mass, damping, plane strain. Knows one element, no mesh. Vectors of twelve are x, y, z of vertex 0, then of 1, 2, 3;
 * matrices are row-major. Nothing allocates. */
#ifndef FILUM_BODY_SOLID_ELEMENT_H
#define FILUM_BODY_SOLID_ELEMENT_H

#include "body/solid_law.h"

/* A tetrahedron at rest. */
typedef struct FilSolidElement {
    double gradient[12]; /* 1/m, grad N_i of vertex i; their sum is zero */
    double volume;       /* m^3 */
} FilSolidElement;

/* From rest positions. Returns false for an element of no or negative volume, or one whose numbers overflow; volume is
 * then what it has. */
FIL_MUST_CHECK bool fil_solid_element_make(const double* const rest[4], FilSolidElement* out);

/* F of deformed positions, or the gradient of velocities if x are velocities. */
void fil_solid_element_deformation(const FilSolidElement* element, const double* const x[4], double* f);

/* gradient += scale V P grad N_i: that of the energy for scale 1. */
void fil_solid_element_add_gradient(const FilSolidElement* element, double scale, const double* p, double* gradient);

/* hessian = scale V grad N_i' (dP/dF) grad N_j, 12 x 12. */
void fil_solid_element_hessian(const FilSolidElement* element, double scale, const FilSolidTangent* tangent, double* hessian);

/* The mass of a vertex with itself and with each other one, per axis, kg. Consistent: rho V/20 (1 + delta_ab), exact
 * for every linear velocity field, so for every rigid motion. Lumped: rho V/4, which exaggerates moments of inertia. */
typedef struct FilSolidMass {
    double own, other;
} FilSolidMass;

FilSolidMass fil_solid_element_mass(const FilSolidElement* element, double density, bool lumped);

/* out += scale M v */
void fil_solid_mass_add_product(const FilSolidMass* mass, double scale, const double* v, double* out);

/* Factors of M and K in the tangent of a step of the theta-method, P3 eq. 11:
 *     A = (1 + alpha theta dt) M + theta dt (theta_vq dt + beta) K. */
typedef struct FilSolidFactors {
    double mass, stiffness;
} FilSolidFactors;

FilSolidFactors fil_solid_step_factors(double alpha, double beta, double theta, double theta_vq, double dt);

/* gradient += scale V Q grad N_i with Q the stress of stiffness damping: (dP/dF) dF/dt. With `objective`, rates and
 * stress without the element's spin (least squares), so that a rigid rotation is not damped and no torque arises. */
void fil_solid_element_add_damping(const FilSolidElement* element, double scale, const FilSolidTangent* tangent, const double* f,
                                   const double* const v[4], bool objective, double* gradient);

/* The angular velocity w that fits a rate dF best: least |dF - w x F|^2. Zero where F leaves it open. */
void fil_solid_spin(const double* f, const double* df, double* w);

/* Plane strain: no motion along `axis` (0, 1, 2). Takes these coordinates out of an element's gradient and Hessian;
 * either may be NULL. */
void fil_solid_plane_strain(int axis, double* gradient, double* hessian);

#endif
