/* How objects look to those who draw them: colours, what is not to be seen, and shapes to be seen instead of those that collide. The
 * physics does not depend on any of it, and it is no part of the state. */
#ifndef FILUM_LOOK_H
#define FILUM_LOOK_H

#include "filum/base.h"
#include "filum/rigid.h"

FIL_API_BEGIN

/* Each from 0 to 1; an alpha of 0 cannot be seen. */
typedef struct FilColor {
    double r, g, b, a; /* red, green, blue, alpha */
} FilColor;

/* "#rgb", "#rrggbb" or "#rrggbbaa", with or without '#', or a name of CSS such as "steelblue"; false: it is none. */
bool fil_color_parse(const char* text, FilColor* color);

/* How an object is drawn. */
typedef struct FilLook {
    bool visible; /* false: it is not drawn */
    bool colored; /* false: those who draw choose a colour */
    FilColor color;
} FilLook;

FilLook fil_look_default(void); /* visible, no colour of its own */

/* Of an object: a rod, a rigid body, an arm, a link, a shell, a ring, a solid. */
FIL_MUST_CHECK FilStatus fil_world_set_look(FilWorld* world, FilId object, const FilLook* look);
FilLook fil_world_look(const FilWorld* world, FilId object);

/* A shape to be seen, in the frame of its body or link. What has such shapes is shown by them and not by those that collide. */
typedef struct FilVisual {
    FilShapeDef shape; /* a MESH has points and triangles, its `file` is not read; HALF_SPACE and REVOLUTION are none */
    bool colored;      /* false: as the object is */
    FilColor color;
} FilVisual;

/* Adds one to a rigid body or a link; arrays are copied. */
FIL_MUST_CHECK FilStatus fil_world_add_visual(FilWorld* world, FilId object, const FilVisual* visual);
int fil_world_visual_count(const FilWorld* world, FilId object);
FilVisual fil_world_visual(const FilWorld* world, FilId object, int index);

FIL_API_END

#endif
