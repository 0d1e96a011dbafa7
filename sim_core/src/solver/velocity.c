/* Contact at velocity level: the problem linearised about free motion, A (v - v*) = J' gamma, solved by SAP or LCP. */
#include "solver/velocity.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/sap_system.h"
#include "solver/own_constraint.h"
#include "solver/solver.h"

void fil_velocity_stage_free(FilVelocityStage* stage)
{
    fil_sap_destroy(stage->sap);
    fil_sap_working_set_free(&stage->working_set);
    fil_lcp_destroy(stage->lcp);
    fil_lcp_turn_free(&stage->turn);
}

/* ---- the problem ---- */

/* The problem's variable of a block of the world's velocities. */
static int variable_of(const FilSolver* solver, int body, int world_block)
{
    return solver->contact.offset[body] + world_block - solver->system->bodies[body].v / 4;
}

/* Contacts on their way to constraints. */
typedef struct Adding {
    FilSolver* solver;
    FilSapKind kind;
} Adding;

/* Contacts at a time: some 10 us. */
enum { CONTACT_GRAIN = 128 };

/* Constraints of some contacts; their Jacobians move on to the problem's variables, at the same places. */
static void add_some(void* context, int first, int end, int worker)
{
    const Adding* adding = context;
    const FilSolver* solver = adding->solver;
    const FilContactStage* stage = &solver->contact;
    const FilContactSet* set = &solver->collision->set;
    (void)worker;
    for (int k = first; k < end; k++) {
        const FilContact* contact = &set->contacts[k];
        fil_sap_constraint_of_contact(contact, adding->kind, &stage->constraints[k]);
        // the owner of a block is one of the two bodies
        const FilBody* one = &solver->system->bodies[contact->body[0]];
        const int begin = one->v / 4, stop = (one->v + one->v_count) / 4, first_block = contact->first_block;
        for (int b = first_block; b < first_block + contact->block_count; b++) {
            const bool is_first = set->variable[b] >= begin && set->variable[b] < stop;
            stage->rows.variable[b] = variable_of(solver, contact->body[is_first ? 0 : 1], set->variable[b]);
        }
        if (contact->block_count > 0) {  // none between sides that cannot move
            memcpy(stage->rows.jacobian + 12 * (size_t)first_block, set->jacobian + 12 * (size_t)first_block,
                   12 * sizeof(double) * (size_t)contact->block_count);
        }
    }
}

/* Contacts as constraints, the first of all. */
static FilStatus add_contacts(FilSolver* solver, FilSapKind kind)
{
    FilContactStage* stage = &solver->contact;
    const FilContactSet* set = &solver->collision->set;
    Adding adding = {solver, kind};
    if (!fil_contact_set_extend(&stage->rows, 0, set->block_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_workers_run(solver->system->workers, set->count, CONTACT_GRAIN, add_some, &adding);
    stage->constraint_count = set->count;
    return FIL_OK;
}

static void take_velocities(void* context, int first, int end, int worker)
{
    const FilSolver* solver = context;
    const FilContactStage* stage = &solver->contact;
    (void)worker;
    for (int b = first; b < end; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (stage->offset[b] >= 0) {
            memcpy(solver->system->scratch.solution + body->v, stage->v + 4 * stage->offset[b], sizeof(double) * (size_t)body->v_count);
        }
    }
}

static void take_impulses(void* context, int first, int end, int worker)
{
    const FilSolver* solver = context;
    FilContact* contacts = solver->collision->set.contacts;
    (void)worker;
    for (int k = first; k < end; k++) {
        fil_v3_copy(contacts[k].impulse, solver->contact.impulses + 3 * k);
    }
}

/* Velocities back to the bodies, impulses to contacts and joints. */
static void spread_solution(FilSolver* solver, double dt)
{
    fil_system_run_short(solver->system, take_velocities, solver);
    fil_workers_run(solver->system->workers, solver->collision->set.count, CONTACT_GRAIN, take_impulses, solver);
    fil_joints_collect(solver, dt);
    fil_own_constraints_collect(solver);
}

/* J' gamma of all constraints, on the problem's unknowns; takes the place of the free velocities, which have served. */
static void gather_impulses(FilContactStage* stage)
{
    memset(stage->v_free, 0, 4 * sizeof(double) * (size_t)stage->column_count);
    for (int c = 0; c < stage->constraint_count; c++) {
        const FilSapConstraint* constraint = &stage->constraints[c];
        const double* gamma = stage->impulses + 3 * c;
        for (int k = constraint->first_block; k < constraint->first_block + constraint->block_count; k++) {
            fil_sap_add_impulse(stage->v_free + 4 * (size_t)stage->rows.variable[k], stage->rows.jacobian + 12 * (size_t)k, gamma);
        }
    }
}

typedef struct Keeping {
    const FilSolver* solver;
    double dt;
} Keeping;

static void keep_motion_of(void* context, int first, int end, int worker)
{
    const Keeping* keeping = context;
    const FilSolver* solver = keeping->solver;
    const FilContactStage* stage = &solver->contact;
    const FilSystem* system = solver->system;
    (void)worker;
    for (int b = first; b < end; b++) {
        const FilBody* body = &system->bodies[b];
        if (stage->offset[b] < 0 || !body->ops->deforms) {
            continue;
        }
        for (int k = 0; k < body->v_count; k++) {
            system->next.push[body->v + k] = stage->v_free[4 * stage->offset[b] + k] / keeping->dt;
        }
        for (int k = body->v; k < body->v + body->v_count && solver->motions[b].newton.stayed; k++) {
            system->next.change[k] = system->scratch.solution[k] - system->state.v[k];
        }
    }
}

/* For the next step, which linearises about the motion under these impulses; where the contact problem has found that motion, it begins with its
 * change of velocity. */
static void keep_motion(FilSolver* solver, double dt)
{
    Keeping keeping = {solver, dt};
    fil_system_run_short(solver->system, keep_motion_of, &keeping);
}

/* Tells bodies what they were pushed by: the reactions of their holds follow from it. */
static void push_bodies(FilSolver* solver)
{
    const FilContactStage* stage = &solver->contact;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (stage->offset[b] >= 0 && body->ops->push != NULL) {
            body->ops->push(body->impl, solver->system->scratch.solution + body->v, stage->v_free + 4 * stage->offset[b],
                            solver->system->scratch.residual);
        }
    }
}

/* How far bodies are from the full equations of motion, and the momenta at work, squared. */
typedef struct Imbalance {
    double error, size;
} Imbalance;

static void add_imbalance(const FilSolver* solver, const FilBody* body, const double* momentum, const FilNewtonScratch* s, Imbalance* sum)
{
    const double* m = solver->system->scratch.push + body->v;
    for (int k = 0; k < body->v_count; k++) {
        if (s->weight[k] > 0.0) {
            const double off = m[k] - momentum[k];
            sum->error += off * off / s->weight[k];
            sum->size += (s->scale[k] * s->scale[k] + momentum[k] * momentum[k]) / s->weight[k];
        }
    }
}

/* Adds that of `count` bodies from b on, one or two that go together; false where m cannot be evaluated. */
static bool imbalance_of(const FilSolver* solver, int b, int count, Imbalance* sum)
{
    const FilSystem* system = solver->system;
    const FilContactStage* stage = &solver->contact;
    const FilBody* const bodies[2] = {&system->bodies[b], &system->bodies[b + count - 1]};
    const double *v[2], shift[2] = {0.0, 0.0};
    double *m[2], potential[2];
    FilNewtonScratch scratch[2];
    bool in_reach[2] = {true, true};
    for (int k = 0; k < count; k++) {
        scratch[k] = fil_system_scratch(system, b + k, k == 0 ? 0 : bodies[0]->v_count);
        v[k] = system->scratch.solution + bodies[k]->v;
        m[k] = system->scratch.push + bodies[k]->v;
        bodies[k]->ops->diagonal(bodies[k]->impl, v[k], scratch[k].weight, scratch[k].scale);
    }
    fil_bodies_evaluate(bodies, count, v, shift, m, potential, in_reach);
    for (int k = 0; k < count; k++) {
        add_imbalance(solver, bodies[k], stage->v_free + 4 * stage->offset[b + k], &scratch[k], sum);
    }
    return in_reach[0] && in_reach[1];
}

/* Momentum residual of the full equations of motion with the impulses gathered, in the measure of the contact solver: that of the tangents which the
 * problem had. Leaves m(v) of each body as its push; tangents are those at the solution when they are next asked for. */
static double nonlinear_residual(const FilSolver* solver)
{
    const FilSystem* system = solver->system;
    const int* offset = solver->contact.offset;
    Imbalance sum = {0.0, 0.0};
    for (int b = 0, count; b < system->body_count; b += count) {
        const bool together =
            b + 1 < system->body_count && offset[b] >= 0 && offset[b + 1] >= 0 && fil_bodies_go_together(&system->bodies[b], &system->bodies[b + 1]);
        count = together ? 2 : 1;
        if (offset[b] >= 0 && !imbalance_of(solver, b, count, &sum)) {
            return INFINITY;
        }
    }
    return sum.size > 0.0 ? sqrt(sum.error / sum.size) : 0.0;
}

/* Makes the next problem linear about the present solution: v* = v under the push m(v), which the same impulses would balance if m were linear. False
 * where they do already, within the tolerance, or where m cannot be evaluated. */
static bool relinearise(FilSolver* solver, double tolerance)
{
    FilContactStage* stage = &solver->contact;
    gather_impulses(stage);
    const double residual = nonlinear_residual(solver);
    for (int b = 0; b < solver->system->body_count; b++) {
        stage->pushed[b] = stage->pushed[b] || stage->offset[b] >= 0;
    }
    return residual > tolerance && isfinite(residual);
}

/* Tangents about the free velocities again, with their mass part enlarged. */
static bool enlarge(FilSolver* solver, double shift)
{
    bool ok = true;
    for (int b = 0; b < solver->system->body_count && ok; b++) {
        const FilBody* body = &solver->system->bodies[b];
        double potential;
        if (solver->contact.offset[b] >= 0) {
            ok = body->ops->evaluate(body->impl, solver->system->scratch.solution + body->v, shift, solver->system->scratch.residual, &potential);
        }
    }
    return ok;
}

/* Makes v_free the velocities without any push, v* <- v* - A^-1 push. False if a tangent is not positive definite. */
static bool release(FilSolver* solver)
{
    FilContactStage* stage = &solver->contact;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (stage->offset[b] < 0 || !stage->pushed[b]) {
            continue;
        }
        double *v_free = stage->v_free + 4 * stage->offset[b], *push = stage->push + 4 * stage->offset[b];
        if (!body->ops->factor(body->impl)) {
            return false;
        }
        body->ops->solve(body->impl, push);
        for (int k = 0; k < body->v_count; k++) {
            v_free[k] -= push[k];
            push[k] = 0.0;
        }
    }
    return true;
}

FilStatus fil_velocity_sap(FilSolver* solver, const FilSapProblem* problem, FilSolverReport* report)
{
    FilContactStage* stage = &solver->contact;
    FilSapOptions options = fil_sap_options_default();
    options.tolerance = solver->settings.model.sap.tolerance;
    options.max_factorisations = solver->settings.model.sap.max_iterations;
    options.stick = solver->settings.model.sap.stick;
    options.slip_velocity = solver->settings.model.sap.slip_velocity;
    options.max_rounds = solver->settings.model.sap.friction_iterations;
    options.bound_tolerance = solver->settings.model.sap.friction_tolerance;
    FilSapStats stats = {0};
    if (solver->velocity.sap == NULL && (solver->velocity.sap = fil_sap_create()) == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    if (problem->constraint_count == 0 && !release(solver)) {  // v = v*
        report->indefinite = true;
        return FIL_NOT_CONVERGED;
    }
    double* v = solver->followers.count > 0 ? solver->followers.v.at : stage->v;
    const FilStatus status =
        fil_sap_working_set_solve(&solver->velocity.working_set, solver->velocity.sap, problem, &options, v, stage->impulses, &stats);
    *report = (FilSolverReport){stats.iterations, stats.analyses, 0, stats.indefinite, stats.residual};
    return status;
}

FilStatus fil_velocity_lcp(FilSolver* solver, const FilSapProblem* problem, FilSolverReport* report)
{
    if (!release(solver)) {
        report->indefinite = true;
        return FIL_NOT_CONVERGED;
    }
    FilContactStage* stage = &solver->contact;
    FilLcpStats stats = {0};
    if (solver->velocity.lcp == NULL && (solver->velocity.lcp = fil_lcp_create()) == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    FilSapProblem turned;
    if (!fil_lcp_turn(&solver->velocity.turn, problem, stage->v, &turned)) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilStatus status = fil_lcp_solve(solver->velocity.lcp, &turned, &solver->settings.model.lcp, stage->v, stage->impulses, &stats);
    fil_lcp_turn_back(&solver->velocity.turn, turned.constraint_count, stage->impulses);
    *report = (FilSolverReport){stats.iterations, stats.analyses, stats.fallbacks, stats.indefinite, stats.residual};
    return status;
}

/* Solves the problem about the velocities in the scratch; `again`: the tangents have changed since they were taken. Where
 * the tangent is not positive definite its mass part is enlarged until it is. */
static FilStatus solve_once(FilSolver* solver, double dt, bool again, FilStepInfo* info)
{
    FilContactStage* stage = &solver->contact;
    FilSapProblem problem = {.workers = solver->system->workers,
                             .dt = dt,
                             .pattern = {stage->column_count, stage->start, stage->row},
                             .a = stage->values,
                             .v_free = stage->v_free,
                             .push = stage->push,
                             .constraint_count = stage->constraint_count,
                             .constraints = stage->constraints,
                             .block = stage->rows.variable,
                             .jacobian = stage->rows.jacobian,
                             .watch = solver->watch};
    FilSolverReport report;
    FilStatus status;
    double shift = 0.0;
    do {
        for (int b = 0; b < solver->system->body_count && (shift > 0.0 || again); b++) {
            fil_contacts_take(solver, b);
        }
        if (again) {  // from the solution that it is linear about
            memcpy(stage->v, stage->v_free, 4 * sizeof(double) * (size_t)stage->column_count);
        }
        report = (FilSolverReport){0};
        status = fil_followers_fold(solver, &problem);
        if (status != FIL_OK) {
            return status;
        }
        status = solver->model->velocity(solver, &problem, &report);
        info->contact_solves++;
        info->contact_failures += status == FIL_NOT_CONVERGED && !report.indefinite;
        info->contact_fallbacks += report.fallbacks;
        info->contact_iterations += report.iterations;
        info->analyses += report.analyses;
        info->regularised += report.indefinite;
        shift = shift == 0.0 ? FIL_FIRST_SHIFT : FIL_SHIFT_GROWS * shift;
        // 1e9: ten times at most, a step that needs more is halved instead
    } while (report.indefinite && shift < 1e9 && enlarge(solver, shift));
    info->contact_residual = fmax(info->contact_residual, report.residual);
    fil_followers_unfold(solver);
    return status;
}

/* Deeper than this share of the smaller part, a contact is about to be lost: its normal may turn to the other side. */
static const double DEEP = 0.1;

/* Measures contacts, and counts those that are deep; refuses those deeper than the user allows. */
static FilStatus check_depths(FilSolver* solver, FilStepInfo* info)
{
    const FilCollisionStage* collision = solver->collision;
    const double allowed = solver->settings.max_depth;
    int deep = 0;
    for (int k = 0; k < collision->set.count; k++) {
        const FilContact* contact = &collision->set.contacts[k];
        info->max_penetration = fmax(info->max_penetration, -contact->distance);
        deep += -contact->distance > DEEP * contact->size;
        if (allowed > 0.0 && -contact->distance > allowed * contact->size) {
            return fil_solver_refuse(
                solver, "'%s' and '%s' overlap by %g m, more than max_depth allows of their size, %g m; try a smaller dt, or place them apart",
                collision->colliders[contact->collider[0]].name, collision->colliders[contact->collider[1]].name, -contact->distance, contact->size);
        }
    }
    info->deep_contacts = deep > info->deep_contacts ? deep : info->deep_contacts;
    return FIL_OK;
}

/* Whether anybody asks what the unknowns were pushed by; a pile of rigid bodies does not. */
static bool needs_impulses(const FilSolver* solver)
{
    bool needed = solver->settings.check_nonlinear || solver->followers.count > 0;
    for (int b = 0; b < solver->system->body_count && !needed; b++) {
        const FilBodyOps* ops = solver->system->bodies[b].ops;
        needed = solver->contact.offset[b] >= 0 && (ops->deforms || ops->push != NULL);
    }
    return needed;
}

/* Where the guesses of all bodies' motions are near, they are better than the velocities at the step's start, which is where contacts begin
 * otherwise. */
static void start_from_guesses(FilSolver* solver)
{
    FilContactStage* stage = &solver->contact;
    bool near = true;
    for (int b = 0; b < solver->system->body_count && near; b++) {
        near = stage->offset[b] < 0 || !solver->system->bodies[b].ops->deforms || solver->motions[b].newton.stayed;
    }
    for (int b = 0; b < solver->system->body_count && near; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (stage->offset[b] >= 0 && body->ops->deforms) {
            memcpy(stage->v + 4 * stage->offset[b], stage->v_free + 4 * stage->offset[b], sizeof(double) * (size_t)body->v_count);
        }
    }
}

/* How many times nearer, squared: with 4 and 10 a belt between rollers is solved again, too, and 2 to 3 % off at 3 ms instead of 0.2 %; with 100 a
 * light rope still stays on its post. */
static const double FAR_NEARER = 25.0;

/* Whether the motion that the problem is linear about led a body away: its velocity at the start of the step is far nearer to what contacts left. A
 * taut rope without weight under the forces of a post alone, which do not turn with it, goes far where a hundredth of them is missing. */
static bool is_led_away(FilSolver* solver)
{
    const FilContactStage* stage = &solver->contact;
    FilSystem* system = solver->system;
    bool away = false;
    for (int b = 0; b < system->body_count && !away; b++) {
        const FilBody* body = &system->bodies[b];
        if (stage->offset[b] < 0 || !body->ops->deforms) {
            continue;
        }
        const double *about = stage->v_free + 4 * stage->offset[b], *v = system->scratch.solution + body->v, *start = system->state.v + body->v;
        double* weight = system->scratch.weight;
        body->ops->diagonal(body->impl, v, weight, system->scratch.scale);
        double from_there = 0.0, from_start = 0.0;
        for (int k = 0; k < body->v_count; k++) {
            from_there += weight[k] * (v[k] - about[k]) * (v[k] - about[k]);
            from_start += weight[k] * (v[k] - start[k]) * (v[k] - start[k]);
        }
        away = from_there > FAR_NEARER * from_start;
    }
    return away;
}

/* Linearisations, at most, where the first one is about a body's velocity at the start of the step, whose motion in the step is not known then; and
 * where it led away and left more than a tenth of the momenta at work. */
enum { FROM_START = 2, LED_AWAY = 3 };
static const double MUCH_LEFT = 0.1;

/* Whether to solve again about the solution, after as many times as were asked for only where it needs that. */
static bool is_again(FilSolver* solver, int pass, int asked)
{
    return pass <= asked ? relinearise(solver, solver->settings.newton_tolerance)
                         : pass <= LED_AWAY && is_led_away(solver) && relinearise(solver, MUCH_LEFT);
}

FilStatus fil_velocity_solve(FilSolver* solver, double dt, FilStepInfo* info)
{
    FilContactStage* stage = &solver->contact;
    info->contacts = solver->collision->set.count;
    solver->velocity.linearisations = 0;
    if (!stage->active) {
        return FIL_OK;
    }
    FilStatus status = check_depths(solver, info);
    // forces of a stage are those of its end, of the midpoint rule those half-way, as joints leave it: of free motion they are off by first order
    int min = solver->system->staged || solver->system->halfway ? 1 : 0;
    for (int b = 0; b < solver->system->body_count; b++) {
        min = solver->motions[b].at_start ? FROM_START : min;
    }
    const int asked = solver->settings.relinearisations > min ? solver->settings.relinearisations : min;
    start_from_guesses(solver);
    for (int pass = 0; status == FIL_OK && (pass == 0 || is_again(solver, pass, asked)); pass++) {
        stage->constraint_count = 0;
        fil_contact_set_clear(&stage->rows);
        status = fil_followers_choose(solver, dt);
        status = status == FIL_OK ? add_contacts(solver, solver->model->kind) : status;
        status = status == FIL_OK ? fil_joints_add(solver, dt) : status;
        status = status == FIL_OK ? fil_own_constraints_add(solver) : status;
        status = status == FIL_OK ? solve_once(solver, dt, pass > 0, info) : status;
        if (status == FIL_OK) {
            spread_solution(solver, dt);
            solver->velocity.linearisations++;
        }
    }
    if (status == FIL_OK && needs_impulses(solver)) {
        gather_impulses(stage);
        fil_followers_react(solver, stage->v_free);
        fil_followers_collect(solver, dt);
        if (solver->settings.check_nonlinear) {
            info->nonlinear_residual = fmax(info->nonlinear_residual, nonlinear_residual(solver));
        }
        push_bodies(solver);
        keep_motion(solver, dt);
    }
    return status;
}
