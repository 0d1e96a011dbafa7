#include "entities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conversion.h"

/* in the order of the list */
typedef enum Kind { ROD, RIGID, ARM, ROBOT, KIND_COUNT } Kind;

static const struct {
    int (*count)(const FilWorld* world);
    FilId (*at)(const FilWorld* world, int index);
    const char* (*name)(const FilWorld* world, FilId id);
} kinds[KIND_COUNT] = {
    [ROD] = {fil_world_rod_count, fil_world_rod_at, fil_rod_name},
    [RIGID] = {fil_world_rigid_count, fil_world_rigid_at, fil_rigid_name},
    [ARM] = {fil_world_arm_count, fil_world_arm_at, fil_arm_name},
    [ROBOT] = {fil_world_robot_count, fil_world_robot_at, fil_robot_name},
};

int fil_entity_count(const FilWorld* world)
{
    int count = 0;
    for (int k = 0; k < KIND_COUNT; k++) {
        count += kinds[k].count(world);
    }
    return count;
}

static FilId id_of(const FilWorld* world, int entity, Kind* kind)
{
    int k = 0;
    while (k < KIND_COUNT - 1 && entity >= kinds[k].count(world)) {
        entity -= kinds[k++].count(world);
    }
    *kind = (Kind)k;
    return kinds[k].at(world, entity);
}

const char* fil_entity_name(const FilWorld* world, int entity)
{
    Kind kind;
    const FilId id = id_of(world, entity, &kind);
    return kinds[kind].name(world, id);
}

bool fil_entity_is_static(const FilWorld* world, int entity)
{
    Kind kind;
    const FilId id = id_of(world, entity, &kind);
    return kind == RIGID && fil_rigid_motion(world, id) == FIL_STATIC;
}

bool fil_entity_is_mounted(const FilWorld* world, int entity)
{
    Kind kind;
    const FilId id = id_of(world, entity, &kind);
    return kind == ARM || (kind == ROBOT && fil_robot_link_fixed(world, id, 0));
}

bool fil_entity_is_robot(const FilWorld* world, int entity)
{
    Kind kind;
    id_of(world, entity, &kind);
    return kind == ARM || kind == ROBOT;
}

int fil_entity_find(const FilWorld* world, const char* name)
{
    for (int i = 0; i < fil_entity_count(world); i++) {
        if (strcmp(fil_entity_name(world, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

/* positions, velocities, spins and frames of a rod, in one block of memory */
typedef struct RodCopy {
    int nodes, edges;
    double *positions, *velocities, *spins, *frames;
} RodCopy;

static bool copy_rod(const FilWorld* world, FilId rod, RodCopy* copy)
{
    copy->nodes = fil_rod_node_count(world, rod);
    copy->edges = fil_rod_edge_count(world, rod);
    copy->positions = malloc((size_t)(6 * copy->nodes + 10 * copy->edges) * sizeof *copy->positions);
    if (copy->positions == NULL) {
        return false;
    }
    copy->velocities = copy->positions + 3 * copy->nodes;
    copy->spins = copy->velocities + 3 * copy->nodes;
    copy->frames = copy->spins + copy->edges;
    fil_rod_get_positions(world, rod, copy->positions);
    fil_rod_get_velocities(world, rod, copy->velocities);
    fil_rod_get_spins(world, rod, copy->spins);
    fil_rod_get_frames(world, rod, copy->frames);
    return true;
}

static FilVec3 vector(const double* numbers)
{
    return (FilVec3){numbers[0], numbers[1], numbers[2]};
}

static FilVec3 cross(FilVec3 a, FilVec3 b)
{
    return (FilVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static FilVec3 difference(FilVec3 a, FilVec3 b)
{
    return (FilVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static FilVec3 rotate(FilQuat q, FilVec3 v)
{
    // v + 2 u x (u x v + w v), u the quaternion's vector part
    const FilVec3 u = {q.x, q.y, q.z};
    const FilVec3 c = cross(u, v);
    const FilVec3 inner = {c.x + q.w * v.x, c.y + q.w * v.y, c.z + q.w * v.z};
    const FilVec3 twice = cross(u, inner);
    return (FilVec3){v.x + 2.0 * twice.x, v.y + 2.0 * twice.y, v.z + 2.0 * twice.z};
}

static void get_rod_state(const FilWorld* world, FilId id, FilEntityState* state)
{
    RodCopy rod;
    if (!copy_rod(world, id, &rod)) {
        return;
    }
    const FilVec3 tangent = vector(rod.frames + 6);
    const FilVec3 edge = difference(vector(rod.positions + 3), vector(rod.positions));
    const FilVec3 rate = difference(vector(rod.velocities + 3), vector(rod.velocities));
    const double length = sqrt(edge.x * edge.x + edge.y * edge.y + edge.z * edge.z);
    // the first edge turns with t x t_dot, and spins about itself
    const FilVec3 turn = cross(tangent, rate);
    state->position = vector(rod.positions);
    state->orientation = fil_quat_from_axes(rod.frames, rod.frames + 3, rod.frames + 6);
    state->velocity = vector(rod.velocities);
    state->angular_velocity =
        (FilVec3){turn.x / length + rod.spins[0] * tangent.x, turn.y / length + rod.spins[0] * tangent.y,
                  turn.z / length + rod.spins[0] * tangent.z};
    free(rod.positions);
}

void fil_entity_get_state(const FilWorld* world, int entity, FilEntityState* state)
{
    Kind kind;
    const FilId id = id_of(world, entity, &kind);
    *state = (FilEntityState){.orientation = {0.0, 0.0, 0.0, 1.0}};
    switch (kind) {
        case RIGID:
            fil_rigid_get_pose(world, id, &state->position, &state->orientation);
            fil_rigid_get_velocity(world, id, &state->velocity, &state->angular_velocity);
            break;
        case ARM:
            fil_arm_disk_pose(world, id, 0, &state->position, &state->orientation);
            fil_arm_disk_velocity(world, id, 0, &state->velocity, &state->angular_velocity);
            break;
        case ROBOT:
            fil_robot_link_pose(world, id, 0, &state->position, &state->orientation);
            fil_robot_link_velocity(world, id, 0, &state->velocity, &state->angular_velocity);
            break;
        default:
            get_rod_state(world, id, state);
            break;
    }
}

/* q = a b^-1: the rotation that leads from b to a */
static FilQuat quotient(FilQuat a, FilQuat b)
{
    const FilQuat c = {-b.x, -b.y, -b.z, b.w};
    return (FilQuat){a.w * c.x + a.x * c.w + a.y * c.z - a.z * c.y, a.w * c.y - a.x * c.z + a.y * c.w + a.z * c.x,
                     a.w * c.z + a.x * c.y - a.y * c.x + a.z * c.w, a.w * c.w - a.x * c.x - a.y * c.y - a.z * c.z};
}

/* The world carries frames over by the shortest rotation of their tangents; the rest of the rotation `turn` is one
 * about the tangent, and goes into the edge angles. `rod` holds the frames of before. */
static FilStatus turn_frames(FilWorld* world, FilId id, RodCopy* rod, FilQuat turn)
{
    RodCopy now;
    double* angles = malloc((size_t)rod->edges * sizeof *angles);
    if (angles == NULL || !copy_rod(world, id, &now)) {
        free(angles);
        return FIL_OUT_OF_MEMORY;
    }
    fil_rod_get_angles(world, id, angles);
    for (int i = 0; i < rod->edges; i++) {
        const FilVec3 wanted = rotate(turn, vector(rod->frames + 9 * i));
        const FilVec3 has = vector(now.frames + 9 * i);
        const FilVec3 side = vector(now.frames + 9 * i + 3);
        angles[i] += atan2(side.x * wanted.x + side.y * wanted.y + side.z * wanted.z,
                           has.x * wanted.x + has.y * wanted.y + has.z * wanted.z);
    }
    const FilStatus status = fil_rod_set_state(world, id, NULL, NULL, angles, NULL);
    free(now.positions);
    free(angles);
    return status;
}

/* moves a rod without changing its shape */
static FilStatus set_rod_state(FilWorld* world, FilId id, const FilEntityState* now, const FilEntityState* pose,
                               const FilEntityState* twist)
{
    RodCopy rod;
    if (!copy_rod(world, id, &rod)) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilVec3 start = now->position;
    const FilVec3 goal = pose != NULL ? pose->position : start;
    const FilQuat turn = pose != NULL ? quotient(pose->orientation, now->orientation) : (FilQuat){0.0, 0.0, 0.0, 1.0};
    for (int i = 0; i < rod.nodes; i++) {
        // x = goal + R (x - start), v = velocity + omega x (x - goal)
        const FilVec3 arm = rotate(turn, difference(vector(rod.positions + 3 * i), start));
        const FilVec3 velocity = rotate(turn, vector(rod.velocities + 3 * i));
        const double moved[3] = {goal.x + arm.x, goal.y + arm.y, goal.z + arm.z};
        const double kept[3] = {velocity.x, velocity.y, velocity.z};
        memcpy(rod.positions + 3 * i, moved, sizeof moved);
        memcpy(rod.velocities + 3 * i, kept, sizeof kept);
        if (twist != NULL) {
            const FilVec3 swing = cross(twist->angular_velocity, arm);
            const double given[3] = {twist->velocity.x + swing.x, twist->velocity.y + swing.y,
                                     twist->velocity.z + swing.z};
            memcpy(rod.velocities + 3 * i, given, sizeof given);
        }
    }
    for (int i = 0; twist != NULL && i < rod.edges; i++) {
        // each edge spins about itself with its share of omega
        const FilVec3 tangent = rotate(turn, vector(rod.frames + 9 * i + 6));
        rod.spins[i] = twist->angular_velocity.x * tangent.x + twist->angular_velocity.y * tangent.y +
                       twist->angular_velocity.z * tangent.z;
    }
    FilStatus status = fil_rod_set_state(world, id, rod.positions, rod.velocities, NULL, rod.spins);
    if (status == FIL_OK && pose != NULL) {
        status = turn_frames(world, id, &rod, turn);
    }
    free(rod.positions);
    return status;
}

FilStatus fil_entity_set_state(FilWorld* world, int entity, const FilEntityState* pose, const FilEntityState* twist)
{
    Kind kind;
    const FilId id = id_of(world, entity, &kind);
    FilEntityState now;
    fil_entity_get_state(world, entity, &now);
    if (kind == ROD) {
        return set_rod_state(world, id, &now, pose, twist);
    }
    const FilEntityState* place = pose != NULL ? pose : &now;
    const FilEntityState* motion = twist != NULL ? twist : &now;
    if (kind == ROBOT) {
        return fil_robot_set_base(world, id, place->position, place->orientation, motion->velocity,
                                  motion->angular_velocity);
    }
    return fil_rigid_set_state(world, id, place->position, place->orientation, motion->velocity,
                               motion->angular_velocity);
}
