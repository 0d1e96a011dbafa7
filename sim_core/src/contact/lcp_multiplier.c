#include "contact/lcp_multiplier.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

void fil_lcp_multiplier_respond(const FilLcpMultiplier* item, const FilLcpPolygon* polygon, const double* c, double* gamma, double* g)
{
    const double rho = item->rho;
    memset(g, 0, 9 * sizeof *g);
    fil_v3_set(gamma, 0.0, 0.0, 0.0);
    if (rho == 0.0) {
        return;
    }
    // a compliance above 1/rho is as good as a multiplier
    const double r = item->compliance;
    const bool soft = r * rho >= 1.0;
    const double slope = soft ? 1.0 / r : rho / (1.0 + rho * r);
    const double f = slope * (item->target - c[2]) + (soft ? 0.0 : item->kept[2] / (1.0 + rho * r));
    if (f > 0.0) {
        gamma[2] = f;
        g[8] = slope;
    }
    if (item->limit > 0.0) {
        const double y[2] = {item->kept[0] - rho * c[0], item->kept[1] - rho * c[1]};
        double d[3];
        fil_lcp_polygon_project(polygon, item->limit, y, gamma, d);
        g[0] = rho * d[0];
        g[1] = g[3] = rho * d[1];
        g[4] = rho * d[2];
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
