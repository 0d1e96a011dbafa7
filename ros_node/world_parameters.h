/* Parameters that change the world itself: the node sets them, and whoever repeats a recorded run does. No ROS. */
#ifndef FILUM_NODE_WORLD_PARAMETERS_H
#define FILUM_NODE_WORLD_PARAMETERS_H

#include "filum/filum.h"
#include "parameters.h"

/* The world says why if it refuses. */
typedef FilStatus (*FilWorldParameterSet)(FilWorld* world, const FilParameterValue* value);

/* What a parameter of this name does to a world; NULL: nothing. */
FilWorldParameterSet fil_world_parameter(const char* name);

#endif
