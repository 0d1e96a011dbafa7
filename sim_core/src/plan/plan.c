/* The public face of the planner: from a world to a problem, starts and meshes, and back to drives. */
#include "filum/plan.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/plan_data.h"
#include "plan/plan_ipopt.h"
#include "world/world.h"

// what a plan must meet: orientation and pairs as P1 reports them, rows ten times better
static const double GOOD_ORIENTATION = 1e-5, GOOD_VIOLATION = 1e-6, GOOD_PAIR = 1e-6;
// m, how far first guesses move the arm about; the first one stands still
static const double NOISE = 0.01;
// where the relaxation of finer meshes begins, and how close to bounds they may: their start is nearly a solution
static const double FINER_RELAXATION = 1e-3, FINER_PUSH = 1e-4;

enum { MOST_THREADS = 64 };

/* All starts of one plan, which threads share. */
typedef struct Search {
    const FilPlanDef* def;
    FilPlanStart start;
    pthread_mutex_t lock; /* of all below */
    int next;             /* seed */
    bool cancelled, ok;   /* ok: none was out of memory */
    int iterations;
    FilPlan* plan; /* the best so far */
} Search;

/* One thread's work. */
typedef struct Job {
    const FilPlanDef* def;
    Search* search;
    FilPlanReport report;
    bool cancelled;
    int iterations;
} Job;

/* ---- solving ---- */

static bool tell(void* user, const FilPlanProgress* progress)
{
    Job* job = user;
    job->report.iteration = progress->iteration;
    job->report.cost = progress->cost;
    job->report.violation = progress->violation;
    job->report.pairs = progress->pairs;
    Search* search = job->search;
    pthread_mutex_lock(&search->lock);
    search->cancelled = search->cancelled || (job->def->report != NULL && !job->def->report(job->def->user, &job->report));
    job->cancelled = search->cancelled;
    pthread_mutex_unlock(&search->lock);
    return !job->cancelled;
}

static FilPlanSettings settings_of(Job* job, bool finer, bool last)
{
    const FilPlanDef* def = job->def;
    FilPlanSettings s = fil_plan_settings_default();
    s.tolerance = def->tolerance;
    s.relaxation_start = finer ? fmin(FINER_RELAXATION, def->relaxation[0]) : def->relaxation[0];
    s.relaxation_start = fmax(s.relaxation_start, def->relaxation[1]);
    s.relaxation_end = def->relaxation[1];
    s.fall = def->relaxation_fall;
    s.push = finer ? FINER_PUSH : s.push;
    s.max_iterations = def->max_iterations;
    s.polish = last;
    s.report = tell;
    s.user = job;
    return s;
}

/* The problem with `stages` stages, solved from a guess or from the solution of another mesh; false without memory. */
static bool solve_mesh(Job* job, int stages, bool kinematic, bool last, FilBallProblem* problem, double** x)
{
    FilBallTurn turn = job->search->start.turn;
    FilBallProblem next;
    turn.stages = stages;
    turn.step = job->def->horizon / stages;
    turn.kinematic = kinematic;
    if (!fil_ball_problem_create(&turn, &job->search->start.bounds, job->search->start.state, &next)) {
        return false;
    }
    double* y = fil_alloc((size_t)(stages * next.problem.variables), sizeof(double));
    if (y == NULL) {
        fil_ball_problem_free(&next);
        return false;
    }
    const bool finer = *x != NULL, dynamic = finer && problem->turn.kinematic && !kinematic;
    if (finer) {
        fil_ball_resample(problem, *x, &next, y);
    } else {
        fil_ball_guess(&next, 0.0, job->report.seed > 0 ? NOISE : 0.0, (unsigned)job->report.seed, y);
    }
    if (dynamic) {
        fil_ball_hold(&next, y);
    }
    const FilPlanSettings settings = settings_of(job, finer, last);
    FilPlanPoint point = {.x = y};
    job->report.stages = stages;
    const FilPlanResult result = job->def->solver == FIL_PLAN_IPOPT ? fil_plan_ipopt(&next.problem, &settings, &point)
                                                                    : fil_interior_point(&next.problem, &settings, &point);
    job->iterations += result.iterations;
    fil_ball_problem_free(problem);
    fil_free(*x);
    *problem = next;
    *x = y;
    return result.outcome != FIL_PLAN_NO_MEMORY;
}

static FilPlanVerdict verdict_of(const FilBallQuality* q)
{
    if (q->violation <= GOOD_VIOLATION && q->gap_pair <= GOOD_PAIR && q->slip_pair <= GOOD_PAIR) {
        return q->orientation <= GOOD_ORIENTATION ? FIL_PLAN_GOOD : FIL_PLAN_OFF_TARGET;
    }
    return FIL_PLAN_UNFINISHED;
}

/* What a row is about, as a reader of a scene knows it. */
static const char* subject_of(const FilBallTurn* turn, int row)
{
    const FilBallLayout o = fil_ball_layout(turn);
    return row < o.q      ? "the arm's motion"
           : row < o.gap  ? "the ball's rotation"
           : row < o.cone ? "the gap between disk and ball"
           : row < o.face ? "friction"
                          : "the place of contact on the disk";
}

static void explain(const FilBallTurn* turn, const FilBallQuality* q, FilPlanVerdict verdict, char text[192])
{
    const double degrees = 2.0 * asin(sqrt(fmin(1.0, fmax(0.0, q->orientation)))) * 57.29577951308232;
    const double time = (q->worst_stage + 1) * turn->step;
    text[0] = '\0';
    if (verdict == FIL_PLAN_OFF_TARGET) {
        snprintf(text, 192,
                 "ends %.3g degrees from the target: a longer horizon, wider bounds or more weight of the orientation may help",
                 degrees);
    } else if (verdict != FIL_PLAN_GOOD && q->violation > GOOD_VIOLATION) {
        snprintf(text, 192, "%s is off by %.2g at t = %.3g s: %s", subject_of(turn, q->worst_row), q->violation, time,
                 verdict == FIL_PLAN_STOPPED ? "cancelled before it was met"
                                             : "the bounds or the horizon may leave no motion, or iterations were too few");
    } else if (verdict != FIL_PLAN_GOOD) {
        snprintf(text, 192, "%s: gap times force %.2g N m, slip times friction %.2g N m/s",
                 verdict == FIL_PLAN_STOPPED ? "cancelled" : "contact is not settled", q->gap_pair, q->slip_pair);
    }
}

/* Keeps the better of the plan and a motion, which it takes over: by verdict, cost and seed, so that the order in which threads finish does
 * not matter. */
static void offer(FilPlan* plan, int seed, bool cancelled, FilBallProblem* problem, double* x)
{
    const FilBallQuality q = fil_ball_judge(problem, x);
    FilPlanInfo* info = &plan->info;
    const FilPlanVerdict verdict = cancelled ? FIL_PLAN_STOPPED : verdict_of(&q);
    info->seeds_tried++;
    info->seeds_good += verdict == FIL_PLAN_GOOD ? 1 : 0;
    info->seeds_solved += verdict <= FIL_PLAN_OFF_TARGET ? 1 : 0;
    const bool same = verdict == info->verdict && q.cost == info->cost;
    const bool better = plan->x == NULL || verdict < info->verdict || (verdict == info->verdict && q.cost < info->cost) ||
                        (same && seed < info->seed);
    if (better) {
        FilPlanInfo found = {.verdict = verdict,
                                   .seed = seed,
                                   .seeds_tried = info->seeds_tried,
                                   .seeds_good = info->seeds_good,
                                   .seeds_solved = info->seeds_solved,
                                   .stages = problem->turn.stages,
                                   .cost = q.cost,
                                   .orientation = q.orientation,
                                   .violation = q.violation,
                                   .gap_pair = q.gap_pair,
                                   .slip_pair = q.slip_pair,
                                   .penetration = q.penetration,
                                   .contact = q.contact};
        explain(&problem->turn, &q, verdict, found.reason);
        *info = found;
        fil_ball_problem_free(&plan->problem);
        fil_free(plan->x);
        plan->problem = *problem;
        plan->problem.problem.data = &plan->problem.turn;
        plan->x = x;
    } else {
        fil_ball_problem_free(problem);
        fil_free(x);
    }
}

/* One start through all meshes. */
static void attempt(Job* job, int seed)
{
    Search* search = job->search;
    FilBallProblem problem = {.memory = NULL};
    double* x = NULL;
    bool ok = true;
    const int meshes = job->def->meshes, coarse = job->def->nodes >> (meshes - 1);
    job->report.seed = seed;
    if (job->def->kinematic) {
        ok = solve_mesh(job, coarse, true, false, &problem, &x);
    }
    for (int k = 0; k < meshes && ok && !job->cancelled; k++) {
        ok = solve_mesh(job, coarse << k, false, k + 1 == meshes, &problem, &x);
    }
    pthread_mutex_lock(&search->lock);
    search->ok = search->ok && ok;
    if (ok && x != NULL && !problem.turn.kinematic) {
        offer(search->plan, seed, job->cancelled, &problem, x);
    } else {
        fil_ball_problem_free(&problem);
        fil_free(x);
    }
    pthread_mutex_unlock(&search->lock);
}

/* Start after start until there are no more. */
static void* work(void* user)
{
    Search* search = user;
    Job job = {.def = search->def, .search = search};
    for (;;) {
        pthread_mutex_lock(&search->lock);
        const int seed = search->cancelled || !search->ok ? search->def->seeds : search->next++;
        pthread_mutex_unlock(&search->lock);
        if (seed >= search->def->seeds) {
            break;
        }
        attempt(&job, seed);
    }
    pthread_mutex_lock(&search->lock);
    search->iterations += job.iterations;
    pthread_mutex_unlock(&search->lock);
    return NULL;
}

/* The calling thread works too: threads that cannot be had are done without. */
static void search_all(Search* search)
{
    const FilPlanDef* def = search->def;
    const int wanted = def->threads < def->seeds ? def->threads : def->seeds;
    pthread_t threads[MOST_THREADS];
    int count = 0;
    while (count < wanted - 1 && count < MOST_THREADS && pthread_create(&threads[count], NULL, work, search) == 0) {
        count++;
    }
    work(search);
    for (int k = 0; k < count; k++) {
        pthread_join(threads[k], NULL);
    }
}

FilStatus fil_plan_solve_start(const FilPlanStart* start, const FilPlanDef* def, FilPlan** out, FilError* error)
{
    Search search = {.def = def, .start = *start, .lock = PTHREAD_MUTEX_INITIALIZER, .ok = true};
    FilPlan* plan = fil_alloc(1, sizeof *plan);
    *out = NULL;
    if (plan == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    memcpy(plan->area, search.start.area, sizeof plan->area);
    search.plan = plan;
    search_all(&search);
    plan->info.iterations = search.iterations;
    if (search.ok && plan->x == NULL) {
        fil_plan_destroy(plan);
        return fil_error(error, FIL_NOT_CONVERGED, "plan: cancelled before there was a motion");
    }
    const FilTrackingWeights weights = fil_tracking_weights_default();
    if (!search.ok || !fil_tracking_create(&plan->problem, plan->x, &weights, &plan->tracking)) {
        fil_plan_destroy(plan);
        return fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    *out = plan;
    return FIL_OK;
}

FilStatus fil_plan_solve(const FilWorld* world, const FilPlanDef* def, FilPlan** out, FilError* error)
{
    FilPlanStart start;
    *out = NULL;
    const FilStatus status = fil_plan_start_from(world, def, &start, error);
    return status == FIL_OK ? fil_plan_solve_start(&start, def, out, error) : status;
}

void fil_plan_destroy(FilPlan* plan)
{
    if (plan != NULL) {
        fil_ball_problem_free(&plan->problem);
        fil_free(plan->x);
        fil_tracking_free(&plan->tracking);
        fil_free(plan);
    }
}

/* ---- what was found ---- */

FilPlanInfo fil_plan_info(const FilPlan* plan)
{
    return plan->info;
}

const char* fil_plan_verdict_name(FilPlanVerdict verdict)
{
    static const char* const names[] = {[FIL_PLAN_GOOD] = "good",
                                        [FIL_PLAN_OFF_TARGET] = "off target",
                                        [FIL_PLAN_UNFINISHED] = "unfinished",
                                        [FIL_PLAN_STOPPED] = "stopped"};
    return names[verdict];
}

FilPlanNode fil_plan_node(const FilPlan* plan, int stage)
{
    const FilBallTurn* turn = &plan->problem.turn;
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
    const int m = 2 * o.joints + 6, step = stage * (plan->tracking.steps / turn->stages);
    for (int i = 0; i < o.joints; i++) {
        memcpy(node.gain[i], plan->tracking.gains + (step * o.joints + i) * m, sizeof(double) * (size_t)m);
    }
    return node;
}

double fil_plan_pressure(const FilPlan* plan, int stage, int chamber)
{
    const FilBallLayout o = fil_ball_layout(&plan->problem.turn);
    return plan->x[stage * o.variables + o.tau + chamber] / plan->area[chamber / 3];
}

FilQuat fil_plan_target(const FilPlan* plan)
{
    const double* q = plan->problem.turn.target;
    return (FilQuat){q[0], q[1], q[2], q[3]};
}

void fil_plan_command(const FilPlan* plan, double time, double* pressures)
{
    fil_tracking_efforts(&plan->tracking, time, NULL, false, pressures);
    for (int i = 0; i < plan->tracking.joints; i++) {
        pressures[i] /= plan->area[i / 3];
    }
}

int fil_plan_knot_count(const FilPlan* plan)
{
    return plan->tracking.steps + 1;
}

double fil_plan_knot(const FilPlan* plan, int knot, int chamber, double* pressure)
{
    *pressure = plan->tracking.instants[knot].tau[chamber] / plan->area[chamber / 3];
    return knot * plan->tracking.step;
}

FilStatus fil_plan_add_drives(const FilPlan* plan, FilWorld* world, FilId arm)
{
    const int knots = fil_plan_knot_count(plan);
    double* times = fil_alloc((size_t)knots, 2 * sizeof(double));
    FilStatus status = times != NULL ? FIL_OK : fil_world_fail(world, FIL_OUT_OF_MEMORY, "plan: out of memory");
    const double begin = fil_world_time(world);
    for (int c = 0; c < plan->tracking.joints && status == FIL_OK; c++) {
        double* values = times + knots;
        char name[32];
        FilId id;
        FilDriveDef def = fil_drive_def_default();
        snprintf(name, sizeof name, "plan_chamber%d", c);
        for (int k = 0; k < knots; k++) {
            times[k] = begin + fil_plan_knot(plan, k, c, &values[k]);
        }
        def.name = name;
        def.kind = FIL_DRIVE_PRESSURE;
        def.object = arm;
        def.first = c;
        def.count = 1;
        def.knot_count = knots;
        def.times = times;
        def.values = values;
        status = fil_world_add_drive(world, &def, &id);
    }
    fil_free(times);
    return status;
}
