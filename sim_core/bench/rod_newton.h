/* Bench row: one Newton iteration of rods of several sizes. */
#ifndef FILUM_BENCH_ROD_NEWTON_H
#define FILUM_BENCH_ROD_NEWTON_H

#include "bench.h"

FIL_MUST_CHECK FilStatus fil_bench_rod_newton(FilBench* bench, FilError* error);

#endif
