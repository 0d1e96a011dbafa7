#include "view_messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view_topics.h"
#include "world_parameters.h"

#define NODE "/filum"     /* as the node is called */
#define OF_SCENE "scene." /* before names of the scene's parameters */

struct FilViewMessages {
    FilSimulation* simulation;
    FilViewSession* session; /* NULL: none yet */
    FilOutputs outputs;
    FilViewTopics* topics;
    uint64_t load;              /* the world that was sent last */
    double time;                /* s, when */
    FilFoxgloveParameter* sent; /* values of parameters as viewers know them */
    int sent_count;
};

/* ---- parameters: those of the node that concern the world, its pace, and those of the scene ---- */

static void text_value(FilFoxgloveParameter* out, const char* text)
{
    out->type = FIL_FOXGLOVE_TEXT;
    snprintf(out->text, sizeof out->text, "%s", text);
}

static void get_model(const FilSimulation* simulation, FilFoxgloveParameter* out)
{
    text_value(out, fil_world_contact_model(simulation->world));
}

static void get_step(const FilSimulation* simulation, FilFoxgloveParameter* out)
{
    out->number = fil_world_dt(simulation->world);
}

static void get_gravity(const FilSimulation* simulation, FilFoxgloveParameter* out)
{
    const FilVec3 g = fil_world_gravity(simulation->world);
    out->number = sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
}

static void get_friction(const FilSimulation* simulation, FilFoxgloveParameter* out)
{
    out->number = fil_world_friction(simulation->world);
}

static void get_pace(const FilSimulation* simulation, FilFoxgloveParameter* out)
{
    out->number = simulation->real_time_factor;
}

static const struct {
    const char* name;
    void (*get)(const FilSimulation* simulation, FilFoxgloveParameter* out);
} own[] = {
    {"contact_model", get_model}, {"time_step", get_step}, {"gravity", get_gravity}, {"friction", get_friction}, {"real_time_factor", get_pace}};
enum { OWN = sizeof own / sizeof own[0] };

static const FilSource* source_of(const FilViewMessages* messages)
{
    return messages->session != NULL ? fil_view_session_source(messages->session) : NULL;
}

static int parameter_count(void* context)
{
    const FilSource* source = source_of(context);
    return OWN + (source != NULL ? source->parameter_count : 0);
}

static void parameter_at(void* context, int index, FilFoxgloveParameter* out)
{
    const FilViewMessages* messages = context;
    *out = (FilFoxgloveParameter){.type = FIL_FOXGLOVE_NUMBER};
    if (index < OWN) {
        snprintf(out->name, sizeof out->name, "%s", own[index].name);
        own[index].get(messages->simulation, out);
    } else {
        const FilSourceParameter* parameter = &source_of(messages)->parameters[index - OWN];
        snprintf(out->name, sizeof out->name, OF_SCENE "%s", parameter->path);
        out->number = parameter->value;
    }
}

/* Makes the world anew. */
static bool set_of_scene(FilViewMessages* messages, const FilFoxgloveParameter* given, char reason[FIL_FOXGLOVE_ANSWER])
{
    const FilSource* source = source_of(messages);
    const char* path = given->name + strlen(OF_SCENE);
    for (int i = 0; source != NULL && i < source->parameter_count; ++i) {
        if (strcmp(source->parameters[i].path, path) == 0) {
            FilError error = {"a number is needed"};
            const bool set =
                given->type == FIL_FOXGLOVE_NUMBER && fil_view_session_set_parameter(messages->session, i, given->number, &error) == FIL_OK;
            snprintf(reason, FIL_FOXGLOVE_ANSWER, "%s", error.text);
            return set;
        }
    }
    snprintf(reason, FIL_FOXGLOVE_ANSWER, "the scene has no parameter '%.190s'", path);
    return false;
}

static bool set_of_world(FilSimulation* simulation, const FilFoxgloveParameter* given, char reason[FIL_FOXGLOVE_ANSWER])
{
    const FilWorldParameterSet set = fil_world_parameter(given->name);
    const bool text = strcmp(given->name, "contact_model") == 0;
    if (set == NULL) {
        snprintf(reason, FIL_FOXGLOVE_ANSWER, "there is no parameter '%.190s'", given->name);
        return false;
    }
    if (given->type != (text ? FIL_FOXGLOVE_TEXT : FIL_FOXGLOVE_NUMBER)) {
        snprintf(reason, FIL_FOXGLOVE_ANSWER, "%.190s: a %s is needed", given->name, text ? "text" : "number");
        return false;
    }
    const FilParameterValue value = text ? fil_parameter_string(given->text) : fil_parameter_double(given->number);
    if (set(simulation->world, &value) != FIL_OK) {
        snprintf(reason, FIL_FOXGLOVE_ANSWER, "%.190s: %.800s", given->name, fil_world_error(simulation->world));
        return false;
    }
    fil_simulation_forgive(simulation);
    return true;
}

static bool set_parameter(void* context, const FilFoxgloveParameter* given, char reason[FIL_FOXGLOVE_ANSWER])
{
    FilViewMessages* messages = context;
    if (strncmp(given->name, OF_SCENE, strlen(OF_SCENE)) == 0) {
        return set_of_scene(messages, given, reason);
    }
    if (strcmp(given->name, "real_time_factor") != 0) {
        return set_of_world(messages->simulation, given, reason);
    }
    // 1000: as of the node's parameter real_time_factor
    const bool good = given->type == FIL_FOXGLOVE_NUMBER && given->number >= 0.0 && given->number <= 1000.0;
    if (good) {
        fil_simulation_set_pace(messages->simulation, given->number);
    } else {
        snprintf(reason, FIL_FOXGLOVE_ANSWER, "real_time_factor: a number from 0 to 1000 is needed");
    }
    return good;
}

/* Pages change them too: who watches is sent what differs from what was sent last. */
static void report_parameters(FilViewMessages* messages)
{
    const int count = parameter_count(messages);
    if (count != messages->sent_count) {
        FilFoxgloveParameter* grown = realloc(messages->sent, (size_t)count * sizeof *grown);
        if (grown == NULL) {
            return;
        }
        messages->sent = grown;
        memset(messages->sent, 0, (size_t)count * sizeof *grown);
        messages->sent_count = count;
    }
    for (int i = 0; i < count; ++i) {
        FilFoxgloveParameter now, *sent = &messages->sent[i];
        parameter_at(messages, i, &now);
        const bool known = sent->name[0] != '\0';
        if (!known || now.number != sent->number || strcmp(now.text, sent->text) != 0 || strcmp(now.name, sent->name) != 0) {
            *sent = now;
            if (known) {
                fil_view_topics_report_parameter(messages->topics, i);
            }
        }
    }
}

/* ---- messages ---- */

static void send(void* context, FilTopicId topic, const void* message)
{
    fil_view_topics_hear(context, fil_output_topic(topic), message);
}

void fil_view_messages_send(FilViewMessages* messages)
{
    if (messages == NULL || messages->simulation->world == NULL || messages->session == NULL) {
        return;
    }
    const FilSimulation* simulation = messages->simulation;
    const double time = fil_world_time(simulation->world);
    const bool joined = fil_view_topics_joined(messages->topics), paused = simulation->paused;
    // a new world, a reset, or somebody who has just come
    const bool all = joined || simulation->load_count != messages->load || time < messages->time || (paused && time != messages->time);
    if ((time != messages->time || all) && fil_view_session_counts(messages->session).viewers > 0) {
        fil_outputs_update(&messages->outputs, simulation, all, fil_view_topics_want_markers(messages->topics), send, messages->topics);
        messages->load = simulation->load_count;
        messages->time = time;
    }
}

void fil_view_messages_serve(FilViewMessages* messages)
{
    if (messages != NULL && messages->simulation->world != NULL) {
        fil_view_topics_serve(messages->topics);
        report_parameters(messages);
        fil_view_messages_send(messages);
    }
}

/* ---- life ---- */

FilViewMessages* fil_view_messages_create(FilSimulation* simulation)
{
    FilViewMessages* messages = calloc(1, sizeof *messages);
    if (messages == NULL) {
        return NULL;
    }
    const FilViewTopicsDef def = {.simulation = simulation,
                                  .node = NODE,
                                  .parameter_count = parameter_count,
                                  .parameter = parameter_at,
                                  .set_parameter = set_parameter,
                                  .context = messages};
    messages->simulation = simulation;
    messages->topics = fil_view_topics_create(&def);
    if (!fil_outputs_init(&messages->outputs) || messages->topics == NULL) {
        fil_view_messages_destroy(messages);
        return NULL;
    }
    return messages;
}

void fil_view_messages_destroy(FilViewMessages* messages)
{
    if (messages != NULL) {
        fil_view_topics_destroy(messages->topics);
        fil_outputs_fini(&messages->outputs);
        free(messages->sent);
        free(messages);
    }
}

FilFoxglove* fil_view_messages_foxglove(FilViewMessages* messages)
{
    return messages != NULL ? fil_view_topics_foxglove(messages->topics) : NULL;
}

void fil_view_messages_join(FilViewMessages* messages, FilViewSession* session)
{
    if (messages != NULL) {
        messages->session = session;
    }
}
