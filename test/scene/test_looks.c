/* Colours and what is not to be seen: from scenes and URDF to what is shown. */
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
#include "scenes.h"
#include "view/frame.h"
#include "view/show.h"

static const char head[] =
    "materials: {rubber: {young: 1e6, poisson: 0.3, density: 1000}}\n"
    "rods:\n"
    "  - {name: plain, material: rubber, section: {circle: {radius: 0.01}}, shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 5}}}\n";

static FilWorld* load(const char* text, FilSceneInfo* info)
{
    char scene[4000];
    snprintf(scene, sizeof scene, "%s%s", head, text);
    return load_text_info(scene, info);
}

static void assert_color(FilColor c, double r, double g, double b, double a)
{
    if (!(fabs(c.r - r) < 1e-12 && fabs(c.g - g) < 1e-12 && fabs(c.b - b) < 1e-12 && fabs(c.a - a) < 1e-12)) {
        fail_msg("%g %g %g %g instead of %g %g %g %g", c.r, c.g, c.b, c.a, r, g, b, a);
    }
}

static void colours_are_read(void** state)
{
    (void)state;
    FilColor c;
    assert_true(fil_color_parse("#ff8000", &c));
    assert_color(c, 1.0, 128.0 / 255.0, 0.0, 1.0);
    assert_true(fil_color_parse("FF800080", &c));
    assert_color(c, 1.0, 128.0 / 255.0, 0.0, 128.0 / 255.0);
    assert_true(fil_color_parse("#f80", &c));
    assert_color(c, 1.0, 136.0 / 255.0, 0.0, 1.0);
    assert_true(fil_color_parse("SteelBlue", &c));
    assert_color(c, 70.0 / 255.0, 130.0 / 255.0, 180.0 / 255.0, 1.0);
    static const char* const first_and_last[] = {"aliceblue", "yellowgreen", "rebeccapurple", "black", "white"};
    for (int k = 0; k < 5; k++) {
        assert_true(fil_color_parse(first_and_last[k], &c));
    }
    static const char* const wrong[] = {"", "#", "#ff", "#gggggg", "steel blue", "steelblu", "#1234567", "0x112233", " red"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_false(fil_color_parse(wrong[k], &c));
    }
    assert_false(fil_color_parse(NULL, &c));
}

/* One of each kind; cords of nets and capsules of chains have the colour of what they are of. */
static void every_kind_takes_them(void** state)
{
    (void)state;
    FilWorld* world = load(
        "  - {name: red, color: red, material: rubber, section: {circle: {radius: 0.01}}, shape: {straight: {from: [0, 1, 0], to: [1, 1, 0], nodes: "
        "5}}}\n"
        "nets: [{name: net, color: \"#00ff00\", material: rubber, section: {circle: {radius: 0.01}}, hexagon: {side: 1, cells: 2}}]\n"
        "rigid_bodies: [{name: box, visible: false, shapes: [{box: {size: [1, 1, 1]}}]}]\n"
        "chains: [{name: chain, color: blue, radius: 0.01, bushing: {stiffness: 10}, shape: {straight: {from: [0, 2, 0], to: [1, 2, 0], nodes: "
        "4}}}]\n"
        "arms: [{name: arm, color: gold, sections: [{}]}]\n"
        "shells: [{name: cloth, color: pink, material: rubber, thickness: 0.001, sheet: {along: [1, 0, 0], across: [0, 1, 0], columns: 2, rows: "
        "2}}]\n"
        "solids: [{name: block, color: gray, visible: false, material: rubber, brick: {size: [1, 1, 1], cells: [1, 1, 1]}}]\n"
        "rings: [{name: ring, color: tomato, rod: plain, range: 0.01, stiffness: 1, point: {mass: 0.1, position: [0.5, 0, 0]}}]\n"
        "world: {contact: ipc}\n",
        NULL);
    static const struct {
        const char* name;
        bool visible, colored;
        uint32_t rgb;
    } rows[] = {{"plain", true, false, 0},           {"red", true, true, 0xff0000},   {"net_side0", true, true, 0x00ff00},
                {"net_cord0", true, true, 0x00ff00}, {"box", false, false, 0},        {"chain1", true, true, 0xff},
                {"arm", true, true, 0xffd700},       {"cloth", true, true, 0xffc0cb}, {"block", false, true, 0x808080},
                {"ring", true, true, 0xff6347}};
    int number = 0;
    for (int k = 0; k < FIL_SHOW_COUNT; k++) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; i < kind->count(world); i++, number++) {
            const FilId id = kind->at(world, i);
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
                if (strcmp(rows[r].name, kind->name(world, id)) != 0) {
                    continue;
                }
                const FilLook look = fil_world_look(world, id);
                assert_int_equal(look.visible, rows[r].visible);
                assert_int_equal(look.colored, rows[r].colored);
                assert_int_equal(fil_show_visible(kind, world, id), rows[r].visible);
                if (look.colored) {
                    const FilColor c = fil_show_color(kind, world, id, number);
                    assert_color(c, (rows[r].rgb >> 16) / 255.0, ((rows[r].rgb >> 8) & 255) / 255.0, (rows[r].rgb & 255) / 255.0, 1.0);
                }
            }
        }
    }
    assert_true(number > 20);
    // and the page receives it
    size_t size = 0;
    const FilSceneInfo info = {.name = "looks"};
    const FilViewDescription about = {.world = world, .scene = &info, .message = ""};
    char* text = fil_view_describe(&about, &size);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"color\": \"#ff6347\""));
    assert_non_null(strstr(text, "\"visible\": false"));
    free(text);
    fil_world_destroy(world);
}

/* ---- handles and rings ---- */

static void shape_of(const FilWorld* world, const char* name, int index, FilShownShape* out)
{
    const FilId id = fil_world_find_attachment(world, name);
    assert_string_equal(fil_show_handle.name(world, id), name);
    assert_true(index < fil_show_handle.shape_count(world, id));
    fil_show_handle.shape(world, id, index, out);
}

/* Where rods are held, where springs draw them to, and no longer once they have let go. */
static void handles_are_where_they_hold(void** state)
{
    (void)state;
    FilWorld* world = load(
        "world: {dt: 0.001, gravity: [0, 0, 0]}\n"
        "attachments:\n"
        "  - {name: clamp, clamp: {rod: plain, node: 0}}\n"
        "  - {name: spring, handle: {rod: plain, node: -1, stiffness: 10, damping: 1}}\n"
        "  - {name: brief, pin: {rod: plain, node: 2}, until: 0.005}\n"
        "drives: [{name: up, attachment: spring, position: [[0, 0, 0, 0], [0.01, 0, 0, 0.02]]}]\n",
        NULL);
    FilShownShape clamp, spring, brief;
    double x[3];
    for (int step = 0; step < 10; ++step) {
        shape_of(world, "brief", 0, &brief);
        fil_rod_get_position(world, fil_world_find_rod(world, "plain"), 2, x);
        assert_int_equal(brief.hidden, step >= 5);
        assert_true(brief.position.x == x[0] && brief.position.z == x[2]);
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    shape_of(world, "clamp", 0, &clamp);
    shape_of(world, "spring", 0, &spring);
    assert_true(clamp.position.x == 0.0 && !clamp.moves && clamp.def.type == FIL_SHAPE_CYLINDER && clamp.def.radius > 0.01);
    assert_true(fabs(spring.position.z - 0.02) < 1e-15 && spring.position.x == 1.0 && spring.moves && spring.def.type == FIL_SHAPE_SPHERE);
    const FilId id = fil_world_find_attachment(world, "spring");
    const FilAttachmentInfo info = fil_attachment_info(world, id);
    assert_true(info.kind == FIL_ATTACH_HANDLE && info.first == 4 && info.count == 1 && info.active && info.driven);
    // what is not there is refused
    assert_true(isnan(fil_attachment_point(world, id, 1).x));
    assert_non_null(strstr(fil_world_error(world), "has no point 1"));
    assert_true(isnan(fil_attachment_point(world, (FilId){0}, 0).x));
    assert_int_equal(fil_attachment_info(world, (FilId){0}).count, 0);
    assert_null(fil_attachment_name(world, (FilId){0}));
    assert_int_equal(fil_world_attachment_at(world, 3).index, 0);
    fil_world_destroy(world);
}

/* A circle about the ring's place and axis, as wide as what the rod passes: of a point, the rod and its play, of a hole its rim. */
static void rings_are_round(void** state)
{
    (void)state;
    FilWorld* world = load(
        "world: {contact: ipc}\n"
        "rigid_bodies: [{name: hoop, motion: dynamic, mass: 0.1, inertia: [1e-3, 5e-4, 5e-4, 0, 0, 0], position: [0.7, 0, -0.089], rotation: [0, "
        "0.1, 0]}]\n"
        "rings:\n"
        "  - {name: loose, rod: plain, range: 0.01, stiffness: 1, offset: 0.02, point: {mass: 0.1, position: [0.3, 0, -0.02]}}\n"
        "  - {name: rim, rod: plain, range: 1e-3, stiffness: 1, hole: {rigid_body: hoop, axis: [1, 0, 0], radius: 0.1}}\n",
        NULL);
    static const struct {
        const char* name;
        double radius, tilt;
    } rings[] = {{"loose", 0.03, 0.0}, {"rim", 0.1, 0.1}};
    for (int r = 0; r < 2; r++) {
        const FilId ring = fil_world_find_ring(world, rings[r].name);
        const FilVec3 c = fil_ring_position(world, ring), axis = fil_ring_axis(world, ring);
        const FilCurve curve = fil_show_ring.curve(world, ring);
        const double thick = fil_show_ring.curve_radius(world, ring, 0);
        double nodes[3 * 64], frames[9 * 64], x[3];
        assert_true(fabs(fil_ring_radius(world, ring) - rings[r].radius) < 1e-15);
        assert_true(fabs(fabs(axis.x) - cos(rings[r].tilt)) < 1e-12 && fabs(axis.y) < 1e-12);
        assert_true(curve.closed && curve.node_count <= 64 && curve.edge_count == curve.node_count);
        fil_show_ring.curve_nodes(world, ring, nodes);
        fil_show_ring.curve_frames(world, ring, frames);
        for (int i = 0; i < curve.node_count; i++) {
            const double d[3] = {nodes[3 * i] - c.x, nodes[3 * i + 1] - c.y, nodes[3 * i + 2] - c.z};
            assert_true(fabs(d[0] * axis.x + d[1] * axis.y + d[2] * axis.z) < 1e-12);
            assert_true(fabs(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - thick - rings[r].radius) < 1e-12);
            fil_show_ring.curve_node(world, ring, i, x);
            assert_memory_equal(x, nodes + 3 * i, sizeof x);
            assert_true(fabs(frames[9 * i + 6] * axis.x + frames[9 * i + 7] * axis.y + frames[9 * i + 8] * axis.z) < 1e-12);
        }
    }
    assert_int_equal(fil_ring_body(world, fil_world_find_ring(world, "rim")).index, fil_world_find_rigid(world, "hoop").index);
    assert_int_equal(fil_ring_body(world, fil_world_find_ring(world, "loose")).index, 0);
    assert_true(isnan(fil_ring_radius(world, (FilId){0})) && isnan(fil_ring_axis(world, (FilId){0}).x));
    fil_world_destroy(world);
}

static void assert_refused(const char* text, const char* message)
{
    char scene[2000];
    FilWorld* world = NULL;
    FilError error = {""};
    snprintf(scene, sizeof scene, "%s%s", head, text);
    assert_int_equal(fil_scene_load_text("looks.yaml", scene, strlen(scene), NULL, &world, NULL, &error), FIL_BAD_INPUT);
    if (strstr(error.text, message) == NULL) {
        fail_msg("'%s' does not say '%s'", error.text, message);
    }
}

static void wrong_ones_are_named(void** state)
{
    (void)state;
    assert_refused("rigid_bodies:\n  - {name: box, shapes: [{sphere: {radius: 1}}],\n     color: blu}\n",
                   "looks.yaml:6: rigid_bodies.box.color: 'blu' is no colour: #rrggbb");
    assert_refused("rigid_bodies: [{name: box, visible: maybe, shapes: [{sphere: {radius: 1}}]}]\n",
                   "looks.yaml:4: rigid_bodies.box.visible: expected true or false, got 'maybe'");
    assert_refused("rigid_bodies: [{name: box, colour: red, shapes: [{sphere: {radius: 1}}]}]\n", "did you mean 'color'?");
}

/* Visuals instead of what collides, with origins and colours of their own, of the robot's materials or of the scene. */
static void urdf_visuals_are_shown(void** state)
{
    (void)state;
    static const char urdf[] =
        "<robot name='r'><material name='blue'><color rgba='0 0 1 0.5'/></material>\n"
        "<link name='base'>\n"
        "<visual><origin xyz='0 0 0.5'/><geometry><box size='1 2 3'/></geometry><material name='blue'/></visual>\n"
        "<visual><geometry><cylinder radius='0.1' length='0.4'/></geometry><material name='mine'><color rgba='1 0 0 1'/></material></visual>\n"
        "<visual><geometry><mesh filename='nowhere.dae'/></geometry></visual>\n"
        "<collision><geometry><sphere radius='5'/></geometry></collision></link>\n"
        "<link name='tip'><inertial><mass value='2'/><inertia ixx='0.1' iyy='0.2' izz='0.3' ixy='0' ixz='0' iyz='0'/></inertial>\n"
        "<collision><geometry><sphere radius='0.2'/></geometry></collision></link>\n"
        "<joint name='j' type='continuous'><parent link='base'/><child link='tip'/></joint></robot>\n";
    FilWorld* world = load("", NULL);
    FilRobotDef def = fil_robot_def_default();
    def.prefix = "left_";
    FilId robot, link;
    assert_int_equal(fil_world_add_robot_urdf(world, &def, "r.urdf", urdf, strlen(urdf), NULL, 0, &robot), FIL_OK);
    link = fil_world_find_link(world, "left_base");
    assert_int_equal(fil_world_visual_count(world, link), 2);
    assert_string_equal(fil_robot_ignored(world, robot), "mesh of a visual");
    assert_int_equal(fil_show_robot.shape_count(world, robot), 3);  // two visuals, and the sphere of what has none
    FilShownShape shape;
    fil_show_robot.shape(world, robot, 0, &shape);
    assert_true(shape.def.type == FIL_SHAPE_BOX && shape.def.size.y == 2.0 && shape.def.position.z == 0.5);
    assert_string_equal(shape.part, "left_base");
    assert_true(shape.colored);
    assert_color(shape.color, 0.0, 0.0, 1.0, 0.5);
    fil_show_robot.shape(world, robot, 1, &shape);
    assert_color(shape.color, 1.0, 0.0, 0.0, 1.0);
    fil_show_robot.shape(world, robot, 2, &shape);
    assert_true(shape.def.type == FIL_SHAPE_SPHERE && !shape.colored);
    // what the scene says goes before
    FilLook look = fil_look_default();
    look.colored = true;
    look.color = (FilColor){0.0, 1.0, 0.0, 1.0};
    assert_int_equal(fil_world_set_look(world, link, &look), FIL_OK);
    fil_show_robot.shape(world, robot, 0, &shape);
    assert_color(shape.color, 0.0, 1.0, 0.0, 1.0);
    look.visible = false;
    assert_int_equal(fil_world_set_look(world, link, &look), FIL_OK);
    assert_int_equal(fil_show_robot.shape_count(world, robot), 1);
    fil_world_destroy(world);
}

static void misuse_is_refused(void** state)
{
    (void)state;
    FilWorld* world = load("rigid_bodies: [{name: box, shapes: [{box: {size: [1, 1, 1]}}]}]\n", NULL);
    const FilId rod = fil_world_find_rod(world, "plain"), box = fil_world_find_rigid(world, "box");
    FilLook look = fil_look_default();
    assert_int_equal(fil_world_set_look(world, (FilId){0}, &look), FIL_BAD_INPUT);
    assert_int_equal(fil_world_set_look(world, rod, NULL), FIL_BAD_INPUT);
    look.colored = true;
    look.color.g = NAN;
    assert_int_equal(fil_world_set_look(world, rod, &look), FIL_BAD_INPUT);
    assert_true(fil_world_look(world, (FilId){0}).visible);
    FilVisual visual = {.shape = fil_shape_def_default()};
    visual.shape.type = FIL_SHAPE_SPHERE;
    visual.shape.radius = 0.1;
    assert_int_equal(fil_world_add_visual(world, rod, &visual), FIL_BAD_INPUT);
    assert_int_equal(fil_world_add_visual(world, box, NULL), FIL_BAD_INPUT);
    const double points[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    const int triangle[3] = {0, 1, 3};
    visual.shape.type = FIL_SHAPE_MESH;
    visual.shape.points = points;
    visual.shape.point_count = 3;
    visual.shape.triangles = triangle;
    visual.shape.triangle_count = 1;
    assert_int_equal(fil_world_add_visual(world, box, &visual), FIL_BAD_INPUT);
    visual.shape.triangles = (const int[]){0, 1, 2};
    assert_int_equal(fil_world_add_visual(world, box, &visual), FIL_OK);
    assert_int_equal(fil_world_visual_count(world, box), 1);
    assert_true(fil_world_visual(world, box, 0).shape.points != points);  // a copy
    assert_true(isnan(fil_world_visual(world, box, 1).shape.radius));
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_read),  cmocka_unit_test(every_kind_takes_them), cmocka_unit_test(handles_are_where_they_hold),
        cmocka_unit_test(rings_are_round),   cmocka_unit_test(wrong_ones_are_named),  cmocka_unit_test(urdf_visuals_are_shown),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
