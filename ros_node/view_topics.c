#include "view_topics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "definitions.h"
#include "messages.h"
#include "rcl/allocator.h"
#include "rmw/rmw.h"

/* Room for all topics of a node; pause, step, reset. */
enum { MAX_CHANNELS = 64, SERVICES = 3 };

typedef struct Channel {
    const FilOutputTopic* topic;
    uint32_t id; /* 0: it could not be made */
} Channel;

struct FilViewTopics {
    FilViewTopicsDef def;
    char node[256];
    FilFoxglove* foxglove;
    Channel channels[MAX_CHANNELS];
    int channel_count;
    rmw_serialized_message_t bytes;
    char names[SERVICES][256];
    FilFoxgloveService services[SERVICES];
    uint64_t joined; /* subscriptions, when last asked */
};

/* ---- messages ---- */

static bool resolve(const FilViewTopics* topics, const char* name, char full[256])
{
    if (topics->def.resolve != NULL) {
        return topics->def.resolve(topics->def.context, name, full);
    }
    return fil_root_name(topics->node, name, full);
}

static uint32_t add_channel(FilViewTopics* topics, const FilOutputTopic* topic)
{
    char name[256];
    FilError error = {""};
    FilDefinitionPlaces places = {0};
    FilBytes text = {0};
    uint32_t id = 0;
    if (topics->channel_count == MAX_CHANNELS || !resolve(topics, topic->name, name)) {
        return 0;
    }
    FilStatus status = fil_definition_join(topic->type_name, fil_definition_find, &places, &text, &error);
    if (status == FIL_OK) {
        const FilFoxgloveChannel channel = {
            .topic = name, .type = topic->type_name, .schema = (const char*)text.data, .schema_size = text.size, .latched = topic->transient_local};
        status = fil_foxglove_add_channel(topics->foxglove, &channel, &id);
    }
    if (status != FIL_OK) {
        RCUTILS_LOG_WARN_NAMED(topics->node + 1, "viewers do not see %s: %s", name, error.text[0] != '\0' ? error.text : "there are too many topics");
    }
    fil_bytes_free(&text);
    topics->channels[topics->channel_count++] = (Channel){topic, id};
    return id;
}

static uint32_t find_channel(FilViewTopics* topics, const FilOutputTopic* topic)
{
    for (int i = 0; i < topics->channel_count; ++i) {
        if (topics->channels[i].topic == topic) {
            return topics->channels[i].id;
        }
    }
    return add_channel(topics, topic);
}

static uint64_t time_of(const FilViewTopics* topics)
{
    const FilWorld* world = topics->def.simulation->world;
    return world != NULL ? fil_time_nanoseconds(fil_world_time(world)) : 0;
}

void fil_view_topics_hear(FilViewTopics* topics, const FilOutputTopic* topic, const void* message)
{
    if (topics != NULL && topic == fil_output_topic(FIL_TOPIC_CLOCK)) {
        fil_foxglove_send_time(topics->foxglove, time_of(topics));
    }
    if (topics == NULL || !fil_foxglove_wants(topics->foxglove, find_channel(topics, topic))) {
        return;
    }
    const uint32_t channel = find_channel(topics, topic);
    if (rmw_serialize(message, topic->type(), &topics->bytes) != RMW_RET_OK) {
        rcl_reset_error();
        return;
    }
    fil_foxglove_send(topics->foxglove, channel, time_of(topics), topics->bytes.buffer, topics->bytes.buffer_length);
}

bool fil_view_topics_want_markers(const FilViewTopics* topics)
{
    for (int i = 0; topics != NULL && i < topics->channel_count; ++i) {
        if (topics->channels[i].topic == fil_output_topic(FIL_TOPIC_MARKERS)) {
            return fil_foxglove_wants(topics->foxglove, topics->channels[i].id);
        }
    }
    return false;
}

bool fil_view_topics_joined(FilViewTopics* topics)
{
    const uint64_t joined = topics != NULL ? fil_foxglove_joined(topics->foxglove) : 0;
    const bool more = topics != NULL && joined != topics->joined;
    if (more) {
        topics->joined = joined;
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
    const FilViewTopicsDef* def = &((FilViewTopics*)context)->def;
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
            done = fil_simulation_step_refusal(simulation) == NULL && !simulation->failed;
            simulation->steps_wanted += done;
            return write_answer(answer, done,
                                done                 ? "one more step"
                                : simulation->failed ? simulation->failure
                                                     : fil_simulation_step_refusal(simulation));
        default:
            done = fil_simulation_reset(simulation) == FIL_OK;
            if (def->was_reset != NULL) {
                def->was_reset(def->context);
            }
            return write_answer(answer, done, done ? "reset" : fil_world_error(simulation->world));
    }
}

/* ---- parameters, with the node's name before their own ---- */

static int parameter_count(void* context)
{
    const FilViewTopicsDef* def = &((FilViewTopics*)context)->def;
    return def->parameter_count != NULL ? def->parameter_count(def->context) : 0;
}

static void parameter_at(void* context, int index, FilFoxgloveParameter* out)
{
    const FilViewTopics* topics = context;
    char name[sizeof out->name];
    topics->def.parameter(topics->def.context, index, out);
    snprintf(name, sizeof name, "%.60s.%.120s", topics->node, out->name);
    memcpy(out->name, name, sizeof name);
}

static bool set_parameter(void* context, const FilFoxgloveParameter* given, char reason[FIL_FOXGLOVE_ANSWER])
{
    const FilViewTopics* topics = context;
    const size_t length = strlen(topics->node);
    FilFoxgloveParameter own = *given;
    if (strncmp(given->name, topics->node, length) != 0 || given->name[length] != '.') {
        snprintf(reason, FIL_FOXGLOVE_ANSWER, "there is no parameter '%.190s'", given->name);
        return false;
    }
    snprintf(own.name, sizeof own.name, "%s", given->name + length + 1);
    return topics->def.set_parameter(topics->def.context, &own, reason);
}

void fil_view_topics_report_parameter(FilViewTopics* topics, int index)
{
    if (topics != NULL) {
        FilFoxgloveParameter changed;
        parameter_at(topics, index, &changed);
        fil_foxglove_changed(topics->foxglove, &changed);
    }
}

/* ---- life ---- */

static bool offer(FilViewTopics* topics)
{
    static const char set_bool[] = "bool data", trigger[] = "", answer[] = "bool success\nstring message";
    static const struct {
        const char *name, *type, *request;
    } known[SERVICES] = {
        {"~/pause", "std_srvs/srv/SetBool", set_bool}, {"~/step", "std_srvs/srv/Trigger", trigger}, {"~/reset", "std_srvs/srv/Trigger", trigger}};
    for (int i = 0; i < SERVICES; ++i) {
        if (!resolve(topics, known[i].name, topics->names[i])) {
            return false;
        }
        topics->services[i] = (FilFoxgloveService){.name = topics->names[i], .type = known[i].type, .request = known[i].request, .response = answer};
    }
    const FilFoxgloveHost host = {.context = topics,
                                  .service_count = SERVICES,
                                  .services = topics->services,
                                  .call = call,
                                  .parameter_count = parameter_count,
                                  .parameter = parameter_at,
                                  .set_parameter = set_parameter};
    fil_foxglove_offer(topics->foxglove, &host);
    return true;
}

FilViewTopics* fil_view_topics_create(const FilViewTopicsDef* def)
{
    FilViewTopics* topics = calloc(1, sizeof *topics);
    const rcl_allocator_t allocator = rcl_get_default_allocator();
    if (topics == NULL) {
        return NULL;
    }
    topics->def = *def;
    snprintf(topics->node, sizeof topics->node, "%s", def->node);
    topics->foxglove = fil_foxglove_create(def->node);
    topics->bytes = rmw_get_zero_initialized_serialized_message();
    // bytes to begin with; grows
    if (topics->foxglove == NULL || rmw_serialized_message_init(&topics->bytes, 1024, &allocator) != RMW_RET_OK || !offer(topics)) {
        fil_view_topics_destroy(topics);
        return NULL;
    }
    for (int i = 0; i < FIL_TOPIC_COUNT; ++i) {
        add_channel(topics, fil_output_topic((FilTopicId)i));
    }
    return topics;
}

void fil_view_topics_destroy(FilViewTopics* topics)
{
    if (topics == NULL) {
        return;
    }
    if (topics->bytes.buffer != NULL && rmw_serialized_message_fini(&topics->bytes) != RMW_RET_OK) {
        rcl_reset_error();
    }
    fil_foxglove_destroy(topics->foxglove);
    free(topics);
}

FilFoxglove* fil_view_topics_foxglove(FilViewTopics* topics)
{
    return topics != NULL ? topics->foxglove : NULL;
}

void fil_view_topics_serve(FilViewTopics* topics)
{
    if (topics != NULL) {
        fil_foxglove_serve(topics->foxglove);
    }
}
