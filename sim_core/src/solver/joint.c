#include "solver/joint.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "solver/solver.h"

void fil_joints_free(FilJoints* joints)
{
    for (int j = 0; j < joints->count; j++) {
        fil_free(joints->items[j].name);
    }
    fil_free(joints->items);
}

void fil_joint_side_pose(const FilSystem* system, const FilBodySide* side, FilPose* pose)
{
    if (side->body < 0) {
        *pose = fil_pose_identity();
        return;
    }
    const FilBody* body = &system->bodies[side->body];
    if (side->point >= 0) {
        *pose = fil_pose_identity();
        fil_v3_copy(pose->p, system->state.q + body->q + 4 * side->point);
        return;
    }
    body->ops->frame(body->impl, side->index, side->frame_part, system->state.q + body->q, system->state.h + body->h,
                     pose);
}

int fil_joints_constraints(const FilSolver* solver)
{
    return 4 * solver->joints.count;
}

/* Velocity of a side's point, or of its turning where `point` is NULL: blocks and Jacobians, as of the body's. */
static int side_jacobian(const FilSolver* solver, const FilBodySide* side, const double* point, int* blocks,
                         double* jacobian, double* bias)
{
    const FilBody* body = &solver->system->bodies[side->body];
    const double* q = solver->system->state.q + body->q;
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
static FilStatus add_rows(FilSolver* solver, const FilBodySide* side, const double* point, const double* axes,
                          double sign, int row_count, FilSapConstraint* constraint)
{
    FilContactStage* stage = &solver->contact;
    if (side->body < 0) {
        return FIL_OK;
    }
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
    const int count = side_jacobian(solver, side, point, blocks, jacobian, bias);
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

static FilStatus add_constraint(FilSolver* solver, const FilJoint* joint, const double* point, const double* axes,
                                const double* error, int equations, double stiffness, double damping, bool rigid)
{
    FilContactStage* stage = &solver->contact;
    FilSapConstraint* c = &stage->constraints[stage->constraint_count++];
    *c = (FilSapConstraint){.kind = FIL_SAP_BOUNDED, .first_block = stage->rows.block_count};
    c->bounded = (FilSapBounded){
        .equations = equations, .stiffness = rigid ? INFINITY : stiffness, .damping = rigid ? 0.0 : damping};
    for (int j = 0; j < 3; j++) {
        c->bounded.lower[j] = -INFINITY;
        c->bounded.upper[j] = INFINITY;
        c->bounded.error[j] = j < equations ? error[j] : 0.0;
    }
    FilStatus status = add_rows(solver, &joint->side[1], point, axes, 1.0, equations, c);
    return status == FIL_OK ? add_rows(solver, &joint->side[0], point, axes, -1.0, equations, c) : status;
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

FilStatus fil_joints_add(FilSolver* solver)
{
    FilContactStage* stage = &solver->contact;
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    FilStatus status = FIL_OK;
    for (int j = 0; j < solver->joints.count && status == FIL_OK; j++) {
        FilJoint* joint = &solver->joints.items[j];
        FilPose body[2], frame[2];
        for (int s = 0; s < 2; s++) {
            fil_joint_side_pose(solver->system, &joint->side[s], &body[s]);
            fil_pose_compose(&frame[s], &body[s], &joint->side[s].anchor);
        }
        double gap[3], turn[3];
        fil_v3_sub(gap, frame[1].p, frame[0].p);
        joint->first_constraint = stage->constraint_count;
        const bool bushing = joint->kind == FIL_JOINT_BUSHING;
        status = add_constraint(solver, joint, frame[0].p, unit, gap, 3, joint->stiffness, joint->damping, !bushing);
        if (joint->kind == FIL_JOINT_PIN || status != FIL_OK) {
            continue;
        }
        // about the axes of the joint's frame on side 0, each with its own stiffness
        turn_between(&frame[0], &frame[1], turn);
        for (int k = 0; k < 3 && status == FIL_OK; k++) {
            double axis[3];
            fil_pose_axis(axis, &frame[0], k);
            const double error = fil_v3_dot(axis, turn), stiffness = joint->angular_stiffness[k];
            status = add_constraint(solver, joint, NULL, axis, &error, 1, stiffness, joint->angular_damping,
                                    !bushing && stiffness == 0.0);
        }
    }
    return status;
}

void fil_joints_collect(FilSolver* solver, double dt)
{
    FilContactStage* stage = &solver->contact;
    for (int j = 0; j < solver->joints.count; j++) {
        FilJoint* joint = &solver->joints.items[j];
        const double* impulse = stage->impulses + 3 * joint->first_constraint;
        fil_v3_scale(joint->force, 1.0 / dt, impulse);
        fil_v3_set(joint->torque, 0.0, 0.0, 0.0);
        for (int k = 0; k < 3 && joint->kind != FIL_JOINT_PIN; k++) {
            FilPose body, frame;
            double axis[3];
            fil_joint_side_pose(solver->system, &joint->side[0], &body);
            fil_pose_compose(&frame, &body, &joint->side[0].anchor);
            fil_pose_axis(axis, &frame, k);
            fil_v3_axpy(joint->torque, impulse[3 * (k + 1)] / dt, axis);
        }
    }
}
