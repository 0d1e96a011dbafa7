#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/vector.h"
#include "linalg/block_cholesky_data.h"
#include "linalg/block_reroot.h"
#include "linalg/tile.h"

/* A block of one term, as the factorisation wants it */
static inline FilTile load_source(const double* values, int source)
{
    if (source == FIL_BLOCK_NO_SOURCE) {
        return fil_tile_zero();
    }
    const FilTile block = fil_tile_load(values + FIL_BLOCK_SIZE * (size_t)(source >> 1));
    return source & 1 ? fil_tile_transpose(block) : block;
}

static inline void begin_block(const FilBlockSymbolic* s, const double* a_values, const double* c_values, int p, double* block)
{
    FilTile c = load_source(a_values, s->source[0].at[p]);
    if (s->source[2].at[p] != FIL_BLOCK_NO_SOURCE) {
        c = fil_tile_add(c, load_source(c_values, s->source[2].at[p]));
    }
    fil_tile_store(c, block);
}

static inline void subtract_product(double* block, const double* a, const double* b)
{
    fil_tile_store(fil_tile_subtract_product(fil_tile_load(block), a, b), block);
}

static inline void scale_block(double* block, const double* w)
{
    fil_tile_store(fil_tile_times_transposed(fil_tile_load(block), fil_tile_load(w)), block);
}

static bool factor_column(FilBlockCholesky* cholesky, const double* a_values, const double* c_values, int j)
{
    return fil_block_factor_column_by((FilBlockColumnSteps){begin_block, subtract_product, scale_block}, cholesky, a_values, c_values, j);
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
        fil_free(cholesky->x.at);
        fil_free(cholesky);
    }
}

void fil_block_cholesky_set_workers(FilBlockCholesky* cholesky, FilWorkers* workers)
{
    cholesky->workers = workers;
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
                      fil_doubles_reserve(&cholesky->inverse, FIL_BLOCK_SIZE * n) && fil_doubles_reserve(&cholesky->x, 4 * n);
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
