/* Trajectories of robots given by poses of a link. */
#ifndef FILUM_SCENE_READ_POSES_H
#define FILUM_SCENE_READ_POSES_H

#include "filum/robot.h"
#include "scene/scene_build.h"

/* Joint positions along the way that `link`, `poses`, `period` and `ramp` of a trajectory describe. Places the robot in the
 * first pose if that is at time 0. `prefix` is how many characters stand in front of its names. Arrays live in the scene's pool. */
void fil_scene_read_poses(FilScene* scene, const FilYaml* node, const FilSceneItem* robot, size_t prefix, FilTrajectoryDef* def);

#endif
