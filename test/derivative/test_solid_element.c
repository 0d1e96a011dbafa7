/* Linear tetrahedra: gradients and Hessians of elements, mass, damping, plane strain, the patch test, nodal pressure.
 */
#include "body/solid_element.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "body/solid_nodal.h"
#include "random_matrix.h"
#include "solid_material.h"

static const double* corners_of(const double* x, const double** corners)
{
    for (int k = 0; k < 4; k++) {
        corners[k] = x + 3 * k;
    }
    return x;
}

/* a tetrahedron with edges about 1, volume above 0.05 */
static void random_rest(Random* random, double* rest, FilSolidElement* element)
{
    const double* corners[4];
    do {
        for (int k = 0; k < 12; k++) {
            rest[k] = random_between(random, -1.0, 1.0);
        }
        corners_of(rest, corners);
    } while (!fil_solid_element_make(corners, element) || element->volume < 0.05);
}

static void map_points(const double* f, const double* shift, const double* rest, int count, double* x)
{
    for (int i = 0; i < count; i++) {
        fil_m3_apply(x + 3 * i, f, rest + 3 * i);
        fil_v3_add(x + 3 * i, x + 3 * i, shift);
    }
}

/* energy and, unless NULL, gradient and Hessian of an element at x */
static double element_energy(const FilSolidElement* element, const FilSolidMaterial* m, const double* r0, const double* x, double* gradient,
                             double* hessian)
{
    FilSolidStrain strain = fil_solid_strain_rest();
    FilSolidTangent tangent;
    const double* corners[4];
    double p[9];
    corners_of(x, corners);
    memcpy(strain.rotation, r0, sizeof strain.rotation);
    fil_solid_element_deformation(element, corners, strain.f);
    const double density = fil_solid_law_evaluate(m, &strain, false, p, hessian != NULL ? &tangent : NULL);
    if (gradient != NULL) {
        memset(gradient, 0, 12 * sizeof *gradient);
        fil_solid_element_add_gradient(element, 1.0, p, gradient);
    }
    if (hessian != NULL) {
        fil_solid_element_hessian(element, 1.0, &tangent, hessian);
    }
    return element->volume * density;
}

static void test_deformation_gradient(void** state)
{
    (void)state;
    Random random = {31};
    for (int round = 0; round < 200; round++) {
        double rest[12], x[12], f[9], measured[9], shift[3] = {3.0, -2.0, 1.0};
        const double* corners[4];
        FilSolidElement element;
        random_rest(&random, rest, &element);
        random_matrix(&random, round % MATRIX_KINDS, f);
        map_points(f, shift, rest, 4, x);
        corners_of(x, corners);
        fil_solid_element_deformation(&element, corners, measured);
        for (int k = 0; k < 9; k++) {
            assert_true(fabs(measured[k] - f[k]) < 1e-13);  // positions of 5 over edges of 0.3
        }
    }
}

/* fourth-order differences: truncation 1e-12 times fifth derivatives that reach 1e3 in thin elements, rounding 1e-13 */
static void test_derivatives(void** state)
{
    (void)state;
    static const double weights[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
    const double step = 1e-3;
    Random random = {32};
    for (int round = 0; round < 120; round++) {
        const FilSolidModel model = (FilSolidModel)(round % FIL_SOLID_MODEL_COUNT);
        const FilSolidMaterial m = material_of(model);
        double rest[12], x[12], f[9], r0[9], gradient[12], hessian[144], side[12], zero[3] = {0.0};
        FilSolidElement element;
        random_rest(&random, rest, &element);
        random_matrix(&random, MATRIX_MILD, f);
        random_rotation(&random, r0);
        map_points(f, zero, rest, 4, x);
        element_energy(&element, &m, r0, x, gradient, hessian);
        double size = 1.0;
        for (int k = 0; k < 144; k++) {
            size = fmax(size, fabs(hessian[k]));
        }
        for (int k = 0; k < 12; k++) {
            double slope = 0.0, row[12] = {0.0};
            for (int s = 0; s < 4; s++) {
                const double keep = x[k];
                x[k] += step * (s < 2 ? s - 2 : s - 1);
                slope += weights[s] * element_energy(&element, &m, r0, x, side, NULL) / step;
                for (int j = 0; j < 12; j++) {
                    row[j] += weights[s] * side[j] / step;
                }
                x[k] = keep;
            }
            assert_true(fabs(slope - gradient[k]) < 1e-8 * size);
            for (int j = 0; j < 12; j++) {
                assert_true(fabs(row[j] - hessian[12 * k + j]) < 1e-8 * size);
                assert_true(hessian[12 * k + j] == hessian[12 * j + k]);  // to the bit
            }
        }
    }
}

/* forces and rows of the Hessian add up to nothing; a law without memory exerts no torque either */
static void test_momentum(void** state)
{
    (void)state;
    Random random = {33};
    for (int round = 0; round < 300; round++) {
        const FilSolidModel model = (FilSolidModel)(round % FIL_SOLID_MODEL_COUNT);
        const FilSolidMaterial m = material_of(model);
        double rest[12], x[12], f[9], r0[9], gradient[12], hessian[144], zero[3] = {0.0}, torque[3] = {0.0}, moment[3];
        FilSolidElement element;
        random_rest(&random, rest, &element);
        random_matrix(&random, round % 2 == 0 ? MATRIX_LARGE : MATRIX_INVERTED, f);
        map_points(f, zero, rest, 4, x);
        fil_polar3(f, r0);
        element_energy(&element, &m, r0, x, gradient, hessian);
        double size = 1.0;
        for (int k = 0; k < 144; k++) {
            size = fmax(size, fabs(hessian[k]));
        }
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(gradient[k] + gradient[3 + k] + gradient[6 + k] + gradient[9 + k]) < 1e-14 * size);
            for (int j = 0; j < 12; j++) {
                const double* row = hessian + 12 * j;
                assert_true(fabs(row[k] + row[3 + k] + row[6 + k] + row[9 + k]) < 1e-14 * size);
            }
        }
        for (int i = 0; i < 4; i++) {
            fil_v3_cross(moment, x + 3 * i, gradient + 3 * i);
            fil_v3_add(torque, torque, moment);
        }
        if (model != FIL_SOLID_LINEAR) {
            assert_true(fil_v3_norm(torque) < 1e-12 * size);
        }
    }
}

/* a rigid motion from rest: no force, but for the linear law; the lagged one about the rotation of the motion */
static void test_rigid_motion(void** state)
{
    (void)state;
    Random random = {34};
    for (int round = 0; round < 100; round++) {
        double rest[12], x[12], r[9], gradient[12];
        const double shift[3] = {1.0, -4.0, 2.0};
        FilSolidElement element;
        random_rest(&random, rest, &element);
        random_rotation(&random, r);
        map_points(r, shift, rest, 4, x);
        for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
            const FilSolidMaterial m = material_of(model);
            double worst = 0.0;
            element_energy(&element, &m, r, x, gradient, NULL);
            for (int k = 0; k < 12; k++) {
                worst = fmax(worst, fabs(gradient[k]));
            }
            assert_true(model == FIL_SOLID_LINEAR || worst < 1e-12);
            assert_true(model != FIL_SOLID_LINEAR || worst > 1e-3);
        }
    }
}

/* P3's limitation: a step that turns by d = omega dt strains the lagged law by 1 - cos d in the plane of rotation, and
 * a body swollen by 1/cos d has no stress */
static void test_lagged_law_swells(void** state)
{
    (void)state;
    const FilSolidMaterial m = material_of(FIL_SOLID_COROTATED_LAGGED);
    Random random = {35};
    double rest[12], x[12], turned[12], gradient[12], w[3] = {0.0, 0.0, 0.1}, zero[3] = {0.0}, r[9];
    const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    FilSolidElement element;
    random_rest(&random, rest, &element);
    fil_m3_from_rotation_vector(r, w);
    map_points(r, zero, rest, 4, turned);
    element_energy(&element, &m, identity, turned, gradient, NULL);
    assert_true(fil_v3_norm(gradient) > 1e-4);
    memcpy(x, turned, sizeof x);
    for (int i = 0; i < 4; i++) {
        x[3 * i] /= cos(0.1);
        x[3 * i + 1] /= cos(0.1);
    }
    element_energy(&element, &m, identity, x, gradient, NULL);
    for (int k = 0; k < 12; k++) {
        assert_true(fabs(gradient[k]) < 1e-14);
    }
}

/* a unit cube: eight corners and one vertex inside, off the middle; twelve elements */
static const double cube[27] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0.55, 0.42, 0.61};
static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static void make_cube(int tets[48], FilSolidElement elements[12])
{
    double volume = 0.0;
    for (int e = 0; e < 12; e++) {
        // faces point outwards, the inner vertex lies behind them
        const int tet[4] = {8, faces[e][0], faces[e][1], faces[e][2]};
        const double* corners[4];
        for (int k = 0; k < 4; k++) {
            tets[4 * e + k] = tet[k];
            corners[k] = cube + 3 * tet[k];
        }
        assert_true(fil_solid_element_make(corners, &elements[e]));
        volume += elements[e].volume;
    }
    assert_true(fabs(volume - 1.0) < 1e-15);
}

/* energy of the cube, its gradient (27), with the given share of volumetric energy at vertices */
static double cube_energy(const FilSolidMaterial* m, double nodal_share, const double* r0, const double* x, double* gradient)
{
    int tets[48];
    FilSolidElement elements[12];
    FilSolidStrain strains[12];
    double theta[12], volumes[9], vertex_pressures[9], pressures[12], energy;
    make_cube(tets, elements);
    FilSolidNodal nodal = {12, 9, tets, elements, volumes, nodal_share * m->stiffness};
    fil_solid_nodal_volumes(&nodal, volumes);
    for (int e = 0; e < 12; e++) {
        const double* corners[4];
        for (int k = 0; k < 4; k++) {
            corners[k] = x + 3 * tets[4 * e + k];
        }
        strains[e] = fil_solid_strain_rest();
        memcpy(strains[e].rotation, r0, sizeof strains[e].rotation);
        fil_solid_element_deformation(&elements[e], corners, strains[e].f);
        theta[e] = fil_solid_law_dilation(m, &strains[e], NULL);
    }
    energy = fil_solid_nodal_pressures(&nodal, theta, vertex_pressures, pressures);
    memset(gradient, 0, 27 * sizeof *gradient);
    for (int e = 0; e < 12; e++) {
        double p[9], part[12] = {0.0};
        strains[e].kept = 1.0 - nodal_share;
        strains[e].pressure = pressures[e];
        energy += elements[e].volume * fil_solid_law_evaluate(m, &strains[e], false, p, NULL);
        fil_solid_element_add_gradient(&elements[e], 1.0, p, part);
        for (int k = 0; k < 12; k++) {
            gradient[3 * tets[4 * e + k / 3] + k % 3] += part[k];
        }
    }
    return energy;
}

/* the patch test: under any homogeneous F the inner vertex is in balance and the energy is that of F, with nodal
 * pressure as well */
static void test_patch(void** state)
{
    (void)state;
    Random random = {36};
    const double zero[3] = {0.0};
    for (int round = 0; round < 240; round++) {
        const FilSolidModel model = (FilSolidModel)(round % FIL_SOLID_MODEL_COUNT);
        const FilSolidMaterial m = material_of(model);
        FilSolidStrain strain = fil_solid_strain_rest();
        double x[27], gradient[27], p[9];
        random_matrix(&random, MATRIX_MILD, strain.f);
        if (round % 4 == 0) {
            const double squeezed[3] = {0.5, 1.1, 1.3};
            random_with_stretches(&random, squeezed, strain.f);
        }
        fil_polar3(strain.f, strain.rotation);
        map_points(strain.f, zero, cube, 9, x);
        const double energy = cube_energy(&m, round % 3 == 0 ? 0.9 : 0.0, strain.rotation, x, gradient);
        assert_true(fabs(energy - fil_solid_law_evaluate(&m, &strain, false, p, NULL)) < 1e-13);
        for (int k = 24; k < 27; k++) {
            assert_true(fabs(gradient[k]) < 1e-12);
        }
        // the forces on the face x = 1 are those of the stress
        for (int k = 0; k < 3; k++) {
            double inner = 0.0, sum = 0.0;
            for (int i = 0; i < 8; i++) {
                sum += gradient[3 * i + k] * cube[3 * i];
                inner += gradient[3 * i + k];
            }
            assert_true(fabs(sum - p[3 * k]) < 1e-12);
            assert_true(fabs(inner) < 1e-12);
        }
    }
}

static void test_nodal_pressure_derivatives(void** state)
{
    (void)state;
    static const double weights[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
    Random random = {37};
    const double step = 1e-3;
    for (int round = 0; round < 24; round++) {
        const FilSolidModel model = (FilSolidModel)(round % FIL_SOLID_MODEL_COUNT);
        const FilSolidMaterial m = material_of(model);
        double x[27], gradient[27], side[27], r0[9];
        random_rotation(&random, r0);
        for (int k = 0; k < 27; k++) {
            x[k] = cube[k] + random_between(&random, -0.1, 0.1);
        }
        cube_energy(&m, 0.9, r0, x, gradient);
        for (int k = 0; k < 27; k++) {
            double slope = 0.0;
            for (int s = 0; s < 4; s++) {
                const double keep = x[k];
                x[k] += step * (s < 2 ? s - 2 : s - 1);
                slope += weights[s] * cube_energy(&m, 0.9, r0, x, side) / step;
                x[k] = keep;
            }
            assert_true(fabs(slope - gradient[k]) < 1e-8);
        }
    }
}

/* consistent mass gives a cube its mass, centre and moment of inertia; lumped mass gives too much of the last */
static void test_mass(void** state)
{
    (void)state;
    int tets[48];
    FilSolidElement elements[12];
    make_cube(tets, elements);
    double kinetic[2][2] = {{0.0}};
    for (int lumped = 0; lumped < 2; lumped++) {
        for (int motion = 0; motion < 2; motion++) {
            for (int e = 0; e < 12; e++) {
                const FilSolidMass mass = fil_solid_element_mass(&elements[e], 3.0, lumped == 1);
                double v[12], momentum[12] = {0.0};
                for (int i = 0; i < 4; i++) {
                    const double* x = cube + 3 * tets[4 * e + i];
                    // along (1, 2, 2), or about z through the middle
                    fil_v3_set(v + 3 * i, motion == 0 ? 1.0 : 0.5 - x[1], motion == 0 ? 2.0 : x[0] - 0.5, motion == 0 ? 2.0 : 0.0);
                }
                fil_solid_mass_add_product(&mass, 1.0, v, momentum);
                for (int k = 0; k < 12; k++) {
                    kinetic[lumped][motion] += 0.5 * v[k] * momentum[k];
                }
            }
        }
    }
    assert_true(fabs(kinetic[0][0] - 13.5) < 1e-13 && fabs(kinetic[1][0] - 13.5) < 1e-13);
    assert_true(fabs(kinetic[0][1] - 0.5 * 3.0 / 6.0) < 1e-14);
    assert_true(kinetic[1][1] > 2.0 * kinetic[0][1]);
}

static void test_step_factors(void** state)
{
    (void)state;
    const FilSolidFactors f = fil_solid_step_factors(0.5, 0.01, 1.0, 0.5, 0.1);
    assert_true(fabs(f.mass - 1.05) < 1e-15);
    assert_true(fabs(f.stiffness - 0.1 * 0.06) < 1e-17);
}

/* damping is K v; the objective kind leaves rigid motions alone, has no torque and only takes energy */
static void test_damping(void** state)
{
    (void)state;
    Random random = {38};
    for (int round = 0; round < 300; round++) {
        const FilSolidModel model = (FilSolidModel)(round % FIL_SOLID_MODEL_COUNT);
        const FilSolidMaterial m = material_of(model);
        FilSolidElement element;
        FilSolidStrain strain = fil_solid_strain_rest();
        FilSolidTangent tangent;
        double rest[12], x[12], v[12], rigid[12], p[9], hessian[144], plain[12] = {0.0}, objective[12] = {0.0};
        double none[12] = {0.0}, zero[3] = {0.0}, torque[3] = {0.0}, moment[3], power = 0.0, size = 0.0;
        const double *velocities[4], *rigid_velocities[4], w[3] = {0.3, -0.7, 0.5};
        random_rest(&random, rest, &element);
        random_matrix(&random, MATRIX_MILD, strain.f);
        fil_polar3(strain.f, strain.rotation);
        map_points(strain.f, zero, rest, 4, x);
        for (int i = 0; i < 4; i++) {
            fil_v3_cross(rigid + 3 * i, w, x + 3 * i);
        }
        for (int k = 0; k < 12; k++) {
            v[k] = random_between(&random, -1.0, 1.0);
            rigid[k] += 2.0;
        }
        corners_of(v, velocities);
        corners_of(rigid, rigid_velocities);
        fil_solid_law_evaluate(&m, &strain, true, p, &tangent);
        fil_solid_element_hessian(&element, 0.5, &tangent, hessian);
        fil_solid_element_add_damping(&element, 0.5, &tangent, strain.f, velocities, false, plain);
        fil_solid_element_add_damping(&element, 0.5, &tangent, strain.f, velocities, true, objective);
        fil_solid_element_add_damping(&element, 0.5, &tangent, strain.f, rigid_velocities, true, none);
        for (int k = 0; k < 12; k++) {
            double expected = 0.0;
            for (int j = 0; j < 12; j++) {
                expected += hessian[12 * k + j] * v[j];
                size = fmax(size, fabs(hessian[12 * k + j]));
            }
            assert_true(fabs(plain[k] - expected) < 1e-13 * (1.0 + size));
            power += v[k] * objective[k];
        }
        for (int k = 0; k < 12; k++) {
            assert_true(fabs(none[k]) < 1e-12 * (1.0 + size));
        }
        assert_true(power > -1e-13);
        for (int i = 0; i < 4; i++) {
            fil_v3_cross(moment, x + 3 * i, objective + 3 * i);
            fil_v3_add(torque, torque, moment);
        }
        assert_true(fil_v3_norm(torque) < 1e-12 * (1.0 + size));
    }
}

static void test_plane_strain(void** state)
{
    (void)state;
    const FilSolidMaterial m = material_of(FIL_SOLID_NEO_HOOKEAN);
    Random random = {39};
    double rest[12], gradient[12], hessian[144], whole[144], r0[9], f[9], x[12], zero[3] = {0.0};
    FilSolidElement element;
    random_rest(&random, rest, &element);
    random_rotation(&random, r0);
    random_matrix(&random, MATRIX_MILD, f);
    map_points(f, zero, rest, 4, x);
    element_energy(&element, &m, r0, x, gradient, hessian);
    memcpy(whole, hessian, sizeof whole);
    fil_solid_plane_strain(1, gradient, hessian);
    for (int i = 0; i < 12; i++) {
        assert_true((gradient[i] == 0.0) == (i % 3 == 1));
        for (int k = 0; k < 12; k++) {
            assert_true(hessian[12 * i + k] == (i % 3 == 1 || k % 3 == 1 ? 0.0 : whole[12 * i + k]));
        }
    }
}

static void test_bad_elements(void** state)
{
    (void)state;
    double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double* corners[4];
    FilSolidElement element;
    corners_of(x, corners);
    assert_true(fil_solid_element_make(corners, &element));
    assert_true(fabs(element.volume - 1.0 / 6.0) < 1e-16);
    x[11] = -1.0;
    assert_false(fil_solid_element_make(corners, &element));
    assert_true(fabs(element.volume + 1.0 / 6.0) < 1e-16);
    x[11] = 0.0;
    assert_false(fil_solid_element_make(corners, &element));
    x[11] = 1e-320;
    assert_false(fil_solid_element_make(corners, &element));
    x[11] = NAN;
    assert_false(fil_solid_element_make(corners, &element));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deformation_gradient),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_lagged_law_swells),
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_nodal_pressure_derivatives),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_step_factors),
        cmocka_unit_test(test_damping),
        cmocka_unit_test(test_plane_strain),
        cmocka_unit_test(test_bad_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
