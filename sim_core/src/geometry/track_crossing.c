/* Where a track crosses a plane. What passes a hole depends on the curve's direction, too, so this curve is smoother
 * than the one that points ride on: a cubic B-spline, between nodes i and i + 1 of nodes i - 1 to i + 2. At an end the
 * node beyond mirrors the one inside, so that the curve begins in the end node, straight, and goes on straight beyond
 * it. */
#include <math.h>

#include "base/vec3.h"
#include "geometry/track.h"

/* A bound only: halving takes 53 of them where Newton does not help; ends what rounding lets go on. */
enum { STEPS = 300 };

/* Moves the weight of a mirrored node to the two that it follows from: x = 2 near - far. */
static void mirror(double* weight, int gone, int near, int far)
{
    weight[near] += 2.0 * weight[gone];
    weight[far] -= weight[gone];
    weight[gone] = 0.0;
}

/* Basis functions of the four nodes of a piece and their derivatives. */
static void basis_of(double u, double b[4][4])
{
    const double v = 1.0 - u;
    const double values[4][4] = {{v * v * v / 6.0, 2.0 / 3.0 - u * u * (1.0 - 0.5 * u), 2.0 / 3.0 - v * v * (1.0 - 0.5 * v), u * u * u / 6.0},
                                 {-0.5 * v * v, u * (1.5 * u - 2.0), v * (2.0 - 1.5 * v), 0.5 * u * u},
                                 {v, 3.0 * u - 2.0, 3.0 * v - 2.0, u},
                                 {-1.0, 3.0, -3.0, 1.0}};
    for (int k = 0; k < 16; k++) {
        b[k / 4][k % 4] = values[k / 4][k % 4];
    }
}

/* The curve at t nodes from the first one. */
static void see_point(const FilTrack* track, const double* positions, const double* p, double t, FilTrackPoint* out)
{
    const int n = track->count, last = track->loop ? n - 1 : n - 2;
    const int piece = t < 0.0 ? 0 : t >= last + 1 ? last : (int)t;
    const double u = t - piece;
    double b[4][4], *derivative[4] = {out->weight, out->change, out->curve, out->third};
    const bool before = !track->loop && t < 0.0, after = !track->loop && t > n - 1;
    basis_of(before ? 0.0 : after ? 1.0 : u, b);
    for (int k = 0; k < 4; k++) {
        const int i = piece - 1 + k;
        out->node[k] = track->node[track->loop ? (i + n) % n : i < 0 ? 0 : i > n - 1 ? n - 1 : i];
    }
    for (int order = 0; order < 4 && !track->loop; order++) {
        if (piece == 0) {
            mirror(b[order], 0, 1, 2);
        }
        if (piece == last) {
            mirror(b[order], 3, 2, 1);
        }
    }
    // beyond an end: its slope, and nothing else that changes
    const double beyond = before ? u : after ? u - 1.0 : 0.0;
    for (int k = 0; k < 4 && (before || after); k++) {
        b[0][k] += beyond * b[1][k];
        b[2][k] = b[3][k] = 0.0;
    }
    for (int order = 0; order < 4; order++) {
        derivative[order][0] = order == 0 ? 1.0 : 0.0;
        for (int k = 0; k < 4; k++) {
            derivative[order][1 + k] = -b[order][k];
        }
    }
    fil_v3_copy(out->r, p);
    double* sums[4] = {out->r, out->slope, out->bend, out->jerk};
    for (int order = 0; order < 4; order++) {
        if (order > 0) {
            fil_v3_set(sums[order], 0.0, 0.0, 0.0);
        }
        for (int k = 0; k < 4; k++) {
            fil_v3_axpy(sums[order], derivative[order][1 + k], positions + 4 * out->node[k]);
        }
    }
    out->half_square = 0.5 * fil_v3_dot(out->r, out->r);
    out->held = false;
    out->beyond = before ? -1 : after ? 1 : 0;
    out->over = before ? -t : after ? t - (n - 1) : 0.0;
    out->past = (before && track->open[0]) || (after && track->open[1]);
}

bool fil_track_crossing(const FilTrack* track, const double* positions, const double* p, const double* axis, FilTrackPlace* place, FilTrackPoint* out)
{
    const int n = track->count;
    double t = place->piece + place->u - 0.5, low = -HUGE_VAL, high = HUGE_VAL;
    for (int step = 0; step < STEPS; step++) {
        const double on_loop = track->loop ? t - n * floor(t / n) : t;
        see_point(track, positions, p, on_loop, out);
        const double value = fil_v3_dot(out->r, axis), slope = fil_v3_dot(out->slope, axis);
        low = value < 0.0 ? t : low;
        high = value > 0.0 ? t : high;
        // Newton where it rises, at most a node at a time; else on to where it could
        const double max = out->beyond != 0 ? HUGE_VAL : 1.0;
        double next = slope > 0.0 ? t - fmin(fmax(value / slope, -max), max) : t + (value < 0.0 ? 0.5 : -0.5);
        if (low < high && isfinite(low) && isfinite(high) && !(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        // rounding
        if (value == 0.0 || fabs(next - t) <= 1e-15 * (1.0 + fabs(t))) {
            const int piece = (int)fmin(fmax(floor(on_loop + 0.5), 0.0), n - 1);
            *place = (FilTrackPlace){piece, on_loop - piece + 0.5};
            return slope > 0.0;
        }
        t = next;
    }
    return false;
}
