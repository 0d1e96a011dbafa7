#include "boundary.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "filum/scene.h"
#include "rcutils/logging_macros.h"

void fil_boundary_init(FilBoundary* boundary, const char* logger, FilParameters* parameters)
{
    *boundary = (FilBoundary){.logger = logger};
    const char* read = fil_parameters_find(parameters, "read_folders")->value.text;
    const char* record = fil_parameters_find(parameters, "record_folders")->value.text;
    if (read[0] != '\0') {
        snprintf(boundary->read_folders, sizeof boundary->read_folders, "%s", read);
    } else {
        fil_scene_folders(boundary->read_folders, sizeof boundary->read_folders);
    }
    snprintf(boundary->record_folders, sizeof boundary->record_folders, "%s", record[0] != '\0' ? record : ".");
    boundary->locked = fil_parameters_find(parameters, "locked")->value.boolean;
    boundary->budget = (FilSceneBudget){
        .nodes = (int)fil_parameters_find(parameters, "max_nodes")->value.integer,
        .elements = (int)fil_parameters_find(parameters, "max_elements")->value.integer,
        .contacts = (int)fil_parameters_find(parameters, "max_contacts")->value.integer,
        .bytes = (size_t)fil_parameters_find(parameters, "max_bytes")->value.integer,
    };
}

void fil_boundary_refuse(FilBoundary* boundary, const char* request, const char* reason)
{
    boundary->refused++;
    snprintf(boundary->last_refusal, sizeof boundary->last_refusal, "%s: %s", request, reason);
    // at most one line a second, here and elsewhere: the log shall stay readable, whoever asks how often
    RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, boundary->logger, "refused to %s (%llu so far)", boundary->last_refusal,
                                    (unsigned long long)boundary->refused);
}

static bool is_unlocked(FilBoundary* boundary, const char* request, FilError* reason)
{
    if (boundary->locked) {
        snprintf(reason->text, sizeof reason->text, "the node is locked: its peers cannot %s", request);
        fil_boundary_refuse(boundary, request, "the node is locked");
    }
    return !boundary->locked;
}

bool fil_boundary_may_load(FilBoundary* boundary, FilError* reason)
{
    return is_unlocked(boundary, "load a world", reason);
}

bool fil_boundary_may_quit(FilBoundary* boundary, FilError* reason)
{
    return is_unlocked(boundary, "end the node", reason);
}

bool fil_boundary_may_record(FilBoundary* boundary, const char* path, FilError* reason)
{
    if (!is_unlocked(boundary, "record", reason)) {
        return false;
    }
    if (fil_file_may_make(path, boundary->record_folders, reason)) {
        return true;
    }
    fil_boundary_refuse(boundary, "record", reason->text);
    return false;
}

/* The end of the next ":12" that has ": " after it: a line of a file; NULL: there is none. */
static const char* find_line(const char* message)
{
    for (const char* at = strchr(message, ':'); at != NULL; at = strchr(at + 1, ':')) {
        const size_t digits = strspn(at + 1, "0123456789");
        if (digits > 0 && strncmp(at + 1 + digits, ": ", 2) == 0) {
            return at + 1 + digits;
        }
    }
    return NULL;
}

void fil_boundary_veil(const char* name, FilStatus status, const char* message, FilError* veiled)
{
    const size_t length = name != NULL ? strlen(name) : 0;
    const bool own = length > 0 && strncmp(message, name, length) == 0 && message[length] == ':';
    const char* line = find_line(message);
    const char* end = own && line != NULL ? find_line(line) : line;  // text that was sent may name a file with lines of its own
    if (status != FIL_BAD_INPUT || (own && end == NULL)) {
        snprintf(veiled->text, sizeof veiled->text, "%s", message);
    } else {
        snprintf(veiled->text, sizeof veiled->text, "%.*s: cannot be used; the node's log says why", end != NULL ? (int)(end - message) : 0, message);
    }
}
