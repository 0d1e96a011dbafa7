#include "contact/sap_working_set.h"

#include <math.h>
#include <string.h>

#include "linalg/pair.h"

/* A contact is left out if it stays apart by more than this share of how far its sides move past each other in a step. Where friction's bounds stay,
 * iterations are so few that solving again, one step in six with 0.2, costs more than what it saves (instructions of entangling_gripper at 6.5 and 11
 * s: 0.2 takes 13 and 2 % more than 0.5; 1 takes 7 % less and 4 % more). */
#define REACH 0.2
#define REACH_OF_FIXED_BOUNDS 0.5

/* Fewer than this share of all are not worth a look. */
#define WORTH 0.125

void fil_sap_working_set_free(FilSapWorkingSet* set)
{
    fil_free(set->members.at);
    fil_free(set->impulses.at);
    fil_free(set->constraints);
}

/* v_c = J v + b of one constraint */
static void velocity_of(const FilSapProblem* problem, const FilSapConstraint* constraint, const double* v, double* v_c)
{
    FilPair sum[3] = {fil_pair_both(0.0), fil_pair_both(0.0), fil_pair_both(0.0)};
    for (int k = constraint->first_block; k < constraint->first_block + constraint->block_count; k++) {
        const double* j = problem->jacobian + FIL_SAP_JACOBIAN * (size_t)k;
        const double* x = v + FIL_BLOCK * (size_t)problem->block[k];
        const FilPair x0 = fil_pair_load(x), x1 = fil_pair_load(x + 2);
        for (int row = 0; row < 3; row++) {
            sum[row] = fil_pair_add_product(sum[row], fil_pair_load(j + 4 * row), x0);
            sum[row] = fil_pair_add_product(sum[row], fil_pair_load(j + 4 * row + 2), x1);
        }
    }
    for (int row = 0; row < 3; row++) {
        v_c[row] = constraint->bias[row] + fil_pair_sum(sum[row]);
    }
}

/* Whether a constraint bears nothing at v, nor at any velocity within `share` of its own. */
static bool is_apart(const FilSapProblem* problem, const FilSapConstraint* constraint, const double* v, double share)
{
    const FilSapKindOps* kind = &fil_sap_kinds[constraint->kind];
    double v_c[3];
    if (kind->clearance == NULL || !(constraint->contact.distance > 0.0)) {  // what overlaps is not
        return false;
    }
    velocity_of(problem, constraint, v, v_c);
    const double speed = sqrt(v_c[0] * v_c[0] + v_c[1] * v_c[1] + v_c[2] * v_c[2]);
    return kind->clearance(constraint, problem->dt, v_c) > share * problem->dt * speed;
}

/* Lists those that may bear something at about v. */
static bool choose(FilSapWorkingSet* set, const FilSapProblem* problem, double reach, const double* v)
{
    if (!fil_ints_reserve(&set->members, (size_t)problem->constraint_count)) {
        return false;
    }
    set->count = 0;
    for (int i = 0; i < problem->constraint_count; i++) {
        if (!is_apart(problem, &problem->constraints[i], v, reach)) {
            set->members.at[set->count++] = i;
        }
    }
    return true;
}

/* Copies their constraints. */
static bool gather(FilSapWorkingSet* set, const FilSapProblem* problem)
{
    const size_t all = (size_t)problem->constraint_count;  // so that one more next time needs no more room
    if (!fil_doubles_reserve(&set->impulses, 3 * all) || !fil_buffer_reserve(&set->constraints, &set->capacity, all, sizeof(FilSapConstraint))) {
        return false;
    }
    FilSapConstraint* constraints = set->constraints;
    for (int k = 0; k < set->count; k++) {
        constraints[k] = problem->constraints[set->members.at[k]];
    }
    return true;
}

/* Whether what was left out bears nothing at v. Members are in the order of all. */
static bool others_are_apart(const FilSapWorkingSet* set, const FilSapProblem* problem, const double* v)
{
    int member = 0;
    bool apart = true;
    for (int i = 0; i < problem->constraint_count && apart; i++) {
        if (member < set->count && set->members.at[member] == i) {
            member++;
        } else {
            apart = is_apart(problem, &problem->constraints[i], v, 0.0);
        }
    }
    return apart;
}

FilStatus fil_sap_working_set_solve(FilSapWorkingSet* set, FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, double* v,
                                    double* impulse, FilSapStats* stats)
{
    if (!choose(set, problem, settings->max_rounds == 0 ? REACH_OF_FIXED_BOUNDS : REACH, v)) {
        return FIL_OUT_OF_MEMORY;
    }
    const int left_out = problem->constraint_count - set->count;
    if (set->count == 0 || left_out < WORTH * problem->constraint_count) {
        return fil_sap_solve(sap, problem, settings, v, impulse, stats);
    }
    if (!gather(set, problem)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilSapProblem part = *problem;
    part.constraints = set->constraints;
    part.constraint_count = set->count;
    const FilStatus status = fil_sap_solve(sap, &part, settings, v, set->impulses.at, stats);
    if (status == FIL_OK && !others_are_apart(set, problem, v)) {
        const FilSapStats first = *stats;
        FilSapOptions known = *settings;
        known.presumption = 0.0;  // what bears is known
        const FilStatus second = fil_sap_solve(sap, problem, &known, v, impulse, stats);
        stats->iterations += first.iterations;
        stats->line_search_evaluations += first.line_search_evaluations;
        stats->factorisations += first.factorisations;
        stats->analyses += first.analyses;
        return second;
    }
    memset(impulse, 0, 3 * (size_t)problem->constraint_count * sizeof *impulse);
    for (int k = 0; k < set->count; k++) {
        memcpy(impulse + 3 * set->members.at[k], set->impulses.at + 3 * k, 3 * sizeof *impulse);
    }
    return status;
}
