#include "geometry/tet_file.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

FilStatus fil_tet_read(const char* path, const char* folders, double scale, FilTetMesh* mesh, FilError* error)
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
    FilStatus status = fil_file_load(path, folders, FIL_TET_MAX_BYTES, &bytes, &size, error);
    if (status == FIL_OK) {
        status = vtk ? fil_tet_read_vtk(path, bytes, size, scale, mesh, error) : fil_tet_read_gmsh(path, bytes, size, scale, mesh, error);
    }
    fil_free(bytes);
    return status;
}
