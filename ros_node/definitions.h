/* The search for message definitions. No ROS: the command line has it in every build. */
#ifndef FILUM_NODE_DEFINITIONS_H
#define FILUM_NODE_DEFINITIONS_H

#include "record/definition.h"

/* Where definitions are looked for: FilDefinitionLookup's context. */
typedef struct FilDefinitionPlaces {
    const char* path; /* folders separated by colons, or NULL; before all others */
} FilDefinitionPlaces;

/* Looks in the given folders, in those of AMENT_PREFIX_PATH (share/pkg/msg), and among the definitions built in. */
bool fil_definition_find(void* places, const char* type, FilBytes* text);

#endif
