/* Rings as the node shows them: entities without orientation, placed by the rods that they are threaded on; ring_states. */
#include "filum/msg/ring_state.h"
#include "filum/msg/ring_states.h"
#include "kinds.h"
#include "rosidl_runtime_c/string_functions.h"

static void get_state(const FilWorld* world, FilId ring, FilEntityState* state)
{
    state->position = fil_ring_position(world, ring);
    state->velocity = fil_ring_velocity(world, ring);
}

/* ---- states ---- */

FIL_MESSAGE_FUNCTIONS(filum, RingStates)

static int entries(const FilWorld* world, FilId ring)
{
    (void)world;
    (void)ring;
    return 1;
}

static bool size_states(void* message, const FilWorld* world, const FilId* rings, int count)
{
    filum__msg__RingStates* states = message;
    bool done = filum__msg__RingState__Sequence__init(&states->rings, (size_t)count);
    for (int i = 0; done && i < count; i++) {
        done = rosidl_runtime_c__String__assign(&states->rings.data[i].name, fil_ring_name(world, rings[i]));
    }
    return done;
}

static void fill_states(void* message, const FilWorld* world, const FilId* rings, int count, double* scratch)
{
    filum__msg__RingStates* states = message;
    (void)scratch;
    for (int i = 0; i < count; i++) {
        filum__msg__RingState* state = &states->rings.data[i];
        const FilVec3 x = fil_ring_position(world, rings[i]), v = fil_ring_velocity(world, rings[i]);
        state->threaded = fil_ring_threaded(world, rings[i]);
        state->position = (geometry_msgs__msg__Point){x.x, x.y, x.z};
        state->velocity = (geometry_msgs__msg__Vector3){v.x, v.y, v.z};
        state->travel = state->threaded ? fil_ring_travel(world, rings[i]) : 0.0;
        state->force = state->threaded ? fil_ring_force(world, rings[i]) : 0.0;
    }
}

static const FilStateTopic ring_states = {
    .topic = {"ring_states", 10, false, "filum/msg/RingStates", type_of_RingStates},
    .message = {sizeof(filum__msg__RingStates), init_RingStates, fini_RingStates},
    .entries = entries,
    .size = size_states,
    .fill = fill_states,
};

const FilNodeKind fil_ring_kind = {
    .count = fil_world_ring_count,
    .at = fil_world_ring_at,
    .name = fil_ring_name,
    .get_state = get_state,
    .show = &fil_show_ring,
    .states = &ring_states,
};
