/* Solids as the node shows them: entities seen by the first triangle of their surface (origin at its first corner, x along its first
 * edge, z along its normal), and their surface as one marker. */
#include <stdlib.h>

#include "kinds.h"

static size_t scratch(const FilWorld* world, FilId solid)
{
    return 3 * (size_t)fil_solid_vertex_count(world, solid);
}

/* ---- entities ---- */

/* positions and velocities of a solid's vertices, in one block of memory; NULL: out of memory */
static double* copy_vertices(const FilWorld* world, FilId solid, double** velocities)
{
    const size_t numbers = scratch(world, solid);
    double* positions = malloc(2 * numbers * sizeof *positions);
    if (positions != NULL) {
        *velocities = positions + numbers;
        fil_solid_get_positions(world, solid, positions);
        fil_solid_get_velocities(world, solid, *velocities);
    }
    return positions;
}

/* the frame of a triangle that moves: a, b the edges from its first corner, with their rates */
static void see_triangle(FilVec3 a, FilVec3 b, FilVec3 a_rate, FilVec3 b_rate, FilEntityState* state)
{
    const FilVec3 area = fil_vector_cross(a, b);
    const FilVec3 area_rate = fil_vector_sum(fil_vector_cross(a_rate, b), fil_vector_cross(a, b_rate));
    const FilVec3 x = fil_vector_scaled(1.0 / fil_vector_length(a), a);
    const FilVec3 z = fil_vector_scaled(1.0 / fil_vector_length(area), area);
    const FilVec3 y = fil_vector_cross(z, x);
    state->orientation =
        fil_quat_from_axes((double[3]){x.x, x.y, x.z}, (double[3]){y.x, y.y, y.z}, (double[3]){z.x, z.y, z.z});
    // omega = z x z_dot + z (z . (x x x_dot)); changes of length drop out of the cross products
    const FilVec3 tilt = fil_vector_scaled(1.0 / fil_vector_length(area), fil_vector_cross(z, area_rate));
    const double spin = fil_vector_dot(z, fil_vector_cross(x, a_rate)) / fil_vector_length(a);
    state->angular_velocity = fil_vector_sum(tilt, fil_vector_scaled(spin, z));
}

static void get_state(const FilWorld* world, FilId solid, FilEntityState* state)
{
    double* velocities = NULL;
    double* positions = copy_vertices(world, solid, &velocities);
    if (positions == NULL) {
        return;
    }
    int corners[3];
    FilVec3 x[3];
    FilVec3 v[3];
    fil_solid_get_triangle(world, solid, 0, corners);
    for (int k = 0; k < 3; k++) {
        x[k] = fil_vector(positions + 3 * corners[k]);
        v[k] = fil_vector(velocities + 3 * corners[k]);
    }
    state->position = x[0];
    state->velocity = v[0];
    see_triangle(fil_vector_difference(x[1], x[0]), fil_vector_difference(x[2], x[0]),
                 fil_vector_difference(v[1], v[0]), fil_vector_difference(v[2], v[0]), state);
    free(positions);
}

static FilStatus set_state(FilWorld* world, FilId solid, const FilEntityState* pose, const FilEntityState* twist)
{
    FilEntityState now = {.orientation = {0.0, 0.0, 0.0, 1.0}};
    double* velocities = NULL;
    double* positions = copy_vertices(world, solid, &velocities);
    if (positions == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    get_state(world, solid, &now);
    fil_motion_move_points(&now, pose, twist, fil_solid_vertex_count(world, solid), positions, velocities);
    const FilStatus status = fil_solid_set_state(world, solid, positions, velocities);
    free(positions);
    return status;
}

/* ---- markers ---- */

static int marker_count(const FilWorld* world, FilId solid)
{
    (void)world;
    (void)solid;
    return 1;
}

static bool size_markers(FilMarker* marker, const FilWorld* world, FilId solid, std_msgs__msg__ColorRGBA colour)
{
    marker->scale = (geometry_msgs__msg__Vector3){1.0, 1.0, 1.0};  // corners are in metres
    marker->color = colour;
    return fil_marker_size(marker, fil_solid_name(world, solid), 0, FIL_MARKER(TRIANGLE_LIST),
                           3 * fil_solid_triangle_count(world, solid));
}

static void fill_markers(FilMarker* marker, const FilWorld* world, FilId solid, double* positions)
{
    fil_solid_get_positions(world, solid, positions);
    for (int t = 0; t < fil_solid_triangle_count(world, solid); t++) {
        int corners[3];
        fil_solid_get_triangle(world, solid, t, corners);
        for (int k = 0; k < 3; k++) {
            marker->points.data[3 * t + k] = fil_marker_point(positions + 3 * corners[k]);
        }
    }
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
