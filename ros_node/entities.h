/* The objects of a world one by one, of all kinds, as poses. No ROS. */
#ifndef FILUM_NODE_ENTITIES_H
#define FILUM_NODE_ENTITIES_H

#include "motion.h"

int fil_entity_count(const FilWorld* world);
const char* fil_entity_name(const FilWorld* world, int entity);
int fil_entity_find(const FilWorld* world, const char* name); /* -1: there is none */
bool fil_entity_is_static(const FilWorld* world, int entity);
bool fil_entity_is_mounted(const FilWorld* world, int entity); /* where it stands is the scene's to say */
bool fil_entity_is_robot(const FilWorld* world, int entity);   /* or a soft arm */

void fil_entity_get_state(const FilWorld* world, int entity, FilEntityState* state);

/* Places that say where it is: nodes of a rod, vertices of a shell or solid, links of a robot, else the one of its state. */
int fil_entity_place_count(const FilWorld* world, int entity);
void fil_entity_place(const FilWorld* world, int entity, int index, double position[3]);

/* The attachment that holds it, which would tear it if it were moved; NULL: none does. Handles let themselves be stretched. */
const char* fil_entity_holder(const FilWorld* world, int entity);

/* Moves the entity as if it were rigid: its shape stays. NULL keeps the pose or the velocities. Refuses mounted ones.
 */
FIL_MUST_CHECK FilStatus fil_entity_set_state(FilWorld* world, int entity, const FilEntityState* pose, const FilEntityState* twist);

#endif
