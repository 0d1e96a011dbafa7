/* What a simulation tells those outside, and when: topics with their types, and rates in simulated time. Whoever sends
 * them on, publishers or a recorder, gives the function that does it. */
#ifndef FILUM_NODE_OUTPUTS_H
#define FILUM_NODE_OUTPUTS_H

#include "conversion.h"

/* A kind's place in the two lists below: one if it has a message of states. */
#define FIL_TOPIC_OF_STATES(KIND) FIL_TOPIC_##KIND##_STATES,
#define FIL_TOPIC_OF_NO_STATES(KIND)
#define FIL_TOPIC_OF_KIND(kind, KIND, states) FIL_TOPIC_OF_##states(KIND)
#define FIL_MESSAGE_OF_STATES(KIND) FIL_MESSAGE_##KIND##_STATES,
#define FIL_MESSAGE_OF_NO_STATES(KIND)
#define FIL_MESSAGE_OF_KIND(kind, KIND, states) FIL_MESSAGE_OF_##states(KIND)

typedef enum FilTopicId {
    FIL_TOPIC_CLOCK,
    FIL_TOPIC_TF,
    FIL_TOPIC_TF_STATIC,
    FIL_NODE_KINDS(FIL_TOPIC_OF_KIND) /* FIL_TOPIC_ROD_STATES and so on */
    FIL_TOPIC_CONTACT_WRENCHES,
    FIL_TOPIC_PROBES,
    FIL_TOPIC_STEP_INFO,
    FIL_TOPIC_MARKERS,
    FIL_TOPIC_DIAGNOSTICS,
    FIL_TOPIC_COUNT,
} FilTopicId;

const FilOutputTopic* fil_output_topic(FilTopicId topic);

/* When something with a rate is due next, in simulated time. */
typedef struct FilSchedule {
    double rate; /* Hz; 0: never */
    double next; /* s */
} FilSchedule;

/* Whether it is due at a time, in steps of dt; or due in any case, with `all`. If so, it counts as done. */
bool fil_schedule_is_due(FilSchedule* schedule, double time, double dt, bool all);

/* Hz, unless somebody asks for something else */
enum { FIL_STATE_RATE = 50, FIL_TF_RATE = 50, FIL_CLOCK_RATE = 100 };

typedef struct FilOutputs {
    FilStateMessages messages;
    FilSchedule clock, transforms, states;
    FilFrameOptions frames;
    uint64_t fixed_load; /* the world whose static transforms were sent */
    uint64_t drawn_load; /* the world whose markers were sent last */
} FilOutputs;

bool fil_outputs_init(FilOutputs* outputs); /* false: out of memory */
void fil_outputs_fini(FilOutputs* outputs);

typedef void (*FilOutputSend)(void* context, FilTopicId topic, const void* message);

/* Sends what is due at the simulation's time; everything when `all` (after a load, a reset, a single step). Markers are
 * for people: made only if somebody looks. False: out of memory. */
bool fil_outputs_update(FilOutputs* outputs, const FilSimulation* simulation, bool all, bool looked_at, FilOutputSend send, void* context);

/* ---- the same in three steps, for who makes messages elsewhere than where they are due ---- */

/* In the order of sending: the clock first, so that what follows is stamped with a time that listeners then know. */
typedef enum FilMessageId {
    FIL_MESSAGE_CLOCK,
    FIL_MESSAGE_TF_STATIC,
    FIL_MESSAGE_TF,
    FIL_NODE_KINDS(FIL_MESSAGE_OF_KIND) /* FIL_MESSAGE_ROD_STATES and so on */
    FIL_MESSAGE_CONTACT_WRENCHES,
    FIL_MESSAGE_PROBES,
    FIL_MESSAGE_STEP_INFO,
    FIL_MESSAGE_NO_MARKERS, /* takes away those of another world */
    FIL_MESSAGE_MARKERS,
    FIL_MESSAGE_COUNT,
} FilMessageId;

typedef unsigned FilMessageSet; /* bits, 1u << FilMessageId */

/* What is due, with the outputs' messages sized for the world; the schedules count it as sent. False: out of memory. */
bool fil_outputs_plan(FilOutputs* outputs, const FilSimulation* simulation, bool all, bool looked_at, FilMessageSet* due);

/* Fills messages that are sized for the world; returns those that could be filled: all, unless out of memory. */
FilMessageSet fil_messages_fill(FilStateMessages* messages, const FilSimulation* simulation, FilMessageSet wanted);

void fil_message_send(const FilStateMessages* messages, FilMessageId id, FilOutputSend send, void* context);

#endif
