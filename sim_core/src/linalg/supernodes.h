/* Supernodes: what the supernodal factorisation knows before it sees a number.
 *
 * Columns of L with (nearly) the same rows are one supernode. Its front is a dense symmetric matrix: first its own
 * unknowns, filled up to a multiple of four, then, from place 4 strips on, those of its rows, filled up likewise.
 * Eliminating the former leaves an update of the latter, which is added to the parent's front. The tree is cut into
 * tasks, subtrees of a like amount of work and what is above them; tasks of one part but its last do not depend on each
 * other. */
#ifndef FILUM_LINALG_SUPERNODES_H
#define FILUM_LINALG_SUPERNODES_H

#include "filum/base.h"
#include "linalg/elimination.h"

#define FIL_SUPERNODE_TERMS 2 /* matrices in the sum that is factored */

typedef struct FilSupernode {
    int first, end; /* pivots */
    int parent;     /* supernode, -1 at a root */
    int first_child, end_child;
    int first_row, end_row; /* of FilSupernodes.row */
    int pivots, updates;    /* unknowns of its own and of its rows */
    int strips, update_strips;
    size_t panel;  /* place of its columns of L */
    size_t update; /* place of its update matrix ... */
    bool kept;     /* ... among those that outlive their task, else on its stack */
} FilSupernode;

/* A block of a term and where it goes in a front. */
typedef struct FilSupernodeEntry {
    int source;                          /* 2 k for block k, 2 k + 1 for its transpose */
    int row, column;                     /* places in the front */
    unsigned char row_used, column_used; /* bits of the components that are unknowns */
} FilSupernodeEntry;

typedef struct FilSupernodes {
    FilElimination elimination;
    int columns, count;
    int first_changing;      /* pivot: columns before this one do not depend on the last term ... */
    int first_changing_node; /* ... and its supernode */
    int first_changing_task;
    int task_count;
    FilInts task;         /* task_count + 1: first supernode of each */
    FilInts variable;     /* of each pivot */
    FilInts pivot;        /* of each variable */
    FilInts used;         /* components of each pivot that are unknowns, as bits */
    FilInts node_of;      /* supernode of each pivot */
    FilInts place;        /* of each pivot in the front of its supernode */
    FilInts child;        /* supernodes */
    FilInts row;          /* pivots, ascending within a supernode ... */
    FilInts row_place;    /* ... their places in its front ... */
    FilInts parent_place; /* ... and in that of its parent */
    void* nodes;          /* FilSupernode */
    size_t node_capacity;
    size_t panel_size, stack_size, kept_size;
    int max_updates; /* unknowns of the longest front without its own */
    int max_pivots;
    double flops;

    FilInts entry_start[FIL_SUPERNODE_TERMS]; /* count + 1 */
    void* entries[FIL_SUPERNODE_TERMS];       /* FilSupernodeEntry */
    size_t entry_capacity[FIL_SUPERNODE_TERMS];
    FilInts work;
    FilDoubles flops_of; /* subtrees, while they are numbered */
} FilSupernodes;

/* Orders and analyses a + c (c may be NULL) and finds where their blocks go. used: see fil_elimination_find(). */
FIL_MUST_CHECK FilStatus fil_supernodes_analyze(FilSupernodes* nodes, const FilBlockPattern* a, const FilBlockPattern* c, const unsigned char* used);
/* Finds where the blocks of other patterns go; *fits is false where one lies outside L. */
FIL_MUST_CHECK FilStatus fil_supernodes_bind(FilSupernodes* nodes, const FilBlockPattern* a, const FilBlockPattern* c, bool* fits);
void fil_supernodes_free(FilSupernodes* nodes);

#endif
