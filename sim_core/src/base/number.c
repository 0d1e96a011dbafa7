#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>

const char* fil_number_text(double value, char text[FIL_NUMBER_TEXT])
{
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, FIL_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}
