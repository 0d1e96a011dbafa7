/* The one place that everything passes which enters or leaves the node: messages as they are sent, commands once they
 * are taken, parameter events. A recorder listens here. */
#ifndef FILUM_NODE_TAP_H
#define FILUM_NODE_TAP_H

#include "outputs.h"

typedef struct FilTap {
    void (*hear)(void* context, const FilOutputTopic* topic, const void* message); /* NULL: nobody listens */
    void* context;
} FilTap;

static inline void fil_tap_pass(const FilTap* tap, const FilOutputTopic* topic, const void* message)
{
    if (tap->hear != NULL) {
        tap->hear(tap->context, topic, message);
    }
}

#endif
