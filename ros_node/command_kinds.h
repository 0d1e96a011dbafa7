/* What the kinds of commands share: how a part is refused, and the function of each kind. */
#ifndef FILUM_NODE_COMMAND_KINDS_H
#define FILUM_NODE_COMMAND_KINDS_H

#include "commands.h"
#include "messages.h"
#include "rosidl_runtime_c/primitives_sequence.h"

/* counts and tells a refusal; at most one line a second */
#define FIL_REFUSE(commands, ...)                                                                    \
    do {                                                                                             \
        (commands)->refused++;                                                                       \
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, (commands)->logger, __VA_ARGS__); \
    } while (0)

/* A name from outside, cut short and without what would disturb a log. */
typedef struct FilShown {
    char text[104];
} FilShown;

FilShown fil_shown(const char* name);

bool fil_command_is_finite(const rosidl_runtime_c__double__Sequence* numbers);

/* Counts a part as taken, or refuses it with the world's words: what a call on the world has returned. */
void fil_command_done(FilCommands* commands, const char* topic, FilStatus status);

/* Each hands one message on to the world, part by part. */
void fil_command_rods(FilCommands* commands, const filum__msg__RodCommand* command);
void fil_command_chambers(FilCommands* commands, const filum__msg__ChamberPressures* command);
void fil_command_joints(FilCommands* commands, const sensor_msgs__msg__JointState* command);
void fil_command_trajectory(FilCommands* commands, const trajectory_msgs__msg__JointTrajectory* command);

#endif
