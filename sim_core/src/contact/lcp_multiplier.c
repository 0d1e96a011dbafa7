#include "contact/lcp_multiplier.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/lcp_problem.h"

double fil_lcp_multiplier_compliance(const FilLcpMultiplier* item, FilLcpYield yield)
{
    const double shares[FIL_LCP_YIELDS] = {[FIL_LCP_YIELD_ALL] = FIL_LCP_SOFT};
    return item->rigid && yield != FIL_LCP_YIELD_AS_SAID ? shares[yield] * item->scale : item->said;
}

/* From this share of its own compliance on, a contact's compliance is as good as a multiplier: loads that it shares out among contacts that push
 * no node would converge by 1/(1 + rho R) a round only. */
#define ENOUGH 0.01

double fil_lcp_multiplier_slope(const FilLcpMultiplier* item, bool* soft)
{
    const double r = item->compliance;
    *soft = r * item->rho >= 1.0 || r >= ENOUGH * item->scale;
    return *soft ? 1.0 / r : item->rho / (1.0 + item->rho * r);
}

/* With Rt = 1/rho, Rn = 1/rho + R and y = g - rho (c_t, c_n - target + mu slip), the impulse is the point of the pyramid nearest to
 * (y_t, y_n/(1 + rho R)) in the norm of (Rt, Rt, Rn). In coordinates scaled by the roots of those that is the nearest one of a pyramid
 * with mu sqrt(Rt/Rn), whose derivative D gives G = R^-1/2 D R^-1/2. */
void fil_lcp_multiplier_respond(const FilLcpMultiplier* item, const FilLcpPolygon* polygon, const double* c, double* gamma, double* g)
{
    const double rho = item->rho;
    memset(g, 0, 9 * sizeof *g);
    fil_v3_set(gamma, 0.0, 0.0, 0.0);
    if (rho == 0.0) {
        return;
    }
    bool soft;
    const double slope = fil_lcp_multiplier_slope(item, &soft);
    const double y_n = slope * (item->target - item->mu * item->slip - c[2]) + (soft ? 0.0 : item->kept[2] / (1.0 + rho * item->compliance));
    const double root_t = sqrt(rho), root_n = sqrt(slope);
    const double y[3] = {(item->kept[0] - rho * c[0]) / root_t, (item->kept[1] - rho * c[1]) / root_t, y_n / root_n};
    double scaled[3];
    fil_lcp_pyramid_project(polygon, item->mu * root_n / root_t, y, scaled, g);
    fil_v3_set(gamma, root_t * scaled[0], root_t * scaled[1], root_n * scaled[2]);
    const double root[3] = {root_t, root_t, root_n};
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            g[3 * a + b] *= root[a] * root[b];
        }
    }
}

double fil_lcp_multiplier_miss(const FilLcpMultiplier* item, const FilLcpPolygon* polygon, const double* c, const double* gamma)
{
    if (item->rho == 0.0) {
        return 0.0;
    }
    const double slack = c[2] - item->target + item->compliance * gamma[2];
    double miss = fabs(fmin(slack, item->scale * gamma[2]));
    const double y[2] = {gamma[0] - c[0] / item->scale, gamma[1] - c[1] / item->scale};
    double b[2] = {0.0, 0.0}, derivative[3];
    if (item->mu * gamma[2] > 0.0) {
        fil_lcp_polygon_project(polygon, item->mu * gamma[2], y, b, derivative);
    }
    return fmax(miss, item->scale * hypot(gamma[0] - b[0], gamma[1] - b[1]));
}
