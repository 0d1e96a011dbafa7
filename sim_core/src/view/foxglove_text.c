/* Owns the protocol's texts: JSON that is sent, JSON that is read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "view/foxglove_parts.h"

FilFoxgloveMessage fil_foxglove_bytes(const void* head, size_t head_size, const void* rest, size_t rest_size)
{
    FilFoxgloveMessage message = {.size = head_size + rest_size, .binary = true};
    unsigned char* room = malloc(FIL_FOXGLOVE_HEADROOM + message.size + 1);
    if (room != NULL) {
        message.bytes = room + FIL_FOXGLOVE_HEADROOM;
        memcpy(message.bytes, head, head_size);
        if (rest_size > 0) {
            memcpy(message.bytes + head_size, rest, rest_size);
        }
    }
    return message;
}

/* ---- writing ---- */

typedef struct Text {
    char* text;
    size_t size;
    FilJson json;
} Text;

static bool begin(Text* text, const char* op)
{
    *text = (Text){0};
    text->json.out = open_memstream(&text->text, &text->size);
    if (text->json.out == NULL) {
        return false;
    }
    fil_json_open(&text->json, NULL, '{');
    fil_json_text(&text->json, "op", op);
    return true;
}

static FilFoxgloveMessage end(Text* text)
{
    fil_json_close(&text->json, '}');
    const bool whole = !ferror(text->json.out);
    FilFoxgloveMessage message = {0};
    if (fclose(text->json.out) == 0 && whole) {
        message = fil_foxglove_bytes(text->text, text->size, NULL, 0);
        message.binary = false;
    }
    free(text->text);
    return message;
}

static void write_words(FilJson* json, const char* key, const char* const* words)
{
    fil_json_open(json, key, '[');
    for (int i = 0; words[i] != NULL; ++i) {
        fil_json_text(json, NULL, words[i]);
    }
    fil_json_close(json, ']');
}

FilFoxgloveMessage fil_foxglove_hello(const FilFoxglove* foxglove, bool read_only)
{
    static const char* const all[] = {"time", "parameters", "parametersSubscribe", "services", NULL};
    static const char* const looks[] = {"time", NULL};
    static const char* const encodings[] = {"cdr", NULL};
    Text text;
    if (!begin(&text, "serverInfo")) {
        return (FilFoxgloveMessage){0};
    }
    fil_json_text(&text.json, "name", foxglove->name);
    write_words(&text.json, "capabilities", read_only || foxglove->host.call == NULL ? looks : all);
    write_words(&text.json, "supportedEncodings", encodings);
    fil_json_text(&text.json, "sessionId", foxglove->session);
    fil_json_open(&text.json, "metadata", '{');
    fil_json_close(&text.json, '}');
    return end(&text);
}

FilFoxgloveMessage fil_foxglove_advertise(const FilFoxglove* foxglove, int first)
{
    Text text;
    if (!begin(&text, "advertise")) {
        return (FilFoxgloveMessage){0};
    }
    fil_json_open(&text.json, "channels", '[');
    for (int i = first; i < foxglove->channel_count; ++i) {
        const FilFoxgloveStored* channel = &foxglove->channels[i];
        fil_json_open(&text.json, NULL, '{');
        fil_json_integer(&text.json, "id", (uint64_t)i + 1);
        fil_json_text(&text.json, "topic", channel->topic);
        fil_json_text(&text.json, "encoding", "cdr");
        fil_json_text(&text.json, "schemaName", channel->type);
        fil_json_text(&text.json, "schema", channel->schema);
        fil_json_text(&text.json, "schemaEncoding", "ros2msg");
        fil_json_close(&text.json, '}');
    }
    fil_json_close(&text.json, ']');
    return end(&text);
}

static void write_side(FilJson* json, const char* key, const char* type, const char* suffix, const char* schema)
{
    char name[128];
    snprintf(name, sizeof name, "%s_%s", type, suffix);
    fil_json_open(json, key, '{');
    fil_json_text(json, "encoding", "cdr");
    fil_json_text(json, "schemaName", name);
    fil_json_text(json, "schemaEncoding", "ros2msg");
    fil_json_text(json, "schema", schema);
    fil_json_close(json, '}');
}

FilFoxgloveMessage fil_foxglove_advertise_services(const FilFoxglove* foxglove)
{
    Text text;
    if (!begin(&text, "advertiseServices")) {
        return (FilFoxgloveMessage){0};
    }
    fil_json_open(&text.json, "services", '[');
    for (int i = 0; i < foxglove->host.service_count; ++i) {
        const FilFoxgloveService* service = &foxglove->host.services[i];
        fil_json_open(&text.json, NULL, '{');
        fil_json_integer(&text.json, "id", (uint64_t)i + 1);
        fil_json_text(&text.json, "name", service->name);
        fil_json_text(&text.json, "type", service->type);
        write_side(&text.json, "request", service->type, "Request", service->request);
        write_side(&text.json, "response", service->type, "Response", service->response);
        fil_json_close(&text.json, '}');
    }
    fil_json_close(&text.json, ']');
    return end(&text);
}

static void write_parameter(FilJson* json, const FilFoxgloveParameter* parameter)
{
    fil_json_open(json, NULL, '{');
    fil_json_text(json, "name", parameter->name);
    switch (parameter->type) {
        case FIL_FOXGLOVE_BOOL:
            fil_json_boolean(json, "value", parameter->boolean);
            break;
        case FIL_FOXGLOVE_NUMBER:
            fil_json_number(json, "value", parameter->number);
            fil_json_text(json, "type", "float64");
            break;
        case FIL_FOXGLOVE_TEXT:
            fil_json_text(json, "value", parameter->text);
            break;
    }
    fil_json_close(json, '}');
}

FilFoxgloveMessage fil_foxglove_values(const FilFoxgloveParameter* parameters, int count, const char* id)
{
    Text text;
    if (!begin(&text, "parameterValues")) {
        return (FilFoxgloveMessage){0};
    }
    if (id[0] != '\0') {
        fil_json_text(&text.json, "id", id);
    }
    fil_json_open(&text.json, "parameters", '[');
    for (int i = 0; i < count; ++i) {
        write_parameter(&text.json, &parameters[i]);
    }
    fil_json_close(&text.json, ']');
    return end(&text);
}

FilFoxgloveMessage fil_foxglove_failure(uint32_t service, uint32_t call, const char* why)
{
    Text text;
    if (!begin(&text, "serviceCallFailure")) {
        return (FilFoxgloveMessage){0};
    }
    fil_json_integer(&text.json, "serviceId", service);
    fil_json_integer(&text.json, "callId", call);
    fil_json_text(&text.json, "message", why);
    return end(&text);
}

FilFoxgloveMessage fil_foxglove_status(const char* words)
{
    Text text;
    if (!begin(&text, "status")) {
        return (FilFoxgloveMessage){0};
    }
    fil_json_integer(&text.json, "level", 2);  // an error
    fil_json_text(&text.json, "message", words);
    return end(&text);
}

/* ---- reading ---- */

const FilYaml* fil_foxglove_parse(const void* bytes, size_t size, FilPool* pool)
{
    FilSceneLimits limits = fil_scene_limits_default();
    limits.file_bytes = limits.line_bytes = FIL_FOXGLOVE_IN_BYTES;
    // of JSON messages: all subscriptions and parameters that a peer may name, with their fields; they are three deep
    limits.values = 4096;
    limits.depth = 8;
    FilError error = {""};
    FilYaml* root = NULL;
    int values = 0;
    if (fil_yaml_parse("message", bytes, size, &limits, &values, pool, &root, &error) != FIL_OK || root == NULL) {
        return NULL;
    }
    return root->kind == FIL_YAML_MAPPING ? root : NULL;
}

const char* fil_foxglove_word(const FilYaml* mapping, const char* key)
{
    const FilYaml* value = mapping->kind == FIL_YAML_MAPPING ? fil_yaml_find(mapping, key) : NULL;
    return value != NULL && value->kind == FIL_YAML_SCALAR ? value->text : "";
}

static bool read_number(const char* text, double* number)
{
    char* end = NULL;
    *number = strtod(text, &end);
    return text[0] != '\0' && *end == '\0' && isfinite(*number);
}

bool fil_foxglove_id(const FilYaml* value, uint32_t* id)
{
    double number;
    if (value == NULL || value->kind != FIL_YAML_SCALAR || !value->plain || !read_number(value->text, &number) || number < 0.0 ||
        number > UINT32_MAX || number != floor(number)) {
        return false;
    }
    *id = (uint32_t)number;
    return true;
}

bool fil_foxglove_read_parameter(const FilYaml* mapping, FilFoxgloveParameter* parameter)
{
    const char* name = fil_foxglove_word(mapping, "name");
    const FilYaml* value = mapping->kind == FIL_YAML_MAPPING ? fil_yaml_find(mapping, "value") : NULL;
    *parameter = (FilFoxgloveParameter){.type = FIL_FOXGLOVE_TEXT};
    if (name[0] == '\0' || strlen(name) >= sizeof parameter->name || value == NULL || value->kind != FIL_YAML_SCALAR ||
        strlen(value->text) >= sizeof parameter->text) {
        return false;
    }
    snprintf(parameter->name, sizeof parameter->name, "%s", name);
    snprintf(parameter->text, sizeof parameter->text, "%s", value->text);
    if (value->plain && read_number(value->text, &parameter->number)) {
        parameter->type = FIL_FOXGLOVE_NUMBER;
    } else if (value->plain && (strcmp(value->text, "true") == 0 || strcmp(value->text, "false") == 0)) {
        parameter->type = FIL_FOXGLOVE_BOOL;
        parameter->boolean = value->text[0] == 't';
    }
    return true;
}
