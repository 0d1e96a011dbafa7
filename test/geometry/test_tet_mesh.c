/* Tetrahedral meshes: what the builder refuses, and boxes, voussoirs, belts and discs. */
#include "geometry/tet_mesh.h"

#include <string.h>

#include "geometry/tet_brick.h"
#include "tet_checks.h"

static const double corner[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

static FilTetBuilder builder_of(const double (*points)[3], int vertices, const int (*tets)[4], int count)
{
    FilTetBuilder builder = {0};
    for (int v = 0; v < vertices; v++) {
        assert_true(fil_tet_builder_add_vertex(&builder, points[v]));
    }
    for (int t = 0; t < count; t++) {
        assert_true(fil_tet_builder_add_tet(&builder, tets[t], t == 1 ? 33 : 0));
    }
    return builder;
}

static void two_elements(void** state)
{
    (void)state;
    const int tets[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};
    FilTetBuilder builder = builder_of(corner, 5, tets, 2);
    FilTetMesh mesh;
    assert_int_equal(fil_tet_builder_finish(&builder, "two", &mesh, NULL), FIL_OK);
    assert_int_equal(mesh.triangle_count, 6);
    assert_int_equal(mesh.neighbours[0], 1);
    assert_int_equal(mesh.neighbours[4 + 3], 0);
    assert_null(builder.tets);
    const FilTetQuality q = check_tet_mesh(&mesh);
    assert_near(q.volume, 0.5, 1e-15);
    assert_near(q.min_edge, 1.0, 1e-15);
    assert_near(q.max_edge, sqrt(2.0), 1e-15);
    assert_int_equal(q.pieces, 1);
    fil_tet_mesh_free(&mesh);
}

static void assert_refused(const double (*points)[3], int vertices, const int (*tets)[4], int count, const char* what)
{
    FilTetBuilder builder = builder_of(points, vertices, tets, count);
    FilTetMesh mesh;
    FilError error = {""};
    assert_int_equal(fil_tet_builder_finish(&builder, "bad", &mesh, &error), FIL_BAD_INPUT);
    if (strstr(error.text, what) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, what);
    }
    assert_null(mesh.tets);
    assert_null(builder.vertices);
}

static void bad_meshes_are_refused(void** state)
{
    (void)state;
    const int missing[1][4] = {{0, 1, 2, 7}}, twice[1][4] = {{0, 1, 1, 3}}, turned[1][4] = {{0, 2, 1, 3}};
    const int good[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}}, second_turned[2][4] = {{0, 1, 2, 3}, {1, 3, 2, 4}};
    const int overlap[2][4] = {{0, 1, 2, 3}, {0, 1, 2, 4}}, three[3][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 5}};
    const double flat[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 1e-14}};
    const double same[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}};
    const double nowhere[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}};
    const double six[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {2, 1, 1}};
    const int on_same[2][4] = {{0, 1, 2, 3}, {1, 3, 4, 0}};
    assert_refused(corner, 4, good, 0, "bad: there are no tetrahedra");
    assert_refused(corner, 4, missing, 1, "bad: element 1 has the vertex 8, but there are only 4");
    assert_refused(corner, 4, twice, 1, "bad: element 1 has the vertex 2 twice");
    assert_refused(corner, 4, turned, 1, "bad: element 1 is inverted (volume -0.166667 m^3): swap two");
    assert_refused(corner, 5, second_turned, 2, "bad:33: element 2 is inverted");
    assert_refused(flat, 4, good, 1, "bad: element 1 is flat: its volume is");
    assert_refused(nowhere, 4, good, 1, "bad: vertex 4 at (0, 0, nan) is not a place");
    assert_refused(corner, 5, good, 1, "bad: vertex 5 at (1, 1, 1) belongs to no element");
    assert_refused(same, 5, on_same, 2, "bad: vertices 3 and 5 are both at (0, 1, 0)");
    assert_refused(corner, 5, overlap, 2, "bad: element 1 overlaps element 2");
    assert_refused(six, 6, three, 3, "bad: element 1 shares its face (2, 3, 4) with the elements 2 and 3");
}

static void quality_of_known_shapes(void** state)
{
    (void)state;
    const double a[3] = {1, 1, 1}, b[3] = {1, -1, -1}, c[3] = {-1, 1, -1}, d[3] = {-1, -1, 1};
    const double* const regular[4] = {a, b, c, d};
    const double* const right[4] = {corner[0], corner[1], corner[2], corner[3]};
    double angles[6];
    fil_tet_dihedrals(regular, angles);
    for (int k = 0; k < 6; k++) {
        assert_near(angles[k], acos(1.0 / 3.0), 1e-15);
    }
    assert_near(fil_tet_radius_ratio(regular), 1.0, 1e-15);
    fil_tet_dihedrals(right, angles);
    for (int k = 0; k < 6; k++) {
        assert_near(angles[k], k < 3 ? 0.5 * FIL_PI : acos(1.0 / sqrt(3.0)), 1e-15);
    }
    // inradius 1/(3 + sqrt 3), circumradius sqrt(3)/2
    assert_near(fil_tet_radius_ratio(right), 6.0 / (sqrt(3.0) * (3.0 + sqrt(3.0))), 1e-15);
}

static void bricks(void** state)
{
    (void)state;
    const double size[3] = {2.0, 1.0, 0.5};
    const int cells[3] = {4, 3, 2}, per_cell[3] = {5, 6, 24};
    for (FilTetSplit split = 0; split < FIL_TET_SPLIT_COUNT; split++) {
        FilTetMesh mesh;
        assert_int_equal(fil_tet_brick(size, cells, split, &mesh, NULL), FIL_OK);
        const FilTetQuality q = check_tet_mesh(&mesh);
        assert_int_equal(mesh.tet_count, 24 * per_cell[split]);
        assert_near(q.volume, 1.0, 1e-13);
        assert_near(q.area, 2.0 * (2.0 + 1.0 + 0.5), 1e-13);
        assert_int_equal(q.pieces, 1);
        assert_int_equal(q.touching_edges, 0);
        // about the origin: the mirror image of each vertex is a vertex, to the bit
        for (int v = 0; v < mesh.vertex_count; v++) {
            int found = 0;
            for (int w = 0; w < mesh.vertex_count; w++) {
                found += mesh.vertices[3 * v] == -mesh.vertices[3 * w] && mesh.vertices[3 * v + 1] == -mesh.vertices[3 * w + 1] &&
                                 mesh.vertices[3 * v + 2] == -mesh.vertices[3 * w + 2]
                             ? 1
                             : 0;
            }
            assert_int_equal(found, 1);
        }
        fil_tet_mesh_free(&mesh);
    }
}

/* the symmetric split: mirrored in any plane it is itself, element by element */
static void symmetric_brick(void** state)
{
    (void)state;
    const double size[3] = {1.0, 1.0, 1.0};
    const int cells[3] = {2, 1, 2};
    FilTetMesh mesh;
    assert_int_equal(fil_tet_brick(size, cells, FIL_TET_SPLIT_SYMMETRIC, &mesh, NULL), FIL_OK);
    for (int axis = 0; axis < 3; axis++) {
        int matched = 0;
        for (int t = 0; t < mesh.tet_count; t++) {
            for (int u = 0; u < mesh.tet_count; u++) {
                int corners = 0;
                for (int k = 0; k < 16; k++) {
                    const double* p = mesh.vertices + 3 * mesh.tets[4 * t + k / 4];
                    const double* q = mesh.vertices + 3 * mesh.tets[4 * u + k % 4];
                    bool mirrored = true;
                    for (int c = 0; c < 3; c++) {
                        mirrored = mirrored && p[c] == (c == axis ? -q[c] : q[c]);
                    }
                    corners += mirrored ? 1 : 0;
                }
                matched += corners == 4 ? 1 : 0;
            }
        }
        assert_int_equal(matched, mesh.tet_count);
    }
    fil_tet_mesh_free(&mesh);
}

static void voussoirs(void** state)
{
    (void)state;
    for (int cells = 1; cells <= 16; cells *= 4) {
        const FilTetVoussoir v = {
            .radius = 1.0, .thickness = 0.2, .depth = 0.3, .from = 0.3, .to = 0.8, .cells = {cells, 2, 1}, .split = FIL_TET_SPLIT_SIX};
        FilTetMesh mesh;
        assert_int_equal(fil_tet_voussoir(&v, &mesh, NULL), FIL_OK);
        const FilTetQuality q = check_tet_mesh(&mesh);
        // chords of the angle 0.5/cells instead of arcs: sin(a)/a of the area between the circles
        const double a = 0.5 / cells;
        assert_near(q.volume, sin(a) / a * 0.5 * 1.0 * 0.2 * 0.3, 1e-14);
        for (int k = 0; k < mesh.vertex_count; k++) {
            const double* p = mesh.vertices + 3 * k;
            const double angle = atan2(p[2], p[0]), radius = sqrt(p[0] * p[0] + p[2] * p[2]);
            assert_true(angle > 0.3 - 1e-14 && angle < 0.8 + 1e-14);
            assert_true(radius > 0.9 - 1e-14 && radius < 1.1 + 1e-14 && fabs(p[1]) < 0.15 + 1e-15);
        }
        fil_tet_mesh_free(&mesh);
    }
}

/* A belt is closed: its surface is a torus, and its volume that of prisms over chords. */
static void belts_are_closed(void** state)
{
    (void)state;
    const FilTetBelt belt = {.radius = 0.03, .distance = 0.15, .thickness = 0.002, .width = 0.02, .cells = {60, 2, 4}};
    FilTetMesh mesh;
    assert_int_equal(fil_tet_belt(&belt, &mesh, NULL), FIL_OK);
    const FilTetQuality q = check_tet_mesh(&mesh);
    assert_int_equal(mesh.vertex_count, 60 * 3 * 5);
    assert_int_equal(mesh.tet_count, 60 * 2 * 4 * 5);
    assert_int_equal(mesh.triangle_count, 60 * (2 + 4) * 2 * 2);  // no ends
    assert_true(fabs(q.volume / (0.002 * 0.02 * (0.3 + 0.06 * FIL_PI)) - 1.0) < 5e-3);
    // symmetric about y = 0: each element has a mirror image
    for (int t = 0; t < mesh.tet_count; t++) {
        double centre[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 4; k++) {
            fil_v3_axpy(centre, 0.25, mesh.vertices + 3 * mesh.tets[4 * t + k]);
        }
        double nearest = INFINITY;
        for (int o = 0; o < mesh.tet_count; o++) {
            double other[3] = {-centre[0], centre[1], -centre[2]};
            for (int k = 0; k < 4; k++) {
                fil_v3_axpy(other, 0.25, mesh.vertices + 3 * mesh.tets[4 * o + k]);
            }
            nearest = fmin(nearest, fabs(other[1]) + fil_v3_dot(other, other));
        }
        // other = image - centre with y added: zero where x and z agree and y is opposite
        assert_true(nearest < 1e-14);
    }
    fil_tet_mesh_free(&mesh);
}

static void discs_have_columns(void** state)
{
    (void)state;
    FilTetMesh mesh;
    assert_int_equal(fil_tet_disc(0.2, 0.02, 4, 2, &mesh, NULL), FIL_OK);
    const FilTetQuality q = check_tet_mesh(&mesh);
    assert_int_equal(mesh.vertex_count, 3 * 61);
    assert_int_equal(mesh.tet_count, 2 * 3 * 6 * 16);
    // a polygon of 24 corners with the circle's area
    assert_near(q.volume, FIL_PI * 0.04 * 0.02, 1e-15);
    int first[3 * 61];
    assert_int_equal(fil_tet_mesh_columns(&mesh, 2, 1e-9, first, NULL), FIL_OK);
    for (int v = 0; v < mesh.vertex_count; v++) {
        assert_int_equal(first[v], v % 61);
    }
    assert_int_equal(fil_tet_mesh_columns(&mesh, 2, 1.0, first, NULL), FIL_OK);
    for (int v = 0; v < mesh.vertex_count; v++) {
        assert_int_equal(first[v], 0);  // one column of all
    }
    fil_tet_mesh_free(&mesh);
}

static void bad_bricks_are_refused(void** state)
{
    (void)state;
    FilTetMesh mesh;
    FilError error;
    const double size[3] = {1.0, 1.0, 1.0}, no_size[3] = {1.0, 0.0, 1.0};
    const int cells[3] = {1, 1, 1}, no_cells[3] = {1, 0, 1}, too_many[3] = {1000, 1000, 1000};
    assert_int_equal(fil_tet_brick(no_size, cells, FIL_TET_SPLIT_SIX, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "a box of 1 x 0 x 1 m"));
    assert_int_equal(fil_tet_brick(size, no_cells, FIL_TET_SPLIT_SIX, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "at least one each way"));
    assert_int_equal(fil_tet_brick(size, too_many, FIL_TET_SPLIT_SIX, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "too many elements"));
    FilTetVoussoir v = {.radius = 0.1, .thickness = 0.3, .depth = 0.3, .from = 0.3, .to = 0.8, .cells = {1, 1, 1}};
    assert_int_equal(fil_tet_voussoir(&v, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "more than half the thickness"));
    v.radius = 1.0;
    v.to = 0.2;
    assert_int_equal(fil_tet_voussoir(&v, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "from 0.3 to 0.2 rad"));
    FilTetBelt belt = {.radius = 0.1, .distance = 1.0, .thickness = 0.3, .width = 0.1, .cells = {20, 1, 1}};
    assert_int_equal(fil_tet_belt(&belt, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "more than half the thickness"));
    belt.thickness = 0.01;
    belt.cells[0] = 3;
    assert_int_equal(fil_tet_belt(&belt, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "at least 6"));
    assert_int_equal(fil_tet_disc(-1.0, 1.0, 1, 1, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "radius -1 m"));
    assert_int_equal(fil_tet_disc(1.0, 1.0, 0, 1, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "0 rings"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_elements),     cmocka_unit_test(bad_meshes_are_refused), cmocka_unit_test(quality_of_known_shapes),
        cmocka_unit_test(bricks),           cmocka_unit_test(symmetric_brick),        cmocka_unit_test(voussoirs),
        cmocka_unit_test(belts_are_closed), cmocka_unit_test(discs_have_columns),     cmocka_unit_test(bad_bricks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
