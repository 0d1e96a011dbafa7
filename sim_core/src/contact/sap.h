/* SAP: the convex contact problem of one step in velocities (P0 eq. 17, P3 sec. VI), solved to its global optimum.
 *     minimise  l(v) = 1/2 (v - v*)' A (v - v*) + sum of constraint costs of v_c = J v + b
 * by Newton's method with H = A + J' G J and an exact line search. The solver knows no bodies: variables are blocks of
 * four, A is block-sparse, and a constraint touches any number of blocks. Equations: docs/sap.md. */
#ifndef FILUM_CONTACT_SAP_H
#define FILUM_CONTACT_SAP_H

#include "base/watch.h"
#include "base/workers.h"
#include "contact/sap_constraint.h"
#include "filum/base.h"
#include "linalg/block_matrix.h"

#define FIL_SAP_JACOBIAN 12 /* numbers of a Jacobian block: three rows of four */

/* Everything is borrowed for the time of the solve. */
typedef struct FilSapProblem {
    FilWorkers* workers;     /* who share the solution; NULL: nobody */
    double dt;               /* s */
    FilBlockPattern pattern; /* of A; variables are its columns */
    const double* a;         /* A, symmetric positive definite */
    const double* v_free;    /* v*, 4 per variable */
    const double* push;      /* A v* is less by this impulse: v* belongs to a motion under it; NULL: none */
    int constraint_count;
    const FilSapConstraint* constraints;
    const int* block;       /* of each Jacobian block: the variable it multiplies */
    const double* jacobian; /* FIL_SAP_JACOBIAN per block */
    FilWatch* watch;        /* ends the solution early, as not converged; NULL: nobody does */
} FilSapProblem;

typedef struct FilSapOptions {
    double tolerance;       /* of the momentum residual, relative */
    int max_factorisations; /* Newton steps with a fresh Hessian since bounds last followed; every other step must pay its way */
    int max_line_search;    /* evaluations per line search */
    double bound_tolerance; /* of bounds that the solution decides (lagged friction), relative, mean over constraints */
    int max_rounds;         /* how often these bounds may follow the solution */
    bool duals;             /* directions of friction are unknowns of their own from the first iteration on; with max_rounds 0 they always are */
    double presumption;   /* with max_rounds 0, contacts this close to touching at the guess, as a share of how far they move, bear in the first step;
                             0: none */
    double rigidity;      /* beta of FilSapScales */
    double stick;         /* sigma */
    double slip_velocity; /* v_s, m/s */
} FilSapOptions;

FilSapOptions fil_sap_options_default(void);

/* Constraints from which on a problem is solved as that of a heap, many of whose contacts change their state in a step. Smaller ones than of some
 * hundred objects were not looked at. */
enum { FIL_SAP_HEAP = 1000 };

typedef struct FilSapStats {
    int iterations; /* Newton steps, with a fresh or the last Hessian */
    int line_search_evaluations;
    int factorisations;
    int rounds;      /* how often bounds followed the solution */
    int analyses;    /* symbolic; 0 when the pattern fits the last one */
    bool indefinite; /* A is not positive definite, which is why it failed */
    double residual; /* |D (A (v - v*) - J' gamma)| / max(|D A v|, |D J' gamma|), D = diag(A)^-1/2 */
    double cost;     /* l(v), J, but for the work of a push */
} FilSapStats;

typedef struct FilSap FilSap; /* workspace: analysis, factor, buffers; one per thread */

FilSap* fil_sap_create(void); /* NULL when out of memory */
void fil_sap_destroy(FilSap* sap);

/* `v` holds the guess on entry (the last step's velocities are good) and the solution on return; `impulse` gets gamma,
 * 3 per constraint. Without constraints v = v*. Allocates only when a problem is larger than all before it.
 * FIL_NOT_CONVERGED leaves the best v found; its residual is in `stats`, which may be NULL. */
FIL_MUST_CHECK FilStatus fil_sap_solve(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, double* v, double* impulse,
                                       FilSapStats* stats);

#endif
