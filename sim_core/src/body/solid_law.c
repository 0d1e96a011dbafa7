/* Isotropic laws are functions of the invariants of F = U diag(s) V' (signed singular values, rotations U and V)
 *     I1 = s1 + s2 + s3 = R : F,  I2 = |F|^2,  I3 = det F,  I4 = |cof F|^2                                          (1)
 * (I1, I2, I3 as in Smith, de Goes, Kim 2019; I4 is the second invariant of F'F). With psi_a = dPsi/dI_a
 *     P = psi_1 R + 2 psi_2 F + psi_3 cof F + 2 psi_4 (I2 F - F F'F).                                              (2)
 * In the frames U, V the tangent splits (Smith et al. 2019; Kim, Eberle 2020, ch. 7; Stomakhin et al. 2012). With
 * P_i = dPsi/ds_i, the pair (i, j) and the third index k:
 *     scaling   G_ii, G_jj:      d2Psi/ds_i ds_j = sum_ab psi_ab I_a,i I_b,j + sum_a psi_a I_a,ij (3) flip      G_ij =
 * G_ji:     (P_i - P_j)/(s_i - s_j) = 2 psi_2 - s_k psi_3 + 2 psi_4 (s_k^2 - s_i s_j)          (4) twist     G_ij =
 * -G_ji:    (P_i + P_j)/(s_i + s_j) = 2 psi_1/(s_i + s_j) + 2 psi_2 + s_k psi_3
 *                                                         + 2 psi_4 (s_k^2 + s_i s_j)                              (5)
 * These are all nine eigenvalues (those of the 3 x 3 of (3)); none has a difference of singular values in a
 * denominator. As s1 >= s2 >= |s3|, sums are not negative; a law with psi_1 has a true singularity where one vanishes,
 * because R has one. A tangent without negative eigenvalues is the nearest positive semi-definite one.
 *
 * Laws (mu, lambda are Lame's constants at rest; theta is what volumetric energy k/2 theta^2 is of):
 *     corotated linear  mu (I2 - 2 I1 + 3) + lambda/2 theta^2              theta = I1 - 3                           (6)
 *     corotated         mu (I2 - 2 I1 + 3) + lambda/2 theta^2              theta = I3 - 1                           (7)
 *     neo-Hookean       mu/2 (I2 - 3) - mu theta + (lambda + mu)/2 theta^2   theta = I3 - 1                         (8)
 *     Mooney-Rivlin     c1 (I2 - 3) + c2 (I4 - 3) - (2 c1 + 4 c2) theta + k/2 theta^2,  theta = I3 - 1              (9)
 *                       mu = 2 (c1 + c2),  lambda = k - 2 c1,  bulk = k - 2/3 c1 + 4/3 c2
 * (8) needs lambda + mu, as -mu theta alone has the Lame constants (mu, -mu) with the first term. (9) is
 * k/2 (I3 - a)^2 with a = 1 + (2 c1 + 4 c2)/k up to a constant.
 *
 * The lagged law (P3 eq. 7, R0 constant):
 *     E = sym(R0'F) - 1,  Psi = mu |E|^2 + lambda/2 theta^2,  theta = tr E,  P = R0 (2 mu E + lambda theta)        (10)
 *     dP/dF (P3 appendix) in the frames U = R0, V = 1: stretch = lambda + 2 mu delta_ij, same = swapped = mu. (11)
 */
#include "body/solid_law.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/svd3.h"
#include "base/vec3.h"

struct FilSolidLaw {
    const char* name;
    bool lags;                                /* reads the strain's rotation */
    bool turns;                               /* small strain about a constant rotation: eq. 10; otherwise isotropic */
    bool plain;                               /* made from Young's modulus and Poisson's ratio alone */
    bool rotates;                             /* isotropic: psi_1 is not zero */
    int dilation;                             /* the invariant that theta is of; theta is zero at rest */
    void (*fill)(FilSolidMaterial* material); /* slopes and stiffness, from the other numbers */
};

/* Invariants at rest. */
static const double REST[4] = {3.0, 3.0, 1.0, 3.0};
static const double IDENTITY[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

/* ---- the rows ---- */

// eq. 10
static void fill_turned(FilSolidMaterial* m)
{
    m->stiffness = m->lambda;
}

// eq. 6 and 7
static void fill_corotated(FilSolidMaterial* m)
{
    m->slopes[0] = -2.0 * m->mu;
    m->slopes[1] = m->mu;
    m->stiffness = m->lambda;
}

// eq. 8
static void fill_neo_hookean(FilSolidMaterial* m)
{
    m->slopes[1] = 0.5 * m->mu;
    m->slopes[2] = -m->mu;
    m->stiffness = m->lambda + m->mu;
}

// eq. 9
static void fill_mooney_rivlin(FilSolidMaterial* m)
{
    m->slopes[1] = m->c1;
    m->slopes[2] = -2.0 * m->c1 - 4.0 * m->c2;
    m->slopes[3] = m->c2;
    m->stiffness = m->lambda + 2.0 * m->c1;
}

static const FilSolidLaw laws[FIL_SOLID_MODEL_COUNT] = {
    [FIL_SOLID_LINEAR] = {"linear", false, true, true, false, 0, fill_turned},
    [FIL_SOLID_COROTATED_LAGGED] = {"corotated_lagged", true, true, true, false, 0, fill_turned},
    [FIL_SOLID_COROTATED_LINEAR] = {"corotated_linear", false, false, true, true, 0, fill_corotated},
    [FIL_SOLID_COROTATED] = {"corotated", false, false, true, true, 2, fill_corotated},
    [FIL_SOLID_NEO_HOOKEAN] = {"neo_hookean", false, false, true, false, 2, fill_neo_hookean},
    [FIL_SOLID_MOONEY_RIVLIN] = {"mooney_rivlin", false, false, false, false, 2, fill_mooney_rivlin},
};

/* ---- materials ---- */

const char* fil_solid_model_name(FilSolidModel model)
{
    FIL_ASSERT(model >= 0 && model < FIL_SOLID_MODEL_COUNT);
    return laws[model].name;
}

FilSolidModel fil_solid_model_find(const char* name)
{
    int model = 0;
    while (model < FIL_SOLID_MODEL_COUNT && strcmp(laws[model].name, name) != 0) {
        model++;
    }
    return (FilSolidModel)model;
}

FilStatus fil_solid_material_make(FilSolidModel model, double young, double poisson, FilSolidMaterial* out, FilError* error)
{
    FIL_ASSERT(model >= 0 && model < FIL_SOLID_MODEL_COUNT);
    if (!laws[model].plain) {
        return fil_error(error, FIL_BAD_INPUT, "a %s material takes c1, c2 and bulk, not young and poisson", laws[model].name);
    }
    if (!isfinite(young) || young <= 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "Young's modulus %g Pa must be a positive number", young);
    }
    if (poisson == 0.5) {
        return fil_error(error, FIL_BAD_INPUT, "Poisson's ratio 0.5 is incompressible, which no finite bulk modulus gives: use 0.499");
    }
    if (!(poisson > -1.0 && poisson < 0.5)) {
        return fil_error(error, FIL_BAD_INPUT, "Poisson's ratio %g must be above -1 and below 0.5", poisson);
    }
    const double mu = 0.5 * young / (1.0 + poisson);
    *out = (FilSolidMaterial){.law = &laws[model], .mu = mu, .lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))};
    out->law->fill(out);
    return FIL_OK;
}

FilStatus fil_solid_material_mooney_rivlin(double c1, double c2, double bulk, FilSolidMaterial* out, FilError* error)
{
    if (!isfinite(c1) || !isfinite(c2) || c1 + c2 <= 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "c1 = %g Pa and c2 = %g Pa: their sum must be a positive number", c1, c2);
    }
    if (!isfinite(bulk) || bulk <= 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "the bulk modulus %g Pa must be a positive number", bulk);
    }
    *out =
        (FilSolidMaterial){.law = &laws[FIL_SOLID_MOONEY_RIVLIN], .mu = 2.0 * (c1 + c2), .lambda = bulk - 4.0 / 3.0 * (c1 + c2), .c1 = c1, .c2 = c2};
    out->law->fill(out);
    return FIL_OK;
}

bool fil_solid_material_is_linear(const FilSolidMaterial* material)
{
    return material->law->turns;
}

bool fil_solid_material_rotates(const FilSolidMaterial* material)
{
    return material->law->rotates;
}

int fil_solid_material_dilation(const FilSolidMaterial* material)
{
    return material->law->dilation;
}

bool fil_solid_material_lags(const FilSolidMaterial* material)
{
    return material->law->lags;
}

FilSolidStrain fil_solid_strain_rest(void)
{
    FilSolidStrain strain = {.kept = 1.0};
    memcpy(strain.f, IDENTITY, sizeof strain.f);
    memcpy(strain.rotation, IDENTITY, sizeof strain.rotation);
    return strain;
}

/* ---- small strain about a constant rotation: eq. 10 and 11 ---- */

static double turned_evaluate(const FilSolidMaterial* m, const FilSolidStrain* strain, double* p, FilSolidTangent* tangent)
{
    const double* r = m->law->lags ? strain->rotation : IDENTITY;
    double f[9], e[9];
    fil_m3_multiply_left_transposed(f, r, strain->f);
    for (int k = 0; k < 9; k++) {
        e[k] = 0.5 * (f[k] + f[3 * (k % 3) + k / 3]) - IDENTITY[k];
    }
    const double theta = e[0] + e[4] + e[8], k = strain->kept * m->stiffness;
    const double value = m->mu * fil_m3_dot(e, e) + 0.5 * k * theta * theta;
    for (int i = 0; i < 9; i++) {
        e[i] = 2.0 * m->mu * e[i] + (k * theta + strain->pressure) * IDENTITY[i];
    }
    fil_m3_multiply(p, r, e);
    if (tangent != NULL) {
        memcpy(tangent->u, r, sizeof tangent->u);
        memcpy(tangent->v, IDENTITY, sizeof tangent->v);
        for (int i = 0; i < 3; i++) {
            tangent->stretch[i] = k + 2.0 * m->mu;
            tangent->stretch[3 + i] = k;
            tangent->same[i] = tangent->swapped[i] = m->mu;
        }
    }
    return value;
}

/* ---- isotropic laws ---- */

// the law's slopes, its volumetric energy and a nodal pressure
static void evaluate_density(const FilSolidMaterial* m, const FilSolidStrain* strain, const double* invariants, FilSolidDensity* out)
{
    *out = (FilSolidDensity){0};
    const int at = m->law->dilation;
    const double theta = invariants[at] - REST[at], k = strain->kept * m->stiffness;
    for (int a = 0; a < 4; a++) {
        out->value += m->slopes[a] * (invariants[a] - REST[a]);
        out->first[a] = m->slopes[a];
    }
    out->value += 0.5 * k * theta * theta;
    out->first[at] += k * theta + strain->pressure;
    out->second[at] = k;
}

// eq. 2
static void isotropic_stress(const double* f, const double* cofactor, const double* r, const double* invariants, const FilSolidDensity* d, double* p)
{
    const double along = 2.0 * (d->first[1] + d->first[3] * invariants[1]);
    for (int k = 0; k < 9; k++) {
        p[k] = along * f[k] + d->first[2] * cofactor[k];
    }
    if (d->first[0] != 0.0) {
        for (int k = 0; k < 9; k++) {
            p[k] += d->first[0] * r[k];
        }
    }
    if (d->first[3] != 0.0) {
        double metric[9], cubic[9];
        fil_m3_multiply_left_transposed(metric, f, f);
        fil_m3_multiply(cubic, f, metric);
        for (int k = 0; k < 9; k++) {
            p[k] -= 2.0 * d->first[3] * cubic[k];
        }
    }
}

static const int pair_of[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}}; /* i, j and the third index */

// eq. 3: {00, 11, 22, 01, 02, 12}
static void scaling_block(const double* s, const FilSolidDensity* d, double* out)
{
    // at[a] and at[b] of the ten second derivatives
    static const int rows[10] = {0, 1, 2, 3, 0, 0, 0, 1, 1, 2}, columns[10] = {0, 1, 2, 3, 1, 2, 3, 2, 3, 3};
    const double q[3] = {s[0] * s[0], s[1] * s[1], s[2] * s[2]};
    const double slope[4][3] = {{1.0, 1.0, 1.0},
                                {2.0 * s[0], 2.0 * s[1], 2.0 * s[2]},
                                {s[1] * s[2], s[2] * s[0], s[0] * s[1]},
                                {2.0 * s[0] * (q[1] + q[2]), 2.0 * s[1] * (q[2] + q[0]), 2.0 * s[2] * (q[0] + q[1])}};
    for (int i = 0; i < 3; i++) {
        const int* pair = pair_of[i];
        out[i] = 2.0 * d->first[1] + 2.0 * d->first[3] * (q[0] + q[1] + q[2] - q[i]);
        out[3 + i] = d->first[2] * s[pair[2]] + 4.0 * d->first[3] * s[pair[0]] * s[pair[1]];
    }
    for (int k = 0; k < 10; k++) {
        if (d->second[k] == 0.0) {
            continue;
        }
        const double *a = slope[rows[k]], *b = slope[columns[k]];
        const double weight = k < 4 ? 0.5 * d->second[k] : d->second[k];
        for (int i = 0; i < 3; i++) {
            const int* pair = pair_of[i];
            out[i] += 2.0 * weight * a[i] * b[i];
            out[3 + i] += weight * (a[pair[0]] * b[pair[1]] + a[pair[1]] * b[pair[0]]);
        }
    }
}

void fil_solid_stretch_make_definite(double* a)
{
    // nothing to do where all leading minors are positive
    const double minor = a[0] * a[1] - a[3] * a[3];
    const double det = a[2] * minor - a[5] * (a[0] * a[5] - a[3] * a[4]) + a[4] * (a[3] * a[5] - a[1] * a[4]);
    if (a[0] > 0.0 && minor > 0.0 && det > 0.0) {
        return;
    }
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    double values[3], q[9];
    fil_eigen3(a, values, q);
    for (int k = 0; k < 6; k++) {
        a[k] = 0.0;
        for (int e = 0; e < 3; e++) {
            a[k] += fmax(values[e], 0.0) * q[3 * rows[k] + e] * q[3 * columns[k] + e];
        }
    }
}

// eq. 3 to 5
void fil_solid_isotropic_tangent(const double* s, const FilSolidDensity* d, bool definite, FilSolidTangent* out)
{
    scaling_block(s, d, out->stretch);
    if (definite) {
        fil_solid_stretch_make_definite(out->stretch);
    }
    // where a sum of singular values vanishes R has no derivative: it stays finite, and large
    const double min = 1e-14 * (s[0] + 1e-300);
    for (int e = 0; e < 3; e++) {
        const double si = s[pair_of[e][0]], sj = s[pair_of[e][1]], sk = s[pair_of[e][2]];
        const double even = 2.0 * d->first[1] + 2.0 * d->first[3] * sk * sk;
        const double odd = d->first[2] * sk + 2.0 * d->first[3] * si * sj;
        double flip = even - odd, twist = even + odd;
        if (d->first[0] != 0.0) {
            twist += 2.0 * d->first[0] / fmax(si + sj, min);
        }
        if (definite) {
            flip = fmax(flip, 0.0);
            twist = fmax(twist, 0.0);
        }
        out->same[e] = 0.5 * (flip + twist);
        out->swapped[e] = 0.5 * (flip - twist);
    }
}

static double isotropic_evaluate(const FilSolidMaterial* m, const FilSolidStrain* strain, bool definite, double* p, FilSolidTangent* tangent)
{
    const double* f = strain->f;
    double cofactor[9], r[9] = {0.0}, s[3], invariants[4];
    FilSolidDensity d;
    fil_m3_cofactor(cofactor, f);
    invariants[0] = 0.0;
    if (tangent != NULL) {
        fil_svd3(f, tangent->u, s, tangent->v);
        fil_m3_multiply_right_transposed(r, tangent->u, tangent->v);
        invariants[0] = s[0] + s[1] + s[2];
    } else if (m->law->rotates) {
        fil_polar3(f, r);
        invariants[0] = fil_m3_dot(r, f);
    }
    invariants[1] = fil_m3_dot(f, f);
    invariants[2] = f[0] * cofactor[0] + f[1] * cofactor[1] + f[2] * cofactor[2];
    invariants[3] = fil_m3_dot(cofactor, cofactor);
    evaluate_density(m, strain, invariants, &d);
    isotropic_stress(f, cofactor, r, invariants, &d, p);
    if (tangent != NULL) {
        fil_solid_isotropic_tangent(s, &d, definite, tangent);
    }
    return d.value;
}

/* ---- for all ---- */

double fil_solid_law_evaluate(const FilSolidMaterial* material, const FilSolidStrain* strain, bool definite, double* p, FilSolidTangent* tangent)
{
    return material->law->turns ? turned_evaluate(material, strain, p, tangent) : isotropic_evaluate(material, strain, definite, p, tangent);
}

double fil_solid_law_dilation(const FilSolidMaterial* material, const FilSolidStrain* strain, double* gradient)
{
    const FilSolidLaw* law = material->law;
    double g[9];
    double value;
    if (law->dilation == 2) {
        fil_m3_cofactor(g, strain->f);
        value = strain->f[0] * g[0] + strain->f[1] * g[1] + strain->f[2] * g[2];
    } else {
        if (law->turns) {
            memcpy(g, law->lags ? strain->rotation : IDENTITY, sizeof g);
        } else {
            fil_polar3(strain->f, g);
        }
        value = fil_m3_dot(g, strain->f);
    }
    if (gradient != NULL) {
        memcpy(gradient, g, sizeof g);
    }
    return value - REST[law->dilation];
}

void fil_solid_tangent_apply(const FilSolidTangent* t, const double* df, double* dp)
{
    double half[9], g[9], q[9];
    fil_m3_multiply_left_transposed(half, t->u, df);
    fil_m3_multiply(g, half, t->v);
    for (int e = 0; e < 3; e++) {
        const int i = pair_of[e][0], j = pair_of[e][1];
        q[3 * i + j] = t->same[e] * g[3 * i + j] + t->swapped[e] * g[3 * j + i];
        q[3 * j + i] = t->same[e] * g[3 * j + i] + t->swapped[e] * g[3 * i + j];
    }
    q[0] = t->stretch[0] * g[0] + t->stretch[3] * g[4] + t->stretch[4] * g[8];
    q[4] = t->stretch[3] * g[0] + t->stretch[1] * g[4] + t->stretch[5] * g[8];
    q[8] = t->stretch[4] * g[0] + t->stretch[5] * g[4] + t->stretch[2] * g[8];
    fil_m3_multiply(half, t->u, q);
    fil_m3_multiply_right_transposed(dp, half, t->v);
}
