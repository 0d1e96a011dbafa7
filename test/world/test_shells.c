/* Setting a shell's state from outside: it is where it was put, and goes on from there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filum/filum.h"

enum { VERTICES = 4 };

static const double REST[3 * VERTICES] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.1, 0.1, 0.0, 0.0, 0.1, 0.0};

static FilWorld* make_square(FilId* shell)
{
    static const int triangles[6] = {0, 1, 2, 0, 2, 3};
    FilWorldDef def = fil_world_def_default();
    FilWorld* world;
    FilError error;
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    FilShellDef square = fil_shell_def_default();
    square.vertex_count = VERTICES;
    square.vertices = REST;
    square.triangle_count = 2;
    square.triangles = triangles;
    square.thickness = 1e-3;
    square.young = 1e6;
    square.density = 300.0;
    assert_int_equal(fil_world_add_shell(world, &square, shell), FIL_OK);
    return world;
}

static void check(const FilWorld* world, FilId shell, const double* x, const double* v, double tolerance)
{
    double position[3 * VERTICES], velocity[3 * VERTICES], one[3];
    fil_shell_get_positions(world, shell, position);
    fil_shell_get_velocities(world, shell, velocity);
    for (int i = 0; i < 3 * VERTICES; i++) {
        fil_shell_get_position(world, shell, i / 3, one);
        assert_true(fabs(position[i] - x[i]) <= tolerance && fabs(velocity[i] - v[i]) <= tolerance);
        assert_true(one[i % 3] == position[i]);
    }
}

static void shells_go_on_from_where_they_are_put(void** state)
{
    (void)state;
    FilId shell;
    FilWorld* world = make_square(&shell);
    static const double still[3 * VERTICES] = {0.0};
    // turned by 90 degrees about x and moved: nothing is strained
    double x[3 * VERTICES], v[3 * VERTICES];
    for (int i = 0; i < VERTICES; i++) {
        const double place[3] = {REST[3 * i] + 1.0, 2.0 - REST[3 * i + 2], REST[3 * i + 1] + 3.0}, velocity[3] = {0.4, -0.5, 0.6};
        for (int k = 0; k < 3; k++) {
            x[3 * i + k] = place[k];
            v[3 * i + k] = velocity[k];
        }
    }
    assert_int_equal(fil_shell_set_state(world, shell, x, NULL), FIL_OK);
    check(world, shell, x, still, 0.0);
    assert_int_equal(fil_shell_set_state(world, shell, NULL, v), FIL_OK);
    check(world, shell, x, v, 0.0);
    assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    for (int i = 0; i < 3 * VERTICES; i++) {
        x[i] += fil_world_time(world) * v[i];
    }
    check(world, shell, x, v, 1e-9);
    // what is not finite is refused, and nothing changes
    double bad[3 * VERTICES] = {0.0};
    bad[7] = NAN;
    assert_int_equal(fil_shell_set_state(world, shell, bad, NULL), FIL_BAD_INPUT);
    assert_int_equal(fil_shell_set_state(world, shell, NULL, bad), FIL_BAD_INPUT);
    check(world, shell, x, v, 1e-9);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shells_go_on_from_where_they_are_put)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
