/* Rods as the node shows them: entities seen by the frame of their start, the frames <rod>/start and <rod>/end (not
 * when closed) and, if asked, <rod>/node_<i>, with z along the rod and x and y along the section's axes; a line;
 * rod_states. */
#include <math.h>
#include <stdlib.h>

#include "filum/msg/rod_state.h"
#include "filum/msg/rod_states.h"
#include "kinds.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"

/* positions, then frames */
static size_t scratch(const FilWorld* world, FilId rod)
{
    return (size_t)(3 * fil_rod_node_count(world, rod) + 9 * fil_rod_edge_count(world, rod));
}

/* ---- entities ---- */

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

static void get_state(const FilWorld* world, FilId id, FilEntityState* state)
{
    RodCopy rod;
    if (!copy_rod(world, id, &rod)) {
        return;
    }
    const FilVec3 tangent = fil_vector(rod.frames + 6);
    const FilVec3 edge = fil_vector_difference(fil_vector(rod.positions + 3), fil_vector(rod.positions));
    const FilVec3 rate = fil_vector_difference(fil_vector(rod.velocities + 3), fil_vector(rod.velocities));
    // the first edge turns with t x t_dot, and spins about itself
    const FilVec3 turn = fil_vector_scaled(1.0 / fil_vector_length(edge), fil_vector_cross(tangent, rate));
    state->position = fil_vector(rod.positions);
    state->orientation = fil_quat_from_axes(rod.frames, rod.frames + 3, rod.frames + 6);
    state->velocity = fil_vector(rod.velocities);
    state->angular_velocity = fil_vector_sum(turn, fil_vector_scaled(rod.spins[0], tangent));
    free(rod.positions);
}

/* The world carries frames over by the shortest rotation of their tangents; the rest of the rotation `turn` is one
 * about the tangent, and goes into the edge angles. `rod` holds the frames of before. */
static FilStatus turn_frames(FilWorld* world, FilId id, const RodCopy* rod, FilQuat turn)
{
    RodCopy now;
    double* angles = malloc((size_t)rod->edges * sizeof *angles);
    if (angles == NULL || !copy_rod(world, id, &now)) {
        free(angles);
        return FIL_OUT_OF_MEMORY;
    }
    fil_rod_get_angles(world, id, angles);
    for (int i = 0; i < rod->edges; i++) {
        const FilVec3 wanted = fil_quat_rotate(turn, fil_vector(rod->frames + 9 * i));
        const FilVec3 has = fil_vector(now.frames + 9 * i);
        const FilVec3 side = fil_vector(now.frames + 9 * i + 3);
        angles[i] += atan2(fil_vector_dot(side, wanted), fil_vector_dot(has, wanted));
    }
    const FilStatus status = fil_rod_set_state(world, id, NULL, NULL, angles, NULL);
    free(now.positions);
    free(angles);
    return status;
}

static FilStatus set_state(FilWorld* world, FilId id, const FilEntityState* pose, const FilEntityState* twist)
{
    RodCopy rod;
    FilEntityState now = {.orientation = {0.0, 0.0, 0.0, 1.0}};
    if (!copy_rod(world, id, &rod)) {
        return FIL_OUT_OF_MEMORY;
    }
    get_state(world, id, &now);
    const FilQuat turn = fil_motion_turn(&now, pose);
    fil_motion_move_points(&now, pose, twist, rod.nodes, rod.positions, rod.velocities);
    for (int i = 0; twist != NULL && i < rod.edges; i++) {
        // each edge spins about itself with its share of omega
        rod.spins[i] = fil_vector_dot(twist->angular_velocity, fil_quat_rotate(turn, fil_vector(rod.frames + 9 * i + 6)));
    }
    FilStatus status = fil_rod_set_state(world, id, rod.positions, rod.velocities, NULL, rod.spins);
    if (status == FIL_OK && pose != NULL) {
        status = turn_frames(world, id, &rod, turn);
    }
    free(rod.positions);
    return status;
}

/* ---- frames ---- */

/* start, end, then all nodes; a node is turned as the edge after it is */
static void add_frames(FilFrames* frames, const FilWorld* world, FilId rod)
{
    const int nodes = fil_rod_node_count(world, rod);
    const int edges = fil_rod_edge_count(world, rod);
    double* positions = frames->scratch;
    double* axes = frames->scratch + 3 * nodes;
    fil_rod_get_positions(world, rod, positions);
    fil_rod_get_frames(world, rod, axes);
    const int last = frames->options.node_frames ? nodes : 0;
    for (int k = -2; k < last; k++) {
        const int node = k == -1 ? nodes - 1 : k < 0 ? 0 : k;
        const double* x = axes + 9 * (node < edges ? node : edges - 1);
        if (k == -1 && fil_rod_closed(world, rod)) {
            continue;
        }
        // section's axes x and y with z along the rod, or the same turned on: x along it
        const bool forward = frames->options.rods_forward;
        const FilQuat orientation = forward ? fil_quat_from_axes(x + 6, x, x + 3) : fil_quat_from_axes(x, x + 3, x + 6);
        fil_frames_add(frames, &(FilFrame){.name = fil_rod_name(world, rod),
                                           .part = k >= 0    ? "node_"
                                                   : k == -1 ? "end"
                                                             : "start",
                                           .numbered = k >= 0,
                                           .number = k,
                                           .position = fil_vector(positions + 3 * node),
                                           .orientation = orientation});
    }
}

/* ---- states ---- */

FIL_MESSAGE_FUNCTIONS(filum, RodStates)

static int entries(const FilWorld* world, FilId rod)
{
    (void)world;
    (void)rod;
    return 1;
}

static bool size_doubles(rosidl_runtime_c__double__Sequence* sequence, int count)
{
    return rosidl_runtime_c__double__Sequence__init(sequence, (size_t)count);
}

static bool size_states(void* message, const FilWorld* world, const FilId* rods, int count)
{
    filum__msg__RodStates* states = message;
    bool done = filum__msg__RodState__Sequence__init(&states->rods, (size_t)count);
    for (int i = 0; done && i < count; i++) {
        const int nodes = fil_rod_node_count(world, rods[i]);
        const int edges = fil_rod_edge_count(world, rods[i]);
        filum__msg__RodState* state = &states->rods.data[i];
        state->closed = fil_rod_closed(world, rods[i]);
        done = rosidl_runtime_c__String__assign(&state->name, fil_rod_name(world, rods[i])) && size_doubles(&state->positions, 3 * nodes) &&
               size_doubles(&state->velocities, 3 * nodes) && size_doubles(&state->orientations, 4 * edges) &&
               size_doubles(&state->tensions, edges) && size_doubles(&state->curvatures, 2 * nodes) && size_doubles(&state->twists, nodes);
    }
    return done;
}

static void fill_states(void* message, const FilWorld* world, const FilId* rods, int count, double* frames)
{
    filum__msg__RodStates* states = message;
    for (int i = 0; i < count; i++) {
        filum__msg__RodState* state = &states->rods.data[i];
        fil_rod_get_positions(world, rods[i], state->positions.data);
        fil_rod_get_velocities(world, rods[i], state->velocities.data);
        fil_rod_get_tensions(world, rods[i], state->tensions.data);
        fil_rod_get_curvatures(world, rods[i], state->curvatures.data);
        fil_rod_get_twists(world, rods[i], state->twists.data);
        fil_rod_get_frames(world, rods[i], frames);
        for (size_t edge = 0; edge < state->tensions.size; edge++) {
            const double* axes = frames + 9 * edge;
            const FilQuat q = fil_quat_from_axes(axes, axes + 3, axes + 6);
            double* out = state->orientations.data + 4 * edge;
            out[0] = q.x;
            out[1] = q.y;
            out[2] = q.z;
            out[3] = q.w;
        }
    }
}

static const FilStateTopic rod_states = {
    .topic = {"rod_states", 10, false, "filum/msg/RodStates", type_of_RodStates},
    .message = {sizeof(filum__msg__RodStates), init_RodStates, fini_RodStates},
    .entries = entries,
    .size = size_states,
    .fill = fill_states,
};

const FilNodeKind fil_rod_kind = {
    .count = fil_world_rod_count,
    .at = fil_world_rod_at,
    .name = fil_rod_name,
    .scratch = scratch,
    .get_state = get_state,
    .place_count = fil_rod_node_count,
    .place = fil_rod_get_position,
    .set_state = set_state,
    .frames = add_frames,
    .show = &fil_show_rod,
    .states = &rod_states,
};
