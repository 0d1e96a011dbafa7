/* URDF: what is written is what the robot has, and what is wrong is named with its line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "body/articulated.h"
#include "filum/filum.h"
#include "text_file.h"
#include "world/world.h"

static FilWorld* make_world(void)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    assert_int_equal(fil_world_create(&def, &world, NULL), FIL_OK);
    return world;
}

static FilStatus add(FilWorld* world, const char* path, const char* text, const char* prefix, FilId* id)
{
    FilRobotDef def = fil_robot_def_default();
    def.prefix = prefix;
    return fil_world_add_robot_urdf(world, &def, path, text, text != NULL ? strlen(text) : 0, NULL, 0, id);
}

static FilId add_good(FilWorld* world, const char* path, const char* text, const char* prefix)
{
    FilId id = {0};
    if (add(world, path, text, prefix, &id) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    return id;
}

#define INERTIAL "<inertial><mass value='2'/><inertia ixx='0.1' iyy='0.2' izz='0.3' ixy='0' ixz='0' iyz='0'/></inertial>"

/* ---- good ---- */

static const char good[] =
    "<?xml version='1.0'?>\n"
    "<!-- made by xacro -->\n"
    "<robot name='good' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n"
    "<material name='blue'/>\n"
    "<link name='base'><visual><geometry><box size='1 1 1'/></geometry></visual></link>\n"
    "<link name='slider'>\n"
    "  <inertial><origin xyz='0.1 0.2 0.3' rpy='0 0 1.5707963267948966'/><mass value='2'/>\n"
    "    <inertia ixx='0.1' iyy='0.2' izz='0.3' ixy='0.01' ixz='0' iyz='0'/></inertial>\n"
    "  <collision name='a'><origin xyz='0 0 1' rpy='0 1.5707963267948966 0'/><geometry><cylinder radius='0.1' "
    "length='0.5'/></geometry></collision>\n"
    "  <collision><geometry><sphere radius='0.2'/></geometry></collision>\n"
    "</link>\n"
    "<link name='arm'>" INERTIAL
    "<collision><geometry><box size='0.1 0.2 0.3'/></geometry></collision></link>\n"
    "<link name='tool'/>\n"
    "<link name='finger'>" INERTIAL
    "</link>\n"
    "<link name='wheel'>" INERTIAL
    "</link>\n"
    "<joint name='slide' type='prismatic'><parent link='base'/><child link='slider'/><origin xyz='1 2 3'/>\n"
    "  <axis xyz='0 0 2'/><limit lower='0.1' upper='0.5' effort='20' velocity='0.4'/>\n"
    "  <dynamics damping='3' friction='0.5'/><safety_controller k_velocity='1'/></joint>\n"
    "<joint name='turn' type='revolute'><parent link='slider'/><child link='arm'/>\n"
    "  <limit lower='-1' upper='2' effort='7' velocity='3'/></joint>\n"
    "<joint name='end' type='fixed'><parent link='arm'/><child link='tool'/><origin xyz='0 0 0.5' rpy='0.3 0.2 "
    "0.1'/></joint>\n"
    "<joint name='follow' type='revolute'><parent link='tool'/><child link='finger'/>\n"
    "  <limit lower='-5' upper='5' effort='7' velocity='3'/><mimic joint='turn' multiplier='-2' "
    "offset='0.25'/></joint>\n"
    "<joint name='roll' type='continuous'><parent link='base'/><child link='wheel'/></joint>\n"
    "<ros2_control name='c' type='system'><hardware/>\n"
    "  <joint name='turn'><command_interface name='velocity'/><command_interface name='effort'/>\n"
    "    <state_interface name='position'><param "
    "name='initial_value'>0.5</param></state_interface></joint></ros2_control>\n"
    "<gazebo reference='arm'/>\n"
    "</robot>\n";

static void everything_arrives(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    const FilId id = add_good(world, "good.urdf", good, "left_");
    const FilArticulated* robot = world->system.bodies[0].impl;
    assert_int_equal(fil_robot_link_count(world, id), 6);
    assert_int_equal(fil_robot_joint_count(world, id), 4);
    assert_string_equal(fil_robot_link_name(world, id, 0), "left_base");
    assert_string_equal(fil_robot_joint_name(world, id, 0), "left_slide");
    const int turn = fil_robot_find_joint(world, id, "left_turn"), follow = fil_robot_find_joint(world, id, "left_follow");
    const int slide = fil_robot_find_joint(world, id, "left_slide");
    const FilRobotJointDef *s = &robot->joints[slide].def, *t = &robot->joints[turn].def;
    assert_true(s->lower == 0.1 && s->upper == 0.5 && s->max_effort == 20.0 && s->max_velocity == 0.4);
    assert_true(s->damping == 3.0 && s->friction == 0.5);
    assert_int_equal(t->modes, FIL_JOINT_VELOCITY | FIL_JOINT_EFFORT);
    // it starts where it is set to, or at the limit nearest to zero; what follows starts where it follows to
    assert_true(fil_robot_joint_state(world, id, slide).position == 0.1);
    assert_true(fil_robot_joint_state(world, id, turn).position == 0.5);
    assert_true(fil_robot_joint_state(world, id, follow).position == -0.75);
    assert_true(fil_robot_joint_mimics(world, id, follow));
    assert_true(fil_robot_link_fixed(world, id, 0) && !fil_robot_link_fixed(world, id, 1));
    // inertia turned by a quarter turn about z: x and y change places
    const FilTreeBody* slider = &robot->bodies[robot->joints[slide].body];
    assert_true(fabs(slider->inertia[0] - 0.2) < 1e-12 && fabs(slider->inertia[4] - 0.1) < 1e-12);
    assert_true(fabs(slider->inertia[1] + 0.01) < 1e-12);
    assert_true(slider->axis[2] == 1.0 && slider->center[2] == 0.3);
    assert_int_equal(fil_robot_shape_count(world, id, 1), 2);
    const FilShapeDef shape = fil_robot_shape(world, id, 1, 0);
    assert_true(shape.type == FIL_SHAPE_CYLINDER && shape.radius == 0.1 && shape.length == 0.5 && shape.position.z == 1.0);
    assert_string_equal(fil_robot_ignored(world, id), "safety_controller, hardware, gazebo");
    FilVec3 place;
    FilQuat orientation;
    fil_robot_link_pose(world, id, 1, &place, &orientation);
    assert_true(place.x == 1.0 && place.y == 2.0 && fabs(place.z - 3.1) < 1e-15);
    assert_true(fil_world_find_link(world, "left_tool").index != 0 && fil_world_find_link(world, "tool").index == 0);
    fil_world_destroy(world);
}

static void description_has_the_prefix_everywhere(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    const FilId left = add_good(world, "good.urdf", good, "left_"), plain = add_good(world, "good.urdf", good, NULL);
    const char* text = fil_robot_description(world, left);
    static const char* const wanted[] = {"link name=\"left_base\"",  "joint name=\"left_turn\"",  "parent link=\"left_base\"",
                                         "child link=\"left_tool\"", "mimic joint=\"left_turn\"", "gazebo reference=\"left_arm\"",
                                         "material name=\"blue\""};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        assert_non_null(strstr(text, wanted[k]));
    }
    assert_string_equal(fil_robot_description(world, plain), good);
    // it can be read again
    FilWorld* other = make_world();
    const FilId again = add_good(other, "again.urdf", text, NULL);
    assert_string_equal(fil_robot_link_name(other, again, 3), fil_robot_link_name(world, left, 3));
    fil_world_destroy(other);
    fil_world_destroy(world);
}

/* ---- meshes ---- */

static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
/* An open sheet folded once: no solid, but it has a hull. */
static const char stl[] =
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    "facet normal 0 1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid s\n";

static void meshes_are_found(void** state)
{
    (void)state;
    char folder[] = "/tmp/filum_urdf_XXXXXX", path[200], text[1000];
    assert_non_null(mkdtemp(folder));
    static const char* const names[] = {"my_robot", "my_robot/urdf", "my_robot/meshes"};
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof path, "%s/my_robot/meshes/a.obj", folder);
    write_text(path, mesh);
    snprintf(path, sizeof path, "%s/my_robot/meshes/b.stl", folder);
    write_text(path, stl);
    static const char* const files[] = {"package://my_robot/meshes/a.obj", "../meshes/b.stl", "package://my_robot/meshes/b.stl"};
    char urdf[200];
    snprintf(urdf, sizeof urdf, "%s/my_robot/urdf/r.urdf", folder);
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='a'><collision><geometry><mesh filename='%s' scale='0.1 0.2 -0.3'/></geometry>"
                 "</collision></link></robot>",
                 files[k]);
        write_text(urdf, text);
        FilWorld* world = make_world();
        const FilId id = add_good(world, urdf, NULL, NULL);
        const FilShapeDef shape = fil_robot_shape(world, id, 0, 0);
        double low[3] = {0.0}, high[3] = {0.0};
        assert_int_equal(shape.type, FIL_SHAPE_HULL);
        for (int p = 0; p < 3 * shape.point_count; p++) {
            low[p % 3] = fmin(low[p % 3], shape.points[p]);
            high[p % 3] = fmax(high[p % 3], shape.points[p]);
        }
        assert_true(fabs(high[0] - 0.1) < 1e-15 && fabs(high[1] - 0.2) < 1e-15 && fabs(low[2] + 0.3) < 1e-15);
        fil_world_destroy(world);
    }
    unlink(urdf);
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/my_robot/meshes/%s", folder, k == 0 ? "a.obj" : "b.stl");
        unlink(path);
    }
    for (int k = 2; k >= 0; k--) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        rmdir(path);
    }
    rmdir(folder);
}

/* ---- bad ---- */

#define A "<link name='a'/>"
#define B "<link name='b'>" INERTIAL "</link>"
#define ENDS "<parent link='a'/><child link='b'/>"
#define LIMIT "<limit lower='0' upper='1' effort='1' velocity='1'/>"
#define ROBOT(inside) "<robot name='r'>\n" inside "\n</robot>"

static const struct {
    const char *text, *message;
} bad[] = {
    {"", "r.urdf"},
    {"nonsense", "r.urdf:1: not well-formed XML"},
    {"<robot name='r'>\n<link name='a'>\n</robot>", "r.urdf:3: not well-formed XML"},
    {"<sdf/>", "r.urdf:1: sdf: the outermost element of a URDF is <robot>"},
    {"<!DOCTYPE r [<!ENTITY e 'x'>]><robot name='r'/>", "document type"},
    {"<robot name='r'/>", "r.urdf:1: robot 'r': has no <link>"},
    {"<robot xmlns:xacro='x'>\n<xacro:macro name='m'/></robot>", "r.urdf:2: macro 'm': this is xacro"},
    {ROBOT("<link/>"), "r.urdf:2: link: the attribute 'name' is missing"},
    {ROBOT(A "\n" A), "r.urdf:3: link 'a': there is one already, on line 2"},
    {ROBOT(A "\n" B), "two roots: no joint leads to links 'a' and 'b'"},
    {ROBOT(A B "\n<joint type='fixed'>" ENDS "</joint>"), "r.urdf:3: joint: the attribute 'name' is missing"},
    {ROBOT(A B "\n<joint name='j'>" ENDS "</joint>"), "r.urdf:3: joint 'j': the attribute 'type' is missing"},
    {ROBOT(A B "\n<joint name='j' type='hinge'>" ENDS "</joint>"), "r.urdf:3: joint 'j': unknown type 'hinge'"},
    {ROBOT(A B "\n<joint name='j' type='planar'>" ENDS "</joint>"), "r.urdf:3: joint 'j': planar joints are not supported"},
    {ROBOT(A B "\n<joint name='j' type='fixed'><child link='b'/></joint>"), "r.urdf:3: joint 'j': <parent> is missing"},
    {ROBOT(A B "\n<joint name='j' type='fixed'><parent link='a'/></joint>"), "r.urdf:3: joint 'j': <child> is missing"},
    {ROBOT("<link name='base'/>" B "\n<joint name='j' type='fixed'>\n<parent link='bsae'/><child link='b'/></joint>"),
     "r.urdf:4: parent: there is no link 'bsae'; did you mean 'base'?"},
    {ROBOT(A B "\n<joint name='j' type='fixed'>\n<parent link='a'/><child/></joint>"), "r.urdf:4: child: the attribute 'link' is missing"},
    {ROBOT(A B "\n<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='j' type='fixed'>" ENDS "</joint>"),
     "r.urdf:4: joint 'j': there is one already, on line 3"},
    {ROBOT(A B "\n<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='k' type='fixed'>" ENDS "</joint>"),
     "link 'b' has two parents: joints 'j' and 'k'"},
    {ROBOT(A B "\n<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"),
     "the joints make a circle"},
    {ROBOT(A "\n" B "<link name='c'/><joint name='j' type='fixed'><parent link='b'/><child link='c'/></joint>"
             "<joint name='k' type='fixed'><parent link='c'/><child link='b'/></joint>"),
     "r.urdf:3: robot 'robot1': the joints make a circle: link 'b' does not hang on the root 'a'"},
    {ROBOT(A "\n<joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint>"),
     "r.urdf:3: robot 'robot1': joint 'j': it joins link 'a' to itself"},
    {ROBOT(A B "\n<joint name='j' type='revolute'>" ENDS "</joint>"), "r.urdf:3: joint 'j': a revolute joint needs a <limit>"},
    {ROBOT(A B "\n<joint name='j' type='prismatic'>" ENDS "\n<limit lower='0' upper='1' velocity='1'/></joint>"),
     "r.urdf:4: limit: the attribute 'effort' is missing"},
    {ROBOT(A B "\n<joint name='j' type='revolute'>" ENDS "\n<limit lower='2' upper='1' effort='1' velocity='1'/></joint>"),
     "r.urdf:4: limit: lower 2 must not exceed upper 1"},
    {ROBOT(A B "\n<joint name='j' type='revolute'>" ENDS LIMIT "\n<axis xyz='0 0 0'/></joint>"), "r.urdf:4: axis: it has no direction"},
    {ROBOT(A B "\n<joint name='j' type='revolute'>" ENDS LIMIT "\n<axis xyz='0 0'/></joint>"),
     "r.urdf:4: axis: xyz=\"0 0\" is not the numbers it needs"},
    {ROBOT(A B "\n<joint name='j' type='revolute'>" ENDS LIMIT "\n<origin xyz='0 0 ${h}'/></joint>"), "this is xacro"},
    {ROBOT(A B "\n<joint name='j' type='revolute'>" ENDS LIMIT "\n<origin xyz='0 0 nan'/></joint>"), "r.urdf:4: origin: xyz=\"0 0 nan\" is not"},
    {ROBOT(A B "\n<joint name='j' type='revolute'>" ENDS LIMIT "\n<dynamics damping='-1'/></joint>"),
     "r.urdf:4: dynamics: damping and friction must not be negative"},
    {ROBOT(A B "\n<joint name='j' type='revolute'>" ENDS LIMIT "\n<mimic joint='j'/></joint>"), "joint 'j': it mimics itself"},
    {ROBOT(A "<link name='b'>\n<inertial><mass value='-1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"),
     "r.urdf:3: mass: a mass of -1 kg is negative"},
    {ROBOT(A "<link name='b'>\n<inertial><mass value='1'/></inertial></link>"), "r.urdf:3: inertial: <inertia> is missing"},
    {ROBOT(A "<link name='b'>\n<inertial><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"), "r.urdf:3: inertial: <mass> is missing"},
    {ROBOT(A "<link name='b'><inertial><mass value='1'/>\n<inertia ixx='1' izz='1'/></inertial></link>"),
     "r.urdf:3: inertia: the attribute 'iyy' is missing"},
    {ROBOT("<link name='a'><collision/></link>"), "r.urdf:2: collision: <geometry> is missing"},
    {ROBOT("<link name='a'><collision><geometry/></collision></link>"), "r.urdf:2: geometry: needs exactly one shape"},
    {ROBOT("<link name='a'><collision><geometry><cone/></geometry></collision></link>"), "r.urdf:2: cone: no known shape"},
    {ROBOT("<link name='a'><collision><geometry><box size='1 -1 1'/></geometry></collision></link>"), "r.urdf:2: box: its sizes must be positive"},
    {ROBOT("<link name='a'><collision><geometry><sphere/></geometry></collision></link>"), "r.urdf:2: sphere: the attribute 'radius' is missing"},
    {ROBOT("<link name='a'><collision><geometry><mesh filename='no.stl'/></geometry></collision></link>"),
     "r.urdf:2: mesh: there is no file 'no.stl'"},
    {ROBOT("<link name='a'><collision><geometry><mesh filename='package://x/no.stl'/></geometry></collision></link>"),
     "r.urdf:2: mesh: there is no file 'package://x/no.stl'"},
    {ROBOT(A "<ros2_control name='c'>\n<joint name='k'/></ros2_control>"), "r.urdf:3: joint 'k': there is no such joint"},
    {ROBOT(A B "<joint name='j' type='continuous'>" ENDS "</joint><ros2_control name='c'><joint name='j'><state_interface "
               "name='position'>\n<param name='initial_value'>x</param></state_interface></joint></ros2_control>"),
     "r.urdf:3: param 'initial_value': is not a number"},
    {ROBOT(A B "\n<joint name='j' type='revolute'>" ENDS LIMIT "</joint><ros2_control name='c'><joint name='j'><state_interface "
               "name='position'><param name='initial_value'>3</param></state_interface></joint></ros2_control>"),
     "r.urdf:3: robot 'robot1': joint 'j': it starts at 3, outside its limits 0 and 1"},
};

static void mistakes_are_named(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        FilWorld* world = make_world();
        FilId id;
        if (add(world, "r.urdf", bad[k].text, NULL, &id) != FIL_BAD_INPUT) {
            fail_msg("accepted: %s", bad[k].text);
        }
        if (strstr(fil_world_error(world), bad[k].message) == NULL) {
            fail_msg("expected '%s', got '%s'", bad[k].message, fil_world_error(world));
        }
        // nothing has been added
        assert_int_equal(fil_world_robot_count(world), 0);
        assert_int_equal(fil_world_body_count(world), 0);
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        fil_world_destroy(world);
    }
}

static void missing_files_are_named(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    FilId id;
    assert_int_equal(add(world, "/nowhere/r.urdf", NULL, NULL, &id), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "/nowhere/r.urdf: cannot be opened"));
    fil_world_destroy(world);
}

static void couplings_of_couplings_lead_to_the_first(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    const FilId id = add_good(world, "r.urdf",
                              ROBOT(A B "<link name='c'>" INERTIAL "</link><link name='d'>" INERTIAL "</link>"
                                        "<joint name='j' type='continuous'>" ENDS "</joint>"
                                        "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><mimic joint='j' multiplier='2' "
                                        "offset='0.5'/></joint>"
                                        "<joint name='l' type='continuous'><parent link='c'/><child link='d'/><mimic joint='k' multiplier='3' "
                                        "offset='1'/></joint>"),
                              NULL);
    // l = 3 k + 1 = 6 j + 2.5
    assert_true(fil_robot_joint_state(world, id, 2).position == 2.5);
    const FilArticulated* robot = world->system.bodies[0].impl;
    assert_int_equal(robot->joints[2].mimic, 0);
    assert_true(robot->joints[2].def.multiplier == 6.0);
    fil_world_destroy(world);
}

static void settings_name_joints(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    FilRobotDef def = fil_robot_def_default();
    FilRobotJointSetting setting = fil_robot_joint_setting_default();
    FilId id;
    setting.joint = "trun";
    assert_int_equal(fil_world_add_robot_urdf(world, &def, "good.urdf", good, strlen(good), &setting, 1, &id), FIL_BAD_INPUT);
    assert_string_equal(fil_world_error(world), "good.urdf has no joint 'trun'; did you mean 'turn'?");
    setting.joint = "turn";
    setting.friction = 0.7;
    setting.modes = FIL_JOINT_POSITION;
    assert_int_equal(fil_world_add_robot_urdf(world, &def, "good.urdf", good, strlen(good), &setting, 1, &id), FIL_OK);
    const FilArticulated* robot = world->system.bodies[0].impl;
    const int turn = fil_robot_find_joint(world, id, "turn");
    assert_true(robot->joints[turn].def.friction == 0.7 && robot->joints[turn].def.max_effort == 7.0);
    assert_int_equal(fil_robot_joint_modes(world, id, turn), FIL_JOINT_POSITION);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_arrives),      cmocka_unit_test(description_has_the_prefix_everywhere),
        cmocka_unit_test(meshes_are_found),        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(missing_files_are_named), cmocka_unit_test(couplings_of_couplings_lead_to_the_first),
        cmocka_unit_test(settings_name_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
