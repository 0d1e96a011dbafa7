/* libFuzzer harness of the readers of tetrahedra: any bytes give a mesh that holds what it promises, or an error that
 * says why. The first byte chooses the format. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "geometry/tet_file.h"
#include "geometry/tet_quality.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_mesh(const FilTetMesh* mesh)
{
    FilTetQuality quality;
    check(mesh->tet_count > 0 && mesh->vertex_count >= 4 && mesh->triangle_count >= 4);
    check(fil_tet_mesh_quality(mesh, &quality, NULL) == FIL_OK);
    check(quality.min_volume > 0.0 && quality.min_dihedral >= 0.0 && isfinite(quality.volume) && quality.pieces > 0);
    for (int t = 0; t < mesh->tet_count; t++) {
        for (int k = 0; k < 4; k++) {
            // neighbours know each other
            const int other = mesh->neighbours[4 * t + k];
            bool found = other < 0;
            for (int j = 0; !found && j < 4; j++) {
                found = mesh->neighbours[4 * other + j] == t;
            }
            check(found && mesh->tets[4 * t + k] >= 0 && mesh->tets[4 * t + k] < mesh->vertex_count);
        }
    }
    for (int k = 0; k < mesh->triangle_count; k++) {
        check(mesh->triangle_tets[k] >= 0 && mesh->triangle_tets[k] < mesh->tet_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    FilTetMesh mesh;
    FilError error = {""};
    if (size == 0) {
        return 0;
    }
    const FilStatus status = (data[0] & 1) != 0 ? fil_tet_read_vtk("fuzz.vtk", data + 1, size - 1, 1.0, &mesh, &error)
                                                : fil_tet_read_gmsh("fuzz.msh", data + 1, size - 1, 1.0, &mesh, &error);
    if (status == FIL_OK) {
        check_mesh(&mesh);
    } else {
        check(error.text[0] != '\0' && mesh.tets == NULL);
    }
    fil_tet_mesh_free(&mesh);
    return 0;
}
