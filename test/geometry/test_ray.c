/* Rays against every shape: by signed distances, which know nothing of rays, and by closed forms. */
#include "geometry/ray.h"

#include "base/memory.h"

#include "geometry/tri_mesh.h"
#include "random_shapes.h"

static FilHalfLine random_ray(Random* random, double size)
{
    FilHalfLine ray;
    random_vector(random, size, ray.origin);
    random_direction(random, ray.direction);
    return ray;
}

static double distance_at(const FilBoundary* boundary, const FilPose* pose, const FilHalfLine* ray, double s, double* normal)
{
    double p[3], own[3], local[3];
    fil_v3_copy(p, ray->origin);
    fil_v3_axpy(p, s, ray->direction);
    fil_pose_apply_inverse(own, pose, p);
    const double distance = fil_boundary_distance(boundary, own, local);
    fil_m3_apply(normal, pose->r, local);
    return distance;
}

/* Where the ray meets the surface the signed distance is zero; before that, and where it meets nothing, it keeps its sign. Returns whether it met. */
static bool check_ray(const FilBoundary* boundary, const FilShape* shape, const FilPose* pose, const FilHalfLine* ray)
{
    enum { SAMPLES = 100 };
    double normal[3];
    const FilRayMeeting met = fil_ray_shape(ray, shape, pose);
    const bool inside = distance_at(boundary, pose, ray, 0.0, normal) < 0.0, met_any = met.distance < INFINITY;
    const double end = met_any ? met.distance : 12.0;  // m: all shapes are nearer
    for (int k = 1; k < SAMPLES; k++) {
        const double d = distance_at(boundary, pose, ray, end * k / SAMPLES, normal);
        assert_true((d < 0.0) == inside || fabs(d) < 1e-9);
    }
    if (met_any) {
        assert_near(distance_at(boundary, pose, ray, met.distance, normal), 0.0, 1e-9);
        assert_near(fil_v3_norm(met.normal), 1.0, 1e-12);
        assert_true(fil_v3_dot(met.normal, ray->direction) <= 0.0);
    }
    return met_any;
}

static void shapes_are_met_where_distances_vanish(void** state)
{
    (void)state;
    Random random = {7};
    for (int kind = 0; kind < FIL_PRIMITIVE_KINDS; kind++) {
        int met = 0;
        for (int n = 0; n < 300; n++) {
            FilHull* hull;
            FilBoundary boundary;
            const FilShape shape = random_shape(&random, (FilShapeKind)kind, &hull);
            const FilPose pose = random_pose(&random, 1.0);
            assert_int_equal(fil_boundary_create(&shape, 0.0, &boundary, NULL), FIL_OK);
            for (int r = 0; r < 4; r++) {
                const FilHalfLine ray = random_ray(&random, n % 2 == 0 ? 0.5 : 2.0);  // often from inside, often not
                met += check_ray(&boundary, &shape, &pose, &ray);
            }
            fil_boundary_free(&boundary);
            fil_hull_destroy(hull);
        }
        assert_in_range(met, 100, 1100);  // some met, some passed by
    }
}

/* An L of two boxes, no hull: the ray into its corner passes over the lower part. */
static void meshes_are_met(void** state)
{
    (void)state;
    static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const int caps[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    FilMesh mesh = {.vertex_count = 12, .triangle_count = 20, .vertices = fil_alloc(36, sizeof(double)), .triangles = fil_alloc(60, sizeof(int))};
    int* t = mesh.triangles;
    for (int k = 0; k < 12; k++) {
        fil_v3_set(mesh.vertices + 3 * k, outline[k % 6][0], outline[k % 6][1], k < 6 ? 0.0 : 1.0);
    }
    for (int k = 0; k < 4; k++) {
        for (int c = 0; c < 3; c++) {
            t[3 * k + c] = caps[k][2 - c];
            t[12 + 3 * k + c] = 6 + caps[k][c];
        }
    }
    for (int k = 0; k < 6; k++) {
        const int next = (k + 1) % 6, side[6] = {k, next, 6 + next, k, 6 + next, 6 + k};
        for (int c = 0; c < 6; c++) {
            t[24 + 6 * k + c] = side[c];
        }
    }
    FilTriMesh* surface;
    FilError error = {{0}};
    if (fil_tri_mesh_create(&mesh, "L", &surface, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    const FilShape shape = {.kind = FIL_PRIMITIVE_HULL, .mesh = surface};
    const FilPose home = fil_pose_identity();
    const FilHalfLine over = {{3.0, 1.5, 0.5}, {-1.0, 0.0, 0.0}}, low = {{3.0, 0.5, 0.5}, {-1.0, 0.0, 0.0}},
                      past = {{3.0, 2.5, 0.5}, {-1.0, 0.0, 0.0}};
    const FilRayMeeting notch = fil_ray_shape(&over, &shape, &home), front = fil_ray_shape(&low, &shape, &home);
    assert_near(notch.distance, 2.0, 1e-14);
    assert_near(notch.normal[0], 1.0, 1e-14);
    assert_near(front.distance, 1.0, 1e-14);
    assert_true(isinf(fil_ray_shape(&past, &shape, &home).distance));
    Random random = {11};
    for (int n = 0; n < 500; n++) {
        const FilPose pose = random_pose(&random, 1.0);
        const FilHalfLine ray = random_ray(&random, 3.0);
        (void)check_ray(&surface->boundary, &shape, &pose, &ray);
    }
    fil_tri_mesh_destroy(surface);
}

/* What is far away, parallel to faces, or touched at its rim. */
static void special_rays(void** state)
{
    (void)state;
    const FilPose home = fil_pose_identity();
    const FilShape ball = fil_shape_sphere(0.5), can = fil_shape_cylinder(0.5, 1.0), box = fil_shape_box(1.0, 2.0, 3.0);
    const FilHalfLine far_away = {{1e6, 0.3, 0.0}, {-1.0, 0.0, 0.0}};
    assert_near(fil_ray_shape(&far_away, &ball, &home).distance, 1e6 - 0.4, 1e-9);
    const FilHalfLine along = {{0.1, 0.2, -4.0}, {0.0, 0.0, 1.0}}, beside = {{0.6, 0.0, -4.0}, {0.0, 0.0, 1.0}};
    assert_near(fil_ray_shape(&along, &can, &home).distance, 3.0, 1e-14);
    assert_true(isinf(fil_ray_shape(&beside, &can, &home).distance));
    const FilHalfLine in_face = {{-5.0, 2.0, 0.0}, {1.0, 0.0, 0.0}}, above_face = {{-5.0, 2.0 + 1e-9, 0.0}, {1.0, 0.0, 0.0}};
    assert_near(fil_ray_shape(&in_face, &box, &home).distance, 4.0, 1e-14);
    assert_true(isinf(fil_ray_shape(&above_face, &box, &home).distance));
    const FilShape ground = fil_shape_half_space();
    const FilHalfLine level = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}}, below = {{0.0, 0.0, -1.0}, {0.6, 0.0, 0.8}};
    assert_true(isinf(fil_ray_shape(&level, &ground, &home).distance));
    assert_near(fil_ray_shape(&below, &ground, &home).distance, 1.25, 1e-14);
}

/* A triangle with a radius is all that is so near to it: the least distance to any of its points is the radius where it is met. */
static void thick_triangles(void** state)
{
    (void)state;
    Random random = {13};
    int met_faces = 0, met_edges = 0;
    for (int n = 0; n < 3000; n++) {
        double corner[3][3], p[3], normal[3], ab[3], ac[3];
        const double radius = random_between(&random, 0.05, 0.3);
        for (int k = 0; k < 3; k++) {
            random_vector(&random, 1.0, corner[k]);
        }
        FilHalfLine ray = random_ray(&random, 0.3);
        fil_v3_axpy(ray.origin, -4.0, ray.direction);  // from outside
        const FilRayMeeting met = fil_ray_triangle(&ray, corner[0], corner[1], corner[2], radius);
        const FilRayMeeting thin = fil_ray_triangle(&ray, corner[0], corner[1], corner[2], 0.0);
        assert_true(met.distance <= thin.distance);
        if (isinf(met.distance)) {
            continue;
        }
        fil_v3_copy(p, ray.origin);
        fil_v3_axpy(p, met.distance, ray.direction);
        fil_v3_sub(ab, corner[1], corner[0]);
        fil_v3_sub(ac, corner[2], corner[0]);
        fil_v3_cross(normal, ab, ac);
        fil_v3_normalise(normal);
        const bool face = fabs(fabs(fil_v3_dot(normal, met.normal)) - 1.0) < 1e-9;
        met_faces += face;
        met_edges += !face;
        // a step of the radius back along the normal ends on the triangle, within its plane and between its edges
        double foot[3], plane[3];
        fil_v3_copy(foot, p);
        fil_v3_axpy(foot, -radius, met.normal);
        fil_v3_sub(plane, foot, corner[0]);
        assert_near(fil_v3_dot(plane, normal), 0.0, 1e-9);
        for (int k = 0; k < 3; k++) {
            double edge[3], out[3], to[3];
            fil_v3_sub(edge, corner[(k + 1) % 3], corner[k]);
            fil_v3_cross(out, edge, normal);
            fil_v3_normalise(out);
            fil_v3_sub(to, foot, corner[k]);
            assert_true(fil_v3_dot(out, to) < 1e-9);
        }
    }
    assert_true(met_faces > 300 && met_edges > 300);
}

/* Rays on the edges and corners of a row of triangles pass between no two. */
static void no_gaps(void** state)
{
    (void)state;
    Random random = {17};
    for (int n = 0; n < 2000; n++) {
        double a[3], b[3], c[3], d[3], on[3];
        fil_v3_set(a, -1.0, random_between(&random, -0.3, 0.3), 0.1);
        fil_v3_set(b, 1.0, random_between(&random, -0.3, 0.3), -0.1);
        fil_v3_set(c, 0.2, 1.0, 0.0);
        fil_v3_set(d, -0.2, -1.0, 0.0);
        const double share = random_between(&random, 0.0, 1.0);
        FilHalfLine ray = {{random_between(&random, -1.0, 1.0), random_between(&random, -1.0, 1.0), 2.0}, {0.0}};
        for (int k = 0; k < 3; k++) {
            on[k] = a[k] + share * (b[k] - a[k]);
        }
        fil_v3_sub(ray.direction, on, ray.origin);
        fil_v3_normalise(ray.direction);
        const double first = fmin(fil_ray_triangle(&ray, a, b, c, 0.0).distance, fil_ray_triangle(&ray, b, a, d, 0.0).distance);
        assert_near(first, fil_v3_distance(on, ray.origin), 1e-9);
    }
}

/* A walk finds what looking at every box finds. */
static double note(void* context, int item)
{
    ((int*)context)[item]++;
    return INFINITY;
}

static void walks_miss_nothing(void** state)
{
    (void)state;
    enum { COUNT = 200 };
    Random random = {19};
    for (int n = 0; n < 100; n++) {
        FilAabb boxes[COUNT];
        FilBvh tree = {0};
        int seen[COUNT] = {0};
        for (int k = 0; k < COUNT; k++) {
            double p[3], q[3];
            random_vector(&random, 1.0, p);
            random_vector(&random, 0.2, q);
            fil_v3_add(q, q, p);
            boxes[k] = fil_aabb_of_segment(p, q, 0.0);
        }
        assert_int_equal(fil_bvh_build(&tree, boxes, COUNT), FIL_OK);
        FilHalfLine ray = random_ray(&random, 1.5);
        if (n % 4 == 0) {  // along an axis
            fil_v3_set(ray.direction, 0.0, n % 8 == 0 ? 1.0 : -1.0, 0.0);
        }
        fil_ray_walk(&ray, &tree, INFINITY, note, seen);
        for (int k = 0; k < COUNT; k++) {
            assert_int_equal(seen[k], fil_ray_box(&ray, &boxes[k], INFINITY) < INFINITY);
        }
        fil_bvh_free(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_met_where_distances_vanish),
        cmocka_unit_test(meshes_are_met),
        cmocka_unit_test(special_rays),
        cmocka_unit_test(thick_triangles),
        cmocka_unit_test(no_gaps),
        cmocka_unit_test(walks_miss_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
