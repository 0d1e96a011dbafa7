/* What `filum bag record` and `filum bag play` share: their place in the ROS graph. */
#ifndef FILUM_TOOLS_BAG_GRAPH_H
#define FILUM_TOOLS_BAG_GRAPH_H

#include <stdbool.h>

#include "rclc/rclc.h"

typedef struct FilBagNode {
    rcl_allocator_t allocator;
    rclc_support_t support;
    rcl_node_t node;
} FilBagNode;

/* False after a message that begins with the command. */
bool fil_bag_join_graph(FilBagNode* node, const char* name, const char* command);
void fil_bag_leave_graph(FilBagNode* node);

/* Prints rcl's message and clears it. */
void fil_bag_tell_error(const char* command, const char* what);

/* Whether a topic is among the names; all are if there are none. */
bool fil_bag_wants(const char* topic, char** names, int count);

#endif
