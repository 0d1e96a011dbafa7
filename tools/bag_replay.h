/* A recorded run is done again, with its scene, commands and parameters, and the hash of its state compared wherever the bag tells
 * one. */
#ifndef FILUM_TOOLS_BAG_REPLAY_H
#define FILUM_TOOLS_BAG_REPLAY_H

#include "view/simulation.h"

typedef struct FilReplay FilReplay;

typedef struct FilReplayInfo {
    const char* bag;
    char commit[64];                     /* of the program that recorded; "" if the bag does not say */
    uint64_t compared, applied, changed; /* states, commands, parameters of the world so far */
    bool differs;                        /* a hash is another */
    char stop[512];                      /* why nothing was checked further on; "" if all was */
} FilReplayInfo;

FIL_MUST_CHECK FilStatus fil_replay_open(const char* bag, FilReplay** replay, FilError* error);
void fil_replay_close(FilReplay* replay); /* NULL is fine */

/* Sees the world at the start and after each step; false ends it there. */
typedef bool (*FilReplayWatch)(void* context, const FilWorld* world);

/* Goes to the end of the bag, or to where it cannot be repeated further. */
FIL_MUST_CHECK FilStatus fil_replay_run(FilReplay* replay, FilReplayWatch watch, void* context, FilError* error);
const FilReplayInfo* fil_replay_info(const FilReplay* replay);
const FilSimulation* fil_replay_simulation(const FilReplay* replay);

#endif
