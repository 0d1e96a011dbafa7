/* Newton's method at potential level: one iteration over all bodies that take part, with a field of contacts in it. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "solver/solver.h"

/* The contacts' tangent takes part from the start after a step that could not do without, not for ever. */
enum { HINT_STEPS = 20 };

/* Share of the residual that the first linear system may leave, if solved by iteration: a fifth of what first iterations were seen to leave. With
 * 0.03 clothes take 3 % more of Newton's iterations, nets as well. */
static const double FIRST_ACCURACY = 0.01;

/* Of the energy at work: what potentials are rounded by (gaps, by 1e-17 m, times forces: 1e-12 was seen) is below. Hager and Zhang (2005)
 * take 1e-6 of the potential. */
static const double NOISE = 1e-9;

/* Newton's method from v; the residual at the solution is left evaluated. */
static FilStatus iterate(FilSolver* solver, FilPotentialIteration* newton, double* v, FilStepInfo* info)
{
    FilPotentialStage* stage = &solver->potential;
    FilNewtonScratch* s = &solver->system->scratch;
    const FilPotentialField* field = newton->field;
    const int after = newton->options.tangent_after;
    const bool has_tangent = newton->options.tangent || solver->contact.constraint_count > 0;
    newton->exhausted = false;
    for (int first = newton->iterations; (newton->norm > newton->tolerance && !newton->exhausted) || newton->iterations == first;) {
        if (newton->iterations - first == solver->settings.newton_max_iterations || fil_watch_ended(solver->watch)) {
            return FIL_NOT_CONVERGED;
        }
        newton->tangent = has_tangent && (newton->tangent || (after >= 0 && newton->iterations - first >= after));
        newton->iterations++;
        FilStatus status = field->scheme->direction(solver, newton, v, info);
        if (status != FIL_OK) {
            return status;
        }
        newton->fresh = false;
        if (!field->scheme->search(solver, newton, v)) {
            // with old factors, or without the contacts' tangent, the direction may be a bad one
            double potential;
            const bool better = stage->broyden.count > 1 || (!newton->tangent && has_tangent);
            if (!better || !fil_potential_evaluate_all(solver, field, v, s->residual, &potential)) {
                return FIL_NOT_CONVERGED;
            }
            newton->tangent = has_tangent;
            stage->factors = FIL_FACTORS_NONE;
        } else if (field->accept != NULL) {
            bool changed = false;
            status = field->accept(solver, v, &changed);
            if (status != FIL_OK) {
                return status;
            }
            stage->bound = stage->bound && !changed;
            stage->factors = FIL_FACTORS_NONE;
        }
    }
    return FIL_OK;
}

/* Size of the contacts' impulses, as evaluated last. */
static double contacts_at_work(FilSolver* solver, const FilPotentialField* field)
{
    if (field->add_kept == NULL) {
        return 0.0;
    }
    double* impulse = solver->potential.impulse.at;
    memset(impulse, 0, sizeof(double) * (size_t)solver->system->v_count);
    field->add_kept(solver, impulse);
    return fil_potential_size(solver, impulse, false);
}

/* What Newton stops at; `at_work`: the size of the bodies' momenta. */
static FilPotentialIteration start_newton(FilSolver* solver, const FilPotentialField* field, double at_work, double rounding)
{
    FilPotentialIteration newton = {.field = field, .accuracy = FIRST_ACCURACY, .fresh = true};
    const FilPotentialNewton* options = &newton.options;
    field->newton(solver, &newton.options);
    // joints are stiff and mix forces with torques: what P2 stops at would be too little
    const bool joints = solver->contact.constraint_count > 0;
    newton.as_force = !joints && (options->reduction > 0.0 || options->force_tolerance > 0.0);
    newton.norm = fil_potential_size(solver, solver->system->scratch.residual, newton.as_force);
    if (newton.as_force) {
        newton.tolerance = fmax(options->force_tolerance, options->reduction * newton.norm);
    } else {
        // a second stage need not be more exact than what it is extrapolated from
        const double times = solver->system->in_second ? fmax(solver->system->extrapolation, 1.0) : 1.0;
        const double share = solver->settings.newton_tolerance * times;
        newton.tolerance = share * fmax(hypot(at_work, contacts_at_work(solver, field)), newton.norm) + rounding;
    }
    const double work = fmax(at_work, newton.as_force ? fil_potential_size(solver, solver->system->scratch.residual, false) : newton.norm);
    newton.noise = NOISE * work * work;
    // joints are stiff: without their tangent Newton would not get anywhere
    const double hint = solver->potential.problem.memory[FIL_MEMORY_TANGENT];
    newton.tangent = options->tangent_first || joints || (options->tangent_after < 0 && hint > 0.0);
    newton.definite = !options->full_tangent;
    return newton;
}

/* How much of the last step's change of velocities is expected of this one, of sheets and large nets. Seen, as Newton's iterations: half of it
 * takes 11 % less than all of it where cloth wrinkles. The change over the second of two stages is that of what swings faster than steps are long:
 * none of it takes 17 % less than all in a net, and begins with a quarter of the residual. The second stage goes on as the first one did. */
static double share_of_change(const FilSolver* solver, const FilPotentialField* field)
{
    const FilSystem* system = solver->system;
    return !fil_potential_is_sheet(solver, field) || system->in_second ? 1.0 : system->staged ? 0.0 : 0.5;
}

/* A pass over velocities, or over bodies. */
typedef struct Pass {
    FilSolver* solver;
    double share, *v, *impulse;
} Pass;

/* Numbers at a time: some two microseconds. */
enum { GRAIN = 4096 };

static void pass_over(const FilSystem* system, FilWork* work, Pass* pass)
{
    fil_workers_run(system->v_count > GRAIN ? system->workers : NULL, system->v_count, GRAIN, work, pass);
}

static void scale_change(void* context, int first, int end, int worker)
{
    const Pass* pass = context;
    const FilSystem* system = pass->solver->system;
    (void)worker;
    for (int k = first; k < end; k++) {
        system->scratch.direction[k] = pass->share * system->state.change[k];
    }
}

static void guess_some(void* context, int first, int end, int worker)
{
    const Pass* pass = context;
    (void)worker;
    for (int b = first; b < end; b++) {
        if (fil_potential_takes_part(pass->solver, b)) {
            fil_potential_guess(pass->solver, b, pass->solver->system->scratch.direction, pass->v);
        }
    }
}

/* First guess of all velocities: changing on by a share of what they did in the last step. */
static void guess(FilSolver* solver, double share, double* v)
{
    Pass pass = {.solver = solver, .share = share, .v = v};
    pass_over(solver->system, scale_change, &pass);
    fil_system_run(solver->system, guess_some, &pass);
}

/* Names a body whose equations of motion are no gradient. */
static FilStatus refuse_body(FilSolver* solver, const double* v)
{
    const char* name = "?";
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        double own = 0.0;
        if (fil_potential_takes_part(solver, b) &&
            body->ops->evaluate(body->impl, v + body->v, 0.0, solver->system->scratch.residual + body->v, &own) && isnan(own)) {
            name = body->name;
        }
    }
    return fil_solver_refuse(solver, "contact model '%s' needs a potential, which '%s' has not with its scheme: use semi_implicit",
                             solver->model->name, name);
}

/* A first guess that keeps everything within reach, with the bodies evaluated there. */
static FilStatus begin(FilSolver* solver, const FilPotentialField* field, double dt, double* v, double* potential, FilStepInfo* info)
{
    double* residual = solver->system->scratch.residual;
    // cords of a net are slack more often than not: what pressure takes from their stiffness only misleads
    solver->potential.shift = fil_potential_is_sheet(solver, field) ? FIL_MIN_SHIFT : 0.0;
    solver->potential.factors = FIL_FACTORS_NONE;
    solver->potential.serves = false;
    FilStatus status = FIL_NOT_CONVERGED;
    bool evaluated = false;
    for (int attempt = 0; attempt < 2 && !evaluated; attempt++) {
        solver->potential.goes_on = attempt == 0 ? share_of_change(solver, field) : 0.0;  // the second time: that was too far
        guess(solver, solver->potential.goes_on, v);
        status = field->begin != NULL ? field->begin(solver, dt, v, info) : FIL_OK;
        if (status != FIL_OK) {
            return attempt == 0 ? status : FIL_NOT_CONVERGED;
        }
        evaluated = fil_potential_evaluate_bodies(solver, v, true, residual, potential);
    }
    if (!evaluated) {
        return FIL_NOT_CONVERGED;
    }
    return isnan(*potential) ? refuse_body(solver, v) : FIL_OK;
}

FilStatus fil_potential_set_up(FilSolver* solver, double dt)
{
    FilPotentialStage* stage = &solver->potential;
    FilSystem* system = solver->system;
    if (!fil_doubles_reserve(&stage->impulse, (size_t)system->v_count) || !fil_doubles_reserve(&stage->edge_scratch, (size_t)system->h_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    stage->bound = false;
    stage->problem = (FilPotentialProblem){.dt = dt,
                                           .gravity = fil_v3_norm(solver->settings.gravity),
                                           .settings = &solver->settings.model.imc,
                                           .soft = fil_soft_clamp(solver->settings.model.imc.smoothing),
                                           .memory = system->next.h + solver->memory,
                                           .edge_memory = system->next.h,
                                           .edge_scratch = stage->edge_scratch.at};
    return FIL_OK;
}

static void push_some(void* context, int first, int end, int worker)
{
    const Pass* pass = context;
    (void)worker;
    for (int b = first; b < end; b++) {
        const FilBody* body = &pass->solver->system->bodies[b];
        if (fil_potential_takes_part(pass->solver, b) && body->ops->push != NULL) {
            body->ops->push(body->impl, pass->v + body->v, pass->impulse + body->v, NULL);
        }
    }
}

/* v is the solution: impulses to contacts, joints and bodies. */
static FilStatus finish(FilSolver* solver, const FilPotentialField* field, double* v, FilStepInfo* info)
{
    double* impulse = solver->potential.impulse.at;
    memset(impulse, 0, sizeof(double) * (size_t)solver->system->v_count);
    const FilStatus status = field->finish(solver, v, impulse, info);
    if (status != FIL_OK) {
        return status;
    }
    fil_potential_joints_finish(solver, v, impulse);
    Pass pass = {.solver = solver, .v = v, .impulse = impulse};
    fil_system_run(solver->system, push_some, &pass);
    return FIL_OK;
}

/* Keeps a solution that is not the last. */
static FilStatus keep_round(FilPotentialStage* stage, const double* v, size_t n)
{
    const size_t used = (size_t)stage->round_count * n, wanted = 2 * (used + n);
    if (used + n > stage->rounds.capacity) {
        if (!fil_grow((void**)&stage->rounds.at, stage->rounds.capacity, wanted, sizeof(double))) {
            return FIL_OUT_OF_MEMORY;
        }
        stage->rounds.capacity = wanted;
    }
    memcpy(stage->rounds.at + used, v, n * sizeof(double));
    stage->round_count++;
    return FIL_OK;
}

/* All bodies that take part, together. */
static FilStatus solve_together(FilSolver* solver, const FilPotentialField* field, double dt, FilStepInfo* info)
{
    FilPotentialStage* stage = &solver->potential;
    FilNewtonScratch* scratch = &solver->system->scratch;
    double *v = scratch->solution, potential, rounding;
    stage->round_count = 0;
    FilStatus status = begin(solver, field, dt, v, &potential, info);
    if (status != FIL_OK) {
        return status;
    }
    if (!fil_broyden_begin(&stage->broyden, field->scheme->quasi_newton ? (size_t)solver->system->v_count : 0)) {
        return FIL_OUT_OF_MEMORY;
    }
    // contacts are weighed by the tangent's diagonal
    const double at_work = fil_potential_set_measure(solver, dt, v, &rounding);
    status = fil_potential_joints_begin(solver, dt);
    status = status == FIL_OK ? fil_potential_set_up(solver, dt) : status;
    status = status == FIL_OK && field->weigh != NULL ? field->weigh(solver) : status;
    if (status != FIL_OK) {
        return status;
    }
    if (!fil_potential_evaluate_contacts(solver, field, v, true, scratch->residual, &potential)) {
        return FIL_NOT_CONVERGED;
    }
    FilPotentialIteration newton = start_newton(solver, field, at_work, rounding);
    newton.potential = potential;
    bool again;
    do {
        again = false;
        status = iterate(solver, &newton, v, info);
        status = status == FIL_OK && field->refine != NULL ? field->refine(solver, v, &again, info) : status;
        status = status == FIL_OK && again && stage->keeps_rounds ? keep_round(stage, v, (size_t)solver->system->v_count) : status;
        if (status != FIL_OK) {
            return status;
        }
        if (again && !fil_potential_evaluate_all(solver, field, v, scratch->residual, &newton.potential)) {
            return FIL_NOT_CONVERGED;
        }
        newton.norm = again ? fil_potential_size(solver, scratch->residual, newton.as_force) : newton.norm;
    } while (again);
    double *stiff = &stage->problem.memory[FIL_MEMORY_STIFF], *hint = &stage->problem.memory[FIL_MEMORY_TANGENT];
    *stiff = fmax(*stiff - 1.0, 0.0);
    *hint = *hint > 0.0 ? *hint - 1.0 : newton.tangent ? HINT_STEPS : 0.0;
    info->newton_iterations += newton.iterations;
    info->residual = fmax(info->residual, newton.norm);
    return finish(solver, field, v, info);
}

static void find_change(void* context, int first, int end, int worker)
{
    const FilSystem* system = ((const Pass*)context)->solver->system;
    (void)worker;
    for (int k = first; k < end; k++) {
        system->next.change[k] = system->scratch.solution[k] - system->state.v[k];
    }
}

FilStatus fil_potential_solve_step(FilSolver* solver, double dt, FilStepInfo* info)
{
    FilSystem* system = solver->system;
    const FilContactSet* set = &solver->collision->set;
    info->contacts = set->count;
    for (int k = 0; k < set->count; k++) {
        info->max_penetration = fmax(info->max_penetration, -set->contacts[k].distance);
        info->min_distance = fmin(info->min_distance, set->contacts[k].distance);
    }
    FilStatus status = FIL_OK;
    if (solver->contact.active && system->v_count > 0) {  // a world without bodies has no arrays yet
        status = solve_together(solver, solver->model->field, dt, info);
    }
    if (status == FIL_OK) {
        Pass pass = {.solver = solver};
        pass_over(system, find_change, &pass);
    }
    return status;
}
