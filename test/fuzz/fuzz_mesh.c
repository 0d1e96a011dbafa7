/* libFuzzer harness of the readers of triangles: any bytes give a mesh that holds what it promises, or an error that says why. The
 * first byte chooses the format. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "geometry/mesh.h"
#include "scene/collada.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    FilMesh mesh;
    FilError error = {""};
    if (size == 0) {
        return 0;
    }
    const FilStatus status = (data[0] & 2) != 0   ? fil_collada_read_text("fuzz.dae", (const char*)data + 1, size - 1, &mesh, &error)
                             : (data[0] & 1) != 0 ? fil_mesh_read_stl("fuzz.stl", data + 1, size - 1, 1.0, &mesh, &error)
                                                  : fil_mesh_read_obj("fuzz.obj", data + 1, size - 1, 1.0, &mesh, &error);
    if (status != FIL_OK) {
        check(error.text[0] != '\0' && mesh.vertices == NULL && mesh.triangles == NULL);
        return 0;
    }
    check(mesh.triangle_count > 0 && mesh.vertex_count >= 3);
    for (int k = 0; k < 3 * mesh.vertex_count; k++) {
        check(isfinite(mesh.vertices[k]));
    }
    for (int t = 0; t < mesh.triangle_count; t++) {
        const int* at = mesh.triangles + 3 * t;
        for (int k = 0; k < 3; k++) {
            check(at[k] >= 0 && at[k] < mesh.vertex_count);
        }
    }
    fil_mesh_free(&mesh);
    return 0;
}
