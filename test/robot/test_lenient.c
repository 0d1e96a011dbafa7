/* Robots as they are in the field: what the usual parsers take is taken, noted, and simulated; and meshes of Collada. */
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
#include "scene/collada.h"

#define MASS "<inertial><mass value='1'/><inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial>"
#define ENDS(a, b) "<parent link='" a "'/><child link='" b "'/>"
#define LIMIT "<limit lower='-1' upper='1' effort='1' velocity='1'/>"

/* Loads a robot and lets it fall for a while; returns what was noted. */
static FilWorld* load(const char* text, FilId* robot)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    FilRobotDef robot_def = fil_robot_def_default();
    assert_int_equal(fil_world_create(&def, &world, NULL), FIL_OK);
    if (fil_world_add_robot_urdf(world, &robot_def, "r.urdf", text, strlen(text), NULL, 0, robot) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    for (int n = 0; n < 50; n++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    return world;
}

static bool notes(const FilWorld* world, FilId robot, const char* what)
{
    return strstr(fil_robot_ignored(world, robot), what) != NULL;
}

/* axes of zeros, a gripper whose fingers follow joints that are not there or fixed, a foot with inertia and no mass */
static void walker_is_taken(void** state)
{
    (void)state;
    FilId robot;
    FilWorld* world = load(
        "<robot name='walker'><link name='base'>" MASS "</link><link name='thigh'>" MASS "</link>"
        "<link name='foot'><inertial><mass value='0'/><inertia ixx='1e-5' iyy='1e-5' izz='1e-5'/></inertial></link>"
        "<link name='finger'>" MASS "</link><link name='tip'>" MASS "</link><link name='nail'>" MASS "</link>"
        "<joint name='hip' type='revolute'>" ENDS("base", "thigh") "<axis xyz='0 1 0'/>" LIMIT "</joint>"
        "<joint name='ankle' type='fixed'>" ENDS("thigh", "foot") "<axis xyz='0 0 0'/></joint>"
        "<joint name='a' type='revolute'>" ENDS("base", "finger") "<axis xyz='0 1 0'/>" LIMIT "<mimic joint='absent'/></joint>"
        "<joint name='b' type='revolute'>" ENDS("finger", "tip") "<axis xyz='0 1 0'/>" LIMIT "<mimic joint='ankle'/></joint>"
        "<joint name='c' type='fixed'>" ENDS("tip", "nail") "<mimic joint='hip'/></joint></robot>",
        &robot);
    assert_true(notes(world, robot, "inertia of links without mass"));
    assert_true(notes(world, robot, "mimic of a joint that is not there"));
    assert_true(notes(world, robot, "motion of joints that follow a fixed one"));
    assert_false(fil_robot_joint_mimics(world, robot, fil_robot_find_joint(world, robot, "a")));
    assert_true(fabs(fil_robot_joint_state(world, robot, fil_robot_find_joint(world, robot, "hip")).velocity) >= 0.0);
    fil_world_destroy(world);
}

/* fingers without mass, a head whose inertia no body has */
static void grabber_is_taken(void** state)
{
    (void)state;
    FilId robot;
    FilWorld* world = load(
        "<robot name='grabber'><link name='base'/><link name='head'><inertial><mass value='2'/>"
        "<inertia ixx='0.0564' ixy='7e-5' ixz='-0.0575' iyy='0.0521' iyz='-3e-5' izz='0.0212'/></inertial></link>"
        "<link name='left'/><link name='right'/><link name='pad'/>"
        "<joint name='neck' type='continuous'>" ENDS("base", "head") "<axis xyz='0 1 0'/></joint>"
        "<joint name='l' type='prismatic'>" ENDS("head", "left") LIMIT "</joint>"
        "<joint name='r' type='prismatic'>" ENDS("head", "right") LIMIT "<mimic joint='l' multiplier='-1'/></joint>"
        "<joint name='p' type='fixed'>" ENDS("left", "pad") "</joint></robot>",
        &robot);
    assert_true(notes(world, robot, "negative moments of inertia"));
    assert_true(notes(world, robot, "motion of joints that move no mass"));
    fil_world_destroy(world);
}

static const char dae[] =
    "<?xml version='1.0'?>\n<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\n"
    "<asset><unit name='millimeter' meter='0.001'/><up_axis>Y_UP</up_axis></asset>\n"
    "<library_geometries><geometry id='g'><mesh>\n"
    "<source id='pos'><float_array id='f' count='12'>0 0 0  1 0 0  1 1 0  0 1 0</float_array>"
    "<technique_common><accessor source='#f' count='4' stride='3'/></technique_common></source>\n"
    "<source id='nor'><float_array id='h' count='3'>0 0 1</float_array></source>\n"
    "<vertices id='v'><input semantic='POSITION' source='#pos'/></vertices>\n"
    "<polylist count='1'><input semantic='VERTEX' source='#v' offset='0'/><input semantic='NORMAL' source='#nor' offset='1'/>"
    "<vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>\n"
    "<triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1</p></triangles>\n"
    "</mesh></geometry></library_geometries>\n"
    "<library_nodes><node id='n'><translate>0 0 5</translate><instance_geometry url='#g'/></node></library_nodes>\n"
    "<library_visual_scenes><visual_scene id='s'><node><matrix>1 0 0 10  0 1 0 0  0 0 1 0  0 0 0 1</matrix>"
    "<rotate>0 0 1 90</rotate><scale>2 2 2</scale><instance_geometry url='#g'/><node><instance_node url='#n'/></node></node>"
    "</visual_scene></library_visual_scenes>\n"
    "<scene><instance_visual_scene url='#s'/></scene></COLLADA>\n";

#define BALL "<collision><geometry><sphere radius='0.1'/></geometry></collision>"

/* Of links that are no neighbours, those that overlap at the start are made so and let be; one that comes later is met: a slide that runs against the
 * base stops 0.2 m from it. */
static void links_that_overlap_at_the_start_are_let_be(void** state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><link name='base'>" BALL "</link><link name='upper'>" MASS "</link><link name='fore'>" MASS BALL
        "</link><link name='slide'>" MASS BALL "</link><joint name='shoulder' type='revolute'>" ENDS(
            "base", "upper") "<axis xyz='0 0 1'/>" LIMIT
                             "</joint><joint name='elbow' type='revolute'>" ENDS(
                                 "upper", "fore") "<origin xyz='0 0.15 0'/><axis xyz='0 0 1'/>" LIMIT
                                                  "</joint><joint name='rail' type='prismatic'>" ENDS(
                                                      "fore", "slide") "<origin xyz='0.5 -0.15 0'/><axis xyz='1 0 0'/>" LIMIT "</joint></robot>";
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    FilRobotDef robot_def = fil_robot_def_default();
    FilId robot;
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    def.contact_model = "sap";
    robot_def.collision.self = true;
    assert_int_equal(fil_world_create(&def, &world, NULL), FIL_OK);
    if (fil_world_add_robot_urdf(world, &robot_def, "r.urdf", text, strlen(text), NULL, 0, &robot) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    for (int n = 0; n < 50; n++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
    assert_int_equal(fil_world_contact_count(world), 0);
    const int rail = fil_robot_find_joint(world, robot, "rail");
    assert_int_equal(fil_robot_set_joint_state(world, robot, rail, 0.0, -1.0), FIL_OK);
    double nearest = 1.0;
    for (int n = 0; n < 1000; n++) {
        FilVec3 place;
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        fil_link_pose(world, fil_world_find_link(world, "slide"), &place, NULL);
        const double distance = sqrt(place.x * place.x + place.y * place.y);
        nearest = distance < nearest ? distance : nearest;
    }
    assert_true(nearest > 0.199 && nearest < 0.21);
    fil_world_destroy(world);
}

static void collada_is_read(void** state)
{
    (void)state;
    FilMesh mesh;
    FilError error = {""};
    if (fil_collada_read_text("a.dae", dae, sizeof dae - 1, &mesh, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(mesh.triangle_count, 6);  // a square and a triangle, twice
    assert_int_equal(mesh.vertex_count, 16);
    // (1, 1, 0) is scaled by 2, turned by 90 degrees about z, moved by 10 along x, all in mm; the second instance is 5 higher, before that
    const double first[3] = {8e-3, 2e-3, 0.0}, second[3] = {8e-3, 2e-3, 10e-3};
    for (int r = 0; r < 3; r++) {
        assert_true(fabs(mesh.vertices[3 * 2 + r] - first[r]) < 1e-15);
        assert_true(fabs(mesh.vertices[3 * (8 + 2) + r] - second[r]) < 1e-15);
    }
    const int corners[6] = {0, 1, 2, 0, 2, 3};
    assert_memory_equal(mesh.triangles, corners, sizeof corners);
    fil_mesh_free(&mesh);
}

static void bad_collada_is_refused(void** state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"<COLLADA", "<collada", "a.dae:"},
        {"url='#s'", "url='#t'", "there is no '#t'"},
        {"<vcount>4", "<vcount>5", "its polygons and its indices do not fit"},
        {"<p>0 2 1", "<p>0 2 9", "it has no vertex 9"},
        {"<p>0 2 1", "<p>0 x 1", "something that is not a number"},
        {"offset='1'", "offset='-1'", "out of range"},
        {"<scale>2 2 2", "<scale>2 2", "it needs 3 numbers"},
        {"<translate>0 0 5</translate>", "<instance_node url='#n'/>", "in a circle"},
        {"<scene>", "<scenes>", "not well-formed"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[4096];
        const char* at = strstr(dae, cases[k].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - dae), dae, cases[k].to, at + strlen(cases[k].from));
        FilMesh mesh;
        FilError error = {""};
        assert_int_not_equal(fil_collada_read_text("a.dae", text, strlen(text), &mesh, &error), FIL_OK);
        if (strstr(error.text, cases[k].message) == NULL) {
            fail_msg("expected '%s', got '%s'", cases[k].message, error.text);
        }
        assert_null(mesh.vertices);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walker_is_taken), cmocka_unit_test(grabber_is_taken),       cmocka_unit_test(links_that_overlap_at_the_start_are_let_be),
        cmocka_unit_test(collada_is_read), cmocka_unit_test(bad_collada_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
