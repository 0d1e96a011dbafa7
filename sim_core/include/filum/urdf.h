/* Robots from URDF files. */
#ifndef FILUM_URDF_H
#define FILUM_URDF_H

#include "filum/robot.h"

FIL_API_BEGIN

/* A change of what a URDF says about a joint. NAN leaves a number as it is. */
typedef struct FilRobotJointSetting {
    const char* joint;                               /* as the URDF calls it; NULL: all that turn or slide */
    double start_position, start_velocity;           /* as in FilRobotJointDef */
    double stiffness_gain, damping_gain, max_effort; /* likewise */
    double damping, friction, armature;              /* likewise */
    double limit_stiffness, limit_damping;           /* likewise */
    int modes;                                       /* -1: as it is */
} FilRobotJointSetting;

FilRobotJointSetting fil_robot_joint_setting_default(void);

/* As fil_world_add_robot(), from URDF: `def` says everything but links, joints and description. `source` is the file's path; it stands
 * in messages, and meshes are looked for beside it (`package://` in the folders above it). With `text` (of `size`
 * bytes, such as a robot_description) the file itself is not read. Errors: "file:line: element: what is wrong". */
FIL_MUST_CHECK FilStatus fil_world_add_robot_urdf(FilWorld* world, const FilRobotDef* def, const char* source, const char* text, size_t size,
                                                  const FilRobotJointSetting* settings, int setting_count, FilId* robot);

FIL_API_END

#endif
