/* Where pictures go: a file, numbered files in a folder, or ffmpeg, which makes a film of them. Nothing is left half done: a film or
 * picture gets its name when it is whole. */
#ifndef FILUM_TOOLS_FILM_FILE_H
#define FILUM_TOOLS_FILM_FILE_H

#include "filum/filum.h"

typedef struct FilFilmFile FilFilmFile;

/* By the path's end: .png takes one picture; .mp4, .webm and .gif become films of `rate` pictures a second; others are folders. */
FIL_MUST_CHECK FilStatus fil_film_file_open(const char* path, double rate, FilFilmFile** file, FilError* error);
bool fil_film_file_takes_one(const FilFilmFile* file);
FIL_MUST_CHECK FilStatus fil_film_file_add(FilFilmFile* file, const unsigned char* png, size_t size, FilError* error);
int fil_film_file_count(const FilFilmFile* file);
/* `keep`: the film is whole; else what was begun is removed, but for pictures in a folder. NULL is fine. */
FIL_MUST_CHECK FilStatus fil_film_file_close(FilFilmFile* file, bool keep, FilError* error);

#endif
