/* Rays through a world: what they meet first, on every kind of object, by closed forms, at rest and after steps. */
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

/* Two links of 0.4 m along z, the second turned by a hinge, and a sensor fixed in the middle of the first. */
static const char urdf_text[] =
    "<robot name=\"r\"><link name=\"base\"/>\n"
    "<joint name=\"j0\" type=\"revolute\"><parent link=\"base\"/><child link=\"lower\"/><axis xyz=\"0 1 0\"/>"
    "<limit lower=\"-3\" upper=\"3\" effort=\"10\" velocity=\"10\"/></joint>\n"
    "<link name=\"lower\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
    "<collision><origin xyz=\"0 0 0.2\"/><geometry><box size=\"0.1 0.1 0.3\"/></geometry></collision></link>\n"
    "<joint name=\"f\" type=\"fixed\"><parent link=\"lower\"/><child link=\"eye\"/><origin xyz=\"0 0 0.2\"/></joint><link name=\"eye\"/>\n"
    "<joint name=\"j1\" type=\"revolute\"><parent link=\"lower\"/><child link=\"upper\"/><origin xyz=\"0 0 0.4\"/><axis xyz=\"0 1 0\"/>"
    "<limit lower=\"-3\" upper=\"3\" effort=\"10\" velocity=\"10\"/></joint>\n"
    "<link name=\"upper\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
    "<collision><origin xyz=\"0 0 0.2\"/><geometry><sphere radius=\"0.1\"/></geometry></collision></link></robot>\n";

/* Everything stands a metre or more apart along x, above the ground. */
static const char scene_text[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.001, contact: none}\n"
    "materials: {rubber: {young: 1e6, poisson: 0.4, density: 1000}}\n"
    "rigid_bodies:\n"
    "  - {name: ground, motion: static, shapes: [{half_space: {}}]}\n"
    "  - {name: ball, motion: static, position: [1, 0, 1], shapes: [{sphere: {radius: 0.2}}]}\n"
    "  - {name: box, motion: static, position: [2, 0, 1], rotation: [0, 0, 0.7853981633974483], shapes: [{box: {size: [0.2, 0.2, 0.3]}}]}\n"
    "  - {name: pill, motion: static, position: [3, 0, 1], rotation: [0, 1.5707963267948966, 0], shapes: [{capsule: {radius: 0.1, length: 0.4}}]}\n"
    "  - {name: can, motion: static, position: [4, 0, 1], shapes: [{cylinder: {radius: 0.1, length: 0.5}}]}\n"
    "  - {name: wedge, motion: static, position: [5, 0, 1], shapes: [{hull: {points: [[-0.2, -0.2, 0], [0.2, -0.2, 0], [-0.2, 0.2, 0], [0.2, 0.2, "
    "0], "
    "[-0.2, -0.2, 0.2], [-0.2, 0.2, 0.2]]}}]}\n"
    "  - {name: stone, motion: static, position: [6, 0, 1], shapes: [{mesh: {file: dent.obj}}]}\n"
    "  - {name: pair, motion: static, position: [12, 0, 1], shapes: [{sphere: {radius: 0.1}, position: [-0.2, 0, 0]}, {sphere: {radius: 0.1}, "
    "position: [0.2, 0, 0]}]}\n"
    "rods:\n"
    "  - {name: cable, material: rubber, section: {circle: {radius: 0.02}}, shape: {straight: {from: [7, -0.5, 1], to: [7, 0.5, 1], nodes: 11}}}\n"
    "  - {name: strip, material: rubber, section: {rectangle: {width: 0.1, height: 0.04}}, shape: {straight: {from: [8, -0.5, 1], to: [8, 0.5, 1], "
    "nodes: 11}}}\n"
    "shells: [{name: cloth, material: rubber, thickness: 0.002, sheet: {corner: [8.8, -0.2, 1], along: [0.4, 0, 0], across: [0, 0.4, 0], columns: 4, "
    "rows: 4}}]\n"
    "solids: [{name: block, material: rubber, position: [10, 0, 1], brick: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}]\n"
    "arms: [{name: trunk, position: [11, 0, 1], sections: [{mass: 0.5, length: 0.3, disks: 6, disk_radius: 0.05, chamber_area: 0.0004, "
    "chamber_offset: "
    "0.03}]}]\n"
    "robots: [{name: robot, urdf: r.urdf, position: [13, 0, 1]}]\n";

/* a box with a pyramid taken out of its upper face, down to its middle */
static const char dent_text[] =
    "v -0.2 -0.2 -0.2\nv 0.2 -0.2 -0.2\nv 0.2 0.2 -0.2\nv -0.2 0.2 -0.2\nv -0.2 -0.2 0.2\nv 0.2 -0.2 0.2\nv 0.2 0.2 0.2\nv -0.2 0.2 0.2\nv 0 0 0\n"
    "f 1 3 2\nf 1 4 3\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n";

static FilWorld* world;
static char folder[] = "/tmp/filum_rays_XXXXXX";

static int write_text(const char* name, const char* text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    return file == NULL || fputs(text, file) < 0 || fclose(file) != 0;
}

static int set_up(void** state)
{
    (void)state;
    char path[128];
    FilError error;
    if (mkdtemp(folder) == NULL || write_text("r.urdf", urdf_text) != 0 || write_text("dent.obj", dent_text) != 0) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    if (fil_scene_load_text(path, scene_text, strlen(scene_text), NULL, &world, NULL, &error) != FIL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    char command[128];
    fil_world_destroy(world);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static FilRayHit cast(FilVec3 origin, FilVec3 direction, FilId ignored)
{
    const FilRay ray = {origin, direction, INFINITY};
    FilRayHit hit;
    assert_int_equal(fil_world_cast_rays(world, &ray, 1, ignored, &hit), FIL_OK);
    return hit;
}

static void expect(FilVec3 origin, FilVec3 direction, const char* object, int part, double distance, FilVec3 normal)
{
    const FilRayHit hit = cast(origin, direction, (FilId){0});
    const char* name = fil_object_name(world, hit.object);
    if (name == NULL || strcmp(name, object) != 0 || hit.part != part || !(fabs(hit.distance - distance) < 1e-12)) {
        fail_msg("%s part %d at %.15g, not %s part %d at %.15g", name != NULL ? name : "nothing", hit.part, hit.distance, object, part, distance);
    }
    assert_true(fabs(hit.normal.x - normal.x) + fabs(hit.normal.y - normal.y) + fabs(hit.normal.z - normal.z) < 1e-9);
}

static void every_kind_is_met(void** state)
{
    (void)state;
    const FilVec3 down = {0, 0, -2}, up = {0, 0, 1}, along = {1, 0, 0}, back = {-1, 0, 0};
    const double half = sqrt(0.5);
    expect((FilVec3){0, 0, 3}, down, "ground", 0, 3.0, up);
    expect((FilVec3){0, 0, 3}, (FilVec3){0, 3, -4}, "ground", 0, 3.75, up);
    expect((FilVec3){1, 0.12, 3}, down, "ball", 0, 2.0 - 0.16, (FilVec3){0, 0.6, 0.8});
    expect((FilVec3){1, 0, 1}, along, "ball", 0, 0.2, back);  // the way out
    expect((FilVec3){1.5, 0.01, 1}, along, "box", 0, 0.5 - 0.1 * sqrt(2.0) + 0.01, (FilVec3){-half, half, 0});
    expect((FilVec3){2, 0, 3}, down, "box", 0, 1.85, up);
    expect((FilVec3){3.1, 0, 3}, down, "pill", 0, 1.9, up);
    expect((FilVec3){3.26, 0, 3}, down, "pill", 0, 2.0 - 0.08, (FilVec3){0.6, 0, 0.8});
    expect((FilVec3){4.05, 0, 3}, down, "can", 0, 1.75, up);
    expect((FilVec3){3.5, 0.06, 1}, along, "can", 0, 0.5 - 0.08, (FilVec3){-0.8, 0.6, 0});
    expect((FilVec3){5, 0.1, 3}, down, "wedge", 0, 1.9, (FilVec3){1 / sqrt(5.0), 0, 2 / sqrt(5.0)});
    expect((FilVec3){6.1, 0.02, 3}, down, "stone", 0, 1.9, (FilVec3){-half, 0, half});
    expect((FilVec3){12.2, 0, 3}, down, "pair", 1, 1.9, up);
    expect((FilVec3){7.012, 0.13, 3}, down, "cable", 6, 2.0 - 0.016, (FilVec3){0.6, 0, 0.8});
    expect((FilVec3){10.03, 0.02, 2}, down, "block", cast((FilVec3){10.03, 0.02, 2}, down, (FilId){0}).part, 0.9, up);
    expect((FilVec3){8.93, 0.03, 3}, down, "cloth", cast((FilVec3){8.93, 0.03, 3}, down, (FilId){0}).part, 2.0 - 0.001, up);
    expect((FilVec3){8.93, 0.03, 0.5}, up, "cloth", cast((FilVec3){8.93, 0.03, 0.5}, up, (FilId){0}).part, 0.5 - 0.001, (FilVec3){0, 0, -1});
    expect((FilVec3){13.5, 0, 1.2}, back, "lower", 0, 0.45, along);
    expect((FilVec3){13.5, 0, 1.6}, back, "upper", 0, 0.4, along);
}

/* A rod's rectangular section is met at one of its sides, whichever way it is turned: 0.05 or 0.02 m from the axis. */
static void rectangles_are_met(void** state)
{
    (void)state;
    const double above = 1.0 - (cast((FilVec3){8, 0.01, 2}, (FilVec3){0, 0, -1}, (FilId){0}).distance);
    const double beside = 1.0 - (cast((FilVec3){9, 0.01, 1}, (FilVec3){-1, 0, 0}, fil_world_find_shell(world, "cloth")).distance);
    assert_true(fabs(fmin(above, beside) - 0.02) < 1e-12 && fabs(fmax(above, beside) - 0.05) < 1e-12);
}

/* A cut through the arm's middle disk: its cylinder of 0.05 m. */
static void arms_are_met(void** state)
{
    (void)state;
    const FilId arm = fil_world_find_arm(world, "trunk");
    for (int disk = 0; disk < fil_arm_disk_count(world, arm); disk++) {
        FilVec3 place;
        fil_arm_disk_pose(world, arm, disk, &place, NULL);
        const FilRayHit hit = cast((FilVec3){place.x - 0.4, place.y, place.z}, (FilVec3){1, 0, 0}, (FilId){0});
        assert_true(hit.object.index == arm.index && hit.part == disk && fabs(hit.distance - 0.35) < 1e-9);
    }
}

/* A sensor's own link and what that is fixed to do not stand in its way; other links do. */
static void what_carries_a_sensor_is_not_seen(void** state)
{
    (void)state;
    const FilId eye = fil_world_find_link(world, "eye"), upper = fil_world_find_link(world, "upper"), lower = fil_world_find_link(world, "lower");
    const FilVec3 place = {13, 0, 1.2}, up = {0, 0, 1}, down = {0, 0, -1};
    assert_int_equal(cast(place, up, (FilId){0}).object.index, lower.index);
    const FilRayHit seen = cast(place, up, eye);
    assert_true(seen.object.index == upper.index && fabs(seen.distance - 0.3) < 1e-12);
    assert_true(cast(place, up, lower).object.index == upper.index);
    assert_true(fabs(cast(place, down, eye).distance - 1.2) < 1e-12);  // the ground
}

static void reach_ends_rays(void** state)
{
    (void)state;
    const FilRay rays[] = {{{0, 0, 3}, {0, 0, -1}, 2.999}, {{0, 0, 3}, {0, 0, -1}, 3.0}, {{0, 0, 3}, {0, 0, 1}, INFINITY}};
    FilRayHit hits[3];
    assert_int_equal(fil_world_cast_rays(world, rays, 3, (FilId){0}, hits), FIL_OK);
    assert_true(hits[0].object.index == 0 && isinf(hits[0].distance) && hits[2].object.index == 0 && isinf(hits[2].distance));
    assert_true(fabs(hits[1].distance - 3.0) < 1e-12);
}

static void wrong_rays_are_refused(void** state)
{
    (void)state;
    const FilRay wrong[] = {{{NAN, 0, 0}, {1, 0, 0}, 1},
                            {{0, 0, 0}, {0, 0, 0}, 1},
                            {{0, 0, 0}, {INFINITY, 0, 0}, 1},
                            {{0, 0, 0}, {1, 0, 0}, 0},
                            {{0, 0, 0}, {1, 0, 0}, NAN}};
    FilRayHit hit;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(fil_world_cast_rays(world, &wrong[k], 1, (FilId){0}, &hit), FIL_BAD_INPUT);
        assert_non_null(strstr(fil_world_error(world), "ray 0: "));
    }
    const FilRay good = {{0, 0, 3}, {0, 0, -1e-200}, 10.0};
    assert_int_equal(fil_world_cast_rays(world, &good, 1, (FilId){0}, &hit), FIL_OK);
    assert_true(fabs(hit.distance - 3.0) < 1e-12);
    assert_int_equal(fil_world_cast_rays(world, &good, -1, (FilId){0}, &hit), FIL_BAD_INPUT);
    assert_int_equal(fil_world_cast_rays(world, NULL, 1, (FilId){0}, &hit), FIL_BAD_INPUT);
    assert_int_equal(fil_world_cast_rays(world, &good, 1, (FilId){7, 12345}, &hit), FIL_BAD_INPUT);
    assert_int_equal(fil_world_cast_rays(world, NULL, 0, (FilId){0}, NULL), FIL_OK);
}

/* What falls is met where it is now, not where the last step found it. */
static void what_moves_is_met_where_it_is(void** state)
{
    (void)state;
    const uint64_t before = fil_world_hash(world);
    for (int k = 0; k < 100; k++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    const FilVec3 down = {0, 0, -1};
    double cable[3 * 11], cloth[3 * 27], block[3 * 27];
    const FilId sheet = fil_world_find_shell(world, "cloth"), solid = fil_world_find_solid(world, "block");
    assert_int_equal(fil_shell_vertex_count(world, sheet), 27);
    assert_int_equal(fil_solid_vertex_count(world, solid), 27);
    fil_rod_get_positions(world, fil_world_find_rod(world, "cable"), cable);
    fil_shell_get_positions(world, sheet, cloth);
    fil_solid_get_positions(world, solid, block);
    assert_true(cable[2] < 0.96 && cloth[2] < 0.96 && block[2] < 0.86);
    const uint64_t now = fil_world_hash(world);
    assert_true(fabs(cast((FilVec3){7, 0.03, 3}, down, (FilId){0}).distance - (3.0 - cable[2] - 0.02)) < 1e-9);
    assert_true(fabs(cast((FilVec3){8.93, 0.03, 3}, down, (FilId){0}).distance - (3.0 - cloth[2] - 0.001)) < 1e-9);
    assert_true(fabs(cast((FilVec3){10.03, 0.02, 2}, down, (FilId){0}).distance - (2.0 - block[2] - 0.2)) < 1e-9);
    assert_true(fil_world_hash(world) == now && now != before);  // looking changes nothing
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_met),
        cmocka_unit_test(rectangles_are_met),
        cmocka_unit_test(arms_are_met),
        cmocka_unit_test(what_carries_a_sensor_is_not_seen),
        cmocka_unit_test(reach_ends_rays),
        cmocka_unit_test(wrong_rays_are_refused),
        cmocka_unit_test(what_moves_is_met_where_it_is),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
