/* Solids as the node shows them: by the triangles of their surface. */
#include "triangles.h"

static const FilTriangleAccess access = {
    .name = fil_solid_name,
    .vertex_count = fil_solid_vertex_count,
    .triangle_count = fil_solid_triangle_count,
    .get_triangle = fil_solid_get_triangle,
    .get_positions = fil_solid_get_positions,
    .get_velocities = fil_solid_get_velocities,
    .set_state = fil_solid_set_state,
};

static size_t scratch(const FilWorld* world, FilId solid)
{
    return fil_triangles_scratch(&access, world, solid);
}

static void get_state(const FilWorld* world, FilId solid, FilEntityState* state)
{
    fil_triangles_get_state(&access, world, solid, state);
}

static FilStatus set_state(FilWorld* world, FilId solid, const FilEntityState* pose, const FilEntityState* twist)
{
    return fil_triangles_set_state(&access, world, solid, pose, twist);
}

static int marker_count(const FilWorld* world, FilId solid)
{
    (void)world;
    (void)solid;
    return 1;
}

static bool size_markers(FilMarker* marker, const FilWorld* world, FilId solid, std_msgs__msg__ColorRGBA colour)
{
    return fil_triangles_size_markers(&access, marker, world, solid, colour);
}

static void fill_markers(FilMarker* marker, const FilWorld* world, FilId solid, double* positions)
{
    fil_triangles_fill_markers(&access, marker, world, solid, positions);
}

const FilNodeKind fil_solid_kind = {
    .count = fil_world_solid_count,
    .at = fil_world_solid_at,
    .name = fil_solid_name,
    .scratch = scratch,
    .get_state = get_state,
    .set_state = set_state,
    .marker_count = marker_count,
    .size_markers = size_markers,
    .fill_markers = fill_markers,
};
