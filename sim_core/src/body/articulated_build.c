/* Making a tree of links: from a definition, checked, to moving bodies, unknowns and their places. */
#include "body/articulated.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "geometry/mass.h"

/* Where no gains are given joints are held at this frequency at least, and such that their full effort takes no more
 * than this error. Motions of arms take tenths of a second and more: 10 Hz follows them within
 * a few hundredths, and a step of 10 ms still resolves it. */
static const double HOLDING = 10.0;  /* Hz */
static const double YIELDING = 0.05; /* rad or m */

/* ---- making ---- */

void fil_articulated_destroy(void* pointer)
{
    FilArticulated* robot = pointer;
    if (robot == NULL) {
        return;
    }
    for (int l = 0; robot->links != NULL && l < robot->link_count; l++) {
        fil_free(robot->links[l].name);
    }
    for (int j = 0; robot->joints != NULL && j < robot->joint_count; j++) {
        fil_free(robot->joints[j].name);
    }
    for (int s = 0; robot->shapes != NULL && s < robot->shape_count; s++) {
        fil_rigid_shape_free(&robot->shapes[s]);
    }
    void* blocks[] = {robot->bodies,   robot->links,     robot->joints,      robot->shapes,   robot->shape_link,   robot->dof_parent,
                      robot->dof_body, robot->depth,     robot->row,         robot->below,    robot->armature,     robot->damping,
                      robot->start_q,  robot->start_v,   robot->description, robot->ignored,  robot->block_at,     robot->wrench,
                      robot->mass,     robot->tangent,   robot->factor,      robot->force,    robot->v_free,       robot->q_theta,
                      robot->v_theta,  robot->target,    robot->constraints, robot->effort,   robot->seen_q,       robot->poses,
                      robot->motion,   robot->inertia,   robot->composite,   robot->velocity, robot->acceleration, robot->wrenches,
                      robot->scratch,  robot->derivative};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        fil_free(blocks[k]);
    }
    fil_free(robot);
}

static char* prefixed(const char* prefix, const char* name)
{
    const size_t size = strlen(prefix) + strlen(name) + 1;
    char* text = fil_alloc(size, 1);
    if (text != NULL) {
        snprintf(text, size, "%s%s", prefix, name);
    }
    return text;
}

static FilPose pose_of(FilVec3 position, FilQuat orientation)
{
    FilPose pose;
    (void)fil_quat_normalise(&orientation);  // checked
    fil_v3_set(pose.p, position.x, position.y, position.z);
    fil_m3_from_quat(pose.r, orientation);
    return pose;
}

/* A new moving body below `parent`. */
static int add_body(FilArticulated* robot, int parent, FilRobotJointType type, const FilPose* rest, FilVec3 axis)
{
    FilTreeBody* body = &robot->bodies[robot->body_count];
    *body = (FilTreeBody){.parent = parent, .type = type, .q = robot->q_count, .v = robot->dof_count, .rest = *rest};
    body->dofs = type == FIL_ROBOT_BALL ? 3 : (type == FIL_ROBOT_FLOATING ? 6 : 1);
    fil_v3_set(body->axis, axis.x, axis.y, axis.z);
    fil_v3_normalise(body->axis);
    robot->q_count += body->dofs == 1 ? 1 : body->dofs + 1;
    robot->dof_count += body->dofs;
    return robot->body_count++;
}

/* A link's own inertia joins that of its body. */
static void add_inertia(const FilArticulated* robot, const FilLinkDef* def, const FilTreeLink* link)
{
    if (link->body < 0 || def->mass == 0.0) {
        return;
    }
    FilTreeBody* body = &robot->bodies[link->body];
    FilMassProperties sum = {.volume = body->mass}, own = {.volume = def->mass};
    const double* i = def->inertia;
    const double full[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
    fil_v3_set(own.centre, def->center_of_mass.x, def->center_of_mass.y, def->center_of_mass.z);
    memcpy(own.inertia, full, sizeof full);
    memcpy(sum.centre, body->center, sizeof sum.centre);
    memcpy(sum.inertia, body->inertia, sizeof sum.inertia);
    const FilMassProperties posed = fil_mass_posed(&own, &link->pose);
    fil_mass_add(&sum, 1.0, &posed);
    body->mass = sum.volume;
    memcpy(body->center, sum.centre, sizeof sum.centre);
    memcpy(body->inertia, sum.inertia, sizeof sum.inertia);
}

static FilStatus add_shapes(FilArticulated* robot, const FilLinkDef* def, int l, FilError* error)
{
    FilTreeLink* link = &robot->links[l];
    link->first_shape = robot->shape_count;
    link->shape_count = def->shape_count;
    static const double origin[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < def->shape_count; k++) {
        FilRigidShape* shape = &robot->shapes[robot->shape_count];
        robot->shape_link[robot->shape_count++] = l;
        FilError inner;
        const FilStatus status = def->shapes[k].type == FIL_SHAPE_HALF_SPACE ? fil_error(&inner, FIL_BAD_INPUT, "a link is no half-space")
                                                                             : fil_rigid_shape_make(&def->shapes[k], shape, &inner);
        if (status != FIL_OK) {
            return fil_error(error, status, "link '%s': %s", def->name, inner.text);
        }
        link->reach = fmax(link->reach, fil_rigid_shape_reach(shape, origin));
    }
    return FIL_OK;
}

/* One link of the sorted tree and what its joint brings. `place` tells where links of the definition stand. */
static FilStatus add_link(FilArticulated* robot, const FilRobotDef* def, int given, int joint, int* place, int* joint_place, FilError* error)
{
    const char* prefix = def->prefix != NULL ? def->prefix : "";
    const FilLinkDef* link_def = &def->links[given];
    const int l = robot->link_count;
    FilTreeLink* link = &robot->links[l];
    *link = (FilTreeLink){.parent = -1, .fixed = true, .body = -1, .name = prefixed(prefix, link_def->name)};
    place[given] = l;
    robot->link_count++;
    if (joint < 0) {
        link->pose = pose_of(def->position, def->orientation);
        if (def->floating) {
            const FilPose world = fil_pose_identity();
            link->body = add_body(robot, -1, FIL_ROBOT_FLOATING, &world, (FilVec3){0.0, 0.0, 1.0});
            link->pose = world;
            link->fixed = false;
        }
    } else {
        const FilRobotJointDef* j = &def->joints[joint];
        const FilTreeLink* parent = &robot->links[place[j->parent]];
        const FilPose own = pose_of(j->position, j->orientation);
        FilPose rest;
        fil_pose_compose(&rest, &parent->pose, &own);
        link->parent = place[j->parent];
        link->fixed = j->type == FIL_ROBOT_FIXED;
        link->body = parent->body;
        link->pose = rest;
        if (!link->fixed) {
            link->body = add_body(robot, parent->body, j->type, &rest, j->axis);
            robot->bodies[link->body].armature = j->type != FIL_ROBOT_FLOATING ? j->armature : 0.0;
            robot->bodies[link->body].damping = j->type != FIL_ROBOT_FLOATING ? j->damping : 0.0;
            link->pose = fil_pose_identity();
        }
        if (fil_joint_has_coordinate(j->type)) {
            FilTreeJoint* made = &robot->joints[robot->joint_count];
            *made = (FilTreeJoint){.link = l, .body = link->body, .def = *j, .mimic = j->mimic};
            made->name = prefixed(prefix, j->name);
            joint_place[joint] = robot->joint_count++;
            if (made->name == NULL) {
                return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
            }
        }
    }
    if (link->name == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    add_inertia(robot, link_def, link);
    return add_shapes(robot, link_def, l, error);
}

/* Room for what the definition bounds. */
static bool allocate_parts(FilArticulated* robot, const FilRobotDef* def)
{
    const size_t links = (size_t)def->link_count, joints = (size_t)def->joint_count;
    size_t shapes = 0;
    for (int l = 0; l < def->link_count; l++) {
        shapes += (size_t)def->links[l].shape_count;
    }
    return (robot->bodies = fil_alloc(links, sizeof *robot->bodies)) != NULL && (robot->links = fil_alloc(links, sizeof *robot->links)) != NULL &&
           (robot->joints = fil_alloc(joints, sizeof *robot->joints)) != NULL && (robot->shapes = fil_alloc(shapes, sizeof *robot->shapes)) != NULL &&
           (robot->shape_link = fil_alloc(shapes, sizeof *robot->shape_link)) != NULL;
}

/* Room for what follows from the bodies. */
static bool allocate_numbers(FilArticulated* robot)
{
    const size_t n = (size_t)robot->dof_count, bodies = (size_t)robot->body_count, joints = (size_t)robot->joint_count;
    const size_t blocks = (size_t)(robot->v_count / 4), entries = (size_t)robot->entry_count, q = (size_t)robot->q_count;
    double** per_unknown[] = {&robot->armature, &robot->damping, &robot->start_v, &robot->force, &robot->v_free, &robot->v_theta, &robot->scratch};
    double** per_entry[] = {&robot->mass, &robot->tangent, &robot->factor};
    double** per_body[] = {&robot->velocity, &robot->acceleration, &robot->wrenches};
    double** per_coordinate[] = {&robot->start_q, &robot->q_theta, &robot->seen_q};
    bool ok = (robot->below = fil_alloc(entries, sizeof(int))) != NULL && (robot->block_at = fil_alloc(blocks * blocks, sizeof(int))) != NULL &&
              (robot->wrench = fil_alloc(6 * (size_t)robot->link_count, sizeof(double))) != NULL &&
              (robot->target = fil_alloc(joints, sizeof *robot->target)) != NULL &&
              (robot->constraints = fil_alloc(5 * joints, sizeof *robot->constraints)) != NULL &&
              (robot->effort = fil_alloc(joints, sizeof(double))) != NULL && (robot->poses = fil_alloc(bodies, sizeof *robot->poses)) != NULL &&
              (robot->motion = fil_alloc(6 * n, sizeof(double))) != NULL && (robot->inertia = fil_alloc(bodies, sizeof *robot->inertia)) != NULL &&
              (robot->composite = fil_alloc(bodies, sizeof *robot->composite)) != NULL;
    for (size_t k = 0; k < sizeof per_unknown / sizeof per_unknown[0] && ok; k++) {
        ok = (*per_unknown[k] = fil_alloc(n, sizeof(double))) != NULL;
    }
    for (size_t k = 0; k < sizeof per_entry / sizeof per_entry[0] && ok; k++) {
        ok = (*per_entry[k] = fil_alloc(entries, sizeof(double))) != NULL;
    }
    for (size_t k = 0; k < sizeof per_body / sizeof per_body[0] && ok; k++) {
        ok = (*per_body[k] = fil_alloc(6 * bodies, sizeof(double))) != NULL;
    }
    for (size_t k = 0; k < sizeof per_coordinate / sizeof per_coordinate[0] && ok; k++) {
        ok = (*per_coordinate[k] = fil_alloc(q, sizeof(double))) != NULL;
    }
    return ok;
}

/* Who is below whom among the unknowns. */
static bool lay_rows(FilArticulated* robot)
{
    const size_t n = (size_t)robot->dof_count;
    robot->v_count = (robot->dof_count + 3) / 4 * 4;
    if ((robot->dof_parent = fil_alloc(n, sizeof(int))) == NULL || (robot->dof_body = fil_alloc(n, sizeof(int))) == NULL ||
        (robot->depth = fil_alloc(n, sizeof(int))) == NULL || (robot->row = fil_alloc(n, sizeof(int))) == NULL) {
        return false;
    }
    for (int b = 0; b < robot->body_count; b++) {
        const FilTreeBody* body = &robot->bodies[b];
        const FilTreeBody* parent = body->parent >= 0 ? &robot->bodies[body->parent] : NULL;
        for (int d = body->v; d < body->v + body->dofs; d++) {
            robot->dof_body[d] = b;
            robot->dof_parent[d] = d > body->v ? d - 1 : (parent != NULL ? parent->v + parent->dofs - 1 : -1);
            robot->depth[d] = robot->dof_parent[d] >= 0 ? robot->depth[robot->dof_parent[d]] + 1 : 0;
            robot->row[d] = robot->entry_count;
            robot->entry_count += robot->depth[d] + 1;
        }
    }
    return true;
}

/* The unknowns below each, and the blocks of four by four that have entries. */
static void lay_entries(FilArticulated* robot)
{
    const int n = robot->v_count / 4;
    for (int k = 0; k < n * n; k++) {
        robot->block_at[k] = k % (n + 1) == 0 ? 0 : -1;  // the diagonal is always there
    }
    for (int d = 0; d < robot->dof_count; d++) {
        int* below = robot->below + robot->row[d];
        below[robot->depth[d]] = d;
        for (int t = robot->depth[d] - 1; t >= 0; t--) {
            below[t] = robot->dof_parent[below[t + 1]];
            robot->block_at[(d / 4) * n + below[t] / 4] = 0;
        }
    }
    for (int c = 0; c < n; c++) {  // numbered by columns
        for (int r = c; r < n; r++) {
            int* at = &robot->block_at[r * n + c];
            *at = *at < 0 ? -1 : robot->block_count++;
        }
    }
}

/* ---- where it starts ---- */

static void start_state(FilArticulated* robot, const FilRobotDef* def)
{
    for (int b = 0; b < robot->body_count; b++) {
        const FilTreeBody* body = &robot->bodies[b];
        if (body->dofs > 1) {  // the unit quaternion
            robot->start_q[body->q + body->dofs] = 1.0;
        }
    }
    if (def->floating) {
        FilQuat o = def->orientation;
        (void)fil_quat_normalise(&o);  // checked
        double* q = robot->start_q;
        fil_v3_set(q, def->position.x, def->position.y, def->position.z);
        q[3] = o.x, q[4] = o.y, q[5] = o.z, q[6] = o.w;
    }
    for (int pass = 0; pass < 2; pass++) {  // those that follow others after them
        for (int j = 0; j < robot->joint_count; j++) {
            FilTreeJoint* joint = &robot->joints[j];
            FilRobotJointDef* own = &joint->def;
            if ((joint->mimic >= 0) != (pass == 1)) {
                continue;
            }
            if (pass == 1) {
                const FilRobotJointDef* leader = &robot->joints[joint->mimic].def;
                own->start_position = own->multiplier * leader->start_position + own->offset;
                own->start_velocity = own->multiplier * leader->start_velocity;
            } else if (isnan(own->start_position)) {  // zero, or the limit nearest to it
                own->start_position = fmin(fmax(0.0, own->lower), own->upper);
            }
            robot->start_q[robot->bodies[joint->body].q] = own->start_position;
            robot->start_v[robot->bodies[joint->body].v] = own->start_velocity;
        }
    }
}

/* Every unknown needs inertia at the start; gains that are not given follow from it. */
static FilStatus check_inertia(FilArticulated* robot, FilError* error)
{
    fil_articulated_mass(robot, robot->start_q, robot->mass);
    memcpy(robot->factor, robot->mass, sizeof(double) * (size_t)robot->entry_count);
    const bool definite = fil_articulated_factor_entries(robot, robot->factor);
    for (int l = 0; l < robot->link_count; l++) {
        const FilTreeLink* link = &robot->links[l];
        const FilTreeBody* body = link->fixed ? NULL : &robot->bodies[link->body];
        for (int d = body != NULL ? body->v : 0; body != NULL && d < body->v + body->dofs; d++) {
            if (!(robot->mass[robot->row[d] + robot->depth[d]] > 0.0)) {
                return fil_error(error, FIL_BAD_INPUT, "link '%s' moves, but neither it nor what hangs on it has inertia to move", link->name);
            }
        }
    }
    if (!definite) {
        return fil_error(error, FIL_BAD_INPUT, "the mass matrix at the start is singular: some joints move nothing");
    }
    for (int j = 0; j < robot->joint_count; j++) {
        FilRobotJointDef* def = &robot->joints[j].def;
        const int d = robot->bodies[robot->joints[j].body].v;
        if (def->stiffness_gain == 0.0 && def->damping_gain == 0.0) {
            const double inertia = robot->mass[robot->row[d] + robot->depth[d]], rate = 2.0 * FIL_PI * HOLDING;
            def->stiffness_gain = fmax(inertia * rate * rate, isfinite(def->max_effort) ? def->max_effort / YIELDING : 0.0);
            def->damping_gain = 2.0 * sqrt(def->stiffness_gain * inertia);
        }
    }
    return FIL_OK;
}

static FilStatus build(FilArticulated* robot, const FilRobotDef* def, int* scratch, FilError* error)
{
    int *order = scratch, *joint_of = order + def->link_count, *place = joint_of + def->link_count;
    int* joint_place = place + def->link_count;
    FilStatus status = fil_articulated_sort(def, order, joint_of, error);
    if (status == FIL_OK && !allocate_parts(robot, def)) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    for (int k = 0; k < def->link_count && status == FIL_OK; k++) {
        status = add_link(robot, def, order[k], joint_of[order[k]], place, joint_place, error);
    }
    if (status == FIL_OK && (!lay_rows(robot) || !allocate_numbers(robot))) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    if (status != FIL_OK) {
        return status;
    }
    lay_entries(robot);
    for (int d = 0; d < robot->dof_count; d++) {
        robot->armature[d] = robot->bodies[robot->dof_body[d]].armature;
        robot->damping[d] = robot->bodies[robot->dof_body[d]].damping;
    }
    for (int j = 0; j < robot->joint_count; j++) {
        FilTreeJoint* joint = &robot->joints[j];
        joint->mimic = joint->mimic >= 0 ? joint_place[joint->mimic] : -1;
        joint->def.name = NULL;
    }
    start_state(robot, def);
    return check_inertia(robot, error);
}

FilStatus fil_articulated_create(const FilRobotDef* def, FilArticulated** out, FilError* error)
{
    *out = NULL;
    FilStatus status = fil_articulated_check(def, error);
    if (status != FIL_OK) {
        return status;
    }
    FilArticulated* robot = fil_alloc(1, sizeof *robot);
    int* scratch = fil_alloc(3 * (size_t)def->link_count + (size_t)def->joint_count, sizeof(int));
    if (robot == NULL || scratch == NULL) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    } else {
        robot->collision = def->collision;
        robot->trajectory_points = def->trajectory_points;
        robot->description = def->description != NULL ? fil_strdup(def->description) : NULL;
        robot->ignored = def->ignored != NULL ? fil_strdup(def->ignored) : NULL;
        const bool copied = (def->description == NULL || robot->description != NULL) && (def->ignored == NULL || robot->ignored != NULL);
        status = copied ? build(robot, def, scratch, error) : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    fil_free(scratch);
    if (status != FIL_OK) {
        fil_articulated_destroy(robot);
        return status;
    }
    *out = robot;
    return FIL_OK;
}
