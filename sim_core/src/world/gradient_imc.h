/* Pairs under IMC in gradients: gradient_imc.c and gradient_imc_lag.c. */
#ifndef FILUM_WORLD_GRADIENT_IMC_H
#define FILUM_WORLD_GRADIENT_IMC_H

#include "world/gradient.h"
#include "world/gradient_side.h"

enum { FIL_IMC_ENDS = 12 };

/* Which of the world's unknowns coordinate i of a contact's four nodes is. */
static inline int fil_imc_end_unknown(const FilPotentialContact* c, int i)
{
    return 4 * c->variable[i / 3] + i % 3;
}

/* One that is being taken. */
typedef struct FilGradientPair {
    const FilPotentialContact* contact;
    int index; /* of the problem's contacts */
    FilGradientMaker maker;
    double u[3];
    const int* unknown; /* of the maker's */
    const double* jacobian;
    double* work; /* room for 6 rows of those */
    double* push; /* where its lag goes */
    int* pushed;
} FilGradientPair;

/* Before the first, each, and after the last: numbers that are held fixed. */
void fil_gradient_lags_begin(FilGradient* gradient);
/* Whether the global stiffness follows a contact. */
bool fil_gradient_leads(const FilGradient* gradient, int contact);
FIL_MUST_CHECK FilStatus fil_gradient_pair_lag(FilGradient* gradient, FilGradientPair* pair);
FIL_MUST_CHECK FilStatus fil_gradient_lags_end(FilGradient* gradient);

#endif
