#include "plan/feedback.h"

#include <string.h>

#include "base/memory.h"
#include "plan/riccati.h"

/* One stage's rows, its ties and weights; efforts stand last among the variables. */
typedef struct Linear {
    int n, m, c, u, ties; /* variables, rows of the problem, carried, efforts, ties */
    int* order;           /* of the problem's variables: where each one stands */
    FilPlanStage stage;   /* derivatives */
    FilFeedbackTie* tie;
    double* p;
} Linear;

static bool allocate(const FilPlanProblem* problem, const FilFeedbackDef* def, FilArena* arena, Linear* out)
{
    const int n = problem->variables, m = problem->rows, c = problem->carried;
    *out = (Linear){.n = n, .m = m, .c = c, .u = def->efforts, .ties = n - m - def->efforts};
    const size_t d = sizeof(double), rows = (size_t)m;
    out->order = fil_arena_alloc(arena, (size_t)n, sizeof(int));
    out->tie = fil_arena_alloc(arena, (size_t)out->ties + 1, sizeof *out->tie);
    out->p = fil_arena_alloc(arena, (size_t)c, d);
    out->stage = (FilPlanStage){.row = fil_arena_alloc(arena, rows, d),
                                .cost_own = fil_arena_alloc(arena, (size_t)n, d),
                                .cost_before = fil_arena_alloc(arena, (size_t)c, d),
                                .row_own = fil_arena_alloc(arena, rows * (size_t)n, d),
                                .row_before = fil_arena_alloc(arena, rows * (size_t)c, d)};
    if (!out->order || !out->tie || !out->p || !out->stage.row || !out->stage.cost_own || !out->stage.cost_before || !out->stage.row_own ||
        !out->stage.row_before) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        const bool effort = j >= def->first && j < def->first + def->efforts;
        out->order[j] = effort ? n - def->efforts + j - def->first : j < def->first ? j : j - def->efforts;
    }
    return true;
}

static bool fill(const FilPlanProblem* problem, const double* x, const FilFeedbackDef* def, int k, Linear* l, FilRiccatiStage* out)
{
    const int n = l->n, m = l->m, c = l->c, rows = m + l->ties;
    const double* own = x + k * n;
    const size_t d = sizeof(double);
    for (int i = 0; i < c; i++) {
        l->p[i] = k == 0 ? problem->before[i] : own[problem->carry[i] - n];
    }
    memset(l->stage.row_own, 0, d * (size_t)(m * n));
    memset(l->stage.row_before, 0, d * (size_t)(m * c));
    if (!problem->evaluate(problem->data, k, l->p, own, NULL, FIL_PLAN_FIRST, &l->stage)) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        memcpy(out->own + l->order[j] * rows, l->stage.row_own + j * m, d * (size_t)m);
    }
    for (int j = 0; j < c; j++) {
        memcpy(out->before + j * rows, l->stage.row_before + j * m, d * (size_t)m);
    }
    for (int i = 0; i < def->coordinates; i++) {  // + h (k dq + d dv)
        const int row = def->coordinates + i;
        out->own[l->order[i] * rows + row] += def->step * def->stiffness[i];
        out->own[l->order[row] * rows + row] += def->step * def->damping[i];
    }
    def->tie(problem->data, problem->scale, own, l->tie);
    for (int i = 0; i < l->ties; i++) {
        const FilFeedbackTie* tie = &l->tie[i];
        out->own[l->order[tie->a] * rows + m + i] += tie->along[0] / problem->scale[tie->a];
        out->own[l->order[tie->b] * rows + m + i] += tie->along[1] / problem->scale[tie->b];
    }
    const double end = k + 1 == problem->stages ? def->end : 1.0;
    for (int j = 0; j < c; j++) {
        out->hessian[j * n + j] = def->step * end * def->weight[j];
    }
    for (int j = 0; j < l->u; j++) {
        const int at = n - l->u + j;
        out->hessian[at * n + at] = def->step * def->weight[c + j];
    }
    return true;
}

FilFeedbackResult fil_feedback_create(const FilPlanProblem* problem, const double* x, const FilFeedbackDef* def, FilFeedback* out)
{
    const int c = problem->carried, u = def->efforts;
    const FilPlanProblem steps = {
        .stages = problem->stages, .variables = problem->variables, .rows = problem->variables - u, .carried = c, .carry = problem->carry};
    FilArena arena = {0};
    FilRiccati riccati;
    Linear linear;
    *out = (FilFeedback){.stages = problem->stages, .efforts = u, .carried = c};
    out->gains = fil_alloc((size_t)(problem->stages * u * c), sizeof(double));
    FilFeedbackResult result = out->gains != NULL && allocate(problem, def, &arena, &linear) && fil_riccati_create(&steps, &arena, &riccati)
                                   ? FIL_FEEDBACK_DONE
                                   : FIL_FEEDBACK_NO_MEMORY;
    for (int k = 0; k < problem->stages && result == FIL_FEEDBACK_DONE; k++) {
        result = fill(problem, x, def, k, &linear, &riccati.stage[k]) ? result : FIL_FEEDBACK_SINGULAR;
    }
    if (result == FIL_FEEDBACK_DONE && fil_riccati_factor(&riccati) != FIL_RICCATI_DONE) {
        result = FIL_FEEDBACK_SINGULAR;
    }
    for (int k = 0; k < problem->stages && result == FIL_FEEDBACK_DONE; k++) {
        for (int i = 0; i < u; i++) {
            for (int j = 0; j < c; j++) {
                out->gains[(k * u + i) * c + j] = riccati.stage[k].gain[j * u + i];
            }
        }
    }
    fil_arena_free(&arena);
    if (result != FIL_FEEDBACK_DONE) {
        fil_feedback_free(out);
    }
    return result;
}

void fil_feedback_free(FilFeedback* feedback)
{
    fil_free(feedback->gains);
    *feedback = (FilFeedback){.gains = NULL};
}

void fil_feedback_add(const FilFeedback* feedback, int stage, const double* deviation, double* efforts)
{
    for (int i = 0; i < feedback->efforts; i++) {
        const double* gain = feedback->gains + (stage * feedback->efforts + i) * feedback->carried;
        for (int j = 0; j < feedback->carried; j++) {
            efforts[i] += gain[j] * deviation[j];
        }
    }
}
