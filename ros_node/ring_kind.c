/* Rings as the node shows them: entities without orientation, placed by the rods that they are threaded on; a ball where
 * the ring is, or where the centre of its hole is. */
#include "kinds.h"

#define BALL 0.01 /* m, its diameter; chosen: the world does not tell how wide a ring is */

static void get_state(const FilWorld* world, FilId ring, FilEntityState* state)
{
    state->position = fil_ring_position(world, ring);
    state->velocity = fil_ring_velocity(world, ring);
}

static int marker_count(const FilWorld* world, FilId ring)
{
    (void)world;
    (void)ring;
    return 1;
}

static bool size_markers(FilMarker* marker, const FilWorld* world, FilId ring, std_msgs__msg__ColorRGBA colour)
{
    marker->scale = (geometry_msgs__msg__Vector3){BALL, BALL, BALL};
    marker->color = colour;
    return fil_marker_size(marker, fil_ring_name(world, ring), 0, FIL_MARKER(SPHERE), 0);
}

static void fill_markers(FilMarker* marker, const FilWorld* world, FilId ring, double* scratch)
{
    (void)scratch;
    fil_marker_place(marker, fil_ring_position(world, ring), (FilQuat){0.0, 0.0, 0.0, 1.0});
}

const FilNodeKind fil_ring_kind = {
    .count = fil_world_ring_count,
    .at = fil_world_ring_at,
    .name = fil_ring_name,
    .get_state = get_state,
    .marker_count = marker_count,
    .size_markers = size_markers,
    .fill_markers = fill_markers,
};
