/* The bag is read in the order in which it was written: a command or a change of a parameter counts from its log time
 * on, the simulated time of the step that took it. Where time goes back, the run was reset. */
#include "bag_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bag.h"
#include "base/error.h"
#include "commands.h"
#include "messages.h"
#include "rcl_interfaces/msg/parameter_event.h"
#include "recording.h"
#include "rmw/rmw.h"
#include "world_parameters.h"

/* A bound of ours, as of the page (view/source.c). */
enum { MAX_SETTINGS = 256 };

typedef enum Role { ROLE_NONE, ROLE_STEP_INFO, ROLE_COMMAND, ROLE_PARAMETERS } Role;

struct FilReplay {
    FilReplayInfo info;
    FilReplayWatch watch;
    void* context;
    FilReader* reader; /* in the order of the file */
    FilSimulation simulation;
    FilTap tap; /* nobody listens */
    FilCommands commands;
    filum__msg__StepInfo step_info;
    rcl_interfaces__msg__ParameterEvent event;
    size_t metadata_seen;
    uint32_t* next_sequence; /* by channel, of those that must be complete; 0 before the first */
};

/* ---- the beginning ---- */

static const char* value_of(const FilReaderMetadata* metadata, const char* key)
{
    for (size_t i = 0; i < metadata->count; ++i) {
        if (strcmp(metadata->pairs[i].key, key) == 0) {
            return metadata->pairs[i].value;
        }
    }
    return NULL;
}

static FilStatus find_scene(FilReader* reader, FilBagAttachment* scene, FilError* error)
{
    for (size_t i = 0; i < fil_reader_info(reader).attachment_count; ++i) {
        const FilStatus status = fil_reader_attachment(reader, i, scene, error);
        if (status != FIL_OK || strcmp(scene->name, FIL_RECORDING_SCENE) == 0) {
            return status;
        }
    }
    return fil_error(error, FIL_BAD_INPUT, "%s: has no scene in it, so nobody can repeat it", fil_reader_info(reader).path);
}

static FilStatus find_metadata(FilReader* reader, const char* name, FilReaderMetadata* metadata, FilError* error)
{
    for (size_t i = 0; i < fil_reader_info(reader).metadata_count; ++i) {
        const FilStatus status = fil_reader_metadata(reader, i, metadata, error);
        if (status != FIL_OK || strcmp(metadata->name, name) == 0) {
            return status;
        }
    }
    return fil_error(error, FIL_BAD_INPUT, "%s: does not say how the run was made: it is no recording of a simulation", fil_reader_info(reader).path);
}

/* Makes the world as it was when the recording began, but for what parameters change. */
static FilStatus build_world(FilReplay* replay, const FilReaderMetadata* how, FilSlice scene, FilError* error)
{
    static const char* const needed[] = {"scene", "dt", "contact_model", "seed", "first_step"};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i) {
        if (value_of(how, needed[i]) == NULL) {
            return fil_error(error, FIL_BAD_INPUT, "%s: does not say the %s of the run", replay->info.bag, needed[i]);
        }
    }
    if (strcmp(value_of(how, "first_step"), "0") != 0) {
        return fil_error(error, FIL_BAD_INPUT, "%s: begins at step %s, not with the scene: nobody can repeat it", replay->info.bag,
                         value_of(how, "first_step"));
    }
    FilSetting settings[MAX_SETTINGS];
    FilSceneOptions options = {
        .settings = settings,
        .seed = strtoull(value_of(how, "seed"), NULL, 10),
        .seed_given = true,
        .dt = strtod(value_of(how, "dt"), NULL),
        .contact_model = value_of(how, "contact_model"),
    };
    const size_t prefix = strlen(FIL_RECORDING_SET);
    for (size_t i = 0; i < how->count && options.setting_count < MAX_SETTINGS; ++i) {
        if (strncmp(how->pairs[i].key, FIL_RECORDING_SET, prefix) == 0) {
            settings[options.setting_count++] = (FilSetting){how->pairs[i].key + prefix, how->pairs[i].value};
        }
    }
    return fil_scene_load_text(value_of(how, "scene"), (const char*)scene.data, scene.size, &options, &replay->simulation.world,
                               &replay->simulation.scene, error);
}

static FilStatus begin(FilReplay* replay, const char* path, FilError* error)
{
    FilReaderOptions options = fil_reader_options_default();
    FilReader* reader = NULL;
    FilBagAttachment scene;
    FilReaderMetadata how;
    FilBytes text = {0};
    FilStatus status = fil_reader_open(path, &options, &reader, error);
    if (status == FIL_OK) {
        status = fil_bag_read_through(reader, error);
    }
    if (status == FIL_OK) {
        status = find_scene(reader, &scene, error);
    }
    if (status == FIL_OK) {
        fil_bytes_put(&text, scene.data.data, scene.data.size);
        status = find_metadata(reader, FIL_RECORDING_RUN, &how, error);
    }
    if (status == FIL_OK) {
        status = build_world(replay, &how, (FilSlice){.data = text.data, .size = text.size}, error);
    }
    if (status == FIL_OK && value_of(&how, "commit") != NULL) {
        snprintf(replay->info.commit, sizeof replay->info.commit, "%s", value_of(&how, "commit"));
    }
    fil_bytes_free(&text);
    fil_reader_close(reader);
    options.front_to_back = true;
    return status == FIL_OK ? fil_reader_open(path, &options, &replay->reader, error) : status;
}

/* ---- going along ---- */

static uint64_t time_of(const FilWorld* world)
{
    return fil_time_nanoseconds(fil_world_time(world));
}

static FilStatus step(FilReplay* replay, FilError* error)
{
    FilWorld* world = replay->simulation.world;
    fil_commands_follow(&replay->commands);
    const FilStatus status = fil_world_step(world, &replay->simulation.last_step);
    if (status == FIL_OK && replay->watch != NULL && !replay->watch(replay->context, world)) {
        snprintf(replay->info.stop, sizeof replay->info.stop, "ended at %.9g s", fil_world_time(world));
    }
    return status == FIL_OK ? FIL_OK : fil_error(error, status, "step %" PRIu64 ": %s", fil_world_step_count(world) + 1, fil_world_error(world));
}

/* Steps up to a time; one in the past means that the run was reset. */
static FilStatus go_to_time(FilReplay* replay, uint64_t time, FilError* error)
{
    FilWorld* world = replay->simulation.world;
    FilStatus status = time < time_of(world) ? fil_world_reset(world) : FIL_OK;
    while (status == FIL_OK && time_of(world) < time && replay->info.stop[0] == '\0') {
        status = step(replay, error);
    }
    return status;
}

static rmw_serialized_message_t bytes_of(const FilBagMessage* message)
{
    rmw_serialized_message_t bytes = rmw_get_zero_initialized_serialized_message();
    bytes.buffer = (uint8_t*)(uintptr_t)message->data.data;  // only read
    bytes.buffer_length = bytes.buffer_capacity = message->data.size;
    return bytes;
}

static FilStatus compare(FilReplay* replay, const FilBagMessage* message, FilError* error)
{
    FilWorld* world = replay->simulation.world;
    const rmw_serialized_message_t bytes = bytes_of(message);
    filum__msg__StepInfo* recorded = &replay->step_info;
    if (rmw_deserialize(&bytes, fil_output_topic(FIL_TOPIC_STEP_INFO)->type(), recorded) != RMW_RET_OK) {
        rcl_reset_error();
        return fil_error(error, FIL_BAD_INPUT, "a message of step_info cannot be read");
    }
    FilStatus status = recorded->step < fil_world_step_count(world) ? fil_world_reset(world) : FIL_OK;
    while (status == FIL_OK && fil_world_step_count(world) < recorded->step && replay->info.stop[0] == '\0') {
        status = step(replay, error);
    }
    if (replay->info.stop[0] != '\0') {
        return status;
    }
    replay->info.compared += 1;
    const uint64_t hash = fil_world_hash(world);
    if (status == FIL_OK && hash != recorded->state_hash) {
        replay->info.differs = true;
        snprintf(replay->info.stop, sizeof replay->info.stop,
                 "step %" PRIu64 ", t = %.9g s: the state has the hash %016" PRIx64 ", the bag says %016" PRIx64, recorded->step,
                 fil_world_time(world), hash, recorded->state_hash);
    }
    return status;
}

static FilStatus change(FilReplay* replay, const rcl_interfaces__msg__Parameter__Sequence* parameters, FilError* error)
{
    FilWorld* world = replay->simulation.world;
    for (size_t i = 0; i < parameters->size; ++i) {
        const rcl_interfaces__msg__Parameter* parameter = &parameters->data[i];
        const FilWorldParameterSet set = fil_world_parameter(parameter->name.data);
        FilParameterValue value = fil_parameter_string(parameter->value.string_value.data);
        value.real = parameter->value.double_value;
        value.integer = parameter->value.integer_value;
        char reason[FIL_REASON_TEXT] = "";
        const FilTeleopParameterSet teleop = fil_teleop_parameter(parameter->name.data);
        if (teleop != NULL && !teleop(&replay->commands.teleop, world, &value, reason)) {
            return fil_error(error, FIL_BAD_INPUT, "parameter %s: %s", parameter->name.data, reason);
        }
        if (set != NULL && set(world, &value) != FIL_OK) {
            return fil_error(error, FIL_BAD_INPUT, "parameter %s: %s", parameter->name.data, fil_world_error(world));
        }
        replay->info.changed += set != NULL ? 1 : 0;
    }
    return FIL_OK;
}

static FilStatus change_parameters(FilReplay* replay, const FilBagMessage* message, FilError* error)
{
    const rmw_serialized_message_t bytes = bytes_of(message);
    const rosidl_message_type_support_t* type = ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, ParameterEvent);
    if (rmw_deserialize(&bytes, type, &replay->event) != RMW_RET_OK) {
        rcl_reset_error();
        return fil_error(error, FIL_BAD_INPUT, "a parameter event cannot be read");
    }
    const FilStatus status = change(replay, &replay->event.new_parameters, error);
    return status == FIL_OK ? change(replay, &replay->event.changed_parameters, error) : status;
}

static FilStatus apply(FilReplay* replay, FilCommandId id, const FilBagMessage* message, FilError* error)
{
    const rmw_serialized_message_t bytes = bytes_of(message);
    replay->info.applied += 1;
    return fil_commands_apply_bytes(&replay->commands, id, &bytes)
               ? FIL_OK
               : fil_error(error, FIL_BAD_INPUT, "a command of %s cannot be read", fil_commands_topic(id)->name);
}

/* ---- who says what ---- */

/* Whether a channel has the topic's last name and its type; namespaces may differ. */
static bool is_of(const FilBagChannel* channel, const FilOutputTopic* topic)
{
    const char* slash = strrchr(channel->topic, '/');
    return slash != NULL && strcmp(slash + 1, topic->name) == 0 && strcmp(channel->type, topic->type_name) == 0;
}

static Role role_of(const FilBagChannel* channel, FilCommandId* id)
{
    for (int i = 0; i < FIL_COMMAND_COUNT; ++i) {
        *id = (FilCommandId)i;
        if (is_of(channel, fil_commands_topic(*id))) {
            return ROLE_COMMAND;
        }
    }
    if (strcmp(channel->topic, "/parameter_events") == 0) {
        return ROLE_PARAMETERS;
    }
    return is_of(channel, fil_output_topic(FIL_TOPIC_STEP_INFO)) ? ROLE_STEP_INFO : ROLE_NONE;
}

/* Whether something that the run received is missing: numbers have gaps where messages were dropped. */
static bool is_next(FilReplay* replay, const FilBagMessage* message, const char* topic)
{
    uint32_t* next = &replay->next_sequence[message->channel];
    if (message->sequence != *next) {
        snprintf(replay->info.stop, sizeof replay->info.stop, "t = %.9g s: messages of %s were dropped while recording",
                 1e-9 * (double)message->log_time, topic);
        return false;
    }
    *next += 1;
    return true;
}

static FilStatus take(FilReplay* replay, const FilBagMessage* message, FilError* error)
{
    FilCommandId id;
    const FilBagChannel* channel = &fil_bag_channels_find(fil_reader_channels(replay->reader), message->channel)->channel;
    const Role role = role_of(channel, &id);
    if (role == ROLE_STEP_INFO) {
        return compare(replay, message, error);
    }
    if (role == ROLE_NONE || !is_next(replay, message, channel->topic)) {
        return FIL_OK;
    }
    const FilStatus status = go_to_time(replay, message->log_time, error);
    if (status != FIL_OK) {
        return status;
    }
    return role == ROLE_COMMAND ? apply(replay, id, message, error) : change_parameters(replay, message, error);
}

/* Looks at what lies between the messages: a mark that the state was changed by hand is the end of what can be
 * repeated. */
static FilStatus look_for_mark(FilReplay* replay, FilError* error)
{
    FilStatus status = FIL_OK;
    while (status == FIL_OK && replay->metadata_seen < fil_reader_info(replay->reader).metadata_count) {
        FilReaderMetadata metadata;
        status = fil_reader_metadata(replay->reader, replay->metadata_seen++, &metadata, error);
        if (status == FIL_OK && strcmp(metadata.name, FIL_RECORDING_CHANGED) == 0) {
            const char* at = value_of(&metadata, "step");
            const char* reason = value_of(&metadata, "reason");
            snprintf(replay->info.stop, sizeof replay->info.stop, "not to be repeated from step %s on: %s", at ? at : "?",
                     reason ? reason : "changed by hand");
        }
    }
    return status;
}

FilStatus fil_replay_run(FilReplay* replay, FilReplayWatch watch, void* context, FilError* error)
{
    replay->watch = watch;
    replay->context = context;
    FilStatus status = watch == NULL || watch(context, replay->simulation.world) ? FIL_OK : fil_error(error, FIL_BAD_INPUT, "ended");
    for (bool found = true; found && status == FIL_OK && replay->info.stop[0] == '\0';) {
        FilBagMessage message;
        status = fil_reader_next(replay->reader, &message, &found, error);
        if (status == FIL_OK) {
            FilBytes kept = {0};  // looking at metadata moves the reader's memory
            fil_bytes_put(&kept, message.data.data, found ? message.data.size : 0);
            status = kept.failed ? fil_error(error, FIL_OUT_OF_MEMORY, "out of memory") : look_for_mark(replay, error);
            message.data = (FilSlice){.data = kept.data, .size = kept.size};
            if (status == FIL_OK && found && replay->info.stop[0] == '\0') {
                status = take(replay, &message, error);
            }
            fil_bytes_free(&kept);
        }
    }
    return status;
}

/* ---- life ---- */

FilStatus fil_replay_open(const char* bag, FilReplay** out, FilError* error)
{
    *out = NULL;
    char path[FIL_BAG_PATH];
    FilReplay* replay = calloc(1, sizeof *replay);
    if (replay == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    replay->info.bag = bag;
    replay->next_sequence = calloc(FIL_BAG_MAX_CHANNELS + 1, sizeof(uint32_t));
    replay->commands = (FilCommands){.logger = "filum", .simulation = &replay->simulation, .tap = &replay->tap};
    const bool ready =
        replay->next_sequence != NULL && filum__msg__StepInfo__init(&replay->step_info) && rcl_interfaces__msg__ParameterEvent__init(&replay->event);
    FilStatus status = ready ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    if (ready) {
        status = fil_bag_find(bag, path, sizeof path, error) ? begin(replay, path, error) : FIL_BAD_INPUT;
    }
    if (status != FIL_OK) {
        fil_replay_close(replay);
        return status;
    }
    *out = replay;
    return FIL_OK;
}

void fil_replay_close(FilReplay* replay)
{
    if (replay == NULL) {
        return;
    }
    filum__msg__StepInfo__fini(&replay->step_info);
    rcl_interfaces__msg__ParameterEvent__fini(&replay->event);
    fil_reader_close(replay->reader);
    fil_world_destroy(replay->simulation.world);
    fil_commands_forget(&replay->commands);
    free(replay->next_sequence);
    free(replay);
}

const FilReplayInfo* fil_replay_info(const FilReplay* replay)
{
    return &replay->info;
}

const FilSimulation* fil_replay_simulation(const FilReplay* replay)
{
    return &replay->simulation;
}
