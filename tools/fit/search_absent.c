/* Fits where NLopt was not there to be built with. */
#include "base/error.h"
#include "fit/search.h"

const char* fil_fit_method_name(int index)
{
    (void)index;
    return NULL;
}

FilStatus fil_fit_search(const FilFitSearch* search, double* best, FilError* error)
{
    (void)search, (void)best;
    return fil_error(error, FIL_BAD_INPUT, "this program was built without NLopt (apt install libnlopt-dev)");
}
