/* Bodies and rods for tests of contact, in one line each. All abort the test through cmocka when refused. */
#ifndef FILUM_TEST_SAMPLE_H
#define FILUM_TEST_SAMPLE_H

#include "filum/filum.h"

FilWorld* sample_world(const char* contact_model, double dt); /* the caller destroys it */
FilId sample_ground(FilWorld* world);                         /* below z = 0 */
FilId sample_ball(FilWorld* world, double radius, double x, double y, double z);
FilId sample_cube(FilWorld* world, double size, double x, double y, double z);

/* A straight rubber rod of `nodes` nodes, `step` apart. */
FilId sample_rod(FilWorld* world, int nodes, double radius, FilVec3 from, FilVec3 step, FilVec3 velocity);

/* Steps `count` times; each must succeed and leave finite numbers. Returns the last step's info, with crossings and
 * halvings summed and the deepest penetration of all. */
FilStepInfo sample_run(FilWorld* world, int count);

double sample_distance(FilVec3 a, FilVec3 b);
FilVec3 sample_position(const FilWorld* world, FilId body);
FilVec3 sample_velocity(const FilWorld* world, FilId body);
FilVec3 sample_node(const FilWorld* world, FilId rod, int node);

#endif
