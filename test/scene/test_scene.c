/* Good scenes: what is written is what the world holds. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "filum/filum.h"
#include "near.h"
#include "scene/scene_folder.h"
#include "scenes.h"

#define MATERIAL "materials:\n  rubber: {young: 3e6, shear: 1e6, density: 1000}\n"
#define ROD_HEAD "  - name: cable\n    material: rubber\n    section: {circle: {radius: 0.01}}\n"
#define STRAIGHT "    shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 5}}\n"
#define RODS MATERIAL "rods:\n" ROD_HEAD
#define ROD RODS STRAIGHT

/* A few roundings of numbers of the size of one. */
#define ROUNDING 1e-12

static FilWorld* load_with(const char* text, const FilSceneOptions* options, FilSceneInfo* info)
{
    FilWorld* world = NULL;
    FilError error;
    if (fil_scene_load_text("folder/good.yaml", text, strlen(text), options, &world, info, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return world;
}

static FilWorld* load(const char* text)
{
    return load_with(text, NULL, NULL);
}

static FilWorld* load_set(const char* text, const char* path, const char* value)
{
    const FilSetting setting = {.path = path, .value = value};
    const FilSceneOptions options = {.settings = &setting, .setting_count = 1};
    return load_with(text, &options, NULL);
}

static FilId find_rod(const FilWorld* world, const char* name)
{
    const FilId rod = fil_world_find_rod(world, name);
    assert_int_not_equal(rod.index, 0);
    return rod;
}

static FilVec3 node(const FilWorld* world, const char* rod, int index)
{
    double nodes[3 * 200];
    const FilId id = find_rod(world, rod);
    assert_true(fil_rod_node_count(world, id) <= 200);
    fil_rod_get_positions(world, id, nodes);
    return (FilVec3){nodes[3 * index], nodes[3 * index + 1], nodes[3 * index + 2]};
}

/* ---- the scenes of the project ---- */

static void every_scene_of_the_project_loads_and_steps(void** state)
{
    (void)state;
    DIR* scenes = opendir(FILUM_SOURCE_DIR "/config/scenes");
    assert_non_null(scenes);
    int count = 0;
    for (const struct dirent* entry = readdir(scenes); entry != NULL; entry = readdir(scenes)) {
        if (strstr(entry->d_name, ".yaml") == NULL) {
            continue;
        }
        char path[1024];
        snprintf(path, sizeof path, "%s/config/scenes/%s", FILUM_SOURCE_DIR, entry->d_name);
        FilWorld* world = NULL;
        FilSceneInfo info;
        FilError error;
        if (fil_scene_load(path, NULL, &world, &info, &error) != FIL_OK) {
            fail_msg("%s", error.text);
        }
        assert_true(info.title[0] != '\0');
        assert_true(strlen(info.name) == strlen(entry->d_name) - strlen(".yaml"));
        assert_true(fil_world_probe_count(world) > 0);
        for (int k = 0; k < 3; k++) {
            if (fil_world_step(world, NULL) != FIL_OK) {
                fail_msg("%s: %s", entry->d_name, fil_world_error(world));
            }
        }
        fil_world_destroy(world);
        count++;
    }
    closedir(scenes);
    assert_true(count >= 8);
}

/* ---- head and world ---- */

static void the_head_has_defaults(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load_with(ROD, NULL, &info);
    assert_string_equal(info.name, "good");
    assert_string_equal(info.title, "");
    assert_true(info.duration == 1.0 && info.output_period == 0.01 && info.seed == 1);
    const FilWorldDef def = fil_world_def_default();
    assert_true(fil_world_dt(world) == def.dt);
    assert_true(fil_world_gravity(world).z == def.gravity.z);
    assert_string_equal(fil_world_contact_model(world), "none");
    fil_world_destroy(world);
}

static void the_head_is_read(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load_with(
        "title: A scene\nduration: 3\noutput_period: 0.1\nseed: 42\n"
        "world:\n  gravity: [1, 2, 3]\n  dt: 0.005\n  integrator: midpoint\n  contact: none\n"
        "  newton: {tolerance: 1e-9, max_iterations: 20}\n  max_halvings: 3\n" ROD,
        NULL, &info);
    assert_string_equal(info.title, "A scene");
    assert_true(info.duration == 3.0 && info.output_period == 0.1 && info.seed == 42);
    assert_true(fil_world_dt(world) == 0.005);
    assert_int_equal(fil_world_integrator(world), FIL_MIDPOINT);
    const FilVec3 gravity = fil_world_gravity(world);
    assert_true(gravity.x == 1.0 && gravity.y == 2.0 && gravity.z == 3.0);
    fil_world_destroy(world);
}

static void options_win_over_the_scene(void** state)
{
    (void)state;
    const FilSceneOptions options = {.dt = 0.25, .contact_model = "none", .seed = 9, .seed_given = true};
    FilSceneInfo info;
    FilWorld* world = load_with("seed: 3\nworld: {dt: 0.5}\n" ROD, &options, &info);
    assert_true(fil_world_dt(world) == 0.25);
    assert_int_equal(info.seed, 9);
    fil_world_destroy(world);
}

/* ---- parameters and settings ---- */

#define PARAMETERS "parameters:\n  knot: {n: 4, r: $(0.1 * knot.n)}\n  far: $(10 * knot.r)\n"
#define WITH_PARAMETERS PARAMETERS RODS "    shape: {straight: {from: [0, 0, 0], to: [$(far), 0, 0], nodes: $(knot.n + 1)}}\n"

static void parameters_reach_the_scene(void** state)
{
    (void)state;
    FilWorld* world = load(WITH_PARAMETERS);
    assert_int_equal(fil_rod_node_count(world, find_rod(world, "cable")), 5);
    assert_near(node(world, "cable", 4).x, 4.0, ROUNDING);
    fil_world_destroy(world);
}

static void settings_change_parameters_and_keys(void** state)
{
    (void)state;
    FilWorld* world = load_set(WITH_PARAMETERS, "knot.n", "6");
    assert_int_equal(fil_rod_node_count(world, find_rod(world, "cable")), 7);
    assert_near(node(world, "cable", 6).x, 6.0, ROUNDING);
    fil_world_destroy(world);
    // a key that is there, found by the rod's name or place
    world = load_set(WITH_PARAMETERS, "rods.cable.shape.straight.to", "[0, $(far), 0]");
    assert_near(node(world, "cable", 4).y, 4.0, ROUNDING);
    fil_world_destroy(world);
    world = load_set(WITH_PARAMETERS, "rods.0.name", "rope");
    find_rod(world, "rope");
    fil_world_destroy(world);
    // keys and mappings that are not there yet
    world = load_set(WITH_PARAMETERS, "world.integrator", "midpoint");
    assert_int_equal(fil_world_integrator(world), FIL_MIDPOINT);
    fil_world_destroy(world);
    // in a scene without parameters too
    world = load_set(ROD, "world.integrator", "sdirk2");
    assert_int_equal(fil_world_integrator(world), FIL_SDIRK2);
    fil_world_destroy(world);
    world = load_set(WITH_PARAMETERS, "world.newton.max_iterations", "7");
    fil_world_destroy(world);
    world = load_set(WITH_PARAMETERS, "rods.cable.section", "{tube: {radius: 0.02, inner_radius: 0.01}}");
    assert_true(fil_rod_section(world, find_rod(world, "cable"), 0).inner_radius == 0.01);
    fil_world_destroy(world);
}

static void the_last_setting_wins(void** state)
{
    (void)state;
    const FilSetting settings[] = {{"knot.n", "9"}, {"knot.n", "2"}, {"duration", "8"}};
    const FilSceneOptions options = {.settings = settings, .setting_count = 3};
    FilSceneInfo info;
    FilWorld* world = load_with(WITH_PARAMETERS, &options, &info);
    assert_int_equal(fil_rod_node_count(world, find_rod(world, "cable")), 3);
    assert_true(info.duration == 8.0);
    fil_world_destroy(world);
}

/* ---- includes ---- */

static void included_files_are_merged_under_the_scene(void** state)
{
    (void)state;
    write_file("materials.yaml", MATERIAL);
    write_file("base.yaml",
               "include: materials.yaml\nduration: 2\nparameters: {n: 4, m: 5}\n"
               "world: {dt: 0.5, gravity: [0, 0, -1]}\nrods:\n" ROD_HEAD STRAIGHT);
    write_file("main.yaml",
               "include: [base.yaml]\nduration: 3\nparameters: {n: 8}\nworld: {gravity: [0, 0, -2]}\n"
               "rods:\n  - name: rope\n    material: rubber\n    section: {circle: {radius: 0.01}}\n"
               "    shape: {straight: {from: [0, 1, 0], to: [1, 1, 0], nodes: $(n + m)}}\n");
    char path[128];
    snprintf(path, sizeof path, "%s/main.yaml", folder);
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilError error;
    if (fil_scene_load(path, NULL, &world, &info, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    // the scene's own values win, the others come from below, rods are joined with the included ones first
    assert_true(info.duration == 3.0);
    assert_true(fil_world_dt(world) == 0.5);
    assert_true(fil_world_gravity(world).z == -2.0);
    assert_int_equal(fil_world_rod_count(world), 2);
    assert_string_equal(fil_rod_name(world, fil_world_rod_at(world, 0)), "cable");
    assert_int_equal(fil_rod_node_count(world, find_rod(world, "rope")), 13);
    fil_world_destroy(world);
}

/* ---- rods ---- */

static void shapes_make_rods(void** state)
{
    (void)state;
    FilWorld* world = load(RODS "    shape: {ring: {center: [0, 0, 1], radius: 2, nodes: 12, toward: [1, 0, 0]}}\n");
    const FilId ring = find_rod(world, "cable");
    assert_true(fil_rod_closed(world, ring));
    assert_int_equal(fil_rod_edge_count(world, ring), 12);
    assert_near(node(world, "cable", 3).y, 2.0, ROUNDING);
    fil_world_destroy(world);
    world = load(RODS "    shape: {arc: {center: [0, 0, 0], normal: [0, 0, 1], start: [1, 0, 0], angle: $(pi / 2), nodes: 9}}\n");
    assert_near(node(world, "cable", 8).y, 1.0, ROUNDING);
    fil_world_destroy(world);
    world = load(RODS "    shape: {helix: {radius: 1, pitch: 0.5, turns: 2, nodes: 41, toward: [1, 0, 0]}}\n");
    assert_near(node(world, "cable", 40).z, 1.0, ROUNDING);
    fil_world_destroy(world);
    world = load(RODS "    shape: {polyline: {points: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]}}\n    closed: true\n");
    assert_int_equal(fil_rod_edge_count(world, find_rod(world, "cable")), 4);
    fil_world_destroy(world);
    world = load(RODS "    shape: {polyline: {points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]], nodes: 5}}\n");
    assert_near(node(world, "cable", 3).y, 0.5, ROUNDING);
    fil_world_destroy(world);
}

static void sections_may_differ_along_a_rod(void** state)
{
    (void)state;
    FilWorld* world = load(
        "materials:\n  steel: {young: 2e11, poisson: 0.3, density: 7800}\n"
        "  rubber: {young: 3e6, shear: 1e6, density: 1000}\nrods:\n" ROD_HEAD STRAIGHT
        "    sections:\n      - {first: 1, count: 2, circle: {radius: 0.02}}\n"
        "      - {first: -1, material: steel, rectangle: {width: 0.01, height: 0.001}}\n");
    const FilId rod = find_rod(world, "cable");
    assert_true(fil_rod_section(world, rod, 0).radius == 0.01);
    assert_true(fil_rod_section(world, rod, 1).radius == 0.02 && fil_rod_section(world, rod, 1).young == 3e6);
    assert_true(fil_rod_section(world, rod, 2).radius == 0.02);
    assert_int_equal(fil_rod_section(world, rod, 3).shape, FIL_SECTION_RECTANGLE);
    assert_true(fil_rod_section(world, rod, 3).young == 2e11);
    fil_world_destroy(world);
}

/* EA 1, EI 2, GJ 3, in a rod of five nodes and one metre. */
#define STIFF_ROD              \
    "rods:\n  - name: cable\n" \
    "    section: {stiffness: {ea: 100, ei1: 2, gj: 3, mass_per_length: 4, radius: 0.01}}\n" STRAIGHT "    director: [0, 1, 0]\n"
#define ENERGY "probes:\n  energy: elastic_energy\n"

static void rest_shape_and_twist_store_energy(void** state)
{
    (void)state;
    FilWorld* world = load(STIFF_ROD ENERGY);
    assert_near(probe_value(world, "energy"), 0.0, ROUNDING);
    fil_world_destroy(world);
    // three quarters of the rod lie between the middles of its end edges: GJ phi^2 / (2 * 0.75)
    world = load(STIFF_ROD "    twist: 0.6\n" ENERGY);
    assert_near(probe_value(world, "energy"), 3.0 * 0.36 / 1.5, ROUNDING);
    fil_world_destroy(world);
    // the same by a rest twist of 0.6 rad over 0.75 m, and by angles
    world = load(STIFF_ROD "    rest_twist: 0.8\n" ENERGY);
    assert_near(probe_value(world, "energy"), 3.0 * 0.36 / 1.5, ROUNDING);
    fil_world_destroy(world);
    world = load(STIFF_ROD "    angles: [0, 0.2, 0.4, 0.6]\n" ENERGY);
    assert_near(probe_value(world, "energy"), 3.0 * 0.36 / 1.5, ROUNDING);
    fil_world_destroy(world);
    // 0.6 of it stress free
    world = load(STIFF_ROD "    twist: 0.6\n    rest: initial\n" ENERGY);
    assert_near(probe_value(world, "energy"), 0.0, ROUNDING);
    fil_world_destroy(world);
    // a rod twice as long as it wants to be: EA strain^2 l0 / 2 with strain 1
    world = load(STIFF_ROD "    rest_length_scale: 0.5\n" ENERGY);
    assert_near(probe_value(world, "energy"), 100.0 * 0.5 / 2.0, 100.0 * ROUNDING);
    fil_world_destroy(world);
    // kappa = 2 tan(k l / 2) at the three inner nodes: EI / (2 l) each, l = 1/4
    const double kappa = 2.0 * tan(0.5 * 0.4 * 0.25);
    world = load(STIFF_ROD "    rest_curvature: [0.4, 0]\n" ENERGY);
    assert_near(probe_value(world, "energy"), 3.0 * 2.0 * kappa * kappa / (2.0 * 0.25), ROUNDING);
    fil_world_destroy(world);
    world = load(STIFF_ROD "    rest_curvature: [[0, 0], [0, 0], [0.4, 0], [0, 0], [0, 0]]\n" ENERGY);
    assert_near(probe_value(world, "energy"), 2.0 * kappa * kappa / (2.0 * 0.25), ROUNDING);
    fil_world_destroy(world);
}

static double ring_energy(const char* section, const char* twist)
{
    char text[512];
    snprintf(text, sizeof text,
             MATERIAL
             "rods:\n  - name: ring\n    material: rubber\n    section: {%s}\n"
             "    shape: {ring: {radius: 1, nodes: 40}}\n    director: [0, 0, 1]\n    twist: %s\n" ENERGY,
             section, twist);
    FilWorld* world = load(text);
    const double energy = probe_value(world, "energy");
    fil_world_destroy(world);
    return energy;
}

static void a_ring_is_twisted_all_around(void** state)
{
    (void)state;
    // twist energy GJ phi^2 / (2 L) on top of the bending, by whole turns (frames) and others (rest twist)
    static const char* const round_section = "circle: {radius: 0.01}";
    const double gj = 1e6 * 0.5 * FIL_PI * 1e-8, length = 40 * 2.0 * sin(FIL_PI / 40);
    const double flat = ring_energy(round_section, "0");
    const double phi = 7.0, turns = 4.0 * FIL_PI;
    // energies of about 0.1 J
    assert_near(ring_energy(round_section, "7") - flat, gj * phi * phi / (2.0 * length), ROUNDING);
    // a hinge takes its curvature in the mean of two frames that are turns / 40 apart
    const double bending = flat * pow(cos(0.5 * turns / 40), 2);
    assert_near(ring_energy(round_section, "$(4 * pi)") - bending, gj * turns * turns / (2.0 * length), ROUNDING);
    // a strip takes whole turns only
    assert_true(ring_energy("rectangle: {width: 0.02, height: 0.002}", "$(2 * pi)") > 0.0);
    const char* text = MATERIAL
        "rods:\n  - name: ring\n    material: rubber\n    section: {rectangle: {width: 2, height: 1}}\n"
        "    shape: {ring: {radius: 1, nodes: 40}}\n    twist: 3\n";
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(fil_scene_load_text("strip.yaml", text, strlen(text), NULL, &world, NULL, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "strip.yaml:8: rods.ring.twist: "));
}

static void rods_start_with_their_motion(void** state)
{
    (void)state;
    // one metre of 4 kg/m: 1 kg at each inner node, half of it at the ends
    FilWorld* world = load(STIFF_ROD
                           "    velocity: [1, 0, -2]\n    angular_velocity: [0, 0, 3]\n    spin: 5\n"
                           "probes:\n  p: momentum\n  l: angular_momentum\n"
                           "  v: {velocity: {rod: cable, node: -1}}\n");
    assert_near(probe_value(world, "p_x"), 4.0, ROUNDING);
    assert_near(probe_value(world, "p_y"), 0.0, ROUNDING);
    assert_near(probe_value(world, "p_z"), -8.0, ROUNDING);
    assert_near(probe_value(world, "v_y"), 1.5, ROUNDING);
    // sum m r^2 about the centre: 2 * (0.5 * 0.25 + 1 * 0.0625) = 0.375 kg m^2, here about the origin
    assert_near(probe_value(world, "l_z"), 3.0 * 0.375, ROUNDING);
    // y: -(x_c p_z) = 4; x: spin of the edges, inertia m r^2 / 2 per length
    assert_near(probe_value(world, "l_y"), 0.5 * 8.0, ROUNDING);
    assert_near(probe_value(world, "l_x"), 5.0 * 0.5 * 4.0 * 1e-4, ROUNDING);
    fil_world_destroy(world);
}

static void noise_depends_on_the_seed_alone(void** state)
{
    (void)state;
    const char* text = ROD "    noise: 1e-3\n";
    uint64_t hashes[3];
    for (int k = 0; k < 3; k++) {
        const FilSceneOptions options = {.seed = k == 2 ? 8 : 7, .seed_given = true};
        FilWorld* world = load_with(text, &options, NULL);
        hashes[k] = fil_world_hash(world);
        fil_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_true(hashes[0] != hashes[2]);
}

/* ---- junctions ---- */

static void rods_that_meet_are_one_body(void** state)
{
    (void)state;
    static const char* const rod =
        "  - name: %s\n    material: rubber\n    section: {circle: {radius: 0.01}}\n"
        "    shape: {straight: {from: %s, to: %s, nodes: 5}}\n";
    static const char* const rods[][3] = {
        {"alone", "[0, 5, 0]", "[1, 5, 0]"},          {"east", "[0, 0, 0]", "[1, 0, 0]"},       {"far", "[9, 0, 0]", "[9, 1, 0]"},
        {"north", "[0.5, -0.5, 0]", "[0.5, 0.5, 0]"}, {"up", "[0.5, 0.5, 0]", "[0.5, 0.5, 1]"},
    };
    char text[2048] = MATERIAL "rods:\n";
    for (int k = 0; k < 5; k++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), rod, rods[k][0], rods[k][1], rods[k][2]);
    }
    strcat(text,
           "junctions:\n  - {a: {rod: up, node: 0}, b: {rod: north, node: -1}}\n"
           "  - {a: {rod: east, node: 2}, b: {rod: north, node: 2}}\n"
           "attachments:\n  - {name: east_end, pin: {rod: east, node: 0}}\n"
           "probes:\n  up: {position: {rod: up, node: 0}}\n  north: {position: {rod: north, node: -1}}\n");
    FilWorld* world = load(text);
    assert_int_equal(fil_world_rod_count(world), 5);
    assert_int_equal(fil_world_body_count(world), 3);
    // what is joined stays joined
    for (int k = 0; k < 20; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    assert_true(fabs(probe_value(world, "up_z")) > 1e-6);
    assert_true(probe_value(world, "up_x") == probe_value(world, "north_x") && probe_value(world, "up_z") == probe_value(world, "north_z"));
    fil_world_destroy(world);
}

/* ---- attachments, drives, probes ---- */

static void attachments_hold(void** state)
{
    (void)state;
    FilWorld* world = load(ROD
                           "attachments:\n  - {name: wall, clamp: {rod: cable, node: 0}}\n"
                           "  - {name: hand, handle: {rod: cable, node: -1, stiffness: 50, damping: 1, max_force: 9}}\n"
                           "  - {pin: {rod: cable, nodes: [2, 1]}}\n"
                           "probes:\n  middle: {position: {rod: cable, node: 2, component: z}}\n");
    assert_int_not_equal(fil_world_find_attachment(world, "wall").index, 0);
    assert_int_not_equal(fil_world_find_attachment(world, "hand").index, 0);
    assert_int_not_equal(fil_world_find_attachment(world, "attachment2").index, 0);
    for (int k = 0; k < 10; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    assert_true(probe_value(world, "middle") == 0.0);
    fil_world_destroy(world);
}

static void a_hold_is_a_pin_and_a_twist(void** state)
{
    (void)state;
    FilWorld* world = load("world: {dt: 0.01}\n" ROD
                           "attachments:\n  - {name: grip, hold: {rod: cable, edge: 0}}\n"
                           "drives:\n  - {name: turn, attachment: grip_twist, angle: [[0, 0], [0.1, 0.5]]}\n"
                           "probes:\n  angle: {angle: {rod: cable, edge: 0}}\n"
                           "  second: {position: {rod: cable, node: 1, component: z}}\n");
    for (int k = 0; k < 10; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    assert_near(probe_value(world, "angle"), 0.5, ROUNDING);
    assert_true(probe_value(world, "second") == 0.0);
    fil_world_destroy(world);
}

static void drives_follow_their_tables(void** state)
{
    (void)state;
    FilWorld* world = load("world: {dt: 0.25, gravity: [0, 0, 0]}\n" ROD
                           "attachments:\n  - {name: wall, clamp: {rod: cable, node: 0}}\n"
                           "drives:\n  - {name: still, rod: cable, node: -1, force: [0, 0, 1]}\n"
                           "  - {name: line, rod: cable, curvature: [[0, 0, 0], [1, 4, 8]]}\n"
                           "  - {name: ease, rod: cable, nodes: [1, 2], rest_twist: [[0, 0], [1, 4]], ramp: smooth}\n"
                           "  - {rod: cable, edge: 0, axial_torque: 0.5}\n"
                           "probes:\n  still: {drive: {drive: still}}\n  line: {drive: {drive: line}}\n"
                           "  ease: {drive: {drive: ease}}\n  unnamed: {drive: {drive: drive3}}\n"
                           "  size: {drive: {drive: line, component: norm}}\n");
    assert_true(probe_value(world, "still_z") == 1.0);
    assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    assert_near(probe_value(world, "line_x"), 1.0, ROUNDING);
    assert_near(probe_value(world, "line_y"), 2.0, ROUNDING);
    assert_near(probe_value(world, "size"), sqrt(5.0), ROUNDING);
    // 3 s^2 - 2 s^3 at a quarter
    assert_near(probe_value(world, "ease"), 4.0 * (3.0 / 16.0 - 2.0 / 64.0), ROUNDING);
    assert_true(probe_value(world, "unnamed") == 0.5);
    fil_world_destroy(world);
}

static void every_kind_of_probe_is_read(void** state)
{
    (void)state;
    FilWorld* world = load(STIFF_ROD
                           "attachments:\n  - {name: wall, clamp: {rod: cable, node: 0}}\n"
                           "drives:\n  - {name: pull, rod: cable, node: -1, force: [3, 4, 0]}\n"
                           "probes:\n  x: {position: {rod: cable, node: -1, component: x}}\n"
                           "  v: {velocity: {rod: cable, node: -1, component: norm}}\n"
                           "  a: {angle: {rod: cable, edge: 0}}\n  n: {tension: {rod: cable, edge: -1}}\n"
                           "  k: {curvature: {rod: cable, node: 2}}\n  t: {twist: {rod: cable, node: 2}}\n"
                           "  l: {length: {rod: cable}}\n  d: {end_distance: {rod: cable}}\n"
                           "  f: {force: {attachment: wall, component: z}}\n"
                           "  m: {torque: {attachment: wall}}\n  u: {drive: {drive: pull, component: norm}}\n"
                           "  ek: kinetic_energy\n  ee: {elastic_energy: {}}\n  eg: gravity_energy\n"
                           "  et: total_energy\n  p: {momentum: {component: x}}\n  j: angular_momentum\n");
    assert_int_equal(fil_world_probe_count(world), 17 + 1 + 2 + 2);
    static const char* const names[] = {"x",   "v",   "a", "n",  "k_x", "k_y", "t",  "l", "d",   "f",   "m_x",
                                        "m_y", "m_z", "u", "ek", "ee",  "eg",  "et", "p", "j_x", "j_y", "j_z"};
    for (int k = 0; k < 22; k++) {
        assert_string_equal(fil_world_probe_name(world, k), names[k]);
    }
    assert_true(probe_value(world, "x") == 1.0);
    assert_near(probe_value(world, "l"), 1.0, ROUNDING);
    assert_near(probe_value(world, "d"), 1.0, ROUNDING);
    assert_near(probe_value(world, "u"), 5.0, ROUNDING);
    fil_world_destroy(world);
}

/* as in `filum run <(generate)`; who bounds the folders waits for no pipe */
static void a_scene_may_be_piped_in(void** state)
{
    (void)state;
    int ends[2];
    char path[32];
    FilWorld* world = NULL;
    FilError error;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], ROD, strlen(ROD)), (int)strlen(ROD));
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    const FilSceneOptions bound = {.folders = "/"};
    assert_int_equal(fil_scene_load(path, &bound, &world, NULL, &error), FIL_IO);
    assert_int_equal(fil_scene_load(path, NULL, &world, NULL, &error), FIL_OK);
    assert_int_equal(fil_world_rod_count(world), 1);
    fil_world_destroy(world);
    close(ends[0]);
}

static void knots_and_wraps_make_rods(void** state)
{
    (void)state;
    FilWorld* world = load(MATERIAL
                           "rods:\n"
                           "  - name: knot\n    material: rubber\n    section: {circle: {radius: 0.0015}}\n"
                           "    shape: {knot: {n: 2, nodes: 301, length: 1, diameter: 0.003, center: [0, 0, 7]}}\n"
                           "  - name: rope\n    material: rubber\n    section: {circle: {radius: 0.001}}\n"
                           "    shape: {wrap: {radius: 0.1, angle: $(pi), segments: 20, tails: [0.2, 0.1], "
                           "toward: [1, 0, 0]}}\n");
    const FilId knot = fil_world_find_rod(world, "knot"), rope = fil_world_find_rod(world, "rope");
    double nodes[3 * 301];
    assert_int_equal(fil_rod_node_count(world, knot), 301);
    assert_near(fil_rod_length(world, knot), 1.0, 1e-6);
    fil_rod_get_positions(world, knot, nodes);
    assert_true(fabs(nodes[2] - 7.0) < 0.1);
    const int count = fil_rod_node_count(world, rope);
    assert_true(count < 301);
    fil_rod_get_positions(world, rope, nodes);
    // it comes along +y at x = 0.1 and leaves along -y at x = -0.1
    assert_near(nodes[0], 0.1, ROUNDING);
    assert_near(nodes[3 * (count - 1)], -0.1, ROUNDING);
    assert_near(nodes[1], -0.2, 0.01);  // tails are rounded to whole edges of 0.0157 m
    assert_near(nodes[3 * (count - 1) + 1], -0.1, 0.01);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_of_the_project_loads_and_steps),
        cmocka_unit_test(a_scene_may_be_piped_in),
        cmocka_unit_test(the_head_has_defaults),
        cmocka_unit_test(the_head_is_read),
        cmocka_unit_test(options_win_over_the_scene),
        cmocka_unit_test(parameters_reach_the_scene),
        cmocka_unit_test(settings_change_parameters_and_keys),
        cmocka_unit_test(the_last_setting_wins),
        cmocka_unit_test(included_files_are_merged_under_the_scene),
        cmocka_unit_test(shapes_make_rods),
        cmocka_unit_test(sections_may_differ_along_a_rod),
        cmocka_unit_test(rest_shape_and_twist_store_energy),
        cmocka_unit_test(a_ring_is_twisted_all_around),
        cmocka_unit_test(rods_start_with_their_motion),
        cmocka_unit_test(noise_depends_on_the_seed_alone),
        cmocka_unit_test(rods_that_meet_are_one_body),
        cmocka_unit_test(attachments_hold),
        cmocka_unit_test(a_hold_is_a_pin_and_a_twist),
        cmocka_unit_test(drives_follow_their_tables),
        cmocka_unit_test(every_kind_of_probe_is_read),
        cmocka_unit_test(knots_and_wraps_make_rods),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
