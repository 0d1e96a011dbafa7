/* Topics and the types of their messages, as rows of tables: whoever sends, receives or records goes by these. */
#ifndef FILUM_NODE_TOPIC_H
#define FILUM_NODE_TOPIC_H

#include <stdbool.h>
#include <stddef.h>

#include "rosidl_runtime_c/message_type_support_struct.h"

typedef struct FilOutputTopic {
    const char* name;
    size_t depth; /* of the history: 10 as ROS 2's default profile for states, 100 for commands, so that a burst is kept (docs/ros.md) */
    bool transient_local;
    const char* type_name; /* "package/msg/Name" */
    const rosidl_message_type_support_t* (*type)(void);
} FilOutputTopic;

/* How messages of a type are made and emptied, by functions of one signature. */
typedef struct FilMessageType {
    size_t size; /* bytes, of the struct */
    bool (*init)(void* message);
    void (*fini)(void* message);
} FilMessageType;

/* The functions of a type for the two structs above: type_of_<name>(), init_<name>() and fini_<name>(). */
#define FIL_MESSAGE_FUNCTIONS(package, name)                         \
    static const rosidl_message_type_support_t* type_of_##name(void) \
    {                                                                \
        return ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name);      \
    }                                                                \
    static bool init_##name(void* message)                           \
    {                                                                \
        return package##__msg__##name##__init(message);              \
    }                                                                \
    static void fini_##name(void* message)                           \
    {                                                                \
        package##__msg__##name##__fini(message);                     \
    }

void* fil_message_create(const FilMessageType* type);                /* NULL: out of memory */
void fil_message_destroy(const FilMessageType* type, void* message); /* NULL is fine */

/* Empties a message that was received or sent: middlewares differ in whether they reuse or leak what it holds. */
void fil_message_renew(const FilMessageType* type, void* message);

#endif
