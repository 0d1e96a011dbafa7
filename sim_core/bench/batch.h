/* Bench row: worlds stepped together against worlds stepped one by one. */
#ifndef FILUM_BENCH_BATCH_H
#define FILUM_BENCH_BATCH_H

#include "bench.h"

FIL_MUST_CHECK FilStatus fil_bench_batch(FilBench* bench, FilError* error);

#endif
