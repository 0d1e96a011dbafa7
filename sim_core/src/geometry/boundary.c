#include "geometry/boundary.h"

#include "base/error.h"
#include "base/memory.h"
#include "geometry/closest.h"

void fil_boundary_free(FilBoundary* boundary)
{
    fil_profile_free(&boundary->profile);
    fil_free(boundary->faces);
    fil_bvh_free(&boundary->tree);
    *boundary = (FilBoundary){0};
}

// ---- triangles ----

static FilStatus take_triangles(FilBoundary* boundary, const double* vertices, const int* triangles, int count)
{
    boundary->faces = fil_alloc((size_t)count, sizeof *boundary->faces);
    FilAabb* boxes = fil_alloc((size_t)count, sizeof *boxes);
    FilStatus status = boundary->faces != NULL && boxes != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
    for (int i = 0; i < count && status == FIL_OK; i++) {
        FilBoundaryFace* face = &boundary->faces[boundary->count];
        double u[3], v[3];
        FilAabb box = fil_aabb_empty();
        for (int k = 0; k < 3; k++) {
            fil_v3_copy(face->corner[k], vertices + 3 * triangles[3 * i + k]);
            fil_aabb_add_point(&box, face->corner[k]);
        }
        fil_v3_sub(u, face->corner[1], face->corner[0]);
        fil_v3_sub(v, face->corner[2], face->corner[0]);
        fil_v3_cross(face->normal, u, v);
        // a triangle of no area bounds nothing
        if (fil_v3_normalise(face->normal) > 0.0) {
            boxes[boundary->count++] = box;
        }
    }
    status = status == FIL_OK ? fil_bvh_build(&boundary->tree, boxes, boundary->count) : status;
    fil_free(boxes);
    return status;
}

static FilStatus finish(FilBoundary* boundary, FilStatus status, FilError* error)
{
    if (status == FIL_OUT_OF_MEMORY) {
        status = fil_error(error, status, "no memory for the triangles of a surface");
    }
    if (status != FIL_OK) {
        fil_boundary_free(boundary);
    }
    return status;
}

static FilStatus of_profile(FilProfile* profile, double resolution, FilBoundary* boundary, FilError* error)
{
    *boundary = (FilBoundary){.kind = FIL_BOUNDARY_REVOLUTION, .profile = *profile, .curved = true};
    *profile = (FilProfile){0};
    FilStatus status = FIL_OK;
    FilSkin skin = {0};
    if (resolution > 0.0) {
        status = fil_skin_of_profile(&boundary->profile, resolution, &skin, error);
        status = status == FIL_OK ? take_triangles(boundary, skin.vertices, skin.triangles, skin.triangle_count) : status;
        fil_skin_free(&skin);
    }
    return finish(boundary, status, error);
}

FilStatus fil_boundary_create(const FilShape* shape, double resolution, FilBoundary* boundary, FilError* error)
{
    if (shape->profile != NULL) {
        const FilProfile* from = shape->profile;
        FilProfile profile;
        const FilStatus made = fil_profile_create(from->radius, from->count, from->half_length, &profile, error);
        return made == FIL_OK ? of_profile(&profile, resolution, boundary, error) : made;
    }
    *boundary = (FilBoundary){.kind = FIL_BOUNDARY_SHAPE, .shape = *shape};
    FilStatus status = fil_shape_check(shape, error);
    if (status != FIL_OK || fil_boundary_is_plane(boundary) || !(resolution > 0.0)) {
        return status;
    }
    FilSkin skin = {0};
    boundary->curved = shape->kind <= FIL_PRIMITIVE_CYLINDER;
    // flat faces stay whole: cells of the other side divide them
    status = fil_skin_create(shape, boundary->curved ? resolution : HUGE_VAL, &skin, error);
    status = status == FIL_OK ? take_triangles(boundary, skin.vertices, skin.triangles, skin.triangle_count) : status;
    fil_skin_free(&skin);
    return finish(boundary, status, error);
}

FilStatus fil_boundary_of_profile(FilProfile* profile, double resolution, FilBoundary* boundary, FilError* error)
{
    return of_profile(profile, resolution, boundary, error);
}

FilStatus fil_boundary_of_mesh(const FilMesh* mesh, const char* name, FilBoundary* boundary, FilError* error)
{
    *boundary = (FilBoundary){.kind = FIL_BOUNDARY_MESH};
    FilStatus status = fil_mesh_check_solid(mesh, name, error);
    status = status == FIL_OK ? take_triangles(boundary, mesh->vertices, mesh->triangles, mesh->triangle_count) : status;
    return finish(boundary, status, error);
}

// ---- distances ----

static double to_half_space(const FilShape* shape, const double* p, double* normal)
{
    (void)shape;
    fil_v3_set(normal, 0.0, 0.0, 1.0);
    return p[2];
}

static double to_capsule(const FilShape* shape, const double* p, double* normal)
{
    const double half = shape->kind == FIL_PRIMITIVE_CAPSULE ? shape->half[2] : 0.0;
    fil_v3_set(normal, p[0], p[1], p[2] - fmax(-half, fmin(half, p[2])));
    const double length = fil_v3_normalise(normal);
    if (length == 0.0) {
        // on the core every way out is as short
        fil_v3_set(normal, 1.0, 0.0, 0.0);
    }
    return length - shape->radius;
}

static double to_cylinder(const FilShape* shape, const double* p, double* normal)
{
    return fil_point_cylinder(p, shape->radius, shape->half[2], normal);
}

static double to_box(const FilShape* shape, const double* p, double* normal)
{
    return fil_point_box(p, shape->half, normal);
}

// the face plane that p is highest above: exact inside, and outside above a face; past edges too small
static double to_hull(const FilShape* shape, const double* p, double* normal)
{
    const FilHull* hull = shape->hull;
    double highest = -HUGE_VAL;
    for (int f = 0; f < hull->face_count; f++) {
        double to[3];
        fil_v3_sub(to, p, hull->vertices + 3 * hull->face_corners[hull->face_first[f]]);
        const double height = fil_v3_dot(to, hull->normals + 3 * f);
        if (height > highest) {
            highest = height;
            fil_v3_copy(normal, hull->normals + 3 * f);
        }
    }
    return highest;
}

typedef struct Nearest {
    double d2;     /* m^2 */
    double to[3];  /* from p to the nearest point */
    double height; /* of p above the triangle's plane, over its distance */
    int face;
} Nearest;

// a triangle takes over if it is nearer. At an edge or corner several are as near; p is outside if it is above the one
// whose plane it is farthest from
static void try_face(const FilBoundary* boundary, int i, const double* p, Nearest* nearest)
{
    const FilBoundaryFace* face = &boundary->faces[i];
    double w[3], to[3] = {0.0, 0.0, 0.0};
    const double d2 = fil_point_triangle(p, face->corner[0], face->corner[1], face->corner[2], w);
    // rounding of coordinates makes equal distances differ by 1e-15 or so
    if (d2 > nearest->d2 * (1.0 + 1e-12)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        to[k] = w[0] * face->corner[0][k] + w[1] * face->corner[1][k] + w[2] * face->corner[2][k] - p[k];
    }
    const double height = d2 > 0.0 ? -fil_v3_dot(to, face->normal) / sqrt(d2) : 0.0;
    // two faces that share the nearest edge or corner are as near, but for rounding
    if (d2 < nearest->d2 * (1.0 - 1e-12) || fabs(height) > fabs(nearest->height)) {
        nearest->d2 = d2;
        nearest->height = height;
        nearest->face = i;
        fil_v3_copy(nearest->to, to);
    }
}

// largest side of the box around all triangles
static double boundary_size(const FilBoundary* boundary)
{
    const FilAabb* box = &boundary->tree.nodes[0].box;
    return fmax(box->hi[0] - box->lo[0], fmax(box->hi[1] - box->lo[1], box->hi[2] - box->lo[2]));
}

// the nearest triangle, nearer children of the tree first
static double to_mesh(const FilBoundary* boundary, const double* p, double* normal)
{
    const FilBvh* tree = &boundary->tree;
    Nearest nearest = {.d2 = HUGE_VAL};
    int stack[64], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const int node = stack[--top];
        // as above
        if (fil_aabb_distance2(&tree->nodes[node].box, p) > nearest.d2 * (1.0 + 1e-12)) {
            continue;
        }
        if (tree->nodes[node].leaf >= 0) {
            for (int k = tree->nodes[node].start; k < tree->nodes[node].end; k++) {
                try_face(boundary, tree->order[k], p, &nearest);
            }
            continue;
        }
        const int left = 2 * node + 1, right = left + 1;
        const bool swap = fil_aabb_distance2(&tree->nodes[right].box, p) < fil_aabb_distance2(&tree->nodes[left].box, p);
        stack[top++] = swap ? left : right;
        stack[top++] = swap ? right : left;
    }
    const bool inside = nearest.height < 0.0;
    const double distance = sqrt(nearest.d2);
    const double* face = boundary->faces[nearest.face].normal;
    // straight above or below a triangle, or so near to it that the way there is rounding, its own normal is better
    if (fabs(nearest.height) > 1.0 - 1e-9 || distance <= 1e-9 * boundary_size(boundary)) {
        fil_v3_copy(normal, face);
        return inside ? -distance : distance;
    }
    fil_v3_scale(normal, inside ? 1.0 : -1.0, nearest.to);
    fil_v3_normalise(normal);
    return inside ? -distance : distance;
}

double fil_boundary_distance(const FilBoundary* boundary, const double* p, double* normal)
{
    static double (*const to[FIL_PRIMITIVE_KINDS])(const FilShape*, const double*, double*) = {
        [FIL_PRIMITIVE_SPHERE] = to_capsule, [FIL_PRIMITIVE_CAPSULE] = to_capsule,       [FIL_PRIMITIVE_CYLINDER] = to_cylinder,
        [FIL_PRIMITIVE_BOX] = to_box,        [FIL_PRIMITIVE_HALF_SPACE] = to_half_space, [FIL_PRIMITIVE_HULL] = to_hull,
    };
    switch (boundary->kind) {
        case FIL_BOUNDARY_SHAPE:
            return to[boundary->shape.kind](&boundary->shape, p, normal);
        case FIL_BOUNDARY_REVOLUTION:
            return fil_profile_distance(&boundary->profile, p, normal);
        default:
            return to_mesh(boundary, p, normal);
    }
}
