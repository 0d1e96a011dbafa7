/* Where a world keeps its state. */
#ifndef FILUM_API_STATE_H
#define FILUM_API_STATE_H

#include "filum/world.h"

/* Steps leave the state in one of several arrays by turns. This brings it, between steps, into the one that fil_world_positions() had
 * once given as `positions`, and velocities with it, so that whoever looks there sees the state. False if that is gone: the world has got
 * more bodies since. */
bool fil_world_move_state(FilWorld* world, const double* positions);

/* The points (nodes, vertices) of an object in the arrays of fil_world_positions() and fil_world_velocities(): three numbers each from
 * *position and from *velocity on, FIL_POINT_STRIDE apart. Returns how many there are, 0 of objects that have none. */
enum { FIL_POINT_STRIDE = 4 };
int fil_object_points(const FilWorld* world, FilId object, int* position, int* velocity);

#endif
