/* Frames of objects: a kind names its frames and says where they are; here they become TF messages. Names are written
 * when the messages are sized, numbers when they are filled. */
#ifndef FILUM_NODE_FRAMES_H
#define FILUM_NODE_FRAMES_H

#include "filum/filum.h"
#include "tf2_msgs/msg/tf_message.h"

enum { FIL_FRAME_NAME = 256 }; /* bytes, of the longest name of a frame or chamber */

typedef struct FilFrame {
    const char* parent; /* NULL: the root frame */
    const char* name;   /* of the object or link */
    const char* part;   /* the frame is called <name>/<part>; NULL: <name> */
    bool numbered;      /* <name>/<part><number> */
    int number;
    bool fixed; /* never moves in its parent: stands in the message of static frames */
    FilVec3 position;
    FilQuat orientation;
} FilFrame;

/* How frames are called, and which there are. */
typedef struct FilFrameOptions {
    bool node_frames;  /* rods show a frame per node */
    bool rods_forward; /* x of a rod's frames points along it, as REP-103 has it, instead of z */
    char prefix[64];   /* of all names but that of the root frame */
} FilFrameOptions;

typedef enum FilFramesPass { FIL_FRAMES_COUNT, FIL_FRAMES_NAME, FIL_FRAMES_FILL } FilFramesPass;

/* One walk over the frames of all objects. */
typedef struct FilFrames {
    FilFramesPass pass;
    tf2_msgs__msg__TFMessage* messages[2]; /* of frames that move and of fixed ones; NULL: these are passed over */
    size_t counts[2];                      /* frames met so far */
    builtin_interfaces__msg__Time stamp;
    FilFrameOptions options;
    double* scratch; /* room for the kind's numbers */
    bool failed;     /* out of memory */
} FilFrames;

void fil_frames_add(FilFrames* frames, const FilFrame* frame);

#endif
