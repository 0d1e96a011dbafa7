#include "plan/manipulation.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

#define REAL double
#define STAGE FilPlanStage
#define NAME(x) real_##x
#define COSINE cos
#define SINE sin
#define ROOT sqrt
// each needs the one before it
// clang-format off
#include "plan/tree_jet.inc"
#include "plan/touch.inc"
#include "plan/manipulation.inc"
// clang-format on

bool fil_manipulation_evaluate(const void* data, int stage, const double* p, const double* x, const double* multiplier, FilPlanOrder order,
                               FilPlanStage* out)
{
    const FilManipulation* m = data;
    for (int b = 0; b < m->tree.blocks; b++) {  // a section has a length
        const FilPlanBlock* block = &m->tree.block[b];
        const double *s = block->shape + 6, *l = x + block->first;
        if (block->kind == FIL_BLOCK_SECTION && !(block->length + s[0] * l[0] + s[1] * l[1] + s[2] * l[2] > 0.0)) {
            return false;
        }
    }
    return real_evaluate(m, stage, p, x, multiplier, order, out);
}

double fil_manipulation_gap(const FilManipulation* m, int touch, const double* q, double place[2], double (*gradient)[FIL_PLAN_COORDINATES])
{
    const double still[FIL_PLAN_COORDINATES] = {0.0};
    const real_Ways s = {.q = q, .v = still, .h = 1.0};
    real_Motion motion;
    real_Frame frames[FIL_PLAN_BLOCKS + 1];
    real_Touch t;
    real_tree_motion(&m->tree, &s, FIL_PLAN_FIRST, &motion, frames);
    real_see_touch(&m->tree, &m->touch[touch], frames, FIL_PLAN_FIRST, &t);
    const bool round = m->touch[touch].cylinder > 0.0;
    place[0] = t.y[round ? 2 : 0].value;
    place[1] = round ? 0.0 : t.y[1].value;
    if (gradient != NULL) {
        memset(gradient, 0, sizeof(double) * 3 * FIL_PLAN_COORDINATES);
        for (int i = 0; i < t.n; i++) {
            gradient[0][t.coordinate[i]] = t.gap.first[i];
            gradient[1][t.coordinate[i]] = t.y[round ? 2 : 0].first[i];
            gradient[2][t.coordinate[i]] = round ? 0.0 : t.y[1].first[i];
        }
    }
    return t.gap.value;
}
