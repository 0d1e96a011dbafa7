/* The angle theta of a fold has the gradient (Bridson; Tamstorf and Grinspun)
 *     per triangle (a, b, c) with N = (b - a) x (c - a), u = |e| N / |N|^2, foot of c at a + t e:
 *     d theta / d(a, b, c) = ((1 - t) u, t u, -u),
 * so it is a sum of one term per triangle, each a function of that triangle alone. Its Jacobian is then the sum of two
 * 9 x 9 matrices, and only their sum is symmetric. */
#include "body/shell_elements.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "body/shell_lanes.h"

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

/* ---- several ---- */

void fil_shell_edges_pull(const FilShellEdge* edges, int count, const double* q, FilShellPull* pulls)
{
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        fil_shell_edges_pull_avx2(edges, count, q, pulls);
        return;
    }
#endif
    edges_pull(edges, count, q, pulls);
}

void fil_shell_folds_bend(const FilShellFold* folds, int count, FilShellBending law, const double* q, FilShellBend* bends)
{
    for (int f = 0; f < count && law != FIL_BENDING_NORMALS; f++) {
        const int* v = folds[f].vertex;
        fil_shell_fold_bend(&folds[f], law, (const double* const[4]){q + 4 * v[0], q + 4 * v[1], q + 4 * v[2], q + 4 * v[3]}, &bends[f]);
    }
    if (law != FIL_BENDING_NORMALS) {
        return;
    }
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        fil_shell_folds_bend_avx2(folds, count, q, bends);
        return;
    }
#endif
    folds_bend(folds, count, q, bends);
}
