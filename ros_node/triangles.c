#include "triangles.h"

#include <stdlib.h>

#include "filum/msg/mesh_state.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"

/* ---- entities ---- */

/* positions and velocities of an object's vertices, in one block of memory; NULL: out of memory */
static double* copy_vertices(const FilTriangleAccess* of, const FilWorld* world, FilId id, double** velocities)
{
    const size_t numbers = 3 * (size_t)of->vertex_count(world, id);
    double* positions = malloc(2 * numbers * sizeof *positions);
    if (positions != NULL) {
        *velocities = positions + numbers;
        of->get_positions(world, id, positions);
        of->get_velocities(world, id, *velocities);
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
    state->orientation = fil_quat_from_axes((double[3]){x.x, x.y, x.z}, (double[3]){y.x, y.y, y.z}, (double[3]){z.x, z.y, z.z});
    // omega = z x z_dot + z (z . (x x x_dot)); changes of length drop out of the cross products
    const FilVec3 tilt = fil_vector_scaled(1.0 / fil_vector_length(area), fil_vector_cross(z, area_rate));
    const double spin = fil_vector_dot(z, fil_vector_cross(x, a_rate)) / fil_vector_length(a);
    state->angular_velocity = fil_vector_sum(tilt, fil_vector_scaled(spin, z));
}

void fil_triangles_get_state(const FilTriangleAccess* of, const FilWorld* world, FilId id, FilEntityState* state)
{
    double* velocities = NULL;
    double* positions = copy_vertices(of, world, id, &velocities);
    if (positions == NULL) {
        return;
    }
    int corners[3];
    FilVec3 x[3];
    FilVec3 v[3];
    of->get_triangle(world, id, 0, corners);
    for (int k = 0; k < 3; k++) {
        x[k] = fil_vector(positions + 3 * corners[k]);
        v[k] = fil_vector(velocities + 3 * corners[k]);
    }
    state->position = x[0];
    state->velocity = v[0];
    see_triangle(fil_vector_difference(x[1], x[0]), fil_vector_difference(x[2], x[0]), fil_vector_difference(v[1], v[0]),
                 fil_vector_difference(v[2], v[0]), state);
    free(positions);
}

FilStatus fil_triangles_set_state(const FilTriangleAccess* of, FilWorld* world, FilId id, const FilEntityState* pose, const FilEntityState* twist)
{
    FilEntityState now = {.orientation = {0.0, 0.0, 0.0, 1.0}};
    double* velocities = NULL;
    double* positions = copy_vertices(of, world, id, &velocities);
    if (positions == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_triangles_get_state(of, world, id, &now);
    fil_motion_move_points(&now, pose, twist, of->vertex_count(world, id), positions, velocities);
    const FilStatus status = of->set_state(world, id, positions, velocities);
    free(positions);
    return status;
}

/* ---- states ---- */

bool fil_triangles_size_states(const FilTriangleAccess* of, void* message, const FilWorld* world, const FilId* ids, int count)
{
    filum__msg__MeshStates* states = message;
    bool done = filum__msg__MeshState__Sequence__init(&states->meshes, (size_t)count);
    for (int i = 0; done && i < count; i++) {
        filum__msg__MeshState* state = &states->meshes.data[i];
        const size_t numbers = 3 * (size_t)of->vertex_count(world, ids[i]);
        const int triangles = of->triangle_count(world, ids[i]);
        done = rosidl_runtime_c__String__assign(&state->name, of->name(world, ids[i])) &&
               rosidl_runtime_c__double__Sequence__init(&state->positions, numbers) &&
               rosidl_runtime_c__double__Sequence__init(&state->velocities, numbers) &&
               rosidl_runtime_c__uint32__Sequence__init(&state->triangles, 3 * (size_t)triangles);
        for (int t = 0; done && t < triangles; t++) {
            int corners[3];
            of->get_triangle(world, ids[i], t, corners);
            for (int k = 0; k < 3; k++) {
                state->triangles.data[3 * t + k] = (uint32_t)corners[k];
            }
        }
    }
    return done;
}

void fil_triangles_fill_states(const FilTriangleAccess* of, void* message, const FilWorld* world, const FilId* ids, int count)
{
    filum__msg__MeshStates* states = message;
    for (int i = 0; i < count; i++) {
        of->get_positions(world, ids[i], states->meshes.data[i].positions.data);
        of->get_velocities(world, ids[i], states->meshes.data[i].velocities.data);
    }
}
