/* Physics checks: what a check reports, and the table of all checks.
 *
 * A check simulates something with a known answer and reports rows of measured against expected numbers. A check
 * passes if it reports at least one row and no row misses.
 */
#ifndef FILUM_TOOLS_VALIDATE_CHECK_H
#define FILUM_TOOLS_VALIDATE_CHECK_H

#include <stdbool.h>

#include "filum/filum.h"
#include "plot.h"

/* Collects the rows of one check. */
typedef struct FilCheck FilCheck;

/* Passes if |measured - expected| <= relative_tolerance |expected|. */
void fil_check_near(FilCheck* check, const char* what, double measured, double expected, double relative_tolerance);

/* Passes if measured <= limit. */
void fil_check_below(FilCheck* check, const char* what, double measured, double limit);

/* Passes if measured >= limit. */
void fil_check_above(FilCheck* check, const char* what, double measured, double limit);

/* A number to be seen, that nothing is required of. A check of such rows alone does not pass. */
void fil_check_note(FilCheck* check, const char* what, double measured);

/* A line of text that is printed with the rows: tables of signs, lists. */
void fil_check_print(FilCheck* check, const char* format, ...) FIL_PRINTF(2, 3);

/* The check could not measure: a step failed, a scene did not load. Says why. */
void fil_check_fail(FilCheck* check, const char* format, ...) FIL_PRINTF(2, 3);

/* Steps a world until a time; false, and the check has failed, if it could not. */
bool fil_check_run(FilCheck* check, FilWorld* world, double until);

/* Writes <name>.svg and <name>.csv into the folder of --out, which it makes; nothing without --out. */
void fil_check_draw(FilCheck* check, const FilPlotDef* plot, const char* name);

typedef struct FilCheckCase {
    const char* group; /* rod, contact, ... */
    const char* name;  /* unique in its group */
    const char* title; /* one line for people */
    int slow;          /* 0: always runs; else only with --long or when named, and takes about that many s of CPU */
    void (*run)(FilCheck* check);
} FilCheckCase;

/* All checks, in the order in which they run. */
const FilCheckCase* fil_check_table(int* count);

#endif
