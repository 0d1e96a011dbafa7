#include "body/soft_arm_section.h"

/* Beyond this x the series would need more terms, and the recurrence upwards loses no digits. */
static const double SERIES_END = 9.0;

FilArc fil_arc_make(double length, double offset, double angle)
{
    // e is the mean of the elongations, b = -2/(3 r) sum q_j d_j
    FilArc arc = {.length = length};
    for (int j = 0; j < 3; j++) {
        const double phi = angle + 2.0 * FIL_PI * j / 3.0;
        arc.shape[j] = -2.0 / (3.0 * offset) * cos(phi);
        arc.shape[3 + j] = -2.0 / (3.0 * offset) * sin(phi);
        arc.shape[6 + j] = 1.0 / 3.0;
    }
    return arc;
}

void fil_stumpff(double x, double c[7])
{
    static const double inverse_factorial[5] = {1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0};
    if (x <= SERIES_END) {
        // c5 and c6 by Horner's rule: 1/5! (1 - x/(6 7) (1 - x/(8 9) (...))), eleven terms leave less than 1e-15
        double c5 = 1.0, c6 = 1.0;
        for (int i = 11; i >= 1; i--) {
            c5 = 1.0 - x * (1.0 / ((4.0 + 2.0 * i) * (5.0 + 2.0 * i))) * c5;
            c6 = 1.0 - x * (1.0 / ((5.0 + 2.0 * i) * (6.0 + 2.0 * i))) * c6;
        }
        c[5] = c5 / 120.0;
        c[6] = c6 / 720.0;
        for (int k = 4; k >= 0; k--) {  // c_k = 1/k! - x c_{k+2}
            c[k] = inverse_factorial[k] - x * c[k + 2];
        }
    } else {
        const double t = sqrt(x);
        c[0] = cos(t);
        c[1] = sin(t) / t;
        for (int k = 0; k <= 4; k++) {
            c[k + 2] = (inverse_factorial[k] - c[k]) / x;
        }
    }
}

void fil_arc_shape(const FilArc* arc, const double* q, double bending[2], double* length)
{
    double shape[3];
    fil_m3_apply(shape, arc->shape, q);
    bending[0] = shape[0];
    bending[1] = shape[1];
    *length = arc->length + shape[2];
}

/* out = a b, by rows. */
static void multiply(double* out, const double* a, const double* b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

void fil_arc_frame(const FilArc* arc, double s, const double* q, FilArcFrame* out)
{
    double b[2];
    fil_arc_shape(arc, q, b, &out->length);
    out->s = s;
    out->beta[0] = s * b[0];
    out->beta[1] = s * b[1];
    const double length = out->length, u = out->beta[0], w = out->beta[1], *c = out->c;
    fil_stumpff(u * u + w * w, out->c);
    const double c2_x = c[4] - 0.5 * c[3], c1_x = 0.5 * (c[3] - c[2]);  // derivatives by x

    fil_v3_set(out->pose.p, s * length * u * c[2], s * length * w * c[2], s * length * c[1]);
    const double rotation[9] = {1.0 - u * u * c[2], -u * w * c[2], u * c[1], -u * w * c[2], 1.0 - w * w * c[2], w * c[1], -u * c[1], -w * c[1], c[0]};
    for (int k = 0; k < 9; k++) {
        out->pose.r[k] = rotation[k];
    }
    // by b_x, b_y and e; dx = 2 s beta . db
    const double l = s * s * length;
    const double move[9] = {l * (c[2] + 2.0 * c2_x * u * u),
                            l * 2.0 * c2_x * u * w,
                            s * u * c[2],
                            l * 2.0 * c2_x * u * w,
                            l * (c[2] + 2.0 * c2_x * w * w),
                            s * w * c[2],
                            l * 2.0 * c1_x * u,
                            l * 2.0 * c1_x * w,
                            s * c[1]};
    // n = (-beta_y, beta_x, 0): omega = c1 n' + c3 (beta . beta') n + c2 (beta x beta') z
    const double turn[9] = {
        -s * c[3] * u * w, -s * (c[1] + c[3] * w * w), 0.0, s * (c[1] + c[3] * u * u), s * c[3] * u * w, 0.0, -s * c[2] * w, s * c[2] * u, 0.0};
    multiply(out->move, move, arc->shape);
    multiply(out->turn, turn, arc->shape);
}

void fil_arc_rates(const FilArc* arc, const FilArcFrame* frame, const double* v, FilArcRates* out)
{
    double rate[3];
    fil_m3_apply(rate, arc->shape, v);
    const double s = frame->s, u = frame->beta[0], w = frame->beta[1], length = frame->length, *c = frame->c;
    const double du = s * rate[0], dw = s * rate[1], dl = rate[2];
    const double dx = 2.0 * (u * du + w * dw);
    const double c1_x = 0.5 * (c[3] - c[2]), c2_x = c[4] - 0.5 * c[3], c3_x = 0.5 * (3.0 * c[5] - c[4]);
    const double d1 = c1_x * dx, d2 = c2_x * dx, d3 = c3_x * dx;        // rates of c1, c2, c3
    const double d1_x = 0.25 * (3.0 * c[5] - 3.0 * c[4] + c[3]) * dx;   // of c1'
    const double d2_x = (2.0 * c[6] - 1.25 * c[5] + 0.25 * c[4]) * dx;  // of c2'
    // of the products beta beta'
    const double uu = 2.0 * u * du, uw = u * dw + w * du, ww = 2.0 * w * dw;

    const double s2 = s * s;
    const double bend_uu = dl * (c[2] + 2.0 * c2_x * u * u) + length * (d2 + 2.0 * (d2_x * u * u + c2_x * uu));
    const double bend_uw = dl * 2.0 * c2_x * u * w + length * 2.0 * (d2_x * u * w + c2_x * uw);
    const double bend_ww = dl * (c[2] + 2.0 * c2_x * w * w) + length * (d2 + 2.0 * (d2_x * w * w + c2_x * ww));
    const double move[9] = {s2 * bend_uu,
                            s2 * bend_uw,
                            s * (du * c[2] + u * d2),
                            s2 * bend_uw,
                            s2 * bend_ww,
                            s * (dw * c[2] + w * d2),
                            s2 * 2.0 * (dl * c1_x * u + length * (d1_x * u + c1_x * du)),
                            s2 * 2.0 * (dl * c1_x * w + length * (d1_x * w + c1_x * dw)),
                            s * d1};
    const double turn[9] = {-s * (d3 * u * w + c[3] * uw),     -s * (d1 + d3 * w * w + c[3] * ww), 0.0,
                            s * (d1 + d3 * u * u + c[3] * uu), s * (d3 * u * w + c[3] * uw),       0.0,
                            -s * (d2 * w + c[2] * dw),         s * (d2 * u + c[2] * du),           0.0};
    multiply(out->move, move, arc->shape);
    multiply(out->turn, turn, arc->shape);
}
