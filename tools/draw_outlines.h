/* Outlines of what a drawing fills: convex shapes, and triangles of sheets. */
#ifndef FILUM_TOOLS_DRAW_OUTLINES_H
#define FILUM_TOOLS_DRAW_OUTLINES_H

#include "view/show.h"

enum { FIL_OUTLINE_CORNERS = 64 };

/* A convex shape as the view sees it. */
typedef struct FilOutline {
    double corner[2 * FIL_OUTLINE_CORNERS]; /* m: right, up */
    double depth;                           /* m towards the viewer, of its middle */
    int owner;                              /* the object, counted through all: what colour it has */
    bool moves;                             /* is not static */
    bool sheet;                             /* is a triangle of a sheet */
    double normal[3];                       /* of a triangle, towards the viewer: right, up, toward */
} FilOutline;

/* An orthographic view: unit vectors of the page, and towards the viewer. */
typedef struct FilView {
    double right[3], up[3], toward[3];
} FilView;

/* The outlines of an object's shapes, but for half-spaces, and of the triangles of its surface; returns how many. `out` may be
 * NULL to count only. Their owner is left to the caller. */
int fil_outline_object(const FilView* view, const FilShowKind* kind, const FilWorld* world, FilId id, FilOutline* out);

#endif
