/* A scene's tree: its file, the files that it includes, and the settings of the command line on top. */
#ifndef FILUM_SCENE_DOCUMENT_H
#define FILUM_SCENE_DOCUMENT_H

#include "filum/scene.h"
#include "scene/yaml_tree.h"

/* Where a scene comes from: a file, or text in memory that is treated as the contents of the file `path`. */
typedef struct FilSource {
    const char* path;
    const char* text; /* NULL: read the file */
    size_t size;
    const char* folders; /* that files may be read from, separated by colons; NULL: any */
} FilSource;

/* Reads, parses and merges. Mappings of an included file are merged under those of the including one, lists of
 * mappings are joined (included first), anything else in the including file wins. */
FIL_MUST_CHECK FilStatus fil_document_load(const FilSource* source, const FilSceneLimits* limits, FilPool* pool, FilYaml** root, FilError* error);

/* The path of a file that is named in another one: relative to that one's folder unless it begins with a slash. NULL
 * when out of memory. */
char* fil_document_path(FilPool* pool, const char* from, const char* name);

/* Puts the settings into the tree. A path names a parameter, an existing key, or a key that an existing mapping may
 * have; `root_keys` are those of the scene itself. */
FIL_MUST_CHECK FilStatus fil_document_set(FilYaml* root, const FilSetting* settings, int count, const char* const* root_keys,
                                          const FilSceneLimits* limits, FilPool* pool, FilError* error);

#endif
