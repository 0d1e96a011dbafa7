#include "commands.h"

#include <math.h>
#include <string.h>

#include "messages.h"
#include "rclc/subscription.h"
#include "rmw/qos_profiles.h"

/* counts and tells a refusal; at most one line a second */
#define REFUSE(commands, ...)                                                                        \
    do {                                                                                             \
        (commands)->refused++;                                                                       \
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, (commands)->logger, __VA_ARGS__); \
    } while (0)

static bool all_finite(const rosidl_runtime_c__double__Sequence* numbers)
{
    for (size_t i = 0; i < numbers->size; i++) {
        if (!isfinite(numbers->data[i])) {
            return false;
        }
    }
    return true;
}

/* whether `numbers` are finite and `per_node` for each of some nodes of the rod; the count of those nodes */
static bool fits_nodes(FilCommands* commands, const filum__msg__RodCommand* command, FilId rod,
                       const rosidl_runtime_c__double__Sequence* numbers, size_t per_node, const char* what, int* count)
{
    const size_t nodes = (size_t)fil_rod_node_count(commands->simulation->world, rod);
    *count = 0;
    if (numbers->size % per_node != 0 || command->first_node > nodes ||
        numbers->size / per_node > nodes - command->first_node) {
        REFUSE(commands, "rod_commands: %s: %zu numbers of %s from node %u on do not fit %zu nodes", command->rod.data,
               numbers->size, what, command->first_node, nodes);
        return false;
    }
    if (!all_finite(numbers)) {
        REFUSE(commands, "rod_commands: %s: %s is not finite", command->rod.data, what);
        return false;
    }
    *count = (int)(numbers->size / per_node);
    return true;
}

static void apply_rest_shape(FilCommands* commands, const filum__msg__RodCommand* command)
{
    FilWorld* world = commands->simulation->world;
    const FilId rod = fil_world_find_rod(world, command->rod.data);
    const int first = (int)command->first_node;
    int count;
    if (rod.index == 0) {
        REFUSE(commands, "rod_commands: there is no rod '%.200s'", command->rod.data);
        return;
    }
    if (command->rest_curvature.size > 0 &&
        fits_nodes(commands, command, rod, &command->rest_curvature, 2, "rest curvature", &count) &&
        fil_rod_set_rest_curvature(world, rod, first, count, command->rest_curvature.data) != FIL_OK) {
        REFUSE(commands, "rod_commands: %s", fil_world_error(world));
    }
    if (command->rest_twist.size > 0 &&
        fits_nodes(commands, command, rod, &command->rest_twist, 1, "rest twist", &count) &&
        fil_rod_set_rest_twist(world, rod, first, count, command->rest_twist.data) != FIL_OK) {
        REFUSE(commands, "rod_commands: %s", fil_world_error(world));
    }
}

static void apply_target(FilCommands* commands, const filum__msg__DriveTarget* target)
{
    FilWorld* world = commands->simulation->world;
    const FilId drive = fil_world_find_drive(world, target->drive.data);
    if (drive.index == 0) {
        REFUSE(commands, "rod_commands: there is no drive '%.200s'", target->drive.data);
    } else if (target->release && target->value.size > 0) {
        REFUSE(commands, "rod_commands: drive '%.200s' is released and given a value at once", target->drive.data);
    } else if (!all_finite(&target->value)) {
        REFUSE(commands, "rod_commands: the value for drive '%.200s' is not finite", target->drive.data);
    } else if (target->value.size > 3) {
        REFUSE(commands, "rod_commands: drive '%.200s' was given %zu numbers", target->drive.data, target->value.size);
    } else {
        const FilStatus status = target->release
                                     ? fil_drive_release(world, drive)
                                     : fil_drive_set(world, drive, target->value.data, (int)target->value.size);
        if (status != FIL_OK) {
            REFUSE(commands, "rod_commands: %s", fil_world_error(world));
        }
    }
}

int fil_commands_apply(FilCommands* commands, const filum__msg__RodCommand* command)
{
    const uint64_t before = commands->refused;
    if (commands->simulation->world == NULL) {
        REFUSE(commands, "rod_commands: there is no world");
    } else {
        if (command->rod.size > 0) {
            apply_rest_shape(commands, command);
        } else if (command->rest_curvature.size > 0 || command->rest_twist.size > 0) {
            REFUSE(commands, "rod_commands: a rest shape without the name of a rod");
        }
        for (size_t i = 0; i < command->targets.size; i++) {
            apply_target(commands, &command->targets.data[i]);
        }
    }
    return (int)(commands->refused - before);
}

static void take_rod_command(const void* message, void* context)
{
    (void)message;
    FilCommands* commands = context;
    const filum__msg__RodCommand* command = &commands->rod_command;
    const int64_t stamp = (int64_t)command->header.stamp.sec * 1000000000 + command->header.stamp.nanosec;
    commands->received++;
    if (!commands->lockstep) {
        fil_commands_apply(commands, command);
    } else if (stamp == commands->awaited_stamp) {
        fil_commands_apply(commands, command);
        commands->accepted_stamp = stamp;
        commands->awaited_stamp = -1;
    } else if (stamp != commands->accepted_stamp) {  // states are told again while a command is awaited
        REFUSE(commands, "rod_commands: a command for the state at %.9f s, which is not the awaited one",
               1e-9 * (double)stamp);
    }
    FIL_MESSAGE_RENEW(filum__msg__RodCommand, &commands->rod_command);
}

bool fil_commands_init(FilCommands* commands, rcl_node_t* node, rclc_executor_t* executor, FilSimulation* simulation,
                       bool lockstep)
{
    memset(commands, 0, sizeof *commands);
    commands->logger = rcl_node_get_logger_name(node);
    commands->simulation = simulation;
    commands->lockstep = lockstep;
    commands->awaited_stamp = -1;
    commands->accepted_stamp = -1;
    commands->rod_subscription = rcl_get_zero_initialized_subscription();
    rmw_qos_profile_t qos = lockstep ? rmw_qos_profile_default : rmw_qos_profile_sensor_data;
    qos.depth = lockstep ? 100 : qos.depth;
    if (!filum__msg__RodCommand__init(&commands->rod_command)) {
        RCUTILS_LOG_ERROR_NAMED(commands->logger, "out of memory");
        return false;
    }
    return fil_ros_ok(rclc_subscription_init(&commands->rod_subscription, node,
                                             ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, RodCommand), "rod_commands", &qos),
                      commands->logger, "rod_commands") &&
           fil_ros_ok(rclc_executor_add_subscription_with_context(executor, &commands->rod_subscription,
                                                                  &commands->rod_command, take_rod_command, commands,
                                                                  ON_NEW_DATA),
                      commands->logger, "rod_commands");
}

void fil_commands_fini(FilCommands* commands, rcl_node_t* node)
{
    fil_ros_ok(rcl_subscription_fini(&commands->rod_subscription, node), commands->logger, "rod_commands");
    filum__msg__RodCommand__fini(&commands->rod_command);
}
