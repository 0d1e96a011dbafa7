/* Stepping a batch: a world is the unit of work, and goes through all of its periods on the thread that has begun it. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "batch/batch_data.h"

FilRolloutDef fil_rollout_def_default(void)
{
    return (FilRolloutDef){.periods = 1, .steps = 1};
}

typedef struct Rollout {
    FilBatch* batch;
    const FilRolloutDef* def;
    size_t rows; /* of what is written, per world */
} Rollout;

/* Row `period` of a world in an array of rows, or NULL. */
static double* row_of(double* array, const Rollout* rollout, int index, int period, int size)
{
    return array != NULL ? array + ((size_t)index * rollout->rows + (size_t)period) * (size_t)size : NULL;
}

static void copy_row(double* row, const double* numbers, int count)
{
    if (row != NULL && count > 0) {
        memcpy(row, numbers, sizeof(double) * (size_t)count);
    }
}

static void measure(const FilWorld* world, double* outputs, int count)
{
    for (int p = 0; p < count; p++) {
        outputs[p] = fil_world_probe_value(world, p);
    }
}

/* What is wanted of a world at a period's end, or at the start; returns its outputs where who commands looks at them. */
static const double* observe(const Rollout* rollout, int index, int period)
{
    const FilRolloutDef* def = rollout->def;
    FilBatch* batch = rollout->batch;
    const FilWorld* world = batch->worlds[index];
    int size;
    if (def->positions != NULL) {
        const double* positions = fil_world_positions(world, &size);
        copy_row(row_of(def->positions, rollout, index, period, size), positions, size);
    }
    if (def->velocities != NULL) {
        const double* velocities = fil_world_velocities(world, &size);
        copy_row(row_of(def->velocities, rollout, index, period, size), velocities, size);
    }
    if (def->outputs == NULL && def->control == NULL) {
        return NULL;
    }
    double* row = row_of(def->outputs, rollout, index, period, batch->output_size);
    row = row != NULL ? row : batch->outputs + (size_t)index * (size_t)batch->output_size;
    measure(world, row, batch->output_size);
    return row;
}

static FilStatus command(const Rollout* rollout, int index, int period, const double* output)
{
    const FilRolloutDef* def = rollout->def;
    FilBatch* batch = rollout->batch;
    const size_t size = (size_t)batch->input_size;
    if (def->control != NULL) {
        double* own = size > 0 ? batch->commands + (size_t)index * size : NULL;
        const FilStatus status = def->control(def->context, index, period, output, own);
        if (status != FIL_OK) {
            return fil_world_set_error(batch->worlds[index], status, "who commands it has ended its rollout");
        }
        return fil_batch_command(batch, index, own);
    }
    return def->commands != NULL ? fil_batch_command(batch, index, def->commands + ((size_t)index * (size_t)def->periods + (size_t)period) * size)
                                 : FIL_OK;
}

/* Rows that a world did not come to. */
static void fill_rows(const Rollout* rollout, int index, int period)
{
    const FilRolloutDef* def = rollout->def;
    int sizes[3] = {rollout->batch->output_size};
    double* const arrays[] = {def->outputs, def->positions, def->velocities};
    (void)fil_world_positions(rollout->batch->worlds[index], &sizes[1]);
    (void)fil_world_velocities(rollout->batch->worlds[index], &sizes[2]);
    for (int a = 0; a < 3; a++) {
        const double* end = arrays[a] != NULL ? row_of(arrays[a], rollout, index, def->periods + 1, sizes[a]) : NULL;
        for (double* at = row_of(arrays[a], rollout, index, period, sizes[a]); at < end; at++) {
            *at = NAN;
        }
    }
}

static FilStatus run_world(const Rollout* rollout, int index, uint64_t* done)
{
    const FilRolloutDef* def = rollout->def;
    FilWorld* world = rollout->batch->worlds[index];
    if (def->active != NULL && !def->active[index]) {
        (void)observe(rollout, index, 0);
        fill_rows(rollout, index, 1);
        return FIL_OK;
    }
    const double* output = observe(rollout, index, 0);
    for (int p = 0; p < def->periods; p++) {
        FilStatus status = command(rollout, index, p, output);
        for (int s = 0; s < def->steps && status == FIL_OK; s++) {
            status = fil_world_step(world, NULL);
            *done += status == FIL_OK;
        }
        if (status != FIL_OK) {
            fill_rows(rollout, index, p + 1);
            return status;
        }
        output = observe(rollout, index, p + 1);
    }
    return FIL_OK;
}

static void run_worlds(void* context, int first, int end, int worker)
{
    const Rollout* rollout = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        uint64_t done = 0;
        const FilStatus status = run_world(rollout, k, &done);
        fil_batch_note(rollout->batch, k, status);
        if (rollout->def->statuses != NULL) {
            rollout->def->statuses[k] = status;
        }
        if (rollout->def->steps_done != NULL) {
            rollout->def->steps_done[k] = done;
        }
    }
}

/* Whether all worlds have as many numbers as world 0. */
static bool are_alike(const FilBatch* batch, const double* (*ask)(const FilWorld* world, int* count))
{
    int first, count;
    (void)ask(batch->worlds[0], &first);
    for (int k = 1; k < batch->count; k++) {
        (void)ask(batch->worlds[k], &count);
        if (count != first) {
            return false;
        }
    }
    return true;
}

static FilStatus check(FilBatch* batch, const FilRolloutDef* def)
{
    if (def == NULL || def->periods < 0 || def->steps < 1) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "a rollout needs no fewer than 0 periods of 1 step, not %d of %d", def != NULL ? def->periods : 0,
                              def != NULL ? def->steps : 0);
    }
    if (def->commands != NULL && def->control != NULL) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "a rollout takes its commands from an array or from a function, not from both");
    }
    if (def->commands != NULL && batch->input_size == 0) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "this batch has no inputs that commands could move: add some");
    }
    if ((def->positions != NULL && !are_alike(batch, fil_world_positions)) || (def->velocities != NULL && !are_alike(batch, fil_world_velocities))) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "these worlds differ in size, and their states are no array");
    }
    return FIL_OK;
}

FilStatus fil_batch_rollout(FilBatch* batch, const FilRolloutDef* def)
{
    const FilStatus status = check(batch, def);
    if (status != FIL_OK) {
        return status;
    }
    fil_workers_run(batch->workers, batch->count, 1, run_worlds, &(Rollout){batch, def, (size_t)def->periods + 1});
    return fil_batch_judge(batch);
}
