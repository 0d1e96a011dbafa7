#include "linalg/block_incomplete.h"

#include <string.h>

#include "base/vector.h"

void fil_block_incomplete_free(FilBlockIncomplete* factor)
{
    FilInts* const ints[] = {&factor->start, &factor->column, &factor->from, &factor->diagonal, &factor->mark};
    FilFloats* const floats[] = {&factor->values, &factor->pivots, &factor->row, &factor->y};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++) {
        fil_free(floats[k]->at);
    }
    *factor = (FilBlockIncomplete){0};
}

/* ---- pattern ---- */

/* Counts the blocks of each row, two places on. */
static void count_blocks(FilBlockIncomplete* factor, const FilBlockPattern* pattern)
{
    int* start = factor->start.at;
    memset(start, 0, ((size_t)pattern->columns + 2) * sizeof *start);
    for (int j = 0; j < pattern->columns; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            start[pattern->row[k] + 2] += pattern->row[k] != j;
        }
    }
    factor->longest = 0;
    for (int i = 0; i < pattern->columns; i++) {
        factor->longest = start[i + 2] > factor->longest ? start[i + 2] : factor->longest;
        start[i + 2] += start[i + 1];
    }
}

bool fil_block_incomplete_find(FilBlockIncomplete* factor, const FilBlockPattern* pattern, const int end[FIL_INCOMPLETE_PARTS])
{
    const size_t n = (size_t)pattern->columns, blocks = (size_t)pattern->start[n];
    const bool room = fil_ints_reserve(&factor->diagonal, n) && fil_ints_reserve(&factor->mark, n) && fil_ints_reserve(&factor->start, n + 2) &&
                      fil_ints_reserve(&factor->column, blocks) && fil_ints_reserve(&factor->from, blocks) &&
                      fil_floats_reserve(&factor->values, FIL_BLOCK_SIZE * blocks) && fil_floats_reserve(&factor->pivots, FIL_BLOCK_SIZE * n) &&
                      fil_floats_reserve(&factor->y, FIL_BLOCK * n);
    if (!room) {
        return false;
    }
    memcpy(factor->end, end, sizeof factor->end);
    count_blocks(factor, pattern);
    int* next = factor->start.at + 1;
    for (int j = 0; j < pattern->columns; j++) {  // columns rise in each row
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            const int i = pattern->row[k];
            if (i == j) {
                factor->diagonal.at[i] = k;
            } else {
                factor->column.at[next[i]] = j;
                factor->from.at[next[i]++] = k;
            }
        }
    }
    return fil_floats_reserve(&factor->row, FIL_INCOMPLETE_PARTS * FIL_BLOCK_SIZE * (size_t)factor->longest);
}

/* ---- factor ---- */

typedef struct Factor {
    FilBlockIncomplete* factor;
    const double* values;
    float scale; /* of diagonals */
} Factor;

typedef struct Block {
    FilFloat4 column[FIL_BLOCK];
} Block;

static inline Block load_block(const float* from)
{
    Block block;
    for (int c = 0; c < FIL_BLOCK; c++) {
        block.column[c] = fil_float4_load(from + 4 * c);
    }
    return block;
}

static inline void store_block(float* to, const Block* block)
{
    for (int c = 0; c < FIL_BLOCK; c++) {
        fil_float4_store(to + 4 * c, block->column[c]);
    }
}

static inline Block round_block(const double* from)
{
    Block block;
    for (int c = 0; c < FIL_BLOCK; c++) {
        block.column[c] = fil_float4_round(from + 4 * c, 1);
    }
    return block;
}

/* c - a b' */
static inline Block subtract_turned(Block c, const Block* a, const Block* b)
{
    for (int k = 0; k < FIL_BLOCK; k++) {
        for (int m = 0; m < FIL_BLOCK; m++) {
            c.column[m] = fil_float4_sub_lane(c.column[m], a->column[k], b->column[k], m);
        }
    }
    return c;
}

/* a b */
static inline Block times(const Block* a, const Block* b)
{
    Block c;
    for (int m = 0; m < FIL_BLOCK; m++) {
        c.column[m] = fil_float4_all(0.0F);
        for (int k = 0; k < FIL_BLOCK; k++) {
            c.column[m] = fil_float4_add_lane(c.column[m], a->column[k], b->column[m], k);
        }
    }
    return c;
}

/* The inverse of a pivot; false if it is not positive definite. */
static bool invert(const Block* pivot, float* inverse)
{
    double block[FIL_BLOCK_SIZE], w[FIL_BLOCK_SIZE];
    for (int k = 0; k < FIL_BLOCK_SIZE; k++) {
        block[k] = (double)pivot->column[k / 4][k % 4];
    }
    if (!fil_block_inverse_factor(block, w)) {
        return false;
    }
    for (int c = 0; c < FIL_BLOCK; c++) {
        for (int r = 0; r < FIL_BLOCK; r++) {
            double sum = 0.0;
            for (int k = r > c ? r : c; k < FIL_BLOCK; k++) {
                sum += w[4 * r + k] * w[4 * c + k];
            }
            inverse[4 * c + r] = (float)sum;
        }
    }
    return true;
}

/* Row i: N D first, from left to right, each less what rows i and j have in the same columns before j. */
static bool factor_row(const Factor* task, int i, float* row)
{
    const FilBlockIncomplete* f = task->factor;
    const int *start = f->start.at, *column = f->column.at, first = start[i], end = start[i + 1];
    int* mark = f->mark.at;
    for (int t = first; t < end; t++) {
        mark[column[t]] = t;
    }
    Block pivot = round_block(task->values + FIL_BLOCK_SIZE * (size_t)f->diagonal.at[i]);
    for (int d = 0; d < FIL_BLOCK; d++) {
        pivot.column[d][d] *= task->scale;
    }
    for (int t = first; t < end; t++) {
        const int j = column[t];
        Block block = round_block(task->values + FIL_BLOCK_SIZE * (size_t)f->from.at[t]);
        for (int u = start[j]; u < start[j + 1]; u++) {
            const int both = mark[column[u]];
            if (both >= first) {
                const Block a = load_block(row + FIL_BLOCK_SIZE * (size_t)(both - first)), b = load_block(f->values.at + FIL_BLOCK_SIZE * (size_t)u);
                block = subtract_turned(block, &a, &b);
            }
        }
        store_block(row + FIL_BLOCK_SIZE * (size_t)(t - first), &block);
        const Block inverse = load_block(f->pivots.at + FIL_BLOCK_SIZE * (size_t)j), n = times(&block, &inverse);
        store_block(f->values.at + FIL_BLOCK_SIZE * (size_t)t, &n);
        pivot = subtract_turned(pivot, &n, &block);
    }
    return invert(&pivot, f->pivots.at + FIL_BLOCK_SIZE * (size_t)i);
}

static void factor_part(void* context, int part, int end, int worker)
{
    const Factor* task = context;
    FilBlockIncomplete* f = task->factor;
    float* row = f->row.at + FIL_BLOCK_SIZE * (size_t)f->longest * (size_t)part;
    bool definite = true;
    (void)end;
    (void)worker;
    for (int i = part > 0 ? f->end[part - 1] : 0; i < f->end[part] && definite; i++) {
        definite = factor_row(task, i, row);
    }
    f->broken[part] = !definite;
}

bool fil_block_incomplete_factor(FilBlockIncomplete* factor, FilWorkers* workers, const double* values, double shift)
{
    Factor task = {factor, values, (float)(1.0 + shift)};
    memset(factor->mark.at, -1, (size_t)factor->end[2] * sizeof(int));
    fil_workers_run(workers, 2, 1, factor_part, &task);
    if (factor->broken[0] || factor->broken[1]) {
        return false;
    }
    factor_part(&task, 2, 3, 0);
    return !factor->broken[2];
}

/* ---- steps ---- */

typedef struct Step {
    const FilBlockIncomplete* factor;
    const FilSingleStep* step;
} Step;

/* block x, two columns each */
static inline void subtract_product(FilFloat4 sum[2], const float* block, FilFloat4 x)
{
    for (int c = 0; c < FIL_BLOCK; c++) {
        sum[c & 1] = fil_float4_sub_lane(sum[c & 1], fil_float4_load(block + 4 * c), x, c);
    }
}

/* y = (1 + N)^-1 r and z = D^-1 y */
static void go_forward(void* context, int part, int end, int worker)
{
    const Step* task = context;
    const FilBlockIncomplete* f = task->factor;
    const int *start = f->start.at, *column = f->column.at;
    (void)end;
    (void)worker;
    for (int i = part > 0 ? f->end[part - 1] : 0; i < f->end[part]; i++) {
        const ptrdiff_t at = (ptrdiff_t)FIL_BLOCK * i;
        FilFloat4 sum[2] = {fil_single_step_advance(task->step, i), fil_float4_all(0.0F)};
        const float* block = f->values.at + FIL_BLOCK_SIZE * (size_t)start[i];
        for (int t = start[i]; t < start[i + 1]; t++, block += FIL_BLOCK_SIZE) {
            subtract_product(sum, block, fil_float4_load(f->y.at + (ptrdiff_t)FIL_BLOCK * column[t]));
        }
        const FilFloat4 y = sum[0] + sum[1];
        fil_float4_store(f->y.at + at, y);
        FilFloat4 z[2] = {fil_float4_all(0.0F), fil_float4_all(0.0F)};
        subtract_product(z, f->pivots.at + FIL_BLOCK_SIZE * (size_t)i, y);
        fil_float4_store(task->step->z + at, -(z[0] + z[1]));
    }
}

/* z = (1 + N')^-1 z */
static void go_back(void* context, int part, int end, int worker)
{
    const Step* task = context;
    const FilBlockIncomplete* f = task->factor;
    const int *start = f->start.at, *column = f->column.at;
    float* z = task->step->z;
    (void)end;
    (void)worker;
    for (int i = f->end[part] - 1; i >= (part > 0 ? f->end[part - 1] : 0); i--) {
        const FilFloat4 x = fil_float4_load(z + (ptrdiff_t)FIL_BLOCK * i);
        const float* block = f->values.at + FIL_BLOCK_SIZE * (size_t)start[i];
        for (int t = start[i]; t < start[i + 1]; t++, block += FIL_BLOCK_SIZE) {
            float* to = z + (ptrdiff_t)FIL_BLOCK * column[t];
            const FilFloat4 product = fil_float4_sums(fil_float4_load(block) * x, fil_float4_load(block + 4) * x, fil_float4_load(block + 8) * x,
                                                      fil_float4_load(block + 12) * x);
            fil_float4_store(to, fil_float4_load(to) - product);
        }
    }
}

void fil_block_incomplete_step(FilBlockIncomplete* factor, FilWorkers* workers, const FilSingleStep* step)
{
    Step task = {factor, step};
    fil_workers_run(workers, 2, 1, go_forward, &task);
    go_forward(&task, 2, 3, 0);
    go_back(&task, 2, 3, 0);
    fil_workers_run(workers, 2, 1, go_back, &task);
}
