/* Bodies that rest are not stepped, and wake when something happens to them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "filum/gradient.h"
#include "sample.h"
#include "scenes.h"

/* Two stacks of three boxes of 0.5 kg on the ground, 1 m apart, and a ball above the first one. */
static const char stacks[] =
    "materials: {wood: {density: 500, friction: 0.5, dissipation_time: 0.01}}\n"
    "rigid_bodies:\n"
    "  - {name: ground, motion: static, material: wood, shapes: [{half_space: {}}]}\n"
    "  - {name: box, repeat: 6, material: wood, position: [$(floor(index / 3)), 0, $(0.05 + 0.1 * (index - 3 * floor(index / 3)))],\n"
    "     shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n";
static const char ball[] = "  - {name: ball, material: wood, position: [0.01, 0.02, 5], shapes: [{sphere: {radius: 0.03}}]}\n";
static const char push[] = "drives: [{name: push, body: box0, force: [[0, 0, 0, 0], [1.2, 0, 0, 0], [1.3, -40, 0, 0]]}]\n";
static const double BOX_WEIGHT = 0.5 * 9.81;

static FilWorld* load(const char* world_keys, const char* more)
{
    char text[2048];
    snprintf(text, sizeof text, "world: {dt: 0.002, %s}\n%s%s", world_keys, stacks, more);
    return load_text(text);
}

static void check_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%.9g is not %.9g within %g", a, b, tolerance);
    }
}

static bool sleeps(const FilWorld* world, const char* name)
{
    return fil_object_sleeps(world, fil_world_find_rigid(world, name));
}

static double lift(const FilWorld* world, const char* name)
{
    FilVec3 force, torque;
    fil_world_contact_wrench(world, fil_world_find_rigid(world, name), &force, &torque);
    return force.z;
}

/* ---- falling asleep ---- */

static void check_stack_at_rest(const char* model, double tolerance)
{
    char keys[80];
    snprintf(keys, sizeof keys, "contact: %s, sleep: {}", model);
    FilWorld* world = load(keys, "");
    FilStepInfo info = sample_run(world, 240);  // 0.48 s: not yet
    assert_int_equal(info.asleep, 0);
    assert_false(sleeps(world, "box0"));
    const double before = fil_world_energy(world).gravity + fil_world_energy(world).kinetic;
    info = sample_run(world, 300);
    assert_int_equal(info.asleep, 6);
    assert_true(sleeps(world, "box5"));
    assert_false(sleeps(world, "ground"));
    // nothing is solved, nothing moves, and contacts are still reported with what they bear
    const FilVec3 at = sample_position(world, fil_world_find_rigid(world, "box2"));
    info = sample_run(world, 100);
    assert_int_equal(info.contact_solves + info.contact_iterations, 0);
    assert_int_equal(info.asleep, 6);
    assert_int_equal(info.contacts, 24);
    assert_int_equal(fil_world_contact_count(world), 24);
    assert_true(info.max_penetration > 0.0);
    assert_true(sample_distance(at, sample_position(world, fil_world_find_rigid(world, "box2"))) == 0.0);
    assert_true(fil_world_energy(world).kinetic == 0.0);
    // overlap that was there at first gives back a little on the way
    check_near(fil_world_energy(world).gravity, before, 1e-5 * before);
    check_near(lift(world, "ground"), -6.0 * BOX_WEIGHT, tolerance * BOX_WEIGHT);
    check_near(lift(world, "box5"), BOX_WEIGHT, tolerance * BOX_WEIGHT);
    double borne = 0.0;
    for (int k = 0; k < 24; k++) {
        const FilContactInfo contact = fil_world_contact(world, k);
        borne += fabs(contact.force.z);
        assert_true(contact.slip.x == 0.0 && contact.slip.y == 0.0 && contact.slip.z == 0.0);
    }
    // one, two and three boxes of each stack; how four contacts share it is not determined under lcp
    check_near(borne, 2.0 * (1.0 + 2.0 + 3.0) * BOX_WEIGHT, 6.0 * tolerance * BOX_WEIGHT);
    fil_world_destroy(world);
}

/* 1e-3: a step from rest leaves the overlap that it finds by so much of what a step from motion does */
static void stacks_fall_asleep(void** state)
{
    (void)state;
    check_stack_at_rest("sap", 1e-3);
    check_stack_at_rest("sap_lagged", 1e-3);
    check_stack_at_rest("lcp", 1e-3);
}

/* What falls is never asleep, even where it starts from rest; nor is anything without the switch. */
static void motion_and_default_stay_awake(void** state)
{
    (void)state;
    FilWorld *world = load("contact: sap, sleep: {time: 0.1}", ball), *plain = load("contact: sap", ball);
    for (int k = 0; k < 400; k++) {
        const FilStepInfo info = sample_run(world, 1);
        assert_false(sleeps(world, "ball"));
        assert_int_equal(sample_run(plain, 1).asleep, 0);
        assert_true(info.asleep == 0 || k >= 50);
    }
    assert_true(sleeps(world, "box0"));
    assert_false(sleeps(plain, "box0"));
    fil_world_destroy(world);
    fil_world_destroy(plain);
}

/* ---- waking ---- */

static void ball_wakes_what_it_hits(void** state)
{
    (void)state;
    FilWorld *world = load("contact: sap, sleep: {}", ball), *plain = load("contact: sap", ball);
    sample_run(world, 400);
    sample_run(plain, 400);
    assert_true(sleeps(world, "box0") && sleeps(world, "box3"));
    int woken = -1;
    for (int k = 0; k < 700; k++) {
        sample_run(world, 1);
        woken = woken < 0 && !sleeps(world, "box0") ? k : woken;
        // all of the stack wakes, and of that only; nothing is gained by it
        assert_int_equal(sleeps(world, "box0"), sleeps(world, "box2"));
        assert_true(sleeps(world, "box3") && sleeps(world, "box5"));
        // as without sleep, but for what creeps meanwhile
        const FilEnergy now = fil_world_energy(world), its = (sample_run(plain, 1), fil_world_energy(plain));
        check_near(now.kinetic + now.gravity, its.kinetic + its.gravity, 1e-4);
    }
    // it falls 4.67 m to the top at 0.3 m: 0.976 s, 488 steps
    assert_in_range(woken, 85, 91);
    assert_true(sample_position(world, fil_world_find_rigid(world, "ball")).z < 0.4);
    fil_world_destroy(plain);
    fil_world_destroy(world);
}

static void ball_sleeps_with_the_stack(void** state)
{
    (void)state;
    FilWorld* world = load("contact: sap, sleep: {speed: 0.01}",
                           "  - {name: lid, material: wood, position: [0, 0, 0.5], shapes: [{box: {size: [0.1, 0.1, 0.02]}}]}\n");
    sample_run(world, 1500);
    assert_true(sleeps(world, "lid") && sleeps(world, "box0") && sleeps(world, "box3"));
    check_near(lift(world, "lid"), 0.1 * 9.81, 1e-3);
    // one island with the stack now
    const FilId lid = fil_world_find_rigid(world, "lid");
    const FilVec3 at = sample_position(world, lid), still = {0.0, 0.0, 0.0}, up = {0.0, 0.0, 0.5};
    assert_int_equal(fil_rigid_set_state(world, lid, at, (FilQuat){0.0, 0.0, 0.0, 1.0}, up, still), FIL_OK);
    assert_false(sleeps(world, "lid") || sleeps(world, "box0"));
    assert_true(sleeps(world, "box3"));
    sample_run(world, 10);
    assert_true(sample_position(world, lid).z > at.z + 5e-3);
    fil_world_destroy(world);
}

static void loads_wake(void** state)
{
    (void)state;
    FilWorld* world = load("contact: sap, sleep: {}", push);
    sample_run(world, 590);
    assert_true(sleeps(world, "box0"));
    sample_run(world, 40);  // 1.26 s
    assert_false(sleeps(world, "box0") || sleeps(world, "box2"));
    assert_true(sleeps(world, "box3"));
    // 40 N are more than friction on the ground and below the second box: 0.5 (14.7 + 9.8) N
    sample_run(world, 200);
    assert_true(sample_position(world, fil_world_find_rigid(world, "box0")).x < -0.02);
    // the second stack by a command
    FilDriveDef def = fil_drive_def_default();
    FilId drive;
    const double none[3] = {0.0, 0.0, 0.0}, up[3] = {0.0, 0.0, 30.0};
    def.object = fil_world_find_rigid(world, "box3");
    assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_OK);
    sample_run(world, 1);
    assert_true(sleeps(world, "box3"));
    assert_int_equal(fil_drive_set(world, drive, up, 3), FIL_OK);
    assert_false(sleeps(world, "box3"));
    sample_run(world, 50);
    assert_true(sample_position(world, fil_world_find_rigid(world, "box3")).z > 0.1);
    assert_int_equal(fil_drive_set(world, drive, none, 3), FIL_OK);
    fil_world_destroy(world);
}

static void settings_wake(void** state)
{
    (void)state;
    FilWorld* world = load("contact: sap, sleep: {}", "");
    sample_run(world, 400);
    assert_true(sleeps(world, "box0"));
    assert_int_equal(fil_world_set_gravity(world, (FilVec3){0.0, 0.0, 9.81}), FIL_OK);
    assert_false(sleeps(world, "box0"));
    sample_run(world, 100);
    assert_true(sample_position(world, fil_world_find_rigid(world, "box0")).z > 0.1);
    fil_world_destroy(world);
}

/* A table that sinks, and one that comes from aside. */
static void scripted_bodies_wake(void** state)
{
    (void)state;
    FilWorld* world =
        load("contact: sap, sleep: {}",
             "  - {name: table, motion: kinematic, material: wood, position: [3, 0, 0.5], shapes: [{box: {size: [0.5, 0.5, 0.1]}}]}\n"
             "  - {name: cup, material: wood, position: [3, 0, 0.6], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n"
             "  - {name: ram, motion: kinematic, material: wood, position: [-0.5, 0, 0.05], shapes: [{box: {size: [0.1, 0.1, 0.06]}}]}\n"
             "drives:\n"
             "  - {name: sink, body: table, position: [[0, 0, 0, 0], [1, 0, 0, 0], [1.5, 0, 0, -0.2]]}\n"
             "  - {name: shove, body: ram, position: [[0, 0, 0, 0], [2, 0, 0, 0], [4, 1, 0, 0]]}\n");
    sample_run(world, 450);
    assert_true(sleeps(world, "cup") && sleeps(world, "box0"));
    const double top = sample_position(world, fil_world_find_rigid(world, "cup")).z;
    sample_run(world, 60);  // 1.02 s
    assert_false(sleeps(world, "cup"));
    assert_true(sleeps(world, "box0"));
    sample_run(world, 350);  // 1.72 s
    check_near(sample_position(world, fil_world_find_rigid(world, "cup")).z, top - 0.2, 1e-3);
    sample_run(world, 640);  // 3 s: it is at x = 0
    assert_false(sleeps(world, "box0"));
    assert_true(sample_position(world, fil_world_find_rigid(world, "box0")).x > 0.08);
    assert_true(sleeps(world, "box3"));
    fil_world_destroy(world);
}

/* ---- state ---- */

static void forces_of(const FilWorld* world, double* forces)
{
    for (int k = 0; k < fil_world_contact_count(world); k++) {
        const FilContactInfo contact = fil_world_contact(world, k);
        memcpy(forces + 3 * k, &contact.force, sizeof contact.force);
    }
}

/* Saved while one stack sleeps and the ball flies, and again when all sleep: the same bits after each step, and the same forces. */
static void restored_worlds_sleep_on(void** state)
{
    (void)state;
    static const int saved_at[] = {300, 420, 1500};
    for (size_t s = 0; s < sizeof saved_at / sizeof *saved_at; s++) {
        FilWorld *world = load("contact: sap, sleep: {speed: 0.02}", ball), *other = load("contact: sap, sleep: {speed: 0.02}, threads: 2", ball);
        sample_run(world, saved_at[s]);
        const size_t size = fil_world_snapshot_size(world);
        void* snapshot = malloc(size);
        assert_non_null(snapshot);
        fil_world_save(world, snapshot);
        sample_run(other, 100);
        assert_int_equal(fil_world_restore(other, snapshot, size), FIL_OK);
        for (int k = 0; k < 200; k++) {
            double forces[2][3 * 64] = {{0.0}};
            const FilStepInfo info = sample_run(world, 1), its = sample_run(other, 1);
            assert_int_equal(info.asleep, its.asleep);
            assert_int_equal(fil_world_hash(world), fil_world_hash(other));
            assert_int_equal(fil_world_contact_count(world), fil_world_contact_count(other));
            assert_in_range(fil_world_contact_count(world), 0, 64);
            forces_of(world, forces[0]);
            forces_of(other, forces[1]);
            assert_memory_equal(forces[0], forces[1], sizeof forces[0]);
        }
        assert_int_equal(fil_world_reset(other), FIL_OK);
        assert_false(sleeps(other, "box0"));
        free(snapshot);
        fil_world_destroy(world);
        fil_world_destroy(other);
    }
}

static void threads_do_not_matter(void** state)
{
    (void)state;
    uint64_t hashes[4];
    for (int threads = 1; threads <= 4; threads++) {
        char keys[80];
        snprintf(keys, sizeof keys, "contact: sap, sleep: {}, threads: %d", threads);
        FilWorld* world = load(keys, ball);
        sample_run(world, 700);
        hashes[threads - 1] = fil_world_hash(world);
        assert_int_equal(hashes[threads - 1], hashes[0]);
        fil_world_destroy(world);
    }
}

/* ---- what does not go with it ---- */

static void what_cannot_sleep_is_refused(void** state)
{
    (void)state;
    static const char* const models[] = {"none", "imc", "spt", "ipc"};
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    FilError error = {{0}};
    def.sleep_time = 0.5;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        def.contact_model = models[k];
        assert_int_equal(fil_world_create(&def, &world, &error), FIL_BAD_INPUT);
        assert_non_null(strstr(error.text, "sleep under contact models sap, sap_lagged and lcp"));
    }
    def.contact_model = "sap";
    def.sleep_time = -1.0;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "-1 s"));
    def.sleep_time = 0.5;
    def.sleep_speed = 0.0;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_BAD_INPUT);
    world = load("contact: sap, sleep: {}", "");
    assert_int_equal(fil_world_set_contact_model(world, "ipc"), FIL_BAD_INPUT);
    assert_string_equal(fil_world_contact_model(world), "sap");
    FilGradient* gradient = NULL;
    assert_int_equal(fil_gradient_create(world, &gradient), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "switch sleep off"));
    fil_world_destroy(world);
}

/* Joined bodies and rods stay awake, and so does what they touch. */
static void joined_bodies_and_rods_stay_awake(void** state)
{
    (void)state;
    FilWorld* world = load("contact: sap, sleep: {}", "joints: [{name: bar, weld: {point: [0.5, 0, 0.25], a: {body: box2}, b: {body: box5}}}]\n");
    sample_run(world, 600);
    assert_false(sleeps(world, "box0") || sleeps(world, "box5"));
    fil_world_destroy(world);
    world = load("contact: sap, sleep: {}", "");
    sample_rod(world, 8, 5e-3, (FilVec3){-0.02, 0.0, 0.306}, (FilVec3){6e-3, 0.0, 0.0}, (FilVec3){0.0, 0.0, 0.0});
    sample_run(world, 600);
    assert_false(sleeps(world, "box0"));
    assert_true(sleeps(world, "box3"));
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_fall_asleep),
        cmocka_unit_test(motion_and_default_stay_awake),
        cmocka_unit_test(ball_wakes_what_it_hits),
        cmocka_unit_test(ball_sleeps_with_the_stack),
        cmocka_unit_test(loads_wake),
        cmocka_unit_test(settings_wake),
        cmocka_unit_test(scripted_bodies_wake),
        cmocka_unit_test(restored_worlds_sleep_on),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(what_cannot_sleep_is_refused),
        cmocka_unit_test(joined_bodies_and_rods_stay_awake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
