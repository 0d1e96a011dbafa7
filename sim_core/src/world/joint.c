/* Joints: holonomic constraints between bodies (P3 eq. 3), three equations for the point and three for the orientation.
 */
#include "world/joint.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "filum/arm.h"
#include "filum/ring.h"
#include "filum/shell.h"

FilJointDef fil_joint_def_default(void)
{
    return (FilJointDef){.kind = FIL_JOINT_PIN};
}

/* ---- making ---- */

static void side_pose(const FilWorld* world, const FilJointSide* side, FilPose* pose)
{
    if (side->body < 0) {
        *pose = fil_pose_identity();
        return;
    }
    const FilBody* body = &world->bodies[side->body];
    if (side->point >= 0) {
        *pose = fil_pose_identity();
        fil_v3_copy(pose->p, world->state.q + body->q + 4 * side->point);
        return;
    }
    body->ops->frame(body->impl, side->index, side->frame_part, world->state.q + body->q, world->state.h + body->h,
                     pose);
}

/* Number `at` of `count` things, counted from the end if negative; -1: there is none such. */
static int counted(int at, int count)
{
    const int index = at < 0 ? at + count : at;
    return index >= 0 && index < count ? index : -1;
}

/* On an arm: the disk. */
static FilStatus find_disk(FilWorld* world, FilId id, int node, const char* name, const char* arm, FilJointSide* side)
{
    const int count = fil_arm_disk_count(world, id),
              first = fil_arm_base_moves(world, id) ? 0 : 1;  // else it needs no joint
    side->index = counted(node, count);
    return side->index >= first
               ? FIL_OK
               : fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': arm '%s' has disks %d to %d, no disk %d", name, arm,
                                first, count - 1, node);
}

/* On a rod: the edge whose end is the node. */
static FilStatus find_node(FilWorld* world, FilId id, int node, const char* name, const char* rod, FilJointSide* side)
{
    const int count = fil_rod_node_count(world, id), at = counted(node, count);
    if (at < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': rod '%s' has %d nodes, no node %d", name, rod, count,
                              node);
    }
    const bool ends = at == count - 1 && !fil_rod_closed(world, id);
    side->edge = ends ? at - 1 : at;
    side->frame_part = 2 * side->edge + (ends ? 1 : 0);
    return FIL_OK;
}

/* Finds a side's body and where on it the joint is. */
static FilStatus find_side(FilWorld* world, FilId id, int node, const char* name, bool may_be_world, FilJointSide* side,
                           bool* is_rod)
{
    *side = (FilJointSide){.body = -1, .point = -1};
    *is_rod = false;
    if (id.index == 0 && may_be_world) {
        return FIL_OK;
    }
    const int index = fil_id_index(world, FIL_ID_OBJECT, id);
    if (index < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': needs rods or rigid bodies of this world", name);
    }
    const FilObject* object = &world->objects[index];
    const FilBody* body = &world->bodies[object->body];
    side->body = object->body;
    side->index = object->local;
    *is_rod = object->kind == FIL_BODY_ROD;
    switch (object->kind) {
        case FIL_BODY_ROBOT:  // links stand behind the shapes
            side->index += body->ops->collider_count(body->impl);
            return FIL_OK;
        case FIL_BODY_ARM:
            return find_disk(world, id, node, name, object->name, side);
        case FIL_BODY_ROD:
            return find_node(world, id, node, name, object->name, side);
        case FIL_BODY_RING:
            *side = fil_ring_side(world, object);
            return FIL_OK;
        case FIL_BODY_SHELL:
            side->point = counted(node, fil_shell_vertex_count(world, id));
            return side->point >= 0
                       ? FIL_OK
                       : fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': shell '%s' has %d vertices, no vertex %d",
                                        name, object->name, fil_shell_vertex_count(world, id), node);
        default:
            return FIL_OK;
    }
}

/* Angular stiffness of a rod's weld: half an edge, bending towards m1 and m2 and twisting, about m2, m1 and t. */
static void rod_stiffness(const FilWorld* world, FilId rod, int edge, double* stiffness)
{
    const FilSection section = fil_rod_section(world, rod, edge);
    FilStiffness s = {0};
    double nodes[2][3];
    fil_rod_get_position(world, rod, edge, nodes[0]);
    fil_rod_get_position(world, rod, (edge + 1) % fil_rod_node_count(world, rod), nodes[1]);
    const double half = 0.5 * fil_v3_distance(nodes[0], nodes[1]);
    if (fil_section_stiffness(&section, &s, NULL) == FIL_OK) {
        stiffness[0] = s.ei2 / half;
        stiffness[1] = s.ei1 / half;
        stiffness[2] = s.gj / half;
    }
}

static FilStatus check_numbers(FilWorld* world, const FilJointDef* def, const char* name, bool has_point)
{
    const double numbers[] = {def->stiffness, def->damping, def->angular_stiffness, def->angular_damping, def->point.x,
                              def->point.y,   def->point.z};
    const double sum = def->stiffness + def->damping + def->angular_stiffness + def->angular_damping;
    if (!fil_all_finite(numbers, 7)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': a number is not finite", name);
    }
    if (def->kind != FIL_JOINT_BUSHING) {
        return FIL_OK;
    }
    if (!(def->stiffness >= 0.0) || !(def->damping >= 0.0) || !(def->angular_stiffness >= 0.0) ||
        !(def->angular_damping >= 0.0) || sum == 0.0) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "joint '%s': a bushing needs stiffness or damping, none of them negative", name);
    }
    if (has_point && def->angular_stiffness + def->angular_damping > 0.0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "joint '%s': a point has no angle that a bushing could hold", name);
    }
    return FIL_OK;
}

static bool is_ring(const FilWorld* world, FilId id)
{
    return fil_kind_index(world, FIL_BODY_RING, id) >= 0;
}

/* Where it is: at a point or a rod's node, or at a hole's centre or the given point with the frame of side 0. */
static void place_joint(const FilWorld* world, const FilJointDef* def, const bool* is_rod, FilJoint* joint)
{
    FilJointSide* side = joint->side;
    FilPose pose[2];
    side_pose(world, &side[0], &pose[0]);
    side_pose(world, &side[1], &pose[1]);
    const int at = side[1].point >= 0 ? 1 : side[0].point >= 0 ? 0 : is_rod[1] && !is_rod[0] ? 1 : 0;
    const bool given = side[at].point < 0 && !is_rod[at];
    FilPose place = pose[at];
    if (given) {
        const FilVec3 point = is_ring(world, def->a)   ? fil_ring_position(world, def->a)
                              : is_ring(world, def->b) ? fil_ring_position(world, def->b)
                                                       : def->point;
        fil_v3_set(place.p, point.x, point.y, point.z);
    }
    const FilPose parallel = fil_pose_identity();
    for (int s = 0; s < 2; s++) {
        fil_pose_relative(&side[s].anchor, &pose[s], &place);
        if (def->aligned && given) {
            memcpy(side[s].anchor.r, parallel.r, sizeof parallel.r);
        }
    }
}

/* What carries the shapes of a side, as an object of the world; -1: it may touch what it is joined to. */
static int shapes_of(const FilWorld* world, FilId id, const FilJointSide* side)
{
    const FilObject* object = &world->objects[fil_id_index(world, FIL_ID_OBJECT, id)];
    if (object->kind == FIL_BODY_ROD || side->point >= 0) {
        return -1;
    }
    if (object->kind != FIL_BODY_RING) {
        return fil_object_carrier(world, id);
    }
    int index = 0;  // the body that it is the hole of
    while (world->objects[index].body != side->body) {
        index++;
    }
    return index;
}

FilStatus fil_world_add_joint(FilWorld* world, const FilJointDef* def, FilId* id)
{
    FilContactStage* stage = &world->contact;
    const char* shown = def->name != NULL ? def->name : "?";
    FilJoint joint = {.kind = def->kind, .first_constraint = -1};
    bool is_rod[2];
    FilStatus status = find_side(world, def->a, def->node_a, shown, false, &joint.side[0], &is_rod[0]);
    if (status == FIL_OK) {
        status = find_side(world, def->b, def->node_b, shown, true, &joint.side[1], &is_rod[1]);
    }
    const bool has_point = joint.side[0].point >= 0 || joint.side[1].point >= 0;
    status = status == FIL_OK ? check_numbers(world, def, shown, has_point) : status;
    if (status == FIL_OK) {
        status =
            fil_world_reserve(world, (void**)&stage->joints, stage->joint_count, &stage->joint_capacity, sizeof joint);
    }
    if (status != FIL_OK) {
        return status;
    }
    place_joint(world, def, is_rod, &joint);
    if (has_point && joint.kind == FIL_JOINT_WELD) {
        joint.kind = FIL_JOINT_PIN;  // a point that is fixed
    } else if (joint.kind == FIL_JOINT_BUSHING) {
        joint.stiffness = def->stiffness;
        joint.damping = def->damping;
        joint.angular_damping = def->angular_damping;
        fil_v3_set(joint.angular_stiffness, def->angular_stiffness, def->angular_stiffness, def->angular_stiffness);
    } else if (joint.kind == FIL_JOINT_WELD && (is_rod[0] || is_rod[1])) {
        rod_stiffness(world, is_rod[0] ? def->a : def->b, joint.side[is_rod[0] ? 0 : 1].edge, joint.angular_stiffness);
    }
    const int a = shapes_of(world, def->a, &joint.side[0]),
              b = def->b.index != 0 ? shapes_of(world, def->b, &joint.side[1]) : -1;
    status = a >= 0 && b >= 0 ? fil_collision_keep_apart(world, a, b) : FIL_OK;
    if (status != FIL_OK) {
        return status;
    }
    joint.name = fil_world_new_name(world, def->name, "joint", stage->joint_count + 1, fil_world_find_joint);
    if (joint.name == NULL) {
        return FIL_BAD_INPUT;
    }
    stage->joints[stage->joint_count] = joint;
    stage->pattern_ready = false;
    *id = fil_make_id(world, FIL_ID_JOINT, stage->joint_count++);
    return FIL_OK;
}

FilId fil_world_find_joint(const FilWorld* world, const char* name)
{
    for (int j = 0; j < world->contact.joint_count; j++) {
        if (strcmp(world->contact.joints[j].name, name) == 0) {
            return fil_make_id(world, FIL_ID_JOINT, j);
        }
    }
    return (FilId){0};
}

/* ---- as constraints ---- */

int fil_joints_constraints(const FilWorld* world)
{
    return 4 * world->contact.joint_count;
}

/* Velocity of a side's point, or of its turning where `point` is NULL: blocks and Jacobians, as of the body's. */
static int side_jacobian(const FilWorld* world, const FilJointSide* side, const double* point, int* blocks,
                         double* jacobian, double* bias)
{
    const FilBody* body = &world->bodies[side->body];
    const double* q = world->state.q + body->q;
    if (side->point >= 0) {
        memset(jacobian, 0, 12 * sizeof *jacobian);
        jacobian[0] = jacobian[5] = jacobian[10] = 1.0;
        fil_v3_set(bias, 0.0, 0.0, 0.0);
        blocks[0] = side->point;
        return 1;
    }
    return point != NULL
               ? body->ops->point_jacobian(body->impl, side->index, side->edge, point, q, blocks, jacobian, bias)
               : body->ops->turn_jacobian(body->impl, side->index, side->edge, q, blocks, jacobian, bias);
}

/* Rows of one side, turned into `axes` (rows) and multiplied by `sign`. */
static FilStatus add_rows(FilWorld* world, const FilJointSide* side, const double* point, const double* axes,
                          double sign, int row_count, FilSapConstraint* constraint)
{
    FilContactStage* stage = &world->contact;
    if (side->body < 0) {
        return FIL_OK;
    }
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
    const int count = side_jacobian(world, side, point, blocks, jacobian, bias);
    for (int j = 0; j < row_count; j++) {
        constraint->bias[j] += sign * fil_v3_dot(axes + 3 * j, bias);
    }
    FilStatus status = FIL_OK;
    for (int b = 0; b < count && status == FIL_OK; b++) {
        double rows[12] = {0.0};
        for (int j = 0; j < row_count; j++) {
            for (int k = 0; k < 4; k++) {
                const double* column = jacobian + 12 * b + k;
                rows[4 * j + k] =
                    sign * (axes[3 * j] * column[0] + axes[3 * j + 1] * column[4] + axes[3 * j + 2] * column[8]);
            }
        }
        status = fil_contact_set_push_block(&stage->rows, stage->offset[side->body] + blocks[b], rows);
        constraint->block_count++;
    }
    return status;
}

static FilStatus add_constraint(FilWorld* world, const FilJoint* joint, const double* point, const double* axes,
                                const double* error, int equations, double stiffness, double damping, bool rigid)
{
    FilContactStage* stage = &world->contact;
    FilSapConstraint* c = &stage->constraints[stage->constraint_count++];
    *c = (FilSapConstraint){.kind = FIL_SAP_BOUNDED, .first_block = stage->rows.block_count};
    c->bounded = (FilSapBounded){
        .equations = equations, .stiffness = rigid ? INFINITY : stiffness, .damping = rigid ? 0.0 : damping};
    for (int j = 0; j < 3; j++) {
        c->bounded.lower[j] = -INFINITY;
        c->bounded.upper[j] = INFINITY;
        c->bounded.error[j] = j < equations ? error[j] : 0.0;
    }
    FilStatus status = add_rows(world, &joint->side[1], point, axes, 1.0, equations, c);
    return status == FIL_OK ? add_rows(world, &joint->side[0], point, axes, -1.0, equations, c) : status;
}

/* Rotation vector that takes frame a to frame b, in the world; small angles. */
static void turn_between(const FilPose* a, const FilPose* b, double* turn)
{
    double r[9];  // b a'
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = fil_v3_dot(b->r + 3 * i, a->r + 3 * j);
        }
    }
    const double axis[3] = {0.5 * (r[7] - r[5]), 0.5 * (r[2] - r[6]), 0.5 * (r[3] - r[1])};
    const double sine = fil_v3_norm(axis), cosine = 0.5 * (r[0] + r[4] + r[8] - 1.0);
    const double scale = sine > 1e-9 ? atan2(sine, cosine) / sine : 1.0;
    fil_v3_scale(turn, scale, axis);
}

FilStatus fil_joints_add(FilWorld* world)
{
    FilContactStage* stage = &world->contact;
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    FilStatus status = FIL_OK;
    for (int j = 0; j < stage->joint_count && status == FIL_OK; j++) {
        FilJoint* joint = &stage->joints[j];
        FilPose body[2], frame[2];
        for (int s = 0; s < 2; s++) {
            side_pose(world, &joint->side[s], &body[s]);
            fil_pose_compose(&frame[s], &body[s], &joint->side[s].anchor);
        }
        double gap[3], turn[3];
        fil_v3_sub(gap, frame[1].p, frame[0].p);
        joint->first_constraint = stage->constraint_count;
        const bool bushing = joint->kind == FIL_JOINT_BUSHING;
        status = add_constraint(world, joint, frame[0].p, unit, gap, 3, joint->stiffness, joint->damping, !bushing);
        if (joint->kind == FIL_JOINT_PIN || status != FIL_OK) {
            continue;
        }
        // about the axes of the joint's frame on side 0, each with its own stiffness
        turn_between(&frame[0], &frame[1], turn);
        for (int k = 0; k < 3 && status == FIL_OK; k++) {
            double axis[3];
            fil_pose_axis(axis, &frame[0], k);
            const double error = fil_v3_dot(axis, turn), stiffness = joint->angular_stiffness[k];
            status = add_constraint(world, joint, NULL, axis, &error, 1, stiffness, joint->angular_damping,
                                    !bushing && stiffness == 0.0);
        }
    }
    return status;
}

void fil_joints_collect(FilWorld* world, double dt)
{
    FilContactStage* stage = &world->contact;
    for (int j = 0; j < stage->joint_count; j++) {
        FilJoint* joint = &stage->joints[j];
        const double* impulse = stage->impulses + 3 * joint->first_constraint;
        fil_v3_scale(joint->force, 1.0 / dt, impulse);
        fil_v3_set(joint->torque, 0.0, 0.0, 0.0);
        for (int k = 0; k < 3 && joint->kind != FIL_JOINT_PIN; k++) {
            FilPose body, frame;
            double axis[3];
            side_pose(world, &joint->side[0], &body);
            fil_pose_compose(&frame, &body, &joint->side[0].anchor);
            fil_pose_axis(axis, &frame, k);
            fil_v3_axpy(joint->torque, impulse[3 * (k + 1)] / dt, axis);
        }
    }
}

FilVec3 fil_joint_force(const FilWorld* world, FilId id)
{
    const int index = fil_id_index(world, FIL_ID_JOINT, id);
    FIL_ASSERT(index >= 0);
    const double* f = world->contact.joints[index].force;
    return (FilVec3){f[0], f[1], f[2]};
}

FilVec3 fil_joint_torque(const FilWorld* world, FilId id)
{
    const int index = fil_id_index(world, FIL_ID_JOINT, id);
    FIL_ASSERT(index >= 0);
    const double* t = world->contact.joints[index].torque;
    return (FilVec3){t[0], t[1], t[2]};
}
