/* The table of kinds. Whatever concerns every kind goes through it; nobody else asks what an object is. */
#ifndef FILUM_NODE_KINDS_H
#define FILUM_NODE_KINDS_H

#include "kind.h"

/* One row per kind, in the order in which entities are listed: its name in code, and whether it has a message of states
 * (STATES: the kind's row holds a FilStateTopic) or not (NO_STATES). */
#define FIL_NODE_KINDS(ROW)      \
    ROW(rod, ROD, STATES)        \
    ROW(rigid, RIGID, NO_STATES) \
    ROW(arm, ARM, STATES)        \
    ROW(robot, ROBOT, STATES)    \
    ROW(shell, SHELL, STATES)    \
    ROW(ring, RING, STATES)      \
    ROW(solid, SOLID, STATES)

#define FIL_KIND_ID(kind, KIND, states) FIL_KIND_##KIND,
typedef enum FilKindId { FIL_NODE_KINDS(FIL_KIND_ID) FIL_KIND_COUNT } FilKindId;
#undef FIL_KIND_ID

#define FIL_KIND_DECLARATION(kind, KIND, states) extern const FilNodeKind fil_##kind##_kind;
FIL_NODE_KINDS(FIL_KIND_DECLARATION)
#undef FIL_KIND_DECLARATION

const FilNodeKind* fil_node_kind(FilKindId id);

#endif
