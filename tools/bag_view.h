/* A recording in a browser. */
#ifndef FILUM_TOOLS_BAG_VIEW_H
#define FILUM_TOOLS_BAG_VIEW_H

#include "filum/filum.h"

typedef struct FilBagViewOptions {
    const char* address;
    int port;
    double speed;
    bool paused, read_only;
    const char* origins; /* of viewers' pages; NULL: none */
} FilBagViewOptions;

/* Sees the world at the start and after each step; false ends it there. */
typedef bool (*FilBagWatch)(void* context, const FilWorld* world, const FilSceneInfo* scene);

/* Does a recorded run again for a command, under whose name it complains; false if there is nothing to see. */
bool fil_bag_watch(const char* bag, FilBagWatch watch, void* context, const char* command);

/* Serves pages until a signal; returns the exit code. */
int fil_bag_view(const char* bag, const FilBagViewOptions* options);

#endif
