/* The search for a plan, whatever its task: starts and meshes, shared by threads; the best is kept. */
#include "filum/plan.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/interior_point.h"
#include "plan/plan_data.h"
#include "plan/plan_ipopt.h"

// what a plan must meet: pairs as P1 reports them, rows ten times better
static const double GOOD_VIOLATION = 1e-6, GOOD_PAIR = 1e-6;
// where the relaxation of finer meshes begins, and how close to bounds they may: their start is nearly a solution
static const double FINER_RELAXATION = 1e-3, FINER_PUSH = 1e-4;

/* Searches from different starts at a time: room on the stack. */
enum { MAX_THREADS = 64 };

/* All starts of one plan, which threads share. */
typedef struct Search {
    const FilPlanDef* def;
    const FilTranscription* kind;
    const FilPlanStart* start;
    pthread_mutex_t lock; /* of all below */
    int next;             /* seed */
    bool cancelled, ok;   /* ok: none was out of memory */
    int iterations;
    FilPlan* plan; /* the best so far */
} Search;

/* One thread's work. */
typedef struct Job {
    Search* search;
    FilPlanReport report;
    bool cancelled;
    int iterations;
} Job;

/* A point on a mesh; x NULL: none yet. */
typedef struct Candidate {
    FilPlanMesh mesh;
    double* x;
    bool kinematic;
} Candidate;

static void drop(Candidate* candidate)
{
    fil_plan_mesh_free(&candidate->mesh);
    fil_free(candidate->x);
    candidate->x = NULL;
}

/* ---- solving ---- */

static bool report_progress(void* user, const FilPlanProgress* progress)
{
    Job* job = user;
    job->report.iteration = progress->iteration;
    job->report.cost = progress->cost;
    job->report.violation = progress->violation;
    job->report.pairs = progress->pairs;
    Search* search = job->search;
    const FilPlanDef* def = search->def;
    pthread_mutex_lock(&search->lock);
    search->cancelled = search->cancelled || (def->report != NULL && !def->report(def->user, &job->report));
    job->cancelled = search->cancelled;
    pthread_mutex_unlock(&search->lock);
    return !job->cancelled;
}

/* `near`: the start is nearly a solution. */
static FilPlanSettings settings_of(Job* job, bool near, bool last)
{
    const FilPlanDef* def = job->search->def;
    FilPlanSettings s = fil_plan_settings_default();
    s.tolerance = def->tolerance;
    s.relaxation_start = near ? fmin(FINER_RELAXATION, def->relaxation[0]) : def->relaxation[0];
    s.relaxation_start = fmax(s.relaxation_start, def->relaxation[1]);
    s.relaxation_end = def->relaxation[1];
    s.fall = def->relaxation_fall;
    s.push = near ? FINER_PUSH : s.push;
    s.max_iterations = def->max_iterations;
    s.patience = job->search->kind->patience;
    s.polish = last;
    s.report = report_progress;
    s.user = job;
    return s;
}

/* The problem with `stages` stages, solved from a guess or from the solution of another mesh; false without memory. */
static bool solve_mesh(Job* job, int stages, FilMeshUse use, Candidate* candidate)
{
    const Search* search = job->search;
    const FilTranscription* kind = search->kind;
    Candidate next = {.kinematic = use == FIL_MESH_KINEMATIC};
    if (!kind->transcribe(search->start, stages, search->def->horizon / stages, use, &next.mesh)) {
        return false;
    }
    const FilPlanProblem* problem = &next.mesh.problem;
    next.x = fil_alloc((size_t)(stages * problem->variables), sizeof(double));
    if (next.x == NULL) {
        drop(&next);
        return false;
    }
    // a solution of another mesh or plan, or a guess
    const FilPlan* from = search->def->from;
    const FilPlanMesh* mesh = candidate->x != NULL ? &candidate->mesh : from != NULL ? &from->mesh : NULL;
    const double* known = candidate->x != NULL ? candidate->x : from != NULL ? from->x : NULL;
    if (mesh != NULL) {
        fil_plan_resample(&mesh->problem, kind->states(mesh), known, stages, next.x);
    } else {
        kind->guess(&next.mesh, job->report.seed, next.x);
    }
    if (candidate->kinematic && !next.kinematic) {
        kind->hold(&next.mesh, next.x);
    }
    const FilPlanSettings settings = settings_of(job, mesh != NULL, use == FIL_MESH_FINEST);
    FilPlanPoint point = {.x = next.x};
    job->report.stages = stages;
    const FilPlanResult result =
        search->def->solver == FIL_PLAN_IPOPT ? fil_plan_ipopt(problem, &settings, &point) : fil_interior_point(problem, &settings, &point);
    job->iterations += result.iterations;
    if (result.outcome == FIL_PLAN_NO_MEMORY) {  // the coarser mesh's solution stays
        drop(&next);
        return false;
    }
    drop(candidate);
    *candidate = next;
    return true;
}

static FilPlanVerdict verdict_of(const FilPlanQuality* q)
{
    if (q->violation <= GOOD_VIOLATION && q->gap_pair <= GOOD_PAIR && q->slip_pair <= GOOD_PAIR) {
        return q->there ? FIL_PLAN_GOOD : FIL_PLAN_OFF_TARGET;
    }
    return FIL_PLAN_UNFINISHED;
}

static void explain(const Search* search, const FilPlanMesh* mesh, const FilPlanQuality* q, FilPlanVerdict verdict, char text[192])
{
    const double time = (q->worst_stage + 1) * search->def->horizon / mesh->problem.stages;
    const char* ends = "a longer horizon, wider bounds or more weight of the end may help";
    text[0] = '\0';
    if (verdict == FIL_PLAN_OFF_TARGET && search->kind->turns) {
        snprintf(text, 192, "ends %.3g degrees from the target: %s", q->turn_miss * 57.29577951308232, ends);
    } else if (verdict == FIL_PLAN_OFF_TARGET) {
        snprintf(text, 192, "ends %.3g m and %.3g rad from the goal: %s", q->miss, q->turn_miss, ends);
    } else if (verdict != FIL_PLAN_GOOD && q->violation > GOOD_VIOLATION) {
        snprintf(text, 192, "%s is off by %.2g at t = %.3g s: %s", search->kind->subject(mesh, q->worst_row), q->violation, time,
                 verdict == FIL_PLAN_STOPPED ? "cancelled before it was met"
                                             : "the bounds or the horizon may leave no motion, or iterations were too few");
    } else if (verdict != FIL_PLAN_GOOD) {
        snprintf(text, 192, "%s: gap times force %.2g N m, slip times friction %.2g N m/s",
                 verdict == FIL_PLAN_STOPPED ? "cancelled" : "contact is not settled", q->gap_pair, q->slip_pair);
    }
}

/* Keeps the better of the plan and a motion, which it takes over: by verdict, cost and seed, so that the order in which threads finish does
 * not matter. */
static void offer(Search* search, int seed, bool cancelled, Candidate* candidate)
{
    FilPlan* plan = search->plan;
    FilPlanInfo* info = &plan->info;
    const FilPlanQuality q = search->kind->judge(search->start, &candidate->mesh, candidate->x);
    const FilPlanVerdict verdict = cancelled ? FIL_PLAN_STOPPED : verdict_of(&q);
    info->seeds_tried++;
    info->seeds_good += verdict == FIL_PLAN_GOOD ? 1 : 0;
    info->seeds_solved += verdict <= FIL_PLAN_OFF_TARGET ? 1 : 0;
    const bool same = verdict == info->verdict && q.cost == info->cost;
    const bool better =
        plan->x == NULL || verdict < info->verdict || (verdict == info->verdict && q.cost < info->cost) || (same && seed < info->seed);
    if (!better) {
        drop(candidate);
        return;
    }
    const double half = sin(0.5 * q.turn_miss);
    *info = (FilPlanInfo){.verdict = verdict,
                          .seed = seed,
                          .seeds_tried = info->seeds_tried,
                          .seeds_good = info->seeds_good,
                          .seeds_solved = info->seeds_solved,
                          .stages = candidate->mesh.problem.stages,
                          .cost = q.cost,
                          .miss = q.miss,
                          .turn_miss = q.turn_miss,
                          .orientation = half * half,
                          .violation = q.violation,
                          .gap_pair = q.gap_pair,
                          .slip_pair = q.slip_pair,
                          .penetration = q.penetration,
                          .contact = q.contact};
    search->kind->count(&candidate->mesh, info);
    explain(search, &candidate->mesh, &q, verdict, info->reason);
    fil_plan_mesh_free(&plan->mesh);
    fil_free(plan->x);
    plan->mesh = candidate->mesh;
    plan->x = candidate->x;
}

/* One start through all meshes. */
static void attempt(Job* job, int seed)
{
    Search* search = job->search;
    const FilPlanDef* def = search->def;
    Candidate candidate = {.x = NULL};
    bool ok = true;
    const int meshes = def->meshes, coarse = def->nodes >> (meshes - 1);
    job->report.seed = seed;
    if (def->kinematic) {
        ok = solve_mesh(job, coarse, FIL_MESH_KINEMATIC, &candidate);
    }
    for (int k = 0; k < meshes && ok && !job->cancelled; k++) {
        ok = solve_mesh(job, coarse << k, k + 1 == meshes ? FIL_MESH_FINEST : FIL_MESH_COARSE, &candidate);
    }
    pthread_mutex_lock(&search->lock);
    search->ok = search->ok && ok;
    // out of memory on a finer mesh, a coarser one's solution is still the best point
    if (candidate.x != NULL && !candidate.kinematic) {
        offer(search, seed, job->cancelled, &candidate);
    } else {
        drop(&candidate);
    }
    pthread_mutex_unlock(&search->lock);
}

/* Start after start until there are no more. */
static void* work(void* user)
{
    Search* search = user;
    Job job = {.search = search};
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
    pthread_t threads[MAX_THREADS];
    int count = 0;
    while (count < wanted - 1 && count < MAX_THREADS && pthread_create(&threads[count], NULL, work, search) == 0) {
        count++;
    }
    work(search);
    for (int k = 0; k < count; k++) {
        pthread_join(threads[k], NULL);
    }
}

/* ---- from a world to a plan ---- */

bool fil_plan_solver_present(FilPlanSolver solver)
{
    return solver == FIL_PLAN_STRUCTURED || (solver == FIL_PLAN_IPOPT && fil_plan_ipopt_present());
}

static const FilTranscription* const kinds[] = {[FIL_PLAN_BALL] = &fil_ball_transcription, [FIL_PLAN_MANIPULATION] = &fil_manipulation_transcription};

static FilStatus check_numbers(const FilPlanDef* def, FilError* error)
{
    if ((unsigned)def->kind > FIL_PLAN_MANIPULATION) {
        return fil_error(error, FIL_BAD_INPUT, "plan: there is no such kind of task");
    }
    const int coarse = def->meshes >= 1 && def->meshes <= 4 ? def->nodes >> (def->meshes - 1) : 0;
    if (!(def->horizon > 0.0) || coarse < 2 || def->seeds < 1) {
        return fil_error(error, FIL_BAD_INPUT, "plan: needs a horizon above zero, 1 to 4 meshes, the coarsest of 2 nodes or more, and a seed");
    }
    if (def->threads < 1 || def->threads > MAX_THREADS) {
        return fil_error(error, FIL_BAD_INPUT, "plan: threads must be 1 to %d, not %d", MAX_THREADS, def->threads);
    }
    if (!fil_plan_solver_present(def->solver)) {
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
    if (!(def->relaxation[1] > 0.0 && def->relaxation[0] >= def->relaxation[1]) || !(def->relaxation_fall > 0.0 && def->relaxation_fall < 1.0) ||
        !(def->tolerance > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "plan: the relaxation must fall, and end above zero");
    }
    if (def->from != NULL && (def->from->kind != kinds[def->kind] || def->seeds != 1 || def->kinematic)) {
        return fil_error(error, FIL_BAD_INPUT, "plan: a plan to begin from is of the same kind of task, with one start and no kinematic stage");
    }
    if (!kinds[def->kind]->turns && (def->kinematic || def->receding > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "plan: a %s is for turns of a ball", def->kinematic ? "kinematic stage" : "receding horizon");
    }
    return FIL_OK;
}

FilStatus fil_plan_start_create(const FilWorld* world, const FilPlanDef* def, FilPlanStart** out, FilError* error)
{
    *out = NULL;
    FilStatus status = check_numbers(def, error);
    FilPlanStart* start = status == FIL_OK ? fil_alloc(1, sizeof *start) : NULL;
    if (start == NULL) {
        return status != FIL_OK ? status : fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    status = kinds[def->kind]->start(world, def, start, error);
    if (status != FIL_OK) {
        fil_free(start);
        return status;
    }
    *out = start;
    return FIL_OK;
}

/* Whether the plan to begin from has the variables of this one. */
static FilStatus check_from(const FilPlanStart* start, const FilPlanDef* def, FilError* error)
{
    FilPlanMesh mesh;
    if (def->from == NULL) {
        return FIL_OK;
    }
    if (!kinds[def->kind]->transcribe(start, def->nodes, def->horizon / def->nodes, FIL_MESH_FINEST, &mesh)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    const bool fits = mesh.problem.variables == def->from->mesh.problem.variables && mesh.problem.carried == def->from->mesh.problem.carried;
    fil_plan_mesh_free(&mesh);
    return fits ? FIL_OK : fil_error(error, FIL_BAD_INPUT, "plan: the plan to begin from has other objects or contacts");
}

FilStatus fil_plan_solve_start(FilPlanStart* start, const FilPlanDef* def, FilPlan** out, FilError* error)
{
    const FilTranscription* kind = kinds[def->kind];
    Search search = {.def = def, .kind = kind, .start = start, .lock = PTHREAD_MUTEX_INITIALIZER, .ok = true};
    const FilStatus status = check_from(start, def, error);
    FilPlan* plan = status == FIL_OK ? fil_alloc(1, sizeof *plan) : NULL;
    *out = NULL;
    if (plan == NULL) {
        fil_free(start);
        return status != FIL_OK ? status : fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    plan->kind = kind;
    plan->start = start;
    plan->horizon = def->horizon;
    search.plan = plan;
    search_all(&search);
    plan->info.iterations = search.iterations;
    if (plan->x == NULL) {
        fil_plan_destroy(plan);
        return search.ok ? fil_error(error, FIL_NOT_CONVERGED, "plan: cancelled before there was a motion")
                         : fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    plan->steered = kind->steer(plan);
    if (!search.ok || !plan->steered) {
        plan->info.verdict = FIL_PLAN_STOPPED;
        snprintf(plan->info.reason, sizeof plan->info.reason, "out of memory: the best of %d starts, on a mesh of %d stages, is kept%s",
                 plan->info.seeds_tried, plan->info.stages, plan->steered ? "" : ", without feedback");
    }
    *out = plan;
    return FIL_OK;
}

FilStatus fil_plan_solve(const FilWorld* world, const FilPlanDef* def, FilPlan** out, FilError* error)
{
    FilPlanStart* start;
    *out = NULL;
    const FilStatus status = fil_plan_start_create(world, def, &start, error);
    return status == FIL_OK ? fil_plan_solve_start(start, def, out, error) : status;
}

void fil_plan_destroy(FilPlan* plan)
{
    if (plan != NULL) {
        fil_plan_mesh_free(&plan->mesh);
        fil_free(plan->x);
        fil_free(plan->start);
        fil_tracking_free(&plan->tracking);
        fil_feedback_free(&plan->feedback);
        fil_free(plan);
    }
}

FilPlanInfo fil_plan_info(const FilPlan* plan)
{
    return plan->info;
}

const char* fil_plan_verdict_name(FilPlanVerdict verdict)
{
    static const char* const names[] = {
        [FIL_PLAN_GOOD] = "good", [FIL_PLAN_OFF_TARGET] = "off target", [FIL_PLAN_UNFINISHED] = "unfinished", [FIL_PLAN_STOPPED] = "stopped"};
    return names[verdict];
}
