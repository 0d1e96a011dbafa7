/* Elastic laws of solids at a point: energy density Psi(F), first Piola-Kirchhoff stress P = dPsi/dF and its tangent
 * dP/dF. Knows materials, not elements. Matrices are row-major. Nothing allocates. */
#ifndef FILUM_BODY_SOLID_LAW_H
#define FILUM_BODY_SOLID_LAW_H

#include "filum/solid.h"

typedef struct FilSolidLaw FilSolidLaw;

/* A law with its numbers. */
typedef struct FilSolidMaterial {
    const FilSolidLaw* law;
    double mu, lambda; /* Pa, Lame's constants at rest, whatever the law */
    double c1, c2;     /* Pa, of Mooney-Rivlin */
    double slopes[4];  /* Pa, dPsi/dI_a at rest (FilSolidDensity); Psi is linear in I_a but for k/2 theta^2 */
    double stiffness;  /* Pa, k of the volumetric energy k/2 theta^2 that the law has */
} FilSolidMaterial;

/* What a law is asked about. */
typedef struct FilSolidStrain {
    double f[9];        /* deformation gradient */
    double rotation[9]; /* lagged law: the rotation of the step's start. Others leave it alone */
    double kept;        /* share of the volumetric energy that counts here: 1, less with nodal pressure */
    double pressure;    /* Pa, added as pressure * theta (positive: tension), constant; 0 without nodal pressure */
} FilSolidStrain;

/* How an isotropic law depends on the invariants of F = U diag(s) V':
 *     I1 = s1 + s2 + s3,  I2 = |F|^2,  I3 = det F,  I4 = |cof F|^2. */
typedef struct FilSolidDensity {
    double value;      /* J/m^3 */
    double first[4];   /* Pa, dPsi/dI_a */
    double second[10]; /* Pa, d2Psi/dI_a dI_b: 11, 22, 33, 44, 12, 13, 14, 23, 24, 34 */
} FilSolidDensity;

/* dP/dF of an isotropic law has few numbers in the frames of its singular vectors. With dF = U G V', dP = U Q V':
 *     Q_ii = sum_j stretch_ij G_jj,   Q_ij = same_ij G_ij + swapped_ij G_ji  (i != j). */
typedef struct FilSolidTangent {
    double u[9], v[9];          /* rotations */
    double stretch[6];          /* Pa: 00, 11, 22, 01, 02, 12 */
    double same[3], swapped[3]; /* Pa: of the pairs 01, 02, 12 */
} FilSolidTangent;

/* Any model but Mooney-Rivlin, from Young's modulus (Pa, > 0) and Poisson's ratio (-1 < nu < 1/2). */
FIL_MUST_CHECK FilStatus fil_solid_material_make(FilSolidModel model, double young, double poisson, FilSolidMaterial* out, FilError* error);

/* Mooney-Rivlin, stress-free at rest: c1 + c2 > 0 and the bulk modulus at rest, in Pa. */
FIL_MUST_CHECK FilStatus fil_solid_material_mooney_rivlin(double c1, double c2, double bulk, FilSolidMaterial* out, FilError* error);

/* True where a step is linear: P depends on F linearly while FilSolidStrain.rotation stays. */
bool fil_solid_material_is_linear(const FilSolidMaterial* material);
/* True where FilSolidStrain.rotation is read. */
bool fil_solid_material_lags(const FilSolidMaterial* material);

/* True where Psi depends on the present rotation: its stress needs a polar decomposition. */
bool fil_solid_material_rotates(const FilSolidMaterial* material);
/* The invariant, from 0, that theta is of. */
int fil_solid_material_dilation(const FilSolidMaterial* material);

/* F = R = 1, the law's own volumetric energy. */
FilSolidStrain fil_solid_strain_rest(void);

/* Psi (J/m^3) with P; `tangent`, unless NULL, receives dP/dF, made positive semi-definite by its own eigenvalues if
 * `definite`. The energy of a nodal pressure is not in it: its owner counts that. */
double fil_solid_law_evaluate(const FilSolidMaterial* material, const FilSolidStrain* strain, bool definite, double* p, FilSolidTangent* tangent);

/* The same for any isotropic law: fills all of the tangent but u and v, from signed singular values s (fil_svd3). */
void fil_solid_isotropic_tangent(const double* s, const FilSolidDensity* density, bool definite, FilSolidTangent* out);

/* A symmetric 3 x 3, {00, 11, 22, 01, 02, 12}, without its negative eigenvalues. */
void fil_solid_stretch_make_definite(double* stretch);

/* theta, what the volumetric energy k/2 theta^2 is of (det F - 1, or the trace of a small strain), and its gradient by
 * F unless NULL. */
double fil_solid_law_dilation(const FilSolidMaterial* material, const FilSolidStrain* strain, double* gradient);

/* dP = (dP/dF) dF */
void fil_solid_tangent_apply(const FilSolidTangent* tangent, const double* df, double* dp);

#endif
