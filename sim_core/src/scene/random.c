#include "scene/random.h"

#include <math.h>

#include "base/vec3.h"

/* splitmix64: every state gives a different, well mixed number */
static uint64_t next_random(uint64_t* state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double fil_random_uniform(uint64_t* state)
{
    // 53 random bits make a number in [0, 1)
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

double fil_random_normal(uint64_t* state)
{
    // Box and Muller; 1 - u is never zero
    const double radius = sqrt(-2.0 * log(1.0 - fil_random_uniform(state)));
    return radius * cos(2.0 * FIL_PI * fil_random_uniform(state));
}
