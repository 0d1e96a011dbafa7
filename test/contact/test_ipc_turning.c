/* Barriers and bodies that turn: whatever Newton's method tries on the way, cubes are never in what they are thrown at. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/quat.h"
#include "base/vec3.h"
#include "geometry/closest.h"
#include "random.h"
#include "sample.h"
#include "scenes.h"

enum { MAX_POINTS = 64, MAX_TRIANGLES = 108 };

static const double HALF = 0.02; /* m, of a cube */

/* A closed surface. */
typedef struct Surface {
    double x[3 * MAX_POINTS];
    int triangle[MAX_TRIANGLES][3];
    int triangles;
} Surface;

static void take_cube(const FilWorld* world, Surface* s)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    FilVec3 p;
    FilQuat q;
    double rotation[9];
    fil_rigid_get_pose(world, fil_world_find_rigid(world, "cube"), &p, &q);
    fil_m3_from_quat(rotation, q);
    for (int k = 0; k < 8; k++) {
        const double local[3] = {k & 1 ? HALF : -HALF, k & 2 ? HALF : -HALF, k & 4 ? HALF : -HALF};
        fil_m3_apply(s->x + 3 * k, rotation, local);
        fil_v3_add(s->x + 3 * k, s->x + 3 * k, (double[3]){p.x, p.y, p.z});
    }
    s->triangles = 0;
    for (int f = 0; f < 6; f++) {
        memcpy(s->triangle[s->triangles++], (int[3]){faces[f][0], faces[f][1], faces[f][2]}, sizeof(int[3]));
        memcpy(s->triangle[s->triangles++], (int[3]){faces[f][0], faces[f][2], faces[f][3]}, sizeof(int[3]));
    }
}

static void take_solid(const FilWorld* world, Surface* s)
{
    const FilId solid = fil_world_solid_at(world, 0);
    s->triangles = fil_solid_triangle_count(world, solid);
    assert_in_range(fil_solid_vertex_count(world, solid), 1, MAX_POINTS);
    assert_in_range(s->triangles, 1, MAX_TRIANGLES);
    fil_solid_get_positions(world, solid, s->x);
    for (int k = 0; k < s->triangles; k++) {
        fil_solid_get_triangle(world, solid, k, s->triangle[k]);
    }
}

/* How often a surface goes around a point, by the solid angles of its triangles (Van Oosterom and Strackee 1983). */
static double turns_around(const Surface* s, const double* point)
{
    double sum = 0.0;
    for (int k = 0; k < s->triangles; k++) {
        double a[3], b[3], c[3], n[3];
        fil_v3_sub(a, s->x + 3 * s->triangle[k][0], point);
        fil_v3_sub(b, s->x + 3 * s->triangle[k][1], point);
        fil_v3_sub(c, s->x + 3 * s->triangle[k][2], point);
        const double la = fil_v3_norm(a), lb = fil_v3_norm(b), lc = fil_v3_norm(c);
        fil_v3_cross(n, b, c);
        sum += 2.0 * atan2(fil_v3_dot(a, n), la * lb * lc + fil_v3_dot(a, b) * lc + fil_v3_dot(b, c) * la + fil_v3_dot(c, a) * lb);
    }
    return sum / (4.0 * FIL_PI);
}

/* Whether an edge of one surface goes through the other, or all of the one is inside. */
static bool enters(const Surface* a, const Surface* b)
{
    bool in = fabs(turns_around(b, a->x + 3 * a->triangle[0][0])) > 0.5;
    for (int k = 0; k < 3 * a->triangles && !in; k++) {
        const double *from = a->x + 3 * a->triangle[k / 3][k % 3], *to = a->x + 3 * a->triangle[k / 3][(k + 1) % 3];
        for (int t = 0; t < b->triangles && !in; t++) {
            const int* c = b->triangle[t];
            double s, w[3];
            in = fil_segment_triangle(from, to, b->x + 3 * c[0], b->x + 3 * c[1], b->x + 3 * c[2], &s, w) <= 0.0;
        }
    }
    return in;
}

static void run(const char* scene, int steps)
{
    static Surface cube, solid;
    FilWorld* world = load_text(scene);
    for (int step = 0; step < steps; step++) {
        const FilStatus status = fil_world_step(world, NULL);
        if (status != FIL_OK) {
            print_message("%s\n%s\n", fil_world_error(world), scene);
        }
        assert_int_equal(status, FIL_OK);
        take_cube(world, &cube);
        take_solid(world, &solid);
        const bool in = enters(&cube, &solid) || enters(&solid, &cube);
        if (in) {
            print_message("step %d of\n%s\n", step, scene);
        }
        assert_false(in);
    }
    fil_world_destroy(world);
}

static const char materials[] =
    "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000, friction: 0.3}, wood: {density: 1000, friction: 0.3}}\n"
    "solids: [{name: block, material: soft, brick: {size: [0.06, 0.06, 0.06], cells: [3, 3, 3]}}]\n";

/* Corner, edge and side first, from 3 to 100 mm and up to 0.6 rad a step. */
static void cubes_are_stopped(void** state)
{
    (void)state;
    static const struct {
        const char* integrator;
        double speed, spin, dt;
        double along, rotation[2];
    } throws[] = {{"backward_euler", 2, 12, 5e-3, 0.0, {0.1, 0.0}},
                  {"backward_euler", 5, 12, 5e-3, 0.0, {0.1, 0.0}},
                  {"backward_euler", 5, 12, 1e-2, 0.0, {0.1, 0.0}},
                  {"backward_euler", 10, 0, 5e-3, 0.0, {0.1, 0.0}},
                  {"backward_euler", 10, 0, 5e-3, 0.005, {0.5, 0.3}},
                  {"backward_euler", 10, 12, 5e-3, 0.0, {0.1, 0.0}},
                  {"backward_euler", 10, 12, 1e-2, 0.0, {0.1, 0.0}},
                  {"backward_euler", 5, 60, 1e-2, 0.0, {0.1, 0.0}},
                  {"sdirk2", 5, 12, 5e-3, 0.0, {0.1, 0.0}}};
    for (size_t k = 0; k < sizeof throws / sizeof *throws; k++) {
        const double w = throws[k].spin, first = throws[k].along > 0.0 ? 0.2 * w : w, second = throws[k].along > 0.0 ? -w : 0.3 * w;
        char scene[1024];
        (void)snprintf(scene, sizeof scene,
                       "world: {gravity: [0, 0, 0], dt: %g, contact: ipc, integrator: %s, ipc: {range: 0.001}}\n%s"
                       "rigid_bodies: [{name: cube, material: wood, position: [%g, 0.004, 0.075], rotation: [%g, %g, 0.1], velocity: [0, 0, %g], "
                       "angular_velocity: [%g, %g, %g], shapes: [{box: {size: [0.04, 0.04, 0.04]}}]}]\n",
                       throws[k].dt, throws[k].integrator, materials, throws[k].along, throws[k].rotation[0], throws[k].rotation[1], -throws[k].speed,
                       first, second, -0.5 * w);
        run(scene, 9);
    }
}

/* A cube on a hinge 0.1 m away, like a link of a robot. */
static void swings_are_stopped(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const double spin = 20.0 * (1 + k);
        char scene[1024];
        (void)snprintf(scene, sizeof scene,
                       "world: {gravity: [0, 0, 0], dt: 0.005, contact: ipc, ipc: {range: 0.001}}\n%s"
                       "rigid_bodies: [{name: cube, material: wood, position: [0.02, 0.004, 0.08], rotation: [0, 0, 0.2], velocity: [0, 0, %g], "
                       "angular_velocity: [0, %g, 0], shapes: [{box: {size: [0.04, 0.04, 0.04]}}]}]\n"
                       "joints: [{name: pin, hinge: {a: {body: cube}, point: [-0.08, 0, 0.08], axis: [0, 1, 0]}}]\n",
                       materials, -0.1 * spin, spin);
        run(scene, 9);
    }
}

/* Cubes that fall on their corners and roll: torques are those of the step's end, so that the potential may rise where Newton's method is on the
 * right way. At most one of 100 steps has to be divided (6 were), and none gains energy. */
static void falls_are_solved(void** state)
{
    (void)state;
    enum { CUBES = 16, STEPS = 60 };
    int divided = 0;
    Random random = {7};
    for (int k = 0; k < CUBES; k++) {
        double turn[3], speed = random_between(&random, 1.0, 5.0), spin = random_between(&random, 0.0, 20.0);
        random_fill(&random, turn, 3);
        char scene[1024];
        (void)snprintf(scene, sizeof scene,
                       "world: {dt: 0.005, contact: ipc}\n"
                       "materials: {wood: {density: 1000, friction: 0.4}}\n"
                       "rigid_bodies:\n"
                       "  - {name: ground, motion: static, material: wood, shapes: [{half_space: {}}]}\n"
                       "  - {name: cube, material: wood, mass: 1, position: [0, 0, 0.1], rotation: [%g, %g, %g], velocity: [%g, 0, %g], "
                       "angular_velocity: [%g, %g, %g], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n",
                       turn[0], turn[1], turn[2], 0.3 * speed, -speed, spin, -0.4 * spin, 0.2 * spin);
        FilWorld* world = load_text(scene);
        const double start = sample_energy(world);
        for (int step = 0; step < STEPS; step++) {
            FilStepInfo info;
            assert_int_equal(fil_world_step(world, &info), FIL_OK);
            divided += info.halvings > 0;
            assert_true(sample_energy(world) < 1.0001 * start);  // backward Euler damps; free turning by the midpoint rule keeps it
        }
        fil_world_destroy(world);
    }
    assert_true(divided <= CUBES * STEPS / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cubes_are_stopped), cmocka_unit_test(swings_are_stopped), cmocka_unit_test(falls_are_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
