/* In a build without the recorder's libraries no recording can be started, and so none is ever used. */
#include "base/error.h"
#include "recording.h"

FilRecordingOptions fil_recording_options_default(void)
{
    return (FilRecordingOptions){0};
}

FilStatus fil_recording_start(const char* path, const FilRecordingOptions* options, const FilSimulation* simulation, const FilRecordingPair* how,
                              size_t count, FilRecording** recording, FilError* error)
{
    (void)options;
    (void)simulation;
    (void)how;
    (void)count;
    *recording = NULL;
    return fil_error(error, FIL_BAD_INPUT, "%s: this build has no recorder: it was configured without zlib, lz4, zstd or sqlite3", path);
}

void fil_recording_hear(void* recording, const FilOutputTopic* topic, const void* message)
{
    (void)recording;
    (void)topic;
    (void)message;
}

void fil_recording_hear_at(FilRecording* recording, const FilOutputTopic* topic, const void* message, uint64_t time)
{
    (void)recording;
    (void)topic;
    (void)message;
    (void)time;
}

void fil_recording_attach(FilRecording* recording, const char* name, const char* media_type, const char* text)
{
    (void)recording;
    (void)name;
    (void)media_type;
    (void)text;
}

void fil_recording_mark(FilRecording* recording, const char* reason)
{
    (void)recording;
    (void)reason;
}

const char* fil_recording_error(const FilRecording* recording)
{
    (void)recording;
    return NULL;
}

FilRecordingCounts fil_recording_counts(const FilRecording* recording)
{
    (void)recording;
    return (FilRecordingCounts){0};
}

const char* fil_recording_file(const FilRecording* recording)
{
    (void)recording;
    return "";
}

FilStatus fil_recording_stop(FilRecording* recording, FilError* error)
{
    (void)recording;
    (void)error;
    return FIL_OK;
}
