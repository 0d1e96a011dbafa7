/* Names in the graph: what is valid, what a relative name stands for, and what it is remapped to. */
#ifndef FILUM_EMBEDDED_NAMES_H
#define FILUM_EMBEDDED_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "arguments_impl.h"

enum { FIL_NAME_MAX = 256 }; /* with the NUL; DDS topic names carry a prefix and a suffix beside it */

/* One token of letters, digits and underscores that does not begin with a digit. */
bool fil_name_is_token(const char* name);

/* An absolute name: tokens, each behind a '/'; a lone "/" counts as a namespace only. */
bool fil_name_is_absolute(const char* name, bool is_namespace);

/* Writes the absolute name that `name` stands for in a node: /a stays, a gets the namespace, ~/a the node's full name
 * in front, {node} and {ns} are replaced. False if the result is not a valid name. */
bool fil_name_expand(const char* name, const char* node_name, const char* node_namespace, char full[FIL_NAME_MAX]);

/* Applies the first rule that matches an absolute name, in place. Rules come from two command lines, either of which
 * may be NULL; `local` goes first. False if the rule's target is not a valid name. */
bool fil_name_remap(const rcl_arguments_t* local, const rcl_arguments_t* global, FilRemapKind kind, const char* node_name, const char* node_namespace,
                    char full[FIL_NAME_MAX]);

/* The new node name or namespace of a node, or NULL when no rule matches. Borrowed. */
const char* fil_name_remap_node(const rcl_arguments_t* local, const rcl_arguments_t* global, FilRemapKind kind, const char* node_name);

#endif
