#include "solver/joint_rows.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "solver/solver.h"

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
    body->ops->frame(body->impl, side->index, side->frame_part, system->state.q + body->q, system->state.h + body->h, pose);
}

void fil_joint_frames(const FilSystem* system, const FilJoint* joint, FilPose frame[2])
{
    for (int s = 0; s < 2; s++) {
        FilPose body;
        fil_joint_side_pose(system, &joint->side[s], &body);
        fil_pose_compose(&frame[s], &body, &joint->side[s].anchor);
    }
}

/* Velocity of a side's point, or of its turning where `point` is NULL: blocks and Jacobians, as of the body's. */
static int side_jacobian(const FilSystem* system, const FilBodySide* side, const double* point, int* blocks, double* jacobian, double* bias)
{
    const FilBody* body = &system->bodies[side->body];
    const double* q = system->state.q + body->q;
    if (side->point >= 0) {
        memset(jacobian, 0, 12 * sizeof *jacobian);
        jacobian[0] = jacobian[5] = jacobian[10] = 1.0;
        fil_v3_set(bias, 0.0, 0.0, 0.0);
        blocks[0] = side->point;
        return 1;
    }
    return point != NULL ? body->ops->point_jacobian(body->impl, side->index, side->edge, point, q, blocks, jacobian, bias)
                         : body->ops->turn_jacobian(body->impl, side->index, side->edge, q, blocks, jacobian, bias);
}

void fil_joint_relative_velocity(const FilSystem* system, const FilJoint* joint, const double* point, double* velocity)
{
    fil_v3_set(velocity, 0.0, 0.0, 0.0);
    for (int s = 0; s < 2; s++) {
        const FilBodySide* side = &joint->side[s];
        int blocks[FIL_JACOBIAN_BLOCKS];
        double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
        if (side->body < 0) {
            continue;
        }
        const double* v = system->state.v + system->bodies[side->body].v;
        const double sign = s == 1 ? 1.0 : -1.0;
        const int count = side_jacobian(system, side, point, blocks, jacobian, bias);
        fil_v3_axpy(velocity, sign, bias);
        for (int b = 0; b < count; b++) {
            for (int row = 0; row < 3; row++) {
                const double *j = jacobian + 12 * b + 4 * row, *x = v + 4 * blocks[b];
                velocity[row] += sign * (j[0] * x[0] + j[1] * x[1] + j[2] * x[2] + j[3] * x[3]);
            }
        }
    }
}

/* Rows of one side, turned into `axes` (rows) and multiplied by `sign`. */
static FilStatus add_side(FilSolver* solver, const FilBodySide* side, const double* point, const double* axes, double sign, int row_count,
                          FilSapConstraint* constraint)
{
    FilContactStage* stage = &solver->contact;
    if (side->body < 0) {
        return FIL_OK;
    }
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
    const int count = side_jacobian(solver->system, side, point, blocks, jacobian, bias);
    // rows taken ahead, where the sides went with velocities u: their errors at the step's start are g - dt (J u + b)
    const double *u = solver->system->ahead.change + solver->system->bodies[side->body].v, ahead = solver->joints.ahead;
    for (int j = 0; j < row_count; j++) {
        const double drift = sign * fil_v3_dot(axes + 3 * j, bias);
        constraint->bias[j] += drift;
        constraint->bounded.error[j] -= ahead * drift;
    }
    FilStatus status = FIL_OK;
    for (int b = 0; b < count && status == FIL_OK; b++) {
        double rows[12] = {0.0};
        for (int j = 0; j < row_count; j++) {
            for (int k = 0; k < 4; k++) {
                const double* column = jacobian + 12 * b + k;
                rows[4 * j + k] = sign * (axes[3 * j] * column[0] + axes[3 * j + 1] * column[4] + axes[3 * j + 2] * column[8]);
                constraint->bounded.error[j] -= ahead > 0.0 ? ahead * rows[4 * j + k] * u[4 * blocks[b] + k] : 0.0;
            }
        }
        status = fil_contact_set_push_block(&stage->rows, stage->offset[side->body] + blocks[b], rows);
        constraint->block_count++;
    }
    return status;
}

FilSapBounded fil_joint_law(int equations, const double* error, double stiffness, double damping)
{
    FilSapBounded law = {.equations = equations, .stiffness = stiffness, .damping = isinf(stiffness) ? 0.0 : damping};
    for (int j = 0; j < 3; j++) {
        law.lower[j] = -INFINITY;
        law.upper[j] = INFINITY;
        law.error[j] = j < equations && error != NULL ? error[j] : 0.0;
    }
    return law;
}

/* Appends a constraint on the velocity of one side against the other. */
static FilStatus add_constraint(FilSolver* solver, const FilBodySide* from, const FilBodySide* to, const double* point, const double* axes,
                                const FilSapBounded* law, double bias)
{
    FilContactStage* stage = &solver->contact;
    FilSapConstraint* c = &stage->constraints[stage->constraint_count++];
    *c = (FilSapConstraint){.kind = FIL_SAP_BOUNDED, .first_block = stage->rows.block_count, .bounded = *law};
    for (int j = 0; j < law->equations; j++) {
        c->bias[j] = bias;
    }
    const FilStatus status = add_side(solver, to, point, axes, 1.0, law->equations, c);
    return status == FIL_OK ? add_side(solver, from, point, axes, -1.0, law->equations, c) : status;
}

FilStatus fil_joint_add_row(FilSolver* solver, FilJoint* joint, const double* point, const double* axes, const FilSapBounded* law, double bias)
{
    FilJointRow* row = &joint->rows[joint->row_count++];
    *row = (FilJointRow){.equations = law->equations, .turns = point == NULL};
    memcpy(row->axes, axes, sizeof(double) * 3 * (size_t)law->equations);
    return add_constraint(solver, &joint->side[0], &joint->side[1], point, axes, law, bias);
}

FilStatus fil_joint_add_points(FilSolver* solver, const FilJoint* joint)
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    FilStatus status = FIL_OK;
    FilPose body;
    fil_joint_side_pose(solver->system, &joint->side[1], &body);
    for (int k = 0; k < joint->point_count && status == FIL_OK; k++) {
        FilBodySide side = joint->side[0];
        FilPose at;
        double gap[3];
        side.point = joint->points[k].point;
        fil_joint_side_pose(solver->system, &side, &at);
        fil_pose_apply(gap, &body, joint->points[k].at);
        fil_v3_sub(gap, gap, at.p);
        FilSapBounded law = fil_joint_law(3, gap, INFINITY, 0.0);
        law.depth = joint->depth;
        law.hardest = joint->hardest;
        status = add_constraint(solver, &side, &joint->side[1], at.p, unit, &law, 0.0);
    }
    return status;
}

void fil_joint_collect_points(const FilSystem* system, FilJoint* joint, const double* impulses, double dt)
{
    if (joint->point_count == 0) {
        return;
    }
    const double* q = system->state.q + system->bodies[joint->side[0].body].q;
    for (int k = 0; k < joint->point_count; k++) {
        double arm[3], force[3], moment[3];
        fil_v3_scale(force, 1.0 / dt, impulses + 3 * k);
        fil_v3_sub(arm, q + 4 * joint->points[k].point, q + 4 * joint->side[0].point);
        fil_v3_cross(moment, arm, force);
        fil_v3_axpy(joint->force, 1.0, force);
        fil_v3_axpy(joint->torque, 1.0, moment);
    }
}

void fil_joint_turn_between(const FilPose* a, const FilPose* b, double* turn)
{
    double r[9];  // b a'
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = fil_v3_dot(b->r + 3 * i, a->r + 3 * j);
        }
    }
    const double axis[3] = {0.5 * (r[7] - r[5]), 0.5 * (r[2] - r[6]), 0.5 * (r[3] - r[1])};
    const double sine = fil_v3_norm(axis), cosine = 0.5 * (r[0] + r[4] + r[8] - 1.0);
    // the angle is its sine there, to 1e-19
    const double scale = sine > 1e-9 ? atan2(sine, cosine) / sine : 1.0;
    fil_v3_scale(turn, scale, axis);
}

void fil_joint_swing_between(const FilPose* a, const FilPose* b, double* swing)
{
    double from[3], to[3], axis[3];
    fil_pose_axis(from, a, 0);
    fil_pose_axis(to, b, 0);
    fil_v3_cross(axis, from, to);
    const double sine = fil_v3_norm(axis);
    fil_v3_scale(swing, sine > 1e-9 ? atan2(sine, fil_v3_dot(from, to)) / sine : 1.0, axis);
}
