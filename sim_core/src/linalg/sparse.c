#include "linalg/sparse.h"

#include <string.h>
#include <suitesparse/cholmod.h>

#include "base/memory.h"

struct FilSparse {
    cholmod_common common;
    cholmod_sparse* matrix;
    cholmod_factor* factor;
    cholmod_dense *rhs, *solution, *work_y, *work_e;
};

enum { ROW, COLUMN };

typedef struct Entry {
    int place[2], index; /* row and column; which of those given */
} Entry;

/* Orders entries by row or by column, those with the same one as they come: `starts` has room for size + 1. */
static void sort_by(int axis, const Entry* from, Entry* to, int count, int* starts, int size)
{
    memset(starts, 0, ((size_t)size + 1) * sizeof *starts);
    for (int k = 0; k < count; k++) {
        starts[from[k].place[axis] + 1]++;
    }
    for (int i = 0; i < size; i++) {
        starts[i + 1] += starts[i];
    }
    for (int k = 0; k < count; k++) {
        to[starts[from[k].place[axis]]++] = from[k];
    }
}

/* Fills the compressed columns from sorted entries, merging repeated places. */
static void compress(cholmod_sparse* matrix, const Entry* entries, int entry_count, int* slots)
{
    int *starts = matrix->p, *rows = matrix->i;
    int count = 0, column = 0;
    starts[0] = 0;
    for (int k = 0; k < entry_count; k++) {
        const bool again = k > 0 && memcmp(entries[k].place, entries[k - 1].place, sizeof entries[k].place) == 0;
        while (column < entries[k].place[COLUMN]) {
            starts[++column] = count;
        }
        if (!again) {
            rows[count++] = entries[k].place[ROW];
        }
        slots[entries[k].index] = count - 1;
    }
    while (column < (int)matrix->ncol) {
        starts[++column] = count;
    }
}

FilSparse* fil_sparse_create(int size, int entry_count, const int* rows, const int* columns, int* slots)
{
    FilSparse* s = fil_alloc(1, sizeof *s);
    Entry* entries = fil_alloc(2 * (size_t)entry_count, sizeof *entries);
    int* starts = fil_alloc((size_t)size + 1, sizeof *starts);
    if (s == NULL || entries == NULL || starts == NULL) {
        fil_free(s);
        fil_free(entries);
        fil_free(starts);
        return NULL;
    }
    cholmod_start(&s->common);
    s->common.print = 0;
    s->common.supernodal = CHOLMOD_SIMPLICIAL;  // the LGPL part
    s->common.final_ll = 1;
    s->common.nmethods = 1;
    s->common.method[0].ordering = CHOLMOD_AMD;
    s->common.postorder = 1;
    for (int k = 0; k < entry_count; k++) {
        entries[k] = (Entry){{rows[k], columns[k]}, k};
    }
    sort_by(ROW, entries, entries + entry_count, entry_count, starts, size);
    sort_by(COLUMN, entries + entry_count, entries, entry_count, starts, size);
    fil_free(starts);
    s->matrix = cholmod_allocate_sparse((size_t)size, (size_t)size, (size_t)entry_count, 1, 1, -1, CHOLMOD_REAL, &s->common);
    s->rhs = cholmod_zeros((size_t)size, 1, CHOLMOD_REAL, &s->common);
    if (s->matrix != NULL) {
        compress(s->matrix, entries, entry_count, slots);
        memset(s->matrix->x, 0, sizeof(double) * (size_t)entry_count);
    }
    fil_free(entries);
    if (s->matrix == NULL || s->rhs == NULL) {
        fil_sparse_destroy(s);
        return NULL;
    }
    return s;
}

void fil_sparse_destroy(FilSparse* sparse)
{
    if (sparse == NULL) {
        return;
    }
    cholmod_free_sparse(&sparse->matrix, &sparse->common);
    cholmod_free_factor(&sparse->factor, &sparse->common);
    cholmod_free_dense(&sparse->rhs, &sparse->common);
    cholmod_free_dense(&sparse->solution, &sparse->common);
    cholmod_free_dense(&sparse->work_y, &sparse->common);
    cholmod_free_dense(&sparse->work_e, &sparse->common);
    cholmod_finish(&sparse->common);
    fil_free(sparse);
}

double* fil_sparse_values(FilSparse* sparse)
{
    return sparse->matrix->x;
}

int fil_sparse_value_count(const FilSparse* sparse)
{
    return ((const int*)sparse->matrix->p)[sparse->matrix->ncol];
}

bool fil_sparse_factor(FilSparse* sparse)
{
    if (sparse->factor == NULL) {  // not before: nets under `ipc` are never factored by themselves
        sparse->factor = cholmod_analyze(sparse->matrix, &sparse->common);
    }
    const bool done = sparse->factor != NULL && cholmod_factorize(sparse->matrix, sparse->factor, &sparse->common) != 0;
    return done && sparse->factor->minor == sparse->factor->n;
}

void fil_sparse_solve(FilSparse* sparse, double* x)
{
    const size_t bytes = sizeof(double) * sparse->matrix->nrow;
    memcpy(sparse->rhs->x, x, bytes);
    if (cholmod_solve2(CHOLMOD_A, sparse->factor, sparse->rhs, NULL, &sparse->solution, NULL, &sparse->work_y, &sparse->work_e, &sparse->common)) {
        memcpy(x, sparse->solution->x, bytes);
    }
}
