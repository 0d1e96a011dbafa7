/* Where a bag is made, by handles of its folders: whoever changes a link on its path meanwhile leads it nowhere else. */
#ifndef FILUM_RECORD_PLACE_H
#define FILUM_RECORD_PLACE_H

#include "filum/base.h"
#include "record/bytes.h"

/* Half of Linux's PATH_MAX, since folder and file are joined. */
enum { FIL_PLACE_PATH = 2048 };

typedef struct FilPlace {
    int parent;                         /* handle of the folder that the bag is made in */
    int folder;                         /* handle of the one that its files are made in: its own, or the parent */
    bool bound;                         /* to folders: its path must not be followed again */
    char directory[FIL_PLACE_PATH];     /* the bag's own folder as it was named; "" for a single file */
    char file[2 * FIL_PLACE_PATH + 16]; /* the path of its file, for messages, and for those who are not bound */
    const char* name;                   /* the last part of that, in `folder` */
} FilPlace;

/* Makes a new folder `path`, for a file named after it, with this extension; without one `path` is the file itself, which is not made
 * yet. `folders` as for fil_file_open(), NULL: anywhere. Close it, also when it fails. */
FIL_MUST_CHECK FilStatus fil_place_make(FilPlace* place, const char* path, const char* extension, const char* folders, FilError* error);
void fil_place_close(FilPlace* place);

/* Removes the file, or what lies beside it with a longer name; removes the folder that was made, if it is empty. */
void fil_place_remove_file(const FilPlace* place, const char* ending);
void fil_place_remove_folder(const FilPlace* place);

/* Creates the file, for writing; fails where there is one, or a link, whether it leads anywhere or not. */
FIL_MUST_CHECK FilStatus fil_place_create(const FilPlace* place, int* file, FilError* error);

/* Writes a small file beside it in one move: whoever looks sees the old one or the whole new one. */
FIL_MUST_CHECK FilStatus fil_place_replace(const FilPlace* place, const char* name, FilSlice bytes, FilError* error);

/* All of the bytes, to a file that is open; false with errno. */
bool fil_write_all(int file, FilSlice bytes);

#endif
