/* Files that are read: regular ones only, and where folders are given, only what lies below one of them. Folders that files are made in. */
#ifndef FILUM_BASE_FILE_H
#define FILUM_BASE_FILE_H

#include <stdio.h>

#include "filum/base.h"

/* Opens a file for reading; NULL with the reason in `error`, without the path. A pipe would wait for a writer and a device may
 * do anything, so neither is opened. `folders` are separated by colons; NULL: any will do. Links count by where they lead, and
 * what lies outside is refused in the same words whether it exists or not. */
FIL_MUST_CHECK FILE* fil_file_open(const char* path, const char* folders, FilError* error);

/* All of a file below one of `folders`, or NULL, at most `max` bytes, for fil_free(), with a zero behind its end; the error names the path. `*bytes`
 * may be set where it fails, too.
 */
FIL_MUST_CHECK FilStatus fil_file_load(const char* path, const char* folders, size_t max, char** bytes, size_t* size, FilError* error);

/* Whether it could be opened. */
FIL_MUST_CHECK bool fil_file_check(const char* path, const char* folders, FilError* error);

/* A handle of a folder below one of `folders`, or NULL, to name files relative to it; -1 with the reason. */
FIL_MUST_CHECK int fil_folder_open(const char* path, const char* folders, FilError* error);

/* Whether a file that is yet to be made, and the folders on its way, would lie below one of `folders`. */
FIL_MUST_CHECK bool fil_file_may_make(const char* path, const char* folders, FilError* error);

#endif
