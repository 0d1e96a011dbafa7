/* Planning while the plan is followed: every stage's length a new plan from where objects are about to be, found by a thread of
 * its own while the world goes on.
 *
 * Lockstep: a plan that was begun at one beat is waited for at the next, and followed from there. So it begins from
 * a state predicted one beat ahead, the present plan's with the deviations of now, and the run is the same whatever the
 * machine's speed. Each plan starts from the one before, shifted by a stage, with its multipliers. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "base/vec3.h"
#include "plan/ball_tracker.h"
#include "plan/interior_point.h"
#include "plan/plan_data.h"
#include "plan/tracker.h"

// the first plan is found from nothing, the others from a neighbour at the final relaxation at once (a start at 1e-4 took 8 to 13
// iterations, this one takes 4 to 7): how exact they are, and how many iterations they get
static const double WARM_RELAXATION = 1e-5, END_RELAXATION = 1e-5, WARM_TOLERANCE = 1e-4, WARM_PUSH = 1e-5, WARM_FALL = 0.1;
enum { WARM_ITERATIONS = 15, COLD_ITERATIONS = 400, TIMES = 4096 };
// s, of feedback between plans
static const double FEEDBACK = 1e-3;

/* One plan with what the next starts from. */
typedef struct Slot {
    FilPlan plan;
    double* multiplier;
} Slot;

struct FilReceding {
    FilPlanStart* start; /* of both */
    Slot slots[2];
    int current;
    FilPlanTracker* tracker;
    double beat;                 /* s, the world's time of the next beat */
    bool begun, running, failed; /* a plan was begun, is in work, has no values */
    pthread_t thread;
    int replans, unfinished;
    float times[TIMES]; /* s of CPU of the latest ones */
};

static double thread_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- one plan ---- */

static FilPlanSettings settings_of(bool cold)
{
    FilPlanSettings s = fil_plan_settings_default();
    s.polish = false;
    s.relaxation_end = END_RELAXATION;
    s.max_iterations = COLD_ITERATIONS;
    if (!cold) {
        s.tolerance = WARM_TOLERANCE;
        s.relaxation_start = WARM_RELAXATION;
        s.fall = WARM_FALL;
        s.push = WARM_PUSH;
        s.max_iterations = WARM_ITERATIONS;
        s.warm = true;
    }
    return s;
}

/* Solves the slot's problem from its point, and the feedback about it; false when out of memory. */
static bool solve(FilReceding* receding, Slot* slot, bool cold)
{
    const FilPlanSettings settings = settings_of(cold);
    FilPlan* plan = &slot->plan;
    FilPlanPoint point = {.x = plan->x, .multiplier = slot->multiplier};
    FilTrackingWeights weights = fil_tracking_weights_default();
    weights.longest = 2.0 * weights.longest;
    weights.alone = false;
    weights.delay = 0.0;
    const double start = thread_time();
    const FilPlanResult result = fil_interior_point(&plan->mesh.problem, &settings, &point);
    fil_tracking_free(&plan->tracking);
    const bool ok = result.outcome != FIL_PLAN_NO_MEMORY && result.outcome != FIL_PLAN_UNDEFINED &&
                    fil_tracking_create(&plan->mesh, plan->x, &weights, &plan->tracking);
    if (!cold) {
        receding->times[receding->replans % TIMES] = (float)(thread_time() - start);
        receding->replans++;
        receding->unfinished += result.outcome == FIL_PLAN_SOLVED ? 0 : 1;
    }
    return ok;
}

static void* work(void* user)
{
    FilReceding* receding = user;
    receding->failed = !solve(receding, &receding->slots[1 - receding->current], false);
    return NULL;
}

/* ---- from one to the next ---- */

/* Where objects will be at the next beat: as planned, but for the deviations of places that there are now. */
static void predict(const Slot* from, const FilReference* now, double* before)
{
    const FilBallTurn* turn = from->plan.mesh.data;
    const FilBallLayout o = fil_ball_layout(turn);
    const double h = turn->step;
    FilReference start, end;
    double off[3];
    fil_tracking_at(&from->plan.tracking, 0.0, &start);
    fil_tracking_at(&from->plan.tracking, h, &end);
    for (int i = 0; i < o.joints; i++) {
        before[o.l + i] = end.l[i] + now->l[i] - start.l[i];
        before[o.v + i] = end.v[i];
    }
    const FilQuat is = {now->q[0], now->q[1], now->q[2], now->q[3]};
    const FilQuat back = {-start.q[0], -start.q[1], -start.q[2], start.q[3]};
    fil_quat_logarithm(fil_quat_multiply(is, back), off);
    FilQuat q = fil_quat_multiply(fil_quat_exponential(off), (FilQuat){end.q[0], end.q[1], end.q[2], end.q[3]});
    fil_quat_normalise(&q);
    before[o.q] = q.x, before[o.q + 1] = q.y, before[o.q + 2] = q.z, before[o.q + 3] = q.w;
    fil_v3_copy(before + o.w, end.w);
    before[o.carried - 1] = from->plan.x[o.f];
}

/* The next slot's problem and start: the present one's stages from the second on, the last one twice. */
static void prepare(FilReceding* receding, const FilReference* now)
{
    const Slot* from = &receding->slots[receding->current];
    Slot* to = &receding->slots[1 - receding->current];
    const FilPlanProblem* p = &from->plan.mesh.problem;
    const size_t x = (size_t)p->variables, m = (size_t)p->rows, rest = (size_t)p->stages - 1;
    predict(from, now, to->plan.mesh.before);
    memcpy(to->plan.x, from->plan.x + x, sizeof(double) * rest * x);
    memcpy(to->plan.x + rest * x, from->plan.x + rest * x, sizeof(double) * x);
    memcpy(to->multiplier, from->multiplier + m, sizeof(double) * rest * m);
    memcpy(to->multiplier + rest * m, from->multiplier + rest * m, sizeof(double) * m);
}

static void wait_for_plan(FilReceding* receding)
{
    if (receding->running) {
        pthread_join(receding->thread, NULL);
        receding->running = false;
    }
}

/* Waits for the plan that was begun a beat ago, follows it from now on, and begins the next. */
static FilStatus on_beat(FilReceding* receding, FilWorld* world)
{
    const double time = fil_world_time(world);
    wait_for_plan(receding);
    if (receding->begun) {
        if (receding->failed) {
            return fil_world_set_error(world, FIL_NOT_CONVERGED, "plan: the next plan has no values; the last one is kept");
        }
        receding->current = 1 - receding->current;
        fil_tracker_switch(receding->tracker, &receding->slots[receding->current].plan, time);
    }
    FilReference now;
    fil_ball_tracker_observe(&receding->slots[receding->current].plan, world, &now);
    prepare(receding, &now);
    if (pthread_create(&receding->thread, NULL, work, receding) != 0) {
        return fil_world_set_error(world, FIL_OUT_OF_MEMORY, "plan: no thread to plan in");
    }
    receding->begun = receding->running = true;
    receding->beat = time + ((const FilBallTurn*)receding->slots[0].plan.mesh.data)->step;
    return FIL_OK;
}

FilStatus fil_receding_follow(FilReceding* receding, FilWorld* world)
{
    const double early = 0.5 * fil_world_dt(world);
    if (!receding->begun || fil_world_time(world) > receding->beat - early) {
        const FilStatus status = on_beat(receding, world);
        if (status != FIL_OK) {
            return status;
        }
    }
    return fil_plan_follow(receding->tracker, world);
}

/* ---- creation ---- */

static bool create_slot(FilPlanStart* start, const FilPlanDef* def, Slot* slot)
{
    FilPlan* plan = &slot->plan;
    plan->kind = &fil_ball_transcription;
    plan->start = start;
    plan->horizon = def->horizon;
    plan->steered = true;
    if (!plan->kind->transcribe(start, def->nodes, def->horizon / def->nodes, FIL_MESH_FINEST, &plan->mesh)) {
        return false;
    }
    const FilPlanProblem* p = &plan->mesh.problem;
    plan->x = fil_alloc((size_t)(p->stages * p->variables), sizeof(double));
    slot->multiplier = fil_alloc((size_t)(p->stages * p->rows), sizeof(double));
    return plan->x != NULL && slot->multiplier != NULL;
}

FilStatus fil_receding_create(const FilWorld* world, const FilPlanDef* def, FilReceding** out, FilError* error)
{
    FilPlanStart* start;
    *out = NULL;
    const FilStatus status = def->kind == FIL_PLAN_BALL ? fil_plan_start_create(world, def, &start, error)
                                                        : fil_error(error, FIL_BAD_INPUT, "plan: a receding horizon is for turns of a ball");
    if (status != FIL_OK) {
        return status;
    }
    FilReceding* receding = fil_alloc(1, sizeof *receding);
    if (receding == NULL) {
        fil_free(start);
        return fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    receding->start = start;
    bool ok = true;
    for (int k = 0; k < 2 && ok; k++) {
        ok = create_slot(start, def, &receding->slots[k]);
    }
    if (ok) {
        Slot* first = &receding->slots[0];
        fil_ball_guess(&first->plan.mesh, 0.0, 0.0, 0, first->plan.x);
        ok = solve(receding, first, true);
        receding->tracker = fil_plan_tracker_create(&first->plan, FEEDBACK);
    }
    if (!ok || receding->tracker == NULL) {
        fil_receding_destroy(receding);
        return fil_error(error, FIL_OUT_OF_MEMORY, "plan: out of memory");
    }
    *out = receding;
    return FIL_OK;
}

void fil_receding_destroy(FilReceding* receding)
{
    if (receding == NULL) {
        return;
    }
    wait_for_plan(receding);
    for (int k = 0; k < 2; k++) {
        Slot* slot = &receding->slots[k];
        fil_plan_mesh_free(&slot->plan.mesh);
        fil_tracking_free(&slot->plan.tracking);
        fil_free(slot->plan.x);
        fil_free(slot->multiplier);
    }
    fil_plan_tracker_destroy(receding->tracker);
    fil_free(receding->start);
    fil_free(receding);
}

/* ---- what is known ---- */

double fil_receding_miss(const FilReceding* receding, const FilWorld* world)
{
    double miss, turn_miss;
    fil_plan_miss(&receding->slots[0].plan, world, &miss, &turn_miss);
    return turn_miss;
}

FilRecedingInfo fil_receding_info(FilReceding* receding)
{
    wait_for_plan(receding);
    FilRecedingInfo info = {.replans = receding->replans, .unfinished = receding->unfinished};
    const int count = receding->replans < TIMES ? receding->replans : TIMES;
    // the share of plans that took no longer, by counting
    for (int k = 0; k < count; k++) {
        int below = 0;
        for (int j = 0; j < count; j++) {
            below += receding->times[j] <= receding->times[k] ? 1 : 0;
        }
        const double time = (double)receding->times[k];
        info.worst = fmax(info.worst, time);
        info.p99 = below >= 0.99 * count && (info.p99 == 0.0 || time < info.p99) ? time : info.p99;
        info.median = below >= 0.5 * count && (info.median == 0.0 || time < info.median) ? time : info.median;
    }
    return info;
}
