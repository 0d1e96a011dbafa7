/* The table of bench rows. */
#include "bench.h"

static const FilBenchRow rows[] = {
    {.name = "cantilever", .title = "a clamped rod that bends under its weight"},
    {.name = "hanging_rod", .title = "a rod that hangs and swings"},
};

const FilBenchRow* fil_bench_table(int* count)
{
    *count = (int)(sizeof rows / sizeof rows[0]);
    return rows;
}
