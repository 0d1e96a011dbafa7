/* Shells in scenes: meshes from files, what bad meshes are refused for, and shells under other contact models than ipc.
 */
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
#include "scene/scene_folder.h"
#include "scenes.h"

/* a scene in the folder with one shell from a file */
static FilStatus load(const char* file, const char* more, FilWorld** world, FilError* error)
{
    char text[1024], path[128];
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    snprintf(text, sizeof text,
             "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000}}\n"
             "shells:\n"
             "  - {name: cloth, material: soft, thickness: 0.001, file: {path: %s%s}}\n",
             file, more);
    *world = NULL;
    return fil_scene_load_text(path, text, strlen(text), NULL, world, NULL, error);
}

static void near3(const double* x, double a, double b, double c)
{
    assert_true(fabs(x[0] - a) < 1e-12 && fabs(x[1] - b) < 1e-12 && fabs(x[2] - c) < 1e-12);
}

/* A scene of that file, in which the cloth has so many vertices and triangles. */
static FilWorld* load_cloth(const char* file, const char* more, int vertices, int triangles, FilId* shell)
{
    FilWorld* world;
    FilError error;
    assert_int_equal(load(file, more, &world, &error), FIL_OK);
    *shell = fil_world_find_shell(world, "cloth");
    assert_int_equal(fil_shell_vertex_count(world, *shell), vertices);
    assert_int_equal(fil_shell_triangle_count(world, *shell), triangles);
    return world;
}

/* a square of four triangles about its middle, one of them with texture numbers, one of them as a part of a square */
static void test_obj(void** state)
{
    (void)state;
    write_file("square.obj",
               "# a square\no square\nv 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 1 1 0\nvt 0 0\nvn 0 0 1\n"
               "f 1 2 5\nf 2/1/1 3/1/1 5/1/1\nf 4 1 5 3\n");
    FilId shell;
    FilWorld* world = load_cloth("square.obj", ", scale: 0.1, position: [1, 2, 3], rotation: [0, 0, 1.5707963267948966]", 5, 4, &shell);
    int triangles[12], uses[5] = {0};
    fil_shell_get_triangles(world, shell, triangles);
    for (int k = 0; k < 12; ++k) {
        assert_in_range(triangles[k], 0, 4);
        uses[triangles[k]]++;
    }
    // a corner of the square and the middle, scaled, turned by a right angle and moved
    double x[3];
    fil_shell_get_position(world, shell, 1, x);
    near3(x, 1.0, 2.2, 3.0);
    fil_shell_get_position(world, shell, 4, x);
    near3(x, 0.9, 2.1, 3.0);
    assert_int_equal(uses[4], 4);
    // density times thickness times area, falling freely
    for (int k = 0; k < 10; ++k) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    const double t = fil_world_time(world), expected = 0.5 * 1000.0 * 0.001 * 0.04 * pow(9.81 * t, 2.0);
    assert_true(fabs(fil_world_energy(world).kinetic / expected - 1.0) < 1e-9);
    fil_world_destroy(world);
}

static void test_stl(void** state)
{
    (void)state;
    write_file("two.stl",
               "solid two\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 0\n "
               "endloop\nendfacet\n"
               "facet normal 0 0 1\n outer loop\n  vertex 1 0 0\n  vertex 1 1 0\n  vertex 0 1 0\n "
               "endloop\nendfacet\nendsolid two\n");
    FilId shell;
    fil_world_destroy(load_cloth("two.stl", "", 4, 2, &shell));  // vertices are merged
}

/* each bad mesh is refused with where and why */
static void test_bad_meshes(void** state)
{
    (void)state;
    static const struct {
        const char *text, *key, *message;
    } bad[] = {
        {"v 0 0 0\nv 1 0 0\n", "shells.cloth.file.path", ""},  // no triangles
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n", "shells.cloth.file.path", "7"},
        {"v 0 0 0\nv 1 0 zero\nv 0 1 0\nf 1 2 3\n", "shells.cloth.file.path", ":2"},
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "shells.cloth", "no area"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 2 1 4\nf 1 2 5\n", "shells.cloth", "at most two"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nf 1 2 3\nf 1 2 4\n", "shells.cloth", "opposite ways"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        FilWorld* world;
        FilError error;
        write_file("bad.obj", bad[k].text);
        const FilStatus status = load("bad.obj", "", &world, &error);
        if (status == FIL_OK || strstr(error.text, ":3: ") == NULL || strstr(error.text, bad[k].key) == NULL ||
            strstr(error.text, bad[k].message) == NULL) {
            print_error("%d: status %d, '%s'\n", (int)k, (int)status, error.text);
            fail();
        }
        assert_null(world);
    }
}

/* under sap the vertices collide: a cloth that is dropped on the ground comes to rest on it */
static void test_sap(void** state)
{
    (void)state;
    static const char* const scene =
        "world: {contact: sap, dt: 0.005}\n"
        "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000, friction: 0.5}}\n"
        "shells: [{name: cloth, material: soft, thickness: 0.004, noise: 1e-4, damping: {mass: 1}, sheet: {corner: [0, "
        "0, 0.03], along: [0.2, 0, 0.01], "
        "across: [0, 0.2, 0], columns: 6, rows: 7}}]\n"
        "rigid_bodies: [{name: ground, motion: static, material: soft, shapes: [{half_space: {}}]}]\n";
    FilWorld* world = NULL;
    FilError error;
    if (fil_scene_load_text("sap", scene, strlen(scene), NULL, &world, NULL, &error) != FIL_OK) {
        print_error("%s\n", error.text);
        fail();
    }
    FilStepInfo info = {0};
    for (int k = 0; k < 300; ++k) {
        if (fil_world_step(world, &info) != FIL_OK) {
            print_error("%s\n", fil_world_error(world));
            fail();
        }
    }
    const FilId shell = fil_world_find_shell(world, "cloth");
    for (int k = 0; k < fil_shell_vertex_count(world, shell); ++k) {
        double x[3];
        fil_shell_get_position(world, shell, k, x);
        assert_true(x[2] > 0.0019 && x[2] < 0.0025);  // half the thickness above the ground, which gives way a little
    }
    assert_true(info.contacts >= fil_shell_vertex_count(world, shell) / 2);
    assert_true(fil_world_energy(world).kinetic < 1e-6);
    fil_world_destroy(world);
}

/* what touches has a surface that pairs may set and a contact force that probes may measure, shells too */
static void test_names_of_shells(void** state)
{
    (void)state;
    static const char text[] =
        "materials: {soft: {young: 1e5, poisson: 0.3, density: 1000, friction: 0.2}}\n"
        "world: {contact: sap, adaptive: {iterations: 5}}\n"
        "shells:\n"
        "  - {name: cloth, material: soft, thickness: 0.01, sheet: {corner: [0, 0, 0.004], along: [0.1, 0, 0], "
        "across: [0, 0.1, 0], columns: 2, rows: 2}}\n"
        "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}]\n"
        "pairs: [{a: cloth, b: ground, friction: 0.5}]\n"
        "probes:\n"
        "  weight: {contact_force: {shell: cloth, component: z}}\n"
        "  load: {contact_force: {body: ground, component: z}}\n";
    FilWorld* world = load_text(text);
    for (int k = 0; k < 400; ++k) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    // 0.1 m x 0.1 m x 0.01 m of 1000 kg/m^3 at rest
    const double weight = 0.1 * 0.1 * 0.01 * 1000 * 9.81;
    assert_true(fabs(fil_world_probe_value(world, 0) - weight) < 0.05 * weight);
    assert_true(fabs(fil_world_probe_value(world, 0) + fil_world_probe_value(world, 1)) < 1e-12 * weight);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_obj),
        cmocka_unit_test(test_stl),
        cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_sap),
        cmocka_unit_test(test_names_of_shells),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
