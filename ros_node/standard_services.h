/* The services of simulation_interfaces, by which tools drive any simulator. Absent where that package is not there. */
#ifndef FILUM_NODE_STANDARD_SERVICES_H
#define FILUM_NODE_STANDARD_SERVICES_H

#include <stdbool.h>
#include <stddef.h>

struct FilNode;

typedef struct FilStandardServices FilStandardServices;

/* Handles of the executor that the services need. */
size_t fil_standard_services_handles(void);

/* Failures are logged; what was made until then is left in *services, to be destroyed. */
bool fil_standard_services_create(struct FilNode* node, FilStandardServices** services);
void fil_standard_services_destroy(FilStandardServices* services); /* NULL is fine */

/* Takes requests to step and to load, and answers those that are done. To be called between steps. */
void fil_standard_services_update(FilStandardServices* services);

#endif
