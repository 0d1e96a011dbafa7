#include "geometry/mesh.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/vec3.h"
#include "geometry/mass.h"

void fil_mesh_free(FilMesh* mesh)
{
    fil_free(mesh->vertices);
    fil_free(mesh->triangles);
    *mesh = (FilMesh){0};
}

// an edge of a triangle, its ends sorted; `forward` when the triangle runs from lo to hi
typedef struct HalfEdge {
    int lo, hi;
    int triangle;
    bool forward;
} HalfEdge;

static int by_ends(const void* a, const void* b)
{
    const HalfEdge *x = a, *y = b;
    return fil_order_three(x->lo, y->lo, x->hi, y->hi, x->triangle, y->triangle);
}

// every run of equal ends must be one edge forward and one back
static FilStatus check_edges(const HalfEdge* edges, int count, const FilMesh* mesh, const char* name, FilError* error)
{
    for (int i = 0; i < count;) {
        int end = i + 1;
        while (end < count && edges[end].lo == edges[i].lo && edges[end].hi == edges[i].hi) {
            end++;
        }
        const double* p = mesh->vertices + 3 * edges[i].lo;
        const double* q = mesh->vertices + 3 * edges[i].hi;
        if (end - i != 2) {
            return fil_error(error, FIL_BAD_INPUT,
                             "%s: the mesh is not closed: %d triangle%s (of them number %d) at the edge from "
                             "(%g, %g, %g) to (%g, %g, %g), where there must be 2",
                             name, end - i, end - i == 1 ? "" : "s", edges[i].triangle + 1, p[0], p[1], p[2], q[0], q[1], q[2]);
        }
        if (edges[i].forward == edges[i + 1].forward) {
            return fil_error(error, FIL_BAD_INPUT,
                             "%s: triangles %d and %d face opposite ways across the edge from (%g, %g, %g) to "
                             "(%g, %g, %g): turn one of them",
                             name, edges[i].triangle + 1, edges[i + 1].triangle + 1, p[0], p[1], p[2], q[0], q[1], q[2]);
        }
        i = end;
    }
    return FIL_OK;
}

FilStatus fil_mesh_check_solid(const FilMesh* mesh, const char* name, FilError* error)
{
    const int count = 3 * mesh->triangle_count;
    if (mesh->triangle_count < 4) {
        return fil_error(error, FIL_BAD_INPUT, "%s: a solid needs at least 4 triangles, not %d", name, mesh->triangle_count);
    }
    HalfEdge* edges = fil_alloc((size_t)count, sizeof *edges);
    if (edges == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: no memory to check %d triangles", name, mesh->triangle_count);
    }
    for (int i = 0; i < count; i++) {
        const int from = mesh->triangles[i], to = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        const bool forward = from < to;
        edges[i] = (HalfEdge){forward ? from : to, forward ? to : from, i / 3, forward};
    }
    qsort(edges, (size_t)count, sizeof *edges, by_ends);
    FilStatus status = check_edges(edges, count, mesh, name, error);
    fil_free(edges);
    if (status == FIL_OK) {
        const double volume = fil_mass_of_mesh(mesh).volume;
        if (volume < 0.0) {
            status = fil_error(error, FIL_BAD_INPUT, "%s: the mesh is inside out (volume %g m^3): turn all triangles over", name, volume);
        } else if (!(volume > 0.0)) {
            status = fil_error(error, FIL_BAD_INPUT, "%s: the mesh encloses no volume", name);
        }
    }
    return status;
}
