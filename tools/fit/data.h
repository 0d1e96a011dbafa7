/* Measured curves: a table of times and numbers, read from comma-separated values. */
#ifndef FILUM_TOOLS_FIT_DATA_H
#define FILUM_TOOLS_FIT_DATA_H

#include "filum/base.h"

/* Of a file of measurements: bounds of ours, beyond which it is refused. */
enum { FIL_FIT_COLUMNS = 16, FIL_FIT_NAME = 64 };

typedef struct FilFitData {
    int column_count; /* besides the time */
    char names[FIL_FIT_COLUMNS][FIL_FIT_NAME];
    int row_count, capacity;
    double* rows; /* t, then the columns; NAN where a cell is empty */
} FilFitData;

/* The first line names the columns: `t` first, then probes, as `filum run --csv` writes them. Times increase. */
FIL_MUST_CHECK FilStatus fil_fit_data_read(const char* path, FilFitData* data, FilError* error);
void fil_fit_data_free(FilFitData* data);

#endif
