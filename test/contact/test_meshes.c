/* Rigid meshes that are not convex, as they are: a ball rolls in a bowl, a rope hangs in a torus, tori lie on each other. */
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

#include "filum/filum.h"
#include "sample.h"

static const double pi = 3.14159265358979323846;
static char folder[] = "/tmp/filum_meshes_XXXXXX";

static FILE* open_mesh(const char* name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

/* about z, of radius 0.05 and tube 0.015 */
static void write_torus(void)
{
    enum { AROUND = 32, TUBE = 16 };
    FILE* file = open_mesh("torus.obj");
    for (int i = 0; i < AROUND; i++) {
        for (int j = 0; j < TUBE; j++) {
            const double a = 2.0 * pi * i / AROUND, b = 2.0 * pi * j / TUBE, r = 0.05 + 0.015 * cos(b);
            fprintf(file, "v %.12g %.12g %.12g\n", r * cos(a), r * sin(a), 0.015 * sin(b));
        }
    }
    for (int i = 0; i < AROUND; i++) {
        for (int j = 0; j < TUBE; j++) {
            const int k = (i + 1) % AROUND, l = (j + 1) % TUBE;
            fprintf(file, "f %d %d %d %d\n", i * TUBE + j + 1, k * TUBE + j + 1, k * TUBE + l + 1, i * TUBE + l + 1);
        }
    }
    fclose(file);
}

enum { RINGS = 20, SECTORS = 48 };

static int bowl_vertex(int shell, int ring, int sector)
{
    return shell * (1 + RINGS * SECTORS) + (ring == 0 ? 1 : 2 + (ring - 1) * SECTORS + sector % SECTORS);
}

/* the lower part of a sphere of 0.2 m up to 1 rad, 10 mm thick */
static void write_bowl(bool open)
{
    FILE* file = open_mesh(open ? "open.obj" : "bowl.obj");
    for (int shell = 0; shell < 2; shell++) {
        for (int ring = 0; ring <= RINGS; ring++) {
            for (int sector = 0; sector < (ring == 0 ? 1 : SECTORS); sector++) {
                const double a = 1.0 * ring / RINGS, b = 2.0 * pi * sector / SECTORS, r = shell == 0 ? 0.2 : 0.21;
                fprintf(file, "v %.12g %.12g %.12g\n", r * sin(a) * cos(b), r * sin(a) * sin(b), -r * cos(a));
            }
        }
    }
    for (int k = 0; k < 2 * RINGS * SECTORS; k++) {
        const int shell = k % 2, ring = k / 2 / SECTORS, s = k / 2 % SECTORS;
        const int p = bowl_vertex(shell, ring, s), q = bowl_vertex(shell, ring + 1, s), t = bowl_vertex(shell, ring + 1, s + 1);
        fprintf(file, "f %d %d %d\n", p, shell == 0 ? q : t, shell == 0 ? t : q);
        if (ring > 0) {
            const int u = bowl_vertex(shell, ring, s + 1);
            fprintf(file, "f %d %d %d\n", p, shell == 0 ? t : u, shell == 0 ? u : t);
        }
    }
    for (int s = 0; s < SECTORS && !open; s++) {
        fprintf(file, "f %d %d %d %d\n", bowl_vertex(0, RINGS, s), bowl_vertex(1, RINGS, s), bowl_vertex(1, RINGS, s + 1),
                bowl_vertex(0, RINGS, s + 1));
    }
    fclose(file);
}

static FilStatus load(const char* text, FilWorld** world, FilError* error)
{
    char path[200];
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    *world = NULL;
    return fil_scene_load_text(path, text, strlen(text), NULL, world, NULL, error);
}

static FilWorld* must_load(const char* text)
{
    FilWorld* world;
    FilError error;
    if (load(text, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return world;
}

static void step(FilWorld* world)
{
    FilStepInfo info;
    if (fil_world_step(world, &info) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
}

/* A ball of radius r slides, or rolls, with the period of a pendulum of length R - r; rolling takes sqrt(7/5) as long. */
static void test_ball_in_bowl(void** state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        static const char* const models[] = {"sap", "sap", "sap_lagged", "lcp"};
        const bool rolls = k > 0;
        char text[800];
        snprintf(text, sizeof text,
                 "world: {dt: 0.001, contact: %s}\n"
                 "rigid_bodies:\n"
                 "  - {name: bowl, motion: static, shapes: [{mesh: {file: bowl.obj}}], surface: {friction: %g}}\n"
                 "  - {name: ball, density: 1000, position: [0.03, 0, %.12g], shapes: [{sphere: {radius: 0.01}}], surface: {friction: 0.5}}\n",
                 models[k], rolls ? 0.5 : 0.0, -sqrt(0.19 * 0.19 - 0.03 * 0.03));
        FilWorld* world = must_load(text);
        double last = sample_place(world, "ball").x, times[2] = {0.0};
        int crossings = 0;
        for (int i = 0; i < 1000 && crossings < 2; i++) {
            step(world);
            const double x = sample_place(world, "ball").x;
            if (x * last < 0.0) {
                times[crossings++] = 1e-3 * (i + last / (last - x));
            }
            last = x;
        }
        assert_int_equal(crossings, 2);
        const double angle = asin(0.03 / 0.19), period = 2.0 * pi * sqrt(0.19 / 9.81 * (rolls ? 1.4 : 1.0)) * (1.0 + angle * angle / 16.0);
        // facets of 10 mm are planes, not a sphere
        assert_true(fabs(2.0 * (times[1] - times[0]) / period - 1.0) < 0.02);
        fil_world_destroy(world);
    }
}

/* A rope through a hanging torus lies on the inside of its tube, a radius away. */
static void test_rope_through_torus(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged"};
    for (int m = 0; m < 2; m++) {
        char text[800];
        snprintf(text, sizeof text,
                 "world: {dt: 0.002, contact: %s}\n"
                 "materials: {rubber: {young: 1.0e+6, poisson: 0.4, density: 1000}}\n"
                 "rigid_bodies: [{name: ring, motion: static, rotation: [0, 1.5707963267948966, 0], shapes: [{mesh: {file: torus.obj}}]}]\n"
                 "rods: [{name: rope, material: rubber, section: {circle: {radius: 0.003}}, shape: {straight: {from: [-0.1, 0, 0], to: [0.1, "
                 "0, 0.003], nodes: 21}}, damping: {mass: 5, stiffness: 0.002}}]\n",
                 models[m]);
        FilWorld* world = must_load(text);
        double x[63];
        for (int i = 0; i < 250; i++) {
            step(world);
        }
        fil_rod_get_positions(world, fil_world_find_rod(world, "rope"), x);
        assert_true(fabs(x[32] + 0.032) < 5e-4);  // the tube bulges where the rope has its nodes
        fil_world_destroy(world);
    }
}

/* Tori lie on the ground and on each other; a peg stands in their hole; a ball deep inside comes out; a box lies on top. */
static void test_objects_on_tori(void** state)
{
    (void)state;
    FilWorld* world = must_load(
        "world: {dt: 0.002, contact: sap}\n"
        "rigid_bodies:\n"
        "  - {name: ground, motion: static, shapes: [{half_space: {}}]}\n"
        "  - {name: ring, density: 1000, position: [0, 0, 0.016], shapes: [{mesh: {file: torus.obj}}]}\n"
        "  - {name: other, density: 1000, position: [0.003, 0.002, 0.047], shapes: [{mesh: {file: torus.obj}}]}\n"
        "  - {name: peg, density: 1000, position: [0, 0, 0.026], shapes: [{capsule: {radius: 0.01, length: 0.03}}]}\n"
        "  - {name: fixed, motion: static, position: [1, 0, 0.015], shapes: [{mesh: {file: torus.obj}}]}\n"
        "  - {name: buried, density: 1000, position: [1.05, 0, 0.02], shapes: [{sphere: {radius: 0.004}}]}\n"
        "  - {name: box, density: 1000, position: [1, 0, 0.037], shapes: [{box: {size: [0.12, 0.03, 0.01]}}]}\n"
        "  - {name: hull, motion: static, position: [2, 0, 0.015], shapes: [{mesh: {file: torus.obj, convex: true}}]}\n"
        "  - {name: high, density: 1000, position: [2, 0, 0.037], shapes: [{sphere: {radius: 0.005}}]}\n");
    for (int i = 0; i < 300; i++) {
        step(world);
    }
    const double tube = 0.015;
    assert_true(fabs(sample_place(world, "ring").z - tube) < 2e-4);
    assert_true(fabs(sample_place(world, "other").z - 3.0 * tube) < 1e-3);  // facets of 6 mm, turned against each other
    assert_true(fabs(sample_place(world, "peg").z - 0.025) < 2e-4);
    assert_true(sample_place(world, "buried").z > 0.033 - 1e-3);
    assert_true(fabs(sample_place(world, "box").z - 0.035) < 4e-3);   // one end on the ball
    assert_true(fabs(sample_place(world, "high").z - 0.035) < 2e-4);  // no hole in the hull
    // half of a torus is in its hull: mass is that of the torus, less what facets cut off
    const double volume = 2.0 * pi * pi * 0.05 * tube * tube;
    assert_true(fabs(fil_rigid_mass(world, fil_world_find_rigid(world, "ring")) / (1000.0 * volume) - 1.0) < 0.05);
    fil_world_destroy(world);
}

/* Two tori that collide keep momentum to rounding. */
static void test_free_collision(void** state)
{
    (void)state;
    FilWorld* world = must_load(
        "world: {dt: 0.001, gravity: [0, 0, 0], contact: {model: sap, tolerance: 1e-9}}\n"
        "rigid_bodies:\n"
        "  - {name: a, density: 1000, shapes: [{mesh: {file: torus.obj}}]}\n"
        "  - {name: b, density: 1000, position: [0.03, 0.01, 0.035], rotation: [0.3, 0.1, 0], velocity: [0, 0.1, -1], shapes: "
        "[{mesh: {file: torus.obj}}]}\n");
    const FilVec3 p = fil_world_momentum(world), l = fil_world_angular_momentum(world);
    bool touched = false;
    for (int i = 0; i < 40; i++) {
        step(world);
        touched = touched || fil_world_contact_count(world) > 0;
    }
    const FilVec3 p1 = fil_world_momentum(world), l1 = fil_world_angular_momentum(world);
    const double scale = fabs(p.z);
    assert_true(touched && fabs(sample_place(world, "a").z) > 1e-4);
    assert_true(fmax(fmax(fabs(p1.x - p.x), fabs(p1.y - p.y)), fabs(p1.z - p.z)) < 1e-9 * scale);
    assert_true(fmax(fmax(fabs(l1.x - l.x), fabs(l1.y - l.y)), fabs(l1.z - l.z)) < 1e-3 * 0.05 * scale);
    fil_world_destroy(world);
}

static void refuse(const char* text, const char* part)
{
    FilWorld* world;
    FilError error = {0};
    FilStatus status = load(text, &world, &error);
    const char* message = error.text;
    if (status == FIL_OK) {
        FilStepInfo info;
        status = fil_world_step(world, &info);
        message = fil_world_error(world);
    }
    assert_int_equal(status, FIL_BAD_INPUT);
    if (strstr(message, part) == NULL) {
        fail_msg("%s", message);
    }
    fil_world_destroy(world);
}

static void test_refused(void** state)
{
    (void)state;
    refuse("rigid_bodies: [{name: bowl, motion: static, shapes: [{mesh: {file: open.obj}}]}]\n", "open.obj");
    refuse("rigid_bodies: [{name: ring, motion: static, surface: {modulus: 1.0e+5}, shapes: [{mesh: {file: torus.obj}}]}]\n", "no pressure field");
    refuse(
        "world: {contact: ipc}\nrigid_bodies: [{name: ring, density: 1000, shapes: [{mesh: {file: torus.obj}}]}, {name: ground, motion: static, "
        "position: [0, 0, -1], shapes: [{half_space: {}}]}]\n",
        "convex meshes only");
    // a rod in the hole of a torus would lie deep in its hull
    refuse(
        "world: {contact: imc}\nmaterials: {rubber: {young: 1.0e+6, poisson: 0.5, density: 1000}}\n"
        "rods: [{name: rope, material: rubber, section: {circle: {radius: 0.005}}, shape: {straight: {from: [0, 0, -0.1], to: [0, 0, 0.1], nodes: "
        "9}}}]\n"
        "rigid_bodies: [{name: ring, motion: static, shapes: [{mesh: {file: torus.obj}}]}]\n",
        "it takes the hulls of meshes");
}

static int make_folder(void** state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    write_torus();
    write_bowl(false);
    write_bowl(true);
    return 0;
}

static int remove_folder(void** state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_in_bowl),    cmocka_unit_test(test_rope_through_torus),
        cmocka_unit_test(test_objects_on_tori), cmocka_unit_test(test_free_collision),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
