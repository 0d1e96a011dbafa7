/* Where a world keeps its state. */
#ifndef FILUM_API_STATE_H
#define FILUM_API_STATE_H

#include "filum/world.h"

/* Steps leave the state in one of several arrays by turns. This brings it, between steps, into the one that fil_world_positions() had
 * once given as `positions`, and velocities with it, so that whoever looks there sees the state. False if that is gone: the world has got
 * more bodies since. */
bool fil_world_move_state(FilWorld* world, const double* positions);

#endif
