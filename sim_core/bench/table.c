/* The table of bench rows. */
#include "bench.h"
#include "rod_newton.h"

static const FilBenchRow rows[] = {
    {.name = "cantilever", .title = "a clamped rod that bends under its weight"},
    {.name = "hanging_rod", .title = "a rod that hangs and swings"},
    {.name = "rod_newton", .title = "one Newton iteration: assembly, factorisation, solve", .measure = fil_bench_rod_newton},
};

const FilBenchRow* fil_bench_table(int* count)
{
    *count = (int)(sizeof rows / sizeof rows[0]);
    return rows;
}
