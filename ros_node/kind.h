/* A kind of object as the node shows it: what there is of the kind, as entities, frames, markers (as view/show.h has them), and a message of
 * states where the kind has one. One file <kind>_kind.c holds a kind's row, kinds.h lists them. */
#ifndef FILUM_NODE_KIND_H
#define FILUM_NODE_KIND_H

#include "frames.h"
#include "motion.h"
#include "topic.h"
#include "view/show.h"

/* The message that tells the states of all objects of a kind; its type begins with a std_msgs/Header. */
typedef struct FilStateTopic {
    FilOutputTopic topic;
    FilMessageType message;

    /* How many entries an object has in the message; a message without entries is not sent. */
    int (*entries)(const FilWorld* world, FilId id);

    /* Makes room for the objects and writes what never changes; false: out of memory. */
    bool (*size)(void* message, const FilWorld* world, const FilId* ids, int count);

    /* Writes the state of now; does not allocate. */
    void (*fill)(void* message, const FilWorld* world, const FilId* ids, int count, double* scratch);
} FilStateTopic;

typedef struct FilNodeKind {
    int (*count)(const FilWorld* world);
    FilId (*at)(const FilWorld* world, int index);
    const char* (*name)(const FilWorld* world, FilId id);

    /* How many doubles the functions below may use as scratch for an object; NULL: none. */
    size_t (*scratch)(const FilWorld* world, FilId id);

    /* entities */
    bool is_robot;
    bool (*is_static)(const FilWorld* world, FilId id);  /* NULL: never */
    bool (*is_mounted)(const FilWorld* world, FilId id); /* where it stands is the scene's to say; NULL: never */
    void (*get_state)(const FilWorld* world, FilId id, FilEntityState* state);

    /* Places of an object that say where it is: nodes, vertices, links. NULL: it is where its state is. */
    int (*place_count)(const FilWorld* world, FilId id);
    void (*place)(const FilWorld* world, FilId id, int index, double position[3]);

    /* Moves an object as if it were rigid; NULL for `pose` or `twist` keeps it. NULL: all of them are mounted. */
    FilStatus (*set_state)(FilWorld* world, FilId id, const FilEntityState* pose, const FilEntityState* twist);

    /* Adds the frames of an object, always the same ones in the same order; NULL: none. */
    void (*frames)(FilFrames* frames, const FilWorld* world, FilId id);

    const FilShowKind* show; /* what markers are made of */

    const FilStateTopic* states; /* NULL: none */
} FilNodeKind;

#endif
