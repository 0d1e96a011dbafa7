/* A plain discrete elastic rod, for judging the fast one: its energy, and its gradient and Hessian twice over.
 *
 * One chain of nodes, open or closed. Unknowns are interleaved: q = (x_0, angle_0, x_1, angle_1, ...), so node i starts
 * at q[4 i] and edge i's angle is q[4 i + 3]; an open chain has 4 n - 1 of them, a closed one 4 n. A hinge sits at
 * every node between two edges. The frame of an edge is the base frame (t0, m1_0), given at the angle a0, turned by the
 * shortest rotation t0 -> t and then by angle - a0 about t. Energies are those of P0 eqs. 3-5.
 */
#ifndef ROD_REFERENCE_H
#define ROD_REFERENCE_H

#include <stdbool.h>

enum { REFERENCE_MAX_NODES = 64, REFERENCE_MAX_DOFS = 4 * REFERENCE_MAX_NODES };

typedef struct ReferenceRod {
    int node_count;
    bool closed;
    /* per edge */
    double base_tangent[REFERENCE_MAX_NODES][3];
    double base_director[REFERENCE_MAX_NODES][3]; /* m1 at base_angle */
    double base_angle[REFERENCE_MAX_NODES];
    double ea[REFERENCE_MAX_NODES];
    double rest_length[REFERENCE_MAX_NODES];
    /* per node, used where there is a hinge; stiffnesses are divided by the Voronoi length, rest values integrated */
    double bend1[REFERENCE_MAX_NODES], bend2[REFERENCE_MAX_NODES], torsion[REFERENCE_MAX_NODES];
    double rest_kappa1[REFERENCE_MAX_NODES], rest_kappa2[REFERENCE_MAX_NODES], rest_twist[REFERENCE_MAX_NODES];
    double previous_twist[REFERENCE_MAX_NODES]; /* the twist is unwrapped to the value nearest to this */
} ReferenceRod;

int reference_edge_count(const ReferenceRod* rod);
int reference_dof_count(const ReferenceRod* rod);

/* Makes q the base: base frames and angles become those at q, so that the usual derivatives are exact there. */
void reference_rebase(ReferenceRod* rod, const double* q);

/* Material frame of an edge at q: m1, m2, t. */
void reference_frame(const ReferenceRod* rod, const double* q, int edge, double frame[9]);

/* Curvatures (integrated, dimensionless) and twist (rad) of the hinge at a node. */
void reference_strains(const ReferenceRod* rod, const double* q, int node, double strains[3]);

/* Elastic energy. */
double reference_energy(const ReferenceRod* rod, const double* q);

/* Textbook gradient and Hessian (Bergou et al. 2010 in the corrected form); gradient has the dof count, hessian its
 * square, full and row-major. Exact if the rod was rebased at q. */
void reference_derivatives(const ReferenceRod* rod, const double* q, double* gradient, double* hessian);

/* The same by numerical differentiation of the energy alone: gradient by complex step, Hessian by central differences
 * of that gradient. `scale` is the length that positions are stepped by, such as an edge's. */
void numerical_gradient(const ReferenceRod* rod, const double* q, double* gradient);
void numerical_hessian(const ReferenceRod* rod, const double* q, double scale, double* hessian);

#endif
