#include "solver/own_constraint.h"

#include "solver/solver.h"

bool fil_own_constraints_count(FilSolver* solver)
{
    const FilSystem* system = solver->system;
    const FilState* state = &system->state;
    FilContactStage* stage = &solver->contact;
    const bool room = fil_ints_reserve(&stage->own_count, (size_t)system->body_count);
    stage->own_total = 0;
    for (int b = 0; b < system->body_count && room; b++) {
        const FilBody* body = &system->bodies[b];
        const bool may = body->ops->constraint_count != NULL;
        stage->own_count.at[b] = may ? body->ops->constraint_count(body->impl, state->q + body->q, state->v + body->v, state->h + body->h) : 0;
        stage->own_total += stage->own_count.at[b];
    }
    return room;
}

/* One equation; the Jacobian's other rows are zero. */
static FilStatus add(FilContactStage* stage, int offset, const FilBodyConstraint* own)
{
    FilSapConstraint* c = &stage->constraints[stage->constraint_count++];
    *c = (FilSapConstraint){.kind = FIL_SAP_BOUNDED,
                            .first_block = stage->rows.block_count,
                            .bias = {own->bias},
                            .bounded = {.equations = 1,
                                        .error = {own->error},
                                        .stiffness = own->stiffness,
                                        .damping = own->damping,
                                        .exact = own->exact,
                                        .lower = {own->lower},
                                        .upper = {own->upper}}};
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
        for (int k = 0; k < stage->own_count.at[b] && status == FIL_OK; k++) {
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
        for (int k = 0; k < stage->own_count.at[b]; k++) {
            body->ops->constrained(body->impl, k, stage->impulses[3 * at++]);
        }
    }
}
