/* Bench row: what a gradient costs beside its step. */
#ifndef FILUM_BENCH_GRADIENT_H
#define FILUM_BENCH_GRADIENT_H

#include "bench.h"

FIL_MUST_CHECK FilStatus fil_bench_gradient(FilBench* bench, FilError* error);

#endif
