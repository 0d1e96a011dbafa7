/* Elements of a rod's elastic energy, hinges and edges, and how their Hessians K vary.
 *
 * That comes from the kernel of the Hessian itself with complex numbers: K(x + i h y) = K + i h D_y K to the last bit, h being so small that its
 * square is lost beside one (Squire and Trapp 1998).
 *
 * D_y K z . w as a function of y is found from D_z K, one complex evaluation for all y. Were frames coordinates, it would be the same in any order of
 * y, z, w. But motions y, z of an edge e of length l, whose frame goes along, leave it turned by the area between them, F(y, z) = e . (y x z) / l^3
 * (docs/rod.md). With X_y the derivative along y, [X_y, X_z] = F(y, z) d/dtheta, and K(z, w) = (X_z X_w + X_w X_z) E / 2,
 *
 *     D_y K(z, w) - D_z K(y, w) = F(y, z) (K w)_theta + (X_y F(w, z) - X_z F(w, y)) E_theta / 2 + F(w, z) (K y)_theta / 2 - F(w, y) (K z)_theta / 2.
 */
#include "body/rod_bend_element.h"

#include "base/vec3.h"

static const double TINY = 1e-30; /* h: its square is lost, its product with any stiffness is not */

static void move_frame(const Frame1* frame, const double* y, FrameC* out)
{
    const double complex none[3] = {0.0, 0.0, 0.0};
    double complex e[3], t0[3], m0[3];
    for (int k = 0; k < 3; k++) {
        e[k] = frame->length * frame->t[k] + I * (TINY * y[k]);
        t0[k] = frame->t[k];
        m0[k] = frame->m1[k];
    }
    frameC(out, none, e, t0, m0, I * (TINY * y[3]));
}

/* The hinge at x + i h y. */
static void move_hinge(const FilBendHinge* hinge, const HingeLaw1* law, const double* y, FilBendJet* out)
{
    const HingeLawC own = {law->k1, law->k2, law->kt, law->rest1, law->rest2, law->rest_twist};
    const KnownTwistC known = {hinge->known.twist, hinge->known.cosine, hinge->known.sine};
    move_frame(&hinge->frame[0], y, &out->e);
    move_frame(&hinge->frame[1], y + 4, &out->f);
    out->cord = hinge->frameless;
    out->stiffness = law->k1;
    if (!hinge->frameless) {
        hingeC(&out->e, &out->f, &own, &known, &out->terms);
    }
}

/* The same of a cord: energy 2 k (1 - c) / (1 + c), c = t . t', as in rod_chain_cord.c. */
static void multiply_cord(const FilBendJet* jet, const double* x, double complex* out)
{
    const FrameC *e = &jet->e, *f = &jet->f;
    const double complex c = dotC(e->t, f->t), s = 2.0 / (1.0 + c), first = -jet->stiffness * s * s, second = -first * s;
    double complex u[3], w[3], ux = 0.0, wx = 0.0, te = 0.0, tf = 0.0, fe = 0.0, ef = 0.0;
    for (int k = 0; k < 3; k++) {
        u[k] = (f->t[k] - c * e->t[k]) * e->inverse;
        w[k] = (e->t[k] - c * f->t[k]) * f->inverse;
        ux += u[k] * x[k], wx += w[k] * x[4 + k];
        te += e->t[k] * x[k], tf += f->t[k] * x[4 + k];
        fe += f->t[k] * x[k], ef += e->t[k] * x[4 + k];
    }
    // d2c / de df = (1 - t t' - t' t'^T + c t t'^T) / (l l')
    const double complex both = e->inverse * f->inverse;
    for (int k = 0; k < 3; k++) {
        const double complex own_e = -e->inverse * (e->t[k] * ux + u[k] * te) - c * e->inverse * e->inverse * (x[k] - e->t[k] * te);
        const double complex own_f = -f->inverse * (f->t[k] * wx + w[k] * tf) - c * f->inverse * f->inverse * (x[4 + k] - f->t[k] * tf);
        const double complex across_e = both * (x[4 + k] - f->t[k] * tf - e->t[k] * (ef - c * tf));
        const double complex across_f = both * (x[k] - e->t[k] * te - f->t[k] * (fe - c * te));
        out[k] = second * u[k] * (ux + wx) + first * (own_e + across_e);
        out[4 + k] = second * w[k] * (ux + wx) + first * (own_f + across_f);
    }
    out[3] = out[7] = 0.0;
}

/* out = K x on both edges: H = Q [[s, -g], [-g', 0]] Q' on each, Q = (m1, m2, t) / l, as in rod_block.c. */
static void multiply(const FilBendJet* jet, const double* x, double complex* out)
{
    const FrameC *e = &jet->e, *f = &jet->f;
    const HingeTermsC* t = &jet->terms;
    double complex a[3] = {0.0}, b[3] = {0.0};
    for (int k = 0; k < 3; k++) {
        a[0] += e->m1[k] * x[k], a[1] += e->m2[k] * x[k], a[2] += e->t[k] * x[k];
        b[0] += f->m1[k] * x[4 + k], b[1] += f->m2[k] * x[4 + k], b[2] += f->t[k] * x[4 + k];
    }
    for (int k = 0; k < 3; k++) {
        a[k] *= e->inverse, b[k] *= f->inverse;
    }
    const double angle_e = x[3], angle_f = x[7];
    const double complex e1 =
        t->v1v1 * a[0] + t->v1v2 * a[1] + t->v1e * angle_e + t->v1u1 * b[0] + t->v1u2 * b[1] + t->v1f * angle_f - t->g_v1 * a[2];
    const double complex e2 =
        t->v1v2 * a[0] + t->v2v2 * a[1] + t->v2e * angle_e + t->v2u1 * b[0] + t->v2u2 * b[1] + t->v2f * angle_f - t->g_v2 * a[2];
    const double complex f1 =
        t->v1u1 * a[0] + t->v2u1 * a[1] + t->eu1 * angle_e + t->u1u1 * b[0] + t->u1u2 * b[1] + t->u1f * angle_f - t->g_u1 * b[2];
    const double complex f2 =
        t->v1u2 * a[0] + t->v2u2 * a[1] + t->eu2 * angle_e + t->u1u2 * b[0] + t->u2u2 * b[1] + t->u2f * angle_f - t->g_u2 * b[2];
    const double complex along_e = -(t->g_v1 * a[0] + t->g_v2 * a[1]), along_f = -(t->g_u1 * b[0] + t->g_u2 * b[1]);
    for (int k = 0; k < 3; k++) {
        out[k] = e->inverse * (e->m1[k] * e1 + e->m2[k] * e2 + e->t[k] * along_e);
        out[4 + k] = f->inverse * (f->m1[k] * f1 + f->m2[k] * f2 + f->t[k] * along_f);
    }
    out[3] = t->v1e * a[0] + t->v2e * a[1] + t->ee * angle_e + t->eu1 * b[0] + t->eu2 * b[1] + t->ef * angle_f;
    out[7] = t->v1f * a[0] + t->v2f * a[1] + t->ef * angle_e + t->u1f * b[0] + t->u2f * b[1] + t->ff * angle_f;
}

/* K x, and D_y K x for the y of the jet. */
static void multiply_parts(const FilBendJet* jet, const double* x, double* real, double* change)
{
    double complex out[8];
    (jet->cord ? multiply_cord : multiply)(jet, x, out);
    for (int k = 0; k < 8; k++) {
        real[k] = creal(out[k]);
        change[k] = cimag(out[k]) / TINY;
    }
}

static double moment(const FilBendHinge* hinge, const FilBendJet* jet, int s)
{
    return hinge->frameless ? 0.0 : creal(s == 0 ? jet->terms.g_e : jet->terms.g_f);
}

/* out = D_y K z . w as a function of y, from the jet along z. */
void fil_bend_vary_back(const FilBendHinge* hinge, const double* w, double* out)
{
    double kw[8], shares[8] = {0.0}, real[8], ignored[8];
    multiply_parts(&hinge->jet, w, kw, out);
    for (int s = 0; s < 2 && !hinge->frameless; s++) {
        const double *t = hinge->frame[s].t, *z = hinge->z + 4 * s, *own = w + 4 * s, i = hinge->frame[s].inverse;
        const double half = 0.5 * moment(hinge, &hinge->jet, s) * i * i * i;
        double zt[3], tw[3], wz[3];
        fil_v3_cross(zt, z, t);
        fil_v3_cross(tw, t, own);
        fil_v3_cross(wz, own, z);
        const double area = fil_v3_dot(t, wz);
        fil_v3_axpy(out + 4 * s, i * i * kw[4 * s + 3], zt);
        fil_v3_axpy(out + 4 * s, 2.0 * half, wz);
        fil_v3_axpy(out + 4 * s, -3.0 * half * area, t);
        fil_v3_axpy(out + 4 * s, 3.0 * half * fil_v3_dot(t, z), tw);
        fil_v3_axpy(out + 4 * s, -0.5 * i * i * hinge->kz[4 * s + 3], tw);
        shares[4 * s + 3] = 0.5 * i * i * area;
    }
    if (!hinge->frameless) {
        multiply_parts(&hinge->jet, shares, real, ignored);
        for (int k = 0; k < 8; k++) {
            out[k] += real[k];
        }
    }
}

/* out = the derivative of u' K u. */
void fil_bend_vary_square(const FilBendHinge* hinge, const double* u, double* out)
{
    FilBendJet jet;
    double ku[8];
    move_hinge(hinge, &hinge->law, u, &jet);
    multiply_parts(&jet, u, ku, out);
    for (int s = 0; s < 2 && !hinge->frameless; s++) {
        const double *t = hinge->frame[s].t, *own = u + 4 * s, i = hinge->frame[s].inverse;
        double tu[3];
        fil_v3_cross(tu, t, own);
        fil_v3_axpy(out + 4 * s, 1.5 * (moment(hinge, &jet, s) * i * i * i * fil_v3_dot(t, own) - i * i * ku[4 * s + 3]), tu);
    }
}

/* out = the second derivatives of strain s, times x: K is linear in where the strain rests. */
void fil_bend_curve(const FilBendHinge* hinge, int s, const double* x, double* out)
{
    static const double none[8] = {0.0};
    double there[8], here[8], ignored[8];
    for (int rest = 0; rest < 2; rest++) {
        const double at = -rest;
        const HingeLaw1 law = {s == 0, s == 1, s == 2, s == 0 ? at : 0.0, s == 1 ? at : 0.0, s == 2 ? at : 0.0};
        FilBendJet jet;
        move_hinge(hinge, &law, none, &jet);
        multiply_parts(&jet, x, rest == 0 ? here : there, ignored);
    }
    for (int k = 0; k < 8; k++) {
        out[k] = there[k] - here[k];
    }
}

void fil_bend_begin(FilBendHinge* hinge)
{
    double ignored[8];
    move_hinge(hinge, &hinge->law, hinge->z, &hinge->jet);
    multiply_parts(&hinge->jet, hinge->z, hinge->kz, ignored);
}

void fil_bend_vary(const FilBendHinge* hinge, const double* y, double* out)
{
    double ignored[8];
    FilBendJet jet;
    move_hinge(hinge, &hinge->law, y, &jet);
    multiply_parts(&jet, hinge->z, ignored, out);
}

/* ---- an edge ---- */

/* out = K x = k ((1 - L/l) x + L/l^3 e (e . x)), at e + i h y. */
static void multiply_stretch(const FilBendStretch* stretch, const double* y, const double* x, double complex* out)
{
    double complex e[3], square = 0.0, along = 0.0;
    for (int k = 0; k < 3; k++) {
        e[k] = stretch->e[k] + I * (TINY * y[k]);
        square += e[k] * e[k];
        along += e[k] * x[k];
    }
    const double complex share = stretch->natural / csqrt(square);
    for (int k = 0; k < 3; k++) {
        out[k] = stretch->stiffness * ((1.0 - share) * x[k] + share / square * along * e[k]);
    }
}

/* out[0..2] = D_y K x, which is the same in any order. */
void fil_bend_vary_stretch(const FilBendStretch* stretch, const double* y, const double* x, double* out)
{
    double complex product[3];
    multiply_stretch(stretch, y, x, product);
    for (int k = 0; k < 3; k++) {
        out[k] = cimag(product[k]) / TINY;
    }
    out[3] = 0.0;
}

/* out[0..2] = (1 - t t') x / l: the second derivatives of the length. */
void fil_bend_curve_stretch(const FilBendStretch* stretch, const double* x, double* out)
{
    double t[3];
    fil_v3_copy(t, stretch->e);
    const double length = fil_v3_normalise(t);
    fil_v3_scale(out, 1.0 / length, x);
    fil_v3_axpy(out, -fil_v3_dot(t, x) / length, t);
    out[3] = 0.0;
}
