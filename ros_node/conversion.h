/* From the world to messages. Messages are sized once per world; filling them does not allocate. */
#ifndef FILUM_NODE_CONVERSION_H
#define FILUM_NODE_CONVERSION_H

#include <stdbool.h>

#include "filum/msg/contact_wrenches.h"
#include "filum/msg/probes.h"
#include "filum/msg/step_info.h"
#include "kinds.h"
#include "rosgraph_msgs/msg/clock.h"
#include "tf2_msgs/msg/tf_message.h"
#include "view/simulation.h"
#include "visualization_msgs/msg/marker_array.h"

/* All objects of a kind. */
typedef struct FilKindObjects {
    FilId* ids;
    int count;
    void* states; /* the message of their states; NULL if the kind has none */
    int entries;  /* in that message */
} FilKindObjects;

typedef struct FilStateMessages {
    filum__msg__Probes probes;
    filum__msg__StepInfo step_info;
    filum__msg__ContactWrenches contacts;
    tf2_msgs__msg__TFMessage transforms;
    tf2_msgs__msg__TFMessage static_transforms;
    visualization_msgs__msg__MarkerArray markers;
    visualization_msgs__msg__MarkerArray no_markers; /* takes away what another world has left */
    rosgraph_msgs__msg__Clock clock;
    FilKindObjects objects[FIL_KIND_COUNT];
    double* scratch;        /* room for the largest object's numbers */
    uint64_t fits_load;     /* the world (FilSimulation.load_count) that they are sized for; 0: none */
    FilFrameOptions frames; /* of transforms */
} FilStateMessages;

bool fil_state_messages_init(FilStateMessages* messages); /* false: out of memory */
void fil_state_messages_fini(FilStateMessages* messages);

/* Sizes all messages for the simulation's world, if they are not yet; `frames` NULL: without a prefix, one frame a rod. False: out of memory. */
bool fil_state_messages_fit(FilStateMessages* messages, const FilSimulation* simulation, const FilFrameOptions* frames);

/* Each fills one message with the state of now. Frames that never change, those of static bodies and of links that
 * cannot move, stand apart. */
void fil_fill_clock(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_states(FilStateMessages* messages, const FilSimulation* simulation, FilKindId kind);
void fil_fill_probes(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_step_info(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_transforms(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_static_transforms(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_markers(FilStateMessages* messages, const FilSimulation* simulation);

/* Grows the message when there are more contacts than ever before; false: out of memory. */
bool fil_fill_contacts(FilStateMessages* messages, const FilSimulation* simulation);

/* Whether contact is computed at all. */
bool fil_has_contact(const FilSimulation* simulation);

/* Sizes parts of the messages for the world, whose objects are listed; used by fil_state_messages_fit(). */
bool fil_size_transforms(FilStateMessages* messages, const FilWorld* world);
bool fil_size_markers(FilStateMessages* messages, const FilWorld* world);

#endif
