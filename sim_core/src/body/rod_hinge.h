/* The rod kernel at one edge and one hinge, for plain numbers (names end in 1) and for both halves of a folded rod at
 * once (names end in 2). */
#ifndef FILUM_BODY_ROD_HINGE_H
#define FILUM_BODY_ROD_HINGE_H

#include <math.h>

#include "base/lanes.h"

static inline void fil_sine_cosine(double angle, double* sine, double* cosine)
{
    *sine = sin(angle);
    *cosine = cos(angle);
}

static inline double fil_twice_atan(double x)
{
    return 2.0 * atan(x);
}

static inline void fil_lanes_sine_cosine(FilLanes angle, FilLanes* sine, FilLanes* cosine)
{
    for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
        fil_sine_cosine(((const double*)&angle)[lane], (double*)sine + lane, (double*)cosine + lane);
    }
}

static inline FilLanes fil_lanes_twice_atan(FilLanes x)
{
    FilLanes out;
    for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {
        ((double*)&out)[lane] = fil_twice_atan(((const double*)&x)[lane]);
    }
    return out;
}

#define NUMBER double
#define GENERIC(name) name##1
#define SQRT sqrt
#define ARE_BELOW(a, bound) ((a) < (bound))
#define SINE_COSINE_APART fil_sine_cosine
#define TWICE_ATAN_APART fil_twice_atan
#include "body/rod_hinge.inc"
#undef NUMBER
#undef GENERIC
#undef SQRT
#undef ARE_BELOW
#undef SINE_COSINE_APART
#undef TWICE_ATAN_APART

#define NUMBER FilLanes
#define GENERIC(name) name##2
#define SQRT fil_lanes_sqrt
#define ARE_BELOW fil_lanes_are_below
#define SINE_COSINE_APART fil_lanes_sine_cosine
#define TWICE_ATAN_APART fil_lanes_twice_atan
#include "body/rod_hinge.inc"
#undef NUMBER
#undef GENERIC
#undef SQRT
#undef ARE_BELOW
#undef SINE_COSINE_APART
#undef TWICE_ATAN_APART

#endif
