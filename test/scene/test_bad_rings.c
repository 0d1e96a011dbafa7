/* Rings, shells and nets that cannot be used: each is refused with file, line, key and what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"

#define MATERIAL "materials:\n  soft: {young: 1e6, poisson: 0.3, density: 1000}\n"
#define SECTION "material: soft, section: {circle: {radius: 0.01}}"

/* Lines 1 to 8: two rods and a body; what a case adds begins in line 9. */
#define WORLD(world)                                                         \
    MATERIAL world                                                           \
        "\nrods:\n"                                                          \
        "  - {name: cable, " SECTION                                         \
        ", shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 5}}}\n" \
        "  - {name: other, " SECTION                                         \
        ", shape: {straight: {from: [0, 0, 1], to: [1, 0, 1], nodes: 5}}}\n" \
        "rigid_bodies:\n"                                                    \
        "  - {name: hoop, mass: 1, inertia: [1, 1, 1, 0, 0, 0], position: [0.5, 0, 0]}\n"
#define RING(ring) WORLD("world: {contact: ipc}") "rings:\n  - " ring "\n"
#define ON_CABLE "{name: ring, rod: cable, "
#define POINT "point: {mass: 1, position: [0.5, 0, 0]}"

#define SHELL(shell) MATERIAL "shells:\n  - " shell "\n"
#define CLOTH "{name: cloth, material: soft, thickness: 0.001, "
#define SHEET "sheet: {along: [1, 0, 0], across: [0, 1, 0], columns: 2, rows: 2}"
#define CORDS "{name: net, " SECTION ", "
#define NET(net) MATERIAL "nets:\n  - " net "\n"

typedef struct BadScene {
    const char* title;
    const char* text;
    const char* place;   /* ":line: key: " after the scene's name */
    const char* message; /* a part of what is said */
} BadScene;

static const BadScene bad_scenes[] = {
    {"ring without a rod", RING("{name: ring, " POINT "}"), ":10: rings.ring.rod: ", "missing"},
    {"ring on a rod that is not there", RING("{name: ring, rod: cabel, " POINT "}"),
     ":10: rings.ring.rod: ", "unknown rod 'cabel'; did you mean 'cable'?"},
    {"ring with rod and rods", RING(ON_CABLE "rods: [cable], " POINT "}"), ":10: rings.ring.rods: ", "only one of 'rod' and 'rods' may be given"},
    {"ring on rods that share no node", RING("{name: ring, rods: [cable, other], " POINT "}"),
     ":10: rings.ring: ", "rod 'other' shares no node with the rod before"},
    {"ring on no rods", RING("{name: ring, rods: [], " POINT "}"), ":10: rings.ring: ", "needs a rod"},
    {"ring with nothing to be", RING("{name: ring, rod: cable}"), ":10: rings.ring: ", "one of these is missing: point, node, hole"},
    {"ring that is two things", RING(ON_CABLE POINT ", node: {rod: other, node: 0}}"),
     ":10: rings.ring.node: ", "only one of 'point' and 'node' may be given"},
    {"unknown key of a ring", RING(ON_CABLE "rang: 0.1, " POINT "}"), ":10: rings.ring.rang: ", "unknown key 'rang'; did you mean 'range'?"},
    {"unknown key of a ring's point", RING(ON_CABLE "point: {mas: 1}}"), ":10: rings.ring.point.mas: ", "unknown key 'mas'; did you mean 'mass'?"},
    {"point without mass", RING(ON_CABLE "point: {position: [0, 0, 0]}}"), ":10: rings.ring.point.mass: ", "missing"},
    {"point of negative mass", RING(ON_CABLE "point: {mass: -1}}"), ":10: rings.ring.point.mass: ", "must be positive, got -1"},
    {"range of zero", RING(ON_CABLE "range: 0, " POINT "}"), ":10: rings.ring.range: ", "must be positive, got 0"},
    {"negative stiffness", RING(ON_CABLE "stiffness: -1, " POINT "}"), ":10: rings.ring.stiffness: ", "must be positive, got -1"},
    {"negative friction", RING(ON_CABLE "friction: -0.1, " POINT "}"), ":10: rings.ring.friction: ", "must not be negative, got -0.1"},
    {"negative offset", RING(ON_CABLE "offset: -0.1, " POINT "}"), ":10: rings.ring.offset: ", "must not be negative, got -0.1"},
    {"friction that is a word", RING(ON_CABLE "friction: high, " POINT "}"), ":10: rings.ring.friction: ", "expected a number, got 'high'"},
    {"ring out of range", RING(ON_CABLE "point: {mass: 1, position: [0.5, 0, 0.5]}}"),
     ":10: rings.ring: ", "starts 0.5 m from its rod, out of its range of 0.01 m"},
    {"node of no rod", RING(ON_CABLE "node: {rod: nowhere, node: 0}}"), ":10: rings.ring.node.rod: ", "unknown rod 'nowhere'; did you mean 'other'?"},
    {"node beyond the rod", RING(ON_CABLE "node: {rod: other, node: 9}}"),
     ":10: rings.ring.node.node: ", "9 is out of range: 0 to 4, or -5 to -1 from the end"},
    {"vertex of no shell", RING(ON_CABLE "node: {shell: cloth, vertex: 0}}"), ":10: rings.ring.node.shell: ", "unknown shell 'cloth'"},
    {"hole of no body", RING(ON_CABLE "hole: {rigid_body: hop, axis: [1, 0, 0], radius: 0.1}}"),
     ":10: rings.ring.hole.rigid_body: ", "unknown rigid body 'hop'; did you mean 'hoop'?"},
    {"hole without an axis", RING(ON_CABLE "hole: {rigid_body: hoop, radius: 0.1}}"), ":10: rings.ring.hole.axis: ", "missing"},
    {"hole whose axis has no direction", RING(ON_CABLE "hole: {rigid_body: hoop, axis: [0, 0, 0], radius: 0.1}}"),
     ":10: rings.ring: ", "the axis of its hole has no direction"},
    {"hole without a radius", RING(ON_CABLE "hole: {rigid_body: hoop, axis: [1, 0, 0]}}"), ":10: rings.ring.hole.radius: ", "missing"},
    {"hole narrower than the rod", RING(ON_CABLE "range: 0.001, hole: {rigid_body: hoop, axis: [1, 0, 0], radius: 0.005}}"),
     ":10: rings.ring: ", "a hole of radius 0.005 m leaves no room for a rod of radius 0.01 m and the range of 0.001 "},
    {"hole beside the rod", RING(ON_CABLE "range: 0.001, hole: {rigid_body: hoop, center: [0, 0, 0.3], axis: [1, 0, 0], radius: 0.1}}"),
     ":10: rings.ring: ", "its rod passes 0.3 m from the centre of the hole, 0.21 m too far out"},
    {"hole along the rod", RING(ON_CABLE "range: 0.001, hole: {rigid_body: hoop, axis: [0, 1, 0], radius: 0.1}}"),
     ":10: rings.ring: ", "its rod does not pass the hole"},
    {"hole beyond the rod's end", RING(ON_CABLE "range: 0.001, hole: {rigid_body: hoop, center: [2, 0, 0], axis: [1, 0, 0], radius: 0.1}}"),
     ":10: rings.ring: ", "its rod does not pass the hole"},
    {"hole with an offset", RING(ON_CABLE "range: 0.001, offset: 0.1, hole: {rigid_body: hoop, axis: [1, 0, 0], radius: 0.1}}"),
     ":10: rings.ring: ", "an offset is for rings without a hole, whose radius says it"},
    {"two rings of one name", RING(ON_CABLE POINT "}\n  - {name: ring, rod: cable, " POINT "}"),
     ":11: rings.ring.name: ", "the name 'ring' is given twice"},
    {"ring with a rod's name", RING("{name: cable, rod: cable, " POINT "}"),
     ":10: rings.cable: ", "there is already a rod or rigid body named 'cable'"},
    {"pair of a ring", RING(ON_CABLE POINT "}\npairs:\n  - {a: ring, b: cable, friction: 1}"), ":12: pairs.0.a: ", "'ring' has no surface"},
    {"ring made of a ring", RING(ON_CABLE "node: {ring: ring}}"), ":10: rings.ring.node.ring: ", "unknown key 'ring'"},
    {"shell with a rod's name", WORLD("world: {contact: ipc}") "shells:\n  - {name: cable, material: soft, thickness: 1e-3, " SHEET "}\n",
     ":10: shells.cable.name: ", "the name 'cable' is given twice"},
    {"shell without a material", SHELL("{name: cloth, thickness: 0.001, " SHEET "}"), ":4: shells.cloth.material: ", "missing"},
    {"shell of unknown material", SHELL("{name: cloth, material: silk, thickness: 0.001, " SHEET "}"),
     ":4: shells.cloth.material: ", "unknown material 'silk'"},
    {"shell without thickness", SHELL("{name: cloth, material: soft, " SHEET "}"), ":4: shells.cloth.thickness: ", "missing"},
    {"shell without a mesh", SHELL("{name: cloth, material: soft, thickness: 0.001}"), ":4: shells.cloth: ", "one of these is missing: sheet, file"},
    {"shell with two meshes", SHELL(CLOTH SHEET ", file: {path: a.obj}}"), ":4: shells.cloth.file: ", "only one of 'sheet' and 'file' may be given"},
    {"flat sheet", SHELL(CLOTH "sheet: {along: [1, 0, 0], across: [2, 0, 0], columns: 2, rows: 2}}"),
     ":4: shells.cloth.sheet.across: ", "is parallel to 'along': the sheet has no area"},
    {"sheet without columns", SHELL(CLOTH "sheet: {along: [1, 0, 0], across: [0, 1, 0], rows: 2}}"), ":4: shells.cloth.sheet.columns: ", "missing"},
    {"sheet of no rows", SHELL(CLOTH "sheet: {along: [1, 0, 0], across: [0, 1, 0], columns: 2, rows: 0}}"),
     ":4: shells.cloth.sheet.rows: ", "must be from 1 to 10000, got 0"},
    {"unknown pattern", SHELL(CLOTH "sheet: {along: [1, 0, 0], across: [0, 1, 0], columns: 2, rows: 2, pattern: square}}"),
     ":4: shells.cloth.sheet.pattern: ", "unknown value 'square'; did you mean 'squares'?"},
    {"unknown law of bending", SHELL(CLOTH "bending: hinge, " SHEET "}"),
     ":4: shells.cloth.bending: ", "unknown value 'hinge'; did you mean 'hinges'?"},
    {"unknown key of a shell", SHELL(CLOTH "bend: hinges, " SHEET "}"), ":4: shells.cloth.bend: ", "unknown key 'bend'"},
    {"negative noise", SHELL(CLOTH "noise: -1, " SHEET "}"), ":4: shells.cloth.noise: ", "must not be negative, got -1"},
    {"mesh file that is not there", SHELL(CLOTH "file: {path: nowhere.obj}}"), ":4: shells.cloth.file.path: ", "nowhere.obj' cannot be opened"},
    {"too many vertices", SHELL(CLOTH "sheet: {along: [1, 0, 0], across: [0, 1, 0], columns: 9000, rows: 9000}}"),
     ":4: shells.cloth.sheet: ", "more than 10000000 nodes in one scene"},
    {"pin beyond the shell", SHELL(CLOTH SHEET "}\nattachments:\n  - {name: a, pin: {shell: cloth, vertex: 99}}"),
     ":6: attachments.a.pin.vertex: ", "99 is out of range: 0 to 9, or -10 to -1 from the end"},
    {"clamp of a shell", SHELL(CLOTH SHEET "}\nattachments:\n  - {name: a, clamp: {shell: cloth, vertex: 0}}"),
     ":6: attachments.a.clamp.shell: ", "unknown key 'shell'"},
    {"probe of a vertex beyond", SHELL(CLOTH SHEET "}\nprobes:\n  x: {vertex_position: {shell: cloth, vertex: 99, component: x}}"),
     ":6: probes.x.vertex_position.vertex: ", "99 is out of range: 0 to 9, or -10 to -1 from the end"},
    {"net without a hexagon", NET("{name: net, material: soft, section: {circle: {radius: 0.01}}}"), ":4: nets.net.hexagon: ", "missing"},
    {"net without a section", NET("{name: net, material: soft, hexagon: {side: 1, cells: 2}}"), ":4: nets.net.section: ", "missing"},
    {"net of no size", NET(CORDS "hexagon: {side: 0, cells: 2}}"), ":4: nets.net.hexagon.side: ", "must be positive, got 0"},
    {"net of no cells", NET(CORDS "hexagon: {side: 1, cells: 0}}"), ":4: nets.net.hexagon.cells: ", "must be from 1 to 500, got 0"},
    {"net of half cells", NET(CORDS "hexagon: {side: 1, cells: 1.5}}"), ":4: nets.net.hexagon.cells: ", "expected a whole number, got 1.5"},
    {"unknown key of a hexagon", NET(CORDS "hexagon: {side: 1, cels: 2}}"),
     ":4: nets.net.hexagon.cels: ", "unknown key 'cels'; did you mean 'cells'?"},
    {"net too large", NET(CORDS "hexagon: {side: 1, cells: 500, segments: 1000}}"), ":4: nets.net: ", "more than 10000000 nodes in one scene"},
    {"net that is a number", "materials: {}\nnets: 3\n", ":2: nets: ", "expected a list of nets, got '3'"},
    {"negative range of ipc", WORLD("world: {contact: ipc, ipc: {range: -1}}"), ":3: world.ipc.range: ", "must be positive, got -1"},
    {"unknown key of ipc", WORLD("world: {contact: ipc, ipc: {rang: 1}}"), ":3: world.ipc.rang: ", "unknown key 'rang'; did you mean 'range'?"},
    {"no friction iterations", WORLD("world: {contact: ipc, ipc: {friction_iterations: 0}}"), ":3: world.ipc.friction_iterations: ", "got 0"},
    {"negative friction tolerance", WORLD("world: {contact: ipc, ipc: {friction_tolerance: -1}}"),
     ":3: world.ipc.friction_tolerance: ", "must not be negative"},
    {"slip speed of zero", WORLD("world: {contact: ipc, ipc: {slip_speed: 0}}"), ":3: world.ipc.slip_speed: ", "must be positive, got 0"},
};

static void test_bad_scenes(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bad_scenes / sizeof bad_scenes[0]; ++k) {
        const BadScene* bad = &bad_scenes[k];
        FilWorld* world = NULL;
        FilError error;
        const FilStatus status = fil_scene_load_text("bad", bad->text, strlen(bad->text), NULL, &world, NULL, &error);
        char place[256];
        snprintf(place, sizeof place, "bad%s", bad->place);
        if (status == FIL_OK || strncmp(error.text, place, strlen(place)) != 0 || strstr(error.text, bad->message) == NULL) {
            print_error("%s: status %d, '%s'\n", bad->title, (int)status, error.text);
            fail();
        }
        assert_null(world);
    }
}

/* the pieces that the cases are made of are good */
static void test_good_scenes(void** state)
{
    (void)state;
    static const char* const good[] = {
        RING(ON_CABLE POINT "}"),
        RING(ON_CABLE "range: 0.001, hole: {rigid_body: hoop, axis: [-2, 0, 0], radius: 0.1}}"),
        SHELL(CLOTH SHEET "}"),
        NET(CORDS "hexagon: {side: 1, cells: 2}}"),
    };
    for (size_t k = 0; k < sizeof good / sizeof good[0]; ++k) {
        FilWorld* world = NULL;
        FilError error;
        assert_int_equal(fil_scene_load_text("good", good[k], strlen(good[k]), NULL, &world, NULL, &error), FIL_OK);
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_scenes),
        cmocka_unit_test(test_good_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
