#include "geometry/edge_share.h"

#include <math.h>
#include <stddef.h>

#include "base/vec3.h"

/* Half of the length over which one edge hands over to the next: of the radius, which bounds how far a normal tilts before its edge has
 * let go (tried 0.05 to 0.4 on crossed rods), and of the shorter edge. */
static const double OF_RADIUS = 0.1, OF_LENGTH = 0.2;

static double smooth_step(double x)
{
    return x >= 1.0 ? 1.0 : x <= -1.0 ? 0.0 : 0.25 * (2.0 + x * (3.0 - x * x));
}

/* Share at the end `node` of an edge that comes from `inner`, where the chain goes on to `beyond`. */
static double end_share(const double* inner, const double* node, const double* beyond, const double* point, double radius)
{
    double in[3], on[3], arm[3];
    if (beyond == NULL) {
        return 1.0;
    }
    fil_v3_sub(in, inner, node);
    fil_v3_sub(on, beyond, node);
    fil_v3_sub(arm, point, node);
    const double length = fmin(fil_v3_normalise(in), fil_v3_normalise(on)), width = fmin(OF_RADIUS * radius, OF_LENGTH * length);
    if (!(width > 0.0)) {
        return 1.0;
    }
    const double own = smooth_step(fil_v3_dot(arm, in) / width), other = smooth_step(fil_v3_dot(arm, on) / width);
    return own + 0.5 * fmax(1.0 - own - other, 0.0);
}

double fil_edge_share(const double* before, const double* a, const double* b, const double* after, const double* point, double radius)
{
    return fmax(end_share(b, a, before, point, radius) + end_share(a, b, after, point, radius) - 1.0, 0.0);
}

static double smooth_slope(double x)
{
    return fabs(x) >= 1.0 ? 0.0 : 0.75 * (1.0 - x * x);  // the slope of the cubic above
}

/* How the cosine-weighted reach arm . u / width changes, u the unit vector along `edge`. */
static double reach_slope(const double* arm, const double* d_arm, const double* edge, const double* d_edge, double width, double d_width)
{
    const double length = fil_v3_norm(edge), along = fil_v3_dot(arm, edge) / length;
    const double change = (fil_v3_dot(d_arm, edge) + fil_v3_dot(arm, d_edge) - along * fil_v3_dot(edge, d_edge) / length) / length;
    return (change - along / width * d_width) / width;
}

/* Of end_share(). */
static double end_share_slope(const double* const x[4], const double* const dx[4], double radius)
{
    double in[3], on[3], arm[3], d_in[3], d_on[3], d_arm[3];
    if (x[2] == NULL) {
        return 0.0;
    }
    fil_v3_sub(in, x[0], x[1]);
    fil_v3_sub(on, x[2], x[1]);
    fil_v3_sub(arm, x[3], x[1]);
    fil_v3_sub(d_in, dx[0], dx[1]);
    fil_v3_sub(d_on, dx[2], dx[1]);
    fil_v3_sub(d_arm, dx[3], dx[1]);
    const double in_length = fil_v3_norm(in), on_length = fil_v3_norm(on), length = fmin(in_length, on_length);
    const double width = fmin(OF_RADIUS * radius, OF_LENGTH * length);
    if (!(width > 0.0)) {
        return 0.0;
    }
    const double shorter = in_length <= on_length ? fil_v3_dot(in, d_in) / in_length : fil_v3_dot(on, d_on) / on_length;
    const double d_width = OF_LENGTH * length < OF_RADIUS * radius ? OF_LENGTH * shorter : 0.0;
    const double a = fil_v3_dot(arm, in) / (in_length * width), b = fil_v3_dot(arm, on) / (on_length * width);
    const double own = smooth_slope(a) * reach_slope(arm, d_arm, in, d_in, width, d_width);
    const double other = smooth_slope(b) * reach_slope(arm, d_arm, on, d_on, width, d_width);
    return own - (smooth_step(a) + smooth_step(b) < 1.0 ? 0.5 * (own + other) : 0.0);
}

double fil_edge_share_slope(const double* const x[5], const double* const dx[5], double radius)
{
    enum { BEFORE, A, B, AFTER, POINT };
    if (!(fil_edge_share(x[BEFORE], x[A], x[B], x[AFTER], x[POINT], radius) > 0.0)) {
        return 0.0;
    }
    return end_share_slope((const double* const[4]){x[B], x[A], x[BEFORE], x[POINT]}, (const double* const[4]){dx[B], dx[A], dx[BEFORE], dx[POINT]},
                           radius) +
           end_share_slope((const double* const[4]){x[A], x[B], x[AFTER], x[POINT]}, (const double* const[4]){dx[A], dx[B], dx[AFTER], dx[POINT]},
                           radius);
}
