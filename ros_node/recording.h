/* A bag of all that a simulation publishes and receives, in simulated time: messages become bytes here, and go to the
 * recorder's own thread. */
#ifndef FILUM_NODE_RECORDING_H
#define FILUM_NODE_RECORDING_H

#include "outputs.h"
#include "rmw/types.h"

typedef struct FilRecording FilRecording;

typedef struct FilRecordingPair {
    const char* key;
    const char* value;
} FilRecordingPair;

typedef struct FilRecordingOptions {
    const char* storage;     /* of a directory: "mcap" or "sqlite3"; a single file follows its name */
    const char* compression; /* "none", "lz4" or "zstd" */
    bool drop_when_full;     /* rather than wait, when the disk is slower than the simulation */
    const char* folders;     /* the bag must lie below one of these, separated by colons; NULL: anywhere */

    /* The full name of a topic; NULL: relative names are of the root namespace. */
    bool (*resolve)(void* context, const char* name, char full[256]);

    /* What a publisher of the topic offers, if it is not the topic's own; false: it is. May be NULL. */
    bool (*offer)(void* context, const FilOutputTopic* topic, rmw_qos_profile_t* qos);
    void* context; /* of both */
} FilRecordingOptions;

FilRecordingOptions fil_recording_options_default(void);

/* Creates the bag (a directory, or a file that ends in .mcap or .db3), with the scene's file as an attachment. `how`
 * says how the scene was made into a world, beside the time step and the contact model, which are noted too; together
 * they allow to do the run again. A bag of SQLite has no place for these. The simulation must outlive the recording. */
FIL_MUST_CHECK FilStatus fil_recording_start(const char* path, const FilRecordingOptions* options, const FilSimulation* simulation,
                                             const FilRecordingPair* how, size_t count, FilRecording** recording, FilError* error);

/* Records a message at the simulation's time. The first failure ends the recording, not the simulation. `recording` is
 * a FilRecording; topics are known by their address. */
void fil_recording_hear(void* recording, const FilOutputTopic* topic, const void* message);

/* The same at another time (ns). */
void fil_recording_hear_at(FilRecording* recording, const FilOutputTopic* topic, const void* message, uint64_t time);

/* Lays a text beside the messages. */
void fil_recording_attach(FilRecording* recording, const char* name, const char* media_type, const char* text);

/* Notes that the state was changed in a way that messages do not tell: nobody can repeat the run from here on. */
void fil_recording_mark(FilRecording* recording, const char* reason);

/* Why the recording has failed; NULL: it has not. */
const char* fil_recording_error(const FilRecording* recording);

typedef struct FilRecordingCounts {
    uint64_t messages, bytes; /* given to the recorder */
    uint64_t dropped;         /* because it was busy */
    uint64_t waited;          /* times that the simulation had to wait for it */
} FilRecordingCounts;

FilRecordingCounts fil_recording_counts(const FilRecording* recording);
const char* fil_recording_file(const FilRecording* recording);

/* Ends the bag; fails if something is missing in it. NULL is fine. */
FIL_MUST_CHECK FilStatus fil_recording_stop(FilRecording* recording, FilError* error);

/* Names in the bag: of the metadata that says how the run was made (keys of settings begin with FIL_RECORDING_SET), of
 * that of fil_recording_mark(), and of the attached scene. */
#define FIL_RECORDING_RUN "filum"
#define FIL_RECORDING_SET "set "
#define FIL_RECORDING_CHANGED "filum_changed_by_hand"
#define FIL_RECORDING_SCENE "scene.yaml"

#endif
