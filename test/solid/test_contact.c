/* A soft ball on the ground under every contact model that takes points: it comes to rest, the ground carries its
 * weight, nothing is inverted. */
#include "blocks.h"

static FilId add_ground(FilWorld* world)
{
    FilShapeDef shape = fil_shape_def_default();
    FilRigidDef ground = fil_rigid_def_default();
    FilId id;
    shape.type = FIL_SHAPE_HALF_SPACE;
    ground.name = "ground";
    ground.motion = FIL_STATIC;
    ground.shapes = &shape;
    ground.shape_count = 1;
    assert_int_equal(fil_world_add_rigid(world, &ground, &id), FIL_OK);
    return id;
}

static FilSolidMesh ball_mesh(double radius, double height)
{
    FilSolidMesh mesh;
    FilError error;
    const FilSolidPart part = {.shape = FIL_SOLID_BALL, .position = {0.0, 0.0, height}, .size = {radius}};
    const FilSolidBlend blend = {.parts = &part, .part_count = 1, .spacing = 0.4 * radius};
    assert_int_equal(fil_solid_mesh_blend(&blend, &mesh, &error), FIL_OK);
    return mesh;
}

static void drop(const char* model)
{
    FilWorldDef def = fil_world_def_default();
    def.dt = 0.005;
    def.contact_model = model;
    FilWorld* world;
    FilError error;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    const FilId ground = add_ground(world);
    FilSolidMesh mesh = ball_mesh(0.05, 0.06);
    FilSolidDef ball = block_material(FIL_SOLID_COROTATED_LAGGED);
    ball.young = 25e3;
    ball.poisson = 0.4;
    ball.damping_stiffness = 0.02;
    const FilId id = block_add(world, ball, &mesh);
    const double weight = 9.81 * fil_solid_mass(world, id);
    double mean = 0.0;
    for (int step = 0; step < 100; step++) {
        const double before = fil_world_momentum(world).z;
        FilVec3 force, torque, other;
        block_step(world, NULL);
        assert_true(fil_solid_measure(world, id).min_jacobian > 0.2);
        // what the ground gives changes the momentum, in every step
        fil_world_contact_wrench(world, id, &force, &torque);
        fil_world_contact_wrench(world, ground, &other, &torque);
        const double change = (fil_world_momentum(world).z - before) / def.dt;
        assert_true(fabs(force.z - weight - change) < 1e-4 * weight);  // tolerances of the models
        assert_true(fabs(force.z + other.z) < 1e-9 * weight);
        mean += step >= 50 ? force.z / 50.0 : 0.0;
    }
    // a faceted ball topples on and on, slowly
    assert_true(fabs(mean - weight) < 0.01 * weight);
    assert_true(fil_world_energy(world).kinetic < 1e-3 * weight * 0.05);
    // no vertex deeper than a hundredth of the radius
    double* x = calloc(3 * (size_t)mesh.vertex_count, sizeof *x);
    fil_solid_get_positions(world, id, x);
    double lowest = x[2];
    for (int i = 0; i < mesh.vertex_count; i++) {
        lowest = fmin(lowest, x[3 * i + 2]);
    }
    assert_true(lowest > -5e-4 && lowest < 5e-3);
    free(x);
    fil_solid_mesh_free(&mesh);
    fil_world_destroy(world);
}

static void test_ball_rests_under_sap(void** state)
{
    (void)state;
    drop("sap");
}

static void test_ball_rests_under_sap_lagged(void** state)
{
    (void)state;
    drop("sap_lagged");
}

static void test_ball_rests_under_lcp(void** state)
{
    (void)state;
    drop("lcp");
}

static void test_ball_rests_under_ipc(void** state)
{
    (void)state;
    drop("ipc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_rests_under_sap),
        cmocka_unit_test(test_ball_rests_under_sap_lagged),
        cmocka_unit_test(test_ball_rests_under_lcp),
        cmocka_unit_test(test_ball_rests_under_ipc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
