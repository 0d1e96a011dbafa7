/* Markers for RViz and Foxglove: those of all objects, then contact forces as strokes. */
#include <math.h>

#include "conversion.h"
#include "messages.h"

#define LONGEST_FORCE 0.1 /* m, the length at which the largest contact force is drawn; chosen */

/* ---- sizes ---- */

static int count_markers(const FilStateMessages* messages, const FilWorld* world)
{
    int count = 0;
    for (int k = 0; k < FIL_KIND_COUNT; k++) {
        for (int i = 0; i < messages->objects[k].count; i++) {
            count += fil_node_kind((FilKindId)k)->marker_count(world, messages->objects[k].ids[i]);
        }
    }
    return count;
}

bool fil_size_markers(FilStateMessages* messages, const FilWorld* world)
{
    const int count = count_markers(messages, world) + 1;
    if (!visualization_msgs__msg__Marker__Sequence__init(&messages->markers.markers, (size_t)count) ||
        !visualization_msgs__msg__Marker__Sequence__init(&messages->no_markers.markers, 1) ||
        !fil_marker_size(&messages->no_markers.markers.data[0], "", 0, FIL_MARKER(SPHERE), 0)) {
        return false;
    }
    messages->no_markers.markers.data[0].action = FIL_MARKER(DELETEALL);
    FilMarker* next = messages->markers.markers.data;
    bool done = true;
    int number = 0;  // of the object among all: what colour it has
    for (int k = 0; k < FIL_KIND_COUNT; k++) {
        const FilNodeKind* kind = fil_node_kind((FilKindId)k);
        for (int i = 0; done && i < messages->objects[k].count; i++) {
            const FilId id = messages->objects[k].ids[i];
            done = kind->size_markers(next, world, id, fil_marker_colour(number++));
            next += kind->marker_count(world, id);
        }
    }
    if (done) {
        next->color = (std_msgs__msg__ColorRGBA){1.0f, 0.1f, 0.1f, 1.0f};
        next->scale.x = FIL_MARKER_THIN;
    }
    return done && fil_marker_size(next, "contact forces", 0, FIL_MARKER(LINE_LIST), 0);
}

/* ---- contents ---- */

static void fill_forces(FilMarker* marker, const FilWorld* world)
{
    const int count = fil_world_contact_count(world);
    if (2 * (size_t)count > marker->points.capacity) {
        geometry_msgs__msg__Point__Sequence__fini(&marker->points);
        if (!geometry_msgs__msg__Point__Sequence__init(&marker->points, 4 * (size_t)count)) {
            return;
        }
    }
    marker->points.size = 2 * (size_t)count;
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fil_vector_length(fil_world_contact(world, i).force));
    }
    const double scale = largest > 0.0 ? LONGEST_FORCE / largest : 0.0;
    for (int i = 0; i < count; i++) {
        const FilContactInfo contact = fil_world_contact(world, i);
        const FilVec3 p = contact.point;
        const FilVec3 f = contact.force;
        marker->points.data[2 * i] = (geometry_msgs__msg__Point){p.x, p.y, p.z};
        marker->points.data[2 * i + 1] =
            (geometry_msgs__msg__Point){p.x + scale * f.x, p.y + scale * f.y, p.z + scale * f.z};
    }
}

void fil_fill_markers(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    FilMarker* next = messages->markers.markers.data;
    for (size_t i = 0; i < messages->markers.markers.size; i++) {
        next[i].header.stamp = fil_stamp_of(world);
    }
    for (int k = 0; k < FIL_KIND_COUNT; k++) {
        const FilNodeKind* kind = fil_node_kind((FilKindId)k);
        for (int i = 0; i < messages->objects[k].count; i++) {
            const FilId id = messages->objects[k].ids[i];
            kind->fill_markers(next, world, id, messages->scratch);
            next += kind->marker_count(world, id);
        }
    }
    fill_forces(next, world);
}
