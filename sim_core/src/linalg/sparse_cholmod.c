#include "linalg/sparse_cholmod.h"

#include <string.h>
#include <suitesparse/cholmod.h>

#include "base/memory.h"

struct FilSparseCholesky {
    cholmod_common common;
    cholmod_sparse matrix; /* borrows the caller's arrays */
    cholmod_factor* factor;
    cholmod_dense *solution, *work_y, *work_e;
};

FilSparseCholesky* fil_sparse_cholesky_create(void)
{
    FilSparseCholesky* cholesky = fil_alloc(1, sizeof *cholesky);
    if (cholesky != NULL) {
        cholmod_common* common = &cholesky->common;
        cholmod_start(common);
        // no messages, and nothing from the modules under the GPL
        common->print = 0;
        common->supernodal = CHOLMOD_SIMPLICIAL;
        common->nmethods = 1;
        common->method[0].ordering = CHOLMOD_AMD;
        common->postorder = 1;
    }
    return cholesky;
}

void fil_sparse_cholesky_destroy(FilSparseCholesky* cholesky)
{
    if (cholesky != NULL) {
        cholmod_free_dense(&cholesky->solution, &cholesky->common);
        cholmod_free_dense(&cholesky->work_y, &cholesky->common);
        cholmod_free_dense(&cholesky->work_e, &cholesky->common);
        cholmod_free_factor(&cholesky->factor, &cholesky->common);
        cholmod_finish(&cholesky->common);
        fil_free(cholesky);
    }
}

FilStatus fil_sparse_cholesky_analyze(FilSparseCholesky* cholesky, int n, const int* start, const int* row)
{
    cholmod_free_factor(&cholesky->factor, &cholesky->common);
    cholesky->matrix = (cholmod_sparse){.nrow = (size_t)n,
                                        .ncol = (size_t)n,
                                        .nzmax = (size_t)start[n],
                                        .p = (void*)start, /* CHOLMOD has no const; it only reads these */
                                        .i = (void*)row,
                                        .stype = -1,
                                        .itype = CHOLMOD_INT,
                                        .xtype = CHOLMOD_PATTERN,
                                        .dtype = CHOLMOD_DOUBLE,
                                        .sorted = 1,
                                        .packed = 1};
    cholesky->factor = cholmod_analyze(&cholesky->matrix, &cholesky->common);
    return cholesky->factor != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
}

bool fil_sparse_cholesky_factor(FilSparseCholesky* cholesky, const double* values)
{
    cholesky->matrix.xtype = CHOLMOD_REAL;
    cholesky->matrix.x = (void*)values;
    const int done = cholmod_factorize(&cholesky->matrix, cholesky->factor, &cholesky->common);
    if (!done || cholesky->common.status != CHOLMOD_OK || cholesky->factor->minor != cholesky->factor->n) {
        return false;
    }
    // an LDL' of an indefinite matrix exists as well: look at D
    const int* start = cholesky->factor->p;
    const double* x = cholesky->factor->x;
    for (size_t j = 0; j < cholesky->factor->n; j++) {
        if (!(x[start[j]] > 0.0)) {
            return false;
        }
    }
    return true;
}

bool fil_sparse_cholesky_solve(FilSparseCholesky* cholesky, double* x)
{
    const size_t n = cholesky->matrix.nrow;
    cholmod_dense right = {
        .nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = x, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_solve2(CHOLMOD_A, cholesky->factor, &right, NULL, &cholesky->solution, NULL, &cholesky->work_y,
                        &cholesky->work_e, &cholesky->common)) {
        return false;
    }
    memcpy(x, cholesky->solution->x, n * sizeof *x);
    return true;
}
