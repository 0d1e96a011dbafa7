/* Commands to robots: targets of joints. */
#include <math.h>

#include "command_parts.h"
#include "sensor_msgs/msg/joint_state.h"

/* the i-th number of a sequence that may be empty; NAN: not given */
static double given(const rosidl_runtime_c__double__Sequence* numbers, size_t i)
{
    return numbers->size > 0 ? numbers->data[i] : NAN;
}

/* A joint's mode is the first of position, velocity and effort that is given and that it takes. What is not given stays
 * as it was if the mode does, and is zero if not. */
static void command_joint(FilCommands* commands, const sensor_msgs__msg__JointState* message, size_t i)
{
    FilWorld* world = commands->simulation->world;
    const double numbers[3] = {given(&message->position, i), given(&message->velocity, i), given(&message->effort, i)};
    static const FilJointMode modes[3] = {FIL_JOINT_POSITION, FIL_JOINT_VELOCITY, FIL_JOINT_EFFORT};
    FilCommandJoint joint;
    if (!fil_command_find_joint(commands, "joint_commands", message->name.data[i].data, &joint)) {
        return;
    }
    const unsigned taken = fil_robot_joint_modes(world, joint.robot, joint.index);
    FilJointCommand command = fil_robot_joint_command(world, joint.robot, joint.index);
    int first = 3;
    for (int k = 2; k >= 0; k--) {
        const bool takes = taken == 0 || (taken & (unsigned)modes[k]) != 0;
        first = !isnan(numbers[k]) && (takes || first == 3) ? k : first;
    }
    if (first == 3) {
        fil_command_keep(commands);
        return;
    }
    if (command.mode != modes[first]) {
        command = (FilJointCommand){.mode = modes[first]};
    }
    double* const fields[3] = {&command.position, &command.velocity, &command.effort};
    for (int k = first; k < 3; k++) {
        *fields[k] = isnan(numbers[k]) ? *fields[k] : numbers[k];
    }
    fil_command_done(commands, "joint_commands", fil_robot_set_joint_command(world, joint.robot, joint.index, &command));
}

static void apply_joints(FilCommands* commands, const void* received)
{
    const sensor_msgs__msg__JointState* message = received;
    const size_t count = message->name.size;
    const struct {
        const char* what;
        size_t size;
    } arrays[] = {{"positions", message->position.size}, {"velocities", message->velocity.size}, {"efforts", message->effort.size}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].size != 0 && !fil_command_matches(commands, "joint_commands", count, "names", arrays[i].size, arrays[i].what)) {
            return;
        }
    }
    for (size_t i = 0; i < count; i++) {
        command_joint(commands, message, i);
    }
}

FIL_MESSAGE_FUNCTIONS(sensor_msgs, JointState)

const FilCommandTopic fil_joint_commands = {
    .topic = {"joint_commands", 100, false, "sensor_msgs/msg/JointState", type_of_JointState},
    .message = {sizeof(sensor_msgs__msg__JointState), init_JointState, fini_JointState},
    .apply = apply_joints,
};
