/* What a solution of SAP works on: see sap.c, which alone reads and writes it. */
#ifndef FILUM_CONTACT_SAP_WORKSPACE_H
#define FILUM_CONTACT_SAP_WORKSPACE_H

#include "contact/sap.h"
#include "contact/sap_iterative.h"
#include "contact/sap_system.h"

/* Constraints that are evaluated at a time, and whose sums are one: some hundred microseconds. */
enum { FIL_SAP_GRAIN = 1024 };

/* Slope and curvature of l along dx at v + alpha dx. */
typedef struct FilSapSlope {
    double value, curvature;
    double size; /* of the terms that cancel in the slope: what its round-off is relative to */
} FilSapSlope;

struct FilSap {
    FilSapSystem system;
    FilSapIterative iterative;
    FilDoubles vectors; /* what the pointers below share */
    size_t law_capacity, response_capacity, slope_capacity;
    void *law_block, *response_block, *slope_block;

    /* of the current solve: all variables, in the caller's order */
    double* p_free;   /* A v* */
    double* p_change; /* A (v - v*) of the guess */
    double* weight;   /* 1/diag(A); 0 if held */
    /* n numbers each: participating variables */
    int n;
    double* mass_inverse;    /* the same of these */
    double* p0;              /* A v* */
    double* x;               /* v - v* */
    double* p;               /* A (v - v*) = S x */
    double* dx;              /* search direction */
    double* dp;              /* S dx */
    double* j;               /* J' gamma */
    double* inverse;         /* of A's diagonal blocks, 16 per variable: fil_block_inverse_parts() */
    bool dual;               /* the direction of friction is an unknown of its own */
    bool bounds;             /* a law has bounds that its solution decides */
    int hessians;            /* taken in this solve */
    int followed_at;         /* how many when bounds last followed the solution */
    int extrapolated;        /* rounds of bounds that were extrapolated; 0: they just follow */
    double min_change;       /* of a round of bounds in this solve, ... */
    int min_at;              /* ... and in which it was */
    FilDoubles bound_rounds; /* of bounds that do not settle by themselves: bounds, errors, what fil_extrapolate() keeps */
    double impulse_residual; /* of the last residual: relative to |D J' gamma| alone, ... */
    double scale;            /* ... and what it is relative to, squared */
    bool softened;           /* friction has been softened in this solve */
    bool stood;              /* since nothing bore at the guess, all that touches has stood first */
    double softness;         /* friction's compliance over its own; 1: the law itself */
    double fixed_momentum;   /* |D A v*|^2 of the other variables, which never changes, ... */
    double at_work;          /* ... |D (A v + push)|^2 of all and |D (A (v - v*) + push)|^2 of participants at the guess, where that is v*, ... */
    double fixed_rest;       /* ... |D (A (v - v*) + push)|^2 of the others there, ... */
    double* momenta;         /* ... and all three of each chunk of columns */
    bool at_free;            /* the guess is v* */
    bool started;            /* what does not participate has been eliminated by fil_sap_begin() */
    bool weighed;            /* j is J' gamma of the guess */
    /* 3 per constraint */
    double* v_c;     /* J v + b */
    double* dv_c;    /* J dx */
    double* trial_c; /* v_c of a line-search trial */
    double* gamma;
    double* hessian; /* 9 per constraint: G in the last factorisation ... */
    double* change;  /* ... and by how much another one differs, where conjugate gradients solve */
    FilSapLaw* laws;
    FilSapResponse* responses; /* at the current v, or at the last trial */
    FilSapSlope* slopes;       /* of each chunk of constraints */
};

/* Sets up everything that holds for the whole solution, and v_c at the guess v; responses are not evaluated. p is A (v - v*) + push of participants,
 * what does not participate need not be eliminated yet. */
FIL_MUST_CHECK FilStatus fil_sap_begin(FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings, double* v, FilSapStats* stats);
/* Eliminates what does not participate; p becomes S x. */
FIL_MUST_CHECK FilStatus fil_sap_eliminate(FilSap* sap, const FilSapProblem* problem, FilSapStats* stats);

#endif
