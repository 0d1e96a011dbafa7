/* The pattern of what contacts and joints add to the matrix. */
#include "solver/solver.h"

FilStatus fil_potential_list(FilSolver* solver, const FilPotentialField* field, bool apart)
{
    FilPotentialStage* stage = &solver->potential;
    FilPotentialLists *all = &stage->lists, *rubbing = apart ? &stage->rubbing : all;
    FilStatus status = field->list(solver, &all->end, &all->variable, &all->count);
    stage->first_friction_list = all->count;
    stage->rubbing.count = 0;
    if (status == FIL_OK && field->list_friction != NULL) {
        status = field->list_friction(solver, &rubbing->end, &rubbing->variable, &rubbing->count);
    }
    stage->apart = apart;
    status = status == FIL_OK ? fil_potential_joints_list(solver, &all->end, &all->variable, &all->count) : status;
    stage->listed = status == FIL_OK;
    return status;
}

/* The patterns of these. False when out of memory. */
static bool find_patterns(FilSolver* solver, const FilPotentialField* field)
{
    FilPotentialStage* stage = &solver->potential;
    const FilPotentialLists *all = &stage->lists, *rubbing = &stage->rubbing;
    const int columns = solver->contact.column_count;
    bool same, same_friction = true;
    if (!fil_block_sum_adopt(&stage->hessian, columns, all->count, all->end.at, all->variable.at, &same) ||
        (stage->apart && !fil_block_sum_adopt(&stage->friction, columns, rubbing->count, rubbing->end.at, rubbing->variable.at, &same_friction))) {
        return false;
    }
    stage->pcg_bound = stage->pcg_bound && stage->apart && same && same_friction;
    // contacts: analysed anew for each pattern, so that a restored world goes on with the same bits
    stage->analysed = stage->analysed && (same || field->keeps_analysis);
    stage->exact = stage->exact && same && stage->exact_pattern == solver->contact.patterns;
    stage->factorable = stage->factorable && stage->exact;
    stage->settled = stage->settled || stage->factorable;
    return true;
}

bool fil_potential_adopt(FilSolver* solver, const FilPotentialField* field)
{
    FilPotentialStage* stage = &solver->potential;
    if (stage->listed) {
        stage->adopted = find_patterns(solver, field);
        stage->listed = false;
    }
    return stage->adopted;
}
