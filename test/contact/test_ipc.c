/* ctest: heavy */
/* Contact by barriers: starts that intersect are refused; rods and cloth thrown at each other never cross, judged by every
 * pair of edges and triangles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "filum/filum.h"
#include "geometry/closest.h"
#include "random.h"

static FilStatus load(const char* text, FilWorld** world, FilError* error)
{
    return fil_scene_load_text("test", text, strlen(text), NULL, world, NULL, error);
}

static void test_start_that_intersects(void** state)
{
    (void)state;
    static const char* const crossing =
        "world: {contact: ipc}\n"
        "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000}}\n"
        "rods: [{name: needle, material: soft, section: {circle: {radius: 0.001}}, shape: {straight: {from: [0.03, 0.03, -0.1], to: [0.03, 0.04, "
        "0.1], nodes: 5}}}]\n"
        "shells: [{name: cloth, material: soft, thickness: 0.001, sheet: {along: [0.1, 0, 0], across: [0, 0.1, 0], columns: 3, rows: 3}}]\n";
    FilWorld* world;
    FilError error;
    assert_int_equal(load(crossing, &world, &error), FIL_OK);
    assert_int_equal(fil_world_step(world, NULL), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "needle"));
    assert_non_null(strstr(fil_world_error(world), "cloth"));
    assert_non_null(strstr(fil_world_error(world), "intersect"));
    fil_world_destroy(world);
}

/* strips are not taken for round, unless they do not collide */
static void test_strips(void** state)
{
    (void)state;
    static const char* const strips[2] = {"true", "false"};
    for (int k = 0; k < 2; ++k) {
        char text[600];
        FilWorld* world;
        FilError error;
        (void)snprintf(text, sizeof text,
                       "world: {contact: ipc}\n"
                       "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000}}\n"
                       "rods: [{name: strip, material: soft, section: {rectangle: {width: 0.002, height: 0.02}}, collision: {enabled: %s}, shape: "
                       "{straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 5}}}]\n"
                       "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}], position: [0, 0, -1]}]\n",
                       strips[k]);
        assert_int_equal(load(text, &world, &error), FIL_OK);
        assert_int_equal(fil_world_step(world, NULL), k == 0 ? FIL_BAD_INPUT : FIL_OK);
        if (k == 0) {
            assert_non_null(strstr(fil_world_error(world), "'strip' has rectangular sections"));
            assert_non_null(strstr(fil_world_error(world), "use 'sap'"));
        }
        fil_world_destroy(world);
    }
}

/* what does not collide comes first: what follows collides all the same */
static void test_ghost(void** state)
{
    (void)state;
    static const char text[] =
        "world: {contact: ipc, gravity: [0, 0, -9.81], dt: 0.002}\n"
        "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000}}\n"
        "rods: [{name: ghost, material: soft, section: {circle: {radius: 0.01}}, collision: {enabled: false}, shape: {straight: {from: [-1, 0, 0], "
        "to: [1, 0, 0], nodes: 5}}}]\n"
        "rigid_bodies:\n"
        "  - {name: ground, motion: static, shapes: [{half_space: {}}]}\n"
        "  - {name: ball, motion: dynamic, material: soft, position: [0, 0, 0.06], shapes: [{sphere: {radius: 0.05}}]}\n";
    FilWorld* world;
    FilError error;
    assert_int_equal(load(text, &world, &error), FIL_OK);
    const FilId ball = fil_world_find_rigid(world, "ball");
    for (int step = 0; step < 100; ++step) {  // it would fall by 0.2 m
        FilVec3 p;
        FilQuat q;
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        fil_rigid_get_pose(world, ball, &p, &q);
        assert_true(p.z > 0.05);
    }
    fil_world_destroy(world);
}

/* rings out of reach, and rings under other models */
static void test_bad_rings(void** state)
{
    (void)state;
    static const char* const far =
        "world: {contact: ipc}\n"
        "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000}}\n"
        "rods: [{name: rod, material: soft, section: {circle: {radius: 0.001}}, shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 5}}}]\n"
        "rings: [{name: ring, rod: rod, range: 0.01, point: {mass: 0.001, position: [0.5, 0, 0.1]}}]\n";
    FilWorld* world;
    FilError error;
    assert_int_equal(load(far, &world, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "out of its range"));
    static const char* const sap =
        "world: {contact: sap}\n"
        "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000}}\n"
        "rods: [{name: rod, material: soft, section: {circle: {radius: 0.001}}, shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 5}}}]\n"
        "rings: [{name: ring, rod: rod, range: 0.01, point: {mass: 0.001, position: [0.5, 0, 0]}}]\n";
    assert_int_equal(load(sap, &world, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "'ipc' only"));
}

/* smallest distance between surfaces of cloth and rods, over every pair */
static double min_gap(const FilWorld* world)
{
    enum { MAX_COUNT = 400 };
    static double cloth[3 * MAX_COUNT], rods[2][3 * MAX_COUNT];
    static int triangles[3 * 2 * MAX_COUNT];
    const FilId shell = fil_world_shell_at(world, 0);
    const int count = fil_shell_triangle_count(world, shell);
    double min = INFINITY, s, t, w[3];
    fil_shell_get_positions(world, shell, cloth);
    fil_shell_get_triangles(world, shell, triangles);
    for (int r = 0; r < 2; ++r) {
        const FilId rod = fil_world_rod_at(world, r);
        fil_rod_get_positions(world, rod, rods[r]);
        for (int e = 0; e < fil_rod_edge_count(world, rod); ++e) {
            for (int k = 0; k < count; ++k) {
                const int* c = triangles + 3 * k;
                const double d =
                    sqrt(fil_segment_triangle(rods[r] + 3 * e, rods[r] + 3 * e + 3, cloth + 3 * c[0], cloth + 3 * c[1], cloth + 3 * c[2], &s, w));
                min = fmin(min, d - fil_rod_radius(world, rod, e) - 0.5 * fil_shell_thickness(world, shell));
            }
        }
    }
    for (int e = 0; e < fil_rod_edge_count(world, fil_world_rod_at(world, 0)); ++e) {
        for (int f = 0; f < fil_rod_edge_count(world, fil_world_rod_at(world, 1)); ++f) {
            const double d = sqrt(fil_segment_segment(rods[0] + 3 * e, rods[0] + 3 * e + 3, rods[1] + 3 * f, rods[1] + 3 * f + 3, &s, &t));
            min = fmin(min, d - fil_rod_radius(world, fil_world_rod_at(world, 0), e) - fil_rod_radius(world, fil_world_rod_at(world, 1), f));
        }
    }
    for (int a = 0; a < count; ++a) {  // the cloth with itself: edges through triangles that share no vertex
        for (int b = 0; b < count; ++b) {
            const int *p = triangles + 3 * a, *q = triangles + 3 * b;
            bool shared = false;
            for (int k = 0; k < 9; ++k) {
                shared = shared || p[k / 3] == q[k % 3];
            }
            for (int k = 0; k < 3 && !shared; ++k) {
                const double d = sqrt(
                    fil_segment_triangle(cloth + 3 * p[k], cloth + 3 * p[(k + 1) % 3], cloth + 3 * q[0], cloth + 3 * q[1], cloth + 3 * q[2], &s, w));
                min = fmin(min, d - fil_shell_thickness(world, shell));
            }
        }
    }
    return min;
}

static void throw_objects(uint64_t seed)
{
    Random random = {seed};
    char text[2048];
    const double speed = random_between(&random, 1.0, 20.0), tilt = random_between(&random, -0.03, 0.03);
    snprintf(text, sizeof text,
             "world: {gravity: [0, 0, -9.81], dt: 0.001, contact: ipc, ipc: {range: 0.002, slip_speed: 0.001}}\n"
             "materials: {soft: {young: 1e6, poisson: 0.3, density: 1000, friction: 0.3}}\n"
             "rods:\n"
             "  - {name: a, material: soft, section: {circle: {radius: 0.003}}, velocity: [0, 0, %g], shape: {straight: {from: [-0.08, %g, 0.05], "
             "to: [0.08, %g, 0.05], nodes: 9}}}\n"
             "  - {name: b, material: soft, section: {circle: {radius: 0.003}}, shape: {straight: {from: [%g, -0.08, -0.05], to: [%g, 0.08, -0.05], "
             "nodes: 9}}}\n"
             "shells:\n"
             "  - {name: cloth, material: soft, thickness: 0.001, noise: 1e-4, sheet: {corner: [-0.05, -0.05, 0], along: [0.1, 0, 0], across: [0, "
             "0.1, 0], columns: 6, rows: 7}, collision: {self: true}}\n",
             -speed, tilt, -tilt, 0.5 * tilt, tilt);
    FilWorld* world;
    FilError error;
    assert_int_equal(load(text, &world, &error), FIL_OK);
    for (int step = 0; step < 60; ++step) {
        const FilStatus status = fil_world_step(world, NULL);
        if (status != FIL_OK) {
            print_message("seed %d, step %d: %s\n", (int)seed, step, fil_world_error(world));
        }
        assert_int_equal(status, FIL_OK);
        assert_true(min_gap(world) > 0.0);
    }
    fil_world_destroy(world);
}

static void test_nothing_crosses(void** state)
{
    const uint64_t* seeds = *state;
    for (uint64_t seed = 1; seed <= *seeds; ++seed) {
        throw_objects(seed);
    }
}

static bool share(const int* a, int count_a, const int* b, int count_b)
{
    bool shared = false;
    for (int k = 0; k < count_a * count_b; ++k) {
        shared = shared || a[k / count_b] == b[k % count_b];
    }
    return shared;
}

/* Points, edges and triangles of a cloth and a rod, the rod's points after the cloth's. */
typedef struct Surface {
    double x[3 * 400], radius[400];
    int points, edges, triangles;
    int edge[1200][2], triangle[800][3];
} Surface;

static void take_surface(const FilWorld* world, Surface* s)
{
    const FilId cloth = fil_world_shell_at(world, 0), rod = fil_world_rod_at(world, 0);
    const int vertices = fil_shell_vertex_count(world, cloth), along = fil_rod_edge_count(world, rod);
    s->triangles = fil_shell_triangle_count(world, cloth);
    s->points = vertices + along + 1;
    s->edges = 0;
    assert_in_range(s->points, 0, 400);
    assert_in_range(s->triangles, 0, 800);
    fil_shell_get_positions(world, cloth, s->x);
    fil_rod_get_positions(world, rod, s->x + 3 * vertices);
    fil_shell_get_triangles(world, cloth, s->triangle[0]);
    for (int p = 0; p < s->points; ++p) {
        s->radius[p] = p < vertices ? 0.5 * fil_shell_thickness(world, cloth) : fil_rod_radius(world, rod, 0);
    }
    for (int k = 0; k < 3 * s->triangles; ++k) {
        const int a = s->triangle[k / 3][k % 3], b = s->triangle[k / 3][(k + 1) % 3], side[2] = {a < b ? a : b, a < b ? b : a};
        bool known = false;
        for (int e = 0; e < s->edges; ++e) {
            known = known || (s->edge[e][0] == side[0] && s->edge[e][1] == side[1]);
        }
        if (!known) {
            memcpy(s->edge[s->edges++], side, sizeof side);
        }
    }
    for (int k = 0; k < along; ++k) {
        s->edge[s->edges][0] = vertices + k;
        s->edge[s->edges++][1] = vertices + k + 1;
    }
}

/* How many pairs are within range, over every pair but those of the rod's own edges. */
static int pairs_within(const Surface* s, int rod_edges, double range)
{
    int count = 0;
    double u, v, w[3];
    for (int e = 0; e < s->edges; ++e) {
        for (int f = e + 1; f < s->edges; ++f) {
            const int *a = s->edge[e], *b = s->edge[f];
            if (!share(a, 2, b, 2) && e < s->edges - rod_edges) {
                const double d = sqrt(fil_segment_segment(s->x + 3 * a[0], s->x + 3 * a[1], s->x + 3 * b[0], s->x + 3 * b[1], &u, &v));
                count += d - s->radius[a[0]] - s->radius[b[0]] < range;
            }
        }
    }
    for (int p = 0; p < s->points; ++p) {
        for (int t = 0; t < s->triangles; ++t) {
            const int* c = s->triangle[t];
            if (!share(&p, 1, c, 3)) {
                const double d = sqrt(fil_point_triangle(s->x + 3 * p, s->x + 3 * c[0], s->x + 3 * c[1], s->x + 3 * c[2], w));
                count += d - s->radius[p] - s->radius[c[0]] < range;
            }
        }
    }
    return count;
}

/* A cloth falls over a rod and folds: at the end of every step contacts are all pairs within range, none is missed. */
static void test_no_pair_is_missed(void** state)
{
    (void)state;
    static const char text[] =
        "world: {gravity: [0, 0, -9.81], dt: 0.002, contact: ipc, ipc: {range: 0.003, slip_speed: 0.001}}\n"
        "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000, friction: 0.1}}\n"
        "rods:\n"
        "  - {name: a, material: soft, section: {circle: {radius: 0.003}}, shape: {straight: {from: [-0.08, 0.003, -0.01], to: [0.08, 0, -0.01], "
        "nodes: 9}}}\n"
        "shells:\n"
        "  - {name: cloth, material: soft, thickness: 0.001, noise: 1e-4, velocity: [0, 0, -2], sheet: {corner: [-0.06, -0.06, 0], along: [0.12, 0, "
        "0], across: [0, 0.12, 0], columns: 14, rows: 14}, collision: {self: true}}\n"
        "attachments:\n"
        "  - {name: left, pin: {rod: a, nodes: [0, 2]}}\n"
        "  - {name: right, pin: {rod: a, nodes: [-2, 2]}}\n";
    static Surface surface;
    FilWorld* world;
    FilError error;
    FilStepInfo info;
    int max = 0;
    assert_int_equal(load(text, &world, &error), FIL_OK);
    for (int step = 0; step < 60; ++step) {
        assert_int_equal(fil_world_step(world, &info), FIL_OK);
        take_surface(world, &surface);
        assert_int_equal(info.contacts, pairs_within(&surface, fil_rod_edge_count(world, fil_world_rod_at(world, 0)), 0.003));
        max = info.contacts > max ? info.contacts : max;
    }
    assert_true(max > 200);
    fil_world_destroy(world);
}

/* More scenes than the usual five if their number is given, such as 200. */
int main(int argc, char** argv)
{
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 5;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_that_intersects),
        cmocka_unit_test(test_strips),
        cmocka_unit_test(test_ghost),
        cmocka_unit_test(test_bad_rings),
        cmocka_unit_test_prestate(test_nothing_crosses, &seeds),
        cmocka_unit_test(test_no_pair_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
