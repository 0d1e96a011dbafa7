/* ctest: wrap-malloc */
/* What patches keep: third law, frames, continuity, energy, and sense where input makes none. */
#include <string.h>

#include "geometry/field_mesh.h"
#include "heap_calls.h"
#include "patch_totals.h"

#define MODULUS 1e5

static const FilShape* some_shapes(int* count, FilHull* hull)
{
    static FilShape shapes[5];
    shapes[0] = fil_shape_sphere(0.03);
    shapes[1] = fil_shape_box(0.03, 0.02, 0.04);
    shapes[2] = fil_shape_cylinder(0.02, 0.04);
    shapes[3] = fil_shape_capsule(0.02, 0.03);
    shapes[4] = fil_shape_hull(hull);
    *count = 5;
    return shapes;
}

static FilHull* small_hull(void)
{
    Random random = {77};
    double points[3 * 20];
    FilHull* hull;
    for (int i = 0; i < 20; i++) {
        random_direction(&random, points + 3 * i);
        fil_v3_scale(points + 3 * i, 0.03, points + 3 * i);
    }
    assert_int_equal(fil_hull_create(points, 20, &hull, NULL), FIL_OK);
    return hull;
}

// what a meets: the boundary of b if rigid, else its field
static Totals meet(const FilField* a, const FilPose* pose_a, const FilBoundary* rigid, const FilField* field, const FilPose* pose_b, double margin,
                   FilPatch* patch)
{
    patch->count = 0;
    assert_int_equal(
        rigid != NULL ? fil_patch_boundary(a, pose_a, rigid, pose_b, margin, patch) : fil_patch_fields(a, pose_a, field, pose_b, margin, patch),
        FIL_OK);
    return totals_of(patch->points, patch->count);
}

static void assert_same(const double* a, const double* b, double sign, double tolerance)
{
    for (int k = 0; k < 3; k++) {
        assert_near(a[k], sign * b[k], tolerance);
    }
}

// a against b is b against a, with the forces turned round; both moved together is the same, moved
static void third_law_and_frames(void** state)
{
    (void)state;
    FilHull* hull = small_hull();
    int count, touching = 0;
    const FilShape* shapes = some_shapes(&count, hull);
    FilPatch patch = {0};
    Random random = {41};
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            FilField a = field_of(shapes[i], 1e5, 0.01, 1e-3), b = field_of(shapes[j], 4e5, 0.01, 1e-3);
            FilBoundary rigid = boundary_of(shapes[j], 0.008);
            for (int n = 0; n < 10; n++) {
                const FilPose pose_a = random_pose(&random, 0.01), frame = random_pose(&random, 1.0);
                FilPose pose_b = random_pose(&random, 0.0), moved_a, moved_b;
                random_direction(&random, pose_b.p);
                fil_v3_scale(pose_b.p, 0.05, pose_b.p);
                fil_pose_compose(&moved_a, &frame, &pose_a);
                fil_pose_compose(&moved_b, &frame, &pose_b);
                const Totals forth = meet(&a, &pose_a, NULL, &b, &pose_b, 0.0, &patch);
                const Totals back = meet(&b, &pose_b, NULL, &a, &pose_a, 0.0, &patch);
                const double size = forth.normal_force;
                touching += size > 0.0;
                assert_same(forth.force, back.force, -1.0, 1e-12 * size);
                assert_same(forth.moment, back.moment, -1.0, 1e-12 * size);
                for (int k = 0; k < 2; k++) {
                    const FilBoundary* solid = k == 0 ? NULL : &rigid;
                    const Totals here = meet(&a, &pose_a, solid, &b, &pose_b, 0.0, &patch);
                    const Totals there = meet(&a, &moved_a, solid, &b, &moved_b, 0.0, &patch);
                    double turned[3], centre[3];
                    fil_m3_apply(turned, frame.r, here.force);
                    fil_pose_apply(centre, &frame, here.centre);
                    assert_same(there.force, turned, 1.0, 2e-12 * here.normal_force);
                    if (here.normal_force > 0.0) {
                        assert_same(there.centre, centre, 1.0, 1e-11);
                    }
                }
            }
            fil_boundary_free(&rigid);
            fil_field_free(&a);
            fil_field_free(&b);
        }
    }
    assert_true(touching > 100);
    fil_patch_free(&patch);
    fil_hull_destroy(hull);
}

// a sweep past and into each other: forces change by at most stiffness x step, whatever polygons come and go; convex
// bodies that approach push harder and harder; margins do not change forces
static void continuity(void** state)
{
    (void)state;
    FilHull* hull = small_hull();
    int count;
    const FilShape* shapes = some_shapes(&count, hull);
    FilPatch patch = {0};
    for (int i = 0; i < count; i++) {
        for (int rigid = 0; rigid < 2; rigid++) {
            const int j = (i + 2) % count;
            FilField a = field_of(shapes[i], MODULUS, 0.01, 2e-3), b = field_of(shapes[j], MODULUS, 0.01, 2e-3);
            FilBoundary solid = boundary_of(shapes[j], 0.01);
            const FilPose pose_a = pose_at(0.0, 0.4);
            FilPose pose_b = pose_at(0.0, 1.1);
            Totals before = {0};
            for (int step = 0; step <= 200; step++) {
                // along a line that passes off the middle, down to a third of the depth
                const double z = 0.08 - 0.04 * step / 200.0, dx = 2e-4;
                fil_v3_set(pose_b.p, 0.004, 0.003, z);
                const Totals now = meet(&a, &pose_a, rigid ? &solid : NULL, &b, &pose_b, 0.0, &patch);
                const Totals wider = meet(&a, &pose_a, rigid ? &solid : NULL, &b, &pose_b, 2e-3, &patch);
                assert_near(now.normal_force, wider.normal_force, 1e-9 * now.normal_force + 1e-12);
                // the largest stiffness: gradient E/H over the largest section
                const double steepest = MODULUS / 0.02 * FIL_PI * 0.04 * 0.04;
                for (int k = 0; k < 3; k++) {
                    assert_near(now.force[k], before.force[k], steepest * dx);
                }
                // until the core is half reached; past it a field falls again
                assert_true(now.highest > 0.5 * MODULUS || now.force[2] >= before.force[2] - 1e-9);
                before = now;
            }
            assert_true(before.force[2] > 1.0);
            fil_boundary_free(&solid);
            fil_field_free(&a);
            fil_field_free(&b);
        }
    }
    fil_patch_free(&patch);
    fil_hull_destroy(hull);
}

// the force is that of a potential, the integral of p over the overlap: its derivatives are symmetric, and work is
// energy
static void forces_have_a_potential(void** state)
{
    (void)state;
    FilField a = field_of(fil_shape_sphere(0.03), MODULUS, 0.01, 0.0);
    FilBoundary b = boundary_of(fil_shape_box(0.02, 0.021, 0.022), 1.0);
    FilPatch patch = {0};
    const FilPose still = fil_pose_identity();
    // a corner comes first
    const double turn[3] = {0.66, -0.68, 0.1}, e = 1e-6;
    FilPose pose = still;
    fil_m3_from_rotation_vector(pose.r, turn);
    // near enough to push, not so deep that faces turn away from gradients
    double slope[3][3], far = 0.1, middle[3] = {0.05, 0.03, 1.0};
    do {
        far -= 1e-3;
        fil_v3_scale(pose.p, far, middle);
    } while (meet(&a, &still, &b, NULL, &pose, 0.0, &patch).normal_force < 0.5);
    for (int k = 0; k < 3; k++) {
        Totals side[2];
        for (int s = 0; s < 2; s++) {
            fil_v3_scale(pose.p, far, middle);
            pose.p[k] += s == 0 ? -e : e;
            side[s] = meet(&a, &still, &b, NULL, &pose, 0.0, &patch);
        }
        for (int i = 0; i < 3; i++) {
            slope[i][k] = (side[1].force[i] - side[0].force[i]) / (2.0 * e);
        }
    }
    const double size = fabs(slope[0][0]) + fabs(slope[1][1]) + fabs(slope[2][2]);
    assert_true(size > 100.0);
    // central differences of a piecewise smooth force: rounding 1e-16 F/e and curvature e^2
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < i; k++) {
            assert_near(slope[i][k], slope[k][i], 1e-5 * size);
        }
    }
    fil_patch_free(&patch);
    fil_field_free(&a);
    fil_boundary_free(&b);

    // sphere on a plane: the sum of F dx is W(x) = pi E (x^3/3 - x^4/(6 R))
    const double radius = 0.05, depth = 0.01;
    FilField ball = field_of(fil_shape_sphere(radius), MODULUS, 0.002, 0.0);
    FilBoundary plane = boundary_of(fil_shape_half_space(), 0.0);
    double work = 0.0;
    for (int k = 0; k < 100; k++) {
        const FilPose at = pose_at(radius - depth * (k + 0.5) / 100.0, 0.0);
        work += meet(&ball, &at, &plane, NULL, &still, 0.0, &patch).normal_force * depth / 100.0;
    }
    const double energy = FIL_PI * MODULUS * (pow(depth, 3) / 3.0 - pow(depth, 4) / (6.0 * radius));
    assert_near(work, energy, 2e-3 * energy);
    fil_patch_free(&patch);
    fil_field_free(&ball);
}

// identical boxes, aligned face to face, edge to edge, and all the way into each other, at any moduli: finite, and
// never pulled together
static void aligned_boxes(void** state)
{
    (void)state;
    static const double moduli[] = {1e2, 1e5, 1e7, 1e12};
    FilPatch patch = {0};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            FilField a = field_of(fil_shape_box(0.05, 0.05, 0.05), moduli[i], 0.05, 5e-3);
            FilField b = field_of(fil_shape_box(0.05, 0.05, 0.05), moduli[j], 0.05, 5e-3);
            FilBoundary rigid = boundary_of(fil_shape_box(0.05, 0.05, 0.05), 1.0);
            for (int step = 0; step <= 40; step++) {
                const FilPose still = fil_pose_identity();
                // gap, touch, overlap, exactly one inside the other, and out on the other side
                const double z = 0.105 - 0.21 * step / 40.0;
                FilPose at = pose_at(z, 0.0);
                for (int k = 0; k < 4; k++) {
                    at.p[0] = k % 2 ? 0.05 : 0.0;
                    const Totals t = meet(&a, &still, k < 2 ? &rigid : NULL, &b, &at, 5e-3, &patch);
                    const double scale = t.normal_force + 1e-9;
                    assert_true(t.force[2] * (z >= 0.0 ? 1.0 : -1.0) >= -1e-9 * scale);
                }
            }
            // face to face 1 mm deep: the plane's force with gradients in series
            const double x = 1e-3, half = 0.05, series = moduli[i] * moduli[j] / (moduli[i] + moduli[j]) / half;
            const FilPose still = fil_pose_identity(), at = pose_at(2.0 * half - x, 0.0);
            const Totals t = meet(&a, &still, NULL, &b, &at, 0.0, &patch);
            assert_near(t.force[2], series * x * 4.0 * half * half, 0.03 * t.force[2]);
            assert_near(t.force[0], 0.0, 1e-9 * t.force[2]);
            fil_boundary_free(&rigid);
            fil_field_free(&a);
            fil_field_free(&b);
        }
    }
    fil_patch_free(&patch);
}

// shapes thrown at each other anywhere, deep and beyond, with moduli from 1e2 to 1e12: every number finite (totals_of
// asserts that), and bodies whose middles are apart are not pulled together
static void anything_goes(void** state)
{
    (void)state;
    FilHull* hull = small_hull();
    int count;
    const FilShape* shapes = some_shapes(&count, hull);
    FilPatch patch = {0};
    Random random = {13};
    for (int n = 0; n < 75; n++) {
        const int i = n % count, j = (n / count) % count;
        FilField a = field_of(shapes[i], pow(10.0, 2.0 + n % 11), 0.015, 3e-3);
        FilField b = field_of(shapes[j], pow(10.0, 2.0 + n % 7), 0.015, 3e-3);
        FilBoundary rigid = boundary_of(shapes[j], 0.015);
        for (int k = 0; k < 6; k++) {
            const FilPose pose_a = random_pose(&random, 0.02);
            const FilPose pose_b = k < 2 ? pose_a : random_pose(&random, 0.02);
            const Totals t = meet(&a, &pose_a, k % 2 ? &rigid : NULL, &b, &pose_b, 3e-3, &patch);
            double apart[3];
            fil_v3_sub(apart, pose_b.p, pose_a.p);
            // deep inside each other the way out is not along the line of centres; then it must only not pull hard
            assert_true(fil_v3_dot(t.force, apart) >= -0.5 * t.normal_force * fil_v3_norm(apart));
        }
        fil_boundary_free(&rigid);
        fil_field_free(&a);
        fil_field_free(&b);
    }
    fil_patch_free(&patch);
    fil_hull_destroy(hull);
}

// a thin rigid plate inside a compliant slab is pushed out on the side it came in, not held between both of its faces
static void thin_plate(void** state)
{
    (void)state;
    FilField slab = field_of(fil_shape_box(0.1, 0.1, 0.05), MODULUS, 0.1, 0.0);
    FilBoundary plate = boundary_of(fil_shape_box(0.02, 0.02, 5e-4), 1.0);
    FilPatch patch = {0};
    const FilPose still = fil_pose_identity(), at = pose_at(0.05 - 0.01, 0.0);
    const Totals t = meet(&slab, &still, &plate, NULL, &at, 0.0, &patch);
    // the lower face is at 10.5 mm; the upper one, whose gradient points away, is left out
    assert_near(t.force[2], MODULUS / 0.05 * 0.0105 * 0.04 * 0.04, 1e-9 + 1e-3 * t.force[2]);
    fil_patch_free(&patch);
    fil_field_free(&slab);
    fil_boundary_free(&plate);
}

// fields of meshes on a grid: an L-shaped solid stands on the plane by the area of its foot
static void mesh_field(void** state)
{
    (void)state;
    enum { CORNERS = 6 };
    static const double outline[CORNERS][2] = {{0, 0}, {0.04, 0}, {0.04, 0.02}, {0.02, 0.02}, {0.02, 0.06}, {0, 0.06}};
    static const int cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    double vertices[6 * CORNERS];
    int triangles[3 * (2 * 4 + 2 * CORNERS)], count = 0;
    for (int i = 0; i < CORNERS; i++) {
        fil_v3_set(vertices + 3 * i, outline[i][0], -0.015, outline[i][1]);
        fil_v3_set(vertices + 3 * (i + CORNERS), outline[i][0], 0.015, outline[i][1]);
        const int j = (i + 1) % CORNERS;
        const int side[6] = {j, i, i + CORNERS, j, i + CORNERS, j + CORNERS};
        for (int k = 0; k < 6; k++) {
            triangles[count++] = side[k];
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            triangles[count++] = cap[i][k];
        }
        for (int k = 2; k >= 0; k--) {
            triangles[count++] = cap[i][k] + CORNERS;
        }
    }
    const FilMesh mesh = {2 * CORNERS, count / 3, vertices, triangles};
    FilBoundary boundary;
    FilError error = {{0}};
    FilPatch patch = {0};
    double off[2];
    assert_int_equal(fil_boundary_of_mesh(&mesh, "ell", &boundary, &error), FIL_OK);
    for (int level = 0; level < 2; level++) {
        FilField field;
        const FilFieldDef def = {MODULUS, 0.004 / (1 << level), 1e-3};
        assert_int_equal(fil_field_of_boundary(&boundary, &def, &field, &error), FIL_OK);
        // deepest where the legs meet: 11.7 mm below the inner edge, less what the grid misses
        assert_true(field.depth > 0.0105 && field.depth < 0.0118);
        const FilBoundary plane = boundary_of(fil_shape_half_space(), 0.0);
        const FilPose still = fil_pose_identity(), at = pose_at(-1e-3, 0.0);
        const Totals t = meet(&field, &at, &plane, NULL, &still, 0.0, &patch);
        const double x = 1e-3, wide = 0.04, deep = 0.03, middle[3] = {0.02, 0.0, 0.0};
        const double closed = MODULUS / field.depth * (wide * deep * x - (wide + deep) * x * x + 4.0 / 3.0 * x * x * x);
        off[level] = t.normal_force / closed - 1.0;
        assert_same(t.centre, middle, 1.0, 0.4 * def.resolution);
        fil_field_free(&field);
    }
    // edges are cut off by the grid: measured 20 % and 6 % for steps four and two times the depth
    assert_true(fabs(off[1]) < 0.07 && order_of(off[0], off[1], 2.0) > 1.5);
    fil_patch_free(&patch);
    fil_boundary_free(&boundary);
}

// after buffers have grown nothing allocates; the same input gives the same bits
static void workspace_is_reused(void** state)
{
    (void)state;
    FilField a = field_of(fil_shape_sphere(0.05), MODULUS, 0.005, 1e-3), b = field_of(fil_shape_box(0.05, 0.05, 0.05), MODULUS, 0.02, 1e-3);
    const FilPose still = fil_pose_identity(), at = pose_at(0.095, 0.3);
    FilPatch patch = {0};
    const Totals first = meet(&a, &still, NULL, &b, &at, 1e-3, &patch);
    heap_calls = 0;
    const Totals second = meet(&a, &still, NULL, &b, &at, 1e-3, &patch);
    assert_int_equal(heap_calls, 0);
    assert_memory_equal(&first, &second, sizeof first);
    // features differ from each other
    for (int i = 0; i < patch.count; i++) {
        for (int j = 0; j < i; j++) {
            assert_true(patch.points[i].feature != patch.points[j].feature);
        }
    }
    assert_true(patch.count > 20);
    fil_patch_free(&patch);
    fil_field_free(&a);
    fil_field_free(&b);
}

// features stay while cells go on meeting: a ball that moves by a thousandth of a cell keeps nearly all of them
static void features_persist(void** state)
{
    (void)state;
    FilField ball = field_of(fil_shape_sphere(0.05), MODULUS, 0.005, 1e-3);
    const FilBoundary plane = boundary_of(fil_shape_half_space(), 0.0);
    const FilPose ground = fil_pose_identity();
    FilPatch patch = {0}, later = {0};
    const FilPose at = pose_at(0.045, 0.3);
    FilPose moved = pose_at(0.045, 0.3001);
    moved.p[0] = 5e-6;
    meet(&ball, &at, &plane, NULL, &ground, 1e-3, &patch);
    meet(&ball, &moved, &plane, NULL, &ground, 1e-3, &later);
    int same = 0;
    for (int i = 0; i < patch.count; i++) {
        for (int j = 0; j < later.count; j++) {
            if (patch.points[i].feature == later.points[j].feature) {
                same++;
                assert_near(fil_v3_distance(patch.points[i].position, later.points[j].position), 0.0, 2e-4);
            }
        }
    }
    assert_true(same > 0.95 * patch.count && same <= patch.count);
    fil_patch_free(&patch);
    fil_patch_free(&later);
    fil_field_free(&ball);
}

static void bad_input(void** state)
{
    (void)state;
    FilField field;
    FilError error = {{0}};
    const FilShape ball = fil_shape_sphere(0.05), plane = fil_shape_half_space();
    assert_int_equal(fil_field_create(&ball, &(FilFieldDef){0.0, 0.01, 0.0}, &field, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "modulus"));
    assert_int_equal(fil_field_create(&ball, &(FilFieldDef){1e5, NAN, 0.0}, &field, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "resolution"));
    assert_int_equal(fil_field_create(&ball, &(FilFieldDef){1e5, 1e-6, 0.0}, &field, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "coarser"));
    assert_int_equal(fil_field_create(&ball, &(FilFieldDef){1e5, 0.01, -1.0}, &field, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "margin"));
    assert_int_equal(fil_field_create(&plane, &(FilFieldDef){1e5, 0.01, 0.0}, &field, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "half-space"));
    assert_null(field.cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(third_law_and_frames),
        cmocka_unit_test(continuity),
        cmocka_unit_test(forces_have_a_potential),
        cmocka_unit_test(aligned_boxes),
        cmocka_unit_test(anything_goes),
        cmocka_unit_test(thin_plate),
        cmocka_unit_test(mesh_field),
        cmocka_unit_test(workspace_is_reused),
        cmocka_unit_test(features_persist),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
