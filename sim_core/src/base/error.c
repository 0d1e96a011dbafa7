#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

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
