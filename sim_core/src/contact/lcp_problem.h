/* The complementarity problem of one step in whitened coordinates. With A + J_b' R^-1 J_b = L L' (bodies and joints)
 * and Y = J L^-T, the velocities of all rows are
 *     c = free + Y u,   u = sum over units of Y_i' gamma_i
 * so that the Delassus operator J A^-1 J' is Y Y', never formed. u has as many numbers as there are degrees of freedom
 * or rows, whichever are fewer: nine for an arm of three sections, however many disks touch.
 *
 * A unit is a contact with rows (t1, t2, n) or a single row with a limit. Its unknowns z and slacks w are (P1 eq. 11)
 *     f   : c_n - target + R f            normal impulse
 *     b_k : d_k . c_t + g                 impulse along direction k of the friction pyramid
 *     g   : mu f - sum b_k                slip speed
 * and for a limit, of which only the last row is used
 *     f   : c_n - target + R f + g
 *     g   : range - f                     not there if the range is infinite
 * all of them w >= 0, z >= 0, w z = 0. */
#ifndef FILUM_CONTACT_LCP_PROBLEM_H
#define FILUM_CONTACT_LCP_PROBLEM_H

#include "contact/lcp.h"
#include "contact/sap_system.h"

/* Of the friction pyramid, at most: 64 are within 0.12 % of the cone, 1 - cos(pi/64). */
enum { FIL_LCP_MAX_DIRECTIONS = 64 };

/* m/s: what velocities are compared with where all are slower. Distances are known to 1e-12 m or so; divided by a short
 * step, that is as fast as what nearly rests. */
#define FIL_LCP_SPEED 0.1

/* Share of its own compliance by which a redundant contact gives way, and all where rounds do not settle: that of near-rigid sap, 1/(4 pi^2). Tried
 * 1e-4 to 5e-2 on a rope over an edge: below 1e-2 the curvature within a step, (v dt)^2/2R, outweighs it, and every other edge bears all load. */
#define FIL_LCP_SOFT (0.25 / (FIL_PI * FIL_PI))

typedef enum FilLcpKind { FIL_LCP_CONTACT, FIL_LCP_LIMIT } FilLcpKind;

typedef struct FilLcpUnit {
    FilLcpKind kind;
    int constraint, row; /* where it comes from; `row` of a limit */
    double mu;
    double compliance; /* R, velocity per impulse */
    double target;
    double sign, offset, range; /* a limit's impulse is offset + sign f */
    double free[3];             /* velocities of its rows when u = 0 */
    double own[9];              /* Y_i Y_i' */
} FilLcpUnit;

typedef struct FilLcpProblem {
    int directions;
    double direction[2 * FIL_LCP_MAX_DIRECTIONS]; /* unit vectors of the tangent plane, evenly around */
    int size;                                     /* unknowns of a unit: f, directions, g */
    int dimension;                                /* of u */
    int unit_count;
    FilLcpUnit* units;
    double* rows; /* Y: three rows of `dimension` per unit */
    int* active;  /* units that are solved for; all others have z = 0 */
    int active_count;
    /* w <- row_scale w, z = column_scale (scaled z); `size` per unit */
    double *row_scale, *column_scale;
    double* softness; /* compliance that conditioning adds to each unit's normal row */

    /* the solution */
    double* z; /* `size` per unit */
    double* u;

    FilWatch* watch; /* ends the solution early, as not converged; NULL: nobody does */
} FilLcpProblem;

/* Directions around the tangent plane. */
void fil_lcp_set_directions(FilLcpProblem* problem, int directions);

/* Velocities c of a unit's three rows. */
void fil_lcp_velocity(const FilLcpProblem* problem, int unit, const double* u, double* c);
/* Its impulse (t1, t2, n) for given unknowns. */
void fil_lcp_impulse(const FilLcpProblem* problem, int unit, const double* z, double* gamma);
/* Its slacks w, unscaled, with the softness that conditioning added. */
void fil_lcp_slacks(const FilLcpProblem* problem, int unit, const double* c, const double* z, double* w);
/* u += Y_i' gamma */
void fil_lcp_push(const FilLcpProblem* problem, int unit, const double* gamma, double* u);
/* u of the unknowns of all active units. */
void fil_lcp_gather(const FilLcpProblem* problem, const double* z, double* u);
/* Whether unknown k of a unit is there at all. */
static inline bool fil_lcp_used(const FilLcpProblem* problem, const FilLcpUnit* unit, int k)
{
    // 1e300: no bound, as any number as large
    return unit->kind == FIL_LCP_CONTACT || k == 0 || (k == problem->size - 1 && unit->range < 1e300);
}

/* Slip speed of a contact's velocity: the largest against a direction. */
double fil_lcp_slip(const FilLcpProblem* problem, const double* c);
/* Unknowns of a contact that make up a tangential impulse with the least sum, and the slip speed of its velocity. */
void fil_lcp_set_contact(const FilLcpProblem* problem, const double* gamma, const double* c, double* z);

/* ---- solvers: they improve z and u of the active units ---- */

typedef struct FilLcpScratch {
    FilDoubles numbers;
    FilInts indices;
} FilLcpScratch;

/* Residual that decides convergence: worst |min(w, z)| of the scaled active problem, relative to its free velocities
 * or to FIL_LCP_SPEED. */
double fil_lcp_residual(const FilLcpProblem* problem, const double* z, const double* u);
/* What it is relative to. */
double fil_lcp_scale(const FilLcpProblem* problem);

typedef struct FilLcpSolverOps {
    const char* name;
    /* Starts from z, u. FIL_NOT_CONVERGED leaves the best found. Adds to *iterations. */
    FilStatus (*solve)(FilLcpProblem* problem, const FilLcpSettings* settings, FilLcpScratch* scratch, int* iterations);
} FilLcpSolverOps;

extern const FilLcpSolverOps fil_lcp_solvers[FIL_LCP_SOLVER_COUNT];

FilStatus fil_lcp_newton(FilLcpProblem* problem, const FilLcpSettings* settings, FilLcpScratch* scratch, int* iterations);
FilStatus fil_lcp_lemke(FilLcpProblem* problem, const FilLcpSettings* settings, FilLcpScratch* scratch, int* iterations);
FilStatus fil_lcp_gauss_seidel(FilLcpProblem* problem, const FilLcpSettings* settings, FilLcpScratch* scratch, int* iterations);
/* A few sweeps from rest: where Newton's method starts. */
void fil_lcp_sweep(FilLcpProblem* problem, int sweeps);

/* ---- conditioning (P1 sec. III-D) ---- */

/* Stage 1: fills the list of active units with those whose normal rows are independent. False when out of memory. */
bool fil_lcp_select(FilLcpProblem* problem, double tolerance, FilLcpScratch* scratch);
/* Stage 2: scales of the active units by Ruiz's iterations on the 2-norms of rows and columns; none: all are 1. False
 * when out of memory. */
bool fil_lcp_equilibrate(FilLcpProblem* problem, int iterations, FilLcpScratch* scratch);
/* Stage 3: softness of the active units' scaled normal rows; 0 takes it off. */
void fil_lcp_soften(FilLcpProblem* problem, double compliance);

/* ---- from and to the problem of the step: lcp_assemble.c ---- */

typedef struct FilLcpAssembly {
    FilSapSystem system;
    FilDoubles hessians;       /* 9 per constraint: R^-1 of rows without bounds */
    FilDoubles laws;           /* 3 per constraint each: v_hat and R^-1 of rows without bounds */
    FilDoubles spring, x, row; /* over participants: momentum of springs, solution, scratch */
    FilDoubles rows, numbers;
    void* units;
    size_t unit_capacity;
    FilInts indices;
} FilLcpAssembly;

FIL_MUST_CHECK bool fil_lcp_assembly_init(FilLcpAssembly* assembly);
void fil_lcp_assembly_free(FilLcpAssembly* assembly);

/* A contact's friction, compliance and target velocity (P1 sec. V-A). */
FilLcpUnit fil_lcp_contact_unit(const FilSapProblem* from, const FilLcpSettings* settings, int constraint);
/* Makes the whitened problem. FIL_NOT_CONVERGED: A is not positive definite. */
FIL_MUST_CHECK FilStatus fil_lcp_assemble(FilLcpAssembly* assembly, const FilSapProblem* from, const FilLcpSettings* settings,
                                          FilLcpProblem* problem);
/* Velocities of all variables and impulses of all constraints from the solution. */
void fil_lcp_recover(FilLcpAssembly* assembly, const FilSapProblem* from, const FilLcpProblem* problem, double* v, double* impulse);

#endif
