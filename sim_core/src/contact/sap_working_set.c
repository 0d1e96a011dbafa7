#include "contact/sap_working_set.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

/* A contact is left out if it stays apart by more than this share of how far its sides move past each other in a step. Where friction's bounds stay,
 * iterations are so few that solving again, one step in six with 0.2, costs more than what it saves (instructions of entangling_gripper at 6.5 and 11
 * s: 0.2 takes 13 and 2 % more than 0.5; 1 takes 7 % less and 4 % more). */
#define REACH 0.2
#define REACH_OF_FIXED_BOUNDS 0.5

/* Fewer than this share of all are not worth a look. */
#define WORTH 0.125

/* Of heaps contacts of the convex model are left out, too, and only those of the others that have closed join for the next solution. Of these: the
 * share as above (0.1 to 1 were tried on four steps of hull_heap: 556 to 404 ms), ... */
#define REACH_OF_HEAPS 0.5
/* ... the residual that they are solved up to before others join, as most that close are known by then (1e-6 to 0.3: 460 to 367 ms), ... */
#define FIRST_TOLERANCE 0.3
/* ... and from then on, until no more close (1e-3 to 0.1: 12.7, 11.8, 11.5, 12.0 s for 14 steps of rope_heap), ... */
#define NEXT_TOLERANCE 0.03
/* ... the share within which these do, since what has closed moves others (0 to 0.2: within 2 %), ... */
#define JOINS 0.1
/* ... and how many solutions leave some out: hull_heap takes two to four */
enum { ROUNDS_MAX = 6 };

void fil_sap_working_set_free(FilSapWorkingSet* set)
{
    fil_free(set->members.at);
    fil_free(set->others.at);
    fil_free(set->impulses.at);
    fil_free(set->bounds.at);
    fil_free(set->constraints);
}

/* v_c = J v + b of one constraint */
static void velocity_of(const FilSapProblem* problem, const FilSapConstraint* constraint, const double* v, double* v_c)
{
    FilDouble2 sum[3] = {fil_double2_all(0.0), fil_double2_all(0.0), fil_double2_all(0.0)};
    for (int k = constraint->first_block; k < constraint->first_block + constraint->block_count; k++) {
        const double* j = problem->jacobian + FIL_SAP_JACOBIAN * (size_t)k;
        const double* x = v + FIL_BLOCK * (size_t)problem->block[k];
        const FilDouble2 x0 = fil_double2_load(x), x1 = fil_double2_load(x + 2);
        for (int row = 0; row < 3; row++) {
            sum[row] = fil_double2_add_product(sum[row], fil_double2_load(j + 4 * row), x0);
            sum[row] = fil_double2_add_product(sum[row], fil_double2_load(j + 4 * row + 2), x1);
        }
    }
    for (int row = 0; row < 3; row++) {
        v_c[row] = constraint->bias[row] + fil_double2_sum(sum[row]);
    }
}

/* Where constraints are few, those of laws without bounds take part. */
static bool is_heap(const FilSapProblem* problem)
{
    return problem->constraint_count >= FIL_SAP_HEAP;
}

/* A heap in which bounds of friction follow the solution. */
static bool is_following_heap(const FilSapProblem* problem, const FilSapOptions* settings)
{
    bool follows = false;
    for (int i = 0; i < problem->constraint_count && is_heap(problem) && settings->max_rounds > 0 && !follows; i++) {
        follows = fil_sap_kinds[problem->constraints[i].kind].follow != NULL;
    }
    return follows;
}

/* Whether a constraint bears nothing at v, nor at any velocity within `share` of its own. */
static bool is_apart(const FilSapProblem* problem, const FilSapConstraint* constraint, const double* v, double share)
{
    const FilSapKindOps* kind = &fil_sap_kinds[constraint->kind];
    double v_c[3];
    if (kind->clearance == NULL || (kind->follow == NULL && !is_heap(problem)) || !(constraint->contact.distance > 0.0)) {  // what overlaps is not
        return false;
    }
    velocity_of(problem, constraint, v, v_c);
    const double speed = sqrt(v_c[0] * v_c[0] + v_c[1] * v_c[1] + v_c[2] * v_c[2]);
    return kind->clearance(constraint, problem->dt, v_c) > share * problem->dt * speed;
}

/* Lists those that may bear something at about v. */
static bool choose(FilSapWorkingSet* set, const FilSapProblem* problem, double reach, const double* v)
{
    const size_t all = (size_t)problem->constraint_count;
    if (!fil_ints_reserve(&set->members, all) || !fil_ints_reserve(&set->others, all)) {
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

/* Copies their constraints, with bounds of friction as the last solution had them where these follow the solution. */
static bool gather(FilSapWorkingSet* set, const FilSapProblem* problem, bool follows)
{
    const size_t all = (size_t)problem->constraint_count;  // so that one more next time needs no more room
    if (!fil_doubles_reserve(&set->impulses, 3 * all) || !fil_buffer_reserve(&set->constraints, &set->capacity, all, sizeof(FilSapConstraint))) {
        return false;
    }
    FilSapConstraint* constraints = set->constraints;
    for (int k = 0; k < set->count; k++) {
        constraints[k] = problem->constraints[set->members.at[k]];
        const double bound = follows ? set->bounds.at[set->members.at[k]] : -1.0;
        if (bound >= 0.0 && fil_sap_kinds[constraints[k].kind].follow != NULL) {
            constraints[k].contact.bounded = true;
            constraints[k].contact.bound = bound;
        }
    }
    return true;
}

/* Nothing is known of bounds. */
static bool forget_bounds(FilSapWorkingSet* set, int count)
{
    if (!fil_doubles_reserve(&set->bounds, (size_t)count)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        set->bounds.at[i] = -1.0;
    }
    return true;
}

static void keep_bounds(FilSapWorkingSet* set)
{
    for (int k = 0; k < set->count; k++) {
        set->bounds.at[set->members.at[k]] = fmax(set->impulses.at[3 * k + 2], 0.0);
    }
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

/* Those of the others that may bear something at about v join, where one of them bears; they are merged from the end. */
static bool join(FilSapWorkingSet* set, const FilSapProblem* problem, const double* v)
{
    if (others_are_apart(set, problem, v)) {
        return false;
    }
    int *members = set->members.at, *others = set->others.at, other = 0;
    for (int i = 0, member = 0; i < problem->constraint_count; i++) {
        if (member < set->count && members[member] == i) {
            member++;
        } else if (!is_apart(problem, &problem->constraints[i], v, JOINS)) {
            others[other++] = i;
        }
    }
    int member = set->count, end = set->count += other;
    while (other > 0) {
        members[--end] = member > 0 && members[member - 1] > others[other - 1] ? members[--member] : others[--other];
    }
    return true;
}

/* Adds what solutions before took. */
static void add_stats(FilSapStats* stats, const FilSapStats* before)
{
    stats->iterations += before->iterations;
    stats->line_search_evaluations += before->line_search_evaluations;
    stats->factorisations += before->factorisations;
    stats->analyses += before->analyses;
}

/* Solves with the present members. */
static FilStatus solve_members(FilSapWorkingSet* set, FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, double* v,
                               FilSapStats* stats)
{
    const bool follows = is_following_heap(problem, settings);
    if (!gather(set, problem, follows)) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilSapStats before = *stats;
    FilSapProblem part = *problem;
    part.constraints = set->constraints;
    part.constraint_count = set->count;
    const FilStatus status = fil_sap_solve(sap, &part, settings, v, set->impulses.at, stats);
    add_stats(stats, &before);
    if (follows) {
        keep_bounds(set);
    }
    return status;
}

/* Solves with members that become more until the others stay apart. False: they do not within so many solutions. */
static FilStatus solve_growing(FilSapWorkingSet* set, FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, double* v,
                               FilSapStats* stats, bool* apart)
{
    FilSapOptions options = *settings;
    options.tolerance = fmax(settings->tolerance, FIRST_TOLERANCE);
    if (!forget_bounds(set, problem->constraint_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int round = 0; round < ROUNDS_MAX; round++) {
        const FilStatus status = solve_members(set, sap, problem, &options, v, stats);
        if (status != FIL_OK) {
            return status;
        }
        *apart = !join(set, problem, v);
        if (*apart && options.tolerance == settings->tolerance) {
            return FIL_OK;
        }
        const bool loose = !*apart && options.tolerance > settings->tolerance && options.duals;
        options.tolerance = loose ? fmax(settings->tolerance, NEXT_TOLERANCE) : settings->tolerance;
        options.presumption = 0.0;  // what bears is known
    }
    *apart = false;
    return FIL_OK;
}

/* Where bounds of friction follow the solution, a heap's line searches stop at the kinks of hundreds of contacts from the first iteration on. */
static FilSapOptions options_of(const FilSapProblem* problem, const FilSapOptions* settings)
{
    FilSapOptions options = *settings;
    if (is_following_heap(problem, settings)) {
        options.duals = true;
        options.presumption = 0.0;  // is for bounds that stay
    }
    return options;
}

FilStatus fil_sap_working_set_solve(FilSapWorkingSet* set, FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, double* v,
                                    double* impulse, FilSapStats* stats)
{
    const double reach = settings->max_rounds == 0 ? REACH_OF_FIXED_BOUNDS : REACH;
    if (!choose(set, problem, is_heap(problem) ? REACH_OF_HEAPS : reach, v)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilSapOptions options = options_of(problem, settings);
    const int left_out = problem->constraint_count - set->count;
    if (set->count == 0 || left_out < WORTH * problem->constraint_count) {
        return fil_sap_solve(sap, problem, &options, v, impulse, stats);
    }
    bool apart = true;
    *stats = (FilSapStats){0};
    const FilStatus status =
        is_heap(problem) ? solve_growing(set, sap, problem, &options, v, stats, &apart) : solve_members(set, sap, problem, &options, v, stats);
    if (status == FIL_OK && !(is_heap(problem) ? apart : others_are_apart(set, problem, v))) {
        const FilSapStats before = *stats;
        options.presumption = 0.0;  // what bears is known
        const FilStatus last = fil_sap_solve(sap, problem, &options, v, impulse, stats);
        add_stats(stats, &before);
        return last;
    }
    memset(impulse, 0, 3 * (size_t)problem->constraint_count * sizeof *impulse);
    for (int k = 0; k < set->count; k++) {
        memcpy(impulse + 3 * set->members.at[k], set->impulses.at + 3 * k, 3 * sizeof *impulse);
    }
    return status;
}
