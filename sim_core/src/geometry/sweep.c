/* Advancement (additive, as in codimensional IPC): no feature approaches another faster than the sum of their largest
 * point speeds once the common motion is taken out, so a gap of d lasts at least d / speed. It also lasts while a plane
 * across the line between the closest points has all corners of the one on this side, and of the other on that: what slides past needs
 * one look, and what comes straight on two.
 *
 * Crossing: four moving points meet in a segment-segment or point-triangle sense only when they are coplanar, which is
 * a cubic in time. Its roots are bracketed between the zeros of its derivative and found by bisection, then checked
 * against the distance itself. */
#include "geometry/sweep.h"

#include <string.h>

#include "geometry/closest.h"

#define ADVANCE_STEPS 10000 /* a bound only, which sweeps of some tens end long before: advances shrink with the distance, and end at MEETING */
#define MEETING 1e-9        /* of the size: closer than this is meeting */

typedef double (*Distance2Fn)(const double* x);

static double segments_distance2(const double* x)
{
    double s, t;
    return fil_segment_segment(x, x + 3, x + 6, x + 9, &s, &t);
}

static double point_triangle_distance2(const double* x)
{
    double w[3];
    return fil_point_triangle(x, x + 3, x + 6, x + 9, w);
}

// positions at time t
static void positions_at(double* x, const double* start, const double* end, double t)
{
    for (int k = 0; k < 12; k++) {
        x[k] = start[k] + t * (end[k] - start[k]);
    }
}

// bound of the speed at which the first `split` points approach the others
static double approach_speed(const double* start, const double* end, int split)
{
    double mean[3] = {0.0, 0.0, 0.0}, fastest[2] = {0.0, 0.0};
    for (int k = 0; k < 12; k++) {
        mean[k % 3] += 0.25 * (end[k] - start[k]);
    }
    for (int i = 0; i < 4; i++) {
        double u[3];
        fil_v3_sub(u, end + 3 * i, start + 3 * i);
        fil_v3_sub(u, u, mean);
        fastest[i >= split] = fmax(fastest[i >= split], fil_v3_norm(u));
    }
    return fastest[0] + fastest[1];
}

// from the first feature's closest point to the second's; their squared distance
typedef double (*NearestFn)(const double* x, double* between);

static double segments_nearest(const double* x, double* between)
{
    double s, t;
    const double square = fil_segment_segment(x, x + 3, x + 6, x + 9, &s, &t);
    for (int k = 0; k < 3; k++) {
        between[k] = (x[6 + k] + t * (x[9 + k] - x[6 + k])) - (x[k] + s * (x[3 + k] - x[k]));
    }
    return square;
}

static double point_triangle_nearest(const double* x, double* between)
{
    double w[3];
    const double square = fil_point_triangle(x, x + 3, x + 6, x + 9, w);
    for (int k = 0; k < 3; k++) {
        between[k] = w[0] * (x[3 + k] - x[k]) + w[1] * (x[6 + k] - x[k]) + w[2] * (x[9 + k] - x[k]);
    }
    return square;
}

// how long corners at x, which move on by `end - start` in a step, stay `min` apart along a direction, given as long as it may be; 0: they are not,
// as where the line between closest points is so short that it has no direction but that of rounding
static double apart_for(const double* x, const double* start, const double* end, const double* direction, double min, int split)
{
    double place[4], speed[4], time = HUGE_VAL;
    const double wanted = min * fil_v3_norm(direction);
    for (int i = 0; i < 4; i++) {
        double u[3];
        fil_v3_sub(u, end + 3 * i, start + 3 * i);
        place[i] = fil_v3_dot(x + 3 * i, direction);
        speed[i] = fil_v3_dot(u, direction);
    }
    for (int a = 0; a < split; a++) {
        for (int b = split; b < 4; b++) {
            const double left = place[b] - place[a] - wanted, closing = speed[a] - speed[b];
            time = !(left > 0.0) ? 0.0 : closing > 0.0 ? fmin(time, left / closing) : time;
        }
    }
    return time;
}

static double advance(const double* start, const double* end, double min, double slack, NearestFn nearest, int split)
{
    const double speed = approach_speed(start, end, split);
    double x[12], between[3], gap = sqrt(nearest(start, between)) - min;
    if (gap <= 0.0) {
        return 0.0;
    }
    const double floor = slack * gap,
                 close = 1e-3 * floor;  // what is left to gain is a thousandth of the gap that shall be left: nobody could use it
    double time = 0.0;
    memcpy(x, start, sizeof x);
    for (int step = 0; step < ADVANCE_STEPS; step++) {
        // the gap stays above the floor until `next`, and never falls on it exactly: rounding is far below half of what is called close
        const double slowly = 0.9 * (gap - floor) / speed, straight = apart_for(x, start, end, between, min + floor + 0.5 * close, split);
        const double next = time + fmax(slowly, straight);
        if (next >= 1.0 || speed <= 0.0) {
            return 1.0;
        }
        positions_at(x, start, end, next);
        gap = sqrt(nearest(x, between)) - min;
        // rounding may eat a gap that is nearly used up: then the time before it was the last sure one
        if (gap <= floor || next <= time) {
            return time;
        }
        time = next;
        if (gap - floor < close) {
            return time;
        }
    }
    return time;
}

double fil_sweep_segments(const double start[12], const double end[12], double min, double slack)
{
    return advance(start, end, min, slack, segments_nearest, 2);
}

double fil_sweep_point_triangle(const double start[12], const double end[12], double min, double slack)
{
    return advance(start, end, min, slack, point_triangle_nearest, 1);
}

// ---- crossing ----

static double det3(const double* a, const double* b, const double* c)
{
    double n[3];
    fil_v3_cross(n, b, c);
    return fil_v3_dot(a, n);
}

static double evaluate(const double c[4], double t)
{
    return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
}

// six times the volume of the four points as a polynomial of time: det(u + t u', v + t v', w + t w')
static void volume_polynomial(const double* start, const double* end, double c[4])
{
    double e[3][3], f[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            e[i][k] = start[3 * i + 3 + k] - start[k];
            f[i][k] = end[3 * i + 3 + k] - end[k] - e[i][k];
        }
    }
    c[0] = det3(e[0], e[1], e[2]);
    c[1] = det3(f[0], e[1], e[2]) + det3(e[0], f[1], e[2]) + det3(e[0], e[1], f[2]);
    c[2] = det3(e[0], f[1], f[2]) + det3(f[0], e[1], f[2]) + det3(f[0], f[1], e[2]);
    c[3] = det3(f[0], f[1], f[2]);
}

// ends and turning points of the cubic in [0, 1], rising
static int turning_points(const double c[4], double t[4])
{
    int count = 0;
    t[count++] = 0.0;
    // 3 c3 t^2 + 2 c2 t + c1 = 0, in the form without cancellation
    const double a = 3.0 * c[3], half_b = c[2], discriminant = half_b * half_b - a * c[1];
    if (discriminant >= 0.0) {
        const double q = -(half_b + copysign(sqrt(discriminant), half_b));
        double r0 = a != 0.0 ? q / a : -1.0, r1 = q != 0.0 ? c[1] / q : -1.0;
        if (r0 > r1) {
            const double swap = r0;
            r0 = r1;
            r1 = swap;
        }
        if (r0 > 0.0 && r0 < 1.0) {
            t[count++] = r0;
        }
        if (r1 > 0.0 && r1 < 1.0 && r1 != r0) {
            t[count++] = r1;
        }
    }
    t[count++] = 1.0;
    return count;
}

// the zero between lo and hi, where the cubic has opposite signs
static double bisect(const double c[4], double lo, double hi)
{
    const bool rising = evaluate(c, lo) < 0.0;
    for (int k = 0; k < 100 && hi - lo > 1e-16; k++) {  // of a step of 1: rounding
        const double middle = 0.5 * (lo + hi);
        if ((evaluate(c, middle) < 0.0) == rising) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return 0.5 * (lo + hi);
}

// largest distance of any point, at the start or the end, from the first one's start
static double size_of(const double* start, const double* end)
{
    double size = 0.0;
    for (int i = 0; i < 4; i++) {
        size = fmax(size, fil_v3_distance(start + 3 * i, start));
        size = fmax(size, fil_v3_distance(end + 3 * i, start));
    }
    return size;
}

static bool meets_at(const double* start, const double* end, double t, double size, Distance2Fn distance2)
{
    double x[12];
    positions_at(x, start, end, t);
    return distance2(x) <= MEETING * MEETING * size * size;
}

// four points that stay in one plane: advance until they meet or the step ends
static bool flat_crossing(const double* start, const double* end, double size, Distance2Fn distance2, int split, double* time)
{
    const double speed = approach_speed(start, end, split);
    double t = 0.0;
    for (int step = 0; step < ADVANCE_STEPS && t <= 1.0; step++) {
        double x[12];
        positions_at(x, start, end, t);
        const double gap = sqrt(distance2(x));
        if (gap <= MEETING * size) {
            *time = t;
            return true;
        }
        if (speed <= 0.0) {
            return false;
        }
        t += gap / speed;
    }
    return false;
}

static bool crosses(const double* start, const double* end, Distance2Fn distance2, int split, double* time)
{
    double c[4], t[4], first;
    double* out = time != NULL ? time : &first;
    const double size = size_of(start, end);
    volume_polynomial(start, end, c);
    const double flat = 1e-14 * size * size * size;  // rounding of the four points
    if (fabs(c[0]) + fabs(c[1]) + fabs(c[2]) + fabs(c[3]) <= flat) {
        return flat_crossing(start, end, size, distance2, split, out);
    }
    const int count = turning_points(c, t);
    for (int k = 0; k < count; k++) {
        // touching at an end or a turning point, then a zero before the next one
        const double here = evaluate(c, t[k]);
        if (fabs(here) <= flat && meets_at(start, end, t[k], size, distance2)) {
            *out = t[k];
            return true;
        }
        if (k + 1 < count && (here < 0.0) != (evaluate(c, t[k + 1]) < 0.0)) {
            const double zero = bisect(c, t[k], t[k + 1]);
            if (meets_at(start, end, zero, size, distance2)) {
                *out = zero;
                return true;
            }
        }
    }
    return false;
}

bool fil_sweep_segments_cross(const double start[12], const double end[12], double* time)
{
    return crosses(start, end, segments_distance2, 2, time);
}

bool fil_sweep_point_triangle_cross(const double start[12], const double end[12], double* time)
{
    return crosses(start, end, point_triangle_distance2, 1, time);
}
