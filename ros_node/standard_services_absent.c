/* In place of standard_services.c and world_services.c where the package simulation_interfaces is not there. */
#include "standard_services.h"
#include "world_services.h"

size_t fil_standard_services_handles(void)
{
    return 0;
}

bool fil_standard_services_create(struct FilNode* node, FilStandardServices** services)
{
    (void)node;
    *services = NULL;
    return true;
}

void fil_standard_services_destroy(FilStandardServices* services)
{
    (void)services;
}

void fil_standard_services_update(FilStandardServices* services)
{
    (void)services;
}

bool fil_world_services_create(struct FilNode* node, FilWorldServices** services)
{
    (void)node;
    *services = NULL;
    return true;
}

void fil_world_services_destroy(FilWorldServices* services)
{
    (void)services;
}

void fil_world_services_update(FilWorldServices* services)
{
    (void)services;
}
