/* From the world to messages. Messages are sized once per world; filling them does not allocate. */
#ifndef FILUM_NODE_CONVERSION_H
#define FILUM_NODE_CONVERSION_H

#include <stdbool.h>

#include "filum/msg/probes.h"
#include "filum/msg/rod_states.h"
#include "filum/msg/step_info.h"
#include "rosgraph_msgs/msg/clock.h"
#include "simulation.h"
#include "tf2_msgs/msg/tf_message.h"
#include "visualization_msgs/msg/marker_array.h"

#define FIL_ROOT_FRAME "world"

typedef struct FilStateMessages {
    filum__msg__RodStates rod_states;
    filum__msg__Probes probes;
    filum__msg__StepInfo step_info;
    tf2_msgs__msg__TFMessage transforms;
    visualization_msgs__msg__MarkerArray markers;
    visualization_msgs__msg__MarkerArray no_markers; /* takes away what another world has left */
    rosgraph_msgs__msg__Clock clock;
    double* frames;     /* 9 per edge of the longest rod */
    uint64_t fits_load; /* the world (FilSimulation.load_count) that they are sized for; 0: none */
    bool node_frames;   /* whether transforms hold a frame per node */
} FilStateMessages;

bool fil_state_messages_init(FilStateMessages* messages); /* false: out of memory */
void fil_state_messages_fini(FilStateMessages* messages);

/* Sizes all messages for the simulation's world, if they are not yet. False: out of memory. */
bool fil_state_messages_fit(FilStateMessages* messages, const FilSimulation* simulation, bool node_frames);

/* Each fills one message with the state of now. Rods give the frames <rod>/start and <rod>/end (not when closed) and,
 * if asked, <rod>/node_<i>; z points along the rod, x and y are the section's axes. */
void fil_fill_clock(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_rod_states(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_probes(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_step_info(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_transforms(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_markers(FilStateMessages* messages, const FilSimulation* simulation);

/* The rotation whose matrix has these columns (orthonormal, right-handed). */
FilQuat fil_quat_from_axes(const double x[3], const double y[3], const double z[3]);

#endif
