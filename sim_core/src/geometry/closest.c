#include "geometry/closest.h"

#include <float.h>

static double clamp01(double x)
{
    return x < 0.0 ? 0.0 : (x > 1.0 ? 1.0 : x);
}

static double square(double x)
{
    return x * x;
}

// squared distance between p0 + s u and q0 + t v, where r = p0 - q0
static double distance2_at(const double* r, const double* u, const double* v, double s, double t)
{
    return square(r[0] + s * u[0] - t * v[0]) + square(r[1] + s * u[1] - t * v[1]) + square(r[2] + s * u[2] - t * v[2]);
}

double fil_point_segment(const double* p, const double* a, const double* b, double* s)
{
    double u[3], r[3];
    fil_v3_sub(u, b, a);
    fil_v3_sub(r, p, a);
    const double uu = fil_v3_dot(u, u);
    *s = uu > 0.0 ? clamp01(fil_v3_dot(r, u) / uu) : 0.0;
    return square(r[0] - *s * u[0]) + square(r[1] - *s * u[1]) + square(r[2] - *s * u[2]);
}

double fil_segment_segment(const double* p0, const double* p1, const double* q0, const double* q1, double* s, double* t)
{
    double u[3], v[3], r[3];
    fil_v3_sub(u, p1, p0);
    fil_v3_sub(v, q1, q0);
    fil_v3_sub(r, p0, q0);
    const double uu = fil_v3_dot(u, u), vv = fil_v3_dot(v, v), uv = fil_v3_dot(u, v);
    const double ur = fil_v3_dot(u, r), vr = fil_v3_dot(v, r);
    if (uu <= DBL_MIN || vv <= DBL_MIN) {
        // one or both are points
        *s = uu > DBL_MIN ? clamp01(-ur / uu) : 0.0;
        *t = vv > DBL_MIN ? clamp01(vr / vv) : 0.0;
        return distance2_at(r, u, v, *s, *t);
    }

    // best s on the infinite lines, then best t for it, then best s for a clamped t
    const double det = uu * vv - uv * uv;
    double bs = det > 0.0 ? clamp01((uv * vr - ur * vv) / det) : 0.0;
    double bt = (uv * bs + vr) / vv;
    if (bt < 0.0 || bt > 1.0) {
        bt = clamp01(bt);
        bs = clamp01((uv * bt - ur) / uu);
    }
    *s = bs;
    *t = bt;
    double best = distance2_at(r, u, v, bs, bt);
    if (det > 1e-10 * uu * vv) {  // sine of the angle above 1e-5: the quotient keeps six digits
        return best;
    }

    // within 1e-5 rad of parallel the determinant has lost its digits: an end point may be closer
    const double cs[4] = {0.0, 1.0, clamp01(-ur / uu), clamp01((uv - ur) / uu)};
    const double ct[4] = {clamp01(vr / vv), clamp01((uv + vr) / vv), 0.0, 1.0};
    for (int k = 0; k < 4; k++) {
        const double d2 = distance2_at(r, u, v, cs[k], ct[k]);
        if (d2 < best) {
            best = d2;
            *s = cs[k];
            *t = ct[k];
        }
    }
    return best;
}

bool fil_segment_overlap(const double* p0, const double* p1, const double* q0, const double* q1, double sine, double s[2], double t[2])
{
    double u[3], v[3], r[3];
    fil_v3_sub(u, p1, p0);
    fil_v3_sub(v, q1, q0);
    fil_v3_sub(r, q0, p0);
    const double uu = fil_v3_dot(u, u), vv = fil_v3_dot(v, v), uv = fil_v3_dot(u, v);
    // sin^2 = 1 - (u.v)^2/(uu vv)
    if (uu <= DBL_MIN || vv <= DBL_MIN || uu * vv - uv * uv >= sine * sine * uu * vv) {
        return false;
    }
    // where q0 and q1 project on p, clipped to the segment
    const double at_q0 = fil_v3_dot(r, u) / uu;
    const double at_q1 = at_q0 + uv / uu;
    s[0] = clamp01(at_q0 < at_q1 ? at_q0 : at_q1);
    s[1] = clamp01(at_q0 < at_q1 ? at_q1 : at_q0);
    if ((s[1] - s[0]) * sqrt(uu) <= sine * sqrt(uu < vv ? uu : vv)) {
        return false;
    }
    // and back on q
    for (int k = 0; k < 2; k++) {
        t[k] = clamp01((uv * s[k] - fil_v3_dot(r, v)) / vv);
    }
    return true;
}

// the closest of a triangle's edges
static double point_triangle_edges(const double* p, const double* const corner[3], double w[3])
{
    double best = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        double s;
        const int next = (k + 1) % 3;
        const double d2 = fil_point_segment(p, corner[k], corner[next], &s);
        if (d2 < best) {
            best = d2;
            w[k] = 1.0 - s;
            w[next] = s;
            w[(k + 2) % 3] = 0.0;
        }
    }
    return best;
}

double fil_point_triangle(const double* p, const double* a, const double* b, const double* c, double w[3])
{
    double ab[3], ac[3], ap[3], n[3], cross[3];
    fil_v3_sub(ab, b, a);
    fil_v3_sub(ac, c, a);
    fil_v3_sub(ap, p, a);
    fil_v3_cross(n, ab, ac);
    const double nn = fil_v3_dot(n, n);
    if (nn > 0.0) {
        // barycentric weights of the projection: w_b = n.(ap x ac)/nn, w_c = n.(ab x ap)/nn
        fil_v3_cross(cross, ap, ac);
        w[1] = fil_v3_dot(n, cross) / nn;
        fil_v3_cross(cross, ab, ap);
        w[2] = fil_v3_dot(n, cross) / nn;
        w[0] = 1.0 - w[1] - w[2];
        if (w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0) {
            return square(fil_v3_dot(n, ap)) / nn;
        }
    }
    return point_triangle_edges(p, (const double* const[3]){a, b, c}, w);
}

double fil_segment_triangle(const double* p, const double* q, const double* a, const double* b, const double* c, double* s, double w[3])
{
    // the ends against the triangle
    const double* const corner[3] = {a, b, c};
    double weights[3];
    double best = fil_point_triangle(p, a, b, c, w);
    *s = 0.0;
    const double end = fil_point_triangle(q, a, b, c, weights);
    if (end < best) {
        best = end;
        *s = 1.0;
        fil_v3_copy(w, weights);
    }
    // the segment against the edges
    for (int k = 0; k < 3; k++) {
        double u, v;
        const int next = (k + 1) % 3;
        const double d2 = fil_segment_segment(p, q, corner[k], corner[next], &u, &v);
        if (d2 < best) {
            best = d2;
            *s = u;
            w[k] = 1.0 - v;
            w[next] = v;
            w[(k + 2) % 3] = 0.0;
        }
    }
    // piercing: the ends lie on two sides of the plane and the crossing point inside the triangle
    double ab[3], ac[3], n[3], ap[3], aq[3];
    fil_v3_sub(ab, b, a);
    fil_v3_sub(ac, c, a);
    fil_v3_sub(ap, p, a);
    fil_v3_sub(aq, q, a);
    fil_v3_cross(n, ab, ac);
    const double hp = fil_v3_dot(n, ap), hq = fil_v3_dot(n, aq);
    if (best > 0.0 && ((hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0))) {
        const double u = hp / (hp - hq);
        const double x[3] = {p[0] + u * (q[0] - p[0]), p[1] + u * (q[1] - p[1]), p[2] + u * (q[2] - p[2])};
        const double d2 = fil_point_triangle(x, a, b, c, weights);
        if (d2 < best) {
            best = d2;
            *s = u;
            fil_v3_copy(w, weights);
        }
    }
    return best;
}

double fil_point_box(const double* p, const double* half, double* normal)
{
    // outside: away from the clamped point
    double outside2 = 0.0;
    for (int k = 0; k < 3; k++) {
        normal[k] = p[k] > half[k] ? p[k] - half[k] : (p[k] < -half[k] ? p[k] + half[k] : 0.0);
        outside2 += normal[k] * normal[k];
    }
    if (outside2 > DBL_MIN) {
        return fil_v3_normalise(normal);
    }
    // inside: through the nearest face
    int face = 0;
    for (int k = 1; k < 3; k++) {
        face = fabs(p[k]) - half[k] > fabs(p[face]) - half[face] ? k : face;
    }
    fil_v3_set(normal, 0.0, 0.0, 0.0);
    normal[face] = p[face] < 0.0 ? -1.0 : 1.0;
    return fabs(p[face]) - half[face];
}

double fil_point_cylinder(const double* p, double radius, double half, double* normal)
{
    const double rho = sqrt(p[0] * p[0] + p[1] * p[1]);
    const double side = p[2] < 0.0 ? -1.0 : 1.0;
    const double beyond_r = rho - radius, beyond_z = fabs(p[2]) - half;
    // radial direction; on the axis any will do
    const double ex = rho > 0.0 ? p[0] / rho : 1.0, ey = rho > 0.0 ? p[1] / rho : 0.0;
    if (beyond_r > 0.0 && beyond_z > 0.0) {
        // the rim
        const double d = sqrt(beyond_r * beyond_r + beyond_z * beyond_z);
        fil_v3_set(normal, ex * beyond_r / d, ey * beyond_r / d, side * beyond_z / d);
        return d;
    }
    if (beyond_r > beyond_z) {
        fil_v3_set(normal, ex, ey, 0.0);
        return beyond_r;
    }
    fil_v3_set(normal, 0.0, 0.0, side);
    return beyond_z;
}

// how far x sticks out of [-half, half]
static double excess(double x, double half)
{
    return x > half ? x - half : (x < -half ? x + half : 0.0);
}

// half the derivative of the squared distance from p + s d to the box: continuous, never falling, linear in pieces
static double box_slope(const double* p, const double* d, const double* half, double s)
{
    double slope = 0.0;
    for (int k = 0; k < 3; k++) {
        slope += excess(p[k] + s * d[k], half[k]) * d[k];
    }
    return slope;
}

// zero of the linear function through (s0, g0 < 0) and (s1, g1 > 0), kept inside
static double linear_zero(double s0, double g0, double s1, double g1)
{
    const double s = s0 + (s1 - s0) * (g0 / (g0 - g1));
    return s < s0 ? s0 : (s > s1 ? s1 : s);
}

double fil_segment_box(const double* p, const double* q, const double* half, double* s)
{
    double d[3];
    fil_v3_sub(d, q, p);
    // the slope bends where the segment crosses a face's plane: sort these
    double bend[8] = {0.0};
    int count = 1;
    for (int k = 0; k < 6; k++) {
        const double x = d[k / 2] != 0.0 ? ((k & 1 ? half[k / 2] : -half[k / 2]) - p[k / 2]) / d[k / 2] : 0.0;
        if (x > 0.0 && x < 1.0) {
            int i = count++;
            for (; bend[i - 1] > x; i--) {
                bend[i] = bend[i - 1];
            }
            bend[i] = x;
        }
    }
    bend[count++] = 1.0;
    double slope[8];
    for (int k = 0; k < count; k++) {
        slope[k] = box_slope(p, d, half, bend[k]);
    }
    // the minimum is where the slope passes through zero: first and last such place
    int first = 0, last = count - 1;
    while (first < count - 1 && slope[first] < 0.0) {
        first++;
    }
    while (last > 0 && slope[last] > 0.0) {
        last--;
    }
    double lo = bend[first], hi = bend[last];
    if (first > 0 && slope[first] > 0.0) {
        lo = linear_zero(bend[first - 1], slope[first - 1], bend[first], slope[first]);
    }
    if (last < count - 1 && slope[last] < 0.0) {
        hi = linear_zero(bend[last], slope[last], bend[last + 1], slope[last + 1]);
    }
    *s = 0.5 * (lo + hi);
    double d2 = 0.0;
    for (int k = 0; k < 3; k++) {
        d2 += square(excess(p[k] + *s * d[k], half[k]));
    }
    return d2;
}

typedef struct CylinderLine {
    const double* p;
    const double* d;
    double radius, half;
} CylinderLine;

// squared distance from p + s d to the cylinder, and half its derivative
static double cylinder_distance2(const CylinderLine* line, double s, double* slope)
{
    const double x = line->p[0] + s * line->d[0], y = line->p[1] + s * line->d[1];
    const double rho = sqrt(x * x + y * y);
    const double beyond_r = rho > line->radius ? rho - line->radius : 0.0;
    const double beyond_z = excess(line->p[2] + s * line->d[2], line->half);
    const double rho_slope = beyond_r > 0.0 ? (x * line->d[0] + y * line->d[1]) / rho : 0.0;
    *slope = beyond_r * rho_slope + beyond_z * line->d[2];
    return beyond_r * beyond_r + beyond_z * beyond_z;
}

double fil_segment_cylinder(const double* p, const double* q, double radius, double half, double* s)
{
    double d[3], slope, lo_slope, hi_slope;
    fil_v3_sub(d, q, p);
    const CylinderLine line = {p, d, radius, half};
    // beside the barrel the closest point of the line to the axis is the answer
    const double dd = d[0] * d[0] + d[1] * d[1];
    const double guess = dd > 0.0 ? clamp01(-(p[0] * d[0] + p[1] * d[1]) / dd) : 0.5;
    const double at_guess = cylinder_distance2(&line, guess, &slope);
    *s = guess;
    if (slope == 0.0 || (guess == 0.0 && slope > 0.0) || (guess == 1.0 && slope < 0.0) ||
        (fabs(p[2] + guess * d[2]) <= half && guess > 0.0 && guess < 1.0)) {
        return at_guess;
    }
    // otherwise the zero of a slope that never falls, by false position (Illinois) between the ends
    double lo = 0.0, hi = 1.0;
    const double at_lo = cylinder_distance2(&line, lo, &lo_slope);
    const double at_hi = cylinder_distance2(&line, hi, &hi_slope);
    if (lo_slope >= 0.0 || hi_slope <= 0.0) {
        *s = lo_slope >= 0.0 ? lo : hi;
        return lo_slope >= 0.0 ? at_lo : at_hi;
    }
    int side = 0;
    double d2 = at_guess;
    for (int k = 0; k < 100 && hi - lo > 1e-15; k++) {  // of lengths of 1: rounding
        // every fourth probe halves, so that a flat slope cannot stall it
        *s = k % 4 == 3 ? 0.5 * (lo + hi) : linear_zero(lo, lo_slope, hi, hi_slope);
        d2 = cylinder_distance2(&line, *s, &slope);
        if (slope == 0.0) {
            break;
        }
        if (slope < 0.0) {
            lo = *s;
            lo_slope = slope;
            hi_slope *= side < 0 ? 0.5 : 1.0;
            side = -1;
        } else {
            hi = *s;
            hi_slope = slope;
            lo_slope *= side > 0 ? 0.5 : 1.0;
            side = 1;
        }
    }
    return d2;
}

/* Whether all points of the segment at heights sign z within `depth` of the rim's are at least that far from it, seen along the axis. */
static bool clear_of_rim(const double* p, const double* d, double radius, double half, int sign, double depth)
{
    // the part between the heights half - depth and half + depth
    double lo = 0.0, hi = 1.0;
    const double z = sign * p[2] - half, slope = sign * d[2];
    if (slope == 0.0) {
        hi = fabs(z) < depth ? 1.0 : -1.0;
    } else {
        const double s0 = (-depth - z) / slope, s1 = (depth - z) / slope;
        lo = fmax(fmin(s0, s1), 0.0);
        hi = fmin(fmax(s0, s1), 1.0);
    }
    if (!(lo <= hi)) {
        return true;
    }
    const double dd = d[0] * d[0] + d[1] * d[1];
    const double nearest = dd > 0.0 ? fmin(fmax(-(p[0] * d[0] + p[1] * d[1]) / dd, lo), hi) : lo;
    const double at_lo = hypot(p[0] + lo * d[0], p[1] + lo * d[1]), at_hi = hypot(p[0] + hi * d[0], p[1] + hi * d[1]);
    return hypot(p[0] + nearest * d[0], p[1] + nearest * d[1]) >= radius + depth || fmax(at_lo, at_hi) <= radius - depth;
}

/* The boundary of cylinder - segment, seen from the origin inside: along n it is h(n) = h_cylinder(n) - min n.x away. Over radial n that is least
 * towards the point nearest to the axis, radius - rho (max min n.x over a convex set is its distance); along the axis it is what the lower end needs
 * to the cap. All other directions belong to points rim - x, at least as far as x is from a rim. */
double fil_segment_in_cylinder(const double* p, const double* q, double radius, double half, double* s, double* n)
{
    double d[3];
    fil_v3_sub(d, q, p);
    const double dd = d[0] * d[0] + d[1] * d[1];
    *s = dd > 0.0 ? clamp01(-(p[0] * d[0] + p[1] * d[1]) / dd) : 0.5;
    double x[3] = {p[0] + *s * d[0], p[1] + *s * d[1], p[2] + *s * d[2]};
    const double rho = hypot(x[0], x[1]);
    double depth = radius - rho;
    if (!(rho > 1e-6 * radius)) {  // on the axis, no direction is nearest
        return -1.0;               // out to any side
    }
    fil_v3_set(n, x[0] / rho, x[1] / rho, 0.0);
    for (int sign = -1; sign <= 1; sign += 2) {
        const double out = half - fmin(sign * p[2], sign * q[2]);
        if (out < depth) {
            depth = out;
            *s = sign * p[2] < sign * q[2] ? 0.0 : 1.0;
            fil_v3_set(n, 0.0, 0.0, sign);
        }
    }
    for (int k = 0; k < 3; k++) {
        x[k] = p[k] + *s * d[k];
    }
    const bool on_it = n[2] == 0.0 ? fabs(x[2]) <= half : hypot(x[0], x[1]) <= radius;
    return on_it && clear_of_rim(p, d, radius, half, 1, depth) && clear_of_rim(p, d, radius, half, -1, depth) ? depth : -1.0;
}
