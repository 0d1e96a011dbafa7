#include "viewers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "definitions.h"
#include "messages.h"
#include "rcl/allocator.h"
#include "rcl_interfaces/msg/parameter_event.h"
#include "rmw/rmw.h"

enum { MAX_CHANNELS = 64, SERVICES = 3 };

typedef struct Channel {
    const FilOutputTopic* topic;
    uint32_t id; /* 0: it could not be made */
} Channel;

struct FilViewers {
    FilViewersDef def;
    FilFoxglove* foxglove;
    Channel channels[MAX_CHANNELS];
    int channel_count;
    rmw_serialized_message_t bytes;
    char names[SERVICES][256];
    FilFoxgloveService services[SERVICES];
    uint64_t joined; /* subscriptions, when last asked */
};

/* ---- messages ---- */

static uint32_t add_channel(FilViewers* viewers, const FilOutputTopic* topic)
{
    char name[256];
    FilError error = {""};
    FilDefinitionPlaces places = {0};
    FilBytes text = {0};
    uint32_t id = 0;
    if (viewers->channel_count == MAX_CHANNELS || !fil_resolve_name(viewers->def.node, topic->name, name)) {
        return 0;
    }
    FilStatus status = fil_definition_join(topic->type_name, fil_definition_find, &places, &text, &error);
    if (status == FIL_OK) {
        const FilFoxgloveChannel channel = {.topic = name,
                                            .type = topic->type_name,
                                            .schema = (const char*)text.data,
                                            .schema_size = text.size,
                                            .latched = topic->transient_local};
        status = fil_foxglove_add_channel(viewers->foxglove, &channel, &id);
    }
    if (status != FIL_OK) {
        RCUTILS_LOG_WARN_NAMED(rcl_node_get_logger_name(viewers->def.node), "viewers do not see %s: %s", name,
                               error.text[0] != '\0' ? error.text : "there are too many topics");
    }
    fil_bytes_free(&text);
    viewers->channels[viewers->channel_count++] = (Channel){topic, id};
    return id;
}

static uint32_t find_channel(FilViewers* viewers, const FilOutputTopic* topic)
{
    for (int i = 0; i < viewers->channel_count; ++i) {
        if (viewers->channels[i].topic == topic) {
            return viewers->channels[i].id;
        }
    }
    return add_channel(viewers, topic);
}

static void tell_parameters(FilViewers* viewers, const rcl_interfaces__msg__ParameterEvent* event);

static void hear(void* context, const FilOutputTopic* topic, const void* message)
{
    FilViewers* viewers = context;
    if (strcmp(topic->type_name, "rcl_interfaces/msg/ParameterEvent") == 0) {
        tell_parameters(viewers, message);
    }
    const uint32_t channel = find_channel(viewers, topic);
    if (!fil_foxglove_wants(viewers->foxglove, channel)) {
        return;
    }
    if (rmw_serialize(message, topic->type(), &viewers->bytes) != RMW_RET_OK) {
        rcl_reset_error();
        return;
    }
    const FilWorld* world = viewers->def.simulation->world;
    const uint64_t time = world != NULL ? fil_time_nanoseconds(fil_world_time(world)) : 0;
    fil_foxglove_send(viewers->foxglove, channel, time, viewers->bytes.buffer, viewers->bytes.buffer_length);
}

FilTapListener fil_viewers_listener(FilViewers* viewers)
{
    return viewers != NULL ? (FilTapListener){hear, viewers} : (FilTapListener){0};
}

bool fil_viewers_want_markers(const FilViewers* viewers)
{
    for (int i = 0; viewers != NULL && i < viewers->channel_count; ++i) {
        if (viewers->channels[i].topic == fil_output_topic(FIL_TOPIC_MARKERS)) {
            return fil_foxglove_wants(viewers->foxglove, viewers->channels[i].id);
        }
    }
    return false;
}

bool fil_viewers_joined(FilViewers* viewers)
{
    const uint64_t joined = viewers != NULL ? fil_foxglove_joined(viewers->foxglove) : 0;
    const bool more = viewers != NULL && joined != viewers->joined;
    if (more) {
        viewers->joined = joined;
    }
    return more;
}

/* ---- services: bool data, or nothing; bool success, string message ---- */

/* in CDR: four bytes that say so, the bool, three to align, the text with its length and its end */
static size_t write_answer(uint8_t answer[FIL_FOXGLOVE_ANSWER], bool success, const char* text)
{
    const size_t length = strnlen(text, FIL_FOXGLOVE_ANSWER - 13) + 1;
    const uint8_t head[] = {0, 1, 0, 0, success, 0, 0, 0, (uint8_t)length, (uint8_t)(length >> 8), 0, 0};
    memcpy(answer, head, sizeof head);
    memcpy(answer + sizeof head, text, length - 1);
    answer[sizeof head + length - 1] = '\0';
    return sizeof head + length;
}

static size_t call(void* context, int service, const uint8_t* request, size_t size, uint8_t answer[FIL_FOXGLOVE_ANSWER])
{
    const FilViewersDef* def = &((FilViewers*)context)->def;
    FilSimulation* simulation = def->simulation;
    if (simulation->world == NULL) {
        return write_answer(answer, false, "there is no world");
    }
    bool done = false;
    switch (service) {
        case 0:
            if (size < 5) {
                snprintf((char*)answer, FIL_FOXGLOVE_ANSWER, "the request is too short");
                return 0;
            }
            done = fil_simulation_set_paused(simulation, request[4] != 0);
            return write_answer(answer, done, fil_simulation_word(simulation));
        case 1:
            done = simulation->paused && !simulation->failed;
            simulation->steps_wanted += done;
            return write_answer(answer, done, done ? "one more step" : simulation->failed ? simulation->failure : "the simulation is not paused");
        default:
            done = fil_simulation_reset(simulation) == FIL_OK;
            def->control->changed = true;
            return write_answer(answer, done, done ? "reset" : fil_world_error(simulation->world));
    }
}

/* ---- parameters ---- */

static void write_parameter(const FilViewers* viewers, const FilParameter* parameter, FilFoxgloveParameter* out)
{
    const FilParameterValue* value = &parameter->value;
    *out = (FilFoxgloveParameter){.type = FIL_FOXGLOVE_NUMBER};
    snprintf(out->name, sizeof out->name, "%.60s.%s", rcl_node_get_fully_qualified_name(viewers->def.node), parameter->name);
    switch (value->type) {
        case FIL_PARAMETER_BOOL:
            out->type = FIL_FOXGLOVE_BOOL;
            out->boolean = value->boolean;
            break;
        case FIL_PARAMETER_INTEGER:
            out->number = (double)value->integer;
            break;
        case FIL_PARAMETER_DOUBLE:
            out->number = value->real;
            break;
        default:
            out->type = FIL_FOXGLOVE_TEXT;
            snprintf(out->text, sizeof out->text, "%s", value->text);
            break;
    }
}

static int parameter_count(void* context)
{
    return (int)((FilViewers*)context)->def.parameters->parameters->count;
}

static void parameter_at(void* context, int index, FilFoxgloveParameter* out)
{
    const FilViewers* viewers = context;
    write_parameter(viewers, &viewers->def.parameters->parameters->items[index], out);
}

static bool set_parameter(void* context, const FilFoxgloveParameter* given, char reason[FIL_FOXGLOVE_ANSWER])
{
    const FilViewers* viewers = context;
    const char* own = rcl_node_get_fully_qualified_name(viewers->def.node);
    const size_t length = strlen(own);
    const bool mine = strncmp(given->name, own, length) == 0 && given->name[length] == '.';
    FilParameter* parameter = mine ? fil_parameters_find(viewers->def.parameters->parameters, given->name + length + 1) : NULL;
    if (parameter == NULL) {
        snprintf(reason, FIL_FOXGLOVE_ANSWER, "there is no parameter '%.190s'", given->name);
        return false;
    }
    // numbers have no types on their way: a whole one fits both
    FilParameterValue value = given->type == FIL_FOXGLOVE_BOOL   ? fil_parameter_bool(given->boolean)
                              : given->type == FIL_FOXGLOVE_TEXT ? fil_parameter_string(given->text)
                                                                 : fil_parameter_double(given->number);
    if (given->type == FIL_FOXGLOVE_NUMBER && parameter->value.type == FIL_PARAMETER_INTEGER && fabs(given->number) < 9e15 &&
        given->number == floor(given->number)) {
        value = fil_parameter_integer((int64_t)given->number);
    }
    return fil_parameter_server_set(viewers->def.parameters, parameter->name, &value, reason);
}

static void tell_parameters(FilViewers* viewers, const rcl_interfaces__msg__ParameterEvent* event)
{
    for (size_t i = 0; i < event->changed_parameters.size; ++i) {
        const FilParameter* parameter = fil_parameters_find(viewers->def.parameters->parameters, event->changed_parameters.data[i].name.data);
        if (parameter != NULL) {
            FilFoxgloveParameter told;
            write_parameter(viewers, parameter, &told);
            fil_foxglove_changed(viewers->foxglove, &told);
        }
    }
}

/* ---- life ---- */

static bool offer(FilViewers* viewers)
{
    static const char set_bool[] = "bool data", trigger[] = "", answer[] = "bool success\nstring message";
    static const struct {
        const char *name, *type, *request;
    } known[SERVICES] = {
        {"~/pause", "std_srvs/srv/SetBool", set_bool}, {"~/step", "std_srvs/srv/Trigger", trigger}, {"~/reset", "std_srvs/srv/Trigger", trigger}};
    for (int i = 0; i < SERVICES; ++i) {
        if (!fil_resolve_name(viewers->def.node, known[i].name, viewers->names[i])) {
            return false;
        }
        viewers->services[i] =
            (FilFoxgloveService){.name = viewers->names[i], .type = known[i].type, .request = known[i].request, .response = answer};
    }
    const FilFoxgloveHost host = {.context = viewers,
                                  .service_count = SERVICES,
                                  .services = viewers->services,
                                  .call = call,
                                  .parameter_count = parameter_count,
                                  .parameter = parameter_at,
                                  .set_parameter = set_parameter};
    fil_foxglove_offer(viewers->foxglove, &host);
    return true;
}

FilViewers* fil_viewers_create(const FilViewersDef* def)
{
    FilViewers* viewers = calloc(1, sizeof *viewers);
    const rcl_allocator_t allocator = rcl_get_default_allocator();
    if (viewers == NULL) {
        return NULL;
    }
    viewers->def = *def;
    viewers->foxglove = fil_foxglove_create(rcl_node_get_fully_qualified_name(def->node));
    viewers->bytes = rmw_get_zero_initialized_serialized_message();
    if (viewers->foxglove == NULL || rmw_serialized_message_init(&viewers->bytes, 1024, &allocator) != RMW_RET_OK || !offer(viewers)) {
        fil_viewers_destroy(viewers);
        return NULL;
    }
    for (int i = 0; i < FIL_TOPIC_COUNT; ++i) {
        add_channel(viewers, fil_output_topic((FilTopicId)i));
    }
    return viewers;
}

void fil_viewers_destroy(FilViewers* viewers)
{
    if (viewers == NULL) {
        return;
    }
    if (viewers->bytes.buffer != NULL && rmw_serialized_message_fini(&viewers->bytes) != RMW_RET_OK) {
        rcl_reset_error();
    }
    fil_foxglove_destroy(viewers->foxglove);
    free(viewers);
}

FilFoxglove* fil_viewers_foxglove(FilViewers* viewers)
{
    return viewers != NULL ? viewers->foxglove : NULL;
}

void fil_viewers_serve(FilViewers* viewers)
{
    if (viewers != NULL) {
        fil_foxglove_serve(viewers->foxglove);
    }
}
