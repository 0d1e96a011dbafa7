/* The least of a function in the box from 0 to 1, by NLopt. */
#ifndef FILUM_TOOLS_FIT_SEARCH_H
#define FILUM_TOOLS_FIT_SEARCH_H

#include "filum/base.h"

/* The function's value at x; its gradient too unless that is NULL. */
typedef double FilFitFunction(void* context, const double* x, double* gradient);

typedef struct FilFitSearch {
    const char* method; /* a name from fil_fit_method_name() */
    int count;          /* of coordinates */
    double* x;          /* where it begins, and where it ends */
    double tolerance;   /* of the coordinates, absolute */
    int max_evaluations;
    FilFitFunction* function;
    void* context;
} FilFitSearch;

const char* fil_fit_method_name(int index); /* NULL beyond the last */
/* Moves x to the best point found, of the value `best`. FIL_NOT_CONVERGED if it ran out of evaluations. */
FIL_MUST_CHECK FilStatus fil_fit_search(const FilFitSearch* search, double* best, FilError* error);

#endif
