/* Solids: of a whole body in a step with holds, loads and damping, m is the gradient of its potential and A that of m. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "body/solid.h"
#include "random.h"
#include "solid/blocks.h"

enum { SIDE = 3, VERTICES = SIDE * SIDE * SIDE, UNKNOWNS = 4 * VERTICES, MAX_BLOCKS = 400 };

static bool held_vertex(int vertex)
{
    return vertex == 3 || vertex == 4;
}

/* a crumpled cube of 0.2 m, two vertices held and on the move */
static FilSolidBody* crumpled_cube(Random* random, FilSolidModel model, bool lumped, bool nodal, double* q, double* v)
{
    const double size[3] = {0.2, 0.2, 0.2};
    const int cells[3] = {SIDE - 1, SIDE - 1, SIDE - 1};
    FilSolidMesh mesh = block_mesh(size, cells, 5);
    FilSolidDef def = block_material(model);
    FilSolidBody* body;
    FilError error;
    assert_int_equal(mesh.vertex_count, VERTICES);
    def.vertex_count = mesh.vertex_count;
    def.vertices = mesh.vertices;
    def.tet_count = mesh.tet_count;
    def.tets = mesh.tets;
    def.lumped = lumped;
    def.nodal_pressure = nodal;
    def.poisson = nodal ? 0.45 : def.poisson;
    def.bulk = nodal ? 10.0 * def.bulk : def.bulk;
    def.damping_mass = 0.3;
    def.damping_stiffness = 0.01;
    assert_int_equal(fil_solid_create(&def, &body, &error), FIL_OK);
    fil_solid_mesh_free(&mesh);
    fil_solid_ops.init_state(body, q, v, NULL);
    for (int k = 0; k < UNKNOWNS; ++k) {
        q[k] += k % 4 < 3 ? random_between(random, -0.015, 0.015) : 0.0;
        v[k] = k % 4 < 3 ? random_between(random, -1.0, 1.0) : 0.0;
    }
    FilAttachmentDef pin = fil_attachment_def_default();
    int slot;
    pin.first = 3;
    pin.count = 2;
    assert_int_equal(fil_solid_ops.attach(body, 0, &pin, q, NULL, &slot, &error), FIL_OK);
    const FilTarget target = {.active = true, .displacement = {{0.0}, {0.001, 0.002, 0.003}}};
    fil_solid_ops.set_target(body, slot, &target);
    fil_solid_ops.load(body, 0, FIL_DRIVE_FORCE, 7, 2, (double[3]){0.3, -0.2, 0.1}, NULL);
    return body;
}

static double largest_free(const double* a)
{
    double largest = 0.0;
    for (int k = 0; k < UNKNOWNS; ++k) {
        largest = !held_vertex(k / 4) && fabs(a[k]) > largest ? fabs(a[k]) : largest;
    }
    return largest;
}

static void check_direction(FilSolidBody* body, const double* v, const double* direction, double step)
{
    double sides[2][UNKNOWNS], potentials[2], potential, product[UNKNOWNS], residual[UNKNOWNS], slope = 0.0, size = 0.0;
    for (int s = 0; s < 2; ++s) {
        double moved[UNKNOWNS];
        for (int k = 0; k < UNKNOWNS; ++k) {
            moved[k] = v[k] + (s == 0 ? -step : step) * direction[k];
        }
        assert_true(fil_solid_ops.evaluate(body, moved, 0.0, sides[s], &potentials[s]));
    }
    assert_true(fil_solid_ops.evaluate(body, v, 0.0, residual, &potential));
    for (int k = 0; k < UNKNOWNS; ++k) {
        slope += residual[k] * direction[k];
        size += fabs(residual[k] * direction[k]);
        assert_true(!held_vertex(k / 4) || residual[k] == 0.0);
    }
    assert_true(fabs((potentials[1] - potentials[0]) / (2.0 * step) - slope) < 1e-7 * size);
    const FilBlockPattern pattern = {VERTICES, body->block_start, body->block_row};
    static double values[FIL_BLOCK_SIZE * MAX_BLOCKS];
    assert_in_range(body->block_count, 1, MAX_BLOCKS);
    fil_solid_ops.tangent(body, values);
    fil_block_multiply(&pattern, values, direction, product);
    const double largest = largest_free(product);
    for (int k = 0; k < UNKNOWNS; ++k) {
        // 1e-6 m in edges of 0.1 m: truncation 1e-10 of the third derivative, rounding 1e-16/1e-5 of forces
        assert_true(held_vertex(k / 4) || fabs((sides[1][k] - sides[0][k]) / (2.0 * step) - product[k]) < 1e-6 * largest);
    }
}

/* x <- A^-1 x undoes the product with A */
static void check_solve(FilSolidBody* body, const double* direction)
{
    double x[UNKNOWNS];
    const FilBlockPattern pattern = {VERTICES, body->block_start, body->block_row};
    if (!fil_solid_ops.factor(body)) {
        double potential;
        assert_true(fil_solid_ops.evaluate(body, direction, 1.0, x, &potential));  // definite by elements
        assert_true(fil_solid_ops.factor(body));
    }
    fil_block_multiply(&pattern, body->values, direction, x);
    fil_solid_ops.solve(body, x);
    for (int k = 0; k < UNKNOWNS; ++k) {
        assert_true(fabs(x[k] - direction[k]) < 1e-10);
    }
}

static void check_body(FilSolidModel model, double theta, bool lumped, bool nodal)
{
    Random random = {14};
    double q[UNKNOWNS], v0[UNKNOWNS], v[UNKNOWNS], zero[UNKNOWNS] = {0.0}, direction[UNKNOWNS];
    FilSolidBody* body = crumpled_cube(&random, model, lumped, nodal, q, v0);
    const FilStepSetup setup = {.dt = 0.002, .theta = theta, .theta_vq = theta, .gravity = {0.5, -1.0, -9.81}};
    fil_solid_ops.begin(body, &setup, q, v0, NULL);
    fil_solid_ops.guess(body, zero, v);
    for (int round = 0; round < 5; ++round) {
        for (int k = 0; k < UNKNOWNS; ++k) {
            direction[k] = k % 4 < 3 && !held_vertex(k / 4) ? random_between(&random, -1.0, 1.0) : 0.0;
        }
        check_direction(body, v, direction, 1e-6 / setup.dt);
    }
    check_solve(body, direction);
    fil_solid_ops.destroy(body);
}

static void test_body_derivatives(void** state)
{
    (void)state;
    for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
        check_body(model, 1.0, false, false);
        check_body(model, 0.5, true, false);
        check_body(model, 1.0, false, true);
        check_body(model, 0.5, true, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_body_derivatives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
