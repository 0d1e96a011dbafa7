/* Owns the use of NLopt. */
#include "fit/search.h"

#include <nlopt.h>
#include <string.h>

#include "base/error.h"

static const struct {
    const char* name;
    nlopt_algorithm algorithm;
} methods[] = {
    {"bobyqa", NLOPT_LN_BOBYQA},     // quadratic models of the values
    {"neldermead", NLOPT_LN_SBPLX},  // simplices, for what is rough
    {"lbfgs", NLOPT_LD_LBFGS},       // gradients
    {"slsqp", NLOPT_LD_SLSQP},       // likewise
};
enum { METHODS = sizeof methods / sizeof *methods };

const char* fil_fit_method_name(int index)
{
    return index >= 0 && index < METHODS ? methods[index].name : NULL;
}

static double evaluate(unsigned count, const double* x, double* gradient, void* data)
{
    const FilFitSearch* search = data;
    (void)count;
    return search->function(search->context, x, gradient);
}

FilStatus fil_fit_search(const FilFitSearch* search, double* best, FilError* error)
{
    int m = 0;
    while (m < METHODS && strcmp(methods[m].name, search->method) != 0) {
        m++;
    }
    nlopt_opt solver = m < METHODS ? nlopt_create(methods[m].algorithm, (unsigned)search->count) : NULL;
    if (solver == NULL) {
        return m < METHODS ? fil_error(error, FIL_OUT_OF_MEMORY, "out of memory")
                           : fil_error(error, FIL_BAD_INPUT, "there is no method '%s'", search->method);
    }
    nlopt_set_min_objective(solver, evaluate, (void*)search);
    nlopt_set_lower_bounds1(solver, 0.0);
    nlopt_set_upper_bounds1(solver, 1.0);
    // of the bounds: a third of the distance of 32 scouts of two keys, so that the search begins within what the best of them has
    // seen
    nlopt_set_initial_step1(solver, 0.05);
    nlopt_set_xtol_abs1(solver, search->tolerance);
    nlopt_set_maxeval(solver, search->max_evaluations);
    const nlopt_result result = nlopt_optimize(solver, search->x, best);
    nlopt_destroy(solver);
    if (result == NLOPT_MAXEVAL_REACHED) {
        return fil_error(error, FIL_NOT_CONVERGED, "%s has not come to an end in %d runs", search->method, search->max_evaluations);
    }
    // what only rounding keeps from going on has arrived
    return result > 0 || result == NLOPT_ROUNDOFF_LIMITED ? FIL_OK
                                                          : fil_error(error, FIL_NOT_CONVERGED, "%s failed (NLopt: %d)", search->method, (int)result);
}
