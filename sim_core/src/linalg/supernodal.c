#include "linalg/supernodal.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "linalg/supernodal_data.h"

static const FilFrontOps* fronts_of(bool single)
{
#if defined(FIL_VECTOR_LEVELS)
    if (!single && fil_vector_level() >= FIL_VECTOR_256) {
        return &fil_fronts_double_256;
    }
#endif
#if defined(FIL_VECTOR_AVX2)
    // elsewhere a strip fits every processor's registers
    if (single && fil_vector_level() >= FIL_VECTOR_256) {
        return &fil_fronts_single_avx2;
    }
#endif
    return single ? &fil_fronts_single : &fil_fronts_double;
}

FilSupernodal* fil_supernodal_create(void)
{
    FilSupernodal* factor = fil_alloc(1, sizeof *factor);
    if (factor != NULL) {
        factor->kernels = fil_strip_kernels();
        factor->kernels_single = fil_strip_kernels_single();
        factor->fronts = fronts_of(false);
    }
    return factor;
}

void fil_supernodal_destroy(FilSupernodal* factor)
{
    if (factor != NULL) {
        fil_supernodes_free(&factor->symbolic);
        fil_free(factor->panel.at);
        fil_free(factor->kept.at);
        for (int w = 0; w < factor->work_count; w++) {
            FilSupernodalWork* work = &factor->works[w];
            fil_free(work->stack.at);
            fil_free(work->place.at);
            fil_free(work->pivots.at);
            fil_free(work->updates.at);
            fil_free(work->sums.at);
        }
        fil_free(factor->works);
        fil_free(factor->x.at);
        fil_free(factor->above.at);
        fil_free(factor);
    }
}

/* Room for as many workers as there are. Allocates only to grow. */
static bool reserve_works(FilSupernodal* factor)
{
    const FilSupernodes* s = &factor->symbolic;
    const int wanted = fil_workers_count(factor->workers);
    const size_t pivots = (size_t)s->max_pivots, updates = (size_t)s->max_updates;
    void* works = factor->works;
    if (wanted > factor->work_count) {
        if (!fil_grow(&works, (size_t)factor->work_count, (size_t)wanted, sizeof *factor->works)) {
            return false;
        }
        factor->works = works;
        factor->work_count = wanted;
    }
    bool done = true;
    for (int w = 0; w < wanted && done; w++) {
        FilSupernodalWork* work = &factor->works[w];
        done = fil_doubles_reserve(&work->stack, s->stack_size) && fil_ints_reserve(&work->place, updates) &&
               fil_doubles_reserve(&work->pivots, pivots) && fil_doubles_reserve(&work->updates, updates) &&
               fil_doubles_reserve(&work->sums, FIL_STRIP * pivots);
    }
    return done;
}

void fil_supernodal_set_workers(FilSupernodal* factor, FilWorkers* workers)
{
    factor->workers = workers;
    // between analyses there may come more; where there is no room for them, it goes on alone
    if (factor->works != NULL && !reserve_works(factor)) {
        factor->workers = NULL;
    }
}

FilStatus fil_supernodal_analyze(FilSupernodal* factor, const FilBlockPattern* a, const FilBlockPattern* c, const unsigned char* used)
{
    FilSupernodes* s = &factor->symbolic;
    const FilStatus status = fil_supernodes_analyze(s, a, c, used);
    if (status != FIL_OK) {
        return status;
    }
    fil_supernodal_find_crowns(factor);
    const bool done = fil_doubles_reserve(&factor->panel, s->panel_size) && fil_doubles_reserve(&factor->kept, s->kept_size) &&
                      fil_doubles_reserve(&factor->x, FIL_BLOCK * (size_t)s->columns) &&
                      fil_doubles_reserve(&factor->above, fil_supernodal_above(s)) && reserve_works(factor);
    return done ? FIL_OK : FIL_OUT_OF_MEMORY;
}

void fil_supernodal_set_single(FilSupernodal* factor, bool single)
{
    factor->fronts = fronts_of(single);
}

FilStatus fil_supernodal_bind(FilSupernodal* factor, const FilBlockPattern* a, const FilBlockPattern* c, bool* fits)
{
    return fil_supernodes_bind(&factor->symbolic, a, c, fits);
}

/* Values to factor, and whether all pivots so far are positive. */
typedef struct Factoring {
    FilSupernodal* factor;
    const double *a_values, *c_values;
    int first; /* task */
    atomic_bool failed;
} Factoring;

static void factor_some(void* context, int first, int end, int worker)
{
    Factoring* f = context;
    const FilSupernodes* s = &f->factor->symbolic;
    for (int k = s->task.at[f->first + first]; k < s->task.at[f->first + end]; k++) {
        if (atomic_load_explicit(&f->failed, memory_order_relaxed) ||
            !f->factor->fronts->factor(f->factor, &f->factor->works[worker], f->a_values, f->c_values, k)) {
            atomic_store_explicit(&f->failed, true, memory_order_relaxed);
            return;
        }
    }
}

/* Operations below which a factorisation is over before others have come to help: a tenth of a millisecond. */
static const double ALONE = 2e6;

/* Tasks of one part but its last do not depend on each other; the fronts of the last are shared by strips. */
static bool factor_tasks(FilSupernodal* factor, const double* a_values, const double* c_values, int begin, int end)
{
    FilWorkers* workers = factor->symbolic.flops < ALONE ? NULL : factor->workers;
    Factoring f = {.factor = factor, .a_values = a_values, .c_values = c_values, .first = begin};
    if (end > begin) {
        fil_workers_run(workers, end - 1 - begin, 1, factor_some, &f);
        factor->works[0].workers = workers;
        factor_some(&f, end - 1 - begin, end - begin, 0);
        factor->works[0].workers = NULL;
    }
    return !atomic_load(&f.failed);
}

bool fil_supernodal_factor_fixed(FilSupernodal* factor, const double* a_values)
{
    return factor_tasks(factor, a_values, NULL, 0, factor->symbolic.first_changing_task);
}

bool fil_supernodal_factor_changing(FilSupernodal* factor, const double* a_values, const double* c_values)
{
    return factor_tasks(factor, a_values, c_values, factor->symbolic.first_changing_task, factor->symbolic.task_count);
}

bool fil_supernodal_factor(FilSupernodal* factor, const double* a_values, const double* c_values)
{
    return fil_supernodal_factor_fixed(factor, a_values) && fil_supernodal_factor_changing(factor, a_values, c_values);
}

/* ---- what it is about ---- */

void fil_supernodal_find_used(const FilBlockPattern* a, const double* a_values, unsigned char* used)
{
    memset(used, 0, (size_t)a->columns);
    for (int j = 0; j < a->columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            const double* block = a_values + FIL_BLOCK_SIZE * (size_t)k;
            const int i = a->row[k];
            for (int e = 0; e < FIL_BLOCK_SIZE; e++) {
                const int r = e % FIL_BLOCK, c = e / FIL_BLOCK;
                if (block[e] != (i == j && r == c ? 1.0 : 0.0)) {
                    used[i] = (unsigned char)(used[i] | 1 << r);
                    used[j] = (unsigned char)(used[j] | 1 << c);
                }
            }
        }
    }
}

const int* fil_supernodal_pivots(const FilSupernodal* factor)
{
    return factor->symbolic.pivot.at;
}

const int* fil_supernodal_variables(const FilSupernodal* factor)
{
    return factor->symbolic.variable.at;
}

int fil_supernodal_first_changing(const FilSupernodal* factor)
{
    return factor->symbolic.first_changing;
}

FilSupernodalInfo fil_supernodal_info(const FilSupernodal* factor)
{
    const FilSupernodes* s = &factor->symbolic;
    return (FilSupernodalInfo){
        .columns = s->columns,
        .supernodes = s->count,
        .changing = s->columns - s->first_changing,
        .tasks = s->task_count,
        .dissected = s->elimination.dissected,
        .flops = s->flops,
        .factor = s->panel_size,
        .updates = s->stack_size + s->kept_size,
    };
}
