#include "geometry/tet_mesh.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/vec3.h"

const int fil_tet_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/* Volume over that of a regular tetrahedron of the longest edge, below which an element counts as flat: three digits
 * above what rounding of coordinates near the element's size leaves of it. */
static const double FLAT = 1e-12;

void fil_tet_mesh_free(FilTetMesh* mesh)
{
    fil_free(mesh->vertices);
    fil_free(mesh->tets);
    fil_free(mesh->neighbours);
    fil_free(mesh->triangles);
    fil_free(mesh->triangle_tets);
    fil_free(mesh->link_start);
    fil_free(mesh->links);
    *mesh = (FilTetMesh){0};
}

static double determinant_of(const double* vertices, const int* tet)
{
    return fil_v3_determinant(vertices + 3 * (size_t)tet[0], vertices + 3 * (size_t)tet[1], vertices + 3 * (size_t)tet[2],
                              vertices + 3 * (size_t)tet[3]);
}

double fil_tet_mesh_volume(const FilTetMesh* mesh)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->tet_count; t++) {
        sum += determinant_of(mesh->vertices, mesh->tets + 4 * (size_t)t);
    }
    return sum / 6.0;
}

/* ---- builder ---- */

void fil_tet_builder_free(FilTetBuilder* builder)
{
    fil_free(builder->vertices);
    fil_free(builder->tets);
    fil_free(builder->lines);
    *builder = (FilTetBuilder){0};
}

bool fil_tet_builder_add_vertex(FilTetBuilder* builder, const double* p)
{
    void* block = builder->vertices;
    const bool ok = builder->vertex_count < FIL_TET_MAX_VERTICES &&
                    fil_array_reserve(&block, builder->vertex_count, &builder->vertex_capacity, 3 * sizeof(double));
    builder->vertices = block;
    if (ok) {
        // adding zero makes -0 equal to 0, bit for bit
        fil_v3_set(builder->vertices + 3 * (size_t)builder->vertex_count++, p[0] + 0.0, p[1] + 0.0, p[2] + 0.0);
    }
    return ok;
}

bool fil_tet_builder_add_tet(FilTetBuilder* builder, const int* corners, int line)
{
    void *block = builder->tets, *lines = builder->lines;
    const bool ok = builder->tet_count < FIL_TET_MAX_TETS && fil_array_reserve(&block, builder->tet_count, &builder->tet_capacity, 4 * sizeof(int)) &&
                    fil_array_reserve(&lines, builder->tet_count, &builder->line_capacity, sizeof(int));
    builder->tets = block;
    builder->lines = lines;
    if (ok) {
        builder->lines[builder->tet_count] = line;
        memcpy(builder->tets + 4 * (size_t)builder->tet_count++, corners, 4 * sizeof(int));
    }
    return ok;
}

/* ---- checks ---- */

/* Where a message points: "name:line: element 7" or "name: element 7". */
typedef struct Place {
    char text[200];
} Place;

static Place place_of(const FilTetBuilder* b, const char* name, int tet)
{
    Place place;
    if (b->lines[tet] > 0) {
        snprintf(place.text, sizeof place.text, "%s:%d: element %d", name, b->lines[tet], tet + 1);
    } else {
        snprintf(place.text, sizeof place.text, "%s: element %d", name, tet + 1);
    }
    return place;
}

static double longest_edge(const double* vertices, const int* tet)
{
    double longest = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int j = i + 1; j < 4; j++) {
            longest = fmax(longest, fil_v3_distance(vertices + 3 * (size_t)tet[i], vertices + 3 * (size_t)tet[j]));
        }
    }
    return longest;
}

static FilStatus check_tet(const FilTetBuilder* b, int t, const char* name, FilError* error)
{
    const int* tet = b->tets + 4 * (size_t)t;
    for (int k = 0; k < 4; k++) {
        if (tet[k] < 0 || tet[k] >= b->vertex_count) {
            return fil_error(error, FIL_BAD_INPUT, "%s has the vertex %d, but there are only %d", place_of(b, name, t).text,
                             tet[k] == INT_MAX ? tet[k] : tet[k] + 1, b->vertex_count);
        }
        for (int j = 0; j < k; j++) {
            if (tet[j] == tet[k]) {
                return fil_error(error, FIL_BAD_INPUT, "%s has the vertex %d twice", place_of(b, name, t).text, tet[k] + 1);
            }
        }
    }
    const double det = determinant_of(b->vertices, tet), longest = longest_edge(b->vertices, tet);
    // a regular one of edge L has L^3/sqrt(2)
    const double share = det * 1.4142135623730951 / (longest * longest * longest);
    if (!(share >= FLAT || share <= -FLAT)) {
        return fil_error(error, FIL_BAD_INPUT, "%s is flat: its volume is %g m^3 at edges up to %g m", place_of(b, name, t).text, det / 6.0, longest);
    }
    if (det < 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "%s is inverted (volume %g m^3): swap two of its vertices", place_of(b, name, t).text, det / 6.0);
    }
    return FIL_OK;
}

// each vertex of the mesh: used, finite, and nowhere else
static FilStatus check_vertices(const FilTetBuilder* b, const char* name, FilError* error)
{
    size_t slots = 16;
    while (slots < 2 * (size_t)b->vertex_count) {
        slots *= 2;
    }
    int* table = fil_alloc(slots, sizeof *table);  // 1-based, 0 is empty
    bool* used = fil_alloc((size_t)b->vertex_count, sizeof *used);
    FilStatus status = table != NULL && used != NULL ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "%s: no memory to check its vertices", name);
    for (size_t k = 0; status == FIL_OK && k < 4 * (size_t)b->tet_count; k++) {
        used[b->tets[k]] = true;
    }
    for (int v = 0; status == FIL_OK && v < b->vertex_count; v++) {
        const double* p = b->vertices + 3 * (size_t)v;
        size_t at = (size_t)fil_hash_bytes(FIL_HASH_SEED, p, 3 * sizeof *p) & (slots - 1);
        while (table[at] != 0 && memcmp(b->vertices + 3 * (size_t)(table[at] - 1), p, 3 * sizeof *p) != 0) {
            at = (at + 1) & (slots - 1);
        }
        if (table[at] != 0) {
            status = fil_error(error, FIL_BAD_INPUT, "%s: vertices %d and %d are both at (%g, %g, %g): merge them", name, table[at], v + 1, p[0],
                               p[1], p[2]);
        } else if (!used[v]) {
            status = fil_error(error, FIL_BAD_INPUT, "%s: vertex %d at (%g, %g, %g) belongs to no element: remove it", name, v + 1, p[0], p[1], p[2]);
        }
        table[at] = v + 1;
    }
    fil_free(table);
    fil_free(used);
    return status;
}

static FilStatus check_input(const FilTetBuilder* b, const char* name, FilError* error)
{
    if (b->tet_count == 0) {
        return fil_error(error, FIL_BAD_INPUT, "%s: there are no tetrahedra", name);
    }
    for (int v = 0; v < b->vertex_count; v++) {
        const double* p = b->vertices + 3 * (size_t)v;
        // squares and products of three must not overflow either
        if (!fil_all_finite(p, 3) || fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))) > 1e60) {
            return fil_error(error, FIL_BAD_INPUT, "%s: vertex %d at (%g, %g, %g) is not a place", name, v + 1, p[0], p[1], p[2]);
        }
    }
    for (int t = 0; t < b->tet_count; t++) {
        const FilStatus status = check_tet(b, t, name, error);
        if (status != FIL_OK) {
            return status;
        }
    }
    return check_vertices(b, name, error);
}

/* ---- neighbours and surface ---- */

/* A face by its sorted corners. `even`: seen from outside they run lo, middle, hi. */
typedef struct Face {
    int lo, middle, hi;
    int tet, opposite;
    bool even;
} Face;

static Face face_of(const int* tet, int t, int opposite)
{
    const int* corner = fil_tet_faces[opposite];
    int v[3] = {tet[corner[0]], tet[corner[1]], tet[corner[2]]};
    const bool even = fil_tet_sort(v);
    return (Face){v[0], v[1], v[2], t, opposite, even};
}

static int by_corners(const void* a, const void* b)
{
    const Face *x = a, *y = b;
    return x->lo != y->lo ? fil_order(x->lo, y->lo) : fil_order_three(x->middle, y->middle, x->hi, y->hi, x->tet, y->tet);
}

static FilStatus join_faces(const FilTetBuilder* b, const Face* faces, const char* name, FilTetMesh* mesh, FilError* error)
{
    const int count = 4 * b->tet_count;
    for (int i = 0; i < count;) {
        int end = i + 1;
        while (end < count && faces[end].lo == faces[i].lo && faces[end].middle == faces[i].middle && faces[end].hi == faces[i].hi) {
            end++;
        }
        if (end - i > 2) {
            return fil_error(error, FIL_BAD_INPUT, "%s shares its face (%d, %d, %d) with the elements %d and %d",
                             place_of(b, name, faces[i].tet).text, faces[i].lo + 1, faces[i].middle + 1, faces[i].hi + 1, faces[i + 1].tet + 1,
                             faces[i + 2].tet + 1);
        }
        if (end - i == 2) {
            if (faces[i].even == faces[i + 1].even) {
                return fil_error(error, FIL_BAD_INPUT, "%s overlaps element %d: both are on one side of their face",
                                 place_of(b, name, faces[i].tet).text, faces[i + 1].tet + 1);
            }
            mesh->neighbours[4 * (size_t)faces[i].tet + (size_t)faces[i].opposite] = faces[i + 1].tet;
            mesh->neighbours[4 * (size_t)faces[i + 1].tet + (size_t)faces[i + 1].opposite] = faces[i].tet;
        } else {
            mesh->neighbours[4 * (size_t)faces[i].tet + (size_t)faces[i].opposite] = -1;
            mesh->triangle_count++;
        }
        i = end;
    }
    return FIL_OK;
}

static FilStatus find_neighbours(const FilTetBuilder* b, const char* name, FilTetMesh* mesh, FilError* error)
{
    Face* faces = fil_alloc(4 * (size_t)b->tet_count, sizeof *faces);
    mesh->neighbours = fil_alloc(4 * (size_t)b->tet_count, sizeof(int));
    if (faces == NULL || mesh->neighbours == NULL) {
        fil_free(faces);
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: no memory for its faces", name);
    }
    for (int t = 0; t < b->tet_count; t++) {
        for (int k = 0; k < 4; k++) {
            faces[4 * (size_t)t + (size_t)k] = face_of(b->tets + 4 * (size_t)t, t, k);
        }
    }
    qsort(faces, 4 * (size_t)b->tet_count, sizeof *faces, by_corners);
    const FilStatus status = join_faces(b, faces, name, mesh, error);
    fil_free(faces);
    return status;
}

static bool find_surface(const FilTetBuilder* b, FilTetMesh* mesh)
{
    mesh->triangles = fil_alloc(3 * (size_t)mesh->triangle_count, sizeof(int));
    mesh->triangle_tets = fil_alloc((size_t)mesh->triangle_count, sizeof(int));
    if (mesh->triangles == NULL || mesh->triangle_tets == NULL) {
        return false;
    }
    int count = 0;
    for (int t = 0; t < b->tet_count; t++) {
        for (int k = 0; k < 4; k++) {
            if (mesh->neighbours[4 * (size_t)t + (size_t)k] >= 0) {
                continue;
            }
            for (int c = 0; c < 3; c++) {
                mesh->triangles[3 * (size_t)count + (size_t)c] = b->tets[4 * (size_t)t + (size_t)fil_tet_faces[k][c]];
            }
            mesh->triangle_tets[count++] = t;
        }
    }
    return true;
}

static int by_value(const void* a, const void* b)
{
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// all ends of edges from a vertex, gathered with repetitions, then sorted and thinned
static bool find_links(const FilTetBuilder* b, FilTetMesh* mesh)
{
    const size_t vertices = (size_t)b->vertex_count;
    int* start = fil_alloc(vertices + 1, sizeof *start);
    int* links = fil_alloc(12 * (size_t)b->tet_count, sizeof *links);
    int* at = fil_alloc(vertices + 1, sizeof *at);
    mesh->link_start = start;
    mesh->links = links;
    if (start == NULL || links == NULL || at == NULL) {
        fil_free(at);
        return false;
    }
    for (size_t k = 0; k < 4 * (size_t)b->tet_count; k++) {
        at[b->tets[k] + 1] += 3;
    }
    for (size_t v = 0; v < vertices; v++) {
        at[v + 1] += at[v];
        start[v] = at[v];
    }
    start[vertices] = at[vertices];
    for (size_t k = 0; k < 4 * (size_t)b->tet_count; k++) {
        for (size_t j = k - k % 4; j < k - k % 4 + 4; j++) {
            if (j != k) {
                links[at[b->tets[k]]++] = b->tets[j];
            }
        }
    }
    int kept = 0;
    for (size_t v = 0; v < vertices; v++) {
        const int begin = start[v], end = start[v + 1];
        qsort(links + begin, (size_t)(end - begin), sizeof *links, by_value);
        start[v] = kept;
        for (int i = begin; i < end; i++) {
            if (i == begin || links[i] != links[i - 1]) {
                links[kept++] = links[i];  // never ahead of i
            }
        }
    }
    start[vertices] = kept;
    fil_free(at);
    return true;
}

FilStatus fil_tet_builder_finish(FilTetBuilder* builder, const char* name, FilTetMesh* mesh, FilError* error)
{
    *mesh = (FilTetMesh){0};
    FilStatus status = check_input(builder, name, error);
    if (status == FIL_OK) {
        status = find_neighbours(builder, name, mesh, error);
    }
    if (status == FIL_OK && (!find_surface(builder, mesh) || !find_links(builder, mesh))) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "%s: no memory for its surface", name);
    }
    if (status == FIL_OK) {
        mesh->vertex_count = builder->vertex_count;
        mesh->tet_count = builder->tet_count;
        mesh->vertices = builder->vertices;
        mesh->tets = builder->tets;
        builder->vertices = NULL;
        builder->tets = NULL;
    } else {
        fil_tet_mesh_free(mesh);
    }
    fil_tet_builder_free(builder);
    return status;
}

/* ---- plane strain ---- */

typedef struct Column {
    double a, b;
    int vertex;
} Column;

static int by_place(const void* x, const void* y)
{
    const Column *p = x, *q = y;
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

FilStatus fil_tet_mesh_columns(const FilTetMesh* mesh, int axis, double tolerance, int* first, FilError* error)
{
    Column* columns = fil_alloc((size_t)mesh->vertex_count, sizeof *columns);
    if (columns == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "no memory for the columns of %d vertices", mesh->vertex_count);
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double* p = mesh->vertices + 3 * (size_t)v;
        columns[v] = (Column){p[(axis + 1) % 3], p[(axis + 2) % 3], v};
        first[v] = v;
    }
    qsort(columns, (size_t)mesh->vertex_count, sizeof *columns, by_place);
    // along the first coordinate only neighbours within the tolerance can match
    for (int i = 0; i < mesh->vertex_count; i++) {
        for (int j = i - 1; j >= 0 && columns[i].a - columns[j].a <= tolerance; j--) {
            if (fabs(columns[i].b - columns[j].b) <= tolerance) {
                const int x = first[columns[i].vertex], y = first[columns[j].vertex], min = x < y ? x : y;
                first[columns[i].vertex] = min;
                first[columns[j].vertex] = min;
            }
        }
    }
    // a vertex may have found its column's first by way of another one
    for (int v = 0; v < mesh->vertex_count; v++) {
        while (first[v] != first[first[v]]) {
            first[v] = first[first[v]];
        }
    }
    fil_free(columns);
    return FIL_OK;
}
