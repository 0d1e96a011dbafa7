/* How a step varies with a parameter: m(v, p) = J' gamma(v, p) at its end, so J dv = d(J' gamma - m)/dp. Both are evaluated in worlds with more and
 * with less of the parameter, at the same start and end; where they are linear in the parameter the difference quotient is the derivative. Of bodies
 * that deform in contact m is that of free motion, and A (v - v^) comes to it. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/sap.h"
#include "contact/sap_derivative.h"
#include "contact/sap_system.h"
#include "world/gradient.h"

/* Whether a world can stand in for another, from the same start. */
static FilStatus check_like(const FilGradient* gradient, FilWorld* other)
{
    FilWorld* world = gradient->world;
    FilSystem *system = &world->system, *own = &other->system;
    bool alike = own->body_count == system->body_count && own->v_count == system->v_count && own->q_count == system->q_count &&
                 own->h_count == system->h_count && own->control_count == system->control_count && other->def.dt == world->def.dt &&
                 other->def.integrator == world->def.integrator && other->solver.model == world->solver.model;
    for (int b = 0; b < system->body_count && alike; b++) {
        alike = own->bodies[b].ops == system->bodies[b].ops && own->bodies[b].v == system->bodies[b].v;
    }
    if (!alike) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a parameter's worlds must be made like the one that is differentiated, but for a value");
    }
    if (other->step == 0 && other->varied == 0) {  // as it was made
        fil_system_copy_state(own, &own->initial, &own->state);
    }
    const size_t q = sizeof(double) * (size_t)system->q_count, v = sizeof(double) * (size_t)system->v_count,
                 h = sizeof(double) * (size_t)system->h_count;
    if (memcmp(own->initial.q, system->initial.q, q) != 0 || memcmp(own->initial.v, system->initial.v, v) != 0 ||
        memcmp(own->initial.h, system->initial.h, h) != 0) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "the parameter changes the state or the rest shapes that the world begins with, by which gradients are not known");
    }
    return FIL_OK;
}

/* Impulses of motors and stops that are at work, on the unknowns: m(v) is equal to them. */
static void subtract_springs(FilWorld* other, const FilBody* body, const double* v, double* residual)
{
    const FilState* start = &other->system.state;
    const double dt = other->def.dt;
    const int count =
        body->ops->constraint_count == NULL ? 0 : body->ops->constraint_count(body->impl, start->q + body->q, start->v + body->v, start->h + body->h);
    for (int c = 0; c < count; c++) {
        FilBodyConstraint own;
        body->ops->constraint(body->impl, c, &own);
        const double rate = own.rate[0] * v[own.unknown[0]] + own.bias;
        const double impulse = -dt * own.stiffness * own.error - dt * (dt * own.stiffness + own.damping) * rate;
        residual[own.unknown[0]] -= own.rate[0] * fmin(fmax(impulse, own.lower), own.upper);
    }
}

/* What the equations of a step are made of, n each: m, A (v - v^) of bodies that deform in contact, and J' gamma. */
typedef struct Terms {
    double *motion, *tangent, *contact;
    double* memory; /* and what models remember of it */
} Terms;

/* Bodies begin a step where the other world stands, with its drives. */
static void begin_bodies(FilWorld* other, const FilStepSetup* setup)
{
    const FilSystem* own = &other->system;
    fil_world_apply_drives(other, setup->time, setup->dt, setup->theta);
    for (int b = 0; b < own->body_count; b++) {
        const FilBody* body = &own->bodies[b];
        body->ops->begin(body->impl, setup, own->state.q + body->q, own->state.v + body->v, own->state.h + body->h);
    }
}

/* The start of the step that was made, with the drives of the other world. */
static void begin_at_start(const FilGradient* gradient, FilWorld* other, const FilStepSetup* setup)
{
    const FilSystem* system = &gradient->world->system;
    FilSystem* own = &other->system;
    memcpy(own->state.q, system->next.q, sizeof(double) * (size_t)system->q_count);
    memcpy(own->state.v, system->next.v, sizeof(double) * (size_t)system->v_count);
    memcpy(own->state.h, system->next.h, sizeof(double) * (size_t)system->h_count);
    if (own->control_count > 0) {  // what drives are set to
        memcpy(own->state.controls, system->next.controls, sizeof(double) * (size_t)own->control_count);
    }
    other->varied++;
    begin_bodies(other, setup);
}

/* out += factor A (v - v^) of a body, from the blocks of the contact problem's lower triangle. */
static void add_tangent(const FilGradient* gradient, const FilWorld* other, int b, double factor, double* out)
{
    const FilContactStage* stage = &other->solver.contact;
    const FilBody* body = &other->system.bodies[b];
    for (int column = 0; column < body->v_count / 4; column++) {
        for (int k = stage->start[stage->offset[b] + column]; k < stage->start[stage->offset[b] + column + 1]; k++) {
            const int row = stage->row[k] - stage->offset[b], at = body->v + 4 * row, from = body->v + 4 * column;
            const double* block = stage->values + 16 * (size_t)k;
            for (int i = 0; i < 16; i++) {
                const int r = at + i % 4, c = from + i / 4;
                out[r] += factor * block[i] * (gradient->v[c] - gradient->v_free[c]);
                out[c] += row != column ? factor * block[i] * (gradient->v[r] - gradient->v_free[r]) : 0.0;
            }
        }
    }
}

/* out += factor J' gamma of the contact, at the step's end. False if a tangent is not positive definite. */
static bool add_contact(const FilGradient* gradient, const FilWorld* other, const FilContact* contact, double factor, double* out)
{
    // blocks of both sides
    enum { MAX_COUNT = 2 * FIL_JACOBIAN_BLOCKS };
    const FilContactStage* stage = &other->solver.contact;
    const FilContactSet* set = &other->collision.set;
    const FilSapSettings* settings = &other->solver.settings.model.sap;
    const FilSapScales scales = {other->def.dt, fil_sap_options_default().rigidity, settings->stick, settings->slip_velocity};
    const FilSapProblem problem = {.pattern = {stage->column_count, stage->start, stage->row}, .a = stage->values};
    FilSapConstraint constraint;
    fil_sap_constraint_of_contact(contact, FIL_SAP_CONTACT, &constraint);
    const double* jacobian = set->jacobian + 12 * (size_t)contact->first_block;
    double inverse[16 * MAX_COUNT], u[3];
    int place[MAX_COUNT];
    for (int k = 0; k < contact->block_count; k++) {
        const int block = set->variable[contact->first_block + k];
        const FilBody* first = &other->system.bodies[contact->body[0]];
        const bool is_first = block >= first->v / 4 && block < (first->v + first->v_count) / 4;
        const int b = contact->body[is_first ? 0 : 1];
        const double* own = fil_sap_diagonal_block(&problem, stage->offset[b] + block - other->system.bodies[b].v / 4);
        place[k] = k;
        if (own == NULL || !fil_block_inverse_parts(own, inverse + 16 * k)) {
            return false;
        }
    }
    FilSapSlopes slopes;
    fil_contact_velocity(set, contact, gradient->v, u);
    fil_sap_contact_slopes(&constraint, fil_sap_estimate_compliance(inverse, jacobian, place, contact->block_count), &scales, u, &slopes);
    for (int k = 0; k < 12 * contact->block_count; k++) {
        const int unknown = 4 * set->variable[contact->first_block + k / 12] + k % 4;
        out[unknown] += factor * jacobian[k] * slopes.impulse[k % 12 / 4];
    }
    return true;
}

/* Pairs of the other world, weighed as in the step: at its first guess. What models remember is what the step began with, or, where that stays, what
 * they begin with, by the settings. */
static FilStatus weigh_pairs(const FilGradient* gradient, FilWorld* other)
{
    const FilSystem *system = &gradient->world->system, *own = &other->system;
    double *v = own->scratch.solution, rounding, potential;
    fil_system_copy_state(own, &own->next, &own->state);
    if (!gradient->lags.adapts) {
        memset(own->next.h + other->solver.memory, 0, FIL_POTENTIAL_MEMORY * sizeof(double));
    }
    memset(gradient->at_free, 0, sizeof(double) * (size_t)gradient->n);
    for (int b = 0; b < own->body_count && gradient->lags.adapts; b++) {
        const FilBody* body = &own->bodies[b];
        const double* change = gradient->world->solver.potential.goes_on > 0.0 ? system->next.change : gradient->at_free;
        if (!body->moves || !fil_potential_takes_part(&other->solver, b)) {
            continue;
        }
        body->ops->guess(body->impl, change + body->v, v + body->v);
        if (!body->ops->evaluate(body->impl, v + body->v, 0.0, own->scratch.residual + body->v, &potential)) {
            return fil_world_fail(gradient->world, FIL_NOT_CONVERGED, "'%s' cannot be evaluated with the parameter's other value", body->name);
        }
    }
    (void)fil_potential_set_measure(&other->solver, other->def.dt, v, &rounding);
    const FilStatus status = fil_potential_set_up(&other->solver, other->def.dt);
    return status == FIL_OK ? other->solver.model->field->weigh(&other->solver) : status;
}

/* What a field of potentials is at the start, and at the solution that is prepared its friction. */
static FilStatus begin_field(const FilGradient* gradient, FilWorld* other)
{
    const FilPotentialField* field = other->solver.model->field;
    FilStepInfo info = {0};
    double* v = other->system.scratch.solution;
    memcpy(v, gradient->v, sizeof(double) * (size_t)gradient->n);
    if (field->begin != NULL) {
        const FilStatus begun = field->begin(&other->solver, other->def.dt, v, &info);
        if (begun == FIL_OK && gradient->lags.guesses) {
            fil_gradient_share_again(gradient, other);
        }
        return begun == FIL_OK ? fil_gradient_follow_friction(gradient, other) : begun;
    }
    const FilStatus status = weigh_pairs(gradient, other);
    if (status == FIL_OK && gradient->round > 0) {
        fil_gradient_set_bounds(other, gradient->world->solver.potential.rounds.at + (size_t)(gradient->round - 1) * (size_t)gradient->n);
    }
    return status;
}

/* out -= factor times what a field of potentials adds to m at the step's end; what models remember goes to `memory`. */
static FilStatus add_field(const FilGradient* gradient, FilWorld* other, double factor, const Terms* terms)
{
    const FilPotentialField* field = other->solver.model->field;
    const size_t bytes = sizeof(double) * (size_t)gradient->n;
    double *sum = gradient->at_free, *out = terms->contact;
    if (field->begin == NULL && !other->solver.contact.active) {
        return FIL_OK;
    }
    const FilStatus status = begin_field(gradient, other);
    memset(sum, 0, bytes);
    if (status == FIL_OK && !isfinite(field->add(&other->solver, gradient->v, sum))) {
        return fil_world_fail(gradient->world, FIL_BAD_INPUT, "with the parameter's other value surfaces cross in this step");
    }
    for (int k = 0; k < gradient->n; k++) {
        out[k] -= gradient->diagonal[k] > 0.0 ? factor * sum[k] : 0.0;
    }
    for (int k = 0; k < FIL_IMC_MEMORY && gradient->lags.adapts; k++) {
        terms->memory[k] += factor * other->solver.potential.problem.memory[k];
    }
    return status;
}

/* Adds `factor` times the terms in a world with another value, from the start of the step that was made. */
static FilStatus add_terms(FilGradient* gradient, FilWorld* other, double factor, const Terms* terms)
{
    FilSystem* own = &other->system;
    const FilStepSetup setup = {.time = gradient->world->time - other->def.dt,
                                .dt = other->def.dt,
                                .theta = 1.0,
                                .theta_vq = 1.0,
                                .gravity = {other->def.gravity.x, other->def.gravity.y, other->def.gravity.z},
                                .frugal = other->solver.model->frugal};
    FilStatus status = FIL_OK;
    if (other->solver.model->field == &fil_ipc_potential && !other->solver.ipc.surface.ready) {  // what points weigh is found where a world begins
        begin_bodies(other, &setup);
        status = fil_ipc_surface_build(&other->solver);
    }
    begin_at_start(gradient, other, &setup);
    fil_contact_set_clear(&other->collision.set);
    other->collision.wants = (FilCollisionWants){0};
    if (other->solver.model->want != NULL) {
        other->solver.model->want(&other->solver.settings.model, &other->collision.wants);
    }
    status = status == FIL_OK && other->solver.model->contacts ? fil_collide_all(&other->collision, setup.dt) : status;
    status = status == FIL_OK ? fil_contacts_prepare(&other->solver) : status;
    for (int b = 0; b < own->body_count && status == FIL_OK; b++) {
        const FilBody* body = &own->bodies[b];
        double potential, *residual = gradient->correction + body->v;
        const double* v = (gradient->bends[b] ? gradient->v_free : gradient->v) + body->v;
        if (!body->moves) {
            continue;
        }
        if (!body->ops->evaluate(body->impl, v, 0.0, residual, &potential)) {
            return fil_world_fail(gradient->world, FIL_NOT_CONVERGED, "'%s' cannot be evaluated with the parameter's other value", body->name);
        }
        fil_contacts_take(&other->solver, b);
        if (gradient->bends[b] && (!other->solver.contact.active || other->solver.contact.offset[b] < 0)) {
            return fil_world_fail(gradient->world, FIL_BAD_INPUT, "with the parameter's other value '%s' touches nothing", body->name);
        }
        if (gradient->bends[b]) {
            add_tangent(gradient, other, b, factor, terms->tangent);
        }
        subtract_springs(other, body, v, residual);
        for (int k = 0; k < body->v_count; k++) {
            terms->motion[body->v + k] += factor * residual[k];
        }
    }
    if (status == FIL_OK && gradient->potential) {
        return add_field(gradient, other, factor, terms);
    }
    for (int k = 0; k < other->collision.set.count && status == FIL_OK; k++) {
        if (!add_contact(gradient, other, &other->collision.set.contacts[k], factor, terms->contact)) {
            status = fil_world_fail(gradient->world, FIL_BAD_INPUT, "a tangent is not positive definite with the parameter's other value");
        }
    }
    return status;
}

/* Right hand sides from the terms' derivatives; `zero` is a variation of none. */
static FilStatus take_terms(FilGradient* gradient, const Terms* terms, const double* zero)
{
    const FilSystem* system = &gradient->world->system;
    double* r = gradient->residual;
    FilStatus status = FIL_OK;
    fil_gradient_clear_tangents(gradient);
    memset(gradient->free_rate, 0, sizeof(double) * (size_t)gradient->n);
    for (int b = 0; b < system->body_count && status == FIL_OK; b++) {
        const FilBody* body = &system->bodies[b];
        for (int k = body->v; k < body->v + body->v_count && body->moves; k++) {
            r[k] = -terms->motion[k];
        }
        if (!body->moves || !gradient->bends[b]) {
            continue;
        }
        status = fil_gradient_vary_free(gradient, b, zero, NULL, r);
        for (int k = body->v; k < body->v + body->v_count; k++) {
            const double change = gradient->diagonal[k] > 0.0 ? terms->tangent[k] : 0.0;
            r[k] -= change;
            gradient->bent[k] += change;
        }
    }
    for (int k = 0; k < gradient->n; k++) {
        r[k] += terms->contact[k];
    }
    if (status == FIL_OK) {
        fil_gradient_contacts_vary(gradient, NULL, NULL, r);
    }
    return status;
}

FilStatus fil_gradient_parameter(FilGradient* gradient, FilWorld* more, FilWorld* less, double difference, double* end)
{
    FilStatus status = fil_gradient_need_step(gradient, gradient->v, end);
    FilWorld* world = gradient->world;
    const int n = gradient->n;
    if (status == FIL_OK && (more == NULL || less == NULL || more == world || less == world || !(difference != 0.0) || !isfinite(difference))) {
        status = fil_world_fail(world, FIL_BAD_INPUT, "a parameter needs two other worlds, and by how much it differs in them");
    }
    status = status == FIL_OK ? check_like(gradient, more) : status;
    status = status == FIL_OK ? check_like(gradient, less) : status;
    if (status != FIL_OK) {
        return status;
    }
    const size_t size = (size_t)fil_gradient_variation_size(gradient), two = 2 * (size_t)n;
    double* numbers = fil_alloc(3 * (size_t)n + FIL_IMC_MEMORY + size, sizeof *numbers);
    if (numbers == NULL) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    const double* zero = numbers + 3 * (size_t)n + FIL_IMC_MEMORY;
    for (int r = 0; r <= gradient->round_count && status == FIL_OK; r++) {
        const Terms terms = {numbers, numbers + n, numbers + 2 * (size_t)n, numbers + 3 * (size_t)n};
        memset(numbers, 0, (3 * (size_t)n + FIL_IMC_MEMORY) * sizeof *numbers);
        memset(end, 0, size * sizeof *end);
        status = fil_gradient_turn_to(gradient, r);
        status = status == FIL_OK ? add_terms(gradient, more, 1.0 / difference, &terms) : status;
        status = status == FIL_OK ? add_terms(gradient, less, -1.0 / difference, &terms) : status;
        status = status == FIL_OK ? take_terms(gradient, &terms, zero) : status;
        status = status == FIL_OK && r > 0 ? fil_gradient_contacts_rows(gradient) : status;
        if (status == FIL_OK && r > 0) {
            fil_gradient_lags_vary(gradient, zero, gradient->passed + (size_t)(r - 1) * two, gradient->residual);
            fil_gradient_births_vary(gradient, gradient->residual);
        }
        status = status == FIL_OK ? fil_gradient_finish(gradient, NULL, end) : status;
        if (status == FIL_OK && r < gradient->round_count) {
            memcpy(gradient->passed + (size_t)r * two, end, two * sizeof *end);
        } else if (status == FIL_OK) {
            fil_gradient_lags_keep(gradient, zero, end);
            memcpy(end + 3 * (size_t)n, terms.memory, (gradient->lags.adapts ? FIL_IMC_MEMORY : 0) * sizeof *end);
        }
    }
    fil_free(numbers);
    return status;
}
