#include "commands.h"

#include <string.h>

#include "command_parts.h"
#include "rclc/subscription.h"
#include "rmw/qos_profiles.h"
#include "rmw/rmw.h"
#include "std_msgs/msg/header.h"

/* ---- the topics ---- */

static const FilCommandTopic* const topics[FIL_COMMAND_COUNT] = {
#define ROW(name, NAME) [FIL_COMMAND_##NAME] = &fil_##name##_commands,
    FIL_COMMAND_TOPICS(ROW)
#undef ROW
};

const FilOutputTopic* fil_commands_topic(FilCommandId id)
{
    return &topics[id]->topic;
}

/* ---- one message ---- */

int fil_commands_apply(FilCommands* commands, FilCommandId id, const void* message)
{
    const uint64_t refused = commands->refused;
    const uint64_t accepted = commands->accepted;
    if (commands->simulation->world == NULL) {
        FIL_REFUSE(commands, "%s: there is no world", topics[id]->topic.name);
    } else {
        topics[id]->apply(commands, message);
    }
    // what was taken in part is recorded whole: played again, the same parts are refused again
    if (commands->accepted > accepted) {
        fil_tap_pass(commands->tap, &topics[id]->topic, message);
    }
    return (int)(commands->refused - refused);
}

bool fil_commands_apply_bytes(FilCommands* commands, FilCommandId id, const rmw_serialized_message_t* bytes)
{
    void* message = fil_message_create(&topics[id]->message);
    if (message == NULL) {
        RCUTILS_LOG_ERROR_NAMED(commands->logger, "out of memory");
        return false;
    }
    const bool good = fil_ros_ok(rmw_deserialize(bytes, topics[id]->topic.type(), message), commands->logger, topics[id]->topic.name);
    if (good) {
        fil_commands_apply(commands, id, message);
    }
    fil_message_destroy(&topics[id]->message, message);
    return good;
}

FilHand* fil_commands_hand(FilCommands* commands)
{
    if (!commands->hand_opened || commands->hand_load != commands->simulation->load_count) {
        commands->hand = fil_hand_open();
        commands->hand_opened = true;
        commands->hand_load = commands->simulation->load_count;
    }
    return &commands->hand;
}

void fil_commands_follow(FilCommands* commands)
{
    char reason[FIL_REASON_TEXT];
    if (!fil_teleop_follow(&commands->teleop, commands->simulation, reason)) {
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, commands->logger, "teleoperation ends: %s", reason);
    }
    FilWorld* world = commands->simulation->world;
    if (world != NULL && !fil_tracks_follow(&commands->tracks, commands->simulation)) {
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, commands->logger, "joint_trajectory: %s", fil_world_error(world));
    }
    if (world != NULL && !fil_chamber_tracks_follow(&commands->chamber_tracks, commands->simulation)) {
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, commands->logger, "chamber_trajectory: %s", fil_world_error(world));
    }
    if (world != NULL && fil_body_wrenches_act(&commands->wrenches, commands->simulation) != FIL_OK) {
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, commands->logger, "wrench_commands: %s", fil_world_error(world));
    }
    if (world != NULL && fil_hand_pull(fil_commands_hand(commands), world) != FIL_OK) {
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, commands->logger, "pulls: %s", fil_world_error(world));
    }
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
        // states are published again while a command is awaited: a second answer to the same state is no fault
        FIL_REFUSE(commands, "%s: a command for the state at %.9f s, which is not the awaited one", topics[id]->topic.name, 1e-9 * (double)stamp);
    }
}

static void take(const void* received, void* context)
{
    (void)received;
    const FilCommandSlot* slot = context;
    FilCommands* commands = slot->commands;
    void* message = commands->messages[slot->id];
    const std_msgs__msg__Header* header = message;
    commands->received++;
    if (commands->lockstep && topics[slot->id]->unstamped) {
        FIL_REFUSE(commands, "%s: a message without a stamp answers no state; under lockstep there is stamped_%s", topics[slot->id]->topic.name,
                   topics[slot->id]->topic.name);
    } else if (commands->lockstep) {
        answer(commands, slot->id, message, (int64_t)header->stamp.sec * 1000000000 + header->stamp.nanosec);
    } else {
        fil_commands_apply(commands, slot->id, message);
    }
    fil_message_renew(&topics[slot->id]->message, message);
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
        while (id < FIL_COMMAND_COUNT && strcmp(topics[id]->topic.name, name) != 0) {
            id++;
        }
        if (id == FIL_COMMAND_COUNT || topics[id]->unstamped) {
            RCUTILS_LOG_ERROR_NAMED(commands->logger, "lockstep_topics: there is no command topic '%s'%s", name,
                                    id == FIL_COMMAND_COUNT ? "" : " with stamps");
            return false;
        }
        commands->needed |= 1u << id;
    }
    return true;
}

/* ---- life ---- */

bool fil_commands_init(FilCommands* commands, rcl_node_t* node, rclc_executor_t* executor, FilSimulation* simulation, const FilTap* tap,
                       bool lockstep, const char* needed)
{
    memset(commands, 0, sizeof *commands);
    commands->logger = rcl_node_get_logger_name(node);
    commands->simulation = simulation;
    commands->tap = tap;
    commands->lockstep = lockstep;
    commands->awaited_stamp = -1;
    commands->accepted_stamp = -1;
    rmw_qos_profile_t qos = rmw_qos_profile_default;  // reliable: a command that is sent once is meant to arrive
    bool done = read_needed(commands, needed);
    for (int i = 0; i < FIL_COMMAND_COUNT; i++) {
        commands->subscriptions[i] = rcl_get_zero_initialized_subscription();
        commands->slots[i] = (FilCommandSlot){commands, (FilCommandId)i};
    }
    for (int i = 0; done && i < FIL_COMMAND_COUNT; i++) {
        const FilOutputTopic* topic = &topics[i]->topic;
        qos.depth = topic->depth;
        commands->messages[i] = fil_message_create(&topics[i]->message);
        if (commands->messages[i] == NULL) {
            RCUTILS_LOG_ERROR_NAMED(commands->logger, "out of memory");
            return false;
        }
        rcl_subscription_t* subscription = &commands->subscriptions[i];
        done = fil_ros_ok(rclc_subscription_init(subscription, node, topic->type(), topic->name, &qos), commands->logger, topic->name) &&
               fil_ros_ok(
                   rclc_executor_add_subscription_with_context(executor, subscription, commands->messages[i], take, &commands->slots[i], ON_NEW_DATA),
                   commands->logger, topic->name);
    }
    return done;
}

void fil_commands_fini(FilCommands* commands, rcl_node_t* node)
{
    for (int i = FIL_COMMAND_COUNT; i-- > 0;) {
        fil_ros_ok(rcl_subscription_fini(&commands->subscriptions[i], node), commands->logger, topics[i]->topic.name);
        fil_message_destroy(&topics[i]->message, commands->messages[i]);
        commands->messages[i] = NULL;
    }
    fil_commands_forget(commands);
}

void fil_commands_forget(FilCommands* commands)
{
    fil_tracks_fini(&commands->tracks);
    fil_chamber_tracks_fini(&commands->chamber_tracks);
}
