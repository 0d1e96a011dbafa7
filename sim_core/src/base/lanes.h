/* FilLanes: the number type of the rod kernels. A rod is folded in the middle and both halves are walked at once, one in
 * each lane of a two-lane vector. Where FIL_SCALAR_LANES is defined, for comparison, halves are walked one after the other: the same code with
 * one lane and two groups.
 *
 * A lane block holds `count` numbers for each of the two halves; fil_lane_index() finds one of them. */
#ifndef FILUM_BASE_LANES_H
#define FILUM_BASE_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/vector.h"

#if !defined(FIL_SCALAR_LANES)
/* of FilDouble2 */
#define FIL_LANE_COUNT 2
typedef FilDouble2 FilLanes;

static inline FilLanes fil_lanes_splat(double a)
{
    return (FilLanes){a, a};
}

static inline double fil_lanes_get(FilLanes a, int lane)
{
    return a[lane];
}

static inline FilLanes fil_lanes_sqrt(FilLanes a)
{
    return (FilLanes){sqrt(a[0]), sqrt(a[1])};
}

static inline FilLanes fil_lanes_min(FilLanes a, FilLanes b)
{
    typedef long long Bits __attribute__((vector_size(16)));
    const Bits less = (Bits)(a < b);  // all ones where it is: compilers make branches of a plain choice
    return (FilLanes)((less & (Bits)a) | (~less & (Bits)b));
}

/* x where a > b, else y */
static inline FilLanes fil_lanes_where_more(FilLanes a, FilLanes b, FilLanes x, FilLanes y)
{
    typedef long long Bits __attribute__((vector_size(16)));
    const Bits more = (Bits)(a > b);
    return (FilLanes)((more & (Bits)x) | (~more & (Bits)y));
}

static inline double fil_lanes_smallest(FilLanes a)
{
    return a[0] < a[1] ? a[0] : a[1];
}

/* Whether all numbers are; which of them is larger is a matter of chance, and no branch. */
static inline bool fil_lanes_are_below(FilLanes a, double bound)
{
    return (a[0] < bound) & (a[1] < bound);
}
#else
#define FIL_LANE_COUNT 1
typedef double FilLanes;

static inline FilLanes fil_lanes_splat(double a)
{
    return a;
}

static inline double fil_lanes_get(FilLanes a, int lane)
{
    (void)lane;
    return a;
}

static inline FilLanes fil_lanes_sqrt(FilLanes a)
{
    return sqrt(a);
}

static inline FilLanes fil_lanes_min(FilLanes a, FilLanes b)
{
    return a < b ? a : b;
}

static inline FilLanes fil_lanes_where_more(FilLanes a, FilLanes b, FilLanes x, FilLanes y)
{
    return a > b ? x : y;
}

static inline double fil_lanes_smallest(FilLanes a)
{
    return a;
}

static inline bool fil_lanes_are_below(FilLanes a, double bound)
{
    return a < bound;
}
#endif

static inline FilLanes fil_lanes_load(const double* numbers)
{
    FilLanes a;
    memcpy(&a, numbers, sizeof a);
    return a;
}

static inline void fil_lanes_store(double* numbers, FilLanes a)
{
    memcpy(numbers, &a, sizeof a);
}

/* Of four numbers in as many vectors as hold them. */
static inline double fil_lanes_sum_four(const FilLanes* numbers)
{
    const double* a = (const double*)numbers;
    return (a[0] + a[1]) + (a[2] + a[3]);
}

/* Where processors may have registers for both halves of two rods: two of one shape can be walked at once then, each with the bits that it has alone.
 * What fuses products with sums has bits of its own. */
#if defined(FIL_VECTOR_AVX2) && !defined(FIL_SCALAR_LANES) && !defined(FILUM_FUSED)
#define FIL_LANE_PAIRS
#endif

/* Whether this one has. */
static inline bool fil_lanes_pair(void)
{
#if defined(FIL_LANE_PAIRS)
    return fil_vector_level() >= FIL_VECTOR_256;
#else
    return false;
#endif
}

/* Groups that a kernel walks one after the other. */
#define FIL_LANE_GROUPS (2 / FIL_LANE_COUNT)

/* The halves of a block of `count` numbers per half, as plain doubles. */
static inline size_t fil_lane_index(size_t count, int half, size_t k)
{
    return FIL_LANE_COUNT == 2 ? 2 * k + (size_t)half : (size_t)half * count + k;
}

static inline double* fil_lane_at(FilLanes* block, size_t count, int half, size_t k)
{
    return (double*)block + fil_lane_index(count, half, k);
}

static inline double fil_lane_get(const FilLanes* block, size_t count, int half, size_t k)
{
    return ((const double*)block)[fil_lane_index(count, half, k)];
}

#endif
