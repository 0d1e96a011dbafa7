/* Solids as they move: patch test, rigid motion, energy and momentum, the lagged law's one solve and its swelling, the
 * same bits after restoring. */
#include "blocks.h"

static const double SIZE[3] = {1.0, 0.8, 0.6};
static const int CELLS[3] = {3, 3, 2};

static double vector_size(FilVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

/* x <- F x of all vertices; inner ones then moved at random by `noise` (m) */
static void deform(const FilSolidMesh* mesh, const double* f, double noise, double* x)
{
    Random random = {8};
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double* rest = mesh->vertices + 3 * i;
        bool inner = true;
        for (int k = 0; k < 3; k++) {
            inner = inner && fabs(rest[k]) < 0.5 * SIZE[k] * (1.0 - 1e-9);
        }
        for (int k = 0; k < 3; k++) {
            x[3 * i + k] =
                f[3 * k] * rest[0] + f[3 * k + 1] * rest[1] + f[3 * k + 2] * rest[2] + (inner ? random_between(&random, -noise, noise) : 0.0);
        }
    }
}

/* the surface held where F carries it: the inside follows, whatever the law and the mesh */
static void test_patch(void** state)
{
    (void)state;
    static const double gradients[3][9] = {
        {1.1, 0.05, 0.0, -0.02, 0.95, 0.1, 0.0, 0.03, 1.0},
        {0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},  // compressed to the half
        {1.3, 0.2, 0.1, 0.0, 1.2, 0.0, 0.1, 0.0, 0.9},
    };
    for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
        for (int g = 0; g < 3; g++) {
            FilSolidMesh mesh = block_mesh(SIZE, CELLS, 21);
            FilWorldDef def = fil_world_def_default();
            def.gravity = (FilVec3){0};
            def.dt = 1e4;  // inertia M/dt^2 is 1e-11 of the stiffness
            FilWorld* world = block_world(def);
            const FilId id = block_add(world, block_material(model), &mesh);
            const size_t numbers = 3 * (size_t)mesh.vertex_count;
            double* x = calloc(2 * numbers, sizeof *x);
            double* expected = x + numbers;
            deform(&mesh, gradients[g], 0.01, x);
            deform(&mesh, gradients[g], 0.0, expected);
            assert_int_equal(fil_solid_set_state(world, id, x, NULL), FIL_OK);
            for (int i = 0; i < mesh.vertex_count; i++) {
                if (memcmp(x + 3 * i, expected + 3 * i, 3 * sizeof *x) == 0) {
                    block_pin(world, id, i);
                }
            }
            // the lagged law begins with the rotations of the disturbed mesh and takes new ones in each step
            for (int step = 0; step < (model == FIL_SOLID_COROTATED_LAGGED ? 100 : 3); step++) {
                block_step(world, NULL);
            }
            fil_solid_get_positions(world, id, x);
            double worst = 0.0;
            for (size_t k = 0; k < numbers; k++) {
                worst = fmax(worst, fabs(x[k] - expected[k]));
            }
            assert_true(worst < 1e-12);  // found: 1e-14
            free(x);
            fil_world_destroy(world);
            fil_solid_mesh_free(&mesh);
        }
    }
}

/* turned and carried without strain, nothing pulls: it stays where it is. The linear law feels the rotation */
static void test_rigid_motion(void** state)
{
    (void)state;
    const double c = cos(1.1), s = sin(1.1), rotation[9] = {c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0};
    for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
        FilSolidMesh mesh = block_mesh(SIZE, CELLS, 22);
        FilWorldDef def = fil_world_def_default();
        def.gravity = (FilVec3){0};
        FilWorld* world = block_world(def);
        const FilId id = block_add(world, block_material(model), &mesh);
        double* x = calloc(3 * (size_t)mesh.vertex_count, sizeof *x);
        deform(&mesh, rotation, 0.0, x);
        assert_int_equal(fil_solid_set_state(world, id, x, NULL), FIL_OK);
        block_step(world, NULL);
        const FilSolidMeasure measure = fil_solid_measure(world, id);
        const FilEnergy energy = fil_world_energy(world);
        assert_true(model == FIL_SOLID_LINEAR ? energy.kinetic > 1.0 : energy.kinetic < 1e-20);
        assert_true(model == FIL_SOLID_LINEAR || (measure.max_strain < 1e-12 && measure.max_stress < 1e-7));
        free(x);
        fil_world_destroy(world);
        fil_solid_mesh_free(&mesh);
    }
}

static FilWorld* free_world(double dt, FilIntegrator integrator)
{
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0};
    def.dt = dt;
    def.integrator = integrator;
    return block_world(def);
}

/* a block that flies, spins and vibrates */
static FilWorld* thrown(FilSolidModel model, FilIntegrator integrator, double dt, double noise, double beta, FilId* id)
{
    static const double one[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    FilSolidMesh mesh = block_mesh(SIZE, CELLS, 23);
    FilWorld* world = free_world(dt, integrator);
    FilSolidDef solid = block_material(model);
    solid.damping_stiffness = beta;
    *id = block_add(world, solid, &mesh);
    const size_t numbers = 3 * (size_t)mesh.vertex_count;
    double* x = calloc(2 * numbers, sizeof *x);
    double* v = x + numbers;
    deform(&mesh, one, noise, x);
    for (int i = 0; i < mesh.vertex_count; i++) {
        const double *p = x + 3 * i, w[3] = {0.2, 0.5, 1.0};
        for (int k = 0; k < 3; k++) {
            v[3 * i + k] = w[(k + 1) % 3] * p[(k + 2) % 3] - w[(k + 2) % 3] * p[(k + 1) % 3] + 0.3 * k;
        }
    }
    assert_int_equal(fil_solid_set_state(world, *id, x, v), FIL_OK);
    free(x);
    fil_solid_mesh_free(&mesh);
    return world;
}

/* momentum by every law; angular momentum and, by the midpoint rule, energy by those that know rotations exactly */
static void test_momentum_and_energy(void** state)
{
    (void)state;
    for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
        FilId id;
        FilWorld* world = thrown(model, FIL_MIDPOINT, 0.002, 0.01, 0.0, &id);
        const FilVec3 p0 = fil_world_momentum(world), l0 = fil_world_angular_momentum(world);
        const FilEnergy e0 = fil_world_energy(world);
        for (int step = 0; step < 300; step++) {
            block_step(world, NULL);
        }
        const FilVec3 p1 = fil_world_momentum(world), l1 = fil_world_angular_momentum(world);
        const FilEnergy e1 = fil_world_energy(world);
        const FilVec3 dp = {p1.x - p0.x, p1.y - p0.y, p1.z - p0.z}, dl = {l1.x - l0.x, l1.y - l0.y, l1.z - l0.z};
        assert_true(vector_size(dp) < 1e-11 * vector_size(p0));
        const bool exact = model != FIL_SOLID_LINEAR && model != FIL_SOLID_COROTATED_LAGGED;
        const double energy = e1.kinetic + e1.elastic, before = e0.kinetic + e0.elastic;
        if (exact) {
            assert_true(vector_size(dl) < 1e-9 * vector_size(l0));
            assert_true(fabs(energy - before) < 1e-3 * before);
        }
        assert_true(fil_solid_measure(world, id).min_jacobian > 0.0);
        fil_world_destroy(world);
    }
}

/* one solve a step, however stiff, soft, damped or fast */
static void test_lagged_law_takes_one_solve(void** state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        FilId id;
        FilWorld* world = thrown(FIL_SOLID_COROTATED_LAGGED, FIL_BACKWARD_EULER, 0.001 * pow(10.0, which), 0.02, which == 1 ? 0.01 : 0.0, &id);
        for (int step = 0; step < 20; step++) {
            FilStepInfo info;
            block_step(world, &info);
            assert_int_equal(info.newton_iterations, 1);
            assert_int_equal(info.regularised, 0);
        }
        fil_world_destroy(world);
    }
    // stone: 20 GPa over 40 ms, as P3's arch
    FilSolidMesh mesh = block_mesh(SIZE, CELLS, 24);
    FilWorldDef def = fil_world_def_default();
    def.dt = 0.04;
    FilWorld* world = block_world(def);
    FilSolidDef stone = block_material(FIL_SOLID_COROTATED_LAGGED);
    stone.young = 20e9;
    const FilId id = block_add(world, stone, &mesh);
    block_pin(world, id, 0);
    block_pin(world, id, 1);
    block_pin(world, id, CELLS[0] + 1);
    for (int step = 0; step < 20; step++) {
        FilStepInfo info;
        block_step(world, &info);
        assert_true(info.newton_iterations <= 1);  // none once it is at rest
        assert_true(step > 0 || info.newton_iterations == 1);
        assert_int_equal(info.halvings, 0);
    }
    fil_world_destroy(world);
    fil_solid_mesh_free(&mesh);
}

/* spinning without strain by d = omega dt a step means a swelling of 1/cos d across the axis for the lagged law */
static void test_lagged_law_swells(void** state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        const double dt = which == 0 ? 0.02 : 0.01, omega = 5.0;
        const double cube[3] = {0.1, 0.1, 0.1};
        const int one[3] = {1, 1, 1};
        FilSolidMesh mesh = block_mesh(cube, one, 0);
        FilWorld* world = free_world(dt, FIL_BACKWARD_EULER);
        FilSolidDef stiff = block_material(FIL_SOLID_COROTATED_LAGGED);
        stiff.young = 1e9;  // no centrifugal strain to speak of
        stiff.poisson = 0.0;
        const FilId id = block_add(world, stiff, &mesh);
        double v[24], x[24];
        for (int i = 0; i < 8; i++) {
            v[3 * i] = -omega * mesh.vertices[3 * i + 1];
            v[3 * i + 1] = omega * mesh.vertices[3 * i];
            v[3 * i + 2] = 0.0;
        }
        assert_int_equal(fil_solid_set_state(world, id, NULL, v), FIL_OK);
        double turned = 0.0, before = 0.0;
        for (int step = 0; step < 10; step++) {
            fil_solid_get_positions(world, id, x);
            before = atan2(x[1], x[0]);
            block_step(world, NULL);
            fil_solid_get_positions(world, id, x);
            turned = remainder(atan2(x[1], x[0]) - before, 8.0 * atan(1.0));
        }
        const double swelling = hypot(x[0], x[1]) / hypot(0.05, 0.05) - 1.0, expected = 1.0 / cos(turned) - 1.0;
        assert_true(expected > 1e-4);
        assert_true(fabs(swelling - expected) < 0.01 * expected);  // 1 %: the turn still changes from step to step
        fil_world_destroy(world);
        fil_solid_mesh_free(&mesh);
    }
}

static void test_same_bits_after_restoring(void** state)
{
    (void)state;
    for (FilSolidModel model = 0; model < FIL_SOLID_MODEL_COUNT; model++) {
        FilId id;
        FilWorld* world = thrown(model, FIL_SDIRK2, 0.005, 0.01, 0.001, &id);
        const size_t size = fil_world_snapshot_size(world);
        void* snapshot = malloc(size);
        for (int step = 0; step < 3; step++) {
            block_step(world, NULL);
        }
        fil_world_save(world, snapshot);
        uint64_t hashes[2];
        for (int run = 0; run < 2; run++) {
            assert_int_equal(fil_world_restore(world, snapshot, size), FIL_OK);
            for (int step = 0; step < 5; step++) {
                block_step(world, NULL);
            }
            hashes[run] = fil_world_hash(world);
            (void)fil_solid_measure(world, id);
        }
        assert_true(hashes[0] == hashes[1]);
        free(snapshot);
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_momentum_and_energy),
        cmocka_unit_test(test_lagged_law_takes_one_solve),
        cmocka_unit_test(test_lagged_law_swells),
        cmocka_unit_test(test_same_bits_after_restoring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
