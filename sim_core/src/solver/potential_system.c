/* Linear systems of the potential stage: the bodies' tangents alone, each by itself, or together with the contacts'. */
#include "solver/potential_stage.h"

#include <string.h>

#include "world/world.h"

/* Each body by itself, its mass part enlarged where its tangent is not positive definite. */
bool fil_potential_factor_bodies(FilWorld* world, const double* v, double* scratch, FilStepInfo* info)
{
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (!fil_potential_takes_part(world, b)) {
            continue;
        }
        double shift = 0.0, potential;
        while (!body->ops->factor(body->impl)) {
            shift = shift == 0.0 ? 0.1 : 10.0 * shift;
            info->regularised++;
            if (shift > 1e20 || !body->ops->evaluate(body->impl, v + body->v, shift, scratch + body->v, &potential)) {
                return false;
            }
        }
    }
    world->potential.factors = FIL_FACTORS_BODIES;
    return true;
}

/* Column of the matrix for a block of the world's velocities. */
static int column_of(const FilWorld* world, const FilContact* contact, int block)
{
    for (int side = 0; side < 2; side++) {
        const FilBody* body = &world->bodies[contact->body[side]];
        if (block >= body->v / 4 && block < (body->v + body->v_count) / 4) {
            return world->contact.offset[contact->body[side]] + block - body->v / 4;
        }
    }
    return -1;
}

/* The columns that each contact couples. */
static FilStatus list_contacts(FilWorld* world, int* count)
{
    FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    const FilContactSet* set = &world->collision.set;
    if (!fil_ints_reserve(&stage->list_end, (size_t)p->count) ||
        !fil_ints_reserve(&stage->list_variable, (size_t)set->block_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    int end = 0;
    for (int k = 0; k < p->count; k++) {
        const FilContact* contact = p->contacts[k].contact;
        for (int b = contact->first_block; b < contact->first_block + contact->block_count; b++) {
            stage->list_variable.at[end++] = column_of(world, contact, set->variable[b]);
        }
        stage->list_end.at[k] = end;
    }
    *count = p->count;
    return FIL_OK;
}

/* The pattern of the contacts' part; friction's in it, or apart. */
static FilStatus adopt(FilWorld* world, const FilPotentialModel* model, bool apart)
{
    FilPotentialStage* stage = &world->potential;
    const FilPotentialField* field = model->field;
    FilInts *end = &stage->list_end, *variable = &stage->list_variable;
    const int columns = world->contact.column_count;
    bool same, same_friction = true;
    int count = 0;
    FilStatus status = field != NULL ? field->list(world, end, variable, &count) : list_contacts(world, &count);
    stage->first_friction_list = count;
    if (status == FIL_OK && field != NULL && !apart) {
        status = field->list_friction(world, end, variable, &count);
    }
    status = status == FIL_OK ? fil_potential_joints_list(world, end, variable, &count) : status;
    if (status != FIL_OK || !fil_block_sum_adopt(&stage->hessian, columns, count, end->at, variable->at, &same)) {
        return status != FIL_OK ? status : FIL_OUT_OF_MEMORY;
    }
    if (apart) {
        count = 0;
        status = field->list_friction(world, end, variable, &count);
        if (status != FIL_OK || !fil_block_sum_adopt(&stage->friction, columns, count, end->at, variable->at, &same_friction)) {
            return status != FIL_OK ? status : FIL_OUT_OF_MEMORY;
        }
    }
    stage->pcg_bound = stage->pcg_bound && apart && same && same_friction;
    // contacts: analysed anew for each pattern, so that a restored world goes on with the same bits
    stage->analysed = stage->analysed && (same || field != NULL);
    stage->exact = stage->exact && same && stage->exact_pattern == world->contact.patterns;
    stage->factorable = stage->factorable && stage->exact;
    stage->settled = stage->settled || stage->factorable;
    stage->apart = apart;
    return FIL_OK;
}

/* The analysis of the whole. */
static FilStatus bind(FilWorld* world, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    FilStatus status = FIL_OK;
    if (stage->cholesky == NULL && (stage->cholesky = fil_block_cholesky_create()) == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilBlockPattern a = {world->contact.column_count, world->contact.start, world->contact.row};
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
        stage->exact_pattern = world->contact.patterns;
        info->analyses++;
    }
    stage->analysed = stage->factorable = stage->settled = status == FIL_OK;
    return status;
}

/* The residual to the matrix's variables, or back as the direction. */
void fil_potential_gather(const FilWorld* world, const double* residual, double* to)
{
    for (int b = 0; b < world->body_count; b++) {
        if (fil_potential_takes_part(world, b)) {
            memcpy(to + 4 * world->contact.offset[b], residual + world->bodies[b].v,
                   sizeof(double) * (size_t)world->bodies[b].v_count);
        }
    }
}

void fil_potential_direct(const FilWorld* world, double* direction)
{
    for (int b = 0; b < world->body_count; b++) {
        if (fil_potential_takes_part(world, b)) {
            memcpy(direction + world->bodies[b].v, world->contact.v + 4 * world->contact.offset[b],
                   sizeof(double) * (size_t)world->bodies[b].v_count);
        }
    }
}

bool fil_potential_solve(FilWorld* world, const double* residual, double* direction)
{
    if (world->potential.factors == FIL_FACTORS_ALL) {
        fil_potential_gather(world, residual, world->contact.v);
        fil_block_cholesky_solve(world->potential.cholesky, world->contact.v);
        fil_potential_direct(world, direction);
        return true;
    }
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (!fil_potential_takes_part(world, b)) {
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

/* One 4x4 block of a 12 x 12 matrix of four ends: the angle has no part in it. */
static void end_block(const double* hessian, int row, int column, double scale, double* block)
{
    memset(block, 0, FIL_BLOCK_SIZE * sizeof *block);
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            block[4 * c + r] = scale * hessian[12 * (3 * row + r) + 3 * column + c];
        }
    }
}

/* Adds scale second slope slope' of contact k. */
static void add_simple(FilBlockSum* hessian, int k, const FilPotentialContact* contact, const FilPotentialEdges* e, double scale)
{
    const double second = scale * e->second[contact->lane];
    double slope[12];
    for (int i = 0; i < 12; i++) {
        slope[i] = e->slope[i][contact->lane];
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double* sum = fil_block_sum_at(hessian, k, contact->local[i], contact->local[j]);
            for (int c = 0; c < 3 && sum != NULL; c++) {
                const double scaled = second * slope[3 * j + c];
                for (int r = 0; r < 3; r++) {
                    sum[4 * c + r] += slope[3 * i + r] * scaled;
                }
            }
        }
    }
}

void fil_potential_row_block(const double* a, const double* g, const double* b, double scale, double* block)
{
    for (int c = 0; c < 4; c++) {
        double turned[3];
        for (int i = 0; i < 3; i++) {
            turned[i] = scale * (g[3 * i] * b[c] + g[3 * i + 1] * b[4 + c] + g[3 * i + 2] * b[8 + c]);
        }
        for (int r = 0; r < 4; r++) {
            block[4 * c + r] = a[r] * turned[0] + a[4 + r] * turned[1] + a[8 + r] * turned[2];
        }
    }
}

static void assemble(FilWorld* world, const FilPotentialModel* model, const double* v, FilPotentialOrder order)
{
    FilPotentialStage* stage = &world->potential;
    const FilPotentialProblem* p = &stage->problem;
    const FilContactSet* set = &world->collision.set;
    const double scale = p->dt * p->dt;
    double block[FIL_BLOCK_SIZE];
    fil_block_sum_clear(&stage->hessian);
    fil_potential_joints_hessian(world, v, &stage->hessian);
    if (model->field != NULL) {
        model->field->hessian(world, order, &stage->hessian);
        if (!stage->apart) {
            model->field->friction_hessian(world, v, order, &stage->hessian, stage->first_friction_list);
        }
        return;
    }
    for (int k = 0; k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        const FilPotentialEdges* e = c->edges >= 0 ? fil_potential_edges(stage, c->edges) : NULL;
        if (e != NULL && e->simple && order == FIL_POTENTIAL_DEFINITE) { // known since the forces were: v is where
            add_simple(&stage->hessian, k, c, e, scale);
            continue;
        }
        FilPotentialTerm term;
        fil_potential_evaluate(world, model, k, v, order, &term);
        for (int i = 0; c->nodes && i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                end_block(term.hessian, i, j, scale, block);
                fil_block_sum_add(&stage->hessian, k, c->local[i], c->local[j], block);
            }
        }
        const double* jacobian = set->jacobian + 12 * (size_t)c->contact->first_block;
        for (int i = 0; c->rows && i < c->contact->block_count; i++) {
            for (int j = 0; j < c->contact->block_count; j++) {
                fil_potential_row_block(jacobian + 12 * i, term.row_hessian, jacobian + 12 * j, scale, block);
                fil_block_sum_add(&stage->hessian, k, i, j, block);
            }
        }
    }
}

/* Solves with the whole factored; friction changes its mind a few times. *definite is false if the matrix is not. */
static FilStatus solve_whole(FilWorld* world, const FilPotentialModel* model, const FilPotentialAim* aim, FilPotentialOrder order,
                             const double* v, const double* residual, double* direction, bool* definite, FilStepInfo* info)
{
    enum { REVIEWS = 4 };
    FilPotentialStage* stage = &world->potential;
    const FilContactStage* all = &world->contact;
    const bool reviews = model->field != NULL && !aim->cautious;
    double* right = world->scratch.trial;
    FilStatus status = stage->factorable ? FIL_OK : bind(world, info);
    bool again = true;
    for (int k = 0; again && status == FIL_OK && k < (reviews ? REVIEWS : 1); k++) {
        memcpy(right, residual, sizeof(double) * (size_t)world->v_count);
        if (reviews) {
            (void)model->field->add_lead(world, v, right);
            fil_potential_spare_held(world, right);
        }
        if (k > 0) {
            assemble(world, model, v, order);
        }
        *definite = fil_block_cholesky_factor(stage->cholesky, all->values, stage->hessian.values.at);
        if (!*definite) {
            return FIL_OK;
        }
        fil_potential_gather(world, right, all->v);
        fil_block_cholesky_solve(stage->cholesky, all->v);
        fil_potential_direct(world, direction);
        stage->factors = FIL_FACTORS_ALL;
        info->contact_iterations++;
        if (reviews) {
            again = model->field->review(world, v, direction) > fil_potential_negligible(aim);
            model->field->revise(world, 0.0);
        }
    }
    return status;
}

/* Solves with bodies' tangents as assembled, sheets by conjugate gradients unless those are slow. */
static FilStatus solve_assembled(FilWorld* world, const FilPotentialModel* model, const FilPotentialAim* aim, FilPotentialOrder order,
                                 const double* v, const double* residual, double* direction, bool* definite, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    FilStatus status = FIL_OK;
    if (stage->apart) {
        FilBlockPcgResult result;
        status = fil_potential_solve_sheet(world, model, aim, v, residual, direction, &result, info);
        *definite = result != FIL_PCG_INDEFINITE;
        if (status != FIL_OK || result != FIL_PCG_SLOW) {
            return status;
        }
        status = adopt(world, model, false);
        stage->bound = false; // the next one tries again
        if (status == FIL_OK) {
            assemble(world, model, v, order);
        }
    }
    return status == FIL_OK ? solve_whole(world, model, aim, order, v, residual, direction, definite, info) : status;
}

/* Bodies' tangents at v, with their mass part enlarged by `shift`; false if v is out of reach. */
static bool take_tangents(FilWorld* world, double shift, const double* v, double* scratch)
{
    const FilContactStage* all = &world->contact;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        double potential;
        if (!fil_potential_takes_part(world, b)) {
            continue;
        }
        if (shift > 0.0 && !body->ops->evaluate(body->impl, v + body->v, shift, scratch + body->v, &potential)) {
            return false;
        }
        body->ops->tangent(body->impl, all->values + (size_t)16 * (size_t)all->first_block[b]);
    }
    return true;
}

FilStatus fil_potential_solve_all(FilWorld* world, const FilPotentialModel* model, const FilPotentialAim* aim, const double* v,
                                  const double* residual, double* direction, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    const bool field = model->field != NULL, apart = fil_potential_is_sheet(world, model);
    FilStatus status = FIL_OK;
    if (!stage->bound || stage->apart != apart) {
        status = adopt(world, model, apart);
        stage->bound = status == FIL_OK;
    }
    FilPotentialOrder order = FIL_POTENTIAL_DEFINITE;
    double shift = 0.0;
    bool definite = false;
    for (int attempt = 0; status == FIL_OK && !definite; attempt++) {
        if (shift > 1e20 || !take_tangents(world, shift, v, direction)) {
            return FIL_NOT_CONVERGED;
        }
        // a field's own bending is worth keeping longer than a sheet's
        if (attempt < 3) {
            order = attempt < (field ? 2 : 1) && !aim->cautious ? FIL_POTENTIAL_FULL : FIL_POTENTIAL_DEFINITE;
            assemble(world, model, v, order);
        }
        status = solve_assembled(world, model, aim, order, v, residual, direction, &definite, info);
        info->regularised += definite ? 0 : 1;
        if (field) {
            shift = attempt < 2 ? 0.1 : 10.0 * shift;
        } else {
            shift = attempt == 0 ? 0.0 : shift == 0.0 ? 0.1 : 10.0 * shift;
        }
    }
    return status;
}
