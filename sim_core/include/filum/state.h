/* The numbers of a world's state where they lie in memory. */
#ifndef FILUM_STATE_H
#define FILUM_STATE_H

#include "filum/world.h"

FIL_API_BEGIN

/* Positions and velocities of all bodies in a row, as the kinds of bodies keep them: to be looked at, copied and compared; what is
 * known by name is asked for by name. Borrowed until the next call that changes the world. `count` may be NULL. */
const double* fil_world_positions(const FilWorld* world, int* count);
const double* fil_world_velocities(const FilWorld* world, int* count);

/* What a probe would measure, without one: all components of a quantity (fil_quantity_info()) of something, by the number of its part,
 * negative counting from the end. `of` is not used of the world. At most 3 numbers; `count` may be NULL. */
FIL_MUST_CHECK FilStatus fil_world_measure(FilWorld* world, const char* quantity, FilId of, int index, double* numbers, int* count);

FIL_API_END

#endif
