/* Conjugate gradients in single precision, for systems that take many iterations to a few per cent: of sheets. Products are with what is
 * preconditioned, and the direction's own follows from them (Chronopoulos and Gear 1989): a pass over the rows and one over the preconditioner's
 * subtrees make an iteration. */
#include <math.h>
#include <string.h>

#include "base/extrema.h"
#include "linalg/block_pcg.h"

/* Rows of a product are shared in so many pieces, whoever there is to take them: of some two microseconds each, so that taking them costs little and
 * none waits long for another. */
enum { PIECES = 12 };

typedef struct Single {
    const FilBlockPcg* pcg;
    FilSingleStep step;
    int grain;
    double sums[PIECES]; /* of w z, of each piece */
} Single;

/* ---- the matrix ---- */

/* Adopts patterns that are not those of last time, with the fourth places as they are marked. */
static bool find_rows(FilBlockPcg* pcg, const FilBlockTerms* terms)
{
    const FilBlockPattern rest[2] = {terms->c, terms->f};
    if (!pcg->a_found) {
        pcg->a_found = fil_single_rows_find(&pcg->a_rows, &terms->a, 1, pcg->fourth.at);
    }
    if (!pcg->rest_found) {
        pcg->rest_found = fil_single_rows_find(&pcg->rest_rows, rest, 2, pcg->fourth.at);
    }
    return pcg->a_found && pcg->rest_found;
}

static bool take_values(FilBlockPcg* pcg, const FilBlockTerms* terms)
{
    const FilBlockPattern rest[2] = {terms->c, terms->f};
    const double* const values[2] = {terms->c_values, terms->f_values};
    return fil_single_rows_take(&pcg->a_rows, terms->workers, &terms->a, &terms->a_values, 1, pcg->fourth.at) &&
           fil_single_rows_take(&pcg->rest_rows, terms->workers, rest, values, 2, pcg->fourth.at);
}

/* The matrix by rows; false when out of memory. */
static bool take_matrix(FilBlockPcg* pcg, const FilBlockTerms* terms, const double* r)
{
    const int n = terms->a.columns;
    if (!pcg->a_found) {
        if (!fil_ints_reserve(&pcg->fourth, (size_t)n)) {
            return false;
        }
        memset(pcg->fourth.at, 0, (size_t)n * sizeof(int));
        pcg->rest_found = false;
    }
    if (!find_rows(pcg, terms)) {
        return false;
    }
    bool idle = true;
    for (int i = 0; i < n && idle; i++) {
        idle = r[FIL_BLOCK * i + 3] == 0.0 || pcg->fourth.at[i] != 0;
    }
    if (idle && take_values(pcg, terms)) {
        return true;
    }
    const FilBlockPattern all[FIL_BLOCK_TERMS] = {terms->a, terms->c, terms->f};
    const double* const values[FIL_BLOCK_TERMS] = {terms->a_values, terms->c_values, terms->f_values};
    fil_single_rows_mark(all, values, FIL_BLOCK_TERMS, pcg->fourth.at);
    for (int i = 0; i < n; i++) {
        pcg->fourth.at[i] |= r[FIL_BLOCK * i + 3] != 0.0;
    }
    pcg->a_found = pcg->rest_found = false;
    return find_rows(pcg, terms) && take_values(pcg, terms);
}

/* ---- an iteration ---- */

/* w = A z, and what that is times z. */
static void multiply_rows(void* context, int first, int end, int worker)
{
    Single* single = context;
    const FilBlockPcg* pcg = single->pcg;
    (void)worker;
    single->sums[first / single->grain] = (double)fil_single_rows_times(&pcg->a_rows, &pcg->rest_rows, first, end, single->step.z, single->step.w);
}

static double multiply(Single* single, FilWorkers* workers, int n)
{
    memset(single->sums, 0, sizeof single->sums);
    fil_workers_run(workers, n, single->grain, multiply_rows, single);
    double sum = 0.0;
    for (int k = 0; k < PIECES; k++) {
        sum += single->sums[k];
    }
    return sum;
}

static double dot(const float* a, const float* b, int n)
{
    FilFloat4 sum[4] = {fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F)};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] = fil_float4_add_product(sum[k], fil_float4_load(a + (ptrdiff_t)4 * (i + k)), fil_float4_load(b + (ptrdiff_t)4 * (i + k)));
        }
    }
    for (; i < n; i++) {
        sum[0] = fil_float4_add_product(sum[0], fil_float4_load(a + (ptrdiff_t)4 * i), fil_float4_load(b + (ptrdiff_t)4 * i));
    }
    return ((double)fil_float4_sum(sum[0]) + (double)fil_float4_sum(sum[1])) + ((double)fil_float4_sum(sum[2]) + (double)fil_float4_sum(sum[3]));
}

/* Curvature as a share of the preconditioner's, below which there is none: it is a difference of numbers of that size in single precision. Systems
 * that are solved in some hundred iterations have 1e-4 and more. */
static const double SINGULAR = 1e-5;

static FilBlockPcgResult iterate(FilBlockPcg* pcg, const FilBlockTerms* terms, Single* single, double tolerance, int max)
{
    const int n = terms->a.columns;
    FilSingleStep* step = &single->step;
    double rz = dot(step->r, step->z, n), turn = 0.0, length = 0.0, metric = 0.0;
    const double goal = tolerance * tolerance * rz;
    for (int k = 0; !(rz <= goal); k++) {
        if (k == max) {
            return FIL_PCG_SLOW;
        }
        // p'Ap = z'Az - turn r'z / length, of the last length
        const double own = multiply(single, terms->workers, n), curvature = k > 0 ? own - turn * rz / length : own;
        metric = rz + turn * turn * metric;  // p'Pp, as r'p = 0 of the last p
        if (!(curvature > SINGULAR * metric)) {
            return FIL_PCG_INDEFINITE;
        }
        length = rz / curvature;
        step->turn = (float)turn;
        step->length = (float)length;
        fil_block_preconditioner_step(&pcg->precond, terms->workers, step);
        const double next = dot(step->r, step->z, n);
        turn = next / rz;
        rz = next;
    }
    return FIL_PCG_DONE;
}

/* Numbers in single precision, scaled. */
static void round_numbers(const double* restrict from, double scale, float* restrict to, int count)
{
    for (int k = 0; k < count; k++) {
        to[k] = (float)(scale * from[k]);
    }
}

/* Adds scaled numbers of single precision. */
static void add_numbers(const float* restrict from, double scale, double* restrict to, int count)
{
    for (int k = 0; k < count; k++) {
        to[k] += (double)from[k] * scale;
    }
}

static double largest_of(const double* r, int count)
{
    double largest[FIL_BLOCK] = {0.0};  // side by side: none waits for another
    for (int k = 0; k < count; k += FIL_BLOCK) {
        for (int i = 0; i < FIL_BLOCK; i++) {
            largest[i] = fil_max(fabs(r[k + i]), largest[i]);
        }
    }
    return fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3]));
}

/* Begins with r, scaled to numbers around one, and what is preconditioned of it. */
static void begin(FilBlockPcg* pcg, const FilBlockTerms* terms, const double* r, double scale, const FilSingleStep* step)
{
    const int count = FIL_BLOCK * terms->a.columns;
    double* z = pcg->vectors.at;
    if (pcg->predicted) {
        fil_block_preconditioner_complete(&pcg->precond, terms->workers, z);
        pcg->predicted = false;
    } else {
        fil_block_preconditioner_solve(&pcg->precond, terms->workers, r, z);
    }
    round_numbers(r, scale, step->r, count);
    round_numbers(z, scale, step->z, count);
    memset(step->p, 0, (size_t)count * sizeof *step->p);
    memset(step->s, 0, (size_t)count * sizeof *step->s);
    memset(step->x, 0, (size_t)count * sizeof *step->x);
}

/* Adds the solution to x, takes it from r in double precision, and goes on in that where more is left than `goal`: contacts that are very stiff
 * are more than single precision can tell. */
static FilBlockPcgResult finish(FilBlockPcg* pcg, const FilBlockTerms* terms, Single* single, double scale, double goal, int max, double* r,
                                double* x)
{
    // what rounding may add to the goal: less than Newton's directions differ by for other reasons
    static const double ROUNDED = 1.1;
    const int n = terms->a.columns, count = FIL_BLOCK * n;
    FilSingleStep* step = &single->step;
    double *found = pcg->vectors.at, *product = found + count;
    const FilBlockPattern patterns[FIL_BLOCK_TERMS] = {terms->a, terms->c, terms->f};
    const double* const values[FIL_BLOCK_TERMS] = {terms->a_values, terms->c_values, terms->f_values};
    // the scale is a power of two: products with its inverse are quotients to the last bit
    const double unscale = 1.0 / scale;
    for (int k = 0; k < count; k++) {
        found[k] = (double)step->x[k] * unscale;
    }
    add_numbers(step->x, unscale, x, count);
    fil_block_parts_multiply(&pcg->parts, terms->workers, patterns, values, FIL_BLOCK_TERMS, found, product);
    for (int k = 0; k < count; k++) {
        r[k] -= product[k];
    }
    round_numbers(r, scale, step->r, count);
    step->turn = step->length = 0.0F;  // a step that goes nowhere
    fil_block_preconditioner_step(&pcg->precond, terms->workers, step);
    const double left = sqrt(dot(step->r, step->z, n));
    // what is left goes through the preconditioner, which has the stiffest contacts as they are: there is none of it where they push then
    if (left <= ROUNDED * goal) {
        add_numbers(step->z, unscale, x, count);
        return FIL_PCG_DONE;
    }
    return fil_block_pcg_solve(pcg, terms, goal / left, max, r, x);
}

FilBlockPcgResult fil_block_pcg_solve_single(FilBlockPcg* pcg, const FilBlockTerms* terms, double tolerance, int max, double* r, double* x)
{
    const int n = terms->a.columns, count = FIL_BLOCK * n;
    if (!take_matrix(pcg, terms, r) || !fil_block_preconditioner_isolate(&pcg->precond, terms->workers, pcg->fourth.at) ||
        !fil_floats_reserve(&pcg->single, 6 * (size_t)count)) {
        return fil_block_pcg_solve(pcg, terms, tolerance, max, r, x);  // as well, if not as soon
    }
    float* at = pcg->single.at;
    Single single = {.pcg = pcg, .grain = 1 + n / PIECES};
    single.step = (FilSingleStep){.r = at, .z = at + count, .w = at + 2 * count, .p = at + 3 * count, .s = at + 4 * count, .x = at + 5 * count};
    int exponent;
    (void)frexp(largest_of(r, count), &exponent);
    const double scale = ldexp(1.0, -exponent);
    begin(pcg, terms, r, scale, &single.step);
    const double goal = tolerance * sqrt(dot(single.step.r, single.step.z, n));
    const FilBlockPcgResult result = iterate(pcg, terms, &single, tolerance, max);
    return result == FIL_PCG_DONE ? finish(pcg, terms, &single, scale, goal, max, r, x) : result;
}
