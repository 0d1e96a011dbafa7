/* Elastic laws at a point against closed forms: uniaxial stress, pure and simple shear. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "body/solid_law.h"

/* the stretch b across a loaded direction of stretch l, both others free (or one held at `held`), by Newton's method on
 * P_bb = 0; returns P_ll */
static double free_sides(const FilSolidMaterial* m, double l, bool held, double* b)
{
    double p[9] = {0.0};
    *b = held ? 1.0 / l : 1.0 / sqrt(l);
    for (int k = 0; k < 50; k++) {
        FilSolidStrain strain = fil_solid_strain_rest();
        FilSolidTangent tangent;
        strain.f[0] = l;
        strain.f[4] = *b;
        strain.f[8] = held ? 1.0 : *b;
        fil_solid_law_evaluate(m, &strain, false, p, &tangent);
        double unit[9] = {0.0}, row[9];
        unit[4] = 1.0;
        unit[8] = held ? 0.0 : 1.0;
        fil_solid_tangent_apply(&tangent, unit, row);
        *b -= p[4] / row[4];
    }
    return p[0];
}

/* E eps and -nu eps for small strains, every law; nu = 0 too */
static void test_uniaxial_small_strain(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        const double nu = which == 0 ? 0.0 : 0.3, eps = 1e-7;
        for (FilSolidModel model = 0; model < FIL_SOLID_MOONEY_RIVLIN; model++) {
            FilSolidMaterial m;
            double b;
            assert_int_equal(fil_solid_material_make(model, 3.0, nu, &m, NULL), FIL_OK);
            const double stress = free_sides(&m, 1.0 + eps, false, &b);
            // the next term is O(eps^2) = 1e-14 of a modulus; rounding of 1 + eps 1e-16
            assert_true(fabs(stress - 3.0 * eps) < 2e-13);
            assert_true(fabs(b - 1.0 + nu * eps) < 2e-13);
        }
    }
}

/* linear and lagged laws: exact at any strain */
static void test_uniaxial_linear(void** state)
{
    (void)state;
    FilSolidMaterial m;
    double b;
    assert_int_equal(fil_solid_material_make(FIL_SOLID_COROTATED_LAGGED, 3.0, 0.3, &m, NULL), FIL_OK);
    assert_true(fabs(free_sides(&m, 1.4, false, &b) - 1.2) < 1e-14);
    assert_true(fabs(b - 0.88) < 1e-14);
}

/* P3's rubber: incompressible closed forms, as near as a finite bulk modulus lets them be */
static void test_mooney_rivlin_closed_forms(void** state)
{
    (void)state;
    const double c1 = 0.293, c2 = 0.177;
    FilSolidMaterial m;
    assert_int_equal(fil_solid_material_mooney_rivlin(c1, c2, 1410.0, &m, NULL), FIL_OK);
    static const double stretches[3] = {0.5, 2.0, 3.0}, uniaxial[3] = {-4.529, 1.335, 2.034};
    double b;
    for (int k = 0; k < 3; k++) {
        const double l = stretches[k], formula = 2.0 * (l - 1.0 / (l * l)) * (c1 + c2 / l);
        const double stress = free_sides(&m, l, false, &b);
        assert_true(fabs(stress / formula - 1.0) < (k == 0 ? 6e-3 : 1e-3));  // pressures of 5 MPa against K: 0.3 %
        assert_true(fabs(formula - uniaxial[k]) < 5e-4);
        const double shear = 2.0 * (l - 1.0 / (l * l * l)) * (c1 + c2);
        assert_true(fabs(free_sides(&m, l, true, &b) / shear - 1.0) < (k == 0 ? 6e-3 : 1e-3));
    }
    // simple shear keeps the volume: exact
    for (double gamma = 0.1; gamma < 2.0; gamma += 0.3) {
        FilSolidStrain strain = fil_solid_strain_rest();
        double p[9];
        strain.f[1] = gamma;
        fil_solid_law_evaluate(&m, &strain, false, p, NULL);
        // Cauchy stress P F' at J = 1
        assert_true(fabs(p[0] * strain.f[3] + p[1] * strain.f[4] - 2.0 * (c1 + c2) * gamma) < 1e-12);
    }
}

/* an independent solution of the compressible problem: the same uniaxial stress from Psi(l, b, b), derived by hand */
static void test_mooney_rivlin_compressible(void** state)
{
    (void)state;
    const double c1 = 0.293, c2 = 0.177, bulk = 20.0, k = bulk + 2.0 / 3.0 * c1 - 4.0 / 3.0 * c2;
    const double a = 1.0 + (2.0 * c1 + 4.0 * c2) / k;
    FilSolidMaterial m;
    assert_int_equal(fil_solid_material_mooney_rivlin(c1, c2, bulk, &m, NULL), FIL_OK);
    for (double l = 0.5; l <= 3.0; l += 0.5) {
        // 2 c1 b + 2 c2 b (l^2 + b^2) + k (l b^2 - a) l b = 0, over 2 b, is quadratic in b^2 without its odd part:
        // (c2 + k l^2/2) b^2 = k a l/2 - c1 - c2 l^2
        const double side2 = (0.5 * k * a * l - c1 - c2 * l * l) / (c2 + 0.5 * k * l * l);
        const double expected = 2.0 * c1 * l + 4.0 * c2 * l * side2 + k * (l * side2 - a) * side2;
        double b;
        const double stress = free_sides(&m, l, false, &b);
        assert_true(fabs(b - sqrt(side2)) < 1e-12);
        assert_true(fabs(stress - expected) < 1e-10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniaxial_small_strain),
        cmocka_unit_test(test_uniaxial_linear),
        cmocka_unit_test(test_mooney_rivlin_closed_forms),
        cmocka_unit_test(test_mooney_rivlin_compressible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
