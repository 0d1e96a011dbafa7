/* Soft arms as messages. */
#include <math.h>
#include <stdio.h>

#include "conversion.h"
#include "filum/msg/arm_state.h"
#include "messages.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"

enum { NUMBERS = 3 }; /* of a section */

void fil_chamber_name(const FilWorld* world, FilId arm, int chamber, char name[FIL_FRAME_NAME])
{
    snprintf(name, FIL_FRAME_NAME, "%.200s/chamber_%d", fil_arm_name(world, arm), chamber);
}

bool fil_size_arm_states(FilStateMessages* messages, const FilWorld* world)
{
    bool done = filum__msg__ArmState__Sequence__init(&messages->arm_states.arms, (size_t)messages->arm_count) &&
                fil_set_frame(&messages->arm_states.header);
    for (int i = 0; done && i < messages->arm_count; i++) {
        const FilId arm = messages->arms[i];
        const size_t chambers = (size_t)fil_arm_chamber_count(world, arm);
        filum__msg__ArmState* state = &messages->arm_states.arms.data[i];
        done = rosidl_runtime_c__String__assign(&state->name, fil_arm_name(world, arm)) &&
               rosidl_runtime_c__String__Sequence__init(&state->chambers, chambers) &&
               rosidl_runtime_c__double__Sequence__init(&state->chamber_lengths, chambers) &&
               rosidl_runtime_c__double__Sequence__init(&state->chamber_pressures, chambers) &&
               rosidl_runtime_c__double__Sequence__init(&state->sections,
                                                        NUMBERS * (size_t)fil_arm_section_count(world, arm));
        for (size_t k = 0; done && k < chambers; k++) {
            char name[FIL_FRAME_NAME];
            fil_chamber_name(world, arm, (int)k, name);
            done = rosidl_runtime_c__String__assign(&state->chambers.data[k], name);
        }
    }
    return done;
}

void fil_fill_arm_states(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    messages->arm_states.header.stamp = fil_stamp_of(simulation);
    for (int i = 0; i < messages->arm_count; i++) {
        const FilId arm = messages->arms[i];
        filum__msg__ArmState* state = &messages->arm_states.arms.data[i];
        for (size_t k = 0; k < state->chambers.size; k++) {
            state->chamber_lengths.data[k] = fil_arm_chamber_length(world, arm, (int)k);
            state->chamber_pressures.data[k] = fil_arm_pressure(world, arm, (int)k);
        }
        for (int k = 0; k < fil_arm_section_count(world, arm); k++) {
            // bending towards the direction `plane` turns about the axis a right angle ahead of it
            const FilArmShape shape = fil_arm_shape(world, arm, k);
            double* numbers = state->sections.data + NUMBERS * k;
            numbers[0] = -shape.angle * sin(shape.plane);
            numbers[1] = shape.angle * cos(shape.plane);
            numbers[2] = shape.length;
        }
        FilVec3 position;
        FilQuat q;
        fil_arm_tip_pose(world, arm, &position, &q);
        state->tip.position = (geometry_msgs__msg__Point){position.x, position.y, position.z};
        state->tip.orientation = (geometry_msgs__msg__Quaternion){q.x, q.y, q.z, q.w};
    }
}
