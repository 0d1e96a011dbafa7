/* What `filum view` tells Foxglove and its kin, on the page's port: the node's topics, services and parameters, without a node. */
#ifndef FILUM_TOOLS_VIEW_MESSAGES_H
#define FILUM_TOOLS_VIEW_MESSAGES_H

#include "view/session.h"

typedef struct FilViewMessages FilViewMessages;

/* NULL: this build has no messages, or memory is out; the simulation outlives it. */
FilViewMessages* fil_view_messages_create(FilSimulation* simulation);
void fil_view_messages_destroy(FilViewMessages* messages); /* after its session; NULL is fine, here and below */
FilFoxglove* fil_view_messages_foxglove(FilViewMessages* messages);

/* Whose scene has parameters that viewers may set, too. */
void fil_view_messages_join(FilViewMessages* messages, FilViewSession* session);

/* Sends what is due; after each step, and once per turn of the main loop, which answers what viewers have asked. */
void fil_view_messages_send(FilViewMessages* messages);
void fil_view_messages_serve(FilViewMessages* messages);

#endif
