/* The table of a sweep: one row per run, in an SQLite file that a run is in as soon as it is done, and as CSV. */
#ifndef FILUM_TOOLS_SWEEP_STORE_H
#define FILUM_TOOLS_SWEEP_STORE_H

#include "filum/base.h"

/* A column's value: a text, or a number if the text is NULL; numbers that are not finite are left empty. */
typedef struct FilSweepCell {
    const char* text;
    double number;
} FilSweepCell;

typedef struct FilSweepStore FilSweepStore;

/* Opens the file, or makes it. `plan` says in full what is run: a file of another one is refused. Columns are named once; `run` comes
 * before them. */
FIL_MUST_CHECK FilStatus fil_sweep_store_open(const char* path, const char* plan, const char* const* columns, int column_count, FilSweepStore** store,
                                              FilError* error);
void fil_sweep_store_close(FilSweepStore* store); /* NULL is fine */

/* Sets done[run] of those that are in the table, of `runs`; returns how many. */
FIL_MUST_CHECK FilStatus fil_sweep_store_done(FilSweepStore* store, bool* done, uint64_t runs, uint64_t* count, FilError* error);
/* Adds a row, which stays whatever happens to the process from then on; one that was quick to make may wait, 0.1 s at most until the next
 * one is added, for others to go with it. By one thread at a time. */
FIL_MUST_CHECK FilStatus fil_sweep_store_add(FilSweepStore* store, uint64_t run, const FilSweepCell* cells, bool quick, FilError* error);
/* Writes all rows, ordered by run. */
FIL_MUST_CHECK FilStatus fil_sweep_store_write_csv(FilSweepStore* store, const char* path, FilError* error);
/* Calls `visit` with two columns of all rows, ordered by run; NAN where there is no number. */
FIL_MUST_CHECK FilStatus fil_sweep_store_each(FilSweepStore* store, const char* x, const char* y,
                                              void (*visit)(void* context, uint64_t run, double x, double y), void* context, FilError* error);

#endif
