/* Isosurface stuffing: dihedral angles within the proven bounds, volumes of second order, vertices on the surface; and
 * the implicit shapes and distances to meshes that it starts from. */
#include "geometry/tet_stuff.h"

#include <string.h>

#include "geometry/closest.h"
#include "geometry/tet_brick.h"
#include "tet_checks.h"

static FilImplicitPart part_of(FilImplicitKind kind, double a, double b, double c)
{
    return (FilImplicitPart){.kind = kind, .pose = fil_pose_identity(), .size = {a, b, c}};
}

/* a sum of waves cut to the cube |x_k| < 1: thin, branched, with holes, at the scale of the lattice */
typedef struct Waves {
    double waves[6][4];
} Waves;

static double waves_value(const void* context, const double* p)
{
    const Waves* w = context;
    double sum = 0.0;
    for (int k = 0; k < 6; k++) {
        sum += sin(fil_v3_dot(w->waves[k], p) + w->waves[k][3]);
    }
    return fmax(0.2 * sum, fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))) - 1.0);
}

static void angles_stay_within_their_bounds(void** state)
{
    (void)state;
    Random random = {41};
    double min = HUGE_VAL, largest = 0.0;
    for (int round = 0; round < 60; round++) {
        Waves waves;
        const double frequency = random_between(&random, 1.0, 20.0), spacing = random_between(&random, 0.15, 0.4);
        for (int k = 0; k < 24; k++) {
            waves.waves[k / 4][k % 4] = random_between(&random, -frequency, frequency);
        }
        const FilTetField field = {waves_value, &waves, {{-1, -1, -1}, {1, 1, 1}}};
        FilTetMesh mesh;
        assert_int_equal(fil_tet_stuff(&field, spacing, "waves", &mesh, NULL), FIL_OK);
        const FilTetQuality q = round < 10 ? check_tet_mesh(&mesh) : (FilTetQuality){0};
        FilTetQuality again;
        assert_int_equal(fil_tet_mesh_quality(&mesh, &again, NULL), FIL_OK);
        assert_true(round >= 10 || q.volume == again.volume);
        min = fmin(min, again.min_dihedral);
        largest = fmax(largest, again.max_dihedral);
        fil_tet_mesh_free(&mesh);
    }
    assert_true(min > FIL_TET_STUFF_MIN_DIHEDRAL && largest < FIL_TET_STUFF_MAX_DIHEDRAL);
    // the fields are wild enough to come near
    assert_true(min < 13.0 * DEGREE && largest > 150.0 * DEGREE);
}

/* each shape at two spacings: the volume's error falls by about four, twice as fast as the spacing */
static void volumes_converge(void** state)
{
    (void)state;
    const FilImplicitPart parts[3] = {part_of(FIL_IMPLICIT_BALL, 1.0, 0.0, 0.0), part_of(FIL_IMPLICIT_ELLIPSOID, 1.0, 0.7, 0.5),
                                      part_of(FIL_IMPLICIT_TORUS, 1.0, 0.4, 0.0)};
    const double volumes[3] = {4.0 / 3.0 * FIL_PI, 4.0 / 3.0 * FIL_PI * 0.35, 2.0 * FIL_PI * FIL_PI * 0.16};
    for (int k = 0; k < 3; k++) {
        const FilImplicit solid = {.parts = &parts[k], .part_count = 1};
        double errors[2];
        for (int level = 0; level < 2; level++) {
            FilTetMesh mesh;
            assert_int_equal(fil_tet_stuff_implicit(&solid, level == 0 ? 0.2 : 0.1, "solid", &mesh, NULL), FIL_OK);
            const FilTetQuality q = check_tet_mesh(&mesh);
            errors[level] = 1.0 - q.volume / volumes[k];
            assert_int_equal(q.pieces, 1);
            assert_true(q.min_dihedral > FIL_TET_STUFF_MIN_DIHEDRAL && q.max_dihedral < FIL_TET_STUFF_MAX_DIHEDRAL);
            for (int t = 0; t < 3 * mesh.triangle_count; t++) {
                assert_true(fabs(fil_implicit_value(&solid, mesh.vertices + 3 * mesh.triangles[t])) < 1e-12);
            }
            fil_tet_mesh_free(&mesh);
        }
        assert_true(errors[0] > 0.0 && errors[0] / errors[1] > 3.3 && errors[0] / errors[1] < 4.7);
    }
}

/* edges of boxes and cylinders are cut off: less volume, of first order in the spacing at the most */
static void sharp_shapes(void** state)
{
    (void)state;
    const FilImplicitPart parts[2] = {part_of(FIL_IMPLICIT_BOX, 0.5, 0.4, 0.3), part_of(FIL_IMPLICIT_CYLINDER, 0.5, 0.6, 0.0)};
    const double volumes[2] = {8.0 * 0.06, FIL_PI * 0.25 * 1.2};
    for (int k = 0; k < 2; k++) {
        const FilImplicit solid = {.parts = &parts[k], .part_count = 1};
        FilTetMesh mesh;
        assert_int_equal(fil_tet_stuff_implicit(&solid, 0.07, "solid", &mesh, NULL), FIL_OK);
        const FilTetQuality q = check_tet_mesh(&mesh);
        assert_true(q.volume < volumes[k] && q.volume > 0.96 * volumes[k]);
        assert_true(q.min_dihedral > FIL_TET_STUFF_MIN_DIHEDRAL && q.max_dihedral < FIL_TET_STUFF_MAX_DIHEDRAL);
        fil_tet_mesh_free(&mesh);
    }
}

static void parts_are_posed_cut_and_blended(void** state)
{
    (void)state;
    FilImplicitPart parts[2] = {part_of(FIL_IMPLICIT_BALL, 0.5, 0.0, 0.0), part_of(FIL_IMPLICIT_BALL, 0.5, 0.0, 0.0)};
    parts[0].pose.p[0] = 3.0;
    parts[1].pose.p[0] = 3.8;
    FilImplicit solid = {.parts = parts, .part_count = 2};
    const double inside[3] = {3.1, 0.2, 0.0}, between[3] = {3.4, 0.35, 0.0};
    assert_near(fil_implicit_value(&solid, inside), sqrt(0.05) - 0.5, 1e-15);
    const double sharp = fil_implicit_value(&solid, between);
    assert_true(sharp > 0.0);
    solid.blend = 0.1;
    // both are equally far: -b log 2 exactly
    assert_near(fil_implicit_value(&solid, between), sharp - 0.1 * log(2.0), 1e-15);
    FilTetMesh mesh;
    assert_int_equal(fil_tet_stuff_implicit(&solid, 0.1, "pair", &mesh, NULL), FIL_OK);
    const double whole = check_tet_mesh(&mesh).volume;
    fil_tet_mesh_free(&mesh);
    // half of it: beyond the plane of symmetry nothing is left
    solid.cut_normal[0] = 2.0;
    solid.cut_offset = 2.0 * 3.4;
    assert_int_equal(fil_tet_stuff_implicit(&solid, 0.1, "half", &mesh, NULL), FIL_OK);
    const FilTetQuality q = check_tet_mesh(&mesh);
    assert_near(q.volume, 0.5 * whole, 0.02 * whole);
    for (int v = 0; v < mesh.vertex_count; v++) {
        assert_true(mesh.vertices[3 * v] < 3.4 + 1e-12);
    }
    fil_tet_mesh_free(&mesh);
}

/* the surface of a structured block as a triangle mesh: distances against the closed form */
static void distance_to_a_mesh(void** state)
{
    (void)state;
    const double size[3] = {1.0, 0.8, 0.6}, half[3] = {0.5, 0.4, 0.3};
    const int cells[3] = {3, 2, 4};
    FilTetMesh block, mesh;
    FilMeshDistance* distance;
    assert_int_equal(fil_tet_brick(size, cells, FIL_TET_SPLIT_FIVE, &block, NULL), FIL_OK);
    const FilMesh surface = {block.vertex_count, block.triangle_count, block.vertices, block.triangles};
    assert_int_equal(fil_mesh_distance_create(&surface, "block", &distance, NULL), FIL_OK);
    Random random = {42};
    for (int k = 0; k < 20000; k++) {
        double p[3], normal[3];
        random_vector(&random, 1.0, p);
        if (k % 4 == 0) {
            p[k / 4 % 3] = k % 8 == 0 ? 0.0 : half[k / 4 % 3];  // above edges and in planes of faces
        }
        assert_near(fil_mesh_distance(distance, p), fil_point_box(p, half, normal), 1e-14);
    }
    // stuffed, it is nearly the block again
    const FilImplicitPart part = {.kind = FIL_IMPLICIT_MESH, .pose = fil_pose_identity(), .mesh = distance};
    const FilImplicit solid = {.parts = &part, .part_count = 1};
    assert_int_equal(fil_tet_stuff_implicit(&solid, 0.09, "block", &mesh, NULL), FIL_OK);
    const FilTetQuality q = check_tet_mesh(&mesh);
    assert_true(q.volume < 0.48 && q.volume > 0.95 * 0.48);
    assert_true(q.min_dihedral > FIL_TET_STUFF_MIN_DIHEDRAL && q.max_dihedral < FIL_TET_STUFF_MAX_DIHEDRAL);
    fil_tet_mesh_free(&mesh);
    // a surface with a hole is refused, by number
    FilError error;
    const FilMesh open = {block.vertex_count, block.triangle_count - 1, block.vertices, block.triangles};
    FilMeshDistance* none;
    assert_int_equal(fil_mesh_distance_create(&open, "open", &none, &error), FIL_BAD_INPUT);
    assert_null(none);
    assert_non_null(strstr(error.text, "open: the mesh is not closed: 1 triangle"));
    fil_mesh_distance_destroy(distance);
    fil_tet_mesh_free(&block);
}

/* Above the tip of a pyramid, which is all of it that is so high, however it is turned: a base that is not convex, and triangles that have the
 * tip at any of their corners. The normal of this tip points below the long corner of the base. */
static void distance_to_a_tip(void** state)
{
    (void)state;
    enum { CORNERS = 6, MIDDLE = CORNERS, TIP };
    static const double base[CORNERS + 1][2] = {{2.3, -2.4},     {2.2, -0.4},  {0.114, -1.211}, {-0.751, 1.039},
                                                {0.095, -1.296}, {-0.3, -2.2}, {0.2, -1.5}};
    Random random = {43};
    for (int turn = 0; turn < 60; turn++) {
        const FilPose pose = random_pose(&random, 1.0);
        double vertices[3 * (CORNERS + 2)];
        int triangles[6 * CORNERS];
        for (int v = 0; v < CORNERS + 2; v++) {
            const double local[3] = {v == TIP ? 0.0 : base[v][0], v == TIP ? 0.0 : base[v][1], v == TIP ? 0.0 : -1.0};
            fil_pose_apply(vertices + 3 * v, &pose, local);
        }
        for (int k = 0; k < CORNERS; k++) {
            const int next = (k + 1) % CORNERS, up[3] = {TIP, k, next}, down[3] = {MIDDLE, next, k};
            for (int j = 0; j < 3; j++) {
                triangles[6 * k + (j + turn) % 3] = up[j];
                triangles[6 * k + 3 + (j + turn) % 3] = down[j];
            }
        }
        const FilMesh mesh = {CORNERS + 2, 2 * CORNERS, vertices, triangles};
        FilMeshDistance* distance;
        assert_int_equal(fil_mesh_distance_create(&mesh, "pyramid", &distance, NULL), FIL_OK);
        for (int k = 0; k < 20; k++) {
            double local[3] = {0.0, 0.0, random_between(&random, 0.01, 0.5)}, p[3];
            fil_pose_apply(p, &pose, local);
            assert_near(fil_mesh_distance(distance, p), local[2], 1e-14);
        }
        fil_mesh_distance_destroy(distance);
    }
}

static void it_is_repeatable(void** state)
{
    (void)state;
    const FilImplicitPart part = part_of(FIL_IMPLICIT_ELLIPSOID, 0.5, 0.3, 0.4);
    const FilImplicit solid = {.parts = &part, .part_count = 1};
    FilTetMesh a, b;
    assert_int_equal(fil_tet_stuff_implicit(&solid, 0.1, "a", &a, NULL), FIL_OK);
    assert_int_equal(fil_tet_stuff_implicit(&solid, 0.1, "b", &b, NULL), FIL_OK);
    assert_int_equal(a.vertex_count, b.vertex_count);
    assert_int_equal(a.tet_count, b.tet_count);
    assert_memory_equal(a.vertices, b.vertices, 3 * sizeof(double) * (size_t)a.vertex_count);
    assert_memory_equal(a.tets, b.tets, 4 * sizeof(int) * (size_t)a.tet_count);
    fil_tet_mesh_free(&a);
    fil_tet_mesh_free(&b);
}

static void assert_refused(const FilImplicit* solid, double spacing, const char* what)
{
    FilTetMesh mesh;
    FilError error = {""};
    assert_int_equal(fil_tet_stuff_implicit(solid, spacing, "it", &mesh, &error), FIL_BAD_INPUT);
    if (strstr(error.text, what) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, what);
    }
    assert_null(mesh.tets);
}

static void bad_solids_are_refused(void** state)
{
    (void)state;
    FilImplicitPart part = part_of(FIL_IMPLICIT_BALL, 1.0, 0.0, 0.0);
    FilImplicit solid = {.parts = &part, .part_count = 1};
    assert_refused(&solid, 0.0, "it: the spacing 0 m");
    assert_refused(&solid, 1e-4, "it: a spacing of 0.0001 m is too fine for 2 x 2 x 2 m");
    solid.cut_normal[2] = 1.0;
    solid.cut_offset = -2.0;
    assert_refused(&solid, 0.2, "it: a spacing of 0.2 m leaves nothing of it");
    solid.blend = -1.0;
    assert_refused(&solid, 0.2, "it: the blend -1 m");
    solid.blend = 0.0;
    part.size[0] = 0.0;
    assert_refused(&solid, 0.2, "it: size 1 of part 1 (ball) is 0 m");
    part.size[0] = 1.0;
    part.pose.p[1] = INFINITY;
    assert_refused(&solid, 0.2, "it: the pose of part 1 (ball)");
    solid.part_count = 0;
    assert_refused(&solid, 0.2, "it: there are no parts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_stay_within_their_bounds), cmocka_unit_test(volumes_converge),   cmocka_unit_test(sharp_shapes),
        cmocka_unit_test(parts_are_posed_cut_and_blended), cmocka_unit_test(distance_to_a_mesh), cmocka_unit_test(it_is_repeatable),
        cmocka_unit_test(bad_solids_are_refused),          cmocka_unit_test(distance_to_a_tip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
