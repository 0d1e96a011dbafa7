/* Sweeps in SQLite. A transaction is a row, or those that quick runs made in 0.1 s and that are given to SQLite together (one by one, each finds it
 * out of the processor's caches: 60 us instead of 10, measured), in a write-ahead log that the system has when it ends: a killed process loses no
 * other that was added. Nothing waits for the disk until the end; a machine that loses its power may lose the table. One process has the file at a
 * time, which spares every row six calls to lock it. */
#include "sweep/store.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/watch.h"
#include "csv.h"

struct FilSweepStore {
    sqlite3* connection;
    sqlite3_stmt* insert;
    char* path;
    int column_count;
    int waiting;         /* rows that wait for others ... */
    double since;        /* ... s, since when */
    uint64_t* runs;      /* theirs */
    FilSweepCell* cells; /* theirs, row after row; texts are their own */
};

enum { TOGETHER = 1024 }; /* rows that wait, at most. Chosen: 0.1 s of runs of 0.1 ms */

/* s that rows of quick runs wait for each other: to end a transaction takes 0.1 to 0.4 ms (measured), which is to be below 1 % */
static const double PATIENCE = 0.1;

static FilStatus complain(const FilSweepStore* store, FilError* error)
{
    return fil_error(error, FIL_IO, "%s: SQLite: %s", store->path, sqlite3_errmsg(store->connection));
}

static void bind(FilSweepStore* store, int at, const FilSweepCell* cell)
{
    if (cell->text != NULL) {
        sqlite3_bind_text(store->insert, at, cell->text, -1, SQLITE_TRANSIENT);
    } else if (isfinite(cell->number) && cell->number == floor(cell->number) && fabs(cell->number) < 0x1p53) {
        sqlite3_bind_int64(store->insert, at, (sqlite3_int64)cell->number);
    } else if (isfinite(cell->number)) {
        sqlite3_bind_double(store->insert, at, cell->number);
    } else {
        sqlite3_bind_null(store->insert, at);
    }
}

static FilStatus insert(FilSweepStore* store, uint64_t run, const FilSweepCell* cells, FilError* error)
{
    sqlite3_bind_int64(store->insert, 1, (sqlite3_int64)run);
    for (int k = 0; k < store->column_count; k++) {
        bind(store, k + 2, &cells[k]);
    }
    const FilStatus status = sqlite3_step(store->insert) == SQLITE_DONE ? FIL_OK : complain(store, error);
    sqlite3_reset(store->insert);
    return status;
}

/* Writes the rows that wait, as one transaction. */
static FilStatus commit(FilSweepStore* store, FilError* error)
{
    const int rows = store->waiting, columns = store->column_count;
    FilStatus status = rows == 0 || sqlite3_exec(store->connection, "BEGIN", NULL, NULL, NULL) == SQLITE_OK ? FIL_OK : complain(store, error);
    for (int r = 0; r < rows && status == FIL_OK; r++) {
        status = insert(store, store->runs[r], store->cells + (size_t)r * (size_t)columns, error);
    }
    if (rows > 0 && status == FIL_OK && sqlite3_exec(store->connection, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
        status = complain(store, error);
    }
    for (int k = 0; k < rows * columns; k++) {
        fil_free((void*)(uintptr_t)store->cells[k].text);
    }
    store->waiting = 0;
    return status;
}

void fil_sweep_store_close(FilSweepStore* store)
{
    if (store != NULL) {
        FilError ignored;  // what could not be ended is done again
        (void)!commit(store, &ignored);
        sqlite3_finalize(store->insert);
        // now for the disk
        sqlite3_exec(store->connection, "PRAGMA synchronous=FULL; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
        sqlite3_close(store->connection);
        fil_free(store->path);
        fil_free(store->runs);
        fil_free(store->cells);
        fil_free(store);
    }
}

/* ---- opening ---- */

/* Adds to an SQL text; %Q and %w of SQLite quote. False when out of memory. */
static bool append(sqlite3_str* sql, const char* format, const char* value)
{
    sqlite3_str_appendf(sql, format, value);
    return sqlite3_str_errcode(sql) == SQLITE_OK;
}

/* "CREATE TABLE runs ..." and "INSERT INTO runs ...", for these columns. */
static bool make_statements(const char* const* columns, int count, char** create, char** insert)
{
    sqlite3_str *table = sqlite3_str_new(NULL), *row = sqlite3_str_new(NULL);
    bool good = append(table, "CREATE TABLE IF NOT EXISTS runs(run INTEGER PRIMARY KEY%s", "") && append(row, "INSERT INTO runs VALUES (?%s", "");
    for (int k = 0; k < count && good; k++) {
        good = append(table, ", \"%w\"", columns[k]) && append(row, ", %s", "?");
    }
    good = good && append(table, ")%s", "") && append(row, ")%s", "");
    *create = sqlite3_str_finish(table);
    *insert = sqlite3_str_finish(row);
    return good;
}

/* What the file says it is a sweep of, as it was found: empty if it is new. To be freed by sqlite3_free(). */
static FilStatus read_plan(FilSweepStore* store, char** plan, FilError* error)
{
    sqlite3_stmt* ask = NULL;
    if (sqlite3_exec(store->connection,
                     "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA wal_autocheckpoint=10000;"
                     "CREATE TABLE IF NOT EXISTS sweep(plan TEXT NOT NULL)",
                     NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(store->connection, "SELECT plan FROM sweep", -1, &ask, NULL) != SQLITE_OK) {
        return complain(store, error);
    }
    const int result = sqlite3_step(ask);
    *plan = sqlite3_mprintf("%s", result == SQLITE_ROW ? (const char*)sqlite3_column_text(ask, 0) : "");
    sqlite3_finalize(ask);
    if (result != SQLITE_ROW && result != SQLITE_DONE) {
        return complain(store, error);
    }
    return *plan != NULL ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
}

static FilStatus begin(FilSweepStore* store, const char* plan, const char* const* columns, FilError* error)
{
    char *had = NULL, *create = NULL, *insert = NULL;
    FilStatus status = read_plan(store, &had, error);
    if (status == FIL_OK && had[0] != '\0' && strcmp(had, plan) != 0) {
        status = fil_error(error, FIL_BAD_INPUT, "%s has runs of another sweep; give --out another name, or remove it. It is of:\n%.300s",
                           store->path, had);
    }
    if (status == FIL_OK && !make_statements(columns, store->column_count, &create, &insert)) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    if (status == FIL_OK && had[0] == '\0') {
        char* note = sqlite3_mprintf("BEGIN; %s; INSERT INTO sweep VALUES (%Q); COMMIT", create, plan);
        status = note != NULL && sqlite3_exec(store->connection, note, NULL, NULL, NULL) == SQLITE_OK ? FIL_OK : complain(store, error);
        sqlite3_free(note);
    }
    if (status == FIL_OK && sqlite3_prepare_v2(store->connection, insert, -1, &store->insert, NULL) != SQLITE_OK) {
        status = complain(store, error);
    }
    sqlite3_free(had);
    sqlite3_free(create);
    sqlite3_free(insert);
    return status;
}

FilStatus fil_sweep_store_open(const char* path, const char* plan, const char* const* columns, int column_count, FilSweepStore** store,
                               FilError* error)
{
    FilSweepStore* made = fil_alloc(1, sizeof *made);
    *store = NULL;
    if (made == NULL || (made->path = fil_strdup(path)) == NULL) {
        fil_free(made);
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    made->column_count = column_count;
    made->runs = fil_alloc(TOGETHER, sizeof *made->runs);
    made->cells = fil_alloc((size_t)TOGETHER * (size_t)column_count, sizeof *made->cells);
    if (made->runs == NULL || made->cells == NULL) {
        fil_sweep_store_close(made);
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    FilStatus status = sqlite3_open(path, &made->connection) == SQLITE_OK ? begin(made, plan, columns, error) : complain(made, error);
    if (status != FIL_OK) {
        fil_sweep_store_close(made);
        return status;
    }
    *store = made;
    return FIL_OK;
}

/* ---- rows ---- */

FilStatus fil_sweep_store_done(FilSweepStore* store, bool* done, uint64_t runs, uint64_t* count, FilError* error)
{
    sqlite3_stmt* ask = NULL;
    int result = sqlite3_prepare_v2(store->connection, "SELECT run FROM runs", -1, &ask, NULL);
    *count = 0;
    while (result == SQLITE_OK || result == SQLITE_ROW) {
        result = sqlite3_step(ask);
        const sqlite3_int64 run = result == SQLITE_ROW ? sqlite3_column_int64(ask, 0) : -1;
        if (run >= 0 && (uint64_t)run < runs && !done[run]) {
            done[run] = true;
            *count += 1;
        }
    }
    sqlite3_finalize(ask);
    return result == SQLITE_DONE ? FIL_OK : complain(store, error);
}

/* Copies the row, texts too, behind those that wait. */
static bool append_row(FilSweepStore* store, uint64_t run, const FilSweepCell* cells)
{
    FilSweepCell* row = store->cells + (size_t)store->waiting * (size_t)store->column_count;
    bool good = true;
    for (int k = 0; k < store->column_count; k++) {
        row[k] = (FilSweepCell){.text = cells[k].text != NULL ? fil_strdup(cells[k].text) : NULL, .number = cells[k].number};
        good = good && (row[k].text != NULL) == (cells[k].text != NULL);
    }
    store->since = store->waiting == 0 ? fil_watch_now() : store->since;
    store->runs[store->waiting++] = run;
    return good;
}

FilStatus fil_sweep_store_add(FilSweepStore* store, uint64_t run, const FilSweepCell* cells, bool quick, FilError* error)
{
    if (!append_row(store, run, cells)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    return quick && store->waiting < TOGETHER && fil_watch_now() < store->since + PATIENCE ? FIL_OK : commit(store, error);
}

FilStatus fil_sweep_store_write_csv(FilSweepStore* store, const char* path, FilError* error)
{
    sqlite3_stmt* ask = NULL;
    const FilStatus ended = commit(store, error);
    if (ended != FIL_OK) {
        return ended;
    }
    if (sqlite3_prepare_v2(store->connection, "SELECT * FROM runs ORDER BY run", -1, &ask, NULL) != SQLITE_OK) {
        return complain(store, error);
    }
    FILE* out = fopen(path, "w");
    const int columns = sqlite3_column_count(ask);
    for (int k = 0; k < columns && out != NULL; k++) {
        fil_csv_text(out, sqlite3_column_name(ask, k), k == 0);
    }
    int result = SQLITE_ROW;
    while (out != NULL && (result = sqlite3_step(ask)) == SQLITE_ROW) {
        fputc('\n', out);
        for (int k = 0; k < columns; k++) {
            const int type = sqlite3_column_type(ask, k);
            if (type == SQLITE_TEXT) {
                fil_csv_text(out, (const char*)sqlite3_column_text(ask, k), k == 0);
            } else {
                fil_csv_number(out, type == SQLITE_NULL ? NAN : sqlite3_column_double(ask, k), k == 0);
            }
        }
    }
    bool written = out != NULL;
    if (out != NULL) {
        fil_csv_end(out);
        written = !ferror(out);
        written = fclose(out) == 0 && written;
    }
    const FilStatus status = !written                ? fil_error(error, FIL_IO, "cannot write %s: %s", path, strerror(errno))
                             : result == SQLITE_DONE ? FIL_OK
                                                     : complain(store, error);
    sqlite3_finalize(ask);
    return status;
}

FilStatus fil_sweep_store_each(FilSweepStore* store, const char* x, const char* y, void (*visit)(void* context, uint64_t run, double x, double y),
                               void* context, FilError* error)
{
    sqlite3_stmt* ask = NULL;
    char* text = sqlite3_mprintf("SELECT run, \"%w\", \"%w\" FROM runs ORDER BY run", x, y);
    int result = text != NULL ? sqlite3_prepare_v2(store->connection, text, -1, &ask, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    while (result == SQLITE_OK || result == SQLITE_ROW) {
        result = sqlite3_step(ask);
        if (result == SQLITE_ROW) {
            double values[2];
            for (int k = 0; k < 2; k++) {
                const int type = sqlite3_column_type(ask, k + 1);
                values[k] = type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(ask, k + 1) : NAN;
            }
            visit(context, (uint64_t)sqlite3_column_int64(ask, 0), values[0], values[1]);
        }
    }
    sqlite3_finalize(ask);
    return result == SQLITE_DONE ? FIL_OK : complain(store, error);
}
