/* Products with a SAP problem's Jacobian: J v, J' gamma, and C = J' G J. Workers share them; sums have one order, whoever makes them. */
#include <string.h>

#include "base/prefetch.h"
#include "base/vector.h"
#include "contact/sap_assembly.h"
#include "contact/sap_system.h"

FIL_VECTOR_INLINE void multiply_hessian(const double* g, const double* j, double* out)
{
    for (int row = 0; row < 3; row++) {
        for (int half = 0; half < 4; half += 2) {
            FilDouble2 sum = fil_double2_all(0.0);
            for (int k = 0; k < 3; k++) {
                sum = fil_double2_add_product(sum, fil_double2_load(j + 4 * k + half), fil_double2_all(g[3 * row + k]));
            }
            fil_double2_store(out + 4 * row + half, sum);
        }
    }
}

FIL_VECTOR_INLINE void add_transposed(double* restrict block, const double* a, const double* b)
{
    const FilDouble2 a0 = fil_double2_load(a), a1 = fil_double2_load(a + 4), a2 = fil_double2_load(a + 8);
    const FilDouble2 a3 = fil_double2_load(a + 2), a4 = fil_double2_load(a + 6), a5 = fil_double2_load(a + 10);
    for (int half = 0; half < 4; half += 2) {  // columns `half` and the next one
        const FilDouble2 b0 = fil_double2_load(b + half), b1 = fil_double2_load(b + 4 + half), b2 = fil_double2_load(b + 8 + half);
        double *first = block + 4 * half, *second = first + 4;
        FilDouble2 u0 = fil_double2_load(first), l0 = fil_double2_load(first + 2), u1 = fil_double2_load(second), l1 = fil_double2_load(second + 2);
        u0 = fil_double2_add_first(fil_double2_add_first(fil_double2_add_first(u0, a0, b0), a1, b1), a2, b2);
        l0 = fil_double2_add_first(fil_double2_add_first(fil_double2_add_first(l0, a3, b0), a4, b1), a5, b2);
        u1 = fil_double2_add_second(fil_double2_add_second(fil_double2_add_second(u1, a0, b0), a1, b1), a2, b2);
        l1 = fil_double2_add_second(fil_double2_add_second(fil_double2_add_second(l1, a3, b0), a4, b1), a5, b2);
        fil_double2_store(first, u0);
        fil_double2_store(first + 2, l0);
        fil_double2_store(second, u1);
        fil_double2_store(second + 2, l1);
    }
}

/* Columns of C, participants and constraints that are done at a time: some ten microseconds of work. */
enum { COLUMN_GRAIN = 32, PARTICIPANT_GRAIN = 64, CONSTRAINT_GRAIN = 256, ADD_GRAIN = 1024 };

static void assemble_some(void* context, int first, int end, int worker)
{
    (void)worker;
    assemble_columns(context, multiply_hessian, add_transposed, first, end);
}

static void assemble(const FilSapAssembly* assembly)
{
    FilWork* work = assemble_some;
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        work = fil_sap_assemble_columns_avx2;
    }
#endif
    fil_workers_run(assembly->problem->workers, assembly->system->columns, COLUMN_GRAIN, work, (void*)(uintptr_t)assembly);
}

void fil_sap_system_assemble(FilSapSystem* system, const FilSapProblem* problem, const double* hessians)
{
    assemble(&(FilSapAssembly){system, problem, hessians, false});
}

void fil_sap_system_assemble_more(FilSapSystem* system, const FilSapProblem* problem, const double* changes)
{
    assemble(&(FilSapAssembly){system, problem, changes, true});
}

/* A product with J or J'. */
typedef struct Product {
    const FilSapSystem* system;
    const FilSapProblem* problem;
    const double* in;
    double* out;
} Product;

/* Constraints whose blocks of J are asked for before they are needed, half a page ahead: processors do not foresee the next page. */
enum { CONSTRAINTS_AHEAD = 5 };

static inline void ask_ahead(const FilSapProblem* problem, int i, int end)
{
    if (i + CONSTRAINTS_AHEAD < end) {
        const FilSapConstraint* constraint = &problem->constraints[i + CONSTRAINTS_AHEAD];
        const double* j = problem->jacobian + FIL_SAP_JACOBIAN * (size_t)constraint->first_block;
        for (int k = 0; k < constraint->block_count; k++, j += FIL_SAP_JACOBIAN) {
            FIL_PREFETCH(j);
            FIL_PREFETCH(j + FIL_SAP_JACOBIAN - 1);
        }
    }
}

static void multiply_constraints(void* context, int first, int end, int worker)
{
    const Product* product = context;
    const FilSapSystem* system = product->system;
    const int* participant = system->participant.at + (first > 0 ? system->constraint_end.at[first - 1] : 0);
    (void)worker;
    for (int i = first; i < end; i++) {
        const FilSapConstraint* constraint = &product->problem->constraints[i];
        const double* j = product->problem->jacobian + FIL_SAP_JACOBIAN * (size_t)constraint->first_block;
        FilDouble2 sum[3] = {fil_double2_all(0.0), fil_double2_all(0.0), fil_double2_all(0.0)};
        ask_ahead(product->problem, i, end);
        for (int k = 0; k < constraint->block_count; k++, j += FIL_SAP_JACOBIAN) {
            const double* x = product->in + FIL_BLOCK * (size_t)*participant++;
            const FilDouble2 x0 = fil_double2_load(x), x1 = fil_double2_load(x + 2);
            for (int row = 0; row < 3; row++) {
                sum[row] = fil_double2_add_product(sum[row], fil_double2_load(j + 4 * row), x0);
                sum[row] = fil_double2_add_product(sum[row], fil_double2_load(j + 4 * row + 2), x1);
            }
        }
        for (int row = 0; row < 3; row++) {
            product->out[3 * i + row] = fil_double2_sum(sum[row]);
        }
    }
}

void fil_sap_system_multiply(const FilSapSystem* system, const FilSapProblem* problem, const double* v, double* v_c)
{
    Product product = {system, problem, v, v_c};
    fil_workers_run(problem->workers, problem->constraint_count, CONSTRAINT_GRAIN, multiply_constraints, &product);
}

static bool is_apart(const double* gamma)
{
    return gamma[0] == 0.0 && gamma[1] == 0.0 && gamma[2] == 0.0;
}

/* Constraints from `first` to `end` - 1, as they lie. */
static void scatter_impulses(const Product* product, int first, int end, double* out)
{
    const FilSapProblem* problem = product->problem;
    const int* participant = product->system->participant.at + (first > 0 ? product->system->constraint_end.at[first - 1] : 0);
    memset(out, 0, (size_t)product->system->participants * FIL_BLOCK * sizeof *out);
    for (int i = first; i < end; i++) {
        const FilSapConstraint* constraint = &problem->constraints[i];
        const double *j = problem->jacobian + FIL_SAP_JACOBIAN * (size_t)constraint->first_block, *gamma = product->in + 3 * i;
        const int count = is_apart(gamma) ? 0 : constraint->block_count;
        ask_ahead(problem, i, end);
        for (int k = 0; k < count; k++) {
            fil_sap_add_impulse(out + FIL_BLOCK * (size_t)participant[k], j + FIL_SAP_JACOBIAN * k, gamma);
        }
        participant += constraint->block_count;
    }
}

/* Where there are many constraints, four parts of them are scattered, the same for any number of workers: J is read once, from front to back. By
 * participants two workers took as long as one. */
enum { PARTS = 4, MANY = 4000 };

/* Where there are fewer than this one worker scatters them in the time that two take to gather them: 2 us of 200. */
enum { FEW = 400 };

static bool are_gathered(const FilSapSystem* system, const FilSapProblem* problem)
{
    return problem->workers != NULL && system->constraints >= FEW && fil_sap_system_impulses(system) == 0;
}

size_t fil_sap_system_impulses(const FilSapSystem* system)
{
    const size_t n = FIL_BLOCK * (size_t)system->participants;
    return system->constraints >= MANY && n <= (size_t)system->constraints ? PARTS * n : 0;
}

static void scatter_parts(void* context, int first, int end, int worker)
{
    const Product* product = context;
    const size_t n = FIL_BLOCK * (size_t)product->system->participants;
    const int count = product->problem->constraint_count;
    (void)worker;
    for (int p = first; p < end; p++) {
        const int begin = (int)((long long)count * p / PARTS), stop = (int)((long long)count * (p + 1) / PARTS);
        scatter_impulses(product, begin, stop, product->system->impulses.at + (size_t)p * n);
    }
}

static void add_parts(void* context, int first, int end, int worker)
{
    const Product* product = context;
    const size_t n = FIL_BLOCK * (size_t)product->system->participants;
    const double *a = product->system->impulses.at, *b = a + n, *c = b + n, *d = c + n;
    (void)worker;
    for (int k = FIL_BLOCK * first; k < FIL_BLOCK * end; k++) {
        product->out[k] = (a[k] + b[k]) + (c[k] + d[k]);
    }
}

/* Blocks that are asked for before they are needed. */
enum { AHEAD = 8 };

/* Participant by participant, the same sums in the same order. */
static void gather_impulses(void* context, int first, int end, int worker)
{
    const Product* product = context;
    const FilSapSystem* system = product->system;
    const FilSapTouch* touches = system->touches;
    const int last = system->touch_start.at[end];
    (void)worker;
    for (int p = first; p < end; p++) {
        double x[FIL_BLOCK] = {0.0};
        for (int t = system->touch_start.at[p]; t < system->touch_start.at[p + 1]; t++) {
            const double* gamma = product->in + 3 * (size_t)touches[t].constraint;
            if (t + AHEAD < last) {  // they lie anywhere
                FIL_PREFETCH(product->problem->jacobian + FIL_SAP_JACOBIAN * (size_t)touches[t + AHEAD].at);
                FIL_PREFETCH(product->problem->jacobian + FIL_SAP_JACOBIAN * (size_t)touches[t + AHEAD].at + FIL_SAP_JACOBIAN - 1);
            }
            if (!is_apart(gamma)) {
                fil_sap_add_impulse(x, product->problem->jacobian + FIL_SAP_JACOBIAN * (size_t)touches[t].at, gamma);
            }
        }
        memcpy(product->out + FIL_BLOCK * (size_t)p, x, sizeof x);
    }
}

static void place_touches(void* context, int first, int end, int worker)
{
    const Product* product = context;
    const FilSapSystem* system = product->system;
    FilSapTouch* touches = system->touches;
    (void)worker;
    for (int t = system->touch_start.at[first]; t < system->touch_start.at[end]; t++) {
        touches[t].at = product->problem->constraints[touches[t].constraint].first_block + touches[t].block;
    }
}

void fil_sap_system_place_touches(FilSapSystem* system, const FilSapProblem* problem)
{
    Product product = {system, problem, NULL, NULL};
    if (are_gathered(system, problem)) {
        fil_workers_run(problem->workers, system->participants, PARTICIPANT_GRAIN, place_touches, &product);
    }
}

void fil_sap_system_multiply_transposed(const FilSapSystem* system, const FilSapProblem* problem, const double* gamma, double* out)
{
    Product product = {system, problem, gamma, out};
    if (fil_sap_system_impulses(system) > 0) {
        fil_workers_run(problem->workers, PARTS, 1, scatter_parts, &product);
        fil_workers_run(problem->workers, system->participants, ADD_GRAIN, add_parts, &product);
    } else if (are_gathered(system, problem)) {
        fil_workers_run(problem->workers, system->participants, PARTICIPANT_GRAIN, gather_impulses, &product);
    } else {
        scatter_impulses(&product, 0, problem->constraint_count, out);
    }
}
