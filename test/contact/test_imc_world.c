/* ctest: wrap-malloc */
/* Worlds stepped by potential models: momentum, determinism, memory, other objects than rods, and what they refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heap_steps.h"
#include "sample.h"

static const FilVec3 STILL = {0.0, 0.0, 0.0};

static int adaptive_iterations; /* of worlds made from now on */

static FilWorld* world_with(const FilImcSettings* imc, const char* model, double gravity)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    FilError error = {{0}};
    def.contact_model = model;
    def.adaptive_iterations = adaptive_iterations;
    def.gravity = (FilVec3){0.0, 0.0, -gravity};
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    assert_int_equal(fil_world_set_imc_settings(world, imc), FIL_OK);
    return world;
}

/* A rope on the ground, and a rod laid across the rope; spt, which knows no ground, has them fly at each other. */
static FilWorld* crowd(const FilImcSettings* imc, const char* model)
{
    const bool flies = strcmp(model, "spt") == 0;
    FilWorld* world = world_with(imc, model, flies ? 0.0 : 9.81);
    if (!flies) {
        sample_ground(world);
    }
    sample_rod(world, 41, 3e-3, (FilVec3){-0.5, 0.2, 3.1e-3}, (FilVec3){0.01, 0.0, 0.0}, STILL);
    sample_rod(world, 31, 3e-3, (FilVec3){-0.4, 0.05, 9.3e-3}, (FilVec3){1e-3, 0.01, 0.0}, (FilVec3){0.0, 0.0, flies ? -0.05 : 0.0});
    return world;
}

/* As P2 has it. */
static FilImcSettings published(void)
{
    FilImcSettings imc = fil_imc_settings_default();
    imc.friction = FIL_IMC_SLIDING;
    imc.contact_points = false;
    imc.dissipation = 0.0;
    return imc;
}

static void everything_comes_to_lie(void** state)
{
    (void)state;
    const FilImcSettings settings[] = {published(), fil_imc_settings_default()};
    for (int k = 0; k < 2; k++) {
        FilWorld* world = crowd(&settings[k], "imc");
        const FilStepInfo info = sample_run(world, 400);
        assert_int_equal(info.crossings, 0);
        assert_true(info.contacts > 10);
        // it sinks in by a share of the radius while the stiffness follows
        assert_true(info.max_penetration < 1e-3);
        fil_world_destroy(world);
    }
}

/* What is dropped on the ground does not rise again, however small the step is: P2's energy alone would give back more than it
 * took, as its stiffness grows meanwhile. */
static void nothing_is_thrown_back(void** state)
{
    (void)state;
    const double radius = 5e-3, heights[] = {1e-3, 5e-3};
    for (int k = 0; k < 6; k++) {
        const double dt = ldexp(1e-3, -2 * (k / 2)), height = heights[k % 2];
        const FilImcSettings imc = fil_imc_settings_default();
        FilWorld* world = world_with(&imc, "imc", 9.81);
        assert_int_equal(fil_world_set_dt(world, dt), FIL_OK);
        sample_ground(world);
        const FilId rod = sample_rod(world, 5, radius, (FilVec3){0.0, 0.0, radius + height}, (FilVec3){0.02, 0.0, 0.0}, STILL);
        double nodes[15], highest = 0.0, lowest = INFINITY, fall = sqrt(2.0 * height / 9.81);
        while (fil_world_time(world) < fall + 0.15) {
            sample_run(world, 1);
            fil_rod_get_positions(world, rod, nodes);
            if (fil_world_time(world) > fall + 0.03) {
                highest = fmax(highest, nodes[8] - radius);
                lowest = fmin(lowest, nodes[8] - radius);
            }
        }
        // a twentieth of the height is e^2 of restitution
        if (!(highest < fmax(0.05 * height, 0.02 * radius) && lowest > -0.03 * radius)) {
            fail_msg("dropped by %g m, steps of %g s: between %g and %g m after", height, dt, lowest, highest);
        }
        fil_world_destroy(world);
    }
}

/* Straight rods of 0.5 m, each lying on the one before, and turned by some angle against it, about their middles; the first on the ground. */
static void lay_rods(FilWorld* world, int rods, int nodes, double young, double radius, double gap, double turn)
{
    for (int r = 0; r < rods; r++) {
        double x[3 * 200];
        for (int i = 0; i < nodes; i++) {
            const double along = 0.5 * i / (nodes - 1) - 0.25;
            x[3 * i] = along * cos(turn * r);
            x[3 * i + 1] = along * sin(turn * r);
            x[3 * i + 2] = radius + gap + r * (2.0 * radius + gap);
        }
        FilRodDef def = fil_rod_def_default();
        def.node_count = nodes;
        def.nodes = x;
        def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = radius, .young = young, .poisson = 0.4, .density = 1000.0};
        FilId id = {0, 0};
        assert_int_equal(fil_world_add_rod(world, &def, &id), FIL_OK);
    }
}

/* What lies within reach of what bears it stays there, on any mesh, in any step and as stiff as it may be: it has less kinetic energy than its weight
 * times the reach, and the ground bears its weight. */
static void what_lies_stays(void** state)
{
    (void)state;
    static const struct {
        int rods, nodes;
        double young, dt, gap, duration; /* Pa, s, radii, s */
    } cases[] = {{1, 20, 1e6, 1e-3, 0.05, 0.1},  {1, 100, 1e9, 5e-3, 0.0, 0.5},   {1, 200, 1e9, 1e-3, 0.0, 0.1},
                 {1, 20, 1e7, 2e-5, 0.05, 0.06}, {2, 100, 1e9, 5e-3, 0.05, 0.25}, {2, 200, 1e8, 2e-3, 0.1, 0.4}};
    const double radius = 5e-3;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const FilImcSettings imc = fil_imc_settings_default();
        FilWorld* world = world_with(&imc, "imc", 9.81);
        assert_int_equal(fil_world_set_dt(world, cases[k].dt), FIL_OK);
        sample_ground(world);
        lay_rods(world, cases[k].rods, cases[k].nodes, cases[k].young, radius, cases[k].gap * radius, 0.0);
        const double pi = acos(-1.0), weight = 9.81 * 1000.0 * pi * radius * radius * 0.5 * cases[k].rods;
        double kinetic = 0.0;
        while (fil_world_time(world) < cases[k].duration) {
            sample_run(world, 1);
            kinetic = fmax(kinetic, fil_world_energy(world).kinetic);
        }
        // what the ground bears is what is left of the momentum's change: at rest the weight, to a hundredth
        const double before = fil_world_momentum(world).z;
        sample_run(world, 1);
        const double off = (fil_world_momentum(world).z - before) / (cases[k].dt * weight);
        // a fall through the gap at most; and a quarter of the reach, which the cases have less than half of
        const double bound = weight * (cases[k].gap * cases[k].rods + 0.25 * imc.reach) * radius;
        if (!(kinetic < bound && fabs(off) < 0.01)) {
            fail_msg("case %zu: kinetic energy %g of %g J, weight off by %g", k, kinetic, bound, off);
        }
        fil_world_destroy(world);
    }
}

static void momentum_is_kept(void** state)
{
    (void)state;
    // two rods collide in free space; without friction nothing but the normal force acts, along one line
    FilImcSettings imc = fil_imc_settings_default();
    FilWorld* world = world_with(&imc, "imc", 0.0);
    assert_int_equal(fil_world_set_friction(world, 0.0), FIL_OK);
    sample_rod(world, 21, 3e-3, (FilVec3){-0.1, 0.0, 0.0}, (FilVec3){0.01, 0.0, 0.0}, STILL);
    sample_rod(world, 21, 3e-3, (FilVec3){0.03, -0.08, 8e-3}, (FilVec3){0.0, 0.01, 0.0}, (FilVec3){0.0, 0.0, -0.1});
    const FilVec3 p = fil_world_momentum(world), l = fil_world_angular_momentum(world);
    int touched = 0;
    for (int k = 0; k < 100; k++) {
        FilStepInfo info;
        assert_int_equal(fil_world_step(world, &info), FIL_OK);
        touched += fil_world_contact_count(world) > 0 && fabs(fil_world_contact(world, 0).force.z) > 1e-3;
    }
    assert_true(touched > 0);
    // Newton's tolerance is 1e-6 of the momenta at work
    assert_true(sample_distance(fil_world_momentum(world), p) < 1e-4 * fabs(p.z));
    // backward Euler turns what moves by a little: first order in dt
    assert_true(sample_distance(fil_world_angular_momentum(world), l) < 1e-2 * sqrt(l.x * l.x + l.y * l.y + l.z * l.z));
    fil_world_destroy(world);
}

static void same_bits_again(void** state)
{
    (void)state;
    const FilImcSettings settings[] = {published(), fil_imc_settings_default()};
    static const char* const models[] = {"imc", "imc", "spt"};
    for (int k = 0; k < 3; k++) {
        FilImcSettings imc = settings[k % 2];
        imc.local_stiffness = k == 1;
        adaptive_iterations = k == 1 ? 8 : 0;
        FilWorld *a = crowd(&imc, models[k]), *b = crowd(&imc, models[k]);
        adaptive_iterations = 0;
        sample_run(a, 60);
        sample_run(b, 30);
        // saved and restored in the middle, with other steps in between
        const size_t size = fil_world_snapshot_size(b);
        void* snapshot = malloc(size);
        assert_non_null(snapshot);
        fil_world_save(b, snapshot);
        sample_run(b, 17);
        assert_int_equal(fil_world_restore(b, snapshot, size), FIL_OK);
        sample_run(b, 30);
        assert_true(fil_world_hash(a) == fil_world_hash(b));
        assert_int_equal(fil_world_reset(a), FIL_OK);
        sample_run(a, 60);
        assert_true(fil_world_hash(a) == fil_world_hash(b));
        free(snapshot);
        fil_world_destroy(a);
        fil_world_destroy(b);
    }
}

static void repeated_steps_do_not_allocate(void** state)
{
    (void)state;
    const FilImcSettings settings[] = {published(), fil_imc_settings_default()};
    static const char* const models[] = {"imc", "imc", "spt"};
    for (int m = 0; m < 3; m++) {
        FilWorld* world = crowd(&settings[m % 2], models[m]);
        sample_run(world, 100);
        assert_int_equal(fil_world_reset(world), FIL_OK);
        sample_run(world, 1);
        assert_int_equal(fil_world_reset(world), FIL_OK);
        step_without_heap(world, 100);
        fil_world_destroy(world);
    }
}

/* Two rods that cross at right angles, the upper one with a velocity. */
static void cross_rods(FilWorld* world, double height, FilVec3 velocity)
{
    assert_int_equal(fil_world_set_friction(world, 0.0), FIL_OK);
    sample_rod(world, 20, 3e-3, (FilVec3){-0.1, 0.0, 0.0}, (FilVec3){0.01, 0.0, 0.0}, STILL);
    sample_rod(world, 20, 3e-3, (FilVec3){0.034, -0.097, height}, (FilVec3){0.0, 0.01, 0.0}, velocity);
}

static void contacts_report_how_they_slip(void** state)
{
    (void)state;
    // by the ends of edges alone, and through Jacobians
    for (int points = 0; points < 2; points++) {
        FilImcSettings imc = fil_imc_settings_default();
        imc.contact_points = points == 1;
        FilWorld* world = world_with(&imc, "imc", 0.0);
        cross_rods(world, 6.2e-3, (FilVec3){0.05, 0.02, 0.0});
        sample_run(world, 1);
        assert_int_equal(fil_world_contact_count(world), 1);
        const FilContactInfo contact = fil_world_contact(world, 0);
        // of the second against the first; pushing each other a little already, they turn by 2e-6 m/s at the surface
        assert_true(fabs(contact.slip.x - 0.05) < 1e-5 && fabs(contact.slip.y - 0.02) < 1e-5);
        assert_true(fabs(contact.slip.z) < 1e-5);
        fil_world_destroy(world);
    }
}

static void what_passes_is_counted(void** state)
{
    (void)state;
    // as good as no stiffness: what comes goes through, in one step or in many
    static const double speeds[] = {0.3, 3.0, 30.0};
    for (int k = 0; k < 3; k++) {
        FilImcSettings imc = fil_imc_settings_default();
        imc.stiffness = 1e-9;
        FilWorld* world = world_with(&imc, "imc", 0.0);
        cross_rods(world, 9.7e-3, (FilVec3){0.0, 0.0, -speeds[k]});
        const int steps = (int)(9e-3 / (speeds[k] * 1e-3));  // dt is 1 ms: not there yet
        assert_int_equal(sample_run(world, steps).crossings, 0);
        assert_int_equal(sample_run(world, 5).crossings, 1);
        fil_world_destroy(world);
    }
}

/* The same of strips, which touch with their sides: how far apart their axes are is not asked there. */
static void strips_that_pass_are_counted(void** state)
{
    (void)state;
    static const char text[] =
        "world: {gravity: [0, 0, 0], dt: 0.001, contact: sap}\n"
        "materials: {soft: {young: 1e6, poisson: 0.4, density: 1000, friction: 0, contact_stiffness: 1e-9}}\n"
        "rods:\n"
        "  - {name: low, material: soft, section: {rectangle: {width: 0.006, height: 0.004}}, shape: {straight: {from: [-0.1, 0, 0], to: [0.09, 0, "
        "0], nodes: 20}}}\n"
        "  - {name: high, material: soft, section: {rectangle: {width: 0.006, height: 0.004}}, velocity: [0, 0, -0.3],\n"
        "     shape: {straight: {from: [0.034, -0.097, 0.0097], to: [0.034, 0.093, 0.0097], nodes: 20}}}\n";
    FilWorld* world = NULL;
    FilError error = {{0}};
    assert_int_equal(fil_scene_load_text("strips", text, strlen(text), NULL, &world, NULL, &error), FIL_OK);
    assert_int_equal(sample_run(world, 30).crossings, 0);  // 9 mm of 9.7
    assert_int_equal(sample_run(world, 5).crossings, 1);
    fil_world_destroy(world);
}

static void bad_settings_are_refused(void** state)
{
    (void)state;
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    FilError error = {{0}};
    def.contact_model = "imc";
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    FilImcSettings imc = fil_imc_settings_default();
    imc.sharpness = 0.0;
    assert_int_equal(fil_world_set_imc_settings(world, &imc), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "imc: sharpness, smoothing, reach and static_speed must be positive");
    imc = fil_imc_settings_default();
    imc.farthest = 1.0;
    assert_int_equal(fil_world_set_imc_settings(world, &imc), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "imc: closest must be below farthest, and that below reach");
    assert_true(fil_world_imc_settings(world).farthest == fil_imc_settings_default().farthest);  // nothing has changed
    fil_world_destroy(world);
}

/* Where the model is asked whether it is right for a pair: when it steps, when it is chosen, when a scene is read. */
static void pairs_are_refused(void** state)
{
    (void)state;
    static const char* const models[] = {"imc", "spt"};
    const FilImcSettings imc = fil_imc_settings_default();
    for (int m = 0; m < 2; m++) {
        // a ball alone touches nothing
        FilWorld* world = world_with(&imc, models[m], 9.81);
        sample_ball(world, 5e-3, 0.5, 0.0, 0.5);
        assert_int_equal(fil_world_check(world), FIL_OK);
        sample_run(world, 1);
        // with a ground it would
        sample_ground(world);
        assert_int_equal(fil_world_check(world), FIL_BAD_INPUT);
        assert_int_equal(fil_world_step(world, NULL), FIL_BAD_INPUT);
        assert_non_null(strstr(fil_world_error(world), "is not right for '"));
        assert_non_null(strstr(fil_world_error(world), "'sap_lagged' or 'ipc'"));
        assert_int_equal(fil_world_set_contact_model(world, "sap"), FIL_OK);
        sample_run(world, 1);
        assert_int_equal(fil_world_set_contact_model(world, models[m]), FIL_BAD_INPUT);
        assert_string_equal(fil_world_contact_model(world), "sap");
        sample_run(world, 1);
        fil_world_destroy(world);
        // rods are covered, among themselves and, by imc, on what stands still
        world = crowd(&imc, models[m]);
        assert_int_equal(fil_world_check(world), FIL_OK);
        sample_ground(world);
        assert_int_equal(fil_world_check(world), m == 0 ? FIL_OK : FIL_BAD_INPUT);
        assert_true(m == 0 || strstr(fil_world_error(world), "use 'imc' for rods on shapes") != NULL);
        fil_world_destroy(world);
    }
}

static void scenes_with_other_pairs_are_refused(void** state)
{
    (void)state;
#define MATERIAL "materials: {m: {young: 1e6, poisson: 0.3, density: 1000}}\n"
#define STRIP                                                                                                                                   \
    "rods: [{name: strip, material: m, section: {rectangle: {width: 0.01, height: 0.002}}, shape: {straight: {from: [0, 0, 1], to: [1, 0, 1], " \
    "nodes: 9}}"
#define ROUND "rods: [{name: rod, material: m, section: {circle: {radius: 0.002}}, shape: {straight: {from: [0, 0, 1], to: [1, 0, 1], nodes: 9}}}]\n"
#define BOX "rigid_bodies: [{name: box, material: m, shapes: [{box: {size: [0.1, 0.1, 0.1]}}]"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"world: {contact: imc}\n" MATERIAL ROUND BOX "}]\n", "'box'"},
        {"world: {contact: imc}\n" MATERIAL ROUND BOX ", collision: {enabled: false}}]\n", NULL},
        {"world: {contact: imc}\n" MATERIAL ROUND BOX ", motion: kinematic}]\n", NULL},
        {"world: {contact: imc}\n" MATERIAL STRIP "}]\n", "rectangles"},
        {"world: {contact: imc}\n" MATERIAL STRIP ", collision: {self: false}}]\n", NULL},
        {"world: {contact: imc, imc: {rectangles: true}}\n" MATERIAL STRIP "}]\n", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FilWorld* world = NULL;
        FilError error = {{0}};
        const FilStatus status = fil_scene_load_text("pair.yaml", cases[k].text, strlen(cases[k].text), NULL, &world, NULL, &error);
        if (status != (cases[k].message != NULL ? FIL_BAD_INPUT : FIL_OK) ||
            (cases[k].message != NULL && (strstr(error.text, cases[k].message) == NULL || strstr(error.text, "pair.yaml:1") == NULL))) {
            fail_msg("case %zu: '%s'", k, error.text);
        }
        fil_world_destroy(world);
    }
}

static void bad_scenes_are_refused(void** state)
{
    (void)state;
#define ROD "\nrigid_bodies: [{name: b, motion: static, shapes: [{half_space: {}}]}]"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"world: {contact: imc, imc: {sharpnes: 50}}" ROD, "sharpness"},
        {"world: {contact: imc, imc: {friction: sticky}}" ROD, "sticky"},
        {"world: {contact: imc, imc: {reach: -1}}" ROD, "must be positive"},
        {"world: {contact: imc, imc: {tangent_after: 0.5}}" ROD, "whole number"},
        {"world: {contact: imc, imc: 3}" ROD, "mapping"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FilWorld* world = NULL;
        FilError error = {{0}};
        assert_int_equal(fil_scene_load_text("knot.yaml", cases[k].text, strlen(cases[k].text), NULL, &world, NULL, &error), FIL_BAD_INPUT);
        if (strstr(error.text, "knot.yaml:1: world.imc") == NULL || strstr(error.text, cases[k].message) == NULL) {
            fail_msg("'%s' is not in '%s'", cases[k].message, error.text);
        }
    }
}

/* What lies across another rod is held within the room that what is coming is stopped in, 0.05 radii, wherever its ends may go. */
static void what_lies_across_is_held(void** state)
{
    (void)state;
    static const struct {
        int nodes;
        double young, dt; /* Pa, s */
    } cases[] = {{50, 1e6, 2e-3}, {50, 1e7, 1e-3}, {100, 1e7, 1e-3}, {100, 1e8, 1e-3}, {50, 1e9, 5e-3}, {100, 1e9, 2e-3}};
    const double radius = 5e-3, pi = acos(-1.0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const FilImcSettings imc = fil_imc_settings_default();
        FilWorld* world = world_with(&imc, "imc", 9.81);
        assert_int_equal(fil_world_set_dt(world, cases[k].dt), FIL_OK);
        sample_ground(world);
        lay_rods(world, 2, cases[k].nodes, cases[k].young, radius, 0.05 * radius, 0.5 * pi);
        double deepest = 0.0;
        while (fil_world_time(world) < 0.3) {
            FilStepInfo info;
            assert_int_equal(fil_world_step(world, &info), FIL_OK);
            deepest = fmax(deepest, info.max_penetration);
        }
        if (!(deepest < 0.05 * radius)) {
            fail_msg("case %zu: %g radii deep", k, deepest / radius);
        }
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_to_lie),
        cmocka_unit_test(nothing_is_thrown_back),
        cmocka_unit_test(what_lies_stays),
        cmocka_unit_test(what_lies_across_is_held),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(same_bits_again),
        cmocka_unit_test(repeated_steps_do_not_allocate),
        cmocka_unit_test(contacts_report_how_they_slip),
        cmocka_unit_test(what_passes_is_counted),
        cmocka_unit_test(strips_that_pass_are_counted),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(pairs_are_refused),
        cmocka_unit_test(scenes_with_other_pairs_are_refused),
        cmocka_unit_test(bad_scenes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
