#include "conversion.h"

#include <stdlib.h>
#include <string.h>

#include "filum/msg/contact_wrench.h"
#include "filum/msg/patch_wrench.h"
#include "geometry_msgs/msg/wrench.h"
#include "messages.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"

/* ---- life ---- */

static bool init_states(FilStateMessages* messages)
{
    bool done = true;
    for (int k = 0; done && k < FIL_KIND_COUNT; k++) {
        const FilStateTopic* states = fil_node_kind((FilKindId)k)->states;
        if (states != NULL) {
            messages->objects[k].states = fil_message_create(&states->message);
            done = messages->objects[k].states != NULL;
        }
    }
    return done;
}

bool fil_state_messages_init(FilStateMessages* messages)
{
    memset(messages, 0, sizeof *messages);
    return init_states(messages) && filum__msg__Probes__init(&messages->probes) && filum__msg__StepInfo__init(&messages->step_info) &&
           filum__msg__ContactWrenches__init(&messages->contacts) && tf2_msgs__msg__TFMessage__init(&messages->static_transforms) &&
           tf2_msgs__msg__TFMessage__init(&messages->transforms) && visualization_msgs__msg__MarkerArray__init(&messages->markers) &&
           visualization_msgs__msg__MarkerArray__init(&messages->no_markers) && rosgraph_msgs__msg__Clock__init(&messages->clock);
}

void fil_state_messages_fini(FilStateMessages* messages)
{
    for (int k = 0; k < FIL_KIND_COUNT; k++) {
        FilKindObjects* objects = &messages->objects[k];
        free(objects->ids);
        if (objects->states != NULL) {
            fil_message_destroy(&fil_node_kind((FilKindId)k)->states->message, objects->states);
        }
    }
    free(messages->scratch);
    filum__msg__ContactWrenches__fini(&messages->contacts);
    tf2_msgs__msg__TFMessage__fini(&messages->static_transforms);
    rosgraph_msgs__msg__Clock__fini(&messages->clock);
    visualization_msgs__msg__MarkerArray__fini(&messages->no_markers);
    visualization_msgs__msg__MarkerArray__fini(&messages->markers);
    tf2_msgs__msg__TFMessage__fini(&messages->transforms);
    filum__msg__StepInfo__fini(&messages->step_info);
    filum__msg__Probes__fini(&messages->probes);
    memset(messages, 0, sizeof *messages);
}

/* ---- sizes ---- */

/* the ids of all objects, and scratch for the largest of them */
static bool list_objects(FilStateMessages* messages, const FilWorld* world)
{
    size_t max = 1;
    for (int k = 0; k < FIL_KIND_COUNT; k++) {
        const FilNodeKind* kind = fil_node_kind((FilKindId)k);
        FilKindObjects* objects = &messages->objects[k];
        objects->count = kind->count(world);
        objects->ids = malloc((size_t)(objects->count + 1) * sizeof *objects->ids);
        if (objects->ids == NULL) {
            objects->count = 0;
            return false;
        }
        for (int i = 0; i < objects->count; i++) {
            objects->ids[i] = kind->at(world, i);
            const size_t wanted = kind->scratch != NULL ? kind->scratch(world, objects->ids[i]) : 0;
            max = wanted > max ? wanted : max;
        }
    }
    messages->scratch = malloc(max * sizeof *messages->scratch);
    return messages->scratch != NULL;
}

static bool size_states(FilStateMessages* messages, const FilWorld* world)
{
    bool done = true;
    for (int k = 0; done && k < FIL_KIND_COUNT; k++) {
        const FilStateTopic* states = fil_node_kind((FilKindId)k)->states;
        FilKindObjects* objects = &messages->objects[k];
        if (states == NULL) {
            continue;
        }
        for (int i = 0; i < objects->count; i++) {
            objects->entries += states->entries(world, objects->ids[i]);
        }
        done = fil_set_frame(objects->states) && states->size(objects->states, world, objects->ids, objects->count);
    }
    return done;
}

static bool size_probes(FilStateMessages* messages, const FilWorld* world)
{
    const int count = fil_world_probe_count(world);
    bool done = rosidl_runtime_c__String__Sequence__init(&messages->probes.names, (size_t)count) &&
                rosidl_runtime_c__double__Sequence__init(&messages->probes.values, (size_t)count) && fil_set_frame(&messages->probes.header);
    for (int i = 0; done && i < count; i++) {
        done = rosidl_runtime_c__String__assign(&messages->probes.names.data[i], fil_world_probe_name(world, i));
    }
    return done;
}

static bool size_contacts(FilStateMessages* messages, const FilWorld* world)
{
    const size_t count = (size_t)fil_world_object_count(world);
    bool done = fil_set_frame(&messages->contacts.header) && rosidl_runtime_c__String__Sequence__init(&messages->contacts.bodies, count) &&
                geometry_msgs__msg__Wrench__Sequence__init(&messages->contacts.totals, count);
    for (size_t i = 0; done && i < count; i++) {
        done = rosidl_runtime_c__String__assign(&messages->contacts.bodies.data[i], fil_object_name(world, fil_world_object_at(world, (int)i)));
    }
    return done;
}

bool fil_state_messages_fit(FilStateMessages* messages, const FilSimulation* simulation, const FilFrameOptions* frames)
{
    static const FilFrameOptions plain;
    const FilWorld* world = simulation->world;
    frames = frames != NULL ? frames : &plain;
    if (messages->fits_load == simulation->load_count && memcmp(&messages->frames, frames, sizeof *frames) == 0) {
        return true;
    }
    messages->frames = *frames;
    if (messages->fits_load == simulation->load_count) {
        return fil_size_transforms(messages, world);
    }
    fil_state_messages_fini(messages);
    if (!fil_state_messages_init(messages)) {
        return false;
    }
    messages->frames = *frames;
    messages->fits_load = simulation->load_count;
    return fil_set_frame(&messages->step_info.header) && list_objects(messages, world) && size_states(messages, world) &&
           size_contacts(messages, world) && size_probes(messages, world) && fil_size_transforms(messages, world) &&
           fil_size_markers(messages, world);
}

/* ---- contents ---- */

void fil_fill_clock(FilStateMessages* messages, const FilSimulation* simulation)
{
    messages->clock.clock = fil_stamp_of(simulation->world);
}

void fil_fill_states(FilStateMessages* messages, const FilSimulation* simulation, FilKindId kind)
{
    const FilKindObjects* objects = &messages->objects[kind];
    std_msgs__msg__Header* header = objects->states;  // every such type begins with it
    header->stamp = fil_stamp_of(simulation->world);
    fil_node_kind(kind)->states->fill(objects->states, simulation->world, objects->ids, objects->count, messages->scratch);
}

void fil_fill_probes(FilStateMessages* messages, const FilSimulation* simulation)
{
    messages->probes.header.stamp = fil_stamp_of(simulation->world);
    for (size_t i = 0; i < messages->probes.values.size; i++) {
        messages->probes.values.data[i] = fil_world_probe_value(simulation->world, (int)i);
    }
}

void fil_fill_step_info(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilStepInfo* last = &simulation->last_step;
    filum__msg__StepInfo* info = &messages->step_info;
    info->header.stamp = fil_stamp_of(simulation->world);
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
    info->state = simulation->failed   ? filum__msg__StepInfo__FAILED
                  : simulation->paused ? filum__msg__StepInfo__PAUSED
                                       : filum__msg__StepInfo__RUNNING;
    rosidl_runtime_c__String__assign(&info->message, simulation->failure);
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

static bool fill_patch(const FilWorld* world, int index, filum__msg__PatchWrench* message)
{
    const FilPatchInfo patch = fil_world_patch(world, index);
    message->part_a = patch.part_a;
    message->part_b = patch.part_b;
    message->first_contact = patch.first_contact;
    message->contact_count = patch.contacts;
    message->center = (geometry_msgs__msg__Point){patch.center.x, patch.center.y, patch.center.z};
    message->normal = vector_message(patch.normal);
    message->area = patch.area;
    message->mean_pressure = patch.mean_pressure;
    message->max_pressure = patch.highest_pressure;
    message->wrench.force = vector_message(patch.force);
    message->wrench.torque = vector_message(patch.torque);
    return rosidl_runtime_c__String__assign(&message->body_a, fil_object_name(world, patch.a)) &&
           rosidl_runtime_c__String__assign(&message->body_b, fil_object_name(world, patch.b));
}

static bool fill_patches(const FilWorld* world, filum__msg__PatchWrench__Sequence* patches)
{
    const size_t count = (size_t)fil_world_patch_count(world);
    if (count > patches->capacity) {
        filum__msg__PatchWrench__Sequence__fini(patches);
        if (!filum__msg__PatchWrench__Sequence__init(patches, 2 * count)) {
            return false;
        }
    }
    patches->size = count;
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        done &= fill_patch(world, (int)i, &patches->data[i]);
    }
    return done;
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
    message->header.stamp = fil_stamp_of(simulation->world);
    message->contacts.size = count;
    bool done = fill_patches(world, &message->patches);
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
