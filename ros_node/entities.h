/* What the world holds, one by one, as poses: rods, seen by the frame of their start, rigid bodies, soft arms
 * and robots, seen by their base. No ROS. */
#ifndef FILUM_NODE_ENTITIES_H
#define FILUM_NODE_ENTITIES_H

#include "filum/filum.h"

typedef struct FilEntityState {
    FilVec3 position;         /* m */
    FilQuat orientation;      /* of a rod: z along the first edge */
    FilVec3 velocity;         /* m/s */
    FilVec3 angular_velocity; /* rad/s */
} FilEntityState;

int fil_entity_count(const FilWorld* world);
const char* fil_entity_name(const FilWorld* world, int entity);
int fil_entity_find(const FilWorld* world, const char* name); /* -1: there is none */
bool fil_entity_is_static(const FilWorld* world, int entity);
bool fil_entity_is_mounted(const FilWorld* world, int entity); /* where it stands is the scene's to say */
bool fil_entity_is_robot(const FilWorld* world, int entity);   /* or a soft arm */

void fil_entity_get_state(const FilWorld* world, int entity, FilEntityState* state);

/* Moves the entity as if it were rigid: its shape stays. NULL keeps the pose or the velocities. Not for mounted ones.
 */
FIL_MUST_CHECK FilStatus fil_entity_set_state(FilWorld* world, int entity, const FilEntityState* pose,
                                              const FilEntityState* twist);

#endif
