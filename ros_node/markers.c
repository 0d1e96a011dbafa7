/* Markers for RViz and Foxglove: rods as lines, rigid bodies and links as their shapes, soft arms as a backbone with
 * disks, contact forces as strokes. */
#include <math.h>
#include <string.h>

#include "conversion.h"
#include "geometry_msgs/msg/point.h"
#include "messages.h"
#include "visualization_msgs/msg/marker.h"

typedef visualization_msgs__msg__Marker Marker;

#define MARKER(name) visualization_msgs__msg__Marker__##name
#define LONGEST_FORCE 0.1 /* m, the length at which the largest contact force is drawn */
#define PLANE_SIZE 4.0    /* m, of the square drawn for a half space */
#define THIN 0.002        /* m, of lines and planes that have no thickness */
#define BACKBONE 0.8      /* thickness of an arm's backbone, by the radius of its first disk */
enum { ARC_POINTS = 8 };  /* per section of a backbone */

/* a colour for the i-th of many things: hues apart by the golden ratio */
static std_msgs__msg__ColorRGBA colour(int i)
{
    const double hue = fmod(0.08 + 0.618033988749895 * i, 1.0) * 6.0;
    const double middle = 1.0 - fabs(fmod(hue, 2.0) - 1.0);
    const double red[] = {1, middle, 0, 0, middle, 1};
    const double green[] = {middle, 1, 1, middle, 0, 0};
    const double blue[] = {0, 0, middle, 1, 1, middle};
    const int sector = (int)hue % 6;
    return (std_msgs__msg__ColorRGBA){.r = (float)(0.2 + 0.7 * red[sector]),
                                      .g = (float)(0.2 + 0.7 * green[sector]),
                                      .b = (float)(0.2 + 0.7 * blue[sector]),
                                      .a = 1.0f};
}

/* ---- sizes ---- */

static bool size_marker(Marker* marker, const char* space, int id, int type, int points)
{
    marker->id = id;
    marker->type = type;
    marker->action = MARKER(ADD);
    marker->pose.orientation.w = 1.0;
    return rosidl_runtime_c__String__assign(&marker->header.frame_id, FIL_ROOT_FRAME) &&
           rosidl_runtime_c__String__assign(&marker->ns, space) &&
           geometry_msgs__msg__Point__Sequence__init(&marker->points, (size_t)points);
}

static bool size_rod_marker(Marker* marker, const FilWorld* world, FilId rod, int number)
{
    const int points = fil_rod_node_count(world, rod) + fil_rod_closed(world, rod);
    marker->scale.x = 2.0 * fil_rod_radius(world, rod, 0);
    marker->color = colour(number);
    return size_marker(marker, fil_rod_name(world, rod), 0, MARKER(LINE_STRIP), points);
}

/* type and scale of a shape; hulls are shown by their corners, capsules by a line with round ends */
static bool size_shape_marker(Marker* marker, const char* body, int id, const FilShapeDef* shape)
{
    int type = MARKER(SPHERE);
    int points = 0;
    geometry_msgs__msg__Vector3 scale = {2.0 * shape->radius, 2.0 * shape->radius, 2.0 * shape->radius};
    switch (shape->type) {
        case FIL_TYPE_SPHERE:
            break;
        case FIL_TYPE_CAPSULE:
            type = MARKER(SPHERE_LIST);
            points = 17;
            break;
        case FIL_TYPE_CYLINDER:
            type = MARKER(CYLINDER);
            scale.z = shape->length;
            break;
        case FIL_TYPE_BOX:
            type = MARKER(CUBE);
            scale = (geometry_msgs__msg__Vector3){shape->size.x, shape->size.y, shape->size.z};
            break;
        case FIL_TYPE_HALF_SPACE:
            type = MARKER(CUBE);
            scale = (geometry_msgs__msg__Vector3){PLANE_SIZE, PLANE_SIZE, THIN};
            break;
        default:
            type = MARKER(SPHERE_LIST);
            points = shape->point_count;
            scale = (geometry_msgs__msg__Vector3){2.0 * THIN, 2.0 * THIN, 2.0 * THIN};
            break;
    }
    marker->scale = scale;
    if (!size_marker(marker, body, id, type, points)) {
        return false;
    }
    for (int i = 0; i < points && shape->type == FIL_TYPE_CAPSULE; i++) {
        marker->points.data[i].z = shape->length * (i / (points - 1.0) - 0.5);
    }
    for (int i = 0; i < points && shape->type != FIL_TYPE_CAPSULE; i++) {
        const double* corner = shape->points + 3 * i;
        marker->points.data[i] = (geometry_msgs__msg__Point){corner[0], corner[1], corner[2]};
    }
    return true;
}

/* the backbone, then one marker per disk */
static bool size_arm_markers(Marker** next, const FilWorld* world, FilId arm, int number)
{
    const char* name = fil_arm_name(world, arm);
    const int disks = fil_arm_disk_count(world, arm);
    bool done = true;
    for (int k = 0; done && k <= disks; k++) {
        Marker* marker = (*next)++;
        double radius;
        double thickness;
        fil_arm_disk_size(world, arm, k < disks ? k : 0, &radius, &thickness);
        marker->color = colour(number);
        if (k < disks) {
            marker->scale = (geometry_msgs__msg__Vector3){2.0 * radius, 2.0 * radius, thickness};
            done = size_marker(marker, name, k, MARKER(CYLINDER), 0);
        } else {
            marker->scale.x = BACKBONE * radius;
            done = size_marker(marker, name, k, MARKER(LINE_STRIP), 1 + ARC_POINTS * fil_arm_section_count(world, arm));
        }
    }
    return done;
}

static bool size_robot_markers(Marker** next, const FilWorld* world, FilId robot, int number)
{
    bool done = true;
    for (int link = 0; done && link < fil_robot_link_count(world, robot); link++) {
        for (int k = 0; done && k < fil_robot_shape_count(world, robot, link); k++) {
            const FilShapeDef shape = fil_robot_shape(world, robot, link, k);
            (*next)->color = colour(number);
            done = size_shape_marker((*next)++, fil_robot_link_name(world, robot, link), k, &shape);
        }
    }
    return done;
}

static int arm_marker_count(const FilStateMessages* messages, const FilWorld* world)
{
    int count = 0;
    for (int i = 0; i < messages->arm_count; i++) {
        count += 1 + fil_arm_disk_count(world, messages->arms[i]);
    }
    return count;
}

static int shape_count(const FilStateMessages* messages, const FilWorld* world)
{
    int count = 0;
    for (int i = 0; i < messages->rigid_count; i++) {
        count += fil_rigid_shape_count(world, messages->rigids[i]);
    }
    for (int i = 0; i < messages->robot_count; i++) {
        for (int link = 0; link < fil_robot_link_count(world, messages->robots[i]); link++) {
            count += fil_robot_shape_count(world, messages->robots[i], link);
        }
    }
    return count;
}

/* order as in fil_fill_markers: rods, shapes of rigid bodies and links, arms, contact forces */
bool fil_size_markers(FilStateMessages* messages, const FilWorld* world)
{
    const int count = messages->rod_count + shape_count(messages, world) + arm_marker_count(messages, world) + 1;
    if (!visualization_msgs__msg__Marker__Sequence__init(&messages->markers.markers, (size_t)count) ||
        !visualization_msgs__msg__Marker__Sequence__init(&messages->no_markers.markers, 1) ||
        !size_marker(&messages->no_markers.markers.data[0], "", 0, MARKER(SPHERE), 0)) {
        return false;
    }
    messages->no_markers.markers.data[0].action = MARKER(DELETEALL);
    Marker* next = messages->markers.markers.data;
    bool done = true;
    for (int i = 0; done && i < messages->rod_count; i++) {
        done = size_rod_marker(next++, world, messages->rods[i], i);
    }
    for (int i = 0; done && i < messages->rigid_count; i++) {
        const FilId body = messages->rigids[i];
        const bool fixed = fil_rigid_motion(world, body) == FIL_STATIC;
        for (int k = 0; done && k < fil_rigid_shape_count(world, body); k++) {
            const FilShapeDef shape = fil_rigid_shape(world, body, k);
            next->color = fixed ? (std_msgs__msg__ColorRGBA){0.6f, 0.6f, 0.6f, 1.0f} : colour(messages->rod_count + i);
            done = size_shape_marker(next++, fil_rigid_name(world, body), k, &shape);
        }
    }
    for (int i = 0; done && i < messages->robot_count; i++) {
        done = size_robot_markers(&next, world, messages->robots[i], messages->rod_count + i);
    }
    for (int i = 0; done && i < messages->arm_count; i++) {
        done = size_arm_markers(&next, world, messages->arms[i], messages->rod_count + messages->rigid_count + i);
    }
    next->color = (std_msgs__msg__ColorRGBA){1.0f, 0.1f, 0.1f, 1.0f};
    next->scale.x = THIN;
    return done && size_marker(next, "contact forces", 0, MARKER(LINE_LIST), 0);
}

/* ---- contents ---- */

static void fill_rod(Marker* marker, FilStateMessages* messages, const FilWorld* world, int rod)
{
    filum__msg__RodState* state = &messages->rod_states.rods.data[rod];
    const size_t nodes = state->twists.size;
    fil_rod_get_positions(world, messages->rods[rod], state->positions.data);
    for (size_t k = 0; k < marker->points.size; k++) {
        const double* position = state->positions.data + 3 * (k % nodes);
        marker->points.data[k] = (geometry_msgs__msg__Point){position[0], position[1], position[2]};
    }
}

/* the pose of a shape in the world: that of what it belongs to, x and a, then its own in it */
static void fill_shape(Marker* marker, FilVec3 x, FilQuat a, const FilShapeDef* shape)
{
    const FilQuat b = shape->orientation;
    const FilVec3 p = shape->position;
    // p + 2 u x (u x p + w p), u the vector part of the body's quaternion
    const double c[3] = {a.y * p.z - a.z * p.y + a.w * p.x, a.z * p.x - a.x * p.z + a.w * p.y,
                         a.x * p.y - a.y * p.x + a.w * p.z};
    marker->pose.position.x = x.x + p.x + 2.0 * (a.y * c[2] - a.z * c[1]);
    marker->pose.position.y = x.y + p.y + 2.0 * (a.z * c[0] - a.x * c[2]);
    marker->pose.position.z = x.z + p.z + 2.0 * (a.x * c[1] - a.y * c[0]);
    marker->pose.orientation = (geometry_msgs__msg__Quaternion){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static void fill_arm(Marker** next, const FilWorld* world, FilId arm)
{
    const int disks = fil_arm_disk_count(world, arm);
    FilVec3 p;
    FilQuat q;
    for (int k = 0; k < disks; k++) {
        Marker* marker = (*next)++;
        fil_arm_disk_pose(world, arm, k, &p, &q);
        marker->pose.position = (geometry_msgs__msg__Point){p.x, p.y, p.z};
        marker->pose.orientation = (geometry_msgs__msg__Quaternion){q.x, q.y, q.z, q.w};
    }
    Marker* backbone = (*next)++;
    for (int k = 0; k < (int)backbone->points.size; k++) {
        const int section = k > 0 ? (k - 1) / ARC_POINTS : 0;
        fil_arm_pose(world, arm, section, k / (double)ARC_POINTS - section, &p, &q);
        backbone->points.data[k] = (geometry_msgs__msg__Point){p.x, p.y, p.z};
    }
}

static double size_of(FilVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static void fill_forces(Marker* marker, const FilWorld* world)
{
    const int count = fil_world_contact_count(world);
    if (2 * (size_t)count > marker->points.capacity) {
        geometry_msgs__msg__Point__Sequence__fini(&marker->points);
        if (!geometry_msgs__msg__Point__Sequence__init(&marker->points, 4 * (size_t)count)) {
            return;
        }
    }
    marker->points.size = 2 * (size_t)count;
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, size_of(fil_world_contact(world, i).force));
    }
    const double scale = largest > 0.0 ? LONGEST_FORCE / largest : 0.0;
    for (int i = 0; i < count; i++) {
        const FilContactInfo contact = fil_world_contact(world, i);
        const FilVec3 p = contact.point;
        const FilVec3 f = contact.force;
        marker->points.data[2 * i] = (geometry_msgs__msg__Point){p.x, p.y, p.z};
        marker->points.data[2 * i + 1] =
            (geometry_msgs__msg__Point){p.x + scale * f.x, p.y + scale * f.y, p.z + scale * f.z};
    }
}

void fil_fill_markers(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    Marker* next = messages->markers.markers.data;
    for (size_t i = 0; i < messages->markers.markers.size; i++) {
        next[i].header.stamp = fil_time_message(fil_world_time(world));
    }
    for (int i = 0; i < messages->rod_count; i++) {
        fill_rod(next++, messages, world, i);
    }
    FilVec3 position;
    FilQuat orientation;
    for (int i = 0; i < messages->rigid_count; i++) {
        fil_rigid_get_pose(world, messages->rigids[i], &position, &orientation);
        for (int k = 0; k < fil_rigid_shape_count(world, messages->rigids[i]); k++) {
            const FilShapeDef shape = fil_rigid_shape(world, messages->rigids[i], k);
            fill_shape(next++, position, orientation, &shape);
        }
    }
    for (int i = 0; i < messages->robot_count; i++) {
        for (int link = 0; link < fil_robot_link_count(world, messages->robots[i]); link++) {
            fil_robot_link_pose(world, messages->robots[i], link, &position, &orientation);
            for (int k = 0; k < fil_robot_shape_count(world, messages->robots[i], link); k++) {
                const FilShapeDef shape = fil_robot_shape(world, messages->robots[i], link, k);
                fill_shape(next++, position, orientation, &shape);
            }
        }
    }
    for (int i = 0; i < messages->arm_count; i++) {
        fill_arm(&next, world, messages->arms[i]);
    }
    fill_forces(next, world);
}
