/* What a check has collected: for those who print or judge it. */
#ifndef FILUM_TOOLS_VALIDATE_REPORT_H
#define FILUM_TOOLS_VALIDATE_REPORT_H

#include "validate/check.h"

typedef enum FilCheckRelation {
    FIL_CHECK_NEAR,  /* |measured - expected| <= tolerance |expected| */
    FIL_CHECK_BELOW, /* measured <= expected */
    FIL_CHECK_ABOVE, /* measured >= expected */
    FIL_CHECK_NOTED, /* not judged */
} FilCheckRelation;

typedef struct FilCheckRow {
    char what[96];
    FilCheckRelation relation;
    double measured;
    double expected; /* or the limit */
    double tolerance;
} FilCheckRow;

struct FilCheck {
    FilCheckRow* rows;
    int count;
    char* text;        /* lines to be printed; NULL: none */
    size_t text_size;  /* bytes, without the zero at its end */
    char folder[512];  /* for figures; empty: none are left */
    char failure[512]; /* why it could not measure; empty if it could */
};

bool fil_check_row_passes(const FilCheckRow* row);
bool fil_check_passes(const FilCheck* check);
void fil_check_free(FilCheck* check);

#endif
