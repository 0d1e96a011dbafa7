/* Steps that cannot be done at any size. */
#include <stdarg.h>
#include <stdio.h>

#include "solver/solver.h"

FilStatus fil_solver_refuse(FilSolver* solver, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(solver->error->text, sizeof solver->error->text, format, arguments);
    va_end(arguments);
    solver->refused = true;
    return FIL_BAD_INPUT;
}
