/* Quickhull: each face keeps the points that it sees; the farthest of them grows the polytope, and the points of the
 * replaced faces are dealt out to the new ones. Triangles of one plane are then merged into polygons. */
#include "geometry/hull.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/polytope.h"

// relative to the extent: thickness of a face, and how far merged corners may leave their face's plane. Files hold
// single precision, so points meant to be coplanar are so to 1e-7.
#define THICKNESS 1e-10
#define MERGE 1e-6

// linear search beats climbing below this number of vertices
#define CLIMB_VERTICES 32

typedef struct Builder {
    const double* points;
    int count;
    double extent;
    FilPolytope polytope;
    FilPolytopeFace* faces;
    int* scratch;
    int* head;  /* per face slot: first point that it sees, or -1 */
    int* next;  /* per point: the next in the same list */
    int* group; /* per face slot: its polygon, or -1 */
    int* index; /* per point: its vertex in the hull, or -1; also the next boundary vertex while walking */
    int* loops; /* corners of all polygons */
    int* loop_first;
    int group_count, corner_count;
} Builder;

static void builder_free(Builder* b)
{
    fil_free(b->faces);
    fil_free(b->scratch);
    fil_free(b->head);
    fil_free(b->next);
    fil_free(b->group);
    fil_free(b->index);
    fil_free(b->loops);
    fil_free(b->loop_first);
}

static bool builder_alloc(Builder* b)
{
    const size_t points = (size_t)b->count, faces = 2 * points;
    b->faces = fil_alloc(faces, sizeof *b->faces);
    b->scratch = fil_alloc(FIL_POLYTOPE_SCRATCH(points, faces), sizeof(int));
    b->head = fil_alloc(faces, sizeof(int));
    b->next = fil_alloc(points, sizeof(int));
    b->group = fil_alloc(faces, sizeof(int));
    b->index = fil_alloc(points, sizeof(int));
    b->loops = fil_alloc(3 * faces, sizeof(int));
    b->loop_first = fil_alloc(faces + 1, sizeof(int));
    return b->faces != NULL && b->scratch != NULL && b->head != NULL && b->next != NULL && b->group != NULL && b->index != NULL && b->loops != NULL &&
           b->loop_first != NULL;
}

// gives the point to the one of the faces that it is highest above, or to none when it lies inside
static void deal_point(Builder* b, int point, const int* slots, int slot_count)
{
    double best = b->polytope.thickness;
    int owner = -1;
    for (int i = 0; i < slot_count; i++) {
        const double height = fil_polytope_height(&b->faces[slots[i]], b->points + 3 * point);
        if (height > best) {
            best = height;
            owner = slots[i];
        }
    }
    if (owner >= 0) {
        b->next[point] = b->head[owner];
        b->head[owner] = point;
    }
}

// takes the farthest point out of a face's list
static int take_farthest(Builder* b, int slot)
{
    int *link = &b->head[slot], *farthest = link;
    double best = -HUGE_VAL;
    for (; *link >= 0; link = &b->next[*link]) {
        const double height = fil_polytope_height(&b->faces[slot], b->points + 3 * *link);
        if (height > best) {
            best = height;
            farthest = link;
        }
    }
    const int point = *farthest;
    *farthest = b->next[point];
    return point;
}

// grows the polytope by one point of a face's list and deals out the points of the faces that this replaced
static void grow_once(Builder* b, int slot)
{
    const int point = take_farthest(b, slot);
    const int old_count = b->polytope.face_count;
    if (fil_polytope_grow(&b->polytope, point, slot) == 0) {
        return;  // an ambiguous horizon: the point lies within rounding of the polytope and is left out
    }
    for (int i = old_count; i < b->polytope.face_count; i++) {
        b->head[i] = -1;
    }
    int orphans = -1;
    for (int i = 0; i < b->polytope.gone_count; i++) {
        int* head = &b->head[b->polytope.gone[i]];
        while (*head >= 0) {
            const int p = *head;
            *head = b->next[p];
            b->next[p] = orphans;
            orphans = p;
        }
    }
    while (orphans >= 0) {
        const int p = orphans;
        orphans = b->next[p];
        deal_point(b, p, b->polytope.fresh, b->polytope.fresh_count);
    }
}

static bool build_triangles(Builder* b)
{
    int corner[4];
    const double thickness = THICKNESS * b->extent;
    if (!fil_polytope_seed(b->points, b->count, MERGE * b->extent, corner)) {
        return false;
    }
    fil_polytope_start(&b->polytope, b->points, corner, thickness, b->faces, 2 * b->count, b->scratch);
    for (int f = 0; f < 4; f++) {
        b->head[f] = -1;
    }
    for (int p = 0; p < b->count; p++) {
        deal_point(b, p, (const int[4]){0, 1, 2, 3}, 4);
    }
    for (bool more = true; more;) {
        more = false;
        for (int f = 0; f < b->polytope.face_count; f++) {
            while (fil_polytope_alive(&b->faces[f]) && b->head[f] >= 0) {
                grow_once(b, f);
                more = true;
            }
        }
    }
    return true;
}

typedef struct SizedFace {
    double area;
    int slot;
} SizedFace;

static int larger_first(const void* a, const void* b)
{
    const SizedFace *x = a, *y = b;
    return x->area != y->area ? (x->area < y->area) - (x->area > y->area) : (x->slot > y->slot) - (x->slot < y->slot);
}

static double triangle_area(const Builder* b, const FilPolytopeFace* face)
{
    double u[3], v[3], n[3];
    fil_v3_sub(u, b->points + 3 * face->vertex[1], b->points + 3 * face->vertex[0]);
    fil_v3_sub(v, b->points + 3 * face->vertex[2], b->points + 3 * face->vertex[0]);
    fil_v3_cross(n, u, v);
    return 0.5 * fil_v3_norm(n);
}

// collects the triangles around `seed` that lie in its plane into a new group; lists them in `members`
static int collect_group(Builder* b, int seed, int* members)
{
    const FilPolytopeFace* plane = &b->faces[seed];
    const double tolerance = MERGE * b->extent;
    int count = 1;
    members[0] = seed;
    b->group[seed] = b->group_count;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            const int slot = b->faces[members[i]].neighbour[k];
            const FilPolytopeFace* face = &b->faces[slot];
            bool coplanar = b->group[slot] < 0 && fil_v3_dot(face->normal, plane->normal) > 0.0;
            for (int j = 0; j < 3 && coplanar; j++) {
                coplanar = fabs(fil_polytope_height(plane, b->points + 3 * face->vertex[j])) <= tolerance;
            }
            if (coplanar) {
                b->group[slot] = b->group_count;
                members[count++] = slot;
            }
        }
    }
    return count;
}

// writes the boundary of the group as one loop of corners; returns their number, or 0 unless it is one simple loop
static int walk_boundary(Builder* b, const int* members, int count)
{
    int start = -1, edges = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            const FilPolytopeFace* face = &b->faces[members[i]];
            for (int k = 0; k < 3; k++) {
                if (b->group[face->neighbour[k]] == b->group_count) {
                    continue;
                }
                if (pass == 0) {
                    b->index[face->vertex[k]] = -1;
                    continue;
                }
                if (b->index[face->vertex[k]] >= 0) {
                    return 0;
                }
                b->index[face->vertex[k]] = face->vertex[(k + 1) % 3];
                start = face->vertex[k];
                edges++;
            }
        }
    }
    int* corners = b->loops + b->corner_count;
    int length = 0, at = start;
    do {
        corners[length++] = at;
        at = b->index[at];
    } while (at != start && length < edges);
    return length == edges && at == start ? length : 0;
}

static void close_group(Builder* b, int corners)
{
    b->corner_count += corners;
    b->loop_first[++b->group_count] = b->corner_count;
}

// merges coplanar triangles into polygons, the largest first; a group whose boundary is not simple stays triangles
static bool build_polygons(Builder* b)
{
    const int slots = b->polytope.face_count;
    SizedFace* order = fil_alloc((size_t)slots, sizeof *order);
    int* members = fil_alloc((size_t)slots, sizeof *members);
    if (order == NULL || members == NULL) {
        fil_free(order);
        fil_free(members);
        return false;
    }
    int alive = 0;
    for (int f = 0; f < slots; f++) {
        b->group[f] = -1;
        if (fil_polytope_alive(&b->faces[f])) {
            order[alive++] = (SizedFace){triangle_area(b, &b->faces[f]), f};
        }
    }
    qsort(order, (size_t)alive, sizeof *order, larger_first);
    for (int i = 0; i < alive; i++) {
        if (b->group[order[i].slot] >= 0) {
            continue;
        }
        const int count = collect_group(b, order[i].slot, members);
        const int corners = walk_boundary(b, members, count);
        if (corners > 0) {
            close_group(b, corners);
            continue;
        }
        for (int k = 0; k < count; k++) {
            b->group[members[k]] = b->group_count;
            for (int e = 0; e < 3; e++) {
                b->loops[b->corner_count + e] = b->faces[members[k]].vertex[e];
            }
            close_group(b, 3);
        }
    }
    fil_free(order);
    fil_free(members);
    return true;
}

// area-weighted normal of a polygon (Newell)
static void polygon_normal(double* normal, const double* vertices, const int* corners, int count)
{
    fil_v3_set(normal, 0.0, 0.0, 0.0);
    const double* origin = vertices + 3 * corners[0];
    for (int k = 1; k + 1 < count; k++) {
        double u[3], v[3], n[3];
        fil_v3_sub(u, vertices + 3 * corners[k], origin);
        fil_v3_sub(v, vertices + 3 * corners[k + 1], origin);
        fil_v3_cross(n, u, v);
        fil_v3_add(normal, normal, n);
    }
    fil_v3_normalise(normal);
}

static bool hull_alloc(FilHull* hull, const Builder* b)
{
    const size_t corners = (size_t)b->corner_count;
    hull->face_count = b->group_count;
    hull->vertices = fil_alloc(3 * (size_t)hull->vertex_count, sizeof(double));
    hull->normals = fil_alloc(3 * (size_t)hull->face_count, sizeof(double));
    hull->face_first = fil_alloc((size_t)hull->face_count + 1, sizeof(int));
    hull->face_corners = fil_alloc(corners, sizeof(int));
    hull->around_first = fil_alloc((size_t)hull->vertex_count + 1, sizeof(int));
    hull->around_face = fil_alloc(corners, sizeof(int));
    hull->around_vertex = fil_alloc(corners, sizeof(int));
    return hull->vertices != NULL && hull->normals != NULL && hull->face_first != NULL && hull->face_corners != NULL && hull->around_first != NULL &&
           hull->around_face != NULL && hull->around_vertex != NULL;
}

// lists around each vertex the faces and next vertices
static void fill_around(FilHull* hull)
{
    for (int f = 0; f < hull->face_count; f++) {
        for (int c = hull->face_first[f]; c < hull->face_first[f + 1]; c++) {
            hull->around_first[hull->face_corners[c] + 1]++;
        }
    }
    for (int v = 0; v < hull->vertex_count; v++) {
        hull->around_first[v + 1] += hull->around_first[v];
    }
    // the lists fill from their ends; afterwards around_first has moved back to their starts
    for (int f = hull->face_count - 1; f >= 0; f--) {
        const int first = hull->face_first[f], end = hull->face_first[f + 1];
        for (int c = first; c < end; c++) {
            const int at = --hull->around_first[hull->face_corners[c] + 1];
            hull->around_face[at] = f;
            hull->around_vertex[at] = hull->face_corners[c + 1 < end ? c + 1 : first];
        }
    }
    for (int v = 0; v < hull->vertex_count; v++) {
        hull->around_first[v] = hull->around_first[v + 1];
    }
    hull->around_first[hull->vertex_count] = hull->face_first[hull->face_count];
}

// mass of the polygons cut into fans
static bool fill_mass(FilHull* hull)
{
    FilMesh mesh = {.vertex_count = hull->vertex_count, .vertices = hull->vertices};
    mesh.triangles = fil_alloc(3 * (size_t)hull->face_first[hull->face_count], sizeof(int));
    if (mesh.triangles == NULL) {
        return false;
    }
    for (int f = 0; f < hull->face_count; f++) {
        for (int c = hull->face_first[f] + 1; c + 1 < hull->face_first[f + 1]; c++) {
            int* triangle = mesh.triangles + 3 * mesh.triangle_count++;
            triangle[0] = hull->face_corners[hull->face_first[f]];
            triangle[1] = hull->face_corners[c];
            triangle[2] = hull->face_corners[c + 1];
        }
    }
    hull->mass = fil_mass_of_mesh(&mesh);
    fil_free(mesh.triangles);
    return true;
}

static FilHull* finish_hull(Builder* b)
{
    // number the points that are corners, in their own order
    FilHull* hull = fil_alloc(1, sizeof *hull);
    if (hull == NULL) {
        return NULL;
    }
    for (int p = 0; p < b->count; p++) {
        b->index[p] = -1;
    }
    for (int c = 0; c < b->corner_count; c++) {
        b->index[b->loops[c]] = 0;
    }
    for (int p = 0; p < b->count; p++) {
        b->index[p] = b->index[p] < 0 ? -1 : hull->vertex_count++;
    }
    if (!hull_alloc(hull, b)) {
        fil_hull_destroy(hull);
        return NULL;
    }
    for (int p = 0; p < b->count; p++) {
        if (b->index[p] >= 0) {
            fil_v3_copy(hull->vertices + 3 * b->index[p], b->points + 3 * p);
        }
    }
    for (int c = 0; c < b->corner_count; c++) {
        hull->face_corners[c] = b->index[b->loops[c]];
    }
    for (int f = 0; f < hull->face_count; f++) {
        hull->face_first[f + 1] = b->loop_first[f + 1];
        polygon_normal(hull->normals + 3 * f, hull->vertices, hull->face_corners + b->loop_first[f], b->loop_first[f + 1] - b->loop_first[f]);
    }
    fill_around(hull);
    if (!fill_mass(hull)) {
        fil_hull_destroy(hull);
        return NULL;
    }
    return hull;
}

FilStatus fil_hull_create(const double* points, int count, FilHull** hull, FilError* error)
{
    *hull = NULL;
    if (count < 4 || count > FIL_HULL_MAX_POINTS) {
        return fil_error(error, FIL_BAD_INPUT, "a convex hull needs 4 to %d points, not %d", FIL_HULL_MAX_POINTS, count);
    }
    double extent = 0.0;
    for (int p = 0; p < count; p++) {
        if (!fil_all_finite(points + 3 * p, 3)) {
            return fil_error(error, FIL_BAD_INPUT, "point %d of a convex hull is not finite", p);
        }
        for (int k = 0; k < 3; k++) {
            extent = fmax(extent, fabs(points[3 * p + k] - points[k]));
        }
    }
    Builder b = {.points = points, .count = count, .extent = extent};
    FilStatus status = FIL_OK;
    if (!builder_alloc(&b)) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "no memory for a convex hull of %d points", count);
    } else if (!build_triangles(&b)) {
        status = fil_error(error, FIL_BAD_INPUT, "the %d points of a convex hull lie in one plane: use a thin box, or give it thickness", count);
    } else if (!build_polygons(&b) || (*hull = finish_hull(&b)) == NULL) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "no memory for a convex hull of %d points", count);
    }
    builder_free(&b);
    return status;
}

FilStatus fil_hull_read(const char* path, double scale, FilHull** hull, FilError* error)
{
    *hull = NULL;
    FilMesh mesh;
    FilStatus status = fil_mesh_read(path, scale, &mesh, error);
    if (status == FIL_OK) {
        status = fil_mesh_check_solid(&mesh, path, error);
    }
    if (status == FIL_OK) {
        status = fil_hull_create(mesh.vertices, mesh.vertex_count, hull, error);
    }
    fil_mesh_free(&mesh);
    return status;
}

void fil_hull_destroy(FilHull* hull)
{
    if (hull != NULL) {
        fil_free(hull->vertices);
        fil_free(hull->normals);
        fil_free(hull->face_first);
        fil_free(hull->face_corners);
        fil_free(hull->around_first);
        fil_free(hull->around_face);
        fil_free(hull->around_vertex);
        fil_free(hull);
    }
}

int fil_hull_support(const FilHull* hull, const double* direction, int* hint)
{
    int best = 0;
    if (hull->vertex_count <= CLIMB_VERTICES) {
        double farthest = -HUGE_VAL;
        for (int v = 0; v < hull->vertex_count; v++) {
            const double far = fil_v3_dot(hull->vertices + 3 * v, direction);
            if (far > farthest) {
                farthest = far;
                best = v;
            }
        }
    } else {
        // climb along edges; on a convex surface a local maximum is the maximum
        best = *hint;
        double farthest = fil_v3_dot(hull->vertices + 3 * best, direction);
        for (int from = -1; from != best;) {
            from = best;
            for (int k = hull->around_first[from]; k < hull->around_first[from + 1]; k++) {
                const double far = fil_v3_dot(hull->vertices + 3 * hull->around_vertex[k], direction);
                if (far > farthest) {
                    farthest = far;
                    best = hull->around_vertex[k];
                }
            }
        }
    }
    *hint = best;
    return best;
}

int fil_hull_face(const FilHull* hull, int vertex, const double* direction)
{
    int best = hull->around_face[hull->around_first[vertex]];
    for (int k = hull->around_first[vertex]; k < hull->around_first[vertex + 1]; k++) {
        const int face = hull->around_face[k];
        if (fil_v3_dot(hull->normals + 3 * face, direction) > fil_v3_dot(hull->normals + 3 * best, direction)) {
            best = face;
        }
    }
    return best;
}
