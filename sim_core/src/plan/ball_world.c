#include "plan/ball_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/quat.h"
#include "base/vec3.h"
#include "body/rigid.h"
#include "world/world.h"

static FilStatus check_numbers(const FilBallTask* task, FilError* error)
{
    if (task->directions < 4 || task->directions > FIL_PLAN_DIRECTIONS || task->directions % 2 != 0) {
        return fil_error(error, FIL_BAD_INPUT, "plan: directions must be even, 4 to %d", FIL_PLAN_DIRECTIONS);
    }
    if (!(task->elongation[0] < task->elongation[1]) || !(task->effort > 0.0) || !(task->slip > 0.0) ||
        !(task->spin[0] >= 0.0 && task->spin[1] >= 0.0 && task->spin[2] >= 0.0) || !(task->target >= 0.0) ||
        !(task->face > 0.0 && task->face <= 1.0) || !(task->normal_force[0] >= 0.0 && task->normal_force[0] < task->normal_force[1])) {
        return fil_error(error, FIL_BAD_INPUT, "plan: bounds must leave room between them");
    }
    return FIL_OK;
}

static FilStatus take_ball(const FilWorld* world, const FilBallTask* task, const FilSoftArm* arm, FilBallStart* out, FilError* error)
{
    const FilBody* body = fil_kind_body(world, FIL_BODY_RIGID, task->body);
    const FilRigidBody* ball = body != NULL ? body->impl : NULL;
    // 1e-9 m: rounding of the centre of mass
    if (ball == NULL || ball->motion != FIL_DYNAMIC || ball->shape_count != 1 || ball->shapes[0].def.type != FIL_SHAPE_SPHERE ||
        fil_v3_norm(ball->shapes[0].pose.p) > 1e-9) {
        return fil_error(error, FIL_BAD_INPUT, "plan: the body must be a ball: dynamic, one sphere about its centre");
    }
    FilVec3 position, velocity, spin;
    FilQuat orientation;
    FilBallTurn* turn = &out->turn;
    fil_rigid_get_pose(world, task->body, &position, &orientation);
    fil_rigid_get_velocity(world, task->body, &velocity, &spin);
    const FilSurface surface = fil_surface_combine(&arm->collision.surface, &ball->collision.surface);
    turn->radius = ball->shapes[0].shape.radius;
    turn->inertia = ball->inertia[0];
    turn->damping = ball->damping_angular * ball->inertia[0];
    turn->friction = task->friction > 0.0 ? task->friction : surface.friction;
    fil_v3_set(turn->centre, position.x, position.y, position.z);
    // the target: turned about the axis from where the ball is
    double axis[3] = {task->axis.x, task->axis.y, task->axis.z};
    const double size = fil_v3_norm(axis);
    if (!(size > 0.0) || !isfinite(task->angle)) {
        return fil_error(error, FIL_BAD_INPUT, "plan: the axis must not be zero");
    }
    fil_v3_scale(axis, task->angle / size, axis);
    const FilQuat target = fil_quat_multiply(fil_quat_exponential(axis), orientation);
    const double wanted[4] = {target.x, target.y, target.z, target.w};
    memcpy(turn->target, wanted, sizeof wanted);
    const double state[7] = {orientation.x, orientation.y, orientation.z, orientation.w, spin.x, spin.y, spin.z};
    memcpy(out->state + fil_ball_layout(turn).q, state, sizeof state);
    snprintf(out->body, sizeof out->body, "%s", fil_kind_name(world, FIL_BODY_RIGID, task->body));
    return FIL_OK;
}

/* Stretched out as far as the bounds let it, the arm must come to the ball: no shape reaches farther than its length. */
static FilStatus check_reach(const FilBallTask* task, const FilBallTurn* turn, FilError* error)
{
    const FilPlanArm* arm = &turn->arm;
    double to_ball[3], reach = turn->radius + arm->disk_radius + 0.5 * arm->disk_thickness;
    for (int s = 0; s < arm->sections; s++) {
        reach += arm->length[s] + task->elongation[1];
    }
    fil_v3_sub(to_ball, turn->centre, arm->base.p);
    const double distance = fil_v3_norm(to_ball);
    if (distance > reach) {
        return fil_error(error, FIL_BAD_INPUT,
                         "plan: the arm cannot reach the ball: its base is %.4g m away, and at elongations of %.3g m it reaches %.4g m", distance,
                         task->elongation[1], reach);
    }
    return FIL_OK;
}

FilStatus fil_ball_start_from(const FilWorld* world, const FilBallTask* task, FilBallStart* out, FilPlanChannels* channels, FilError* error)
{
    const FilBody* body = fil_kind_body(world, FIL_BODY_ARM, task->arm);
    const FilVec3 g = fil_world_gravity(world);
    const double gravity[3] = {g.x, g.y, g.z};
    const FilPlanWeights* w = &task->weights;
    if (body == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "plan: there is no such arm");
    }
    const FilSoftArm* arm = body->impl;
    *out = (FilBallStart){.turn = {.stages = 0}};
    FilBallTurn* turn = &out->turn;
    FilStatus status = check_numbers(task, error);
    status = status == FIL_OK ? fil_plan_arm_from(arm, gravity, &turn->arm, error) : status;
    for (int k = 0; k < 3 * arm->section_count && status == FIL_OK; k++) {
        fil_plan_channels_add(channels, fil_kind_name(world, FIL_BODY_ARM, task->arm), NULL, k, arm->sections[k / 3].chamber_area);
        if (arm->sections[k / 3].chambers != 3) {
            status = fil_error(error, FIL_BAD_INPUT, "plan: sections must have three chambers");
        }
    }
    if (status != FIL_OK) {
        return status;
    }
    turn->directions = task->directions;
    turn->arm.disk_radius *= task->face;
    turn->weights = (FilBallWeights){w->orientation, w->terminal, w->normal_force, w->force_rate, w->speed_rate, w->spin_rate, w->effort, w->unit};
    out->bounds =
        (FilBallBounds){{task->elongation[0], task->elongation[1]},    task->effort, {task->normal_force[0], task->normal_force[1]}, task->slip,
                        {task->spin[0], task->spin[1], task->spin[2]}, task->target};
    const FilBallLayout o = fil_ball_layout(turn);
    fil_arm_get_state(world, task->arm, out->state + o.l, out->state + o.v);
    status = take_ball(world, task, arm, out, error);
    return status == FIL_OK ? check_reach(task, turn, error) : status;
}
