/* What rods keep for gradients, for rod_derivative.c and rod_bend.c. */
#ifndef FILUM_BODY_ROD_DERIVATIVE_H
#define FILUM_BODY_ROD_DERIVATIVE_H

#include "body/derivative.h"
#include "body/rod.h"

/* Strains that are damped, one or the three of a hinge: their gradients at the start and at the end, over the unknowns of up to three nodes. */
typedef struct FilDampedStrain {
    int count, rows, unknown[11];
    double start[3][11], end[3][11], stiffness[3];
} FilDampedStrain;

/* How the angle at the end follows the edge's change at the start and at the end. */
typedef struct FilEdgeTurn {
    double start[3], end[3];
} FilEdgeTurn;

/* An edge and its gyroscopic force, F = -J gamma' (rate x e) / l^3. */
typedef struct FilEdgeVariation {
    int unknown[2], angle;     /* first of its nodes', and its own */
    FilEdgeTurn turn, last;    /* where forces are taken, and where the step ends: the same but for bodies in contact */
    double tangent[3], couple; /* at the end; dt g_gamma / (2 l^2) */
    bool gyroscopic;
    double by_spin[3], by_rate[9], by_edge[9]; /* of F, by gamma', rate and e */
    double torque_force[9], torque_angle[3];   /* of a torque's force (T x e) / l^2, and of T . t, by e */
} FilEdgeVariation;

/* An edge's frame where the step begins, and where forces are taken. */
typedef struct FilEdgeFrames {
    Frame1 start, end;
} FilEdgeFrames;

typedef struct FilRodBends FilRodBends; /* rod_bend.c */

/* Entries of a symmetric matrix in the row and column of one unknown. */
typedef struct FilEntryRun {
    int unknown, end; /* of its entries, which begin where those of the run before end */
} FilEntryRun;

typedef struct FilRodDerivative {
    int entry_count, entry_capacity; /* of the Hessian's lower triangle, with the diagonal of mass and damping over the stiffness scale */
    int run_count, slot_count;
    FilEntryRun* runs;
    int* other;    /* unknown of an entry, beside that of its run */
    double* value; /* of entries, then of the runs' diagonals */
    int* slot;     /* where each number of the rods' matrices goes there */
    int strain_count, strain_capacity, edge_count;
    FilDampedStrain* strains;
    FilEdgeVariation* edges;
    FilEdgeFrames* frames; /* per node, of the edge that begins there */
    double* open;          /* per unknown: 1 where forces at the end see a variation, which is not where the end is held, else 0 */
    double *end, *weight;  /* 4 per node: scratch */
    FilRodBends* bends;    /* NULL: none was asked for yet */
    FilEdgeTurn* at_free;  /* per edge: turn where bends were taken, which stays when forces are taken elsewhere */
    const FilRodBody* body;
    int first_unknown; /* of the rod being visited */
} FilRodDerivative;

/* rod_derivative_take.c: see body/derivative.h */
const char* fil_rod_prepare_derivative(void* body, const double* v);
const char* fil_rod_linearised(void* body, const double* v_free, const double* v);

/* ---- rod_bend.c: how the tangent varies, see body/derivative.h ---- */

const char* fil_rod_take_bends(FilRodBody* body, const double* v_free, const double* v);
void fil_rod_bend(const void* body, const double* place, const double* start, double* out, double* blocks);
void fil_rod_bend_back(const void* body, const double* weight, double* blocks, double* place, double* start);
void fil_rod_stretch(const void* body, int index, int part, const double* q, double* row);
void fil_rod_sweep(const void* body, int index, int part, const double* point, int count, const double (*forces)[3], const double* const* z,
                   double* place, double* by_point);

#endif
