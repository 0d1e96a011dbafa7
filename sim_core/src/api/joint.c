/* The public face of joints. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "solver/joint_rows.h"
#include "world/world.h"

FilJointDef fil_joint_def_default(void)
{
    return (FilJointDef){.kind = FIL_JOINT_PIN, .axis = {0.0, 0.0, 1.0}, .lower = -INFINITY, .upper = INFINITY, .motor = {.max_effort = INFINITY}};
}

/* ---- making ---- */

/* Finds a side's body and where on it the joint is. */
static FilStatus find_side(FilWorld* world, FilId id, int node, const char* name, bool may_be_world, FilBodySide* side)
{
    *side = (FilBodySide){.body = -1, .point = -1, .carrier = -1};
    if (id.index == 0 && may_be_world) {
        return FIL_OK;
    }
    const int index = fil_id_index(world, FIL_ID_OBJECT, id);
    if (index < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': needs rods or rigid bodies of this world", name);
    }
    const FilObject* object = &world->objects[index];
    const FilBody* body = &world->system.bodies[object->body];
    FilError inner;
    side->body = object->body;
    const FilStatus status = body->ops->side(body->impl, object->local, node, world->system.state.q + body->q, side, &inner);
    return status == FIL_OK ? FIL_OK : fil_world_fail(world, status, "joint '%s': %s '%s' %s", name, body->ops->kind, object->name, inner.text);
}

/* Whether both sides are one frame or one point, which nothing can move apart. */
static bool is_same(const FilBodySide* a, const FilBodySide* b)
{
    return a->body >= 0 && a->body == b->body && a->index == b->index && a->edge == b->edge && a->frame_part == b->frame_part && a->point == b->point;
}

static FilStatus check_motor(FilWorld* world, const FilJointDef* def, const char* name)
{
    const FilJointMotor* motor = &def->motor;
    const FilJointOps* ops = &fil_joint_kinds[def->kind];
    const bool known = motor->mode == FIL_JOINT_POSITION || motor->mode == FIL_JOINT_VELOCITY || motor->mode == FIL_JOINT_EFFORT;
    if (motor->mode == FIL_JOINT_PASSIVE) {
        return FIL_OK;
    }
    if (!ops->motor) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': a %s has no motor; use a hinge or a slider", name, ops->name);
    }
    if (!known) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': unknown mode %d of its motor", name, (int)motor->mode);
    }
    if (!isfinite(motor->target) || !isfinite(motor->stiffness) || !isfinite(motor->damping) || !(motor->stiffness >= 0.0) ||
        !(motor->damping >= 0.0) || !(motor->max_effort > 0.0)) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "joint '%s': a motor needs a finite target, gains that are not negative and a positive max_effort", name);
    }
    if (motor->mode == FIL_JOINT_VELOCITY && motor->stiffness > 0.0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': a motor that keeps a velocity has damping, but no stiffness", name);
    }
    return FIL_OK;
}

/* Numbers of hinges, sliders and balls. */
static FilStatus check_axis(FilWorld* world, const FilJointDef* def, const char* name)
{
    const double numbers[] = {def->axis.x, def->axis.y, def->axis.z, def->start, def->rest};
    const double sizes[] = {def->stiffness,       def->damping,       def->angular_stiffness, def->angular_damping,
                            def->limit_stiffness, def->limit_damping, def->friction};
    const FilJointOps* ops = &fil_joint_kinds[def->kind];
    if (!fil_all_finite(numbers, 5) || !(hypot(hypot(def->axis.x, def->axis.y), def->axis.z) > 0.0)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': a %s needs an axis that is not zero, and numbers that are finite", name, ops->name);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (!isfinite(sizes[k]) || sizes[k] < 0.0) {
            return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': stiffness, damping and friction must be finite and not negative", name);
        }
    }
    const double at = ops->motor ? def->start : 0.0;
    if (isnan(def->lower) || isnan(def->upper) || at < def->lower || at > def->upper) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': it begins at %g, which is not between its limits %g and %g", name, at, def->lower,
                              def->upper);
    }
    return check_motor(world, def, name);
}

static FilStatus check_numbers(FilWorld* world, const FilJointDef* def, const char* name, bool has_point)
{
    const double numbers[] = {def->stiffness, def->damping, def->angular_stiffness, def->angular_damping, def->point.x, def->point.y, def->point.z};
    const double sum = def->stiffness + def->damping + def->angular_stiffness + def->angular_damping;
    if (!fil_all_finite(numbers, 7)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': a number is not finite", name);
    }
    if (fil_joint_kinds[def->kind].oriented) {
        return check_axis(world, def, name);
    }
    if (!fil_joint_kinds[def->kind].springs) {
        return FIL_OK;
    }
    if (!(def->stiffness >= 0.0) || !(def->damping >= 0.0) || !(def->angular_stiffness >= 0.0) || !(def->angular_damping >= 0.0) || sum == 0.0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': a bushing needs stiffness or damping, none of them negative", name);
    }
    if (has_point && def->angular_stiffness + def->angular_damping > 0.0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': a point has no angle that a bushing could hold", name);
    }
    return FIL_OK;
}

/* Where it is: at a point, or where a side says; else at the given point with the frame of side 0. */
static void place_joint(const FilWorld* world, const FilJointDef* def, FilJoint* joint)
{
    FilBodySide* side = joint->side;
    FilPose pose[2];
    fil_joint_side_pose(&world->system, &side[0], &pose[0]);
    fil_joint_side_pose(&world->system, &side[1], &pose[1]);
    const bool says[2] = {side[0].point >= 0 || side[0].placed, side[1].point >= 0 || side[1].placed};
    const int at = side[1].point >= 0 ? 1 : side[0].point >= 0 ? 0 : says[1] && !says[0] ? 1 : 0;
    FilPose place = pose[at];
    if (says[at]) {
        double offset[3];
        fil_m3_apply(offset, place.r, side[at].offset);
        fil_v3_add(place.p, place.p, offset);
    } else {
        fil_v3_set(place.p, def->point.x, def->point.y, def->point.z);
    }
    if (fil_joint_kinds[joint->kind].oriented) {  // the first axis is the joint's
        double axis[3] = {def->axis.x, def->axis.y, def->axis.z}, across[6];
        fil_v3_normalise(axis);
        fil_v3_orthogonal(across, axis);
        fil_v3_cross(across + 3, axis, across);
        for (int k = 0; k < 3; k++) {
            place.r[3 * k] = axis[k];
            place.r[3 * k + 1] = across[k];
            place.r[3 * k + 2] = across[3 + k];
        }
    }
    const FilPose parallel = fil_pose_identity();
    for (int s = 0; s < 2; s++) {
        fil_pose_relative(&side[s].anchor, &pose[s], &place);
        if (def->aligned && !fil_joint_kinds[joint->kind].oriented && side[at].point < 0 && !side[at].section) {
            memcpy(side[s].anchor.r, parallel.r, sizeof parallel.r);
        }
    }
}

/* The object of the world that carries a side's shapes; -1: they may touch what the side is joined to. */
static int shapes_of(const FilWorld* world, const FilBodySide* side)
{
    for (int index = 0; index < world->object_count && side->body >= 0 && side->carrier >= 0; index++) {
        const FilObject* object = &world->objects[index];
        if (object->body == side->body && object->local == side->carrier) {
            return index;
        }
    }
    return -1;
}

/* Vertices of side 0 beyond the first, each where it now is on side 1. */
static FilStatus take_vertices(FilWorld* world, const FilJointDef* def, const char* name, FilJoint* joint)
{
    FilPose body;
    if (def->vertices == NULL) {
        return FIL_OK;
    }
    if (joint->side[0].point < 0 || (def->kind != FIL_JOINT_PIN && def->kind != FIL_JOINT_WELD)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': only pins and welds of solids and shells hold several vertices", name);
    }
    joint->points = fil_alloc((size_t)def->vertex_count, sizeof *joint->points);
    if (joint->points == NULL) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "joint '%s': out of memory", name);
    }
    fil_joint_side_pose(&world->system, &joint->side[1], &body);
    for (int k = 1; k < def->vertex_count; k++) {
        FilBodySide side;
        FilPose at;
        const FilStatus status = find_side(world, def->a, def->vertices[k], name, false, &side);
        if (status != FIL_OK) {
            return status;
        }
        FilJointPoint* point = &joint->points[joint->point_count++];
        fil_joint_side_pose(&world->system, &side, &at);
        point->point = side.point;
        fil_pose_apply_inverse(point->at, &body, at.p);
    }
    return FIL_OK;
}

/* m: how far a side's frame is from the joint, or half the thickness of the thickest shape there; of rods ten radii, as their contacts have it.
 * INFINITY: of points, and of what has no size. */
static double side_size(const FilWorld* world, const FilBodySide* side)
{
    if (side->body < 0 || side->point >= 0) {
        return INFINITY;
    }
    const FilBody* body = &world->system.bodies[side->body];
    const FilPose home = fil_pose_identity();
    double size = fil_v3_norm(side->anchor.p);
    for (int k = 0; k < body->ops->collider_count(body->impl); k++) {
        FilCollider c;
        body->ops->collider(body->impl, k, &c);
        if (c.kind == FIL_COLLIDER_ROW && k == side->index) {
            size = 10.0 * c.radii[side->edge];
        } else if (c.kind == FIL_COLLIDER_SHAPE && c.shape.kind != FIL_PRIMITIVE_HALF_SPACE && c.carrier == side->carrier) {
            const FilAabb box = fil_shape_aabb(&c.shape, &home);
            size = fmax(size, 0.5 * fmin(fmin(box.hi[0] - box.lo[0], box.hi[1] - box.lo[1]), box.hi[2] - box.lo[2]));
        }
    }
    return size > 0.0 ? size : INFINITY;
}

/* kg: INFINITY of what does not move, 0 where it depends on the place. */
static double side_mass(const FilWorld* world, const FilBodySide* side)
{
    const FilBody* body = side->body >= 0 ? &world->system.bodies[side->body] : NULL;
    return body == NULL || !body->moves ? INFINITY : body->ops->mass != NULL ? body->ops->mass(body->impl) : 0.0;
}

/* No triangle at a joint's point touches what that is joined to. */
static FilStatus keep_apart_at(FilWorld* world, const FilJoint* joint)
{
    const int a = shapes_of(world, &joint->side[0]), b = shapes_of(world, &joint->side[1]);
    FilStatus status = a >= 0 && b >= 0 && a != b ? fil_collision_keep_apart(&world->collision, a, b) : FIL_OK;
    status = status == FIL_OK ? fil_collision_add_join(&world->collision, joint->side) : status;
    for (int k = 0; k < joint->point_count && status == FIL_OK; k++) {
        FilBodySide side[2] = {joint->side[0], joint->side[1]};
        side[0].point = joint->points[k].point;
        status = fil_collision_add_join(&world->collision, side);
    }
    return status;
}

/* What of a definition needs no world. */
static FilJoint start_joint(const FilJointDef* def)
{
    return (FilJoint){.kind = def->kind,
                      .first_constraint = -1,
                      .memory = -1,
                      .start = def->start,
                      .lower = def->lower,
                      .upper = def->upper,
                      .limit_stiffness = def->limit_stiffness,
                      .limit_damping = def->limit_damping,
                      .rest = def->rest,
                      .friction = def->friction,
                      .motor = def->motor};
}

/* How stiff it is: bushings by their numbers, welds of rods by the half edge that they end in. */
static void set_stiffness(const FilJointDef* def, bool has_point, FilJoint* joint)
{
    if (has_point && joint->kind == FIL_JOINT_WELD) {
        joint->kind = FIL_JOINT_PIN;  // a point that is fixed
    } else if (joint->kind == FIL_JOINT_BUSHING) {
        joint->stiffness = def->stiffness;
        joint->damping = def->damping;
        joint->angular_damping = def->angular_damping;
        fil_v3_set(joint->angular_stiffness, def->angular_stiffness, def->angular_stiffness, def->angular_stiffness);
    } else if (fil_joint_kinds[joint->kind].oriented) {
        joint->stiffness = def->stiffness;
        joint->damping = def->damping;
        joint->angular_stiffness[0] = def->angular_stiffness;
        joint->angular_damping = def->angular_damping;
    } else if (joint->kind == FIL_JOINT_WELD) {
        const double* first = joint->side[0].stiffness;
        const bool soft = first[0] + first[1] + first[2] > 0.0;
        fil_v3_copy(joint->angular_stiffness, soft ? first : joint->side[1].stiffness);
    }
}

static void drop(FilJoint* joint)
{
    fil_free(joint->name);
    fil_free(joint->points);
}

FilStatus fil_world_add_joint(FilWorld* world, const FilJointDef* def, FilId* id)
{
    if (def == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a joint needs a definition");
    }
    FilJoints* joints = &world->solver.joints;
    const char* shown = def->name != NULL ? def->name : "?";
    FilJoint joint = start_joint(def);
    if ((int)def->kind < 0 || (int)def->kind >= fil_joint_kind_count) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': unknown kind %d", shown, (int)def->kind);
    }
    if (def->vertices != NULL && def->vertex_count < 1) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': holds no vertex", shown);
    }
    const int node_a = def->vertices != NULL ? def->vertices[0] : def->node_a;
    FilStatus status = find_side(world, def->a, node_a, shown, false, &joint.side[0]);
    status = status == FIL_OK ? find_side(world, def->b, def->node_b, shown, true, &joint.side[1]) : status;
    if (status == FIL_OK && is_same(&joint.side[0], &joint.side[1])) {
        status = fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': joins '%s' to itself", shown, fil_object_name(world, def->a));
    }
    const bool has_point = joint.side[0].point >= 0 || joint.side[1].point >= 0;
    const bool has_section = joint.side[0].section || joint.side[1].section;
    if (status == FIL_OK && fil_joint_kinds[def->kind].oriented && (has_point || has_section)) {
        status = fil_world_fail(world, FIL_BAD_INPUT,
                                "joint '%s': a %s is between rigid bodies, links, arms and the world; weld or pin "
                                "rods, rings, cloth and solids to a body",
                                shown, fil_joint_kinds[def->kind].name);
    }
    status = status == FIL_OK ? check_numbers(world, def, shown, has_point) : status;
    status = status == FIL_OK ? fil_world_reserve(world, (void**)&joints->items, joints->count, &joints->capacity, sizeof joint) : status;
    if (status != FIL_OK) {
        return status;
    }
    joint.name = fil_world_new_name(world, def->name, "joint", joints->count + 1, fil_world_find_joint);
    if (joint.name == NULL) {
        return FIL_BAD_INPUT;
    }
    status = take_vertices(world, def, shown, &joint);
    if (status != FIL_OK) {
        drop(&joint);
        return status;
    }
    place_joint(world, def, &joint);
    set_stiffness(def, has_point, &joint);
    const double size = fmin(side_size(world, &joint.side[0]), side_size(world, &joint.side[1]));
    const double mass[2] = {side_mass(world, &joint.side[0]), side_mass(world, &joint.side[1])}, lighter = fmin(mass[0], mass[1]);
    joint.hardest = lighter > 0.0 && isfinite(lighter) ? fmax(mass[0], mass[1]) / lighter : 1.0;
    joint.depth = isfinite(size) ? FIL_JOINT_DEPTH * size : 0.0;
    if (fil_joint_kinds[joint.kind].coordinate == FIL_JOINT_TURN && fil_system_add_memory(&world->system, 1, &joint.memory) != FIL_OK) {
        drop(&joint);
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "joint '%s': out of memory", shown);
    }
    joint.target = joint.motor.target;
    status = keep_apart_at(world, &joint);
    if (status != FIL_OK) {
        drop(&joint);
        return fil_world_fail(world, status, "joint '%s': out of memory", shown);
    }
    joints->items[joints->count] = joint;
    world->solver.contact.pattern_ready = false;
    fil_give_id(world, FIL_ID_JOINT, joints->count++, id);
    return FIL_OK;
}

FilId fil_world_find_joint(const FilWorld* world, const char* name)
{
    for (int j = 0; j < world->solver.joints.count && name != NULL; j++) {
        if (strcmp(world->solver.joints.items[j].name, name) == 0) {
            return fil_make_id(world, FIL_ID_JOINT, j);
        }
    }
    return (FilId){0};
}

/* ---- reading ---- */

static FilVec3 load_of(const FilWorld* world, FilId id, bool turns)
{
    const int index = fil_id_find(world, FIL_ID_JOINT, id);
    if (index < 0) {
        return (FilVec3){NAN, NAN, NAN};
    }
    const double* load = turns ? world->solver.joints.items[index].torque : world->solver.joints.items[index].force;
    return (FilVec3){load[0], load[1], load[2]};
}

FilVec3 fil_joint_force(const FilWorld* world, FilId id)
{
    return load_of(world, id, false);
}

FilVec3 fil_joint_torque(const FilWorld* world, FilId id)
{
    return load_of(world, id, true);
}

/* The joint of an id, NULL if there is none. */
static const FilJoint* joint_of(const FilWorld* world, FilId id)
{
    const int index = fil_id_find(world, FIL_ID_JOINT, id);
    return index >= 0 ? &world->solver.joints.items[index] : NULL;
}

double fil_joint_position(const FilWorld* world, FilId id)
{
    const FilJoint* joint = joint_of(world, id);
    return joint != NULL ? fil_joint_measure(&world->system, joint) : NAN;
}

double fil_joint_velocity(const FilWorld* world, FilId id)
{
    const FilJoint* joint = joint_of(world, id);
    return joint != NULL ? fil_joint_rate(&world->system, joint) : NAN;
}

double fil_joint_effort(const FilWorld* world, FilId id)
{
    const FilJoint* joint = joint_of(world, id);
    return joint != NULL ? joint->effort : NAN;
}
