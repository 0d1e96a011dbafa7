/* A napkin folded in two by its edge (config/scenes/folded_cloth.yaml) lies on itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"

/* The table bears its weight, its edge rests on its other half: 1.5 thicknesses up, where passing through would leave it at half of one. */
static void lies_on_itself(void** state)
{
    (void)state;
    static const FilSetting settings[] = {{"cells", "6"}};
    const FilSceneOptions options = {.settings = settings, .setting_count = 1};
    const double thickness = 0.002, weight = 0.16 * 0.16 * thickness * 400.0 * 9.81;
    FilWorld* world = load_scene("folded_cloth", &options);
    int crossings = 0;
    while (fil_world_time(world) < 2.2) {
        FilStepInfo info;
        if (fil_world_step(world, &info) != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
        crossings += info.crossings;
    }
    const double load = -probe_value(world, "load"), edge = probe_value(world, "edge_z"), far = probe_value(world, "far_z");
    if (!(fabs(load / weight - 1.0) < 1e-3 && fabs(edge / (1.5 * thickness) - 1.0) < 0.05 && fabs(far / (0.5 * thickness) - 1.0) < 0.05)) {
        fail_msg("load %g of %g N, edge at %g, far one at %g m", load, weight, edge, far);
    }
    assert_int_equal(crossings, 0);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lies_on_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
