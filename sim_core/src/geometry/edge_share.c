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
