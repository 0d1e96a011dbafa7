/* Hulls that meet corner to corner and edge to edge turn by a tenth of a radian and more in a step: corners that come round are met before they are
 * in. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"
#include "sample.h"

enum { PAIRS = 60, POINTS = 8, STEPS = 20 };

static const double SIZE = 0.035, SPEED = 4.0, DT = 2e-3; /* m, m/s, s */

/* A hull as wide as its bounding box, of 2 SIZE, whose corners are anywhere. */
static void add_hull(FilWorld* world, Random* random, FilVec3 position, FilVec3 velocity)
{
    double points[3 * POINTS];
    for (int k = 0; k < 3 * POINTS; k++) {
        points[k] = random_between(random, -SIZE, SIZE);
    }
    for (int k = 0; k < 6; k++) {
        points[3 * k + k / 2] = k % 2 == 0 ? SIZE : -SIZE;
    }
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_HULL;
    shape.points = points;
    shape.point_count = POINTS;
    FilRigidDef def = sample_rigid_def(&shape);
    def.position = position;
    def.velocity = velocity;
    FilId hull;
    assert_int_equal(fil_world_add_rigid(world, &def, &hull), FIL_OK);
}

/* How deep a pair of hulls gets that meets at SPEED. */
static double deepest_of_pair(const char* model, uint64_t seed)
{
    FilWorldDef def = fil_world_def_default();
    def.dt = DT;
    def.contact_model = model;
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    FilWorld* world = sample_world_of(&def);
    Random random = {seed};
    const double x = random_between(&random, -0.02, 0.02), y = random_between(&random, -0.02, 0.02);
    add_hull(world, &random, (FilVec3){0.0, 0.0, 0.0}, (FilVec3){0.0, 0.0, 0.0});
    add_hull(world, &random, (FilVec3){x, y, 2.0 * SIZE + 0.012}, (FilVec3){0.0, 0.0, -SPEED});
    const double deepest = sample_run(world, STEPS).max_penetration;
    fil_world_destroy(world);
    return deepest;
}

/* In a step they come 8 mm closer. On average they overlap by a twentieth of that at most; a fifth, where the closest points alone are contacts. */
static void corners_are_met_in_time(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged", "lcp"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        double sum = 0.0, max = 0.0;
        for (uint64_t k = 0; k < PAIRS; k++) {
            const double deepest = deepest_of_pair(models[m], 1000 * k + 17);
            sum += deepest;
            max = fmax(max, deepest);
        }
        print_message("%s: %.2f mm on average, %.2f mm at most\n", models[m], 1e3 * sum / PAIRS, 1e3 * max);
        assert_true(sum / PAIRS < 0.05 * SPEED * DT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(corners_are_met_in_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
