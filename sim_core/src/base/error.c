#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char* fil_status_name(FilStatus status)
{
    static const char* const names[] = {
        [FIL_OK] = "ok",
        [FIL_BAD_INPUT] = "bad input",
        [FIL_OUT_OF_MEMORY] = "out of memory",
        [FIL_NOT_CONVERGED] = "not converged",
        [FIL_IO] = "input/output error",
    };
    return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : "unknown status";
}

FilStatus fil_error(FilError* error, FilStatus status, const char* format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}
