/* The one place that everything passes which enters or leaves the node: messages as they are sent, commands once they
 * are taken, parameter events. A recorder and viewers listen here. */
#ifndef FILUM_NODE_TAP_H
#define FILUM_NODE_TAP_H

#include "outputs.h"

typedef struct FilTapListener {
    void (*hear)(void* context, const FilOutputTopic* topic, const void* message); /* NULL: nobody listens */
    void* context;
} FilTapListener;

typedef struct FilTap {
    FilTapListener recorder;
    FilTapListener viewer;
} FilTap;

static inline void fil_tap_report(const FilTapListener* listener, const FilOutputTopic* topic, const void* message)
{
    if (listener->hear != NULL) {
        listener->hear(listener->context, topic, message);
    }
}

/* What is published again, for those who joined late, is nothing new to a recording. */
static inline void fil_tap_pass_again(const FilTap* tap, const FilOutputTopic* topic, const void* message)
{
    fil_tap_report(&tap->viewer, topic, message);
}

static inline void fil_tap_pass(const FilTap* tap, const FilOutputTopic* topic, const void* message)
{
    fil_tap_report(&tap->recorder, topic, message);
    fil_tap_report(&tap->viewer, topic, message);
}

#endif
