/* Contact points of every pair of shapes: symmetry, invariance, minimal translation, and the patches of resting
 * bodies. */
#include "geometry/collide.h"

#include "random_shapes.h"

#define MARGIN 0.3

typedef struct Scene {
    FilShape a, b;
    FilPose pose_a, pose_b;
    FilHull *hull_a, *hull_b;
} Scene;

static FilShapeKind kind_of(int n)
{
    return (FilShapeKind)(n % FIL_PRIMITIVE_KINDS);
}

static Scene random_scene(Random* random, FilShapeKind kind_a, FilShapeKind kind_b)
{
    Scene s;
    s.a = random_shape(random, kind_a, &s.hull_a);
    s.b = random_shape(random, kind_b, &s.hull_b);
    s.pose_a = random_pose(random, 0.5);
    s.pose_b = random_pose(random, 1.0);
    return s;
}

static void free_scene(Scene* s)
{
    fil_hull_destroy(s->hull_a);
    fil_hull_destroy(s->hull_b);
}

static int deepest(const FilContactPoint* points, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++) {
        best = points[i].distance < points[best].distance ? i : best;
    }
    return best;
}

static int collide(const Scene* s, double margin, FilContactPoint* out)
{
    return fil_collide(&s->a, &s->pose_a, &s->b, &s->pose_b, margin, out);
}

static bool two_half_spaces(const Scene* s)
{
    return s->a.kind == FIL_PRIMITIVE_HALF_SPACE && s->b.kind == FIL_PRIMITIVE_HALF_SPACE;
}

// the reported least distance must be within this of the truth: boxes prefer faces by 1e-4 of the depth, a contact
// plane within 1e-3 rad of the true normal is off by 5e-7 of its size, and cores that overlap are known to 1e-9
static double tolerance_of(double distance)
{
    return 1e-6 + 2e-4 * fmax(-distance, 0.0);
}

static void every_point_is_well_formed(void** state)
{
    (void)state;
    Random random = {21};
    int contacts = 0;
    for (int n = 0; n < 100 * FIL_PRIMITIVE_KINDS * FIL_PRIMITIVE_KINDS; n++) {
        Scene s = random_scene(&random, kind_of(n), kind_of(n / FIL_PRIMITIVE_KINDS));
        FilContactPoint points[FIL_MANIFOLD_POINTS];
        const int count = collide(&s, MARGIN, points);
        assert_in_range(count, 0, FIL_MANIFOLD_POINTS);
        contacts += count;
        for (int i = 0; i < count; i++) {
            assert_near(fil_v3_norm(points[i].normal), 1.0, 1e-9);
            assert_true(points[i].distance <= MARGIN + 1e-12);
            assert_true(fil_all_finite(points[i].position, 3));
            for (int j = 0; j < i; j++) {
                assert_true(points[i].feature != points[j].feature);
            }
        }
        free_scene(&s);
    }
    assert_true(contacts > 1000);
}

static void swapping_negates_the_normal(void** state)
{
    (void)state;
    Random random = {22};
    for (int n = 0; n < 100 * FIL_PRIMITIVE_KINDS * FIL_PRIMITIVE_KINDS; n++) {
        Scene s = random_scene(&random, kind_of(n), kind_of(n / FIL_PRIMITIVE_KINDS));
        FilContactPoint there[FIL_MANIFOLD_POINTS], back[FIL_MANIFOLD_POINTS];
        const int count = collide(&s, MARGIN, there);
        const int again = fil_collide(&s.b, &s.pose_b, &s.a, &s.pose_a, MARGIN, back);
        assert_int_equal(count > 0, again > 0);
        if (count > 0) {
            const FilContactPoint *p = &there[deepest(there, count)], *q = &back[deepest(back, again)];
            assert_near(p->distance, q->distance, tolerance_of(p->distance));
        }
        if (count > 0 && s.a.kind != s.b.kind) {
            // one function serves both orders: the same points
            assert_int_equal(count, again);
            for (int i = 0; i < count; i++) {
                assert_near(fil_v3_dot(there[i].normal, back[i].normal), -1.0, 1e-12);
                assert_int_equal(there[i].feature, back[i].feature);
            }
        }
        free_scene(&s);
    }
}

static void rigid_motion_changes_nothing(void** state)
{
    (void)state;
    Random random = {23};
    for (int n = 0; n < 100 * FIL_PRIMITIVE_KINDS * FIL_PRIMITIVE_KINDS; n++) {
        Scene s = random_scene(&random, kind_of(n), kind_of(n / FIL_PRIMITIVE_KINDS));
        const FilPose motion = random_pose(&random, 3.0);
        FilPose moved_a, moved_b;
        fil_pose_compose(&moved_a, &motion, &s.pose_a);
        fil_pose_compose(&moved_b, &motion, &s.pose_b);
        const double before = fil_signed_distance(&s.a, &s.pose_a, &s.b, &s.pose_b, MARGIN);
        const double after = fil_signed_distance(&s.a, &moved_a, &s.b, &moved_b, MARGIN);
        if (before < MARGIN - 1e-6) {
            assert_near(before, after, tolerance_of(before));
        }
        free_scene(&s);
    }
}

static void moving_by_the_distance_makes_them_touch(void** state)
{
    (void)state;
    Random random = {24};
    int deep = 0;
    for (int n = 0; n < 100 * FIL_PRIMITIVE_KINDS * FIL_PRIMITIVE_KINDS; n++) {
        Scene s = random_scene(&random, kind_of(n), kind_of(n / FIL_PRIMITIVE_KINDS));
        FilContactPoint points[FIL_MANIFOLD_POINTS];
        const int count = collide(&s, MARGIN, points);
        if (count > 0) {
            const FilContactPoint p = points[deepest(points, count)];
            deep += p.distance < 0.0;
            fil_v3_axpy(s.pose_b.p, -p.distance, p.normal);
            assert_near(fil_signed_distance(&s.a, &s.pose_a, &s.b, &s.pose_b, MARGIN), 0.0, tolerance_of(p.distance));
        }
        free_scene(&s);
    }
    assert_true(deep > 500);
}

// barrels and rims that cross are known to rounding, whichever of two cylinders is asked first: the general method alone is off by 1e-7
static void cylinders_are_known_to_rounding(void** state)
{
    (void)state;
    Random random = {31};
    int met = 0, exact = 0;
    for (int n = 0; n < 2000; n++) {
        Scene s = random_scene(&random, FIL_PRIMITIVE_CYLINDER, FIL_PRIMITIVE_CYLINDER);
        FilContactPoint there[FIL_MANIFOLD_POINTS], back[FIL_MANIFOLD_POINTS];
        const int count = collide(&s, MARGIN, there), again = fil_collide(&s.b, &s.pose_b, &s.a, &s.pose_a, MARGIN, back);
        double off[3], along[2][3];
        fil_v3_add(off, there[0].normal, back[0].normal);
        fil_pose_axis(along[0], &s.pose_a, 2);
        fil_pose_axis(along[1], &s.pose_b, 2);
        // caps have normals of their own
        const bool cap = count > 0 && fmax(fabs(fil_v3_dot(there[0].normal, along[0])), fabs(fil_v3_dot(there[0].normal, along[1]))) > 1.0 - 1e-6;
        const bool deep = count > 0 && there[0].distance < -0.3 * fmin(s.a.radius, s.b.radius);
        if (count == 1 && again == 1 && !cap && !deep) {
            met++;
            exact += fil_v3_norm(off) < 1e-11 && fabs(there[0].distance - back[0].distance) < 1e-13;
        }
        free_scene(&s);
    }
    assert_true(met > 400);
    assert_true(exact >= 0.99 * met);
}

// closed forms against the general method
static void closed_forms_match_the_general_method(void** state)
{
    (void)state;
    Random random = {25};
    static const FilShapeKind kinds[] = {FIL_PRIMITIVE_SPHERE, FIL_PRIMITIVE_CAPSULE, FIL_PRIMITIVE_CYLINDER, FIL_PRIMITIVE_BOX, FIL_PRIMITIVE_HULL};
    for (int n = 0; n < 100 * 25; n++) {
        Scene s = random_scene(&random, kinds[n % 5], kinds[n / 5 % 5]);
        FilSeparation general;
        assert_true(fil_convex_separation(&s.a, &s.pose_a, &s.b, &s.pose_b, HUGE_VAL, &general));
        const double expected = general.distance - fil_shape_rounding(&s.a) - fil_shape_rounding(&s.b);
        const double found = fil_signed_distance(&s.a, &s.pose_a, &s.b, &s.pose_b, MARGIN);
        if (expected > MARGIN + 1e-9) {
            assert_true(found == HUGE_VAL);
        } else if (expected < MARGIN - 1e-9) {
            // a contact plane may show a point a little deeper than the shortest way, never shallower
            assert_near(found, expected, tolerance_of(expected));
        }
        free_scene(&s);
    }
}

// all that is long, times the same
static void scale_side(FilShape* shape, FilPose* pose, double by)
{
    shape->radius *= by;
    fil_v3_scale(shape->half, by, shape->half);
    fil_v3_scale(pose->p, by, pose->p);
}

// shapes of tens of metres touch as those of one do; a power of two leaves the rounding as it is
static void sizes_do_not_matter(void** state)
{
    (void)state;
    static const FilShapeKind kinds[4] = {FIL_PRIMITIVE_SPHERE, FIL_PRIMITIVE_CAPSULE, FIL_PRIMITIVE_CYLINDER, FIL_PRIMITIVE_BOX};
    const double by = 32.0;
    Random random = {29};
    int contacts = 0;
    for (int n = 0; n < 1600; n++) {
        Scene s = random_scene(&random, kinds[n % 4], kinds[n / 4 % 4]);
        FilContactPoint small[FIL_MANIFOLD_POINTS], large[FIL_MANIFOLD_POINTS];
        const int count = collide(&s, MARGIN, small);
        scale_side(&s.a, &s.pose_a, by);
        scale_side(&s.b, &s.pose_b, by);
        assert_int_equal(collide(&s, by * MARGIN, large), count);
        for (int i = 0; i < count; i++) {
            assert_near(large[i].distance, by * small[i].distance, 1e-9 * by);
            assert_near(fil_v3_dot(large[i].normal, small[i].normal), 1.0, 1e-9);
        }
        contacts += count;
    }
    assert_true(contacts > 800);
}

static void half_space_measures_the_lowest_point(void** state)
{
    (void)state;
    Random random = {26};
    for (int n = 0; n < 1000; n++) {
        Scene s = random_scene(&random, FIL_PRIMITIVE_HALF_SPACE, kind_of(n));
        if (!two_half_spaces(&s)) {
            double up[3], local[3], lowest[3], world[3], to[3];
            fil_pose_axis(up, &s.pose_a, 2);
            fil_m3_apply_transposed(local, s.pose_b.r, up);
            fil_v3_scale(local, -1.0, local);
            fil_shape_support(&s.b, local, lowest);
            fil_pose_apply(world, &s.pose_b, lowest);
            fil_v3_sub(to, world, s.pose_a.p);
            // the cap of a cylinder starts at its lowest rim point, so even that is exact
            assert_near(fil_signed_distance(&s.a, &s.pose_a, &s.b, &s.pose_b, 100.0), fil_v3_dot(to, up), 1e-9);
        }
        free_scene(&s);
    }
}

// ---- resting bodies ----

// points of b standing on a: all at this distance, as wide as `span`, and reaching out to all sides of the axis z by
// `reach`, so that b stands firm
static void check_stand(const FilContactPoint* points, int count, int expected, double distance, double span, double reach)
{
    double widest = 0.0;
    assert_int_equal(count, expected);
    for (int i = 0; i < count; i++) {
        assert_near(points[i].distance, distance, 1e-9);
        assert_near(points[i].normal[2], 1.0, 1e-9);
        for (int j = 0; j < i; j++) {
            widest = fmax(widest, fil_v3_distance(points[i].position, points[j].position));
        }
    }
    assert_near(widest, span, 1e-8);
    for (int k = 0; k < 64; k++) {
        double farthest = -HUGE_VAL;
        for (int i = 0; i < count; i++) {
            farthest = fmax(farthest, points[i].position[0] * cos(k * FIL_PI / 32.0) + points[i].position[1] * sin(k * FIL_PI / 32.0));
        }
        // the direction of round on round is known to the square root of the distance's rounding
        assert_true(farthest >= reach - 1e-5);
    }
}

static FilHull* hexagonal_prism(double radius, double half)
{
    double points[36];
    FilHull* hull;
    for (int k = 0; k < 12; k++) {
        fil_v3_set(points + 3 * k, radius * cos(k % 6 * FIL_PI / 3.0), radius * sin(k % 6 * FIL_PI / 3.0), k < 6 ? -half : half);
    }
    assert_int_equal(fil_hull_create(points, 12, &hull, NULL), FIL_OK);
    return hull;
}

static void bodies_stand_on_floors(void** state)
{
    (void)state;
    FilHull* prism = hexagonal_prism(0.5, 0.5);
    const FilShape standing[] = {fil_shape_box(0.5, 0.4, 0.5), fil_shape_cylinder(0.5, 0.5), fil_shape_hull(prism)};
    const double spans[] = {2.0 * sqrt(0.41), 1.0, 1.0};
    const FilShape floors[] = {fil_shape_half_space(), fil_shape_box(5.0, 5.0, 1.0), fil_shape_cylinder(5.0, 1.0)};
    for (int f = 0; f < 3; f++) {
        for (int k = 0; k < 3; k++) {
            for (int sign = -1; sign <= 1; sign++) {
                FilPose floor = fil_pose_identity(), pose = fil_pose_identity();
                FilContactPoint points[FIL_MANIFOLD_POINTS];
                floor.p[2] = f == 0 ? 0.0 : -1.0;
                pose.p[2] = 0.5 + 0.01 * sign;
                const int count = fil_collide(&floors[f], &floor, &standing[k], &pose, 0.05, points);
                check_stand(points, count, 4, 0.01 * sign, spans[k], 0.25);
                for (int i = 0; i < count; i++) {
                    // midway between the surfaces
                    assert_near(points[i].position[2], 0.005 * sign, 1e-9);
                }
            }
        }
    }
    fil_hull_destroy(prism);
}

static void capsules_and_barrels_lie_on_two_points(void** state)
{
    (void)state;
    const FilShape lying[] = {fil_shape_capsule(0.1, 0.5), fil_shape_cylinder(0.1, 0.5)};
    const FilShape floors[] = {fil_shape_half_space(), fil_shape_box(5.0, 5.0, 1.0), fil_shape_capsule(1.0, 3.0), fil_shape_cylinder(1.0, 3.0)};
    for (int f = 0; f < 4; f++) {
        for (int k = 0; k < 2; k++) {
            FilPose floor = fil_pose_identity(), pose = fil_pose_identity();
            FilContactPoint points[FIL_MANIFOLD_POINTS];
            // along x
            const double turn[3] = {0.0, 0.5 * FIL_PI, 0.0};
            fil_m3_from_rotation_vector(pose.r, turn);
            if (f >= 2) {
                fil_m3_from_rotation_vector(floor.r, turn);
            }
            floor.p[2] = f == 0 ? 0.0 : -1.0;
            pose.p[2] = 0.1 - 1e-3;
            const int count = fil_collide(&floors[f], &floor, &lying[k], &pose, 0.05, points);
            check_stand(points, count, 2, -1e-3, 1.0, 0.0);
        }
    }
}

static void crossed_rods_touch_in_one_point(void** state)
{
    (void)state;
    const FilShape rod = fil_shape_capsule(0.1, 0.5);
    const FilShape posts[] = {fil_shape_capsule(0.3, 2.0), fil_shape_cylinder(0.3, 2.0)};
    FilPose post = fil_pose_identity(), pose = fil_pose_identity();
    const double turn[3] = {0.0, 0.5 * FIL_PI, 0.0};
    fil_m3_from_rotation_vector(pose.r, turn);
    fil_v3_set(pose.p, 0.2, 0.41, 0.7);
    for (int k = 0; k < 2; k++) {
        FilContactPoint points[FIL_MANIFOLD_POINTS];
        assert_int_equal(fil_collide(&rod, &pose, &posts[k], &post, 0.05, points), 1);
        assert_near(points[0].distance, 0.01, 1e-12);
        assert_near(points[0].normal[1], -1.0, 1e-12);
        assert_near(points[0].position[0], 0.0, 1e-12);
        assert_near(points[0].position[1], 0.305, 1e-12);
        assert_near(points[0].position[2], 0.7, 1e-12);
    }
}

static void turned_boxes_meet_in_an_octagon(void** state)
{
    (void)state;
    const FilShape box = fil_shape_box(0.5, 0.5, 0.5);
    FilPose below = fil_pose_identity(), above = fil_pose_identity();
    const double turn[3] = {0.0, 0.0, 0.25 * FIL_PI};
    FilContactPoint points[FIL_MANIFOLD_POINTS];
    fil_m3_from_rotation_vector(above.r, turn);
    above.p[2] = 0.999;
    const int count = fil_collide(&box, &below, &box, &above, 0.01, points);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) {
        assert_near(points[i].distance, -1e-3, 1e-9);
        // corners of the octagon: on the edge of one box
        const double x = fabs(points[i].position[0]), y = fabs(points[i].position[1]);
        assert_near(fmax(fmax(x, y), (x + y) * sqrt(0.5)), 0.5, 1e-7);
    }
    // a box half over the edge of another keeps to the common part
    above = fil_pose_identity();
    fil_v3_set(above.p, 0.5, 0.0, 0.999);
    assert_int_equal(fil_collide(&box, &below, &box, &above, 0.01, points), 4);
    for (int i = 0; i < 4; i++) {
        assert_true(points[i].position[0] >= -1e-7 && points[i].position[0] <= 0.5 + 1e-7);
    }
}

static void a_tilted_box_keeps_its_far_corners_in_the_margin(void** state)
{
    (void)state;
    const FilShape box = fil_shape_box(0.5, 0.5, 0.5), floors[] = {fil_shape_half_space(), fil_shape_box(3.0, 3.0, 1.0)};
    for (int f = 0; f < 2; f++) {
        FilPose floor = fil_pose_identity(), pose = fil_pose_identity();
        FilContactPoint points[FIL_MANIFOLD_POINTS];
        const double tilt = 0.02, turn[3] = {0.0, tilt, 0.0};
        fil_m3_from_rotation_vector(pose.r, turn);
        floor.p[2] = f == 0 ? 0.0 : -1.0;
        pose.p[2] = 0.5 * (sin(tilt) + cos(tilt)) - 1e-3;
        // two corners 1 mm deep, two lifted by sin(tilt)
        assert_int_equal(fil_collide(&floors[f], &floor, &box, &pose, 0.05, points), 4);
        int low = 0;
        for (int i = 0; i < 4; i++) {
            const bool is_low = points[i].distance < 0.0;
            low += is_low;
            assert_near(points[i].distance, is_low ? -1e-3 : sin(tilt) - 1e-3, 1e-9);
        }
        assert_int_equal(low, 2);
        assert_int_equal(fil_collide(&floors[f], &floor, &box, &pose, 0.005, points), 2);
    }
}

static void features_persist_while_a_box_slides_and_sinks(void** state)
{
    (void)state;
    const FilShape box = fil_shape_box(0.5, 0.4, 0.3), floor = fil_shape_box(3.0, 3.0, 1.0);
    FilPose below = fil_pose_identity(), pose = fil_pose_identity();
    FilContactPoint first[FIL_MANIFOLD_POINTS], now[FIL_MANIFOLD_POINTS];
    below.p[2] = -1.0;
    for (int step = 0; step < 200; step++) {
        const double turn[3] = {1e-5 * sin(0.1 * step), 1e-5 * cos(0.3 * step), 1e-3 * step};
        fil_m3_from_rotation_vector(pose.r, turn);
        fil_v3_set(pose.p, 2e-3 * step, 1e-3 * step, 0.3 + 1e-4 * sin(0.2 * step));
        assert_int_equal(fil_collide(&floor, &below, &box, &pose, 0.01, now), 4);
        if (step == 0) {
            for (int i = 0; i < 4; i++) {
                first[i] = now[i];
            }
        }
        for (int i = 0; i < 4; i++) {
            bool found = false;
            for (int j = 0; j < 4; j++) {
                found = found || first[j].feature == now[i].feature;
            }
            assert_true(found);
        }
    }
}

// ---- degenerate ----

// a point that is surely inside: a hull's origin need not be
static void middle_of(const FilShape* shape, const FilPose* pose, double* out)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    fil_pose_apply(out, pose, shape->kind == FIL_PRIMITIVE_HULL ? shape->hull->mass.centre : origin);
}

static void coincident_shapes_give_a_finite_answer(void** state)
{
    (void)state;
    Random random = {27};
    for (int n = 0; n < 40 * FIL_PRIMITIVE_KINDS * FIL_PRIMITIVE_KINDS; n++) {
        Scene s = random_scene(&random, kind_of(n), kind_of(n / FIL_PRIMITIVE_KINDS));
        if (!two_half_spaces(&s)) {
            FilContactPoint points[FIL_MANIFOLD_POINTS];
            if (n % 2) {
                s.pose_b = s.pose_a;
            }
            double middle_a[3], middle_b[3];
            middle_of(&s.a, &s.pose_a, middle_a);
            middle_of(&s.b, &s.pose_b, middle_b);
            fil_v3_add(s.pose_b.p, s.pose_b.p, middle_a);
            fil_v3_sub(s.pose_b.p, s.pose_b.p, middle_b);
            const int count = collide(&s, MARGIN, points);
            assert_true(count > 0);
            for (int i = 0; i < count; i++) {
                assert_near(fil_v3_norm(points[i].normal), 1.0, 1e-9);
                assert_true(isfinite(points[i].distance));
            }
            assert_true(points[deepest(points, count)].distance < 0.0);
        }
        free_scene(&s);
    }
}

static void segments_without_length_are_spheres(void** state)
{
    (void)state;
    FilContactPoint points[FIL_MANIFOLD_POINTS];
    const double p[3] = {0.0, 0.0, 0.0}, q[3] = {0.0, 0.0, 0.25};
    assert_int_equal(fil_manifold_segments(p, p, 0.1, q, q, 0.1, 0.1, points), 1);
    assert_near(points[0].distance, 0.05, 1e-15);
    assert_near(points[0].normal[2], 1.0, 0.0);
    assert_int_equal(fil_manifold_segments(p, p, 0.1, q, q, 0.1, 0.01, points), 0);
    assert_int_equal(fil_manifold_segments(p, p, 0.1, p, p, 0.1, 0.01, points), 1);
    assert_near(points[0].distance, -0.2, 1e-15);
    assert_near(fil_v3_norm(points[0].normal), 1.0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_is_well_formed),
        cmocka_unit_test(swapping_negates_the_normal),
        cmocka_unit_test(rigid_motion_changes_nothing),
        cmocka_unit_test(moving_by_the_distance_makes_them_touch),
        cmocka_unit_test(cylinders_are_known_to_rounding),
        cmocka_unit_test(closed_forms_match_the_general_method),
        cmocka_unit_test(sizes_do_not_matter),
        cmocka_unit_test(half_space_measures_the_lowest_point),
        cmocka_unit_test(bodies_stand_on_floors),
        cmocka_unit_test(capsules_and_barrels_lie_on_two_points),
        cmocka_unit_test(crossed_rods_touch_in_one_point),
        cmocka_unit_test(turned_boxes_meet_in_an_octagon),
        cmocka_unit_test(a_tilted_box_keeps_its_far_corners_in_the_margin),
        cmocka_unit_test(features_persist_while_a_box_slides_and_sinks),
        cmocka_unit_test(coincident_shapes_give_a_finite_answer),
        cmocka_unit_test(segments_without_length_are_spheres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
