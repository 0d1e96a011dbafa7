#include "linalg/block_weak.h"

#include <math.h>
#include <string.h>

#include "base/prefetch.h"
#include "base/vector.h"

void fil_block_weak_free(FilBlockWeak* weak)
{
    fil_free(weak->variable.at);
    fil_free(weak->place.at);
    fil_free(weak->start.at);
    fil_free(weak->block.at);
    fil_free(weak->values.at);
    fil_free(weak->diagonal.at);
    *weak = (FilBlockWeak){0};
}

bool fil_block_weak_find(FilBlockWeak* weak, const FilBlockPattern* a, const bool* flags)
{
    const int n = a->columns;
    weak->count = 0;
    if (!fil_ints_reserve(&weak->place, (size_t)n + 1)) {
        return false;
    }
    // how many each variable has
    int *place = weak->place.at, ends = 0;
    memset(place, 0, (size_t)n * sizeof *place);
    for (int j = 0; flags != NULL && j < n; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            place[j] += flags[k];
            place[a->row[k]] += flags[k];
            ends += 2 * flags[k];
        }
    }
    if (!fil_ints_reserve(&weak->variable, (size_t)ends + 1) || !fil_ints_reserve(&weak->start, (size_t)ends + 2) ||
        !fil_ints_reserve(&weak->block, 2 * (size_t)ends + 1) || !fil_floats_reserve(&weak->values, FIL_BLOCK_SIZE * (size_t)ends + 1) ||
        !fil_floats_reserve(&weak->diagonal, FIL_BLOCK_SIZE * (size_t)ends + 1)) {
        return false;
    }
    // start[p + 1] is where those of place p begin, until they are written
    int* start = weak->start.at;
    start[0] = start[1] = 0;
    for (int v = 0; v < n; v++) {
        const int own = place[v];
        place[v] = own > 0 ? weak->count : -1;
        if (own > 0) {
            weak->variable.at[weak->count++] = v;
            start[weak->count + 1] = start[weak->count] + own;
        }
    }
    for (int j = 0; flags != NULL && j < n; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (flags[k]) {
                const int i = a->row[k];
                memcpy(weak->block.at + 2 * (ptrdiff_t)start[place[i] + 1]++, (const int[]){k, j}, 2 * sizeof(int));
                memcpy(weak->block.at + 2 * (ptrdiff_t)start[place[j] + 1]++, (const int[]){-1 - k, i}, 2 * sizeof(int));
            }
        }
    }
    return true;
}

/* (B B' / s + s) / 2 */
static inline void add_root(const FilFloat4* b, FilFloat4* to)
{
    const FilFloat4 squares = b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3];
    const float s = sqrtf(0.5F * fil_float4_sum(squares)), half = 0.5F * s;
    if (!(s > 0.0F)) {
        return;
    }
    const FilFloat4 share = fil_float4_all(0.5F / s);
    for (int c = 0; c < FIL_BLOCK; c++) {
        FilFloat4 sum = {c == 0 ? half : 0.0F, c == 1 ? half : 0.0F, c == 2 ? half : 0.0F, c == 3 ? half : 0.0F};
        for (int k = 0; k < FIL_BLOCK; k++) {
            sum = fil_float4_add_lane(sum, share * b[k], b[k], c);
        }
        to[c] += sum;
    }
}

typedef struct Take {
    FilBlockWeak* weak;
    const double* values;
} Take;

/* Blocks that are asked for before they are needed. Chosen: of half a microsecond. */
enum { BLOCKS_AHEAD = 12 };

static inline const double* block_of(const Take* take, int q)
{
    const int number = take->weak->block.at[2 * q];
    return take->values + FIL_BLOCK_SIZE * (ptrdiff_t)(number >= 0 ? number : -1 - number);
}

static void take_some(void* context, int first, int end, int worker)
{
    const Take* take = context;
    const FilBlockWeak* weak = take->weak;
    (void)worker;
    for (int p = first; p < end; p++) {
        FilFloat4 b[FIL_BLOCK], to[FIL_BLOCK] = {fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F), fil_float4_all(0.0F)};
        for (int q = weak->start.at[p]; q < weak->start.at[p + 1]; q++) {
            const double* block = block_of(take, q);
            if (q + BLOCKS_AHEAD < weak->start.at[weak->count]) {
                FIL_PREFETCH(block_of(take, q + BLOCKS_AHEAD));
                FIL_PREFETCH(block_of(take, q + BLOCKS_AHEAD) + FIL_BLOCK_SIZE / 2);
            }
            for (int c = 0; c < FIL_BLOCK; c++) {
                b[c] = weak->block.at[2 * q] >= 0 ? fil_float4_round(block + 4 * c, 1) : fil_float4_round(block + c, 4);
                fil_float4_store(weak->values.at + FIL_BLOCK_SIZE * (ptrdiff_t)q + 4 * c, b[c]);
            }
            add_root(b, to);
        }
        for (int c = 0; c < FIL_BLOCK; c++) {
            fil_float4_store(weak->diagonal.at + FIL_BLOCK_SIZE * (ptrdiff_t)p + 4 * c, to[c]);
        }
    }
}

void fil_block_weak_take(FilBlockWeak* weak, FilWorkers* workers, const double* values)
{
    Take take = {weak, values};
    fil_workers_run(workers, weak->count, 1 + weak->count / 16, take_some, &take);  // pieces of some microseconds
}

double fil_block_weak_multiply(const FilBlockWeak* weak, int first, int end, const double* x, float* y)
{
    FilFloat4 all = fil_float4_all(0.0F);
    for (int p = first; p < end; p++) {
        const FilFloat4 own = fil_float4_round(x + FIL_BLOCK * (ptrdiff_t)weak->variable.at[p], 1);
        const float* d = weak->diagonal.at + FIL_BLOCK_SIZE * (ptrdiff_t)p;
        FilFloat4 sum = fil_float4_all(0.0F);
        for (int c = 0; c < FIL_BLOCK; c++) {
            sum = fil_float4_add_lane(sum, fil_float4_load(d + 4 * c), own, c);
        }
        for (int q = weak->start.at[p]; q < weak->start.at[p + 1]; q++) {
            const FilFloat4 other = fil_float4_round(x + FIL_BLOCK * (ptrdiff_t)weak->block.at[2 * q + 1], 1);
            const float* b = weak->values.at + FIL_BLOCK_SIZE * (ptrdiff_t)q;
            for (int c = 0; c < FIL_BLOCK; c++) {
                sum = fil_float4_sub_lane(sum, fil_float4_load(b + 4 * c), other, c);
            }
        }
        fil_float4_store(y + FIL_BLOCK * (ptrdiff_t)p, sum);
        all = fil_float4_add_product(all, sum, own);
    }
    return (double)fil_float4_sum(all);
}
