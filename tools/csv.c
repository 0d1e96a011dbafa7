/* Owns the writing of CSV (RFC 4180, lines end in \n). */
#include "csv.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

void fil_csv_text(FILE* out, const char* text, bool first)
{
    if (!first) {
        fputc(',', out);
    }
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char* c = text; *c != '\0'; ++c) {
        // a quote is written twice
        fputs(*c == '"' ? "\"\"" : (char[]){*c, '\0'}, out);
    }
    fputc('"', out);
}

void fil_csv_number(FILE* out, double value, bool first)
{
    if (!first) {
        fputc(',', out);
    }
    if (!isnan(value)) {
        fputs(fil_number_text(value, (char[FIL_NUMBER_TEXT]){0}), out);
    }
}

void fil_csv_end(FILE* out)
{
    fputc('\n', out);
    fflush(out);
}
