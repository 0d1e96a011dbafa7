/* Boundaries: distances against their definition; profiles; and a flat belt on the crowned pulley of P0 V-C. */
#include "geometry/boundary.h"

#include "geometry/patch_reduce.h"
#include "geometry/rod_patch.h"
#include "patch_totals.h"

// the crown that P0's mesh was fitted to, m
static double crown_radius(const void* context, double z)
{
    const double z2 = z * z, crown = *(const double*)context;
    return 0.0300018 - crown * z2 * (1.5873 + z2 * (102.85 + z2 * 48508.0));
}

static FilBoundary pulley(double crown, double resolution)
{
    FilProfile profile;
    FilBoundary boundary;
    assert_int_equal(fil_profile_sample(crown_radius, &crown, 129, 0.04, &profile, NULL), FIL_OK);
    assert_int_equal(fil_boundary_of_profile(&profile, resolution, &boundary, NULL), FIL_OK);
    return boundary;
}

// the closest surface point lies at p - d n, distances fall by their own change along n, and nothing is nearer
static void check_distance(const FilBoundary* boundary, double size, uint64_t seed, double tolerance)
{
    Random random = {seed};
    for (int n = 0; n < 500; n++) {
        double p[3], q[3], normal[3], there[3];
        random_vector(&random, size, p);
        const double d = fil_boundary_distance(boundary, p, normal);
        assert_near(fil_v3_norm(normal), 1.0, 1e-12);
        fil_v3_copy(q, p);
        fil_v3_axpy(q, -d, normal);
        assert_near(fil_boundary_distance(boundary, q, there), 0.0, tolerance);
        // no point a little less than |d| away is on the other side
        for (int k = 0; k < 20; k++) {
            double way[3];
            random_direction(&random, way);
            fil_v3_copy(q, p);
            fil_v3_axpy(q, 0.999 * fabs(d) - tolerance, way);
            assert_true((fil_boundary_distance(boundary, q, there) > 0.0) == (d > 0.0) || fabs(d) <= 2.0 * tolerance);
        }
    }
}

static void distances(void** state)
{
    (void)state;
    const FilShape shapes[] = {fil_shape_sphere(0.03), fil_shape_capsule(0.02, 0.03), fil_shape_cylinder(0.02, 0.03), fil_shape_box(0.01, 0.02, 0.03),
                               fil_shape_half_space()};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        FilBoundary boundary = boundary_of(shapes[i], 0.0);
        check_distance(&boundary, 0.06, 50 + i, 1e-12);
        fil_boundary_free(&boundary);
    }
    FilBoundary roller = pulley(1.0, 0.0);
    check_distance(&roller, 0.06, 60, 1e-9);
    fil_boundary_free(&roller);
    // a box as a mesh is the box
    static const int faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    double vertices[24];
    int triangles[36];
    for (int i = 0; i < 8; i++) {
        fil_v3_set(vertices + 3 * i, i & 1 ? 0.01 : -0.01, i & 2 ? 0.02 : -0.02, i & 4 ? 0.03 : -0.03);
    }
    for (int i = 0; i < 36; i++) {
        triangles[i] = faces[i];
    }
    const FilMesh mesh = {8, 12, vertices, triangles};
    FilError error = {{0}};
    FilBoundary as_mesh, box = boundary_of(fil_shape_box(0.01, 0.02, 0.03), 0.0);
    assert_int_equal(fil_boundary_of_mesh(&mesh, "box", &as_mesh, &error), FIL_OK);
    Random random = {70};
    for (int n = 0; n < 300; n++) {
        double p[3], a[3], b[3];
        random_vector(&random, 0.05, p);
        assert_near(fil_boundary_distance(&as_mesh, p, a), fil_boundary_distance(&box, p, b), 1e-12);
    }
    fil_boundary_free(&as_mesh);
    fil_boundary_free(&box);
}

// inside a hull, and above its faces: its support along the normal is as far as the distance says
static void hulls(void** state)
{
    (void)state;
    Random random = {80};
    FilHull* hull = random_hull(&random, 20);
    const FilShape shape = fil_shape_hull(hull);
    FilBoundary boundary = boundary_of(shape, 0.0);
    int inside = 0;
    for (int n = 0; n < 300; n++) {
        double p[3], normal[3], farthest[3];
        random_vector(&random, 0.6, p);
        const double d = fil_boundary_distance(&boundary, p, normal);
        inside += d < 0.0;
        fil_shape_support(&shape, normal, farthest);
        assert_near(fil_v3_norm(normal), 1.0, 1e-12);
        assert_near(fil_v3_dot(p, normal) - fil_v3_dot(farthest, normal), d, 1e-12);
        for (int k = 0; k < 20; k++) {  // no way out is shorter
            double way[3];
            random_direction(&random, way);
            fil_shape_support(&shape, way, farthest);
            assert_true(fil_v3_dot(p, way) - fil_v3_dot(farthest, way) <= fmax(d, 0.0) + 1e-12 || d > 0.0);
        }
    }
    assert_true(inside > 100);
    fil_boundary_free(&boundary);
    fil_hull_destroy(hull);
}

static void profiles(void** state)
{
    (void)state;
    const double crown = 1.0;
    FilProfile profile;
    double error[2], slope;
    for (int level = 0; level < 2; level++) {
        assert_int_equal(fil_profile_sample(crown_radius, &crown, level ? 65 : 33, 0.04, &profile, NULL), FIL_OK);
        error[level] = 0.0;
        for (int k = 0; k <= 1000; k++) {
            const double z = 0.04 * (k / 500.0 - 1.0);
            error[level] = fmax(error[level], fabs(fil_profile_radius(&profile, z, &slope) - crown_radius(&crown, z)));
            assert_near(slope, (crown_radius(&crown, z + 1e-6) - crown_radius(&crown, z - 1e-6)) / 2e-6, 2e-3);
        }
        fil_profile_free(&profile);
    }
    // O(step^4), a nanometre with 65 samples
    print_message("profile error %.1e, %.1e m\n", error[0], error[1]);
    assert_true(error[1] < 1e-8 && order_of(error[0], error[1], 2.0) > 3.0);
    FilError message = {{0}};
    const double bad[3] = {0.03, -0.01, 0.03};
    assert_int_equal(fil_profile_create(bad, 3, 0.04, &profile, &message), FIL_BAD_INPUT);
    assert_true(message.text[0] != '\0');
    assert_int_equal(fil_profile_create(bad, 1, 0.04, &profile, &message), FIL_BAD_INPUT);
}

// force and centre of a flat belt, pressed down until its lower face is at height z0 over the axis: p = E/H (height of
// the roller - z0)
typedef struct Pressed {
    double force, offset, highest;
} Pressed;

static Pressed press(double crown, double z0, double shift, double half_length)
{
    Pressed sum = {0.0, 0.0, 0.0};
    const int across = 800, along = 800;
    for (int i = 0; i < across; i++) {
        // y along the roller's axis, from the belt's middle
        const double y = 0.01 * (2.0 * (i + 0.5) / across - 1.0), r = crown_radius(&crown, y + shift);
        for (int j = 0; j < along; j++) {
            const double x = half_length * (2.0 * (j + 0.5) / along - 1.0), depth = sqrt(r * r - x * x) - z0;
            const double p = 1e5 / 1e-3 * fmin(depth, 0.01 - fabs(y));
            if (p > 0.0) {
                const double f = p * 0.02 / across * 2.0 * half_length / along;
                sum.force += f;
                sum.offset += f * y;
                sum.highest = fmax(sum.highest, p);
            }
        }
    }
    sum.offset /= sum.force;
    return sum;
}

// a belt's edge (20 x 2 mm, 9.74 mm long, E_h 1e5) on the crown, in the middle and 5 mm aside: the crown takes the load
// to its middle, and pressures fall to both sides
static void belt_on_crown(void** state)
{
    (void)state;
    const double half = 0.00487, depth = 8e-5;
    FilRodField field;
    FilPatch patch = {0};
    assert_int_equal(fil_rod_field_init(&field, false, 0.01, 0.001, 1e5, 2e-3, NULL), FIL_OK);
    for (int n = 0; n < 6; n++) {
        const double crown = n % 3 == 0 ? 1.0 : (n % 3 == 1 ? 0.5 : 0.0), shift = n < 3 ? 0.0 : 0.005;
        FilBoundary roller = pulley(crown, 0.0);
        const double z0 = crown_radius(&crown, 0.0) - depth;
        // roller's axis along y; the belt above it, running along x, m1 = y
        const FilRodOther other = {.boundary = &roller, .pose = {.p = {0.0, -shift, 0.0}, .r = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0}}};
        const FilRodEdge edge = {.pose = {.p = {0.0, 0.0, z0 + 0.001}, .r = {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0}}, .half_length = half};
        const Pressed want = press(crown, z0, shift, half);
        assert_int_equal(fil_rod_patch(&field, &edge, &other, 0.0, 3, &patch), FIL_OK);
        const Totals t = totals_of(patch.points, patch.count);
        const int count = patch.count;
        double bins[5] = {0.0};
        for (int i = 0; i < patch.count; i++) {
            const double y = patch.points[i].position[1];
            bins[(int)((y + 0.01) / 0.004000001)] += fil_patch_force(&patch.points[i]);
        }
        const FilPatchChange change = fil_patch_reduce(&patch, 0, (double[3]){1.0, 0.0, 0.0}, 3);
        print_message(
            "crown %g, %g mm aside: %.4f N (%.4f), centre %.3f mm (%.3f), highest %.0f Pa (%.0f); %d points to %d; "
            "torsion off %.1e\n",
            crown, 1e3 * shift, t.normal_force, want.force, 1e3 * t.centre[1], 1e3 * want.offset, t.highest, want.highest, count, patch.count,
            change.torsion);
        print_message("  load by fifths of the width: %.3f %.3f %.3f %.3f %.3f N\n", bins[0], bins[1], bins[2], bins[3], bins[4]);
        // four cells along a patch whose outline is curved: 1.7 % where the belt's side cuts it, 0.1 % where it is
        // straight
        assert_near(-t.force[2], want.force, (crown > 0.0 ? 0.02 : 0.002) * want.force);
        assert_near(t.centre[1], want.offset, 1e-4);
        assert_true(t.highest <= want.highest * 1.001 && t.highest > 0.75 * want.highest);
        assert_true(change.force < 1e-12 && change.centre < 0.01 && change.torsion < 0.02);
        if (crown > 0.0) {
            // the load lies towards the middle of the crown, which is `shift` to the negative side
            assert_true(shift == 0.0 ? fabs(t.centre[1]) < 1e-9 : t.centre[1] < -0.001);
            assert_true(bins[4] < bins[2]);
        } else {
            assert_near(t.centre[1], 0.0, 1e-9);
        }
        patch.count = 0;
        fil_boundary_free(&roller);
    }
    fil_patch_free(&patch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(hulls),
        cmocka_unit_test(profiles),
        cmocka_unit_test(belt_on_crown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
