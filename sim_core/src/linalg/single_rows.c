#include "linalg/single_rows.h"

#include <math.h>
#include <string.h>

#include "linalg/single_rows_take.h"
#include "linalg/single_rows_times.h"

/* Numbers behind the last block: read with it, if not used, by registers of 512 bits. */
enum { BEHIND = 16 };

void fil_single_rows_free(FilSingleRows* rows)
{
    FilInts* const ints[] = {&rows->start, &rows->column, &rows->offset, &rows->wide, &rows->to};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    fil_free(rows->values.at);
    *rows = (FilSingleRows){0};
}

/* Counts the blocks of each row, and tells whether it has fourth columns. */
static void count_blocks(FilSingleRows* rows, const FilBlockPattern* terms, int count, const int* fourth)
{
    const int n = terms[0].columns;
    int *start = rows->start.at, *wide = rows->wide.at;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    memset(wide, 0, (size_t)n * sizeof *wide);
    for (int t = 0; t < count; t++) {
        for (int j = 0; j < n; j++) {
            for (int k = terms[t].start[j]; k < terms[t].start[j + 1]; k++) {
                const int i = terms[t].row[k];
                start[i + 2]++;
                start[j + 2] += i != j;
                wide[i] |= fourth[j];
                wide[j] |= fourth[i];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        start[i + 2] += start[i + 1];
    }
}

static inline int size_of(const FilSingleRows* rows, int i)
{
    return rows->wide.at[i] ? 16 : 9;
}

/* Gives each block its place in its row, and its transpose in its own. `offset` is where a row's numbers would begin if all before it had its size.
 */
static void place_blocks(FilSingleRows* rows, const FilBlockPattern* terms, int count)
{
    int *next = rows->start.at + 1, *to = rows->to.at;
    const int* offset = rows->offset.at;
    for (int t = 0; t < count; t++) {
        for (int j = 0; j < terms[t].columns; j++) {
            for (int k = terms[t].start[j]; k < terms[t].start[j + 1]; k++, to += 2) {
                const int i = terms[t].row[k], number = next[i]++;
                rows->column.at[number] = j;
                to[0] = offset[i] + size_of(rows, i) * number;
                to[1] = -1;
                if (i != j) {
                    const int turned = next[j]++;
                    rows->column.at[turned] = i;
                    to[1] = offset[j] + size_of(rows, j) * turned;
                }
            }
        }
    }
}

bool fil_single_rows_find(FilSingleRows* rows, const FilBlockPattern* terms, int count, const int* fourth)
{
    const int n = terms[0].columns;
    size_t stored = 0;
    for (int t = 0; t < count; t++) {
        stored += (size_t)terms[t].start[n];
    }
    if (!fil_ints_reserve(&rows->start, (size_t)n + 2) || !fil_ints_reserve(&rows->offset, (size_t)n) || !fil_ints_reserve(&rows->wide, (size_t)n) ||
        !fil_ints_reserve(&rows->column, 2 * stored + 1) || !fil_ints_reserve(&rows->to, 2 * stored + 1) ||
        !fil_floats_reserve(&rows->values, 2 * FIL_BLOCK_SIZE * stored + BEHIND)) {
        return false;
    }
    count_blocks(rows, terms, count, fourth);
    int offset = 0;
    const int* start = rows->start.at;
    for (int i = 0; i < n; i++) {
        rows->offset.at[i] = offset - size_of(rows, i) * start[i + 1];
        offset += size_of(rows, i) * (start[i + 2] - start[i + 1]);
    }
    place_blocks(rows, terms, count);
    for (int i = 0; i < n; i++) {
        rows->offset.at[i] += size_of(rows, i) * start[i];
    }
    memset(rows->values.at + offset, 0, BEHIND * sizeof(float));
    return true;
}

/* ---- numbers ---- */

/* Columns that a worker takes at once: some five microseconds. */
enum { GRAIN = 128 };

static void take_some(void* context, int first, int end, int worker)
{
    const FilSingleTaking* taking = context;
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        taking->misfits[worker] += fil_single_rows_take_avx2(taking, first, end);
        return;
    }
#endif
    taking->misfits[worker] += take_columns(taking, first, end);
}

bool fil_single_rows_take(FilSingleRows* rows, FilWorkers* workers, const FilBlockPattern* terms, const double* const* values, int count,
                          const int* fourth)
{
    int misfits[FIL_WORKERS_MAX] = {0}, sum = 0;
    FilSingleTaking taking = {.rows = rows, .to = rows->to.at, .fourth = fourth, .misfits = misfits};
    for (int t = 0; t < count; t++) {
        taking.term = &terms[t];
        taking.values = values[t];
        fil_workers_run(workers, terms[t].columns, GRAIN, take_some, &taking);
        taking.to += 2 * (ptrdiff_t)terms[t].start[terms[t].columns];
    }
    for (int w = 0; w < fil_workers_count(workers); w++) {
        sum += misfits[w];
    }
    return sum == 0;
}

void fil_single_rows_mark(const FilBlockPattern* terms, const double* const* values, int count, int* fourth)
{
    for (int t = 0; t < count; t++) {
        for (int j = 0; j < terms[t].columns; j++) {
            for (int k = terms[t].start[j]; k < terms[t].start[j + 1]; k++) {
                const double* block = values[t] + FIL_BLOCK_SIZE * (size_t)k;
                const int i = terms[t].row[k];
                fourth[j] = fourth[j] || fourth_of(block + 12, 1, i == j) != 0.0;
                fourth[i] = fourth[i] || fourth_of(block + 3, 4, i == j) != 0.0;
            }
        }
    }
}

/* ---- products ---- */

/* In two sums side by side, so that neither waits long for itself. */
FIL_VECTOR_INLINE FilFloat4 thin_times(const float* block, const int* column, int count, const float* x)
{
    const FilFloat4 zero = fil_float4_all(0.0F);
    FilFloat4 sum[2][3] = {{zero, zero, zero}, {zero, zero, zero}};
    int k = 0;
    for (; k + 2 <= count; k += 2, block += 18) {
        for (int m = 0; m < 2; m++) {
            const FilFloat4 xk = fil_float4_load(x + (ptrdiff_t)4 * column[k + m]);
            for (int c = 0; c < 3; c++) {
                sum[m][c] = fil_float4_add_lane(sum[m][c], fil_float4_load(block + 9 * m + 3 * c), xk, c);
            }
        }
    }
    for (; k < count; k++) {
        const FilFloat4 xk = fil_float4_load(x + (ptrdiff_t)4 * column[k]);
        for (int c = 0; c < 3; c++) {
            sum[0][c] = fil_float4_add_lane(sum[0][c], fil_float4_load(block + 3 * c), xk, c);
        }
    }
    const FilFloat4 even = (sum[0][0] + sum[0][1]) + sum[0][2];
    const FilFloat4 all = even + ((sum[1][0] + sum[1][1]) + sum[1][2]);
    return (FilFloat4){all[0], all[1], all[2], 0.0F};  // what follows a column is not of it
}

FIL_VECTOR_INLINE FilFloat4 wide_times(const float* block, const int* column, int count, const float* x)
{
    FilFloat4 sum[FIL_BLOCK] = {fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F)};
    for (int k = 0; k < count; k++, block += FIL_BLOCK_SIZE) {
        const FilFloat4 xk = fil_float4_load(x + (ptrdiff_t)4 * column[k]);
        for (int c = 0; c < FIL_BLOCK; c++) {
            sum[c] = fil_float4_add_lane(sum[c], fil_float4_load(block + 4 * c), xk, c);
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

float fil_single_rows_times(const FilSingleRows* a, const FilSingleRows* b, int first, int end, const float* z, float* w)
{
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_512) {
        return fil_single_rows_times_avx512(a, b, first, end, z, w);
    }
    if (fil_vector_level() >= FIL_VECTOR_256) {
        return fil_single_rows_times_avx2(a, b, first, end, z, w);
    }
#endif
    return rows_times((RowKernels){thin_times, wide_times}, a, b, first, end, z, w);
}
