/* Which objects meet, and what is said about their contacts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"

static const FilVec3 still = {0.0, 0.0, 0.0};

static int contacts_after(FilWorld* world, int steps)
{
    return sample_run(world, steps).contacts;
}

/* ---- rods with themselves ---- */

/* Whatever the edges' length against the radius, a straight rod does not touch itself; nor does one bent gently. */
static void straight_rods_do_not_touch_themselves(void** state)
{
    (void)state;
    for (double ratio = 0.1; ratio < 8.0; ratio *= 1.1) {
        FilWorld* world = sample_world("sap", 1e-3);
        sample_rod(world, 40, 5e-3, (FilVec3){0.0, 0.0, 0.0}, (FilVec3){5e-3 * ratio, 0.0, 0.0}, still);
        assert_int_equal(contacts_after(world, 1), 0);
        fil_world_destroy(world);
    }
}

/* A circle of `turn` rad in 41 nodes, radius 0.1 m. */
static void add_arc(FilWorld* world, double turn, double radius, bool closed)
{
    double x[3 * 41];
    for (int i = 0; i < 41; i++) {
        const double angle = turn * i / 40.0;
        x[3 * i] = 0.1 * cos(angle);
        x[3 * i + 1] = 0.1 * sin(angle);
        x[3 * i + 2] = 0.0;
    }
    FilRodDef def = fil_rod_def_default();
    def.node_count = closed ? 40 : 41;
    def.nodes = x;
    def.closed = closed;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = radius, .young = 1e6, .poisson = 0.4, .density = 1000.0};
    def.rest_shape = FIL_REST_INITIAL;
    FilId id;
    assert_int_equal(fil_world_add_rod(world, &def, &id), FIL_OK);
}

static void bent_rods_touch_where_their_ends_meet(void** state)
{
    (void)state;
    static const struct {
        double turn;
        bool closed, touches;
    } cases[] = {{3.0, false, false}, {6.0, false, false}, {6.27, false, true}, {2.0 * M_PI, true, false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        FilWorld* world = sample_world("sap", 1e-3);
        assert_int_equal(fil_world_set_gravity(world, still), FIL_OK);
        add_arc(world, cases[k].turn, 5e-3, cases[k].closed);
        assert_int_equal(contacts_after(world, 1) > 0, cases[k].touches);
        fil_world_destroy(world);
    }
}

static void self_contact_can_be_left_out(void** state)
{
    (void)state;
    for (int self = 0; self < 2; self++) {
        // a hairpin whose legs overlap
        double x[3 * 21];
        for (int i = 0; i < 21; i++) {
            x[3 * i] = i <= 10 ? 0.01 * i : 0.01 * (20 - i);
            x[3 * i + 1] = i <= 10 ? 0.0 : 2e-3;
            x[3 * i + 2] = 0.0;
        }
        FilWorld* world = sample_world("sap", 1e-3);
        FilRodDef def = fil_rod_def_default();
        def.node_count = 21;
        def.nodes = x;
        def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 2e-3, .young = 1e6, .poisson = 0.4, .density = 1000.0};
        def.rest_shape = FIL_REST_INITIAL;
        def.collision.self = self == 1;
        FilId id;
        assert_int_equal(fil_world_add_rod(world, &def, &id), FIL_OK);
        assert_int_equal(contacts_after(world, 1) > 0, self);
        fil_world_destroy(world);
    }
}

/* ---- filters ---- */

static void groups_and_masks_filter(void** state)
{
    (void)state;
    static const struct {
        FilCollision a, b;
        bool meets;
    } cases[] = {
        {{.enabled = true, .groups = 1, .mask = 1}, {.enabled = true, .groups = 1, .mask = 1}, true},
        {{.enabled = true, .groups = 1, .mask = 2}, {.enabled = true, .groups = 2, .mask = 1}, true},
        {{.enabled = true, .groups = 1, .mask = 2}, {.enabled = true, .groups = 2, .mask = 2}, false},
        {{.enabled = true, .groups = 1, .mask = 1}, {.enabled = true, .groups = 2, .mask = 3}, false},
        {{.enabled = false, .groups = 1, .mask = 1}, {.enabled = true, .groups = 1, .mask = 1}, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        FilWorld* world = sample_world("sap", 1e-3);
        FilShapeDef shape = fil_shape_def_default();
        shape.radius = 0.1;
        FilRigidDef def = sample_rigid_def(&shape);
        FilId id;
        def.collision = cases[k].a;
        assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_OK);
        def.collision = cases[k].b;
        def.position.x = 0.19;
        assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_OK);
        assert_int_equal(contacts_after(world, 1), cases[k].meets ? 1 : 0);
        fil_world_destroy(world);
    }
}

static void objects_that_cannot_move_do_not_meet(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    FilShapeDef shape = fil_shape_def_default();
    shape.radius = 0.1;
    FilRigidDef def = sample_rigid_def(&shape);
    FilId id;
    def.motion = FIL_STATIC;
    assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_OK);
    def.motion = FIL_KINEMATIC;
    assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_OK);
    sample_ground(world);
    assert_int_equal(contacts_after(world, 2), 0);
    fil_world_destroy(world);
}

static void no_model_no_contacts(void** state)
{
    (void)state;
    FilWorld* world = sample_world("none", 1e-3);
    sample_ground(world);
    const FilId ball = sample_ball(world, 0.1, 0.0, 0.0, 0.1);
    assert_int_equal(contacts_after(world, 100), 0);
    // free fall through the ground, half a step ahead of z = -g t^2/2
    assert_true(fabs(sample_position(world, ball).z - (0.1 - 0.5 * 9.81 * 0.1 * 0.101)) < 1e-12);
    fil_world_destroy(world);
}

/* ---- what is said ---- */

static void contacts_name_their_objects(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    const FilId ground = sample_ground(world), ball = sample_ball(world, 0.1, 0.0, 0.0, 0.1);
    const FilId rod = sample_rod(world, 11, 5e-3, (FilVec3){1.0, 0.0, 5e-3}, (FilVec3){0.02, 0.0, 0.0}, still);
    sample_run(world, 500);
    FilVec3 on_ball = {0.0, 0.0, 0.0}, on_rod = on_ball, force, torque;
    for (int k = 0; k < fil_world_contact_count(world); k++) {
        const FilContactInfo c = fil_world_contact(world, k);
        // from a to b, and the force is on b
        assert_true(sample_same(c.a, ground) || sample_same(c.b, ground));
        const double sign = sample_same(c.a, ground) ? 1.0 : -1.0;
        const FilId other = sample_same(c.a, ground) ? c.b : c.a;
        const int part = sample_same(c.a, ground) ? c.part_b : c.part_a;
        assert_true(fabs(sign * c.normal.z - 1.0) < 1e-9 && fabs(c.distance) < 1e-4 && fabs(c.point.z) < 1e-4);
        if (sample_same(other, ball)) {
            assert_int_equal(part, 0);
            on_ball.z += sign * c.force.z;
        } else {
            assert_true(sample_same(other, rod) && part >= 0 && part < 10);
            // on the edge that it names
            assert_true(c.point.x > 1.0 + 0.02 * part - 6e-3 && c.point.x < 1.02 + 0.02 * part + 6e-3);
            on_rod.z += sign * c.force.z;
        }
    }
    const double rod_weight = 1000.0 * M_PI * 25e-6 * 0.2 * 9.81;
    assert_true(fabs(on_ball.z - fil_rigid_mass(world, ball) * 9.81) < 1e-4 * on_ball.z);
    assert_true(fabs(on_rod.z - rod_weight) < 1e-3 * rod_weight);
    fil_world_contact_wrench(world, rod, &force, &torque);
    assert_true(fabs(force.z - on_rod.z) < 1e-12);
    assert_true(fabs(torque.y + 1.1 * on_rod.z) < 1e-3 * on_rod.z);  // about the origin, at its middle x = 1.1
    fil_world_contact_wrench(world, ground, &force, &torque);
    assert_true(fabs(force.z + on_rod.z + on_ball.z) < 1e-9);
    fil_world_destroy(world);
}

static void pairs_may_have_their_own_surface(void** state)
{
    (void)state;
    // gravity along x too: slides without friction, sticks with it
    for (int own = 0; own < 2; own++) {
        FilWorld* world = sample_world("sap", 1e-3);
        assert_int_equal(fil_world_set_gravity(world, (FilVec3){2.0, 0.0, -9.81}), FIL_OK);
        const FilId ground = sample_ground(world), cube = sample_cube(world, 0.1, 0.0, 0.0, 0.05);
        const FilSurface slippery = {.friction = 0.0};
        if (own == 1) {
            assert_int_equal(fil_world_set_pair_surface(world, cube, ground, &slippery), FIL_OK);
        }
        sample_run(world, 500);
        const double speed = sample_velocity(world, cube).x;
        assert_true(own == 1 ? fabs(speed - 1.0) < 1e-6 : fabs(speed) < 1e-4);
        fil_world_destroy(world);
    }
}

/* ---- tunnelling ---- */

/* Thin rods thrown at each other and at plates do not pass, from slow to fast and for long steps. */
static void thin_rods_do_not_pass(void** state)
{
    (void)state;
    static const double speeds[] = {0.8, 3.0}, steps[] = {1e-4, 1e-3};
    for (int s = 0; s < 2; s++) {
        for (int d = 0; d < 2; d++) {
            FilWorld* world = sample_world("sap", steps[d]);
            assert_int_equal(fil_world_set_gravity(world, still), FIL_OK);
            const FilId low = sample_rod(world, 21, 5e-4, (FilVec3){-0.05, 0.0, 0.0}, (FilVec3){5e-3, 0.0, 0.0}, still);
            const FilId high = sample_rod(world, 21, 5e-4, (FilVec3){2e-3, -0.049, 0.01}, (FilVec3){0.0, 5e-3, 0.0}, (FilVec3){0.0, 0.0, -speeds[s]});
            // until well after they have met
            const FilStepInfo info = sample_run(world, (int)(0.02 / speeds[s] / steps[d]));
            assert_int_equal(info.crossings, 0);
            // the middle of one is still above the middle of the other, to within the overlap of their surfaces
            assert_true(sample_node(world, high, 10).z - sample_node(world, low, 10).z > 0.5e-3);
            fil_world_destroy(world);
        }
    }
}

/* Without contact they do pass, so the test above can fail. */
static void without_contact_they_would(void** state)
{
    (void)state;
    FilWorld* world = sample_world("none", 1e-3);
    assert_int_equal(fil_world_set_gravity(world, still), FIL_OK);
    const FilId low = sample_rod(world, 21, 5e-4, (FilVec3){-0.05, 0.0, 0.0}, (FilVec3){5e-3, 0.0, 0.0}, still);
    const FilId high = sample_rod(world, 21, 5e-4, (FilVec3){2e-3, -0.049, 0.01}, (FilVec3){0.0, 5e-3, 0.0}, (FilVec3){0.0, 0.0, -0.8});
    sample_run(world, 25);
    assert_true(sample_node(world, high, 10).z < sample_node(world, low, 10).z);
    fil_world_destroy(world);
}

/* ---- replay ---- */

/* Contact leaves nothing behind that a snapshot does not hold: a restored world repeats itself bit for bit. */
static void contact_replays_bit_for_bit(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged"};
    for (int m = 0; m < 2; m++) {
        FilWorld* world = sample_world(models[m], 1e-3);
        sample_ground(world);
        sample_cube(world, 0.05, 0.1, 0.0, 0.06);
        sample_rod(world, 31, 3e-3, (FilVec3){-0.05, 0.01, 0.03}, (FilVec3){0.01, 1e-3, 1e-3}, still);
        sample_run(world, 60);
        unsigned char snapshot[1 << 16];
        const size_t size = fil_world_snapshot_size(world);
        assert_true(size <= sizeof snapshot);
        fil_world_save(world, snapshot);
        sample_run(world, 100);
        const uint64_t hash = fil_world_hash(world);
        assert_int_equal(fil_world_restore(world, snapshot, size), FIL_OK);
        sample_run(world, 100);
        assert_true(fil_world_hash(world) == hash);
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_rods_do_not_touch_themselves),
        cmocka_unit_test(bent_rods_touch_where_their_ends_meet),
        cmocka_unit_test(self_contact_can_be_left_out),
        cmocka_unit_test(groups_and_masks_filter),
        cmocka_unit_test(objects_that_cannot_move_do_not_meet),
        cmocka_unit_test(no_model_no_contacts),
        cmocka_unit_test(contacts_name_their_objects),
        cmocka_unit_test(pairs_may_have_their_own_surface),
        cmocka_unit_test(thin_rods_do_not_pass),
        cmocka_unit_test(without_contact_they_would),
        cmocka_unit_test(contact_replays_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
