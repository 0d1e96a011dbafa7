/* Making batches; their states. */
#include "base/error.h"
#include "base/memory.h"
#include "batch/batch_data.h"

enum { WORLDS_MAX = 1000000 }; /* below what a loop of the workers can count */

FilBatchDef fil_batch_def_default(void)
{
    return (FilBatchDef){.count = 1};
}

/* ---- making ---- */

typedef struct Making {
    FilBatch* batch;
    const FilBatchDef* def;
} Making;

static void make_worlds(void* context, int first, int end, int worker)
{
    const Making* making = context;
    FilBatch* batch = making->batch;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilWorld* world = NULL;
        FilStatus status = making->def->make(making->def->context, k, &world, &batch->errors[k]);
        batch->worlds[k] = world;
        if (status == FIL_OK && world == NULL) {
            status = fil_error(&batch->errors[k], FIL_BAD_INPUT, "none was made");
        }
        // helpers of its own would only wait for a processor
        if (status == FIL_OK && (status = fil_world_set_threads(world, 1)) != FIL_OK) {
            fil_error(&batch->errors[k], status, "%s", fil_world_error(world));
        }
        batch->statuses[k] = status;
    }
}

/* Worlds that belong in one batch have equally many probes. */
static FilStatus compare_worlds(FilBatch* batch)
{
    batch->output_size = fil_world_probe_count(batch->worlds[0]);
    batch->snapshot_size = fil_world_snapshot_size(batch->worlds[0]);
    for (int k = 1; k < batch->count; k++) {
        const int probes = fil_world_probe_count(batch->worlds[k]);
        if (probes != batch->output_size) {
            return fil_batch_fail(batch, FIL_BAD_INPUT, "world %d has %d probes, world 0 has %d: they are not of one batch", k, probes,
                                  batch->output_size);
        }
        if (fil_world_snapshot_size(batch->worlds[k]) != batch->snapshot_size) {
            batch->snapshot_size = 0;
        }
    }
    batch->outputs = fil_alloc((size_t)batch->count * (size_t)batch->output_size, sizeof(double));
    return batch->outputs != NULL ? FIL_OK : fil_batch_fail(batch, FIL_OUT_OF_MEMORY, "out of memory for %d worlds", batch->count);
}

static FilStatus make(FilBatch* batch, const FilBatchDef* def)
{
    const int threads = def->threads > 0 ? def->threads : fil_workers_processors();
    const size_t count = (size_t)def->count;
    batch->count = def->count;
    batch->worlds = fil_alloc(count, sizeof *batch->worlds);
    batch->statuses = fil_alloc(count, sizeof *batch->statuses);
    batch->errors = fil_alloc(count, sizeof *batch->errors);
    if (batch->worlds == NULL || batch->statuses == NULL || batch->errors == NULL) {
        return fil_batch_fail(batch, FIL_OUT_OF_MEMORY, "out of memory for %d worlds", def->count);
    }
    batch->workers = fil_workers_create(threads < def->count ? threads : def->count);
    fil_workers_run(batch->workers, def->count, 1, make_worlds, &(Making){batch, def});
    const FilStatus status = fil_batch_judge(batch);
    return status == FIL_OK ? compare_worlds(batch) : status;
}

FilStatus fil_batch_create(const FilBatchDef* def, FilBatch** batch, FilError* error)
{
    if (def == NULL || batch == NULL || def->make == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "a batch needs a definition that makes its worlds");
    }
    *batch = NULL;
    if (def->count < 1 || def->count > WORLDS_MAX) {
        return fil_error(error, FIL_BAD_INPUT, "a batch has 1 to %d worlds, not %d", WORLDS_MAX, def->count);
    }
    if (def->threads < 0 || def->threads > FIL_WORKERS_MAX) {
        return fil_error(error, FIL_BAD_INPUT, "a batch has 1 to %d threads, or 0 for one per processor, not %d", FIL_WORKERS_MAX, def->threads);
    }
    FilBatch* made = fil_alloc(1, sizeof *made);
    if (made == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    const FilStatus status = make(made, def);
    if (status != FIL_OK) {
        fil_error(error, status, "%s", made->error.text);
        fil_batch_destroy(made);
        return status;
    }
    *batch = made;
    return FIL_OK;
}

void fil_batch_destroy(FilBatch* batch)
{
    if (batch == NULL) {
        return;
    }
    for (int k = 0; k < batch->count && batch->worlds != NULL; k++) {
        fil_world_destroy(batch->worlds[k]);
    }
    fil_batch_free_inputs(batch);
    fil_workers_destroy(batch->workers);
    fil_free(batch->worlds);
    fil_free(batch->statuses);
    fil_free(batch->errors);
    fil_free(batch->commands);
    fil_free(batch->outputs);
    fil_free(batch);
}

int fil_batch_count(const FilBatch* batch)
{
    return batch->count;
}

int fil_batch_threads(const FilBatch* batch)
{
    return fil_workers_count(batch->workers);
}

FilWorld* fil_batch_world(const FilBatch* batch, int index)
{
    return index >= 0 && index < batch->count ? batch->worlds[index] : NULL;
}

int fil_batch_output_size(const FilBatch* batch)
{
    return batch->output_size;
}

/* ---- states ---- */

typedef struct States {
    FilBatch* batch; /* whose statuses are written */
    const bool* active;
    const char* from; /* snapshots; NULL: those before the first steps */
    size_t stride;
} States;

static void put_states(void* context, int first, int end, int worker)
{
    const States* states = context;
    FilBatch* batch = states->batch;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilStatus status = FIL_OK;
        if (states->active == NULL || states->active[k]) {
            status = states->from != NULL ? fil_world_restore(batch->worlds[k], states->from + states->stride * (size_t)k, batch->snapshot_size)
                                          : fil_world_reset(batch->worlds[k]);
        }
        fil_batch_note(batch, k, status);
    }
}

typedef struct Copies {
    const FilBatch* batch;
    char* snapshots;  /* NULL: none are wanted */
    uint64_t* hashes; /* likewise */
} Copies;

static void take_states(void* context, int first, int end, int worker)
{
    const Copies* copies = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        const FilWorld* world = copies->batch->worlds[k];
        if (copies->snapshots != NULL) {
            fil_world_save(world, copies->snapshots + copies->batch->snapshot_size * (size_t)k);
        }
        if (copies->hashes != NULL) {
            copies->hashes[k] = fil_world_hash(world);
        }
    }
}

size_t fil_batch_snapshot_size(const FilBatch* batch)
{
    return batch->snapshot_size;
}

static FilStatus need_snapshots(FilBatch* batch, const void* snapshots)
{
    if (snapshots == NULL) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "there is no room for snapshots");
    }
    return batch->snapshot_size > 0
               ? FIL_OK
               : fil_batch_fail(batch, FIL_BAD_INPUT, "these worlds differ in size, and so do their snapshots: save and restore them one by one");
}

FilStatus fil_batch_save(FilBatch* batch, void* snapshots)
{
    const FilStatus status = need_snapshots(batch, snapshots);
    if (status == FIL_OK) {
        fil_workers_run(batch->workers, batch->count, 1, take_states, &(Copies){.batch = batch, .snapshots = snapshots});
    }
    return status;
}

void fil_batch_hashes(const FilBatch* batch, uint64_t* hashes)
{
    if (hashes != NULL) {
        fil_workers_run(batch->workers, batch->count, 1, take_states, &(Copies){.batch = batch, .hashes = hashes});
    }
}

FilStatus fil_batch_restore(FilBatch* batch, const void* snapshots, size_t stride, const bool* active)
{
    const FilStatus status = need_snapshots(batch, snapshots);
    if (status != FIL_OK) {
        return status;
    }
    if (stride != 0 && stride < batch->snapshot_size) {
        return fil_batch_fail(batch, FIL_BAD_INPUT, "snapshots have %zu bytes, and cannot stand %zu apart", batch->snapshot_size, stride);
    }
    fil_workers_run(batch->workers, batch->count, 1, put_states, &(States){.batch = batch, .active = active, .from = snapshots, .stride = stride});
    return fil_batch_judge(batch);
}

FilStatus fil_batch_reset(FilBatch* batch, const bool* active)
{
    fil_workers_run(batch->workers, batch->count, 1, put_states, &(States){.batch = batch, .active = active});
    return fil_batch_judge(batch);
}
