/* One step of the world: drives, free motion, commit; halved inside itself where Newton fails. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/vec3.h"
#include "filum/ring.h"
#include "world/world.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void set_up(const FilWorld* world, double t, double dt, FilStepSetup* setup)
{
    static const double thetas[][2] = {
        [FIL_BACKWARD_EULER] = {1.0, 1.0}, [FIL_MIDPOINT] = {0.5, 0.5}, [FIL_SYMPLECTIC_EULER] = {0.0, 1.0}, [FIL_SDIRK2] = {1.0, 1.0}};
    const FilPotentialModel* potential = fil_contact_models[world->contact_model].potential;
    *setup = (FilStepSetup){.time = t, .dt = dt, .theta = thetas[world->def.integrator][0], .theta_vq = thetas[world->def.integrator][1],
                            .gravity = {world->def.gravity.x, world->def.gravity.y, world->def.gravity.z},
                            .frugal = potential != NULL && potential->field != NULL};
}

static void copy_numbers(double* to, const double* from, int count)
{
    if (count > 0) {
        memcpy(to, from, sizeof(double) * (size_t)count);
    }
}

static bool is_finite(const FilWorld* world, const FilState* state)
{
    return fil_all_finite(state->q, world->q_count) && fil_all_finite(state->v, world->v_count) &&
           fil_all_finite(state->h, world->h_count);
}

static void swap(FilState* a, FilState* b)
{
    const FilState old = *a;
    *a = *b;
    *b = old;
}

static void begin(FilWorld* world, int b, const FilStepSetup* setup)
{
    const FilBody* body = &world->bodies[b];
    body->ops->begin(body->impl, setup, world->state.q + body->q, world->state.v + body->v, world->state.h + body->h);
}

/* Velocities of every body without contact, in the scratch; one body after the other while its data are at hand. Bodies
 * whose contacts are potentials only begin: contact is a part of their motion. */
static bool free_motion(FilWorld* world, const FilStepSetup* setup, bool potential, FilStepInfo* info)
{
    int iterations = 0;
    bool ok = true;
    for (int b = 0; b < world->body_count && ok; b++) {
        const FilBody* body = &world->bodies[b];
        FilNewtonReport report;
        double *v = world->scratch.solution + body->v, *change = world->next.change + body->v;
        if (body->moves) {
            begin(world, b, setup);
        }
        if (potential && world->contact.active && world->contact.offset[b] >= 0) {
            continue;
        }
        ok = fil_free_motion(body, setup, &world->def, world->state.q + body->q, world->state.change + body->v, v,
                             &world->scratch, &report);
        for (int k = 0; k < body->v_count; k++) {
            change[k] = v[k] - world->state.v[body->v + k];
        }
        iterations = report.iterations > iterations ? report.iterations : iterations;
        info->regularised += report.regularised;
        info->residual = fmax(info->residual, report.residual);
        fil_contacts_take(world, b);
    }
    info->newton_iterations += iterations;
    return ok;
}

static void finish(FilWorld* world)
{
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        body->ops->finish(body->impl, world->scratch.solution + body->v, world->next.q + body->q, world->next.v + body->v,
                          world->next.h + body->h);
    }
}

/* What models keep from step to step goes along, until they change it. */
static void carry_memory(FilWorld* world, const FilState* from)
{
    memcpy(world->next.h + world->memory, from->h + world->memory, sizeof(double) * FIL_POTENTIAL_MEMORY);
    for (int k = 0; k < world->collision.collider_count; k++) {
        const FilWorldCollider* c = &world->collision.colliders[k];
        if (c->memory >= 0) {
            memcpy(world->next.h + c->memory, from->h + c->memory, sizeof(double) * (size_t)c->collider.edge_count);
        }
    }
}

/* The next state, by one implicit or explicit stage from the state. */
static FilStatus stage(FilWorld* world, double t, double dt, FilStepInfo* info)
{
    FilStepSetup setup;
    set_up(world, t, dt, &setup);
    fil_world_apply_drives(world, t, dt, setup.theta);
    for (int b = 0; b < world->body_count; b++) { // scripted bodies first: contacts need their velocities
        if (!world->bodies[b].moves) {
            begin(world, b, &setup);
        }
    }
    const bool touching = fil_contact_models[world->contact_model].contacts;
    const FilPotentialModel* potential = fil_contact_models[world->contact_model].potential;
    FilStatus status = FIL_OK;
    carry_memory(world, &world->state);

    double start = seconds();
    fil_contact_set_clear(&world->collision.set);
    world->collision.around = potential != NULL ? world->def.imc.reach : 0.0;
    world->collision.round = potential != NULL && !world->def.imc.rectangles;
    world->collision.plain = potential != NULL && potential->evaluate_edges != NULL && !world->def.imc.contact_points;
    if (touching) {
        status = fil_collide_world(world, dt);
    }
    status = status == FIL_OK ? fil_contacts_prepare(world) : status;
    info->timings.collide += seconds() - start;

    start = seconds();
    if (status == FIL_OK && !free_motion(world, &setup, potential != NULL, info)) {
        status = FIL_NOT_CONVERGED;
    }
    if (status == FIL_OK && potential != NULL) {
        status = fil_solve_potential(world, potential, dt, info);
    }
    info->timings.free_motion += seconds() - start;

    start = seconds();
    if (status == FIL_OK && potential == NULL) {
        status = fil_solve_contacts(world, dt, info);
    }
    info->timings.contact += seconds() - start;
    if (status != FIL_OK) {
        return status;
    }

    start = seconds();
    finish(world);
    world->last_dt = dt;
    status = is_finite(world, &world->next) ? FIL_OK : FIL_NOT_CONVERGED;
    info->timings.free_motion += seconds() - start;
    return status;
}

/* What the second stage's inertia goes on from: everything as it would be if it had changed over dt at the rate of the first
 * stage, which took `first` s. Becomes the state; the first stage's result moves to `middle`, the state to `origin`. */
static void lean(FilWorld* world, double t, double dt, double first)
{
    FilStepSetup setup;
    const double* v = world->scratch.solution;
    swap(&world->next, &world->middle);
    set_up(world, t, dt, &setup);
    fil_world_apply_drives(world, t, dt, setup.theta);
    for (int b = 0; b < world->body_count; b++) {
        begin(world, b, &setup);
    }
    finish(world);
    carry_memory(world, &world->middle);
    copy_numbers(world->next.change, world->middle.change, world->v_count);
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (body->ops == fil_body_kinds[FIL_BODY_RING]) { // rings are where the first stage left them
            copy_numbers(world->next.h + body->h, world->middle.h + body->h, body->h_count);
        }
        for (int k = 0; k < body->v_count; k++) {
            const int i = body->v + k, j = body->q + k;
            world->next.v[i] = world->state.v[i] + dt / first * (v[i] - world->state.v[i]);
            world->middle.change[i] =
                body->ops->points ? (world->middle.q[j] - world->next.q[j]) / first : (first - dt) / first * v[i];
        }
    }
    swap(&world->state, &world->origin);
    swap(&world->state, &world->next);
}

/* Two stages of backward Euler over gamma dt each: the first from the start, the second from what the first leans to,
 * y0 + (1 - gamma) dt y'. It ends the step. With gamma = 1 - sqrt(1/2) this is Alexander's SDIRK of order 2. In general it
 * solves y' = f + (2 gamma - gamma^2 - 1/2) dt f'f up to second order, and backward Euler y' = f + 1/2 dt f'f. */
static FilStatus two_stages(FilWorld* world, double t, double dt, FilStepInfo* info)
{
    const double gamma = 1.0 - sqrt(0.5 - 0.5 * world->def.euler_dt / dt);
    FilStatus status = stage(world, t, gamma * dt, info);
    if (status != FIL_OK) {
        return status;
    }
    lean(world, t, (1.0 - gamma) * dt, gamma * dt);
    world->in_second = true;
    world->leaning = (1.0 - gamma) / gamma;
    status = stage(world, t + (1.0 - gamma) * dt, gamma * dt, info);
    world->in_second = false;
    swap(&world->state, &world->origin);
    if (status == FIL_OK) {
        info->local_error = fmax(info->local_error, fil_world_local_error(world, gamma, dt));
    }
    return status;
}

/* One sub-step. On failure the state is untouched. */
static FilStatus advance(FilWorld* world, double t, double dt, FilStepInfo* info)
{
    // stages that shall err as backward Euler does with no smaller step are one step of it
    const bool twice = world->def.integrator == FIL_SDIRK2 && world->def.euler_dt < dt;
    const FilStatus status = (twice ? two_stages : stage)(world, t, dt, info);
    if (status != FIL_OK) {
        return status;
    }
    swap(&world->state, &world->next);
    if (fil_contact_models[world->contact_model].contacts) {
        info->crossings += fil_count_crossings(world, world->next.q, world->state.q);
    }
    return FIL_OK;
}

static void copy_state(const FilWorld* world, const FilState* to, const FilState* from)
{
    copy_numbers(to->q, from->q, world->q_count);
    copy_numbers(to->v, from->v, world->v_count);
    copy_numbers(to->h, from->h, world->h_count);
    copy_numbers(to->change, from->change, world->v_count);
    copy_numbers(to->controls, from->controls, FIL_CONTROL_SIZE * (world->attachment_count + world->drive_count));
}

/* Covers [t, t + dt] by sub-steps, halving whichever fails to converge, `most` times; fails if one does at the finest size. */
static FilStatus advance_halving(FilWorld* world, double t, double dt, int most, int* halvings, FilStepInfo* info)
{
    const uint64_t end = UINT64_C(1) << most;
    uint64_t done = 0, size = end; // in units of dt / 2^most
    *halvings = 0;
    while (done < end) {
        const double from = t + dt * (double)done / (double)end;
        const FilStatus status = advance(world, from, dt * (double)size / (double)end, info);
        if (status == FIL_OK) {
            done += size;
            // grow again where the grid allows it
            while (size < end && done % (2 * size) == 0 && done + 2 * size <= end) {
                size *= 2;
            }
            continue;
        }
        if (size == 1 || status != FIL_NOT_CONVERGED) {
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

/* The whole step, in equal parts. */
static FilStatus advance_parts(FilWorld* world, double t, double dt, int parts, FilStepInfo* info)
{
    int whole = 0; // halvings that would give as many parts, or more
    while (1 << whole < parts) {
        whole++;
    }
    FilStatus status = FIL_OK;
    for (int k = 0; k < parts && status == FIL_OK; k++) {
        int halvings;
        status = advance_halving(world, t + dt * k / parts, dt / parts, world->def.max_halvings - whole, &halvings, info);
        info->halvings = whole + halvings > info->halvings ? whole + halvings : info->halvings;
    }
    return status;
}

/* The same, repeated in more parts where it errs by too much: something has happened on the way. */
static FilStatus advance_accurately(FilWorld* world, double t, double dt, FilStepInfo* info)
{
    for (int parts = fil_world_parts(world);;) {
        const FilStatus status = advance_parts(world, t, dt, parts, info);
        if (status != FIL_OK) {
            return status;
        }
        const int next = fil_world_next_parts(world, parts, info);
        if (!fil_world_errs(world, info) || next <= parts) {
            fil_world_keep_parts(world, next);
            return FIL_OK;
        }
        copy_state(world, &world->state, &world->saved);
        parts = next;
        info->local_error = 0.0;
        info->crossings = 0;
    }
}

FilStatus fil_world_step(FilWorld* world, FilStepInfo* info)
{
    const double start = seconds(), dt = world->def.dt;
    FilStepInfo local;
    info = info != NULL ? info : &local;
    // counted in steps since dt was last changed, so that times do not drift
    const double end = world->clock.time + (double)(world->step + 1 - world->clock.step) * dt;
    *info = (FilStepInfo){.step = world->step + 1, .time = end, .dt = dt, .least_distance = INFINITY};
    const FilPotentialModel* potential = fil_contact_models[world->contact_model].potential;
    if (fil_kind_count(world, FIL_BODY_RING) > 0 && (potential == NULL || potential->field == NULL)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "rings, such as '%s', slide under contact model 'ipc' only",
                              fil_ring_name(world, fil_world_ring_at(world, 0)));
    }
    if (world->step == 0) {
        copy_state(world, &world->initial, &world->state);
    }
    copy_state(world, &world->saved, &world->state);
    fil_potential_begin(&world->potential);
    const FilStatus status = advance_accurately(world, world->time, dt, info);
    if (status == FIL_OK) {
        world->step++;
        world->time = end;
    } else {
        copy_state(world, &world->state, &world->saved); // sub-steps, and rest shapes that drives have written
        info->step = world->step;
        info->time = world->time;
    }
    info->timings.other = seconds() - start - info->timings.free_motion - info->timings.collide - info->timings.contact;
    if (status == FIL_OUT_OF_MEMORY) {
        return fil_world_fail(world, status, "out of memory in the step from t = %g s", world->time);
    }
    if (status == FIL_BAD_INPUT && world->potential.refused) {
        return status; // with a message of its own
    }
    if (status == FIL_BAD_INPUT) {
        return fil_world_fail(world, status, "the step from t = %g s has more than %d contacts: are things inside each other?",
                              world->time, world->collision.set.count);
    }
    return status == FIL_OK
               ? FIL_OK
               : fil_world_fail(world, status,
                                "the step from t = %g s did not converge, even with sub-steps of %g s; try a smaller dt, "
                                "more Newton iterations or gentler drives",
                                world->time, dt / (double)(UINT64_C(1) << world->def.max_halvings));
}
