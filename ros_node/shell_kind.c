/* Shells as the node shows them: by the triangles of their surface. */
#include "triangles.h"

static const FilTriangleAccess access = {
    .name = fil_shell_name,
    .vertex_count = fil_shell_vertex_count,
    .triangle_count = fil_shell_triangle_count,
    .get_triangle = fil_shell_get_triangle,
    .get_positions = fil_shell_get_positions,
    .get_velocities = fil_shell_get_velocities,
    .set_state = fil_shell_set_state,
};

static size_t scratch(const FilWorld* world, FilId shell)
{
    return fil_triangles_scratch(&access, world, shell);
}

static void get_state(const FilWorld* world, FilId shell, FilEntityState* state)
{
    fil_triangles_get_state(&access, world, shell, state);
}

static FilStatus set_state(FilWorld* world, FilId shell, const FilEntityState* pose, const FilEntityState* twist)
{
    return fil_triangles_set_state(&access, world, shell, pose, twist);
}

static int marker_count(const FilWorld* world, FilId shell)
{
    (void)world;
    (void)shell;
    return 1;
}

static bool size_markers(FilMarker* marker, const FilWorld* world, FilId shell, std_msgs__msg__ColorRGBA colour)
{
    return fil_triangles_size_markers(&access, marker, world, shell, colour);
}

static void fill_markers(FilMarker* marker, const FilWorld* world, FilId shell, double* positions)
{
    fil_triangles_fill_markers(&access, marker, world, shell, positions);
}

const FilNodeKind fil_shell_kind = {
    .count = fil_world_shell_count,
    .at = fil_world_shell_at,
    .name = fil_shell_name,
    .scratch = scratch,
    .get_state = get_state,
    .set_state = set_state,
    .marker_count = marker_count,
    .size_markers = size_markers,
    .fill_markers = fill_markers,
};
