/* A world with a robot in it, for tests. */
#ifndef FILUM_TEST_ROBOT_WORLD_H
#define FILUM_TEST_ROBOT_WORLD_H

#include "filum/filum.h"

#define ROBOTS FILUM_SOURCE_DIR "/config/robots/"

static inline FilWorld* make_world(const char* model)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    def.contact_model = model;
    assert_int_equal(fil_world_create(&def, &world, NULL), FIL_OK);
    return world;
}

static inline FilId add(FilWorld* world, const char* file, const FilRobotDef* def)
{
    const FilRobotDef standard = fil_robot_def_default();
    FilId id;
    if (fil_world_add_robot_urdf(world, def != NULL ? def : &standard, file, NULL, 0, NULL, 0, &id) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    return id;
}

static inline void run(FilWorld* world, int steps)
{
    for (int k = 0; k < steps; k++) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fail_msg("%s", fil_world_error(world));
        }
    }
}

static inline void expect_refusal(FilWorld* world, FilStatus status, const char* words)
{
    assert_int_equal(status, FIL_BAD_INPUT);
    if (strstr(fil_world_error(world), words) == NULL) {
        fail_msg("expected '%s', got '%s'", words, fil_world_error(world));
    }
}

static inline void send(FilWorld* world, FilId robot, int joint, FilJointMode mode, double value)
{
    const FilJointCommand command = {mode, value, mode == FIL_JOINT_VELOCITY ? value : 0.0, mode == FIL_JOINT_EFFORT ? value : 0.0};
    if (fil_robot_set_joint_command(world, robot, joint, &command) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
}

static const double times[] = {0.1, 0.3, 0.6, 0.8};
static const double positions[] = {0.2, 0.0, -0.1, 0.3, 0.4, 0.1, 0.5, 0.5};
static const int joints[] = {0, 3};

static inline FilTrajectoryDef path(FilInterpolation interpolation)
{
    FilTrajectoryDef def = fil_trajectory_def_default();
    def.joints = joints;
    def.joint_count = 2;
    def.interpolation = interpolation;
    def.point_count = 4;
    def.times = times;
    def.positions = positions;
    return def;
}

#endif
