/* Manipulation as a kind of plan: from a task to stage problems, and from a solution to commands and feedback. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "base/script.h"
#include "base/vec3.h"
#include "body/rigid.h"
#include "filum/robot.h"
#include "plan/manipulation_parts.h"
#include "plan/plan_data.h"
#include "world/world.h"

// several contacts share loads in many ways, so that multipliers are not unique; chosen, 8 was tried
static const int PATIENCE = 8;
// of usual sizes, by which first guesses move what is driven; the first one does not
static const double NOISE = 0.1;
// feedback: how far contacts give way, of usual sizes (1e-3 and 1e-2 tried: a pushed box ends 2 to 6 mm off); what counts alike: m and rad of what
// has a goal, and of usual sizes of the other coordinates, of rates and of efforts; the end counts as much as this many seconds
static const double GIVES = 1e-2, GOAL_SLIDE = 5e-3, GOAL_HINGE = 0.02, OTHER = 0.3, RATE = 1.0, EFFORT = 0.3, END = 1.0;
// s, of feedback's own steps at most; 5 and 10 ms tried
static const double LONGEST = 5e-3;

/* ---- the problem ---- */

static void name_channels(const FilWorld* world, const FilManipulationStart* start, FilPlanChannels* channels)
{
    for (int d = 0; d < start->m.drives; d++) {
        const FilManipulationPart* part = &start->parts[start->driver[d][0]];
        const int index = start->driver[d][1];
        if (part->kind == FIL_BODY_ARM) {
            fil_plan_channels_add(channels, part->name, NULL, index, part->area[index / 3]);
            continue;
        }
        for (int k = 0; k < fil_world_robot_count(world); k++) {  // the part is a link of one of them
            const FilId robot = fil_world_robot_at(world, k);
            const FilBody* body = fil_kind_body(world, FIL_BODY_ROBOT, fil_robot_link(world, robot, 0));
            if (body != NULL && body->impl == part->impl) {
                fil_plan_channels_add(channels, fil_robot_name(world, robot), fil_robot_joint_name(world, robot, index), index, 0.0);
            }
        }
    }
}

static FilStatus start_from(const FilWorld* world, const FilPlanDef* def, FilPlanStart* out, FilError* error)
{
    const FilStatus status = fil_manipulation_start_from(world, &def->manipulation, def->horizon, &out->of.manipulation, error);
    if (status == FIL_OK) {
        name_channels(world, &out->of.manipulation, &out->channels);
    }
    return status;
}

static bool transcribe(const FilPlanStart* start, int stages, double step, FilMeshUse use, FilPlanMesh* out)
{
    FilManipulation m = start->of.manipulation.m;
    double state[2 * FIL_PLAN_COORDINATES] = {0.0};
    (void)use;
    m.stages = stages;
    m.step = step;
    memcpy(state, start->of.manipulation.state, sizeof(double) * (size_t)m.tree.coordinates);
    return fil_manipulation_problem_create(&m, &start->of.manipulation.bounds, state, out);
}

static void guess(const FilPlanMesh* mesh, int seed, double* x)
{
    fil_manipulation_guess(mesh, seed > 0 ? NOISE : 0.0, (unsigned)seed, x);
}

static int states(const FilPlanMesh* mesh)
{
    return fil_manipulation_layout(mesh->data).gap;
}

static const char* subject(const FilPlanMesh* mesh, int row)
{
    const FilManipulationLayout o = fil_manipulation_layout(mesh->data);
    return row < o.gap ? "the motion" : row < o.cone ? "the gap of a contact" : row < o.place ? "friction" : "the place of a contact";
}

static void count(const FilPlanMesh* mesh, FilPlanInfo* info)
{
    const FilManipulation* m = mesh->data;
    info->coordinates = m->tree.coordinates;
    info->points = m->touches;
}

/* ---- the goal ---- */

static void miss_of(const FilManipulationStart* start, const double* centre, FilQuat orientation, double* miss, double* turn_miss)
{
    double away[3];
    fil_v3_sub(away, centre, start->goal_position);
    *miss = fil_v3_norm(away);
    *turn_miss = fil_quat_angle_between(orientation, start->goal_orientation);
}

/* At coordinates q. */
static void miss_at(const FilManipulationStart* start, const double* q, double* miss, double* turn_miss)
{
    if (start->goal_coordinate >= 0) {
        *miss = *turn_miss = fabs(q[start->goal_coordinate] - start->m.goal[start->goal_coordinate]);
    } else {
        FilPose block, body;
        const FilManipulationPart* part = &start->parts[start->goal_part];
        fil_plan_tree_pose(&start->m.tree, q, part->first_block + 5, &block);
        fil_pose_compose(&body, &block, &part->turned);
        miss_of(start, block.p, fil_quat_from_m3(body.r), miss, turn_miss);
    }
}

static FilPlanQuality judge(const FilPlanStart* plan_start, const FilPlanMesh* mesh, const double* x)
{
    const FilManipulationStart* start = &plan_start->of.manipulation;
    const FilManipulationLayout o = fil_manipulation_layout(mesh->data);
    FilPlanQuality q = fil_manipulation_judge(mesh, x);
    miss_at(start, x + (mesh->problem.stages - 1) * o.variables + o.q, &q.miss, &q.turn_miss);
    // the bounds of the end are met by each coordinate; together they may be off by sqrt(3) as much
    q.there = q.miss <= 1.8 * start->within[0] && q.turn_miss <= 1.8 * start->within[1];
    return q;
}

static void miss(const FilPlan* plan, const FilWorld* world, double* away, double* turned)
{
    double q[FIL_PLAN_COORDINATES], v[FIL_PLAN_COORDINATES];
    *away = *turned = NAN;
    if (fil_manipulation_observe(&plan->start->of.manipulation, world, q, v)) {
        miss_at(&plan->start->of.manipulation, q, away, turned);
    }
}

/* ---- what is commanded ----
 *
 * A smooth motion between stages as reference.h has it: velocity v_k in the middle of stage k, linear from middle to middle, half a stage late at the
 * start and catching up until the end. Knots are the beginning, the middles and the end. */

static int knots(const FilPlan* plan)
{
    return plan->mesh.problem.stages + 2;
}

static double pace_of(const FilManipulation* m)
{
    return 1.0 + 0.5 / m->stages;
}

static double knot_time(const FilManipulation* m, int k)
{
    return k > m->stages ? m->stages * m->step : k * m->step / pace_of(m);
}

/* A coordinate at a knot. */
static void place_at(const FilPlan* plan, int k, int i, double* place, double* rate)
{
    const FilManipulation* m = plan->mesh.data;
    const FilManipulationLayout o = fil_manipulation_layout(m);
    const double *x = plan->x + (k - 1) * o.variables, *before = plan->mesh.before;
    if (k == 0) {
        *place = before[o.q + i];
        *rate = before[o.v + i];
    } else if (k > m->stages) {
        *place = x[o.q + i - o.variables];
        *rate = pace_of(m) * x[o.v + i - o.variables];
    } else {
        *place = 0.5 * (x[o.q + i] + (k > 1 ? x[o.q + i - o.variables] : before[o.q + i]));
        *rate = pace_of(m) * x[o.v + i];
    }
}

/* Efforts act from one middle to the next: at a knot half of both. */
static double effort_at(const FilPlan* plan, int k, int drive)
{
    const FilManipulation* m = plan->mesh.data;
    const FilManipulationLayout o = fil_manipulation_layout(m);
    const int before = k < 1 ? 0 : k > m->stages ? m->stages - 1 : k - 1, after = k < m->stages ? k : m->stages - 1;
    return 0.5 * (plan->x[before * o.variables + o.tau + drive] + plan->x[after * o.variables + o.tau + drive]);
}

static double knot(const FilPlan* plan, int k, int channel, FilPlanCommand* command)
{
    const FilManipulation* m = plan->mesh.data;
    *command = (FilPlanCommand){.effort = effort_at(plan, k, channel)};
    place_at(plan, k, m->drive[channel], &command->position, &command->velocity);
    return knot_time(m, k);
}

/* ---- feedback ---- */

/* A pair in its relaxed form (feedback.h). */
static FilFeedbackTie tie_of(const double* scale, const double* x, int a, int b)
{
    return (FilFeedbackTie){a, b, {x[b] / scale[b] + GIVES, x[a] / scale[a] + GIVES}};
}

static void tie_contacts(const void* data, const double* scale, const double* x, FilFeedbackTie* ties)
{
    const FilManipulation* m = data;
    const FilManipulationLayout o = fil_manipulation_layout(m);
    for (int c = 0; c < m->touches; c++) {
        const bool rough = m->touch[c].friction > 0.0;
        FilFeedbackTie *f = ties + o.f - o.f + c, *b = ties + o.b - o.f + c * o.width, *g = ties + o.g - o.f + c;
        *f = tie_of(scale, x, o.gap + c, o.f + c);
        *g = rough ? tie_of(scale, x, o.cone + c, o.g + c) : (FilFeedbackTie){o.g + c, o.g + c, {1.0, 0.0}};
        for (int i = 0; i < o.width; i++) {
            const int slip = o.slip + c * o.width + i, share = o.b + c * o.width + i;
            if (!rough) {
                b[i] = (FilFeedbackTie){share, share, {1.0, 0.0}};
            } else if (m->directions > 0) {
                b[i] = tie_of(scale, x, slip, share);
            } else {  // a cone's slip is an equation
                b[i] = (FilFeedbackTie){slip, share, {1.0, GIVES}};
            }
        }
    }
}

static void weigh(const FilPlanMesh* mesh, double* weight)
{
    const FilManipulation* m = mesh->data;
    const FilManipulationLayout o = fil_manipulation_layout(m);
    for (int b = 0; b < m->tree.blocks; b++) {
        const FilPlanBlock* block = &m->tree.block[b];
        for (int i = block->first; i < block->first + block->count; i++) {
            const bool aims = m->goal_weight[i] > 0.0 || m->end_weight[i] > 0.0;
            const double size = !aims ? OTHER * mesh->scale[o.q + i] : block->kind == FIL_BLOCK_HINGE ? GOAL_HINGE : GOAL_SLIDE;
            const double rate = RATE * mesh->scale[o.v + i];
            weight[o.q + i] = 1.0 / (size * size);
            weight[o.v + i] = 1.0 / (rate * rate);
        }
    }
    for (int d = 0; d < m->drives; d++) {
        const double effort = EFFORT * mesh->scale[o.tau + d];
        weight[o.carried + d] = 1.0 / (effort * effort);
    }
}

/* On a mesh of short steps: stages of implicit Euler damp what feedback would have to. Without gains, where the linearised stages have no answer, a
 * plan is followed by its efforts alone. */
static bool steer(FilPlan* plan)
{
    const FilManipulation* m = plan->mesh.data;
    const FilManipulationLayout o = fil_manipulation_layout(m);
    // 1e-9: a whole number but for rounding
    const int parts = (int)ceil(m->step / LONGEST - 1e-9), stages = parts * m->stages;
    const double step = m->step / parts;
    double weight[3 * FIL_PLAN_COORDINATES];
    FilPlanMesh fine;
    if (!transcribe(plan->start, stages, step, FIL_MESH_FINEST, &fine)) {
        return false;
    }
    double* x = fil_alloc((size_t)(stages * o.variables), sizeof(double));
    FilFeedbackResult result = FIL_FEEDBACK_NO_MEMORY;
    if (x != NULL) {
        const FilFeedbackDef def = {.first = o.tau,
                                    .efforts = m->drives,
                                    .weight = weight,
                                    .end = END / step,
                                    .step = step,
                                    .tie = tie_contacts,
                                    .coordinates = m->tree.coordinates,
                                    .stiffness = plan->start->of.manipulation.stiffness,
                                    .damping = plan->start->of.manipulation.damping};
        weigh(&fine, weight);
        fil_plan_resample(&plan->mesh.problem, states(&plan->mesh), plan->x, stages, x);
        result = fil_feedback_create(&fine.problem, x, &def, &plan->feedback);
    }
    fil_free(x);
    fil_plan_mesh_free(&fine);
    return result != FIL_FEEDBACK_NO_MEMORY;
}

static FilStatus command(FilPlanTracker* tracker, FilWorld* world, double now)
{
    const FilPlan* plan = tracker->plan;
    const FilManipulation* m = plan->mesh.data;
    const int n = m->tree.coordinates;
    const double time = fmin(now - tracker->begin, m->stages * m->step);
    double q[FIL_PLAN_COORDINATES], v[FIL_PLAN_COORDINATES], off[2 * FIL_PLAN_COORDINATES], efforts[FIL_PLAN_COORDINATES];
    if (!fil_manipulation_observe(&plan->start->of.manipulation, world, q, v)) {
        return FIL_BAD_INPUT;
    }
    int k = (int)(time / knot_time(m, 1));
    k = k > m->stages ? m->stages : k;
    const double begin = knot_time(m, k), length = knot_time(m, k + 1) - begin, u = fmin(1.0, (time - begin) / length);
    for (int i = 0; i < n; i++) {
        double from, to, from_rate, to_rate, place, rate;
        place_at(plan, k, i, &from, &from_rate);
        place_at(plan, k + 1, i, &to, &to_rate);
        fil_script_cubic(length, u, from, to, from_rate, to_rate, &place, &rate);
        off[i] = q[i] - place;
        off[n + i] = v[i] - rate;
        for (int d = 0; d < m->drives; d++) {
            if (m->drive[d] == i) {
                tracker->commands[d] = (FilPlanCommand){.position = place, .velocity = rate};
                efforts[d] = (1.0 - u) * effort_at(plan, k, d) + u * effort_at(plan, k + 1, d);
            }
        }
    }
    if (plan->feedback.gains != NULL) {
        const int steps = plan->feedback.stages, step = (int)(time / (m->stages * m->step) * steps);
        fil_feedback_add(&plan->feedback, step < steps ? step : steps - 1, off, efforts);
    }
    for (int d = 0; d < m->drives; d++) {
        tracker->commands[d].effort = efforts[d];
    }
    return FIL_OK;
}

const FilTranscription fil_manipulation_transcription = {.word = "manipulation",
                                                         .patience = PATIENCE,
                                                         .start = start_from,
                                                         .transcribe = transcribe,
                                                         .guess = guess,
                                                         .states = states,
                                                         .judge = judge,
                                                         .subject = subject,
                                                         .count = count,
                                                         .steer = steer,
                                                         .knots = knots,
                                                         .knot = knot,
                                                         .miss = miss,
                                                         .command = command};
