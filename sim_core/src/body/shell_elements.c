/* The angle theta of a fold has the gradient (Bridson; Tamstorf and Grinspun)
 *     per triangle (a, b, c) with N = (b - a) x (c - a), u = |e| N / |N|^2, foot of c at a + t e:
 *     d theta / d(a, b, c) = ((1 - t) u, t u, -u),
 * so it is a sum of one term per triangle, each a function of that triangle alone. Its Jacobian is then the sum of two
 * 9 x 9 matrices, and only their sum is symmetric. */
#include "body/shell_elements.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "base/vector.h"

/* ---- edges ---- */

static FilShellPull pull_of(const FilShellEdge* edge, const double* x0, const double* x1)
{
    FilShellPull pull = {.e = {x1[0] - x0[0], x1[1] - x0[1], x1[2] - x0[2], 0.0}};
    const double length = fil_v3_norm(pull.e), stretch = length - edge->length;
    pull.energy = 0.5 * edge->stiffness * stretch * stretch;
    pull.across = length > 0.0 ? stretch / length : 0.0;
    pull.over = length > 0.0 ? 1.0 / (length * length) : 0.0;
    return pull;
}

double fil_shell_edge_gradient(const FilShellEdge* edge, const double* x0, const double* x1, double* gradient)
{
    const FilShellPull pull = pull_of(edge, x0, x1);
    fil_v3_scale(gradient, edge->stiffness * pull.across, pull.e);
    return pull.energy;
}

void fil_shell_edge_hessian(const FilShellEdge* edge, const double* x0, const double* x1, double kept, double* hessian)
{
    double columns[12];
    const FilShellPull pull = pull_of(edge, x0, x1);
    fil_shell_edge_columns(edge, &pull, kept, 1.0, columns);
    for (int k = 0; k < 9; k++) {
        hessian[k] = columns[4 * (k / 3) + k % 3];
    }
}

/* ---- folds ---- */

/* One triangle of a fold. */
typedef struct Wing {
    double e[3], f[3]; /* b - a, c - a */
    double n[3], u[3]; /* unit normal, and |e| N / |N|^2 */
    double t;          /* foot of c on the edge */
    double e2, e_size, n_size;
} Wing;

/* Both wings of a fold: (a, b, c) and (b, a, d). */
static inline void wings_of(const double* const x[4], Wing wings[2])
{
    double e[3];
    fil_v3_sub(e, x[1], x[0]);
    const double e2 = fil_v3_dot(e, e), e_size = sqrt(e2), over = e2 > 0.0 ? 1.0 / e2 : 0.0;
    for (int k = 0; k < 2; k++) {
        Wing* w = &wings[k];
        fil_v3_scale(w->e, k == 0 ? 1.0 : -1.0, e);
        fil_v3_sub(w->f, x[2 + k], x[k]);
        fil_v3_cross(w->n, w->e, w->f);
        w->n_size = fil_v3_normalise(w->n);
        w->e2 = e2;
        w->e_size = e_size;
        fil_v3_scale(w->u, w->n_size > 0.0 ? e_size / w->n_size : 0.0, w->n);
        w->t = fil_v3_dot(w->f, w->e) * over;
    }
}

/* The angle by its sine and cosine. */
typedef struct Turn {
    double sine, cosine;
} Turn;

static Turn turn_between(const Wing* first, const Wing* second)
{
    double cross[3];
    fil_v3_cross(cross, first->n, second->n);
    return (Turn){fil_v3_dot(cross, first->e) / first->e_size, fil_v3_dot(first->n, second->n)};
}

/* Sine and cosine of half the angle, which lies in (-pi/2, pi/2], without cancellation. */
static Turn half_turn(Turn t)
{
    if (t.cosine >= 0.0) {
        const double cosine = sqrt(0.5 * (1.0 + t.cosine));
        return (Turn){0.5 * t.sine / cosine, cosine};
    }
    const double sine = copysign(sqrt(0.5 * (1.0 - t.cosine)), t.sine);
    return (Turn){sine, 0.5 * t.sine / sine};
}

/* Energy psi(theta) and its first two derivatives. P4 eq. 4b with k = Y b^3 / (6 sqrt 3), |n_a - n_b| = 2 sin(theta/2):
 * psi = 2 k (sin(theta/2) - sin(rest/2))^2. */
static double fold_law(const FilShellFold* fold, FilShellBending law, Turn turn, double* first, double* second)
{
    const double k = fold->stiffness;
    if (law == FIL_BENDING_HINGES) {
        const double off = atan2(turn.sine, turn.cosine) - fold->rest;
        *first = k * off;
        *second = k;
        return 0.5 * k * off * off;
    }
    const Turn half = half_turn(turn);
    const double s = half.sine, c = half.cosine, off = s - fold->rest_sine;
    *first = 2.0 * k * off * c;
    *second = k * (c * c - off * s);
    return 2.0 * k * off * off;
}

double fil_shell_fold_angle(const double* const x[4])
{
    Wing wings[2];
    wings_of(x, wings);
    const Turn turn = turn_between(&wings[0], &wings[1]);
    return atan2(turn.sine, turn.cosine);
}

/* Gradient of the angle: a, b, c, d. */
static void angle_gradient(const Wing* first, const Wing* second, double* gradient)
{
    for (int k = 0; k < 3; k++) {
        gradient[k] = (1.0 - first->t) * first->u[k] + second->t * second->u[k];
        gradient[3 + k] = first->t * first->u[k] + (1.0 - second->t) * second->u[k];
        gradient[6 + k] = -first->u[k];
        gradient[9 + k] = -second->u[k];
    }
}

static inline void bend_of(const FilShellFold* fold, FilShellBending law, const Wing wings[2], FilShellBend* bend)
{
    bend->energy = fold_law(fold, law, turn_between(&wings[0], &wings[1]), &bend->slope, &bend->curve);
    angle_gradient(&wings[0], &wings[1], bend->gradient);
}

void fil_shell_fold_bend(const FilShellFold* fold, FilShellBending law, const double* const x[4], FilShellBend* bend)
{
    Wing wings[2];
    wings_of(x, wings);
    bend_of(fold, law, wings, bend);
}

double fil_shell_fold_gradient(const FilShellFold* fold, FilShellBending law, const double* const x[4], double* gradient)
{
    FilShellBend bend;
    fil_shell_fold_bend(fold, law, x, &bend);
    for (int k = 0; k < 12; k++) {
        gradient[k] = bend.slope * bend.gradient[k];
    }
    return bend.energy;
}

/* Adds `scale` times the Jacobian of one wing's term to the Hessian; place[] says where a, b, c of the wing stand. */
static void add_wing_jacobian(const Wing* w, const int place[3], double scale, double* hessian)
{
    double m[9], dn[3][9], du[3][9], dt[3][3];
    // du/dN = |e| / |N|^2 (1 - 2 n n')
    const double size = w->e_size / (w->n_size * w->n_size);
    for (int k = 0; k < 9; k++) {
        m[k] = size * ((k % 4 == 0 ? 1.0 : 0.0) - 2.0 * w->n[k / 3] * w->n[k % 3]);
    }
    // dN/da = [f] - [e], dN/db = -[f], dN/dc = [e]
    const double e[9] = {0.0, -w->e[2], w->e[1], w->e[2], 0.0, -w->e[0], -w->e[1], w->e[0], 0.0};
    const double f[9] = {0.0, -w->f[2], w->f[1], w->f[2], 0.0, -w->f[0], -w->f[1], w->f[0], 0.0};
    for (int k = 0; k < 9; k++) {
        dn[0][k] = f[k] - e[k];
        dn[1][k] = -f[k];
        dn[2][k] = e[k];
    }
    const double sign[3] = {-1.0, 1.0, 0.0};  // of d|e|
    for (int p = 0; p < 3; p++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                du[p][3 * j + k] =
                    m[3 * j] * dn[p][k] + m[3 * j + 1] * dn[p][3 + k] + m[3 * j + 2] * dn[p][6 + k] + sign[p] * w->u[j] * w->e[k] / w->e2;
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        dt[0][k] = (2.0 * w->t * w->e[k] - w->e[k] - w->f[k]) / w->e2;
        dt[1][k] = (w->f[k] - 2.0 * w->t * w->e[k]) / w->e2;
        dt[2][k] = w->e[k] / w->e2;
    }
    const double weight[3] = {1.0 - w->t, w->t, -1.0}, change[3] = {-1.0, 1.0, 0.0};
    for (int p = 0; p < 3; p++) {
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < 9; k++) {
                hessian[12 * (3 * place[p] + k / 3) + 3 * place[r] + k % 3] +=
                    scale * (weight[p] * du[r][k] + change[p] * w->u[k / 3] * dt[r][k % 3]);
            }
        }
    }
}

void fil_shell_fold_hessian(const FilShellFold* fold, FilShellBending law, const double* const x[4], double kept, double* hessian)
{
    static const int places[2][3] = {{0, 1, 2}, {1, 0, 3}};
    Wing wings[2];
    FilShellBend bend;
    wings_of(x, wings);
    bend_of(fold, law, wings, &bend);
    const double curve = bend.curve * (bend.curve < 0.0 ? kept : 1.0);
    for (int j = 0; j < 12; j++) {
        for (int k = 0; k < 12; k++) {
            hessian[12 * j + k] = curve * bend.gradient[j] * bend.gradient[k];
        }
    }
    for (int k = 0; k < 2 && kept > 0.0; k++) {
        add_wing_jacobian(&wings[k], places[k], kept * bend.slope, hessian);
    }
}

/* ---- edges and folds side by side ---- */

typedef struct Wide3 {
    FilDouble4 x, y, z;
} Wide3;

static inline Wide3 wide_between(Wide3 a, Wide3 b)
{
    return (Wide3){b.x - a.x, b.y - a.y, b.z - a.z};
}

static inline FilDouble4 wide_dot(Wide3 a, Wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Wide3 wide_cross(Wide3 a, Wide3 b)
{
    return (Wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline Wide3 wide_sum(FilDouble4 a, Wide3 u, FilDouble4 b, Wide3 v)
{
    return (Wide3){a * u.x + b * v.x, a * u.y + b * v.y, a * u.z + b * v.z};
}

void fil_shell_edges_pull(const FilShellEdge* edges, int count, const double* q, FilShellPull* pulls)
{
    const FilDouble4 zero = fil_double4_all(0.0);
    for (int i = 0; i < count; i += FIL_DOUBLE4_COUNT) {
        const int lanes = count - i < FIL_DOUBLE4_COUNT ? count - i : FIL_DOUBLE4_COUNT;
        int ends[2][FIL_DOUBLE4_COUNT];
        FilDouble4 rest;
        for (int lane = 0; lane < FIL_DOUBLE4_COUNT; lane++) {
            const FilShellEdge* edge = &edges[i + (lane < lanes ? lane : 0)];
            ends[0][lane] = edge->vertex[0];
            ends[1][lane] = edge->vertex[1];
            fil_double4_set(&rest, lane, edge->length);
        }
        const Wide3 from = {fil_double4_gather(q, ends[0], 4), fil_double4_gather(q + 1, ends[0], 4), fil_double4_gather(q + 2, ends[0], 4)};
        const Wide3 to = {fil_double4_gather(q, ends[1], 4), fil_double4_gather(q + 1, ends[1], 4), fil_double4_gather(q + 2, ends[1], 4)};
        const Wide3 e = wide_between(from, to);
        const FilDouble4 length = fil_double4_sqrt(wide_dot(e, e)), stretch = length - rest;
        const FilDouble4 inverse = fil_double4_choose_below(zero, length, 1.0 / length, zero), across = stretch * inverse, over = inverse * inverse;
        for (int lane = 0; lane < lanes; lane++) {
            const double s = fil_double4_get(&stretch, lane);
            pulls[i + lane] = (FilShellPull){.e = {fil_double4_get(&e.x, lane), fil_double4_get(&e.y, lane), fil_double4_get(&e.z, lane), 0.0},
                                             .energy = 0.5 * edges[i + lane].stiffness * s * s,
                                             .across = fil_double4_get(&across, lane),
                                             .over = fil_double4_get(&over, lane)};
        }
    }
}

/* Corner k of some folds. */
static inline Wide3 wide_corner(const FilShellFold* const folds[FIL_DOUBLE4_COUNT], int k, const double* q)
{
    int at[FIL_DOUBLE4_COUNT];
    for (int lane = 0; lane < FIL_DOUBLE4_COUNT; lane++) {
        at[lane] = folds[lane]->vertex[k];
    }
    return (Wide3){fil_double4_gather(q, at, 4), fil_double4_gather(q + 1, at, 4), fil_double4_gather(q + 2, at, 4)};
}

/* How they are bent, but for their stiffness. */
typedef struct WideBend {
    FilDouble4 energy, slope, curve;
    Wide3 gradient[4];
} WideBend;

static inline WideBend wide_bend(const Wide3 x[4], FilDouble4 rest_sine)
{
    const FilDouble4 zero = fil_double4_all(0.0);
    const Wide3 e = wide_between(x[0], x[1]), f = wide_between(x[0], x[2]), g = wide_between(x[1], x[3]);
    // N of (a, b, c), and of (b, a, d): -e x g
    const Wide3 n = wide_cross(e, f), m = wide_cross(g, e);
    const FilDouble4 e2 = wide_dot(e, e), nn = wide_dot(n, n), mm = wide_dot(m, m), e_size = fil_double4_sqrt(e2), both = fil_double4_sqrt(nn * mm);
    const FilDouble4 over_e = fil_double4_choose_below(zero, e2, 1.0 / e2, zero), over = fil_double4_choose_below(zero, both, 1.0 / both, zero);
    // |e| N / |N|^2 with 1 / |N|^2 = |M|^2 / (|N| |M|)^2; feet of c and d on their edges
    const FilDouble4 squared = e_size * over * over, un = squared * mm, um = squared * nn, t = wide_dot(f, e) * over_e, s = -wide_dot(g, e) * over_e;
    const FilDouble4 cosine = wide_dot(n, m) * over, sine = wide_dot(wide_cross(n, m), e) * over * (e_size * over_e);
    // half the angle, see half_turn(): the larger of its sine and cosine, and the other
    const FilDouble4 large = fil_double4_sqrt(0.5 * (1.0 + fil_double4_abs(cosine))), small = 0.5 * fil_double4_abs(sine) / large;
    const FilDouble4 half_cosine = fil_double4_choose_below(cosine, zero, small, large);
    const FilDouble4 half_sine = fil_double4_with_sign(fil_double4_choose_below(cosine, zero, large, small), sine), off = half_sine - rest_sine;
    return (WideBend){.energy = 2.0 * off * off,
                      .slope = 2.0 * off * half_cosine,
                      .curve = half_cosine * half_cosine - off * half_sine,
                      .gradient = {wide_sum((1.0 - t) * un, n, s * um, m), wide_sum(t * un, n, (1.0 - s) * um, m), wide_sum(-un, n, zero, m),
                                   wide_sum(zero, n, -um, m)}};
}

void fil_shell_folds_bend(const FilShellFold* folds, int count, FilShellBending law, const double* q, FilShellBend* bends)
{
    for (int f = 0; f < count && law != FIL_BENDING_NORMALS; f++) {
        const int* v = folds[f].vertex;
        fil_shell_fold_bend(&folds[f], law, (const double* const[4]){q + 4 * v[0], q + 4 * v[1], q + 4 * v[2], q + 4 * v[3]}, &bends[f]);
    }
    for (int f = 0; f < count && law == FIL_BENDING_NORMALS; f += FIL_DOUBLE4_COUNT) {
        const FilShellFold* some[FIL_DOUBLE4_COUNT];
        FilDouble4 rest_sine;
        const int lanes = count - f < FIL_DOUBLE4_COUNT ? count - f : FIL_DOUBLE4_COUNT;
        for (int lane = 0; lane < FIL_DOUBLE4_COUNT; lane++) {
            some[lane] = &folds[f + (lane < lanes ? lane : 0)];
            fil_double4_set(&rest_sine, lane, some[lane]->rest_sine);
        }
        const Wide3 x[4] = {wide_corner(some, 0, q), wide_corner(some, 1, q), wide_corner(some, 2, q), wide_corner(some, 3, q)};
        const WideBend bend = wide_bend(x, rest_sine);
        for (int lane = 0; lane < lanes; lane++) {
            const double k = some[lane]->stiffness;
            FilShellBend* to = &bends[f + lane];
            to->energy = k * fil_double4_get(&bend.energy, lane);
            to->slope = k * fil_double4_get(&bend.slope, lane);
            to->curve = k * fil_double4_get(&bend.curve, lane);
            for (int i = 0; i < 4; i++) {
                to->gradient[3 * i] = fil_double4_get(&bend.gradient[i].x, lane);
                to->gradient[3 * i + 1] = fil_double4_get(&bend.gradient[i].y, lane);
                to->gradient[3 * i + 2] = fil_double4_get(&bend.gradient[i].z, lane);
            }
        }
    }
}
