/* Makes a vertex separator lighter by pushing it towards one side and the other: its vertices move one at a time, the neighbours
 * they have ahead take their places; uphill, too, for a while (Fiduccia and Mattheyses 1982, for vertices: Ashcraft and Liu 1995). */
#ifndef FILUM_LINALG_CUT_REFINEMENT_H
#define FILUM_LINALG_CUT_REFINEMENT_H

#include "linalg/graph_level.h"

/* Arrays that refining has. */
enum { FIL_CUT_WORK = 6 };

/* Refines the sides of `level`. `work` has FIL_CUT_WORK places per vertex. */
void fil_cut_refine(FilGraphLevel* level, int* work);

/* What a cut is judged by, smaller is better: how much the heavier side exceeds its share, then the weight of the cut, then how far
 * the sides differ. */
typedef struct FilCutScore {
    int excess, cut, difference;
} FilCutScore;

FilCutScore fil_cut_score(const FilGraphLevel* level);
bool fil_cut_better(FilCutScore a, FilCutScore b);

#endif
