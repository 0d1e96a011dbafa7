/* From the world to messages. Messages are sized once per world; filling them does not allocate. */
#ifndef FILUM_NODE_CONVERSION_H
#define FILUM_NODE_CONVERSION_H

#include <stdbool.h>

#include "filum/msg/arm_states.h"
#include "filum/msg/contact_wrenches.h"
#include "filum/msg/probes.h"
#include "filum/msg/rod_states.h"
#include "filum/msg/step_info.h"
#include "rosgraph_msgs/msg/clock.h"
#include "sensor_msgs/msg/joint_state.h"
#include "simulation.h"
#include "tf2_msgs/msg/tf_message.h"
#include "visualization_msgs/msg/marker_array.h"

#define FIL_ROOT_FRAME "world"

enum { FIL_FRAME_NAME = 256 }; /* bytes, of the longest name of a frame or chamber */

typedef struct FilStateMessages {
    filum__msg__RodStates rod_states;
    filum__msg__ArmStates arm_states;
    sensor_msgs__msg__JointState joint_states;
    filum__msg__Probes probes;
    filum__msg__StepInfo step_info;
    filum__msg__ContactWrenches contacts;
    tf2_msgs__msg__TFMessage transforms;
    tf2_msgs__msg__TFMessage static_transforms;
    visualization_msgs__msg__MarkerArray markers;
    visualization_msgs__msg__MarkerArray no_markers; /* takes away what another world has left */
    rosgraph_msgs__msg__Clock clock;
    FilId *rods, *rigids, *arms, *robots; /* all of them */
    int rod_count, rigid_count, arm_count, robot_count;
    double* frames;     /* 9 per edge of the longest rod */
    uint64_t fits_load; /* the world (FilSimulation.load_count) that they are sized for; 0: none */
    bool node_frames;   /* whether transforms hold a frame per node */
} FilStateMessages;

bool fil_state_messages_init(FilStateMessages* messages); /* false: out of memory */
void fil_state_messages_fini(FilStateMessages* messages);

/* Sizes all messages for the simulation's world, if they are not yet. False: out of memory. */
bool fil_state_messages_fit(FilStateMessages* messages, const FilSimulation* simulation, bool node_frames);

/* Each fills one message with the state of now. Rods give the frames <rod>/start and <rod>/end (not when closed) and,
 * if asked, <rod>/node_<i>; z points along the rod, x and y are the section's axes. A rigid body gives the frame of its
 * name; those of static bodies never change and stand apart. A soft arm gives <arm>/base and <arm>/section_<i>, the end
 * of section i. A robot gives a frame per link, as a child of its parent link; those that cannot move stand apart too.
 */
void fil_fill_clock(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_rod_states(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_arm_states(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_joint_states(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_probes(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_step_info(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_transforms(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_static_transforms(FilStateMessages* messages, const FilSimulation* simulation);
void fil_fill_markers(FilStateMessages* messages, const FilSimulation* simulation);

/* Grows the message when there are more contacts than ever before; false: out of memory. */
bool fil_fill_contacts(FilStateMessages* messages, const FilSimulation* simulation);

/* Whether contact is computed at all. */
bool fil_has_contact(const FilSimulation* simulation);

/* "<arm>/chamber_<i>", chambers counted through all sections. */
void fil_chamber_name(const FilWorld* world, FilId arm, int chamber, char name[FIL_FRAME_NAME]);

/* Says that a message is about the root frame. */
bool fil_set_frame(std_msgs__msg__Header* header);
builtin_interfaces__msg__Time fil_stamp_of(const FilSimulation* simulation);

/* Sizes parts of the messages for the world; used by fil_state_messages_fit(). */
bool fil_size_arm_states(FilStateMessages* messages, const FilWorld* world);
bool fil_size_joint_states(FilStateMessages* messages, const FilWorld* world);
bool fil_size_transforms(FilStateMessages* messages, const FilWorld* world);

/* Sizes markers for the world; used by fil_state_messages_fit(). */
bool fil_size_markers(FilStateMessages* messages, const FilWorld* world);

/* The rotation whose matrix has these columns (orthonormal, right-handed). */
FilQuat fil_quat_from_axes(const double x[3], const double y[3], const double z[3]);

#endif
