#include "scene/yaml_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "scene/names.h"

FilSceneLimits fil_scene_limits_default(void)
{
    // far beyond any scene of config/scenes, so that nobody's file takes memory and time without bounds (docs/security.md,
    // docs/scenes.md)
    return (FilSceneLimits){
        .file_bytes = (size_t)64 << 20,
        .line_bytes = (size_t)1 << 20,
        .values = 2000000,
        .keys = 10000,
        .depth = 64,
        .files = 64,
        .nodes = 10000000,
        .elements = 100000000,
    };
}

/* ---- the tree ---- */

FilYaml* fil_yaml_find(const FilYaml* mapping, const char* key)
{
    if (mapping->kind != FIL_YAML_MAPPING) {
        return NULL;
    }
    for (FilYaml* child = mapping->first; child != NULL; child = child->next) {
        if (strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

static const char* name_of(const FilYaml* node)
{
    const FilYaml* name = fil_yaml_find(node, "name");
    return name != NULL ? name->text : NULL;
}

FilYaml* fil_yaml_child(const FilYaml* node, const char* part)
{
    if (node->kind != FIL_YAML_LIST) {
        return fil_yaml_find(node, part);
    }
    for (FilYaml* child = node->first; child != NULL; child = child->next) {
        const char* name = name_of(child);
        if (name != NULL && strcmp(name, part) == 0) {
            return child;
        }
    }
    char* end = NULL;
    const long index = strtol(part, &end, 10);
    FilYaml* child = *part != '\0' && *end == '\0' && index >= 0 ? node->first : NULL;
    for (long k = 0; child != NULL && k < index; k++) {
        child = child->next;
    }
    return child;
}

void fil_yaml_append(FilYaml* parent, FilYaml* child)
{
    child->parent = parent;
    child->next = NULL;
    if (parent->last != NULL) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
}

void fil_yaml_replace(FilYaml* old, FilYaml* replacement)
{
    FilYaml* parent = old->parent;
    replacement->key = old->key;
    replacement->parent = parent;
    replacement->next = old->next;
    FilYaml** link = &parent->first;
    while (*link != old) {
        link = &(*link)->next;
    }
    *link = replacement;
    if (parent->last == old) {
        parent->last = replacement;
    }
}

void fil_yaml_remove(FilYaml* child)
{
    FilYaml* parent = child->parent;
    FilYaml* before = NULL;
    for (FilYaml* node = parent->first; node != child; node = node->next) {
        before = node;
    }
    *(before != NULL ? &before->next : &parent->first) = child->next;
    if (parent->last == child) {
        parent->last = before;
    }
    parent->count--;
}

FilYaml* fil_yaml_copy(const FilYaml* node, FilPool* pool, int* values)
{
    FilYaml* copy = --*values >= 0 ? fil_pool_alloc(pool, 1, sizeof *copy) : NULL;
    if (copy == NULL) {
        return NULL;
    }
    *copy = *node;
    copy->parent = copy->first = copy->last = copy->next = copy->parameters = NULL;
    copy->count = 0;
    copy->memo = FIL_YAML_UNKNOWN;
    for (const FilYaml* child = node->first; child != NULL; child = child->next) {
        FilYaml* same = fil_yaml_copy(child, pool, values);
        if (same == NULL) {
            return NULL;
        }
        fil_yaml_append(copy, same);
    }
    return copy;
}

/* ---- messages ---- */

/* Writes the path of a node and returns its length, cut off at the end of the buffer. */
static size_t write_path(const FilYaml* node, char* path, size_t size)
{
    if (node->parent == NULL) {
        path[0] = '\0';
        return 0;
    }
    size_t length = write_path(node->parent, path, size);
    const char* dot = length > 0 ? "." : "";
    const char* part = node->key != NULL ? node->key : name_of(node);
    int written = 0;
    if (part == NULL && node->parent->kind == FIL_YAML_MAPPING) {
        // between two keys of a mapping: the mapping is the place
    } else if (part != NULL) {
        written = snprintf(path + length, size - length, "%s%s", dot, part);
    } else {
        int index = 0;
        for (const FilYaml* child = node->parent->first; child != NULL && child != node; child = child->next) {
            index++;
        }
        written = snprintf(path + length, size - length, "%s%d", dot, index);
    }
    length += written > 0 ? (size_t)written : 0;
    return length < size ? length : size - 1;
}

void fil_yaml_path(const FilYaml* node, char* path, size_t size)
{
    if (write_path(node, path, size) == 0) {
        snprintf(path, size, "scene");
    }
}

/* Control characters of a hostile file must not reach a terminal. */
static void make_printable(char* text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            *text = '?';
        }
    }
}

static FilStatus write_error(FilError* error, const FilYaml* at, const char* format, va_list arguments)
{
    if (error == NULL) {
        return FIL_BAD_INPUT;
    }
    char path[160], message[280], line[16] = "";
    fil_yaml_path(at, path, sizeof path);
    vsnprintf(message, sizeof message, format, arguments);
    if (at->line > 0) {
        snprintf(line, sizeof line, ":%d", at->line);
    }
    // the end of a long file name says more than its beginning, and the message must always fit
    const size_t used = strlen(path) + strlen(message) + strlen(line) + 8;
    const size_t room = sizeof error->text > used ? sizeof error->text - used : 0;
    const size_t length = strlen(at->file);
    const char* file = length > room ? at->file + (length - room) : at->file;
    snprintf(error->text, sizeof error->text, "%s%s%s: %s: %s", file != at->file ? "..." : "", file, line, path, message);
    make_printable(error->text);
    return FIL_BAD_INPUT;
}

FilStatus fil_yaml_error(FilError* error, const FilYaml* at, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const FilStatus status = write_error(error, at, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- from libyaml's events to the tree ---- */

typedef struct Parser {
    const char* file;
    const FilSceneLimits* limits;
    int* values;
    FilPool* pool;
    FilError* error;
    FilYaml* root;
    FilYaml* container; /* the open list or mapping; NULL outside of the root */
    const char* key;    /* waiting for its value; NULL: none */
    int key_line;
    int depth;
    int documents;
} Parser;

/* Where the parser stands, for a message. */
static FilYaml here(const Parser* parser, int line)
{
    return (FilYaml){.file = parser->file, .line = line, .parent = parser->container, .key = parser->key};
}

static FilStatus refuse(const Parser* parser, int line, const char* format, ...) FIL_PRINTF(3, 4);

static FilStatus refuse(const Parser* parser, int line, const char* format, ...)
{
    const FilYaml at = here(parser, line);
    va_list arguments;
    va_start(arguments, format);
    const FilStatus status = write_error(parser->error, &at, format, arguments);
    va_end(arguments);
    return status;
}

static FilStatus out_of_memory(const Parser* parser)
{
    return fil_error(parser->error, FIL_OUT_OF_MEMORY, "%.200s: out of memory", parser->file);
}

/* Makes a node and hangs it into the open container, or makes it the root. */
static FilStatus add_node(Parser* parser, FilYamlKind kind, int line, FilYaml** out)
{
    if (++*parser->values > parser->limits->values) {
        return refuse(parser, line, "more than %d values in one scene", parser->limits->values);
    }
    FilYaml* node = fil_pool_alloc(parser->pool, 1, sizeof *node);
    if (node == NULL) {
        return out_of_memory(parser);
    }
    node->kind = kind;
    node->file = parser->file;
    node->key = parser->key;
    node->line = parser->key != NULL ? parser->key_line : line;
    parser->key = NULL;
    if (parser->container != NULL) {
        fil_yaml_append(parser->container, node);
    } else {
        parser->root = node;
    }
    *out = node;
    return FIL_OK;
}

static bool key_is_next(const Parser* parser)
{
    return parser->container != NULL && parser->container->kind == FIL_YAML_MAPPING && parser->key == NULL;
}

static FilStatus take_scalar(Parser* parser, const yaml_event_t* event, int line)
{
    const char* text = (const char*)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (memchr(text, '\0', length) != NULL) {
        return refuse(parser, line, "a text must not contain the character \\0");
    }
    char* copy = fil_pool_text(parser->pool, text, length);
    if (copy == NULL) {
        return out_of_memory(parser);
    }
    if (key_is_next(parser)) {
        if (parser->container->count >= parser->limits->keys) {
            return refuse(parser, line, "more than %d keys in one mapping", parser->limits->keys);
        }
        parser->key = copy;
        parser->key_line = line;
        return FIL_OK;
    }
    FilYaml* node = NULL;
    const FilStatus status = add_node(parser, FIL_YAML_SCALAR, line, &node);
    if (status == FIL_OK) {
        node->text = copy;
        node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    }
    return status;
}

static FilStatus open_container(Parser* parser, FilYamlKind kind, int line)
{
    if (key_is_next(parser)) {
        return refuse(parser, line, "a key must be a name, not a list or mapping");
    }
    if (++parser->depth > parser->limits->depth) {
        return refuse(parser, line, "nested more than %d deep", parser->limits->depth);
    }
    FilYaml* node = NULL;
    const FilStatus status = add_node(parser, kind, line, &node);
    if (status == FIL_OK) {
        parser->container = node;
    }
    return status;
}

/* Closes the open container; a mapping must not give a key twice. */
static FilStatus close_container(Parser* parser)
{
    FilYaml* node = parser->container;
    parser->container = node->parent;
    parser->depth--;
    if (node->kind != FIL_YAML_MAPPING || node->count < 2) {
        return FIL_OK;
    }
    const char** keys = fil_pool_alloc(parser->pool, (size_t)node->count, sizeof *keys);
    FilNames names;
    int count = 0;
    for (const FilYaml* child = node->first; child != NULL && keys != NULL; child = child->next) {
        keys[count++] = child->key;
    }
    if (keys == NULL || !fil_names_build(&names, parser->pool, keys, count)) {
        return out_of_memory(parser);
    }
    int duplicate = fil_names_duplicate(&names);
    if (duplicate < 0) {
        return FIL_OK;
    }
    const FilYaml* second = node->first;
    while (duplicate-- > 0) {
        second = second->next;
    }
    return fil_yaml_error(parser->error, second, "given twice (first in line %d)", fil_yaml_find(node, second->key)->line);
}

static FilStatus check_extras(const Parser* parser, const void* anchor, const void* tag, int line)
{
    if (anchor != NULL) {
        return refuse(parser, line, "anchors (&) and aliases (*) are not supported; declare a parameter instead");
    }
    return tag != NULL ? refuse(parser, line, "tags (!) are not supported") : FIL_OK;
}

static FilStatus take_event(Parser* parser, const yaml_event_t* event)
{
    const int line = (int)event->start_mark.line + 1;
    FilStatus status;
    switch (event->type) {
        case YAML_DOCUMENT_START_EVENT:
            return ++parser->documents > 1 ? refuse(parser, line, "a scene is one YAML document, here a second begins") : FIL_OK;
        case YAML_ALIAS_EVENT:
            return check_extras(parser, event->data.alias.anchor, NULL, line);
        case YAML_SCALAR_EVENT:
            status = check_extras(parser, event->data.scalar.anchor, event->data.scalar.tag, line);
            return status == FIL_OK ? take_scalar(parser, event, line) : status;
        case YAML_SEQUENCE_START_EVENT:
            status = check_extras(parser, event->data.sequence_start.anchor, event->data.sequence_start.tag, line);
            return status == FIL_OK ? open_container(parser, FIL_YAML_LIST, line) : status;
        case YAML_MAPPING_START_EVENT:
            status = check_extras(parser, event->data.mapping_start.anchor, event->data.mapping_start.tag, line);
            return status == FIL_OK ? open_container(parser, FIL_YAML_MAPPING, line) : status;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
            return close_container(parser);
        default:
            return FIL_OK;
    }
}

/* Says what libyaml disliked. */
static FilStatus syntax_error(const Parser* parser, const yaml_parser_t* yaml, const char* text, size_t size)
{
    if (yaml->error == YAML_MEMORY_ERROR) {
        return out_of_memory(parser);
    }
    int line = (int)yaml->problem_mark.line + 1;
    if (yaml->error == YAML_READER_ERROR) {
        // such errors come with a byte offset only
        line = 1;
        for (size_t k = 0; k < yaml->problem_offset && k < size; k++) {
            line += text[k] == '\n';
        }
    }
    const char* problem = yaml->problem != NULL ? yaml->problem : "unreadable";
    const char* context = yaml->context != NULL ? yaml->context : "";
    return refuse(parser, line, "not valid YAML: %s%s%s", context, *context != '\0' ? ", " : "", problem);
}

/* Size, line lengths: everything that can be said before parsing. */
static FilStatus check_text(const Parser* parser, const char* text, size_t size)
{
    int line = 1;
    for (size_t start = 0; start < size; line++) {
        const char* end = memchr(text + start, '\n', size - start);
        const size_t next = end != NULL ? (size_t)(end - text) + 1 : size;
        if (next - start > parser->limits->line_bytes) {
            return refuse(parser, line, "a line of more than %zu bytes", parser->limits->line_bytes);
        }
        start = next;
    }
    if (size > parser->limits->file_bytes) {
        return refuse(parser, line, "a file of more than %zu bytes", parser->limits->file_bytes);
    }
    return FIL_OK;
}

static FilStatus parse_events(Parser* parser, yaml_parser_t* yaml, const char* text, size_t size)
{
    yaml_parser_set_encoding(yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(yaml, (const unsigned char*)text, size);
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(yaml, &event)) {
            return syntax_error(parser, yaml, text, size);
        }
        const bool end = event.type == YAML_STREAM_END_EVENT;
        const FilStatus status = take_event(parser, &event);
        yaml_event_delete(&event);
        if (status != FIL_OK || end) {
            return status;
        }
    }
}

FilStatus fil_yaml_parse(const char* file, const char* text, size_t size, const FilSceneLimits* limits, int* values, FilPool* pool, FilYaml** root,
                         FilError* error)
{
    Parser parser = {.file = file, .limits = limits, .values = values, .pool = pool, .error = error};
    FilStatus status = check_text(&parser, text, size);
    if (status != FIL_OK) {
        return status;
    }
    yaml_parser_t yaml;
    if (!yaml_parser_initialize(&yaml)) {
        return out_of_memory(&parser);
    }
    status = parse_events(&parser, &yaml, text, size);
    yaml_parser_delete(&yaml);
    if (status == FIL_OK && (parser.root == NULL || (parser.root->plain && *parser.root->text == '\0'))) {
        status = refuse(&parser, 1, "the file is empty");
    }
    *root = parser.root;
    return status;
}
