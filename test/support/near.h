/* Numbers that shall be near others; NaN is near none. Needs cmocka.h before it. */
#ifndef FILUM_TEST_NEAR_H
#define FILUM_TEST_NEAR_H

#include <math.h>

static inline void assert_near(double measured, double expected, double tolerance)
{
    if (!(fabs(measured - expected) <= tolerance)) {
        fail_msg("%.17g is not within %g of %.17g", measured, tolerance, expected);
    }
}

static inline void assert_near_share(double measured, double expected, double share)
{
    assert_near(measured, expected, share * fabs(expected));
}

#endif
