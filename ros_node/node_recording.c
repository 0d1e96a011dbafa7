#include "node_recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "recording.h"

/* s of wall time between two complaints about dropped messages */
#define COMPLAINT_INTERVAL 1.0

static bool resolve(void* context, const char* name, char full[256])
{
    const FilNode* node = context;
    return fil_resolve_name(&node->node, name, full);
}

static bool offer(void* context, const FilOutputTopic* topic, rmw_qos_profile_t* qos)
{
    const FilNode* node = context;
    for (int i = 0; i < FIL_TOPIC_COUNT; i++) {
        if (fil_output_topic((FilTopicId)i) == topic) {
            *qos = node->publishers.offered[i];
            return true;
        }
    }
    return false;
}

/* ---- the parameters, as a file that the node reads ---- */

/* in double quotes, as YAML and JSON have it */
static void print_text(FILE* out, const char* text)
{
    fputc('"', out);
    for (const char* c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if ((unsigned char)*c < 0x20 || *c == 0x7f) {  // control characters
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)*c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

static void print_value(FILE* out, const FilParameterValue* value)
{
    char number[40];
    switch (value->type) {
        case FIL_PARAMETER_BOOL:
            fputs(value->boolean ? "true" : "false", out);
            break;
        case FIL_PARAMETER_INTEGER:
            fprintf(out, "%" PRId64, value->integer);
            break;
        case FIL_PARAMETER_DOUBLE:
            // a double must not look like an integer
            snprintf(number, sizeof number, "%.17g", value->real);
            fprintf(out, "%s%s", number, strpbrk(number, ".en") == NULL ? ".0" : "");
            break;
        default:
            print_text(out, value->text);
            break;
    }
}

static void attach_parameters(FilNode* node)
{
    char* text = NULL;
    size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    if (out != NULL) {
        fprintf(out, "%s:\n  ros__parameters:\n", rcl_node_get_fully_qualified_name(&node->node));
        for (size_t i = 0; i < node->parameters.count; i++) {
            const FilParameter* parameter = &node->parameters.items[i];
            fputs("    ", out);
            print_text(out, parameter->name);
            fputs(": ", out);
            print_value(out, &parameter->value);
            fputc('\n', out);
        }
        if (fclose(out) == 0) {
            fil_recording_attach(node->recording, "parameters.yaml", "application/yaml", text);
        }
    }
    free(text);
}

/* ---- life ---- */

static void stop(FilNode* node)
{
    FilError error = {{0}};
    if (node->recording == NULL) {
        return;
    }
    node->tap.recorder = (FilTapListener){0};
    const FilRecordingCounts counts = fil_recording_counts(node->recording);
    char file[FIL_PARAMETER_TEXT];
    snprintf(file, sizeof file, "%s", fil_recording_file(node->recording));
    const bool failed = fil_recording_stop(node->recording, &error) != FIL_OK;
    node->recording = NULL;
    if (failed) {
        RCUTILS_LOG_ERROR_NAMED(node->logger, "recording: %s", error.text);
    }
    if (counts.dropped > 0) {
        RCUTILS_LOG_ERROR_NAMED(node->logger, "recording: %s: %" PRIu64 " of %" PRIu64 " messages were dropped", file, counts.dropped,
                                counts.messages);
    } else {
        RCUTILS_LOG_INFO_NAMED(node->logger, "recording: %s: %" PRIu64 " messages", file, counts.messages);
    }
}

/* One bag for each of several worlds: "_w1" in front of the ending. */
static void name_file(const FilNode* node, const char* path, char own[FIL_PARAMETER_TEXT + 16])
{
    const char* dot = strrchr(path, '.');
    const size_t stem = dot != NULL && strchr(dot, '/') == NULL && dot != path ? (size_t)(dot - path) : strlen(path);
    if (node->def.worlds > 1) {
        snprintf(own, FIL_PARAMETER_TEXT + 16, "%.*s_w%d%s", (int)stem, path, node->def.index, path + stem);
    } else {
        snprintf(own, FIL_PARAMETER_TEXT + 16, "%s", path);
    }
}

bool fil_node_record(FilNode* node, const char* path, const char* folders, char reason[FIL_REASON_TEXT])
{
    char own[FIL_PARAMETER_TEXT + 16];
    stop(node);
    if (path[0] == '\0') {
        return true;
    }
    name_file(node, path, own);
    FilRecordingOptions options = fil_recording_options_default();
    const char* storage = fil_parameters_find(&node->parameters, "record_storage")->value.text;
    const char* compression = fil_parameters_find(&node->parameters, "record_compression")->value.text;
    options.storage = storage[0] != '\0' ? storage : options.storage;
    options.compression = compression[0] != '\0' ? compression : options.compression;
    options.drop_when_full = !node->commands.lockstep;
    options.folders = folders;
    options.resolve = resolve;
    options.offer = offer;
    options.context = node;
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, node->simulation.scene.seed);
    const FilRecordingPair how[] = {{"seed", seed}};
    FilError error = {{0}};
    if (fil_recording_start(own, &options, &node->simulation, how, 1, &node->recording, &error) != FIL_OK) {
        snprintf(reason, FIL_REASON_TEXT, "record: %.480s", error.text);
        return false;
    }
    node->tap.recorder = (FilTapListener){fil_recording_hear, node->recording};
    node->reported_drops = 0;
    attach_parameters(node);
    RCUTILS_LOG_INFO_NAMED(node->logger, "recording to %s", fil_recording_file(node->recording));
    return true;
}

void fil_node_watch_recording(FilNode* node, double now)
{
    if (node->recording == NULL) {
        return;
    }
    const uint64_t dropped = fil_recording_counts(node->recording).dropped;
    if (dropped > node->reported_drops && now > node->next_complaint) {
        RCUTILS_LOG_ERROR_NAMED(node->logger,
                                "recording: the disk is too slow: %" PRIu64 " messages were dropped, %" PRIu64 " in all; lockstep would wait instead",
                                dropped - node->reported_drops, dropped);
        node->reported_drops = dropped;
        node->next_complaint = now + COMPLAINT_INTERVAL;
    }
    if (fil_recording_error(node->recording) != NULL) {
        stop(node);
    }
}

void fil_node_changed_by_hand(FilNode* node, const char* reason)
{
    fil_simulation_forgive(&node->simulation);
    if (node->recording != NULL) {
        fil_recording_mark(node->recording, reason);
    }
}
