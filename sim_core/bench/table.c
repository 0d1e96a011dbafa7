/* The table of bench rows. */
#include "bench.h"
#include "rod_newton.h"

static const FilBenchRow rows[] = {
    {.name = "cantilever", .title = "a clamped rod comes to rest under its weight", .refined = {"nodes", "201"}},
    {.name = "hanging_rod", .title = "a soft cable of 100 nodes swings and lashes, 1 ms", .refined = {"nodes", "199"}},
    {.name = "rod_newton", .title = "one Newton iteration of a rod, open and closed", .measure = fil_bench_rod_newton},
};

const FilBenchRow* fil_bench_table(int* count)
{
    *count = (int)(sizeof rows / sizeof rows[0]);
    return rows;
}
