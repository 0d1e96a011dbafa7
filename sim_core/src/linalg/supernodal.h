/* Supernodal Cholesky factor of symmetric positive definite matrices of 4x4 blocks: P (A + C) P' = L L', for systems
 * that fill: solids and piles. FilBlockCholesky is for those that do not: rods, chains, cloth.
 *
 * The interface is that of FilBlockCholesky. Analysis (order, supernodes, places) is done once per pattern and serves
 * any later pattern whose blocks all lie inside L. The factorisation is multifrontal: the columns of a supernode and
 * the update that they make are one dense front, so that nearly all work is products of dense strips (linalg/strips.h),
 * what a subtree does depends on nothing outside it (tasks for threads, same bits), and the update matrices at the
 * border of fixed and changing columns are the Schur complement. A left-looking factor needs less memory, but its
 * targets are scattered over all descendants. Components that are no unknowns (a vertex has three, and none where it is
 * held) are left out of the fronts: a fourth one that is carried along costs 2.4 times the work. Nothing allocates once
 * buffers have grown, except the analysis itself. */
#ifndef FILUM_LINALG_SUPERNODAL_H
#define FILUM_LINALG_SUPERNODAL_H

#include "base/workers.h"
#include "filum/base.h"
#include "linalg/block_matrix.h"

typedef struct FilSupernodal FilSupernodal;

typedef struct FilSupernodalInfo {
    int columns; /* block columns */
    int supernodes;
    int changing;   /* columns that C reaches */
    int tasks;      /* subtrees and what is above them, of both parts */
    bool dissected; /* order by nested dissection, not by minimum degree */
    double flops;   /* of one factorisation, products and sums */
    size_t factor;  /* numbers stored of L */
    size_t updates; /* numbers of update matrices, at most at a time */
} FilSupernodalInfo;

FilSupernodal* fil_supernodal_create(void); /* NULL when out of memory */
/* From now on these share factorisations and solves, with the same bits as without; NULL: nobody does. Borrowed; takes effect with the next
 * analysis or factorisation. */
void fil_supernodal_set_workers(FilSupernodal* factor, FilWorkers* workers);
void fil_supernodal_destroy(FilSupernodal* factor);

/* Orders and analyses A + C (same number of columns; c may be NULL), then binds both as fil_supernodal_bind(). used[v]
 * has bit d set where component d of variable v is an unknown; NULL: all are. Rows and columns of the others are not
 * read: they count as those of the unit matrix. */
FIL_MUST_CHECK FilStatus fil_supernodal_analyze(FilSupernodal* factor, const FilBlockPattern* a, const FilBlockPattern* c, const unsigned char* used);
/* Finds out used[v] of all variables: a component is none if its row and column are those of the unit matrix. */
void fil_supernodal_find_used(const FilBlockPattern* a, const double* a_values, unsigned char* used);

/* From the next factorisation on: L in single precision, a preconditioner of half the size and time; or in double, which is the default. Not
 * for fil_supernodal_schur(). Fixed and changing columns must be factored alike. */
void fil_supernodal_set_single(FilSupernodal* factor, bool single);

/* Says where the values of A and C will come from. *fits is false, and the factor unusable until the next analysis,
 * when a block lies outside the analysed pattern of L or the number of columns differs. */
FIL_MUST_CHECK FilStatus fil_supernodal_bind(FilSupernodal* factor, const FilBlockPattern* a, const FilBlockPattern* c, bool* fits);

/* Factors A + C from the values of the bound patterns (c_values NULL when C is). False when not positive definite. */
FIL_MUST_CHECK bool fil_supernodal_factor(FilSupernodal* factor, const double* a_values, const double* c_values);

/* Solves (A + C) x = b in place, 4 * columns numbers; `count` right sides, one every `stride` numbers, with the same
 * bits as one by one. */
void fil_supernodal_solve(FilSupernodal* factor, double* x);
FIL_MUST_CHECK bool fil_supernodal_solve_many(FilSupernodal* factor, double* x, size_t stride, int count); /* false: out of memory */

/* Improves x by solving for the residual of (A + C) x = b with the bound patterns' values, until it is at most
 * `tolerance` |b|, no longer halves, or `iterations` are done. Returns |b - (A + C) x| / |b|, in the largest component.
 * `scratch` has 8 * columns numbers. */
double fil_supernodal_refine(FilSupernodal* factor, const FilBlockPattern* a, const double* a_values, const FilBlockPattern* c,
                             const double* c_values, const double* b, double* x, double tolerance, int iterations, double* scratch);

/* ---- the same in two parts: fixed columns, which C does not reach, come before changing ones; see
 * linalg/block_cholesky.h. Vectors are in pivot order: 4 numbers for each pivot, fixed ones first. ---- */

FIL_MUST_CHECK bool fil_supernodal_factor_fixed(FilSupernodal* factor, const double* a_values);
FIL_MUST_CHECK bool fil_supernodal_factor_changing(FilSupernodal* factor, const double* a_values, const double* c_values);

const int* fil_supernodal_pivots(const FilSupernodal* factor);    /* pivot of each variable */
const int* fil_supernodal_variables(const FilSupernodal* factor); /* variable of each pivot */
int fil_supernodal_first_changing(const FilSupernodal* factor);   /* pivot */

/* (b_n, b_p) -> (L_nn^-1 b_n, b_p - A_pn A_nn^-1 b_n) */
void fil_supernodal_eliminate_fixed(FilSupernodal* factor, double* x);
/* (., b_p) -> (., x_p) with (S + C) x_p = b_p */
void fil_supernodal_solve_changing(FilSupernodal* factor, double* x);
/* (., b_p) -> (., L_pp^-1 b_p), where L_pp L_pp' = S + C */
void fil_supernodal_forward_changing(FilSupernodal* factor, double* x);
/* (y_n, x_p) -> (x_n, x_p) with L_nn' x_n = y_n - L_pn' x_p */
void fil_supernodal_substitute_fixed(FilSupernodal* factor, double* x);

/* S = A_pp - A_pn A_nn^-1 A_np, after fil_supernodal_factor_fixed(): both triangles, by columns of 4 * changing
 * numbers, pivots from the first changing one on, with ones for components that are no unknowns. */
void fil_supernodal_schur(const FilSupernodal* factor, const FilBlockPattern* a, const double* a_values, double* schur);

FilSupernodalInfo fil_supernodal_info(const FilSupernodal* factor);

#endif
