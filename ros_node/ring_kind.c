/* Rings as the node shows them: entities without orientation, placed by the rods that they are threaded on; a ball
 * where the ring is, or where the centre of its hole is. */
#include <math.h>

#include "kinds.h"

#define BALL \
    3.0 /* radius of the ball, by that of the thickest rod; chosen: the world does not tell how wide a ring is */

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
    double radius = 0.0;
    for (int i = 0; i < fil_world_rod_count(world); i++) {
        radius = fmax(radius, BALL * fil_rod_radius(world, fil_world_rod_at(world, i), 0));
    }
    marker->scale = (geometry_msgs__msg__Vector3){2.0 * radius, 2.0 * radius, 2.0 * radius};
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
