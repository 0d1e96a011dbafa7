/* Frames of rods, soft arms and rigid bodies, children of the root frame, and of robots, whose links are a tree. */
#include <stdio.h>

#include "conversion.h"
#include "geometry_msgs/msg/transform_stamped.h"
#include "messages.h"

/* ---- sizes ---- */

static bool add_transform(tf2_msgs__msg__TFMessage* message, const char* parent, const char* child)
{
    geometry_msgs__msg__TransformStamped* transform = &message->transforms.data[message->transforms.size++];
    return rosidl_runtime_c__String__assign(&transform->header.frame_id, parent) &&
           rosidl_runtime_c__String__assign(&transform->child_frame_id, child);
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
    return add_transform(&messages->transforms, FIL_ROOT_FRAME, frame);
}

/* empties a message and makes room for `count` transforms */
static bool size_transform_message(tf2_msgs__msg__TFMessage* message, int count)
{
    FIL_MESSAGE_RENEW(tf2_msgs__msg__TFMessage, message);
    const bool done = geometry_msgs__msg__TransformStamped__Sequence__init(&message->transforms, (size_t)count);
    message->transforms.size = 0;
    return done;
}

/* frames that may move, at the most */
static int count_moving(const FilStateMessages* messages, const FilWorld* world)
{
    int count = messages->rigid_count;
    for (int i = 0; i < messages->rod_count; i++) {
        const FilId rod = messages->rods[i];
        count += 1 + !fil_rod_closed(world, rod) + (messages->node_frames ? fil_rod_node_count(world, rod) : 0);
    }
    for (int i = 0; i < messages->arm_count; i++) {
        count += 1 + fil_arm_section_count(world, messages->arms[i]);
    }
    for (int i = 0; i < messages->robot_count; i++) {
        count += fil_robot_link_count(world, messages->robots[i]);
    }
    return count;
}

/* frames that may be fixed, at the most */
static int count_fixed(const FilStateMessages* messages, const FilWorld* world)
{
    int count = messages->rigid_count;
    for (int i = 0; i < messages->robot_count; i++) {
        count += fil_robot_link_count(world, messages->robots[i]);
    }
    return count;
}

/* start, end, then all nodes */
static bool add_rod(FilStateMessages* messages, const FilWorld* world, FilId rod)
{
    const char* name = fil_rod_name(world, rod);
    bool done = add_part_transform(messages, name, "start", -1) &&
                (fil_rod_closed(world, rod) || add_part_transform(messages, name, "end", -1));
    for (int k = 0; done && messages->node_frames && k < fil_rod_node_count(world, rod); k++) {
        done = add_part_transform(messages, name, "node_", k);
    }
    return done;
}

static bool add_arm(FilStateMessages* messages, const FilWorld* world, FilId arm)
{
    bool done = add_part_transform(messages, fil_arm_name(world, arm), "base", -1);
    for (int k = 0; done && k < fil_arm_section_count(world, arm); k++) {
        done = add_part_transform(messages, fil_arm_name(world, arm), "section_", k);
    }
    return done;
}

/* links are children of their parent links, as tools for robots expect */
static bool add_robot(FilStateMessages* messages, const FilWorld* world, FilId robot)
{
    bool done = true;
    for (int k = 0; done && k < fil_robot_link_count(world, robot); k++) {
        const int parent = fil_robot_link_parent(world, robot, k);
        done =
            add_transform(fil_robot_link_fixed(world, robot, k) ? &messages->static_transforms : &messages->transforms,
                          parent < 0 ? FIL_ROOT_FRAME : fil_robot_link_name(world, robot, parent),
                          fil_robot_link_name(world, robot, k));
    }
    return done;
}

/* order as in fil_fill_transforms: rods, arms, rigid bodies, robots */
bool fil_size_transforms(FilStateMessages* messages, const FilWorld* world)
{
    bool done = size_transform_message(&messages->transforms, count_moving(messages, world)) &&
                size_transform_message(&messages->static_transforms, count_fixed(messages, world));
    for (int i = 0; done && i < messages->rod_count; i++) {
        done = add_rod(messages, world, messages->rods[i]);
    }
    for (int i = 0; done && i < messages->arm_count; i++) {
        done = add_arm(messages, world, messages->arms[i]);
    }
    for (int i = 0; done && i < messages->rigid_count; i++) {
        const bool fixed = fil_rigid_motion(world, messages->rigids[i]) == FIL_STATIC;
        done = add_transform(fixed ? &messages->static_transforms : &messages->transforms, FIL_ROOT_FRAME,
                             fil_rigid_name(world, messages->rigids[i]));
    }
    for (int i = 0; done && i < messages->robot_count; i++) {
        done = add_robot(messages, world, messages->robots[i]);
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

/* the pose of b as seen from a: R_a' (x_b - x_a), q_a* q_b */
static void relate(FilVec3 xa, FilQuat a, FilVec3 xb, FilQuat b, FilVec3* position, FilQuat* orientation)
{
    const FilVec3 d = {xb.x - xa.x, xb.y - xa.y, xb.z - xa.z};
    // d + 2 u x (u x d + w d), u the vector part of the conjugate of a
    const FilVec3 u = {-a.x, -a.y, -a.z};
    const FilVec3 c = {u.y * d.z - u.z * d.y + a.w * d.x, u.z * d.x - u.x * d.z + a.w * d.y,
                       u.x * d.y - u.y * d.x + a.w * d.z};
    *position = (FilVec3){d.x + 2.0 * (u.y * c.z - u.z * c.y), d.y + 2.0 * (u.z * c.x - u.x * c.z),
                          d.z + 2.0 * (u.x * c.y - u.y * c.x)};
    *orientation =
        (FilQuat){a.w * b.x + u.x * b.w + u.y * b.z - u.z * b.y, a.w * b.y - u.x * b.z + u.y * b.w + u.z * b.x,
                  a.w * b.z + u.x * b.y - u.y * b.x + u.z * b.w, a.w * b.w - u.x * b.x - u.y * b.y - u.z * b.z};
}

/* rigid bodies and links that move, or those that do not */
static void fill_bodies(const FilStateMessages* messages, const FilSimulation* simulation, bool fixed,
                        geometry_msgs__msg__TransformStamped* next)
{
    const FilWorld* world = simulation->world;
    const builtin_interfaces__msg__Time stamp = fil_stamp_of(simulation);
    FilVec3 position;
    FilQuat orientation;
    for (int i = 0; i < messages->rigid_count; i++) {
        if ((fil_rigid_motion(world, messages->rigids[i]) == FIL_STATIC) == fixed) {
            fil_rigid_get_pose(world, messages->rigids[i], &position, &orientation);
            fill_transform(next++, stamp, position, orientation);
        }
    }
    for (int i = 0; i < messages->robot_count; i++) {
        const FilId robot = messages->robots[i];
        for (int k = 0; k < fil_robot_link_count(world, robot); k++) {
            if (fil_robot_link_fixed(world, robot, k) != fixed) {
                continue;
            }
            const int parent = fil_robot_link_parent(world, robot, k);
            fil_robot_link_pose(world, robot, k, &position, &orientation);
            if (parent >= 0) {
                FilVec3 base;
                FilQuat turn;
                fil_robot_link_pose(world, robot, parent, &base, &turn);
                relate(base, turn, position, orientation, &position, &orientation);
            }
            fill_transform(next++, stamp, position, orientation);
        }
    }
}

/* start, end, then all nodes; returns the transform after them */
static geometry_msgs__msg__TransformStamped* fill_rod(FilStateMessages* messages, const FilWorld* world, int rod,
                                                      builtin_interfaces__msg__Time stamp,
                                                      geometry_msgs__msg__TransformStamped* next)
{
    filum__msg__RodState* state = &messages->rod_states.rods.data[rod];
    const int nodes = (int)state->twists.size;
    const int edges = (int)state->tensions.size;
    double* positions = state->positions.data;
    fil_rod_get_positions(world, messages->rods[rod], positions);
    fil_rod_get_frames(world, messages->rods[rod], messages->frames);
    fill_node_transform(next++, stamp, positions, messages->frames, 0, edges);
    if (!state->closed) {
        fill_node_transform(next++, stamp, positions, messages->frames, nodes - 1, edges);
    }
    for (int k = 0; messages->node_frames && k < nodes; k++) {
        fill_node_transform(next++, stamp, positions, messages->frames, k, edges);
    }
    return next;
}

void fil_fill_transforms(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    const builtin_interfaces__msg__Time stamp = fil_stamp_of(simulation);
    geometry_msgs__msg__TransformStamped* next = messages->transforms.transforms.data;
    for (int i = 0; i < messages->rod_count; i++) {
        next = fill_rod(messages, world, i, stamp, next);
    }
    for (int i = 0; i < messages->arm_count; i++) {
        for (int k = -1; k < fil_arm_section_count(world, messages->arms[i]); k++) {
            FilVec3 position;
            FilQuat orientation;
            fil_arm_pose(world, messages->arms[i], k < 0 ? 0 : k, k < 0 ? 0.0 : 1.0, &position, &orientation);
            fill_transform(next++, stamp, position, orientation);
        }
    }
    fill_bodies(messages, simulation, false, next);
}

void fil_fill_static_transforms(FilStateMessages* messages, const FilSimulation* simulation)
{
    fill_bodies(messages, simulation, true, messages->static_transforms.transforms.data);
}
