#include "solver/solver.h"

#include <math.h>
#include <string.h>

#include "solver/free_motion.h"

void fil_solver_free(FilSolver* solver)
{
    fil_free(solver->motions);
    fil_joints_free(&solver->joints);
    fil_contact_stage_free(&solver->contact);
    fil_followers_free(&solver->followers);
    fil_velocity_stage_free(&solver->velocity);
    fil_potential_stage_free(&solver->potential);
    fil_ipc_field_free(&solver->ipc);
}

void fil_solver_begin(FilSolver* solver)
{
    solver->refused = false;
    solver->potential.begins = true;
    solver->potential.settled = false;
}

/* The last step's impulses of contacts and joints on a body that takes part in contact again, into the scratch. Near rest they are
 * this step's too, and the motion under them is where the problem has to be linearised: without them a stiff body springs back
 * as far as it is loaded, and its forces there differ from those at the end of the step by the square of that. */
static bool collect_push(FilSolver* solver, int b, const FilStepSetup* setup)
{
    const FilSystem* system = solver->system;
    const FilBody* body = &system->bodies[b];
    FilContactStage* stage = &solver->contact;
    if (!stage->active || stage->offset[b] < 0) {
        return false;
    }
    stage->pushed[b] = false;
    for (int k = 0; k < body->v_count && body->ops->deforms && setup->theta > 0.0; k++) {
        const double impulse = setup->dt * system->state.push[body->v + k];
        system->scratch.push[body->v + k] = impulse;
        stage->pushed[b] |= impulse != 0.0;
    }
    return stage->pushed[b];
}

/* Newton on m(v) = push, from the last step's change of velocity. Where contact takes over, a guess that is near enough stays. `used`: of the
 * scratch. */
static FilNewton newton(const FilSolver* solver, const FilStepSetup* setup, int b, double* push, int used)
{
    FilSystem* system = solver->system;
    const FilBody* body = &system->bodies[b];
    const FilContactStage* stage = &solver->contact;
    const bool follows =
        stage->active && stage->offset[b] >= 0 && body->ops->deforms && solver->model->velocity != NULL && !solver->exact_motion && !system->staged;
    const FilNewtonScratch scratch = fil_system_scratch(system, b, used);
    return (FilNewton){.task = {.body = body,
                                .setup = setup,
                                .tolerance = solver->settings.newton_tolerance,
                                .max = solver->settings.newton_max_iterations,
                                .q = system->state.q + body->q,
                                .change = system->state.change + body->v,
                                .push = push,
                                .rest = follows ? system->scratch.push + body->v : NULL},
                       .v = scratch.solution,
                       .scratch = scratch};
}

/* What has become of a body's motion, once it is found. */
static bool note(FilSolver* solver, int b, const FilNewton* motion, FilBodyMotion* result)
{
    result->newton = motion->report;
    if (motion->report.stayed) {
        solver->contact.pushed[b] = true;
    }
    return motion->converged;
}

/* Makes the contact problem linear about the velocity v that a body guesses from `change`, under the push m(v): the problem is the same about any v.
 */
static bool linearise_about(FilSolver* solver, int b, const double* change)
{
    FilSystem* system = solver->system;
    const FilBody* body = &system->bodies[b];
    double potential, *v = system->scratch.solution + body->v;
    body->ops->guess(body->impl, change, v);
    solver->contact.pushed[b] = body->ops->evaluate(body->impl, v, 0.0, system->scratch.push + body->v, &potential);
    return solver->contact.pushed[b];
}

static const double* no_change(const FilNewtonScratch* scratch, int count)
{
    memset(scratch->direction, 0, sizeof(double) * (size_t)count);
    return scratch->direction;
}

static bool linearise_about_start(FilSolver* solver, int b)
{
    const FilNewtonScratch scratch = fil_system_scratch(solver->system, b, 0);
    return linearise_about(solver, b, no_change(&scratch, solver->system->bodies[b].v_count));
}

/* The same, where the tangent is positive definite there: enlarged until it is, it would keep the body from moving. */
static bool linearise_if_definite(FilSolver* solver, int b)
{
    const FilBody* body = &solver->system->bodies[b];
    const bool definite = linearise_about_start(solver, b) && body->ops->factor(body->impl);
    solver->contact.pushed[b] = false;
    return definite && linearise_about_start(solver, b);  // the tangent itself again
}

/* The motion of a body that is tried first. */
typedef struct Attempt {
    bool moves;   /* there is one to be found */
    double* push; /* under this; NULL: none */
    bool led;     /* by what follows it */
    FilNewton motion;
} Attempt;

/* Free motion about the last step's contacts. */
static void try_push(FilSolver* solver, const FilStepSetup* setup, int b, int used, Attempt* attempt)
{
    const FilBody* body = &solver->system->bodies[b];
    attempt->push = collect_push(solver, b, setup) ? solver->system->scratch.push + body->v : NULL;
    attempt->led = body->moves && setup->theta > 0.0 && fil_followers_lead(solver, b);
    attempt->motion = newton(solver, setup, b, attempt->push, used);
}

/* Once it has been tried. Where it is too far, or the body buckles under their forces alone, about its velocity at the start:
 * what its contacts hold stays near that. Else about no contact, as published. */
static bool end_push(FilSolver* solver, const FilStepSetup* setup, int b, const Attempt* attempt, FilBodyMotion* result)
{
    bool ok = note(solver, b, &attempt->motion, result);
    if (attempt->push != NULL && !ok) {
        result->at_start = linearise_if_definite(solver, b);
        if (!result->at_start) {
            FilNewton motion = newton(solver, setup, b, NULL, 0);
            FilNewton* again = &motion;
            fil_free_motions(&again, 1);
            ok = note(solver, b, again, result);
        }
    }
    return (ok || result->at_start) && (!attempt->led || fil_followers_let_go(solver, b));
}

/* P3 VI-B: where m is linear in a step and the body takes part in contact, the contact problem's factor of the unknowns that touch nothing
 * gives free motion too. The same where it is to be linear about the velocity at the start. Else false. */
static bool leave_to_contact(FilSolver* solver, const FilStepSetup* setup, int b, int used, FilNewton* motion)
{
    const FilSystem* system = solver->system;
    const FilBody* body = &system->bodies[b];
    const FilContactStage* stage = &solver->contact;
    const bool linear = body->ops->linear != NULL && body->ops->linear(body->impl);
    const bool at_start = !linear && body->ops->deforms && solver->settings.linearisation == FIL_ABOUT_START;
    if (!stage->active || stage->offset[b] < 0 || solver->model->velocity == NULL || !(setup->theta > 0.0) || !(linear || at_start)) {
        return false;
    }
    const FilNewtonScratch scratch = fil_system_scratch(system, b, used);
    const double* change = at_start ? no_change(&scratch, body->v_count) : system->state.change + body->v;
    *motion = (FilNewton){.task = {.body = body, .setup = setup, .linearises = true, .change = change, .rest = system->scratch.push + body->v},
                          .v = scratch.solution,
                          .scratch = scratch};
    return true;
}

typedef struct FreeMotion {
    FilSolver* solver;
    const FilStepSetup* setup;
} FreeMotion;

/* Begins a body's step. False where there is no motion to be found: it rests, or contact is a part of the motion and it takes part. */
static bool begin_body(const FreeMotion* motion, int b)
{
    FilSolver* solver = motion->solver;
    FilSystem* system = solver->system;
    const FilBody* body = &system->bodies[b];
    double *v = system->scratch.solution + body->v, *change = system->next.change + body->v;
    solver->motions[b] = (FilBodyMotion){.done = true};
    if (body->moves && body->rest != FIL_AWAKE) {
        memset(v, 0, sizeof(double) * (size_t)body->v_count);
        memset(change, 0, sizeof(double) * (size_t)body->v_count);
        return false;
    }
    if (body->moves) {
        body->ops->begin(body->impl, motion->setup, system->state.q + body->q, system->state.v + body->v, system->state.h + body->h);
    }
    return !(solver->model->coupled && solver->contact.active && solver->contact.offset[b] >= 0);
}

static void try_body(const FreeMotion* motion, int b, int used, Attempt* attempt)
{
    if (!leave_to_contact(motion->solver, motion->setup, b, used, &attempt->motion)) {
        try_push(motion->solver, motion->setup, b, used, attempt);
    }
}

static void end_body(const FreeMotion* motion, int b, Attempt* attempt)
{
    FilSolver* solver = motion->solver;
    FilSystem* system = solver->system;
    const FilBody* body = &system->bodies[b];
    FilBodyMotion* result = &solver->motions[b];
    const double *v = system->scratch.solution + body->v, *v0 = system->state.v + body->v;
    double* change = system->next.change + body->v;
    FilNewton* found = &attempt->motion;
    if (found->task.linearises) {
        result->done = note(solver, b, found, result);
        solver->contact.pushed[b] = result->done;
        if (!result->done) {
            try_push(solver, motion->setup, b, 0, attempt);
            fil_free_motions(&found, 1);
        }
    }
    if (!found->task.linearises) {
        result->done = end_push(solver, motion->setup, b, attempt, result);
    }
    for (int k = 0; k < body->v_count; k++) {
        change[k] = v[k] - v0[k];
    }
    fil_contacts_take(solver, b);
}

/* One body after the other while its data are at hand, or two side by side where their kind has operations for both. */
static void move_bodies(void* context, int first, int end, int worker)
{
    const FreeMotion* motion = context;
    const FilBody* bodies = motion->solver->system->bodies;
    (void)worker;
    for (int b = first, count; b < end; b += count) {
        const int max = b + 1 < end && bodies[b].ops->pair != NULL && bodies[b + 1].ops == bodies[b].ops ? 2 : 1;
        Attempt attempts[2] = {0};
        FilNewton* motions[2];
        int moving = 0;
        for (count = 0; count < max; count++) {
            Attempt* attempt = &attempts[count];
            attempt->moves = begin_body(motion, b + count);
            if (attempt->moves) {
                try_body(motion, b + count, count == 0 ? 0 : bodies[b].v_count, attempt);
                motions[moving++] = &attempt->motion;
            }
        }
        fil_free_motions(motions, moving);
        for (int k = 0; k < count; k++) {
            if (attempts[k].moves) {
                end_body(motion, b + k, &attempts[k]);
            }
        }
    }
}

/* Velocities of every body without contact, or with that of the last step, in the scratch. */
static FilStatus free_motion(FilSolver* solver, const FilStepSetup* setup, FilStepInfo* info)
{
    const int count = solver->system->body_count;
    void* motions = solver->motions;
    const bool room = fil_buffer_reserve(&motions, &solver->motion_capacity, (size_t)count, sizeof *solver->motions);
    solver->motions = motions;
    if (!room) {
        return FIL_OUT_OF_MEMORY;
    }
    FreeMotion motion = {solver, setup};
    fil_system_run(solver->system, move_bodies, &motion);
    int iterations = 0;
    bool ok = true;
    for (int b = 0; b < count && ok; b++) {  // up to the first that failed
        const FilNewtonReport* report = &solver->motions[b].newton;
        ok = solver->motions[b].done;
        iterations = report->iterations > iterations ? report->iterations : iterations;
        info->regularised += report->regularised;
        info->residual = fmax(info->residual, report->residual);
    }
    info->newton_iterations += iterations;
    return ok ? FIL_OK : FIL_NOT_CONVERGED;
}

FilStatus fil_solver_solve(FilSolver* solver, const FilStepSetup* setup, FilStepInfo* info)
{
    const bool coupled = solver->model->coupled;
    double start = fil_watch_now();
    FilStatus status = fil_contacts_prepare(solver);
    solver->followers.count = 0;
    status = status == FIL_OK && solver->contact.active && !coupled ? fil_followers_choose(solver, setup->dt) : status;
    info->timings.collide += fil_watch_now() - start;

    start = fil_watch_now();
    status = status == FIL_OK ? free_motion(solver, setup, info) : status;
    status = status == FIL_OK && coupled ? solver->model->solve(solver, setup->dt, info) : status;
    info->timings.free_motion += fil_watch_now() - start;

    start = fil_watch_now();
    status = status == FIL_OK && !coupled ? solver->model->solve(solver, setup->dt, info) : status;
    info->timings.contact += fil_watch_now() - start;
    solver->last_dt = status == FIL_OK ? setup->dt : solver->last_dt;
    return status;
}
