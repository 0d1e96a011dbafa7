/* Elastic laws: stress and tangent against complex steps of the energies as published, definiteness, rest state. */
#include "body/solid_law.h"

#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_matrix.h"
#include "solid_material.h"

typedef double complex Complex;

/* complex steps have no difference to cancel: what is left is rounding of sums of terms up to 1e2 moduli */
static const double STEP = 1e-30, NEAR = 1e-12;

enum { KINDS_OF_F = MATRIX_KINDS };

/* ---- the laws of the literature, in complex numbers ---- */

static void complex_cofactor(const Complex* f, Complex* out)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            out[3 * i + j] = f[3 * a + c] * f[3 * b + d] - f[3 * a + d] * f[3 * b + c];
        }
    }
}

static Complex complex_dot(const Complex* a, const Complex* b)
{
    Complex sum = 0.0;
    for (int k = 0; k < 9; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* I1 = tr S: root of (I1^2 - I2)^2/4 = I4 + 2 I3 I1 next to the real one, so that R = dI1/dF */
static Complex complex_trace(const Complex* f, Complex* rotation)
{
    double real[9], u[9], s[3], v[9];
    Complex cofactor[9], metric[9], cubic[9];
    for (int k = 0; k < 9; k++) {
        real[k] = creal(f[k]);
    }
    fil_svd3(real, u, s, v);
    complex_cofactor(f, cofactor);
    const Complex i2 = complex_dot(f, f), i4 = complex_dot(cofactor, cofactor);
    const Complex i3 = f[0] * cofactor[0] + f[1] * cofactor[1] + f[2] * cofactor[2];
    Complex x = s[0] + s[1] + s[2];
    for (int k = 0; k < 4; k++) {
        const Complex m = x * x - i2;
        x -= (0.25 * m * m - i4 - 2.0 * i3 * x) / (x * m - 2.0 * i3);
    }
    const Complex m = x * x - i2, over = 1.0 / (x * m - 2.0 * i3);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            metric[3 * i + j] = f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int k = 3 * i + j;
            cubic[k] = f[3 * i] * metric[j] + f[3 * i + 1] * metric[3 + j] + f[3 * i + 2] * metric[6 + j];
            rotation[k] = over * ((m + 2.0 * i2) * f[k] - 2.0 * cubic[k] + 2.0 * x * cofactor[k]);
        }
    }
    return x;
}

/* Psi as published (P3 eq. 7 for the lagged law), from the Lame constants (and c1, c2) alone; its zero at rest */
static Complex reference_energy(FilSolidModel model, const FilSolidMaterial* m, const double* r0, const Complex* f)
{
    Complex cofactor[9], r[9], e[9];
    complex_cofactor(f, cofactor);
    const Complex i2 = complex_dot(f, f), i4 = complex_dot(cofactor, cofactor);
    const Complex j = f[0] * cofactor[0] + f[1] * cofactor[1] + f[2] * cofactor[2];
    switch (model) {
        case FIL_SOLID_LINEAR:
        case FIL_SOLID_COROTATED_LAGGED:
            for (int i = 0; i < 3; i++) {
                for (int k = 0; k < 3; k++) {
                    Complex a = 0.0;
                    for (int l = 0; l < 3; l++) {
                        a += 0.5 * (r0[3 * l + i] * f[3 * l + k] + r0[3 * l + k] * f[3 * l + i]);
                    }
                    e[3 * i + k] = a - (i == k ? 1.0 : 0.0);
                }
            }
            return m->mu * complex_dot(e, e) + 0.5 * m->lambda * (e[0] + e[4] + e[8]) * (e[0] + e[4] + e[8]);
        case FIL_SOLID_COROTATED_LINEAR: {
            const Complex i1 = complex_trace(f, r);
            return m->mu * (i2 - 2.0 * i1 + 3.0) + 0.5 * m->lambda * (i1 - 3.0) * (i1 - 3.0);
        }
        case FIL_SOLID_COROTATED: {
            const Complex i1 = complex_trace(f, r);
            return m->mu * (i2 - 2.0 * i1 + 3.0) + 0.5 * m->lambda * (j - 1.0) * (j - 1.0);
        }
        case FIL_SOLID_NEO_HOOKEAN: {
            const double k = m->lambda + m->mu;
            return 0.5 * m->mu * (i2 - 3.0) - m->mu * (j - 1.0) + 0.5 * k * (j - 1.0) * (j - 1.0);
        }
        default: {
            const double k = m->lambda + 2.0 * m->c1, a = 1.0 + (2.0 * m->c1 + 4.0 * m->c2) / k;
            return m->c1 * (i2 - 3.0) + m->c2 * (i4 - 3.0) + 0.5 * k * ((j - a) * (j - a) - (1.0 - a) * (1.0 - a));
        }
    }
}

/* P of the same, by the formulas of the table */
static void reference_stress(FilSolidModel model, const FilSolidMaterial* m, const double* r0, const Complex* f, Complex* p)
{
    Complex cofactor[9], r[9], e[9];
    complex_cofactor(f, cofactor);
    const Complex i2 = complex_dot(f, f);
    const Complex j = f[0] * cofactor[0] + f[1] * cofactor[1] + f[2] * cofactor[2];
    const Complex i1 = model == FIL_SOLID_COROTATED || model == FIL_SOLID_COROTATED_LINEAR ? complex_trace(f, r) : 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            e[3 * i + k] = i == k ? -1.0 : 0.0;
            for (int l = 0; l < 3; l++) {
                e[3 * i + k] += 0.5 * (r0[3 * l + i] * f[3 * l + k] + r0[3 * l + k] * f[3 * l + i]);
            }
        }
    }
    const Complex trace = e[0] + e[4] + e[8];
    for (int i = 0; i < 9; i++) {
        const int row = 3 * (i / 3), column = i % 3;
        Complex cubic = 0.0;
        for (int k = 0; k < 9; k++) {
            cubic += f[row + k / 3] * f[3 * (k % 3) + k / 3] * f[3 * (k % 3) + column];
        }
        if (model == FIL_SOLID_LINEAR || model == FIL_SOLID_COROTATED_LAGGED) {
            p[i] = m->lambda * trace * r0[i];
            for (int l = 0; l < 3; l++) {
                p[i] += 2.0 * m->mu * r0[row + l] * e[3 * l + column];
            }
        } else if (model == FIL_SOLID_COROTATED_LINEAR) {
            p[i] = 2.0 * m->mu * (f[i] - r[i]) + m->lambda * (i1 - 3.0) * r[i];
        } else if (model == FIL_SOLID_COROTATED) {
            p[i] = 2.0 * m->mu * (f[i] - r[i]) + m->lambda * (j - 1.0) * cofactor[i];
        } else if (model == FIL_SOLID_NEO_HOOKEAN) {
            const double k = m->lambda + m->mu;
            p[i] = m->mu * f[i] + k * (j - 1.0 - m->mu / k) * cofactor[i];
        } else {
            const double k = m->lambda + 2.0 * m->c1, a = 1.0 + (2.0 * m->c1 + 4.0 * m->c2) / k;
            p[i] = 2.0 * m->c1 * f[i] + 2.0 * m->c2 * (i2 * f[i] - cubic) + k * (j - a) * cofactor[i];
        }
    }
}

/* ---- derivatives ---- */

static void tangent_matrix(const FilSolidTangent* tangent, double* h)
{
    for (int k = 0; k < 9; k++) {
        double unit[9] = {0.0}, column[9];
        unit[k] = 1.0;
        fil_solid_tangent_apply(tangent, unit, column);
        for (int i = 0; i < 9; i++) {
            h[9 * i + k] = column[i];
        }
    }
}

/* a law with a rotation of its own has no derivative where two singular values cancel */
static bool is_smooth(FilSolidModel model, const double* f)
{
    double u[9], s[3], v[9];
    fil_svd3(f, u, s, v);
    return (model != FIL_SOLID_COROTATED && model != FIL_SOLID_COROTATED_LINEAR) || s[1] + s[2] > 0.2;
}

static FilSolidStrain random_strain(Random* random, FilSolidModel model, int kind)
{
    FilSolidStrain strain = fil_solid_strain_rest();
    random_matrix(random, kind, strain.f);
    if (model == FIL_SOLID_COROTATED_LAGGED) {
        random_rotation(random, strain.rotation);
    }
    return strain;
}

static void test_derivatives(void** state)
{
    (void)state;
    Random random = {21};
    int count = 0;
    for (int round = 0; round < 200 * KINDS_OF_F; round++) {
        for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
            const FilSolidMaterial m = material_of(model);
            const FilSolidStrain strain = random_strain(&random, model, round % KINDS_OF_F);
            if (!is_smooth(model, strain.f)) {
                continue;
            }
            double p[9], again[9], h[81], largest = 1.0;
            FilSolidTangent tangent;
            const double energy = fil_solid_law_evaluate(&m, &strain, false, p, &tangent);
            assert_true(fabs(fil_solid_law_evaluate(&m, &strain, false, again, NULL) - energy) <= 1e-13 * (1.0 + energy));
            tangent_matrix(&tangent, h);
            for (int k = 0; k < 81; k++) {
                largest = fmax(largest, fabs(h[k]));
            }
            for (int k = 0; k < 9; k++) {
                Complex f[9], stress[9];
                for (int i = 0; i < 9; i++) {
                    f[i] = strain.f[i];
                }
                f[k] += STEP * I;
                const Complex value = reference_energy(model, &m, strain.rotation, f);
                reference_stress(model, &m, strain.rotation, f, stress);
                assert_true(fabs(creal(value) - energy) < NEAR * largest);
                assert_true(fabs(cimag(value) / STEP - p[k]) < NEAR * largest);
                assert_true(fabs(p[k] - again[k]) < NEAR * largest);
                for (int i = 0; i < 9; i++) {
                    assert_true(fabs(cimag(stress[i]) / STEP - h[9 * i + k]) < NEAR * largest);
                    assert_true(fabs(h[9 * i + k] - h[9 * k + i]) < 1e-14 * largest);
                }
            }
            count++;
        }
    }
    assert_true(count > 5000);  // smooth ones are the rule
}

/* the routine for any isotropic law: a random quadratic function of all four invariants, gradients by complex steps of
 * its energy, the Hessian by complex steps of that gradient */
static void test_any_isotropic_law(void** state)
{
    (void)state;
    static const int rows[10] = {0, 1, 2, 3, 0, 0, 0, 1, 1, 2}, columns[10] = {0, 1, 2, 3, 1, 2, 3, 2, 3, 3};
    Random random = {26};
    for (int round = 0; round < 200; round++) {
        double f[9], slopes[4], curves[10], h[81], size = 1.0, s[3];
        FilSolidDensity density = {0};
        FilSolidTangent tangent;
        random_matrix(&random, round % 2 == 0 ? MATRIX_MILD : MATRIX_EQUAL, f);
        for (int k = 0; k < 10; k++) {
            curves[k] = random_between(&random, -1.0, 1.0);
            slopes[k % 4] = random_between(&random, -1.0, 1.0);
        }
        for (int k = -1; k < 9; k++) {
            // invariants and their gradients at a point, complex but for k = -1
            Complex x[9], cofactor[9], gradients[4][9], invariants[4], first[4], p[9];
            for (int i = 0; i < 9; i++) {
                x[i] = f[i] + (i == k ? STEP * I : 0.0);
            }
            complex_cofactor(x, cofactor);
            invariants[0] = complex_trace(x, gradients[0]);
            invariants[1] = complex_dot(x, x);
            invariants[2] = x[0] * cofactor[0] + x[1] * cofactor[1] + x[2] * cofactor[2];
            invariants[3] = complex_dot(cofactor, cofactor);
            for (int i = 0; i < 9; i++) {
                Complex cubic = 0.0;
                for (int j = 0; j < 9; j++) {
                    cubic += x[3 * (i / 3) + j / 3] * x[3 * (j % 3) + j / 3] * x[3 * (j % 3) + i % 3];
                }
                gradients[1][i] = 2.0 * x[i];
                gradients[2][i] = cofactor[i];
                gradients[3][i] = 2.0 * (invariants[1] * x[i] - cubic);
            }
            for (int a = 0; a < 4; a++) {
                first[a] = slopes[a];
            }
            for (int q = 0; q < 10; q++) {
                first[rows[q]] += curves[q] * invariants[columns[q]];
                first[columns[q]] += q < 4 ? 0.0 : curves[q] * invariants[rows[q]];
            }
            if (k < 0) {
                for (int a = 0; a < 4; a++) {
                    density.first[a] = creal(first[a]);
                }
                memcpy(density.second, curves, sizeof curves);
                fil_svd3(f, tangent.u, s, tangent.v);
                fil_solid_isotropic_tangent(s, &density, false, &tangent);
                tangent_matrix(&tangent, h);
                for (int i = 0; i < 81; i++) {
                    size = fmax(size, fabs(h[i]));
                }
                continue;
            }
            for (int i = 0; i < 9; i++) {
                p[i] = first[0] * gradients[0][i] + first[1] * gradients[1][i] + first[2] * gradients[2][i] + first[3] * gradients[3][i];
                assert_true(fabs(cimag(p[i]) / STEP - h[9 * i + k]) < NEAR * size);
            }
        }
    }
}

/* the part of a nodal pressure: P + pressure dtheta/dF, and less of the volumetric energy */
static void test_pressure_and_share(void** state)
{
    (void)state;
    Random random = {22};
    for (int round = 0; round < 600; round++) {
        const FilSolidModel model = (FilSolidModel)(round % FIL_SOLID_MODEL_COUNT);
        const FilSolidMaterial m = material_of(model);
        FilSolidStrain strain = random_strain(&random, model, MATRIX_MILD);
        double whole[9], part[9], slope[9], p[9];
        FilSolidTangent tangent;
        const double full = fil_solid_law_evaluate(&m, &strain, false, whole, NULL);
        const double theta = fil_solid_law_dilation(&m, &strain, slope);
        strain.kept = 0.2;
        // what the element loses, its vertices would have as pressure
        strain.pressure = 0.8 * m.stiffness * theta;
        const double rest = fil_solid_law_evaluate(&m, &strain, false, part, &tangent);
        assert_true(fabs(full - rest - 0.4 * m.stiffness * theta * theta) < 1e-13);
        // the tangent with a constant pressure: differences of the stress
        for (int k = 0; k < 9; k++) {
            assert_true(fabs(whole[k] - part[k]) < 1e-13);
        }
        double h[81];
        tangent_matrix(&tangent, h);
        for (int k = 0; k < 9; k++) {
            double row[9] = {0.0}, rise = 0.0;
            static const double weights[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
            for (int s = 0; s < 4; s++) {
                FilSolidStrain moved = strain;
                moved.f[k] += 1e-3 * (s < 2 ? s - 2 : s - 1);
                fil_solid_law_evaluate(&m, &moved, false, p, NULL);
                rise += weights[s] * fil_solid_law_dilation(&m, &moved, NULL) / 1e-3;
                for (int i = 0; i < 9; i++) {
                    row[i] += weights[s] * p[i] / 1e-3;
                }
            }
            assert_true(fabs(rise - slope[k]) < 1e-9);  // fourth order: 1e-12 times fifth derivatives, and rounding
            for (int i = 0; i < 9; i++) {
                assert_true(fabs(row[i] - h[9 * i + k]) < 1e-8);
            }
        }
    }
}

/* ---- definiteness ---- */

/* smallest eigenvalue of a symmetric matrix, by Jacobi rotations */
static double smallest_eigenvalue(double* a, int n)
{
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                if (a[n * p + q] == 0.0) {
                    continue;
                }
                const double zeta = (a[n * q + q] - a[n * p + p]) / (2.0 * a[n * p + q]);
                const double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta)), c = 1.0 / sqrt(1.0 + t * t);
                for (int k = 0; k < n; k++) {
                    const double x = a[n * k + p], y = a[n * k + q];
                    a[n * k + p] = c * x - c * t * y;
                    a[n * k + q] = c * t * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    const double x = a[n * p + k], y = a[n * q + k];
                    a[n * p + k] = c * x - c * t * y;
                    a[n * q + k] = c * t * x + c * y;
                }
            }
        }
    }
    double min = a[0];
    for (int k = 1; k < n; k++) {
        min = fmin(min, a[n * k + k]);
    }
    return min;
}

/* no negative eigenvalue whatever F; where the exact tangent has none it is kept, else it loses just the negative part:
 * the difference has no negative eigenvalue either, and the two do not overlap */
static void test_definite_tangents(void** state)
{
    (void)state;
    Random random = {23};
    int mended = 0;
    for (int round = 0; round < 150 * KINDS_OF_F; round++) {
        for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
            const FilSolidMaterial m = material_of(model);
            const FilSolidStrain strain = random_strain(&random, model, round % KINDS_OF_F);
            double p[9], exact[81], h[81], gap[81], size = 0.0, change = 0.0, product = 0.0;
            FilSolidTangent tangent;
            fil_solid_law_evaluate(&m, &strain, false, p, &tangent);
            tangent_matrix(&tangent, exact);
            fil_solid_law_evaluate(&m, &strain, true, p, &tangent);
            tangent_matrix(&tangent, h);
            for (int k = 0; k < 81; k++) {
                assert_true(isfinite(h[k]) && isfinite(exact[k]));
                gap[k] = h[k] - exact[k];
                size = fmax(size, fmax(fabs(h[k]), fabs(exact[k])));
                change = fmax(change, fabs(gap[k]));
            }
            for (int i = 0; i < 9; i++) {
                for (int k = 0; k < 9; k++) {
                    double entry = 0.0;
                    for (int j = 0; j < 9; j++) {
                        entry += h[9 * i + j] * gap[9 * j + k];
                    }
                    product = fmax(product, fabs(entry));
                }
            }
            assert_true(product < 1e-13 * size * size);
            mended += change > 1e-10 * size ? 1 : 0;
            assert_true(smallest_eigenvalue(h, 9) > -1e-14 * size);
            assert_true(smallest_eigenvalue(gap, 9) > -1e-14 * size);
        }
    }
    assert_true(mended > 1000);
}

/* ---- rest state and invariance ---- */

static void test_rest_state(void** state)
{
    (void)state;
    for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
        const FilSolidMaterial m = material_of(model);
        const FilSolidStrain strain = fil_solid_strain_rest();
        double p[9], h[81];
        FilSolidTangent tangent;
        assert_true(fabs(fil_solid_law_evaluate(&m, &strain, false, p, &tangent)) < 1e-15);
        tangent_matrix(&tangent, h);
        for (int i = 0; i < 9; i++) {
            assert_true(fabs(p[i]) < 1e-15);
            for (int k = 0; k < 9; k++) {
                // mu (delta_ik delta_jl + delta_il delta_jk) + lambda delta_ij delta_kl
                const double expected =
                    m.mu * ((i == k ? 1.0 : 0.0) + (i / 3 == k % 3 && i % 3 == k / 3 ? 1.0 : 0.0)) + (i % 4 == 0 && k % 4 == 0 ? m.lambda : 0.0);
                assert_true(fabs(h[9 * i + k] - expected) < 2e-15 * (m.mu + m.lambda + m.stiffness));
            }
        }
    }
    FilSolidMaterial m = material_of(FIL_SOLID_NEO_HOOKEAN);
    assert_true(fabs(m.mu - 2.0 / 2.7) < 1e-15 && fabs(m.lambda - 0.7 / (1.35 * 0.3)) < 1e-15);
    // P3's rubber: mu 0.94 MPa, nu 0.499667
    assert_int_equal(fil_solid_material_mooney_rivlin(0.293, 0.177, 1410.0, &m, NULL), FIL_OK);
    assert_true(fabs(m.mu - 0.94) < 1e-15);
    assert_true(fabs(0.5 * m.lambda / (m.lambda + m.mu) - 0.499667) < 1e-6);
    assert_true(fabs(m.lambda + 2.0 / 3.0 * m.mu - 1410.0) < 1e-12);
}

/* Psi(Q F) = Psi(F) and P(Q F) = Q P(F), and isotropy Psi(F Q) = Psi(F), for all but the laws of a constant rotation;
 * the lagged one if its rotation turns as well */
static void test_rotations_change_nothing(void** state)
{
    (void)state;
    Random random = {24};
    for (int round = 0; round < 100 * KINDS_OF_F; round++) {
        for (FilSolidModel model = FIL_SOLID_COROTATED_LAGGED; model < FIL_SOLID_MODEL_COUNT; model++) {
            const FilSolidMaterial m = material_of(model);
            const FilSolidStrain strain = random_strain(&random, model, round % KINDS_OF_F);
            FilSolidStrain turned = strain, other = strain;
            double q[9], p[9], expected[9], p_turned[9];
            random_rotation(&random, q);
            fil_m3_multiply(turned.f, q, strain.f);
            fil_m3_multiply(turned.rotation, q, strain.rotation);
            const double energy = fil_solid_law_evaluate(&m, &strain, false, p, NULL);
            const double again = fil_solid_law_evaluate(&m, &turned, false, p_turned, NULL);
            assert_true(fabs(energy - again) < NEAR * (1.0 + energy));
            fil_m3_multiply(expected, q, p);
            for (int k = 0; k < 9 && is_smooth(model, strain.f); k++) {
                assert_true(fabs(expected[k] - p_turned[k]) < 1e-11 * (1.0 + energy));
            }
            if (model != FIL_SOLID_COROTATED_LAGGED) {
                fil_m3_multiply(other.f, strain.f, q);
                assert_true(fabs(fil_solid_law_evaluate(&m, &other, false, p, NULL) - energy) < NEAR * (1.0 + energy));
            }
        }
    }
}

/* the lagged law with the present rotation is the corotated linear one, stress by stress */
static void test_lagged_law_with_present_rotation(void** state)
{
    (void)state;
    Random random = {25};
    const FilSolidMaterial lagged = material_of(FIL_SOLID_COROTATED_LAGGED);
    const FilSolidMaterial iterated = material_of(FIL_SOLID_COROTATED_LINEAR);
    for (int round = 0; round < 300; round++) {
        FilSolidStrain strain = random_strain(&random, FIL_SOLID_COROTATED_LINEAR, MATRIX_MILD);
        double p[9], q[9];
        fil_polar3(strain.f, strain.rotation);
        const double a = fil_solid_law_evaluate(&lagged, &strain, false, p, NULL);
        const double b = fil_solid_law_evaluate(&iterated, &strain, false, q, NULL);
        assert_true(fabs(a - b) < 1e-14);
        for (int k = 0; k < 9; k++) {
            assert_true(fabs(p[k] - q[k]) < 1e-14);
        }
    }
    assert_true(fil_solid_material_is_linear(&lagged) && fil_solid_material_lags(&lagged));
    assert_false(fil_solid_material_is_linear(&iterated) || fil_solid_material_lags(&iterated));
}

/* ---- bad input ---- */

static void assert_refused(FilSolidModel model, double young, double poisson, const char* what)
{
    FilSolidMaterial m;
    FilError error = {""};
    assert_int_equal(fil_solid_material_make(model, young, poisson, &m, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, what));
}

static void test_bad_materials(void** state)
{
    (void)state;
    FilSolidMaterial m;
    FilError error = {""};
    assert_refused(FIL_SOLID_COROTATED, 0.0, 0.3, "Young's modulus 0 Pa");
    assert_refused(FIL_SOLID_COROTATED, NAN, 0.3, "Young's modulus nan Pa");
    assert_refused(FIL_SOLID_COROTATED, 1e6, 0.5, "0.5 is incompressible");
    assert_refused(FIL_SOLID_COROTATED, 1e6, -1.0, "Poisson's ratio -1 must be above -1");
    assert_refused(FIL_SOLID_COROTATED, 1e6, NAN, "Poisson's ratio nan");
    assert_refused(FIL_SOLID_MOONEY_RIVLIN, 1e6, 0.3, "a mooney_rivlin material takes c1, c2 and bulk");
    assert_int_equal(fil_solid_material_mooney_rivlin(1.0, -1.0, 1.0, &m, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "c1 = 1 Pa and c2 = -1 Pa"));
    assert_int_equal(fil_solid_material_mooney_rivlin(1.0, 0.0, INFINITY, &m, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "bulk modulus inf"));
    for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
        assert_int_equal(fil_solid_model_find(fil_solid_model_name(model)), model);
    }
    assert_int_equal(fil_solid_model_find("jelly"), FIL_SOLID_MODEL_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_any_isotropic_law),
        cmocka_unit_test(test_pressure_and_share),
        cmocka_unit_test(test_definite_tangents),
        cmocka_unit_test(test_rest_state),
        cmocka_unit_test(test_rotations_change_nothing),
        cmocka_unit_test(test_lagged_law_with_present_rotation),
        cmocka_unit_test(test_bad_materials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
