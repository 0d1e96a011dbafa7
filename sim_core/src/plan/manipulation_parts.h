/* Adds objects of a world to a forest: robots, soft arms, free rigid bodies. */
#ifndef FILUM_PLAN_MANIPULATION_PARTS_H
#define FILUM_PLAN_MANIPULATION_PARTS_H

#include "plan/manipulation_world.h"

/* The part of an object, which is added where it is new; fails with a message. A link stands for its robot. `turn` (rad) is what a free body is
 * to turn by: its angles are counted from half of it. */
FilStatus fil_manipulation_add_part(const FilWorld* world, const FilManipulationTask* task, FilId id, FilManipulationStart* out, int* part,
                                    FilError* error);

/* Coordinates of all parts, and their rates, in a world that holds objects of the same names; false, with a message of the world, where it does not.
 */
bool fil_manipulation_observe(const FilManipulationStart* start, const FilWorld* world, double* q, double* v);

/* Angles of R = R_i(a) R_j(b) R_k(c) about the axes `order`. */
void fil_manipulation_angles(const double* r, const int order[3], double angles[3]);
/* Axes in the order in which a free body turns: the one that its task turns most about first, least last but one, where the angles are singular. */
void fil_manipulation_axes(const double* turn, int order[3]);

#endif
