/* A world with a little of everything: open, closed and branched rods, held, driven, damped and falling. */
#ifndef TEST_LIVELY_H
#define TEST_LIVELY_H

#include "filum/filum.h"

/* Aborts the test through cmocka if it cannot be built. The caller destroys it. */
FilWorld* lively_world(FilIntegrator integrator);

/* Steps `count` times; each must succeed. */
void lively_run(FilWorld* world, int count);

#endif
