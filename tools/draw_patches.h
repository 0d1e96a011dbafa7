/* Pressure patches in drawings: discs of the patch's area at its centre of pressure, the redder the higher the pressure. */
#ifndef FILUM_TOOLS_DRAW_PATCHES_H
#define FILUM_TOOLS_DRAW_PATCHES_H

#include <stdio.h>

#include "draw_outlines.h"

/* Of the world's last step. The page's corner is at `left` and `top` (m, in the view); `scale` is px per m. */
void fil_draw_patches(FILE* out, const FilView* view, double scale, double left, double top, const FilWorld* world);

#endif
