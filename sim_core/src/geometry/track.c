#include "geometry/track.h"

#include <math.h>

#include "base/vec3.h"

/* Pieces that one search may walk along, and steps of Newton's method on one of them. */
enum { WALK = 10000, STEPS = 20 };

static bool is_end(const FilTrack* track, int piece)
{
    return !track->loop && (piece == 0 || piece == track->count - 1);
}

/* Bounds of u on a piece: halves at the ends, which the curve leaves only if it is open there. */
static void bounds_of(const FilTrack* track, int piece, double* low, double* high)
{
    *low = 0.0;
    *high = 1.0;
    if (!track->loop && piece == 0) {
        *low = track->open[0] ? -HUGE_VAL : 0.5;
    }
    if (!track->loop && piece == track->count - 1) {
        *high = track->open[1] ? HUGE_VAL : 0.5;
    }
}

static void put_weights(const FilTrack* track, int piece, double u, FilTrackPoint* out)
{
    const int n = track->count;
    const int before = piece > 0 ? piece - 1 : track->loop ? n - 1 : 0, after = piece < n - 1 ? piece + 1 : track->loop ? 0 : n - 1;
    const int nodes[3] = {track->node[before], track->node[piece], track->node[after]};
    double w[3] = {0.5 * (1.0 - u) * (1.0 - u), 0.5 + u - u * u, 0.5 * u * u}, d[3] = {u - 1.0, 1.0 - 2.0 * u, u};
    double s[3] = {1.0, -2.0, 1.0};
    if (is_end(track, piece)) {  // straight: the node beyond mirrors the one inside
        const bool first = piece == 0;
        w[0] = first ? 0.0 : 0.5 - u;
        w[1] = first ? 1.5 - u : 0.5 + u;
        w[2] = first ? u - 0.5 : 0.0;
        d[0] = first ? 0.0 : -1.0;
        d[1] = first ? -1.0 : 1.0;
        d[2] = first ? 1.0 : 0.0;
        s[0] = s[1] = s[2] = 0.0;
    }
    out->weight[0] = 1.0;
    out->change[0] = out->curve[0] = 0.0;
    for (int k = 0; k < 3; k++) {
        out->node[k] = nodes[k];
        out->weight[1 + k] = -w[k];
        out->change[1 + k] = -d[k];
        out->curve[1 + k] = -s[k];
    }
}

static void see_point(const FilTrack* track, const double* positions, const double* p, FilTrackPlace place, FilTrackPoint* out)
{
    put_weights(track, place.piece, place.u, out);
    fil_v3_copy(out->r, p);
    fil_v3_set(out->slope, 0.0, 0.0, 0.0);
    fil_v3_set(out->bend, 0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++) {
        const double* x = positions + 4 * out->node[k];
        fil_v3_axpy(out->r, out->weight[1 + k], x);
        fil_v3_axpy(out->slope, out->change[1 + k], x);
        fil_v3_axpy(out->bend, out->curve[1 + k], x);
    }
    out->half_square = 0.5 * fil_v3_dot(out->r, out->r);
}

/* The best u of one piece inside its bounds, by Newton's method with the curvature of a straight line where need be. */
static double best_on_piece(const FilTrack* track, const double* positions, const double* p, FilTrackPlace place, FilTrackPoint* out)
{
    double low, high;
    bounds_of(track, place.piece, &low, &high);
    place.u = fmin(fmax(place.u, low), high);
    for (int step = 0; step < STEPS; step++) {
        see_point(track, positions, p, place, out);
        const double slope = fil_v3_dot(out->r, out->slope), straight = fil_v3_dot(out->slope, out->slope);
        // at points further off than the curve's centre it would be negative: Newton's step becomes one of descent, ten times Gauss's at most, which
        // the piece's bounds still cut
        const double curve = fmax(straight + fil_v3_dot(out->r, out->bend), 0.1 * straight);
        const double next = curve > 0.0 ? fmin(fmax(place.u - slope / curve, low), high) : place.u;
        const bool done = fabs(next - place.u) <= 1e-15 * (1.0 + fabs(next));  // rounding
        place.u = next;
        if (done) {
            break;
        }
    }
    see_point(track, positions, p, place, out);
    return place.u;
}

void fil_track_closest(const FilTrack* track, const double* positions, const double* p, FilTrackPlace* place, FilTrackPoint* out)
{
    *out = (FilTrackPoint){0};
    int came_from = -1;
    for (int walk = 0; walk < WALK; walk++) {
        double low, high;
        bounds_of(track, place->piece, &low, &high);
        place->u = best_on_piece(track, positions, p, *place, out);
        const bool on = place->u >= high && high == 1.0, back = place->u <= low && low == 0.0;
        const int next = !on && !back ? -1 : (place->piece + (on ? 1 : track->count - 1)) % track->count;
        // between two pieces that each prefer the other it stays on their border
        if (next < 0 || next == came_from) {
            break;
        }
        came_from = place->piece;
        *place = (FilTrackPlace){next, on ? 0.0 : 1.0};
    }
    double low, high;
    bounds_of(track, place->piece, &low, &high);
    out->held = (place->u <= low && low == 0.5) || (place->u >= high && high == 0.5);
    out->past = !track->loop && ((place->piece == 0 && place->u < 0.5 && track->count > 1) || (place->piece == track->count - 1 && place->u > 0.5));
}

FilTrackPlace fil_track_search(const FilTrack* track, const double* positions, const double* p)
{
    FilTrackPlace best = {0, 0.5};
    double min = HUGE_VAL;
    for (int k = 0; k < track->count; k++) {
        const double d = fil_v3_distance(positions + 4 * track->node[k], p);
        if (d < min) {
            min = d;
            best.piece = k;
        }
    }
    FilTrackPoint point;
    fil_track_closest(track, positions, p, &best, &point);
    return best;
}

void fil_track_gradient(const FilTrackPoint* point, double* gradient)
{
    for (int i = 0; i < 4; i++) {
        fil_v3_scale(gradient + 3 * i, point->weight[i], point->r);
    }
}

void fil_track_hessian(const FilTrackPoint* point, bool positive, double* hessian)
{
    const double straight = fil_v3_dot(point->slope, point->slope), curve = straight + fil_v3_dot(point->r, point->bend);
    const double over = point->held || !(straight > 0.0) ? 0.0 : positive || !(curve > 0.0) ? 1.0 / straight : 1.0 / curve;
    double mixed[12];
    for (int i = 0; i < 4; i++) {
        fil_v3_scale(mixed + 3 * i, point->weight[i], point->slope);
        if (!positive) {
            fil_v3_axpy(mixed + 3 * i, point->change[i], point->r);
        }
    }
    for (int j = 0; j < 12; j++) {
        for (int k = 0; k < 12; k++) {
            const double same = j % 3 == k % 3 ? point->weight[j / 3] * point->weight[k / 3] : 0.0;
            hessian[12 * j + k] = same - over * mixed[j] * mixed[k];
        }
    }
}

double fil_track_length(const FilTrack* track, const double* positions, FilTrackPlace place)
{
    double length = 0.0;
    const int n = track->count;
    for (int k = 0; k < place.piece && k + 1 < n + (track->loop ? 1 : 0); k++) {
        length += fil_v3_distance(positions + 4 * track->node[k], positions + 4 * track->node[(k + 1) % n]);
    }
    // u = 1/2 stands for the node itself
    const bool back = place.u < 0.5;
    const int other = back ? (place.piece > 0 ? place.piece - 1
                              : track->loop   ? n - 1
                                              : 1)
                           : (place.piece < n - 1 ? place.piece + 1
                              : track->loop       ? 0
                                                  : n - 2);
    if (n > 1) {
        const double edge = fil_v3_distance(positions + 4 * track->node[place.piece], positions + 4 * track->node[other]);
        length += (place.u - 0.5) * edge;
    }
    return length;
}
