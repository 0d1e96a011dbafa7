/* Pictures of a run: the objects of a world at a few times, as one SVG file. */
#ifndef FILUM_TOOLS_DRAW_H
#define FILUM_TOOLS_DRAW_H

#include "filum/filum.h"

typedef struct FilDrawing FilDrawing;

/* Draws what `world` has now, seen from the direction `view` (z up; zero picks one). Allocates. */
FIL_MUST_CHECK FilStatus fil_drawing_create(const FilWorld* world, FilVec3 view, FilDrawing** drawing);
void fil_drawing_destroy(FilDrawing* drawing); /* NULL is fine */

/* Triangles of cloth and solids are coloured by how much their edges have changed since the drawing was made. */
void fil_drawing_show_strains(FilDrawing* drawing);

/* To be called before the first step and after each: remembers how the world looks at a few times, evenly spread over a
 * run of which `done` (0 to 1) is over. */
void fil_drawing_watch(FilDrawing* drawing, const FilWorld* world, double done);

/* Writes the file in one move: the world as it is now in full colour, what was remembered as ghosts that fade with age. */
FIL_MUST_CHECK FilStatus fil_drawing_write(FilDrawing* drawing, const FilWorld* world, const char* title, const char* path, FilError* error);

#endif
