/* Where the files of the page are. */
#ifndef FILUM_VIEW_PAGE_PATH_H
#define FILUM_VIEW_PAGE_PATH_H

#include "filum/filum.h"

/* Beside the installed program, else where they were built. */
FIL_MUST_CHECK bool fil_page_path(char* path, size_t size, FilError* error);

#endif
