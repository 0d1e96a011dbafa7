/* Robots as messages: their joints. */
#include <string.h>

#include "conversion.h"
#include "messages.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"

bool fil_size_joint_states(FilStateMessages* messages, const FilWorld* world)
{
    sensor_msgs__msg__JointState* message = &messages->joint_states;
    size_t count = 0;
    for (int i = 0; i < messages->robot_count; i++) {
        count += (size_t)fil_robot_joint_count(world, messages->robots[i]);
    }
    bool done = fil_set_frame(&message->header) && rosidl_runtime_c__String__Sequence__init(&message->name, count) &&
                rosidl_runtime_c__double__Sequence__init(&message->position, count) &&
                rosidl_runtime_c__double__Sequence__init(&message->velocity, count) &&
                rosidl_runtime_c__double__Sequence__init(&message->effort, count);
    rosidl_runtime_c__String* next = message->name.data;
    for (int i = 0; done && i < messages->robot_count; i++) {
        for (int k = 0; done && k < fil_robot_joint_count(world, messages->robots[i]); k++) {
            done = rosidl_runtime_c__String__assign(next++, fil_robot_joint_name(world, messages->robots[i], k));
        }
    }
    return done;
}

void fil_fill_joint_states(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    sensor_msgs__msg__JointState* message = &messages->joint_states;
    message->header.stamp = fil_stamp_of(simulation);
    size_t next = 0;
    for (int i = 0; i < messages->robot_count; i++) {
        for (int k = 0; k < fil_robot_joint_count(world, messages->robots[i]); k++) {
            const FilJointState state = fil_robot_joint_state(world, messages->robots[i], k);
            message->position.data[next] = state.position;
            message->velocity.data[next] = state.velocity;
            message->effort.data[next++] = state.effort;
        }
    }
}
