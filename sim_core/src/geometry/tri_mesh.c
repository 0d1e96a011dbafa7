#include "geometry/tri_mesh.h"

#include "base/error.h"
#include "base/memory.h"

void fil_tri_mesh_destroy(FilTriMesh* mesh)
{
    if (mesh != NULL) {
        fil_mesh_free(&mesh->mesh);
        fil_boundary_free(&mesh->boundary);
        fil_free(mesh);
    }
}

FilStatus fil_tri_mesh_create(FilMesh* mesh, const char* name, FilTriMesh** out, FilError* error)
{
    FilTriMesh* made = fil_alloc(1, sizeof *made);
    *out = NULL;
    if (made == NULL) {
        fil_mesh_free(mesh);
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    made->mesh = *mesh;
    *mesh = (FilMesh){0};
    const FilStatus status = fil_boundary_of_mesh(&made->mesh, name, &made->boundary, error);
    if (status != FIL_OK) {
        fil_tri_mesh_destroy(made);
        return status;
    }
    made->mass = fil_mass_of_mesh(&made->mesh);
    *out = made;
    return FIL_OK;
}
