/* A solid in contact with itself by areas: a slotted block whose jaws are pressed together. */
#include <stdio.h>

#include "blocks.h"

/* jaws of 10 mm with a slot of 10 mm between them, 100 mm long, pressed with 0.6 N at their tips */
static FilWorld* jaws(bool self, bool free)
{
    char text[1500];
    FilWorld* world = NULL;
    FilError error;
    snprintf(text, sizeof text,
             "world: {dt: 0.005, gravity: [0, 0, 0], contact: {model: sap, tolerance: 1.0e-10}}\n"
             "materials: {gum: {young: 2.0e+5, poisson: 0.3, density: 1000, friction: 0.3}}\n"
             "solids:\n"
             "  - name: jaw\n"
             "    material: gum\n"
             "    model: neo_hookean\n"
             "    bedding: 1.0e+8\n"
             "    brick: {size: [0.12, 0.02, 0.03], cells: [12, 2, 6], split: five, hollows: [{from: [2, 0, 2], to: [12, 2, 4]}]}\n"
             "    position: [0.06, 0, 0.015]\n"
             "    damping: {stiffness: 0.01}\n"
             "    collision: {self: %s}\n"
             "%s"
             "drives:\n"
             "  - {name: down, repeat: 3, solid: jaw, vertex: $(230 + 6 * index), force: [[0, 0, 0, 0], [0.3, 0, 0, -0.2]]}\n"
             "  - {name: up, repeat: 3, solid: jaw, vertex: $(225 + 6 * index), force: [[0, 0, 0, 0], [0.3, 0, 0, 0.2]]}\n",
             self ? "true" : "false", free ? "" : "    pins: [{from: [-1, -1, -1], to: [1, 1, 1.0e-6]}]\n");
    if (fil_scene_load_text("scene", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return world;
}

static double gap_of(const FilWorld* world)
{
    double above[3], below[3];
    const FilId jaw = fil_world_find_solid(world, "jaw");
    fil_solid_get_position(world, jaw, 225 + 6 + 3, above);  // tips' inner middles: k = 4 and 2 of the last column
    fil_solid_get_position(world, jaw, 225 + 6 + 2, below);
    return above[2] - below[2];
}

static void test_jaws(void** state)
{
    (void)state;
    double gaps[2];
    for (int self = 0; self < 2; self++) {
        FilWorld* world = jaws(self == 1, false);
        assert_true(fabs(gap_of(world) - 0.01) < 1e-12);
        for (int step = 0; step < 200; step++) {
            block_step(world, NULL);
        }
        gaps[self] = gap_of(world);
        fil_world_destroy(world);
    }
    print_message("gap of the jaws: %.5f m, without contact %.5f m\n", gaps[1], gaps[0]);
    assert_true(gaps[0] < -0.01);                     // through each other
    assert_true(gaps[1] < 0.0 && gaps[1] > -1.5e-3);  // 0.6 N on a strip of about 20 mm^2: 30 kPa, 0.6 mm into two beddings
}

/* free, pressed from both sides: nothing is left over of forces inside */
static void test_momentum(void** state)
{
    (void)state;
    FilWorld* world = jaws(true, true);
    int contacts = 0;
    for (int step = 0; step < 150; step++) {
        FilStepInfo info;
        block_step(world, &info);
        contacts = info.contacts > contacts ? info.contacts : contacts;
    }
    const FilVec3 p = fil_world_momentum(world);
    assert_true(contacts > 0);
    assert_true(fabs(p.x) + fabs(p.y) + fabs(p.z) < 1e-9 * 0.6 * 0.75);  // of the impulse on one jaw: by the tolerance above, else 2e-9
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jaws), cmocka_unit_test(test_momentum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
