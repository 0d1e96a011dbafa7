/* Filled parts of drawings: the ground, faces of shapes, balls and triangles of sheets and solids, shaded by one light. */
#ifndef FILUM_TOOLS_DRAW_SHAPES_H
#define FILUM_TOOLS_DRAW_SHAPES_H

#include "draw_page.h"

/* Half-spaces that face the viewer, as a plate with a grid below everything else. */
void fil_draw_ground(FILE* out, const FilView* view, const FilPage* page, const FilWorld* world);

/* What is filled; `ghost`: as a line. */
void fil_draw_outline(FILE* out, const FilPage* page, const FilOutline* outline);
void fil_draw_ghost(FILE* out, const FilPage* page, const FilOutline* outline);

/* What the colours of strains mean, beside the footer. */
void fil_draw_strain_scale(FILE* out, const FilPage* page, double x, double y);

#endif
