#include "marker_parts.h"

#include "messages.h"
#include "motion.h"

#define PLANE_SIZE 4.0        /* m, of the square drawn for a half space: wider than the objects that stand on it in most scenes of config/scenes */
enum { CAPSULE_POINTS = 17 }; /* spheres along a capsule's axis: of one four times as long as thick they are a quarter of its thickness apart */

bool fil_marker_size(FilMarker* marker, const char* space, int id, int type, int points)
{
    marker->id = id;
    marker->type = type;
    marker->action = FIL_MARKER(ADD);
    marker->pose.orientation.w = 1.0;
    return rosidl_runtime_c__String__assign(&marker->header.frame_id, FIL_ROOT_FRAME) && rosidl_runtime_c__String__assign(&marker->ns, space) &&
           geometry_msgs__msg__Point__Sequence__init(&marker->points, (size_t)points);
}

bool fil_marker_size_shape(FilMarker* marker, const char* space, int id, const FilShapeDef* shape)
{
    int type = FIL_MARKER(SPHERE);
    int points = 0;
    geometry_msgs__msg__Vector3 scale = {2.0 * shape->radius, 2.0 * shape->radius, 2.0 * shape->radius};
    switch (shape->type) {
        case FIL_SHAPE_SPHERE:
            break;
        case FIL_SHAPE_CAPSULE:
            type = FIL_MARKER(SPHERE_LIST);
            points = CAPSULE_POINTS;
            break;
        case FIL_SHAPE_CYLINDER:
            type = FIL_MARKER(CYLINDER);
            scale.z = shape->length;
            break;
        case FIL_SHAPE_BOX:
            type = FIL_MARKER(CUBE);
            scale = (geometry_msgs__msg__Vector3){shape->size.x, shape->size.y, shape->size.z};
            break;
        case FIL_SHAPE_HALF_SPACE:
            type = FIL_MARKER(CUBE);
            scale = (geometry_msgs__msg__Vector3){PLANE_SIZE, PLANE_SIZE, FIL_MARKER_THIN};
            break;
        case FIL_SHAPE_MESH:
        case FIL_SHAPE_HULL:
        case FIL_SHAPE_REVOLUTION:
            if (shape->triangle_count > 0) {
                type = FIL_MARKER(TRIANGLE_LIST);
                points = 3 * shape->triangle_count;
                scale = (geometry_msgs__msg__Vector3){1.0, 1.0, 1.0};  // corners are in metres
                break;
            }
            type = FIL_MARKER(SPHERE_LIST);
            points = shape->point_count;
            scale = (geometry_msgs__msg__Vector3){2.0 * FIL_MARKER_THIN, 2.0 * FIL_MARKER_THIN, 2.0 * FIL_MARKER_THIN};
            break;
    }
    marker->scale = scale;
    if (!fil_marker_size(marker, space, id, type, points)) {
        return false;
    }
    for (int i = 0; i < points && shape->type == FIL_SHAPE_CAPSULE; i++) {
        marker->points.data[i].z = shape->length * (i / (points - 1.0) - 0.5);
    }
    for (int i = 0; i < points && shape->type != FIL_SHAPE_CAPSULE; i++) {
        marker->points.data[i] = fil_marker_point(shape->points + 3 * (shape->triangle_count > 0 ? shape->triangles[i] : i));
    }
    return true;
}

void fil_marker_fill_shape(FilMarker* marker, FilVec3 position, FilQuat orientation, const FilShapeDef* shape)
{
    const FilVec3 p = fil_vector_sum(position, fil_quat_rotate(orientation, shape->position));
    const FilQuat q = fil_quat_product(orientation, shape->orientation);
    marker->pose.position = (geometry_msgs__msg__Point){p.x, p.y, p.z};
    marker->pose.orientation = (geometry_msgs__msg__Quaternion){q.x, q.y, q.z, q.w};
}

geometry_msgs__msg__Point fil_marker_point(const double* numbers)
{
    return (geometry_msgs__msg__Point){numbers[0], numbers[1], numbers[2]};
}
