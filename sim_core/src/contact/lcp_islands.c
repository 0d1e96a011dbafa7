#include "contact/lcp_islands.h"

#include <string.h>

void fil_lcp_islands_free(FilLcpIslands* islands)
{
    FilInts* const ints[] = {
        &islands->island,    &islands->local,         &islands->first_variable, &islands->first_block, &islands->first_constraint,
        &islands->variables, &islands->constraint_of, &islands->start,          &islands->row,         &islands->block};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    fil_free(islands->a.at);
    fil_free(islands->v_free.at);
    fil_free(islands->constraints);
}

static bool reserve(FilLcpIslands* s, const FilSapProblem* problem, size_t jacobians)
{
    const size_t n = (size_t)problem->pattern.columns, m = (size_t)problem->constraint_count;
    const size_t blocks = (size_t)problem->pattern.start[n];
    return fil_ints_reserve(&s->island, n) && fil_ints_reserve(&s->local, n) && fil_ints_reserve(&s->first_variable, n + 1) &&
           fil_ints_reserve(&s->first_block, n + 1) && fil_ints_reserve(&s->first_constraint, n + 1) && fil_ints_reserve(&s->variables, n) &&
           fil_ints_reserve(&s->constraint_of, m) && fil_ints_reserve(&s->start, 2 * n) && fil_ints_reserve(&s->row, blocks) &&
           fil_ints_reserve(&s->block, jacobians) && fil_doubles_reserve(&s->a, FIL_BLOCK_SIZE * blocks) &&
           fil_doubles_reserve(&s->v_free, FIL_BLOCK * n) &&
           fil_buffer_reserve(&s->constraints, &s->constraint_capacity, m, sizeof(FilSapConstraint));
}

/* ---- who belongs together: union of the smaller under the larger root's name, the least variable ---- */

static int root_of(int* parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int* parent, int i, int j)
{
    const int a = root_of(parent, i), b = root_of(parent, j);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* The variable that a constraint belongs to; -1: none. */
static int owner_of(const FilSapProblem* problem, const FilSapConstraint* constraint)
{
    return constraint->block_count > 0 ? problem->block[constraint->first_block] : -1;
}

/* Numbers the islands that have constraints, by their least variables; `island` holds roots before, numbers after. */
static void number_islands(FilLcpIslands* s, const FilSapProblem* problem)
{
    const int n = problem->pattern.columns;
    int *parent = s->island.at, *number = s->local.at;
    for (int i = 0; i < n; i++) {
        parent[i] = root_of(parent, i);  // roots of those before are final: they are the least
        number[i] = -1;
    }
    for (int i = 0; i < problem->constraint_count; i++) {
        const int owner = owner_of(problem, &problem->constraints[i]);
        if (owner >= 0) {
            number[parent[owner]] = 0;
        }
    }
    s->count = 0;
    for (int i = 0; i < n; i++) {
        if (parent[i] == i && number[i] == 0) {
            number[i] = s->count++;
        }
    }
    for (int i = 0; i < n; i++) {
        parent[i] = number[parent[i]];
    }
}

/* ---- taking them apart ---- */

/* Variables island by island, and their numbers there. */
static void sort_variables(FilLcpIslands* s, int n)
{
    int* first = s->first_variable.at;
    memset(first, 0, sizeof(int) * (size_t)(s->count + 1));
    for (int i = 0; i < n; i++) {
        if (s->island.at[i] >= 0) {
            first[s->island.at[i] + 1]++;
        }
    }
    for (int k = 0; k < s->count; k++) {
        first[k + 1] += first[k];
        s->first_constraint.at[k] = 0;  // borrowed: how many are placed
    }
    for (int i = 0; i < n; i++) {
        const int k = s->island.at[i];
        if (k >= 0) {
            s->local.at[i] = s->first_constraint.at[k]++;
            s->variables.at[first[k] + s->local.at[i]] = i;
        }
    }
}

/* A and v* of every island. */
static void copy_tangents(FilLcpIslands* s, const FilSapProblem* problem)
{
    int blocks = 0;
    for (int k = 0; k < s->count; k++) {
        int* start = s->start.at + s->first_variable.at[k] + k;
        s->first_block.at[k] = blocks;
        start[0] = 0;
        for (int i = s->first_variable.at[k]; i < s->first_variable.at[k + 1]; i++) {
            const int column = s->variables.at[i];
            for (int b = problem->pattern.start[column]; b < problem->pattern.start[column + 1]; b++, blocks++) {
                s->row.at[blocks] = s->local.at[problem->pattern.row[b]];
                memcpy(s->a.at + (size_t)FIL_BLOCK_SIZE * (size_t)blocks, problem->a + (size_t)FIL_BLOCK_SIZE * (size_t)b,
                       FIL_BLOCK_SIZE * sizeof(double));
            }
            memcpy(s->v_free.at + (size_t)FIL_BLOCK * (size_t)i, problem->v_free + (size_t)FIL_BLOCK * (size_t)column, FIL_BLOCK * sizeof(double));
            start[i - s->first_variable.at[k] + 1] = blocks - s->first_block.at[k];
        }
    }
}

static void copy_constraints(FilLcpIslands* s, const FilSapProblem* problem)
{
    FilSapConstraint* constraints = s->constraints;
    int count = 0;
    for (int k = 0; k < s->count; k++) {
        s->first_constraint.at[k] = count;
        for (int i = 0; i < problem->constraint_count; i++) {
            const FilSapConstraint* constraint = &problem->constraints[i];
            const int owner = owner_of(problem, constraint);
            if (owner < 0 || s->island.at[owner] != k) {
                continue;
            }
            for (int b = constraint->first_block; b < constraint->first_block + constraint->block_count; b++) {
                s->block.at[b] = s->local.at[problem->block[b]];
            }
            s->constraint_of.at[count] = i;
            constraints[count++] = *constraint;
        }
    }
    s->first_constraint.at[s->count] = count;
}

static bool is_whole(const FilLcpIslands* s, const FilSapProblem* problem)
{
    return s->count == 1 && s->first_variable.at[1] == problem->pattern.columns && s->first_constraint.at[1] == problem->constraint_count;
}

bool fil_lcp_islands_find(FilLcpIslands* s, const FilSapProblem* problem)
{
    const int n = problem->pattern.columns;
    size_t jacobians = 0;
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapConstraint* c = &problem->constraints[i];
        const size_t end = (size_t)(c->first_block + c->block_count);
        jacobians = end > jacobians ? end : jacobians;
    }
    if (!reserve(s, problem, jacobians)) {
        return false;
    }
    int* parent = s->island.at;
    for (int i = 0; i < n; i++) {
        parent[i] = i;
    }
    for (int c = 0; c < n; c++) {
        for (int b = problem->pattern.start[c]; b < problem->pattern.start[c + 1]; b++) {
            join(parent, c, problem->pattern.row[b]);
        }
    }
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapConstraint* constraint = &problem->constraints[i];
        for (int b = 1; b < constraint->block_count; b++) {
            join(parent, problem->block[constraint->first_block], problem->block[constraint->first_block + b]);
        }
    }
    number_islands(s, problem);
    sort_variables(s, n);
    copy_constraints(s, problem);
    if (!is_whole(s, problem)) {
        copy_tangents(s, problem);
    }
    return true;
}

FilSapProblem fil_lcp_islands_at(const FilLcpIslands* s, const FilSapProblem* problem, int k)
{
    if (is_whole(s, problem)) {
        return *problem;
    }
    const int first = s->first_variable.at[k], constraint = s->first_constraint.at[k];
    const size_t block = (size_t)s->first_block.at[k];
    return (FilSapProblem){.dt = problem->dt,
                           .pattern = {s->first_variable.at[k + 1] - first, s->start.at + first + k, s->row.at + block},
                           .a = s->a.at + FIL_BLOCK_SIZE * block,
                           .v_free = s->v_free.at + (size_t)FIL_BLOCK * (size_t)first,
                           .constraint_count = s->first_constraint.at[k + 1] - constraint,
                           .constraints = (const FilSapConstraint*)s->constraints + constraint,
                           .block = s->block.at,
                           .jacobian = problem->jacobian,
                           .watch = problem->watch};
}

void fil_lcp_islands_take(const FilLcpIslands* s, int k, const double* all_v, double* v)
{
    const int first = s->first_variable.at[k];
    for (int i = first; i < s->first_variable.at[k + 1]; i++) {
        memcpy(v + (size_t)FIL_BLOCK * (size_t)(i - first), all_v + (size_t)FIL_BLOCK * (size_t)s->variables.at[i], FIL_BLOCK * sizeof(double));
    }
}

void fil_lcp_islands_release(const FilLcpIslands* s, const FilSapProblem* problem, double* all_v)
{
    for (int i = 0; i < problem->pattern.columns; i++) {
        if (s->island.at[i] < 0) {
            memcpy(all_v + (size_t)FIL_BLOCK * (size_t)i, problem->v_free + (size_t)FIL_BLOCK * (size_t)i, FIL_BLOCK * sizeof(double));
        }
    }
}

void fil_lcp_islands_put(const FilLcpIslands* s, int k, const double* v, const double* impulse, double* all_v, double* all_impulses)
{
    const int first = s->first_variable.at[k], constraint = s->first_constraint.at[k];
    for (int i = first; i < s->first_variable.at[k + 1]; i++) {
        memcpy(all_v + (size_t)FIL_BLOCK * (size_t)s->variables.at[i], v + (size_t)FIL_BLOCK * (size_t)(i - first), FIL_BLOCK * sizeof(double));
    }
    for (int i = constraint; i < s->first_constraint.at[k + 1]; i++) {
        memcpy(all_impulses + 3 * (size_t)s->constraint_of.at[i], impulse + 3 * (size_t)(i - constraint), 3 * sizeof(double));
    }
}
