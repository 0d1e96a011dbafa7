/* Sweeps where SQLite was not there to be built with. */
#include "base/error.h"
#include "sweep/store.h"

FilStatus fil_sweep_store_open(const char* path, const char* plan, const char* const* columns, int column_count, FilSweepStore** store,
                               FilError* error)
{
    (void)plan, (void)columns, (void)column_count;
    *store = NULL;
    return fil_error(error, FIL_IO, "%s: this program was built without SQLite (apt install libsqlite3-dev)", path);
}

void fil_sweep_store_close(FilSweepStore* store)
{
    (void)store;
}

FilStatus fil_sweep_store_done(FilSweepStore* store, bool* done, uint64_t runs, uint64_t* count, FilError* error)
{
    (void)store, (void)done, (void)runs, (void)count;
    return fil_error(error, FIL_IO, "no SQLite");
}

FilStatus fil_sweep_store_add(FilSweepStore* store, uint64_t run, const FilSweepCell* cells, bool quick, FilError* error)
{
    (void)store, (void)run, (void)cells, (void)quick;
    return fil_error(error, FIL_IO, "no SQLite");
}

FilStatus fil_sweep_store_write_csv(FilSweepStore* store, const char* path, FilError* error)
{
    (void)store, (void)path;
    return fil_error(error, FIL_IO, "no SQLite");
}

FilStatus fil_sweep_store_each(FilSweepStore* store, const char* x, const char* y, void (*visit)(void* context, uint64_t run, double x, double y),
                               void* context, FilError* error)
{
    (void)store, (void)x, (void)y, (void)visit, (void)context;
    return fil_error(error, FIL_IO, "no SQLite");
}
