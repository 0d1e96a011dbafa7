/* Repeatable random numbers for tests (splitmix64). */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t random_bits(Random* random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* uniform in [low, high) */
static inline double random_between(Random* random, double low, double high)
{
    return low + (high - low) * (double)(random_bits(random) >> 11) * 0x1p-53;
}

/* `count` numbers between -1 and 1. */
static inline void random_fill(Random* random, double* x, int count)
{
    for (int k = 0; k < count; k++) {
        x[k] = random_between(random, -1.0, 1.0);
    }
}

#endif
