/* The world that the node's parameters ask for, with all that lives as long as one is there: its recording and its pages. */
#ifndef FILUM_NODE_NODE_WORLD_H
#define FILUM_NODE_NODE_WORLD_H

#include "loading.h"
#include "node.h"

/* Loads the scene and lets all parameters count; on failure, which is logged, there is no world. */
bool fil_node_load(FilNode* node);

/* Ends all of that: there is no world any more. */
void fil_node_unload(FilNode* node);

/* Puts a world that was built in the place of the old one, with what it is made of; `keeps_state`: at the same time, in the same state and
 * with the same gravity, friction and threads. What was under way for the old one ends. */
void fil_node_take_world(FilNode* node, FilLoaded* loaded, bool keeps_state);

/* Whether entities were spawned or deleted; then that can be undone, all others keeping their state. Waits until it is. */
bool fil_node_is_composed(const FilNode* node);
FIL_MUST_CHECK FilStatus fil_node_restore_world(FilNode* node, FilError* error);

#endif
