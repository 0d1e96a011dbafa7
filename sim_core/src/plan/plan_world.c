#include "plan/plan_world.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/quat.h"
#include "base/vec3.h"
#include "body/rigid.h"
#include "plan/plan_ipopt.h"
#include "world/world.h"

static FilStatus check_numbers(const FilPlanDef* def, FilError* error)
{
    const int coarse = def->nodes >> (def->meshes - 1);
    if (!(def->horizon > 0.0) || def->meshes < 1 || def->meshes > 4 || coarse < 2 || def->seeds < 1) {
        return fil_error(error, FIL_BAD_INPUT,
                         "plan: needs a horizon above zero, 1 to 4 meshes, the coarsest of 2 nodes or more, and a seed");
    }
    if (def->threads < 1 || def->threads > 64) {
        return fil_error(error, FIL_BAD_INPUT, "plan: threads must be 1 to 64, not %d", def->threads);
    }
    if (def->solver == FIL_PLAN_IPOPT && !fil_plan_ipopt_present()) {
        return fil_error(error, FIL_BAD_INPUT,
                         "plan: this build has no IPOPT; install it (Debian: coinor-libipopt-dev) and configure with "
                         "-DFILUM_IPOPT=on, or take the solver 'structured'");
    }
    if (def->solver == FIL_PLAN_IPOPT && def->receding > 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "plan: a receding horizon needs the solver 'structured'");
    }
    if (def->nodes % (1 << (def->meshes - 1)) != 0) {
        return fil_error(error, FIL_BAD_INPUT, "plan: %d nodes cannot be halved %d times", def->nodes, def->meshes - 1);
    }
    if (def->directions < 4 || def->directions > FIL_PLAN_DIRECTIONS || def->directions % 2 != 0) {
        return fil_error(error, FIL_BAD_INPUT, "plan: directions must be even, 4 to %d", FIL_PLAN_DIRECTIONS);
    }
    if (!(def->relaxation[1] > 0.0 && def->relaxation[0] >= def->relaxation[1]) ||
        !(def->relaxation_fall > 0.0 && def->relaxation_fall < 1.0) || !(def->tolerance > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "plan: the relaxation must fall, and end above zero");
    }
    if (!(def->elongation[0] < def->elongation[1]) || !(def->effort > 0.0) || !(def->slip > 0.0) || !(def->spin >= 0.0) || !(def->target >= 0.0) ||
        !(def->face > 0.0 && def->face <= 1.0) ||
        !(def->normal_force[0] >= 0.0 && def->normal_force[0] < def->normal_force[1])) {
        return fil_error(error, FIL_BAD_INPUT, "plan: bounds must leave room between them");
    }
    return FIL_OK;
}

static FilStatus take_ball(const FilWorld* world, const FilPlanDef* def, const FilSoftArm* arm,
                           FilPlanStart* out, FilError* error)
{
    const FilBody* body = fil_kind_body(world, FIL_BODY_RIGID, def->body);
    const FilRigidBody* ball = body != NULL ? body->impl : NULL;
    if (ball == NULL || ball->motion != FIL_DYNAMIC || ball->shape_count != 1 ||
        ball->shapes[0].def.type != FIL_TYPE_SPHERE || fil_v3_norm(ball->shapes[0].pose.p) > 1e-9) {
        return fil_error(error, FIL_BAD_INPUT, "plan: the body must be a ball: dynamic, one sphere about its centre");
    }
    FilVec3 position, velocity, spin;
    FilQuat orientation;
    FilBallTurn* turn = &out->turn;
    fil_rigid_get_pose(world, def->body, &position, &orientation);
    fil_rigid_get_velocity(world, def->body, &velocity, &spin);
    const FilSurface surface = fil_surface_combine(&arm->collision.surface, &ball->collision.surface);
    turn->radius = ball->shapes[0].shape.radius;
    turn->inertia = ball->inertia[0];
    turn->damping = ball->damping_angular * ball->inertia[0];
    turn->friction = def->friction > 0.0 ? def->friction : surface.friction;
    fil_v3_set(turn->centre, position.x, position.y, position.z);
    // the target: turned about the axis from where the ball is
    double axis[3] = {def->axis.x, def->axis.y, def->axis.z};
    const double size = fil_v3_norm(axis);
    if (!(size > 0.0) || !isfinite(def->angle)) {
        return fil_error(error, FIL_BAD_INPUT, "plan: the axis must not be zero");
    }
    fil_v3_scale(axis, def->angle / size, axis);
    const FilQuat target = fil_quat_multiply(fil_quat_exponential(axis), orientation);
    const double wanted[4] = {target.x, target.y, target.z, target.w};
    memcpy(turn->target, wanted, sizeof wanted);
    const double state[7] = {orientation.x, orientation.y, orientation.z, orientation.w, spin.x, spin.y, spin.z};
    memcpy(out->state + fil_ball_layout(turn).q, state, sizeof state);
    return FIL_OK;
}

/* Stretched out as far as the bounds let it, the arm must come to the ball: no shape reaches farther than its length. */
static FilStatus check_reach(const FilPlanDef* def, const FilBallTurn* turn, FilError* error)
{
    const FilPlanArm* arm = &turn->arm;
    double to_ball[3], reach = turn->radius + arm->disk_radius + 0.5 * arm->disk_thickness;
    for (int s = 0; s < arm->sections; s++) {
        reach += arm->length[s] + def->elongation[1];
    }
    fil_v3_sub(to_ball, turn->centre, arm->base.p);
    const double distance = fil_v3_norm(to_ball);
    if (distance > reach) {
        return fil_error(error, FIL_BAD_INPUT,
                         "plan: the arm cannot reach the ball: its base is %.4g m away, and at elongations of %.3g m it reaches %.4g m",
                         distance, def->elongation[1], reach);
    }
    return FIL_OK;
}

FilStatus fil_plan_start_from(const FilWorld* world, const FilPlanDef* def, FilPlanStart* out, FilError* error)
{
    const FilBody* body = fil_kind_body(world, FIL_BODY_ARM, def->arm);
    const FilVec3 g = fil_world_gravity(world);
    const double gravity[3] = {g.x, g.y, g.z};
    const FilPlanWeights* w = &def->weights;
    if (body == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "plan: there is no such arm");
    }
    const FilSoftArm* arm = body->impl;
    *out = (FilPlanStart){.turn = {.stages = 0}};
    FilBallTurn* turn = &out->turn;
    FilStatus status = check_numbers(def, error);
    status = status == FIL_OK ? fil_plan_arm_from(arm, gravity, &turn->arm, error) : status;
    for (int k = 0; k < arm->section_count && status == FIL_OK; k++) {
        out->area[k] = arm->sections[k].chamber_area;
        if (arm->sections[k].chambers != 3) {
            status = fil_error(error, FIL_BAD_INPUT, "plan: sections must have three chambers");
        }
    }
    if (status != FIL_OK) {
        return status;
    }
    turn->directions = def->directions;
    turn->arm.disk_radius *= def->face;
    turn->weights = (FilBallWeights){w->orientation, w->terminal,  w->normal_force, w->force_rate,
                                     w->speed_rate,  w->spin_rate, w->effort,       w->unit};
    out->bounds = (FilBallBounds){{def->elongation[0], def->elongation[1]},
                                  def->effort,
                                  {def->normal_force[0], def->normal_force[1]},
                                  def->slip,
                                  def->spin,
                                  def->target};
    const FilBallLayout o = fil_ball_layout(turn);
    fil_arm_get_state(world, def->arm, out->state + o.l, out->state + o.v);
    status = take_ball(world, def, arm, out, error);
    return status == FIL_OK ? check_reach(def, turn, error) : status;
}
