/* P3 VI: what touches nothing is eliminated, and the factor that does it gives free motion too. Neither changes the solution: a block on the ground
 * against the same problem about its free motion in which every vertex is an unknown of the contact problem. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/solid.h"
#include "contact/sap.h"

enum { VERTICES = 5 * 4 * 4 };

typedef struct Block {
    FilSolidBody* body;
    double q[4 * VERTICES], v[4 * VERTICES];
    int* start;
    int* row;
    double* values;
} Block;

/* A block of foam, turned and squeezed a little, that falls and slides. */
static Block make_block(void)
{
    Block block = {0};
    FilSolidMesh mesh;
    FilSolidDef def = fil_solid_def_default();
    FilError error;
    assert_int_equal(fil_solid_mesh_brick((const double[3]){0.2, 0.1, 0.1}, (const int[3]){4, 3, 3}, 0, &mesh, &error), FIL_OK);
    def.vertex_count = mesh.vertex_count;
    def.vertices = mesh.vertices;
    def.tet_count = mesh.tet_count;
    def.tets = mesh.tets;
    def.young = 1e5;
    def.poisson = 0.3;
    def.density = 500.0;
    def.damping_stiffness = 0.01;
    assert_int_equal(mesh.vertex_count, VERTICES);
    assert_int_equal(fil_solid_create(&def, &block.body, &error), FIL_OK);
    fil_solid_mesh_free(&mesh);
    fil_solid_ops.init_state(block.body, block.q, block.v, NULL);
    for (int i = 0; i < VERTICES; i++) {
        double* x = block.q + 4 * i;
        x[0] += 0.1 * x[2] * x[2];
        x[1] *= 1.0 - 0.2 * x[0];
        block.v[4 * i] = 0.3 + 0.5 * x[2];
        block.v[4 * i + 1] = 0.1 * sin(30.0 * x[0]);
        block.v[4 * i + 2] = -0.2;
    }
    const int blocks = fil_solid_ops.tangent_pattern(block.body, NULL, NULL);
    int* column = calloc((size_t)blocks, sizeof *column);
    block.start = calloc(VERTICES + 1, sizeof(int));
    block.row = calloc((size_t)blocks, sizeof(int));
    block.values = calloc(16 * (size_t)blocks, sizeof(double));
    fil_solid_ops.tangent_pattern(block.body, column, block.row);
    for (int k = 0; k < blocks; k++) {
        block.start[column[k] + 1]++;
    }
    for (int k = 0; k < VERTICES; k++) {
        block.start[k + 1] += block.start[k];
    }
    free(column);
    return block;
}

/* Contacts of the lowest layer with the ground; with `all` the others are candidates far above it, which never act. */
static int add_contacts(const Block* block, bool all, FilSapConstraint* constraints, int* variable, double* jacobian)
{
    int count = 0;
    for (int i = 0; i < VERTICES; i++) {
        const bool low = block->q[4 * i + 2] < -0.049;
        if (!low && !all) {
            continue;
        }
        constraints[count] = (FilSapConstraint){.kind = FIL_SAP_CONTACT,
                                                .first_block = count,
                                                .block_count = 1,
                                                .contact = {.distance = low ? -1e-5 : 1e3, .mu = 0.5, .stiffness = INFINITY}};
        variable[count] = i;
        memset(jacobian + FIL_SAP_JACOBIAN * count, 0, FIL_SAP_JACOBIAN * sizeof *jacobian);
        for (int d = 0; d < 3; d++) {
            jacobian[FIL_SAP_JACOBIAN * count + 5 * d] = 1.0;
        }
        count++;
    }
    return count;
}

static void solve(const Block* block, bool all, const double* v_free, const double* push, double* v)
{
    FilSapConstraint constraints[VERTICES];
    int variable[VERTICES];
    double jacobian[FIL_SAP_JACOBIAN * VERTICES], impulse[3 * VERTICES];
    FilSapProblem problem = {.dt = 0.01,
                             .pattern = {VERTICES, block->start, block->row},
                             .a = block->values,
                             .v_free = v_free,
                             .push = push,
                             .constraints = constraints,
                             .block = variable,
                             .jacobian = jacobian};
    problem.constraint_count = add_contacts(block, all, constraints, variable, jacobian);
    FilSapOptions options = fil_sap_options_default();
    options.tolerance = 1e-14;
    FilSap* sap = fil_sap_create();
    FilSapStats stats;
    memcpy(v, block->v, sizeof block->v);
    (void)!fil_sap_solve(sap, &problem, &options, v, impulse, &stats);  // as far as rounding lets it
    print_message("%d constraints: %d iterations, residual %.2e\n", problem.constraint_count, stats.iterations, stats.residual);
    assert_true(stats.residual < 1e-13);
    fil_sap_destroy(sap);
}

static void elimination_and_a_shared_factor_change_nothing(void** state)
{
    (void)state;
    Block block = make_block();
    const FilStepSetup setup = {.dt = 0.01, .theta = 1.0, .theta_vq = 1.0, .gravity = {0.0, 0.0, -9.81}};
    double residual[4 * VERTICES], step[4 * VERTICES], v_free[4 * VERTICES], whole[4 * VERTICES], part[4 * VERTICES], potential, worst = 0.0;
    fil_solid_ops.begin(block.body, &setup, block.q, block.v, NULL);
    assert_true(fil_solid_ops.linear(block.body));
    assert_true(fil_solid_ops.evaluate(block.body, block.v, 0.0, residual, &potential));
    fil_solid_ops.tangent(block.body, block.values);
    // free motion by a factor of its own, then every vertex in the contact problem
    memcpy(step, residual, sizeof step);
    assert_true(fil_solid_ops.factor(block.body));
    fil_solid_ops.solve(block.body, step);
    for (int k = 0; k < 4 * VERTICES; k++) {
        v_free[k] = block.v[k] - step[k];
    }
    solve(&block, true, v_free, NULL, whole);
    // the lowest layer only, about the velocities of the start
    solve(&block, false, block.v, residual, part);
    for (int k = 0; k < 4 * VERTICES; k++) {
        worst = fmax(worst, fabs(part[k] - whole[k]));
    }
    print_message("differ by %.2e m/s\n", worst);
    assert_true(worst < 1e-12);  // of velocities of 0.3 m/s
    fil_solid_ops.destroy(block.body);
    free(block.start);
    free(block.row);
    free(block.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elimination_and_a_shared_factor_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
