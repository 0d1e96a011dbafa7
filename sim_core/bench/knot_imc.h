/* Speed of IMC on P2's knots. */
#ifndef FILUM_BENCH_KNOT_IMC_H
#define FILUM_BENCH_KNOT_IMC_H

#include "bench.h"

FilStatus fil_bench_knot_imc(FilBench* bench, FilError* error);

#endif
