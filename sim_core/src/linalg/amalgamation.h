/* Which columns of L become one supernode. */
#ifndef FILUM_LINALG_AMALGAMATION_H
#define FILUM_LINALG_AMALGAMATION_H

#include "linalg/elimination.h"

/* Writes top[j], the last column of the supernode of each column j. Columns before `first_changing` stay apart from the
 * others. `work` has 5 places per column. */
void fil_amalgamation_find(const FilElimination* elimination, int first_changing, int* top, int* work);

#endif
