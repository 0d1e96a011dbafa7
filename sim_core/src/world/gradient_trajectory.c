/* The adjoint of a trajectory: forward once with snapshots every `stride` steps, then backward a stretch at a time, which is run again from its
 * snapshot with one before each step. Snapshots restore bit for bit, so each step is differentiated as it was. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "world/gradient.h"

FilTrajectoryCost fil_trajectory_cost_default(void)
{
    return (FilTrajectoryCost){.steps = 1};
}

typedef struct Trajectory {
    FilGradient* gradient;
    FilWorld* world;
    const FilTrajectoryCost* def;
    size_t size;             /* of a snapshot */
    int stride;              /* steps between outer snapshots */
    char *outer, *inner;     /* one before every stride-th step; one before each step of a stretch */
    char* last;              /* of the end */
    double *slope, *adjoint; /* by a step's end, and by its start */
} Trajectory;

static FilStatus command(const Trajectory* t, int step)
{
    return t->def->control != NULL ? t->def->control(t->def->context, step, t->world) : FIL_OK;
}

static FilStatus run_forward(Trajectory* t, double* cost)
{
    FilStatus status = FIL_OK;
    *cost = 0.0;
    for (int k = 0; k < t->def->steps && status == FIL_OK; k++) {
        if (k % t->stride == 0) {
            fil_world_save(t->world, t->outer + t->size * (size_t)(k / t->stride));
        }
        status = command(t, k);
        status = status == FIL_OK ? fil_world_step(t->world, NULL) : status;
        *cost += status == FIL_OK ? t->def->cost(t->def->context, k + 1, t->world, NULL) : 0.0;
    }
    fil_world_save(t->world, t->last);
    return status;
}

/* One step again, and back over it. */
static FilStatus run_back(Trajectory* t, const char* snapshot, int k)
{
    const int n = t->gradient->n;
    FilStatus status = fil_world_restore(t->world, snapshot, t->size);
    status = status == FIL_OK ? command(t, k) : status;
    status = status == FIL_OK ? fil_gradient_step(t->gradient, NULL) : status;
    if (status != FIL_OK) {
        return status;
    }
    // what comes later, and the cost at this step's end
    memcpy(t->slope, t->adjoint, sizeof(double) * (size_t)fil_gradient_variation_size(t->gradient));
    (void)t->def->cost(t->def->context, k + 1, t->world, t->slope);
    return fil_gradient_backward(t->gradient, t->slope, t->adjoint, t->def->forces != NULL ? t->def->forces + (size_t)k * (size_t)n : NULL);
}

static FilStatus run_stretch(Trajectory* t, int first, int end)
{
    const char* start = t->outer + t->size * (size_t)(first / t->stride);
    FilStatus status = t->stride > 1 ? fil_world_restore(t->world, start, t->size) : FIL_OK;
    for (int k = first; k < end && t->stride > 1 && status == FIL_OK; k++) {
        fil_world_save(t->world, t->inner + t->size * (size_t)(k - first));
        if (k + 1 < end) {
            status = command(t, k);
            status = status == FIL_OK ? fil_world_step(t->world, NULL) : status;
        }
    }
    for (int k = end - 1; k >= first && status == FIL_OK; k--) {
        status = run_back(t, t->stride > 1 ? t->inner + t->size * (size_t)(k - first) : start, k);
    }
    return status;
}

static FilStatus check(FilGradient* gradient, const FilTrajectoryCost* def, const double* cost)
{
    if (def == NULL || cost == NULL || def->steps < 1 || def->cost == NULL || def->start == NULL || def->checkpoints < 0) {
        return fil_world_fail(gradient->world, FIL_BAD_INPUT, "a trajectory's gradient needs one step at least, a cost, and room for its result");
    }
    const int min = (int)ceil(2.0 * sqrt((double)def->steps));
    if (def->checkpoints > 0 && def->checkpoints < min && def->checkpoints < def->steps) {
        return fil_world_fail(gradient->world, FIL_BAD_INPUT, "%d steps need %d checkpoints at least, not %d", def->steps,
                              min < def->steps ? min : def->steps, def->checkpoints);
    }
    return FIL_OK;
}

FilStatus fil_gradient_trajectory(FilGradient* gradient, const FilTrajectoryCost* def, double* cost)
{
    FilStatus status = check(gradient, def, cost);
    if (status != FIL_OK) {
        return status;
    }
    const size_t numbers = (size_t)fil_gradient_variation_size(gradient), size = fil_world_snapshot_size(gradient->world);
    Trajectory t = {.gradient = gradient, .world = gradient->world, .def = def, .size = size};
    t.stride = def->checkpoints >= def->steps ? 1 : (int)ceil(sqrt((double)def->steps));
    const size_t stretches = (size_t)((def->steps + t.stride - 1) / t.stride);
    t.outer = fil_alloc(stretches + (size_t)t.stride + 1, size);
    t.slope = fil_alloc(2 * numbers + 1, sizeof *t.slope);
    if (t.outer == NULL || t.slope == NULL) {
        status = fil_world_fail(gradient->world, FIL_OUT_OF_MEMORY, "out of memory for %zu snapshots", stretches + (size_t)t.stride + 1);
    } else {
        t.inner = t.outer + size * stretches;
        t.last = t.inner + size * (size_t)t.stride;
        t.adjoint = t.slope + numbers;
        status = run_forward(&t, cost);
        for (int s = (int)stretches - 1; s >= 0 && status == FIL_OK; s--) {
            const int first = s * t.stride, end = first + t.stride < def->steps ? first + t.stride : def->steps;
            status = run_stretch(&t, first, end);
        }
        if (status == FIL_OK) {
            memcpy(def->start, t.adjoint, numbers * sizeof(double));
            status = fil_world_restore(gradient->world, t.last, size);
        }
    }
    fil_free(t.outer);
    fil_free(t.slope);
    return status;
}
