#include "plan/manipulation_problem.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"

/* ---- the problem ---- */

/* What stands still in the world carries this much of what moves: all weight, N. */
static double weight_of(const FilManipulation* m)
{
    const double* g = m->tree.gravity;
    double mass = 0.0;
    for (int b = 0; b < m->tree.blocks; b++) {
        mass += m->tree.block[b].mass;
    }
    return fmax(1.0, mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
}

/* Usual sizes, by which shifts, pushes and gradients are measured; chosen for tasks of some dm, rad and s: sections as in ball_plan.c, slides 0.1 m,
 * turns 0.3 rad, forces 0.3 of the weight, a contact's place on its face 50 mm. */
static void fill_scale(const FilManipulation* m, const FilManipulationLayout* o, double* scale)
{
    const double weight = weight_of(m);
    for (int b = 0; b < m->tree.blocks; b++) {
        const FilPlanBlock* block = &m->tree.block[b];
        for (int i = block->first; i < block->first + block->count; i++) {
            scale[o->q + i] = block->kind == FIL_BLOCK_SECTION ? 0.05 : block->kind == FIL_BLOCK_SLIDE ? 0.1 : 0.3;
            scale[o->v + i] = block->kind == FIL_BLOCK_SECTION ? 0.1 : 1.0;
        }
    }
    for (int i = 0; i < m->drives; i++) {
        scale[o->tau + i] = weight;
    }
    for (int k = 0; k < m->touches; k++) {
        scale[o->gap + k] = 0.01;
        scale[o->cone + k] = scale[o->f + k] = 0.3 * weight;
        scale[o->g + k] = 0.3;
        scale[o->place + 2 * k] = scale[o->place + 2 * k + 1] = 0.05;
    }
    for (int i = 0; i < m->touches * o->width; i++) {
        scale[o->slip + i] = 0.3;
        scale[o->b + i] = m->directions > 0 ? 0.3 * weight : 1.0;
    }
    for (int k = 0; k < m->touches && m->directions == 0; k++) {
        scale[o->cone + k] = 1.0;
    }
}

// m/s, room that equations between controls are left
static const double EQUATION = 1e-7;

static void fill_bounds(const FilManipulation* m, const FilManipulationBounds* bounds, const FilManipulationLayout* o, int stage, double* low,
                        double* high)
{
    const bool last = stage + 1 == m->stages;
    for (int j = 0; j < o->variables; j++) {
        low[j] = (j >= o->gap && j < o->place) || j >= o->f ? 0.0 : -INFINITY;
        high[j] = INFINITY;
    }
    for (int i = 0; i < m->touches * o->width && m->directions == 0; i++) {
        // a cone's friction has either sign, and slip against it is an equation
        low[o->b + i] = -INFINITY;
        low[o->slip + i] = -EQUATION;
        high[o->slip + i] = EQUATION;
    }
    for (int i = 0; i < m->tree.coordinates; i++) {
        const double rate = last ? fmin(bounds->rate[i], bounds->end_rate[i]) : bounds->rate[i];
        low[o->q + i] = bounds->lower[i];
        high[o->q + i] = bounds->upper[i];
        if (last && bounds->end[i] < INFINITY) {
            low[o->q + i] = m->goal[i] - bounds->end[i];
            high[o->q + i] = m->goal[i] + bounds->end[i];
        }
        low[o->v + i] = -rate;
        high[o->v + i] = rate;
    }
    for (int k = 0; k < m->vias; k++) {
        const int at = (int)lround(m->via[k].share * m->stages) - 1;
        for (int i = 0; i < m->tree.coordinates && at == stage && !last; i++) {
            low[o->q + i] = fmax(low[o->q + i], m->via[k].place[i] - m->via[k].within[i]);
            high[o->q + i] = fmin(high[o->q + i], m->via[k].place[i] + m->via[k].within[i]);
        }
    }
    for (int i = 0; i < m->drives; i++) {
        low[o->tau + i] = -bounds->effort[i];
        high[o->tau + i] = bounds->effort[i];
    }
    for (int k = 0; k < m->touches; k++) {
        low[o->f + k] = bounds->min_force[k];
        high[o->f + k] = bounds->normal_force;
        high[o->g + k] = bounds->slip;
        for (int i = 0; i < o->width && !(m->touch[k].friction > 0.0); i++) {
            // without friction: none of its pairs, and a sliver for its forces, as the polish has them (interior_point.c)
            low[o->cone + k] = m->directions > 0 ? -INFINITY : 0.0;
            low[o->slip + k * o->width + i] = -INFINITY;
            high[o->slip + k * o->width + i] = INFINITY;
            high[o->b + k * o->width + i] = m->directions > 0 ? 1e-9 : INFINITY;
        }
        for (int a = 0; a < 2; a++) {
            const double half = m->touch[k].half[a];
            low[o->place + 2 * k + a] = half > 0.0 ? -half : -INFINITY;
            high[o->place + 2 * k + a] = half > 0.0 ? half : INFINITY;
        }
    }
}

/* Products are judged by the usual sizes of their factors. */
static FilPlanPair pair_of(const double* scale, int a, int b)
{
    return (FilPlanPair){a, b, scale[a] * scale[b]};
}

static int fill_pairs(const FilManipulation* m, const FilManipulationLayout* o, const double* scale, FilPlanPair* pairs)
{
    int count = 0;
    for (int k = 0; k < m->touches; k++) {
        pairs[count++] = pair_of(scale, o->gap + k, o->f + k);
        if (!(m->touch[k].friction > 0.0)) {
            continue;
        }
        pairs[count++] = pair_of(scale, o->cone + k, o->g + k);
        for (int i = 0; i < m->directions; i++) {
            pairs[count++] = pair_of(scale, o->slip + k * o->width + i, o->b + k * o->width + i);
        }
    }
    return count;
}

bool fil_manipulation_problem_create(const FilManipulation* m, const FilManipulationBounds* bounds, const double* start, FilPlanMesh* out)
{
    const FilManipulationLayout o = fil_manipulation_layout(m);
    const FilPlanProblem sizes = {.stages = m->stages,
                                  .variables = o.variables,
                                  .rows = o.rows,
                                  .carried = o.carried,
                                  .pair_count = m->touches * (o.width + 2),
                                  .evaluate = fil_manipulation_evaluate};
    if (!fil_plan_mesh_create(&sizes, m, sizeof *m, out)) {
        return false;
    }
    for (int k = 0; k < m->stages; k++) {
        fill_bounds(m, bounds, &o, k, out->lower + k * o.variables, out->upper + k * o.variables);
    }
    fill_scale(m, &o, out->scale);
    memcpy(out->before, start, sizeof(double) * (size_t)o.carried);
    out->problem.pair_count = fill_pairs(m, &o, out->scale, out->pairs);
    return true;
}

/* ---- first guesses ---- */

/* Whether a contact joins what is driven with what is not. */
static bool joins(const FilManipulation* m, int touch)
{
    bool driven[2] = {false, false};
    const int sides[2] = {m->touch[touch].a, m->touch[touch].b};
    for (int s = 0; s < 2; s++) {
        const FilPlanBlock* block = sides[s] >= 0 ? &m->tree.block[sides[s]] : NULL;
        for (int i = 0; block != NULL && i < block->depth; i++) {
            for (int d = 0; d < m->drives; d++) {
                driven[s] = driven[s] || m->drive[d] == block->path[i];
            }
        }
    }
    return sides[1] >= 0 && driven[0] != driven[1];
}

/* Moves what is driven to where its contacts are closed, at the places of the start: least squares, in which a way of a coordinate's usual size
 * counts as much as a millimetre, in steps of less than a third of it, within which contacts are nearly
 * linear; twenty reach what is six sizes away. It is a first guess: what it misses, the plan closes. */
static void keep_contacts(const FilManipulation* m, const double* scale, const double (*places)[2], const bool* kept, double* q)
{
    // see above
    static const double millimetre = 1e-3, longest = 0.3;
    const int n = m->drives;
    double from[FIL_PLAN_COORDINATES];
    memcpy(from, q, sizeof(double) * (size_t)m->tree.coordinates);
    for (int iteration = 0; iteration < 20; iteration++) {
        double matrix[FIL_PLAN_COORDINATES * FIL_PLAN_COORDINATES] = {0.0}, right[FIL_PLAN_COORDINATES] = {0.0};
        int pivots[FIL_PLAN_COORDINATES];
        for (int k = 0; k < m->touches; k++) {
            double place[2], gradient[3][FIL_PLAN_COORDINATES];
            if (!kept[k]) {
                continue;
            }
            const double gap = fil_manipulation_gap(m, k, q, place, gradient);
            const double residual[3] = {gap, place[0] - places[k][0], place[1] - places[k][1]};
            for (int r = 0; r < 3; r++) {
                for (int i = 0; i < n; i++) {
                    right[i] -= gradient[r][m->drive[i]] * residual[r];
                    for (int j = 0; j < n; j++) {
                        matrix[j * n + i] += gradient[r][m->drive[i]] * gradient[r][m->drive[j]];
                    }
                }
            }
        }
        for (int i = 0; i < n; i++) {
            const double per_size = millimetre / scale[m->drive[i]];
            matrix[i * n + i] += per_size * per_size;
            right[i] -= per_size * per_size * (q[m->drive[i]] - from[m->drive[i]]);
        }
        if (n == 0 || !fil_dense_lu(n, matrix, pivots)) {
            return;
        }
        fil_dense_lu_solve(n, matrix, pivots, 1, right);
        double part = 1.0;
        for (int i = 0; i < n; i++) {
            const double allowed = longest * scale[m->drive[i]];
            part = part * fabs(right[i]) > allowed ? allowed / fabs(right[i]) : part;
        }
        for (int i = 0; i < n; i++) {
            q[m->drive[i]] += part * right[i];
        }
    }
}

/* Variables that their rows define, and the efforts that the motion takes. */
static void settle(const FilManipulation* m, int stage, const double* p, double* row, double* x)
{
    const FilManipulationLayout o = fil_manipulation_layout(m);
    FilPlanStage out = {.row = row};
    for (int i = 0; i < m->drives; i++) {
        x[o.tau + i] = 0.0;
    }
    memset(row, 0, sizeof(double) * (size_t)o.rows);
    if (!fil_manipulation_evaluate(m, stage, p, x, NULL, FIL_PLAN_VALUES, &out)) {
        return;
    }
    for (int i = 0; i < m->drives; i++) {
        x[o.tau + i] = row[o.v + m->drive[i]] / m->step;
    }
    for (int j = o.gap; j < o.tau; j++) {
        x[j] -= row[j];
    }
}

/* Where a coordinate that has a goal is on its way, evenly from one waypoint to the next. */
static double on_the_way(const FilManipulation* m, const double* start, int i, double t)
{
    double from = start[i], since = 0.0;
    for (int k = 0; k < m->vias; k++) {
        const FilPlanVia* via = &m->via[k];
        if (!(via->within[i] < INFINITY)) {
            continue;
        }
        if (t < via->share) {
            return from + (t - since) / (via->share - since) * (via->place[i] - from);
        }
        from = via->place[i];
        since = via->share;
    }
    return from + (t - since) / (1.0 - since) * (m->goal[i] - from);
}

void fil_manipulation_guess(const FilPlanMesh* mesh, double noise, unsigned seed, double* x)
{
    const FilManipulation* m = mesh->data;
    const FilManipulationLayout o = fil_manipulation_layout(m);
    const double *start = mesh->before, *scale = mesh->scale;
    double places[FIL_PLAN_TOUCHES][2], row[512], p[2 * FIL_PLAN_COORDINATES];
    bool kept[FIL_PLAN_TOUCHES];
    int standing = 0;
    for (int k = 0; k < m->touches; k++) {
        (void)fil_manipulation_gap(m, k, start + o.q, places[k], NULL);
        kept[k] = joins(m, k);
        standing += m->touch[k].b < 0 ? 1 : 0;
    }
    memcpy(p, start, sizeof p[0] * (size_t)o.carried);
    for (int k = 0; k < m->stages; k++) {
        double* own = x + k * o.variables;
        const double t = (k + 1.0) / m->stages;
        memset(own, 0, sizeof(double) * (size_t)o.variables);
        memcpy(own + o.q, p + o.q, sizeof(double) * (size_t)m->tree.coordinates);
        for (int i = 0; i < m->tree.coordinates; i++) {
            if (m->goal_weight[i] > 0.0 || m->end_weight[i] > 0.0) {
                own[o.q + i] = on_the_way(m, start + o.q, i, t);
            }
        }
        keep_contacts(m, scale + o.q, (const double(*)[2])places, kept, own + o.q);
        for (int i = 0; i < m->drives && noise > 0.0; i++) {
            own[o.q + m->drive[i]] += noise * scale[o.q + m->drive[i]] * fil_plan_wave(seed, (unsigned)i, t);
        }
        for (int i = 0; i < m->tree.coordinates; i++) {
            own[o.v + i] = (own[o.q + i] - p[o.q + i]) / m->step;
        }
        for (int c = 0; c < m->touches; c++) {
            // what stands bears the weight; others the usual size
            own[o.f + c] = m->touch[c].b < 0 ? weight_of(m) / standing : 0.3 * weight_of(m);
            own[o.g + c] = 0.1;
            for (int i = 0; i < m->directions; i++) {
                own[o.b + c * o.width + i] = 0.5 * m->touch[c].friction * own[o.f + c] / m->directions;
            }
        }
        settle(m, k, p, row, own);
        memcpy(p, own, sizeof(double) * (size_t)o.carried);
    }
}

/* ---- judging ---- */

/* Worst product of slip and unused friction of a contact, N m/s; of a cone also what its equation leaves. */
static double judge_friction(const FilManipulation* m, const FilManipulationLayout* o, int c, const double* x)
{
    const double *slip = x + o->slip + c * o->width, *b = x + o->b + c * o->width, g = x[o->g + c];
    if (m->directions == 0) {
        const double max = m->touch[c].friction * x[o->f + c], left = 1.0 - sqrt(b[0] * b[0] + b[1] * b[1]);
        return max * fmax(fabs(left * g), fmax(fabs(slip[0]), fabs(slip[1])));
    }
    double worst = fabs(x[o->cone + c] * g);
    for (int i = 0; i < m->directions; i++) {
        worst = fmax(worst, fabs(slip[i] * b[i]));
    }
    return worst;
}

// N, above which a contact counts as one
static const double TOUCHING = 1e-3;

static void look(const void* data, const double* x, const double* row, FilPlanQuality* quality)
{
    const FilManipulation* m = data;
    const FilManipulationLayout o = fil_manipulation_layout(m);
    bool touches = false;
    for (int c = 0; c < m->touches; c++) {
        quality->gap_pair = fmax(quality->gap_pair, fabs(x[o.gap + c] * x[o.f + c]));
        quality->slip_pair = fmax(quality->slip_pair, m->touch[c].friction > 0.0 ? judge_friction(m, &o, c, x) : 0.0);
        // what the row leaves of the gap is penetration, too
        quality->penetration = fmax(quality->penetration, -(x[o.gap + c] - row[o.gap + c]));
        touches = touches || (x[o.f + c] > TOUCHING && joins(m, c));
    }
    quality->contact += touches ? 1.0 : 0.0;
}

FilPlanQuality fil_manipulation_judge(const FilPlanMesh* mesh, const double* x)
{
    FilPlanQuality quality;
    (void)fil_plan_walk(&mesh->problem, x, look, &quality);
    return quality;
}
