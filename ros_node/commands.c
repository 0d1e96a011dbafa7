#include "commands.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command_kinds.h"
#include "rclc/subscription.h"
#include "rmw/qos_profiles.h"
#include "rmw/rmw.h"
#include "std_msgs/msg/header.h"

/* ---- the topics ---- */

/* what the table needs of a type, as functions of one signature */
#define KIND(package, type, field, apply)                                 \
    static const rosidl_message_type_support_t* type_of_##field(void)     \
    {                                                                     \
        return ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, type);           \
    }                                                                     \
    static void* message_of_##field(FilCommands* commands)                \
    {                                                                     \
        return &commands->field;                                          \
    }                                                                     \
    static bool init_##field(FilCommands* commands)                       \
    {                                                                     \
        return package##__msg__##type##__init(&commands->field);          \
    }                                                                     \
    static void fini_##field(FilCommands* commands)                       \
    {                                                                     \
        package##__msg__##type##__fini(&commands->field);                 \
    }                                                                     \
    static void renew_##field(FilCommands* commands)                      \
    {                                                                     \
        FIL_MESSAGE_RENEW(package##__msg__##type, &commands->field);      \
    }                                                                     \
    static void apply_##field(FilCommands* commands, const void* message) \
    {                                                                     \
        apply(commands, message);                                         \
    }
KIND(filum, RodCommand, rod, fil_command_rods)
KIND(filum, ChamberPressures, chamber, fil_command_chambers)
KIND(sensor_msgs, JointState, joint, fil_command_joints)
KIND(trajectory_msgs, JointTrajectory, trajectory, fil_command_trajectory)
#undef KIND

/* every type begins with a std_msgs/Header */
static const struct {
    FilOutputTopic topic;
    void* (*message)(FilCommands* commands);
    bool (*init)(FilCommands* commands);
    void (*fini)(FilCommands* commands);
    void (*renew)(FilCommands* commands);
    void (*apply)(FilCommands* commands, const void* message);
} kinds[FIL_COMMAND_COUNT] = {
#define ROW(topic, type, field)                                                                                    \
    {                                                                                                              \
        {topic, 100, false, type, type_of_##field}, message_of_##field, init_##field, fini_##field, renew_##field, \
            apply_##field                                                                                          \
    }
    [FIL_COMMAND_ROD] = ROW("rod_commands", "filum/msg/RodCommand", rod),
    [FIL_COMMAND_CHAMBER] = ROW("chamber_commands", "filum/msg/ChamberPressures", chamber),
    [FIL_COMMAND_JOINT] = ROW("joint_commands", "sensor_msgs/msg/JointState", joint),
    [FIL_COMMAND_TRAJECTORY] = ROW("joint_trajectory", "trajectory_msgs/msg/JointTrajectory", trajectory),
#undef ROW
};

const FilOutputTopic* fil_commands_topic(FilCommandId id)
{
    return &kinds[id].topic;
}

/* ---- parts ---- */

FilShown fil_shown(const char* name)
{
    FilShown shown = {{0}};
    const size_t most = sizeof shown.text - 4;
    for (size_t i = 0; i < most && name[i] != '\0'; i++) {
        shown.text[i] = isprint((unsigned char)name[i]) ? name[i] : '?';
        if (i + 1 == most && name[i + 1] != '\0') {
            memcpy(shown.text + most, "...", 4);
        }
    }
    return shown;
}

bool fil_command_is_finite(const rosidl_runtime_c__double__Sequence* numbers)
{
    for (size_t i = 0; i < numbers->size; i++) {
        if (!isfinite(numbers->data[i])) {
            return false;
        }
    }
    return true;
}

void fil_command_done(FilCommands* commands, const char* topic, FilStatus status)
{
    if (status == FIL_OK) {
        commands->accepted++;
    } else {
        FIL_REFUSE(commands, "%s: %s", topic, fil_world_error(commands->simulation->world));
    }
}

int fil_commands_apply(FilCommands* commands, FilCommandId id, const void* message)
{
    const uint64_t refused = commands->refused;
    const uint64_t accepted = commands->accepted;
    if (commands->simulation->world == NULL) {
        FIL_REFUSE(commands, "%s: there is no world", kinds[id].topic.name);
    } else {
        kinds[id].apply(commands, message);
    }
    // what was taken in part is recorded whole: played again, the same parts are refused again
    if (commands->accepted > accepted) {
        fil_tap_pass(commands->tap, &kinds[id].topic, message);
    }
    return (int)(commands->refused - refused);
}

bool fil_commands_apply_bytes(FilCommands* commands, FilCommandId id, const rmw_serialized_message_t* bytes)
{
    kinds[id].renew(commands);
    void* message = kinds[id].message(commands);
    const bool good =
        fil_ros_ok(rmw_deserialize(bytes, kinds[id].topic.type(), message), commands->logger, kinds[id].topic.name);
    if (good) {
        fil_commands_apply(commands, id, message);
    }
    kinds[id].fini(commands);
    return good;
}

/* ---- lockstep ---- */

void fil_commands_await(FilCommands* commands, int64_t stamp)
{
    commands->answered = stamp == commands->awaited_stamp ? commands->answered : 0;
    commands->awaited_stamp = stamp;
}

/* takes the answer to the awaited state; those needed are awaited on until all have answered */
static void answer(FilCommands* commands, FilCommandId id, const void* message, int64_t stamp)
{
    const unsigned bit = 1u << id;
    if (stamp == commands->awaited_stamp && (commands->answered & bit) == 0) {
        fil_commands_apply(commands, id, message);
        commands->answered |= bit;
        if ((commands->answered & commands->needed) == commands->needed) {
            commands->accepted_stamp = stamp;
            commands->awaited_stamp = -1;
        }
    } else if (stamp != commands->accepted_stamp && stamp != commands->awaited_stamp) {
        // states are told again while a command is awaited: a second answer to the same state is no fault
        FIL_REFUSE(commands, "%s: a command for the state at %.9f s, which is not the awaited one",
                   kinds[id].topic.name, 1e-9 * (double)stamp);
    }
}

static void take(const void* received, void* context)
{
    (void)received;
    const FilCommandSlot* slot = context;
    FilCommands* commands = slot->commands;
    const void* message = kinds[slot->id].message(commands);
    const std_msgs__msg__Header* header = message;
    commands->received++;
    if (commands->lockstep) {
        answer(commands, slot->id, message, (int64_t)header->stamp.sec * 1000000000 + header->stamp.nanosec);
    } else {
        fil_commands_apply(commands, slot->id, message);
    }
    kinds[slot->id].renew(commands);
}

/* the bits of topics in a list of names */
static bool read_needed(FilCommands* commands, const char* names)
{
    char list[256];
    if (snprintf(list, sizeof list, "%s", names) >= (int)sizeof list) {
        RCUTILS_LOG_ERROR_NAMED(commands->logger, "lockstep_topics is too long");
        return false;
    }
    char* rest = NULL;
    for (const char* name = strtok_r(list, " ,", &rest); name != NULL; name = strtok_r(NULL, " ,", &rest)) {
        int id = 0;
        while (id < FIL_COMMAND_COUNT && strcmp(kinds[id].topic.name, name) != 0) {
            id++;
        }
        if (id == FIL_COMMAND_COUNT) {
            RCUTILS_LOG_ERROR_NAMED(commands->logger, "lockstep_topics: there is no command topic '%s'", name);
            return false;
        }
        commands->needed |= 1u << id;
    }
    return true;
}

/* ---- life ---- */

bool fil_commands_init(FilCommands* commands, rcl_node_t* node, rclc_executor_t* executor, FilSimulation* simulation,
                       const FilTap* tap, bool lockstep, const char* needed)
{
    memset(commands, 0, sizeof *commands);
    commands->logger = rcl_node_get_logger_name(node);
    commands->simulation = simulation;
    commands->tap = tap;
    commands->lockstep = lockstep;
    commands->awaited_stamp = -1;
    commands->accepted_stamp = -1;
    rmw_qos_profile_t qos = lockstep ? rmw_qos_profile_default : rmw_qos_profile_sensor_data;
    bool done = read_needed(commands, needed);
    for (int i = 0; i < FIL_COMMAND_COUNT; i++) {
        commands->subscriptions[i] = rcl_get_zero_initialized_subscription();
        commands->slots[i] = (FilCommandSlot){commands, (FilCommandId)i};
    }
    for (int i = 0; done && i < FIL_COMMAND_COUNT; i++) {
        const FilOutputTopic* topic = &kinds[i].topic;
        qos.depth = lockstep ? topic->depth : qos.depth;
        if (!kinds[i].init(commands)) {
            RCUTILS_LOG_ERROR_NAMED(commands->logger, "out of memory");
            return false;
        }
        rcl_subscription_t* subscription = &commands->subscriptions[i];
        done =
            fil_ros_ok(rclc_subscription_init(subscription, node, topic->type(), topic->name, &qos), commands->logger,
                       topic->name) &&
            fil_ros_ok(rclc_executor_add_subscription_with_context(executor, subscription, kinds[i].message(commands),
                                                                   take, &commands->slots[i], ON_NEW_DATA),
                       commands->logger, topic->name);
    }
    return done;
}

void fil_commands_fini(FilCommands* commands, rcl_node_t* node)
{
    for (int i = FIL_COMMAND_COUNT; i-- > 0;) {
        fil_ros_ok(rcl_subscription_fini(&commands->subscriptions[i], node), commands->logger, kinds[i].topic.name);
        kinds[i].fini(commands);
    }
}
