/* The world that the node's parameters ask for, with all that lives as long as one is there: its recording and its pages. */
#ifndef FILUM_NODE_NODE_WORLD_H
#define FILUM_NODE_NODE_WORLD_H

#include "node.h"

/* Loads the scene and lets all parameters count; on failure, which is logged, there is no world. */
bool fil_node_load(FilNode* node);

/* Ends all of that: there is no world any more. */
void fil_node_unload(FilNode* node);

#endif
