/* The public face of robots. */
#include <math.h>
#include <string.h>

#include "api/kinds.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "body/articulated.h"
#include "contact/surface.h"
#include "world/world.h"

/* ---- adding ---- */

/* Links become objects in a row; their names must be new in the world. */
static FilStatus add_links(FilWorld* world, const char* name, const FilArticulated* impl, int body, int* first)
{
    int* objects = fil_alloc((size_t)impl->link_count, sizeof(int));
    FilStatus status =
        objects != NULL ? FIL_OK : fil_world_fail(world, FIL_OUT_OF_MEMORY, "robot '%s': out of memory", name);
    for (int l = 0; l < impl->link_count && status == FIL_OK; l++) {
        status = fil_world_add_object(world, impl->links[l].name, FIL_BODY_ROBOT, body, l, &objects[l]);
        const double reach = impl->links[l].reach;
        if (reach > 0.0) {
            fil_collision_note_length(&world->collision, reach);
        }
    }
    if (status == FIL_OK) {
        *first = objects[0];
        status = fil_world_add_colliders(world, body, objects, impl->link_count);
    }
    fil_free(objects);
    return status;
}

static FilStatus check_names(FilWorld* world, const char* name, const FilArticulated* impl)
{
    for (int l = 0; l < impl->link_count; l++) {
        const char* link = impl->links[l].name;
        bool taken = link[0] == '\0' || fil_world_find_object(world, link) >= 0;
        for (int k = 0; k < l && !taken; k++) {
            taken = strcmp(link, impl->links[k].name) == 0;
        }
        if (taken) {
            return fil_world_fail(world, FIL_BAD_INPUT,
                                  "robot '%s': the link's name '%s' is empty or taken; a prefix makes names different",
                                  name, link);
        }
    }
    for (int j = 0; j < impl->joint_count; j++) {
        for (int k = 0; k < j; k++) {
            if (strcmp(impl->joints[j].name, impl->joints[k].name) == 0) {
                return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': two joints are named '%s'", name,
                                      impl->joints[j].name);
            }
        }
    }
    return FIL_OK;
}

FilStatus fil_world_add_robot(FilWorld* world, const FilRobotDef* def, FilId* id)
{
    FilStatus status = fil_world_reserve(world, (void**)&world->robots, world->robot_count, &world->robot_capacity,
                                         sizeof *world->robots);
    if (status != FIL_OK) {
        return status;
    }
    char* name = fil_world_new_name(world, def->name, "robot", world->robot_count + 1, fil_world_find_robot);
    if (name == NULL) {
        return FIL_BAD_INPUT;
    }
    FilError inner;
    FilArticulated* impl = NULL;
    FilRobot robot = {.name = name};
    status = fil_surface_check(&def->collision.surface, &inner);
    status = status == FIL_OK ? fil_articulated_create(def, &impl, &inner) : status;
    if (status != FIL_OK) {
        status = fil_world_fail(world, status, "robot '%s': %s", name, inner.text);
    } else if ((status = check_names(world, name, impl)) != FIL_OK) {
        fil_articulated_ops.destroy(impl);
    } else {
        status = fil_world_add_body(world, FIL_BODY_ROBOT, impl, impl->q_count, impl->v_count,
                                    fil_articulated_history(impl), name, &robot.body);
    }
    status = status == FIL_OK ? add_links(world, name, impl, robot.body, &robot.first_link) : status;
    if (status != FIL_OK) {
        fil_free(name);
        return status;
    }
    world->robots[world->robot_count] = robot;
    *id = fil_make_id(world, FIL_ID_ROBOT, world->robot_count++);
    return FIL_OK;
}

int fil_world_robot_count(const FilWorld* world)
{
    return world->robot_count;
}

FilId fil_world_robot_at(const FilWorld* world, int index)
{
    return index >= 0 && index < world->robot_count ? fil_make_id(world, FIL_ID_ROBOT, index) : (FilId){0};
}

FilId fil_world_find_robot(const FilWorld* world, const char* name)
{
    for (int r = 0; r < world->robot_count; r++) {
        if (strcmp(world->robots[r].name, name) == 0) {
            return fil_make_id(world, FIL_ID_ROBOT, r);
        }
    }
    return (FilId){0};
}

/* A robot and its part of the state arrays. */
typedef struct View {
    const FilRobot* robot;
    FilArticulated* impl;
    double *q, *v, *h;
} View;

static bool view_of(const FilWorld* world, FilId id, View* view)
{
    const int index = fil_id_index(world, FIL_ID_ROBOT, id);
    if (index < 0) {
        return false;
    }
    const FilRobot* robot = &world->robots[index];
    const FilBody* body = &world->system.bodies[robot->body];
    *view = (View){robot, body->impl, world->system.state.q + body->q, world->system.state.v + body->v, world->system.state.h + body->h};
    return true;
}

static View see(const FilWorld* world, FilId id)
{
    View view = {0};
    const bool known = view_of(world, id, &view);
    FIL_ASSERT(known && "a robot's id of this world");
    (void)known;
    return view;
}

/* A view for calls that refuse: of the robot, and of a joint unless it is -1. */
static FilStatus find(FilWorld* world, FilId id, int joint, View* view)
{
    if (!view_of(world, id, view)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "no such robot");
    }
    if (joint < -1 || joint >= view->impl->joint_count) {
        return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s' has %d joints that turn or slide, no joint %d",
                              view->robot->name, view->impl->joint_count, joint);
    }
    return FIL_OK;
}

const char* fil_robot_name(const FilWorld* world, FilId id)
{
    return see(world, id).robot->name;
}

const char* fil_robot_description(const FilWorld* world, FilId id)
{
    return see(world, id).impl->description;
}

const char* fil_robot_ignored(const FilWorld* world, FilId id)
{
    const char* ignored = see(world, id).impl->ignored;
    return ignored != NULL ? ignored : "";
}

/* ---- links ---- */

int fil_robot_link_count(const FilWorld* world, FilId id)
{
    return see(world, id).impl->link_count;
}

FilId fil_robot_link(const FilWorld* world, FilId id, int link)
{
    return fil_make_id(world, FIL_ID_OBJECT, see(world, id).robot->first_link + link);
}

FilId fil_world_find_link(const FilWorld* world, const char* name)
{
    const int index = fil_world_find_object(world, name);
    const bool found = index >= 0 && world->objects[index].kind == FIL_BODY_ROBOT;
    return found ? fil_make_id(world, FIL_ID_OBJECT, index) : (FilId){0};
}

const char* fil_robot_link_name(const FilWorld* world, FilId id, int link)
{
    return see(world, id).impl->links[link].name;
}

int fil_robot_link_parent(const FilWorld* world, FilId id, int link)
{
    return see(world, id).impl->links[link].parent;
}

bool fil_robot_link_fixed(const FilWorld* world, FilId id, int link)
{
    return see(world, id).impl->links[link].fixed;
}

void fil_link_pose(const FilWorld* world, FilId id, FilVec3* position, FilQuat* orientation)
{
    const int index = fil_kind_index(world, FIL_BODY_ROBOT, id);
    FIL_ASSERT(index >= 0 && "a link's id of this world");
    const FilObject* link = &world->objects[index];
    const FilBody* body = &world->system.bodies[link->body];
    FilPose pose;
    fil_articulated_link_pose(body->impl, world->system.state.q + body->q, link->local, &pose);
    *position = (FilVec3){pose.p[0], pose.p[1], pose.p[2]};
    *orientation = fil_quat_from_m3(pose.r);
}

void fil_link_velocity(const FilWorld* world, FilId id, FilVec3* velocity, FilVec3* angular)
{
    const int index = fil_kind_index(world, FIL_BODY_ROBOT, id);
    FIL_ASSERT(index >= 0 && "a link's id of this world");
    const FilObject* link = &world->objects[index];
    const FilBody* body = &world->system.bodies[link->body];
    const double* q = world->system.state.q + body->q;
    FilPose pose;
    double v[3], w[3];
    fil_articulated_link_pose(body->impl, q, link->local, &pose);
    fil_articulated_link_velocity(body->impl, q, world->system.state.v + body->v, link->local, pose.p, v, w);
    *velocity = (FilVec3){v[0], v[1], v[2]};
    *angular = (FilVec3){w[0], w[1], w[2]};
}

void fil_robot_link_pose(const FilWorld* world, FilId id, int link, FilVec3* position, FilQuat* orientation)
{
    fil_link_pose(world, fil_robot_link(world, id, link), position, orientation);
}

void fil_robot_link_velocity(const FilWorld* world, FilId id, int link, FilVec3* velocity, FilVec3* angular)
{
    fil_link_velocity(world, fil_robot_link(world, id, link), velocity, angular);
}

int fil_robot_shape_count(const FilWorld* world, FilId id, int link)
{
    return see(world, id).impl->links[link].shape_count;
}

FilShapeDef fil_robot_shape(const FilWorld* world, FilId id, int link, int shape)
{
    const FilArticulated* impl = see(world, id).impl;
    return impl->shapes[impl->links[link].first_shape + shape].def;
}

/* ---- joints ---- */

int fil_robot_joint_count(const FilWorld* world, FilId id)
{
    return see(world, id).impl->joint_count;
}

const char* fil_robot_joint_name(const FilWorld* world, FilId id, int joint)
{
    return see(world, id).impl->joints[joint].name;
}

int fil_robot_find_joint(const FilWorld* world, FilId id, const char* name)
{
    const FilArticulated* impl = see(world, id).impl;
    for (int j = 0; j < impl->joint_count; j++) {
        if (strcmp(impl->joints[j].name, name) == 0) {
            return j;
        }
    }
    return -1;
}

int fil_robot_joint_link(const FilWorld* world, FilId id, int joint)
{
    return see(world, id).impl->joints[joint].link;
}

unsigned fil_robot_joint_modes(const FilWorld* world, FilId id, int joint)
{
    return see(world, id).impl->joints[joint].def.modes;
}

bool fil_robot_joint_mimics(const FilWorld* world, FilId id, int joint)
{
    return see(world, id).impl->joints[joint].mimic >= 0;
}

FilJointState fil_robot_joint_state(const FilWorld* world, FilId id, int joint)
{
    const View view = see(world, id);
    const FilTreeBody* body = &view.impl->bodies[view.impl->joints[joint].body];
    return (FilJointState){view.q[body->q], view.v[body->v], view.impl->effort[joint]};
}

FilStatus fil_robot_set_joint_state(FilWorld* world, FilId id, int joint, double position, double velocity)
{
    View view = {0};
    const FilStatus status = find(world, id, joint, &view);
    if (status != FIL_OK || joint < 0 || !isfinite(position) || !isfinite(velocity)) {
        return status != FIL_OK
                   ? status
                   : fil_world_fail(world, FIL_BAD_INPUT, "the given state of joint %d is not finite", joint);
    }
    const FilTreeBody* body = &view.impl->bodies[view.impl->joints[joint].body];
    view.q[body->q] = position;
    view.v[body->v] = velocity;
    return FIL_OK;
}

FilStatus fil_robot_set_base(FilWorld* world, FilId id, FilVec3 position, FilQuat orientation, FilVec3 velocity,
                             FilVec3 angular)
{
    View view = {0};
    const FilStatus status = find(world, id, -1, &view);
    if (status != FIL_OK) {
        return status;
    }
    const double numbers[] = {position.x, position.y, position.z, velocity.x, velocity.y,
                              velocity.z, angular.x,  angular.y,  angular.z};
    const double w[3] = {angular.x, angular.y, angular.z};
    if (view.impl->links[0].body < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s' stands on a fixed base", view.robot->name);
    }
    if (!fil_all_finite(numbers, 9) || !fil_quat_normalise(&orientation)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the given state is not finite, or its orientation is no rotation");
    }
    double rotation[9];
    fil_m3_from_quat(rotation, orientation);
    memcpy(view.q, numbers, 3 * sizeof(double));
    view.q[3] = orientation.x, view.q[4] = orientation.y, view.q[5] = orientation.z, view.q[6] = orientation.w;
    memcpy(view.v, numbers + 3, 3 * sizeof(double));
    fil_m3_apply_transposed(view.v + 3, rotation, w);  // in the link's frame
    return FIL_OK;
}

/* ---- commands ---- */

FilStatus fil_robot_set_joint_command(FilWorld* world, FilId id, int joint, const FilJointCommand* command)
{
    View view = {0};
    const FilStatus status = find(world, id, joint, &view);
    if (status != FIL_OK || joint < 0) {
        return status != FIL_OK ? status : fil_world_fail(world, FIL_BAD_INPUT, "there is no joint %d", joint);
    }
    const FilTreeJoint* j = &view.impl->joints[joint];
    const double numbers[] = {command->position, command->velocity, command->effort};
    const unsigned mode = (unsigned)command->mode;
    if (!fil_all_finite(numbers, 3)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': the command is not finite", j->name);
    }
    if (mode != FIL_JOINT_PASSIVE && mode != FIL_JOINT_POSITION && mode != FIL_JOINT_VELOCITY &&
        mode != FIL_JOINT_EFFORT) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': unknown mode %u", j->name, mode);
    }
    if (j->mimic >= 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s' follows '%s' and takes no command", j->name,
                              view.impl->joints[j->mimic].name);
    }
    if (mode != FIL_JOINT_PASSIVE && j->def.modes != 0 && (j->def.modes & mode) == 0) {
        static const char* const names[] = {"", "position", "velocity", "", "effort"};
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s' takes no %s", j->name, names[mode]);
    }
    fil_articulated_set_command(view.impl, view.h, joint, command);
    return FIL_OK;
}

FilJointCommand fil_robot_joint_command(const FilWorld* world, FilId id, int joint)
{
    const View view = see(world, id);
    return fil_articulated_command(view.impl, view.h, joint, world->time);
}

FilStatus fil_robot_set_trajectory(FilWorld* world, FilId id, const FilTrajectoryDef* given)
{
    View view = {0};
    FilStatus status = find(world, id, -1, &view);
    if (status != FIL_OK) {
        return status;
    }
    FilTrajectoryDef def = *given;
    int* all = NULL;
    if (def.joints == NULL) {  // those that take positions
        all = fil_alloc((size_t)view.impl->joint_count, sizeof(int));
        if (all == NULL) {
            return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
        }
        def.joint_count = 0;
        for (int j = 0; j < view.impl->joint_count; j++) {
            const FilTreeJoint* joint = &view.impl->joints[j];
            if (joint->mimic < 0 && (joint->def.modes == 0 || (joint->def.modes & FIL_JOINT_POSITION) != 0)) {
                all[def.joint_count++] = j;
            }
        }
        def.joints = all;
    }
    FilError inner;
    status = fil_articulated_set_trajectory(view.impl, view.q, view.h, &def, world->time, &inner);
    if (status != FIL_OK) {
        status = fil_world_fail(world, status, "robot '%s': %s", view.robot->name, inner.text);
    }
    fil_free(all);
    return status;
}

double fil_robot_trajectory_left(const FilWorld* world, FilId id)
{
    const View view = see(world, id);
    return fmax(fil_articulated_trajectory_end(view.impl, view.h) - world->time, 0.0);
}

/* ---- what can be measured ---- */

static const char* known_name(const FilWorld* world, FilId id)
{
    View view;
    return view_of(world, id, &view) ? view.robot->name : NULL;
}

static void measure_position(const FilWorld* world, FilId id, int joint, double* out)
{
    out[0] = fil_robot_joint_state(world, id, joint).position;
}

static void measure_velocity(const FilWorld* world, FilId id, int joint, double* out)
{
    out[0] = fil_robot_joint_state(world, id, joint).velocity;
}

static void measure_effort(const FilWorld* world, FilId id, int joint, double* out)
{
    out[0] = fil_robot_joint_state(world, id, joint).effort;
}

static const FilPart parts[] = {{"joint", "joints", fil_robot_joint_count}};

static const FilQuantity quantities[] = {
    {"axis_position", &parts[0], 1, "rad or m", measure_position, NULL},
    {"axis_velocity", &parts[0], 1, "rad/s or m/s", measure_velocity, NULL},
    {"axis_effort", &parts[0], 1, "N m or N", measure_effort, NULL},
};

const FilKindRow fil_robot_row = {"robot", "a robot", known_name, fil_world_find_robot, FIL_ROWS(parts), FIL_ROWS(quantities)};

static const char* link_name(const FilWorld* world, FilId id)
{
    return fil_kind_name(world, FIL_BODY_ROBOT, id);
}

static void measure_link_position(const FilWorld* world, FilId id, int index, double* out)
{
    (void)index;
    FilVec3 position;
    FilQuat orientation;
    fil_link_pose(world, id, &position, &orientation);
    fil_measure_vec3(out, position);
}

/* Of its origin. */
static void measure_link_velocity(const FilWorld* world, FilId id, int index, double* out)
{
    (void)index;
    FilVec3 velocity, spin;
    fil_link_velocity(world, id, &velocity, &spin);
    fil_measure_vec3(out, velocity);
}

static const FilQuantity link_quantities[] = {
    {"link_position", NULL, 3, "m", measure_link_position, NULL},
    {"link_velocity", NULL, 3, "m/s", measure_link_velocity, NULL},
};

const FilKindRow fil_link_row = {"link", "a robot's link", link_name, fil_world_find_link, NULL, 0, FIL_ROWS(link_quantities)};
