/* Pairs of edges side by side: whoever includes this builds them for the level of vectors that its file is compiled for (base/vector.h). */
#ifndef FILUM_CONTACT_IMC_EDGES_H
#define FILUM_CONTACT_IMC_EDGES_H

#include "base/vector_math.h"
#include "contact/imc.h"

/* Shares of both edges in the slip at mid-edge (P2 eq. 18). */
static const double MID_EDGE[4] = {0.5, 0.5, -0.5, -0.5};

/* P2 eq. 21 and its derivatives, several side by side. */
static inline FilDouble4 energy_wide(const FilImcSettings* settings, FilDouble4 stiffness, FilDouble4 radius, FilDouble4 over, FilDouble4* first,
                                     FilDouble4* second)
{
    const FilDouble4 zero = fil_double4_all(0.0), one = fil_double4_all(1.0), per = settings->sharpness / radius, y = per * over;
    // of fil_double4_exp(), which ends at 700: exp(-600) adds nothing to 1
    const FilDouble4Exp e = fil_double4_exp(fil_double4_min(fil_double4_abs(y), fil_double4_all(600.0)));
    const FilDouble4 small = e.difference * e.inverse;
    const FilDouble4 i = 1.0 / (1.0 + small);
    *first = -stiffness * fil_double4_choose_below(y, zero, one, small) * i;
    *second = stiffness * per * small * i * i;
    return stiffness / per * (fil_double4_log_ratio(small, zero, one) - fil_double4_min(y, zero));
}

/* What four pairs of edges contribute at these distances, whose gradients are `slope`; but for static friction. */
FIL_VECTOR_INLINE void push_edges(const FilPotentialProblem* problem, FilDouble4 distance, const FilDouble4 slope[12], FilPotentialEdges* e)
{
    FilDouble4 friction[3], first, second;
    const FilDouble4 over = distance - fil_double4_load(e->thickness), ahead = fil_double4_load(e->ahead), more = 1.0 + ahead;
    const FilDouble4 energy = energy_wide(problem->settings, fil_double4_load(e->stiffness), fil_double4_load(e->radius),
                                          over + ahead * (over - fil_double4_load(e->start)), &first, &second);
    fil_double4_store(e->energy, energy / more);
    fil_double4_store(e->second, second * more);

    // sliding friction: as in mid_edge_friction(), nothing where there is none
    const FilDouble4 n0 = slope[0] + slope[3], n1 = slope[1] + slope[4], n2 = slope[2] + slope[5];
    const FilDouble4 size = -first * fil_double4_sqrt(n0 * n0 + n1 * n1 + n2 * n2);
    for (int k = 0; k < 3; k++) {
        friction[k] = size * fil_double4_load(e->push[k]);
    }
    for (int k = 0; k < 12; k++) {
        fil_double4_store(e->slope[k], slope[k]);
        fil_double4_store(e->gradient[k], first * slope[k] + MID_EDGE[k / 3] * friction[k % 3]);
    }
}

#endif
