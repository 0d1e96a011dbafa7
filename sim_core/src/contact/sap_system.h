/* The linear algebra of a SAP problem on its participating variables, those that a constraint touches (P0 eq. 15-17):
 * products with J, the matrix C = J' G J, and S + C factored and solved, where S is A with the other variables
 * eliminated. Patterns are kept from call to call; the symbolic analysis is redone only when C no longer fits inside
 * its factor. Vectors of participants have 4 numbers each, in the order of elimination. */
#ifndef FILUM_CONTACT_SAP_SYSTEM_H
#define FILUM_CONTACT_SAP_SYSTEM_H

#include "base/vector.h"
#include "contact/sap.h"
#include "linalg/block_factor.h"
#include "linalg/buffer.h"

/* One product J_row' G J_col of a constraint's Jacobian blocks, added to a block of C. */
typedef struct FilSapTarget {
    int block; /* of C */
    int constraint;
    int row, col; /* Jacobian blocks, counted within it */
} FilSapTarget;

/* A Jacobian block of a constraint, counted within it, and of the problem at hand, where workers gather by it. */
typedef struct FilSapTouch {
    int constraint, block, at;
} FilSapTouch;

typedef struct FilSapSystem {
    FilBlockFactor factor;
    unsigned char* used; /* components of each variable that are unknowns, where supernodes factor; see linalg/supernodal.h */
    size_t used_capacity;
    bool analysed;
    int analyses, factorisations; /* since fil_sap_system_begin() */
    int participants;

    /* what the patterns below belong to */
    FilInts a_start, a_row;           /* copy of A's pattern */
    FilInts constraint_end, variable; /* of each constraint: end of its Jacobian blocks; of each of those: variable */
    int columns, constraints;

    /* pattern and values of C */
    FilInts c_start, c_row;
    FilInts last_start, last_row; /* pattern of the C before */
    FilDoubles c;
    void* targets; /* column by column of C, in each by constraints */
    size_t target_capacity;
    FilInts target_start; /* of each column, and the end */
    void* touches;        /* of each participant, by constraints: what its part of J' gamma comes from */
    size_t touch_capacity;
    FilInts touch_start;
    FilBlockRows a_rows; /* of A, for workers */
    int a_reach;         /* of A's columns: how far its rows are from them */
    bool a_rows_found;
    FilBlockParts parts; /* of A + C */
    FilDoubles impulses; /* J' gamma of each part of the constraints, where there are many */
    FilInts participant; /* of each Jacobian block: its variable's number among participants */
    FilDoubles x;        /* all variables, in the order of elimination */
    FilDoubles rest;     /* of what does not participate, from start() to follow() */
    FilDoubles all;      /* two vectors of all variables, in the caller's order */
    FilInts scratch;
} FilSapSystem;

FIL_MUST_CHECK bool fil_sap_system_init(FilSapSystem* system);
void fil_sap_system_free(FilSapSystem* system);

/* Adopts the problem's patterns, analysing them when they are new and do not fit the last analysis. */
FIL_MUST_CHECK FilStatus fil_sap_system_begin(FilSapSystem* system, const FilSapProblem* problem);

/* Eliminates what does not participate. False when A is not positive definite. */
FIL_MUST_CHECK bool fil_sap_system_eliminate(FilSapSystem* system, const FilSapProblem* problem);

/* Factors S + C with C = J' G J, G given by 9 numbers per constraint. False when not positive definite. In two steps: C; the factor. */
FIL_MUST_CHECK bool fil_sap_system_factor(FilSapSystem* system, const FilSapProblem* problem, const double* hessians);
void fil_sap_system_assemble(FilSapSystem* system, const FilSapProblem* problem, const double* hessians);
/* C += J' D J, D by 9 numbers per constraint, most of which are zero. */
void fil_sap_system_assemble_more(FilSapSystem* system, const FilSapProblem* problem, const double* changes);
FIL_MUST_CHECK bool fil_sap_system_factor_assembled(FilSapSystem* system, const FilSapProblem* problem);
/* y = A x, all variables in the caller's order */
void fil_sap_system_multiply_a(FilSapSystem* system, const FilSapProblem* problem, const double* x, double* y);
/* y += A x, where x is 0 but for columns from `first` to `end` */
void fil_sap_system_add_product(FilSapSystem* system, const FilSapProblem* problem, const double* x, int first, int end, double* y);
/* y = S x, or with_contacts (S + C) x for C as last assembled */
void fil_sap_system_apply(FilSapSystem* system, const FilSapProblem* problem, bool with_contacts, const double* x, double* y);
void fil_sap_system_solve(FilSapSystem* system, double* x); /* participants, in place */
/* x <- L^-1 x with L L' = S + J' G J as last factored: what is one as a momentum becomes one as an energy. */
void fil_sap_system_whiten(FilSapSystem* system, double* x);

/* Number of a variable among the participants, or negative. */
int fil_sap_system_participant(const FilSapSystem* system, int variable);

/* Participants' part of b with the others eliminated: b_p - A_pn A_nn^-1 b_n. `b` has all variables, in the caller's
 * order. */
void fil_sap_system_reduce(FilSapSystem* system, const double* b, double* reduced);

/* v = v* + x, where participants have moved by x and the others follow: x_n = -A_nn^-1 (A_np x_p + push_n). */
void fil_sap_system_expand(FilSapSystem* system, const FilSapProblem* problem, const double* x, double* v);

/* The same in the form of corrections, without a second elimination. start(): as reduce() of b = A (v - v*) + push at a guess v, and keeps what is
 * left of the others. follow(): participants go from the guess, which v has, to v* + x, and the others follow: v_n -= A_nn^-1 (b_n + A_np dv_p). */
void fil_sap_system_start(FilSapSystem* system, const double* b, double* reduced);
/* eliminate() and start() in one pass over A, with product = A v besides: where `factor.condensed`. started() gives what start() does. */
FIL_MUST_CHECK bool fil_sap_system_start_at_once(FilSapSystem* system, const FilSapProblem* problem, const double* b, const double* v,
                                                 double* product);
void fil_sap_system_started(FilSapSystem* system, double* reduced);
void fil_sap_system_follow(FilSapSystem* system, const FilSapProblem* problem, const double* x, double* v);

/* v_c = J v, three per constraint, without the bias */
void fil_sap_system_multiply(const FilSapSystem* system, const FilSapProblem* problem, const double* v, double* v_c);

/* Numbers that J' gamma of many constraints puts aside. */
size_t fil_sap_system_impulses(const FilSapSystem* system);

/* Finds the blocks of a problem that J' gamma is gathered from, where workers do so: before the first product. */
void fil_sap_system_place_touches(FilSapSystem* system, const FilSapProblem* problem);

/* j = J' gamma */
void fil_sap_system_multiply_transposed(const FilSapSystem* system, const FilSapProblem* problem, const double* gamma, double* j);

/* x += j' g of four numbers, for a 3x4 matrix j by rows: what a Jacobian block makes of an impulse */
static inline void fil_sap_add_impulse(double* restrict x, const double* j, const double* g)
{
    const FilDouble2 g0 = fil_double2_all(g[0]), g1 = fil_double2_all(g[1]), g2 = fil_double2_all(g[2]);
    for (int half = 0; half < 4; half += 2) {
        FilDouble2 sum = fil_double2_add_product(fil_double2_load(x + half), fil_double2_load(j + half), g0);
        sum = fil_double2_add_product(sum, fil_double2_load(j + 4 + half), g1);
        fil_double2_store(x + half, fil_double2_add_product(sum, fil_double2_load(j + 8 + half), g2));
    }
}

/* The diagonal block of a column of A, NULL if it is missing. */
static inline const double* fil_sap_diagonal_block(const FilSapProblem* problem, int column)
{
    const FilBlockPattern* pattern = &problem->pattern;
    for (int k = pattern->start[column]; k < pattern->start[column + 1]; k++) {
        if (pattern->row[k] == column) {
            return problem->a + FIL_BLOCK_SIZE * (size_t)k;
        }
    }
    return NULL;
}

/* Mean diagonal of J A^-1 J' of one constraint over the rows that are not zero, with only A's diagonal blocks inverted.
 * `parts` has these inverted (fil_block_inverse_parts()); Jacobian block k multiplies the variable whose block is at place[k]. */
double fil_sap_estimate_compliance(const double* parts, const double* j, const int* place, int block_count);

/* The same from A itself, or the constraint's own where it has one; false if a diagonal block is missing or not positive
 * definite. */
bool fil_sap_compliance_of(const FilSapProblem* problem, const FilSapConstraint* constraint, double* compliance);

#endif
