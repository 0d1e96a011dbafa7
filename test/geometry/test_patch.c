/* Patches against closed forms: forces, torsion, orders of convergence, symmetry, invariance, continuity. */
#include "patch_totals.h"

#define MODULUS 1e5

// a field on the plane z = 0, at a height and a tilt
static Totals on_plane(const FilField* field, const FilPose* pose, double margin, FilPatch* patch)
{
    const FilBoundary plane = boundary_of(fil_shape_half_space(), 0.0);
    const FilPose ground = fil_pose_identity();
    patch->count = 0;
    assert_int_equal(fil_patch_boundary(field, pose, &plane, &ground, margin, patch), FIL_OK);
    return totals_of(patch->points, patch->count);
}

// torsion over mu of p = 1 - sqrt(h^2 + r^2)/R on the disc where it is positive, over its force: (8/15) a for small
// depths
static double sphere_arm(double radius, double x)
{
    const double h = radius - x, a = sqrt(radius * radius - h * h);
    double force = 0.0, torsion = 0.0;
    for (int k = 0; k < 20000; k++) {
        const double r = a * (k + 0.5) / 20000.0, p = 1.0 - sqrt(h * h + r * r) / radius;
        force += p * r;
        torsion += p * r * r;
    }
    return torsion / force;
}

// pi E x^2 (1 - 2 x/(3 R)); facets are off by O(h^2): averaged over orientations, errors fall with the square of the size
static void sphere_on_plane(void** state)
{
    (void)state;
    static const double depths[] = {1e-3, 5e-3, 1e-2};
    static const double wanted[] = {0.3100, 7.330, 27.23};
    const double radius = 0.05;
    double error[4] = {0}, torsion_error[4] = {0};
    FilPatch patch = {0};
    for (int level = 0; level < 4; level++) {
        const double h = 0.008 / (1 << level);
        FilField field = field_of(fil_shape_sphere(radius), MODULUS, h, 0.0);
        Random random = {5};
        for (int n = 0; n < 20; n++) {
            FilPose pose = random_pose(&random, 0.0);
            pose.p[2] = radius - depths[1];
            const Totals t = on_plane(&field, &pose, 0.0, &patch);
            const double x = depths[1], closed = FIL_PI * MODULUS * x * x * (1.0 - 2.0 * x / (3.0 * radius));
            error[level] += fabs(t.normal_force / closed - 1.0) / 20.0;
            torsion_error[level] += fabs(t.torsion / (t.normal_force * sphere_arm(radius, x)) - 1.0) / 20.0;
        }
        for (int k = 0; k < 3; k++) {
            const FilPose pose = pose_at(radius - depths[k], 0.3);
            const double closed = FIL_PI * MODULUS * depths[k] * depths[k] * (1.0 - 2.0 * depths[k] / (3.0 * radius));
            assert_near(closed, wanted[k], 1e-3 * closed);
            if (level == 3) {
                assert_near(on_plane(&field, &pose, 0.0, &patch).normal_force, closed, 0.01 * closed);
            }
        }
        print_message("sphere h %g: force error %.2e, torsion error %.2e, cells %d\n", h, error[level], torsion_error[level], field.count);
        fil_field_free(&field);
    }
    // the arm itself: within 1 % of 8/15 of the radius at a depth of R/1000
    assert_near(sphere_arm(radius, 1e-3 * radius) / sqrt(2e-3 * radius * radius), 8.0 / 15.0, 0.005);
    assert_true(order_of(error[0], error[3], 8.0) > 1.8 && error[3] < 1e-4);
    assert_true(order_of(torsion_error[0], torsion_error[3], 8.0) > 1.8 && torsion_error[3] < 1e-3);
    fil_patch_free(&patch);
}

static void cylinder_on_its_end(void** state)
{
    (void)state;
    const double radius = 0.02, half = 0.05, x = 0.004;
    const double closed = MODULUS / radius * (FIL_PI * radius * radius * x - FIL_PI * radius * x * x + FIL_PI * x * x * x / 3.0);
    double error[3], torsion_error[3];
    FilPatch patch = {0};
    for (int level = 0; level < 3; level++) {
        FilField field = field_of(fil_shape_cylinder(radius, half), MODULUS, 0.008 / (1 << level), 0.0);
        const FilPose pose = pose_at(half - x, 0.0), shallow = pose_at(half - 1e-8, 0.0);
        error[level] = on_plane(&field, &pose, 0.0, &patch).normal_force / closed - 1.0;
        const Totals t = on_plane(&field, &shallow, 0.0, &patch);
        // a flat disc under even pressure: 2/3 mu N a
        torsion_error[level] = t.torsion / (2.0 / 3.0 * t.normal_force * radius) - 1.0;
        print_message("cylinder end level %d: force error %.2e, torsion error %.2e\n", level, error[level], torsion_error[level]);
        fil_field_free(&field);
    }
    // a disc of the circle's area has its force; a taper of linear pressure is linear on cells
    assert_true(fabs(error[0]) < 1e-11 && fabs(error[2]) < 1e-11);
    assert_true(fabs(torsion_error[2]) < 0.01 && order_of(torsion_error[0], torsion_error[2], 4.0) > 1.7);
    fil_patch_free(&patch);
}

// per length E [a - (h^2/r) asinh(a/h)], ends without taper: taken from the middle by the difference of two lengths
static void cylinder_on_its_side(void** state)
{
    (void)state;
    const double r = 0.01, x = 0.002, h = r - x, a = sqrt(r * r - h * h);
    const double closed = MODULUS * (a - h * h / r * asinh(a / h));
    double error[3];
    FilPatch patch = {0};
    for (int level = 0; level < 3; level++) {
        double force[2];
        for (int k = 0; k < 2; k++) {
            FilField field = field_of(fil_shape_cylinder(r, 0.05 + 0.05 * k), MODULUS, 0.004 / (1 << level), 0.0);
            const FilPose pose = pose_at(h, 0.5 * FIL_PI);
            force[k] = on_plane(&field, &pose, 0.0, &patch).normal_force;
            fil_field_free(&field);
        }
        error[level] = (force[1] - force[0]) / 0.1 / closed - 1.0;
        print_message("cylinder side level %d: error %.2e\n", level, error[level]);
    }
    assert_true(fabs(error[2]) < 5e-3 && order_of(error[0], error[2], 4.0) > 1.8);
    fil_patch_free(&patch);
}

// the field of a box is exactly linear on its cells: force exact at any resolution, torsion O(h^2)
static void box_on_its_face(void** state)
{
    (void)state;
    const double a = 0.1, half = 0.03, x = 0.005;
    const double closed = MODULUS / half * (a * a * x - 2.0 * a * x * x + 4.0 / 3.0 * x * x * x);
    double error[3];
    FilPatch patch = {0};
    for (int level = 0; level < 3; level++) {
        FilField field = field_of(fil_shape_box(0.5 * a, 0.5 * a, half), MODULUS, 0.02 / (1 << level), 0.0);
        const FilPose pose = pose_at(half - x, 0.0), shallow = pose_at(half - 1e-6, 0.0);
        assert_near(on_plane(&field, &pose, 0.0, &patch).normal_force, closed, 1e-12 * closed);
        const Totals t = on_plane(&field, &shallow, 0.0, &patch);
        assert_near(t.stiffness, MODULUS / half * a * a, 1e-3 * MODULUS / half * a * a);
        // mean distance from the middle of a square: 0.3826 a
        error[level] = t.torsion / (0.382598 * t.normal_force * a) - 1.0;
        print_message("box level %d: torsion error %.2e, points %d\n", level, error[level], patch.count);
        fil_field_free(&field);
    }
    assert_true(fabs(error[2]) < 2e-3 && order_of(error[0], error[2], 4.0) > 1.8);
    fil_patch_free(&patch);
}

// a rigid cone of half-angle th, apex down, into a slab: (E/H) pi tan^2(th) x^3/3
static void cone_into_slab(void** state)
{
    (void)state;
    enum { AROUND = 64 };
    const double tangent = 0.8, x = 0.006, half = 0.02, height = 0.03;
    double points[3 * (AROUND + 1)] = {0};
    for (int k = 0; k < AROUND; k++) {
        const double angle = 2.0 * FIL_PI * k / AROUND;
        // a polygon of the circle's area
        const double radius = height * tangent * sqrt(2.0 * FIL_PI / AROUND / sin(2.0 * FIL_PI / AROUND));
        fil_v3_set(points + 3 * k + 3, radius * cos(angle), radius * sin(angle), height);
    }
    FilHull* hull;
    assert_int_equal(fil_hull_create(points, AROUND + 1, &hull, NULL), FIL_OK);
    FilBoundary cone = boundary_of(fil_shape_hull(hull), 1.0);
    FilField slab = field_of(fil_shape_box(0.1, 0.1, half), MODULUS, 0.05, 0.0);
    FilPatch patch = {0};
    const FilPose at = pose_at(half - x, 0.0), still = fil_pose_identity();
    assert_int_equal(fil_patch_boundary(&slab, &still, &cone, &at, 0.0, &patch), FIL_OK);
    const Totals t = totals_of(patch.points, patch.count);
    const double closed = MODULUS / half * FIL_PI * tangent * tangent * x * x * x / 3.0;
    // sums of A p n: their upward part is the integral of p over the cone's shadow, exact for facets
    assert_near(t.force[2], closed, 1e-9 * closed);
    assert_near(t.force[0], 0.0, 1e-9 * closed);
    fil_patch_free(&patch);
    fil_field_free(&slab);
    fil_boundary_free(&cone);
    fil_hull_destroy(hull);
}

// a rigid sphere into a slab: analytic positions on a triangulated sphere. Force: (E/H) x volume of the cap
static void rigid_sphere_into_slab(void** state)
{
    (void)state;
    const double radius = 0.02, half = 0.02, x = 0.003;
    const double closed = MODULUS / half * FIL_PI * x * x * (radius - x / 3.0);
    double error[3];
    FilField slab = field_of(fil_shape_box(0.1, 0.1, half), MODULUS, 0.05, 0.0);
    FilPatch patch = {0};
    for (int level = 0; level < 3; level++) {
        FilBoundary ball = boundary_of(fil_shape_sphere(radius), 0.004 / (1 << level));
        const FilPose at = pose_at(half + radius - x, 0.7), still = fil_pose_identity();
        patch.count = 0;
        assert_int_equal(fil_patch_boundary(&slab, &still, &ball, &at, 0.0, &patch), FIL_OK);
        error[level] = totals_of(patch.points, patch.count).force[2] / closed - 1.0;
        print_message("rigid sphere level %d: error %.2e, points %d\n", level, error[level], patch.count);
        fil_boundary_free(&ball);
    }
    assert_true(fabs(error[2]) < 1e-3 && order_of(error[0], error[2], 4.0) > 1.5);
    fil_field_free(&slab);
    fil_patch_free(&patch);
}

// the pressure at distance rho from the axis where two spheres, x deep in each other, agree
static double agreed_pressure(double ra, double ea, double rb, double eb, double distance, double rho)
{
    double low = 0.0, high = distance;
    for (int k = 0; k < 60; k++) {
        const double z = 0.5 * (low + high), away = distance - z;
        const double pa = ea * (1.0 - sqrt(z * z + rho * rho) / ra), pb = eb * (1.0 - sqrt(away * away + rho * rho) / rb);
        *(pa > pb ? &low : &high) = z;
    }
    return ea * (1.0 - sqrt(low * low + rho * rho) / ra);
}

static double two_sphere_force(double ra, double ea, double rb, double eb, double distance)
{
    double force = 0.0;
    const double step = 1e-5 * fmin(ra, rb);
    for (double rho = 0.5 * step;; rho += step) {
        const double p = agreed_pressure(ra, ea, rb, eb, distance, rho);
        if (p <= 0.0) {
            return force;
        }
        force += p * 2.0 * FIL_PI * rho * step;
    }
}

// kappa pi R x^2 for small x, R = Ra Rb/(Ra + Rb), k = E/R in series
static void two_spheres(void** state)
{
    (void)state;
    const double ra = 0.05, rb = 0.03, ea = 1e5, eb = 3e5, x = 0.001;
    const double r = ra * rb / (ra + rb), ka = ea / ra, kb = eb / rb, kappa = ka * kb / (ka + kb);
    const double closed = two_sphere_force(ra, ea, rb, eb, ra + rb - x);
    assert_near(closed, kappa * FIL_PI * r * x * x, 0.02 * closed);
    double error[3] = {0};
    FilPatch patch = {0};
    for (int level = 0; level < 3; level++) {
        const double h = 0.004 / (1 << level);
        FilField a = field_of(fil_shape_sphere(ra), ea, h, 0.0), b = field_of(fil_shape_sphere(rb), eb, h, 0.0);
        Random random = {8};
        for (int n = 0; n < 8; n++) {
            FilPose pose_a = random_pose(&random, 0.0), pose_b = random_pose(&random, 0.0);
            pose_b.p[2] = ra + rb - x;
            patch.count = 0;
            assert_int_equal(fil_patch_fields(&a, &pose_a, &b, &pose_b, 0.0, &patch), FIL_OK);
            const Totals t = totals_of(patch.points, patch.count);
            error[level] += fabs(t.force[2] / closed - 1.0) / 8.0;
        }
        print_message("two spheres h %g: error %.2e, points %d\n", h, error[level], patch.count);
        fil_field_free(&a);
        fil_field_free(&b);
    }
    assert_true(error[2] < 2e-3 && order_of(error[0], error[2], 4.0) > 1.5);
    fil_patch_free(&patch);
}

// a compliant floor: in series with the ball, and one that is very stiff is rigid
static void sphere_on_compliant_floor(void** state)
{
    (void)state;
    const double radius = 0.05, x = 0.002, k = MODULUS / radius, s = 3e6;
    FilField ball = field_of(fil_shape_sphere(radius), MODULUS, 0.0015, 1e-3);
    const FilPose at = pose_at(radius - x, 0.4), floor = fil_pose_identity();
    FilPatch patch = {0};
    assert_int_equal(fil_patch_half_space(&ball, &at, &floor, s, 0.0, &patch), FIL_OK);
    // springs in series over the overlap: kappa pi R x^2 for small x
    const double soft = totals_of(patch.points, patch.count).force[2], kappa = k * s / (k + s);
    print_message("compliant floor: %g N, small depths %g\n", -soft, kappa * FIL_PI * radius * x * x);
    assert_near(-soft, kappa * FIL_PI * radius * x * x, 0.03 * fabs(soft));
    patch.count = 0;
    assert_int_equal(fil_patch_half_space(&ball, &at, &floor, 1e12, 1e-3, &patch), FIL_OK);
    const double hard = totals_of(patch.points, patch.count).force[2];
    const double rigid = on_plane(&ball, &at, 0.0, &patch).force[2];
    assert_near(hard, rigid, 1e-4 * fabs(rigid));
    fil_patch_free(&patch);
    fil_field_free(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_on_plane),      cmocka_unit_test(cylinder_on_its_end),
        cmocka_unit_test(cylinder_on_its_side), cmocka_unit_test(box_on_its_face),
        cmocka_unit_test(cone_into_slab),       cmocka_unit_test(rigid_sphere_into_slab),
        cmocka_unit_test(two_spheres),          cmocka_unit_test(sphere_on_compliant_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
