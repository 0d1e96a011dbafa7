#include "contact/ring_hole.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/ipc_barrier.h"

/* What gap and stop are functions of: y = (r, s, a, u) with r from the crossing to the centre, s = dr/du, the axis a
 * and u. And what those are functions of: z = (centre of mass, turn, four nodes) and u. */
enum { Y = 10, Z = FIL_HOLE_SIZE, ALL = Z + 1, R = 0, S = 3, A = 6, U = 9 };

/* A function of y. */
typedef struct Local {
    double value, first[Y], second[Y][Y];
} Local;

/* How y follows from z and u. */
typedef struct Chain {
    double first[Y][ALL];
    const FilHole* hole;
    const double* rotation;
    const FilTrackPoint* point;
    double crossing[ALL]; /* gradient of F = r . a, which is zero at the crossing */
} Chain;

/* ---- functions of y ---- */

/* range - gap = d + rod_radius |s| / (s . a) - (radius - range). A hole that is wedged on a rod touches on both sides,
 * where d = |r| = 0 has a corner: rounded off by a tenth of the range, so that d is a little more. */
static Local closing_of(const FilHole* hole, double range, const double* axis, const FilTrackPoint* point)
{
    const double *r = point->r, *s = point->slope, rho = hole->rod_radius;
    // 0.01: a tenth, squared
    const double d = sqrt(fil_v3_dot(r, r) + 0.01 * range * range), over = 1.0 / d;
    const double n = fil_v3_norm(s), q = fil_v3_dot(s, axis);
    Local f = {.value = d + rho * n / q - (hole->radius - range)};
    for (int j = 0; j < 3; j++) {
        f.first[R + j] = over * r[j];
        f.first[S + j] = rho * (s[j] / (n * q) - n * axis[j] / (q * q));
        f.first[A + j] = -rho * n * s[j] / (q * q);
        for (int k = 0; k < 3; k++) {
            const double unit = j == k ? 1.0 : 0.0, ss = s[j] * s[k] / (n * n);
            f.second[R + j][R + k] = over * (unit - over * over * r[j] * r[k]);
            f.second[S + j][S + k] =
                rho * ((unit - ss) / (n * q) - (s[j] * axis[k] + axis[j] * s[k]) / (n * q * q) + 2.0 * n * axis[j] * axis[k] / (q * q * q));
            f.second[S + j][A + k] = rho * (-n * ss - n * unit + 2.0 * n * axis[j] * s[k] / q) / (q * q);
            f.second[A + k][S + j] = f.second[S + j][A + k];
            f.second[A + j][A + k] = 2.0 * rho * n * n * n * ss / (q * q * q);
        }
    }
    return f;
}

/* The length beyond an end: so much of u times |s|. */
static Local stop_of(const FilTrackPoint* point)
{
    const double sign = point->beyond, n = fil_v3_norm(point->slope), far = point->over;
    Local f = {.value = far * n};
    f.first[U] = sign * n;
    for (int j = 0; j < 3; j++) {
        const double along = point->slope[j] / n;
        f.first[S + j] = far * along;
        f.second[S + j][U] = f.second[U][S + j] = sign * along;
        for (int k = 0; k < 3; k++) {
            f.second[S + j][S + k] = far * ((j == k ? 1.0 : 0.0) - along * point->slope[k] / n) / n;
        }
    }
    return f;
}

/* ---- functions of z ---- */

/* d(R exp(turn) b)/d(turn) = -R [b] */
static void put_turn(Chain* chain, int row, const double* b)
{
    const double* m = chain->rotation;
    for (int j = 0; j < 3; j++) {
        double column[3];
        fil_v3_cross(column, b, m + 3 * j);  // row j of -R [b] is b x (row j of R)
        for (int k = 0; k < 3; k++) {
            chain->first[row + j][3 + k] = column[k];
        }
    }
}

static void start_chain(const FilHole* hole, const double* rotation, const double* axis, const FilTrackPoint* point, Chain* chain)
{
    *chain = (Chain){.hole = hole, .rotation = rotation, .point = point};
    put_turn(chain, R, hole->center);
    put_turn(chain, A, hole->axis);
    for (int j = 0; j < 3; j++) {
        chain->first[R + j][j] = 1.0;
        for (int k = 0; k < 4; k++) {
            chain->first[R + j][6 + 3 * k + j] = point->weight[1 + k];
            chain->first[S + j][6 + 3 * k + j] = point->change[1 + k];
        }
        chain->first[R + j][Z] = point->slope[j];
        chain->first[S + j][Z] = point->bend[j];
    }
    chain->first[U][Z] = 1.0;
    for (int m = 0; m < ALL; m++) {
        for (int j = 0; j < 3; j++) {
            chain->crossing[m] += axis[j] * chain->first[R + j][m] + point->r[j] * chain->first[A + j][m];
        }
    }
}

/* Gradient over z with u following the crossing; returns the multiplier of F. */
static double gradient_of(const Chain* chain, const Local* f, double* gradient)
{
    double all[ALL] = {0.0};
    for (int i = 0; i < Y; i++) {
        for (int m = 0; m < ALL; m++) {
            all[m] += f->first[i] * chain->first[i][m];
        }
    }
    const double multiplier = -all[Z] / chain->crossing[Z];
    for (int m = 0; m < Z; m++) {
        gradient[m] = all[m] + multiplier * chain->crossing[m];
    }
    return multiplier;
}

/* Second derivatives of y itself, weighted by l = dL/dy. */
static void add_bends(const Chain* chain, const double* l, double h[ALL][ALL])
{
    const FilTrackPoint* point = chain->point;
    // b . R exp(turn) c has the Hessian (b c' + c b') / 2 - b . c, b in the body's frame
    const double* local[2] = {chain->hole->center, chain->hole->axis};
    for (int part = 0; part < 2; part++) {
        double b[3];
        fil_m3_apply_transposed(b, chain->rotation, l + (part == 0 ? R : A));
        const double *c = local[part], along = fil_v3_dot(b, c);
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                h[3 + j][3 + k] += 0.5 * (b[j] * c[k] + c[j] * b[k]) - (j == k ? along : 0.0);
            }
        }
    }
    h[Z][Z] += fil_v3_dot(l + R, point->bend) + fil_v3_dot(l + S, point->jerk);
    for (int k = 0; k < 4; k++) {
        for (int j = 0; j < 3; j++) {
            const double mixed = l[R + j] * point->change[1 + k] + l[S + j] * point->curve[1 + k];
            h[6 + 3 * k + j][Z] += mixed;
            h[Z][6 + 3 * k + j] += mixed;
        }
    }
}

/* Adds scale times the Hessian over z: that of L = f + multiplier F, with du/dz = -F_z / F_u. */
static void add_hessian(const Chain* chain, const Local* f, double multiplier, const double* axis, double scale, double* hessian)
{
    double l[Y], half[Y][ALL] = {{0.0}}, h[ALL][ALL] = {{0.0}}, follow[Z];
    memcpy(l, f->first, sizeof l);
    for (int j = 0; j < 3; j++) {
        l[R + j] += multiplier * axis[j];
        l[A + j] += multiplier * chain->point->r[j];
    }
    for (int i = 0; i < Y; i++) {
        for (int k = 0; k < Y; k++) {
            const bool mixed = (i < S && k == i + A) || (k < S && i == k + A);  // of F = r . a
            const double second = f->second[i][k] + (mixed ? multiplier : 0.0);
            for (int m = 0; m < ALL && second != 0.0; m++) {
                half[i][m] += second * chain->first[k][m];
            }
        }
    }
    for (int m = 0; m < ALL; m++) {
        for (int i = 0; i < Y; i++) {
            for (int p = 0; p < ALL && chain->first[i][m] != 0.0; p++) {
                h[m][p] += chain->first[i][m] * half[i][p];
            }
        }
    }
    add_bends(chain, l, h);
    for (int m = 0; m < Z; m++) {
        follow[m] = -chain->crossing[m] / chain->crossing[Z];
    }
    for (int m = 0; m < Z; m++) {
        for (int p = 0; p < Z; p++) {
            hessian[Z * m + p] += scale * (h[m][p] + h[m][Z] * follow[p] + follow[m] * h[Z][p] + follow[m] * h[Z][Z] * follow[p]);
        }
    }
}

double fil_hole_energy(const FilHoleBarrier* barrier, const double* rotation, const FilTrackPoint* crossing, double* gradient, double* hessian,
                       bool positive)
{
    const FilHole* hole = barrier->hole;
    double axis[3], energy = 0.0;
    fil_m3_apply(axis, rotation, hole->axis);
    const bool stopped = crossing->beyond != 0 && !crossing->past;
    const Local parts[2] = {closing_of(hole, barrier->range, axis, crossing), stopped ? stop_of(crossing) : (Local){0}};
    Chain chain;
    start_chain(hole, rotation, axis, crossing, &chain);
    if (gradient != NULL) {
        memset(gradient, 0, Z * sizeof(double));
    }
    if (hessian != NULL) {
        memset(hessian, 0, Z * Z * sizeof(double));
    }
    for (int part = 0; part < 2; part++) {
        const FilJet jet = fil_ring_barrier(parts[part].value, barrier->range, barrier->stiffness);
        double g[Z];
        energy += jet.value;
        if (!isfinite(jet.value)) {
            return INFINITY;
        }
        if (jet.value == 0.0) {
            continue;
        }
        const double multiplier = gradient_of(&chain, &parts[part], g);
        for (int m = 0; m < Z && gradient != NULL; m++) {
            gradient[m] += jet.first * g[m];
        }
        for (int m = 0; m < Z * Z && hessian != NULL; m++) {
            hessian[m] += jet.second * g[m / Z] * g[m % Z];
        }
        if (hessian != NULL && !positive) {
            add_hessian(&chain, &parts[part], multiplier, axis, jet.first, hessian);
        }
    }
    return energy;
}
