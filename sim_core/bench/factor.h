/* Bench row: supernodal factorisations of solids and piles. */
#ifndef FILUM_BENCH_FACTOR_H
#define FILUM_BENCH_FACTOR_H

#include "bench.h"

FIL_MUST_CHECK FilStatus fil_bench_factor(FilBench* bench, FilError* error);

#endif
