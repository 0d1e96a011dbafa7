#include "scene/shapes.h"

#include <math.h>

#include "base/vec3.h"
#include "scene/random.h"

void fil_shape_straight(const double* from, const double* to, int count, double* nodes)
{
    for (int i = 0; i < count; i++) {
        const double s = (double)i / (count - 1);
        for (int k = 0; k < 3; k++) {
            nodes[3 * i + k] = (1.0 - s) * from[k] + s * to[k];
        }
    }
}

void fil_shape_cycloid(const double* origin, double radius, int count, double* nodes)
{
    for (int i = 0; i < count; i++) {
        // arc length 4 r (1 - cos(theta / 2)) of 8 r
        const double theta = 2.0 * acos(1.0 - 2.0 * i / (count - 1));
        fil_v3_set(nodes + 3 * i, origin[0] + radius * (theta - sin(theta)), origin[1], origin[2] + radius * (cos(theta) - 1.0));
    }
}

void fil_shape_catenary(const double* lowest, double span, double length, int count, double* nodes)
{
    // length / span = sinh(y) / y with y = span / (2 a)
    double low = 0.0, high = 1.0;
    // sinh overflows at 710; 200 halvings below are more than a double has bits
    while (sinh(high) < high * length / span && high < 700.0) {
        high *= 2.0;
    }
    for (int k = 0; k < 200; k++) {
        const double middle = 0.5 * (low + high);
        if (sinh(middle) < middle * length / span) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double a = 0.5 * span / high;
    for (int i = 0; i < count; i++) {
        const double s = length * ((double)i / (count - 1) - 0.5), x = a * asinh(s / a);
        fil_v3_set(nodes + 3 * i, lowest[0] + x, lowest[1], lowest[2] + a * (cosh(x / a) - 1.0));
    }
}

/* u, v, w: right-handed unit vectors with w along `axis` and u as near to `toward` as it can be. */
static void make_basis(const double* axis, const double* toward, double* u, double* v, double* w)
{
    fil_v3_copy(w, axis);
    fil_v3_normalise(w);
    fil_v3_copy(u, toward);
    fil_v3_axpy(u, -fil_v3_dot(u, w), w);
    // what is left of a direction along the axis is rounding, not a choice
    if (fil_v3_normalise(u) <= 1e-9 * fil_v3_norm(toward)) {
        fil_v3_orthogonal(u, w);
    }
    fil_v3_cross(v, w, u);
}

/* out = origin + a u + b v + c w */
static void combine(double* out, const double* origin, double a, const double* u, double b, const double* v, double c, const double* w)
{
    for (int k = 0; k < 3; k++) {
        out[k] = origin[k] + a * u[k] + b * v[k] + c * w[k];
    }
}

void fil_shape_arc(const double* center, const double* normal, const double* start, double angle, int count, double* nodes)
{
    double arm[3], u[3], v[3], w[3];
    fil_v3_sub(arm, start, center);
    make_basis(normal, arm, u, v, w);
    const double radius = fil_v3_dot(arm, u), height = fil_v3_dot(arm, w);
    for (int i = 0; i < count; i++) {
        const double phi = angle * i / (count - 1);
        combine(nodes + 3 * i, center, radius * cos(phi), u, radius * sin(phi), v, height, w);
    }
}

void fil_shape_ring(const double* center, const double* normal, const double* toward, double radius, int count, double* nodes)
{
    double u[3], v[3], w[3];
    make_basis(normal, toward, u, v, w);
    for (int i = 0; i < count; i++) {
        const double phi = 2.0 * FIL_PI * i / count;
        combine(nodes + 3 * i, center, radius * cos(phi), u, radius * sin(phi), v, 0.0, w);
    }
}

void fil_shape_helix(const FilHelix* helix, int count, double* nodes)
{
    double u[3], v[3], w[3];
    make_basis(helix->axis, helix->toward, u, v, w);
    for (int i = 0; i < count; i++) {
        const double turn = helix->turns * i / (count - 1);
        const double phi = 2.0 * FIL_PI * turn;
        combine(nodes + 3 * i, helix->origin, helix->radius * cos(phi), u, helix->radius * sin(phi), v, helix->pitch * turn, w);
    }
}

/* Length of an edge seen along the axis, and its climb: 2 R tan(d/2) and pitch d/(2 pi), with d the angle of a corner.
 */
static void wrap_edge(const FilWrap* wrap, double* across, double* climb)
{
    const double corner = wrap->angle / wrap->segments;
    *across = 2.0 * wrap->radius * tan(0.5 * corner);
    *climb = wrap->pitch * corner / (2.0 * FIL_PI);
}

double fil_wrap_edge_length(const FilWrap* wrap)
{
    double across, climb;
    wrap_edge(wrap, &across, &climb);
    return hypot(across, climb);
}

int fil_wrap_node_count(const FilWrap* wrap)
{
    return wrap->tail_edges[0] + wrap->segments + wrap->tail_edges[1];
}

void fil_shape_wrap(const FilWrap* wrap, double* nodes)
{
    double u[3], v[3], w[3], across, climb;
    make_basis(wrap->axis, wrap->toward, u, v, w);
    wrap_edge(wrap, &across, &climb);
    const int count = fil_wrap_node_count(wrap);
    for (int i = 0; i < count; i++) {
        // the last edge before this node that touches the circle; tails are beyond the first and the last one
        const double edges = i - wrap->tail_edges[0] + 0.5;
        const double touch = fmin(fmax(floor(edges), 0.0), wrap->segments);
        const double phi = wrap->angle * touch / wrap->segments, along = (edges - touch) * across;
        combine(nodes + 3 * i, wrap->center, wrap->radius * cos(phi) - along * sin(phi), u, wrap->radius * sin(phi) + along * cos(phi), v,
                climb * edges, w);
    }
}

double fil_shape_length(const double* points, int point_count, bool closed)
{
    double length = closed ? fil_v3_distance(points, points + 3 * (point_count - 1)) : 0.0;
    for (int i = 0; i + 1 < point_count; i++) {
        length += fil_v3_distance(points + 3 * i, points + 3 * (i + 1));
    }
    return length;
}

void fil_shape_resample(const double* points, int point_count, bool closed, int count, double* nodes)
{
    const int segments = closed ? point_count : point_count - 1;
    const double step = fil_shape_length(points, point_count, closed) / (closed ? count : count - 1);
    int segment = 0;
    double passed = 0.0;  // length of the segments before this one
    double length = fil_v3_distance(points, points + 3 * (1 % point_count));
    for (int i = 0; i < count; i++) {
        const double s = step * i;
        while (segment + 1 < segments && s > passed + length) {
            passed += length;
            segment++;
            length = fil_v3_distance(points + 3 * segment, points + 3 * ((segment + 1) % point_count));
        }
        const double part = length > 0.0 ? fmin((s - passed) / length, 1.0) : 0.0;
        const double* a = points + 3 * segment;
        const double* b = points + 3 * ((segment + 1) % point_count);
        for (int k = 0; k < 3; k++) {
            nodes[3 * i + k] = (1.0 - part) * a[k] + part * b[k];
        }
    }
    // the last node of an open polyline is its last point, free of rounding
    if (!closed) {
        fil_v3_copy(nodes + 3 * (count - 1), points + 3 * (point_count - 1));
    }
}

void fil_shape_disturb(double amplitude, uint64_t* random, int count, double* nodes)
{
    for (int k = 0; k < 3 * count; k++) {
        nodes[k] += amplitude * (2.0 * fil_random_uniform(random) - 1.0);
    }
}

void fil_shape_stadium(const FilStadium* stadium, int count, double* nodes)
{
    const double r = stadium->radius, d = stadium->distance, bend = FIL_PI * r, half = bend + d;
    double u[3], v[3], w[3];
    make_basis(stadium->normal, stadium->toward, u, v, w);
    for (int i = 0; i < count; i++) {
        const double s = 2.0 * half * i / count, sign = s < half ? 1.0 : -1.0, t = s < half ? s : s - half;
        // half a turn about the wheel, then back along the other side; the second half is the first turned by pi
        const double angle = t < bend ? t / r - 0.5 * FIL_PI : 0.5 * FIL_PI, back = t < bend ? 0.0 : t - bend;
        double* x = nodes + 3 * i;
        fil_v3_copy(x, stadium->center);
        fil_v3_axpy(x, sign * (0.5 * d + r * cos(angle) - back), u);
        fil_v3_axpy(x, sign * r * sin(angle), v);
    }
}
