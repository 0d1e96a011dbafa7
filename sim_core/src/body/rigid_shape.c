#include "body/rigid_shape.h"

#include <math.h>

#include "base/error.h"
#include "base/quat.h"
#include "geometry/mesh.h"

static FilStatus build_hull(const FilShapeDef* def, FilRigidShape* out, FilError* error)
{
    FilMesh mesh = {0};
    const double* points = def->points;
    int count = def->point_count;
    if (def->type == FIL_TYPE_MESH) {
        if (def->file == NULL) {
            return fil_error(error, FIL_BAD_INPUT, "a mesh shape needs a file");
        }
        FilStatus status = fil_mesh_read(def->file, def->scale, &mesh, error);
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
    const FilStatus status = fil_hull_create(points, count, &out->hull, error);
    fil_mesh_free(&mesh);
    if (status == FIL_OK) {
        out->shape = fil_shape_hull(out->hull);
        out->def.points = out->hull->vertices;
        out->def.point_count = out->hull->vertex_count;
    }
    return status;
}

FilStatus fil_rigid_shape_make(const FilShapeDef* def, FilRigidShape* out, FilError* error)
{
    out->def = *def;
    out->def.file = NULL;
    out->def.points = NULL;
    FilStatus status = FIL_OK;
    switch (def->type) {
        case FIL_TYPE_SPHERE:
            out->shape = fil_shape_sphere(def->radius);
            break;
        case FIL_TYPE_CAPSULE:
            out->shape = fil_shape_capsule(def->radius, 0.5 * def->length);
            break;
        case FIL_TYPE_CYLINDER:
            out->shape = fil_shape_cylinder(def->radius, 0.5 * def->length);
            break;
        case FIL_TYPE_BOX:
            out->shape = fil_shape_box(0.5 * def->size.x, 0.5 * def->size.y, 0.5 * def->size.z);
            break;
        case FIL_TYPE_HALF_SPACE:
            out->shape = fil_shape_half_space();
            break;
        case FIL_TYPE_HULL:
        case FIL_TYPE_MESH:
            status = build_hull(def, out, error);
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
    rigid->hull = NULL;
}

double fil_rigid_shape_reach(const FilRigidShape* rigid, const double* centre)
{
    if (rigid->shape.kind == FIL_SHAPE_HALF_SPACE) {
        return 0.0;
    }
    const FilAabb box = fil_shape_aabb(&rigid->shape, &rigid->pose);
    double far[3];
    for (int j = 0; j < 3; j++) {
        far[j] = fmax(fabs(box.lo[j] - centre[j]), fabs(box.hi[j] - centre[j]));
    }
    return fil_v3_norm(far);
}
