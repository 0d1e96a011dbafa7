/* Mass properties against tessellated meshes, and their motion and sum. */
#include "geometry/mass.h"

#include <string.h>

#include "random_shapes.h"

enum { AROUND = 96, ALONG = 48 };

typedef struct Surface {
    double vertices[3 * (AROUND * ALONG + 2)];
    int triangles[6 * AROUND * ALONG];
    FilMesh mesh;
} Surface;

// a body of revolution about z through the points (rho_k, z_k), z falling, closed by a point at either end
static void revolve(Surface* s, const double (*profile)[2], int count)
{
    s->mesh = (FilMesh){count * AROUND + 2, 0, s->vertices, s->triangles};
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < AROUND; i++) {
            const double angle = 2.0 * FIL_PI * i / AROUND;
            fil_v3_set(s->vertices + 3 * (k * AROUND + i), profile[k][0] * cos(angle), profile[k][0] * sin(angle), profile[k][1]);
        }
    }
    const int top = count * AROUND, bottom = top + 1;
    fil_v3_set(s->vertices + 3 * top, 0.0, 0.0, profile[0][1]);
    fil_v3_set(s->vertices + 3 * bottom, 0.0, 0.0, profile[count - 1][1]);
    for (int i = 0; i < AROUND; i++) {
        const int j = (i + 1) % AROUND, last = (count - 1) * AROUND;
        int* t = s->triangles + 3 * s->mesh.triangle_count;
        memcpy(t, (const int[6]){top, i, j, bottom, last + j, last + i}, 6 * sizeof(int));
        s->mesh.triangle_count += 2;
        for (int k = 0; k + 1 < count; k++) {
            const int a = k * AROUND + i, b = k * AROUND + j, c = a + AROUND, d = b + AROUND;
            memcpy(s->triangles + 3 * s->mesh.triangle_count, (const int[6]){a, c, b, b, c, d}, 6 * sizeof(int));
            s->mesh.triangle_count += 2;
        }
    }
}

static void check_equal(const FilMassProperties* a, const FilMassProperties* b, double relative)
{
    assert_near(a->volume, b->volume, relative * b->volume);
    for (int k = 0; k < 3; k++) {
        assert_near(a->centre[k], b->centre[k], relative);
    }
    for (int k = 0; k < 9; k++) {
        assert_near(a->inertia[k], b->inertia[k], relative * (b->inertia[0] + b->inertia[4] + b->inertia[8]));
    }
}

static void closed_forms_match_meshes(void** state)
{
    (void)state;
    static Surface s;
    double profile[ALONG][2];
    // inscribed polygons lack (2 pi/96)^2/6 of the area and, along a quarter arc of 24 pieces, as much again; second
    // moments twice that: about 3e-3
    const double tolerance = 4e-3;
    for (int shape = 0; shape < 3; shape++) {
        const double radius = 0.7, half = 0.4;
        int count = 0;
        if (shape == 0) {
            profile[count][0] = radius, profile[count++][1] = half;
            profile[count][0] = radius, profile[count++][1] = -half;
        } else {
            for (int k = 0; k < ALONG; k++) {
                // two quarter arcs, pulled apart for a capsule
                const double angle = FIL_PI * (0.5 + k) / ALONG;
                profile[count][0] = radius * sin(angle);
                profile[count++][1] = radius * cos(angle) + (shape == 2 ? copysign(half, cos(angle)) : 0.0);
            }
        }
        revolve(&s, (const double(*)[2])profile, count);
        assert_int_equal(fil_mesh_check_solid(&s.mesh, "revolved", NULL), FIL_OK);
        const FilMassProperties mesh = fil_mass_of_mesh(&s.mesh);
        const FilMassProperties exact = shape == 0   ? fil_mass_of_cylinder(radius, half)
                                        : shape == 1 ? fil_mass_of_sphere(radius)
                                                     : fil_mass_of_capsule(radius, half);
        check_equal(&mesh, &exact, tolerance);
    }
}

/* Surfaces of revolution: a cylinder, and a cone cut off, V = pi h (R^2 + R r + r^2)/3, Izz = pi h (R^5 - r^5)/(10 (R - r)). */
static void profiles_have_the_mass_of_what_they_bound(void** state)
{
    (void)state;
    const double even[3] = {0.2, 0.2, 0.2}, cut[5] = {0.1, 0.125, 0.15, 0.175, 0.2};
    FilProfile profile;
    FilError error;
    assert_int_equal(fil_profile_create(even, 3, 0.3, &profile, &error), FIL_OK);
    const FilMassProperties cylinder = fil_mass_of_cylinder(0.2, 0.3), same = fil_mass_of_profile(&profile);
    check_equal(&same, &cylinder, 1e-12);
    fil_profile_free(&profile);
    assert_int_equal(fil_profile_create(cut, 5, 0.3, &profile, &error), FIL_OK);
    const FilMassProperties cone = fil_mass_of_profile(&profile);
    const double v = FIL_PI * 0.6 * (0.04 + 0.02 + 0.01) / 3.0;
    assert_true(fabs(cone.volume / v - 1.0) < 1e-12);
    assert_true(fabs(cone.inertia[8] / (FIL_PI * 0.6 * (3.2e-4 - 1e-5) / (10.0 * 0.1)) - 1.0) < 1e-9);
    // from the narrow end: h (r^2 + 2 R r + 3 R^2)/(4 (R^2 + R r + r^2))
    assert_true(fabs(cone.centre[2] - (0.6 * (0.01 + 0.04 + 0.12) / (4.0 * 0.07) - 0.3)) < 1e-12);
    fil_profile_free(&profile);
}

static void a_box_mesh_is_exact(void** state)
{
    (void)state;
    const double half[3] = {0.1, 0.2, 0.3}, at[3] = {100.0, -50.0, 3.0};
    double corners[24];
    FilHull* hull;
    for (int k = 0; k < 8; k++) {
        fil_v3_set(corners + 3 * k, at[0] + (k & 1 ? half[0] : -half[0]), at[1] + (k & 2 ? half[1] : -half[1]), at[2] + (k & 4 ? half[2] : -half[2]));
    }
    assert_int_equal(fil_hull_create(corners, 8, &hull, NULL), FIL_OK);
    FilMassProperties box = fil_mass_of_box(half);
    fil_v3_copy(box.centre, at);
    // coordinates of 100 are exact to 1e-14, sides of 0.2 then to 1e-13
    check_equal(&hull->mass, &box, 1e-12);
    fil_hull_destroy(hull);
}

static void parts_add_up_to_the_whole(void** state)
{
    (void)state;
    // a box cut in two unequal pieces, posed anywhere
    Random random = {41};
    for (int n = 0; n < 100; n++) {
        const double half[3] = {0.3, 0.2, 0.5}, cut = random_between(&random, -0.4, 0.4);
        const double low[3] = {0.3, 0.2, 0.5 * (cut + 0.5)}, high[3] = {0.3, 0.2, 0.5 * (0.5 - cut)};
        const FilPose pose = random_pose(&random, 2.0);
        FilPose inner = fil_pose_identity(), posed;
        FilMassProperties sum = {0};
        FilMassProperties part = fil_mass_of_box(low);
        inner.p[2] = 0.5 * (cut - 0.5);
        fil_pose_compose(&posed, &pose, &inner);
        part = fil_mass_posed(&part, &posed);
        fil_mass_add(&sum, 7.0, &part);
        part = fil_mass_of_box(high);
        inner.p[2] = 0.5 * (cut + 0.5);
        fil_pose_compose(&posed, &pose, &inner);
        part = fil_mass_posed(&part, &posed);
        fil_mass_add(&sum, 7.0, &part);
        const FilMassProperties box = fil_mass_of_box(half);
        FilMassProperties whole = fil_mass_posed(&box, &pose);
        whole.volume *= 7.0;
        for (int k = 0; k < 9; k++) {
            whole.inertia[k] *= 7.0;
        }
        check_equal(&sum, &whole, 1e-12);
    }
}

static void posing_turns_the_inertia(void** state)
{
    (void)state;
    // a quarter turn about z swaps x and y
    FilPose pose = fil_pose_identity();
    const double turn[3] = {0.0, 0.0, 0.5 * FIL_PI}, half[3] = {0.1, 0.2, 0.3};
    fil_m3_from_rotation_vector(pose.r, turn);
    const FilMassProperties box = fil_mass_of_box(half), turned = fil_mass_posed(&box, &pose);
    assert_near(turned.inertia[0], box.inertia[4], 1e-15);
    assert_near(turned.inertia[4], box.inertia[0], 1e-15);
    assert_near(turned.inertia[8], box.inertia[8], 1e-15);
    assert_near(turned.inertia[1], 0.0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_match_meshes), cmocka_unit_test(profiles_have_the_mass_of_what_they_bound),
        cmocka_unit_test(a_box_mesh_is_exact),       cmocka_unit_test(parts_add_up_to_the_whole),
        cmocka_unit_test(posing_turns_the_inertia),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
