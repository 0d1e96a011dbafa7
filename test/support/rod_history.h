/* What a rod's kernels start from, of a reference rod at `base`. Needs the kernels' header before it. */
#ifndef FILUM_TEST_ROD_HISTORY_H
#define FILUM_TEST_ROD_HISTORY_H

#include <math.h>
#include <string.h>

#include "rod_reference.h"

static inline void load_history(const ReferenceRod* rod, const double* base, FilRodHistory* history, FilRodLaw* law)
{
    for (int i = 0; i < rod->node_count; ++i) {
        FilRodHistory* h = &history[i];
        *h = (FilRodHistory){.cosine = 1.0, .rest_length = 1.0};
        law[i] = (FilRodLaw){0};
        if (i < reference_edge_count(rod)) {
            memcpy(h->tangent, rod->base_tangent[i], sizeof h->tangent);
            memcpy(h->director, rod->base_director[i], sizeof h->director);
            h->rest_length = rod->rest_length[i];
            law[i].ea = rod->ea[i];
        }
        if (rod->closed || (i > 0 && i < rod->node_count - 1)) {
            double strains[3];
            reference_strains(rod, base, i, strains);
            h->twist = strains[2];
            h->cosine = cos(h->twist);
            h->sine = sin(h->twist);
            h->rest1 = rod->rest_kappa1[i];
            h->rest2 = rod->rest_kappa2[i];
            h->rest_twist = rod->rest_twist[i];
            law[i] = (FilRodLaw){law[i].ea, rod->bend1[i], rod->bend2[i], rod->torsion[i]};
        }
    }
}

#endif
