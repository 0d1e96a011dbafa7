/* Commands to the world: what arrives on rod_commands is checked and handed on; what makes no sense is refused. */
#ifndef FILUM_NODE_COMMANDS_H
#define FILUM_NODE_COMMANDS_H

#include "filum/msg/rod_command.h"
#include "rcl/rcl.h"
#include "rclc/executor.h"
#include "simulation.h"

enum { FIL_COMMAND_SUBSCRIPTIONS = 1 }; /* handles of the executor that commands need */

typedef struct FilCommands {
    const char* logger;
    FilSimulation* simulation;
    rcl_subscription_t rod_subscription;
    filum__msg__RodCommand rod_command;
    uint64_t received;
    uint64_t refused; /* parts of commands, each told in a throttled warning */
    bool lockstep;
    int64_t awaited_stamp;  /* ns; under lockstep, the stamp that a command must bear; -1: none is awaited */
    int64_t accepted_stamp; /* of the last command taken under lockstep */
} FilCommands;

/* Under lockstep commands are received reliably, and those that bear another stamp than the awaited one are refused;
 * else commands are taken as they come. Failures are logged. */
bool fil_commands_init(FilCommands* commands, rcl_node_t* node, rclc_executor_t* executor, FilSimulation* simulation,
                       bool lockstep);
void fil_commands_fini(FilCommands* commands, rcl_node_t* node);

/* Applies a command to the world; returns how many of its parts were refused. */
int fil_commands_apply(FilCommands* commands, const filum__msg__RodCommand* command);

#endif
