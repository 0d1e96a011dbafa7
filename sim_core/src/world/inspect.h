/* Looking inside a world, for stability checks and tests. */
#ifndef FILUM_WORLD_INSPECT_H
#define FILUM_WORLD_INSPECT_H

#include "world/world.h"

/* Unknowns of the body that a rod belongs to: 4 per node. */
int fil_rod_unknowns(const FilWorld* world, FilId rod);

/* Stiffness of that body at the current state (see body/rod_inspect.h), and the mass of each unknown. */
void fil_rod_stiffness(FilWorld* world, FilId rod, double* matrix, double* mass, bool* is_free);

#endif
