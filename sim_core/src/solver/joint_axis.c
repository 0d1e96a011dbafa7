#include "solver/joint_axis.h"

#include <math.h>

#include "base/vec3.h"
#include "solver/solver.h"

/* Positions are of side 0 against side 1, rows of side 1 against side 0: the joint's axis enters rows with a minus. */

double fil_joint_position_at(const FilSystem* system, const FilJoint* joint, const FilPose frame[2], FilJointCoordinate coordinate)
{
    double axis[3], gap[3];
    fil_pose_axis(axis, &frame[1], 0);
    switch (coordinate) {
        case FIL_JOINT_TURN: {
            double across[3], first[3], second[3];
            fil_pose_axis(across, &frame[0], 1);
            fil_pose_axis(first, &frame[1], 1);
            fil_pose_axis(second, &frame[1], 2);
            const double angle = atan2(fil_v3_dot(across, second), fil_v3_dot(across, first));
            const double turn = 2.0 * FIL_PI, last = system->state.h[joint->memory];
            return joint->start + angle + turn * round((last - angle) / turn);
        }
        case FIL_JOINT_SLIDE:
            fil_v3_sub(gap, frame[0].p, frame[1].p);
            return joint->start + fil_v3_dot(axis, gap);
        case FIL_JOINT_SWING: {
            double swing[3];
            fil_joint_swing_between(&frame[1], &frame[0], swing);
            return fil_v3_norm(swing);
        }
        case FIL_JOINT_NO_COORDINATE:
            break;
    }
    return 0.0;
}

/* ---- what acts ---- */

typedef struct Axis {
    FilSolver* solver;
    FilJoint* joint;
    const double* point; /* NULL: it turns */
    double axis[3];      /* side 0's motion against side 1's */
    double position;
    double dt;
} Axis;

/* `sign` 1: the row's velocity is that of the coordinate. */
static FilStatus act(const Axis* a, double sign, const FilSapBounded* law, double bias)
{
    double row[3];
    fil_v3_scale(row, -sign, a->axis);
    return fil_joint_add_row(a->solver, a->joint, a->point, row, law, bias);
}

static FilStatus limit(const Axis* a, double gap, double sign)
{
    const FilJoint* joint = a->joint;
    const bool soft = joint->limit_stiffness > 0.0;
    // no braking before it touches
    FilSapBounded law = fil_joint_law(1, &gap, soft ? joint->limit_stiffness : INFINITY, gap > 0.0 ? 0.0 : joint->limit_damping);
    law.depth = a->point == NULL ? FIL_JOINT_DEPTH : joint->depth;
    law.hardest = joint->hardest;
    law.exact = soft;
    law.lower[0] = 0.0;
    return act(a, sign, &law, 0.0);
}

/* Spring and damper on the coordinate, as they are. */
static FilStatus draw(const Axis* a, double error, double stiffness, double damping)
{
    FilSapBounded law = fil_joint_law(1, &error, stiffness, damping);
    law.exact = true;
    return act(a, 1.0, &law, 0.0);
}

static FilStatus rub(const Axis* a)
{
    FilSapBounded law = fil_joint_law(1, NULL, 0.0, 0.0);
    law.sticks = true;
    law.upper[0] = a->dt * a->joint->friction;
    law.lower[0] = -law.upper[0];
    return act(a, 1.0, &law, 0.0);
}

static FilStatus drive(const Axis* a)
{
    const FilJoint* joint = a->joint;
    const FilJointMotor* motor = &joint->motor;
    const bool follows = motor->mode == FIL_JOINT_POSITION, rigid = motor->stiffness == 0.0 && motor->damping == 0.0;
    // g + dt (v - rate) = position + dt v - target
    const double error = a->position - joint->target + a->dt * joint->rate;
    const double rate = follows ? joint->rate : joint->target;
    FilSapBounded law = fil_joint_law(1, follows ? &error : NULL, !follows ? 0.0 : rigid ? INFINITY : motor->stiffness, motor->damping);
    law.exact = !rigid;
    law.sticks = !follows && rigid;
    law.upper[0] = a->dt * motor->max_effort;
    law.lower[0] = -law.upper[0];
    if (motor->mode == FIL_JOINT_EFFORT) {
        law.sticks = true;  // the impulse is what the bounds leave
        law.upper[0] = a->dt * fmin(fmax(joint->target, -motor->max_effort), motor->max_effort);
        law.lower[0] = law.upper[0];
    }
    a->joint->motor_row = joint->row_count;
    return act(a, 1.0, &law, motor->mode == FIL_JOINT_EFFORT ? 0.0 : -rate);
}

static FilStatus act_along(const Axis* a, double stiffness, double damping)
{
    const FilJoint* joint = a->joint;
    FilStatus status = isfinite(joint->lower) ? limit(a, a->position - joint->lower, 1.0) : FIL_OK;
    status = status == FIL_OK && isfinite(joint->upper) ? limit(a, joint->upper - a->position, -1.0) : status;
    status = status == FIL_OK && stiffness + damping > 0.0 ? draw(a, a->position - joint->rest, stiffness, damping) : status;
    status = status == FIL_OK && joint->friction > 0.0 ? rub(a) : status;
    return status == FIL_OK && joint->motor.mode != FIL_JOINT_PASSIVE ? drive(a) : status;
}

/* A ball: its spring turns it back whichever way it has turned, its friction acts about each of a's axes. */
static FilStatus act_about_point(Axis* a, const FilPose frame[2])
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    FilJoint* joint = a->joint;
    FilStatus status = FIL_OK;
    if (isfinite(joint->upper)) {
        fil_joint_swing_between(&frame[1], &frame[0], a->axis);
        if (fil_v3_normalise(a->axis) > 0.0) {  // in the middle of its cone it has no way to go
            status = limit(a, joint->upper - a->position, -1.0);
        }
    }
    if (status == FIL_OK && joint->angular_stiffness[0] + joint->angular_damping > 0.0) {
        double turn[3];
        fil_joint_turn_between(&frame[0], &frame[1], turn);
        FilSapBounded law = fil_joint_law(3, turn, joint->angular_stiffness[0], joint->angular_damping);
        law.exact = true;
        status = fil_joint_add_row(a->solver, joint, NULL, unit, &law, 0.0);
    }
    // about each axis by itself: inertias about them may differ by far
    for (int k = 0; k < 3 && status == FIL_OK && joint->friction > 0.0; k++) {
        fil_pose_axis(a->axis, &frame[0], k);
        status = rub(a);
    }
    return status;
}

FilStatus fil_joint_add_axis(FilSolver* solver, FilJoint* joint, const FilPose frame[2], FilJointCoordinate coordinate, double position, double dt)
{
    Axis a = {.solver = solver, .joint = joint, .position = position, .dt = dt};
    fil_pose_axis(a.axis, &frame[1], 0);
    switch (coordinate) {
        case FIL_JOINT_TURN:
            return act_along(&a, joint->angular_stiffness[0], joint->angular_damping);
        case FIL_JOINT_SLIDE:
            a.point = frame[0].p;
            return act_along(&a, joint->stiffness, joint->damping);
        case FIL_JOINT_SWING:
            return act_about_point(&a, frame);
        case FIL_JOINT_NO_COORDINATE:
            break;
    }
    return FIL_OK;
}
