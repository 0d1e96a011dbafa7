/* The state that a step started from, so that one which fails leaves it as it was.
 *
 * A sub-step makes another state, and the two change places: as long as there has been one only, the start is the other state, and nothing has to
 * be copied. What is written into the start itself is little: memories, controls, rest values that drives set. */
#ifndef FILUM_WORLD_STEP_START_H
#define FILUM_WORLD_STEP_START_H

#include "world/world.h"

void fil_step_start_begin(FilWorld* world);
/* Before a sub-step: lest it is written over where an earlier one has left it. */
void fil_step_start_put_aside(FilWorld* world);
/* The next state is the state now. */
void fil_step_start_leave(FilWorld* world);
/* The state is the start again. */
void fil_step_start_return(FilWorld* world);

#endif
