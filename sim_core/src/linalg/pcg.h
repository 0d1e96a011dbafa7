/* Conjugate gradients for symmetric positive definite systems that are known by their products alone, with a preconditioner that is
 * known by its solves. */
#ifndef FILUM_LINALG_PCG_H
#define FILUM_LINALG_PCG_H

typedef struct FilPcgSystem {
    void* context;
    int unknowns;                                                    /* a multiple of 4 */
    void (*multiply)(void* context, const double* x, double* y);     /* y = H x */
    void (*precondition)(void* context, const double* r, double* z); /* z = P^-1 r */
    const double* weight; /* what is left is measured by the sum of weight r^2; NULL: by r' P^-1 r, at the price of one more solve */
    double* vectors;      /* 3 * unknowns numbers; the first are z */
} FilPcgSystem;

typedef enum FilPcgResult {
    FIL_PCG_DONE,
    FIL_PCG_SLOW,       /* `max` iterations were not enough; x is the best so far */
    FIL_PCG_INDEFINITE, /* a direction has negative curvature; x is undefined */
} FilPcgResult;

/* Adds to x, for the right side r, a solution that leaves `tolerance` times r; r becomes what is left. `system->vectors` begins with P^-1 r. The
 * number of iterations goes to *iterations, what is left of r to *left, as a share of it. */
FilPcgResult fil_pcg_solve(const FilPcgSystem* system, double tolerance, int max, double* r, double* x, int* iterations, double* left);

#endif
