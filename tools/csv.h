/* Writes rows of comma-separated values; numbers keep all their digits. */
#ifndef FILUM_TOOLS_CSV_H
#define FILUM_TOOLS_CSV_H

#include <stdbool.h>
#include <stdio.h>

void fil_csv_text(FILE* out, const char* text, bool first); /* quoted where needed */
void fil_csv_number(FILE* out, double value, bool first);   /* empty if NaN */
void fil_csv_end(FILE* out);                                /* ends the row and flushes it */

#endif
