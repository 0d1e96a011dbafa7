/* The bag of a run: what the node would publish, without a node. */
#ifndef FILUM_TOOLS_BAG_RUN_H
#define FILUM_TOOLS_BAG_RUN_H

#include "cli.h"

typedef struct FilRunBag FilRunBag;

typedef struct FilRunBagOptions {
    const char* path;        /* NULL: no bag */
    const char* storage;     /* NULL: mcap */
    const char* compression; /* NULL: none */
    double rate;             /* Hz of simulated time; 0: as the node's parameters say by default */
} FilRunBagOptions;

/* Starts the bag of a world just loaded from `path` in the way of `how`; both are borrowed for the call. The world must
 * outlive the bag. */
FIL_MUST_CHECK FilStatus fil_run_bag_start(const FilRunBagOptions* options, FilWorld* world, const FilSceneInfo* scene, const char* path,
                                           const FilSceneOptions* how, FilRunBag** bag, FilError* error);

/* Records what is due at the world's time; `last` is of the last step, NULL before the first. */
FIL_MUST_CHECK FilStatus fil_run_bag_observe(FilRunBag* bag, const FilStepInfo* last, FilError* error);

typedef struct FilRunBagCounts {
    uint64_t messages, bytes;
} FilRunBagCounts;

/* When the run is over: waits until all messages are made. */
FilRunBagCounts fil_run_bag_counts(FilRunBag* bag);

/* Ends the bag; NULL is fine. */
FIL_MUST_CHECK FilStatus fil_run_bag_stop(FilRunBag* bag, FilError* error);

#endif
