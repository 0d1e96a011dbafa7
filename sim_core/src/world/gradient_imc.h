/* Pairs under IMC in gradients: gradient_imc.c and gradient_imc_lag.c. */
#ifndef FILUM_WORLD_GRADIENT_IMC_H
#define FILUM_WORLD_GRADIENT_IMC_H

#include "world/gradient.h"
#include "world/gradient_side.h"

/* Coordinates of the four nodes of two edges. */
enum { FIL_IMC_ENDS = 12 };

/* Of a lag: what it pushes on, J's third row, and three by the place. */
enum { FIL_PAIR_ROWS = FIL_LAGS + 4 };

/* Which of the world's unknowns coordinate i of a contact's four nodes is. */
static inline int fil_imc_end_unknown(const FilPotentialContact* c, int i)
{
    return 4 * c->variable[i / 3] + i % 3;
}

/* One that is being taken. */
typedef struct FilGradientPair {
    const FilPotentialContact* contact;
    int index;               /* of the problem's contacts */
    FilGradientTouch* touch; /* its maker has room for moves */
    FilGradientContact* out; /* NULL: it has no rows there, and slopes are made at once */
    double u[3];
    const int* unknown; /* of the maker's */
    const double* jacobian;
    double* work; /* room for 3 rows of those */
    double* push; /* where its lag goes, FIL_PAIR_ROWS of those */
    int* pushed;
} FilGradientPair;

/* Before the first, each, and after the last: numbers that are held fixed. */
void fil_gradient_lags_begin(FilGradient* gradient);
/* Whether the global stiffness follows a contact. */
bool fil_gradient_leads(const FilGradient* gradient, int contact);
FIL_MUST_CHECK FilStatus fil_gradient_pair_lag(FilGradient* gradient, FilGradientPair* pair);
FIL_MUST_CHECK FilStatus fil_gradient_lags_end(FilGradient* gradient);

#endif
