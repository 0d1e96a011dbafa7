#define _GNU_SOURCE /* O_PATH */
#include "record/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

static const char* last_part(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* why a file or a folder could not be made */
static FilStatus refuse(const char* path, int reason, FilError* error)
{
    return reason == EEXIST ? fil_error(error, FIL_BAD_INPUT, "%s: exists already and is left alone", path)
                            : fil_error(error, FIL_IO, "%s: cannot be created: %s", path, strerror(reason));
}

static FilStatus open_parent(FilPlace* place, const char* path, const char* folders, FilError* error)
{
    char parent[FIL_PLACE_PATH] = ".";
    const size_t length = (size_t)(last_part(path) - path);
    if (length > 0) {
        memcpy(parent, path, length);
        parent[length] = '\0';
    }
    FilError reason;
    place->parent = fil_folder_open(parent, folders, &reason);
    return place->parent >= 0 ? FIL_OK : fil_error(error, FIL_IO, "%s: cannot be created: %s", path, reason.text);
}

/* the folder of the bag, which nobody else had */
static FilStatus make_folder(FilPlace* place, const char* extension, FilError* error)
{
    const char* name = last_part(place->directory);
    if (mkdirat(place->parent, name, 0777) != 0) {
        const FilStatus status = refuse(place->directory, errno, error);
        place->directory[0] = '\0';
        return status;
    }
    place->folder = openat(place->parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place->folder < 0) {
        return refuse(place->directory, errno, error);
    }
    snprintf(place->file, sizeof place->file, "%s/%s_0%s", place->directory, name, extension);
    return FIL_OK;
}

FilStatus fil_place_make(FilPlace* place, const char* path, const char* extension, const char* folders, FilError* error)
{
    *place = (FilPlace){.parent = -1, .folder = -1, .bound = folders != NULL};
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') {
        size -= 1;
    }
    if (size == 0 || size >= FIL_PLACE_PATH) {
        return fil_error(error, FIL_BAD_INPUT, "'%.100s': a bag needs a path of 1 to %d letters", path, FIL_PLACE_PATH - 1);
    }
    memcpy(extension != NULL ? place->directory : place->file, path, size);
    const char* name = last_part(place->directory);
    FilStatus status = FIL_OK;
    if (extension == NULL) {
        status = open_parent(place, place->file, folders, error);
        place->folder = place->parent;
    } else if (strcmp(name, "") == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        status = fil_error(error, FIL_BAD_INPUT, "%s: is not the name of a new directory", path);
    } else {
        status = open_parent(place, place->directory, folders, error);
        status = status == FIL_OK ? make_folder(place, extension, error) : status;
    }
    place->name = last_part(place->file);
    return status;
}

void fil_place_close(FilPlace* place)
{
    if (place->folder >= 0 && place->folder != place->parent) {
        close(place->folder);
    }
    if (place->parent >= 0) {
        close(place->parent);
    }
    place->parent = place->folder = -1;
}

void fil_place_remove_file(const FilPlace* place, const char* ending)
{
    char name[FIL_PLACE_PATH + 32];
    if (snprintf(name, sizeof name, "%s%s", place->name, ending) < (int)sizeof name) {
        unlinkat(place->folder, name, 0);
    }
}

void fil_place_remove_folder(const FilPlace* place)
{
    if (place->directory[0] != '\0') {
        unlinkat(place->parent, last_part(place->directory), AT_REMOVEDIR);
    }
}

FilStatus fil_place_create(const FilPlace* place, int* file, FilError* error)
{
    *file = openat(place->folder, place->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return *file >= 0 ? FIL_OK : refuse(place->file, errno, error);
}

bool fil_write_all(int file, FilSlice bytes)
{
    while (bytes.size > 0) {
        const ssize_t written = write(file, bytes.data, bytes.size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            bytes.data += written;
            bytes.size -= (size_t)written;
        }
    }
    return true;
}

FilStatus fil_place_replace(const FilPlace* place, const char* name, FilSlice bytes, FilError* error)
{
    char draft[64];
    snprintf(draft, sizeof draft, "%.50s.tmp", name);
    unlinkat(place->folder, draft, 0);  // of one that was killed, or a link that leads elsewhere
    const int file = openat(place->folder, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool good = file >= 0 && fil_write_all(file, bytes) && fsync(file) == 0;
    int reason = errno;
    if (file >= 0 && close(file) != 0 && good) {
        reason = errno;
        good = false;
    }
    if (good && renameat(place->folder, draft, place->folder, name) != 0) {
        reason = errno;
        good = false;
    }
    if (!good) {
        unlinkat(place->folder, draft, 0);
        return fil_error(error, FIL_IO, "%s/%s: cannot be written: %s", place->directory, name, strerror(reason));
    }
    return FIL_OK;
}
