/* The whole field of incremental potentials, as Newton's method meets it: barriers of rods, cloth, rigid bodies and
 * planes, rings and holes, and lagged friction. Its residual is the gradient of its potential, and its Hessian that of
 * its residual.
 *
 * Rigid bodies turn by the exponential of their angular velocity, and what acts on them is the torque at the step's
 * end: over the angular velocity that is the gradient where the body does not spin, or along the spin. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "filum/filum.h"
#include "random.h"
#include "world/world.h"

/* fourth-order central differences */
static const double weights[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
static const double offsets[4] = {-2.0, -1.0, 1.0, 2.0};

static const double DT = 1e-3;

/* barriers begin at 20 mm, friction sticks below 0.5 m/s */
#define SCENE(objects)                                                                                             \
    "world: {gravity: [0, 0, 0], dt: 0.001, contact: ipc, ipc: {range: 0.02, stiffness: 1000, slip_speed: 0.5}}\n" \
    "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000, friction: 0.4}}\n" objects

#define ROD(name, from, to) \
    "  - {name: " name ", material: soft, section: {circle: {radius: 0.01}}, shape: {straight: {from: " from ", to: " to ", nodes: 6}}}\n"

static const char* const pile = SCENE("rods:\n" ROD("low", "[-0.3, 0.01, 0.02]", "[0.3, 0.03, 0.023]") ROD(
    "high", "[0.05, -0.2, 0.055]",
    "[0.02, 0.2, 0.05]") "rigid_bodies:\n"
                         "  - {name: ground, motion: static, material: soft, shapes: [{half_space: {}}]}\n"
                         "  - {name: ball, motion: dynamic, material: soft, position: [0.03, 0.08, 0.123], shapes: "
                         "[{sphere: {radius: 0.05}}]}\n"
                         "  - {name: brick, motion: dynamic, material: soft, position: [0.12, 0.1, 0.0615], rotation: "
                         "[0.02, 0.03, 0.1],\n"
                         "     shapes: [{box: {size: [0.08, 0.06, 0.1]}}]}\n"
                         "shells:\n"
                         "  - {name: cloth, material: soft, thickness: 0.004, noise: 1e-3, sheet: {corner: [-0.1, "
                         "-0.05, 0.187], along: [0.25, 0, 0],\n"
                         "     across: [0, 0.25, 0], columns: 4, rows: 4}}\n");

static const char* const threaded = SCENE("rods:\n" ROD("cable", "[-0.3, 0, 0]", "[0.3, 0.02, 0.05]") ROD(
    "tail", "[0.05, 0.004, 0.085]",
    "[0.1, 0.2, 0.3]") "rigid_bodies:\n"
                       "  - {name: hoop, motion: dynamic, mass: 0.1, inertia: [1e-3, 6e-4, 5e-4, 0, 0, 0], position: "
                       "[-0.1, 0.01, -0.04], rotation: [0.1, 0.3, 0.2]}\n"
                       "  - {name: eye, motion: kinematic, position: [0.15, 0.01, 0.0]}\n"
                       "rings:\n"
                       "  - {name: bead, rod: cable, range: 0.03, stiffness: 100, friction: 0.3, point: {mass: 0.01, "
                       "position: [-0.05, 0.01, 0.03]}}\n"
                       "  - {name: wide, rod: cable, range: 0.03, stiffness: 100, offset: 0.02, friction: 0.3, point: "
                       "{mass: 0.01, position: [0.22, 0.02, 0.0]}}\n"
                       "  - {name: knot, rod: cable, range: 0.07, stiffness: 100, friction: 0.3, node: {rod: tail, "
                       "node: 0}}\n"
                       "  - {name: ring, rod: cable, range: 0.06, stiffness: 300, friction: 0.3, hole: {rigid_body: "
                       "hoop, center: [0.01, 0, 0.005], axis: [1, 0, 0], radius: 0.09}}\n"
                       "  - {name: guide, rod: cable, range: 0.05, stiffness: 300, friction: 0.3, hole: {rigid_body: "
                       "eye, axis: [1, 0, 0.2], radius: 0.07}}\n");

/* a world whose step has begun, and velocities that keep objects apart */
static FilWorld* begin(const char* scene, Random* random, double speed, double* v)
{
    FilWorld* world;
    FilError error;
    FilStepInfo info = {0};
    if (fil_scene_load_text("field", scene, strlen(scene), NULL, &world, NULL, &error) != FIL_OK) {
        print_error("%s\n", error.text);
        fail();
    }
    const FilStepSetup setup = {.dt = DT, .theta = 1.0, .theta_vq = 1.0};
    for (int b = 0; b < world->system.body_count; ++b) {
        const FilBody* body = &world->system.bodies[b];
        body->ops->begin(body->impl, &setup, world->system.state.q + body->q, world->system.state.v + body->v, world->system.state.h + body->h);
        for (int k = 0; k < body->v_count; ++k) {
            const bool turn = !body->ops->points && k >= 4;
            // angles of rods turn as fast as moves their surface, 10 mm off
            const double max = k % 4 < 3 ? speed : body->ops->edge_blocks != NULL ? 100.0 * speed : 0.0;
            v[body->v + k] = body->moves && !turn ? random_between(random, -max, max) : 0.0;
        }
    }
    assert_int_equal(fil_contacts_prepare(&world->solver), FIL_OK);
    const FilStatus status = fil_ipc_potential.begin(&world->solver, DT, v, &info);
    if (status != FIL_OK) {
        print_error("%s\n", fil_world_error(world));
        fail();
    }
    return world;
}

static double potential(FilWorld* world, const double* v, double* residual)
{
    memset(residual, 0, sizeof(double) * (size_t)world->system.v_count);
    return fil_ipc_potential.add(&world->solver, v, residual);
}

enum { MAX_COUNT = 400 };

/* unknowns that a test may move: not idle, not scripted */
static bool free_unknown(const FilWorld* world, int k)
{
    for (int b = 0; b < world->system.body_count; ++b) {
        const FilBody* body = &world->system.bodies[b];
        if (k >= body->v && k < body->v + body->v_count) {
            return body->moves && (k % 4 < 3 || body->ops->edge_blocks != NULL);  // nodes of rods have angles
        }
    }
    return false;
}

/* slope by differences along every unknown, against the residual */
static void check_gradient(FilWorld* world, double* v)
{
    const double step = 1e-3;  // 1e-6 m in gaps of millimetres, 1/500 of the slip speed
    double residual[MAX_COUNT], side[MAX_COUNT], largest = 0.0, worst = 0.0;
    assert_true(world->system.v_count <= MAX_COUNT);
    assert_true(isfinite(potential(world, v, residual)));
    for (int k = 0; k < world->system.v_count; ++k) {
        double slope = 0.0;
        const double keep = v[k];
        if (!free_unknown(world, k)) {
            continue;
        }
        for (int s = 0; s < 4; ++s) {
            v[k] = keep + step * offsets[s];
            slope += weights[s] * potential(world, v, side) / step;
        }
        v[k] = keep;
        largest = fmax(largest, fabs(residual[k]));
        worst = fmax(worst, fabs(slope - residual[k]));
    }
    if (!(worst < 1e-6 * largest)) {
        print_error("off by %g of %g\n", worst, largest);
    }
    assert_true(largest > 1e-6);
    assert_true(worst < 1e-6 * largest);  // slip may cross its bound within the step, where the third derivative jumps: step^2
}

/* x' H x, H as assembled for Newton */
typedef struct Matrix {
    FilBlockSum sum;
    FilInts end, variable;
} Matrix;

/* lets friction's model expect the slip that there is: only then is its curvature the true one. False where it is not,
 * near the edge of sticking */
static bool expect_now(FilWorld* world, const double* v)
{
    bool changed = false, clear = true;
    const int rings = world->solver.ipc.ring_count, all = rings + world->solver.ipc.slides.count;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < all; ++k) {
            FilFriction* friction = k < rings ? &world->solver.ipc.rings[k].friction : &world->solver.ipc.slides.at[k - rings].friction;
            const double share = hypot(friction->expected[0], friction->expected[1]) / world->solver.settings.model.ipc.slip_speed;
            clear = clear && (pass == 0 || !(share > 0.89 && share < 1.01));
            friction->expected[0] = pass == 0 ? 1e9 : friction->expected[0];  // sliding gives way to what is
        }
        if (pass == 0) {
            assert_int_equal(fil_ipc_potential.accept(&world->solver, v, &changed), FIL_OK);
        }
    }
    return clear;
}

static void assemble(FilWorld* world, const double* v, FilPotentialOrder order, Matrix* matrix)
{
    bool same, changed = false;
    int count;
    double residual[MAX_COUNT] = {0.0};
    assert_true(isfinite(fil_ipc_potential.add(&world->solver, v, residual)));
    assert_int_equal(fil_ipc_potential.accept(&world->solver, v, &changed), FIL_OK);
    assert_int_equal(fil_ipc_potential.list(&world->solver, &matrix->end, &matrix->variable, &count), FIL_OK);
    const int first_friction = count;
    assert_int_equal(fil_ipc_potential.list_friction(&world->solver, &matrix->end, &matrix->variable, &count), FIL_OK);
    assert_true(fil_block_sum_adopt(&matrix->sum, world->solver.contact.column_count, count, matrix->end.at, matrix->variable.at, &same));
    fil_block_sum_clear(&matrix->sum);
    fil_ipc_potential.hessian(&world->solver, v, order, &matrix->sum);
    fil_ipc_potential.friction_hessian(&world->solver, v, order, &matrix->sum, first_friction, FIL_FRICTION_ALL);
}

static void free_matrix(Matrix* matrix)
{
    fil_block_sum_free(&matrix->sum);
    fil_free(matrix->end.at);
    fil_free(matrix->variable.at);
}

static double curvature(const FilWorld* world, const Matrix* matrix, const double* x)
{
    double packed[MAX_COUNT] = {0.0}, product[MAX_COUNT], sum = 0.0;
    for (int b = 0; b < world->system.body_count; ++b) {
        if (world->solver.contact.offset[b] >= 0) {
            memcpy(packed + 4 * world->solver.contact.offset[b], x + world->system.bodies[b].v,
                   sizeof(double) * (size_t)world->system.bodies[b].v_count);
        }
    }
    const FilBlockPattern pattern = fil_block_sum_pattern(&matrix->sum);
    fil_block_multiply(&pattern, matrix->sum.values.at, packed, product);
    for (int k = 0; k < 4 * world->solver.contact.column_count; ++k) {
        sum += packed[k] * product[k];
    }
    return sum;
}

/* the same by differences of the residual: what is skew in its derivative, as torques in a turning frame are, drops out
 */
static double curvature_by_differences(FilWorld* world, const double* v, const double* x, double step)
{
    double moved[MAX_COUNT], residual[MAX_COUNT], sum = 0.0;
    for (int s = 0; s < 4; ++s) {
        for (int k = 0; k < world->system.v_count; ++k) {
            moved[k] = v[k] + step * offsets[s] * x[k];
        }
        potential(world, moved, residual);
        for (int k = 0; k < world->system.v_count; ++k) {
            sum += weights[s] * residual[k] * x[k] / step;
        }
    }
    return sum;
}

/* ---- tests ---- */

static void test_gradients(void** state)
{
    (void)state;
    Random random = {41};
    for (int round = 0; round < 10; ++round) {
        double v[MAX_COUNT] = {0.0};
        FilWorld* world = begin(pile, &random, round % 2 == 0 ? 0.2 : 2.0, v);
        // all kinds take part: pairs of rods, of cloth, of rigid points, planes; and friction between them
        assert_true(world->solver.ipc.active_count > 10 && world->solver.ipc.slides.count > 10);
        check_gradient(world, v);
        fil_world_destroy(world);
        world = begin(threaded, &random, round % 2 == 0 ? 0.2 : 2.0, v);
        assert_int_equal(world->solver.ipc.ring_count, 5);
        for (int k = 0; k < 5; ++k) {
            assert_true(world->solver.ipc.rings[k].friction.max > 1e-7);
        }
        check_gradient(world, v);
        fil_world_destroy(world);
    }
}

/* spinning bodies: along the spin */
static void test_spinning(void** state)
{
    (void)state;
    Random random = {42};
    const char* const scenes[2] = {pile, threaded};
    for (int round = 0; round < 2; ++round) {
        double v[MAX_COUNT] = {0.0}, residual[MAX_COUNT], side[MAX_COUNT];
        FilWorld* world = begin(scenes[round], &random, 0.2, v);
        for (int b = 0; b < world->system.body_count; ++b) {
            const FilBody* body = &world->system.bodies[b];
            if (body->ops->points || !body->moves) {
                continue;
            }
            double *spin = v + body->v + 4, axis[3], slope = 0.0;
            for (int k = 0; k < 3; ++k) {
                axis[k] = random_between(&random, -1.0, 1.0);
            }
            fil_v3_scale(spin, 10.0, axis);
            assert_true(isfinite(potential(world, v, residual)));
            const double expected = fil_v3_dot(residual + body->v + 4, axis);
            for (int s = 0; s < 4; ++s) {
                fil_v3_scale(spin, 10.0 + 0.01 * offsets[s], axis);  // as small as slips may cross their bound
                slope += weights[s] * potential(world, v, side) / 0.01;
            }
            assert_true(fabs(slope - expected) < 1e-6 * fabs(expected) + 1e-12);
            fil_v3_set(spin, 0.0, 0.0, 0.0);
        }
        fil_world_destroy(world);
    }
}

/* rings, holes and all friction: exactly. The larger Hessian of majorised steps is never below */
static void test_ring_hessian(void** state)
{
    (void)state;
    Random random = {43};
    Matrix matrix = {0};
    int checked = 0;
    for (int round = 0; round < 40; ++round) {
        double v[MAX_COUNT] = {0.0}, x[MAX_COUNT] = {0.0};
        FilWorld* world = begin(threaded, &random, round % 2 == 0 ? 0.1 : 2.0, v);
        assert_int_equal(world->solver.ipc.active_count, 0);  // no barriers between rods, whose Hessian is not the true one
        for (int k = 0; k < world->system.v_count; ++k) {
            x[k] = free_unknown(world, k) ? random_between(&random, -1.0, 1.0) : 0.0;
        }
        const double expected = curvature_by_differences(world, v, x, 1e-5);  // third derivatives jump: as small as the step
        if (expect_now(world, v)) {
            assemble(world, v, FIL_POTENTIAL_FULL, &matrix);
            assert_true(fabs(curvature(world, &matrix, x) - expected) < 1e-6 * fabs(expected));
            checked++;
        }
        assemble(world, v, FIL_POTENTIAL_DEFINITE, &matrix);
        assert_true(curvature(world, &matrix, x) >= 0.0);
        fil_world_destroy(world);
    }
    assert_true(checked >= 20);
    free_matrix(&matrix);
}

/* barriers along the normal and friction across it: exactly; and never negative */
static void test_barrier_hessian(void** state)
{
    (void)state;
    // a ball on the middle of a level triangle above a level rod above the ground: all normals are upright
    static const char* const tower = SCENE("rods:\n" ROD(
        "rod", "[-0.3, 0, 0.02]",
        "[0.3, 0, 0.02]") "rigid_bodies:\n"
                          "  - {name: ground, motion: static, material: soft, shapes: [{half_space: {}}]}\n"
                          "  - {name: ball, motion: dynamic, material: soft, position: [0.3, 0.25, 0.112], shapes: "
                          "[{sphere: {radius: 0.05}}]}\n"
                          "shells:\n"
                          "  - {name: cloth, material: soft, thickness: 0.004, sheet: {corner: [-0.2, 0.1, 0.05], "
                          "along: [0.8, 0, 0], across: [0, 0.8, 0],\n"
                          "     columns: 1, rows: 1, pattern: squares}}\n");
    Random random = {44};
    Matrix matrix = {0};
    double v[MAX_COUNT] = {0.0}, x[MAX_COUNT] = {0.0};
    int checked = 0;
    FilWorld* world = begin(tower, &random, 0.0, v);
    assert_true(world->solver.ipc.active_count >= 7);  // ball and cloth; six nodes and the ground
    for (int b = 0; b < world->system.body_count; ++b) {
        const FilBody* body = &world->system.bodies[b];
        if (!body->moves) {
            continue;
        }
        memset(x, 0, sizeof x);
        for (int k = body->v + 2; k < body->v + (body->ops->points ? body->v_count : 4); k += 4) {
            x[k] = 1.0;
        }
        const double expected = curvature_by_differences(world, v, x, 1e-2);
        assemble(world, v, FIL_POTENTIAL_FULL, &matrix);
        assert_true(expected > 0.0);
        assert_true(fabs(curvature(world, &matrix, x) - expected) < 1e-6 * expected);
    }
    // along the surfaces barriers do nothing: that is friction's alone, sticking and sliding
    for (int round = 0; round < 200 && checked < 20; ++round) {
        for (int k = 0; k < world->system.v_count; ++k) {
            const bool along = free_unknown(world, k) && k % 4 < 2;
            v[k] = along ? random_between(&random, -0.6, 0.6) : 0.0;
            x[k] = along ? random_between(&random, -1.0, 1.0) : 0.0;
        }
        for (int b = 0; b < world->system.body_count; ++b) {  // a body that turns moves its points across, too
            for (int k = 4; k < world->system.bodies[b].v_count && !world->system.bodies[b].ops->points; ++k) {
                v[world->system.bodies[b].v + k] = x[world->system.bodies[b].v + k] = 0.0;
            }
        }
        const double expected = curvature_by_differences(world, v, x, 1e-5);
        if (expect_now(world, v)) {
            assemble(world, v, FIL_POTENTIAL_FULL, &matrix);
            assert_true(fabs(curvature(world, &matrix, x) - expected) < 1e-6 * fabs(expected));
            checked++;
        }
    }
    assert_int_equal(checked, 20);
    fil_world_destroy(world);
    for (int round = 0; round < 20; ++round) {
        world = begin(pile, &random, round % 2 == 0 ? 0.2 : 2.0, v);
        assemble(world, v, FIL_POTENTIAL_DEFINITE, &matrix);
        for (int k = 0; k < world->system.v_count; ++k) {
            x[k] = free_unknown(world, k) ? random_between(&random, -1.0, 1.0) : 0.0;
        }
        assert_true(curvature(world, &matrix, x) >= 0.0);
        fil_world_destroy(world);
    }
    free_matrix(&matrix);
}

/* Two balls of one body above a level rod: the body and the rod's halves move upright, each by itself, and the body turns across its arms,
 * which couples its turn with nodes. */
static void test_barrier_hessian_of_turns(void** state)
{
    (void)state;
    static const char* const barbell = SCENE("rods:\n" ROD(
        "rod", "[-0.3, 0, 0.02]",
        "[0.3, 0, 0.02]") "rigid_bodies:\n"
                          "  - {name: barbell, motion: dynamic, material: soft, position: [0, 0, 0.09],\n"
                          "     shapes: [{sphere: {radius: 0.05}, position: [0.12, 0, 0]}, {sphere: {radius: 0.05}, position: [-0.12, 0, 0]}]}\n");
    Random random = {47};
    Matrix matrix = {0};
    double v[MAX_COUNT] = {0.0}, x[MAX_COUNT] = {0.0};
    FilWorld* world = begin(barbell, &random, 0.0, v);
    assert_int_equal(world->solver.ipc.active_count, 2);
    for (int round = 0; round < 5; ++round) {
        for (int b = 0; b < world->system.body_count; ++b) {
            const FilBody* body = &world->system.bodies[b];
            const double up[2] = {random_between(&random, -1.0, 1.0), random_between(&random, -1.0, 1.0)}, spin = random_between(&random, -3.0, 3.0);
            for (int k = 2; k < body->v_count; k += body->ops->points ? 4 : 3) {
                x[body->v + k] = body->ops->points ? up[k / 12] : k == 2 ? up[0] : spin;
            }
        }
        const double expected = curvature_by_differences(world, v, x, 1e-6);  // friction's curvature bends at rest: as small as the step
        assert_true(expect_now(world, v));
        assemble(world, v, FIL_POTENTIAL_FULL, &matrix);
        assert_true(fabs(curvature(world, &matrix, x) - expected) < 1e-6 * expected);
    }
    free_matrix(&matrix);
    fil_world_destroy(world);
}

/* Velocities of all as one rigid body: v0 + w x r, and rods turn about their axes with it. */
static void move_together(const FilWorld* world, const double* v0, const double* w, double* v)
{
    for (int b = 0; b < world->system.body_count; ++b) {
        const FilBody* body = &world->system.bodies[b];
        const double* q = world->system.state.q + body->q;
        for (int k = 0; k < (body->ops->points ? body->v_count : 4); k += 4) {
            fil_v3_cross(v + body->v + k, w, q + k);
            fil_v3_add(v + body->v + k, v + body->v + k, v0);
            if (body->ops->edge_blocks != NULL && k + 4 < body->v_count) {
                double along[3];
                fil_v3_sub(along, q + k + 4, q + k);
                fil_v3_normalise(along);
                v[body->v + k + 3] = fil_v3_dot(w, along);
            }
        }
        if (!body->ops->points && body->v_count == 8) {
            double r[9];
            fil_m3_from_quat(r, (FilQuat){q[4], q[5], q[6], q[7]});
            fil_m3_apply_transposed(v + body->v + 4, r, w);
        }
    }
}

/* Rings that move with their rod do not slip, however askew the hole is. */
static void test_rings_that_move_along(void** state)
{
    (void)state;
    Random random = {46};
    for (int round = 0; round < 5; ++round) {
        double v[MAX_COUNT] = {0.0}, v0[3], w[3];
        FilWorld* world = begin(threaded, &random, 0.0, v);
        for (int k = 0; k < 3; ++k) {
            v0[k] = random_between(&random, -1.0, 1.0);
            w[k] = random_between(&random, -1.0, 1.0);
        }
        move_together(world, v0, w, v);
        for (int k = 0; k < 4; ++k) {  // the last one's hole is moved by a script
            const FilRingTerm* term = &world->solver.ipc.rings[k];
            double slip[3] = {0.0};
            for (int e = 0; e < 12 * term->count; ++e) {
                slip[e % 12 / 4] += term->jacobian[e / 12][e % 12] * v[4 * term->lagged[e / 12] + e % 4];
            }
            // rounding of numbers around 1; points rub along the rod alone
            assert_true(fabs(fil_v3_dot(slip, term->friction.tangent[0])) < 1e-12);
            assert_true(k < 3 || fil_v3_norm(slip) < 1e-12);
        }
        fil_world_destroy(world);
    }
}

/* The rims of cylinders that are tilted this way and that, for each plane: the lowest point is the circle's, n . (c +- l a) - r sqrt(1 - (n . a)^2).
 */
static void test_rims(void** state)
{
    (void)state;
    enum { CYLINDERS = 3 };
    static const double tilt[CYLINDERS][2] = {{0.4, 0.7}, {1.2, -2.0}, {0.9, 2.5}};  // from upright, and towards
    static const double radius = 0.05, half = 0.08, centre[3] = {0.0, 0.0, 0.3};
    char scene[2000] = SCENE(
        "rigid_bodies:\n"
        "  - {name: ground, motion: static, material: soft, shapes: [{half_space: {}}]}\n"
        "  - {name: wall, motion: static, material: soft, position: [-1, 0, 0], rotation: [0, 1.1, 0], shapes: [{half_space: {}}]}\n");
    for (int c = 0; c < CYLINDERS; ++c) {
        const size_t end = strlen(scene);
        (void)snprintf(scene + end, sizeof scene - end,
                       "  - {name: can%d, motion: dynamic, material: soft, position: [%g, %g, %g], rotation: [%.17g, %.17g, 0],\n"
                       "     shapes: [{cylinder: {radius: %g, length: %g}}]}\n",
                       c, centre[0], centre[1] + c, centre[2], -tilt[c][0] * sin(tilt[c][1]), tilt[c][0] * cos(tilt[c][1]), radius, 2.0 * half);
    }
    Random random = {45};
    double v[MAX_COUNT] = {0.0};
    FilWorld* world = begin(scene, &random, 0.0, v);
    const FilIpcSurface* s = &world->solver.ipc.surface;
    double *x = malloc(sizeof(double) * 3 * (size_t)s->point_count), lowest[CYLINDERS][2][2];
    assert_non_null(x);
    for (int k = 0; k < CYLINDERS * 4; ++k) {
        lowest[k / 4][k / 2 % 2][k % 2] = INFINITY;
    }
    fil_ipc_surface_place(&world->solver, world->system.state.q, x);
    for (int k = 0; k < s->point_count; ++k) {
        const FilIpcPoint* point = &s->points[k];
        if (point->rim > 0) {
            const double n[3] = {point->rim == 2 ? sin(1.1) : 0.0, 0.0, point->rim == 2 ? cos(1.1) : 1.0}, at[3] = {point->rim == 2 ? -1.0 : 0.0};
            double from[3];
            fil_v3_sub(from, x + 3 * k, at);
            double* min = &lowest[lround(x[3 * k + 1])][point->rim - 1][point->local[2] > 0.0];
            *min = fmin(*min, fil_v3_dot(n, from));
        }
    }
    for (int k = 0; k < CYLINDERS * 4; ++k) {
        const int c = k / 4, wall = k / 2 % 2, top = k % 2;
        const double n[3] = {wall ? sin(1.1) : 0.0, 0.0, wall ? cos(1.1) : 1.0};
        const double a[3] = {sin(tilt[c][0]) * cos(tilt[c][1]), sin(tilt[c][0]) * sin(tilt[c][1]), cos(tilt[c][0])};
        const double from[3] = {centre[0] + (wall ? 1.0 : 0.0), centre[1] + c, centre[2]}, along = fil_v3_dot(n, a);
        const double expected = fil_v3_dot(n, from) + (top ? half : -half) * along - radius * sqrt(1.0 - along * along);
        assert_true(fabs(lowest[c][wall][top] - expected) < 1e-12);
    }
    free(x);
    fil_world_destroy(world);
}

/* A direction that leads so far that nearly everything is near everything on its way: a part of it is looked at, and nothing meets there. The limit
 * of a step's pairs holds as it did. */
static void test_long_directions(void** state)
{
    (void)state;
    Random random = {47};
    for (int round = 0; round < 10; ++round) {
        double v[MAX_COUNT] = {0.0}, direction[MAX_COUNT], trial[MAX_COUNT], residual[MAX_COUNT];
        FilWorld* world = begin(pile, &random, 0.1, v);
        FilIpcField* field = &world->solver.ipc;
        const int max = 10 * (field->surface.point_count + field->pair_count), limit = world->collision.max_contacts;
        for (int k = 0; k < world->system.v_count; ++k) {
            direction[k] = free_unknown(world, k) && k % 4 < 3 ? random_between(&random, -1e4, 1e4) : 0.0;
        }
        world->collision.max_contacts = max - 1;
        assert_true(isfinite(potential(world, v, residual)));
        assert_true(fil_ipc_potential.longest(&world->solver, v, direction) == 0.0);
        assert_int_equal(field->listing, FIL_BAD_INPUT);
        world->collision.max_contacts = limit;
        assert_true(isfinite(potential(world, v, residual)));
        const double part = fil_ipc_potential.longest(&world->solver, v, direction);
        assert_int_equal(field->listing, FIL_OK);
        assert_true(part > 0.0 && part <= 0.1 && field->pair_count <= max);
        for (int k = 0; k < world->system.v_count; ++k) {
            trial[k] = v[k] - part * direction[k];
        }
        assert_true(isfinite(potential(world, trial, residual)));
        fil_world_destroy(world);
    }
}

/* A ball and a corner of a box anywhere over a sheet: where that is flat the ball feels one barrier, and where it is bent to both sides those of
 * triangles, edges and vertices are the potential of what they push, with a Hessian for steps that is never negative. */
static void test_meshes(void** state)
{
    (void)state;
    Random random = {48};
    Matrix matrix = {0};
    for (int round = 0, taken_back = 0; round < 60; ++round) {
        const double noise = round % 3 == 0 ? 0.0 : 4e-3, x = random_between(&random, -0.09, 0.09), y = random_between(&random, -0.09, 0.09);
        double v[MAX_COUNT] = {0.0}, residual[MAX_COUNT];
        char text[2000];
        (void)snprintf(
            text, sizeof text,
            SCENE("shells: [{name: cloth, material: soft, thickness: 0.004, noise: %g, sheet: {corner: [-0.1, -0.1, 0], along: [0.2, 0, 0], "
                  "across: [0, 0.2, 0], columns: 6, rows: 6}}]\n"
                  "rigid_bodies: [{name: ball, material: soft, position: [%.12g, %.12g, 0.062], shapes: [{sphere: {radius: 0.05}}]},\n"
                  "  {name: box, position: [%.12g, 0.0, %g], rotation: [0.3, 0.6, 0.2], shapes: [{box: {size: [0.06, 0.06, 0.06]}}], mass: 1}]\n"),
            noise, x, y, x - 0.3, noise > 0.0 ? 0.067 : 1.0);
        FilWorld* world = begin(text, &random, noise > 0.0 ? 1.0 : 0.0, v);
        if (noise == 0.0) {
            (void)potential(world, v, residual);
            assert_true(fabs(residual[world->system.bodies[0].v + 2] / (DT * fil_barrier(0.01, 0.02, 1000.0).first) - 1.0) < 1e-9);
        } else {
            check_gradient(world, v);
            for (int k = 0; k < world->solver.ipc.active_count; ++k) {
                taken_back += world->solver.ipc.pairs[world->solver.ipc.active.at[k]].times < 0.0;
            }
            assemble(world, v, FIL_POTENTIAL_DEFINITE, &matrix);
            for (int k = 0; k < world->system.v_count; ++k) {
                residual[k] = free_unknown(world, k) ? random_between(&random, -1.0, 1.0) : 0.0;
            }
            assert_true(curvature(world, &matrix, residual) >= 0.0);
        }
        fil_world_destroy(world);
        assert_true(round < 59 || taken_back > 5);
    }
    free_matrix(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_spinning),
        cmocka_unit_test(test_ring_hessian),
        cmocka_unit_test(test_barrier_hessian),
        cmocka_unit_test(test_barrier_hessian_of_turns),
        cmocka_unit_test(test_rims),
        cmocka_unit_test(test_rings_that_move_along),
        cmocka_unit_test(test_long_directions),
        cmocka_unit_test(test_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
