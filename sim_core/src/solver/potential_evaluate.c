/* The residual of a Newton iteration at potential level: bodies, contacts and joints together. */
#include <math.h>

#include "solver/solver.h"

typedef struct Evaluation {
    FilSolver* solver;
    const double* v;
    bool tangent;
    double* residual;
} Evaluation;

static void evaluate_some(void* context, int first, int end, int worker)
{
    const Evaluation* e = context;
    FilSolver* solver = e->solver;
    (void)worker;
    for (int b = first; b < end; b++) {
        const FilBody* body = &solver->system->bodies[b];
        FilBodyMotion* result = &solver->motions[b];
        if (!fil_potential_takes_part(solver, b)) {
            continue;
        }
        result->done = e->tangent || body->ops->residual == NULL
                           ? body->ops->evaluate(body->impl, e->v + body->v, solver->potential.shift, e->residual + body->v, &result->potential)
                           : body->ops->residual(body->impl, e->v + body->v, e->residual + body->v, &result->potential);
    }
}

/* Residual of the bodies that take part, without contact; false if v leads out of reach. Prepares their tangents, if asked to:
 * else those that have been factored stay. */
bool fil_potential_evaluate_bodies(FilSolver* solver, const double* v, bool tangent, double* residual, double* potential)
{
    Evaluation evaluation = {solver, v, tangent, residual};
    fil_system_run(solver->system, evaluate_some, &evaluation);
    *potential = 0.0;
    for (int b = 0; b < solver->system->body_count; b++) {
        if (!fil_potential_takes_part(solver, b)) {
            continue;
        }
        if (!solver->motions[b].done) {
            return false;
        }
        *potential += solver->motions[b].potential;
    }
    return true;
}

/* Adds contacts and joints to what evaluate_bodies() has found; `first`: v is what begin() left. */
bool fil_potential_evaluate_contacts(FilSolver* solver, const FilPotentialField* field, const double* v, bool first, double* residual,
                                     double* potential)
{
    *potential += first && field->add_first != NULL ? field->add_first(solver, residual) : field->add(solver, v, residual);
    *potential += fil_potential_joints_add(solver, v, residual);
    fil_potential_spare_held(solver, residual);
    return isfinite(*potential);
}

bool fil_potential_evaluate_all(FilSolver* solver, const FilPotentialField* field, const double* v, double* residual, double* potential)
{
    return fil_potential_evaluate_bodies(solver, v, !field->scheme->quasi_newton, residual, potential) &&
           fil_potential_evaluate_contacts(solver, field, v, false, residual, potential);
}
