/* Pictures of a film, taken by the page itself in a browser without a window: what is shown is sent back as PNG. */
#ifndef FILUM_TOOLS_CAMERA_ROLL_H
#define FILUM_TOOLS_CAMERA_ROLL_H

#include "view/film.h"

typedef struct FilCameraRoll FilCameraRoll;

typedef struct FilCameraRollDef {
    FilFilm* film;
    const char* description; /* of fil_view_describe() */
    size_t description_size;
    const char* look; /* of the page: "view=side&zoom=2&dark&size=1280x720" */
} FilCameraRollDef;

/* Serves the page and starts a browser: what FILUM_BROWSER names, or chromium, chromium-browser, google-chrome. */
FIL_MUST_CHECK FilStatus fil_camera_roll_open(const FilCameraRollDef* def, FilCameraRoll** roll, FilError* error);
void fil_camera_roll_close(FilCameraRoll* roll); /* NULL is fine */

/* The picture of a frame; it is valid until the next. */
FIL_MUST_CHECK FilStatus fil_camera_roll_take(FilCameraRoll* roll, int frame, const unsigned char** png, size_t* size, FilError* error);

#endif
