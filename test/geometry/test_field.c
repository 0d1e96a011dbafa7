/* Pressure fields: cells tile their shape, and carry the depth below its surface. */
#include "geometry/field_mesh.h"
#include "patch_totals.h"

static double volume_of(const FilFieldCell* cell)
{
    double e[3][3], n[3];
    for (int i = 0; i < 3; i++) {
        fil_v3_sub(e[i], cell->corner + 3 * (i + 1), cell->corner);
    }
    fil_v3_cross(n, e[0], e[1]);
    return fabs(fil_v3_dot(n, e[2])) / 6.0;
}

// cells that hold x well inside, on its border counting for none; the last one through `found`
static int cells_at(const FilField* field, const double* x, const FilFieldCell** found)
{
    int count = 0;
    for (int i = 0; i < field->count; i++) {
        const double* f = field->cells[i].face;
        double min = 1.0;
        for (int k = 0; k < 4; k++) {
            min = fmin(min, fil_v3_dot(f + 4 * k, x) + f[4 * k + 3]);
        }
        if (min > 0.0) {
            *found = &field->cells[i];
            count++;
        }
    }
    return count;
}

// each point is in one cell, or in none outside; pressures are E depth/H up to `tolerance` of E, volumes those of the
// shape
static void check_field(FilShape shape, double resolution, double volume_tolerance, double tolerance)
{
    const double modulus = 2e5;
    FilField field = field_of(shape, modulus, resolution, 0.0), wide = field_of(shape, modulus, resolution, 0.003);
    FilBoundary boundary = boundary_of(shape, 0.0);
    Random random = {19};
    double volume = 0.0, slope = 0.0;
    int inside = 0;
    for (int i = 0; i < field.count; i++) {
        volume += volume_of(&field.cells[i]);
        slope = fmax(slope, field.cells[i].steepness);
    }
    const double wanted = fil_shape_mass(&shape).volume;
    assert_near(volume, wanted, volume_tolerance * wanted);
    for (int n = 0; n < 400; n++) {
        const FilFieldCell *cell = NULL, *other = NULL;
        double x[3], normal[3];
        random_vector(&random, 0.05, x);
        const double depth = -fil_boundary_distance(&boundary, x, normal);
        const int count = cells_at(&field, x, &cell);
        assert_in_range(count, 0, 1);
        // a facet's height around the surface is uncertain
        if (fabs(depth) > tolerance * field.depth) {
            assert_int_equal(count, depth > 0.0);
        }
        if (count == 1) {
            assert_near(fil_field_pressure(cell, x) / modulus, depth / field.depth, tolerance);
            // a margin adds cells around and changes nothing inside but for facets' slant
            assert_int_equal(cells_at(&wide, x, &other), 1);
            assert_near(fil_field_pressure(other, x), fil_field_pressure(cell, x), tolerance * modulus);
            inside++;
        }
    }
    assert_true(inside > 20);
    assert_near(field.depth, fil_skin_depth(&shape), 1e-12);
    fil_boundary_free(&boundary);
    fil_field_free(&field);
    fil_field_free(&wide);
}

// boxes of all proportions, exactly
static void boxes(void** state)
{
    (void)state;
    check_field(fil_shape_box(0.04, 0.03, 0.02), 0.02, 1e-12, 1e-12);
    check_field(fil_shape_box(0.02, 0.04, 0.02), 0.01, 1e-12, 1e-12);
    check_field(fil_shape_box(0.03, 0.03, 0.03), 1.0, 1e-12, 1e-12);
    check_field(fil_shape_box(0.01, 0.04, 0.03), 0.015, 1e-12, 1e-12);
}

// round shapes within what their facets allow: h^2/(8 r^2) of the depth, some more where prisms are slanted
static void round_shapes(void** state)
{
    (void)state;
    check_field(fil_shape_sphere(0.04), 0.008, 1e-9, 0.01);
    check_field(fil_shape_capsule(0.02, 0.03), 0.005, 1e-9, 0.02);
    check_field(fil_shape_cylinder(0.02, 0.04), 0.005, 1e-9, 0.02);
    check_field(fil_shape_cylinder(0.04, 0.02), 0.005, 1e-9, 0.02);
}

// a hull's field is linear from each face to the deepest point: positive inside, 0 on the surface, E there and nowhere
// more
static void hulls(void** state)
{
    (void)state;
    Random random = {23};
    for (int n = 0; n < 10; n++) {
        FilHull* hull = random_hull(&random, 12 + 6 * n);
        const FilShape shape = fil_shape_hull(hull);
        FilField field = field_of(shape, 1e5, 0.3, 0.0);
        FilBoundary boundary = boundary_of(shape, 0.0);
        double volume = 0.0, highest = 0.0;
        for (int i = 0; i < field.count; i++) {
            volume += volume_of(&field.cells[i]);
            for (int k = 0; k < 4; k++) {
                const double* x = field.cells[i].corner + 3 * k;
                const double p = fil_field_pressure(&field.cells[i], x);
                double normal[3];
                // corners are on the surface or at the deepest point, where the depth is that of the field
                const double depth = -fil_boundary_distance(&boundary, x, normal);
                assert_near(p, depth > 1e-9 ? 1e5 : 0.0, 1e-6);
                assert_near(depth, p > 1.0 ? field.depth : 0.0, 1e-9);
                highest = fmax(highest, depth);
            }
        }
        assert_near(volume, hull->mass.volume, 1e-9 * hull->mass.volume);
        // no random point is deeper by more than the search's last steps
        for (int k = 0; k < 2000; k++) {
            double x[3], normal[3];
            random_vector(&random, 1.0, x);
            assert_true(-fil_boundary_distance(&boundary, x, normal) < 1.01 * highest);
        }
        fil_boundary_free(&boundary);
        fil_field_free(&field);
        fil_hull_destroy(hull);
    }
}

// a mesh's field on a grid is that of the shape it triangulates
static void meshes(void** state)
{
    (void)state;
    const FilShape shape = fil_shape_sphere(0.04);
    FilBoundary fine = boundary_of(shape, 0.004);
    FilBoundary exact = boundary_of(shape, 0.0);
    FilField field;
    const FilFieldDef def = {1e5, 0.006, 0.002};
    double* vertices = test_malloc(sizeof(double) * 9 * (size_t)fine.count);
    int* triangles = test_malloc(sizeof(int) * 3 * (size_t)fine.count);
    // faces without shared corners have no neighbours: the boundary is made of a mesh by hand
    for (int i = 0; i < 3 * fine.count; i++) {
        fil_v3_copy(vertices + 3 * i, fine.faces[i / 3].corner[i % 3]);
        triangles[i] = i;
    }
    FilMesh mesh = {3 * fine.count, fine.count, vertices, triangles};
    FilBoundary broken;
    FilError error = {{0}};
    assert_int_equal(fil_boundary_of_mesh(&mesh, "loose", &broken, &error), FIL_BAD_INPUT);
    fine.kind = FIL_BOUNDARY_MESH;
    assert_int_equal(fil_field_of_boundary(&fine, &def, &field, &error), FIL_OK);
    Random random = {29};
    for (int n = 0; n < 300; n++) {
        const FilFieldCell* cell = NULL;
        double x[3], normal[3];
        random_vector(&random, 0.05, x);
        const double depth = -fil_boundary_distance(&exact, x, normal), as_mesh = -fil_boundary_distance(&fine, x, normal);
        assert_near(as_mesh, depth, 1e-4);
        if (depth > -0.001) {
            assert_int_equal(cells_at(&field, x, &cell), 1);
            // the deepest grid point is not the middle, and a cone's tip is cut off by a cell
            assert_near(fil_field_pressure(cell, x) / 1e5, depth / field.depth, 0.1);
        }
    }
    test_free(vertices);
    test_free(triangles);
    fil_boundary_free(&fine);
    fil_boundary_free(&exact);
    fil_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),
        cmocka_unit_test(round_shapes),
        cmocka_unit_test(hulls),
        cmocka_unit_test(meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
