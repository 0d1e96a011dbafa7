/* Soft arms as the node shows them: entities seen by their base, the frames <arm>/base and <arm>/section_<i>, the end
 * of section i; disks and a backbone; arm_states. */
#include "arm_kind.h"

#include <math.h>
#include <stdio.h>

#include "filum/msg/arm_state.h"
#include "filum/msg/arm_states.h"
#include "kinds.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"

enum { NUMBERS = 3 }; /* of a section, in messages */

void fil_chamber_name(const char* arm, int chamber, char name[FIL_FRAME_NAME])
{
    snprintf(name, FIL_FRAME_NAME, "%.200s/chamber_%d", arm, chamber);
}

/* ---- entities and frames ---- */

static void get_state(const FilWorld* world, FilId arm, FilEntityState* state)
{
    fil_arm_disk_pose(world, arm, 0, &state->position, &state->orientation);
    fil_arm_disk_velocity(world, arm, 0, &state->velocity, &state->angular_velocity);
}

static void add_frames(FilFrames* frames, const FilWorld* world, FilId arm)
{
    for (int k = -1; k < fil_arm_section_count(world, arm); k++) {
        FilFrame frame = {.name = fil_arm_name(world, arm), .part = k < 0 ? "base" : "section_", .numbered = k >= 0, .number = k};
        fil_arm_pose(world, arm, k < 0 ? 0 : k, k < 0 ? 0.0 : 1.0, &frame.position, &frame.orientation);
        fil_frames_add(frames, &frame);
    }
}

/* ---- states ---- */

FIL_MESSAGE_FUNCTIONS(filum, ArmStates)

static int entries(const FilWorld* world, FilId arm)
{
    (void)world;
    (void)arm;
    return 1;
}

static bool size_states(void* message, const FilWorld* world, const FilId* arms, int count)
{
    filum__msg__ArmStates* states = message;
    bool done = filum__msg__ArmState__Sequence__init(&states->arms, (size_t)count);
    for (int i = 0; done && i < count; i++) {
        const size_t chambers = (size_t)fil_arm_chamber_count(world, arms[i]);
        filum__msg__ArmState* state = &states->arms.data[i];
        done = rosidl_runtime_c__String__assign(&state->name, fil_arm_name(world, arms[i])) &&
               rosidl_runtime_c__String__Sequence__init(&state->chambers, chambers) &&
               rosidl_runtime_c__double__Sequence__init(&state->chamber_lengths, chambers) &&
               rosidl_runtime_c__double__Sequence__init(&state->chamber_pressures, chambers) &&
               rosidl_runtime_c__double__Sequence__init(&state->sections, NUMBERS * (size_t)fil_arm_section_count(world, arms[i]));
        for (size_t k = 0; done && k < chambers; k++) {
            char name[FIL_FRAME_NAME];
            fil_chamber_name(fil_arm_name(world, arms[i]), (int)k, name);
            done = rosidl_runtime_c__String__assign(&state->chambers.data[k], name);
        }
    }
    return done;
}

static void fill_states(void* message, const FilWorld* world, const FilId* arms, int count, double* scratch)
{
    (void)scratch;
    filum__msg__ArmStates* states = message;
    for (int i = 0; i < count; i++) {
        filum__msg__ArmState* state = &states->arms.data[i];
        for (size_t k = 0; k < state->chambers.size; k++) {
            state->chamber_lengths.data[k] = fil_arm_chamber_length(world, arms[i], (int)k);
            state->chamber_pressures.data[k] = fil_arm_pressure(world, arms[i], (int)k);
        }
        for (int k = 0; k < fil_arm_section_count(world, arms[i]); k++) {
            // bending towards the direction `plane` turns about the axis a right angle ahead of it
            const FilArmShape shape = fil_arm_shape(world, arms[i], k);
            double* numbers = state->sections.data + NUMBERS * k;
            numbers[0] = -shape.angle * sin(shape.plane);
            numbers[1] = shape.angle * cos(shape.plane);
            numbers[2] = shape.length;
        }
        FilVec3 position;
        FilQuat q;
        fil_arm_tip_pose(world, arms[i], &position, &q);
        state->tip.position = (geometry_msgs__msg__Point){position.x, position.y, position.z};
        state->tip.orientation = (geometry_msgs__msg__Quaternion){q.x, q.y, q.z, q.w};
    }
}

static const FilStateTopic arm_states = {
    .topic = {"arm_states", 10, false, "filum/msg/ArmStates", type_of_ArmStates},
    .message = {sizeof(filum__msg__ArmStates), init_ArmStates, fini_ArmStates},
    .entries = entries,
    .size = size_states,
    .fill = fill_states,
};

const FilNodeKind fil_arm_kind = {
    .count = fil_world_arm_count,
    .at = fil_world_arm_at,
    .name = fil_arm_name,
    .is_robot = true,
    .get_state = get_state,
    .frames = add_frames,
    .show = &fil_show_arm,
    .states = &arm_states,
};
