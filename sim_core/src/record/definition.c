/* Owns the reading of definitions. */
#include "record/definition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Types that one message can be made of: a bound of ours, beyond which it is refused. */
enum { MAX_TYPES = 256 };

static bool is_primitive(const char* type)
{
    static const char* const primitives[] = {"bool",   "byte",  "char",   "int8",    "uint8",   "int16",  "uint16", "int32",
                                             "uint32", "int64", "uint64", "float32", "float64", "string", "wstring"};
    for (size_t i = 0; i < sizeof primitives / sizeof primitives[0]; ++i) {
        if (strcmp(type, primitives[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The next word of a line; false if there is none or it is too long. */
static bool take_word(const char** at, const char* end, char* word, size_t size)
{
    const char* start = *at;
    while (start < end && (*start == ' ' || *start == '\t')) {
        start += 1;
    }
    const char* stop = start;
    while (stop < end && *stop != ' ' && *stop != '\t') {
        stop += 1;
    }
    *at = stop;
    const size_t length = (size_t)(stop - start);
    if (length == 0 || length >= size) {
        return false;
    }
    memcpy(word, start, length);
    word[length] = '\0';
    return true;
}

/* Strips "[3]", "[]", "[<=3]" and "<=9" off a type; false if they are malformed. */
static bool strip_bounds(char* type, FilField* field)
{
    field->array = FIL_FIELD_SINGLE;
    field->count = 0;
    char* bracket = strchr(type, '[');
    if (bracket != NULL) {
        char* inside = bracket + 1;
        char* rest = NULL;
        field->array = FIL_FIELD_DYNAMIC;
        if (*inside >= '0' && *inside <= '9') {
            const unsigned long count = strtoul(inside, &rest, 10);
            field->array = FIL_FIELD_FIXED;
            field->count = (uint32_t)count;
            if (count > UINT32_MAX || strcmp(rest, "]") != 0) {
                return false;
            }
        } else if (inside[strlen(inside) - (*inside != '\0')] != ']') {
            return false;
        }
        *bracket = '\0';
    }
    char* bound = strstr(type, "<=");
    if (bound != NULL) {
        *bound = '\0';
    }
    return type[0] != '\0';
}

/* "T", "pkg/T" or "pkg/msg/T" as "pkg/T". */
static bool full_name(const char* type, const char* package, char* name)
{
    const char* first = strchr(type, '/');
    const char* last = strrchr(type, '/');
    int length = 0;
    if (strcmp(type, "Header") == 0) {
        length = snprintf(name, FIL_DEFINITION_NAME, "std_msgs/Header");
    } else if (first == NULL) {
        length = snprintf(name, FIL_DEFINITION_NAME, "%s/%s", package, type);
    } else {
        length = snprintf(name, FIL_DEFINITION_NAME, "%.*s/%s", (int)(first - type), type, last + 1);
    }
    return length > 0 && length < FIL_DEFINITION_NAME;
}

FilDefinitionLine fil_definition_line(const char** text, const char* end, const char* package, FilField* field)
{
    const char* at = *text;
    const char* newline = memchr(at, '\n', (size_t)(end - at));
    const char* stop = newline != NULL ? newline : end;
    *text = newline != NULL ? newline + 1 : end;
    // a comment needs no quotes heeded: only constants and defaults have them, after the name
    const char* comment = memchr(at, '#', (size_t)(stop - at));
    stop = comment != NULL ? comment : stop;
    while (stop > at && (stop[-1] == '\r' || stop[-1] == ' ' || stop[-1] == '\t')) {
        stop -= 1;
    }
    char type[FIL_DEFINITION_NAME];
    if (!take_word(&at, stop, type, sizeof type)) {
        return at >= stop ? FIL_LINE_EMPTY : FIL_LINE_BAD;
    }
    if (!take_word(&at, stop, field->name, sizeof field->name)) {
        return FIL_LINE_BAD;
    }
    // a constant is NAME=value or NAME = value; a default comes without the sign
    while (at < stop && (*at == ' ' || *at == '\t')) {
        at += 1;
    }
    if (strchr(field->name, '=') != NULL || (at < stop && *at == '=')) {
        return FIL_LINE_EMPTY;
    }
    if (!strip_bounds(type, field)) {
        return FIL_LINE_BAD;
    }
    field->primitive = is_primitive(type);
    if (field->primitive) {
        memcpy(field->type, type, sizeof type);
        return FIL_LINE_FIELD;
    }
    return full_name(type, package, field->type) ? FIL_LINE_FIELD : FIL_LINE_BAD;
}

/* ---- joining ---- */

typedef struct Needed {
    char names[MAX_TYPES][FIL_DEFINITION_NAME];
    int count;
} Needed;

static bool need(Needed* needed, const char* name)
{
    for (int i = 0; i < needed->count; ++i) {
        if (strcmp(needed->names[i], name) == 0) {
            return true;
        }
    }
    if (needed->count == MAX_TYPES) {
        return false;
    }
    snprintf(needed->names[needed->count++], FIL_DEFINITION_NAME, "%s", name);
    return true;
}

/* Adds the types that a definition uses. */
static bool need_fields(Needed* needed, const char* type, const char* text, const char* end)
{
    char package[FIL_DEFINITION_NAME];
    snprintf(package, sizeof package, "%s", type);
    *strchr(package, '/') = '\0';
    while (text < end) {
        FilField field;
        const FilDefinitionLine line = fil_definition_line(&text, end, package, &field);
        if (line == FIL_LINE_BAD || (line == FIL_LINE_FIELD && !field.primitive && !need(needed, field.type))) {
            return false;
        }
    }
    return true;
}

/* Appends the definitions of all needed types, those that they need in turn included. */
static FilStatus join(Needed* needed, FilDefinitionLookup lookup, void* context, FilBytes* text, FilError* error)
{
    for (int i = 0; i < needed->count; ++i) {
        const char* type = needed->names[i];
        if (i > 0) {
            char head[96 + FIL_DEFINITION_NAME];
            // 80: as rosbag2 and MCAP's profile of ROS separate definitions
            memset(head, '=', 80);
            snprintf(head + 80, sizeof head - 80, "\nMSG: %s\n", type);
            fil_bytes_put(text, head, strlen(head));
        }
        const size_t start = text->size;
        if (!lookup(context, type, text)) {
            return fil_error(error, FIL_BAD_INPUT, "no definition of %s is found (needed by %s)", type, needed->names[0]);
        }
        if (text->size > start && text->data[text->size - 1] != '\n') {
            fil_bytes_u8(text, '\n');
        }
        if (text->failed) {
            return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
        }
        const char* begin = (const char*)text->data;
        if (text->size > start && !need_fields(needed, type, begin + start, begin + text->size)) {
            return fil_error(error, FIL_BAD_INPUT, "the definition of %s cannot be understood", type);
        }
    }
    return FIL_OK;
}

FilStatus fil_definition_join(const char* type, FilDefinitionLookup lookup, void* context, FilBytes* text, FilError* error)
{
    char name[FIL_DEFINITION_NAME];
    if (strchr(type, '/') == NULL || !full_name(type, "", name)) {
        return fil_error(error, FIL_BAD_INPUT, "'%.100s' is not the name of a message type", type);
    }
    Needed* needed = calloc(1, sizeof *needed);
    if (needed == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    (void)need(needed, name);
    const FilStatus status = join(needed, lookup, context, text, error);
    free(needed);
    return status;
}
