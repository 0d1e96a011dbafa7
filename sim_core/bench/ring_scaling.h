/* Bench row: time per step of hanging chains of 25 to 400 rings. */
#ifndef FILUM_BENCH_RING_SCALING_H
#define FILUM_BENCH_RING_SCALING_H

#include "bench.h"

FIL_MUST_CHECK FilStatus fil_bench_ring_scaling(FilBench* bench, FilError* error);

#endif
