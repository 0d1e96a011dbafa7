/* Elements of shells: stretched edges and folds between two triangles. Energies, gradients, Hessians; no state. */
#ifndef FILUM_BODY_SHELL_ELEMENTS_H
#define FILUM_BODY_SHELL_ELEMENTS_H

#include <math.h>

#include "filum/shell.h"

/* An edge as a spring: 1/2 k (|e| - L)^2. */
typedef struct FilShellEdge {
    int vertex[2];
    double stiffness, length; /* N/m, m */
} FilShellEdge;

/* A fold: triangles (a, b, c) and (b, a, d) about the edge a b, at the angle theta between their normals. */
typedef struct FilShellFold {
    int vertex[4];          /* a, b, c, d */
    double stiffness, rest; /* N m/rad^2 of theta when flat; theta at rest, rad */
    double rest_sine;       /* sine of half of that */
} FilShellFold;

/* Energy, and the force gradient on the second end (on the first: its negative). */
double fil_shell_edge_gradient(const FilShellEdge* edge, const double* x0, const double* x1, double* gradient);

/* The 3 x 3 block d2E/dx1 dx1 (the others: the same up to sign). `kept`: how much of the part that compression makes
 * negative counts, 1 all, 0 nothing. */
void fil_shell_edge_hessian(const FilShellEdge* edge, const double* x0, const double* x1, double kept, double* hessian);

/* How an edge pulls: from its first end to the second, and zero; energy; stretch over length, which is its stiffness across itself over that along
 * it; one over its squared length. */
typedef struct FilShellPull {
    double e[4], energy, across, over;
} FilShellPull;

/* Of several, with vertices at q, 4 numbers each. */
void fil_shell_edges_pull(const FilShellEdge* edges, int count, const double* q, FilShellPull* pulls);

/* d2E/dx1 dx1 times `scale` is the first of these times e e' plus the second. */
static inline void fil_shell_edge_stiffness(const FilShellEdge* edge, const FilShellPull* pull, double kept, double scale, double stiffness[2])
{
    const double across = pull->across * (pull->across < 0.0 ? kept : 1.0), along = scale * edge->stiffness;
    stiffness[0] = along * (1.0 - across) * pull->over;
    stiffness[1] = along * across;
}

/* That block in columns of four of which the last number is zero. */
static inline void fil_shell_edge_columns(const FilShellEdge* edge, const FilShellPull* pull, double kept, double scale, double columns[12])
{
    double stiffness[2];
    fil_shell_edge_stiffness(edge, pull, kept, scale, stiffness);
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 4; r++) {
            columns[4 * c + r] = stiffness[0] * pull->e[c] * pull->e[r];
        }
        columns[5 * c] += stiffness[1];
    }
}

/* The angle by which n_a turns into n_b about the edge, in (-pi, pi]: negative when c rises towards n_a. */
double fil_shell_fold_angle(const double* const x[4]);

/* Energy and its gradient, 3 numbers for each of a, b, c, d. */
double fil_shell_fold_gradient(const FilShellFold* fold, FilShellBending law, const double* const x[4], double* gradient);

/* The 12 x 12 Hessian by rows. `kept`: how much counts beside the part psi'' grad theta grad theta', if psi'' > 0. */
void fil_shell_fold_hessian(const FilShellFold* fold, FilShellBending law, const double* const x[4], double kept, double* hessian);

/* How a fold is bent: psi with psi' and psi'' over theta, and grad theta, 3 numbers for each of a, b, c, d. */
typedef struct FilShellBend {
    double energy, slope, curve;
    double gradient[12];
} FilShellBend;

void fil_shell_fold_bend(const FilShellFold* fold, FilShellBending law, const double* const x[4], FilShellBend* bend);
/* The same of several, with vertices at q, 4 numbers each. */
void fil_shell_folds_bend(const FilShellFold* folds, int count, FilShellBending law, const double* q, FilShellBend* bends);

#endif
