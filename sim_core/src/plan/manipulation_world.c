#include "plan/manipulation_world.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/quat.h"
#include "base/vec3.h"
#include "body/articulated.h"
#include "body/rigid.h"
#include "plan/manipulation_parts.h"
#include "world/world.h"

/* One side of a contact: where it is in the forest, and what it is. */
typedef struct Side {
    int block;                   /* -1: the world */
    FilPose pose;                /* of its shapes' frame in the block's */
    const FilRigidShape* shapes; /* NULL: a disk of a soft arm */
    int shape_count;
    const FilCollision* collision;
    double radius; /* m, of a disk */
    const char* name;
} Side;

static FilStatus check_numbers(const FilManipulationTask* task, FilError* error)
{
    if (task->directions != 0 && task->directions != 4 && task->directions != 6 && task->directions != 8) {
        return fil_error(error, FIL_BAD_INPUT, "plan: directions of contacts are 4, 6 or 8, or 0 for a cone, not %d", task->directions);
    }
    if (!(task->normal_force > 0.0) || !(task->slip > 0.0) || !(task->effort > 0.0) || !(task->elongation[0] < task->elongation[1])) {
        return fil_error(error, FIL_BAD_INPUT, "plan: bounds must leave room between them");
    }
    if (task->contact_count < 1 || task->contact_count > FIL_MANIPULATION_CONTACTS) {
        return fil_error(error, FIL_BAD_INPUT, "plan: needs 1 to %d contacts", FIL_MANIPULATION_CONTACTS);
    }
    return FIL_OK;
}

/* ---- sides ---- */

static FilStatus rigid_side(const FilWorld* world, const FilManipulationTask* task, FilId id, const FilView* view, FilManipulationStart* out,
                            Side* side, FilError* error)
{
    const FilRigidBody* body = view->impl;
    *side = (Side){-1, fil_pose_identity(), body->shapes, body->shape_count, &body->collision, 0.0, view->name};
    if (body->motion == FIL_STATIC) {
        fil_rigid_pose(body, view->q, &side->pose);
        return FIL_OK;
    }
    if (body->motion != FIL_DYNAMIC) {
        return fil_error(error, FIL_BAD_INPUT, "plan: body '%s' is moved by drives, which planning does not know", view->name);
    }
    int part;
    const FilStatus status = fil_manipulation_add_part(world, task, id, out, &part, error);
    if (status == FIL_OK) {
        side->block = out->parts[part].first_block + 5;
        side->pose = out->parts[part].turned;
    }
    return status;
}

static FilStatus link_side(const FilWorld* world, const FilManipulationTask* task, FilId id, const FilView* view, FilManipulationStart* out,
                           Side* side, FilError* error)
{
    const FilArticulated* robot = view->impl;
    const FilTreeLink* link = &robot->links[view->local];
    int part;
    const FilStatus status = fil_manipulation_add_part(world, task, id, out, &part, error);
    *side = (Side){-1, link->pose, robot->shapes + link->first_shape, link->shape_count, &robot->collision, 0.0, view->name};
    if (status == FIL_OK && link->body >= 0) {
        side->block = out->parts[part].first_block + link->body;
    }
    return status;
}

/* A disk at the end of a section is its block; others are pieces of it. */
static FilStatus disk_side(const FilWorld* world, const FilManipulationTask* task, FilId id, int disk, const FilView* view, FilManipulationStart* out,
                           Side* side, FilError* error)
{
    const FilSoftArm* arm = view->impl;
    int part;
    if (disk >= arm->disk_count || disk < -1) {
        return fil_error(error, FIL_BAD_INPUT, "plan: arm '%s' has no disk %d, only 0 to %d, or -1 for the last", view->name, disk,
                         arm->disk_count - 1);
    }
    const FilArmDisk* which = &arm->disks[disk < 0 ? arm->disk_count - 1 : disk];
    FilStatus status = fil_manipulation_add_part(world, task, id, out, &part, error);
    if (status != FIL_OK) {
        return status;
    }
    *side = (Side){out->parts[part].first_block + which->place.section, fil_pose_identity(), NULL, 0, &arm->collision, which->radius, view->name};
    if (which->place.s < 1.0) {
        const FilPlanBlock piece = {.kind = FIL_BLOCK_PIECE, .parent = side->block, .rest = fil_pose_identity(), .along = which->place.s};
        side->block = fil_plan_tree_add(&out->m.tree, &piece);
        if (side->block < 0) {
            status = fil_error(error, FIL_BAD_INPUT, "plan: too many disks: %d frames are the most", FIL_PLAN_BLOCKS);
        }
    }
    return status;
}

static FilStatus find_side(const FilWorld* world, const FilManipulationTask* task, FilId id, int disk, FilManipulationStart* out, Side* side,
                           FilError* error)
{
    FilView view;
    if (fil_kind_index(world, FIL_BODY_RIGID, id) >= 0 && fil_kind_view(world, FIL_BODY_RIGID, "body", id, &view)) {
        return rigid_side(world, task, id, &view, out, side, error);
    }
    if (fil_kind_index(world, FIL_BODY_ROBOT, id) >= 0 && fil_kind_view(world, FIL_BODY_ROBOT, "link", id, &view)) {
        return link_side(world, task, id, &view, out, side, error);
    }
    if (fil_kind_index(world, FIL_BODY_ARM, id) >= 0 && fil_kind_view(world, FIL_BODY_ARM, "arm", id, &view)) {
        return disk_side(world, task, id, disk, &view, out, side, error);
    }
    return fil_error(error, FIL_BAD_INPUT, "plan: contacts are between rigid bodies, links of robots and soft arms");
}

/* The first shape of one of the types, NULL if there is none. */
static const FilRigidShape* shape_of(const Side* side, FilShapeType first, FilShapeType second, FilShapeType third)
{
    for (int k = 0; k < side->shape_count; k++) {
        const FilShapeType type = side->shapes[k].def.type;
        if (type == first || type == second || type == third) {
            return &side->shapes[k];
        }
    }
    return NULL;
}

/* ---- contacts ---- */

/* A frame with its third axis along the given one of `pose`, either way. */
static void face_frame(const FilPose* pose, int axis, double sign, FilPose* out)
{
    const int first = (axis + 1) % 3, second = (axis + 2) % 3;
    for (int k = 0; k < 3; k++) {
        out->r[3 * k] = pose->r[3 * k + first];
        out->r[3 * k + 1] = sign * pose->r[3 * k + second];
        out->r[3 * k + 2] = sign * pose->r[3 * k + axis];
    }
    fil_v3_copy(out->p, pose->p);
}

/* Which side of a box a point of the world is nearest to, from outside. */
static int nearest_side(const FilManipulationStart* out, int block, const FilPose* pose, const double* half, const double* point)
{
    FilPose at, frame;
    double local[3], to[3], best = -INFINITY;
    int side = 0;
    fil_plan_tree_pose(&out->m.tree, out->state, block, &at);
    fil_pose_compose(&frame, &at, pose);
    fil_v3_sub(to, point, frame.p);
    fil_m3_apply_transposed(local, frame.r, to);
    for (int k = 0; k < 6; k++) {
        const double outside = (k % 2 == 0 ? -local[k / 2] : local[k / 2]) - half[k / 2];
        side = outside > best ? k : side;
        best = fmax(best, outside);
    }
    return side;
}

/* The face of a contact; `point` is where the ball is at the start. */
static FilStatus set_face(const FilManipulationContact* contact, const Side* side, const double* point, const FilManipulationStart* out,
                          FilPlanTouch* touch, FilError* error)
{
    const FilRigidShape* shape = shape_of(side, FIL_SHAPE_HALF_SPACE, FIL_SHAPE_BOX, FIL_SHAPE_CYLINDER);
    FilPose pose;
    touch->b = side->block;
    if (shape == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "plan: the face of a contact is a half-space, a box or a cylinder; '%s' has none", side->name);
    }
    fil_pose_compose(&pose, &side->pose, &shape->pose);
    touch->face = pose;
    if (shape->def.type == FIL_SHAPE_CYLINDER) {
        touch->cylinder = shape->shape.radius;
        touch->half[0] = shape->shape.half[2];
    }
    if (shape->def.type == FIL_SHAPE_BOX) {
        const double* half = shape->shape.half;
        const int which = contact->side >= 0 ? contact->side : nearest_side(out, side->block, &pose, half, point), axis = which / 2;
        const double sign = which % 2 == 0 ? -1.0 : 1.0;
        face_frame(&pose, axis, sign, &touch->face);
        fil_v3_axpy(touch->face.p, half[axis], (const double[3]){touch->face.r[2], touch->face.r[5], touch->face.r[8]});
        touch->half[0] = half[(axis + 1) % 3];
        touch->half[1] = half[(axis + 2) % 3];
    }
    return FIL_OK;
}

/* Keeps those of the contacts from `first` on whose gap is smallest at the start. */
static void keep_nearest(FilManipulation* m, const double* state, int first, int count)
{
    while (m->touches - first > count) {
        double worst = -INFINITY, place[2];
        int far = first;
        for (int k = first; k < m->touches; k++) {
            const double gap = fil_manipulation_gap(m, k, state, place, NULL);
            far = gap > worst ? k : far;
            worst = fmax(worst, gap);
        }
        m->touch[far] = m->touch[--m->touches];
    }
}

static FilStatus add_contact(const FilWorld* world, const FilManipulationTask* task, const FilManipulationContact* contact, FilManipulationStart* out,
                             FilError* error)
{
    Side ball, face;
    FilManipulation* m = &out->m;
    FilStatus status = find_side(world, task, contact->ball, contact->disk, out, &ball, error);
    status = status == FIL_OK ? find_side(world, task, contact->face, contact->disk, out, &face, error) : status;
    if (status != FIL_OK) {
        return status;
    }
    const FilRigidShape* shape = shape_of(&ball, FIL_SHAPE_SPHERE, FIL_SHAPE_BOX, FIL_SHAPE_BOX);
    if (ball.block < 0 || (shape == NULL && ball.shapes != NULL) || face.shapes == NULL) {
        return fil_error(
            error, FIL_BAD_INPUT,
            "plan: contact of '%s' with '%s': the first is a sphere, a box or a disk that moves, the second a half-space, a box or a cylinder",
            ball.name, face.name);
    }
    const FilSurface surface = fil_surface_combine(&ball.collision->surface, &face.collision->surface);
    const bool corners = shape != NULL && shape->def.type == FIL_SHAPE_BOX;
    const int first = m->touches;
    for (int k = 0; k < (corners ? 8 : 1); k++) {
        FilPlanTouch touch = {.a = ball.block, .radius = corners ? 0.0 : shape != NULL ? shape->shape.radius : ball.radius};
        FilPose pose = ball.pose, at;
        double corner[3] = {0.0, 0.0, 0.0}, point[3];
        if (shape != NULL) {
            fil_pose_compose(&pose, &ball.pose, &shape->pose);
        }
        for (int a = 0; a < 3 && corners; a++) {
            corner[a] = (k >> a & 1) != 0 ? shape->shape.half[a] : -shape->shape.half[a];
        }
        fil_pose_apply(touch.point, &pose, corner);
        touch.friction = contact->friction > 0.0 ? contact->friction : contact->friction < 0.0 ? 0.0 : surface.friction;
        fil_plan_tree_pose(&m->tree, out->state, ball.block, &at);
        fil_pose_apply(point, &at, touch.point);
        status = set_face(contact, &face, point, out, &touch, error);
        if (status != FIL_OK) {
            return status;
        }
        if (m->touches == FIL_PLAN_TOUCHES) {
            return fil_error(error, FIL_BAD_INPUT, "plan: at most %d points may touch", FIL_PLAN_TOUCHES);
        }
        m->touch[m->touches++] = touch;
    }
    keep_nearest(m, out->state, first, corners ? contact->nearest : 1);
    for (int k = first; k < m->touches; k++) {
        out->bounds.min_force[k] = contact->min_force;
    }
    return FIL_OK;
}

/* ---- the goal ---- */

static void aim_at(const FilManipulationTask* task, FilManipulationStart* out, int i, double goal, double within)
{
    out->m.goal[i] = goal;
    out->m.goal_weight[i] = task->goal_weight;
    out->m.end_weight[i] = task->end_weight;
    out->bounds.end[i] = within > 0.0 ? within : INFINITY;
    out->bounds.end_rate[i] = task->goal.speed > 0.0 ? task->goal.speed : INFINITY;
}

/* Waypoints: times in order, none for coordinates that have no goal. */
static FilStatus begin_vias(const FilManipulationTask* task, double horizon, FilManipulationStart* out, FilError* error)
{
    const FilManipulationGoal* goal = &task->goal;
    for (int k = 0; k < goal->via_count; k++) {
        const FilManipulationVia* via = &goal->vias[k];
        FilPlanVia* made = &out->m.via[k];
        made->share = via->time / horizon;
        if (!(made->share > (k > 0 ? out->m.via[k - 1].share : 0.0) && made->share < 1.0) || !(via->within[0] > 0.0 && via->within[1] > 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "plan: waypoint %d: times rise within the horizon, and `within` is above zero", k);
        }
        for (int i = 0; i < FIL_PLAN_COORDINATES; i++) {
            made->within[i] = INFINITY;
        }
    }
    out->m.vias = goal->via_count;
    return FIL_OK;
}

/* Angles of a free body that has turned by `turn` since the start, of a task that turns it by `whole`. */
static void angles_after(const double* turn, const double* whole, double* angles)
{
    double back[3], r[9];
    int order[3];
    fil_v3_scale(back, -0.5, whole);
    fil_m3_from_quat(r, fil_quat_multiply(fil_quat_exponential(turn), fil_quat_exponential(back)));
    fil_manipulation_axes(whole, order);
    fil_manipulation_angles(r, order, angles);
}

static FilStatus set_body_goal(const FilWorld* world, const FilManipulationTask* task, FilManipulationStart* out, FilError* error)
{
    const FilManipulationGoal* goal = &task->goal;
    const double move[3] = {goal->position.x, goal->position.y, goal->position.z};
    const double turn[3] = {goal->rotation.x, goal->rotation.y, goal->rotation.z};
    const int before = out->part_count;
    FilVec3 position;
    FilQuat orientation;
    FilStatus status = fil_manipulation_add_part(world, task, goal->body, out, &out->goal_part, error);
    if (status == FIL_OK && (out->part_count > before || out->parts[out->goal_part].kind != FIL_BODY_RIGID)) {
        status = fil_error(error, FIL_BAD_INPUT, "plan: the goal is that of a rigid body which a contact names");
    }
    if (status == FIL_OK && !(fil_v3_norm(turn) < FIL_PI)) {
        status = fil_error(error, FIL_BAD_INPUT, "plan: a body turns by less than half a turn");
    }
    if (status != FIL_OK) {
        return status;
    }
    const FilManipulationPart* part = &out->parts[out->goal_part];
    double angles[3];
    angles_after(turn, turn, angles);
    for (int k = 0; k < 3; k++) {
        aim_at(task, out, part->first + k, move[k], goal->within[0]);
        aim_at(task, out, part->first + 3 + k, angles[k], goal->within[1]);
    }
    for (int v = 0; v < goal->via_count; v++) {
        const FilManipulationVia* via = &goal->vias[v];
        const double place[3] = {via->position.x, via->position.y, via->position.z};
        FilPlanVia* made = &out->m.via[v];
        angles_after((const double[3]){via->rotation.x, via->rotation.y, via->rotation.z}, turn, angles);
        for (int k = 0; k < 3; k++) {
            made->place[part->first + k] = place[k];
            made->within[part->first + k] = via->within[0];
            made->place[part->first + 3 + k] = angles[k];
            made->within[part->first + 3 + k] = via->within[1];
        }
    }
    fil_rigid_get_pose(world, goal->body, &position, &orientation);
    fil_v3_add(out->goal_position, out->m.tree.block[part->first_block].rest.p, move);
    out->goal_orientation = fil_quat_multiply(fil_quat_exponential(turn), orientation);
    return FIL_OK;
}

static FilStatus set_joint_goal(const FilWorld* world, const FilManipulationTask* task, FilManipulationStart* out, FilError* error)
{
    const FilManipulationGoal* goal = &task->goal;
    const FilId link = fil_robot_link(world, goal->robot, fil_robot_joint_link(world, goal->robot, goal->joint));
    const int before = out->part_count;
    FilView view;
    if (!fil_kind_view(world, FIL_BODY_ROBOT, "link", link, &view)) {
        return fil_error(error, FIL_BAD_INPUT, "plan: the goal's robot has no such joint");
    }
    const FilStatus status = fil_manipulation_add_part(world, task, link, out, &out->goal_part, error);
    if (status != FIL_OK || out->part_count > before) {
        return status != FIL_OK ? status : fil_error(error, FIL_BAD_INPUT, "plan: no contact names the robot of the goal");
    }
    const FilArticulated* robot = view.impl;
    out->goal_coordinate = out->parts[out->goal_part].first + robot->joints[goal->joint].body;
    aim_at(task, out, out->goal_coordinate, goal->angle, fmin(goal->within[0], goal->within[1]));
    for (int v = 0; v < goal->via_count; v++) {
        out->m.via[v].place[out->goal_coordinate] = goal->vias[v].angle;
        out->m.via[v].within[out->goal_coordinate] = fmin(goal->vias[v].within[0], goal->vias[v].within[1]);
    }
    return FIL_OK;
}

FilStatus fil_manipulation_start_from(const FilWorld* world, const FilManipulationTask* task, double horizon, FilManipulationStart* out,
                                      FilError* error)
{
    const FilVec3 g = fil_world_gravity(world);
    FilStatus status = check_numbers(task, error);
    *out = (FilManipulationStart){.goal_part = -1, .goal_coordinate = -1};
    fil_v3_set(out->m.tree.gravity, g.x, g.y, g.z);
    out->m.directions = task->directions;
    out->m.effort_weight = task->effort_weight;
    out->m.force_weight = task->force_weight;
    out->bounds.normal_force = task->normal_force;
    out->bounds.slip = task->slip;
    out->within[0] = task->goal.within[0];
    out->within[1] = task->goal.within[1];
    for (int k = 0; k < task->contact_count && status == FIL_OK; k++) {
        status = add_contact(world, task, &task->contacts[k], out, error);
    }
    for (int i = 0; i < out->m.tree.coordinates; i++) {
        out->m.rate_weight[i] = task->rate_weight;
    }
    if (status == FIL_OK && out->m.drives == 0) {
        status = fil_error(error, FIL_BAD_INPUT, "plan: nothing that the contacts name is driven");
    }
    status = status == FIL_OK ? begin_vias(task, horizon, out, error) : status;
    if (status != FIL_OK) {
        return status;
    }
    return task->goal.body.generation != 0 || task->goal.body.index != 0 ? set_body_goal(world, task, out, error)
                                                                         : set_joint_goal(world, task, out, error);
}
