/* Which parameters the node has, and what each of them does. */
#ifndef FILUM_NODE_NODE_PARAMETERS_H
#define FILUM_NODE_NODE_PARAMETERS_H

#include <stdio.h>

#include "node.h"

/* Names and meanings of all parameters, for the page of `man`. */
void fil_node_describe_parameters(FILE* out);

/* Declares all parameters with their defaults. */
void fil_node_declare_parameters(FilNode* node);

/* Sets them from the command line and parameter files; false, with the reason logged, if a value is refused. */
bool fil_node_override_parameters(FilNode* node);

/* From now on others can set them; what counts at the start only can be chosen as long as there is no world, of a managed node. */
void fil_node_open_parameters(FilNode* node);

/* Loads the scene that the parameters name, then lets the parameters tell what the world has, and take effect. */
bool fil_node_start_parameters(FilNode* node);

/* Another world was loaded: parameters show what it has, and tell so. */
void fil_node_show_world(FilNode* node);

#endif
