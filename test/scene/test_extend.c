/* Worlds that get more or fewer objects than their scene has, and go on in the state of another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"

static const char scene[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.002}\n"
    "materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000}}\n"
    "rods:\n"
    "  - {name: first, material: rubber, section: {circle: {radius: 0.005}}, noise: 0.001,\n"
    "     shape: {straight: {from: [0, 0, 0], to: [0.3, 0, 0], nodes: 9}}}\n"
    "  - {name: second, material: rubber, section: {circle: {radius: 0.005}}, noise: 0.001,\n"
    "     shape: {straight: {from: [0, 1, 0], to: [0.3, 1, 0], nodes: 9}}}\n"
    "attachments: [{name: hook, pin: {rod: second, node: 0}}]\n"
    "drives: [{name: sway, attachment: hook, velocity: [[0, 0, 0, 0], [1, 1, 0, 0]]}]\n"
    "robots: [{name: swing, urdf: " FILUM_SOURCE_DIR "/config/robots/double_pendulum.urdf, joints: [{joint: shoulder, position: 0.5}]}]\n";

static const char ball[] =
    "world: {dt: 0.5}\n"  // has no effect
    "materials: {rubber: {density: 1000}}\n"
    "rigid_bodies: [{name: ball, material: rubber, position: [0, 0, 5], shapes: [{sphere: {radius: 0.1}}]}]\n";

static FilWorld* load(const char* const* without, int count, FilError* error)
{
    const FilSceneOptions options = {.without = without, .without_count = count};
    FilWorld* world = NULL;
    const FilStatus status = fil_scene_load_text("scene.yaml", scene, strlen(scene), &options, &world, NULL, error);
    assert_true((status == FIL_OK) == (world != NULL));
    return world;
}

static FilStatus extend(FilWorld* world, const char* text, const char* name, FilError* error)
{
    const FilSceneOptions options = {.object_name = name};
    return fil_scene_extend(world, "more.yaml", text, strlen(text), &options, error);
}

static void run(FilWorld* world, int steps)
{
    for (int i = 0; i < steps; i++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
}

enum { NODES = 9 };

static void assert_same_rod(const FilWorld* a, const FilWorld* b, const char* name)
{
    double x[3 * NODES], y[3 * NODES];
    fil_rod_get_positions(a, fil_world_find_rod(a, name), x);
    fil_rod_get_positions(b, fil_world_find_rod(b, name), y);
    assert_memory_equal(x, y, sizeof x);
}

static void adds_objects_to_a_world(void** state)
{
    (void)state;
    FilError error = {{0}};
    FilWorld* world = load(NULL, 0, &error);
    const int objects = fil_world_object_count(world);
    assert_int_equal(extend(world, ball, NULL, &error), FIL_OK);
    assert_int_equal(extend(world, ball, "other", &error), FIL_OK);
    assert_int_equal(fil_world_object_count(world), objects + 2);
    assert_int_not_equal(fil_world_find_rigid(world, "ball").index, 0);
    assert_int_not_equal(fil_world_find_rigid(world, "other").index, 0);
    assert_true(fil_world_dt(world) == 0.002);
    // a name that is taken, and one for what has several objects
    assert_int_equal(extend(world, ball, "first", &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "first"));
    assert_int_equal(extend(world, scene, "both", &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "3 objects cannot be called 'both'"));
    fil_world_destroy(world);
}

static void leaves_objects_out(void** state)
{
    (void)state;
    FilError error = {{0}};
    FilWorld* whole = load(NULL, 0, &error);
    FilWorld* world = load((const char* const[]){"first", "swing"}, 2, &error);
    assert_int_equal(fil_world_find_rod(world, "first").index, 0);
    assert_int_equal(fil_world_robot_count(world), 0);
    assert_same_rod(whole, world, "second");  // its noise is what it was
    run(world, 3);
    fil_world_destroy(world);
    fil_world_destroy(whole);
    // what is held cannot go alone
    assert_null(load((const char* const[]){"second"}, 1, &error));
    assert_non_null(strstr(error.text, "second"));
}

static void goes_on_in_the_state_of_another(void** state)
{
    (void)state;
    FilError error = {{0}};
    FilWorld* plain = load(NULL, 0, &error);
    FilWorld* more = load(NULL, 0, &error);
    assert_int_equal(extend(more, ball, NULL, &error), FIL_OK);
    run(plain, 40);
    assert_int_equal(fil_world_take_state(more, plain), FIL_OK);
    assert_true(fil_world_time(more) == fil_world_time(plain));
    FilVec3 place;
    fil_rigid_get_pose(more, fil_world_find_rigid(more, "ball"), &place, NULL);
    assert_true(place.z == 5.0);
    // without contact nobody feels the ball: the same bits from here on
    run(plain, 60);
    run(more, 60);
    assert_true(fil_world_step_count(more) == 100);
    assert_same_rod(plain, more, "first");
    assert_same_rod(plain, more, "second");
    const FilId a = fil_world_find_robot(plain, "swing"), b = fil_world_find_robot(more, "swing");
    assert_true(fil_robot_joint_state(plain, a, 1).position == fil_robot_joint_state(more, b, 1).position);
    assert_true(fil_robot_joint_state(plain, a, 1).position != 0.0);
    // and back again: what is gone is gone, what stays keeps its state
    FilWorld* less = load((const char* const[]){"first"}, 1, &error);
    assert_int_equal(fil_world_take_state(less, more), FIL_OK);
    run(plain, 20);
    run(less, 20);
    assert_same_rod(plain, less, "second");
    // a reset goes to the beginning of everything
    FilWorld* fresh = load(NULL, 0, &error);
    assert_int_equal(fil_world_reset(more), FIL_OK);
    assert_same_rod(fresh, more, "second");
    fil_rigid_get_pose(more, fil_world_find_rigid(more, "ball"), &place, NULL);
    assert_true(place.z == 5.0 && fil_world_time(more) == 0.0);
    assert_int_equal(fil_world_take_state(plain, more), FIL_BAD_INPUT);  // it has stepped
    FilWorld* const worlds[] = {plain, more, less, fresh};
    for (int k = 0; k < 4; k++) {
        fil_world_destroy(worlds[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_objects_to_a_world),
        cmocka_unit_test(leaves_objects_out),
        cmocka_unit_test(goes_on_in_the_state_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
