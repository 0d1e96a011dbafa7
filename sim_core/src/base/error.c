#include "base/error.h"

#include <math.h>
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

FilStatus fil_check_numbers(const FilCheckedNumber* numbers, size_t count, FilError* error)
{
    for (size_t k = 0; k < count; k++) {
        const FilCheckedNumber* number = &numbers[k];
        if (!isfinite(number->value) || number->value < 0.0 || (number->positive && number->value == 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "%s must be %s, not %g", number->name, number->positive ? "positive" : "zero or positive",
                             number->value);
        }
    }
    return FIL_OK;
}
