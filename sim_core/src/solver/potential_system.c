/* Linear systems of the potential stage: the bodies' tangents alone, each by itself, or together with the contacts'. */
#include "solver/potential_stage.h"

#include <string.h>

#include "solver/solver.h"

/* Each body by itself, its mass part enlarged where its tangent is not positive definite. */
bool fil_potential_factor_bodies(FilSolver* solver, const double* v, double* scratch, FilStepInfo* info)
{
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (!fil_potential_takes_part(solver, b)) {
            continue;
        }
        double shift = 0.0, potential;
        while (!body->ops->factor(body->impl)) {
            shift = shift == 0.0 ? FIL_FIRST_SHIFT : FIL_SHIFT_GROWS * shift;
            info->regularised++;
            if (shift > FIL_MAX_SHIFT || !body->ops->evaluate(body->impl, v + body->v, shift, scratch + body->v, &potential)) {
                return false;
            }
        }
    }
    solver->potential.factors = FIL_FACTORS_BODIES;
    return true;
}

/* The analysis of the whole. */
static FilStatus bind(FilSolver* solver, FilStepInfo* info)
{
    FilPotentialStage* stage = &solver->potential;
    FilStatus status = FIL_OK;
    if (stage->cholesky == NULL && (stage->cholesky = fil_block_cholesky_create()) == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilBlockPattern a = {solver->contact.column_count, solver->contact.start, solver->contact.row};
    const FilBlockPattern c = fil_block_sum_pattern(&stage->hessian);
    const int blocks = a.start[a.columns] + c.start[c.columns];
    bool fits = false;
    // an old analysis serves while the blocks fit and it is not mostly about blocks that are gone; a step begins with one that
    // is of its own pattern, so that a restored world goes on with the same bits
    if (stage->analysed && (stage->exact || stage->settled) && 2 * blocks > stage->analysed_blocks) {
        status = fil_block_cholesky_bind(stage->cholesky, &a, &c, &fits);
    }
    if (status == FIL_OK && !fits) {
        status = fil_block_cholesky_analyze(stage->cholesky, &a, &c);
        stage->analysed_blocks = blocks;
        stage->exact = true;
        stage->exact_pattern = solver->contact.patterns;
        info->analyses++;
    }
    stage->analysed = stage->factorable = stage->settled = status == FIL_OK;
    return status;
}

bool fil_potential_solve(FilSolver* solver, const double* residual, double* direction)
{
    if (solver->potential.factors == FIL_FACTORS_ALL) {
        fil_potential_gather(solver, residual, solver->contact.v);
        fil_block_cholesky_solve(solver->potential.cholesky, solver->contact.v);
        fil_potential_direct(solver, direction);
        return true;
    }
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (!fil_potential_takes_part(solver, b)) {
            continue;
        }
        // a body that cannot do without its tangent has lost the factors
        if (body->ops->residual == NULL && !body->ops->factor(body->impl)) {
            return false;
        }
        memcpy(direction + body->v, residual + body->v, sizeof(double) * (size_t)body->v_count);
        body->ops->solve(body->impl, direction + body->v);
    }
    return true;
}

static void assemble(FilSolver* solver, const FilPotentialField* field, const double* v, FilPotentialOrder order)
{
    FilPotentialStage* stage = &solver->potential;
    fil_block_sum_clear(&stage->hessian);
    fil_potential_joints_hessian(solver, v, &stage->hessian);
    field->hessian(solver, v, order, &stage->hessian);
    if (field->friction_hessian != NULL && !stage->apart) {
        field->friction_hessian(solver, v, order, &stage->hessian, stage->first_friction_list, FIL_FRICTION_ALL);
    }
}

/* Solves with the whole factored; friction's active set changes a few times. *definite is false if the matrix is not. */
static FilStatus solve_whole(FilSolver* solver, const FilPotentialField* field, const FilPotentialAim* aim, FilPotentialOrder order, const double* v,
                             const double* residual, double* direction, bool* definite, FilStepInfo* info)
{
    // ends what goes round in circles, at a factor each: 2 to 8 give rings on rods the same bits
    enum { REVIEWS = 4 };
    FilPotentialStage* stage = &solver->potential;
    const FilContactStage* all = &solver->contact;
    const bool reviews = field->review != NULL && !aim->definite && !aim->centred;
    double* right = solver->system->scratch.trial;
    FilStatus status = stage->factorable ? FIL_OK : bind(solver, info);
    bool again = true;
    for (int k = 0; again && status == FIL_OK && k < (reviews ? REVIEWS : 1); k++) {
        memcpy(right, residual, sizeof(double) * (size_t)solver->system->v_count);
        if (reviews) {
            (void)field->add_lead(solver, v, right);
            fil_potential_spare_held(solver, right);
        }
        if (k > 0) {
            assemble(solver, field, v, order);
        }
        *definite = fil_block_cholesky_factor(stage->cholesky, all->values, stage->hessian.values.at);
        if (!*definite) {
            return FIL_OK;
        }
        fil_potential_gather(solver, right, all->v);
        fil_block_cholesky_solve(stage->cholesky, all->v);
        fil_potential_direct(solver, direction);
        stage->factors = FIL_FACTORS_ALL;
        info->contact_iterations++;
        if (reviews) {
            again = field->review(solver, direction) > fil_potential_negligible(aim);
            field->revise(solver, 0.0);
        }
    }
    return status;
}

/* Solves with bodies' tangents as assembled, sheets by conjugate gradients unless those are slow. */
static FilStatus solve_assembled(FilSolver* solver, const FilPotentialField* field, const FilPotentialAim* aim, FilPotentialOrder order,
                                 const double* v, const double* residual, double* direction, bool* definite, FilStepInfo* info)
{
    FilPotentialStage* stage = &solver->potential;
    FilStatus status = FIL_OK;
    if (stage->apart) {
        FilBlockPcgResult result;
        status = fil_potential_solve_sheet(solver, field, aim, v, residual, direction, &result, info);
        *definite = result != FIL_PCG_INDEFINITE;
        if (status != FIL_OK || result != FIL_PCG_SLOW) {
            return status;
        }
        if (aim->again) {  // with a new one
            *definite = false;
            return FIL_OK;
        }
        status = fil_potential_list(solver, field, false);
        stage->bound = false;  // the next one tries again
        status = status == FIL_OK && !fil_potential_adopt(solver, field) ? FIL_OUT_OF_MEMORY : status;
        if (status == FIL_OK) {
            assemble(solver, field, v, order);
        }
    }
    return status == FIL_OK ? solve_whole(solver, field, aim, order, v, residual, direction, definite, info) : status;
}

/* Tangents of some bodies at a velocity. */
typedef struct Tangents {
    FilSolver* solver;
    double shift; /* by which their mass part is enlarged */
    const double* v;
    double* scratch;
} Tangents;

static void take_some(void* context, int first, int end, int worker)
{
    const Tangents* tangents = context;
    FilSolver* solver = tangents->solver;
    const FilContactStage* all = &solver->contact;
    (void)worker;
    for (int b = first; b < end; b++) {
        const FilBody* body = &solver->system->bodies[b];
        FilBodyMotion* result = &solver->motions[b];
        if (!fil_potential_takes_part(solver, b)) {
            continue;
        }
        result->done = !(tangents->shift > 0.0) ||
                       body->ops->evaluate(body->impl, tangents->v + body->v, tangents->shift, tangents->scratch + body->v, &result->potential);
        if (result->done) {
            body->ops->tangent(body->impl, all->values + (size_t)16 * (size_t)all->first_block[b]);
        }
    }
}

/* Bodies' tangents at v; false if v is out of reach. */
static bool take_tangents(FilSolver* solver, double shift, const double* v, double* scratch)
{
    Tangents tangents = {solver, shift, v, scratch};
    fil_system_run(solver->system, take_some, &tangents);
    for (int b = 0; b < solver->system->body_count; b++) {
        if (fil_potential_takes_part(solver, b) && !solver->motions[b].done) {
            return false;
        }
    }
    return true;
}

FilStatus fil_potential_prepare(FilSolver* solver, const FilPotentialField* field, const FilPotentialAim* aim, FilStepInfo* info)
{
    FilPotentialStage* stage = &solver->potential;
    const bool apart = !aim->factored && fil_potential_is_sheet(solver, field);
    FilStatus status = FIL_OK;
    if (!stage->bound || stage->apart != apart) {
        status = fil_potential_list(solver, field, apart);
        stage->bound = status == FIL_OK;
    }
    if (status == FIL_OK && apart) {
        fil_potential_begin_analysis(solver, info);
    } else if (status == FIL_OK) {
        stage->bound = fil_potential_adopt(solver, field);
        status = stage->bound ? FIL_OK : FIL_OUT_OF_MEMORY;
    }
    return status;
}

FilStatus fil_potential_solve_all(FilSolver* solver, const FilPotentialField* field, const FilPotentialAim* aim, const double* v,
                                  const double* residual, double* direction, FilStepInfo* info)
{
    FilPotentialAim now = *aim;
    FilStatus status = FIL_OK;
    FilPotentialOrder order = FIL_POTENTIAL_DEFINITE;
    double shift = 0.0;
    bool definite = false;
    if (now.again) {
        status = solve_assembled(solver, field, &now, FIL_POTENTIAL_FULL, v, residual, direction, &definite, info);
        now.again = false;
    }
    if (status == FIL_OK && !definite) {
        status = fil_potential_prepare(solver, field, aim, info);
    }
    for (int attempt = 0; status == FIL_OK && !definite; attempt++) {
        const bool within = shift <= FIL_MAX_SHIFT && take_tangents(solver, shift, v, direction);
        if (!fil_potential_await_patterns(solver)) {
            fil_potential_end_analysis(solver);
            return FIL_OUT_OF_MEMORY;
        }
        // a field's own bending is worth keeping longer than a sheet's
        if (within && attempt < 3) {
            order = attempt < (field->keeps_bending ? 2 : 1) && !aim->definite ? FIL_POTENTIAL_FULL : FIL_POTENTIAL_DEFINITE;
            assemble(solver, field, v, order);
        }
        fil_potential_end_analysis(solver);
        if (!within) {
            return FIL_NOT_CONVERGED;
        }
        status = solve_assembled(solver, field, &now, order, v, residual, direction, &definite, info);
        info->regularised += definite ? 0 : 1;
        if (field->keeps_bending) {
            shift = attempt < 2 ? FIL_FIRST_SHIFT : FIL_SHIFT_GROWS * shift;
        } else {
            shift = attempt == 0 ? 0.0 : shift == 0.0 ? FIL_FIRST_SHIFT : FIL_SHIFT_GROWS * shift;
        }
    }
    return status;
}
