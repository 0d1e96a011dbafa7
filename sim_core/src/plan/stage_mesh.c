#include "plan/stage_mesh.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"

/* of any row vector of a stage: manipulation with sixteen pyramids of eight has 290 */
enum { MAX_ROWS = 512 };

bool fil_plan_mesh_create(const FilPlanProblem* sizes, const void* data, size_t size, FilPlanMesh* out)
{
    const size_t v = (size_t)sizes->variables, n = (size_t)sizes->stages * v, c = (size_t)sizes->carried;
    *out = (FilPlanMesh){.problem = *sizes};
    out->memory = fil_alloc(2 * n + v + c, sizeof(double));
    out->pairs = fil_alloc((size_t)sizes->pair_count + 1, sizeof *out->pairs);
    out->carry = fil_alloc(c, sizeof *out->carry);
    out->data = fil_alloc(1, size);
    if (sizes->rows > MAX_ROWS || out->memory == NULL || out->pairs == NULL || out->carry == NULL || out->data == NULL) {
        fil_plan_mesh_free(out);
        return false;
    }
    memcpy(out->data, data, size);
    out->lower = out->memory;
    out->upper = out->lower + n;
    out->scale = out->upper + n;
    out->before = out->scale + v;
    for (size_t j = 0; j < n; j++) {
        out->lower[j] = -INFINITY;
        out->upper[j] = INFINITY;
    }
    for (size_t j = 0; j < v; j++) {
        out->scale[j] = 1.0;
    }
    for (size_t i = 0; i < c; i++) {
        out->carry[i] = (int)i;
    }
    FilPlanProblem* p = &out->problem;
    p->data = out->data;
    p->lower = out->lower;
    p->upper = out->upper;
    p->scale = out->scale;
    p->before = out->before;
    p->pairs = out->pairs;
    p->carry = out->carry;
    return true;
}

void fil_plan_mesh_free(FilPlanMesh* mesh)
{
    fil_free(mesh->memory);
    fil_free(mesh->pairs);
    fil_free(mesh->carry);
    fil_free(mesh->data);
    *mesh = (FilPlanMesh){.memory = NULL};
}

bool fil_plan_walk(const FilPlanProblem* problem, const double* x, FilStageLook look, FilPlanQuality* quality)
{
    double row[MAX_ROWS], p[MAX_ROWS];
    *quality = (FilPlanQuality){.cost = 0.0};
    for (int k = 0; k < problem->stages; k++) {
        const double* own = x + k * problem->variables;
        FilPlanStage out = {.row = row};
        for (int i = 0; i < problem->carried; i++) {
            p[i] = k == 0 ? problem->before[i] : own[problem->carry[i] - problem->variables];
        }
        memset(row, 0, sizeof(double) * (size_t)problem->rows);
        if (!problem->evaluate(problem->data, k, p, own, NULL, FIL_PLAN_VALUES, &out)) {
            quality->violation = INFINITY;
            return false;
        }
        quality->cost += out.cost;
        for (int i = 0; i < problem->rows; i++) {
            if (fabs(row[i]) > quality->violation) {
                quality->violation = fabs(row[i]);
                quality->worst_row = i;
                quality->worst_stage = k;
            }
        }
        if (look != NULL) {
            look(problem->data, own, row, quality);
        }
    }
    quality->contact /= problem->stages;
    return true;
}

/* Numbers in [-1, 1) that depend on the seed alone (splitmix64). */
static double noise_of(unsigned seed, unsigned index)
{
    uint64_t z = ((uint64_t)seed << 32 | index) * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return 2.0 * (double)(z >> 11) * 0x1p-53 - 1.0;
}

double fil_plan_wave(unsigned seed, unsigned i, double t)
{
    // three waves, which begin at zero; 16 keeps the numbers of coordinates apart
    double wave = 0.0;
    for (unsigned m = 1; m <= 3; m++) {
        wave += noise_of(seed, 16u * i + m) / m * sin(0.5 * FIL_PI * m * t);
    }
    return wave;
}
