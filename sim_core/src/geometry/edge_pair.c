#include "geometry/edge_pair.h"

#include <stddef.h>

#include "base/vec3.h"

/* The closest point of a side. */
static void closest_of(const FilEdgePair* pair, int side, double* point)
{
    fil_v3_sub(point, pair->x[side][2], pair->x[side][1]);
    fil_v3_scale(point, pair->at[side], point);
    fil_v3_add(point, point, pair->x[side][1]);
}

static double own_share(const FilEdgePair* pair, int side)
{
    const double(*own)[3] = pair->x[side];
    double point[3];
    if (!pair->edge[side]) {
        return 1.0;
    }
    closest_of(pair, 1 - side, point);
    return fil_edge_share(pair->goes_on[side][0] ? own[0] : NULL, own[1], own[2], pair->goes_on[side][1] ? own[3] : NULL, point, pair->radius[side]);
}

double fil_edge_pair_share(const FilEdgePair* pair)
{
    return own_share(pair, 0) * own_share(pair, 1);
}

/* How the places of the closest points change: u . g = 0 and w . g = 0 of the gap g between them, of those that are not at an end. */
static void closest_slopes(const FilEdgePair* pair, double dx[2][4][3], double d_at[2])
{
    double u[2][3], du[2][3], point[2][3], g[3], dg[3], rhs[2];
    for (int side = 0; side < 2; side++) {
        fil_v3_sub(u[side], pair->x[side][2], pair->x[side][1]);
        fil_v3_sub(du[side], dx[side][2], dx[side][1]);
        closest_of(pair, side, point[side]);
        d_at[side] = 0.0;
    }
    fil_v3_sub(g, point[1], point[0]);
    fil_v3_sub(dg, dx[1][1], dx[0][1]);
    fil_v3_axpy(dg, pair->at[1], du[1]);
    fil_v3_axpy(dg, -pair->at[0], du[0]);
    for (int side = 0; side < 2; side++) {
        rhs[side] = fil_v3_dot(du[side], g) + fil_v3_dot(u[side], dg);
    }
    const bool open[2] = {pair->at[0] > 0.0 && pair->at[0]<1.0, pair->at[1]> 0.0 && pair->at[1] < 1.0};
    const double uu = fil_v3_dot(u[0], u[0]), ww = fil_v3_dot(u[1], u[1]), uw = fil_v3_dot(u[0], u[1]), det = uu * ww - uw * uw;
    if (open[0] && open[1]) {  // rhs_0 + uw b - uu a = 0, rhs_1 + ww b - uw a = 0
        d_at[0] = (ww * rhs[0] - uw * rhs[1]) / det;
        d_at[1] = (uw * rhs[0] - uu * rhs[1]) / det;
    } else if (open[0]) {
        d_at[0] = rhs[0] / uu;
    } else if (open[1]) {
        d_at[1] = -rhs[1] / ww;
    }
}

double fil_edge_pair_change(const FilEdgePair* pair, double dx[2][4][3])
{
    double d_at[2], share[2], change[2] = {0.0, 0.0};
    closest_slopes(pair, dx, d_at);
    for (int side = 0; side < 2; side++) {
        const int other = 1 - side;
        const double(*own)[3] = pair->x[side];
        double point[3], d_point[3];
        share[side] = own_share(pair, side);
        closest_of(pair, other, point);
        for (int k = 0; k < 3; k++) {
            d_point[k] =
                dx[other][1][k] + pair->at[other] * (dx[other][2][k] - dx[other][1][k]) + d_at[other] * (pair->x[other][2][k] - pair->x[other][1][k]);
        }
        if (pair->edge[side]) {
            change[side] = fil_edge_share_slope(
                (const double* const[5]){pair->goes_on[side][0] ? own[0] : NULL, own[1], own[2], pair->goes_on[side][1] ? own[3] : NULL, point},
                (const double* const[5]){dx[side][0], dx[side][1], dx[side][2], dx[side][3], d_point}, pair->radius[side]);
        }
    }
    return share[0] * change[1] + change[0] * share[1];
}
