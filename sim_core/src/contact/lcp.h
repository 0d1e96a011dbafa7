/* LCP: contact of one step as a linear complementarity problem in impulses (P1 sec. III, after Stewart and Trinkle,
 * Anitescu and Potra), for the same problems as SAP: the tangent A, free velocities v*, constraints and their
 * Jacobians. Contacts and limits become complementary; equations without bounds (joints) are springs as stiff as SAP's,
 * added to A. docs/lcp.md has the formulas. */
#ifndef FILUM_CONTACT_LCP_H
#define FILUM_CONTACT_LCP_H

#include "contact/sap.h"
#include "filum/contact.h"

typedef struct FilLcpStats {
    int iterations;         /* Newton steps, pivots or sweeps, of all rounds */
    int rounds;             /* solutions, the first and those with swapped-in contacts */
    int units;              /* contacts and limits */
    int active;             /* of them solved for in the last round */
    int fallbacks;          /* rounds that Lemke's method had to finish, and solves that contacts had to give way for a little */
    int analyses;           /* symbolic, of A and the joints */
    bool indefinite;        /* A is not positive definite, which is why it failed */
    double residual;        /* worst of the two below: what convergence is judged by */
    double negativity;      /* most negative w, relative to the velocities at work or 0.1 m/s */
    double complementarity; /* sum |w z|, relative to the same velocity times all normal impulses */
} FilLcpStats;

typedef struct FilLcp FilLcp; /* workspace; one per thread */

FilLcp* fil_lcp_create(void); /* NULL when out of memory */
void fil_lcp_destroy(FilLcp* lcp);

/* FIL_BAD_INPUT and a message if a setting makes no sense. */
FIL_MUST_CHECK FilStatus fil_lcp_settings_check(const FilLcpSettings* settings, FilError* error);

/* `v` gets the velocities and `impulse` those of all constraints, 3 each. Needs no guess: the result depends on the
 * problem alone. Allocates only when a problem is larger than all before it. FIL_NOT_CONVERGED leaves the best found;
 * `stats` may be NULL. */
FIL_MUST_CHECK FilStatus fil_lcp_solve(FilLcp* lcp, const FilSapProblem* problem, const FilLcpSettings* settings, double* v, double* impulse,
                                       FilLcpStats* stats);

#endif
