/* What the command topics share: their rows, how a part of a command is refused, and how it is counted. */
#ifndef FILUM_NODE_COMMAND_PARTS_H
#define FILUM_NODE_COMMAND_PARTS_H

#include "commands.h"
#include "messages.h"
#include "rosidl_runtime_c/primitives_sequence.h"
#include "topic.h"

/* A topic that commands come by. */
typedef struct FilCommandTopic {
    FilOutputTopic topic;
    FilMessageType message;
    bool unstamped; /* its type does not begin with a std_msgs/Header: not for lockstep */

    /* Hands a message on to the world, part by part. What the world is given this way holds until it is given otherwise:
     * it takes over from the scene's drives and scripts, and only a part that says so gives it back. */
    void (*apply)(FilCommands* commands, const void* message);
} FilCommandTopic;

#define FIL_COMMAND_DECLARATION(name, NAME) extern const FilCommandTopic fil_##name##_commands;
FIL_COMMAND_TOPICS(FIL_COMMAND_DECLARATION)
#undef FIL_COMMAND_DECLARATION

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

/* Refuses a part whose target, a `what` of that name, is not in the world; returns whether it is there. */
bool fil_command_has(FilCommands* commands, const char* topic, const char* what, const char* name, bool there);

/* A joint of the world. */
typedef struct FilCommandJoint {
    FilId robot;
    int index;
} FilCommandJoint;

/* Finds a joint by its name; refuses one that is not there, or there more than once. */
bool fil_command_find_joint(FilCommands* commands, const char* topic, const char* name, FilCommandJoint* joint);

/* Whether there are as many numbers as names; refuses the message if not. `word` is what messages call them. */
bool fil_command_matches(FilCommands* commands, const char* topic, size_t names, const char* names_word, size_t numbers, const char* numbers_word);

/* Counts a part that gives no number (NaN): its target goes on with what it was commanded last, or with its script. */
void fil_command_keep(FilCommands* commands);

/* Counts a part as taken, or refuses it with the world's words: what a call on the world has returned. */
void fil_command_done(FilCommands* commands, const char* topic, FilStatus status);

#endif
