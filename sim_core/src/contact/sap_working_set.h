/* SAP on the constraints that matter. Collision looks ahead by all that could move, so most contacts between bodies that slide past each other stay
 * apart: they cost variables, fill and evaluations, and bear nothing. They are left out where the guess says so, and looked at afterwards: where one
 * of them has closed, the problem is solved with all, or, in a heap, with those that have closed. The solution is that of the whole problem either
 * way. */
#ifndef FILUM_CONTACT_SAP_WORKING_SET_H
#define FILUM_CONTACT_SAP_WORKING_SET_H

#include "contact/sap.h"
#include "linalg/buffer.h"

typedef struct FilSapWorkingSet {
    FilInts members;   /* numbers of the constraints that take part ... */
    FilInts others;    /* those of the others that join */
    void* constraints; /* ... and these themselves */
    size_t capacity;
    FilDoubles impulses; /* 3 for each */
    FilDoubles bounds;   /* of each of all: normal impulse in the last solution; negative: it was left out */
    int count;
} FilSapWorkingSet;

void fil_sap_working_set_free(FilSapWorkingSet* set);

/* fil_sap_solve(), whose arguments and return values these are; the iterations, analyses and factorisations of both problems count. */
FIL_MUST_CHECK FilStatus fil_sap_working_set_solve(FilSapWorkingSet* set, FilSap* sap, const FilSapProblem* problem, const FilSapOptions* settings,
                                                   double* v, double* impulse, FilSapStats* stats);

#endif
