#include "solver/joint.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "solver/joint_axis.h"
#include "solver/joint_rows.h"
#include "solver/solver.h"

/* ---- kinds ---- */

static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

/* The sides' points stay together. */
static FilStatus hold_point(FilSolver* solver, FilJoint* joint, const FilPose frame[2])
{
    double gap[3];
    fil_v3_sub(gap, frame[1].p, frame[0].p);
    const bool springs = fil_joint_kinds[joint->kind].springs;
    FilSapBounded law = fil_joint_law(3, gap, springs ? joint->stiffness : INFINITY, joint->damping);
    law.depth = joint->depth;
    law.hardest = joint->hardest;
    return fil_joint_add_row(solver, joint, frame[0].p, unit, &law, 0.0);
}

/* Does not turn by `turn` about axis k of `frame`. */
static FilStatus hold_turn(FilSolver* solver, FilJoint* joint, const FilPose* frame, int k, const double* turn, double stiffness)
{
    double axis[3];
    fil_pose_axis(axis, frame, k);
    const double error = fil_v3_dot(axis, turn);
    FilSapBounded law = fil_joint_law(1, &error, stiffness, joint->angular_damping);
    law.depth = FIL_JOINT_DEPTH;
    law.hardest = joint->hardest;
    return fil_joint_add_row(solver, joint, NULL, axis, &law, 0.0);
}

/* Point and orientation: about the axes of the joint's frame on side 0, each with its own stiffness. */
static FilStatus hold_all(FilSolver* solver, FilJoint* joint, const FilPose frame[2])
{
    double turn[3];
    FilStatus status = hold_point(solver, joint, frame);
    const bool springs = fil_joint_kinds[joint->kind].springs;
    fil_joint_turn_between(&frame[0], &frame[1], turn);
    for (int k = 0; k < 3 && status == FIL_OK; k++) {
        const double stiffness = joint->angular_stiffness[k];
        status = hold_turn(solver, joint, &frame[0], k, turn, !springs && stiffness == 0.0 ? INFINITY : stiffness);
    }
    return status;
}

static FilStatus hold_hinge(FilSolver* solver, FilJoint* joint, const FilPose frame[2])
{
    double swing[3];
    FilStatus status = hold_point(solver, joint, frame);
    fil_joint_swing_between(&frame[0], &frame[1], swing);
    for (int k = 1; k < 3 && status == FIL_OK; k++) {
        status = hold_turn(solver, joint, &frame[1], k, swing, INFINITY);
    }
    return status;
}

/* The point of side 0 stays on the axis of side 1: d/dt e.(p1 - p0) = e.(v1 - v0) with both velocities at p0, for e turns with
 * side 1. */
static FilStatus hold_slider(FilSolver* solver, FilJoint* joint, const FilPose frame[2])
{
    double gap[3], turn[3], axes[6], error[2];
    fil_v3_sub(gap, frame[1].p, frame[0].p);
    for (int k = 0; k < 2; k++) {
        fil_pose_axis(axes + 3 * k, &frame[1], k + 1);
        error[k] = fil_v3_dot(axes + 3 * k, gap);
    }
    FilSapBounded law = fil_joint_law(2, error, INFINITY, 0.0);
    law.depth = joint->depth;
    law.hardest = joint->hardest;
    FilStatus status = fil_joint_add_row(solver, joint, frame[0].p, axes, &law, 0.0);
    fil_joint_turn_between(&frame[0], &frame[1], turn);
    for (int k = 0; k < 3 && status == FIL_OK; k++) {
        status = hold_turn(solver, joint, &frame[1], k, turn, INFINITY);
    }
    return status;
}

const FilJointOps fil_joint_kinds[] = {
    [FIL_JOINT_PIN] = {.name = "pin", .hold = hold_point},
    [FIL_JOINT_WELD] = {.name = "weld", .hold = hold_all},
    [FIL_JOINT_BUSHING] = {.name = "bushing", .springs = true, .hold = hold_all},
    [FIL_JOINT_HINGE] = {.name = "hinge", .oriented = true, .motor = true, .coordinate = FIL_JOINT_TURN, .hold = hold_hinge},
    [FIL_JOINT_SLIDER] = {.name = "slider", .oriented = true, .motor = true, .coordinate = FIL_JOINT_SLIDE, .hold = hold_slider},
    [FIL_JOINT_BALL] = {.name = "ball", .oriented = true, .coordinate = FIL_JOINT_SWING, .hold = hold_point},
};
const int fil_joint_kind_count = (int)(sizeof fil_joint_kinds / sizeof fil_joint_kinds[0]);

/* ---- all joints ---- */

void fil_joints_free(FilJoints* joints)
{
    for (int j = 0; j < joints->count; j++) {
        fil_free(joints->items[j].name);
        fil_free(joints->items[j].points);
    }
    fil_free(joints->items);
}

double fil_joint_measure(const FilSystem* system, const FilJoint* joint)
{
    FilPose frame[2];
    fil_joint_frames(system, joint, frame);
    return fil_joint_position_at(system, joint, frame, fil_joint_kinds[joint->kind].coordinate);
}

double fil_joint_rate(const FilSystem* system, const FilJoint* joint)
{
    FilPose frame[2];
    double axis[3], velocity[3];
    const FilJointCoordinate coordinate = fil_joint_kinds[joint->kind].coordinate;
    fil_joint_frames(system, joint, frame);
    fil_pose_axis(axis, &frame[1], 0);
    if (coordinate == FIL_JOINT_SWING) {
        fil_joint_swing_between(&frame[1], &frame[0], axis);
        fil_v3_normalise(axis);
    }
    fil_joint_relative_velocity(system, joint, coordinate == FIL_JOINT_SLIDE ? frame[0].p : NULL, velocity);
    return coordinate == FIL_JOINT_NO_COORDINATE ? 0.0 : -fil_v3_dot(axis, velocity);
}

int fil_joints_constraints(const FilSolver* solver)
{
    int count = FIL_JOINT_ROWS * solver->joints.count;
    for (int j = 0; j < solver->joints.count; j++) {
        count += solver->joints.items[j].point_count;
    }
    return count;
}

/* Where bodies would be at the end of a stage, or half-way through a step of the midpoint rule, with the velocities that it begins with: to
 * second order where they are. Scripted ones know their velocity. */
static void look_ahead(const FilSystem* system)
{
    const FilState *now = &system->state, *ahead = &system->ahead;
    memcpy(ahead->h, now->h, sizeof(double) * (size_t)system->h_count);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        double *v = ahead->change + body->v, *end = ahead->push + body->v;
        if (body->moves) {
            memcpy(v, now->v + body->v, sizeof(double) * (size_t)body->v_count);
        } else {
            body->ops->guess(body->impl, now->change + body->v, v);
        }
        for (int k = 0; k < body->v_count; k++) {
            // the midpoint rule moves by the mean of v0 and this, for a whole step
            end[k] = !system->halfway ? v[k] : body->moves ? 0.0 : 0.5 * v[k];
        }
        body->ops->finish(body->impl, end, ahead->q + body->q, ahead->v + body->v, ahead->h + body->h);
    }
}

static FilStatus add_joints(FilSolver* solver, double dt)
{
    FilStatus status = FIL_OK;
    for (int j = 0; j < solver->joints.count && status == FIL_OK; j++) {
        FilJoint* joint = &solver->joints.items[j];
        const FilJointOps* ops = &fil_joint_kinds[joint->kind];
        FilPose frame[2];
        fil_joint_frames(solver->system, joint, frame);
        const double position = fil_joint_position_at(solver->system, joint, frame, ops->coordinate);
        joint->first_constraint = solver->contact.constraint_count;
        joint->row_count = 0;
        joint->motor_row = -1;
        if (fil_followers_hold(&solver->followers, j)) {
            continue;
        }
        status = ops->hold(solver, joint, frame);
        status = status == FIL_OK ? fil_joint_add_axis(solver, joint, frame, ops->coordinate, position, dt) : status;
        status = status == FIL_OK ? fil_joint_add_points(solver, joint) : status;
        if (joint->memory >= 0) {
            solver->system->next.h[joint->memory] = position - joint->start;
        }
    }
    return status;
}

FilStatus fil_joints_add(FilSolver* solver, double dt)
{
    FilSystem* system = solver->system;
    solver->joints.ahead = system->staged ? dt : system->halfway ? 0.5 * dt : 0.0;
    if (solver->joints.ahead == 0.0 || solver->joints.count == 0) {
        return add_joints(solver, dt);
    }
    // a stage's forces act where it ends, those of the midpoint rule half-way: with the arms of its start bodies that joints hold off their centres
    // are off by first order, and under the midpoint rule what circles about a joint is pushed along its way and gains energy without bound
    look_ahead(system);
    const FilState now = system->state;
    system->state.q = system->ahead.q;
    system->state.h = system->ahead.h;
    const FilStatus status = add_joints(solver, dt);
    system->state = now;
    return status;
}

void fil_joints_collect(FilSolver* solver, double dt)
{
    const FilContactStage* stage = &solver->contact;
    for (int j = 0; j < solver->joints.count; j++) {
        FilJoint* joint = &solver->joints.items[j];
        fil_v3_set(joint->force, 0.0, 0.0, 0.0);
        fil_v3_set(joint->torque, 0.0, 0.0, 0.0);
        joint->effort = 0.0;
        for (int r = 0; r < joint->row_count; r++) {
            const FilJointRow* row = &joint->rows[r];
            const double* impulse = stage->impulses + 3 * (joint->first_constraint + r);
            for (int k = 0; k < row->equations; k++) {
                fil_v3_axpy(row->turns ? joint->torque : joint->force, impulse[k] / dt, row->axes + 3 * k);
            }
            joint->effort = r == joint->motor_row ? impulse[0] / dt : joint->effort;
        }
        if (fil_followers_hold(&solver->followers, j)) {
            continue;  // followers add theirs
        }
        fil_joint_collect_points(solver->system, joint, stage->impulses + 3 * (joint->first_constraint + joint->row_count), dt);
    }
}
