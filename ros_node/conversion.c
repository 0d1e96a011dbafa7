#include "conversion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filum/msg/contact_wrench.h"
#include "filum/msg/rod_state.h"
#include "geometry_msgs/msg/wrench.h"
#include "messages.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"

/* ---- life ---- */

bool fil_state_messages_init(FilStateMessages* messages)
{
    memset(messages, 0, sizeof *messages);
    return filum__msg__RodStates__init(&messages->rod_states) && filum__msg__ArmStates__init(&messages->arm_states) &&
           sensor_msgs__msg__JointState__init(&messages->joint_states) && filum__msg__Probes__init(&messages->probes) &&
           filum__msg__StepInfo__init(&messages->step_info) && filum__msg__ContactWrenches__init(&messages->contacts) &&
           tf2_msgs__msg__TFMessage__init(&messages->static_transforms) &&
           tf2_msgs__msg__TFMessage__init(&messages->transforms) &&
           visualization_msgs__msg__MarkerArray__init(&messages->markers) &&
           visualization_msgs__msg__MarkerArray__init(&messages->no_markers) &&
           rosgraph_msgs__msg__Clock__init(&messages->clock);
}

void fil_state_messages_fini(FilStateMessages* messages)
{
    free(messages->frames);
    free(messages->rods);
    free(messages->rigids);
    free(messages->arms);
    free(messages->robots);
    sensor_msgs__msg__JointState__fini(&messages->joint_states);
    filum__msg__ArmStates__fini(&messages->arm_states);
    filum__msg__ContactWrenches__fini(&messages->contacts);
    tf2_msgs__msg__TFMessage__fini(&messages->static_transforms);
    rosgraph_msgs__msg__Clock__fini(&messages->clock);
    visualization_msgs__msg__MarkerArray__fini(&messages->no_markers);
    visualization_msgs__msg__MarkerArray__fini(&messages->markers);
    tf2_msgs__msg__TFMessage__fini(&messages->transforms);
    filum__msg__StepInfo__fini(&messages->step_info);
    filum__msg__Probes__fini(&messages->probes);
    filum__msg__RodStates__fini(&messages->rod_states);
    memset(messages, 0, sizeof *messages);
}

/* ---- sizes ---- */

static bool size_doubles(rosidl_runtime_c__double__Sequence* sequence, int count)
{
    return rosidl_runtime_c__double__Sequence__init(sequence, (size_t)count);
}

bool fil_set_frame(std_msgs__msg__Header* header)
{
    return rosidl_runtime_c__String__assign(&header->frame_id, FIL_ROOT_FRAME);
}

/* the ids of all things of a kind; NULL: out of memory */
static FilId* list_kind(const FilWorld* world, int count, FilId (*at)(const FilWorld* world, int index))
{
    FilId* ids = malloc((size_t)(count + 1) * sizeof *ids);
    for (int i = 0; ids != NULL && i < count; i++) {
        ids[i] = at(world, i);
    }
    return ids;
}

static bool list_things(FilStateMessages* messages, const FilWorld* world)
{
    messages->rod_count = fil_world_rod_count(world);
    messages->rigid_count = fil_world_rigid_count(world);
    messages->arm_count = fil_world_arm_count(world);
    messages->robot_count = fil_world_robot_count(world);
    messages->rods = list_kind(world, messages->rod_count, fil_world_rod_at);
    messages->rigids = list_kind(world, messages->rigid_count, fil_world_rigid_at);
    messages->arms = list_kind(world, messages->arm_count, fil_world_arm_at);
    messages->robots = list_kind(world, messages->robot_count, fil_world_robot_at);
    return messages->rods != NULL && messages->rigids != NULL && messages->arms != NULL && messages->robots != NULL;
}

static bool size_rod_states(FilStateMessages* messages, const FilWorld* world)
{
    const int count = messages->rod_count;
    bool done = filum__msg__RodState__Sequence__init(&messages->rod_states.rods, (size_t)count) &&
                fil_set_frame(&messages->rod_states.header);
    int longest = 0;
    for (int i = 0; done && i < count; i++) {
        const FilId rod = messages->rods[i];
        const int nodes = fil_rod_node_count(world, rod);
        const int edges = fil_rod_edge_count(world, rod);
        filum__msg__RodState* state = &messages->rod_states.rods.data[i];
        longest = edges > longest ? edges : longest;
        state->closed = fil_rod_closed(world, rod);
        done = rosidl_runtime_c__String__assign(&state->name, fil_rod_name(world, rod)) &&
               size_doubles(&state->positions, 3 * nodes) && size_doubles(&state->velocities, 3 * nodes) &&
               size_doubles(&state->orientations, 4 * edges) && size_doubles(&state->tensions, edges) &&
               size_doubles(&state->curvatures, 2 * nodes) && size_doubles(&state->twists, nodes);
    }
    free(messages->frames);
    messages->frames = malloc((size_t)(9 * longest + 1) * sizeof *messages->frames);
    return done && messages->frames != NULL;
}

static bool size_probes(FilStateMessages* messages, const FilWorld* world)
{
    const int count = fil_world_probe_count(world);
    bool done = rosidl_runtime_c__String__Sequence__init(&messages->probes.names, (size_t)count) &&
                size_doubles(&messages->probes.values, count) && fil_set_frame(&messages->probes.header);
    for (int i = 0; done && i < count; i++) {
        done = rosidl_runtime_c__String__assign(&messages->probes.names.data[i], fil_world_probe_name(world, i));
    }
    return done;
}

static bool size_contacts(FilStateMessages* messages, const FilWorld* world)
{
    const size_t count = (size_t)fil_world_object_count(world);
    bool done = fil_set_frame(&messages->contacts.header) &&
                rosidl_runtime_c__String__Sequence__init(&messages->contacts.bodies, count) &&
                geometry_msgs__msg__Wrench__Sequence__init(&messages->contacts.totals, count);
    for (size_t i = 0; done && i < count; i++) {
        done = rosidl_runtime_c__String__assign(&messages->contacts.bodies.data[i],
                                                fil_object_name(world, fil_world_object_at(world, (int)i)));
    }
    return done;
}

bool fil_state_messages_fit(FilStateMessages* messages, const FilSimulation* simulation, bool node_frames)
{
    const FilWorld* world = simulation->world;
    if (messages->fits_load == simulation->load_count && messages->node_frames == node_frames) {
        return true;
    }
    messages->node_frames = node_frames;
    if (messages->fits_load == simulation->load_count) {
        return fil_size_transforms(messages, world);
    }
    fil_state_messages_fini(messages);
    if (!fil_state_messages_init(messages)) {
        return false;
    }
    messages->node_frames = node_frames;
    messages->fits_load = simulation->load_count;
    return fil_set_frame(&messages->step_info.header) && list_things(messages, world) &&
           size_rod_states(messages, world) && fil_size_arm_states(messages, world) &&
           fil_size_joint_states(messages, world) && size_contacts(messages, world) && size_probes(messages, world) &&
           fil_size_transforms(messages, world) && fil_size_markers(messages, world);
}

/* ---- contents ---- */

FilQuat fil_quat_from_axes(const double x[3], const double y[3], const double z[3])
{
    // Shepperd: divide by the largest of the four components; 4 w^2 = 1 + trace, 4 x^2 = 1 + 2 x_x - trace, ...
    const double trace = x[0] + y[1] + z[2];
    const double four[4] = {1.0 + 2.0 * x[0] - trace, 1.0 + 2.0 * y[1] - trace, 1.0 + 2.0 * z[2] - trace, 1.0 + trace};
    int largest = 3;
    for (int i = 0; i < 3; i++) {
        largest = four[i] > four[largest] ? i : largest;
    }
    const double root = sqrt(four[largest]);
    const double scale = 0.5 / root;
    switch (largest) {
        case 0:
            return (FilQuat){0.5 * root, (x[1] + y[0]) * scale, (z[0] + x[2]) * scale, (y[2] - z[1]) * scale};
        case 1:
            return (FilQuat){(x[1] + y[0]) * scale, 0.5 * root, (y[2] + z[1]) * scale, (z[0] - x[2]) * scale};
        case 2:
            return (FilQuat){(z[0] + x[2]) * scale, (y[2] + z[1]) * scale, 0.5 * root, (x[1] - y[0]) * scale};
        default:
            return (FilQuat){(y[2] - z[1]) * scale, (z[0] - x[2]) * scale, (x[1] - y[0]) * scale, 0.5 * root};
    }
}

builtin_interfaces__msg__Time fil_stamp_of(const FilSimulation* simulation)
{
    return fil_time_message(fil_world_time(simulation->world));
}

void fil_fill_clock(FilStateMessages* messages, const FilSimulation* simulation)
{
    messages->clock.clock = fil_stamp_of(simulation);
}

void fil_fill_rod_states(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    messages->rod_states.header.stamp = fil_stamp_of(simulation);
    for (size_t i = 0; i < messages->rod_states.rods.size; i++) {
        const FilId rod = messages->rods[i];
        filum__msg__RodState* state = &messages->rod_states.rods.data[i];
        fil_rod_get_positions(world, rod, state->positions.data);
        fil_rod_get_velocities(world, rod, state->velocities.data);
        fil_rod_get_tensions(world, rod, state->tensions.data);
        fil_rod_get_curvatures(world, rod, state->curvatures.data);
        fil_rod_get_twists(world, rod, state->twists.data);
        fil_rod_get_frames(world, rod, messages->frames);
        for (size_t edge = 0; edge < state->tensions.size; edge++) {
            const double* axes = messages->frames + 9 * edge;
            const FilQuat q = fil_quat_from_axes(axes, axes + 3, axes + 6);
            double* out = state->orientations.data + 4 * edge;
            out[0] = q.x;
            out[1] = q.y;
            out[2] = q.z;
            out[3] = q.w;
        }
    }
}

void fil_fill_probes(FilStateMessages* messages, const FilSimulation* simulation)
{
    messages->probes.header.stamp = fil_stamp_of(simulation);
    for (size_t i = 0; i < messages->probes.values.size; i++) {
        messages->probes.values.data[i] = fil_world_probe_value(simulation->world, (int)i);
    }
}

void fil_fill_step_info(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilStepInfo* last = &simulation->last_step;
    filum__msg__StepInfo* info = &messages->step_info;
    info->header.stamp = fil_stamp_of(simulation);
    info->step = fil_world_step_count(simulation->world);
    info->dt = fil_world_dt(simulation->world);
    info->state_hash = fil_world_hash(simulation->world);
    info->newton_iterations = (uint32_t)last->newton_iterations;
    info->halvings = (uint32_t)last->halvings;
    info->residual = last->residual;
    info->contacts = (uint32_t)last->contacts;
    info->contact_iterations = (uint32_t)last->contact_iterations;
    info->contact_residual = last->contact_residual;
    info->max_penetration = last->max_penetration;
    info->real_time_rate = simulation->real_time_rate;
}

/* ---- contacts ---- */

bool fil_has_contact(const FilSimulation* simulation)
{
    return strcmp(fil_world_contact_model(simulation->world), "none") != 0;
}

static geometry_msgs__msg__Vector3 vector_message(FilVec3 v)
{
    return (geometry_msgs__msg__Vector3){v.x, v.y, v.z};
}

static bool fill_contact(const FilWorld* world, int index, filum__msg__ContactWrench* message)
{
    const FilContactInfo contact = fil_world_contact(world, index);
    message->part_a = contact.part_a;
    message->part_b = contact.part_b;
    message->point = (geometry_msgs__msg__Point){contact.point.x, contact.point.y, contact.point.z};
    message->normal = vector_message(contact.normal);
    message->depth = -contact.distance;
    message->slip = vector_message(contact.slip);
    message->wrench.force = vector_message(contact.force);
    return rosidl_runtime_c__String__assign(&message->body_a, fil_object_name(world, contact.a)) &&
           rosidl_runtime_c__String__assign(&message->body_b, fil_object_name(world, contact.b));
}

bool fil_fill_contacts(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    filum__msg__ContactWrenches* message = &messages->contacts;
    const size_t count = (size_t)fil_world_contact_count(world);
    if (count > message->contacts.capacity) {
        filum__msg__ContactWrench__Sequence__fini(&message->contacts);
        if (!filum__msg__ContactWrench__Sequence__init(&message->contacts, 2 * count)) {
            return false;
        }
    }
    message->header.stamp = fil_stamp_of(simulation);
    message->contacts.size = count;
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        done &= fill_contact(world, (int)i, &message->contacts.data[i]);
    }
    for (size_t i = 0; i < message->totals.size; i++) {
        FilVec3 force;
        FilVec3 torque;
        fil_world_contact_wrench(world, fil_world_object_at(world, (int)i), &force, &torque);
        message->totals.data[i].force = vector_message(force);
        message->totals.data[i].torque = vector_message(torque);
    }
    return done;
}
