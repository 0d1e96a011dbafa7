#include "recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "definitions.h"
#include "filum/record.h"
#include "filum_commit.h"
#include "messages.h"
#include "qos_text.h"
#include "rcl/allocator.h"
#include "rmw/qos_profiles.h"
#include "rmw/rmw.h"

/* Room for all topics of a node; the scene as text, at most: a bound of ours. */
enum { MAX_CHANNELS = 64, MAX_SCENE = 64 << 20 };

typedef struct Channel {
    const FilOutputTopic* topic;
    uint16_t id;
    uint32_t sequence;
} Channel;

struct FilRecording {
    FilRecorder* recorder;
    const FilSimulation* simulation;
    FilRecordingOptions options;
    Channel channels[MAX_CHANNELS];
    size_t channel_count;
    rmw_serialized_message_t bytes;
    FilRecordingCounts counts;
    bool failed;
    FilError error;
};

FilRecordingOptions fil_recording_options_default(void)
{
    return (FilRecordingOptions){.storage = "mcap", .compression = "none"};
}

static void fail(FilRecording* recording, const char* what, const char* why)
{
    if (!recording->failed) {
        recording->failed = true;
        fil_error(&recording->error, FIL_IO, "%s%s%s", what, what[0] != '\0' ? ": " : "", why);
    }
}

static uint64_t time_of(const FilRecording* recording)
{
    return fil_time_nanoseconds(fil_world_time(recording->simulation->world));
}

/* ---- channels ---- */

static bool resolve(const FilRecording* recording, const char* name, char full[256])
{
    if (recording->options.resolve != NULL) {
        return recording->options.resolve(recording->options.context, name, full);
    }
    return fil_root_name("", name, full);
}

static rmw_qos_profile_t qos_of(const FilRecording* recording, const FilOutputTopic* topic)
{
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    if (recording->options.offer != NULL && recording->options.offer(recording->options.context, topic, &qos)) {
        return qos;
    }
    qos.depth = topic->depth;
    if (topic->transient_local) {
        qos.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    }
    return qos;
}

static FilStatus add_channel(FilRecording* recording, const FilOutputTopic* topic, uint16_t* id, FilError* error)
{
    char name[256], qos[FIL_QOS_TEXT];
    if (!resolve(recording, topic->name, name)) {
        return fil_error(error, FIL_BAD_INPUT, "the topic's name cannot be resolved");
    }
    const rmw_qos_profile_t profile = qos_of(recording, topic);
    fil_qos_to_text(&profile, qos);
    FilDefinitionPlaces places = {0};
    FilBytes text = {0};
    FilStatus status = fil_definition_join(topic->type_name, fil_definition_find, &places, &text, error);
    if (status == FIL_OK) {
        const FilBagPair property = {FIL_BAG_QOS_KEY, qos};
        const FilBagChannel channel = {
            .topic = name,
            .type = topic->type_name,
            .encoding = "cdr",
            .schema_encoding = "ros2msg",
            .schema = {.data = text.data, .size = text.size},
            .properties = &property,
            .property_count = 1,
        };
        status = fil_recorder_add_channel(recording->recorder, &channel, id, error);
    }
    fil_bytes_free(&text);
    return status;
}

/* the channel of a topic, made when its first message comes; NULL after a failure */
static Channel* find_channel(FilRecording* recording, const FilOutputTopic* topic)
{
    for (size_t i = 0; i < recording->channel_count; i++) {
        if (recording->channels[i].topic == topic) {
            return &recording->channels[i];
        }
    }
    FilError error = {""};
    Channel* channel = &recording->channels[recording->channel_count];
    if (recording->channel_count == MAX_CHANNELS) {
        fail(recording, topic->name, "there are too many topics");
        return NULL;
    }
    if (add_channel(recording, topic, &channel->id, &error) != FIL_OK) {
        fail(recording, topic->name, error.text);
        return NULL;
    }
    channel->topic = topic;
    recording->channel_count++;
    return channel;
}

/* ---- messages ---- */

void fil_recording_hear(void* context, const FilOutputTopic* topic, const void* message)
{
    FilRecording* recording = context;
    fil_recording_hear_at(recording, topic, message, time_of(recording));
}

void fil_recording_hear_at(FilRecording* recording, const FilOutputTopic* topic, const void* message, uint64_t time)
{
    Channel* channel = recording->failed ? NULL : find_channel(recording, topic);
    if (channel == NULL) {
        return;
    }
    if (rmw_serialize(message, topic->type(), &recording->bytes) != RMW_RET_OK) {
        fail(recording, topic->name, rcl_get_error_string().str);
        rcl_reset_error();
        return;
    }
    const FilBagMessage written = {
        .channel = channel->id,
        .sequence = channel->sequence++,
        .log_time = time,
        .publish_time = time,
        .data = {.data = recording->bytes.buffer, .size = recording->bytes.buffer_length},
    };
    FilError error = {""};
    if (fil_recorder_write(recording->recorder, &written, &error) != FIL_OK) {
        fail(recording, "", error.text);
        return;
    }
    recording->counts.messages++;
    recording->counts.bytes += written.data.size;
}

/* ---- what lies beside the messages ---- */

static void attach(FilRecording* recording, const char* name, const char* media_type, FilSlice data)
{
    FilError error = {""};
    if (!fil_recorder_attaches(recording->recorder) || recording->failed) {
        return;
    }
    const uint64_t time = time_of(recording);
    const FilBagAttachment attachment = {.log_time = time, .create_time = time, .name = name, .media_type = media_type, .data = data};
    if (fil_recorder_attach(recording->recorder, &attachment, &error) != FIL_OK) {
        fail(recording, "", error.text);
    }
}

void fil_recording_attach(FilRecording* recording, const char* name, const char* media_type, const char* text)
{
    attach(recording, name, media_type, (FilSlice){.data = (const uint8_t*)text, .size = strlen(text)});
}

static void describe(FilRecording* recording, const char* name, const FilBagPair* pairs, size_t count)
{
    FilError error = {""};
    if (fil_recorder_attaches(recording->recorder) && !recording->failed &&
        fil_recorder_describe(recording->recorder, name, pairs, count, &error) != FIL_OK) {
        fail(recording, "", error.text);
    }
}

/* the scene's file; a scene that came as text over a service has none */
static void attach_scene(FilRecording* recording)
{
    FILE* file = fopen(recording->simulation->scene_path, "rb");
    FilBytes text = {0};
    char piece[4096];
    for (size_t size = 0; file != NULL && text.size < MAX_SCENE && (size = fread(piece, 1, sizeof piece, file)) > 0;) {
        fil_bytes_put(&text, piece, size);
    }
    if (file != NULL && !ferror(file) && !text.failed) {
        attach(recording, FIL_RECORDING_SCENE, "application/yaml", (FilSlice){.data = text.data, .size = text.size});
    }
    if (file != NULL) {
        fclose(file);
    }
    fil_bytes_free(&text);
}

static void describe_run(FilRecording* recording, const FilRecordingPair* how, size_t count)
{
    const FilWorld* world = recording->simulation->world;
    char dt[32], step[32];
    snprintf(dt, sizeof dt, "%.17g", fil_world_dt(world));
    snprintf(step, sizeof step, "%" PRIu64, fil_world_step_count(world));
    const FilBagPair known[] = {
        {"version", FIL_VERSION},
        {"commit", FILUM_COMMIT},
        {"scene", recording->simulation->scene_path},
        {"dt", dt},
        {"contact_model", fil_world_contact_model(world)},
        {"first_step", step},
    };
    enum { KNOWN = sizeof known / sizeof *known };
    FilBagPair* pairs = calloc(KNOWN + count, sizeof *pairs);
    if (pairs == NULL) {
        fail(recording, "", "out of memory");
        return;
    }
    memcpy(pairs, known, sizeof known);
    for (size_t i = 0; i < count; i++) {
        pairs[KNOWN + i] = (FilBagPair){how[i].key, how[i].value};
    }
    describe(recording, FIL_RECORDING_RUN, pairs, KNOWN + count);
    free(pairs);
}

void fil_recording_mark(FilRecording* recording, const char* reason)
{
    char step[32], time[32];
    snprintf(step, sizeof step, "%" PRIu64, fil_world_step_count(recording->simulation->world));
    snprintf(time, sizeof time, "%" PRIu64, time_of(recording));
    const FilBagPair pairs[] = {{"step", step}, {"time", time}, {"reason", reason}};
    describe(recording, FIL_RECORDING_CHANGED, pairs, sizeof pairs / sizeof *pairs);
}

/* ---- life ---- */

FilStatus fil_recording_start(const char* path, const FilRecordingOptions* options, const FilSimulation* simulation, const FilRecordingPair* how,
                              size_t count, FilRecording** recording, FilError* error)
{
    *recording = NULL;
    FilRecorderOptions recorder = fil_recorder_options_default();
    recorder.drop_when_full = options->drop_when_full;
    recorder.folders = options->folders;
    FilStatus status = fil_recorder_options_choose(&recorder, options->storage, options->compression, error);
    if (status != FIL_OK) {
        return status;
    }
    FilRecording* made = calloc(1, sizeof *made);
    rcl_allocator_t allocator = rcl_get_default_allocator();
    // bytes to begin with; grows
    if (made == NULL || rmw_serialized_message_init(&made->bytes, 4096, &allocator) != RCUTILS_RET_OK) {
        free(made);
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: out of memory", path);
    }
    made->simulation = simulation;
    made->options = *options;
    status = fil_recorder_create(path, &recorder, &made->recorder, error);
    if (status == FIL_OK) {
        attach_scene(made);
        describe_run(made, how, count);
        if (made->failed) {
            status = fil_error(error, FIL_IO, "%s", made->error.text);
        }
    }
    if (status != FIL_OK) {
        FilError again = {""};
        const FilStatus stopped = fil_recording_stop(made, &again);
        (void)stopped;  // the first failure is the one to tell
        return status;
    }
    *recording = made;
    return FIL_OK;
}

const char* fil_recording_error(const FilRecording* recording)
{
    return recording->failed ? recording->error.text : NULL;
}

FilRecordingCounts fil_recording_counts(const FilRecording* recording)
{
    FilRecordingCounts counts = recording->counts;
    const FilRecorderCounts recorder = fil_recorder_counts(recording->recorder);
    counts.dropped = recorder.dropped;
    counts.waited = recorder.waited;
    return counts;
}

const char* fil_recording_file(const FilRecording* recording)
{
    return fil_recorder_file(recording->recorder);
}

FilStatus fil_recording_stop(FilRecording* recording, FilError* error)
{
    if (recording == NULL) {
        return FIL_OK;
    }
    FilError closing = {""};
    FilStatus status = fil_recorder_close(recording->recorder, NULL, &closing);
    if (recording->failed) {
        status = fil_error(error, FIL_IO, "%s", recording->error.text);
    } else if (status != FIL_OK) {
        status = fil_error(error, status, "%s", closing.text);
    }
    if (rmw_serialized_message_fini(&recording->bytes) != RCUTILS_RET_OK) {
        rcl_reset_error();
    }
    free(recording);
    return status;
}
