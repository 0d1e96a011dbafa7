#include "scene/urdf_xml.h"

#include <libxml/parser.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/quat.h"

/* ---- messages ---- */

void fil_xml_fail(FilUrdfReader* reader, const xmlNode* at, const char* format, ...)
{
    if (reader->status != FIL_OK) {
        return;
    }
    char message[384], place[160] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (at != NULL) {
        xmlChar* name = xmlGetProp((xmlNode*)at, BAD_CAST "name");
        if (name != NULL) {
            snprintf(place, sizeof place, "%.40s '%.80s': ", (const char*)at->name, (const char*)name);
        } else {
            snprintf(place, sizeof place, "%.40s: ", (const char*)at->name);
        }
        xmlFree(name);
    }
    reader->status = at != NULL
                         ? fil_error(reader->error, FIL_BAD_INPUT, "%.200s:%ld: %s%s", reader->path, xmlGetLineNo((xmlNode*)at), place, message)
                         : fil_error(reader->error, FIL_BAD_INPUT, "%.200s: %s", reader->path, message);
}

void* fil_xml_alloc(FilUrdfReader* reader, size_t count, size_t size)
{
    void* block = fil_pool_alloc(reader->pool, count, size);
    if (block == NULL && reader->status == FIL_OK) {
        reader->status = fil_error(reader->error, FIL_OUT_OF_MEMORY, "%.200s: out of memory", reader->path);
    }
    return block;
}

/* ---- parsing ---- */

char* fil_xml_load(FilUrdfReader* reader, const char* path, size_t* size)
{
    FilError reason;
    FILE* stream = fil_file_open(path, NULL, &reason);
    if (stream == NULL) {
        fil_xml_fail(reader, NULL, "cannot be opened: %s", reason.text);
        return NULL;
    }
    const bool sought = fseek(stream, 0, SEEK_END) == 0;
    const long end = sought ? ftell(stream) : -1;
    char* text = NULL;
    if (end < 0 || (size_t)end > FIL_URDF_MAX_BYTES || fseek(stream, 0, SEEK_SET) != 0) {
        fil_xml_fail(reader, NULL, "is no file, or larger than %zu bytes", FIL_URDF_MAX_BYTES);
    } else if ((text = fil_xml_alloc(reader, (size_t)end + 1, 1)) != NULL) {
        *size = fread(text, 1, (size_t)end, stream);
        if (*size != (size_t)end) {
            fil_xml_fail(reader, NULL, "could not be read to its end");
        }
    }
    fclose(stream);
    return text;
}

/* Problems are kept in the parser; nothing is printed. */
static void keep_quiet(void* context, xmlError* problem)
{
    (void)context, (void)problem;
}

xmlDoc* fil_xml_parse(FilUrdfReader* reader, const FilSource* source)
{
    if (source->size > FIL_URDF_MAX_BYTES) {
        fil_xml_fail(reader, NULL, "is larger than %zu bytes", FIL_URDF_MAX_BYTES);
        return NULL;
    }
    static pthread_once_t started = PTHREAD_ONCE_INIT;  // the parser must not be started by two threads at once
    pthread_once(&started, xmlInitParser);
    xmlParserCtxt* context = xmlNewParserCtxt();
    if (context == NULL) {
        reader->status = fil_error(reader->error, FIL_OUT_OF_MEMORY, "%.200s: out of memory", reader->path);
        return NULL;
    }
    const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES;
    // the thread's own handler, put back afterwards
    const xmlStructuredErrorFunc handler = xmlStructuredError;
    void* handler_context = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(NULL, keep_quiet);
    xmlDoc* document = xmlCtxtReadMemory(context, source->text, (int)source->size, source->path, "UTF-8", options);
    xmlSetStructuredErrorFunc(handler_context, handler);
    const xmlError* problem = xmlCtxtGetLastError(context);
    if (document == NULL && reader->status == FIL_OK) {
        char message[200];
        snprintf(message, sizeof message, "%s", problem != NULL && problem->message != NULL ? problem->message : "no XML");
        message[strcspn(message, "\r\n")] = '\0';
        reader->status =
            fil_error(reader->error, FIL_BAD_INPUT, "%.200s:%d: not well-formed XML: %s", reader->path, problem != NULL ? problem->line : 1, message);
    } else if (document != NULL && document->intSubset != NULL) {
        fil_xml_fail(reader, NULL, "has a document type with entities; a URDF has none");
    }
    xmlFreeParserCtxt(context);
    return document;
}

/* ---- elements ---- */

bool fil_xml_is(const xmlNode* node, const char* name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char*)node->name, name) == 0;
}

static const xmlNode* element_from(const xmlNode* node)
{
    while (node != NULL && node->type != XML_ELEMENT_NODE) {
        node = node->next;
    }
    return node;
}

const xmlNode* fil_xml_first(const xmlNode* parent)
{
    return element_from(parent->children);
}

const xmlNode* fil_xml_next(const xmlNode* node)
{
    return element_from(node->next);
}

const xmlNode* fil_xml_child(FilUrdfReader* reader, const xmlNode* parent, const char* name)
{
    const xmlNode* found = NULL;
    for (const xmlNode* node = fil_xml_first(parent); node != NULL; node = fil_xml_next(node)) {
        if (fil_xml_is(node, name)) {
            if (found != NULL) {
                fil_xml_fail(reader, node, "there is one already, on line %ld", xmlGetLineNo((xmlNode*)found));
            }
            found = node;
        }
    }
    return reader->status == FIL_OK ? found : NULL;
}

void fil_xml_ignore(FilUrdfReader* reader, const char* name)
{
    for (int k = 0; k < reader->ignored_count; k++) {
        if (strcmp(reader->ignored[k], name) == 0) {
            return;
        }
    }
    if (reader->ignored_count < FIL_URDF_IGNORED) {
        const char* copy = fil_pool_text(reader->pool, name, strnlen(name, 60));
        if (copy != NULL) {
            reader->ignored[reader->ignored_count++] = copy;
        }
    }
}

void fil_xml_ignore_others(FilUrdfReader* reader, const xmlNode* parent, const char* const* known)
{
    for (const xmlNode* node = fil_xml_first(parent); node != NULL; node = fil_xml_next(node)) {
        bool is_known = false;
        for (int k = 0; known[k] != NULL && !is_known; k++) {
            is_known = fil_xml_is(node, known[k]);
        }
        if (!is_known) {
            fil_xml_ignore(reader, (const char*)node->name);
        }
    }
}

/* ---- attributes ---- */

const char* fil_xml_text(FilUrdfReader* reader, const xmlNode* node, const char* name, bool required)
{
    if (reader->status != FIL_OK) {
        return NULL;
    }
    xmlChar* value = xmlGetNoNsProp((xmlNode*)node, BAD_CAST name);
    const char* text = NULL;
    if (value != NULL) {
        const size_t length = strlen((const char*)value);
        char* copy = fil_xml_alloc(reader, length + 1, 1);
        text = copy != NULL ? memcpy(copy, value, length) : NULL;
    } else if (required) {
        fil_xml_fail(reader, node, "the attribute '%s' is missing", name);
    }
    xmlFree(value);
    return text;
}

bool fil_xml_parse_numbers(const char* text, int count, double* values)
{
    static const char blank[] = " \t\r\n";
    for (int k = 0; k < count; k++) {
        text += strspn(text, blank);
        char* end = NULL;
        // no hexadecimal numbers, infinities or names
        const bool begins = text[0] != '\0' && strchr("+-.0123456789", text[0]) != NULL;
        values[k] = begins ? strtod(text, &end) : NAN;
        if (!begins || end == text || !isfinite(values[k]) || memchr(text, 'x', (size_t)(end - text)) != NULL ||
            (*end != '\0' && strchr(blank, *end) == NULL)) {
            return false;
        }
        text = end;
    }
    return text[strspn(text, blank)] == '\0';
}

bool fil_xml_numbers(FilUrdfReader* reader, const xmlNode* node, const char* name, bool required, int count, double* values)
{
    const char* text = fil_xml_text(reader, node, name, required);
    double read[6];
    if (text == NULL) {
        return false;
    }
    if (!fil_xml_parse_numbers(text, count, read)) {
        const char* hint = strstr(text, "${") != NULL ? "; this is xacro: expand it first" : "";
        fil_xml_fail(reader, node, "%s=\"%.80s\" is not %s%s", name, text, count == 1 ? "a number" : "the numbers it needs", hint);
        return false;
    }
    memcpy(values, read, sizeof(double) * (size_t)count);
    return true;
}

void fil_xml_origin(FilUrdfReader* reader, const xmlNode* parent, FilVec3* position, FilQuat* orientation)
{
    double xyz[3] = {0.0}, rpy[3] = {0.0};
    const xmlNode* origin = fil_xml_child(reader, parent, "origin");
    if (origin != NULL) {
        fil_xml_numbers(reader, origin, "xyz", false, 3, xyz);
        fil_xml_numbers(reader, origin, "rpy", false, 3, rpy);
    }
    *position = (FilVec3){xyz[0], xyz[1], xyz[2]};
    const double x[3] = {rpy[0], 0.0, 0.0}, y[3] = {0.0, rpy[1], 0.0}, z[3] = {0.0, 0.0, rpy[2]};
    *orientation = fil_quat_multiply(fil_quat_exponential(z), fil_quat_multiply(fil_quat_exponential(y), fil_quat_exponential(x)));
}
