/* Frames of a run, kept to be shown in any order: one thread adds them, others look. When they take too much memory every second
 * one goes, and from then on fewer are kept: a film of any length fits, at a rate that falls with it. */
#ifndef FILUM_VIEW_FILM_H
#define FILUM_VIEW_FILM_H

#include "view/frame.h"

typedef struct FilFilm FilFilm;

FilFilm* fil_film_create(double period, size_t limit); /* s between frames; bytes; NULL: out of memory */
void fil_film_destroy(FilFilm* film);                  /* NULL is fine */

/* Whether a frame at that time (s) would be kept: so that it is made only then. */
bool fil_film_wants(FilFilm* film, double time);
/* Times increase; the bytes are copied. FIL_OUT_OF_MEMORY leaves the film as it was. */
FIL_MUST_CHECK FilStatus fil_film_add(FilFilm* film, double time, const void* bytes, size_t size);
void fil_film_clear(FilFilm* film);
/* Adds the world as it is now, if a frame is due; a world that was reset begins a new film. `frame`: room to be used again. */
FIL_MUST_CHECK FilStatus fil_film_take(FilFilm* film, const FilWorld* world, FilViewFrame* frame);

int fil_film_count(FilFilm* film);
double fil_film_end(FilFilm* film);             /* s, of the last frame; 0 before the first */
double fil_film_time(FilFilm* film, int index); /* s; NaN: there is none such */
int fil_film_at(FilFilm* film, double time);    /* the last frame not after a time; -1: none */
/* Copies a frame into `*bytes`, which grows as needed; its size, 0 if there is none such or memory is out. */
size_t fil_film_copy(FilFilm* film, int index, unsigned char** bytes, size_t* capacity);

#endif
