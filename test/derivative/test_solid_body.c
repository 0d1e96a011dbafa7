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
#include "vertex_body.h"

enum { SIDE = 3, VERTICES = SIDE * SIDE * SIDE, UNKNOWNS = 4 * VERTICES };

static VertexBody vertex_body(FilSolidBody* body)
{
    return (VertexBody){&fil_solid_ops, body, VERTICES, body->block_start, body->block_row, body->block_count};
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
    const VertexBody b = vertex_body(body);
    vertex_body_crumple(&b, random, 0.015, q, v);
    fil_solid_ops.load(body, 0, FIL_DRIVE_FORCE, 7, 2, (double[3]){0.3, -0.2, 0.1}, NULL);
    return body;
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
    double q[UNKNOWNS], v[UNKNOWNS], direction[UNKNOWNS];
    FilSolidBody* body = crumpled_cube(&random, model, lumped, nodal, q, v);
    const VertexBody b = vertex_body(body);
    vertex_body_check(&b, &random, theta, 5, q, v, direction);
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
