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

/* Where the path leads; false with a reason: outside of the folders, nowhere, or not to a file. */
static bool resolve(const char* path, const char* folders, char real[PATH_MAX], FilError* error)
{
    char normal[PATH_MAX];
    if (folders != NULL && (!normalise(path, normal) || !is_below_any(normal, folders))) {
        return refuse_outside(error);
    }
    if (realpath(path, real) == NULL) {
        return refuse(error, strerror(errno));
    }
    struct stat about;
    if (folders != NULL && !is_below_any(real, folders)) {
        return refuse_outside(error);
    }
    if (stat(real, &about) != 0) {
        return refuse(error, strerror(errno));
    }
    return S_ISREG(about.st_mode) || refuse(error, "it is not a plain file");
}

/* ---- files ---- */

FILE* fil_file_open(const char* path, const char* folders, FilError* error)
{
    char real[PATH_MAX];
    if (!resolve(path, folders, real, error)) {
        return NULL;
    }
    // whatever has taken its place since is not waited for, and not followed if it is a link
    const int handle = open(real, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
    struct stat about;
    if (handle < 0 || fstat(handle, &about) != 0) {
        refuse(error, strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        refuse(error, "it is not a plain file");
    } else {
        FILE* file = fdopen(handle, "rb");
        if (file != NULL) {
            return file;
        }
        refuse(error, strerror(errno));
    }
    if (handle >= 0) {
        close(handle);
    }
    return NULL;
}

FilStatus fil_file_load(const char* path, size_t most, char** bytes, size_t* size, FilError* error)
{
    FilError reason;
    FILE* file = fil_file_open(path, NULL, &reason);
    if (file == NULL) {
        return fil_error(error, FIL_IO, "%s: cannot be opened: %s", path, reason.text);
    }
    FilStatus status = FIL_OK;
    long length = -1;
    if (fseek(file, 0, SEEK_END) != 0 || (length = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0) {
        status = fil_error(error, FIL_IO, "%s: cannot be read: not a plain file", path);
    } else if ((size_t)length > most) {
        status = fil_error(error, FIL_BAD_INPUT, "%s: the file has %ld bytes, more than the %zu allowed", path, length, most);
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
    char real[PATH_MAX];
    if (!resolve(path, folders, real, error)) {
        return false;
    }
    return access(real, R_OK) == 0 || refuse(error, strerror(errno));
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
