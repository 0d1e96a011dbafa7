/* Joints as constraints of the contact problem. */
#ifndef FILUM_WORLD_JOINT_H
#define FILUM_WORLD_JOINT_H

#include "world/world.h"

/* The side that a ring is: its own point, the node or vertex that it belongs to, or the body that it is the hole of. */
FilJointSide fil_ring_side(const FilWorld* world, const FilObject* ring);

/* How many constraints the joints make at most. */
int fil_joints_constraints(const FilWorld* world);

/* Appends the joints' constraints and Jacobian rows to the contact stage. */
FilStatus fil_joints_add(FilWorld* world);

/* Forces and torques from the impulses found. */
void fil_joints_collect(FilWorld* world, double dt);

#endif
