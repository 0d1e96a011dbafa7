/* How a step of a rod varies with its start.
 *
 * Backward Euler: m = M (v - v0) + dt (g + C v - f), with the gradient g of the elastic energy at the end, x1 = x0 + dt v. A variation moves nodes
 * and turns frames about their edges, on top of parallel transport. Three facts beyond the tangent that Newton uses:
 *
 * - Frames at the end come from those at the start by transport from t0 to t1 and a turn of dt gamma'. Moving either tangent changes the area between
 *   both ways, so that (docs/rod.md, gradient of the twist)
 *       gamma1 = gamma0 + dt gamma1' - (t0 x t1) / (1 + t0 . t1) . (dt0 + dt1).
 * - g is that of frames that go along, and its derivative is the symmetric Hessian plus the curvature of transport: on an edge with the moment
 *   g_gamma about it,  1/2 g_gamma t x dt  against the tangent's displacement.
 * - Stiffness-proportional damping is a spring that rests at the start's strains s0: dg = -damping k (ds/dx1) (ds0 . start).
 */
#include <string.h>

#include "base/arena.h"
#include "base/vec3.h"
#include "body/derivative.h"
#include "body/rod_derivative.h"

static double at(const double* a, int k)
{
    return a != NULL ? a[k] : 0.0;
}

/* Where a step is looked at: where forces are taken, where it ends, and where bends were taken. */
typedef enum Where { AT_FORCES, AT_END, AT_FREE } Where;

static const FilEdgeTurn* turn_of(const FilRodDerivative* d, Where where, int edge)
{
    return where == AT_FREE ? &d->at_free[edge] : where == AT_END ? &d->edges[edge].last : &d->edges[edge].turn;
}

/* Variation of the place there. */
static void find_end(const FilRodBody* body, Where where, const double* place, const double* end_rate, double* end)
{
    const FilRodDerivative* d = body->derivative;
    const double dt = body->setup.dt;
    for (int k = 0; k < 4 * body->node_count; k++) {
        end[k] = d->open[k] * (at(place, k) + dt * end_rate[k]);
    }
    for (int i = 0; i < d->edge_count; i++) {
        const FilEdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        const FilEdgeTurn* turn = turn_of(d, where, i);
        for (int k = 0; k < 3 && d->open[edge->angle] > 0.0; k++) {
            end[edge->angle] += turn->start[k] * (at(place, b + k) - at(place, a + k)) + turn->end[k] * (end[b + k] - end[a + k]);
        }
    }
}

static void find_end_back(const FilRodBody* body, Where where, double* end, double* place, double* end_rate)
{
    const FilRodDerivative* d = body->derivative;
    const double dt = body->setup.dt;
    for (int i = 0; i < d->edge_count; i++) {
        const FilEdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        const double weight = d->open[edge->angle] * end[edge->angle];
        const FilEdgeTurn* turn = turn_of(d, where, i);
        fil_v3_axpy(end + b, weight, turn->end);
        fil_v3_axpy(end + a, -weight, turn->end);
        if (place != NULL) {
            fil_v3_axpy(place + b, weight, turn->start);
            fil_v3_axpy(place + a, -weight, turn->start);
        }
    }
    for (int k = 0; k < 4 * body->node_count; k++) {
        end_rate[k] += dt * d->open[k] * end[k];
    }
    for (int k = 0; k < 4 * body->node_count && place != NULL; k++) {
        place[k] += d->open[k] * end[k];
    }
}

/* out += scale H x, H of the entries; not in place. */
static void add_entries(const FilRodDerivative* d, double scale, const double* restrict x, double* restrict out)
{
    for (int r = 0, k = 0; r < d->run_count; r++) {
        const FilEntryRun* run = &d->runs[r];
        const double own = scale * x[run->unknown];
        double sum = d->value[d->entry_capacity + r] * x[run->unknown];
        for (; k < run->end; k++) {
            sum += d->value[k] * x[d->other[k]];
            out[d->other[k]] += d->value[k] * own;
        }
        out[run->unknown] += scale * sum;
    }
}

/* out += dt K x, with the Hessian K. */
static void add_hessian(const FilRodBody* body, const double* x, double* out)
{
    const double dt = body->setup.dt;
    add_entries(body->derivative, dt, x, out);
    for (int k = 0; k < 4 * body->node_count; k++) {
        out[k] -= dt * body->diagonal[k] * x[k];
    }
}

/* Couples of transport, and gyroscopic forces; `sign` 1 or, for what is transposed, -1 for the former. */
static void add_couples(const FilRodDerivative* d, double sign, const double* x, double* out)
{
    for (int i = 0; i < d->edge_count; i++) {
        const FilEdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        double change[3], force[3];
        fil_v3_sub(change, x + b, x + a);
        fil_v3_cross(force, edge->tangent, change);
        fil_v3_axpy(out + b, sign * edge->couple, force);
        fil_v3_axpy(out + a, -sign * edge->couple, force);
    }
}

static void add_gyroscopic(const FilRodBody* body, const double* end, const double* end_rate, double* out)
{
    const FilRodDerivative* d = body->derivative;
    for (int i = 0; i < d->edge_count; i++) {
        const FilEdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        if (!edge->gyroscopic) {
            continue;
        }
        double change[3], rate[3], force[3], more[3];
        fil_v3_sub(change, end + b, end + a);
        fil_v3_sub(rate, end_rate + b, end_rate + a);
        fil_m3_apply(force, edge->by_rate, rate);
        fil_m3_apply(more, edge->by_edge, change);
        fil_v3_axpy(force, 1.0, more);
        fil_v3_axpy(force, end_rate[edge->angle], edge->by_spin);
        fil_v3_axpy(out + b, -body->setup.dt, force);
        fil_v3_axpy(out + a, body->setup.dt, force);
    }
}

static void add_gyroscopic_back(const FilRodBody* body, const double* weight, double* end, double* end_rate)
{
    const FilRodDerivative* d = body->derivative;
    for (int i = 0; i < d->edge_count; i++) {
        const FilEdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        if (!edge->gyroscopic) {
            continue;
        }
        double w[3], change[3], rate[3];
        fil_v3_sub(w, weight + a, weight + b);
        fil_v3_scale(w, body->setup.dt, w);
        fil_m3_apply_transposed(rate, edge->by_rate, w);
        fil_m3_apply_transposed(change, edge->by_edge, w);
        fil_v3_axpy(end + b, 1.0, change);
        fil_v3_axpy(end + a, -1.0, change);
        fil_v3_axpy(end_rate + b, 1.0, rate);
        fil_v3_axpy(end_rate + a, -1.0, rate);
        end_rate[edge->angle] += fil_v3_dot(edge->by_spin, w);
    }
}

/* Torques on edges turn with nothing: their forces and axial parts follow the edge alone. */
static void add_torques(const FilRodBody* body, const double* end, double* out)
{
    const FilRodDerivative* d = body->derivative;
    for (int i = 0; i < d->edge_count && body->has_torque; i++) {
        const FilEdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        double change[3], force[3];
        fil_v3_sub(change, end + b, end + a);
        fil_m3_apply(force, edge->torque_force, change);
        fil_v3_axpy(out + b, -body->setup.dt, force);
        fil_v3_axpy(out + a, body->setup.dt, force);
        out[edge->angle] -= body->setup.dt * fil_v3_dot(edge->torque_angle, change);
    }
}

static void add_torques_back(const FilRodBody* body, const double* weight, double* end)
{
    const FilRodDerivative* d = body->derivative;
    for (int i = 0; i < d->edge_count && body->has_torque; i++) {
        const FilEdgeVariation* edge = &d->edges[i];
        const int a = edge->unknown[0], b = edge->unknown[1];
        double w[3], change[3];
        fil_v3_sub(w, weight + a, weight + b);
        fil_m3_apply_transposed(change, edge->torque_force, w);
        fil_v3_axpy(change, -weight[edge->angle], edge->torque_angle);
        fil_v3_axpy(end + b, body->setup.dt, change);
        fil_v3_axpy(end + a, -body->setup.dt, change);
    }
}

/* out -= dt B1' D B0 x, or with start and end exchanged. */
static void add_strains(const FilRodBody* body, bool back, const double* x, double* out)
{
    const FilRodDerivative* d = body->derivative;
    for (int s = 0; s < d->strain_count; s++) {
        const FilDampedStrain* strain = &d->strains[s];
        const double(*from)[11] = back ? strain->end : strain->start, (*to)[11] = back ? strain->start : strain->end;
        double sum[3] = {0.0};
        for (int k = 0; k < strain->count; k++) {
            const double own = x[strain->unknown[k]];
            for (int r = 0; r < strain->rows; r++) {
                sum[r] += from[r][k] * own;
            }
        }
        for (int r = 0; r < strain->rows; r++) {
            sum[r] *= body->setup.dt * strain->stiffness[r];
        }
        for (int k = 0; k < strain->count; k++) {
            double own = 0.0;
            for (int r = 0; r < strain->rows; r++) {
                own += sum[r] * to[r][k];
            }
            out[strain->unknown[k]] -= own;
        }
    }
}

static void vary(void* pointer, const double* place, const double* rate, const double* end_rate, double* residual, double* end_place)
{
    FilRodBody* body = pointer;
    FilRodDerivative* d = body->derivative;
    const int n = 4 * body->node_count;
    if (residual != NULL) {
        find_end(body, AT_FORCES, place, end_rate, d->end);
        for (int k = 0; k < n; k++) {
            residual[k] = body->mass[k] * (end_rate[k] - at(rate, k)) + body->setup.dt * body->damping[k] * end_rate[k];
        }
        add_hessian(body, d->end, residual);
        add_couples(d, 1.0, d->end, residual);
        add_gyroscopic(body, d->end, end_rate, residual);
        add_torques(body, d->end, residual);
        if (place != NULL) {
            add_strains(body, false, place, residual);
        }
        for (int k = 0; k < n; k++) {
            residual[k] *= body->is_free[k];
        }
    }
    if (end_place != NULL) {
        find_end(body, AT_END, place, end_rate, end_place);
        for (int c = 0; c < body->copy_count; c++) {  // which are where their owners are
            fil_v3_copy(end_place + 4 * body->copies[c], end_place + 4 * body->owner[body->copies[c]]);
        }
    }
}

static void vary_back(void* pointer, const double* residual, const double* end_place, double* place, double* rate, double* end_rate)
{
    FilRodBody* body = pointer;
    FilRodDerivative* d = body->derivative;
    const int n = 4 * body->node_count;
    for (int k = 0; k < n && end_place != NULL; k++) {
        d->end[k] = end_place[k];
    }
    for (int c = 0; c < body->copy_count && end_place != NULL; c++) {
        fil_v3_axpy(d->end + 4 * body->owner[body->copies[c]], 1.0, d->end + 4 * body->copies[c]);
        fil_v3_set(d->end + 4 * body->copies[c], 0.0, 0.0, 0.0);
    }
    if (end_place != NULL) {
        find_end_back(body, AT_END, d->end, place, end_rate);
    }
    if (residual == NULL) {
        return;
    }
    for (int k = 0; k < n; k++) {
        d->end[k] = 0.0;
        d->weight[k] = body->is_free[k] * residual[k];
        end_rate[k] += (body->mass[k] + body->setup.dt * body->damping[k]) * d->weight[k];
    }
    for (int k = 0; k < n && rate != NULL; k++) {
        rate[k] -= body->mass[k] * d->weight[k];
    }
    add_hessian(body, d->weight, d->end);
    add_couples(d, -1.0, d->weight, d->end);
    add_gyroscopic_back(body, d->weight, d->end, end_rate);
    add_torques_back(body, d->weight, d->end);
    if (place != NULL) {
        add_strains(body, true, d->weight, place);
    }
    find_end_back(body, AT_FORCES, d->end, place, end_rate);
}

/* v = (target - q0) / dt; angles of rods that do not twist stay as they are. */
static void lead(const void* pointer, const double* place, double* end_rate)
{
    const FilRodBody* body = pointer;
    for (int h = 0; h < body->held_count; h++) {
        const int k = body->held_at[h];
        end_rate[k] = k % 4 == 3 ? 0.0 : -at(place, k) / body->setup.dt;
    }
}

static void lead_back(const void* pointer, const double* end_rate, double* place)
{
    const FilRodBody* body = pointer;
    for (int h = 0; h < body->held_count; h++) {
        const int k = body->held_at[h];
        place[k] -= k % 4 == 3 ? 0.0 : end_rate[k] / body->setup.dt;
    }
}

/* ---- in contact ---- */

static void tangent(const void* pointer, const double* x, double* out)
{
    const FilRodBody* body = pointer;
    const FilRodDerivative* d = body->derivative;
    for (int k = 0; k < 4 * body->node_count; k++) {
        d->weight[k] = body->is_free[k] * x[k];
        out[k] = 0.0;
    }
    add_entries(d, body->stiffness_scale, d->weight, out);
    for (int k = 0; k < 4 * body->node_count; k++) {
        out[k] *= body->is_free[k];
    }
}

static void tangent_diagonal(const void* pointer, double* out)
{
    const FilRodBody* body = pointer;
    const FilRodDerivative* d = body->derivative;
    memset(out, 0, 4 * sizeof(double) * (size_t)body->node_count);
    for (int r = 0; r < d->run_count; r++) {
        const int k = d->runs[r].unknown;
        out[k] += body->stiffness_scale * body->is_free[k] * d->value[d->entry_capacity + r];
    }
}

static void at_free(void* pointer, const double* start, const double* free_rate, double* place)
{
    find_end(pointer, AT_FREE, start, free_rate, place);
}

static void at_free_back(void* pointer, double* place, double* start, double* free_rate)
{
    find_end_back(pointer, AT_FREE, place, start, free_rate);
}

const FilDerivativeOps fil_rod_derivative_ops = {.prepare = fil_rod_prepare_derivative,
                                                 .vary = vary,
                                                 .vary_back = vary_back,
                                                 .lead = lead,
                                                 .lead_back = lead_back,
                                                 .sweep = fil_rod_sweep,
                                                 .stretch = fil_rod_stretch,
                                                 .linearised = fil_rod_linearised,
                                                 .tangent = tangent,
                                                 .is_factored = true,
                                                 .tangent_diagonal = tangent_diagonal,
                                                 .at_free = at_free,
                                                 .at_free_back = at_free_back,
                                                 .bend = fil_rod_bend,
                                                 .bend_back = fil_rod_bend_back};
