/* The rod kernel at one edge and one hinge, for plain numbers (names end in 1) and for both halves of a folded rod at
 * once (names end in 2). */
#ifndef FILUM_BODY_ROD_HINGE_H
#define FILUM_BODY_ROD_HINGE_H

#include <math.h>

#include "base/lanes.h"

#define NUMBER double
#define GENERIC(name) name##1
#define SQRT sqrt
#define ARE_BELOW(a, bound) ((a) < (bound))
#define EACH_LANE(out, in, function) ((out) = function(in))
#include "body/rod_hinge.inc"
#undef NUMBER
#undef GENERIC
#undef SQRT
#undef ARE_BELOW
#undef EACH_LANE

#define NUMBER FilLanes
#define GENERIC(name) name##2
#define SQRT fil_lanes_sqrt
#define ARE_BELOW fil_lanes_are_below
#define EACH_LANE(out, in, function)                                          \
    do {                                                                      \
        for (int lane = 0; lane < FIL_LANE_COUNT; lane++) {                   \
            ((double*)&(out))[lane] = function(((const double*)&(in))[lane]); \
        }                                                                     \
    } while (0)
#include "body/rod_hinge.inc"
#undef NUMBER
#undef GENERIC
#undef SQRT
#undef ARE_BELOW
#undef EACH_LANE

#endif
