/* The public face of planning manipulation: meshes, verdict, and how a world follows a plan. */
#include "filum/manipulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "base/vec3.h"
#include "body/articulated.h"
#include "body/rigid.h"
#include "plan/manipulation_world.h"
#include "world/world.h"

// what a plan must meet: pairs as P1 reports them, rows likewise
static const double GOOD_VIOLATION = 1e-6, GOOD_PAIR = 1e-6;
// where the relaxation of finer meshes begins, and how close to bounds they may: their start is nearly a solution
static const double FINER_RELAXATION = 1e-3, FINER_PUSH = 1e-4;

// several contacts share loads in many ways, so that multipliers are not unique; chosen, 8 was tried
static const int PATIENCE = 8;

struct FilManipulationPlan {
    FilManipulationInfo info;
    FilManipulationStart start;
    FilManipulationProblem problem;
    double* x;
};

typedef struct Job {
    const FilManipulationDef* def;
    FilPlanReport report;
    bool cancelled;
} Job;

static bool report_progress(void* user, const FilPlanProgress* progress)
{
    Job* job = user;
    job->report.iteration = progress->iteration;
    job->report.cost = progress->cost;
    job->report.violation = progress->violation;
    job->report.pairs = progress->pairs;
    job->cancelled = job->cancelled || (job->def->report != NULL && !job->def->report(job->def->user, &job->report));
    return !job->cancelled;
}

/* One mesh, from a guess or from the mesh before; false without memory. */
static bool solve_mesh(Job* job, int mesh, FilManipulationPlan* plan)
{
    const FilManipulationDef* def = job->def;
    FilManipulation m = plan->start.m;
    FilManipulationProblem next;
    const bool finer = plan->x != NULL;
    m.stages = def->nodes >> (def->meshes - 1 - mesh);
    m.step = def->horizon / m.stages;
    double state[2 * FIL_PLAN_COORDINATES] = {0.0};
    memcpy(state, plan->start.state, sizeof(double) * (size_t)m.tree.coordinates);
    if (!fil_manipulation_problem_create(&m, &plan->start.bounds, state, &next)) {
        return false;
    }
    double* x = fil_alloc((size_t)(m.stages * next.problem.variables), sizeof(double));
    if (x == NULL) {
        fil_manipulation_problem_free(&next);
        return false;
    }
    if (finer) {
        fil_manipulation_resample(&plan->problem, plan->x, &next, x);
    } else {
        fil_manipulation_guess(&next, x);
    }
    FilPlanSettings settings = fil_plan_settings_default();
    settings.tolerance = def->tolerance;
    settings.relaxation_start = fmax(def->relaxation[1], finer ? fmin(FINER_RELAXATION, def->relaxation[0]) : def->relaxation[0]);
    settings.relaxation_end = def->relaxation[1];
    settings.fall = def->relaxation_fall;
    settings.push = finer ? FINER_PUSH : settings.push;
    settings.max_iterations = def->max_iterations;
    settings.patience = PATIENCE;
    settings.report = report_progress;
    settings.user = job;
    job->report.stages = m.stages;
    FilPlanPoint point = {.x = x};
    const FilPlanResult result = fil_interior_point(&next.problem, &settings, &point);
    plan->info.iterations += result.iterations;
    fil_manipulation_problem_free(&plan->problem);
    fil_free(plan->x);
    plan->problem = next;
    plan->problem.problem.data = &plan->problem.m;
    plan->x = x;
    return result.outcome != FIL_PLAN_NO_MEMORY;
}

/* ---- what was found ---- */

/* What a row is about, as a reader of a scene knows it. */
static const char* subject_of(const FilManipulation* m, int row)
{
    const FilManipulationLayout o = fil_manipulation_layout(m);
    return row < o.gap ? "the equations of motion" : row < o.cone ? "the gap of a contact" : row < o.place ? "friction" : "the place of a contact";
}

static double angle_between(FilQuat a, FilQuat b)
{
    const FilQuat turn = fil_quat_multiply(a, (FilQuat){-b.x, -b.y, -b.z, b.w});
    return 2.0 * atan2(sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), fabs(turn.w));
}

static void miss_of(const FilManipulationStart* start, const double* centre, FilQuat orientation, double* miss, double* turn_miss)
{
    double away[3];
    fil_v3_sub(away, centre, start->goal_position);
    *miss = fil_v3_norm(away);
    *turn_miss = angle_between(orientation, start->goal_orientation);
}

static void judge(const Job* job, FilManipulationPlan* plan)
{
    const FilManipulation* m = &plan->problem.m;
    const FilManipulationLayout o = fil_manipulation_layout(m);
    const FilManipulationQuality q = fil_manipulation_judge(&plan->problem, plan->x);
    const FilManipulationStart* start = &plan->start;
    const double* end = plan->x + (m->stages - 1) * o.variables + o.q;
    FilManipulationInfo* info = &plan->info;
    info->stages = m->stages;
    info->coordinates = m->tree.coordinates;
    info->points = m->touches;
    info->cost = q.cost;
    info->violation = q.violation;
    info->gap_pair = q.gap_pair;
    info->slip_pair = q.slip_pair;
    info->penetration = q.penetration;
    if (start->goal_coordinate >= 0) {
        info->miss = info->turn_miss = fabs(end[start->goal_coordinate] - m->goal[start->goal_coordinate]);
    } else {
        FilPose block, body;
        const FilManipulationPart* part = &start->parts[start->goal_part];
        fil_plan_tree_pose(&m->tree, end, part->first_block + 5, &block);
        fil_pose_compose(&body, &block, &part->turned);
        miss_of(start, block.p, fil_quat_from_m3(body.r), &info->miss, &info->turn_miss);
    }
    const double time = (q.worst_stage + 1) * m->step, *within = job->def->goal.within;
    // the bounds of the end are met by each coordinate; together they may be off by sqrt(3) as much
    const bool there = info->miss <= 1.8 * within[0] && info->turn_miss <= 1.8 * within[1];
    const bool solved = q.violation <= GOOD_VIOLATION && q.gap_pair <= GOOD_PAIR && q.slip_pair <= GOOD_PAIR;
    info->verdict = job->cancelled ? FIL_PLAN_STOPPED : !solved ? FIL_PLAN_UNFINISHED : there ? FIL_PLAN_GOOD : FIL_PLAN_OFF_TARGET;
    if (q.violation > GOOD_VIOLATION) {
        snprintf(info->reason, sizeof info->reason, "%s: off by %.2g at t = %.3g s: the bounds or the horizon may leave no motion, or iterations were too few",
                 subject_of(m, q.worst_row), q.violation, time);
    } else if (!solved) {
        snprintf(info->reason, sizeof info->reason, "contact is not settled: gap times force %.2g N m, slip times friction %.2g N m/s", q.gap_pair,
                 q.slip_pair);
    } else if (!there) {
        snprintf(info->reason, sizeof info->reason, "ends %.3g m and %.3g rad from the goal", info->miss, info->turn_miss);
    }
}

FilStatus fil_manipulation_solve(const FilWorld* world, const FilManipulationDef* def, FilManipulationPlan** out, FilError* error)
{
    FilManipulationPlan* plan = fil_alloc(1, sizeof *plan);
    Job job = {.def = def};
    *out = NULL;
    if (plan == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    const FilStatus status = fil_manipulation_start_from(world, def, &plan->start, error);
    if (status != FIL_OK) {
        fil_free(plan);
        return status;
    }
    bool ok = true;
    for (int k = 0; k < def->meshes && ok && !job.cancelled; k++) {
        ok = solve_mesh(&job, k, plan);
    }
    if (!ok) {
        fil_manipulation_destroy(plan);
        return fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    judge(&job, plan);
    *out = plan;
    return FIL_OK;
}

void fil_manipulation_destroy(FilManipulationPlan* plan)
{
    if (plan != NULL) {
        fil_manipulation_problem_free(&plan->problem);
        fil_free(plan->x);
        fil_free(plan);
    }
}

FilManipulationInfo fil_manipulation_info(const FilManipulationPlan* plan)
{
    return plan->info;
}

void fil_manipulation_coordinates(const FilManipulationPlan* plan, int stage, double* coordinates)
{
    const FilManipulationLayout o = fil_manipulation_layout(&plan->problem.m);
    memcpy(coordinates, plan->x + stage * o.variables + o.q, sizeof(double) * (size_t)plan->problem.m.tree.coordinates);
}

/* ---- following ---- */

/* A drive's command at a time: efforts are constant within a stage, positions linear. */
static FilJointCommand command_at(const FilManipulationPlan* plan, int drive, double time, FilFollowing following)
{
    const FilManipulation* m = &plan->problem.m;
    const FilManipulationLayout o = fil_manipulation_layout(m);
    const double stages = fmax(0.0, time / m->step);
    const int stage = stages < m->stages ? (int)stages : m->stages - 1, i = m->drive[drive];
    const double share = fmin(1.0, stages - stage), *x = plan->x + stage * o.variables;
    const double before = stage > 0 ? x[o.q + i - o.variables] : plan->problem.problem.before[i];
    const bool over = stages >= m->stages;  // it holds where it ended
    return (FilJointCommand){.mode = following == FIL_FOLLOW_EFFORTS ? FIL_JOINT_EFFORT : FIL_JOINT_POSITION,
                             .position = before + share * (x[o.q + i] - before),
                             .velocity = over ? 0.0 : x[o.v + i],
                             .effort = x[o.tau + drive]};
}

FilStatus fil_manipulation_follow(const FilManipulationPlan* plan, FilWorld* world, double time, FilFollowing following)
{
    const FilManipulationStart* start = &plan->start;
    for (int d = 0; d < start->m.drives; d++) {
        const FilManipulationPart* part = &start->parts[start->driver[d][0]];
        const FilJointCommand command = command_at(plan, d, time, following);
        const FilId id = fil_kind_find(world, (FilBodyKind)part->kind, part->name);
        const int index = start->driver[d][1];
        FilView view;
        if (part->kind == FIL_BODY_ARM) {
            const FilStatus status = fil_arm_set_pressure(world, id, index, command.effort / part->area[index / 3]);
            if (status != FIL_OK) {
                return status;
            }
        } else if (fil_kind_view(world, FIL_BODY_ROBOT, "link", id, &view)) {
            fil_articulated_set_command(view.impl, view.h, index, &command);
        } else {
            return fil_world_fail(world, FIL_BAD_INPUT, "plan: this world has no '%s'", part->name);
        }
    }
    return FIL_OK;
}

void fil_manipulation_miss(const FilManipulationPlan* plan, const FilWorld* world, double* miss, double* turn_miss)
{
    const FilManipulationStart* start = &plan->start;
    const FilManipulationPart* part = &start->parts[start->goal_part];
    const FilId id = fil_kind_find(world, (FilBodyKind)part->kind, part->name);
    FilView view;
    *miss = *turn_miss = NAN;
    if (!fil_kind_view(world, (FilBodyKind)part->kind, "object", id, &view)) {
        return;
    }
    if (start->goal_coordinate >= 0) {
        const FilArticulated* robot = view.impl;
        const double q = view.q[robot->bodies[start->goal_coordinate - part->first].q];
        *miss = *turn_miss = fabs(q - start->m.goal[start->goal_coordinate]);
    } else {
        const FilRigidBody* body = view.impl;
        FilPose pose;
        double centre[3];
        fil_rigid_pose(body, view.q, &pose);
        fil_pose_apply(centre, &pose, body->center);
        miss_of(start, centre, fil_quat_from_m3(pose.r), miss, turn_miss);
    }
}
