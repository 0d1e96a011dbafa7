/* Frames of rods, rigid bodies and soft arms, all of them children of the root frame. */
#include <stdio.h>

#include "conversion.h"
#include "geometry_msgs/msg/transform_stamped.h"
#include "messages.h"

/* ---- sizes ---- */

static bool add_transform(tf2_msgs__msg__TFMessage* message, const char* child)
{
    geometry_msgs__msg__TransformStamped* transform = &message->transforms.data[message->transforms.size++];
    return fil_set_frame(&transform->header) && rosidl_runtime_c__String__assign(&transform->child_frame_id, child);
}

/* "<thing>/<part>", or "<thing>/<part><number>" if the number is not negative */
static bool add_part_transform(FilStateMessages* messages, const char* thing, const char* part, int number)
{
    char frame[FIL_FRAME_NAME];
    if (number >= 0) {
        snprintf(frame, sizeof frame, "%.200s/%s%d", thing, part, number);
    } else {
        snprintf(frame, sizeof frame, "%.200s/%s", thing, part);
    }
    return add_transform(&messages->transforms, frame);
}

/* empties a message and makes room for `count` transforms */
static bool size_transform_message(tf2_msgs__msg__TFMessage* message, int count)
{
    FIL_MESSAGE_RENEW(tf2_msgs__msg__TFMessage, message);
    const bool done = geometry_msgs__msg__TransformStamped__Sequence__init(&message->transforms, (size_t)count);
    message->transforms.size = 0;
    return done;
}

/* order as in fil_fill_transforms: per rod start, end, then all nodes; per arm base, then
 * sections; then rigid bodies */
bool fil_size_transforms(FilStateMessages* messages, const FilWorld* world)
{
    int moving = 0;
    for (int i = 0; i < messages->rod_count; i++) {
        const FilId rod = messages->rods[i];
        moving += 1 + !fil_rod_closed(world, rod) + (messages->node_frames ? fil_rod_node_count(world, rod) : 0);
    }
    for (int i = 0; i < messages->arm_count; i++) {
        moving += 1 + fil_arm_section_count(world, messages->arms[i]);
    }
    bool done = size_transform_message(&messages->transforms, moving + messages->rigid_count) &&
                size_transform_message(&messages->static_transforms, messages->rigid_count);
    for (int i = 0; done && i < messages->rod_count; i++) {
        const FilId rod = messages->rods[i];
        const char* name = fil_rod_name(world, rod);
        done = add_part_transform(messages, name, "start", -1) &&
               (fil_rod_closed(world, rod) || add_part_transform(messages, name, "end", -1));
        for (int k = 0; done && messages->node_frames && k < fil_rod_node_count(world, rod); k++) {
            done = add_part_transform(messages, name, "node_", k);
        }
    }
    for (int i = 0; done && i < messages->arm_count; i++) {
        const char* name = fil_arm_name(world, messages->arms[i]);
        done = add_part_transform(messages, name, "base", -1);
        for (int k = 0; done && k < fil_arm_section_count(world, messages->arms[i]); k++) {
            done = add_part_transform(messages, name, "section_", k);
        }
    }
    for (int i = 0; done && i < messages->rigid_count; i++) {
        const bool fixed = fil_rigid_motion(world, messages->rigids[i]) == FIL_STATIC;
        done = add_transform(fixed ? &messages->static_transforms : &messages->transforms,
                             fil_rigid_name(world, messages->rigids[i]));
    }
    return done;
}

/* ---- contents ---- */

static void fill_transform(geometry_msgs__msg__TransformStamped* transform, builtin_interfaces__msg__Time stamp,
                           FilVec3 position, FilQuat q)
{
    transform->header.stamp = stamp;
    transform->transform.translation = (geometry_msgs__msg__Vector3){position.x, position.y, position.z};
    transform->transform.rotation = (geometry_msgs__msg__Quaternion){q.x, q.y, q.z, q.w};
}

/* node `node` of a rod, turned as its edge is */
static void fill_node_transform(geometry_msgs__msg__TransformStamped* transform, builtin_interfaces__msg__Time stamp,
                                const double* positions, const double* frames, int node, int edges)
{
    const double* x = positions + 3 * node;
    const double* axes = frames + 9 * (node < edges ? node : edges - 1);
    fill_transform(transform, stamp, (FilVec3){x[0], x[1], x[2]}, fil_quat_from_axes(axes, axes + 3, axes + 6));
}

/* rigid bodies that move, or those that do not */
static void fill_rigid_transforms(const FilStateMessages* messages, const FilSimulation* simulation, bool fixed,
                                  geometry_msgs__msg__TransformStamped* next)
{
    const FilWorld* world = simulation->world;
    for (int i = 0; i < messages->rigid_count; i++) {
        if ((fil_rigid_motion(world, messages->rigids[i]) == FIL_STATIC) == fixed) {
            FilVec3 position;
            FilQuat orientation;
            fil_rigid_get_pose(world, messages->rigids[i], &position, &orientation);
            fill_transform(next++, fil_stamp_of(simulation), position, orientation);
        }
    }
}

void fil_fill_transforms(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    const builtin_interfaces__msg__Time stamp = fil_stamp_of(simulation);
    geometry_msgs__msg__TransformStamped* next = messages->transforms.transforms.data;
    for (int i = 0; i < messages->rod_count; i++) {
        filum__msg__RodState* state = &messages->rod_states.rods.data[i];
        const int nodes = (int)state->twists.size;
        const int edges = (int)state->tensions.size;
        double* positions = state->positions.data;
        fil_rod_get_positions(world, messages->rods[i], positions);
        fil_rod_get_frames(world, messages->rods[i], messages->frames);
        fill_node_transform(next++, stamp, positions, messages->frames, 0, edges);
        if (!state->closed) {
            fill_node_transform(next++, stamp, positions, messages->frames, nodes - 1, edges);
        }
        for (int k = 0; messages->node_frames && k < nodes; k++) {
            fill_node_transform(next++, stamp, positions, messages->frames, k, edges);
        }
    }
    for (int i = 0; i < messages->arm_count; i++) {
        for (int k = -1; k < fil_arm_section_count(world, messages->arms[i]); k++) {
            FilVec3 position;
            FilQuat orientation;
            fil_arm_pose(world, messages->arms[i], k < 0 ? 0 : k, k < 0 ? 0.0 : 1.0, &position, &orientation);
            fill_transform(next++, stamp, position, orientation);
        }
    }
    fill_rigid_transforms(messages, simulation, false, next);
}

void fil_fill_static_transforms(FilStateMessages* messages, const FilSimulation* simulation)
{
    fill_rigid_transforms(messages, simulation, true, messages->static_transforms.transforms.data);
}

