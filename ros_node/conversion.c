#include "conversion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filum/msg/rod_state.h"
#include "geometry_msgs/msg/point.h"
#include "geometry_msgs/msg/transform_stamped.h"
#include "messages.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "visualization_msgs/msg/marker.h"

/* ---- life ---- */

bool fil_state_messages_init(FilStateMessages* messages)
{
    memset(messages, 0, sizeof *messages);
    return filum__msg__RodStates__init(&messages->rod_states) && filum__msg__Probes__init(&messages->probes) &&
           filum__msg__StepInfo__init(&messages->step_info) && tf2_msgs__msg__TFMessage__init(&messages->transforms) &&
           visualization_msgs__msg__MarkerArray__init(&messages->markers) &&
           visualization_msgs__msg__MarkerArray__init(&messages->no_markers) &&
           rosgraph_msgs__msg__Clock__init(&messages->clock);
}

void fil_state_messages_fini(FilStateMessages* messages)
{
    free(messages->frames);
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

static bool set_frame(std_msgs__msg__Header* header)
{
    return rosidl_runtime_c__String__assign(&header->frame_id, FIL_ROOT_FRAME);
}

static bool size_rod_states(FilStateMessages* messages, const FilWorld* world)
{
    const int count = fil_world_rod_count(world);
    bool done = filum__msg__RodState__Sequence__init(&messages->rod_states.rods, (size_t)count) &&
                set_frame(&messages->rod_states.header);
    int longest = 0;
    for (int i = 0; done && i < count; i++) {
        const FilId rod = fil_world_rod_at(world, i);
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
                size_doubles(&messages->probes.values, count) && set_frame(&messages->probes.header);
    for (int i = 0; done && i < count; i++) {
        done = rosidl_runtime_c__String__assign(&messages->probes.names.data[i], fil_world_probe_name(world, i));
    }
    return done;
}

static bool add_transform(FilStateMessages* messages, const char* rod, const char* what, int node)
{
    char frame[256];
    if (node >= 0) {
        snprintf(frame, sizeof frame, "%s/%s%d", rod, what, node);
    } else {
        snprintf(frame, sizeof frame, "%s/%s", rod, what);
    }
    geometry_msgs__msg__TransformStamped* transform =
        &messages->transforms.transforms.data[messages->transforms.transforms.size++];
    return set_frame(&transform->header) && rosidl_runtime_c__String__assign(&transform->child_frame_id, frame);
}

/* order as in fil_fill_transforms: per rod start, end, then all nodes */
static bool size_transforms(FilStateMessages* messages, const FilWorld* world)
{
    const int rods = fil_world_rod_count(world);
    int count = 0;
    for (int i = 0; i < rods; i++) {
        const FilId rod = fil_world_rod_at(world, i);
        count += 1 + !fil_rod_closed(world, rod) + (messages->node_frames ? fil_rod_node_count(world, rod) : 0);
    }
    FIL_MESSAGE_RENEW(tf2_msgs__msg__TFMessage, &messages->transforms);
    bool done = geometry_msgs__msg__TransformStamped__Sequence__init(&messages->transforms.transforms, (size_t)count);
    messages->transforms.transforms.size = 0;
    for (int i = 0; done && i < rods; i++) {
        const FilId rod = fil_world_rod_at(world, i);
        const char* name = fil_rod_name(world, rod);
        done = add_transform(messages, name, "start", -1) &&
               (fil_rod_closed(world, rod) || add_transform(messages, name, "end", -1));
        for (int k = 0; done && messages->node_frames && k < fil_rod_node_count(world, rod); k++) {
            done = add_transform(messages, name, "node_", k);
        }
    }
    return done;
}

/* a colour for the i-th of many things: hues apart by the golden ratio */
static std_msgs__msg__ColorRGBA colour(int i)
{
    const double hue = fmod(0.08 + 0.618033988749895 * i, 1.0) * 6.0;
    const double part = fmod(hue, 2.0) - 1.0;
    const double middle = 1.0 - fabs(part);
    const double red[] = {1, middle, 0, 0, middle, 1};
    const double green[] = {middle, 1, 1, middle, 0, 0};
    const double blue[] = {0, 0, middle, 1, 1, middle};
    const int sector = (int)hue % 6;
    return (std_msgs__msg__ColorRGBA){.r = (float)(0.2 + 0.7 * red[sector]),
                                      .g = (float)(0.2 + 0.7 * green[sector]),
                                      .b = (float)(0.2 + 0.7 * blue[sector]),
                                      .a = 1.0f};
}

static bool size_markers(FilStateMessages* messages, const FilWorld* world)
{
    const int rods = fil_world_rod_count(world);
    bool done = visualization_msgs__msg__Marker__Sequence__init(&messages->markers.markers, (size_t)rods) &&
                visualization_msgs__msg__Marker__Sequence__init(&messages->no_markers.markers, 1) &&
                set_frame(&messages->no_markers.markers.data[0].header);
    if (done) {
        messages->no_markers.markers.data[0].action = visualization_msgs__msg__Marker__DELETEALL;
    }
    for (int i = 0; done && i < rods; i++) {
        const FilId rod = fil_world_rod_at(world, i);
        const int points = fil_rod_node_count(world, rod) + fil_rod_closed(world, rod);
        visualization_msgs__msg__Marker* marker = &messages->markers.markers.data[i];
        marker->id = i;
        marker->type = visualization_msgs__msg__Marker__LINE_STRIP;
        marker->action = visualization_msgs__msg__Marker__ADD;
        marker->scale.x = 2.0 * fil_rod_radius(world, rod, 0);
        marker->color = colour(i);
        done = set_frame(&marker->header) && rosidl_runtime_c__String__assign(&marker->ns, fil_rod_name(world, rod)) &&
               geometry_msgs__msg__Point__Sequence__init(&marker->points, (size_t)points);
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
        return size_transforms(messages, world);
    }
    fil_state_messages_fini(messages);
    if (!fil_state_messages_init(messages)) {
        return false;
    }
    messages->node_frames = node_frames;
    messages->fits_load = simulation->load_count;
    return set_frame(&messages->step_info.header) && size_rod_states(messages, world) && size_probes(messages, world) &&
           size_transforms(messages, world) && size_markers(messages, world);
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

static builtin_interfaces__msg__Time stamp_of(const FilSimulation* simulation)
{
    return fil_time_message(fil_world_time(simulation->world));
}

void fil_fill_clock(FilStateMessages* messages, const FilSimulation* simulation)
{
    messages->clock.clock = stamp_of(simulation);
}

void fil_fill_rod_states(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    messages->rod_states.header.stamp = stamp_of(simulation);
    for (size_t i = 0; i < messages->rod_states.rods.size; i++) {
        const FilId rod = fil_world_rod_at(world, (int)i);
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
    messages->probes.header.stamp = stamp_of(simulation);
    for (size_t i = 0; i < messages->probes.values.size; i++) {
        messages->probes.values.data[i] = fil_world_probe_value(simulation->world, (int)i);
    }
}

void fil_fill_step_info(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilStepInfo* last = &simulation->last_step;
    filum__msg__StepInfo* info = &messages->step_info;
    info->header.stamp = stamp_of(simulation);
    info->step = fil_world_step_count(simulation->world);
    info->dt = fil_world_dt(simulation->world);
    info->state_hash = fil_world_hash(simulation->world);
    info->newton_iterations = (uint32_t)last->newton_iterations;
    info->halvings = (uint32_t)last->halvings;
    info->residual = last->residual;
    info->contacts = (uint32_t)last->contacts;
    info->max_penetration = last->max_penetration;
    info->real_time_rate = simulation->real_time_rate;
}

static void fill_transform(geometry_msgs__msg__TransformStamped* transform, builtin_interfaces__msg__Time stamp,
                           const double* position, const double* axes)
{
    const FilQuat q = fil_quat_from_axes(axes, axes + 3, axes + 6);
    transform->header.stamp = stamp;
    transform->transform.translation.x = position[0];
    transform->transform.translation.y = position[1];
    transform->transform.translation.z = position[2];
    transform->transform.rotation.x = q.x;
    transform->transform.rotation.y = q.y;
    transform->transform.rotation.z = q.z;
    transform->transform.rotation.w = q.w;
}

void fil_fill_transforms(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    const builtin_interfaces__msg__Time stamp = stamp_of(simulation);
    geometry_msgs__msg__TransformStamped* next = messages->transforms.transforms.data;
    for (size_t i = 0; i < messages->rod_states.rods.size; i++) {
        const FilId rod = fil_world_rod_at(world, (int)i);
        filum__msg__RodState* state = &messages->rod_states.rods.data[i];
        const int nodes = fil_rod_node_count(world, rod);
        const int edges = fil_rod_edge_count(world, rod);
        const double* positions = state->positions.data;
        fil_rod_get_positions(world, rod, state->positions.data);
        fil_rod_get_frames(world, rod, messages->frames);
        fill_transform(next++, stamp, positions, messages->frames);
        if (!state->closed) {
            fill_transform(next++, stamp, positions + 3 * (nodes - 1), messages->frames + 9 * (edges - 1));
        }
        for (int k = 0; messages->node_frames && k < nodes; k++) {
            fill_transform(next++, stamp, positions + 3 * k, messages->frames + 9 * (k < edges ? k : edges - 1));
        }
    }
}

void fil_fill_markers(FilStateMessages* messages, const FilSimulation* simulation)
{
    const builtin_interfaces__msg__Time stamp = stamp_of(simulation);
    for (size_t i = 0; i < messages->rod_states.rods.size; i++) {
        filum__msg__RodState* state = &messages->rod_states.rods.data[i];
        visualization_msgs__msg__Marker* marker = &messages->markers.markers.data[i];
        const size_t nodes = state->twists.size;
        marker->header.stamp = stamp;
        fil_rod_get_positions(simulation->world, fil_world_rod_at(simulation->world, (int)i), state->positions.data);
        for (size_t k = 0; k < marker->points.size; k++) {
            const double* position = state->positions.data + 3 * (k % nodes);
            marker->points.data[k] = (geometry_msgs__msg__Point){position[0], position[1], position[2]};
        }
    }
}
