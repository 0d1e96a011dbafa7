/* Bodies and rods for tests of contact, in one line each. All abort the test through cmocka when refused. */
#ifndef TEST_THINGS_H
#define TEST_THINGS_H

#include "filum/filum.h"

FilWorld* things_world(const char* contact_model, double dt); /* the caller destroys it */
FilId things_ground(FilWorld* world);                         /* below z = 0 */
FilId things_ball(FilWorld* world, double radius, double x, double y, double z);
FilId things_cube(FilWorld* world, double size, double x, double y, double z);

/* A straight rubber rod of `nodes` nodes, `step` apart. */
FilId things_rod(FilWorld* world, int nodes, double radius, FilVec3 from, FilVec3 step, FilVec3 velocity);

/* Steps `count` times; each must succeed and leave finite numbers. Returns the last step's info, with crossings and
 * halvings summed and the deepest penetration of all. */
FilStepInfo things_run(FilWorld* world, int count);

double things_distance(FilVec3 a, FilVec3 b);
FilVec3 things_position(const FilWorld* world, FilId body);
FilVec3 things_velocity(const FilWorld* world, FilId body);
FilVec3 things_node(const FilWorld* world, FilId rod, int node);

#endif
