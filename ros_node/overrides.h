/* Parameter values from the command line and parameter files, for one node. */
#ifndef FILUM_NODE_OVERRIDES_H
#define FILUM_NODE_OVERRIDES_H

#include "parameters.h"
#include "rcl/arguments.h"

/* Whether a key of a parameter file means the node: "/" goes in front, "**" stands for any number of tokens, "*" for
 * one; all of the node's full name must match. */
bool fil_override_matches(const char* key, const char* full_name);

/* Sets what is said for the node, in the order in which it was said; the last word counts. Names that are not declared
 * are left alone, as they may be meant for other nodes. False with a reason for a value that is refused. */
bool fil_overrides_apply(const rcl_params_t* overrides, const char* full_name, FilParameters* parameters, char reason[FIL_REASON_TEXT]);

/* The k-th name among those given to this node that it does not have; NULL: there are no more. */
const char* fil_overrides_unknown(const rcl_params_t* overrides, const char* full_name, FilParameters* parameters, size_t k);

#endif
