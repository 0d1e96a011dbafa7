/* The public face of robots. */
#include <math.h>
#include <string.h>

#include "api/give.h"
#include "api/kinds.h"
#include "api/robot_view.h"
#include "base/memory.h"
#include "base/quat.h"
#include "contact/surface.h"
#include "world/world.h"

/* ---- adding ---- */

/* Links become objects in a row; their names must be new in the world. */
static FilStatus add_links(FilWorld* world, const char* name, const FilArticulated* impl, int body, int* first)
{
    const int collider = world->collision.collider_count;
    int* objects = fil_alloc((size_t)impl->link_count, sizeof(int));
    FilStatus status = objects != NULL ? FIL_OK : fil_world_fail(world, FIL_OUT_OF_MEMORY, "robot '%s': out of memory", name);
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
    if (status == FIL_OK && impl->collision.self && fil_collision_part_overlapping(&world->collision, collider) != FIL_OK) {
        status = fil_world_fail(world, FIL_OUT_OF_MEMORY, "robot '%s': out of memory", name);
    }
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
            return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': the link's name '%s' is empty or taken; a prefix makes names different", name,
                                  link);
        }
    }
    for (int j = 0; j < impl->joint_count; j++) {
        for (int k = 0; k < j; k++) {
            if (strcmp(impl->joints[j].name, impl->joints[k].name) == 0) {
                return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': two joints are named '%s'", name, impl->joints[j].name);
            }
        }
    }
    return FIL_OK;
}

FilStatus fil_world_add_robot(FilWorld* world, const FilRobotDef* def, FilId* id)
{
    if (def == NULL || def->link_count > FIL_COUNT_MAX || def->joint_count < 0 || def->joint_count > FIL_COUNT_MAX) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a robot needs a definition, with joints and links that can be counted");
    }
    for (int l = 0; def->links != NULL && l < def->link_count; l++) {
        const FilLinkDef* link = &def->links[l];
        if (link->shape_count < 0 || link->shape_count > FIL_COUNT_MAX || (link->shape_count > 0 && link->shapes == NULL)) {
            return fil_world_fail(world, FIL_BAD_INPUT, "a robot's link %d: its shapes are missing", l);
        }
    }
    FilStatus status = fil_world_reserve(world, (void**)&world->robots, world->robot_count, &world->robot_capacity, sizeof *world->robots);
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
        status = fil_world_add_body(world, FIL_BODY_ROBOT, impl, impl->q_count, impl->v_count, fil_articulated_history(impl), name, &robot.body);
    }
    status = status == FIL_OK ? add_links(world, name, impl, robot.body, &robot.first_link) : status;
    if (status != FIL_OK) {
        fil_free(name);
        return status;
    }
    world->robots[world->robot_count] = robot;
    fil_give_id(world, FIL_ID_ROBOT, world->robot_count++, id);
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
    for (int r = 0; r < world->robot_count && name != NULL; r++) {
        if (strcmp(world->robots[r].name, name) == 0) {
            return fil_make_id(world, FIL_ID_ROBOT, r);
        }
    }
    return (FilId){0};
}

bool fil_robot_see(const FilWorld* world, FilId id, FilRobotView* view)
{
    const int index = fil_id_find(world, FIL_ID_ROBOT, id);
    if (index < 0) {
        return false;
    }
    const FilRobot* robot = &world->robots[index];
    const FilBody* body = &world->system.bodies[robot->body];
    *view = (FilRobotView){robot, body->impl, world->system.state.q + body->q, world->system.state.v + body->v, world->system.state.h + body->h};
    return true;
}

bool fil_robot_see_link(const FilWorld* world, FilId id, int link, FilRobotView* view)
{
    return fil_robot_see(world, id, view) && fil_world_has_part(world, "robot", view->robot->name, "link", link, view->impl->link_count);
}

static bool see_joint(const FilWorld* world, FilId id, int joint, FilRobotView* view)
{
    return fil_robot_see(world, id, view) && fil_world_has_part(world, "robot", view->robot->name, "joint", joint, view->impl->joint_count);
}

const char* fil_robot_name(const FilWorld* world, FilId id)
{
    const int index = fil_id_index(world, FIL_ID_ROBOT, id);
    return index < 0 ? NULL : world->robots[index].name;
}

const char* fil_robot_description(const FilWorld* world, FilId id)
{
    FilRobotView view;
    return fil_robot_see(world, id, &view) ? view.impl->description : NULL;
}

const char* fil_robot_ignored(const FilWorld* world, FilId id)
{
    FilRobotView view;
    return fil_robot_see(world, id, &view) && view.impl->ignored != NULL ? view.impl->ignored : "";
}

/* ---- links ---- */

int fil_robot_link_count(const FilWorld* world, FilId id)
{
    FilRobotView view;
    return fil_robot_see(world, id, &view) ? view.impl->link_count : 0;
}

FilId fil_robot_link(const FilWorld* world, FilId id, int link)
{
    FilRobotView view;
    return fil_robot_see_link(world, id, link, &view) ? fil_make_id(world, FIL_ID_OBJECT, view.robot->first_link + link) : (FilId){0};
}

FilId fil_world_find_link(const FilWorld* world, const char* name)
{
    return fil_kind_find(world, FIL_BODY_ROBOT, name);
}

const char* fil_robot_link_name(const FilWorld* world, FilId id, int link)
{
    FilRobotView view;
    return fil_robot_see_link(world, id, link, &view) ? view.impl->links[link].name : NULL;
}

int fil_robot_link_parent(const FilWorld* world, FilId id, int link)
{
    FilRobotView view;
    return fil_robot_see_link(world, id, link, &view) ? view.impl->links[link].parent : -1;
}

bool fil_robot_link_fixed(const FilWorld* world, FilId id, int link)
{
    FilRobotView view;
    return fil_robot_see_link(world, id, link, &view) && view.impl->links[link].fixed;
}

void fil_link_pose(const FilWorld* world, FilId id, FilVec3* position, FilQuat* orientation)
{
    FilView link;
    if (!fil_kind_view(world, FIL_BODY_ROBOT, "link", id, &link)) {
        fil_give_no_pose(position, orientation);
        return;
    }
    FilPose pose;
    fil_articulated_link_pose(link.impl, link.q, link.local, &pose);
    fil_give_vec3(position, pose.p);
    fil_give_quat(orientation, fil_quat_from_m3(pose.r));
}

void fil_link_velocity(const FilWorld* world, FilId id, FilVec3* velocity, FilVec3* angular)
{
    FilView link;
    if (!fil_kind_view(world, FIL_BODY_ROBOT, "link", id, &link)) {
        fil_give_no_vectors(velocity, angular);
        return;
    }
    FilPose pose;
    double v[3], w[3];
    fil_articulated_link_pose(link.impl, link.q, link.local, &pose);
    fil_articulated_link_velocity(link.impl, link.q, link.v, link.local, pose.p, v, w);
    fil_give_vec3(velocity, v);
    fil_give_vec3(angular, w);
}

void fil_robot_link_pose(const FilWorld* world, FilId id, int link, FilVec3* position, FilQuat* orientation)
{
    FilRobotView view;
    if (!fil_robot_see_link(world, id, link, &view)) {
        fil_give_no_pose(position, orientation);
        return;
    }
    fil_link_pose(world, fil_make_id(world, FIL_ID_OBJECT, view.robot->first_link + link), position, orientation);
}

void fil_robot_link_velocity(const FilWorld* world, FilId id, int link, FilVec3* velocity, FilVec3* angular)
{
    FilRobotView view;
    if (!fil_robot_see_link(world, id, link, &view)) {
        fil_give_no_vectors(velocity, angular);
        return;
    }
    fil_link_velocity(world, fil_make_id(world, FIL_ID_OBJECT, view.robot->first_link + link), velocity, angular);
}

int fil_robot_shape_count(const FilWorld* world, FilId id, int link)
{
    FilRobotView view;
    return fil_robot_see_link(world, id, link, &view) ? view.impl->links[link].shape_count : 0;
}

FilShapeDef fil_robot_shape(const FilWorld* world, FilId id, int link, int shape)
{
    FilRobotView view;
    if (!fil_robot_see_link(world, id, link, &view) ||
        !fil_world_has_part(world, "link", view.impl->links[link].name, "shape", shape, view.impl->links[link].shape_count)) {
        return fil_refused_shape();
    }
    return view.impl->shapes[view.impl->links[link].first_shape + shape].def;
}

/* ---- joints ---- */

int fil_robot_joint_count(const FilWorld* world, FilId id)
{
    FilRobotView view;
    return fil_robot_see(world, id, &view) ? view.impl->joint_count : 0;
}

const char* fil_robot_joint_name(const FilWorld* world, FilId id, int joint)
{
    FilRobotView view;
    return see_joint(world, id, joint, &view) ? view.impl->joints[joint].name : NULL;
}

int fil_robot_find_joint(const FilWorld* world, FilId id, const char* name)
{
    FilRobotView view;
    const int count = fil_robot_see(world, id, &view) && name != NULL ? view.impl->joint_count : 0;
    for (int j = 0; j < count; j++) {
        if (strcmp(view.impl->joints[j].name, name) == 0) {
            return j;
        }
    }
    return -1;
}

int fil_robot_joint_link(const FilWorld* world, FilId id, int joint)
{
    FilRobotView view;
    return see_joint(world, id, joint, &view) ? view.impl->joints[joint].link : -1;
}

double fil_robot_joint_max_velocity(const FilWorld* world, FilId id, int joint)
{
    FilRobotView view;
    return see_joint(world, id, joint, &view) ? view.impl->joints[joint].def.max_velocity : NAN;
}

void fil_robot_joint_limits(const FilWorld* world, FilId id, int joint, double* lower, double* upper)
{
    FilRobotView view;
    const bool seen = see_joint(world, id, joint, &view);
    *lower = seen ? view.impl->joints[joint].def.lower : NAN;
    *upper = seen ? view.impl->joints[joint].def.upper : NAN;
}

bool fil_robot_joint_slides(const FilWorld* world, FilId id, int joint)
{
    FilRobotView view;
    return see_joint(world, id, joint, &view) && view.impl->joints[joint].def.type == FIL_ROBOT_PRISMATIC;
}

unsigned fil_robot_joint_modes(const FilWorld* world, FilId id, int joint)
{
    FilRobotView view;
    return see_joint(world, id, joint, &view) ? view.impl->joints[joint].def.modes : 0;
}

void fil_robot_joint_gains(const FilWorld* world, FilId id, int joint, double* stiffness, double* damping)
{
    FilRobotView view;
    const bool seen = see_joint(world, id, joint, &view);
    *stiffness = seen ? view.impl->joints[joint].def.stiffness_gain : NAN;
    *damping = seen ? view.impl->joints[joint].def.damping_gain : NAN;
}

bool fil_robot_joint_mimics(const FilWorld* world, FilId id, int joint)
{
    FilRobotView view;
    return see_joint(world, id, joint, &view) && view.impl->joints[joint].mimic >= 0;
}

FilJointState fil_robot_joint_state(const FilWorld* world, FilId id, int joint)
{
    FilRobotView view;
    if (!see_joint(world, id, joint, &view)) {
        return (FilJointState){NAN, NAN, NAN};
    }
    const FilTreeBody* body = &view.impl->bodies[view.impl->joints[joint].body];
    return (FilJointState){view.q[body->q], view.v[body->v], view.impl->effort[joint]};
}

FilStatus fil_robot_set_joint_state(FilWorld* world, FilId id, int joint, double position, double velocity)
{
    FilRobotView view;
    if (!see_joint(world, id, joint, &view)) {
        return FIL_BAD_INPUT;
    }
    if (!isfinite(position) || !isfinite(velocity)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the given state of joint %d is not finite", joint);
    }
    const FilTreeBody* body = &view.impl->bodies[view.impl->joints[joint].body];
    view.q[body->q] = position;
    view.v[body->v] = velocity;
    return FIL_OK;
}

FilStatus fil_robot_set_base(FilWorld* world, FilId id, FilVec3 position, FilQuat orientation, FilVec3 velocity, FilVec3 angular)
{
    FilRobotView view;
    if (!fil_robot_see(world, id, &view)) {
        return FIL_BAD_INPUT;
    }
    const double numbers[] = {position.x, position.y, position.z, velocity.x, velocity.y, velocity.z, angular.x, angular.y, angular.z};
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
    FilRobotView view;
    if (!see_joint(world, id, joint, &view)) {
        return FIL_BAD_INPUT;
    }
    if (command == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': the command is missing", view.robot->name);
    }
    const FilTreeJoint* j = &view.impl->joints[joint];
    const double numbers[] = {command->position, command->velocity, command->effort};
    const unsigned mode = (unsigned)command->mode;
    if (!fil_all_finite(numbers, 3)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': the command is not finite", j->name);
    }
    if (mode != FIL_JOINT_PASSIVE && mode != FIL_JOINT_POSITION && mode != FIL_JOINT_VELOCITY && mode != FIL_JOINT_EFFORT) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': unknown mode %u", j->name, mode);
    }
    if (j->mimic >= 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s' follows '%s' and takes no command", j->name, view.impl->joints[j->mimic].name);
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
    FilRobotView view;
    if (!see_joint(world, id, joint, &view)) {
        return (FilJointCommand){FIL_JOINT_PASSIVE, NAN, NAN, NAN};
    }
    return fil_articulated_command(view.impl, view.h, joint, world->time);
}

FilStatus fil_robot_set_trajectory(FilWorld* world, FilId id, const FilTrajectoryDef* given)
{
    FilRobotView view;
    if (!fil_robot_see(world, id, &view)) {
        return FIL_BAD_INPUT;
    }
    if (given == NULL || given->times == NULL || given->positions == NULL || (unsigned)given->interpolation > FIL_INTERPOLATE_SPLINE ||
        (given->joints != NULL && (given->joint_count < 0 || given->joint_count > view.impl->joint_count))) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "robot '%s': a trajectory needs times, positions, an interpolation that there is and joints of the robot",
                              view.robot->name);
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
    FilStatus status = fil_articulated_set_trajectory(view.impl, view.q, view.h, &def, world->time, &inner);
    if (status != FIL_OK) {
        status = fil_world_fail(world, status, "robot '%s': %s", view.robot->name, inner.text);
    }
    fil_free(all);
    return status;
}

double fil_robot_trajectory_left(const FilWorld* world, FilId id)
{
    FilRobotView view;
    return fil_robot_see(world, id, &view) ? fmax(fil_articulated_trajectory_end(view.impl, view.h) - world->time, 0.0) : NAN;
}

int fil_robot_trajectory_room(const FilWorld* world, FilId id)
{
    FilRobotView view;
    return fil_robot_see(world, id, &view) ? view.impl->trajectory_points : 0;
}

bool fil_robot_joint_follows(const FilWorld* world, FilId id, int joint)
{
    FilRobotView view;
    return see_joint(world, id, joint, &view) && fil_articulated_follows(view.h, joint);
}

/* ---- what can be measured ---- */

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

const FilKindRow fil_robot_row = {"robot", "a robot", fil_robot_name, fil_world_find_robot, FIL_ROWS(parts), FIL_ROWS(quantities)};

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
