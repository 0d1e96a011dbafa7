/* Columns of blocks with registers of 256 bits, which are chosen at run time (base/vector.h). Each number is rounded as with two at a time, so that
 * the bits agree. */
#include "base/vector.h"
#include "linalg/block_cholesky_data.h"

typedef struct Columns {
    FilDouble4 c0, c1, c2, c3;
} Columns;

FIL_VECTOR_INLINE Columns load_columns(const double* values, int source)
{
    if (source == FIL_BLOCK_NO_SOURCE) {
        const FilDouble4 zero = {0.0};
        return (Columns){zero, zero, zero, zero};
    }
    const double* a = values + FIL_BLOCK_SIZE * (size_t)(source >> 1);
    if (source & 1) {
        return (Columns){fil_double4_of(a[0], a[4], a[8], a[12]), fil_double4_of(a[1], a[5], a[9], a[13]), fil_double4_of(a[2], a[6], a[10], a[14]),
                         fil_double4_of(a[3], a[7], a[11], a[15])};
    }
    return (Columns){FIL_VECTOR_IN(FilDouble4, a), FIL_VECTOR_IN(FilDouble4, a + 4), FIL_VECTOR_IN(FilDouble4, a + 8),
                     FIL_VECTOR_IN(FilDouble4, a + 12)};
}

FIL_VECTOR_INLINE void store_columns(Columns c, double* out)
{
    FIL_VECTOR_AT(FilDouble4, out) = c.c0;
    FIL_VECTOR_AT(FilDouble4, out + 4) = c.c1;
    FIL_VECTOR_AT(FilDouble4, out + 8) = c.c2;
    FIL_VECTOR_AT(FilDouble4, out + 12) = c.c3;
}

FIL_VECTOR_INLINE Columns gather_columns(const FilBlockSymbolic* s, const double* factor, const double* a_values, const double* c_values, int p)
{
    Columns c = load_columns(a_values, s->source[0].at[p]);
    if (s->source[2].at[p] != FIL_BLOCK_NO_SOURCE) {
        const Columns more = load_columns(c_values, s->source[2].at[p]);
        c = (Columns){c.c0 + more.c0, c.c1 + more.c1, c.c2 + more.c2, c.c3 + more.c3};
    }
    const int* pair = s->product.at + 2 * (size_t)s->product_start.at[p];
    const int* end = s->product.at + 2 * (size_t)s->product_start.at[p + 1];
    for (; pair < end; pair += 2) {
        const double* a = factor + FIL_BLOCK_SIZE * (size_t)pair[0];
        const double* b = factor + FIL_BLOCK_SIZE * (size_t)pair[1];
        for (int k = 0; k < FIL_BLOCK_SIZE; k += 4) {
            const FilDouble4 column = FIL_VECTOR_IN(FilDouble4, a + k);
            c.c0 = fil_double4_sub_scaled(c.c0, column, b[k]);
            c.c1 = fil_double4_sub_scaled(c.c1, column, b[k + 1]);
            c.c2 = fil_double4_sub_scaled(c.c2, column, b[k + 2]);
            c.c3 = fil_double4_sub_scaled(c.c3, column, b[k + 3]);
        }
    }
    return c;
}

bool fil_block_factor_column_256(FilBlockCholesky* cholesky, const double* a_values, const double* c_values, int j)
{
    const FilBlockSymbolic* s = &cholesky->symbolic;
    double* factor = cholesky->factor.at;
    double* w = cholesky->inverse.at + FIL_BLOCK_SIZE * (size_t)j;
    const int diagonal = s->column_start.at[j];

    double pivot[FIL_BLOCK_SIZE];
    store_columns(gather_columns(s, factor, a_values, c_values, diagonal), pivot);
    if (!fil_block_inverse_factor(pivot, w)) {
        return false;
    }
    for (int p = diagonal + 1; p < s->column_start.at[j + 1]; p++) {
        const Columns c = gather_columns(s, factor, a_values, c_values, p);
        // from zero on, as fil_tile_times_transposed(): it makes zeros positive
        const FilDouble4 zero = {0.0};
        const Columns x = {
            fil_double4_add_scaled(zero, c.c0, w[0]), fil_double4_add_scaled(fil_double4_add_scaled(zero, c.c0, w[1]), c.c1, w[5]),
            fil_double4_add_scaled(fil_double4_add_scaled(fil_double4_add_scaled(zero, c.c0, w[2]), c.c1, w[6]), c.c2, w[10]),
            fil_double4_add_scaled(fil_double4_add_scaled(fil_double4_add_scaled(fil_double4_add_scaled(zero, c.c0, w[3]), c.c1, w[7]), c.c2, w[11]),
                                   c.c3, w[15])};
        store_columns(x, factor + FIL_BLOCK_SIZE * (size_t)p);
    }
    return true;
}
