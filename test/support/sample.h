/* Bodies and rods for tests of contact, in one line each. All abort the test through cmocka when refused. */
#ifndef FILUM_TEST_SAMPLE_H
#define FILUM_TEST_SAMPLE_H

#include "filum/filum.h"

FilWorld* sample_world(const char* contact_model, double dt); /* the caller destroys it */
FilWorld* sample_world_of(const FilWorldDef* def);            /* likewise */
FilId sample_ground(FilWorld* world);                         /* below z = 0 */
FilId sample_ball(FilWorld* world, double radius, double x, double y, double z);
FilId sample_cube(FilWorld* world, double size, double x, double y, double z);

/* A straight rubber rod of `nodes` nodes, `step` apart. */
FilId sample_rod(FilWorld* world, int nodes, double radius, FilVec3 from, FilVec3 step, FilVec3 velocity);

/* A straight rod along x from the origin, of `nodes` nodes, `step` apart, with everything else as given. */
FilId sample_straight_rod(FilWorld* world, const FilRodDef* def, int nodes, double step);

/* Of a rigid body of one shape, which is borrowed. */
FilRigidDef sample_rigid_def(const FilShapeDef* shape);

/* Of a robot of two links, which are borrowed as its joint is. */
FilRobotDef sample_robot_def(const FilLinkDef links[2], const FilRobotJointDef* joint);

/* What holds and moves them. A drive of an attachment between `count` knots; 0: none yet. */
FilId sample_attach(FilWorld* world, const FilAttachmentDef* def);
FilId sample_drive(FilWorld* world, FilId attachment, FilDriveKind kind, int count, const double* times, const double* values);

/* Steps `count` times; each must succeed and leave finite numbers. Returns the last step's info, with crossings and
 * halvings summed and the deepest penetration of all. */
FilStepInfo sample_run(FilWorld* world, int count);

/* The state is saved, `run` goes on, the state is restored, and `run` must give the same bits again. */
void sample_repeat(FilWorld* world, void (*run)(FilWorld* world));

double sample_distance(FilVec3 a, FilVec3 b);
FilVec3 sample_position(const FilWorld* world, FilId body);
FilVec3 sample_place(const FilWorld* world, const char* body); /* by its name */
FilVec3 sample_velocity(const FilWorld* world, FilId body);
FilVec3 sample_node(const FilWorld* world, FilId rod, int node);
double sample_lift(const FilWorld* world, FilId object); /* N: the contact force along z */
double sample_energy(const FilWorld* world);             /* J, all of it */
bool sample_same(FilId a, FilId b);

#endif
