/* The services of simulation_interfaces that change or tell what there is in the simulation: worlds are loaded, entities spawned and deleted,
 * and what can be loaded and spawned is listed. Absent where that package is not there. */
#ifndef FILUM_NODE_WORLD_SERVICES_H
#define FILUM_NODE_WORLD_SERVICES_H

#include <stdbool.h>

struct FilNode;

typedef struct FilWorldServices FilWorldServices;

/* Failures are logged; what was made until then is left in *services, to be destroyed. */
bool fil_world_services_create(struct FilNode* node, FilWorldServices** services);
void fil_world_services_destroy(FilWorldServices* services); /* NULL is fine */

/* Takes requests, and answers those that are done. To be called between steps. */
void fil_world_services_update(FilWorldServices* services);

#endif
