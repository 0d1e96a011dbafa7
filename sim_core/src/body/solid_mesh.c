/* What a solid needs to know of its mesh: elements, surface, the tangent's pattern, masses. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "body/solid.h"

/* Pairs of an element's vertices in the order of FIL_SOLID_BLOCKS. */
static const int pairs[FIL_SOLID_BLOCKS][2] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 3}};

static bool build_elements(FilSolidBody* body, int* bad)
{
    const FilTetMesh* mesh = &body->mesh;
    for (int e = 0; e < mesh->tet_count; e++) {
        const double* corners[4];
        for (int k = 0; k < 4; k++) {
            corners[k] = mesh->vertices + 3 * mesh->tets[4 * e + k];
        }
        if (!fil_solid_element_make(corners, &body->elements[e])) {
            *bad = e;
            return false;
        }
    }
    for (int b = 0; b < body->batch_count; b++) {
        const int first = FIL_SOLID_LANES * b, left = mesh->tet_count - first;
        fil_solid_batch_make(body->elements + first, mesh->tets + 4 * first, left < FIL_SOLID_LANES ? left : FIL_SOLID_LANES, &body->batches[b]);
    }
    return true;
}

/* ---- the surface ---- */

static int by_pair(const void* a, const void* b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static bool build_surface(FilSolidBody* body)
{
    const FilTetMesh* mesh = &body->mesh;
    const int sides = 3 * mesh->triangle_count;
    int* place = fil_alloc((size_t)mesh->vertex_count, sizeof(int));
    body->surface = fil_alloc((size_t)mesh->vertex_count, sizeof(int));
    body->surface_triangles = fil_alloc((size_t)sides, sizeof(int));
    body->surface_edges = fil_alloc(2 * (size_t)sides, sizeof(int));
    if (place == NULL || body->surface == NULL || body->surface_triangles == NULL || body->surface_edges == NULL) {
        fil_free(place);
        return false;
    }
    for (int k = 0; k < sides; k++) {
        place[mesh->triangles[k]] = 1;
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (place[v] != 0) {
            place[v] = body->surface_count;
            body->surface[body->surface_count++] = v;
        }
    }
    // each edge has two triangles: sort, keep one of each
    int* edges = body->surface_edges;
    for (int k = 0; k < sides; k++) {
        const int a = place[mesh->triangles[k]], b = place[mesh->triangles[k % 3 == 2 ? k - 2 : k + 1]];
        body->surface_triangles[k] = a;
        edges[2 * k] = a < b ? a : b;
        edges[2 * k + 1] = a < b ? b : a;
    }
    qsort(edges, (size_t)sides, 2 * sizeof(int), by_pair);
    for (int k = 0; k < sides; k++) {
        if (body->edge_count == 0 || by_pair(edges + 2 * k, edges + 2 * body->edge_count - 2) != 0) {
            memmove(edges + 2 * body->edge_count++, edges + 2 * k, 2 * sizeof(int));
        }
    }
    fil_free(place);
    return true;
}

/* ---- the tangent's pattern ---- */

/* Marks rows below the diagonal of column v: vertices that share an edge with it, with nodal pressure those that share an edge with
 * such a one too. Returns how many are new; writes them to `rows` unless NULL. */
static int mark_rows(const FilSolidBody* body, int v, int around, int* mark, int* rows)
{
    const FilTetMesh* mesh = &body->mesh;
    int count = 0;
    for (int k = mesh->link_start[around]; k < mesh->link_start[around + 1]; k++) {
        const int u = mesh->links[k];
        if (u > v && mark[u] != v + 1) {
            mark[u] = v + 1;
            if (rows != NULL) {
                rows[count] = u;
            }
            count++;
        }
        if (around == v && body->nodal) {
            count += mark_rows(body, v, u, mark, rows != NULL ? rows + count : NULL);
        }
    }
    return count;
}

/* The same of what chambers need besides. */
static int mark_siblings(const FilSolidBody* body, int v, int* mark, int* rows)
{
    int count = 0;
    for (int k = 0; k < body->chambers.sibling_count; k++) {
        const int *pair = body->chambers.siblings + 2 * k, low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] + pair[1] - low;
        if (low == v && mark[high] != v + 1) {
            mark[high] = v + 1;
            if (rows != NULL) {
                rows[count] = high;
            }
            count++;
        }
    }
    return count;
}

static int by_number(const void* a, const void* b)
{
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

/* The diagonal, then the rows below it, which rise. */
static bool build_columns(FilSolidBody* body)
{
    const int vertices = body->mesh.vertex_count;
    int* mark = fil_alloc((size_t)vertices, sizeof(int));
    body->block_start = fil_alloc((size_t)vertices + 1, sizeof(int));
    bool ok = mark != NULL && body->block_start != NULL;
    for (int v = 0; v < vertices && ok; v++) {
        body->block_start[v + 1] = body->block_start[v] + 1 + mark_rows(body, v, v, mark, NULL);
        body->block_start[v + 1] += mark_siblings(body, v, mark, NULL);
    }
    if (ok) {
        memset(mark, 0, sizeof(int) * (size_t)vertices);
    }
    body->block_count = ok ? body->block_start[vertices] : 0;
    body->block_column = ok ? fil_alloc((size_t)body->block_count, sizeof(int)) : NULL;
    body->block_row = ok ? fil_alloc((size_t)body->block_count, sizeof(int)) : NULL;
    ok = ok && body->block_column != NULL && body->block_row != NULL;
    for (int v = 0; v < vertices && ok; v++) {
        const int first = body->block_start[v], count = body->block_start[v + 1] - first;
        for (int k = first; k < first + count; k++) {
            body->block_column[k] = v;
        }
        body->block_row[first] = v;
        const int linked = mark_rows(body, v, v, mark, body->block_row + first + 1);
        mark_siblings(body, v, mark, body->block_row + first + 1 + linked);
        qsort(body->block_row + first, (size_t)count, sizeof(int), by_number);
    }
    fil_free(mark);
    return ok;
}

static bool build_pattern(FilSolidBody* body)
{
    if (!build_columns(body)) {
        return false;
    }
    const FilBlockPattern pattern = {body->mesh.vertex_count, body->block_start, body->block_row};
    fil_solid_place_pressure(body, &pattern);
    fil_chambers_place(&body->chambers, &pattern);
    for (int b = 0; b < body->batch_count; b++) {
        const FilSolidBatch* batch = &body->batches[b];
        int* slots = body->batch_slots + (size_t)(FIL_SOLID_BLOCKS * FIL_SOLID_LANES) * (size_t)b;
        for (int k = 0; k < FIL_SOLID_BLOCKS; k++) {
            for (int lane = 0; lane < batch->count; lane++) {
                slots[FIL_SOLID_LANES * k + lane] = fil_block_find(&pattern, batch->vertex[pairs[k][0]][lane], batch->vertex[pairs[k][1]][lane]);
            }
        }
    }
    return true;
}

static void add_masses(FilSolidBody* body)
{
    for (int e = 0; e < body->mesh.tet_count; e++) {
        const FilSolidMass mass = fil_solid_element_mass(&body->elements[e], body->density, body->lumped);
        const int* slots = body->batch_slots + (size_t)(FIL_SOLID_BLOCKS * FIL_SOLID_LANES) * (size_t)(e / FIL_SOLID_LANES) + e % FIL_SOLID_LANES;
        for (int k = 0; k < FIL_SOLID_BLOCKS; k++) {
            body->block_mass[slots[FIL_SOLID_LANES * k]] += pairs[k][0] == pairs[k][1] ? mass.own : mass.other;
        }
        for (int k = 0; k < 4; k++) {
            body->mass[body->mesh.tets[4 * e + k]] += mass.own + 3.0 * mass.other;
        }
    }
}

FilStatus fil_solid_build(FilSolidBody* body, FilError* error)
{
    const size_t elements = (size_t)body->mesh.tet_count, vertices = (size_t)body->mesh.vertex_count;
    body->batch_count = (body->mesh.tet_count + FIL_SOLID_LANES - 1) / FIL_SOLID_LANES;
    const size_t batches = (size_t)body->batch_count;
    int bad = -1;
    body->elements = fil_alloc(elements, sizeof *body->elements);
    body->batches = fil_alloc(batches, sizeof *body->batches);
    body->batch_slots = fil_alloc(FIL_SOLID_BLOCKS * FIL_SOLID_LANES * batches, sizeof(int));
    body->mass = fil_alloc(vertices, sizeof(double));
    body->used = fil_alloc(vertices, 1);
    body->factor = fil_supernodal_create();
    bool ok = body->elements != NULL && body->batches != NULL && body->batch_slots != NULL && body->mass != NULL && body->used != NULL &&
              body->factor != NULL;
    ok = ok && build_elements(body, &bad) && build_surface(body) && fil_solid_build_pressure(body) && build_pattern(body);
    if (bad >= 0) {
        return fil_error(error, FIL_BAD_INPUT, "element %d is degenerate: its volume is %g m^3", bad + 1, body->elements[bad].volume);
    }
    const size_t numbers = FIL_BLOCK_SIZE * (size_t)body->block_count;
    const bool lags = fil_solid_material_lags(&body->material);
    if (ok) {
        body->block_mass = fil_alloc((size_t)body->block_count, sizeof(double));
        body->values = fil_alloc(numbers, sizeof(double));
        body->rotations = lags ? fil_alloc(9 * batches, sizeof *body->rotations) : NULL;
        const bool keeps = fil_solid_material_is_linear(&body->material) || body->damping_stiffness > 0.0;
        body->stiffness = keeps ? fil_alloc(numbers, sizeof(double)) : NULL;
        ok = body->block_mass != NULL && body->values != NULL && (!lags || body->rotations != NULL) && (!keeps || body->stiffness != NULL);
    }
    if (!ok) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    memset(body->used, body->plane_strain > 0 ? 7 & ~(1 << (body->plane_strain - 1)) : 7, vertices);  // x, y and z
    fil_chambers_mark(&body->chambers, body->used);
    add_masses(body);
    return FIL_OK;
}
