/* Patches of rods: closed forms on planes, the polygons of patch.h as referee elsewhere, and sense beyond the core. */
#include "geometry/rod_patch.h"

#include "patch_totals.h"

#define MODULUS 1e5

static FilRodField section(bool round, double half_x, double half_y, double resolution)
{
    FilRodField field;
    assert_int_equal(fil_rod_field_init(&field, round, half_x, half_y, MODULUS, resolution, NULL), FIL_OK);
    return field;
}

// an edge along x at height z, its m1 turned about its axis, its axis tilted against the plane
static FilRodEdge edge_at(double z, double half_length, double turn, double tilt)
{
    // columns: m1, m2, t; at rest m1 = y, m2 = z, t = x
    const double about_axis[3] = {turn, 0.0, 0.0}, about_y[3] = {0.0, -tilt, 0.0};
    FilPose base = {.p = {0.0, 0.0, 0.0}, .r = {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0}};
    FilPose roll = fil_pose_identity(), pitch = fil_pose_identity(), both;
    FilRodEdge edge = {.half_length = half_length};
    fil_m3_from_rotation_vector(roll.r, about_axis);
    fil_m3_from_rotation_vector(pitch.r, about_y);
    fil_pose_compose(&both, &pitch, &roll);
    fil_pose_compose(&edge.pose, &both, &base);
    edge.pose.p[2] = z;
    return edge;
}

static Totals meet(const FilRodField* field, const FilRodEdge* edge, const FilRodOther* other, double margin, FilPatch* patch)
{
    patch->count = 0;
    assert_int_equal(fil_rod_patch(field, edge, other, margin, 7, patch), FIL_OK);
    return totals_of(patch->points, patch->count);
}

static double round_closed(double r, double x)
{
    const double h = r - x, a = sqrt(r * r - h * h);
    return MODULUS * (a - h * h / r * asinh(a / h));
}

// E [a - (h^2/r) asinh(a/h)] per length, at any turn of the section and with any margin
static void round_on_plane(void** state)
{
    (void)state;
    const double r = 1e-3, half = 0.01;
    const FilRodField field = section(true, r, r, 5e-3);
    const FilBoundary plane = boundary_of(fil_shape_half_space(), 0.0);
    const FilRodOther other = {.boundary = &plane, .pose = fil_pose_identity()};
    FilPatch patch = {0};
    assert_near(round_closed(r, 1e-4), 5.750, 1e-3);
    assert_near(round_closed(r, 5e-4), 53.68, 1e-2);
    for (int k = 1; k < 9; k++) {
        const double x = 1e-4 * k;
        const FilRodEdge edge = edge_at(r - x, half, 0.7 * k, 0.0);
        const Totals t = meet(&field, &edge, &other, 0.0, &patch);
        const double force = t.normal_force / (2.0 * half);
        print_message("round rod at %g r: %.6g N/m, off by %.1e, points %d\n", x / r, force, force / round_closed(r, x) - 1.0, patch.count);
        assert_near(force, round_closed(r, x), 3e-3 * force);
        assert_near(t.force[2], -t.normal_force, 1e-12);
        // stiffness is the force's slope: that of the closed form, whose edges have no pressure
        const double slope = (round_closed(r, x + 1e-7) - round_closed(r, x - 1e-7)) / 2e-7;
        assert_near(t.stiffness / (2.0 * half), slope, (x < 0.65 * r ? 0.02 : 0.1) * slope);
        assert_near(meet(&field, &edge, &other, 3e-4, &patch).normal_force, t.normal_force, 1e-9);
    }
    fil_patch_free(&patch);
}

// flat: E/H (w x - x^2) per length, the taper at both sides included; also on the narrow side
static void rectangle_on_plane(void** state)
{
    (void)state;
    const double half = 0.005;
    const FilBoundary plane = boundary_of(fil_shape_half_space(), 0.0);
    const FilRodOther other = {.boundary = &plane, .pose = fil_pose_identity()};
    FilPatch patch = {0};
    for (int side = 0; side < 2; side++) {
        const FilRodField field = section(false, 0.01, 0.001, 5e-3);
        for (int k = 1; k < 8; k++) {
            const double x = 1e-4 * k, w = side == 0 ? 0.02 : 0.002, up = side == 0 ? 0.001 : 0.01;
            const FilRodEdge edge = edge_at(up - x, half, side * 0.5 * FIL_PI, 0.0);
            const Totals t = meet(&field, &edge, &other, 0.0, &patch);
            const double closed = MODULUS / 1e-3 * (w * x - x * x) * 2.0 * half;
            assert_near(t.normal_force, closed, 1e-9 * closed);
            assert_near(meet(&field, &edge, &other, 2e-4, &patch).normal_force, closed, 1e-9 * closed);
        }
    }
    fil_patch_free(&patch);
}

// a tilted rod touches with one end: the integral of the closed form along the axis, which the tilt makes slightly
// oblique
static void tilted_on_plane(void** state)
{
    (void)state;
    const double r = 2e-3, half = 0.01, tilt = 0.05;
    const FilRodField field = section(true, r, r, 2e-3);
    const FilBoundary plane = boundary_of(fil_shape_half_space(), 0.0);
    const FilRodOther other = {.boundary = &plane, .pose = fil_pose_identity()};
    FilPatch patch = {0};
    const FilRodEdge edge = edge_at(r, half, 0.3, tilt);
    double force = 0.0, moment = 0.0;
    for (int k = 0; k < 4000; k++) {
        const double s = half * ((k + 0.5) / 2000.0 - 1.0);
        // in the section plane the surface is a line at (height)/cos(tilt) from the axis; lengths on the plane are
        // longer by 1/cos
        const double h = (r + s * sin(tilt)) / cos(tilt);
        const double f = h < r ? round_closed(r, r - h) * half / 2000.0 / cos(tilt) : 0.0;
        force += f;
        // seen from the axis the pressed line lies h across
        moment += f * (s * cos(tilt) + h * sin(tilt));
    }
    const Totals t = meet(&field, &edge, &other, 0.0, &patch);
    assert_near(t.normal_force, force, 3e-3 * force);
    // one point per cell, at its middle: the centre of pressure is off by a little of a cell
    assert_near(t.centre[0], moment / force, 0.01 * half);
    fil_patch_free(&patch);
}

// straight across a rigid roller, and along it; the polygons of a cylinder's field, fine enough, are the referee
static void round_on_roller(void** state)
{
    (void)state;
    const double r = 2e-3, roller_radius = 0.03, x = 2e-4;
    const FilRodField field = section(true, r, r, 2e-3);
    FilBoundary roller = boundary_of(fil_shape_cylinder(roller_radius, 0.04), 1e-3);
    FilField referee = field_of(fil_shape_cylinder(r, 0.03), MODULUS, 3e-4, 0.0);
    FilPatch patch = {0}, polygons = {0};
    for (int k = 0; k < 3; k++) {
        // roller's axis in the plane, at 90, 45 and 20 degrees from the rod's
        const double angle = k == 0 ? 0.5 * FIL_PI : (k == 1 ? 0.25 * FIL_PI : 0.35), about[3] = {0.0, 0.0, angle};
        FilRodEdge edge = edge_at(roller_radius + r - x, 0.03, 0.4, 0.0);
        FilPose lie = {.p = {0.0, 0.0, 0.0}, .r = {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0}}, turn = fil_pose_identity();
        FilRodOther other = {.boundary = &roller};
        fil_m3_from_rotation_vector(turn.r, about);
        fil_pose_compose(&other.pose, &turn, &lie);
        const Totals t = meet(&field, &edge, &other, 0.0, &patch);
        polygons.count = 0;
        assert_int_equal(fil_patch_boundary(&referee, &edge.pose, &roller, &other.pose, 0.0, &polygons), FIL_OK);
        const Totals want = totals_of(polygons.points, polygons.count);
        print_message("rod on roller at %g: force off by %.1e, torsion %.1e, points %d for %d\n", angle, t.force[2] / want.force[2] - 1.0,
                      t.torsion / want.torsion - 1.0, patch.count, polygons.count);
        assert_near(t.force[2], want.force[2], 0.01 * fabs(want.force[2]));
        assert_near(t.torsion, want.torsion, 0.03 * want.torsion);
    }
    fil_patch_free(&patch);
    fil_patch_free(&polygons);
    fil_field_free(&referee);
    fil_boundary_free(&roller);
}

// two compliant rods crossing; the equal-pressure surface of two cylinders' fields is the referee, and each rod that of
// the other
static void round_on_round(void** state)
{
    (void)state;
    const double ra = 2e-3, rb = 3e-3, half = 0.012, x = 8e-4;
    const FilRodField a = section(true, ra, ra, 1e-3), b = section(true, rb, rb, 1e-3);
    const FilBoundary line_a = boundary_of(fil_shape_capsule(ra, 1.0), 0.0), line_b = boundary_of(fil_shape_capsule(rb, 1.0), 0.0);
    FilField field_a = field_of(fil_shape_cylinder(ra, half), MODULUS, 2.5e-4, 0.0);
    FilField field_b = field_of(fil_shape_cylinder(rb, half), MODULUS, 2.5e-4, 0.0);
    FilPatch patch = {0};
    for (int k = 0; k < 2; k++) {
        const double about[3] = {0.0, 0.0, k == 0 ? 0.5 * FIL_PI : 0.6};
        FilPose turn = fil_pose_identity();
        const FilRodEdge edge_a = edge_at(ra + rb - x, half, 0.2, 0.0), straight = edge_at(0.0, half, 0.5, 0.0);
        FilRodEdge edge_b = straight;
        fil_m3_from_rotation_vector(turn.r, about);
        fil_pose_compose(&edge_b.pose, &turn, &straight.pose);
        const FilRodOther to_b = {.boundary = &line_b, .pose = edge_b.pose, .stiffness = MODULUS / rb, .half_length = half};
        const FilRodOther to_a = {.boundary = &line_a, .pose = edge_a.pose, .stiffness = MODULUS / ra, .half_length = half};
        const Totals forth = meet(&a, &edge_a, &to_b, 0.0, &patch), back = meet(&b, &edge_b, &to_a, 0.0, &patch);
        patch.count = 0;
        assert_int_equal(fil_patch_fields(&field_a, &edge_a.pose, &field_b, &edge_b.pose, 0.0, &patch), FIL_OK);
        const Totals want = totals_of(patch.points, patch.count);
        print_message("rod on rod: %g, %g, referee %g N\n", forth.force[2], -back.force[2], want.force[2]);
        assert_near(forth.force[2], want.force[2], 0.01 * fabs(want.force[2]));
        assert_near(-back.force[2], want.force[2], 0.01 * fabs(want.force[2]));
    }
    fil_patch_free(&patch);
    fil_field_free(&field_a);
    fil_field_free(&field_b);
}

// two edges of a straight rod, side by side, are one of twice the length, against planes and against two halves of
// another rod
static void edges_add_up(void** state)
{
    (void)state;
    const double r = 2e-3;
    const FilRodField field = section(true, r, r, 5e-4);
    const FilBoundary line = boundary_of(fil_shape_capsule(r, 1.0), 0.0);
    const FilRodEdge whole = edge_at(1.6 * r, 0.01, 0.0, 0.0);
    const FilRodEdge below = edge_at(0.0, 0.01, 0.0, 0.0);
    FilPatch patch = {0};
    FilRodOther other = {.boundary = &line, .stiffness = MODULUS / r, .half_length = 0.01};
    fil_pose_compose(&other.pose, &(FilPose){.p = {0.002, 0.0, 0.0}, .r = {0.8, -0.6, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 1.0}}, &below.pose);
    const double all = meet(&field, &whole, &other, 0.0, &patch).force[2];
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        FilRodEdge half = whole;
        FilRodOther part = other;
        double axis[3];
        half.half_length = part.half_length = 0.005;
        fil_pose_axis(axis, &half.pose, 2);
        fil_v3_axpy(half.pose.p, k % 2 ? 0.005 : -0.005, axis);
        fil_pose_axis(axis, &part.pose, 2);
        fil_v3_axpy(part.pose.p, k / 2 ? 0.005 : -0.005, axis);
        sum += meet(&field, &half, &part, 0.0, &patch).force[2];
    }
    assert_true(all < -0.1);
    assert_near(sum, all, 0.01 * fabs(all));
    fil_patch_free(&patch);
}

// deeper and deeper, past the axis and out at the other side: finite, never pulled in, growing; no jump
static void beyond_the_core(void** state)
{
    (void)state;
    static const double moduli[] = {1e2, 1e7, 1e12};
    const FilBoundary plane = boundary_of(fil_shape_half_space(), 0.0);
    FilPatch patch = {0};
    for (int n = 0; n < 12; n++) {
        const bool round = n % 2 == 0;
        FilRodField field;
        assert_int_equal(fil_rod_field_init(&field, round, 2e-3, round ? 2e-3 : 1e-3, moduli[n / 2 % 3], 1e-3, NULL), FIL_OK);
        const FilRodOther other = {.boundary = &plane, .pose = fil_pose_identity(), .stiffness = n < 6 ? 0.0 : 1e8};
        double before = 0.0;
        for (int k = 0; k <= 800; k++) {
            const double z = 3e-3 - 1e-5 * k;
            const FilRodEdge edge = edge_at(z, 5e-3, round ? 0.3 : 0.0, 0.1);
            const Totals t = meet(&field, &edge, &other, 2e-4, &patch);
            assert_true(t.force[2] <= before + 5e-3 * fabs(before) + 1e-12);
            // no step is steeper than the stiffest foundation there can be, nor than a few per cent of the force
            const double slope = field.modulus / fil_rod_field_depth(&field);
            assert_near(t.force[2], before, 4e-3 * 12e-3 * slope * 1e-5 + 0.03 * fabs(before));
            before = t.force[2];
        }
        assert_true(before < 0.0);
    }
    fil_patch_free(&patch);
}

// a bent rod: mitred ends meet without gap or overlap
static void mitred_edges(void** state)
{
    (void)state;
    const double bend = 0.3, half = 0.01, x = 5e-4;
    const FilRodField field = section(false, 0.01, 0.002, 2e-3);
    const FilBoundary plane = boundary_of(fil_shape_half_space(), 0.0);
    const FilRodOther other = {.boundary = &plane, .pose = fil_pose_identity()};
    FilPatch patch = {0};
    double area = 0.0;
    // bent in the plane: two edges, at angles of half the bend; end planes lean by tan(bend/2) across m1
    for (int k = 0; k < 2; k++) {
        FilRodEdge edge = edge_at(0.002 - x, half, 0.0, 0.0), turned;
        FilPose turn = fil_pose_identity();
        const double about[3] = {0.0, 0.0, k == 0 ? -0.5 * bend : 0.5 * bend}, lean = tan(0.5 * bend);
        fil_m3_from_rotation_vector(turn.r, about);
        turned = edge;
        fil_pose_compose(&turned.pose, &turn, &edge.pose);
        turned.mitre[1 - k][0] = k == 0 ? -lean : lean;
        const Totals t = meet(&field, &turned, &other, 0.0, &patch);
        area += t.area;
        // each edge keeps its own length on its axis: widths x 2 half, sheared by the mitre
        assert_near(t.normal_force, MODULUS / 2e-3 * (0.02 * x - x * x) * 2.0 * half, 1e-9 * t.normal_force);
    }
    assert_near(area, 2.0 * 0.02 * 2.0 * half, 1e-9 * area);
    fil_patch_free(&patch);
}

// a rod across the bend of another, which neither gaps nor overlaps there: the push does not change by more than the
// angle between them asks for, 1/cos(bend/2), and does not jump
static void across_a_bend(void** state)
{
    (void)state;
    const double bend = 0.3, half = 0.01, r = 2e-3, x = 1e-4;
    const FilRodField field = section(true, r, r, 5e-4);
    const FilBoundary line = boundary_of(fil_shape_capsule(r, 1.0), 0.0);
    FilRodOther other[2];
    FilPatch patch = {0};
    double before = NAN, lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (int k = 0; k < 2; k++) {
        const double sign = k == 0 ? -1.0 : 1.0, about[3] = {0.0, 0.0, 0.5 * sign * bend};
        const FilRodEdge straight = edge_at(0.0, half, 0.0, 0.0);
        FilPose turn = fil_pose_identity();
        double along[3];
        fil_m3_from_rotation_vector(turn.r, about);
        other[k] = (FilRodOther){.boundary = &line, .stiffness = MODULUS / r, .half_length = half};
        fil_pose_compose(&other[k].pose, &turn, &straight.pose);
        fil_pose_axis(along, &other[k].pose, 2);
        fil_v3_axpy(other[k].pose.p, sign * half, along);
        other[k].mitre[1 - k][0] = sign * tan(0.5 * bend);
    }
    for (int n = -60; n <= 60; n++) {
        FilRodEdge above = edge_at(0.0, half, 0.0, 0.0), edge = above;
        FilPose turn = fil_pose_identity();
        fil_m3_from_rotation_vector(turn.r, (const double[3]){0.0, 0.0, 0.5 * FIL_PI});
        fil_pose_compose(&edge.pose, &turn, &above.pose);
        fil_v3_set(edge.pose.p, 1e-4 * n, 1e-3, 2.0 * r - x);
        const double force = -meet(&field, &edge, &other[0], 0.0, &patch).force[2] - meet(&field, &edge, &other[1], 0.0, &patch).force[2];
        assert_true(n == -60 || fabs(force - before) < 0.01 * force);
        lowest = fmin(lowest, force);
        highest = fmax(highest, force);
        before = force;
    }
    print_message("across a bend of %g rad: %g to %g N\n", bend, lowest, highest);
    // crossed cylinders of equal fields: pi E x^2/2 at small depths, here within 3 %
    assert_true(lowest > 0.97 * 0.5 * FIL_PI * MODULUS * x * x && highest < 1.03 * 0.5 * FIL_PI * MODULUS * x * x / cos(0.5 * bend));
    fil_patch_free(&patch);
}

// rods side by side and across, at any depth until their axes meet, with moduli from 1e2 to 1e12: finite (totals_of asserts that), never pulled in
static void rods_in_each_other(void** state)
{
    (void)state;
    static const double moduli[] = {1e2, 1e7, 1e12};
    const double r = 2e-3, half = 0.01;
    FilPatch patch = {0};
    for (int n = 0; n < 36; n++) {
        FilRodField field;
        const bool round = n % 2 == 0;
        const FilShape shape = n / 2 % 2 == 0 ? fil_shape_capsule(r, 1.0) : fil_shape_box(r, r, 1.0);
        const FilBoundary line = boundary_of(shape, 0.0);
        // the softer one's field is cut, as the narrow phase does it
        const double one = moduli[n / 4 % 3], two = moduli[n / 12], other_modulus = n / 12 == 0 ? 0.0 : fmax(one, two);
        assert_int_equal(fil_rod_field_init(&field, round, r, r, n / 12 == 0 ? one : fmin(one, two), 1e-3, NULL), FIL_OK);
        for (int k = 0; k < 3 * 41; k++) {
            const double z = 2.2 * r * (k % 41) / 40.0, turn[3] = {0.0, 0.0, k / 41 == 0 ? 0.0 : (k / 41 == 1 ? 1e-9 : 0.5 * FIL_PI)};
            const FilRodEdge edge = edge_at(z, half, 0.1, 0.0), below = edge_at(0.0, half, 0.0, 0.0);
            FilRodOther other = {.boundary = &line, .stiffness = other_modulus / r, .half_length = half};
            FilPose about = fil_pose_identity();
            fil_m3_from_rotation_vector(about.r, turn);
            fil_pose_compose(&other.pose, &about, &below.pose);
            const Totals t = meet(&field, &edge, &other, 1e-4, &patch);
            // normals point from the edge, which is above, to the other: the push on the other is downwards
            assert_true(z == 0.0 || t.force[2] <= 1e-9 * t.normal_force);
        }
    }
    fil_patch_free(&patch);
}

// one solid as box, as hull and as mesh: flat on a face, and across an edge
static void same_solid_three_ways(void** state)
{
    (void)state;
    const double r = 2e-3, size[3] = {0.01, 0.02, 0.015};
    static const int faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    double vertices[24];
    int triangles[36];
    for (int i = 0; i < 8; i++) {
        fil_v3_set(vertices + 3 * i, i & 1 ? size[0] : -size[0], i & 2 ? size[1] : -size[1], i & 4 ? size[2] : -size[2]);
    }
    for (int i = 0; i < 36; i++) {
        triangles[i] = faces[i];
    }
    const FilMesh mesh = {8, 12, vertices, triangles};
    FilHull* hull;
    assert_int_equal(fil_hull_create(vertices, 8, &hull, NULL), FIL_OK);
    FilBoundary solid[3] = {boundary_of(fil_shape_box(size[0], size[1], size[2]), 0.0), boundary_of(fil_shape_hull(hull), 0.0), {0}};
    assert_int_equal(fil_boundary_of_mesh(&mesh, "box", &solid[2], NULL), FIL_OK);
    const FilRodField field = section(true, r, r, 2e-3);
    FilPatch patch = {0};
    for (int k = 0; k < 2; k++) {
        // the edge ends over the box, or reaches past its end
        const FilRodEdge edge = edge_at(size[2] + r - 3e-4, k == 0 ? 0.005 : 0.02, 0.2, 0.0);
        double force[3];
        for (int i = 0; i < 3; i++) {
            const FilRodOther other = {.boundary = &solid[i], .pose = fil_pose_identity()};
            force[i] = meet(&field, &edge, &other, 0.0, &patch).force[2];
        }
        const double closed = -round_closed(r, 3e-4) * (k == 0 ? 0.01 : 0.02);
        // rays that end beside an edge of the box say nothing, and their cells are left out: the last of six at each
        // end
        assert_near(force[0], closed, (k == 0 ? 1e-3 : 0.06) * fabs(closed));
        assert_near(force[1], force[0], 1e-9 * fabs(closed));
        assert_near(force[2], force[0], (k == 0 ? 1e-9 : 1e-4) * fabs(closed));
    }
    fil_patch_free(&patch);
    for (int i = 0; i < 3; i++) {
        fil_boundary_free(&solid[i]);
    }
    fil_hull_destroy(hull);
}

static void bad_input(void** state)
{
    (void)state;
    FilRodField field;
    FilError error = {{0}};
    assert_int_equal(fil_rod_field_init(&field, true, 1e-3, 1e-3, 0.0, 1e-3, &error), FIL_BAD_INPUT);
    assert_true(error.text[0] != '\0');
    assert_int_equal(fil_rod_field_init(&field, false, 1e-3, NAN, 1e5, 1e-3, &error), FIL_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_on_plane),     cmocka_unit_test(rectangle_on_plane),    cmocka_unit_test(tilted_on_plane),
        cmocka_unit_test(round_on_roller),    cmocka_unit_test(round_on_round),        cmocka_unit_test(edges_add_up),
        cmocka_unit_test(beyond_the_core),    cmocka_unit_test(mitred_edges),          cmocka_unit_test(across_a_bend),
        cmocka_unit_test(rods_in_each_other), cmocka_unit_test(same_solid_three_ways), cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
