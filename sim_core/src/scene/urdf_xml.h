/* Reading an XML tree for URDF: attributes, numbers, messages. The first failure is kept in `status`; later calls then
 * do nothing and leave values at their defaults. */
#ifndef FILUM_SCENE_URDF_XML_H
#define FILUM_SCENE_URDF_XML_H

#include <libxml/tree.h>

#include "scene/urdf.h"

enum { FIL_URDF_IGNORED = 64 }; /* names of ignored elements that are reported */

typedef struct FilUrdfReader {
    FilStatus status;
    FilError* error;
    FilPool* pool;
    const char* path;
    const char* ignored[FIL_URDF_IGNORED];
    int ignored_count;
} FilUrdfReader;

/* Parses the source; NULL after a failure. The caller frees the document. */
xmlDoc* fil_xml_parse(FilUrdfReader* reader, const FilSource* source);
/* The whole file, terminated, in the pool. */
char* fil_xml_load(FilUrdfReader* reader, const char* path, size_t* size);

/* "file:line: <element> 'name': ..." */
void fil_xml_fail(FilUrdfReader* reader, const xmlNode* at, const char* format, ...) FIL_PRINTF(3, 4);
void* fil_xml_alloc(FilUrdfReader* reader, size_t count, size_t size);

bool fil_xml_is(const xmlNode* node, const char* name); /* an element of this name */
/* First element inside `parent`, and the next one beside `node`; NULL: none. */
const xmlNode* fil_xml_first(const xmlNode* parent);
const xmlNode* fil_xml_next(const xmlNode* node);
/* The only element of this name inside; NULL if there is none. Two of them are a failure. */
const xmlNode* fil_xml_child(FilUrdfReader* reader, const xmlNode* parent, const char* name);
/* Notes elements inside whose names are not in the list (which ends with NULL): they have no effect. */
void fil_xml_ignore_others(FilUrdfReader* reader, const xmlNode* parent, const char* const* known);
void fil_xml_ignore(FilUrdfReader* reader, const char* name);

/* An attribute's text in the pool; NULL if it is not there, which is a failure when required. */
const char* fil_xml_text(FilUrdfReader* reader, const xmlNode* node, const char* name, bool required);
/* `count` finite numbers; false (and nothing changed) if the attribute is not there. */
bool fil_xml_numbers(FilUrdfReader* reader, const xmlNode* node, const char* name, bool required, int count, double* values);
/* The numbers of a text; false if they are not exactly `count` finite ones. */
bool fil_xml_parse_numbers(const char* text, int count, double* values);

/* The pose of an <origin> inside: xyz, and rpy, turns about the fixed axes x, y, z. */
void fil_xml_origin(FilUrdfReader* reader, const xmlNode* parent, FilVec3* position, FilQuat* orientation);

#endif
