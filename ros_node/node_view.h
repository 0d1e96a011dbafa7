/* The node's pages in a browser: what they see is the simulation as it runs, what they ask is done as its services and parameters
 * would do it. */
#ifndef FILUM_NODE_NODE_VIEW_H
#define FILUM_NODE_NODE_VIEW_H

#include "node.h"

/* Serves pages if view_port asks for it; failures are logged. */
void fil_node_open_view(FilNode* node);
void fil_node_close_view(FilNode* node);

void fil_node_obey_pages(FilNode* node);
void fil_node_show_pages(FilNode* node, double now);

#endif
