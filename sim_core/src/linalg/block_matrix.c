#include "linalg/block_matrix.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/vector.h"
#include "linalg/block_split.h"

int fil_block_find(const FilBlockPattern* pattern, int u, int v)
{
    const int column = u < v ? u : v, row = u < v ? v : u;
    int low = pattern->start[column], high = pattern->start[column + 1] - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (pattern->row[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A column's own product, as sums of pairs: y_j[c] is the sum of sum[c]. */
typedef struct ColumnSum {
    FilDouble2 at[FIL_BLOCK];
} ColumnSum;

/* sum += B' x */
static inline void add_transposed(ColumnSum* sum, const double* b, const double* x)
{
    const FilDouble2 x0 = fil_double2_load(x), x1 = fil_double2_load(x + 2);
    for (int c = 0; c < FIL_BLOCK; c++) {
        sum->at[c] = fil_double2_add_product(sum->at[c], fil_double2_load(b + 4 * c), x0);
        sum->at[c] = fil_double2_add_product(sum->at[c], fil_double2_load(b + 4 * c + 2), x1);
    }
}

/* y += B x, where scale[c] is x_c twice */
static inline void add_straight(double* y, const double* b, const FilDouble2* scale)
{
    FilDouble2 y0 = fil_double2_load(y), y1 = fil_double2_load(y + 2);
    for (int c = 0; c < FIL_BLOCK; c++) {
        y0 = fil_double2_add_product(y0, fil_double2_load(b + 4 * c), scale[c]);
        y1 = fil_double2_add_product(y1, fil_double2_load(b + 4 * c + 2), scale[c]);
    }
    fil_double2_store(y, y0);
    fil_double2_store(y + 2, y1);
}

void fil_block_multiply(const FilBlockPattern* pattern, const double* values, const double* x, double* y)
{
    memset(y, 0, (size_t)pattern->columns * FIL_BLOCK * sizeof *y);
    fil_block_multiply_add(pattern, values, x, y);
}

/* By their bits but for signs: at once. */
static inline bool is_zero(const double* x)
{
    uint64_t bits[FIL_BLOCK];
    memcpy(bits, x, sizeof bits);
    return ((bits[0] | bits[1] | bits[2] | bits[3]) << 1) == 0;
}

/* Whether x is 0 in all rows of a column. */
static inline bool are_zero(const FilBlockPattern* pattern, int j, const double* x)
{
    bool zero = true;
    for (int k = pattern->start[j]; k < pattern->start[j + 1] && zero; k++) {
        zero = is_zero(x + FIL_BLOCK * pattern->row[k]);
    }
    return zero;
}

/* Columns begin to end of one term; rows from `end` on go to `beyond`. */
static void multiply_part(const FilBlockPattern* pattern, const double* values, int begin, int end, const double* x, double* y, double* beyond)
{
    const FilDouble2 zero = fil_double2_all(0.0);
    for (int j = begin; j < end; j++) {
        const double* xj = x + FIL_BLOCK * j;
        const bool at_rest = is_zero(xj);
        if (at_rest && are_zero(pattern, j, x)) {
            continue;  // nor are blocks read
        }
        const FilDouble2 scale[FIL_BLOCK] = {fil_double2_all(xj[0]), fil_double2_all(xj[1]), fil_double2_all(xj[2]), fil_double2_all(xj[3])};
        ColumnSum sum = {{zero, zero, zero, zero}};
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            const int i = pattern->row[k];
            const double* block = values + FIL_BLOCK_SIZE * (size_t)k;
            if (at_rest && is_zero(x + FIL_BLOCK * i)) {
                continue;
            }
            // a block at (i, j) stands at (j, i), too; diagonal ones are symmetric
            add_transposed(&sum, block, x + FIL_BLOCK * i);
            if (i != j) {
                add_straight(i < end ? y + FIL_BLOCK * i : beyond + FIL_BLOCK * (i - end), block, scale);
            }
        }
        for (int c = 0; c < FIL_BLOCK; c++) {
            y[FIL_BLOCK * j + c] += fil_double2_sum(sum.at[c]);
        }
    }
}

void fil_block_multiply_add(const FilBlockPattern* pattern, const double* values, const double* x, double* y)
{
    multiply_part(pattern, values, 0, pattern->columns, x, y, NULL);
}

void fil_block_multiply_add_some(const FilBlockPattern* pattern, const double* values, int begin, int end, const double* x, double* y)
{
    multiply_part(pattern, values, begin, end, x, y, y + FIL_BLOCK * (size_t)end);
}

/* ---- row by row ---- */

void fil_block_rows_free(FilBlockRows* rows)
{
    fil_free(rows->start.at);
    fil_free(rows->block.at);
    fil_free(rows->column.at);
    fil_free(rows->piece.at);
}

/* Rows or columns that are multiplied at a time: some ten microseconds. */
enum { GRAIN = 128 };

/* Cuts the columns where no block joins what is on both sides, into pieces of GRAIN and more; none where one of them would be more than a quarter of
 * all. */
static void find_pieces(FilBlockRows* rows, const FilBlockPattern* pattern)
{
    const int n = pattern->columns;
    int *piece = rows->piece.at, reach = 0, largest = 0;
    rows->pieces = 0;
    piece[0] = 0;
    for (int j = 0; j < n; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            reach = pattern->row[k] > reach ? pattern->row[k] : reach;
        }
        const int size = j + 1 - piece[rows->pieces];
        if (j + 1 == n || (reach <= j && size >= GRAIN)) {
            piece[++rows->pieces] = j + 1;
            largest = size > largest ? size : largest;
        }
    }
    rows->pieces = 4 * largest <= n ? rows->pieces : 0;
}

bool fil_block_rows_find(FilBlockRows* rows, const FilBlockPattern* pattern)
{
    const int n = pattern->columns;
    if (!fil_ints_reserve(&rows->piece, (size_t)(n / GRAIN) + 2)) {
        return false;
    }
    find_pieces(rows, pattern);
    if (rows->pieces > 0) {
        return true;
    }
    if (!fil_ints_reserve(&rows->start, (size_t)n + 2) || !fil_ints_reserve(&rows->block, (size_t)pattern->start[n]) ||
        !fil_ints_reserve(&rows->column, (size_t)pattern->start[n])) {
        return false;
    }
    int* start = rows->start.at;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    for (int j = 0; j < n; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            start[pattern->row[k] + 2] += pattern->row[k] != j;
        }
    }
    for (int i = 0; i < n; i++) {
        start[i + 2] += start[i + 1];
    }
    for (int j = 0; j < n; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            if (pattern->row[k] != j) {
                const int at = start[pattern->row[k] + 1]++;
                rows->block.at[at] = k;
                rows->column.at[at] = j;
            }
        }
    }
    return true;
}

typedef struct RowProduct {
    const FilBlockRows* rows;
    const FilBlockPattern* pattern;
    const double *values, *x;
    double* y;
} RowProduct;

static void multiply_rows(void* context, int first, int end, int worker)
{
    const RowProduct* p = context;
    const FilDouble2 zero = fil_double2_all(0.0);
    (void)worker;
    for (int i = first; i < end; i++) {
        double* y = p->y + FIL_BLOCK * i;
        for (int at = p->rows->start.at[i]; at < p->rows->start.at[i + 1]; at++) {
            const double* x = p->x + FIL_BLOCK * p->rows->column.at[at];
            if (is_zero(x)) {
                continue;  // nor is the block read
            }
            const FilDouble2 scale[FIL_BLOCK] = {fil_double2_all(x[0]), fil_double2_all(x[1]), fil_double2_all(x[2]), fil_double2_all(x[3])};
            add_straight(y, p->values + FIL_BLOCK_SIZE * (size_t)p->rows->block.at[at], scale);
        }
        ColumnSum sum = {{zero, zero, zero, zero}};
        for (int k = p->pattern->start[i]; k < p->pattern->start[i + 1]; k++) {
            const double* x = p->x + FIL_BLOCK * p->pattern->row[k];
            if (!is_zero(x)) {
                add_transposed(&sum, p->values + FIL_BLOCK_SIZE * (size_t)k, x);
            }
        }
        for (int c = 0; c < FIL_BLOCK; c++) {
            y[c] += fil_double2_sum(sum.at[c]);
        }
    }
}

static void multiply_pieces(void* context, int first, int end, int worker)
{
    const RowProduct* p = context;
    (void)worker;
    fil_block_multiply_add_some(p->pattern, p->values, p->rows->piece.at[first], p->rows->piece.at[end], p->x, p->y);
}

void fil_block_rows_multiply_add(const FilBlockRows* rows, FilWorkers* workers, const FilBlockPattern* pattern, const double* values, const double* x,
                                 double* y)
{
    RowProduct product = {rows, pattern, values, x, y};
    if (rows->pieces > 0) {
        fil_workers_run(workers, rows->pieces, 1, multiply_pieces, &product);
    } else {
        fil_workers_run(workers, pattern->columns, GRAIN, multiply_rows, &product);
    }
}

/* ---- part by part ---- */

void fil_block_parts_free(FilBlockParts* parts)
{
    fil_free(parts->beyond.at);
}

/* Blocks in columns before column j. */
static double count_before(const FilBlockPattern* terms, int count, int j)
{
    double blocks = 0.0;
    for (int t = 0; t < count; t++) {
        blocks += terms[t].start[j];
    }
    return blocks;
}

/* The first column from `begin` on that has so many blocks before it, or the end. */
static int find_column(const FilBlockPattern* terms, int count, int begin, double blocks)
{
    int end = terms[0].columns;
    while (begin < end) {
        const int middle = begin + (end - begin) / 2;
        if (count_before(terms, count, middle) < blocks) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

/* Parts with about as many blocks each. */
bool fil_block_parts_find(FilBlockParts* parts, const FilBlockPattern* terms, int count)
{
    const int n = terms[0].columns;
    const double blocks = count_before(terms, count, n);
    for (int p = 0, begin = 0; p < FIL_BLOCK_PARTS; p++) {
        const int end = p < FIL_BLOCK_PARTS - 1 ? find_column(terms, count, begin, blocks * (p + 1) / FIL_BLOCK_PARTS) : n;
        int last = end - 1;
        for (int t = 0; t < count; t++) {
            const int* row = terms[t].row;
            for (int k = terms[t].start[begin]; k < terms[t].start[end]; k++) {
                last = row[k] > last ? row[k] : last;
            }
        }
        parts->end[p] = begin = end;
        parts->reach[p] = last + 1;
    }
    return fil_doubles_reserve(&parts->beyond, FIL_BLOCK_PARTS * FIL_BLOCK * (size_t)n);
}

typedef struct PartProduct {
    const FilBlockParts* parts;
    const FilBlockPattern* terms;
    const double* const* values;
    int count;
    const double* x;
    double* y;
} PartProduct;

/* What part p adds to rows beyond its own. */
static double* beyond_of(const PartProduct* product, int p)
{
    return product->parts->beyond.at + FIL_BLOCK * (size_t)p * (size_t)product->terms[0].columns;
}

static void multiply_parts(void* context, int first, int last, int worker)
{
    const PartProduct* product = context;
    (void)worker;
    for (int p = first; p < last; p++) {
        const int begin = p > 0 ? product->parts->end[p - 1] : 0, end = product->parts->end[p];
        double* beyond = beyond_of(product, p);
        memset(product->y + FIL_BLOCK * begin, 0, FIL_BLOCK * (size_t)(end - begin) * sizeof *beyond);
        memset(beyond, 0, FIL_BLOCK * (size_t)(product->parts->reach[p] - end) * sizeof *beyond);
        for (int t = 0; t < product->count; t++) {
            multiply_part(&product->terms[t], product->values[t], begin, end, product->x, product->y, beyond);
        }
    }
}

void fil_block_parts_multiply(const FilBlockParts* parts, FilWorkers* workers, const FilBlockPattern* terms, const double* const* values, int count,
                              const double* x, double* y)
{
    PartProduct product = {parts, terms, values, count, x, y};
    fil_workers_run(workers, FIL_BLOCK_PARTS, 1, multiply_parts, &product);
    for (int p = 0; p < FIL_BLOCK_PARTS; p++) {
        const double* beyond = beyond_of(&product, p);
        double* from = y + FIL_BLOCK * parts->end[p];
        for (int k = 0; k < FIL_BLOCK * (parts->reach[p] - parts->end[p]); k++) {
            from[k] += beyond[k];
        }
    }
}

bool fil_block_inverse_factor(const double* a, double* w)
{
    FilBlockSplit s;
    if (!fil_block_split(a, &s)) {
        return false;
    }
    // w = d^-1/2 l^-1
    const double s0 = sqrt(s.i0), s1 = sqrt(s.i1), s2 = sqrt(s.i2), s3 = sqrt(s.i3);
    w[0] = s0, w[1] = s1 * s.m10, w[2] = s2 * s.m20, w[3] = s3 * s.m30;
    w[4] = 0.0, w[5] = s1, w[6] = s2 * s.m21, w[7] = s3 * s.m31;
    w[8] = w[9] = 0.0, w[10] = s2, w[11] = s3 * s.m32;
    w[12] = w[13] = w[14] = 0.0, w[15] = s3;
    return true;
}

bool fil_block_inverse_parts(const double* a, double* m)
{
    FilBlockSplit s;
    const bool definite = fil_block_split(a, &s);
    m[0] = s.i0, m[1] = s.m10, m[2] = s.m20, m[3] = s.m30;
    m[4] = 0.0, m[5] = s.i1, m[6] = s.m21, m[7] = s.m31;
    m[8] = m[9] = 0.0, m[10] = s.i2, m[11] = s.m32;
    m[12] = m[13] = m[14] = 0.0, m[15] = s.i3;
    return definite;
}
