/* One step of the world: drives, contacts, motion, commit; divided inside itself where Newton fails or errors are large. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "world/sleep.h"
#include "world/step_start.h"
#include "world/world.h"

static void set_up(FilWorld* world, double t, double dt, FilStepSetup* setup)
{
    static const double thetas[][2] = {
        [FIL_BACKWARD_EULER] = {1.0, 1.0}, [FIL_MIDPOINT] = {0.5, 0.5}, [FIL_SYMPLECTIC_EULER] = {0.0, 1.0}, [FIL_SDIRK2] = {1.0, 1.0}};
    *setup = (FilStepSetup){.time = t,
                            .dt = dt,
                            .theta = thetas[world->def.integrator][0],
                            .theta_vq = thetas[world->def.integrator][1],
                            .gravity = {world->def.gravity.x, world->def.gravity.y, world->def.gravity.z},
                            .staged = world->system.staged,
                            .goes_on = world->system.in_second,
                            .frugal = world->solver.model->frugal,
                            .watch = &world->watch};
}

static void begin(FilWorld* world, int b, const FilStepSetup* setup)
{
    const FilState* state = &world->system.state;
    const FilBody* body = &world->system.bodies[b];
    body->ops->begin(body->impl, setup, state->q + body->q, state->v + body->v, state->h + body->h);
}

/* Scripted bodies come first: contacts need their velocities. */
static void begin_scripted(FilWorld* world, const FilStepSetup* setup)
{
    for (int b = 0; b < world->system.body_count; b++) {
        if (!world->system.bodies[b].moves) {
            begin(world, b, setup);
        }
    }
}

/* The others. */
typedef struct Beginning {
    FilWorld* world;
    const FilStepSetup* setup;
} Beginning;

static void begin_moving(void* context, int first, int end, int worker)
{
    const Beginning* beginning = context;
    (void)worker;
    for (int b = first; b < end; b++) {
        if (beginning->world->system.bodies[b].moves) {
            begin(beginning->world, b, beginning->setup);
        }
    }
}

/* What models keep from step to step goes along, until they change it. */
static void carry_memory(FilWorld* world, const FilState* from)
{
    const FilState* next = &world->system.next;
    memcpy(next->h + world->solver.memory, from->h + world->solver.memory, sizeof(double) * FIL_POTENTIAL_MEMORY);
    for (int j = 0; j < world->solver.joints.count; j++) {
        const int memory = world->solver.joints.items[j].memory;
        if (memory >= 0) {
            next->h[memory] = from->h[memory];
        }
    }
    for (int k = 0; k < world->collision.collider_count; k++) {
        const FilWorldCollider* c = &world->collision.colliders[k];
        if (c->memory >= 0) {
            memcpy(next->h + c->memory, from->h + c->memory, sizeof(double) * (size_t)c->collider.edge_count);
        }
    }
}

/* Fills the contact set as the model wants it. */
static FilStatus collide(FilWorld* world, double dt, FilStepInfo* info)
{
    const FilContactModel* model = world->solver.model;
    world->collision.wants = (FilCollisionWants){0};
    if (model->want != NULL) {
        model->want(&world->solver.settings.model, &world->collision.wants);
    }
    fil_contact_set_clear(&world->collision.set);
    const FilStatus status = model->contacts ? fil_collide_all(&world->collision, dt) : FIL_OK;
    info->patch_polygons = world->collision.patches.polygons;
    info->patch_change = fmax(info->patch_change, world->collision.patches.change);
    return status;
}

/* Contacts, and the velocities at the end of a stage; once more where those who sleep turn out to be touched. */
static FilStatus meet_and_move(FilWorld* world, const FilStepSetup* setup, FilStepInfo* info)
{
    FilStatus status = FIL_OK;
    bool again = true;
    while (again && status == FIL_OK) {
        const double start = fil_watch_now();
        status = collide(world, setup->dt, info);
        info->timings.collide += fil_watch_now() - start;
        again = status == FIL_OK && fil_sleep_wake_touched(world, false);
        if (!again && status == FIL_OK) {
            status = fil_solver_solve(&world->solver, setup, info);
            again = status == FIL_OK && fil_sleep_wake_touched(world, true);
        }
    }
    return status;
}

/* The next state, by one implicit or explicit stage from the state. */
static FilStatus stage(FilWorld* world, double t, double dt, FilStepInfo* info)
{
    FilStepSetup setup;
    set_up(world, t, dt, &setup);
    fil_world_apply_drives(world, t, dt, setup.theta);
    begin_scripted(world, &setup);
    carry_memory(world, &world->system.state);
    if (world->system.v_count > 0) {
        memset(world->system.next.push, 0, sizeof(double) * (size_t)world->system.v_count);
    }
    fil_sleep_see_scripted(world);
    FilStatus status = meet_and_move(world, &setup, info);
    if (status != FIL_OK) {
        return status;
    }

    fil_sleep_carry(world);
    const double start = fil_watch_now();
    status = fil_system_finish(&world->system) ? FIL_OK : FIL_NOT_CONVERGED;
    info->timings.free_motion += fil_watch_now() - start;
    return status;
}

/* Velocities of a body over dt at the rate of the first stage, which took `first` s. */
typedef struct Extrapolation {
    const FilSystem* system;
    const FilBody* body;
    double dt, first;
} Extrapolation;

/* Numbers at a time: some 5 us. */
enum { PIECE = 4096 };

static void extrapolate_some(void* context, int from, int end, int worker)
{
    const Extrapolation* own = context;
    const FilSystem* system = own->system;
    const FilBody* body = own->body;
    const double dt = own->dt, first = own->first, *v = system->scratch.solution;
    (void)worker;
    for (int k = from; k < end; k++) {
        const int i = body->v + k, j = body->q + k;
        system->next.v[i] = system->state.v[i] + dt / first * (v[i] - system->state.v[i]);
        system->middle.change[i] = body->ops->points ? (system->middle.q[j] - system->next.q[j]) / first : (first - dt) / first * v[i];
    }
}

/* What the second stage's inertia goes on from: everything as it would be if it had changed over dt at the rate of the first
 * stage, which took `first` s. Becomes the state; the first stage's result moves to `middle`, the state to `origin`. */
static void extrapolate(FilWorld* world, double t, double dt, double first)
{
    FilSystem* system = &world->system;
    FilStepSetup setup;
    fil_state_swap(&system->next, &system->middle);
    set_up(world, t, dt, &setup);
    setup.goes_on = true;
    fil_world_apply_drives(world, t, dt, setup.theta);
    begin_scripted(world, &setup);
    Beginning beginning = {world, &setup};
    fil_system_run(system, begin_moving, &beginning);
    (void)fil_system_finish(system);  // the second stage finds out
    carry_memory(world, &system->middle);
    fil_system_copy(system, system->next.change, system->middle.change, system->v_count);
    fil_system_copy(system, system->next.push, system->middle.push, system->v_count);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->ops->carries_history && body->h_count > 0) {
            fil_system_copy(system, system->next.h + body->h, system->middle.h + body->h, body->h_count);
        }
        Extrapolation own = {system, body, dt, first};
        fil_workers_run(body->v_count > PIECE ? system->workers : NULL, body->v_count, PIECE, extrapolate_some, &own);
    }
    fil_state_swap(&system->state, &system->origin);
    fil_state_swap(&system->state, &system->next);
}

/* Two stages of backward Euler over gamma dt each: the first from the start, the second from what the first is extrapolated to,
 * y0 + (1 - gamma) dt y'. It ends the step. With gamma = 1 - sqrt(1/2) this is Alexander's SDIRK of order 2. In general it
 * solves y' = f + (2 gamma - gamma^2 - 1/2) dt f'f up to second order, and backward Euler y' = f + 1/2 dt f'f. */
static FilStatus two_stages(FilWorld* world, double t, double dt, FilStepInfo* info, double* error)
{
    FilSystem* system = &world->system;
    const double gamma = 1.0 - sqrt(0.5 - 0.5 * world->def.euler_dt / dt);
    FilStatus status = stage(world, t, gamma * dt, info);
    if (status != FIL_OK) {
        return status;
    }
    extrapolate(world, t, (1.0 - gamma) * dt, gamma * dt);
    system->in_second = true;
    system->extrapolation = (1.0 - gamma) / gamma;
    status = stage(world, t + (1.0 - gamma) * dt, gamma * dt, info);
    system->in_second = false;
    fil_state_swap(&system->state, &system->origin);
    *error = status == FIL_OK ? fil_world_local_error(world, gamma, dt) : 0.0;
    return status;
}

/* One sub-step. On failure the state is untouched. It fails too where its `error` is too large, and where sheets pass through each other, unless
 * it is the `last` resort: what starts from velocities of a smaller step sees more of what comes. */
static FilStatus advance(FilWorld* world, double t, double dt, bool last, FilStepInfo* info, double* error)
{
    // stages that shall have the error of backward Euler with no smaller step are one step of it
    const bool twice = world->def.integrator == FIL_SDIRK2 && world->def.euler_dt < dt;
    world->system.staged = twice;
    world->system.halfway = world->def.integrator == FIL_MIDPOINT;
    *error = 0.0;
    fil_step_start_put_aside(world);
    FilStatus status = twice ? two_stages(world, t, dt, info, error) : stage(world, t, dt, info);
    int passed = 0;
    if (status == FIL_OK && world->solver.model->contacts) {
        status = fil_collision_sheet_crossings(&world->collision, world->system.state.q, world->system.next.q, &passed);
    }
    if (status != FIL_OK || ((passed > 0 || fil_world_is_inaccurate(world, *error)) && !last)) {
        return status != FIL_OK ? status : FIL_NOT_CONVERGED;
    }
    fil_step_start_leave(world);
    if (world->solver.model->contacts) {
        info->crossings += passed + fil_collision_crossings(&world->collision, world->system.next.q, world->system.state.q);
    }
    info->local_error = fmax(info->local_error, *error);
    return FIL_OK;
}

/* How often a step is halved because sheets pass through each other. Chosen: those that hang in each other already do so again and again. */
enum { PASSING_HALVINGS = 4 };

/* Covers [t, t + dt] by sub-steps, halving whichever fails to converge, `max` times; fails if one does at the finest size, and at once
 * where the first is not accurate: by its `error` the caller knows how long it should have been. */
static FilStatus advance_halving(FilWorld* world, double t, double dt, int max, int* halvings, FilStepInfo* info, double* error)
{
    const uint64_t end = UINT64_C(1) << max;
    uint64_t done = 0, size = end;  // in units of dt / 2^most
    *halvings = 0;
    while (done < end) {
        const double from = t + dt * (double)done / (double)end;
        const bool last = size == 1 || size <= end >> PASSING_HALVINGS;
        const FilStatus status =
            fil_watch_ended(&world->watch) ? FIL_NOT_CONVERGED : advance(world, from, dt * (double)size / (double)end, last, info, error);
        if (status == FIL_OK) {
            done += size;
            // grow again where the grid allows it
            while (size < end && done % (2 * size) == 0 && done + 2 * size <= end) {
                size *= 2;
            }
            continue;
        }
        const bool inaccurate = size == end && fil_world_is_inaccurate(world, *error);
        if (size == 1 || inaccurate || status != FIL_NOT_CONVERGED || world->watch.stopped || world->watch.late) {
            return status;
        }
        size /= 2;
        int now = 0;
        for (uint64_t s = size; s < end; s *= 2) {
            now++;
        }
        *halvings = now > *halvings ? now : *halvings;
    }
    return FIL_OK;
}

/* The whole step, in parts as long as those before have shown to be good; one with too large an error is repeated by shorter ones. */
static FilStatus advance_parts(FilWorld* world, double t, double dt, FilStepInfo* info)
{
    for (double left = 1.0; left > 0.0;) {
        int whole = 0, halvings;  // halvings that would give parts as long, or shorter
        double error = 0.0;
        const double length = fil_world_part(world, left);
        while (whole < world->def.max_halvings && ldexp(length, whole) < 1.0) {
            whole++;
        }
        const FilStatus status = advance_halving(world, t + dt * (1.0 - left), dt * length, world->def.max_halvings - whole, &halvings, info, &error);
        info->halvings = whole + halvings > info->halvings ? whole + halvings : info->halvings;
        if (status != FIL_OK && !fil_world_is_inaccurate(world, error)) {
            return status;
        }
        left = status == FIL_OK ? left - length : left;
        if (halvings == 0) {
            fil_world_learn_from_part(world, length, error);
        }
    }
    fil_world_learn_from_step(world, info);
    return FIL_OK;
}

/* What sleeps has the forces of a step that it would make from its rest, alone. They are found again when those who sleep are others, and from
 * the state only, so that a restored world has the same. */
static FilStatus find_forces_asleep(FilWorld* world, const FilStepSetup* setup, FilStepInfo* info)
{
    FilStepInfo own = {.min_distance = INFINITY};
    fil_sleep_exchange(world, true);
    FilStatus status = collide(world, setup->dt, &own);
    status = status == FIL_OK ? fil_solver_solve(&world->solver, setup, &own) : status;
    fil_sleep_exchange(world, false);
    info->timings.contact += own.timings.contact;
    info->timings.collide += own.timings.collide;
    if (status == FIL_NOT_CONVERGED) {
        fil_sleep_wake_all(world);
        return FIL_OK;
    }
    return status == FIL_OK ? fil_sleep_keep_contacts(world, setup->dt) : status;
}

/* Those who sleep are left out. Where that is everyone who could move, nothing is stepped. */
static FilStatus advance_awake(FilWorld* world, double t, double dt, FilStepInfo* info)
{
    FilStatus status = FIL_OK;
    bool stepped = true;
    if (fil_sleep_begin(world)) {
        FilStepSetup setup;
        set_up(world, t, dt, &setup);
        fil_world_apply_drives(world, t, dt, setup.theta);
        begin_scripted(world, &setup);
        status = world->sleep.stale ? find_forces_asleep(world, &setup, info) : FIL_OK;
        fil_sleep_see_scripted(world);
        stepped = !fil_sleep_is_all(world);
    }
    status = status == FIL_OK && stepped ? advance_parts(world, t, dt, info) : status;
    return status == FIL_OK && world->def.sleep_time > 0.0 ? fil_sleep_end(world, stepped, info) : status;
}

/* The message of a step that failed. */
static FilStatus explain(FilWorld* world, const FilStepInfo* info, FilStatus status)
{
    if (status == FIL_OUT_OF_MEMORY && world->budget.exceeded) {
        return fil_world_fail(world, status, "the step from t = %g s needs more than the %zu bytes that the world may take", world->time,
                              world->budget.limit);
    }
    if (status == FIL_OUT_OF_MEMORY) {
        return fil_world_fail(world, status, "out of memory in the step from t = %g s", world->time);
    }
    if (world->watch.stopped) {
        return fil_world_fail(world, FIL_INTERRUPTED, "the step from t = %g s was interrupted", world->time);
    }
    if (world->watch.late) {
        return fil_world_fail(world, FIL_INTERRUPTED, "the step from t = %g s took longer than its limit of %g s", world->time, world->watch.limit);
    }
    if (status == FIL_BAD_INPUT && world->solver.refused) {
        return status;  // with a message of its own
    }
    if (status == FIL_BAD_INPUT) {
        return fil_world_fail(world, status, "the step from t = %g s has more than %d contacts: do bodies lie inside each other?", world->time,
                              world->def.max_contacts);
    }
    const char* advice = world->solver.model->advice;
    if (info->contact_failures > 0 && advice != NULL) {
        return fil_world_fail(world, status,
                              "the step from t = %g s did not converge: contact model %s found no solution for %d contacts (%d times, "
                              "in sub-steps down to %g s); %s",
                              world->time, world->solver.model->name, info->contacts, info->contact_failures,
                              world->def.dt / (double)(UINT64_C(1) << world->def.max_halvings), advice);
    }
    return fil_world_fail(world, status,
                          "the step from t = %g s did not converge, even with sub-steps of %g s; try a smaller dt, "
                          "more Newton iterations or gentler drives",
                          world->time, world->def.dt / (double)(UINT64_C(1) << world->def.max_halvings));
}

FilStatus fil_world_step(FilWorld* world, FilStepInfo* info)
{
    const double start = fil_watch_now(), dt = world->def.dt;
    FilSystem* system = &world->system;
    FilStepInfo local;
    info = info != NULL ? info : &local;
    // counted in steps since dt was last changed, so that times do not drift
    const double end = world->clock.time + (double)(world->step + 1 - world->clock.step) * dt;
    *info = (FilStepInfo){.step = world->step + 1, .time = end, .dt = dt, .min_distance = INFINITY};
    FilStatus status = fil_world_check(world);
    if (status != FIL_OK) {
        return status;
    }
    if (world->step == 0) {
        fil_system_copy_state(system, &system->initial, &system->state);
    }
    fil_step_start_begin(world);
    world->solver.first_step = world->step == 0;
    fil_solver_begin(&world->solver);
    fil_watch_start(&world->watch);
    world->budget.exceeded = false;
    FilMemoryBudget* outer = fil_memory_enter(world->budget.limit > 0 ? &world->budget : NULL);
    fil_workers_hold(system->workers, true);
    status = advance_awake(world, world->time, dt, info);
    fil_workers_hold(system->workers, false);
    fil_memory_enter(outer);
    if (status == FIL_OK) {
        world->step++;
        world->time = end;
    } else {
        fil_step_start_return(world);
        info->step = world->step;
        info->time = world->time;
    }
    info->timings.other = fil_watch_now() - start - info->timings.free_motion - info->timings.collide - info->timings.contact;
    return status == FIL_OK ? FIL_OK : explain(world, info, status);
}
