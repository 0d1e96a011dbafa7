#include "validate/spectrum.h"

#include <math.h>
#include <stdlib.h>

#include "body/rod.h"
#include "world/world.h"

/* LAPACK: eigenvalues of a symmetric matrix, in ascending order */
void dsyev_(const char* job, const char* triangle, const int* n, double* a, const int* lda, double* w, double* work,
            const int* lwork, int* info);

/* A dense matrix over the free unknowns. */
typedef struct Dense {
    const int* place; /* of every unknown, -1 if it is held or idle */
    int size;
    double* entries;
} Dense;

static void add_entry(void* context, int row, int column, double value)
{
    Dense* dense = context;
    int i = dense->place[row], j = dense->place[column];
    if (i < 0 || j < 0) {
        return;
    }
    dense->entries[i * dense->size + j] += value;
    if (i != j) {
        dense->entries[j * dense->size + i] += value;
    }
}

/* The elastic tangent of the trial's rod, which is a body of its own: that of an endless step, in which mass and
 * damping vanish, at the present state. */
static bool assemble_tangent(const FilTrial* trial, int* place, Dense* dense)
{
    const FilWorld* world = trial->world;
    int element = fil_id_index(world, FIL_OBJECT_ELEMENT, trial->rod);
    const FilBody* body = &world->bodies[world->elements[element].body];
    FilRodBody* rod = body->impl;
    FilStepSetup setup = {.dt = 1e6, .theta = 1.0, .theta_vq = 1.0};
    double still[4 * FIL_TRIAL_MAX_NODES] = {0}, residual[4 * FIL_TRIAL_MAX_NODES], scale[4 * FIL_TRIAL_MAX_NODES];
    double diagonal[4 * FIL_TRIAL_MAX_NODES], potential;
    body->ops->begin(rod, &setup, world->state.q + body->q, still, world->state.h + body->h);
    if (!body->ops->evaluate(rod, still, 0.0, residual, &potential)) {
        return false;
    }
    body->ops->diagonal(rod, still, diagonal, scale);
    dense->size = 0;
    for (int k = 0; k < body->v_count; ++k) {
        place[k] = diagonal[k] != 0.0 ? dense->size++ : -1;
    }
    dense->place = place;
    dense->entries = calloc((size_t)dense->size * (size_t)dense->size, sizeof(double));
    if (!dense->entries) {
        return false;
    }
    fil_rod_chain_visit(&rod->rods[0].chain, add_entry, dense);
    return true;
}

int fil_spectrum_negative(FilTrial* trial, double tolerance)
{
    int place[4 * FIL_TRIAL_MAX_NODES], info = -1, count = 0;
    double values[4 * FIL_TRIAL_MAX_NODES];
    Dense dense = {0};
    bool good = !trial->failed && assemble_tangent(trial, place, &dense);
    const int work_size = 64 * dense.size + 1;
    double* work = malloc((size_t)work_size * sizeof(double));
    if (good && work) {
        dsyev_("N", "U", &dense.size, dense.entries, &dense.size, values, work, &work_size, &info);
    }
    free(work);
    free(dense.entries);
    if (info != 0) {
        fil_trial_expect(trial, FIL_NOT_CONVERGED, "eigenvalues of the tangent");
        return -1;
    }
    while (count < dense.size && values[count] < -tolerance * values[dense.size - 1]) {
        ++count;
    }
    return count;
}
