/* The node for Foxglove and its kin, on the port of the page: its topics as channels, ~/pause, ~/step and ~/reset as services, its
 * parameters as "/filum.<name>". They listen at the tap, and need no DDS. */
#ifndef FILUM_NODE_VIEWERS_H
#define FILUM_NODE_VIEWERS_H

#include "control.h"
#include "parameter_server.h"
#include "tap.h"
#include "view/foxglove.h"

typedef struct FilViewers FilViewers;

typedef struct FilViewersDef {
    const rcl_node_t* node;
    FilSimulation* simulation;
    FilControl* control;
    FilParameterServer* parameters;
} FilViewersDef;

/* NULL: they cannot be served by this build, or memory is out. */
FilViewers* fil_viewers_create(const FilViewersDef* def);
void fil_viewers_destroy(FilViewers* viewers); /* NULL is fine */
FilFoxglove* fil_viewers_foxglove(FilViewers* viewers); /* for a server; NULL if there are no viewers */
FilTapListener fil_viewers_listener(FilViewers* viewers);

/* Answers what was asked; to be called once per turn of the main loop. */
void fil_viewers_serve(FilViewers* viewers);
bool fil_viewers_want_markers(const FilViewers* viewers);
/* Whether somebody has subscribed since this was asked last. */
bool fil_viewers_joined(FilViewers* viewers);

#endif
