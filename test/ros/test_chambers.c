/* Chamber commands drive what has gas: a solid's cavity and a closed shell, besides arms (test_arm.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "commands.h"
#include "filum/msg/chamber_pressures.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"

static const char scene[] =
    "world: {dt: 0.01}\n"
    "materials: {m: {young: 3.0e+5, poisson: 0.3, density: 1000}}\n"
    "solids: [{name: finger, material: m, brick: {size: [0.1, 0.02, 0.02], cells: [5, 3, 3], hollows: [{from: [1, 1, 1], to: [4, 2, 2]}]}, gas: "
    "{law: driven}}]\n"
    "shells: [{name: ball, material: m, thickness: 0.001, bubble: {half: [0.1, 0.1, 0.1], divisions: 3, position: [1, 0, 0]}, gas: {law: sealed}}]\n";

static void drives_gas(void** state)
{
    (void)state;
    static const char* const names[] = {"finger/chamber_0", "ball/chamber_0", "finger/chamber_1", "finger/chamber_00", "nobody/chamber_0"};
    static const double pressures[] = {2e3, 500.0, 1.0, 1.0, 1.0};
    enum { COUNT = 5 };
    FilSimulation simulation;
    FilError error;
    const FilSceneOptions options = {0};
    const FilTap nobody = {0};
    FilCommands commands = {.logger = "test", .simulation = &simulation, .tap = &nobody};
    fil_simulation_init(&simulation);
    assert_int_equal(fil_simulation_load_text(&simulation, "scene", scene, strlen(scene), &options, &error), FIL_OK);
    filum__msg__ChamberPressures* message = filum__msg__ChamberPressures__create();
    assert_true(rosidl_runtime_c__String__Sequence__init(&message->chambers, COUNT));
    assert_true(rosidl_runtime_c__double__Sequence__init(&message->pressures, COUNT));
    for (size_t k = 0; k < COUNT; k++) {
        assert_true(rosidl_runtime_c__String__assign(&message->chambers.data[k], names[k]));
        message->pressures.data[k] = pressures[k];
    }
    assert_int_equal(fil_commands_apply(&commands, FIL_COMMAND_CHAMBER, message), 3);
    assert_int_equal(commands.accepted, 2);
    FilWorld* world = simulation.world;
    const FilId ball = fil_world_find_shell(world, "ball");
    const double rest = fil_shell_chamber_volume(world, ball, 0);
    assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    assert_true(fil_solid_chamber_pressure(world, fil_world_find_solid(world, "finger"), 0) == 2e3);
    // isothermal: 500 Pa over the air outside at the volume at rest
    assert_true(fabs(fil_shell_chamber_pressure(world, ball, 0) - (101825.0 * rest / fil_shell_chamber_volume(world, ball, 0) - 101325.0)) < 1e-6);
    filum__msg__ChamberPressures__destroy(message);
    fil_simulation_fini(&simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drives_gas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
