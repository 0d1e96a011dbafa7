/* A recording in a browser. */
#ifndef FILUM_TOOLS_BAG_VIEW_H
#define FILUM_TOOLS_BAG_VIEW_H

#include <stdbool.h>

typedef struct FilBagViewOptions {
    const char* address;
    int port;
    double speed;
    bool paused;
} FilBagViewOptions;

/* Serves pages until a signal; returns the exit code. */
int fil_bag_view(const char* bag, const FilBagViewOptions* options);

#endif
