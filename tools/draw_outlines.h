/* Outlines of what a drawing fills: convex shapes, and triangles of sheets. */
#ifndef FILUM_TOOLS_DRAW_OUTLINES_H
#define FILUM_TOOLS_DRAW_OUTLINES_H

#include "filum/filum.h"

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

/* A shape in the frame (position, orientation) of what it belongs to. Half-spaces have no outline. */
void fil_outline_shape(const FilView* view, const FilShapeDef* shape, FilVec3 position, FilQuat orientation, bool moves,
                       FilOutline* out);

/* A triangle of a sheet; the outline's other corners are its last one. */
void fil_outline_triangle(const FilView* view, double corners[3][3], FilOutline* out);

#endif
