/* Robots: links and joints; the shapes of links are drawn. */
#include <math.h>
#include <stdio.h>

#include "view/show.h"

static void print(const FilWorld* world, FilId robot)
{
    int fixed = 0, shapes = 0;
    for (int l = 0; l < fil_robot_link_count(world, robot); ++l) {
        fixed += fil_robot_link_fixed(world, robot, l);
        shapes += fil_robot_shape_count(world, robot, l);
    }
    printf("  %-16s %d links, %d of them fixed, %d shapes\n", fil_robot_name(world, robot), fil_robot_link_count(world, robot), fixed, shapes);
    for (int j = 0; j < fil_robot_joint_count(world, robot); ++j) {
        const unsigned modes = fil_robot_joint_modes(world, robot, j);
        printf("                   %s %.9g%s%s%s%s%s\n", fil_robot_joint_name(world, robot, j), fil_robot_joint_state(world, robot, j).position,
               fil_robot_joint_mimics(world, robot, j) ? ", follows" : "", modes != 0 ? ", takes" : "",
               (modes & FIL_JOINT_POSITION) != 0 ? " position" : "", (modes & FIL_JOINT_VELOCITY) != 0 ? " velocity" : "",
               (modes & FIL_JOINT_EFFORT) != 0 ? " effort" : "");
    }
    if (fil_robot_ignored(world, robot)[0] != '\0') {
        printf("                   without effect: %s\n", fil_robot_ignored(world, robot));
    }
}

/* Shapes of a link: those to be seen, else those that collide; none if it is hidden. */
static int link_shape_count(const FilWorld* world, FilId robot, int link)
{
    const FilId id = fil_robot_link(world, robot, link);
    const int visuals = fil_world_visual_count(world, id);
    return !fil_world_look(world, id).visible ? 0 : visuals > 0 ? visuals : fil_robot_shape_count(world, robot, link);
}

static int shape_count(const FilWorld* world, FilId robot)
{
    int count = 0;
    for (int l = 0; l < fil_robot_link_count(world, robot); ++l) {
        count += link_shape_count(world, robot, l);
    }
    return count;
}

/* Shapes are counted through all links: the link of shape `*index`, which is then counted in that link. */
static int find_link(const FilWorld* world, FilId robot, int* index)
{
    int link = 0;
    while (link < fil_robot_link_count(world, robot) - 1 && *index >= link_shape_count(world, robot, link)) {
        *index -= link_shape_count(world, robot, link++);
    }
    return link;
}

/* The scene's colour goes before that of the URDF. */
static void shape(const FilWorld* world, FilId robot, int index, FilShownShape* out)
{
    const int link = find_link(world, robot, &index);
    const FilId id = fil_robot_link(world, robot, link);
    const FilLook look = fil_world_look(world, id);
    *out = (FilShownShape){.moves = true, .part = fil_robot_link_name(world, robot, link), .colored = look.colored, .color = look.color};
    if (fil_world_visual_count(world, id) > 0) {
        const FilVisual visual = fil_world_visual(world, id, index);
        out->def = visual.shape;
        out->colored |= visual.colored;
        out->color = look.colored ? look.color : visual.color;
    } else {
        out->def = fil_robot_shape(world, robot, link, index);
    }
    fil_robot_link_pose(world, robot, link, &out->position, &out->orientation);
}

/* A link's loads act at its frame. */
static bool grip(const FilWorld* world, FilId robot, int index, FilShownGrip* out)
{
    const int link = find_link(world, robot, &index);
    FilQuat orientation;
    *out = (FilShownGrip){.object = fil_world_find_link(world, fil_robot_link_name(world, robot, link)), .turns = true};
    fil_robot_link_pose(world, robot, link, &out->center, &orientation);
    return true;
}

static bool control(const FilWorld* world, FilId robot, int joint, FilShownControl* out)
{
    const unsigned modes = fil_robot_joint_modes(world, robot, joint);
    const bool slides = fil_robot_joint_slides(world, robot, joint);
    // of a joint without limits: a metre, or half a turn, to either side
    const double position = fil_robot_joint_state(world, robot, joint).position, far = slides ? 1.0 : 3.14159265358979324;
    double lower, upper;
    fil_robot_joint_limits(world, robot, joint, &lower, &upper);
    *out = (FilShownControl){.name = fil_robot_joint_name(world, robot, joint),
                             .unit = slides ? "m" : "rad",
                             .lower = fmax(lower, position - far),
                             .upper = fmin(upper, position + far),
                             .value = position};
    return !fil_robot_joint_mimics(world, robot, joint) && (modes == 0 || (modes & FIL_JOINT_POSITION) != 0);
}

static FilStatus set_control(FilWorld* world, FilId robot, int joint, double position)
{
    const FilJointCommand command = {.mode = FIL_JOINT_POSITION, .position = position};
    return fil_robot_set_joint_command(world, robot, joint, &command);
}

const FilShowKind fil_show_robot = {
    .heading = "robots",
    .count = fil_world_robot_count,
    .at = fil_world_robot_at,
    .name = fil_robot_name,
    .print = print,
    .shape_count = shape_count,
    .shape = shape,
    .grip = grip,
    .control_count = fil_robot_joint_count,
    .control = control,
    .set_control = set_control,
};
