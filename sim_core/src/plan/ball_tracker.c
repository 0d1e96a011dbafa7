/* Feedback on a turned ball, and an estimate of the load that the plan's model does not know; rehearsals. */
#include "plan/ball_tracker.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "filum/arm.h"
#include "world/world.h"

// s: unknown loads are followed with this delay; 20 to 100 ms tried, the plan's motions take tenths of a second
static const double LOAD_DELAY = 0.03;

static FilId arm_of(const FilPlan* plan, const FilWorld* world)
{
    return fil_kind_find(world, FIL_BODY_ARM, plan->start->channels.outlets[0].object);
}

static FilId ball_of(const FilPlan* plan, const FilWorld* world)
{
    return fil_kind_find(world, FIL_BODY_RIGID, plan->start->of.ball.body);
}

/* What the equations of motion leave of the last period is a load: d = M dv/dt + (forces) - tau + J'F, filtered; F has the
 * measured normal force and the plan's friction. */
static void estimate(FilPlanTracker* tracker, double elapsed, FilReference* now)
{
    const FilBallTurn* turn = tracker->plan->mesh.data;
    const FilBallLayout o = fil_ball_layout(turn);
    FilStepRows rows;
    double axes[3][3], force[3];
    fil_ball_axes(turn, now->l, axes);
    fil_v3_scale(force, 1.0 / elapsed, tracker->state.impulse);
    for (int a = 0; a < 3; a++) {
        now->force[a] = fil_v3_dot(force, axes[a]);
    }
    // friction beyond the plan's, from whoever pushes the ball, is a load too: left alone it would lever the disk off the ball
    if (now->force[2] > 0.0) {
        FilReference plan;
        fil_tracking_at(&tracker->plan->tracking, tracker->state.last_time + elapsed - tracker->begin, &plan);
        memcpy(now->force, plan.force, 2 * sizeof(double));
    }
    for (int i = 0; i < o.joints; i++) {
        now->tau[i] = tracker->commands[i].effort;
    }
    fil_step_rows(turn, elapsed, tracker->state.last.v, tracker->state.last.w, now, FIL_PLAN_VALUES, &rows);
    const double share = elapsed / (elapsed + LOAD_DELAY);
    for (int i = 0; i < o.joints; i++) {
        tracker->state.load[i] += share * (rows.row[o.v + i] / elapsed - tracker->state.load[i]);
    }
}

FilStatus fil_ball_tracker_command(FilPlanTracker* tracker, FilWorld* world, double time)
{
    const FilPlan* plan = tracker->plan;
    const int n = plan->tracking.joints;
    FilReference now;
    bool touches = true;
    fil_ball_tracker_observe(plan, world, &now);
    if (tracker->started) {
        touches = fil_v3_norm(tracker->state.impulse) > 0.0;
        estimate(tracker, time - tracker->state.last_time, &now);
    }
    double tau[FIL_PLAN_SHAPES];
    fil_tracking_efforts(&plan->tracking, time - tracker->begin, &now, touches, tau);
    for (int i = 0; i < n; i++) {
        tracker->commands[i].effort = tau[i] - tracker->state.load[i];
    }
    tracker->state.last = now;
    tracker->state.last_time = time;
    fil_v3_set(tracker->state.impulse, 0.0, 0.0, 0.0);
    return FIL_OK;
}

static bool same(FilId a, FilId b)
{
    return a.index == b.index && a.generation == b.generation;
}

/* The force of the arm's disks on the ball in the last step, N. */
void fil_ball_tracker_listen(FilPlanTracker* tracker, const FilWorld* world)
{
    const double dt = fil_world_dt(world);
    const FilId arm = arm_of(tracker->plan, world), body = ball_of(tracker->plan, world);
    for (int k = 0; k < fil_world_contact_count(world); k++) {
        const FilContactInfo c = fil_world_contact(world, k);
        const bool ours = same(c.a, arm) && same(c.b, body), turned = same(c.b, arm) && same(c.a, body);
        const double sign = ours ? dt : turned ? -dt : 0.0;
        const double force[3] = {c.force.x, c.force.y, c.force.z};
        fil_v3_axpy(tracker->state.impulse, sign, force);
    }
}

void fil_ball_tracker_observe(const FilPlan* plan, const FilWorld* world, FilReference* now)
{
    const FilId ball = ball_of(plan, world);
    FilVec3 position, velocity, spin;
    FilQuat q;
    memset(now, 0, sizeof *now);
    fil_arm_get_state(world, arm_of(plan, world), now->l, now->v);
    fil_rigid_get_pose(world, ball, &position, &q);
    fil_rigid_get_velocity(world, ball, &velocity, &spin);
    now->q[0] = q.x, now->q[1] = q.y, now->q[2] = q.z, now->q[3] = q.w;
    fil_v3_set(now->w, spin.x, spin.y, spin.z);
}

/* ---- rehearsal ---- */

/* From one knot to the next with linear efforts, those at the steps' ends. */
static FilStatus ramp(FilPlanTracker* tracker, FilWorld* world, double begin, const double* from, const double* to)
{
    const FilPlan* plan = tracker->plan;
    const FilTracking* tracking = &plan->tracking;
    const double dt = fil_world_dt(world);
    FilStatus status = FIL_OK;
    while (fil_world_time(world) < begin + tracking->step - 0.5 * dt && status == FIL_OK) {
        const double share = fmin(1.0, (fil_world_time(world) + dt - begin) / tracking->step);
        FilPlanCommand commands[FIL_PLAN_SHAPES] = {{.position = 0.0}};
        for (int i = 0; i < tracking->joints; i++) {
            commands[i].effort = (1.0 - share) * from[i] + share * to[i];
        }
        status = fil_plan_channels_set(&plan->start->channels, world, commands);
        status = status == FIL_OK ? fil_world_step(world, NULL) : status;
        fil_ball_tracker_listen(tracker, world);
    }
    for (int i = 0; i < tracking->joints; i++) {  // what acted on average
        tracker->commands[i].effort = 0.5 * (from[i] + to[i]);
    }
    return status;
}

FilStatus fil_plan_rehearse(FilPlan* plan, FilWorld* world)
{
    if (!plan->kind->turns) {
        return fil_world_fail(world, FIL_BAD_INPUT, "plan: rehearsals are for turns of a ball");
    }
    if (!plan->steered) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "plan: it has no feedback, because memory ran out when it was made");
    }
    FilTracking* tracking = &plan->tracking;
    const double begin = fil_world_time(world), steps = tracking->step / fil_world_dt(world);
    const int n = tracking->joints;
    // pressures bend at knots: with a knot within a step the replay would not have what the rehearsal had
    if (fabs(steps - round(steps)) > 1e-6 * steps) {
        return fil_world_fail(world, FIL_BAD_INPUT, "plan: a rehearsal needs a time step that divides %g s, not one of %g s", tracking->step,
                              fil_world_dt(world));
    }
    double* taken = fil_alloc((size_t)(tracking->steps + 1), sizeof(double) * (size_t)n);
    FilStatus status = taken != NULL ? FIL_OK : fil_world_set_error(world, FIL_OUT_OF_MEMORY, "plan: out of memory");
    FilPlanTracker tracker = {.plan = plan, .begin = begin};
    if (status == FIL_OK) {
        memcpy(taken, tracking->instants[0].tau, sizeof(double) * (size_t)n);
    }
    for (int k = 0; k < tracking->steps && status == FIL_OK; k++) {
        // what is known at a knot decides what the next one has
        const double* tau = taken + k * n;
        double *next = taken + (k + 1) * n, steered[FIL_PLAN_SHAPES];
        FilReference now;
        fil_ball_tracker_observe(plan, world, &now);
        const bool touches = k == 0 || fil_v3_norm(tracker.state.impulse) > 0.0;
        if (k > 0) {
            estimate(&tracker, tracking->step, &now);
        }
        fil_tracking_efforts(tracking, k * tracking->step, &now, touches, steered);
        for (int i = 0; i < n; i++) {
            next[i] = tracking->instants[k + 1].tau[i] + steered[i] - tracking->instants[k].tau[i] - tracker.state.load[i];
        }
        tracker.state.last = now;
        tracker.state.last_time = fil_world_time(world);
        fil_v3_set(tracker.state.impulse, 0.0, 0.0, 0.0);
        status = ramp(&tracker, world, begin + k * tracking->step, tau, next);
    }
    for (int k = 0; k <= tracking->steps && status == FIL_OK; k++) {
        memcpy(tracking->instants[k].tau, taken + k * n, sizeof(double) * (size_t)n);
    }
    fil_free(taken);
    return status;
}
