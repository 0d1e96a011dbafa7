/* What shells and solids share: entities seen by the first triangle of their surface (origin at its first corner, x along its first
 * edge, z along its normal), and the message of their vertices. */
#ifndef FILUM_NODE_TRIANGLES_H
#define FILUM_NODE_TRIANGLES_H

#include "filum/msg/mesh_states.h"
#include "kinds.h"

/* The public calls of a kind whose surface is made of triangles. */
typedef struct FilTriangleAccess {
    const char* (*name)(const FilWorld* world, FilId id);
    int (*vertex_count)(const FilWorld* world, FilId id);
    int (*triangle_count)(const FilWorld* world, FilId id);
    void (*get_triangle)(const FilWorld* world, FilId id, int triangle, int* vertices);
    void (*get_positions)(const FilWorld* world, FilId id, double* vertices);
    void (*get_velocities)(const FilWorld* world, FilId id, double* vertices);
    FilStatus (*set_state)(FilWorld* world, FilId id, const double* vertices, const double* velocities);
} FilTriangleAccess;

/* As FilNodeKind and FilStateTopic have them. */
void fil_triangles_get_state(const FilTriangleAccess* of, const FilWorld* world, FilId id, FilEntityState* state);
FilStatus fil_triangles_set_state(const FilTriangleAccess* of, FilWorld* world, FilId id, const FilEntityState* pose, const FilEntityState* twist);
bool fil_triangles_size_states(const FilTriangleAccess* of, void* message, const FilWorld* world, const FilId* ids, int count);
void fil_triangles_fill_states(const FilTriangleAccess* of, void* message, const FilWorld* world, const FilId* ids, int count);

/* The row of a kind whose calls are named fil_<kind>_..., with the topic <kind>_states. */
#define FIL_TRIANGLES_KIND(kind)                                                                                   \
    static const FilTriangleAccess access = {                                                                      \
        .name = fil_##kind##_name,                                                                                 \
        .vertex_count = fil_##kind##_vertex_count,                                                                 \
        .triangle_count = fil_##kind##_triangle_count,                                                             \
        .get_triangle = fil_##kind##_get_triangle,                                                                 \
        .get_positions = fil_##kind##_get_positions,                                                               \
        .get_velocities = fil_##kind##_get_velocities,                                                             \
        .set_state = fil_##kind##_set_state,                                                                       \
    };                                                                                                             \
    static void get_state(const FilWorld* world, FilId id, FilEntityState* state)                                  \
    {                                                                                                              \
        fil_triangles_get_state(&access, world, id, state);                                                        \
    }                                                                                                              \
    static FilStatus set_state(FilWorld* world, FilId id, const FilEntityState* pose, const FilEntityState* twist) \
    {                                                                                                              \
        return fil_triangles_set_state(&access, world, id, pose, twist);                                           \
    }                                                                                                              \
    FIL_MESSAGE_FUNCTIONS(filum, MeshStates)                                                                       \
    static int entries(const FilWorld* world, FilId id)                                                            \
    {                                                                                                              \
        (void)world;                                                                                               \
        (void)id;                                                                                                  \
        return 1;                                                                                                  \
    }                                                                                                              \
    static bool size_states(void* message, const FilWorld* world, const FilId* ids, int count)                     \
    {                                                                                                              \
        return fil_triangles_size_states(&access, message, world, ids, count);                                     \
    }                                                                                                              \
    static void fill_states(void* message, const FilWorld* world, const FilId* ids, int count, double* scratch)    \
    {                                                                                                              \
        (void)scratch;                                                                                             \
        fil_triangles_fill_states(&access, message, world, ids, count);                                            \
    }                                                                                                              \
    static const FilStateTopic states = {                                                                          \
        .topic = {#kind "_states", 10, false, "filum/msg/MeshStates", type_of_MeshStates},                         \
        .message = {sizeof(filum__msg__MeshStates), init_MeshStates, fini_MeshStates},                             \
        .entries = entries,                                                                                        \
        .size = size_states,                                                                                       \
        .fill = fill_states,                                                                                       \
    };                                                                                                             \
    const FilNodeKind fil_##kind##_kind = {                                                                        \
        .count = fil_world_##kind##_count,                                                                         \
        .at = fil_world_##kind##_at,                                                                               \
        .name = fil_##kind##_name,                                                                                 \
        .get_state = get_state,                                                                                    \
        .place_count = fil_##kind##_vertex_count,                                                                  \
        .place = fil_##kind##_get_position,                                                                        \
        .set_state = set_state,                                                                                    \
        .show = &fil_show_##kind,                                                                                  \
        .states = &states,                                                                                         \
    }

#endif
