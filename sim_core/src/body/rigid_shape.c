#include "body/rigid_shape.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "geometry/tri_mesh.h"

/* A mesh that fills its hull but for this share of the volume is as good as its hull, which is quicker: far above what rounding leaves of a
 * volume, 1e-15, far below any dent that is meant. */
static const double HOLLOW = 1e-9;

/* Keeps the mesh itself, where it is not convex. Takes it over. */
static FilStatus keep_surface(FilMesh* mesh, const char* name, FilRigidShape* out, FilError* error)
{
    const FilStatus status = fil_tri_mesh_create(mesh, name, &out->mesh, error);
    if (status == FIL_OK && !(out->mesh->mass.volume < (1.0 - HOLLOW) * out->hull->mass.volume)) {
        fil_tri_mesh_destroy(out->mesh);
        out->mesh = NULL;
    }
    return status;
}

static FilStatus build_hull(const FilShapeDef* def, FilRigidShape* out, FilError* error)
{
    FilMesh mesh = {0};
    const double* points = def->points;
    int count = def->point_count;
    if (def->type == FIL_SHAPE_MESH) {
        if (def->file == NULL) {
            return fil_error(error, FIL_BAD_INPUT, "a mesh shape needs a file");
        }
        FilStatus status = fil_mesh_read_below(def->file, def->folders, def->scale, &mesh, error);
        if (status == FIL_OK) {
            status = fil_mesh_check_solid(&mesh, def->file, error);
        }
        if (status != FIL_OK) {
            fil_mesh_free(&mesh);
            return status;
        }
        points = mesh.vertices;
        count = mesh.vertex_count;
    }
    FilStatus status = fil_hull_create(points, count, &out->hull, error);
    if (status == FIL_OK && def->type == FIL_SHAPE_MESH && !def->convex) {
        status = keep_surface(&mesh, def->file, out, error);
    }
    fil_mesh_free(&mesh);
    if (status == FIL_OK) {
        out->shape = fil_shape_hull(out->hull);
        out->shape.mesh = out->mesh;
        out->def.points = out->mesh != NULL ? out->mesh->mesh.vertices : out->hull->vertices;
        out->def.point_count = out->mesh != NULL ? out->mesh->mesh.vertex_count : out->hull->vertex_count;
        out->def.triangles = out->mesh != NULL ? out->mesh->mesh.triangles : NULL;
        out->def.triangle_count = out->mesh != NULL ? out->mesh->mesh.triangle_count : 0;
    }
    return status;
}

/* Facets of the hull that stands for a surface of revolution where it touches by points, and most rings along it: 64 leave corners of
 * a thousandth of the radius. */
enum { AROUND = 64, MAX_RINGS = 33 };

/* Around the surface: facets touch its circles from outside. */
static FilStatus build_revolution(const FilShapeDef* def, FilRigidShape* out, FilError* error)
{
    if (def->radii == NULL || def->radius_count < 2) {
        return fil_error(error, FIL_BAD_INPUT, "a surface of revolution needs at least 2 radii");
    }
    if ((out->profile = fil_alloc(1, sizeof *out->profile)) == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    FilStatus status = fil_profile_create(def->radii, def->radius_count, 0.5 * def->length, out->profile, error);
    const int rings = def->radius_count < MAX_RINGS ? def->radius_count : MAX_RINGS;
    double* points = status == FIL_OK ? fil_alloc((size_t)(AROUND * rings), 3 * sizeof(double)) : NULL;
    for (int k = 0; points != NULL && k < rings; k++) {
        double slope;
        const double z = def->length * ((double)k / (rings - 1) - 0.5);
        const double radius = fil_profile_radius(out->profile, z, &slope) / cos(FIL_PI / AROUND);
        for (int i = 0; i < AROUND; i++) {
            const double angle = 2.0 * FIL_PI * i / AROUND;
            fil_v3_set(points + 3 * (AROUND * k + i), radius * cos(angle), radius * sin(angle), z);
        }
    }
    if (status == FIL_OK) {
        status = points != NULL ? fil_hull_create(points, AROUND * rings, &out->hull, error) : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    fil_free(points);
    if (status == FIL_OK) {
        out->shape = fil_shape_revolution(out->hull, out->profile);
        out->def.points = out->hull->vertices;
        out->def.point_count = out->hull->vertex_count;
        out->def.radii = out->profile->radius;
    }
    return status;
}

FilStatus fil_rigid_shape_make(const FilShapeDef* def, FilRigidShape* out, FilError* error)
{
    out->def = *def;
    out->def.file = NULL;
    out->def.points = out->def.radii = NULL;
    FilStatus status = FIL_OK;
    switch (def->type) {
        case FIL_SHAPE_SPHERE:
            out->shape = fil_shape_sphere(def->radius);
            break;
        case FIL_SHAPE_CAPSULE:
            out->shape = fil_shape_capsule(def->radius, 0.5 * def->length);
            break;
        case FIL_SHAPE_CYLINDER:
            out->shape = fil_shape_cylinder(def->radius, 0.5 * def->length);
            break;
        case FIL_SHAPE_BOX:
            out->shape = fil_shape_box(0.5 * def->size.x, 0.5 * def->size.y, 0.5 * def->size.z);
            break;
        case FIL_SHAPE_HALF_SPACE:
            out->shape = fil_shape_half_space();
            break;
        case FIL_SHAPE_HULL:
        case FIL_SHAPE_MESH:
            status = build_hull(def, out, error);
            break;
        case FIL_SHAPE_REVOLUTION:
            status = build_revolution(def, out, error);
            break;
        default:
            status = fil_error(error, FIL_BAD_INPUT, "a shape of unknown type %d", (int)def->type);
    }
    if (status == FIL_OK) {
        status = fil_shape_check(&out->shape, error);
    }
    FilQuat orientation = def->orientation;
    if (status == FIL_OK && !fil_quat_normalise(&orientation)) {
        status = fil_error(error, FIL_BAD_INPUT, "a shape's orientation is no rotation");
    }
    fil_v3_set(out->pose.p, def->position.x, def->position.y, def->position.z);
    if (status == FIL_OK && !fil_all_finite(out->pose.p, 3)) {
        status = fil_error(error, FIL_BAD_INPUT, "a shape's position is not finite");
    }
    fil_m3_from_quat(out->pose.r, orientation);
    return status;
}

void fil_rigid_shape_free(FilRigidShape* rigid)
{
    fil_hull_destroy(rigid->hull);
    fil_tri_mesh_destroy(rigid->mesh);
    rigid->hull = NULL;
    if (rigid->profile != NULL) {
        fil_profile_free(rigid->profile);
        fil_free(rigid->profile);
        rigid->profile = NULL;
    }
    rigid->mesh = NULL;
}

FilMassProperties fil_rigid_shape_mass(const FilRigidShape* rigid)
{
    return rigid->mesh != NULL ? rigid->mesh->mass : fil_shape_mass(&rigid->shape);
}

double fil_rigid_shape_reach(const FilRigidShape* rigid, const double* centre)
{
    if (rigid->shape.kind == FIL_PRIMITIVE_HALF_SPACE) {
        return 0.0;
    }
    const FilAabb box = fil_shape_aabb(&rigid->shape, &rigid->pose);
    double far[3];
    for (int j = 0; j < 3; j++) {
        far[j] = fmax(fabs(box.lo[j] - centre[j]), fabs(box.hi[j] - centre[j]));
    }
    return fil_v3_norm(far);
}
