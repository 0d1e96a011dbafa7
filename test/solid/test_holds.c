/* Pins of single components, plane strain and nodal pressure: a bar that is drawn out between rollers has the strains and the force of
 * the closed forms, whichever way its volume is counted. */
#include <stdio.h>

#include "blocks.h"

static FilStatus load(const char* text, FilWorld** world, FilError* error)
{
    *world = NULL;
    return fil_scene_load_text("scene", text, strlen(text), NULL, world, NULL, error);
}

/* Draws a bar of 0.4 x 0.1 x 0.1 m out by 1e-3 of its length; force and strain across, along y, against theory. */
static void draw(const char* split, const char* extra, double poisson, double force, double across)
{
    const double strain = 1e-3, young = 1e6;
    char text[1200];
    FilWorld* world;
    FilError error;
    snprintf(text, sizeof text,
             "world: {gravity: [0, 0, 0], dt: 1000}\n"
             "materials: {foam: {young: 1.0e+6, poisson: %g, density: 500}}\n"
             "solids:\n"
             "  - name: bar\n"
             "    material: foam\n"
             "    model: linear\n"
             "    brick: {size: [0.4, 0.1, 0.1], cells: [4, 2, 2], split: %s}\n"
             "    pins: [{from: [-0.21, -1, -1], to: [-0.19, 1, 1], axes: x}, {from: [0.19, -1, -1], to: [0.21, 1, 1], axes: x}]\n"
             "    %s\n",
             poisson, split, extra);
    if (load(text, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    FilDriveDef drive = fil_drive_def_default();
    const double zero = 0.0, shift[3] = {0.4 * strain, 0.0, 0.0};
    drive.kind = FIL_DRIVE_POSITION;
    drive.attachment = fil_world_find_attachment(world, "bar_pin1");
    drive.knot_count = 1;
    drive.times = &zero;
    drive.values = shift;
    assert_int_equal(fil_world_add_drive(world, &drive, NULL), FIL_OK);
    for (int k = 0; k < 3; k++) {
        block_step(world, NULL);
    }
    double low[3], high[3];
    const FilId bar = fil_world_find_solid(world, "bar");
    // vertices of the first slab, along z first, then y
    fil_solid_get_position(world, bar, 9 + 0, low);
    fil_solid_get_position(world, bar, 9 + 6, high);
    const double pull = fil_attachment_force(world, fil_world_find_attachment(world, "bar_pin1")).x;
    const double got = (high[1] - low[1]) / 0.1 - 1.0;
    print_message("%s, nu %g: force %.2e, across %.2e off\n", extra, poisson, pull / (force * young * strain * 0.01) - 1.0, got / strain - across);
    assert_true(fabs(pull / (force * young * strain * 0.01) - 1.0) < 1e-9);
    assert_true(fabs(got - across * strain) < 1e-9 * strain);
    fil_world_destroy(world);
}

static void test_uniaxial(void** state)
{
    (void)state;
    static const char* const volumes[] = {"locking: none", "locking: nodal"};
    for (int k = 0; k < 2; k++) {
        draw("six", volumes[k], 0.0, 1.0, 0.0);
        draw("six", volumes[k], 0.3, 1.0, -0.3);
        draw("six", volumes[k], 0.49, 1.0, -0.49);
    }
}

static void test_plane_strain(void** state)
{
    (void)state;
    // E/(1 - nu^2), -nu/(1 - nu)
    draw("six", "plane_strain: z", 0.3, 1.0 / 0.91, -0.3 / 0.7);
    draw("six", "plane_strain: z\n    locking: nodal", 0.45, 1.0 / (1.0 - 0.45 * 0.45), -0.45 / 0.55);
}

static void test_bad_input(void** state)
{
    (void)state;
    FilWorld* world;
    FilError error;
    assert_int_equal(load("materials: {foam: {young: 1.0e+6, poisson: 0.3, density: 500}}\n"
                          "solids: [{material: foam, ball: {radius: 0.1, spacing: 0.05}, pins: [{from: [-1, -1, -1], to: [1, 1, 1], axes: q}]}]\n",
                          &world, &error),
                     FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "letters of axes"));
    assert_int_equal(load("materials: {foam: {young: 1.0e+6, poisson: 0.3, density: 500}}\n"
                          "solids: [{material: foam, ball: {radius: 0.1, spacing: 0.05}, locking: some}]\n",
                          &world, &error),
                     FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "locking"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniaxial),
        cmocka_unit_test(test_plane_strain),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
