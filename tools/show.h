/* A kind of object as the command line shows it: in `filum info`, and in drawings as curves or outlines. One file
 * show_<kind>.c holds a kind's row, the list below names them. */
#ifndef FILUM_TOOLS_SHOW_H
#define FILUM_TOOLS_SHOW_H

#include "draw_outlines.h"
#include "filum/filum.h"

/* A line of nodes with a tube around it. */
typedef struct FilCurve {
    int node_count, edge_count;
    bool closed;
} FilCurve;

typedef struct FilShowKind {
    const char* heading; /* of the kind's part of `filum info` */
    int (*count)(const FilWorld* world);
    FilId (*at)(const FilWorld* world, int index);
    void (*print)(const FilWorld* world, FilId id); /* lines for `filum info` */

    /* As a curve; NULL: the kind has none. */
    FilCurve (*curve)(const FilWorld* world, FilId id);
    double (*curve_radius)(const FilWorld* world, FilId id, int edge);   /* m */
    void (*curve_nodes)(const FilWorld* world, FilId id, double* nodes); /* 3 per node, m */

    /* As outlines; NULL: the kind has none. Their owner is set by whoever draws. */
    int (*outline_count)(const FilWorld* world, FilId id);
    void (*outline)(const FilView* view, const FilWorld* world, FilId id, FilOutline* outlines);
} FilShowKind;

/* One row per kind, in the order of `filum info`. */
#define FIL_SHOW_KINDS(ROW) \
    ROW(rod)                \
    ROW(rigid)              \
    ROW(arm)                \
    ROW(robot)              \
    ROW(shell)              \
    ROW(ring)               \
    ROW(solid)

#define FIL_SHOW_ID(kind) FIL_SHOW_OF_##kind,
enum { FIL_SHOW_KINDS(FIL_SHOW_ID) FIL_SHOW_COUNT };
#undef FIL_SHOW_ID

#define FIL_SHOW_DECLARATION(kind) extern const FilShowKind fil_show_##kind;
FIL_SHOW_KINDS(FIL_SHOW_DECLARATION)
#undef FIL_SHOW_DECLARATION

const FilShowKind* fil_show_kind(int index);

#endif
