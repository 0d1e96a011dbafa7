/* Turns of a ball as a kind of plan: from a task to stage problems, and from a solution to commands. */
#include <math.h>
#include <string.h>

#include "base/quat.h"
#include "plan/ball_tracker.h"
#include "plan/plan_data.h"
#include "world/world.h"

// 1 - (q . target)^2 that P1 reports, as an angle: sin^2 of half of it
static const double GOOD_ORIENTATION = 1e-5;
// m, how far first guesses move the arm about; the first one stands still
static const double NOISE = 0.01;

static FilStatus start_from(const FilWorld* world, const FilPlanDef* def, FilPlanStart* out, FilError* error)
{
    return fil_ball_start_from(world, &def->ball, &out->of.ball, &out->channels, error);
}

static bool transcribe(const FilPlanStart* start, int stages, double step, FilMeshUse use, FilPlanMesh* out)
{
    FilBallTurn turn = start->of.ball.turn;
    FilBallBounds bounds = start->of.ball.bounds;
    turn.stages = stages;
    turn.step = step;
    turn.kinematic = use == FIL_MESH_KINEMATIC;
    // cold, a bound of the end that no guess meets leaves the solver stuck; a coarse mesh comes near it by the weights alone, and the finest begins
    // there
    bounds.target = use == FIL_MESH_FINEST ? bounds.target : 0.0;
    return fil_ball_problem_create(&turn, &bounds, start->of.ball.state, out);
}

static void guess(const FilPlanMesh* mesh, int seed, double* x)
{
    fil_ball_guess(mesh, 0.0, seed > 0 ? NOISE : 0.0, (unsigned)seed, x);
}

static int states(const FilPlanMesh* mesh)
{
    return fil_ball_layout(mesh->data).gap;
}

static FilPlanQuality judge(const FilPlanStart* start, const FilPlanMesh* mesh, const double* x)
{
    FilPlanQuality q = fil_ball_judge(mesh, x);
    const double half = sin(0.5 * q.turn_miss);
    (void)start;
    q.there = half * half <= GOOD_ORIENTATION;
    return q;
}

static const char* subject(const FilPlanMesh* mesh, int row)
{
    const FilBallLayout o = fil_ball_layout(mesh->data);
    return row < o.q      ? "the arm's motion"
           : row < o.gap  ? "the ball's rotation"
           : row < o.cone ? "the gap between disk and ball"
           : row < o.face ? "friction"
                          : "the place of contact on the disk";
}

static void count(const FilPlanMesh* mesh, FilPlanInfo* info)
{
    info->coordinates = fil_ball_layout(mesh->data).joints + 3;
    info->points = 1;
}

static bool steer(FilPlan* plan)
{
    const FilTrackingWeights weights = fil_tracking_weights_default();
    return fil_tracking_create(&plan->mesh, plan->x, &weights, &plan->tracking);
}

/* Instants of the smooth motion; where memory ran out before it was made, the ends of stages. */
static int knots(const FilPlan* plan)
{
    return 1 + (plan->steered ? plan->tracking.steps : plan->mesh.problem.stages);
}

static double knot(const FilPlan* plan, int k, int channel, FilPlanCommand* command)
{
    if (!plan->steered) {
        const FilBallTurn* turn = plan->mesh.data;
        const FilBallLayout o = fil_ball_layout(turn);
        const double *x = plan->x + (k > 0 ? k - 1 : 0) * o.variables, *state = k > 0 ? x : plan->mesh.before;
        *command = (FilPlanCommand){.position = state[o.l + channel], .velocity = state[o.v + channel], .effort = x[o.tau + channel]};
        return k * turn->step;
    }
    const FilReference* at = &plan->tracking.instants[k];
    *command = (FilPlanCommand){.position = at->l[channel], .velocity = at->v[channel], .effort = at->tau[channel]};
    return k * plan->tracking.step;
}

static void miss(const FilPlan* plan, const FilWorld* world, double* away, double* turned)
{
    const FilId ball = fil_kind_find(world, FIL_BODY_RIGID, plan->start->of.ball.body);
    const double* t = plan->start->of.ball.turn.target;
    FilVec3 position;
    FilQuat orientation;
    *away = 0.0;
    *turned = NAN;
    if (fil_kind_body(world, FIL_BODY_RIGID, ball) != NULL) {
        fil_rigid_get_pose(world, ball, &position, &orientation);
        *turned = fil_quat_angle_between(orientation, (FilQuat){t[0], t[1], t[2], t[3]});
    }
}

const FilTranscription fil_ball_transcription = {.word = "a turn of a ball",
                                                 .turns = true,
                                                 .start = start_from,
                                                 .transcribe = transcribe,
                                                 .guess = guess,
                                                 .states = states,
                                                 .hold = fil_ball_hold,
                                                 .judge = judge,
                                                 .subject = subject,
                                                 .count = count,
                                                 .steer = steer,
                                                 .knots = knots,
                                                 .knot = knot,
                                                 .miss = miss,
                                                 .listen = fil_ball_tracker_listen,
                                                 .command = fil_ball_tracker_command};

FilPlanNode fil_plan_node(const FilPlan* plan, int stage)
{
    const FilBallTurn* turn = plan->mesh.data;
    const FilBallLayout o = fil_ball_layout(turn);
    const double* x = plan->x + stage * o.variables;
    const size_t bytes = sizeof(double) * (size_t)o.joints;
    FilPlanNode node = {.time = (stage + 1) * turn->step,
                        .orientation = {x[o.q], x[o.q + 1], x[o.q + 2], x[o.q + 3]},
                        .spin = {x[o.w], x[o.w + 1], x[o.w + 2]},
                        .normal_force = x[o.f],
                        .gap = x[o.gap]};
    memcpy(node.elongation, x + o.l, bytes);
    memcpy(node.rate, x + o.v, bytes);
    memcpy(node.effort, x + o.tau, bytes);
    if (!plan->steered) {
        return node;
    }
    const int m = 2 * o.joints + 6, step = stage * (plan->tracking.steps / turn->stages);
    for (int i = 0; i < o.joints; i++) {
        memcpy(node.gain[i], plan->tracking.gains + (step * o.joints + i) * m, sizeof(double) * (size_t)m);
    }
    return node;
}
