/* Random numbers of a scene: the same seed gives the same numbers on every machine. */
#ifndef FILUM_SCENE_RANDOM_H
#define FILUM_SCENE_RANDOM_H

#include <stdint.h>

/* Uniform in [0, 1); `state` begins as the seed. */
double fil_random_uniform(uint64_t* state);

/* Of the normal distribution with mean 0 and deviation 1. */
double fil_random_normal(uint64_t* state);

#endif
