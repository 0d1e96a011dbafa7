/* Which entities a request of simulation_interfaces means: by name, category and bounds. */
#ifndef FILUM_NODE_ENTITY_FILTER_H
#define FILUM_NODE_ENTITY_FILTER_H

#include <regex.h>

#include "filum/filum.h"
#include "simulation_interfaces/msg/entity_filters.h"

/* A filter made ready; names must match as a whole. */
typedef struct FilEntityFilter {
    const simulation_interfaces__msg__EntityFilters* wanted; /* borrowed */
    bool all;                                                /* names do not matter */
    regex_t pattern;
} FilEntityFilter;

typedef enum FilFilterFault { FIL_FILTER_GOOD, FIL_FILTER_UNSUPPORTED, FIL_FILTER_WRONG } FilFilterFault;

/* `reason` says why the filter cannot be used. */
FilFilterFault fil_entity_filter_init(FilEntityFilter* filter, const simulation_interfaces__msg__EntityFilters* wanted, const char** reason);
void fil_entity_filter_fini(FilEntityFilter* filter);

/* Entities are robots, dynamic or static objects, without tags. One is within bounds if one of its places is. */
bool fil_entity_filter_accepts(const FilEntityFilter* filter, const FilWorld* world, int entity);

#endif
