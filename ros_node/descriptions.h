/* The URDFs of a scene's robots, with their prefixes put in, for RViz, robot_state_publisher and MoveIt: transient local, on
 * robot_description if there is one robot, else on <robot>/robot_description. */
#ifndef FILUM_NODE_DESCRIPTIONS_H
#define FILUM_NODE_DESCRIPTIONS_H

#include "rcl/rcl.h"
#include "view/simulation.h"

typedef struct FilDescriptions {
    rcl_node_t* node;
    rcl_publisher_t* publishers;
    int count;
    uint64_t load; /* the world whose robots they are of */
} FilDescriptions;

void fil_descriptions_init(FilDescriptions* descriptions, rcl_node_t* node);
void fil_descriptions_fini(FilDescriptions* descriptions);

/* Once per turn of the main loop: of another world there are other robots. */
void fil_descriptions_update(FilDescriptions* descriptions, const FilSimulation* simulation);

#endif
