#include "frames.h"

#include <stdio.h>

#include "geometry_msgs/msg/transform_stamped.h"
#include "messages.h"

static bool write_names(geometry_msgs__msg__TransformStamped* transform, const FilFrame* frame, const char* prefix)
{
    char child[FIL_FRAME_NAME + 64], parent[FIL_FRAME_NAME + 64] = FIL_ROOT_FRAME;
    if (frame->part == NULL) {
        snprintf(child, sizeof child, "%s%.255s", prefix, frame->name);
    } else if (frame->numbered) {
        snprintf(child, sizeof child, "%s%.200s/%s%d", prefix, frame->name, frame->part, frame->number);
    } else {
        snprintf(child, sizeof child, "%s%.200s/%s", prefix, frame->name, frame->part);
    }
    if (frame->parent != NULL) {
        snprintf(parent, sizeof parent, "%s%.255s", prefix, frame->parent);
    }
    return rosidl_runtime_c__String__assign(&transform->header.frame_id, parent) &&
           rosidl_runtime_c__String__assign(&transform->child_frame_id, child);
}

void fil_frames_add(FilFrames* frames, const FilFrame* frame)
{
    tf2_msgs__msg__TFMessage* message = frames->messages[frame->fixed];
    const size_t index = frames->counts[frame->fixed]++;
    if (message == NULL || frames->pass == FIL_FRAMES_COUNT) {
        return;
    }
    geometry_msgs__msg__TransformStamped* transform = &message->transforms.data[index];
    if (frames->pass == FIL_FRAMES_NAME) {
        frames->failed |= !write_names(transform, frame, frames->options.prefix);
        return;
    }
    const FilVec3 p = frame->position;
    const FilQuat q = frame->orientation;
    transform->header.stamp = frames->stamp;
    transform->transform.translation = (geometry_msgs__msg__Vector3){p.x, p.y, p.z};
    transform->transform.rotation = (geometry_msgs__msg__Quaternion){q.x, q.y, q.z, q.w};
}
