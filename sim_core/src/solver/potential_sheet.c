/* Linear systems of sheets and large nets: conjugate gradients with a near factor, on which friction makes up its mind first
 * (linalg/block_pcg.h). */
#include <math.h>
#include <string.h>

#include "world/world.h"

/* ---- patterns ---- */

/* Sheets of triangles: judged by the pattern alone, as whether something is a sheet at all. */
static bool has_triangles(const FilWorld* world)
{
    return world->contact.block_count > 4 * world->contact.column_count;
}

bool fil_potential_is_sheet(const FilWorld* world, const FilPotentialModel* model)
{
    const int columns = world->contact.column_count;
    return model->field != NULL && ((columns > 300 && has_triangles(world)) || columns > 4000);
}

/* The matrix as assembled. */
static FilBlockTerms terms_of(const FilWorld* world)
{
    const FilPotentialStage* stage = &world->potential;
    const FilContactStage* all = &world->contact;
    return (FilBlockTerms){.a_pattern = all->patterns,
                           .a = {all->column_count, all->start, all->row},
                           .c = fil_block_sum_pattern(&stage->hessian),
                           .f = fil_block_sum_pattern(&stage->friction),
                           .a_values = all->values,
                           .c_values = stage->hessian.values.at,
                           .f_values = stage->friction.values.at};
}

/* The analysis, `stiff`: with bodies' stiffness in the factor. A step begins with one of the pattern that it finds, see
 * fil_potential_begin(). */
static FilStatus bind(FilWorld* world, bool stiff, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    const FilContactStage* all = &world->contact;
    const bool other = stage->pcg.diagonal_only == stiff;
    const bool bound = stage->pcg_bound && stage->pcg_pattern == all->patterns && !other;
    FilStatus status = FIL_OK;
    if (!bound || (stage->begins && !stage->pcg.exact)) {
        const FilBlockTerms terms = terms_of(world);
        bool analysed = false;
        status = fil_block_pcg_bind(&stage->pcg, &terms, stiff ? all->weak : NULL, stage->begins || other, &analysed);
        info->analyses += analysed ? 1 : 0;
        stage->pcg_pattern = all->patterns;
        stage->pcg_bound = status == FIL_OK;
    }
    stage->begins = false;
    return status;
}

/* ---- friction ---- */

/* What is kept of friction's model need not be factored again: parts that are wrong by this share of what is negligible. */
static const double KEPT = 0.1;

/* A direction in the making, over the variables of the matrix. */
typedef struct Sheet {
    FilWorld* world;
    const FilPotentialModel* model;
    const FilPotentialAim* aim;
    const double* v;
    FilBlockTerms terms;
    int reached_count;
    const int* reached;      /* columns that friction reaches */
    double *right, *x;       /* right side and solution */
    double *lead, lead_size; /* what friction's model adds to the right side where it reaches, unless cautious */
    double* near;            /* solution where it does, with the near matrix */
} Sheet;

/* Takes what friction's model leads the residual by. */
static void take_lead(Sheet* sheet)
{
    const FilWorld* world = sheet->world;
    const int* block = world->potential.column_block.at;
    double* residual = world->scratch.trial;
    for (int k = 0; k < sheet->reached_count; k++) {
        memset(residual + 4 * block[sheet->reached[k]], 0, FIL_BLOCK * sizeof *residual);
    }
    sheet->lead_size = sheet->model->field->add_lead(sheet->world, sheet->v, residual);
    for (int k = 0; k < FIL_BLOCK * sheet->reached_count; k++) {
        const int from = 4 * block[sheet->reached[k / 4]] + k % 4; // what is held feels none
        sheet->lead[4 * sheet->reached[k / 4] + k % 4] = world->scratch.weight[from] > 0.0 ? residual[from] : 0.0;
    }
}

/* Takes friction's model as it is now; false: not positive definite. */
static bool take_friction(Sheet* sheet)
{
    FilBlockSum* friction = &sheet->world->potential.friction;
    const FilPotentialOrder order = sheet->aim->cautious ? FIL_POTENTIAL_DEFINITE : FIL_POTENTIAL_FULL;
    fil_block_sum_clear(friction);
    sheet->model->field->friction_hessian(sheet->world, sheet->v, order, friction, 0);
    return fil_block_pcg_factor_rest(&sheet->world->potential.pcg, &sheet->terms);
}

/* Lets friction make up its mind, with the near matrix in place of the true one. False: not positive definite. */
static bool settle_friction(Sheet* sheet, double* direction)
{
    enum { REVIEWS = 20 };
    FilPotentialStage* stage = &sheet->world->potential;
    const FilPotentialField* field = sheet->model->field;
    const int* block = stage->column_block.at;
    const double negligible = fil_potential_negligible(sheet->aim);
    if (sheet->aim->cautious) {
        return take_friction(sheet);
    }
    fil_block_pcg_reduce(&stage->pcg, sheet->right);
    for (int k = 1; take_friction(sheet); k++) {
        take_lead(sheet);
        fil_block_pcg_predict(&stage->pcg, sheet->lead, sheet->near);
        for (int i = 0; i < sheet->reached_count; i++) {
            memcpy(direction + 4 * block[sheet->reached[i]], sheet->near + 4 * sheet->reached[i], FIL_BLOCK * sizeof *direction);
        }
        if (field->review(sheet->world, sheet->v, direction) <= negligible || k == REVIEWS) {
            return true;
        }
        field->revise(sheet->world, KEPT * negligible);
    }
    return false;
}

/* ---- the direction ---- */

static FilBlockPcgResult find_direction(Sheet* sheet, int patience, double* direction)
{
    FilBlockPcg* pcg = &sheet->world->potential.pcg;
    const FilPotentialAim* aim = sheet->aim;
    if (!fil_block_pcg_factor(pcg, &sheet->terms) || !settle_friction(sheet, direction)) {
        return FIL_PCG_INDEFINITE;
    }
    for (int k = 0; k < FIL_BLOCK * sheet->reached_count && !aim->cautious; k++) {
        const int at = FIL_BLOCK * sheet->reached[k / FIL_BLOCK] + k % FIL_BLOCK;
        sheet->right[at] += sheet->lead[at];
    }
    // what friction leads by may be large, but is no reason to neglect the rest
    const double accuracy = aim->accuracy * aim->norm / hypot(aim->norm, sheet->lead_size);
    const FilBlockPcgResult result = fil_block_pcg_solve(pcg, &sheet->terms, accuracy, patience, sheet->right, sheet->x);
    if (result == FIL_PCG_DONE) {
        fil_potential_direct(sheet->world, direction);
        if (!aim->cautious) { // the next direction begins with what friction makes of this one
            (void)sheet->model->field->review(sheet->world, sheet->v, direction);
            sheet->model->field->revise(sheet->world, 0.0);
        }
    }
    return result;
}

FilStatus fil_potential_solve_sheet(FilWorld* world, const FilPotentialModel* model, const FilPotentialAim* aim, const double* v,
                                    const double* residual, double* direction, FilBlockPcgResult* result, FilStepInfo* info)
{
    enum { STIFF_STEPS = 20 };
    FilPotentialStage* stage = &world->potential;
    double* stiff = &stage->problem.memory[FIL_MEMORY_STIFF];
    const int patience = has_triangles(world) ? 200 : 60; // their factor costs more than that of a net
    const size_t n = FIL_BLOCK * (size_t)world->contact.column_count;
    if (!fil_doubles_reserve(&stage->vectors, 3 * n)) {
        return FIL_OUT_OF_MEMORY;
    }
    double* at = stage->vectors.at;
    Sheet sheet = {.world = world, .model = model, .aim = aim, .v = v, .terms = terms_of(world),
                   .x = world->contact.v, .right = at, .lead = at + n, .near = at + 2 * n};
    FilStatus status = FIL_OK;
    *result = FIL_PCG_SLOW;
    // where they are slow, with the bodies' stiffness in the factor, and for some steps at once
    for (int attempt = *stiff > 0.0 ? 1 : 0; attempt < 2 && status == FIL_OK && *result == FIL_PCG_SLOW; attempt++) {
        *stiff = attempt == 1 ? STIFF_STEPS : 0.0;
        status = bind(world, attempt == 1, info);
        if (status == FIL_OK) {
            sheet.reached = fil_block_pcg_reached(&stage->pcg, &sheet.reached_count);
            memset(sheet.x, 0, n * sizeof *at);
            fil_potential_gather(world, residual, sheet.right);
            *result = find_direction(&sheet, patience, direction);
            info->contact_iterations += *result == FIL_PCG_DONE ? 1 : 0;
        }
    }
    return status;
}
