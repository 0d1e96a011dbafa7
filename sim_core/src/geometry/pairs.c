#include "geometry/pairs.h"

#include <limits.h>

#include "base/memory.h"

void fil_pairs_free(FilPairs* pairs)
{
    fil_free(pairs->items);
    *pairs = (FilPairs){0};
}

FilStatus fil_pairs_reserve(FilPairs* pairs, int more)
{
    void* block = pairs->items;
    const bool ok = fil_array_reserve_more(&block, pairs->count, more, &pairs->capacity, sizeof *pairs->items);
    pairs->items = block;
    return ok ? FIL_OK : FIL_OUT_OF_MEMORY;
}

/* Pairs of one a, by b: they are few. */
static void insert_sorted(FilIndexPair* items, int count)
{
    for (int k = 1; k < count; k++) {
        const FilIndexPair item = items[k];
        int at = k;
        for (; at > 0 && items[at - 1].b > item.b; at--) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

FilStatus fil_pairs_sort(FilPairs* pairs, int count, FilPairs* scratch)
{
    // the scratch takes the pairs and behind them, in a, where those of each a begin
    scratch->count = 0;
    const FilStatus status = pairs->count > INT_MAX / 4 - count ? FIL_OUT_OF_MEMORY : fil_pairs_reserve(scratch, pairs->count + count + 1);
    if (status != FIL_OK) {
        return status;
    }
    FilIndexPair *sorted = scratch->items, *start = sorted + pairs->count;
    for (int a = 0; a <= count; a++) {
        start[a].a = 0;
    }
    for (int k = 0; k < pairs->count; k++) {
        start[pairs->items[k].a + 1].a++;
    }
    for (int a = 0; a < count; a++) {
        start[a + 1].a += start[a].a;
        start[a].b = start[a].a;
    }
    for (int k = 0; k < pairs->count; k++) {
        sorted[start[pairs->items[k].a].b++] = pairs->items[k];
    }
    for (int a = 0; a < count; a++) {
        insert_sorted(sorted + start[a].a, start[a + 1].a - start[a].a);
    }
    const FilPairs swap = {sorted, pairs->count, scratch->capacity};
    *scratch = (FilPairs){pairs->items, 0, pairs->capacity};
    *pairs = swap;
    return FIL_OK;
}
