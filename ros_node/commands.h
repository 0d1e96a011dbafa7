/* Commands to the world: what arrives on the command topics is checked and handed on; what makes no sense is refused,
 * counted and reported. */
#ifndef FILUM_NODE_COMMANDS_H
#define FILUM_NODE_COMMANDS_H

#include "body_wrench.h"
#include "chamber_track.h"
#include "rcl/rcl.h"
#include "rclc/executor.h"
#include "rmw/serialized_message.h"
#include "tap.h"
#include "teleop.h"
#include "track.h"
#include "view/hand.h"
#include "view/simulation.h"

/* One row per topic, in the files <kind>_commands.c. */
#define FIL_COMMAND_TOPICS(ROW)                 \
    ROW(rod, ROD)                               \
    ROW(chamber, CHAMBER)                       \
    ROW(joint, JOINT)                           \
    ROW(trajectory, TRAJECTORY)                 \
    ROW(twist, TWIST)                           \
    ROW(stamped_twist, STAMPED_TWIST)           \
    ROW(joy, JOY)                               \
    ROW(pull, PULL)                             \
    ROW(chamber_trajectory, CHAMBER_TRAJECTORY) \
    ROW(wrench, WRENCH)

#define FIL_COMMAND_ID(name, NAME) FIL_COMMAND_##NAME,
typedef enum FilCommandId {
    FIL_COMMAND_TOPICS(FIL_COMMAND_ID) FIL_COMMAND_COUNT, /* handles of the executor that commands need */
} FilCommandId;
#undef FIL_COMMAND_ID

struct FilCommands;

/* One command topic, as the executor's callback sees it. */
typedef struct FilCommandSlot {
    struct FilCommands* commands;
    FilCommandId id;
} FilCommandSlot;

typedef struct FilCommands {
    const char* logger;
    FilSimulation* simulation;
    const FilTap* tap;
    FilTeleop teleop; /* zero: no link is named */
    FilTracks tracks; /* that robots follow */
    FilChamberTracks chamber_tracks;
    FilBodyWrenches wrenches;
    FilHand hand; /* see fil_commands_hand() */
    bool hand_opened;
    uint64_t hand_load; /* the world that it was opened for */
    FilCommandSlot slots[FIL_COMMAND_COUNT];
    rcl_subscription_t subscriptions[FIL_COMMAND_COUNT];
    void* messages[FIL_COMMAND_COUNT]; /* that subscriptions receive into */
    uint64_t received;                 /* messages */
    uint64_t accepted;                 /* parts of commands */
    uint64_t refused;                  /* parts of commands, each reported in a throttled warning */
    uint64_t postponed;                /* turns of the main loop that left messages for later, so that steps keep their time */

    bool lockstep;
    unsigned needed;        /* bits of the topics that must all answer a state; 0: any one */
    unsigned answered;      /* bits of those that have answered the awaited state */
    int64_t awaited_stamp;  /* ns; under lockstep, the stamp that a command must bear; -1: none is awaited */
    int64_t accepted_stamp; /* of the last state that was answered */
} FilCommands;

/* Under lockstep commands that bear another stamp than the awaited one are refused; else they are taken as they come. `needed` lists the topics that
 * must all answer, separated by spaces; empty: any one. Failures are logged. */
bool fil_commands_init(FilCommands* commands, rcl_node_t* node, rclc_executor_t* executor, FilSimulation* simulation, const FilTap* tap,
                       bool lockstep, const char* needed);
void fil_commands_fini(FilCommands* commands, rcl_node_t* node);
void fil_commands_forget(FilCommands* commands); /* what they have begun; all there is to do for one without subscriptions */

/* From now on commands must bear this stamp. */
void fil_commands_await(FilCommands* commands, int64_t stamp);

/* The topic of a command, for those who list topics. */
const FilOutputTopic* fil_commands_topic(FilCommandId id);

/* Applies a command to the world; returns how many of its parts were refused. */
int fil_commands_apply(FilCommands* commands, FilCommandId id, const void* message);

/* The same of a recorded command; false if the bytes are none. Needs no subscriptions: `commands` may be zero but for
 * its first three fields. */
bool fil_commands_apply_bytes(FilCommands* commands, FilCommandId id, const rmw_serialized_message_t* bytes);

/* The hand that pulls on objects of the present world; of another one it lets go. */
FilHand* fil_commands_hand(FilCommands* commands);

/* Before each step: what commands have begun goes on. */
void fil_commands_follow(FilCommands* commands);

#endif
