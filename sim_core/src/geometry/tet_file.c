#include "geometry/tet_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

static FilStatus read_file(const char* path, char** bytes, size_t* size, FilError* error)
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
    } else if ((size_t)length > FIL_TET_MAX_BYTES) {
        status = fil_error(error, FIL_BAD_INPUT, "%s: the file has %ld bytes, more than the %zu allowed", path, length,
                           FIL_TET_MAX_BYTES);
    } else if ((*bytes = fil_alloc((size_t)length + 1, 1)) == NULL) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "%s: no memory for its %ld bytes", path, length);
    } else if (fread(*bytes, 1, (size_t)length, file) != (size_t)length) {
        status = fil_error(error, FIL_IO, "%s: cannot be read to its end", path);
    }
    *size = length > 0 ? (size_t)length : 0;
    fclose(file);
    return status;
}

FilStatus fil_tet_read(const char* path, double scale, FilTetMesh* mesh, FilError* error)
{
    *mesh = (FilTetMesh){0};
    const size_t length = strlen(path);
    const char* ending = length >= 4 ? path + length - 4 : "";
    const bool vtk = strcasecmp(ending, ".vtk") == 0;
    if (!vtk && strcasecmp(ending, ".msh") != 0) {
        return fil_error(error, FIL_BAD_INPUT, "%s: files of tetrahedra end in .vtk or .msh", path);
    }
    char* bytes = NULL;
    size_t size = 0;
    FilStatus status = read_file(path, &bytes, &size, error);
    if (status == FIL_OK) {
        status = vtk ? fil_tet_read_vtk(path, bytes, size, scale, mesh, error)
                     : fil_tet_read_gmsh(path, bytes, size, scale, mesh, error);
    }
    fil_free(bytes);
    return status;
}
