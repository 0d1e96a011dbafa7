/* What a drawing fills, as the view sees it: faces and silhouettes of shapes, balls, and triangles of sheets. */
#ifndef FILUM_TOOLS_DRAW_OUTLINES_H
#define FILUM_TOOLS_DRAW_OUTLINES_H

#include "view/show.h"

/* Of a circle: within 0.12 % of its radius, 1 - cos(pi/64). */
enum { FIL_OUTLINE_CORNERS = 64 };

typedef enum FilOutlineForm {
    FIL_OUTLINE_SILHOUETTE, /* of a convex shape */
    FIL_OUTLINE_FACE,       /* of a shape, flat */
    FIL_OUTLINE_BALL,
    FIL_OUTLINE_TUBE,  /* with round ends */
    FIL_OUTLINE_SHEET, /* a triangle that is seen from both sides */
} FilOutlineForm;

/* A part that is filled at once. */
typedef struct FilOutline {
    FilOutlineForm form;
    double corner[2 * FIL_OUTLINE_CORNERS]; /* m: right, up */
    double depth;                           /* m towards the viewer, of its middle */
    int owner;                              /* the object, counted through all that are shown: what colour it has */
    bool moves;                             /* is not static */
    bool hidden;                            /* a face that is turned away */
    bool behind;                            /* painted before all that moves: static, and too large to be sorted by its middle */
    bool colored;                           /* has a colour of its own */
    FilColor color;
    double normal[3];       /* of a face or triangle, towards the viewer: right, up, toward */
    double ends[4], radius; /* m: of a ball its middle, of a tube both ends */
    double edges[3];        /* m, of a triangle of a sheet */
    double strain;          /* of a triangle of a sheet: its edge that has changed most; filled in by the drawing */
} FilOutline;

/* An orthographic view: unit vectors of the page, and towards the viewer. */
typedef struct FilView {
    double right[3], up[3], toward[3];
} FilView;

/* The outlines of an object's shapes, but for half-spaces and for disks of a smooth body, and of the triangles of its surface; returns
 * how many, always the same for an object. `out` may be NULL to count only. Their owner is left to the caller. */
int fil_outline_object(const FilView* view, const FilShowKind* kind, const FilWorld* world, FilId id, FilOutline* out);

#endif
