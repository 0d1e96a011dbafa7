/* The frames of all objects as two messages: those that move, and those that never do. */
#include "conversion.h"
#include "geometry_msgs/msg/transform_stamped.h"
#include "messages.h"

static void walk(FilFrames* frames, const FilStateMessages* messages, const FilWorld* world)
{
    frames->options = messages->frames;
    frames->scratch = messages->scratch;
    for (int k = 0; k < FIL_KIND_COUNT; k++) {
        const FilNodeKind* kind = fil_node_kind((FilKindId)k);
        for (int i = 0; kind->frames != NULL && i < messages->objects[k].count; i++) {
            kind->frames(frames, world, messages->objects[k].ids[i]);
        }
    }
}

/* empties a message and makes room for `count` transforms */
static bool size_message(tf2_msgs__msg__TFMessage* message, size_t count)
{
    FIL_MESSAGE_RENEW(tf2_msgs__msg__TFMessage, message);
    return geometry_msgs__msg__TransformStamped__Sequence__init(&message->transforms, count);
}

bool fil_size_transforms(FilStateMessages* messages, const FilWorld* world)
{
    FilFrames counted = {.pass = FIL_FRAMES_COUNT};
    walk(&counted, messages, world);
    if (!size_message(&messages->transforms, counted.counts[false]) || !size_message(&messages->static_transforms, counted.counts[true])) {
        return false;
    }
    FilFrames named = {.pass = FIL_FRAMES_NAME, .messages = {&messages->transforms, &messages->static_transforms}};
    walk(&named, messages, world);
    return !named.failed;
}

void fil_fill_transforms(FilStateMessages* messages, const FilSimulation* simulation)
{
    FilFrames frames = {.pass = FIL_FRAMES_FILL, .messages = {&messages->transforms, NULL}, .stamp = fil_stamp_of(simulation->world)};
    walk(&frames, messages, simulation->world);
}

void fil_fill_static_transforms(FilStateMessages* messages, const FilSimulation* simulation)
{
    FilFrames frames = {.pass = FIL_FRAMES_FILL, .messages = {NULL, &messages->static_transforms}, .stamp = fil_stamp_of(simulation->world)};
    walk(&frames, messages, simulation->world);
}
