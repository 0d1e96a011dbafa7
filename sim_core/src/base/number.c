#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* fil_number_text(double value, char text[FIL_NUMBER_TEXT])
{
    // DBL_DIG digits are always right, DBL_DECIMAL_DIG always enough
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, FIL_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}

/* 1.50e-05 becomes 1.5e-5, 2.00 becomes 2 */
static void trim(char* text)
{
    char* exponent = strpbrk(text, "e");
    char tail[8] = "";
    if (exponent != NULL) {
        snprintf(tail, sizeof tail, "e%d", (int)strtol(exponent + 1, NULL, 10));
        *exponent = '\0';
    }
    if (strchr(text, '.') != NULL) {
        char* end = text + strlen(text);
        while (end[-1] == '0') {
            --end;
        }
        *(end[-1] == '.' ? end - 1 : end) = '\0';
    }
    snprintf(text + strlen(text), sizeof tail, "%s", tail);
}

const char* fil_number_short(double value, int digits, char text[FIL_NUMBER_TEXT])
{
    const double size = fabs(value);
    if (value == 0.0 || !isfinite(value)) {
        snprintf(text, FIL_NUMBER_TEXT, "%g", value);
    } else if (size >= 1e-4 && size < 1e6) {  // as %g: without an exponent
        const int decimals = digits - 1 - (int)floor(log10(size));
        snprintf(text, FIL_NUMBER_TEXT, "%.*f", decimals > 0 ? decimals : 0, value);
        trim(text);
    } else {
        snprintf(text, FIL_NUMBER_TEXT, "%.*e", digits - 1, value);
        trim(text);
    }
    return text;
}
