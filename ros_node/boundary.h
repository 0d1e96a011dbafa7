/* What peers on the network may make the node do with this machine's files, and what they were refused. Who starts the node says
 * so by its parameters; what these themselves name at the start is not bound. */
#ifndef FILUM_NODE_BOUNDARY_H
#define FILUM_NODE_BOUNDARY_H

#include "filum/base.h"
#include "filum/scene.h"
#include "parameters.h"

typedef struct FilBoundary {
    const char* logger;
    bool locked;             /* peers can neither load, nor record, nor end the node */
    char read_folders[4096]; /* that worlds and what they name are read from, separated by colons */
    char record_folders[FIL_PARAMETER_TEXT];
    FilSceneBudget budget;  /* of a world that a peer loads */
    uint64_t refused;       /* requests so far */
    char last_refusal[160]; /* what was refused last, and why */
} FilBoundary;

void fil_boundary_init(FilBoundary* boundary, const char* logger, FilParameters* parameters);

/* Counts and logs a request that is refused; `reason` must not quote what a file holds. */
void fil_boundary_refuse(FilBoundary* boundary, const char* request, const char* reason);

/* Whether a peer may load, record there, or end the node; if not, `reason` says why, and the refusal is counted. */
bool fil_boundary_may_load(FilBoundary* boundary, FilError* reason);
bool fil_boundary_may_record(FilBoundary* boundary, const char* path, FilError* reason);
bool fil_boundary_may_quit(FilBoundary* boundary, FilError* reason);

/* A message about a scene without what files hold: of bad input in a file only where it is. What is wrong with text that the peer
 * itself has sent, as `name` (NULL: it sent none), is said in full. */
void fil_boundary_veil(const char* name, FilStatus status, const char* message, FilError* veiled);

#endif
