#include "contact/sap_system.h"

#include <string.h>

#include "base/vector.h"

bool fil_sap_system_init(FilSapSystem* system)
{
    *system = (FilSapSystem){0};
    return fil_block_factor_init(&system->factor);
}

void fil_sap_system_free(FilSapSystem* system)
{
    fil_block_factor_free(&system->factor);
    fil_free(system->used);
    FilInts* const buffers[] = {&system->a_start,     &system->a_row,      &system->constraint_end, &system->variable,
                                &system->c_start,     &system->c_row,      &system->target_start,   &system->scratch,
                                &system->touch_start, &system->last_start, &system->last_row};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        fil_free(buffers[k]->at);
    }
    fil_free(system->participant.at);
    fil_free(system->c.at);
    fil_free(system->x.at);
    fil_free(system->rest.at);
    fil_free(system->all.at);
    fil_free(system->targets);
    fil_free(system->touches);
    fil_block_rows_free(&system->a_rows);
    fil_block_parts_free(&system->parts);
    fil_free(system->impulses.at);
}

/* ---- patterns ---- */

static bool same_ints(const int* a, const int* b, int count)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool is_same_pattern(const FilBlockPattern* pattern, int columns, const FilInts* start, const FilInts* row)
{
    return pattern->columns == columns && same_ints(pattern->start, start->at, columns + 1) &&
           same_ints(pattern->row, row->at, pattern->start[columns]);
}

static bool same_patterns(const FilSapSystem* system, const FilSapProblem* problem)
{
    const FilBlockPattern* a = &problem->pattern;
    if (!system->analysed || problem->constraint_count != system->constraints ||
        !is_same_pattern(a, system->columns, &system->a_start, &system->a_row)) {
        return false;
    }
    int block = 0;
    for (int i = 0; i < problem->constraint_count; i++) {
        const FilSapConstraint* constraint = &problem->constraints[i];
        const int count = constraint->block_count;
        if (system->constraint_end.at[i] != block + count ||
            !same_ints(problem->block + constraint->first_block, system->variable.at + block, count)) {
            return false;
        }
        block += count;
    }
    return true;
}

/* Room for `count` ints; those that are there stay. */
static bool keep_room(FilInts* ints, size_t count)
{
    return count <= ints->capacity || fil_ints_extend(ints, ints->capacity, count - ints->capacity);
}

/* Copies what same_patterns() compares, and sizes the buffers of C, with the last C kept in its own. */
static bool adopt_patterns(FilSapSystem* system, const FilSapProblem* problem)
{
    const FilBlockPattern* a = &problem->pattern;
    const size_t columns = (size_t)a->columns, count = (size_t)problem->constraint_count;
    size_t blocks = 0, targets = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t m = (size_t)problem->constraints[i].block_count;
        blocks += m;
        targets += m * m;  // m (m + 1)/2 unless a variable comes twice
    }
    const size_t a_blocks = (size_t)a->start[a->columns];
    if (!fil_ints_reserve(&system->a_start, columns + 1) || !fil_ints_reserve(&system->a_row, a_blocks) ||
        !fil_ints_reserve(&system->constraint_end, count) || !fil_ints_reserve(&system->variable, blocks) ||
        !fil_ints_reserve(&system->participant, blocks) || !fil_doubles_reserve(&system->x, FIL_BLOCK * columns) ||
        !fil_doubles_reserve(&system->rest, FIL_BLOCK * columns) || !fil_doubles_reserve(&system->all, 2 * FIL_BLOCK * columns) ||
        !fil_ints_reserve(&system->target_start, columns + 2) || !fil_ints_reserve(&system->c_start, columns + 2) ||
        !fil_ints_reserve(&system->c_row, targets + columns) || !keep_room(&system->last_start, columns + 2) ||
        !keep_room(&system->last_row, targets + columns) || !fil_ints_reserve(&system->scratch, columns) ||
        !fil_ints_reserve(&system->touch_start, columns + 2) ||
        !fil_buffer_reserve(&system->touches, &system->touch_capacity, blocks, sizeof(FilSapTouch)) ||
        !fil_buffer_reserve(&system->targets, &system->target_capacity, targets, sizeof(FilSapTarget))) {
        return false;
    }
    memcpy(system->a_start.at, a->start, (columns + 1) * sizeof(int));
    memcpy(system->a_row.at, a->row, a_blocks * sizeof(int));
    int end = 0;
    for (size_t i = 0; i < count; i++) {
        const FilSapConstraint* constraint = &problem->constraints[i];
        if (constraint->block_count > 0) {  // none between sides that cannot move
            memcpy(system->variable.at + end, problem->block + constraint->first_block, (size_t)constraint->block_count * sizeof(int));
        }
        system->constraint_end.at[i] = end += constraint->block_count;
    }
    system->columns = a->columns;
    system->constraints = problem->constraint_count;
    return true;
}

/* Variables of a constraint's Jacobian blocks, and their number. */
static const int* variables_of(const FilSapSystem* system, int constraint, int* count)
{
    const int first = constraint > 0 ? system->constraint_end.at[constraint - 1] : 0;
    *count = system->constraint_end.at[constraint] - first;
    return system->variable.at + first;
}

/* Lists the products of all constraints column by column, with row >= col as variables. Two blocks of one variable contribute to its
 * diagonal block both ways round. */
static void list_targets(FilSapSystem* system)
{
    FilSapTarget* targets = system->targets;
    const int n = system->columns;
    int count, *start = system->target_start.at;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < system->constraints; i++) {
            const int* variable = variables_of(system, i, &count);
            for (int c = 0; c < count; c++) {
                for (int r = 0; r < count; r++) {
                    if (variable[r] < variable[c]) {
                        continue;
                    }
                    if (pass == 0) {
                        start[variable[c] + 2]++;
                    } else {
                        targets[start[variable[c] + 1]++] = (FilSapTarget){.constraint = i, .row = r, .col = c};
                    }
                }
            }
        }
        for (int j = 0; j < n && pass == 0; j++) {
            start[j + 2] += start[j + 1];
        }
    }
}

/* Variables from which on a factor in single precision may pay, for which all have to participate. */
enum { LARGE = 1000 };

/* Whether all variables of a large system participate, since more than half are touched: the others have an empty block of C. */
static bool all_participate(const FilSapSystem* system, int* mark)
{
    int touched = 0;
    memset(mark, 0, (size_t)system->columns * sizeof *mark);
    for (int k = 0; k < system->constraint_end.at[system->constraints - 1]; k++) {
        touched += mark[system->variable.at[k]]++ == 0;
    }
    return touched >= LARGE && 2 * touched > system->columns;
}

/* Gives each distinct (row, column) one block of C. */
static bool build_c(FilSapSystem* system)
{
    FilSapTarget* targets = system->targets;
    const int n = system->columns;
    int *start = system->c_start.at, *mark = system->scratch.at;  // block of C in the current column, of each row
    const bool all = all_participate(system, mark);
    memset(mark, -1, (size_t)n * sizeof *mark);
    int end = 0;
    for (int j = 0; j < n; j++) {
        start[j] = end;
        if (all) {
            mark[j] = end;
            system->c_row.at[end++] = j;
        }
        for (int t = system->target_start.at[j]; t < system->target_start.at[j + 1]; t++) {
            int count;
            const int i = variables_of(system, targets[t].constraint, &count)[targets[t].row];
            if (mark[i] < start[j]) {
                mark[i] = end;
                system->c_row.at[end++] = i;
            }
            targets[t].block = mark[i];
        }
    }
    start[n] = end;
    return fil_doubles_reserve(&system->c, FIL_BLOCK_SIZE * (size_t)end);
}

static FilBlockPattern c_pattern(const FilSapSystem* system)
{
    return (FilBlockPattern){system->columns, system->c_start.at, system->c_row.at};
}

int fil_sap_system_participant(const FilSapSystem* system, int variable)
{
    return fil_block_factor_pivots(&system->factor)[variable] - fil_block_factor_first_changing(&system->factor);
}

static void number_participants(FilSapSystem* system)
{
    const int blocks = system->constraint_end.at[system->constraints - 1];
    int *start = system->touch_start.at, n = system->columns - fil_block_factor_first_changing(&system->factor);
    FilSapTouch* touches = system->touches;
    system->participants = n;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    for (int k = 0; k < blocks; k++) {
        system->participant.at[k] = fil_sap_system_participant(system, system->variable.at[k]);
        start[system->participant.at[k] + 2]++;
    }
    for (int p = 0; p < n; p++) {
        start[p + 2] += start[p + 1];
    }
    for (int i = 0, k = 0; i < system->constraints; i++) {
        for (int first = k; k < system->constraint_end.at[i]; k++) {
            touches[start[system->participant.at[k] + 1]++] = (FilSapTouch){.constraint = i, .block = k - first};
        }
    }
}

/* Constraints whose Jacobians are looked through at a time: some 10 us. */
enum { USED_GRAIN = 512 };

/* What components of variables are looked for in; each worker has found its own, one after the other. */
typedef struct Usage {
    const FilSapProblem* problem;
    unsigned char* used;
} Usage;

static void find_some_used(void* context, int first, int end, int worker)
{
    const Usage* usage = context;
    const FilSapProblem* problem = usage->problem;
    unsigned char* used = usage->used + (size_t)worker * (size_t)problem->pattern.columns;
    for (int i = first; i < end; i++) {
        const FilSapConstraint* constraint = &problem->constraints[i];
        for (int k = constraint->first_block; k < constraint->first_block + constraint->block_count; k++) {
            const double* j = problem->jacobian + FIL_SAP_JACOBIAN * (size_t)k;
            for (int d = 0; d < FIL_BLOCK; d++) {
                const bool moves = j[d] != 0.0 || j[FIL_BLOCK + d] != 0.0 || j[2 * FIL_BLOCK + d] != 0.0;
                used[problem->block[k]] = (unsigned char)(used[problem->block[k]] | (int)moves << d);
            }
        }
    }
}

/* Writes which components of each variable are unknowns, those that A or a Jacobian knows of, to the first of `places` times as many. */
static void find_used(const FilSapProblem* problem, unsigned char* used, size_t places)
{
    const size_t n = (size_t)problem->pattern.columns, count = (size_t)fil_workers_count(problem->workers);
    FilWorkers* workers = count <= places ? problem->workers : NULL;
    Usage usage = {problem, used};
    fil_supernodal_find_used(&problem->pattern, problem->a, used);
    memset(used + n, 0, workers != NULL ? (count - 1) * n : 0);
    fil_workers_run(workers, problem->constraint_count, USED_GRAIN, find_some_used, &usage);
    for (size_t w = 1; workers != NULL && w < count; w++) {
        for (size_t v = 0; v < n; v++) {
            used[v] = (unsigned char)(used[v] | used[w * n + v]);
        }
    }
}

/* Whether the supernodes' analysis is about other components than those that are unknowns now. */
static bool has_other_unknowns(const FilSapSystem* system, const FilSapProblem* problem)
{
    if (!system->analysed || !system->factor.supernodes || problem->pattern.columns != system->columns) {
        return false;
    }
    const size_t n = (size_t)system->columns;
    find_used(problem, system->used + n, system->used_capacity / n - 1);
    return memcmp(system->used + n, system->used, n) != 0;
}

/* The pattern of C becomes the last one. */
static void put_c_aside(FilSapSystem* system)
{
    const FilInts start = system->c_start, row = system->c_row;
    system->c_start = system->last_start;
    system->c_row = system->last_row;
    system->last_start = start;
    system->last_row = row;
}

/* Analyses A + C afresh. */
static FilStatus analyze(FilSapSystem* system, const FilSapProblem* problem, const FilBlockPattern* c)
{
    void* used = system->used;
    const size_t places = 1 + (size_t)fil_workers_count(problem->workers);
    const bool done = fil_buffer_reserve(&used, &system->used_capacity, places * (size_t)system->columns, 1);
    system->used = used;
    if (!done) {
        return FIL_OUT_OF_MEMORY;
    }
    system->analyses++;
    const FilStatus status = fil_block_factor_analyze(&system->factor, &problem->pattern, c);
    if (status != FIL_OK || !system->factor.supernodes) {
        return status;
    }
    find_used(problem, system->used, places);  // a pass over A, which only supernodes are worth
    return fil_block_factor_analyze_supernodes(&system->factor, &problem->pattern, c, system->used);
}

/* Adopts the problem's patterns. */
static FilStatus adopt(FilSapSystem* system, const FilSapProblem* problem)
{
    system->analyses = system->factorisations = 0;
    fil_block_factor_set_workers(&system->factor, problem->workers);
    const bool other = has_other_unknowns(system, problem);
    if (same_patterns(system, problem) && !other) {
        return FIL_OK;
    }
    const bool same_a = system->analysed && !other && is_same_pattern(&problem->pattern, system->columns, &system->a_start, &system->a_row);
    system->analysed = false;
    system->a_rows_found = system->a_rows_found && same_a;
    system->a_reach = same_a ? system->a_reach : -1;
    put_c_aside(system);
    if (!adopt_patterns(system, problem)) {
        return FIL_OUT_OF_MEMORY;
    }
    list_targets(system);
    if (!build_c(system)) {
        return FIL_OUT_OF_MEMORY;
    }
    // other contacts between the same variables need no other analysis. One that merely fits would not do: the order of elimination,
    // and with it every rounding, must follow from the state alone, or a restored world would not go on with the same bits
    const FilBlockPattern c = c_pattern(system);
    bool fits = same_a && is_same_pattern(&c, system->columns, &system->last_start, &system->last_row);
    FilStatus status = fits ? fil_block_factor_bind(&system->factor, &problem->pattern, &c, &fits) : FIL_OK;
    if (status == FIL_OK && !fits) {
        status = analyze(system, problem, &c);
    }
    if (status == FIL_OK) {
        number_participants(system);
        const FilBlockPattern terms[] = {problem->pattern, c};
        const bool room = fil_block_parts_find(&system->parts, terms, 2) && fil_doubles_reserve(&system->impulses, fil_sap_system_impulses(system));
        status = room ? FIL_OK : FIL_OUT_OF_MEMORY;
    }
    system->analysed = status == FIL_OK;
    return status;
}

FilStatus fil_sap_system_begin(FilSapSystem* system, const FilSapProblem* problem)
{
    const FilStatus status = adopt(system, problem);
    if (status == FIL_OK) {
        fil_sap_system_place_touches(system, problem);
    }
    return status;
}

/* ---- numbers ---- */

bool fil_sap_system_eliminate(FilSapSystem* system, const FilSapProblem* problem)
{
    return fil_block_factor_fixed(&system->factor, problem->a);
}

bool fil_sap_system_factor_assembled(FilSapSystem* system, const FilSapProblem* problem)
{
    system->factorisations++;
    return fil_block_factor_changing(&system->factor, problem->a, system->c.at);
}

bool fil_sap_system_factor(FilSapSystem* system, const FilSapProblem* problem, const double* hessians)
{
    fil_sap_system_assemble(system, problem, hessians);
    return fil_sap_system_factor_assembled(system, problem);
}

/* The participants' part of a vector in the order of elimination */
static double* participants_part(const FilSapSystem* system)
{
    return system->x.at + FIL_BLOCK * (size_t)(system->columns - system->participants);
}

void fil_sap_system_solve(FilSapSystem* system, double* x)
{
    const size_t size = FIL_BLOCK * (size_t)system->participants * sizeof *x;
    memcpy(participants_part(system), x, size);
    fil_block_factor_solve_changing(&system->factor, system->x.at);
    memcpy(x, participants_part(system), size);
}

void fil_sap_system_whiten(FilSapSystem* system, double* x)
{
    const size_t size = FIL_BLOCK * (size_t)system->participants * sizeof *x;
    memcpy(participants_part(system), x, size);
    fil_block_factor_forward_changing(&system->factor, system->x.at);
    memcpy(x, participants_part(system), size);
}

/* Columns that are brought into another order at a time: some 5 us. */
enum { COLUMN_GRAIN = 512 };

/* Numbers of all variables, on their way between the caller's order and that of elimination. */
typedef struct Passage {
    FilSapSystem* system;
    const FilSapProblem* problem;
    const double* from;
    double* to;
} Passage;

static void bring_in(void* context, int first, int end, int worker)
{
    const Passage* p = context;
    const int* pivot = fil_block_factor_pivots(&p->system->factor);
    (void)worker;
    for (int j = first; j < end; j++) {
        memcpy(p->to + FIL_BLOCK * (size_t)pivot[j], p->from + FIL_BLOCK * (size_t)j, FIL_BLOCK * sizeof *p->to);
    }
}

void fil_sap_system_reduce(FilSapSystem* system, const double* b, double* reduced)
{
    Passage passage = {.system = system, .from = b, .to = system->x.at};
    fil_workers_run(system->factor.workers, system->columns, COLUMN_GRAIN, bring_in, &passage);
    fil_block_factor_eliminate_fixed(&system->factor, system->x.at);
    memcpy(reduced, participants_part(system), FIL_BLOCK * (size_t)system->participants * sizeof *reduced);
}

/* How far rows of A are from their columns. */
static int find_reach(const FilBlockPattern* a)
{
    int reach = 0;
    for (int j = 0; j < a->columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            reach = a->row[k] - j > reach ? a->row[k] - j : reach;
        }
    }
    return reach;
}

/* Few columns are multiplied by one worker, others by rows if workers share it and there is room for these. */
void fil_sap_system_add_product(FilSapSystem* system, const FilSapProblem* problem, const double* x, int first, int end, double* y)
{
    system->a_reach = system->a_reach >= 0 ? system->a_reach : find_reach(&problem->pattern);
    const int begin = first > system->a_reach ? first - system->a_reach : 0;
    const bool shared = problem->workers != NULL && end - begin > COLUMN_GRAIN;
    system->a_rows_found = system->a_rows_found || (shared && fil_block_rows_find(&system->a_rows, &problem->pattern));
    if (shared && system->a_rows_found) {
        fil_block_rows_multiply_add(&system->a_rows, problem->workers, &problem->pattern, problem->a, x, y);
    } else {
        fil_block_multiply_add_some(&problem->pattern, problem->a, begin, end, x, y);
    }
}

void fil_sap_system_multiply_a(FilSapSystem* system, const FilSapProblem* problem, const double* x, double* y)
{
    memset(y, 0, (size_t)system->columns * FIL_BLOCK * sizeof *y);
    fil_sap_system_add_product(system, problem, x, 0, system->columns, y);
}

/* Participants' numbers to all variables', of which the others are 0. */
static void spread_some(void* context, int first, int end, int worker)
{
    const Passage* p = context;
    (void)worker;
    for (int j = first; j < end; j++) {
        const int local = fil_sap_system_participant(p->system, j);
        for (int d = 0; d < FIL_BLOCK; d++) {
            p->to[FIL_BLOCK * j + d] = local >= 0 ? p->from[FIL_BLOCK * local + d] : 0.0;
        }
    }
}

void fil_sap_system_apply(FilSapSystem* system, const FilSapProblem* problem, bool with_contacts, const double* x, double* y)
{
    double *all = system->all.at, *product = all + FIL_BLOCK * (size_t)system->columns;
    Passage passage = {.system = system, .from = x, .to = all};
    fil_workers_run(problem->workers, system->columns, COLUMN_GRAIN, spread_some, &passage);
    // (A_np x, A_pp x + C x), of which the participants' part keeps S x + C x
    if (with_contacts) {
        const FilBlockPattern terms[] = {problem->pattern, c_pattern(system)};
        const double* const values[] = {problem->a, system->c.at};
        fil_block_parts_multiply(&system->parts, problem->workers, terms, values, 2, all, product);
    } else {
        fil_sap_system_multiply_a(system, problem, all, product);
    }
    fil_sap_system_reduce(system, product, y);
}

static void bring_push(void* context, int first, int end, int worker)
{
    const Passage* p = context;
    const int* pivot = fil_block_factor_pivots(&p->system->factor);
    (void)worker;
    for (int j = first; j < end; j++) {
        for (int d = 0; d < FIL_BLOCK; d++) {
            p->to[FIL_BLOCK * pivot[j] + d] = -p->from[FIL_BLOCK * j + d];
        }
    }
}

static void take_velocities(void* context, int first, int end, int worker)
{
    const Passage* p = context;
    const int* pivot = fil_block_factor_pivots(&p->system->factor);
    (void)worker;
    for (int j = first; j < end; j++) {
        for (int d = 0; d < FIL_BLOCK; d++) {
            p->to[FIL_BLOCK * j + d] = p->problem->v_free[FIL_BLOCK * j + d] + p->from[FIL_BLOCK * pivot[j] + d];
        }
    }
}

void fil_sap_system_expand(FilSapSystem* system, const FilSapProblem* problem, const double* x, double* v)
{
    const size_t fixed = (size_t)(system->columns - system->participants);
    if (problem->push != NULL) {
        Passage passage = {.system = system, .from = problem->push, .to = system->x.at};
        fil_workers_run(problem->workers, system->columns, COLUMN_GRAIN, bring_push, &passage);
        fil_block_factor_eliminate_fixed(&system->factor, system->x.at);
    } else {
        memset(system->x.at, 0, FIL_BLOCK * fixed * sizeof *x);
    }
    memcpy(participants_part(system), x, FIL_BLOCK * (size_t)system->participants * sizeof *x);
    fil_block_factor_substitute_fixed(&system->factor, system->x.at);
    Passage passage = {.system = system, .problem = problem, .from = system->x.at, .to = v};
    fil_workers_run(problem->workers, system->columns, COLUMN_GRAIN, take_velocities, &passage);
}

void fil_sap_system_start(FilSapSystem* system, const double* b, double* reduced)
{
    fil_sap_system_reduce(system, b, reduced);
    memcpy(system->rest.at, system->x.at, FIL_BLOCK * (size_t)(system->columns - system->participants) * sizeof *reduced);
}

bool fil_sap_system_start_at_once(FilSapSystem* system, const FilSapProblem* problem, const double* b, const double* v, double* product)
{
    Passage passage = {.system = system, .from = b, .to = system->x.at};
    fil_workers_run(system->factor.workers, system->columns, COLUMN_GRAIN, bring_in, &passage);
    return fil_block_factor_fixed_along(&system->factor, problem->a, &(FilBlockRunsAlong){v, product, system->x.at});
}

void fil_sap_system_started(FilSapSystem* system, double* reduced)
{
    memcpy(reduced, participants_part(system), FIL_BLOCK * (size_t)system->participants * sizeof *reduced);
    memcpy(system->rest.at, system->x.at, FIL_BLOCK * (size_t)(system->columns - system->participants) * sizeof *reduced);
}

/* What others have left, with its sign changed, and how far participants have gone from the guess. */
static void bring_rest(void* context, int first, int end, int worker)
{
    const Passage* p = context;
    const int *pivot = fil_block_factor_pivots(&p->system->factor), fixed = p->system->columns - p->system->participants;
    (void)worker;
    for (int j = first; j < end; j++) {
        const double *x = p->from + FIL_BLOCK * (pivot[j] - fixed), *rest = p->system->rest.at + FIL_BLOCK * pivot[j];
        for (int d = 0; d < FIL_BLOCK; d++) {
            const int k = FIL_BLOCK * j + d;
            p->system->x.at[FIL_BLOCK * pivot[j] + d] = pivot[j] < fixed ? -rest[d] : p->problem->v_free[k] + x[d] - p->to[k];
        }
    }
}

/* a + b, of one block. */
static inline void add_numbers(const double* a, const double* b, double* out)
{
    for (int d = 0; d < FIL_BLOCK; d += 2) {
        fil_double2_store(out + d, fil_double2_load(a + d) + fil_double2_load(b + d));
    }
}

static void take_changes(void* context, int first, int end, int worker)
{
    const Passage* p = context;
    const int *pivot = fil_block_factor_pivots(&p->system->factor), fixed = p->system->columns - p->system->participants;
    (void)worker;
    for (int j = first; j < end; j++) {
        double* to = p->to + FIL_BLOCK * j;
        if (pivot[j] < fixed) {
            add_numbers(to, p->system->x.at + FIL_BLOCK * pivot[j], to);
        } else {
            add_numbers(p->problem->v_free + FIL_BLOCK * j, p->from + FIL_BLOCK * (pivot[j] - fixed), to);
        }
    }
}

void fil_sap_system_follow(FilSapSystem* system, const FilSapProblem* problem, const double* x, double* v)
{
    Passage passage = {.system = system, .problem = problem, .from = x, .to = v};
    fil_workers_run(problem->workers, system->columns, COLUMN_GRAIN, bring_rest, &passage);
    fil_block_factor_substitute_fixed(&system->factor, system->x.at);
    fil_workers_run(problem->workers, system->columns, COLUMN_GRAIN, take_changes, &passage);
}
