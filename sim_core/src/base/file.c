#define _GNU_SOURCE /* O_PATH */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

static bool refuse(FilError* error, const char* reason)
{
    fil_error(error, FIL_IO, "%s", reason);
    return false;
}

static bool refuse_outside(FilError* error)
{
    return refuse(error, "it is not below a folder that may be used");
}

/* ---- paths ---- */

/* Absolute, without "." and "..", by its text alone; false: too long. */
static bool normalise(const char* path, char normal[PATH_MAX])
{
    size_t length = 0;
    if (*path != '/') {
        if (getcwd(normal, PATH_MAX) == NULL) {
            return false;
        }
        length = strlen(normal) > 1 ? strlen(normal) : 0;
    }
    while (*path != '\0') {
        const size_t part = strcspn(path, "/");
        if (part == 2 && strncmp(path, "..", 2) == 0) {
            while (length > 0 && normal[--length] != '/') {
            }
        } else if (part > 0 && !(part == 1 && *path == '.')) {
            if (length + part + 2 > PATH_MAX) {
                return false;
            }
            normal[length] = '/';
            memcpy(normal + length + 1, path, part);
            length += part + 1;
        }
        path += part + (path[part] == '/');
    }
    if (length == 0) {
        normal[length++] = '/';
    }
    normal[length] = '\0';
    return true;
}

/* Both are absolute and normal. */
static bool is_below(const char* path, const char* folder)
{
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Whether a normal path lies below one of the folders, as they are named or where they lead. */
static bool is_below_any(const char* path, const char* folders)
{
    while (*folders != '\0') {
        char folder[PATH_MAX], normal[PATH_MAX], real[PATH_MAX];
        const size_t length = strcspn(folders, ":");
        if (length > 0 && length < sizeof folder) {
            memcpy(folder, folders, length);
            folder[length] = '\0';
            if ((normalise(folder, normal) && is_below(path, normal)) || (realpath(folder, real) != NULL && is_below(path, real))) {
                return true;
            }
        }
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* Whether what is open lies below one of the folders. Its name is asked of the kernel, so that nobody can change a link on the way between
 * this and the opening; without /proc nothing does. */
static bool is_open_below_any(int handle, const char* folders)
{
    char name[64], real[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", handle);
    const ssize_t length = readlink(name, real, sizeof real);
    if (length <= 0 || (size_t)length == sizeof real || real[0] != '/') {
        return false;
    }
    real[length] = '\0';
    return is_below_any(real, folders);
}

/* ---- files ---- */

/* A place below one of the folders, opened as a place only, which neither waits for the other end of a pipe nor touches a device, and then
 * judged; -1 with a reason. Without folders there is nobody to be wary of, and no need of /proc. */
static int open_place(const char* path, const char* folders, int flags, FilError* error)
{
    char normal[PATH_MAX];
    if (folders != NULL && (!normalise(path, normal) || !is_below_any(normal, folders))) {
        refuse_outside(error);
        return -1;
    }
    const int place = open(path, O_PATH | O_CLOEXEC | flags);
    if (place < 0) {
        refuse(error, strerror(errno));
    } else if (folders != NULL && !is_open_below_any(place, folders)) {
        refuse_outside(error);
        close(place);
        return -1;
    }
    return place;
}

int fil_folder_open(const char* path, const char* folders, FilError* error)
{
    return open_place(path, folders, O_DIRECTORY, error);
}

/* A plain file below one of the folders, opened for reading: this very file that was judged, by its handle; -1 with a reason. */
static int open_plain(const char* path, const char* folders, FilError* error)
{
    char name[64];
    const int place = open_place(path, folders, 0, error);
    if (place < 0) {
        return -1;
    }
    int handle = -1;
    struct stat about;
    if (fstat(place, &about) != 0) {
        refuse(error, strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        refuse(error, "it is not a plain file");
    } else {
        snprintf(name, sizeof name, "/proc/self/fd/%d", place);
        handle = open(folders != NULL ? name : path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (handle < 0) {
            refuse(error, strerror(errno));
        }
    }
    close(place);
    return handle;
}

FILE* fil_file_open(const char* path, const char* folders, FilError* error)
{
    const int handle = open_plain(path, folders, error);
    FILE* file = handle >= 0 ? fdopen(handle, "rb") : NULL;
    if (handle >= 0 && file == NULL) {
        refuse(error, strerror(errno));
        close(handle);
    }
    return file;
}

FilStatus fil_file_load(const char* path, const char* folders, size_t max, char** bytes, size_t* size, FilError* error)
{
    FilError reason;
    FILE* file = fil_file_open(path, folders, &reason);
    if (file == NULL) {
        return fil_error(error, FIL_IO, "%s: cannot be opened: %s", path, reason.text);
    }
    FilStatus status = FIL_OK;
    long length = -1;
    if (fseek(file, 0, SEEK_END) != 0 || (length = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0) {
        status = fil_error(error, FIL_IO, "%s: cannot be read: not a plain file", path);
    } else if ((size_t)length > max) {
        status = fil_error(error, FIL_BAD_INPUT, "%s: the file has %ld bytes, more than the %zu allowed", path, length, max);
    } else if ((*bytes = fil_alloc((size_t)length + 1, 1)) == NULL) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "%s: no memory for its %ld bytes", path, length);
    } else if (fread(*bytes, 1, (size_t)length, file) != (size_t)length) {
        status = fil_error(error, FIL_IO, "%s: cannot be read to its end", path);
    }
    *size = length > 0 ? (size_t)length : 0;
    fclose(file);
    return status;
}

bool fil_file_check(const char* path, const char* folders, FilError* error)
{
    const int handle = open_plain(path, folders, error);
    if (handle >= 0) {
        close(handle);
    }
    return handle >= 0;
}

bool fil_file_may_make(const char* path, const char* folders, FilError* error)
{
    char normal[PATH_MAX], real[PATH_MAX];
    if (!normalise(path, normal) || !is_below_any(normal, folders)) {
        return refuse_outside(error);
    }
    // the deepest folder on the way that exists: links may lead it elsewhere
    for (char* end = strrchr(normal, '/'); end != NULL; end = strrchr(normal, '/')) {
        *end = '\0';
        if (realpath(*normal != '\0' ? normal : "/", real) != NULL) {
            return is_below_any(real, folders) || refuse_outside(error);
        }
        if (errno != ENOENT) {
            return refuse_outside(error);
        }
    }
    return refuse_outside(error);
}
