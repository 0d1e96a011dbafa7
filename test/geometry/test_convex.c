/* Distance and penetration of convex pairs against exhaustive search over features, and by optimality certificates. */
#include "geometry/convex.h"

#include <ccd/ccd.h>

#include "geometry/boxes.h"
#include "geometry/closest.h"
#include "random_shapes.h"

static const FilShapeKind bounded[] = {FIL_PRIMITIVE_SPHERE, FIL_PRIMITIVE_CAPSULE, FIL_PRIMITIVE_CYLINDER, FIL_PRIMITIVE_BOX, FIL_PRIMITIVE_HULL};
#define BOUNDED 5

// ---- the polytopes as plain lists, in the world ----

typedef struct Plain {
    int vertex_count, face_count, edge_count, triangle_count;
    double vertex[256][3], normal[512][3];
    int edge[1024][2], triangle[1024][3];
} Plain;

static void plain_of_hull(const FilHull* hull, const FilPose* pose, Plain* out)
{
    *out = (Plain){.vertex_count = hull->vertex_count, .face_count = hull->face_count};
    for (int v = 0; v < hull->vertex_count; v++) {
        fil_pose_apply(out->vertex[v], pose, hull->vertices + 3 * v);
    }
    for (int f = 0; f < hull->face_count; f++) {
        fil_m3_apply(out->normal[f], pose->r, hull->normals + 3 * f);
        const int first = hull->face_first[f], end = hull->face_first[f + 1];
        for (int c = first; c < end; c++) {
            const int from = hull->face_corners[c], to = hull->face_corners[c + 1 < end ? c + 1 : first];
            if (from < to) {
                out->edge[out->edge_count][0] = from;
                out->edge[out->edge_count++][1] = to;
            }
            if (c > first && c + 1 < end) {
                int* triangle = out->triangle[out->triangle_count++];
                triangle[0] = hull->face_corners[first];
                triangle[1] = from;
                triangle[2] = to;
            }
        }
    }
}

static double edges_to_triangles(const Plain* a, const Plain* b)
{
    double best = HUGE_VAL, s, w[3];
    for (int e = 0; e < a->edge_count; e++) {
        for (int t = 0; t < b->triangle_count; t++) {
            best = fmin(best, fil_segment_triangle(a->vertex[a->edge[e][0]], a->vertex[a->edge[e][1]], b->vertex[b->triangle[t][0]],
                                                   b->vertex[b->triangle[t][1]], b->vertex[b->triangle[t][2]], &s, w));
        }
    }
    return sqrt(best);
}

// overlap of a and b along the unit direction n, pushing b out along it
static double depth_along(const Plain* a, const Plain* b, const double* n)
{
    double top = -HUGE_VAL, bottom = HUGE_VAL;
    for (int v = 0; v < a->vertex_count; v++) {
        top = fmax(top, fil_v3_dot(a->vertex[v], n));
    }
    for (int v = 0; v < b->vertex_count; v++) {
        bottom = fmin(bottom, fil_v3_dot(b->vertex[v], n));
    }
    return top - bottom;
}

static double min_depth(const Plain* a, const Plain* b)
{
    double best = HUGE_VAL;
    for (int f = 0; f < a->face_count; f++) {
        best = fmin(best, depth_along(a, b, a->normal[f]));
    }
    for (int f = 0; f < b->face_count; f++) {
        double n[3];
        fil_v3_scale(n, -1.0, b->normal[f]);
        best = fmin(best, depth_along(a, b, n));
    }
    for (int i = 0; i < a->edge_count; i++) {
        for (int j = 0; j < b->edge_count; j++) {
            double u[3], v[3], n[3];
            fil_v3_sub(u, a->vertex[a->edge[i][1]], a->vertex[a->edge[i][0]]);
            fil_v3_sub(v, b->vertex[b->edge[j][1]], b->vertex[b->edge[j][0]]);
            fil_v3_cross(n, u, v);
            if (fil_v3_normalise(n) < 1e-9) {
                continue;
            }
            best = fmin(best, depth_along(a, b, n));
            fil_v3_scale(n, -1.0, n);
            best = fmin(best, depth_along(a, b, n));
        }
    }
    return best;
}

static FilHull* cube(const double* half)
{
    double corners[24];
    FilHull* hull;
    for (int k = 0; k < 8; k++) {
        fil_v3_set(corners + 3 * k, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]);
    }
    assert_int_equal(fil_hull_create(corners, 8, &hull, NULL), FIL_OK);
    return hull;
}

static void hulls_match_exhaustive_search(void** state)
{
    (void)state;
    Random random = {11};
    int apart = 0, inside = 0;
    static Plain a, b;
    for (int n = 0; n < 600; n++) {
        const double half_a[3] = {0.5, 0.7, 0.9}, half_b[3] = {0.4, 0.4, 1.0};
        // random hulls, and boxes as hulls: many parallel faces and edges
        FilHull* hull_a = n % 3 ? random_hull(&random, 4 + (int)(random_bits(&random) % 30)) : cube(half_a);
        FilHull* hull_b = n % 2 ? random_hull(&random, 4 + (int)(random_bits(&random) % 30)) : cube(half_b);
        FilPose pose_a = random_pose(&random, 0.5), pose_b = random_pose(&random, 1.2);
        if (n % 12 == 0) {
            pose_a = fil_pose_identity();
            const double keep[3] = {pose_b.p[0], pose_b.p[1], pose_b.p[2]};
            pose_b = fil_pose_identity();
            fil_v3_copy(pose_b.p, keep);
        }
        const FilShape shape_a = fil_shape_hull(hull_a), shape_b = fil_shape_hull(hull_b);
        plain_of_hull(hull_a, &pose_a, &a);
        plain_of_hull(hull_b, &pose_b, &b);
        FilSeparation s;
        assert_true(fil_convex_separation(&shape_a, &pose_a, &shape_b, &pose_b, HUGE_VAL, &s));
        const double depth = min_depth(&a, &b);
        if (depth < 0.0) {
            // sizes are about 1: 1e-9 is what a triangle as thin as 1e-4 leaves of 16 digits
            assert_near(s.distance, fmin(edges_to_triangles(&a, &b), edges_to_triangles(&b, &a)), 1e-9);
            apart++;
        } else {
            assert_near(s.distance, -depth, 1e-9);
            inside++;
        }
        fil_hull_destroy(hull_a);
        fil_hull_destroy(hull_b);
    }
    assert_true(apart > 100 && inside > 100);
}

static void boxes_match_hulls(void** state)
{
    (void)state;
    Random random = {12};
    for (int n = 0; n < 1500; n++) {
        FilHull *none, *hull_a, *hull_b;
        const FilShape box_a = random_shape(&random, FIL_PRIMITIVE_BOX, &none);
        const FilShape box_b = random_shape(&random, FIL_PRIMITIVE_BOX, &none);
        FilPose pose_a = random_pose(&random, 0.3), pose_b = random_pose(&random, 1.2);
        if (n % 3 == 0) {
            fil_pose_compose(&pose_b, &pose_a,
                             &(FilPose){.p = {pose_b.p[0], pose_b.p[1], pose_b.p[2]}, .r = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}});
        }
        hull_a = cube(box_a.half);
        hull_b = cube(box_b.half);
        const FilShape as_hull_a = fil_shape_hull(hull_a), as_hull_b = fil_shape_hull(hull_b);
        FilSeparation s, t;
        assert_true(fil_boxes_separation(&box_a, &pose_a, &box_b, &pose_b, HUGE_VAL, &s));
        assert_true(fil_convex_separation(&as_hull_a, &pose_a, &as_hull_b, &pose_b, HUGE_VAL, &t));
        // boxes prefer faces by 1e-4 of the depth
        assert_near(s.distance, t.distance, 1e-9 + (t.distance < 0.0 ? -1.01e-4 * t.distance : 0.0));
        double between[3];
        fil_v3_sub(between, s.b, s.a);
        assert_near(fil_v3_dot(between, s.normal), s.distance, 1e-9);
        fil_hull_destroy(hull_a);
        fil_hull_destroy(hull_b);
    }
}

// ---- certificates, for any shapes ----

static double reach_of(const FilShape* shape, const FilPose* pose, const double* n)
{
    double local[3], p[3], world[3];
    int hint = 0;
    fil_m3_apply_transposed(local, pose->r, n);
    fil_shape_core_support(shape, local, &hint, p);
    fil_pose_apply(world, pose, p);
    return fil_v3_dot(world, n);
}

// how far b must move along n to leave a
static double way_out(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, const double* n)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    return reach_of(a, pose_a, n) + reach_of(b, pose_b, back);
}

static void check_pair(Random* random, const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, int* overlaps)
{
    FilSeparation s;
    assert_true(fil_convex_separation(a, pose_a, b, pose_b, HUGE_VAL, &s));
    assert_near(fil_v3_norm(s.normal), 1.0, 1e-12);
    double between[3];
    fil_v3_sub(between, s.b, s.a);
    // the plane across the normal separates by exactly the distance, so no smaller distance is possible
    assert_near(way_out(a, pose_a, b, pose_b, s.normal), -s.distance, 1e-9);
    assert_near(fil_v3_dot(between, s.normal), s.distance, 1e-9);
    if (s.distance > 0.0) {
        // and the points show that no larger one is: they are as far apart as the planes
        assert_near(fil_v3_norm(between), s.distance, 1e-9);
        return;
    }
    // no direction, near or far, is a shorter way out
    (*overlaps)++;
    for (int k = 0; k < 200; k++) {
        double n[3], step[3];
        random_direction(random, n);
        if (k >= 50) {
            random_direction(random, step);
            fil_v3_copy(n, s.normal);
            fil_v3_axpy(n, pow(10.0, -random_between(random, 0.0, 6.0)), step);
            fil_v3_normalise(n);
        }
        assert_true(way_out(a, pose_a, b, pose_b, n) >= -s.distance - 1e-9);
    }
}

static void certificates_hold_for_all_pairs(void** state)
{
    (void)state;
    Random random = {13};
    int overlaps = 0;
    for (int n = 0; n < 100 * BOUNDED * BOUNDED; n++) {
        const FilShapeKind kind_a = bounded[n % BOUNDED], kind_b = bounded[n / BOUNDED % BOUNDED];
        if (kind_a <= FIL_PRIMITIVE_CAPSULE && kind_b <= FIL_PRIMITIVE_CAPSULE) {
            continue;  // flat differences have closed forms instead
        }
        FilHull *hull_a, *hull_b;
        const FilShape a = random_shape(&random, kind_a, &hull_a), b = random_shape(&random, kind_b, &hull_b);
        const FilPose pose_a = random_pose(&random, 0.5), pose_b = random_pose(&random, 1.0);
        check_pair(&random, &a, &pose_a, &b, &pose_b, &overlaps);
        fil_hull_destroy(hull_a);
        fil_hull_destroy(hull_b);
    }
    assert_true(overlaps > 500);
}

// ---- corner cases ----

static void cutoff_prunes_and_only_that(void** state)
{
    (void)state;
    const FilShape a = fil_shape_cylinder(0.5, 0.5), b = fil_shape_box(0.5, 0.5, 0.5);
    FilPose pose_a = fil_pose_identity(), pose_b = fil_pose_identity();
    pose_b.p[2] = 1.3;
    FilSeparation s;
    assert_false(fil_convex_separation(&a, &pose_a, &b, &pose_b, 0.299, &s));
    assert_true(fil_convex_separation(&a, &pose_a, &b, &pose_b, 0.301, &s));
    assert_near(s.distance, 0.3, 1e-12);
    assert_near(s.normal[2], 1.0, 1e-12);
}

static void touching_and_coincident_shapes_have_a_normal(void** state)
{
    (void)state;
    Random random = {14};
    for (int n = 0; n < BOUNDED * BOUNDED * 20; n++) {
        const FilShapeKind kind_a = bounded[n % BOUNDED], kind_b = bounded[n / BOUNDED % BOUNDED];
        FilHull *hull_a, *hull_b;
        const FilShape a = random_shape(&random, kind_a, &hull_a), b = random_shape(&random, kind_b, &hull_b);
        const FilPose pose_a = random_pose(&random, 1.0);
        // the same centre and the same axes, then turned
        FilPose pose_b = n % 2 ? pose_a : random_pose(&random, 1.0);
        fil_v3_copy(pose_b.p, pose_a.p);
        FilSeparation s;
        assert_true(fil_convex_separation(&a, &pose_a, &b, &pose_b, HUGE_VAL, &s));
        assert_near(fil_v3_norm(s.normal), 1.0, 1e-12);
        // moved out by the reported depth they touch
        fil_v3_axpy(pose_b.p, -s.distance, s.normal);
        if (kind_a > FIL_PRIMITIVE_CAPSULE || kind_b > FIL_PRIMITIVE_CAPSULE) {
            assert_true(fil_convex_separation(&a, &pose_a, &b, &pose_b, HUGE_VAL, &s));
            assert_near(s.distance, 0.0, 1e-9);
        }
        fil_hull_destroy(hull_a);
        fil_hull_destroy(hull_b);
    }
}

// distances from 1 down to 1e-13 stay accurate
static void small_gaps_keep_their_digits(void** state)
{
    (void)state;
    Random random = {15};
    for (int n = 0; n < 400; n++) {
        FilHull *hull_a, *hull_b;
        const FilShape a = random_shape(&random, FIL_PRIMITIVE_HULL, &hull_a);
        const FilShape b = random_shape(&random, n % 2 ? FIL_PRIMITIVE_CYLINDER : FIL_PRIMITIVE_HULL, &hull_b);
        const FilPose pose_a = random_pose(&random, 0.5);
        FilPose pose_b = random_pose(&random, 0.5);
        FilSeparation s, t;
        assert_true(fil_convex_separation(&a, &pose_a, &b, &pose_b, HUGE_VAL, &s));
        const double gap = pow(10.0, -random_between(&random, 0.0, 13.0));
        fil_v3_axpy(pose_b.p, gap - s.distance, s.normal);
        assert_true(fil_convex_separation(&a, &pose_a, &b, &pose_b, HUGE_VAL, &t));
        // polytopes are exact; of round shapes the depth that they start from is known to 1e-10 of the extent (< 3)
        assert_near(t.distance, gap, 1e-9 * gap + (n % 2 ? 3e-10 : 1e-12));
        fil_hull_destroy(hull_a);
        fil_hull_destroy(hull_b);
    }
}

// ---- libccd as a referee ----

typedef struct Posed {
    const FilShape* shape;
    FilPose pose;
} Posed;

static void ccd_support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out)
{
    const Posed* posed = object;
    double local[3], p[3];
    int hint = 0;
    fil_m3_apply_transposed(local, posed->pose.r, direction->v);
    fil_shape_core_support(posed->shape, local, &hint, p);
    fil_pose_apply(out->v, &posed->pose, p);
}

static void ccd_centre(const void* object, ccd_vec3_t* out)
{
    const Posed* posed = object;
    double centre[3];
    fil_shape_centre(posed->shape, centre);
    fil_pose_apply(out->v, &posed->pose, centre);
}

static void libccd_agrees_on_overlap_and_is_never_shorter(void** state)
{
    (void)state;
    Random random = {16};
    for (int n = 0; n < 600; n++) {
        FilHull *hull_a, *hull_b;
        const FilShape a = random_shape(&random, n % 2 ? FIL_PRIMITIVE_CYLINDER : FIL_PRIMITIVE_BOX, &hull_a);
        const FilShape b = random_shape(&random, n % 3 ? FIL_PRIMITIVE_HULL : FIL_PRIMITIVE_CYLINDER, &hull_b);
        const Posed posed_a = {&a, random_pose(&random, 0.5)}, posed_b = {&b, random_pose(&random, 1.0)};
        FilSeparation s;
        assert_true(fil_convex_separation(&a, &posed_a.pose, &b, &posed_b.pose, HUGE_VAL, &s));
        ccd_t ccd;
        CCD_INIT(&ccd);
        ccd.support1 = ccd.support2 = ccd_support;
        ccd.center1 = ccd.center2 = ccd_centre;
        ccd.max_iterations = 1000;
        ccd.mpr_tolerance = 1e-8;
        double depth;
        ccd_vec3_t direction, position;
        if (fabs(s.distance) > 1e-6) {
            assert_int_equal(ccdMPRIntersect(&posed_a, &posed_b, &ccd) != 0, s.distance < 0.0);
        }
        if (s.distance < -1e-6) {
            assert_int_equal(ccdMPRPenetration(&posed_a, &posed_b, &ccd, &depth, &direction, &position), 0);
            assert_true(depth >= -s.distance - 1e-6);
        }
        fil_hull_destroy(hull_a);
        fil_hull_destroy(hull_b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_match_exhaustive_search),
        cmocka_unit_test(boxes_match_hulls),
        cmocka_unit_test(certificates_hold_for_all_pairs),
        cmocka_unit_test(cutoff_prunes_and_only_that),
        cmocka_unit_test(touching_and_coincident_shapes_have_a_normal),
        cmocka_unit_test(small_gaps_keep_their_digits),
        cmocka_unit_test(libccd_agrees_on_overlap_and_is_never_shorter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
