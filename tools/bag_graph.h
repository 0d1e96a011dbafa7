/* What `filum bag record` and `filum bag play` share: their place in the ROS graph. */
#ifndef FILUM_TOOLS_BAG_GRAPH_H
#define FILUM_TOOLS_BAG_GRAPH_H

#include <stdbool.h>

#include "graph_tools.h"

/* Prints rcl's message and clears it. */
void fil_bag_report_error(const char* command, const char* what);

/* Whether a topic is among the names; all are if there are none. */
bool fil_bag_wants(const char* topic, char** names, int count);

#endif
