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

FilStatus fil_boundary_create(const FilShape* shape, double resolution, FilBoundary* boundary, FilError* error)
{
    *boundary = (FilBoundary){.kind = FIL_BOUNDARY_SHAPE, .shape = *shape};
    FilStatus status = fil_shape_check(shape, error);
    if (status != FIL_OK || fil_boundary_is_plane(boundary) || !(resolution > 0.0)) {
        return status;
    }
    FilSkin skin = {0};
    boundary->curved = shape->kind <= FIL_SHAPE_CYLINDER;
    // flat faces stay whole: cells of the other side divide them
    status = fil_skin_create(shape, boundary->curved ? resolution : HUGE_VAL, &skin, error);
    status = status == FIL_OK ? take_triangles(boundary, skin.vertices, skin.triangles, skin.triangle_count) : status;
    fil_skin_free(&skin);
    return finish(boundary, status, error);
}

FilStatus fil_boundary_of_profile(FilProfile* profile, double resolution, FilBoundary* boundary, FilError* error)
{
    *boundary = (FilBoundary){.kind = FIL_BOUNDARY_REVOLUTION, .profile = *profile, .curved = true};
    *profile = (FilProfile){0};
    FilStatus status = FIL_OK;
    FilSkin skin = {0};
    if (resolution > 0.0) {
        status = fil_skin_of_profile(&boundary->profile, resolution, &skin, error);
        status =
            status == FIL_OK ? take_triangles(boundary, skin.vertices, skin.triangles, skin.triangle_count) : status;
        fil_skin_free(&skin);
    }
    return finish(boundary, status, error);
}

FilStatus fil_boundary_of_mesh(const FilMesh* mesh, const char* name, FilBoundary* boundary, FilError* error)
{
    *boundary = (FilBoundary){.kind = FIL_BOUNDARY_MESH};
    FilStatus status = fil_mesh_check_solid(mesh, name, error);
    status =
        status == FIL_OK ? take_triangles(boundary, mesh->vertices, mesh->triangles, mesh->triangle_count) : status;
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
    const double half = shape->kind == FIL_SHAPE_CAPSULE ? shape->half[2] : 0.0;
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

// solid angle of a triangle seen from the origin, over 2: van Oosterom and Strackee
static double half_solid_angle(const double* a, const double* b, const double* c)
{
    double n[3];
    fil_v3_cross(n, b, c);
    const double la = fil_v3_norm(a), lb = fil_v3_norm(b), lc = fil_v3_norm(c);
    return atan2(fil_v3_dot(a, n),
                 la * lb * lc + fil_v3_dot(a, b) * lc + fil_v3_dot(b, c) * la + fil_v3_dot(c, a) * lb);
}

// over all triangles: the nearest one, and inside where they wind around p
static double to_mesh(const FilBoundary* boundary, const double* p, double* normal)
{
    double least = HUGE_VAL, angle = 0.0, nearest[3] = {0.0, 0.0, 0.0};
    const double* flat = NULL;
    for (int i = 0; i < boundary->count; i++) {
        const FilBoundaryFace* face = &boundary->faces[i];
        double w[3], to[3][3];
        for (int k = 0; k < 3; k++) {
            fil_v3_sub(to[k], face->corner[k], p);
        }
        angle += half_solid_angle(to[0], to[1], to[2]);
        const double d2 = fil_point_triangle(p, face->corner[0], face->corner[1], face->corner[2], w);
        if (d2 < least) {
            least = d2;
            flat = face->normal;
            for (int k = 0; k < 3; k++) {
                nearest[k] = w[0] * to[0][k] + w[1] * to[1][k] + w[2] * to[2][k];
            }
        }
    }
    // the sum is 2 pi inside and 0 outside
    const bool inside = angle > FIL_PI;
    const double distance = sqrt(least);
    fil_v3_scale(normal, inside ? 1.0 : -1.0, nearest);
    if (fil_v3_normalise(normal) == 0.0 && flat != NULL) {
        fil_v3_copy(normal, flat);
    }
    return inside ? -distance : distance;
}

double fil_boundary_distance(const FilBoundary* boundary, const double* p, double* normal)
{
    static double (*const to[FIL_SHAPE_KINDS])(const FilShape*, const double*, double*) = {
        [FIL_SHAPE_SPHERE] = to_capsule, [FIL_SHAPE_CAPSULE] = to_capsule,       [FIL_SHAPE_CYLINDER] = to_cylinder,
        [FIL_SHAPE_BOX] = to_box,        [FIL_SHAPE_HALF_SPACE] = to_half_space, [FIL_SHAPE_HULL] = to_hull,
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
