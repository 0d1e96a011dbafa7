/* What a page is sent: that a description and a frame agree and hold the world's own numbers; and the hand that pulls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "sample.h"
#include "view/frame.h"
#include "view/hand.h"

enum { HEADER = 48, HAND = 6 };

static const double zero[3] = {0.0, 0.0, 0.0};

static uint32_t word(const FilViewFrame* frame, size_t at)
{
    uint32_t value;
    memcpy(&value, frame->bytes + at, sizeof value);
    return value;
}

static float number(const FilViewFrame* frame, size_t index)
{
    float value;
    memcpy(&value, frame->bytes + HEADER + 8 * word(frame, 24) + 4 * index, sizeof value);
    return value;
}

static FilWorld* make_world(FilId* rod, FilId* cube)
{
    FilWorld* world = sample_world("sap", 0.001);
    sample_ground(world);
    *cube = sample_cube(world, 0.1, 0.5, 0.0, 0.05);
    *rod = sample_rod(world, 11, 0.005, (FilVec3){0.0, 0.0, 0.2}, (FilVec3){0.02, 0.0, 0.0}, (FilVec3){0.0, 0.0, 0.0});
    FilProbeDef probe = fil_probe_def_default();
    probe.name = "height";
    probe.quantity = "body_position";
    probe.of = *cube;
    probe.component = 2;
    FilId id;
    assert_int_equal(fil_world_add_probe(world, &probe, &id), FIL_OK);
    return world;
}

static void a_frame_is_the_world(void** state)
{
    (void)state;
    FilId rod, cube;
    FilWorld* world = make_world(&rod, &cube);
    sample_run(world, 20);
    FilViewFrame frame = {0};
    const FilViewState seen = {.runs = true, .rate = 0.5, .hand = {1.0, 2.0, 3.0}, .pull = {0.0, 0.0, 7.0}};
    assert_int_equal(fil_view_frame_take(&frame, world, &seen), FIL_OK);
    const uint32_t probes = word(&frame, 24), numbers = word(&frame, 28), contacts = word(&frame, 32);
    assert_memory_equal(frame.bytes, "FIL1", 4);
    assert_int_equal(word(&frame, 4), 1);
    assert_int_equal(probes, 1);
    assert_int_equal(contacts, fil_world_contact_count(world));
    assert_true(contacts > 0);
    // the hand; the rod's nodes and directors; poses of ground and cube
    assert_int_equal(numbers, HAND + 3 * (11 + 10) + 2 * 7);
    assert_int_equal(frame.size, HEADER + 8 * probes + 4 * (numbers + 6 * contacts));
    double time, height, nodes[33], frames[90];
    memcpy(&time, frame.bytes + 8, sizeof time);
    memcpy(&height, frame.bytes + HEADER, sizeof height);
    assert_near(time, fil_world_time(world), 0.0);
    assert_near(height, fil_world_probe_value(world, 0), 0.0);
    assert_near(number(&frame, 2), 3.0, 0.0);
    assert_near(number(&frame, 5), 7.0, 0.0);
    fil_rod_get_positions(world, rod, nodes);
    fil_rod_get_frames(world, rod, frames);
    for (size_t k = 0; k < 33; k++) {
        assert_near(number(&frame, HAND + k), (float)nodes[k], 0.0);
    }
    for (size_t k = 0; k < 30; k++) {
        assert_near(number(&frame, HAND + 33 + k), (float)frames[9 * (k / 3) + k % 3], 0.0);
    }
    const FilVec3 place = sample_position(world, cube);
    assert_near(number(&frame, HAND + 63 + 7 + 2), (float)place.z, 1e-7);
    fil_view_frame_free(&frame);
    fil_world_destroy(world);
}

/* Pressure patches follow the contacts. */
static void a_frame_has_patches(void** state)
{
    (void)state;
    FilError error = {""};
    FilSimulation simulation;
    fil_simulation_init(&simulation);
    assert_int_equal(fil_simulation_load(&simulation, "patch_sphere", NULL, &error), FIL_OK);
    sample_run(simulation.world, 40);
    assert_int_equal(fil_world_patch_count(simulation.world), 1);
    FilViewFrame frame = {0};
    assert_int_equal(fil_view_frame_take(&frame, simulation.world, &(FilViewState){.rate = 1.0}), FIL_OK);
    const uint32_t numbers = word(&frame, 28), contacts = word(&frame, 32);
    assert_int_equal(word(&frame, 36), 1);
    assert_int_equal(frame.size, HEADER + 8 * word(&frame, 24) + 4 * (numbers + 6 * contacts + 8));
    const FilPatchInfo patch = fil_world_patch(simulation.world, 0);
    const double expected[8] = {patch.center.x, patch.center.y, patch.center.z, patch.normal.x,
                                patch.normal.y, patch.normal.z, patch.area,     patch.highest_pressure};
    assert_true(patch.area > 0.0);
    for (size_t k = 0; k < 8; k++) {
        assert_near(number(&frame, numbers + 6 * contacts + k), (float)expected[k], 0.0);
    }
    fil_view_frame_free(&frame);
    fil_simulation_fini(&simulation);
}

static void a_description_names_what_a_frame_holds(void** state)
{
    (void)state;
    FilId rod, cube;
    FilWorld* world = make_world(&rod, &cube);
    const FilSceneInfo scene = {.name = "test", .title = "with \"quotes\""};
    size_t size;
    const FilViewDescription description = {.world = world, .scene = &scene, .message = "a message", .steers = true};
    char* text = fil_view_describe(&description, &size);
    assert_non_null(text);
    assert_int_equal(strlen(text), size);
    static const char* const words[] = {"\"with \\\"quotes\\\"\"", "\"a message\"", "\"nodes\": 11", "\"half_space\"", "\"box\"", "\"height\"",
                                        "\"sap_lagged\""};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strstr(text, words[k]) == NULL) {
            fail_msg("no %s in %s", words[k], text);
        }
    }
    free(text);
    fil_world_destroy(world);
}

/* Strains are found from the shape at the start: later there is none to be had, but one that was kept. */
static void surfaces_are_described_at_rest(void** state)
{
    (void)state;
    FilError error = {""};
    FilSimulation simulation;
    size_t size;
    fil_simulation_init(&simulation);
    assert_int_equal(fil_simulation_load(&simulation, "demo", NULL, &error), FIL_OK);
    FilWorld* world = simulation.world;
    const FilId towel = fil_world_find_shell(world, "towel");
    FilViewRest rest = fil_view_rest_take(world);
    assert_int_equal(rest.count, fil_shell_vertex_count(world, towel));
    double place[3];
    fil_shell_get_position(world, towel, 5, place);
    assert_true(memcmp(rest.vertices + 15, place, sizeof place) == 0);
    assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    assert_null(fil_view_rest_take(world).vertices);
    FilViewDescription description = {.world = world, .scene = &simulation.scene};
    char* without = fil_view_describe(&description, &size);
    description.rest = &rest;
    char* with = fil_view_describe(&description, &size);
    assert_null(strstr(without, "\"rest\""));
    assert_non_null(strstr(with, "\"rest\""));
    free(with);
    free(without);
    fil_view_rest_free(&rest);
    fil_simulation_fini(&simulation);
}

/* A cube that hangs on the hand by its middle comes to rest where the spring bears its weight. */
static void the_hand_bears_a_weight(void** state)
{
    (void)state;
    FilId rod, cube;
    FilWorld* world = make_world(&rod, &cube);
    const double mass = fil_rigid_mass(world, cube);
    FilHand hand = fil_hand_open();
    assert_int_equal(fil_hand_grab(&hand, world, 2, 0, zero, 1.0), FIL_OK);  // after the rod and the ground
    fil_hand_move(&hand, (double[]){0.5, 0.0, 0.4});
    for (int k = 0; k < 4000; k++) {
        assert_int_equal(fil_hand_pull(&hand, world), FIL_OK);
        sample_run(world, 1);
    }
    assert_near(hand.pull[2], mass * 9.81, 1e-3 * mass * 9.81);
    assert_near(hand.stiffness * (0.4 - sample_position(world, cube).z), mass * 9.81, 1e-3 * mass * 9.81);
    fil_hand_release(&hand, world);
    sample_run(world, 600);
    assert_near(sample_position(world, cube).z, 0.05, 1e-3);  // it fell
    fil_world_destroy(world);
}

/* Held at a corner it also turns: the corner's force has a moment about the middle. */
static void the_hand_turns_what_it_holds_aside(void** state)
{
    (void)state;
    FilId rod, cube;
    FilWorld* world = make_world(&rod, &cube);
    FilHand hand = fil_hand_open();
    assert_int_equal(fil_hand_grab(&hand, world, 2, 0, (double[]){0.05, 0.0, 0.05}, 1.0), FIL_OK);
    fil_hand_move(&hand, (double[]){0.55, 0.0, 0.6});
    for (int k = 0; k < 6000; k++) {
        assert_int_equal(fil_hand_pull(&hand, world), FIL_OK);
        sample_run(world, 1);
    }
    // it hangs below the hand: middle and corner on one plumb line, half a diagonal apart
    const FilVec3 middle = sample_position(world, cube);
    assert_near(middle.x, hand.point[0], 2e-3);
    assert_near(hand.point[2] - middle.z, 0.05 * sqrt(2.0), 2e-3);
    fil_world_destroy(world);
}

static void what_cannot_be_held_is_refused(void** state)
{
    (void)state;
    FilId rod, cube;
    FilWorld* world = make_world(&rod, &cube);
    FilHand hand = fil_hand_open();
    const int wrong[][2] = {{1, 0}, {3, 0}, {-1, 0}, {0, 11}, {0, -1}, {2, 1}, {1000000, 3}};  // the ground among them
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_equal(fil_hand_grab(&hand, world, wrong[k][0], wrong[k][1], zero, 1.0), FIL_BAD_INPUT);
        assert_string_equal(fil_world_error(world), "this cannot be pulled: it is fixed, or moved by the scene");
    }
    assert_int_equal(hand.grip_count, 0);
    assert_int_equal(fil_hand_pull(&hand, world), FIL_OK);
    for (int k = 0; k < 2 * FIL_HAND_GRIPS; k++) {  // what was held once is not made again
        assert_int_equal(fil_hand_grab(&hand, world, 0, k % 11, zero, 1.0), FIL_OK);
    }
    assert_int_equal(hand.grip_count, 11);
    sample_run(world, 3);
    assert_int_equal(fil_world_reset(world), FIL_OK);
    sample_run(world, 3);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_the_world),
        cmocka_unit_test(a_frame_has_patches),
        cmocka_unit_test(a_description_names_what_a_frame_holds),
        cmocka_unit_test(surfaces_are_described_at_rest),
        cmocka_unit_test(the_hand_bears_a_weight),
        cmocka_unit_test(the_hand_turns_what_it_holds_aside),
        cmocka_unit_test(what_cannot_be_held_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
