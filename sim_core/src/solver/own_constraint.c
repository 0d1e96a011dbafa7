#include "solver/own_constraint.h"

#include "solver/solver.h"

int fil_own_constraints_of(const FilSolver* solver, int b)
{
    const FilBody* body = &solver->system->bodies[b];
    const FilState* state = &solver->system->state;
    return body->ops->constraint_count == NULL ? 0
                                               : body->ops->constraint_count(body->impl, state->q + body->q, state->v + body->v, state->h + body->h);
}

int fil_own_constraints(const FilSolver* solver)
{
    int count = 0;
    for (int b = 0; b < solver->system->body_count; b++) {
        count += fil_own_constraints_of(solver, b);
    }
    return count;
}

/* One equation; the Jacobian's other rows are zero. */
static FilStatus add(FilContactStage* stage, int offset, const FilBodyConstraint* own)
{
    FilSapConstraint* c = &stage->constraints[stage->constraint_count++];
    *c = (FilSapConstraint){.kind = FIL_SAP_BOUNDED, .first_block = stage->rows.block_count, .bias = {own->bias}};
    c->bounded = (FilSapBounded){.equations = 1,
                                 .error = {own->error},
                                 .stiffness = own->stiffness,
                                 .damping = own->damping,
                                 .exact = own->exact,
                                 .lower = {own->lower},
                                 .upper = {own->upper}};
    const bool together = own->count == 2 && own->unknown[0] / 4 == own->unknown[1] / 4;
    FilStatus status = FIL_OK;
    for (int k = 0; k < (together ? 1 : own->count) && status == FIL_OK; k++) {
        double rows[12] = {0.0};
        rows[own->unknown[k] % 4] = own->rate[k];
        if (together) {
            rows[own->unknown[1] % 4] += own->rate[1];
        }
        status = fil_contact_set_push_block(&stage->rows, offset + own->unknown[k] / 4, rows);
        c->block_count++;
    }
    return status;
}

FilStatus fil_own_constraints_add(FilSolver* solver)
{
    FilContactStage* stage = &solver->contact;
    FilStatus status = FIL_OK;
    stage->first_own = stage->constraint_count;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        const int count = fil_own_constraints_of(solver, b);
        for (int k = 0; k < count && status == FIL_OK; k++) {
            FilBodyConstraint own;
            body->ops->constraint(body->impl, k, &own);
            status = add(stage, stage->offset[b], &own);
        }
    }
    return status;
}

void fil_own_constraints_collect(FilSolver* solver)
{
    const FilContactStage* stage = &solver->contact;
    int at = stage->first_own;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        const int count = fil_own_constraints_of(solver, b);
        for (int k = 0; k < count; k++) {
            body->ops->constrained(body->impl, k, stage->impulses[3 * at++]);
        }
    }
}
