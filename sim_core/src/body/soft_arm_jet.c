/* Derivatives of an arc's closed form (body/soft_arm_section.h): functions of beta = (u, w) as polynomials of third degree about it. */
#include "body/soft_arm_jet.h"

#include <string.h>

#include "base/vec3.h"
#include "body/soft_arm_section.h"

/* Polynomials of third degree about (u, w): 1, a, b, aa, ab, bb, aaa, aab, abb, bbb. */
typedef double Poly[10];

/* A function of x = |beta|^2 by its derivatives. */
static void compose(Poly out, const double d[4], double u, double w)
{
    const double one = d[1], two = 0.5 * d[2], three = d[3] / 6.0;
    const Poly made = {d[0],
                       2.0 * u * one,
                       2.0 * w * one,
                       one + 4.0 * u * u * two,
                       8.0 * u * w * two,
                       one + 4.0 * w * w * two,
                       4.0 * u * two + 8.0 * u * u * u * three,
                       4.0 * w * two + 24.0 * u * u * w * three,
                       4.0 * u * two + 24.0 * u * w * w * three,
                       4.0 * w * two + 8.0 * w * w * w * three};
    memcpy(out, made, sizeof made);
}

/* out = (u + a) f, and (w + b) f. */
static void times_first(Poly out, double u, const double* f)
{
    const Poly made = {u * f[0], u * f[1] + f[0], u * f[2],        u * f[3] + f[1], u * f[4] + f[2],
                       u * f[5], u * f[6] + f[3], u * f[7] + f[4], u * f[8] + f[5], u * f[9]};
    memcpy(out, made, sizeof made);
}

static void times_second(Poly out, double w, const double* f)
{
    const Poly made = {w * f[0],        w * f[1], w * f[2] + f[0], w * f[3],        w * f[4] + f[1],
                       w * f[5] + f[2], w * f[6], w * f[7] + f[3], w * f[8] + f[4], w * f[9] + f[5]};
    memcpy(out, made, sizeof made);
}

/* Derivatives by directions 0 (u) and 1 (w). */
static double first(const double* f, int c)
{
    return f[1 + c];
}

static double second(const double* f, int c, int d)
{
    return f[3 + c + d] * (c == d ? 2.0 : 1.0);
}

static double third(const double* f, int c, int d, int e)
{
    static const double factor[4] = {6.0, 2.0, 2.0, 6.0};
    return f[6 + c + d + e] * factor[c + d + e];
}

/* Derivatives by x of Stumpff's functions: c_k' = (k c_{k+2} - c_{k+1}) / 2. */
static double stumpff_slope(const double* c, int k, int order)
{
    return order == 0 ? c[k] : 0.5 * (k * stumpff_slope(c, k + 2, order - 1) - stumpff_slope(c, k + 1, order - 1));
}

static void stumpff_polys(double u, double w, Poly c1, Poly c2, Poly c3)
{
    double c[10] = {0.0}, x = u * u + w * w, *polys[3] = {c1, c2, c3};
    fil_stumpff(x, c);
    if (x <= 9.0) {  // as there: eleven terms of the series leave less than 1e-15
        c[7] = c[8] = 1.0;
        for (int i = 11; i >= 1; i--) {
            c[7] = 1.0 - x / ((6.0 + 2.0 * i) * (7.0 + 2.0 * i)) * c[7];
            c[8] = 1.0 - x / ((7.0 + 2.0 * i) * (8.0 + 2.0 * i)) * c[8];
        }
        c[7] /= 5040.0;
        c[8] /= 40320.0;
    } else {
        c[7] = (1.0 / 120.0 - c[5]) / x;
        c[8] = (1.0 / 720.0 - c[6]) / x;
    }
    for (int k = 1; k <= 3; k++) {
        const double d[4] = {c[k], stumpff_slope(c, k, 1), stumpff_slope(c, k, 2),
                             k < 3 ? stumpff_slope(c, k, 3) : 0.0};  // c_3 is not needed to third order
        compose(polys[k - 1], d, u, w);
    }
}

/* p = s L (c2 u, c2 w, c1) and its derivatives, the third ones along the rates twice: `along`. */
static void place_arc(FilArcJet* arc, double s, double length, Poly shape[3], const double* rate, double along[3][3])
{
    const double scale[3] = {s, s, 1.0};
    for (int k = 0; k < 3; k++) {
        const double* f = shape[k];
        arc->p[k] = s * length * f[0];
        arc->move[2][k] = s * f[0];
        arc->move2[2][2][k] = 0.0;
        along[2][k] = 0.0;
        for (int c = 0; c < 2; c++) {
            arc->move[c][k] = scale[c] * s * length * first(f, c);
            arc->move2[c][2][k] = arc->move2[2][c][k] = scale[c] * s * first(f, c);
            along[c][k] = 0.0;
            for (int d = 0; d < 2; d++) {
                const double bend = scale[c] * scale[d] * s * second(f, c, d);
                arc->move2[c][d][k] = length * bend;
                along[2][k] += bend * rate[c] * rate[d];
                along[c][k] += 2.0 * bend * rate[d] * rate[2];
                for (int e = 0; e < 2; e++) {
                    along[c][k] += scale[c] * scale[d] * scale[e] * s * length * third(f, c, d, e) * rate[d] * rate[e];
                }
            }
        }
    }
}

/* rho of y_0 and y_1, its derivatives, and the second ones along the rates: sum_jk y'_j y'_k d2rho_j / dy_k dy_c. */
static void turn_arc(FilArcJet* arc, double s, Poly entries[2][3], const double* rate, double along[3][3])
{
    memset(arc->turn, 0, sizeof arc->turn);
    memset(arc->turn_by, 0, sizeof arc->turn_by);
    memset(along, 0, 9 * sizeof(double));
    for (int j = 0; j < 2; j++) {
        for (int k = 0; k < 3; k++) {
            const double* f = entries[j][k];
            arc->turn[j][k] = s * f[0];
            for (int c = 0; c < 2; c++) {
                arc->turn_by[j][c][k] = s * s * first(f, c);
                for (int d = 0; d < 2; d++) {
                    along[c][k] += s * s * s * second(f, c, d) * rate[j] * rate[d];
                }
            }
        }
    }
}

static void add_scaled(double* out, double s, const double* a)
{
    fil_v3_axpy(out, s, a);
}

void fil_arc_jet(FilArcJet* arc, double s, const double* y, const double* rate, const double* acceleration)
{
    const double u = s * y[0], w = s * y[1];
    Poly c1, c2, c3, uw, uu, ww, shape[3], entries[2][3];
    double along_move[3][3], along_turn[3][3];
    stumpff_polys(u, w, c1, c2, c3);
    times_first(shape[0], u, c2);
    times_second(shape[1], w, c2);
    memcpy(shape[2], c1, sizeof c1);
    times_first(uu, u, c3);
    times_second(uw, w, uu);
    times_first(uu, u, uu);
    times_second(ww, w, c3);
    times_second(ww, w, ww);
    for (int k = 0; k < 10; k++) {
        entries[0][0][k] = -uw[k];
        entries[0][1][k] = c1[k] + uu[k];
        entries[0][2][k] = -shape[1][k];
        entries[1][0][k] = -(c1[k] + ww[k]);
        entries[1][1][k] = uw[k];
        entries[1][2][k] = shape[0][k];
    }
    place_arc(arc, s, y[2], shape, rate, along_move);
    turn_arc(arc, s, entries, rate, along_turn);
    const double rotation[9] = {1.0 - u * shape[0][0],
                                -u * shape[1][0],
                                u * c1[0],
                                -u * shape[1][0],
                                1.0 - w * shape[1][0],
                                w * c1[0],
                                -u * c1[0],
                                -w * c1[0],
                                1.0 - u * shape[0][0] - w * shape[1][0]};
    memcpy(arc->rotation, rotation, sizeof rotation);
    memset(arc->velocity, 0, 4 * sizeof arc->velocity);  // and what follows it
    memset(arc->by_shape, 0, sizeof arc->by_shape);
    memset(arc->by_rate, 0, sizeof arc->by_rate);
    for (int c = 0; c < 3; c++) {
        add_scaled(arc->velocity, rate[c], arc->move[c]);
        add_scaled(arc->acceleration, acceleration[c], arc->move[c]);
        add_scaled(arc->spin, rate[c], arc->turn[c]);
        add_scaled(arc->turning, acceleration[c], arc->turn[c]);
        add_scaled(arc->by_shape[FIL_ARC_ACCELERATION][c], 1.0, along_move[c]);
        add_scaled(arc->by_shape[FIL_ARC_TURNING][c], 1.0, along_turn[c]);
        fil_v3_copy(arc->by_rate[FIL_ARC_VELOCITY][c], arc->move[c]);
        fil_v3_copy(arc->by_rate[FIL_ARC_SPIN][c], arc->turn[c]);
        for (int d = 0; d < 3; d++) {
            add_scaled(arc->acceleration, rate[c] * rate[d], arc->move2[c][d]);
            add_scaled(arc->turning, rate[c] * rate[d], arc->turn_by[c][d]);
            add_scaled(arc->by_shape[FIL_ARC_VELOCITY][c], rate[d], arc->move2[c][d]);
            add_scaled(arc->by_shape[FIL_ARC_ACCELERATION][c], acceleration[d], arc->move2[c][d]);
            add_scaled(arc->by_rate[FIL_ARC_ACCELERATION][c], 2.0 * rate[d], arc->move2[c][d]);
            add_scaled(arc->by_shape[FIL_ARC_SPIN][c], rate[d], arc->turn_by[d][c]);
            add_scaled(arc->by_shape[FIL_ARC_TURNING][c], acceleration[d], arc->turn_by[d][c]);
            // omega' = rho_j y''_j + drho_j/dy_k y'_j y'_k
            add_scaled(arc->by_rate[FIL_ARC_TURNING][c], rate[d], arc->turn_by[c][d]);
            add_scaled(arc->by_rate[FIL_ARC_TURNING][c], rate[d], arc->turn_by[d][c]);
        }
    }
}
