#include "linalg/supernodal.h"

#include <math.h>
#include <string.h>

#include "linalg/supernodal_data.h"

FilSupernodal* fil_supernodal_create(void)
{
    FilSupernodal* factor = fil_alloc(1, sizeof *factor);
    if (factor != NULL) {
        factor->kernels = fil_strip_kernels();
        factor->kernels_single = fil_strip_kernels_single();
        factor->fronts = &fil_fronts_double;
    }
    return factor;
}

void fil_supernodal_destroy(FilSupernodal* factor)
{
    if (factor != NULL) {
        fil_supernodes_free(&factor->symbolic);
        fil_free(factor->panel.at);
        fil_free(factor->kept.at);
        fil_free(factor->work.stack.at);
        fil_free(factor->work.place.at);
        fil_free(factor->work.pivots.at);
        fil_free(factor->work.updates.at);
        fil_free(factor->work.sums.at);
        fil_free(factor->x.at);
        fil_free(factor);
    }
}

FilStatus fil_supernodal_analyze(FilSupernodal* factor, const FilBlockPattern* a, const FilBlockPattern* c,
                                 const unsigned char* used)
{
    FilSupernodes* s = &factor->symbolic;
    const FilStatus status = fil_supernodes_analyze(s, a, c, used);
    if (status != FIL_OK) {
        return status;
    }
    const size_t pivots = (size_t)s->max_pivots, updates = (size_t)s->max_updates;
    FilSupernodalWork* work = &factor->work;
    const bool done = fil_doubles_reserve(&factor->panel, s->panel_size) &&
                      fil_doubles_reserve(&factor->kept, s->kept_size) &&
                      fil_doubles_reserve(&factor->x, FIL_BLOCK * (size_t)s->columns) &&
                      fil_doubles_reserve(&work->stack, s->stack_size) && fil_ints_reserve(&work->place, updates) &&
                      fil_doubles_reserve(&work->pivots, pivots) && fil_doubles_reserve(&work->updates, updates) &&
                      fil_doubles_reserve(&work->sums, FIL_STRIP * pivots);
    return done ? FIL_OK : FIL_OUT_OF_MEMORY;
}

void fil_supernodal_set_single(FilSupernodal* factor, bool single)
{
    factor->fronts = single ? &fil_fronts_single : &fil_fronts_double;
}

FilStatus fil_supernodal_bind(FilSupernodal* factor, const FilBlockPattern* a, const FilBlockPattern* c, bool* fits)
{
    return fil_supernodes_bind(&factor->symbolic, a, c, fits);
}

/* Tasks of one part but its last do not depend on each other: here they come one after the other. */
static bool factor_tasks(FilSupernodal* factor, const double* a_values, const double* c_values, int begin, int end)
{
    const FilSupernodes* s = &factor->symbolic;
    for (int t = begin; t < end; t++) {
        for (int k = s->task.at[t]; k < s->task.at[t + 1]; k++) {
            if (!factor->fronts->factor(factor, &factor->work, a_values, c_values, k)) {
                return false;
            }
        }
    }
    return true;
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
