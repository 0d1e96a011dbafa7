/* ctest: wrap-malloc */
/* Solids step without allocating after the first step, by every law and integrator. */
#include "blocks.h"
#include "heap_calls.h"

static void test_steps_do_not_allocate(void** state)
{
    (void)state;
    static const FilIntegrator integrators[] = {FIL_BACKWARD_EULER, FIL_MIDPOINT, FIL_SYMPLECTIC_EULER, FIL_SDIRK2};
    const double size[3] = {0.5, 0.1, 0.1};
    const int cells[3] = {6, 2, 2};
    for (int k = 0; k < 4 * FIL_SOLID_MODEL_COUNT; k++) {
        FilSolidMesh mesh = block_mesh(size, cells, 31);
        FilWorldDef def = fil_world_def_default();
        def.integrator = integrators[k % 4];
        def.dt = 1e-3;  // waves take 0.03 s through a cell
        FilWorld* world = block_world(def);
        FilSolidDef solid = block_material((FilSolidModel)(k / 4));
        solid.damping_stiffness = k % 4 == 2 ? 0.0 : 1e-3;
        const FilId id = block_add(world, solid, &mesh);
        block_pin(world, id, 0);
        block_pin(world, id, cells[0] + 1);
        block_step(world, NULL);
        for (int step = 0; step < 20; step++) {
            heap_calls = 0;
            const FilStatus status = fil_world_step(world, NULL);
            const FilSolidMeasure measure = fil_solid_measure(world, id);
            const int counted = heap_calls;
            assert_int_equal(status, FIL_OK);
            assert_true(measure.volume > 0.0);
            assert_int_equal(counted, 0);
        }
        fil_world_destroy(world);
        fil_solid_mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps_do_not_allocate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
