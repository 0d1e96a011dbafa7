#include "contact/ipc_barrier.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

/* ---- of one number ---- */

FilJet fil_barrier(double gap, double range, double stiffness)
{
    if (gap >= range) {
        return (FilJet){0.0, 0.0, 0.0};
    }
    if (!(gap > 0.0)) {
        return (FilJet){INFINITY, -INFINITY, INFINITY};
    }
    const double off = gap - range, ratio = off / gap, logarithm = log(gap / range);
    return (FilJet){-stiffness * off * off * logarithm, -stiffness * off * (2.0 * logarithm + ratio),
                    -stiffness * (2.0 * logarithm + ratio * (4.0 - ratio))};
}

FilJet fil_ring_barrier(double gap, double range, double stiffness)
{
    if (gap <= 0.0) {
        return (FilJet){0.0, 0.0, 0.0};
    }
    if (!(gap < range)) {
        return (FilJet){INFINITY, INFINITY, INFINITY};
    }
    const double ratio = gap / (range - gap), logarithm = log1p(-gap / range);
    return (FilJet){-stiffness * gap * gap * logarithm, stiffness * gap * (ratio - 2.0 * logarithm),
                    stiffness * (ratio * (4.0 + ratio) - 2.0 * logarithm)};
}

FilJet fil_slip(double speed, double bound)
{
    if (speed >= bound) {
        return (FilJet){speed, 1.0, 0.0};
    }
    const double y = speed / bound;
    return (FilJet){bound * (y * y - y * y * y / 3.0 + 1.0 / 3.0), y * (2.0 - y), 2.0 * (1.0 - y) / bound};
}

double fil_slip_bound_curvature(double speed, double bound)
{
    return speed < bound ? (2.0 - speed / bound) / bound : 1.0 / speed;
}

/* ---- of a distance ---- */

/* From the jet over the distance d to gradient and Hessian over the corners:
 * E' / d grad f, and (E'' - E'/d) / d^2 grad f grad f' + E' / d Hessian f. */
static void spread_jet(FilFeature pair, const FilJet* jet, const FilClosest* closest, double d, const double* x, bool positive, double* gradient,
                       double* hessian)
{
    const int n = 3 * fil_feature_corners(pair);
    const double slope = d > 0.0 ? jet->first / d : 0.0;
    double g[FIL_FEATURE_SIZE];
    fil_feature_gradient(pair, closest, g);
    if (hessian != NULL) {
        // repulsion: E' < 0 makes everything but E'' n n' negative or small
        const bool narrow = positive && slope < 0.0;
        const bool attracts = positive && slope > 0.0;  // a barrier that is taken away
        const double along = d > 0.0 && !attracts ? (jet->second - (narrow ? 0.0 : slope)) / (d * d) : 0.0;
        const bool bare = narrow || attracts || slope == 0.0;
        if (!bare) {
            fil_feature_hessian(pair, closest, x, hessian);
        }
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                hessian[n * j + k] = (bare ? 0.0 : slope * hessian[n * j + k]) + along * g[j] * g[k];
            }
        }
    }
    if (gradient != NULL) {
        for (int k = 0; k < n; k++) {
            gradient[k] = slope * g[k];
        }
    }
}

static double repel(const FilRepulsion* r, FilFeature pair, const double* x, double* gradient, double* hessian, bool positive)
{
    const FilClosest closest = fil_feature_closest(pair, x);
    const double d = sqrt(2.0 * closest.half_square);
    const FilJet jet = fil_barrier(d - r->offset, r->range, r->stiffness);
    if (isfinite(jet.value)) {
        spread_jet(pair, &jet, &closest, d, x, positive, gradient, hessian);
    }
    return jet.value;
}

/* ---- nearly parallel segments ---- */

double fil_parallel_threshold(double length_a, double length_b)
{
    // eps_x of Li et al. 2020 (Incremental Potential Contact): sines below 0.03
    return 1e-3 * length_a * length_a * length_b * length_b;
}

/* m of c = |e x f|^2, with its derivatives over c. */
static FilJet mollifier(double c, double threshold)
{
    const double y = c / threshold;
    return (FilJet){y * (2.0 - y), 2.0 * (1.0 - y) / threshold, -2.0 / (threshold * threshold)};
}

/* c = |e x f|^2 = |e|^2 |f|^2 - (e.f)^2 with e = x1 - x0, f = x3 - x2: gradient and Hessian over the corners. */
static double cross_square(const double* x, double* gradient, double* hessian)
{
    static const double sign[4] = {-1.0, 1.0, -1.0, 1.0};
    double e[3], f[3], ge[3], gf[3], h[2][2][9];
    fil_v3_sub(e, x + 3, x);
    fil_v3_sub(f, x + 9, x + 6);
    const double ee = fil_v3_dot(e, e), ef = fil_v3_dot(e, f), ff = fil_v3_dot(f, f);
    for (int j = 0; j < 3; j++) {
        ge[j] = 2.0 * (ff * e[j] - ef * f[j]);
        gf[j] = 2.0 * (ee * f[j] - ef * e[j]);
        for (int k = 0; k < 3; k++) {
            const double unit = j == k ? 1.0 : 0.0;
            h[0][0][3 * j + k] = 2.0 * (ff * unit - f[j] * f[k]);
            h[1][1][3 * j + k] = 2.0 * (ee * unit - e[j] * e[k]);
            h[0][1][3 * j + k] = 2.0 * (2.0 * e[j] * f[k] - f[j] * e[k] - ef * unit);
            h[1][0][3 * k + j] = h[0][1][3 * j + k];
        }
    }
    for (int p = 0; p < 4; p++) {
        fil_v3_scale(gradient + 3 * p, sign[p], p < 2 ? ge : gf);
        for (int q = 0; q < 4; q++) {
            for (int k = 0; k < 9; k++) {
                hessian[12 * (3 * p + k / 3) + 3 * q + k % 3] = sign[p] * sign[q] * h[p / 2][q / 2][k];
            }
        }
    }
    return ee * ff - ef * ef;
}

/* Adds weight(c) B of one pair of features, whose corners are those of the segments that `place` names. */
typedef struct Blend {
    const FilRepulsion* repulsion;
    const double* x;
    FilJet weight; /* over c */
    const double *c_gradient, *c_hessian;
    double energy, *gradient, *hessian;
    bool positive;
} Blend;

static void blend_in(Blend* b, FilFeature pair, const int* place, double sign)
{
    const int corners = fil_feature_corners(pair), n = 3 * corners;
    double x[FIL_FEATURE_SIZE], own[FIL_FEATURE_SIZE], own_hessian[144], g[FIL_FEATURE_SIZE] = {0.0};
    for (int i = 0; i < corners; i++) {
        fil_v3_copy(x + 3 * i, b->x + 3 * place[i]);
    }
    const double value = repel(b->repulsion, pair, x, own, own_hessian, b->positive);
    const double w = sign > 0.0 ? b->weight.value : 0.5 * (1.0 - b->weight.value);
    const double w1 = (sign > 0.0 ? 1.0 : -0.5) * b->weight.first, w2 = (sign > 0.0 ? 1.0 : -0.5) * b->weight.second;
    if (value == 0.0) {
        return;
    }
    b->energy += w * value;
    for (int i = 0; i < corners; i++) {
        fil_v3_copy(g + 3 * place[i], own + 3 * i);
    }
    for (int j = 0; j < 12 && b->gradient != NULL; j++) {
        b->gradient[j] += w * g[j] + value * w1 * b->c_gradient[j];
    }
    if (b->hessian == NULL) {
        return;
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            b->hessian[12 * (3 * place[j / 3] + j % 3) + 3 * place[k / 3] + k % 3] += w * own_hessian[n * j + k];
        }
    }
    for (int j = 0; j < 12 && !b->positive; j++) {
        for (int k = 0; k < 12; k++) {
            b->hessian[12 * j + k] += w1 * (g[j] * b->c_gradient[k] + b->c_gradient[j] * g[k]) +
                                      value * (w2 * b->c_gradient[j] * b->c_gradient[k] + w1 * b->c_hessian[12 * j + k]);
        }
    }
}

static double blend_segments(const FilRepulsion* r, const double* x, double c, const double* c_gradient, const double* c_hessian, double* gradient,
                             double* hessian, bool positive)
{
    static const int both[4] = {0, 1, 2, 3}, ends[4][3] = {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}};
    Blend blend = {.repulsion = r,
                   .x = x,
                   .weight = mollifier(c, r->parallel),
                   .c_gradient = c_gradient,
                   .c_hessian = c_hessian,
                   .gradient = gradient,
                   .hessian = hessian,
                   .positive = positive};
    if (gradient != NULL) {
        memset(gradient, 0, 12 * sizeof(double));
    }
    if (hessian != NULL) {
        memset(hessian, 0, 144 * sizeof(double));
    }
    // a closed gap closes all of it
    const FilClosest closest = fil_feature_closest(FIL_SEGMENT_SEGMENT, x);
    if (!(sqrt(2.0 * closest.half_square) > r->offset)) {
        return INFINITY;
    }
    blend_in(&blend, FIL_SEGMENT_SEGMENT, both, 1.0);
    for (int k = 0; k < 4; k++) {
        blend_in(&blend, FIL_POINT_SEGMENT, ends[k], -1.0);
    }
    return blend.energy;
}

/* |e x f|^2 of two segments. */
static double cross_of(const double* x)
{
    double e[3], f[3], cross[3];
    fil_v3_sub(e, x + 3, x);
    fil_v3_sub(f, x + 9, x + 6);
    fil_v3_cross(cross, e, f);
    return fil_v3_dot(cross, cross);
}

bool fil_repulsion_parallel(const FilRepulsion* repulsion, const double* x)
{
    return repulsion->pair == FIL_SEGMENT_SEGMENT && repulsion->parallel > 0.0 && cross_of(x) < repulsion->parallel;
}

double fil_repulsion_crossing(const FilRepulsion* repulsion, const double* x)
{
    return fil_repulsion_parallel(repulsion, x) ? mollifier(cross_of(x), repulsion->parallel).value : 1.0;
}

double fil_repulsion_energy(const FilRepulsion* repulsion, const double* x, double* gradient, double* hessian, bool positive)
{
    if (fil_repulsion_parallel(repulsion, x)) {
        double c_gradient[12], c_hessian[144];
        cross_square(x, c_gradient, c_hessian);
        return blend_segments(repulsion, x, cross_of(x), c_gradient, c_hessian, gradient, hessian, positive);
    }
    return repel(repulsion, repulsion->pair, x, gradient, hessian, positive);
}

bool fil_repulsion_square(const FilRepulsion* repulsion, const double* x, bool positive, double* along, double* gradient)
{
    if (fil_repulsion_parallel(repulsion, x)) {
        return false;
    }
    const FilClosest closest = fil_feature_closest(repulsion->pair, x);
    const double d = sqrt(2.0 * closest.half_square);
    const FilJet jet = fil_barrier(d - repulsion->offset, repulsion->range, repulsion->stiffness);
    if (!isfinite(jet.value) || !(d > 0.0) || (jet.first != 0.0 && !(positive && jet.first < 0.0))) {
        return false;
    }
    fil_feature_gradient(repulsion->pair, &closest, gradient);
    *along = jet.value == 0.0 ? 0.0 : jet.second / (d * d);
    return true;
}

/* ---- rings ---- */

double fil_ring_energy(double offset, double range, double stiffness, const FilTrackPoint* point, double* gradient, double* hessian, bool positive)
{
    const double d = sqrt(2.0 * point->half_square);
    const FilJet jet = fil_ring_barrier(d - offset, range, stiffness);
    const double slope = d > 0.0 ? jet.first / d : 0.0;
    double g[12];
    if (!isfinite(jet.value) || (gradient == NULL && hessian == NULL)) {
        return jet.value;
    }
    fil_track_gradient(point, g);
    for (int k = 0; k < 12 && gradient != NULL; k++) {
        gradient[k] = slope * g[k];
    }
    if (hessian != NULL) {
        const double along = d > 0.0 ? (jet.second - slope) / (d * d) : 0.0;
        fil_track_hessian(point, positive, hessian);
        for (int k = 0; k < 144; k++) {
            hessian[k] = slope * hessian[k] + along * g[k / 12] * g[k % 12];
        }
    }
    return jet.value;
}
