/* Singular values by one-sided Jacobi rotations (Hestenes 1958): V turns the columns of B = F V until they are
 * orthogonal; their lengths are the singular values, with a high relative accuracy that the eigenvalues of F'F lack.
 *
 * The polar rotation has a closed form. With the invariants of S (signed singular values s1 >= s2 >= |s3|)
 *     I1 = s1 + s2 + s3,  I2 = |F|^2,  I3 = det F,  I4 = |cof F|^2:   (I1^2 - I2)^2/4 = I4 + 2 I3 I1               (1)
 * because both sides are (s1 s2 + s2 s3 + s3 s1)^2. I1 is the largest root of (1): Newton's method from
 * sqrt(3 I2) >= I1 falls upon it monotonically. As R = dI1/dF, differentiating (1) gives
 *     R = ((I1^2 - I2) F + 2 (I2 F - F F'F) + 2 I1 cof F) / (I1 (I1^2 - I2) - 2 I3) (2) with denominator 2 (s1 + s2)(s2
 * + s3)(s3 + s1). It is used where that is not small against |F|^3. */
#include "base/svd3.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

/* Squared cosine between columns that count as orthogonal: (1e-15)^2, a few roundings of a dot product. */
static const double ORTHOGONAL = 1e-30;

/* Bounds of loops that converge quadratically: a few sweeps, a few steps. */
enum { SWEEPS = 16, NEWTON = 12 };

/* Below this denominator of eq. 2 over |F|^3 (3.08 for a rotation) the singular values decide: an error of rounding
 * grows by its inverse, so that 0.1 keeps R within 1e-14. */
static const double WELL_CONDITIONED = 0.1;

/* (a, b) <- (c a - s b, s a + c b) for two columns of a row-major matrix */
static void turn_columns(double* m, int p, int q, double c, double s)
{
    for (int k = 0; k < 9; k += 3) {
        const double a = m[k + p], b = m[k + q];
        m[k + p] = c * a - s * b;
        m[k + q] = s * a + c * b;
    }
}

/* The rotation that makes a symmetric {{a, g}, {g, b}} diagonal: tangent of the smaller angle. */
static double jacobi_tangent(double a, double b, double g)
{
    const double zeta = (b - a) / (2.0 * g);
    // beyond, its square is no number
    return fabs(zeta) > 1e150 ? 0.5 / zeta : copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
}

static double column_dot(const double* m, int p, int q)
{
    return m[p] * m[q] + m[3 + p] * m[3 + q] + m[6 + p] * m[6 + q];
}

/* Turns the columns of b until they are orthogonal, and those of v along with them. */
static void orthogonalise_columns(double* b, double* v)
{
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int pair = 0; pair < 3; pair++) {
            const int p = pair == 2 ? 1 : 0, q = pair == 0 ? 1 : 2;
            const double pp = column_dot(b, p, p), qq = column_dot(b, q, q), pq = column_dot(b, p, q);
            if (pq * pq > ORTHOGONAL * pp * qq) {
                const double t = jacobi_tangent(pp, qq, pq), c = 1.0 / sqrt(1.0 + t * t);
                turn_columns(b, p, q, c, c * t);
                turn_columns(v, p, q, c, c * t);
                turned = true;
            }
        }
    }
}

/* Quarter turns (a, b) <- (b, -a) bring the columns into falling order of `size`. */
static void sort_columns(double* size, double* b, double* v)
{
    static const int order[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int k = 0; k < 3; k++) {
        const int p = order[k][0], q = order[k][1];
        if (size[p] < size[q]) {
            const double larger = size[q];
            size[q] = size[p];
            size[p] = larger;
            if (b != NULL) {
                turn_columns(b, p, q, 0.0, -1.0);
            }
            turn_columns(v, p, q, 0.0, -1.0);
        }
    }
}

static void set_identity(double* m)
{
    memset(m, 0, 9 * sizeof *m);
    m[0] = m[4] = m[8] = 1.0;
}

void fil_svd3(const double* f, double* u, double* s, double* v)
{
    // by a power of two to entries near 1: squares neither overflow nor vanish
    double b[9], largest = 0.0;
    int exponent = 0;
    for (int k = 0; k < 9; k++) {
        largest = fmax(largest, fabs(f[k]));
    }
    frexp(largest, &exponent);
    for (int k = 0; k < 9; k++) {
        b[k] = ldexp(f[k], -exponent);
    }
    set_identity(v);
    orthogonalise_columns(b, v);
    for (int k = 0; k < 3; k++) {
        s[k] = column_dot(b, k, k);
    }
    sort_columns(s, b, v);
    // the first two columns of U, or any where F has none; the third makes it a rotation and takes F's sign
    double columns[3][3], image[3][3];
    for (int k = 0; k < 3; k++) {
        fil_v3_set(image[k], b[k], b[3 + k], b[6 + k]);
    }
    fil_v3_copy(columns[0], image[0]);
    s[0] = fil_v3_normalise(columns[0]);
    if (s[0] == 0.0) {
        fil_v3_set(columns[0], 1.0, 0.0, 0.0);
    }
    fil_v3_copy(columns[1], image[1]);
    s[1] = fil_v3_normalise(columns[1]);
    fil_v3_axpy(columns[1], -fil_v3_dot(columns[0], columns[1]), columns[0]);
    // a column that vanished, or that has squares below the smallest number, has no direction to keep
    if (s[1] < 1e-150 || fil_v3_normalise(columns[1]) < 0.5) {
        fil_v3_orthogonal(columns[1], columns[0]);
    }
    fil_v3_cross(columns[2], columns[0], columns[1]);
    s[2] = fil_v3_dot(columns[2], image[2]);
    for (int k = 0; k < 3; k++) {
        s[k] = ldexp(s[k], exponent);
        for (int i = 0; i < 3; i++) {
            u[3 * i + k] = columns[k][i];
        }
    }
}

/* Eq. 2 for f of Frobenius norm 1; false where it is ill-conditioned. */
static bool polar_by_invariants(const double* f, double* r)
{
    double cofactor[9], metric[9], cubic[9];
    fil_m3_cofactor(cofactor, f);
    const double i3 = f[0] * cofactor[0] + f[1] * cofactor[1] + f[2] * cofactor[2];
    const double i4 = fil_m3_dot(cofactor, cofactor);
    // eq. 1 in x = I1/|F|: (x^2 - 1)^2/4 - I4 - 2 I3 x = 0
    // from sqrt(3), which no sum of singular values exceeds where their squares add up to one
    double x = 1.7320508075688772, slope = 0.0;
    for (int k = 0; k < NEWTON; k++) {
        const double m = x * x - 1.0;
        slope = x * m - 2.0 * i3;
        if (slope < WELL_CONDITIONED) {
            return false;
        }
        const double step = (0.25 * m * m - i4 - 2.0 * i3 * x) / slope;
        x -= step;
        if (fabs(step) < 1e-16) {  // rounding, of singular values scaled to 1
            break;
        }
    }
    const double m = x * x - 1.0;
    slope = x * m - 2.0 * i3;
    if (slope < WELL_CONDITIONED) {
        return false;
    }
    fil_m3_multiply_left_transposed(metric, f, f);
    fil_m3_multiply(cubic, f, metric);
    const double over = 1.0 / slope;
    for (int k = 0; k < 9; k++) {
        r[k] = over * ((m + 2.0) * f[k] - 2.0 * cubic[k] + 2.0 * x * cofactor[k]);
    }
    return true;
}

void fil_polar3(const double* f, double* r)
{
    const double norm = sqrt(fil_m3_dot(f, f));
    double unit[9], gram[9], first[9];
    if (norm > 1e-150 && norm < 1e150) {  // squares are numbers
        for (int k = 0; k < 9; k++) {
            unit[k] = f[k] / norm;
        }
        if (polar_by_invariants(unit, first)) {
            // one Newton-Schulz step, R <- R (3 - R'R)/2, makes it orthogonal to rounding
            fil_m3_multiply_left_transposed(gram, first, first);
            for (int k = 0; k < 9; k++) {
                gram[k] = (k % 4 == 0 ? 1.5 : 0.0) - 0.5 * gram[k];
            }
            fil_m3_multiply(r, first, gram);
            return;
        }
    }
    double u[9], s[3], v[9];
    fil_svd3(f, u, s, v);
    fil_m3_multiply_right_transposed(r, u, v);
}

void fil_eigen3(const double* a, double* values, double* vectors)
{
    static const int off[3] = {3, 4, 5};  // of the pairs 01, 02, 12
    double m[6];
    memcpy(m, a, sizeof m);
    set_identity(vectors);
    for (int sweep = 0; sweep < SWEEPS && (m[3] != 0.0 || m[4] != 0.0 || m[5] != 0.0); sweep++) {
        for (int pair = 0; pair < 3; pair++) {
            const int p = pair == 2 ? 1 : 0, q = pair == 0 ? 1 : 2, rest = 3 - p - q;
            const double g = m[off[pair]], scale = fabs(m[p]) + fabs(m[q]);
            if (scale + fabs(g) == scale) {
                m[off[pair]] = 0.0;  // below the last digit of both
                continue;
            }
            const double t = jacobi_tangent(m[p], m[q], g), c = 1.0 / sqrt(1.0 + t * t), s = c * t;
            m[p] -= t * g;
            m[q] += t * g;
            m[off[pair]] = 0.0;
            // the entries that couple p and q with the third index: off[i + j - 1] is that of the pair (i, j)
            const int pr = off[p + rest - 1], qr = off[q + rest - 1];
            const double mp = m[pr], mq = m[qr];
            m[pr] = c * mp - s * mq;
            m[qr] = s * mp + c * mq;
            turn_columns(vectors, p, q, c, s);
        }
    }
    fil_v3_copy(values, m);
    sort_columns(values, NULL, vectors);
}
