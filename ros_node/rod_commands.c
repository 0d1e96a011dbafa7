/* Commands to rods: rest shapes and targets of drives. */
#include "command_parts.h"
#include "filum/msg/rod_command.h"

/* whether `numbers` are finite and `per_node` for each of some nodes of the rod; the count of those nodes */
static bool fits_nodes(FilCommands* commands, const filum__msg__RodCommand* command, FilId rod, const rosidl_runtime_c__double__Sequence* numbers,
                       size_t per_node, const char* what, int* count)
{
    const size_t nodes = (size_t)fil_rod_node_count(commands->simulation->world, rod);
    *count = 0;
    if (numbers->size % per_node != 0 || command->first_node > nodes || numbers->size / per_node > nodes - command->first_node) {
        FIL_REFUSE(commands, "rod_commands: %s: %zu numbers of %s from node %u on do not fit %zu nodes", command->rod.data, numbers->size, what,
                   command->first_node, nodes);
        return false;
    }
    if (!fil_command_is_finite(numbers)) {
        FIL_REFUSE(commands, "rod_commands: %s: %s is not finite", command->rod.data, what);
        return false;
    }
    *count = (int)(numbers->size / per_node);
    return true;
}

static void shape_rod(FilCommands* commands, const filum__msg__RodCommand* command)
{
    FilWorld* world = commands->simulation->world;
    const FilId rod = fil_world_find_rod(world, command->rod.data);
    const int first = (int)command->first_node;
    int count;
    if (!fil_command_has(commands, "rod_commands", "rod", command->rod.data, rod.index != 0)) {
        return;
    }
    if (command->rest_curvature.size > 0 && fits_nodes(commands, command, rod, &command->rest_curvature, 2, "rest curvature", &count)) {
        fil_command_done(commands, "rod_commands", fil_rod_set_rest_curvature(world, rod, first, count, command->rest_curvature.data));
    }
    if (command->rest_twist.size > 0 && fits_nodes(commands, command, rod, &command->rest_twist, 1, "rest twist", &count)) {
        fil_command_done(commands, "rod_commands", fil_rod_set_rest_twist(world, rod, first, count, command->rest_twist.data));
    }
}

static void aim_drive(FilCommands* commands, const filum__msg__DriveTarget* target)
{
    FilWorld* world = commands->simulation->world;
    const FilId drive = fil_world_find_drive(world, target->drive.data);
    if (!fil_command_has(commands, "rod_commands", "drive", target->drive.data, drive.index != 0)) {
        return;
    }
    if (target->release && target->value.size > 0) {
        FIL_REFUSE(commands, "rod_commands: drive '%s' is released and given a value at once", fil_shown(target->drive.data).text);
    } else if (!fil_command_is_finite(&target->value)) {
        FIL_REFUSE(commands, "rod_commands: the value for drive '%s' is not finite", fil_shown(target->drive.data).text);
    } else if (target->value.size > 3) {
        FIL_REFUSE(commands, "rod_commands: drive '%s' was given %zu numbers", fil_shown(target->drive.data).text, target->value.size);
    } else {
        fil_command_done(
            commands, "rod_commands",
            target->release ? fil_drive_release(world, drive) : fil_drive_set(world, drive, target->value.data, (int)target->value.size));
    }
}

static void apply(FilCommands* commands, const void* message)
{
    const filum__msg__RodCommand* command = message;
    if (command->rod.size > 0) {
        shape_rod(commands, command);
    } else if (command->rest_curvature.size > 0 || command->rest_twist.size > 0) {
        FIL_REFUSE(commands, "rod_commands: a rest shape without the name of a rod");
    }
    for (size_t i = 0; i < command->targets.size; i++) {
        aim_drive(commands, &command->targets.data[i]);
    }
}

FIL_MESSAGE_FUNCTIONS(filum, RodCommand)

const FilCommandTopic fil_rod_commands = {
    .topic = {"rod_commands", 100, false, "filum/msg/RodCommand", type_of_RodCommand},
    .message = {sizeof(filum__msg__RodCommand), init_RodCommand, fini_RodCommand},
    .apply = apply,
};
