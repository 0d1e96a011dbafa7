/* Bench row: time per step of piles of 216 to 4,096 boxes. */
#ifndef FILUM_BENCH_PILE_H
#define FILUM_BENCH_PILE_H

#include "bench.h"

FIL_MUST_CHECK FilStatus fil_bench_pile(FilBench* bench, FilError* error);

#endif
