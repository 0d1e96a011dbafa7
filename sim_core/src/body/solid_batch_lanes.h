/* The kernels of body/solid_batch.h: whoever includes this builds them for the level of vectors that its file is compiled for (base/vector.h).
 *
 * The equations are those of solid_law.c and solid_element.c. Two things differ: the polar rotation and the singular
 * values are found without branches, with lanes that are ill-conditioned left to base/svd3.h; and the stress of
 * isotropic laws is put together in the frames of the singular vectors, P = U diag(dPsi/ds_i) V',  dPsi/ds_i = psi_1 +
 * 2 psi_2 s_i + psi_3 s_j s_k + 2 psi_4 s_i (s_j^2 + s_k^2).     (1) The lagged law's blocks need no frame: with r_i =
 * R0 grad N_i (P3 appendix) V (mu (g_i . g_j) 1 + mu r_j r_i' + lambda r_i r_j'). (2) */
#ifndef FILUM_BODY_SOLID_BATCH_LANES_H
#define FILUM_BODY_SOLID_BATCH_LANES_H

#include <math.h>
#include <string.h>

#include "base/svd3.h"
#include "body/solid_batch.h"

/* Bounds only: sweeps of Jacobi and Newton's iterations converge quadratically and end when nothing changes. */
enum { MAX_SWEEPS = 8, MAX_NEWTON = 12 };

/* As in base/svd3.c: squared cosines of columns that count as orthogonal, and the denominator over |F|^3 from which on
 * the closed form of the rotation is good. */
static const double ORTHOGONAL = 1e-30, WELL_CONDITIONED = 0.1;

/* Second singular value over the first below which a lane is left to the one that handles all cases. */
static const double REGULAR = 1e-8;

/* ---- small algebra ---- */

static inline void multiply(FilDouble4* out, const FilDouble4* a, const FilDouble4* b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

static inline void multiply_left_transposed(FilDouble4* out, const FilDouble4* a, const FilDouble4* b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
        }
    }
}

static inline void multiply_right_transposed(FilDouble4* out, const FilDouble4* a, const FilDouble4* b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
        }
    }
}

static inline FilDouble4 dot3(const FilDouble4* a, const FilDouble4* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline FilDouble4 dot9(const FilDouble4* a, const FilDouble4* b)
{
    return dot3(a, b) + dot3(a + 3, b + 3) + dot3(a + 6, b + 6);
}

static inline void cofactor_of(FilDouble4* out, const FilDouble4* f)
{
    out[0] = f[4] * f[8] - f[5] * f[7];
    out[1] = f[5] * f[6] - f[3] * f[8];
    out[2] = f[3] * f[7] - f[4] * f[6];
    out[3] = f[2] * f[7] - f[1] * f[8];
    out[4] = f[0] * f[8] - f[2] * f[6];
    out[5] = f[1] * f[6] - f[0] * f[7];
    out[6] = f[1] * f[5] - f[2] * f[4];
    out[7] = f[2] * f[3] - f[0] * f[5];
    out[8] = f[0] * f[4] - f[1] * f[3];
}

static inline FilDouble4 max_of(FilDouble4 a, FilDouble4 b)
{
    return fil_double4_choose_below(a, b, b, a);
}

static inline void get_lane(const FilDouble4* from, int count, int lane, double* out)
{
    for (int k = 0; k < count; k++) {
        out[k] = fil_double4_get(&from[k], lane);
    }
}

static inline void set_lane(FilDouble4* to, int count, int lane, const double* values)
{
    for (int k = 0; k < count; k++) {
        fil_double4_set(&to[k], lane, values[k]);
    }
}

/* ---- elements ---- */

static void deformation(const FilSolidBatch* batch, const double* positions, int stride, FilDouble4* f)
{
    FilDouble4 first[3], edges[3][3];
    for (int k = 0; k < 3; k++) {
        first[k] = fil_double4_gather(positions + k, batch->vertex[0], stride);
        for (int i = 0; i < 3; i++) {
            edges[i][k] = fil_double4_gather(positions + k, batch->vertex[i + 1], stride) - first[k];
        }
    }
    const FilDouble4* g = batch->gradient;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            f[3 * r + c] = edges[0][r] * g[c] + edges[1][r] * g[3 + c] + edges[2][r] * g[6 + c];
        }
    }
}

/* ---- rotations and singular values ---- */

// eq. 1 and 2 of base/svd3.c
static void polar(const FilDouble4* f, FilDouble4* r)
{
    FilDouble4 unit[9], cofactor[9], metric[9], cubic[9], first[9], gram[9];
    const FilDouble4 norm = fil_double4_sqrt(dot9(f, f)), over_norm = 1.0 / norm;
    for (int k = 0; k < 9; k++) {
        unit[k] = f[k] * over_norm;
    }
    cofactor_of(cofactor, unit);
    const FilDouble4 i3 = dot3(unit, cofactor), i4 = dot9(cofactor, cofactor);
    // sqrt(3): the largest that the sum of singular values is where their squares add up to one; Newton falls from there
    FilDouble4 x = fil_double4_all(1.7320508075688772), m = x * x - 1.0, slope = x * m - 2.0 * i3;
    bool moving = true;
    for (int k = 0; moving && k < MAX_NEWTON; k++) {
        const FilDouble4 step = (0.25 * m * m - i4 - 2.0 * i3 * x) / max_of(slope, fil_double4_all(WELL_CONDITIONED));
        const FilDouble4 size = fil_double4_abs(step);
        x -= step;
        m = x * x - 1.0;
        slope = x * m - 2.0 * i3;
        moving = false;
        for (int lane = 0; lane < FIL_SOLID_LANES; lane++) {
            // rounding of numbers of order one
            moving = moving || fil_double4_get(&size, lane) > 1e-16;
        }
    }
    multiply_left_transposed(metric, unit, unit);
    multiply(cubic, unit, metric);
    const FilDouble4 over = 1.0 / slope;
    for (int k = 0; k < 9; k++) {
        first[k] = over * ((m + 2.0) * unit[k] - 2.0 * cubic[k] + 2.0 * x * cofactor[k]);
    }
    // one Newton-Schulz step makes it orthogonal to rounding
    multiply_left_transposed(gram, first, first);
    for (int k = 0; k < 9; k++) {
        gram[k] = (k % 4 == 0 ? 1.5 : 0.0) - 0.5 * gram[k];
    }
    multiply(r, first, gram);
    for (int lane = 0; lane < FIL_SOLID_LANES; lane++) {
        const double size = fil_double4_get(&norm, lane);
        // 1e-100 and 1e100: squares of these are still numbers
        if (!(fil_double4_get(&slope, lane) > WELL_CONDITIONED && size > 1e-100 && size < 1e100)) {
            double one[9], rotation[9];
            get_lane(f, 9, lane, one);
            fil_polar3(one, rotation);
            set_lane(r, 9, lane, rotation);
        }
    }
}

static inline FilDouble4 column_dot(const FilDouble4* m, int p, int q)
{
    return m[p] * m[q] + m[3 + p] * m[3 + q] + m[6 + p] * m[6 + q];
}

static inline void turn_columns(FilDouble4* m, int p, int q, FilDouble4 c, FilDouble4 s)
{
    for (int k = 0; k < 9; k += 3) {
        const FilDouble4 a = m[k + p], b = m[k + q];
        m[k + p] = c * a - s * b;
        m[k + q] = s * a + c * b;
    }
}

// one Jacobi rotation in all lanes; true if one of them needed it
static inline bool turn_pair(FilDouble4* b, FilDouble4* v, int p, int q)
{
    const FilDouble4 pp = column_dot(b, p, p), qq = column_dot(b, q, q), pq = column_dot(b, p, q);
    const FilDouble4 off = pq * pq, bound = ORTHOGONAL * pp * qq, d = qq - pp;
    bool needed = false;
    for (int lane = 0; lane < FIL_SOLID_LANES; lane++) {
        needed = needed || fil_double4_get(&off, lane) > fil_double4_get(&bound, lane);
    }
    if (!needed) {
        return false;
    }
    // 1e-300: zeros are not divided by
    const FilDouble4 t = fil_double4_with_sign(2.0 * pq / (fil_double4_abs(d) + fil_double4_sqrt(d * d + 4.0 * off) + 1e-300), d);
    const FilDouble4 c = 1.0 / fil_double4_sqrt(1.0 + t * t);
    turn_columns(b, p, q, c, c * t);
    turn_columns(v, p, q, c, c * t);
    return true;
}

// a quarter turn of two columns in lanes where the first is the smaller one
static inline void sort_pair(FilDouble4* size, FilDouble4* b, FilDouble4* v, int p, int q)
{
    const FilDouble4 x = size[p], y = size[q];
    size[p] = fil_double4_choose_below(x, y, y, x);
    size[q] = fil_double4_choose_below(x, y, x, y);
    for (int k = 0; k < 9; k += 3) {
        const FilDouble4 bp = b[k + p], bq = b[k + q], vp = v[k + p], vq = v[k + q];
        b[k + p] = fil_double4_choose_below(x, y, bq, bp);
        b[k + q] = fil_double4_choose_below(x, y, -bp, bq);
        v[k + p] = fil_double4_choose_below(x, y, vq, vp);
        v[k + q] = fil_double4_choose_below(x, y, -vp, vq);
    }
}

static void singular_values(const FilDouble4* f, FilDouble4* u, FilDouble4* s, FilDouble4* v)
{
    FilDouble4 b[9], size[3];
    memcpy(b, f, sizeof b);
    for (int k = 0; k < 9; k++) {
        v[k] = fil_double4_all(k % 4 == 0 ? 1.0 : 0.0);
    }
    bool turned = true;
    for (int sweep = 0; turned && sweep < MAX_SWEEPS; sweep++) {
        const bool first = turn_pair(b, v, 0, 1), second = turn_pair(b, v, 0, 2), third = turn_pair(b, v, 1, 2);
        turned = first || second || third;
    }
    for (int k = 0; k < 3; k++) {
        size[k] = column_dot(b, k, k);
    }
    sort_pair(size, b, v, 0, 1);
    sort_pair(size, b, v, 1, 2);
    sort_pair(size, b, v, 0, 1);
    // two columns of U by their lengths; the third makes it a rotation and takes the sign
    for (int k = 0; k < 2; k++) {
        s[k] = fil_double4_sqrt(size[k]);
        for (int i = 0; i < 9; i += 3) {
            u[i + k] = b[i + k] / s[k];
        }
    }
    u[2] = u[3] * u[7] - u[6] * u[4];
    u[5] = u[6] * u[1] - u[0] * u[7];
    u[8] = u[0] * u[4] - u[3] * u[1];
    s[2] = u[2] * b[2] + u[5] * b[5] + u[8] * b[8];
    for (int lane = 0; lane < FIL_SOLID_LANES; lane++) {
        const double first = fil_double4_get(&s[0], lane), second = fil_double4_get(&s[1], lane);
        // as above
        if (!(first > 1e-100 && first < 1e100 && second > REGULAR * first)) {
            double one[9], left[9], values[3], right[9];
            get_lane(f, 9, lane, one);
            fil_svd3(one, left, values, right);
            set_lane(u, 9, lane, left);
            set_lane(s, 3, lane, values);
            set_lane(v, 9, lane, right);
        }
    }
}

static void find_rotation(const FilSolidBatch* batch, const double* positions, int stride, FilDouble4* rotation)
{
    FilDouble4 f[9];
    deformation(batch, positions, stride, f);
    polar(f, rotation);
}

/* ---- gradients and blocks ---- */

static void gradient_of(const FilSolidBatch* batch, const FilDouble4* p, FilDouble4* out)
{
    for (int r = 0; r < 3; r++) {
        FilDouble4 sum = fil_double4_all(0.0);
        for (int i = 0; i < 3; i++) {
            out[3 + 3 * i + r] = batch->volume * dot3(p + 3 * r, batch->gradient + 3 * i);
            sum += out[3 + 3 * i + r];
        }
        out[r] = -sum;
    }
}

/* Places of the blocks (i, j) of the vertices 1, 2, 3 among the ten. */
static const int places[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};

// the blocks of vertex 0: minus the sums of the others'
static void complete_blocks(FilDouble4 (*blocks)[9])
{
    for (int k = 0; k < 9; k++) {
        const int mirror = 3 * (k % 3) + k / 3;
        blocks[1][k] = -(blocks[4][k] + blocks[5][mirror] + blocks[6][mirror]);
        blocks[2][k] = -(blocks[5][k] + blocks[7][k] + blocks[8][mirror]);
        blocks[3][k] = -(blocks[6][k] + blocks[8][k] + blocks[9][k]);
    }
    for (int k = 0; k < 9; k++) {
        const int mirror = 3 * (k % 3) + k / 3;
        blocks[0][k] = -0.5 * (blocks[1][k] + blocks[1][mirror] + blocks[2][k] + blocks[2][mirror] + blocks[3][k] + blocks[3][mirror]);
    }
}

// eq. 2
static void turned_blocks(const FilSolidBatch* batch, const FilDouble4* r, double mu, double k, double scale, FilDouble4 (*blocks)[9])
{
    const FilDouble4 weight = scale * batch->volume, shear = mu * weight, bulk = k * weight;
    const FilDouble4* g = batch->gradient;
    FilDouble4 turned[3][3];
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < 3; c++) {
            turned[i][c] = dot3(r + 3 * c, g + 3 * i);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            FilDouble4* block = blocks[places[i][j]];
            const FilDouble4 along = shear * dot3(g + 3 * i, g + 3 * j);
            for (int a = 0; a < 3; a++) {
                const FilDouble4 left = shear * turned[j][a], right = bulk * turned[i][a];
                for (int b = 0; b < 3; b++) {
                    block[3 * a + b] = left * turned[i][b] + right * turned[j][b];
                }
                block[4 * a] += along;
            }
        }
    }
    complete_blocks(blocks);
}

/* dP/dF in the frames of the singular vectors, as FilSolidTangent has it. */
typedef struct Tangent {
    FilDouble4 u[9], v[9], stretch[6], same[3], swapped[3];
} Tangent;

// eq. 4 of solid_element.c, then U B U'
static void isotropic_blocks(const FilSolidBatch* batch, const Tangent* t, double scale, FilDouble4 (*blocks)[9])
{
    const FilDouble4 weight = scale * batch->volume;
    FilDouble4 g[9], b[9], half[9];
    multiply(g, batch->gradient, t->v);
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            const FilDouble4* q = g + 3 * j;
            const FilDouble4 p[3] = {weight * g[3 * i], weight * g[3 * i + 1], weight * g[3 * i + 2]};
            const FilDouble4 d[3] = {p[0] * q[0], p[1] * q[1], p[2] * q[2]};
            b[0] = t->stretch[0] * d[0] + t->same[0] * d[1] + t->same[1] * d[2];
            b[4] = t->stretch[1] * d[1] + t->same[0] * d[0] + t->same[2] * d[2];
            b[8] = t->stretch[2] * d[2] + t->same[1] * d[0] + t->same[2] * d[1];
            b[1] = t->stretch[3] * (p[0] * q[1]) + t->swapped[0] * (p[1] * q[0]);
            b[3] = t->stretch[3] * (p[1] * q[0]) + t->swapped[0] * (p[0] * q[1]);
            b[2] = t->stretch[4] * (p[0] * q[2]) + t->swapped[1] * (p[2] * q[0]);
            b[6] = t->stretch[4] * (p[2] * q[0]) + t->swapped[1] * (p[0] * q[2]);
            b[5] = t->stretch[5] * (p[1] * q[2]) + t->swapped[2] * (p[2] * q[1]);
            b[7] = t->stretch[5] * (p[2] * q[1]) + t->swapped[2] * (p[1] * q[2]);
            multiply(half, t->u, b);
            multiply_right_transposed(blocks[places[i][j]], half, t->u);
        }
    }
    complete_blocks(blocks);
}

/* ---- laws ---- */

static void turned_evaluate(const FilSolidBatch* batch, const FilSolidMaterial* m, const FilDouble4* f, const FilSolidBatchStrain* strain,
                            FilSolidBatchResult* out, FilDouble4* p)
{
    const double k = strain->kept * m->stiffness;
    FilDouble4 turned[9], e[9];
    multiply_left_transposed(turned, strain->rotation, f);
    for (int i = 0; i < 9; i++) {
        e[i] = 0.5 * (turned[i] + turned[3 * (i % 3) + i / 3]) - (i % 4 == 0 ? 1.0 : 0.0);
    }
    const FilDouble4 theta = e[0] + e[4] + e[8], pressure = k * theta + strain->pressure;
    out->energy = batch->volume * (m->mu * dot9(e, e) + 0.5 * k * theta * theta);
    for (int i = 0; i < 9; i++) {
        e[i] = 2.0 * m->mu * e[i] + (i % 4 == 0 ? pressure : fil_double4_all(0.0));
    }
    multiply(p, strain->rotation, e);
}

static const int pair_of[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}}; /* i, j and the third index */

/* Slopes psi_a, and the curvature k of the invariant `dilation`. */
typedef struct Density {
    FilDouble4 first[4];
    double k;
    int dilation;
} Density;

// eq. 1; returns the energy density
static FilDouble4 principal_stress(const FilSolidMaterial* m, const FilSolidBatchStrain* strain, const FilDouble4* s, Density* d, FilDouble4* p)
{
    static const double rest[4] = {3.0, 3.0, 1.0, 3.0};
    const FilDouble4 q[3] = {s[0] * s[0], s[1] * s[1], s[2] * s[2]};
    const FilDouble4 invariants[4] = {s[0] + s[1] + s[2], q[0] + q[1] + q[2], s[0] * s[1] * s[2], q[0] * q[1] + q[1] * q[2] + q[2] * q[0]};
    FilDouble4 value = fil_double4_all(0.0);
    d->k = strain->kept * m->stiffness;
    d->dilation = fil_solid_material_dilation(m);
    for (int a = 0; a < 4; a++) {
        value += m->slopes[a] * (invariants[a] - rest[a]);
        d->first[a] = fil_double4_all(m->slopes[a]);
    }
    const FilDouble4 theta = invariants[d->dilation] - rest[d->dilation];
    d->first[d->dilation] += d->k * theta + strain->pressure;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        p[i] = d->first[0] + 2.0 * s[i] * (d->first[1] + d->first[3] * (q[j] + q[k])) + d->first[2] * (s[j] * s[k]);
    }
    return value + 0.5 * d->k * theta * theta;
}

// eq. 3 to 5 of solid_law.c
static void isotropic_tangent(const FilDouble4* s, const Density* d, bool definite, Tangent* t)
{
    const FilDouble4 one = fil_double4_all(1.0), zero = fil_double4_all(0.0);
    const FilDouble4 slopes[2][3] = {{one, one, one}, {s[1] * s[2], s[2] * s[0], s[0] * s[1]}};
    const FilDouble4 *slope = slopes[d->dilation == 0 ? 0 : 1], total = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    // a hundred times rounding; 1e-300 keeps zeros from being divided by
    const FilDouble4 min = 1e-14 * (s[0] + 1e-300);
    for (int e = 0; e < 3; e++) {
        const int i = pair_of[e][0], j = pair_of[e][1], k = pair_of[e][2];
        const FilDouble4 even = 2.0 * (d->first[1] + d->first[3] * (s[k] * s[k]));
        const FilDouble4 odd = d->first[2] * s[k] + 2.0 * d->first[3] * (s[i] * s[j]);
        FilDouble4 flip = even - odd, twist = even + odd + 2.0 * d->first[0] / max_of(s[i] + s[j], min);
        if (definite) {
            flip = max_of(flip, zero);
            twist = max_of(twist, zero);
        }
        t->same[e] = 0.5 * (flip + twist);
        t->swapped[e] = 0.5 * (flip - twist);
        t->stretch[e] = 2.0 * (d->first[1] + d->first[3] * (total - s[e] * s[e])) + d->k * (slope[e] * slope[e]);
        t->stretch[3 + e] = d->first[2] * s[k] + 4.0 * d->first[3] * (s[i] * s[j]) + d->k * (slope[i] * slope[j]);
    }
    for (int lane = 0; definite && lane < FIL_SOLID_LANES; lane++) {
        double a[6];
        get_lane(t->stretch, 6, lane, a);
        fil_solid_stretch_make_definite(a);
        set_lane(t->stretch, 6, lane, a);
    }
}

// eq. 2 of solid_law.c, for laws without the invariant I1: no singular values are needed
static void direct_evaluate(const FilSolidBatch* batch, const FilSolidMaterial* m, const FilDouble4* f, const FilSolidBatchStrain* strain,
                            FilSolidBatchResult* out, FilDouble4* p)
{
    const double k = strain->kept * m->stiffness;
    FilDouble4 cofactor[9], metric[9], cubic[9];
    cofactor_of(cofactor, f);
    multiply_left_transposed(metric, f, f);
    multiply(cubic, f, metric);
    const FilDouble4 i2 = dot9(f, f), theta = dot3(f, cofactor) - 1.0, i4 = dot9(cofactor, cofactor);
    const FilDouble4 along = 2.0 * (m->slopes[1] + m->slopes[3] * i2), across = m->slopes[2] + k * theta + strain->pressure;
    out->energy = batch->volume * (m->slopes[1] * (i2 - 3.0) + m->slopes[2] * theta + m->slopes[3] * (i4 - 3.0) + 0.5 * k * theta * theta);
    for (int i = 0; i < 9; i++) {
        p[i] = along * f[i] + across * cofactor[i] - 2.0 * m->slopes[3] * cubic[i];
    }
}

static void isotropic_evaluate(const FilSolidBatch* batch, const FilSolidMaterial* m, const FilDouble4* f, const FilSolidBatchStrain* strain,
                               bool hessian, bool definite, double scale, FilSolidBatchResult* out, FilDouble4* p)
{
    Tangent t;
    Density d;
    FilDouble4 s[3], stress[3], left[9];
    singular_values(f, t.u, s, t.v);
    out->energy = batch->volume * principal_stress(m, strain, s, &d, stress);
    for (int k = 0; k < 9; k++) {
        left[k] = t.u[k] * stress[k % 3];
    }
    multiply_right_transposed(p, left, t.v);
    if (hessian) {
        isotropic_tangent(s, &d, definite, &t);
        isotropic_blocks(batch, &t, scale, out->hessian);
    }
}

static void evaluate(const FilSolidBatch* batch, const FilSolidMaterial* material, const double* positions, int stride,
                     const FilSolidBatchStrain* strain, bool hessian, bool definite, double scale, FilSolidBatchResult* out)
{
    FilDouble4 f[9], p[9];
    deformation(batch, positions, stride, f);
    if (!fil_solid_material_is_linear(material)) {
        if (!hessian && !fil_solid_material_rotates(material)) {
            direct_evaluate(batch, material, f, strain, out, p);
        } else {
            isotropic_evaluate(batch, material, f, strain, hessian, definite, scale, out, p);
        }
    } else {
        FilSolidBatchStrain about = *strain;
        for (int k = 0; k < 9 && !fil_solid_material_lags(material); k++) {
            about.rotation[k] = fil_double4_all(k % 4 == 0 ? 1.0 : 0.0);
        }
        turned_evaluate(batch, material, f, &about, out, p);
        if (hessian) {
            turned_blocks(batch, about.rotation, material->mu, strain->kept * material->stiffness, scale, out->hessian);
        }
    }
    gradient_of(batch, p, out->gradient);
}

static void find_dilation(const FilSolidBatch* batch, const FilSolidMaterial* material, const double* positions, int stride,
                          const FilDouble4* rotation, FilDouble4* theta)
{
    FilDouble4 f[9], r[9], cofactor[9];
    deformation(batch, positions, stride, f);
    if (fil_solid_material_dilation(material) == 2) {
        cofactor_of(cofactor, f);
        *theta = dot3(f, cofactor) - 1.0;
    } else if (fil_solid_material_rotates(material)) {
        polar(f, r);
        *theta = dot9(r, f) - 3.0;
    } else {
        *theta = (fil_solid_material_lags(material) ? dot9(rotation, f) : f[0] + f[4] + f[8]) - 3.0;
    }
}

#endif
