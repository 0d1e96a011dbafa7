/* Outlines of what a drawing fills: shapes of rigid bodies and of robots' links, the disks of soft arms, and the
 * triangles of shells. */
#ifndef FILUM_TOOLS_DRAW_OUTLINES_H
#define FILUM_TOOLS_DRAW_OUTLINES_H

#include "filum/filum.h"

enum { FIL_OUTLINE_CORNERS = 64 };

/* A convex shape as the view sees it. */
typedef struct FilOutline {
    double corner[2 * FIL_OUTLINE_CORNERS]; /* m: right, up */
    double depth;                           /* m towards the viewer, of its middle */
    int owner;                              /* rigid body, arm, robot or shell, counted through all: what colour it has */
    bool moves;                             /* is not static */
    bool sheet;                             /* is a triangle of a shell */
    double normal[3];                       /* of a triangle, towards the viewer: right, up, toward */
} FilOutline;

/* How many outlines a world has: all shapes but half-spaces, and triangles. */
int fil_outline_count(const FilWorld* world);

/* All of them, as seen with these unit vectors. */
void fil_outlines_see(const FilWorld* world, const double* right, const double* up, const double* toward,
                      FilOutline* outlines);

#endif
