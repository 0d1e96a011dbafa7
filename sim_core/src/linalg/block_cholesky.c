#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/vector.h"
#include "linalg/block_cholesky_data.h"
#include "linalg/block_reroot.h"
#include "linalg/tile.h"

/* Whether two blocks at once have enough registers: SSE2 has 16. */
#if defined(FIL_VECTOR_NEON)
enum { PAIRED = 1 };
#else
enum { PAIRED = 0 };
#endif

/* A block of one term, as the factorisation wants it */
static inline FilTile load_source(const double* values, int source)
{
    if (source == FIL_BLOCK_NO_SOURCE) {
        return fil_tile_zero();
    }
    const FilTile block = fil_tile_load(values + FIL_BLOCK_SIZE * (size_t)(source >> 1));
    return source & 1 ? fil_tile_transpose(block) : block;
}

/* H_p */
static inline FilTile load_sources(const FilBlockSymbolic* s, const double* a_values, const double* c_values, int p)
{
    FilTile c = load_source(a_values, s->source[0].at[p]);
    if (s->source[2].at[p] != FIL_BLOCK_NO_SOURCE) {
        c = fil_tile_add(c, load_source(c_values, s->source[2].at[p]));
    }
    return c;
}

/* H_p - sum of L_a L_b' over the products of block p of L */
static inline FilTile gather(const FilBlockSymbolic* s, const double* factor, const double* a_values, const double* c_values, int p)
{
    FilTile c = load_sources(s, a_values, c_values, p);
    const int* pair = s->product.at + 2 * (size_t)s->product_start.at[p];
    const int* end = s->product.at + 2 * (size_t)s->product_start.at[p + 1];
    for (; pair < end; pair += 2) {
        c = fil_tile_subtract_product(c, factor + FIL_BLOCK_SIZE * (size_t)pair[0], factor + FIL_BLOCK_SIZE * (size_t)pair[1]);
    }
    return c;
}

/* The same for block p and the next one, which is subtracted the same columns' products, with blocks that follow those of p: two tiles share L_b. */
static inline void gather_twins(const FilBlockSymbolic* s, const double* factor, const double* a_values, const double* c_values, int p,
                                FilTile* first, FilTile* second)
{
    FilTile c = load_sources(s, a_values, c_values, p), d = load_sources(s, a_values, c_values, p + 1);
    const int* pair = s->product.at + 2 * (size_t)s->product_start.at[p];
    const int* end = s->product.at + 2 * (size_t)s->product_start.at[p + 1];
    for (; pair < end; pair += 2) {
        const double *a = factor + FIL_BLOCK_SIZE * (size_t)pair[0], *b = factor + FIL_BLOCK_SIZE * (size_t)pair[1];
        c = fil_tile_subtract_product(c, a, b);
        d = fil_tile_subtract_product(d, a + FIL_BLOCK_SIZE, b);
    }
    *first = c;
    *second = d;
}

static bool factor_column(FilBlockCholesky* cholesky, const double* a_values, const double* c_values, int j)
{
    const FilBlockSymbolic* s = &cholesky->symbolic;
    double* factor = cholesky->factor.at;
    double* w = cholesky->inverse.at + FIL_BLOCK_SIZE * (size_t)j;
    const int diagonal = s->column_start.at[j];

    double pivot[FIL_BLOCK_SIZE];
    fil_tile_store(gather(s, factor, a_values, c_values, diagonal), pivot);
    if (!fil_block_inverse_factor(pivot, w)) {
        return false;
    }
    const FilTile inverse = fil_tile_load(w);
    for (int p = diagonal + 1; p < s->column_start.at[j + 1]; p++) {
        if (PAIRED && cholesky->twin.at[p]) {
            FilTile first, second;
            gather_twins(s, factor, a_values, c_values, p, &first, &second);
            fil_tile_store(fil_tile_times_transposed(first, inverse), factor + FIL_BLOCK_SIZE * (size_t)p);
            p++;
            fil_tile_store(fil_tile_times_transposed(second, inverse), factor + FIL_BLOCK_SIZE * (size_t)p);
            continue;
        }
        const FilTile below = gather(s, factor, a_values, c_values, p);
        fil_tile_store(fil_tile_times_transposed(below, inverse), factor + FIL_BLOCK_SIZE * (size_t)p);
    }
    return true;
}

FilBlockCholesky* fil_block_cholesky_create(void)
{
    return fil_alloc(1, sizeof(FilBlockCholesky));
}

void fil_block_cholesky_destroy(FilBlockCholesky* cholesky)
{
    if (cholesky != NULL) {
        fil_block_symbolic_free(&cholesky->symbolic);
        fil_block_tasks_free(&cholesky->tasks[0]);
        fil_block_tasks_free(&cholesky->tasks[1]);
        fil_free(cholesky->factor.at);
        fil_free(cholesky->inverse.at);
        fil_free(cholesky->twin.at);
        fil_free(cholesky->x.at);
        fil_free(cholesky);
    }
}

void fil_block_cholesky_set_workers(FilBlockCholesky* cholesky, FilWorkers* workers)
{
    cholesky->workers = workers;
}

/* Whether products of block p and of the next one are of the same columns. Rows of a column that lie in a later one follow each other here as there.
 */
static bool are_twins(const FilBlockSymbolic* s, int p)
{
    const int *start = s->product_start.at, count = start[p + 1] - start[p];
    const int *own = s->product.at + 2 * (size_t)start[p], *next = s->product.at + 2 * (size_t)start[p + 1];
    bool same = start[p + 2] - start[p + 1] == count;
    for (int k = 0; k < count && same; k++) {
        same = own[2 * k + 1] == next[2 * k + 1];
    }
    return same;
}

/* Pairs of blocks below the diagonal. */
static void find_twins(FilBlockCholesky* cholesky)
{
    const FilBlockSymbolic* s = &cholesky->symbolic;
    memset(cholesky->twin.at, 0, (size_t)s->factor_blocks * sizeof(int));
    for (int j = 0; j < s->columns; j++) {
        const int end = s->column_start.at[j + 1];
        for (int p = s->column_start.at[j] + 1; p + 1 < end; p++) {
            if (are_twins(s, p)) {
                cholesky->twin.at[p++] = 1;
            }
        }
    }
}

FilStatus fil_block_cholesky_analyze_within(FilBlockCholesky* cholesky, const FilBlockPattern* a, const FilBlockPattern* c, double max_products,
                                            bool* within)
{
    const FilBlockPattern* const terms[] = {a, NULL, c};
    bool rerooted;
    FilStatus status = fil_block_symbolic_find_pattern(&cholesky->symbolic, terms, false, true, max_products);
    if (status == FIL_OK && cholesky->symbolic.predicted_products <= max_products) {
        if (!fil_block_reroot(&cholesky->symbolic, a, &rerooted)) {
            return FIL_OUT_OF_MEMORY;
        }
        status = rerooted ? fil_block_symbolic_find_pattern(&cholesky->symbolic, terms, false, false, INFINITY) : status;
        status = status == FIL_OK ? fil_block_symbolic_find_sources(&cholesky->symbolic) : status;
    }
    const size_t n = (size_t)a->columns, blocks = (size_t)cholesky->symbolic.factor_blocks;
    *within = status == FIL_OK && cholesky->symbolic.predicted_products <= max_products;
    if (!*within) {
        return status;
    }
    FilBlockSymbolic* s = &cholesky->symbolic;
    const bool done = fil_block_symbolic_list_products(s) && fil_block_tasks_find(&cholesky->tasks[0], s, 0, s->first_changing) &&
                      fil_block_tasks_find(&cholesky->tasks[1], s, s->first_changing, s->columns) &&
                      fil_doubles_reserve(&cholesky->factor, FIL_BLOCK_SIZE * blocks) &&
                      fil_doubles_reserve(&cholesky->inverse, FIL_BLOCK_SIZE * n) && fil_doubles_reserve(&cholesky->x, 4 * n) &&
                      fil_ints_reserve(&cholesky->twin, blocks);
    if (done && PAIRED) {
        find_twins(cholesky);
    }
    return done ? FIL_OK : FIL_OUT_OF_MEMORY;
}

FilStatus fil_block_cholesky_analyze(FilBlockCholesky* cholesky, const FilBlockPattern* a, const FilBlockPattern* c)
{
    bool within;
    return fil_block_cholesky_analyze_within(cholesky, a, c, INFINITY, &within);
}

FilStatus fil_block_cholesky_bind(FilBlockCholesky* cholesky, const FilBlockPattern* a, const FilBlockPattern* c, bool* fits)
{
    return fil_block_symbolic_bind(&cholesky->symbolic, (const FilBlockPattern*[]){a, NULL, c}, 0, fits);
}

static FilBlockFactorColumn* choose_kernel(void)
{
#if defined(FIL_VECTOR_LEVELS)
    return (fil_vector_level() >= FIL_VECTOR_256) ? fil_block_factor_column_256 : factor_column;
#else
    return factor_column;
#endif
}

/* Values to factor, and whether all pivots so far are positive. */
typedef struct Factoring {
    FilBlockCholesky* cholesky;
    FilBlockFactorColumn* column;
    const double *a_values, *c_values;
    const FilBlockTasks* tasks;
    atomic_bool failed;
} Factoring;

static void factor_bundles(void* context, int first, int end, int worker)
{
    Factoring* f = context;
    (void)worker;
    for (int k = f->tasks->start.at[first]; k < f->tasks->start.at[end]; k++) {
        if (!f->column(f->cholesky, f->a_values, f->c_values, f->tasks->column.at[k])) {
            atomic_store_explicit(&f->failed, true, memory_order_relaxed);
            return;
        }
    }
}

/* Every column gathers from those below it: bundles side by side, then what is above them; alone, column after column, which takes turns best. */
static bool factor_part(FilBlockCholesky* cholesky, const double* a_values, const double* c_values, int part)
{
    const FilBlockTasks* tasks = &cholesky->tasks[part];
    Factoring f = {.cholesky = cholesky, .column = choose_kernel(), .a_values = a_values, .c_values = c_values, .tasks = tasks};
    if (cholesky->workers == NULL || tasks->small) {
        bool definite = true;
        for (int j = tasks->first; j < tasks->end && definite; j++) {
            definite = f.column(cholesky, a_values, c_values, j);
        }
        return definite;
    }
    fil_workers_run(cholesky->workers, tasks->count, 1, factor_bundles, &f);
    if (!atomic_load(&f.failed)) {
        factor_bundles(&f, tasks->count, tasks->count + 1, 0);
    }
    return !atomic_load(&f.failed);
}

bool fil_block_cholesky_factor_fixed(FilBlockCholesky* cholesky, const double* a_values)
{
    return factor_part(cholesky, a_values, NULL, 0);
}

bool fil_block_cholesky_factor_changing(FilBlockCholesky* cholesky, const double* a_values, const double* c_values)
{
    return factor_part(cholesky, a_values, c_values, 1);
}

bool fil_block_cholesky_factor(FilBlockCholesky* cholesky, const double* a_values, const double* c_values)
{
    return fil_block_cholesky_factor_fixed(cholesky, a_values) && fil_block_cholesky_factor_changing(cholesky, a_values, c_values);
}

const int* fil_block_cholesky_pivots(const FilBlockCholesky* cholesky)
{
    return cholesky->symbolic.ordering.new_of_old;
}

const int* fil_block_cholesky_variables(const FilBlockCholesky* cholesky)
{
    return cholesky->symbolic.ordering.old_of_new;
}

int fil_block_cholesky_first_changing(const FilBlockCholesky* cholesky)
{
    return cholesky->symbolic.first_changing;
}

FilBlockCholeskyInfo fil_block_cholesky_info(const FilBlockCholesky* cholesky)
{
    const FilBlockSymbolic* s = &cholesky->symbolic;
    return (FilBlockCholeskyInfo){
        .columns = s->columns,
        .factor_blocks = s->factor_blocks,
        .products = s->products,
        .changing = s->columns - s->first_changing,
    };
}
