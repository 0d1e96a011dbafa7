/* Elements of a rod's elastic energy, hinges and edges, and how their Hessians K vary.
 *
 * Along one motion y that comes from the kernel of the Hessian itself with complex numbers: K(x + i h y) = K + i h D_y K to the last bit, h being so
 * small that its square is lost beside one (Squire and Trapp 1998). The derivative of a weighted sum of entries by all motions comes from the same
 * kernel in reverse, at the price of two or three evaluations (rod_hinge_back.inc). */
#include "body/rod_bend_element.h"

#include <complex.h>
#include <string.h>

#include "base/vec3.h"

static void sine_cosine_apart(double complex angle, double complex* sine, double complex* cosine)
{
    *sine = csin(angle);
    *cosine = ccos(angle);
}

static double complex twice_atan_apart(double complex x)
{
    return 2.0 * catan(x);
}

#define NUMBER double complex
#define GENERIC(name) name##C
#define SQRT csqrt
#define ARE_BELOW(a, bound) (creal(a) < (bound))
#define SINE_COSINE_APART sine_cosine_apart
#define TWICE_ATAN_APART twice_atan_apart
#include "body/rod_hinge.inc"
#include "body/rod_hinge_back.inc"
#undef NUMBER
#undef GENERIC
#undef SQRT
#undef ARE_BELOW
#undef SINE_COSINE_APART
#undef TWICE_ATAN_APART

#define NUMBER double
#define GENERIC(name) name##1
#include "body/rod_hinge_back.inc"
#undef NUMBER
#undef GENERIC

#define NUMBER FilLanes
#define GENERIC(name) name##2
#include "body/rod_hinge_back.inc"
#undef NUMBER
#undef GENERIC

static const double TINY = 1e-30; /* h: its square is lost, its product with any stiffness is not */

/* ---- cords: energy 2 k (1 - c) / (1 + c), c = t . t', as in rod_chain_cord.c ---- */

/* First, second and third derivative by c. */
typedef struct CordLaw {
    double first, second, third;
} CordLaw;

static CordLaw cord_law(double stiffness, double c)
{
    const double s = 2.0 / (1.0 + c), first = -stiffness * s * s, second = -first * s;
    return (CordLaw){first, second, -1.5 * second * s};
}

/* The terms of the Hessian; c bends as cosines do: d2c = -c of each edge with itself. */
static void cord_terms(double stiffness, const FrameC* e, const FrameC* f, HingeTermsC* out)
{
    const double complex c = dotC(e->t, f->t), s = 2.0 / (1.0 + c), first = -stiffness * s * s, second = -first * s;
    const double complex b1 = dotC(e->m1, f->t), b2 = dotC(e->m2, f->t), a1 = dotC(e->t, f->m1), a2 = dotC(e->t, f->m2);
    *out = (HingeTermsC){.g_v1 = first * b1,
                         .g_v2 = first * b2,
                         .g_u1 = first * a1,
                         .g_u2 = first * a2,
                         .v1v1 = second * b1 * b1 - first * c,
                         .v1v2 = second * b1 * b2,
                         .v2v2 = second * b2 * b2 - first * c,
                         .u1u1 = second * a1 * a1 - first * c,
                         .u1u2 = second * a1 * a2,
                         .u2u2 = second * a2 * a2 - first * c,
                         .v1u1 = second * b1 * a1 + first * dotC(e->m1, f->m1),
                         .v1u2 = second * b1 * a2 + first * dotC(e->m1, f->m2),
                         .v2u1 = second * b2 * a1 + first * dotC(e->m2, f->m1),
                         .v2u2 = second * b2 * a2 + first * dotC(e->m2, f->m2)};
}

/* The same of plain numbers, and in reverse as hinge_back(). */
static void cord_back(double stiffness, const Frame1* e, const Frame1* f, double o[8][8], HingeTerms1* terms, double out[8])
{
    double over;
    const Products1 p = products1(e, f, &over);
    const double c = p.c / over, g[4] = {p.p1 / over, p.p2 / over, p.q1 / over, p.q2 / over};
    const double m[4] = {p.r11 / over, p.r12 / over, p.r21 / over, p.r22 / over};
    const CordLaw law = cord_law(stiffness, c);
    const double own = law.first * c;
    *terms = (HingeTerms1){.g_v1 = law.first * g[0],
                           .g_v2 = law.first * g[1],
                           .g_u1 = law.first * g[2],
                           .g_u2 = law.first * g[3],
                           .v1v1 = law.second * g[0] * g[0] - own,
                           .v1v2 = law.second * g[0] * g[1],
                           .v2v2 = law.second * g[1] * g[1] - own,
                           .u1u1 = law.second * g[2] * g[2] - own,
                           .u1u2 = law.second * g[2] * g[3],
                           .u2u2 = law.second * g[3] * g[3] - own,
                           .v1u1 = law.second * g[0] * g[2] + law.first * m[0],
                           .v1u2 = law.second * g[0] * g[3] + law.first * m[1],
                           .v2u1 = law.second * g[1] * g[2] + law.first * m[2],
                           .v2u2 = law.second * g[1] * g[3] + law.first * m[3]};
    static const int at[4] = {0, 1, 4, 5};
    const double beside[4] = {-2.0 * o[0][2], -2.0 * o[1][2], -2.0 * o[4][6], -2.0 * o[5][6]};
    const double across[4] = {2.0 * o[0][4], 2.0 * o[0][5], 2.0 * o[1][4], 2.0 * o[1][5]}, sum = o[0][0] + o[1][1] + o[4][4] + o[5][5];
    double to_g[4], to_first = -c * sum, to_second = 0.0;
    for (int i = 0; i < 4; i++) {
        const double *row = o[at[i]], turned = row[0] * g[0] + row[1] * g[1] + row[4] * g[2] + row[5] * g[3];
        to_second += g[i] * turned;
        to_g[i] = 2.0 * law.second * turned + law.first * beside[i];
        to_first += beside[i] * g[i] + across[i] * m[i];
    }
    // products_back() has products over 1 + c, and what answers for them times that: both ratios are 1 here
    const Products1 plain = {m[0], m[1], m[2], m[3], g[0], g[1], g[2], g[3], c};
    const Products1 to = {law.first * across[0],
                          law.first * across[1],
                          law.first * across[2],
                          law.first * across[3],
                          to_g[0],
                          to_g[1],
                          to_g[2],
                          to_g[3],
                          law.third * to_second + law.second * to_first - law.first * sum};
    products_back1(&plain, &to, out);
}

/* ---- hinges ---- */

static void move_frame(const Frame1* frame, const double* y, FrameC* out)
{
    const double complex none[3] = {0.0, 0.0, 0.0};
    double complex e[3], t0[3], m0[3];
    for (int k = 0; k < 3; k++) {
        e[k] = frame->length * frame->t[k] + I * (TINY * y[k]);
        t0[k] = frame->t[k];
        m0[k] = frame->m1[k];
    }
    directionC(out, none, e);
    transportC(out, t0, m0, I * (TINY * y[3]));
}

/* Q of an edge and how it varies, rows of three: m1, m2, t. */
static void take_axes(const FrameC* frame, double axes[3][3], double change[3][3])
{
    const double complex* const rows[3] = {frame->m1, frame->m2, frame->t};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const double complex number = rows[i][k] * frame->inverse;
            axes[i][k] = creal(number);
            change[i][k] = cimag(number) / TINY;
        }
    }
}

/* D_y K = M Q' + Q M' with M = D_y Q S + Q D_y S / 2. */
void fil_bend_vary(const FilBendHinge* hinge, const double* y, const double* rest, double change[8][8])
{
    FrameC frame[2];
    HingeTermsC terms;
    double complex s[8][8];
    double axes[2][3][3], turned[2][3][3], m[8][8];
    for (int side = 0; side < 2; side++) {
        move_frame(&hinge->frame[side], y + 4 * side, &frame[side]);
        take_axes(&frame[side], axes[side], turned[side]);
    }
    if (hinge->frameless) {
        cord_terms(hinge->law.k1, &frame[0], &frame[1], &terms);
    } else {
        const HingeLaw1* law = &hinge->law;
        const HingeLawC own = {
            law->k1, law->k2, law->kt, law->rest1 + I * (TINY * rest[0]), law->rest2 + I * (TINY * rest[1]), law->rest_twist + I * (TINY * rest[2])};
        const KnownTwistC known = {hinge->known.twist, hinge->known.cosine, hinge->known.sine};
        hingeC(&frame[0], &frame[1], &own, &known, &terms);
    }
    hinge_matrixC(&terms, s);
    for (int j = 0; j < 8; j++) {
        for (int side = 0; side < 2; side++) {
            double here[4], more[4];
            for (int i = 0; i < 4; i++) {
                here[i] = creal(s[4 * side + i][j]);
                more[i] = 0.5 * cimag(s[4 * side + i][j]) / TINY;
            }
            for (int k = 0; k < 3; k++) {
                m[4 * side + k][j] = 0.0;
                for (int i = 0; i < 3; i++) {
                    m[4 * side + k][j] += turned[side][i][k] * here[i] + axes[side][i][k] * more[i];
                }
            }
            m[4 * side + 3][j] = more[3];
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int side = 0; side < 2; side++) {
            const double* row = m[i] + 4 * side;
            for (int k = 0; k < 3; k++) {
                change[i][4 * side + k] = row[0] * axes[side][0][k] + row[1] * axes[side][1][k] + row[2] * axes[side][2][k];
            }
            change[i][4 * side + 3] = row[3];
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j <= i; j++) {
            change[i][j] = change[j][i] = change[i][j] + change[j][i];
        }
    }
}

void fil_bend_vary_back(const FilBendHinge* hinge, double weight[8][8], double* y)
{
    const Frame1* const frames[2] = {&hinge->frame[0], &hinge->frame[1]};
    HingeTerms1 terms;
    double o[8][8], s[8][8], turn[8], motion[8] = {0.0};
    turn_weights1(frames, weight, o);
    cord_back(hinge->law.k1, frames[0], frames[1], o, &terms, motion);
    hinge_matrix1(&terms, s);
    turn_back1(o, s, turn);
    place_back1(frames, motion, turn, y);
}

/* Numbers of hinges, one in each lane: of a record whose numbers are all NUMBER in rod_hinge.inc. */
static inline void take_lanes(const void* const from[FIL_LANE_COUNT], void* to, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
            ((double*)to)[FIL_LANE_COUNT * k + (size_t)lane] = ((const double*)from[lane])[k];
        }
    }
}

void fil_bend_vary_back_lanes(const FilBendHinge* const hinges[FIL_LANE_COUNT], FilLanes weight[8][8], FilLanes y[8], FilLanes rest[3])
{
    Frame2 own[2];
    const Frame2* const frames[2] = {&own[0], &own[1]};
    const void* from[4][FIL_LANE_COUNT];
    HingeLaw2 law;
    KnownTwist2 known;
    HingeTerms2 terms;
    FilLanes o[8][8], s[8][8], turn[8], motion[8];
    for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
        from[0][lane] = &hinges[lane]->frame[0], from[1][lane] = &hinges[lane]->frame[1];
        from[2][lane] = &hinges[lane]->law, from[3][lane] = &hinges[lane]->known;
    }
    take_lanes(from[0], &own[0], sizeof(Frame1) / sizeof(double));
    take_lanes(from[1], &own[1], sizeof(Frame1) / sizeof(double));
    take_lanes(from[2], &law, sizeof(HingeLaw1) / sizeof(double));
    take_lanes(from[3], &known, sizeof(KnownTwist1) / sizeof(double));
    memset(motion, 0, sizeof motion);
    turn_weights2(frames, weight, o);
    hinge2(frames[0], frames[1], &law, &known, &terms);
    hinge_back2(frames[0], frames[1], &law, terms.twist - law.rest_twist, o, motion, rest);
    hinge_matrix2(&terms, s);
    turn_back2(o, s, turn);
    place_back2(frames, motion, turn, y);
}

/* ---- an edge: K = k (1 - L / l (1 - t t')) ---- */

void fil_bend_vary_stretch(const FilBendStretch* stretch, const double* y, double rest, double change[3][3])
{
    const double *t = stretch->t, i = stretch->inverse, share = stretch->natural * i, along = fil_v3_dot(t, y);
    const double across = stretch->stiffness * i * (share * along - rest);
    double turn[3];
    for (int k = 0; k < 3; k++) {
        turn[k] = stretch->stiffness * share * i * (y[k] - along * t[k]);
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            change[r][c] = across * ((r == c ? 1.0 : 0.0) - t[r] * t[c]) + turn[r] * t[c] + t[r] * turn[c];
        }
    }
}

void fil_bend_vary_stretch_back(const FilBendStretch* stretch, double weight[3][3], double* y, double* rest)
{
    const double *t = stretch->t, i = stretch->inverse, k = stretch->stiffness * i, share = stretch->natural * i;
    double turned[3];
    for (int r = 0; r < 3; r++) {
        turned[r] = fil_v3_dot(weight[r], t);
    }
    const double along = fil_v3_dot(t, turned), across = weight[0][0] + weight[1][1] + weight[2][2] - along;
    for (int r = 0; r < 3; r++) {
        y[r] = k * share * (across * t[r] + 2.0 * (turned[r] - along * t[r]));
    }
    *rest = -k * across;
}
