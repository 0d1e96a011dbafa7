/* The bag that the node records while it runs: parameter `record`. */
#ifndef FILUM_NODE_NODE_RECORDING_H
#define FILUM_NODE_NODE_RECORDING_H

#include "node.h"

/* Ends the recording there is, if any, and begins one at `path`, unless it is empty; below one of `folders`, if they are given. False with a
 * reason if it cannot.
 * Under lockstep the simulation waits for the disk; else what the disk cannot take is dropped and reported. */
bool fil_node_record(FilNode* node, const char* path, const char* folders, char reason[FIL_REASON_TEXT]);

/* Tells what was dropped, and ends a recording that has failed; the simulation goes on. Once per turn of the main loop.
 */
void fil_node_watch_recording(FilNode* node, double now);

/* Notes in the bag that the state was changed otherwise than by commands and parameters. */
void fil_node_changed_by_hand(FilNode* node, const char* reason);

#endif
