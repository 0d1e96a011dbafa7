#include "plan/manipulation_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/quat.h"
#include "base/vec3.h"
#include "body/articulated.h"
#include "body/rigid.h"
#include "linalg/dense.h"
#include "world/world.h"

static FilStatus too_large(FilError* error)
{
    return fil_error(error, FIL_BAD_INPUT, "plan: too many coordinates: %d in all, %d of a chain and %d frames are the most", FIL_PLAN_COORDINATES,
                     FIL_PLAN_SHAPES, FIL_PLAN_BLOCKS);
}

/* Bounds of a coordinate that nothing binds. */
static void leave_free(FilManipulationStart* out, int i, double speed)
{
    out->bounds.lower[i] = -INFINITY;
    out->bounds.upper[i] = INFINITY;
    out->bounds.rate[i] = speed > 0.0 ? speed : INFINITY;
    out->bounds.end[i] = out->bounds.end_rate[i] = INFINITY;
}

static void add_drive(FilManipulationStart* out, int coordinate, int part, int index, double effort)
{
    const int d = out->m.drives++;
    out->m.drive[d] = coordinate;
    out->driver[d][0] = part;
    out->driver[d][1] = index;
    out->bounds.effort[d] = effort;
}

/* ---- free bodies ---- */

void fil_manipulation_axes(const double* turn, int order[3])
{
    int max = 0, min = 0;
    for (int k = 1; k < 3; k++) {
        max = fabs(turn[k]) > fabs(turn[max]) ? k : max;
        min = fabs(turn[k]) < fabs(turn[min]) ? k : min;
    }
    min = min == max ? (max + 1) % 3 : min;
    order[0] = max;
    order[1] = min;
    order[2] = 3 - max - min;
}

void fil_manipulation_angles(const double* r, const int order[3], double angles[3])
{
    const int i = order[0], j = order[1], k = order[2];
    const double sign = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
    angles[0] = atan2(-sign * r[3 * j + k], r[3 * k + k]);
    angles[1] = asin(fmax(-1.0, fmin(1.0, sign * r[3 * i + k])));
    angles[2] = atan2(-sign * r[3 * i + j], r[3 * i + i]);
}

/* Angles about the axes of its last three blocks, and their rates, from w = a_1 r_1 + R_1 a_2 r_2 + R_1 R_2 a_3 r_3. */
static void read_free_body(const FilManipulationStart* start, const FilManipulationPart* part, const FilView* view, double* q, double* v)
{
    const FilRigidBody* body = view->impl;
    const FilPlanBlock* blocks = start->m.tree.block + part->first_block;
    FilPose pose, block = fil_pose_identity();
    double centre[3], axes[9], r[9], *angles = q + part->first + 3, *rates = v + part->first + 3;
    int order[3], pivots[3];
    fil_rigid_pose(body, view->q, &pose);
    fil_pose_apply(centre, &pose, body->center);
    fil_v3_sub(q + part->first, centre, blocks[0].rest.p);
    fil_v3_copy(v + part->first, view->v);
    for (int k = 0; k < 3; k++) {
        const double* axis = blocks[3 + k].axis;
        order[k] = axis[0] != 0.0 ? 0 : axis[1] != 0.0 ? 1 : 2;
    }
    for (int e = 0; e < 9; e++) {  // of the last block: R turned'
        r[e] = fil_v3_dot(pose.r + 3 * (e / 3), part->turned.r + 3 * (e % 3));
    }
    fil_manipulation_angles(r, order, angles);
    for (int k = 0; k < 3; k++) {
        fil_plan_tree_pose(&start->m.tree, q, part->first_block + 3 + k, &block);
        fil_m3_apply(axes + 3 * k, block.r, blocks[3 + k].axis);
    }
    fil_m3_apply(rates, pose.r, view->v + 4);
    if (fil_dense_lu(3, axes, pivots)) {
        fil_dense_lu_solve(3, axes, pivots, 1, rates);
    }
}

static FilStatus add_free_body(const FilManipulationTask* task, const FilView* view, int number, FilManipulationStart* out, FilError* error)
{
    const FilRigidBody* body = view->impl;
    FilPlanTree* tree = &out->m.tree;
    FilManipulationPart* part = &out->parts[number];
    FilPose pose;
    int order[3], block = -1;
    if (body->damping_linear != 0.0 || body->damping_angular != 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "plan: body '%s' has damping, which planning of manipulation does not take", view->name);
    }
    for (int k = 0; k < FIL_RIGID_UNKNOWNS; k++) {
        // m/s or rad/s: rounding
        if (fabs(view->v[k]) > 1e-9) {
            return fil_error(error, FIL_BAD_INPUT, "plan: body '%s' moves at the start", view->name);
        }
    }
    // half-way of its turn, and from there to the start; the goal is as far the other way
    const bool turns = task->goal.body.index == part->id.index && task->goal.body.generation == part->id.generation;
    const double turn[3] = {turns ? task->goal.rotation.x : 0.0, turns ? task->goal.rotation.y : 0.0, turns ? task->goal.rotation.z : 0.0};
    double half[3], r[9], back[3], center[3];
    fil_v3_scale(half, 0.5, turn);
    fil_v3_scale(back, -1.0, half);
    fil_rigid_pose(body, view->q, &pose);
    fil_pose_apply(center, &pose, body->center);
    FilPose middle = fil_pose_identity();
    fil_m3_from_quat(middle.r, fil_quat_multiply(fil_quat_exponential(half), fil_quat_from_m3(pose.r)));
    fil_manipulation_axes(turn, order);
    for (int k = 0; k < 6; k++) {
        FilPlanBlock b = {.kind = k < 3 ? FIL_BLOCK_SLIDE : FIL_BLOCK_HINGE, .parent = block, .count = 1, .rest = fil_pose_identity()};
        b.axis[k < 3 ? k : order[k - 3]] = 1.0;
        if (k == 0) {
            fil_v3_copy(b.rest.p, center);
        }
        if (k == 5) {
            double turned[9], inertia[9];
            for (int e = 0; e < 9; e++) {  // R I R'
                turned[e] = middle.r[3 * (e / 3)] * body->inertia[e % 3] + middle.r[3 * (e / 3) + 1] * body->inertia[3 + e % 3] +
                            middle.r[3 * (e / 3) + 2] * body->inertia[6 + e % 3];
            }
            for (int e = 0; e < 9; e++) {
                inertia[e] = fil_v3_dot(turned + 3 * (e / 3), middle.r + 3 * (e % 3));
            }
            b.mass = body->mass;
            fil_plan_second_moments(inertia, b.second);
        }
        block = fil_plan_tree_add(tree, &b);
        if (block < 0) {
            return too_large(error);
        }
        leave_free(out, tree->block[block].first, task->speed);
    }
    fil_m3_from_quat(r, fil_quat_exponential(back));
    fil_manipulation_angles(r, order, out->state + part->first + 3);
    part->turned = middle;
    fil_m3_apply(part->turned.p, middle.r, body->center);
    fil_v3_scale(part->turned.p, -1.0, part->turned.p);
    part->count = 6;
    return FIL_OK;
}

/* ---- robots ---- */

static FilStatus check_joint(const FilTreeJoint* joint, FilError* error)
{
    if (joint->mimic >= 0 || joint->def.friction > 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "plan: joint '%s' %s, which planning does not take", joint->name,
                         joint->mimic >= 0 ? "mimics another one" : "has dry friction");
    }
    return FIL_OK;
}

static void read_robot(const FilManipulationStart* start, const FilManipulationPart* part, const FilView* view, double* q, double* v)
{
    const FilArticulated* robot = view->impl;
    (void)start;
    for (int b = 0; b < part->count; b++) {
        q[part->first + b] = view->q[robot->bodies[b].q];
        v[part->first + b] = view->v[robot->bodies[b].v];
    }
}

static FilStatus add_robot(const FilManipulationTask* task, const FilView* view, int number, FilManipulationStart* out, FilError* error)
{
    const FilArticulated* robot = view->impl;
    FilPlanTree* tree = &out->m.tree;
    FilManipulationPart* part = &out->parts[number];
    for (int b = 0; b < robot->body_count; b++) {
        const FilTreeBody* body = &robot->bodies[b];
        if (body->dofs != 1) {
            return fil_error(error, FIL_BAD_INPUT, "plan: a robot with ball joints or a floating root cannot be planned for");
        }
        FilPlanBlock block = {.kind = body->type == FIL_ROBOT_PRISMATIC ? FIL_BLOCK_SLIDE : FIL_BLOCK_HINGE,
                              .parent = body->parent >= 0 ? part->first_block + body->parent : -1,
                              .count = 1,
                              .rest = body->rest,
                              .mass = body->mass};
        fil_v3_copy(block.axis, body->axis);
        fil_v3_copy(block.center, body->center);
        fil_plan_second_moments(body->inertia, block.second);
        const int at = fil_plan_tree_add(tree, &block);
        if (at < 0) {
            return too_large(error);
        }
        const int i = tree->block[at].first;
        leave_free(out, i, task->speed);
        tree->armature[i] = robot->armature[body->v];
        tree->damping[i] = robot->damping[body->v];
        out->state[i] = view->q[body->q];
        // m/s or rad/s: rounding
        if (fabs(view->v[body->v]) > 1e-9) {
            return fil_error(error, FIL_BAD_INPUT, "plan: a robot moves at the start");
        }
    }
    part->count = robot->body_count;
    for (int j = 0; j < robot->joint_count; j++) {
        const FilTreeJoint* joint = &robot->joints[j];
        const int i = part->first + joint->body;
        const FilStatus status = check_joint(joint, error);
        if (status != FIL_OK) {
            return status;
        }
        out->bounds.lower[i] = joint->def.lower;
        out->bounds.upper[i] = joint->def.upper;
        out->bounds.rate[i] = fmin(out->bounds.rate[i], joint->def.max_velocity);
        if (joint->def.max_effort > 0.0) {
            add_drive(out, i, number, j, fmin(joint->def.max_effort, task->effort));
            out->stiffness[i] = joint->def.stiffness_gain;
            out->damping[i] = joint->def.damping_gain;
        }
    }
    return FIL_OK;
}

/* ---- soft arms ---- */

static void read_arm(const FilManipulationStart* start, const FilManipulationPart* part, const FilView* view, double* q, double* v)
{
    (void)start;
    for (int i = 0; i < part->count; i++) {
        q[part->first + i] = view->q[4 * (i / 3) + i % 3];
        v[part->first + i] = view->v[4 * (i / 3) + i % 3];
    }
}

static FilStatus add_arm(const FilManipulationTask* task, const FilView* view, int number, FilManipulationStart* out, FilError* error)
{
    const FilSoftArm* soft = view->impl;
    FilPlanTree* tree = &out->m.tree;
    FilManipulationPart* part = &out->parts[number];
    FilPlanArm arm;
    const FilStatus status = fil_plan_arm_from(soft, tree->gravity, &arm, error);
    int parent = -1;
    if (status != FIL_OK) {
        return status;
    }
    for (int k = 0; k < arm.sections; k++) {
        FilPlanBlock block = {.kind = FIL_BLOCK_SECTION,
                              .parent = parent,
                              .count = 3,
                              .rest = k == 0 ? arm.base : fil_pose_identity(),
                              .mass = arm.mass[k],
                              .length = arm.length[k],
                              .slice_moment = arm.moment[k],
                              .slices = arm.slices};
        memcpy(block.shape, arm.shape[k], sizeof block.shape);
        parent = fil_plan_tree_add(tree, &block);
        if (parent < 0) {
            return too_large(error);
        }
        if (soft->sections[k].chambers != 3) {
            return fil_error(error, FIL_BAD_INPUT, "plan: sections must have three chambers");
        }
        part->area[k] = soft->sections[k].chamber_area;
        for (int c = 0; c < 3; c++) {
            const int i = tree->block[parent].first + c;
            leave_free(out, i, task->speed);
            out->bounds.lower[i] = task->elongation[0];
            out->bounds.upper[i] = task->elongation[1];
            tree->stiffness[i] = arm.stiffness[k];
            tree->damping[i] = arm.damping[k];
            out->state[i] = view->q[4 * k + c];
            add_drive(out, i, number, 3 * k + c, task->effort);
        }
    }
    part->count = 3 * arm.sections;
    return FIL_OK;
}

/* ---- any of them ---- */

static const struct PartKind {
    FilBodyKind kind;
    FilStatus (*add)(const FilManipulationTask* task, const FilView* view, int number, FilManipulationStart* out, FilError* error);
    void (*read)(const FilManipulationStart* start, const FilManipulationPart* part, const FilView* view, double* q, double* v);
} kinds[] = {{FIL_BODY_RIGID, add_free_body, read_free_body}, {FIL_BODY_ROBOT, add_robot, read_robot}, {FIL_BODY_ARM, add_arm, read_arm}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

FilStatus fil_manipulation_add_part(const FilWorld* world, const FilManipulationTask* task, FilId id, FilManipulationStart* out, int* part,
                                    FilError* error)
{
    FilView view = {.impl = NULL};
    int k = 0;
    while (k < KINDS && fil_kind_index(world, kinds[k].kind, id) < 0) {
        k++;
    }
    if (k == KINDS || !fil_kind_view(world, kinds[k].kind, "object", id, &view)) {
        return fil_error(error, FIL_BAD_INPUT, "plan: contacts are between rigid bodies, links of robots and soft arms");
    }
    for (*part = 0; *part < out->part_count; ++*part) {
        if (out->parts[*part].impl == view.impl) {
            return FIL_OK;
        }
    }
    if (out->part_count == FIL_MANIPULATION_PARTS) {
        return fil_error(error, FIL_BAD_INPUT, "plan: at most %d objects take part", FIL_MANIPULATION_PARTS);
    }
    out->parts[*part] = (FilManipulationPart){
        .impl = view.impl, .kind = (int)kinds[k].kind, .id = id, .first_block = out->m.tree.blocks, .first = out->m.tree.coordinates};
    snprintf(out->parts[*part].name, sizeof out->parts[*part].name, "%s", view.name);
    out->part_count++;
    return kinds[k].add(task, &view, *part, out, error);
}

bool fil_manipulation_observe(const FilManipulationStart* start, const FilWorld* world, double* q, double* v)
{
    for (int p = 0; p < start->part_count; p++) {
        const FilManipulationPart* part = &start->parts[p];
        FilView view;
        if (!fil_kind_view(world, (FilBodyKind)part->kind, "object of the plan", fil_kind_find(world, (FilBodyKind)part->kind, part->name), &view)) {
            return false;
        }
        for (int k = 0; k < KINDS; k++) {
            if ((int)kinds[k].kind == part->kind) {
                kinds[k].read(start, part, &view, q, v);
            }
        }
    }
    return true;
}
