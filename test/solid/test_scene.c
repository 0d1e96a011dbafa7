/* Solids in scenes: every mesh, pins, probes, drives, and messages that name line and key. */
#include <stdio.h>

#include "base/vec3.h"
#include "blocks.h"

static FilStatus load(const char* text, FilWorld** world, FilError* error)
{
    *world = NULL;
    return fil_scene_load_text("scene", text, strlen(text), NULL, world, NULL, error);
}

#define MATERIAL "materials: {foam: {young: 1.0e+4, poisson: 0.3, density: 500}}\n"

static void test_meshes(void** state)
{
    (void)state;
    static const struct {
        const char* mesh;
        double volume;
    } cases[] = {
        {"ball: {radius: 0.1, spacing: 0.03}", 4.1888e-3},
        {"box: {size: [0.2, 0.1, 0.1], spacing: 0.02}", 2e-3},
        {"cylinder: {radius: 0.1, length: 0.1, spacing: 0.02}", 3.1416e-3},
        {"ellipsoid: {half: [0.1, 0.05, 0.05], spacing: 0.02}", 1.0472e-3},
        {"torus: {radius: 0.1, tube: 0.04, spacing: 0.02}", 3.1583e-3},
        {"blend: {parts: [{ball: {radius: 0.1}}], spacing: 0.03, cut: {normal: [0, 1, 0]}}", 2.0944e-3},
        {"blend: {parts: [{ball: {radius: 0.1}}, {box: {size: [0.2, 0.1, 0.1]}, position: [0.5, 0, 0], rotation: [0, 0, 1]}], rounding: 0.001, "
         "spacing: 0.03}",
         6.1888e-3},
        {"brick: {size: [0.2, 0.1, 0.1], cells: [4, 2, 2], split: five}", 2e-3},
        {"voussoir: {radius: 1, thickness: 0.2, depth: 0.1, from: 0, to: 0.3, cells: [4, 2, 2]}", 6e-3},
        {"belt: {radius: 0.1, distance: 0.4, thickness: 0.02, width: 0.1, cells: [40, 1, 2]}", 2.8566e-3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[400];
        FilWorld* world;
        FilError error;
        snprintf(text, sizeof text, MATERIAL "solids: [{name: it, material: foam, %s, rotation: [0, 0, 0.3]}]\n", cases[k].mesh);
        if (load(text, &world, &error) != FIL_OK) {
            fail_msg("%s", error.text);
        }
        const FilId id = fil_world_find_solid(world, "it");
        const double volume = fil_solid_measure(world, id).volume;
        assert_true(fabs(volume / cases[k].volume - 1.0) < 0.1);  // flat facets of round shapes, edges cut off
        assert_true(fabs(fil_solid_mass(world, id) - 500.0 * volume) < 1e-9);
        fil_world_destroy(world);
    }
}

static void test_pins_drives_and_probes(void** state)
{
    (void)state;
    FilWorld* world;
    FilError error;
    const char text[] = "world: {gravity: [0, 0, 0], dt: 100}\n" MATERIAL
                        "solids:\n"
                        "  - name: bar\n"
                        "    material: foam\n"
                        "    brick: {size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}\n"
                        "    pins: [{from: [-0.21, -1, -1], to: [-0.19, 1, 1]}]\n"
                        "drives: [{name: pull, solid: bar, vertex: -1, force: [1, 0, 0]}]\n"
                        "probes:\n"
                        "  end: {solid_vertex_position: {solid: bar, vertex: -1, component: x}}\n"
                        "  strain: {max_strain: {solid: bar}}\n"
                        "  stress: {max_stress: {solid: bar}}\n"
                        "  energy: {strain_energy: {solid: bar}}\n"
                        "  volume: {volume: {solid: bar}}\n"
                        "  least: {min_jacobian: {solid: bar}}\n";
    if (load(text, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    block_step(world, NULL);
    assert_true(fil_world_probe_value(world, 0) > 0.2 + 1e-4);
    for (int k = 1; k < 6; k++) {
        assert_true(fil_world_probe_value(world, k) > 0.0);
    }
    double x[3];
    fil_solid_get_position(world, fil_world_find_solid(world, "bar"), 0, x);
    assert_true(x[0] == -0.2);
    fil_world_destroy(world);
}

static void refuse(const char* solid, const char* part)
{
    char text[600];
    FilWorld* world;
    FilError error;
    snprintf(text, sizeof text,
             "materials: {foam: {young: 1.0e+4, poisson: 0.3, density: 500}, gum: {young: 1.0e+4, poisson: 0.5, density: 500}}\n"
             "solids:\n  - {name: it, %s}\n",
             solid);
    assert_int_not_equal(load(text, &world, &error), FIL_OK);
    if (strstr(error.text, part) == NULL || strstr(error.text, "3") == NULL) {
        fail_msg("'%s' is not in: %s", part, error.text);
    }
}

static void test_bad_scenes(void** state)
{
    (void)state;
    refuse("ball: {radius: 0.1, spacing: 0.05}", "material");
    refuse("material: foam", "one of these is missing");
    refuse("material: foam, ball: {radius: 0.1}", "spacing");
    refuse("material: foam, ball: {radius: 0.1, spacing: 5}", "mesh");
    refuse("material: gum, ball: {radius: 0.1, spacing: 0.05}", "0.5");
    refuse("material: foam, brick: {size: [1, 1, 1], cells: [1, 0.5, 1]}", "whole numbers");
    refuse("material: foam, model: rubber, ball: {radius: 0.1, spacing: 0.05}", "model");
    refuse("material: foam, model: mooney_rivlin, ball: {radius: 0.1, spacing: 0.05}", "mooney_rivlin");
    refuse("material: foam, ball: {radius: 0.1, spacing: 0.05}, pins: [{from: [5, 5, 5], to: [6, 6, 6]}]", "no vertex");
    refuse("material: foam, blend: {parts: [], spacing: 0.05}", "at least one part");
    refuse("material: foam, blend: {parts: [{ball: {radius: 0.1, half: 1}}], spacing: 0.05}", "half");
    refuse("material: foam, file: {path: nowhere.vtk}", "nowhere.vtk");
}

/* A closed surface from a file is filled; one with a hole is refused. Quality: six elements a cell have angles of 45 to 90 degrees. */
static void test_filled(void** state)
{
    (void)state;
    static const char* const box =
        "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\n"
        "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n";
    for (int closed = 0; closed < 2; closed++) {
        FILE* file = fopen("test_filled.obj", "w");
        assert_non_null(file);
        fprintf(file, "%s%s", box, closed ? "f 4 1 5 8\n" : "");
        fclose(file);
        FilMesh surface = {0};
        FilSolidMesh mesh;
        FilError error = {{0}};
        assert_int_equal(fil_mesh_read("test_filled.obj", 0.1, &surface, &error), FIL_OK);
        assert_int_equal(fil_solid_mesh_fill(&surface, 0.02, &mesh, &error), closed ? FIL_OK : FIL_BAD_INPUT);
        assert_true(closed || strstr(error.text, "not closed") != NULL);
        fil_solid_mesh_free(&mesh);
        assert_int_equal(fil_solid_mesh_fill(&surface, 0.0, &mesh, &error), FIL_BAD_INPUT);
        fil_mesh_free(&surface);
        FilWorld* world;
        const FilStatus status = load(MATERIAL
                                      "solids:\n"
                                      "  - {name: a, material: foam, filled: {path: test_filled.obj, scale: 0.1, spacing: 0.02}}\n"
                                      "  - {name: b, material: foam, brick: {size: [1, 1, 1], cells: [2, 2, 2]}, position: [5, 0, 0]}\n",
                                      &world, &error);
        assert_int_equal(status, closed ? FIL_OK : FIL_BAD_INPUT);
        if (closed) {
            const double volume = fil_solid_measure(world, fil_world_find_solid(world, "a")).volume;
            FilSolidQuality a, b;
            assert_int_equal(fil_solid_quality(world, fil_world_find_solid(world, "a"), &a), FIL_OK);
            assert_int_equal(fil_solid_quality(world, fil_world_find_solid(world, "b"), &b), FIL_OK);
            assert_int_equal(fil_solid_quality(world, (FilId){0}, &b), FIL_BAD_INPUT);
            print_message("volume %.4g, angles %.1f to %.1f; %.3f to %.3f\n", volume, a.min_dihedral * 180.0 / FIL_PI,
                          a.max_dihedral * 180.0 / FIL_PI, b.min_dihedral * 180.0 / FIL_PI, b.max_dihedral * 180.0 / FIL_PI);
            assert_true(volume < 2e-3 && volume > 0.93 * 2e-3);  // its edges are cut off
            assert_true(a.min_dihedral > 10.7 * FIL_PI / 180.0 && a.max_dihedral < 164.8 * FIL_PI / 180.0 && a.pieces == 1);
            assert_true(fabs(b.min_dihedral - 0.25 * FIL_PI) < 1e-12 && fabs(b.max_dihedral - 0.5 * FIL_PI) < 1e-12);
        } else {
            assert_non_null(strstr(error.text, "not closed"));
            assert_non_null(strstr(error.text, "scene:3"));
        }
        fil_world_destroy(world);
    }
    assert_int_equal(remove("test_filled.obj"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_pins_drives_and_probes),
        cmocka_unit_test(test_bad_scenes),
        cmocka_unit_test(test_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
